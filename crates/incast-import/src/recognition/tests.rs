use proptest::prelude::*;

use super::*;

/// A file of each format, as its program writes it, and the format's name.
const FILES: [(&str, &str, &str); 16] = [
    (
        "config.txt",
        "CC_MODE 3\nTOPOLOGY_FILE t.txt\n",
        HPCC_CONFIG,
    ),
    (
        "a.cm",
        "Nodes 4\nConnections 1\n0->1 start 0 size 1\n",
        HTSIM_MATRIX,
    ),
    (
        "a.topo",
        "# two tiers\nNodes 16\nTiers 2\nPodsize 16\n",
        "htsim topology",
    ),
    ("a.goal", "num_ranks 2\n\nrank 0 {\n}\n", "goal"),
    (
        "a.graph",
        "hosts a b\nswitches s\nlink a s 1Gbps 1us\n",
        "graph",
    ),
    (
        "a.csv",
        "source,destination,size_bytes,start_us\n0,1,5,0\n",
        "csv",
    ),
    (
        "flows.csv",
        "collective,op,flow_id,src,dest,flow_size,parent_flow_ids\nTP_0,1,0,0,1,4,\n",
        "simccl",
    ),
    (
        "fct.txt",
        "0b000001 0b000101 10000 100 1000 2000000000 5000 4000\n",
        "hpcc-ns3 fct",
    ),
    ("flow.txt", "1\n0 1 3 100 1000 2.0\n", "hpcc-ns3 flows"),
    ("flow5.txt", "1\n0 1 3 1000 2.0\n", "hpcc-ns3 flows"),
    (
        "net.txt",
        "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n",
        "hpcc-ns3 topology",
    ),
    ("cdf.txt", "0 0\n1000 0.5\n3000 1\n", SIZE_TABLE),
    (
        "ring.xml",
        "<!-- a ring -->\n<algo name=\"a\" nchunksperloop=\"1\" ngpus=\"1\">\n\
         <gpu id=\"0\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\"/></algo>\n",
        "msccl",
    ),
    (
        "graph.xml",
        "<graphs version=\"1\">\n  <graph id=\"0\" pattern=\"4\" crossnic=\"0\"/>\n</graphs>\n",
        "nccl graphs",
    ),
    (
        "topo.xml",
        "<?xml version=\"1.0\"?>\n<system version=\"1\">\n  <cpu numaid=\"0\"/>\n</system>\n",
        "nccl topology",
    ),
    ("run.toml", "[network]\ntopology = \"star\"\n", "scenario"),
];

fn name_of(file: &Path) -> Option<&'static str> {
    recognise(file).unwrap().map(|it| it.format.name)
}

#[test]
fn files_are_told_by_how_they_begin() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, expected) in FILES {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        assert_eq!(name_of(&file), Some(expected), "{name}");
        let marked = format!("\u{feff}{text}");
        std::fs::write(&file, marked).unwrap();
        assert_eq!(
            name_of(&file),
            Some(expected),
            "{name} with a byte order mark"
        );
    }
}

#[test]
fn other_files_are_not_known() {
    let folder = tempfile::tempdir().unwrap();
    for text in [
        "",
        "hello world\n",
        "1\n",
        "0 0\n1000 50\n",
        "#include <stdio.h>\n",
        "<!-- nchunksperloop -->\n<html><algo></html>\n",
        "<!-- <graphs",
        "2000019200 1322 1 11 1\n2000019200 1322 1 12 1\n",
        // The artifact's printout of a configuration.
        "ENABLE_QCN\t\t\tYes\nPACKET_PAYLOAD_SIZE\t\t1000\nCC_MODE\t\t3\n",
    ] {
        let file = folder.path().join("file");
        std::fs::write(&file, text).unwrap();
        assert_eq!(name_of(&file), None, "{text:?}");
    }
    std::fs::write(folder.path().join("file"), [0xff, 0xfe, 0, 1]).unwrap();
    assert_eq!(name_of(&folder.path().join("file")), None);
    let missing = recognise(&folder.path().join("none")).err().unwrap();
    assert!(
        missing.to_string().contains("there is no such file"),
        "{missing}"
    );
}

#[test]
fn what_is_read_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (name, expected) in [
        ("net.txt", "2 hosts, 1 switch, 2 links"),
        ("flow.txt", "1 flow"),
        ("ring.xml", "1 GPU, 0 messages"),
        // (0 + 1000)/2·0.5 + (1000 + 3000)/2·0.5.
        ("cdf.txt", "mean 1250 bytes"),
    ] {
        let (_, text, _) = FILES.iter().find(|each| each.0 == name).unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        let it = recognise(&file).unwrap().unwrap();
        assert_eq!(it.contents.unwrap(), expected);
    }
}

/// NCCL's dumps contain neither a network nor messages.
#[test]
fn dumps_of_nccl_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    for (name, expected) in [
        (
            "graph.xml",
            "it has the order of GPUs and NICs in rings and trees: no network, and no messages; \
             give the ring of a collective by the order of its `hosts`",
        ),
        (
            "topo.xml",
            "it has CPUs, PCIe and NVLinks inside a server, which are not modelled; describe the \
             NICs of hosts and the links between them: docs/own-networks.md",
        ),
    ] {
        let (_, text, _) = FILES.iter().find(|each| each.0 == name).unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        let wrong = recognise(&file).unwrap().unwrap().contents.unwrap_err();
        assert!(wrong.to_string().contains(expected), "{wrong}");
        assert!(!wrong.hint.is_empty());
    }
}

proptest! {
    /// No damaged file panics, whatever format it is recognised as.
    #[test]
    fn no_bytes_panic(
        which in 0..FILES.len(),
        at in any::<prop::sample::Index>(),
        instead in prop::collection::vec(any::<u8>(), 0..6),
    ) {
        let (name, text, _) = FILES[which];
        let mut bytes = text.as_bytes().to_vec();
        let at = at.index(bytes.len());
        let end = (at + instead.len()).min(bytes.len());
        bytes.splice(at..end, instead);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        if let Ok(Some(Recognised { contents: Err(error), .. })) = recognise(&file) {
            prop_assert!(!error.what.is_empty(), "{error}");
        }
    }
}
