//! Messages about files with mistakes. A message names the file as the scenario does.

use super::*;

#[test]
fn files_with_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |topology: &str, flows: &str| {
        std::fs::write(folder.path().join("net.txt"), topology).unwrap();
        std::fs::write(folder.path().join("flow.txt"), flows).unwrap();
        let text = "network = { topology = { file = \"net.txt\", format = \"hpcc-ns3\" } }\n\
                    cc = { algorithm = \"none\" }\n\
                    [[traffic]]\nkind = \"file\"\nfile = \"flow.txt\"\nformat = \"hpcc-ns3\"\n";
        let source = Source {
            folder: folder.path().to_owned(),
            ..source(text)
        };
        Spec::parse(&source, &[])
            .and_then(Spec::validate)
            .unwrap_err()
            .to_string()
    };
    let pair = "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n";
    for (topology, flows, expected) in [
        ("3 1 2\n2\n0 2 100 1us 0\n", "", "net.txt:3: "),
        (
            "3 1 2\n2\n0 2 100Gbps 0us 0\n1 2 100Gbps 1us 0\n",
            "",
            "net.txt:3: ",
        ),
        (
            "4 2 2\n2 3\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n",
            "",
            "net.txt: no path leads from host 0 to host 1; add the links that join them",
        ),
        (
            "3 1 2\n2\n0 2 100Gbps 1us 0.01\n1 2 100Gbps 1us 0\n",
            "",
            "run.toml:1: network.topology: the link 0–2 loses packets at random (error rate 0.01); \
             write error rate 0, and [[fault]] with kind = \"loss\"",
        ),
        (
            "3 1 2\n1\n0 1 100Gbps 1us 0\n2 1 100Gbps 1us 0\n",
            "1\n0 1 3 100 5000 2.0\n",
            "flow.txt:2: destination: node 1 of the topology file is no host with a link; its \
             hosts are nodes 0, 2",
        ),
        (pair, "1\n0 7 3 100 5000 2.0\n", "flow.txt:2: "),
        (pair, "1\n0 1 3 100 -5 2.0\n", "flow.txt:2: "),
    ] {
        let message = at(topology, flows);
        assert!(message.starts_with(expected), "\n{message}\n{expected}");
        assert!(
            message == expected || expected.ends_with(' '),
            "\n{message}\n{expected}"
        );
    }
}

#[test]
fn files_that_are_missing() {
    assert_eq!(
        message("\"star\"", "{ file = \"nowhere.txt\", format = \"graph\" }"),
        "run.toml:3: network.topology.file: `nowhere.txt`: there is no such file; relative paths \
         begin at the scenario's folder"
    );
    let nameless = message("\"star\"", "{ file = \"\", format = \"graph\" }");
    assert_eq!(
        nameless,
        "run.toml:3: network.topology.file: the name of the file is empty; write the path of a file"
    );
    let missing = message(
        "[[traffic]]",
        "[[traffic]]\nkind = \"file\"\nfile = \"nowhere.txt\"\nformat = \"csv\"\n[[traffic]]",
    );
    let place = "run.toml:10: traffic[0].file: `nowhere.txt`: there is no such file";
    assert!(missing.starts_with(place), "{missing}");
    let scenario = Source::from_file(std::path::Path::new("nowhere.toml")).unwrap_err();
    assert_eq!(
        scenario.to_string(),
        "nowhere.toml: there is no such file; relative paths begin at the scenario's folder"
    );
}
