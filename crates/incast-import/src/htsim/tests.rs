use incast_units::{Bytes, Time};

use super::*;
use incast_sim::{Source, Spec};

const MATRIX: &str = "\
Nodes 16
Connections 2
0->15 id 1 start 0 size 200000
5->9 id 2 start 1500000 size 43210
";

const TREE: &str = include_str!("tests/tree.topo");

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("two.cm"), MATRIX).unwrap();
    std::fs::write(folder.path().join("tree.topo"), TREE).unwrap();
    folder
}

fn import(
    folder: &Path,
    topology: Option<&str>,
    start_unit: Option<&str>,
) -> Result<Import, Diagnostic> {
    let matrix = folder.join("two.cm");
    import_htsim(&HtsimImport {
        matrix: &matrix,
        topology,
        start_unit,
        algorithm: "hpcc",
    })
}

#[test]
fn the_scenario_is_what_the_files_say() {
    let folder = folder();
    let topology = folder.path().join("tree.topo");
    let import = import(folder.path(), topology.to_str(), Some("ps")).unwrap();
    let source = Source {
        name: "two.toml".to_owned(),
        text: import.toml.clone(),
        folder: folder.path().to_owned(),
    };
    let spec = Spec::parse(&source, &[]).and_then(Spec::validate);
    let spec = spec.unwrap_or_else(|error| panic!("{error}\n{}", import.toml));
    assert_eq!((spec.name(), spec.topology().hosts), ("two", 16));
    let flows: Vec<_> = spec.flows().unwrap().map(Result::unwrap).collect();
    assert_eq!(flows[1].start, Time::from_ps(1_500_000));
    assert_eq!(flows[1].size, Bytes::new(43_210));
}

/// A matrix whose flows wait for each other becomes tasks, and the report lists the triggers.
#[test]
fn a_matrix_with_triggers_becomes_tasks() {
    let folder = folder();
    let matrix = "\
Nodes 16
Connections 2
Triggers 1
0->1 id 1 start 2 size 1000000 recv_done_trigger 1
1->2 id 2 trigger 1 size 1000000
trigger id 1 oneshot
";
    std::fs::write(folder.path().join("two.cm"), matrix).unwrap();
    let imported = import(folder.path(), Some("fat-tree"), Some("us")).unwrap();
    let source = Source {
        name: "two.toml".to_owned(),
        text: imported.toml.clone(),
        folder: folder.path().to_owned(),
    };
    let spec = Spec::parse(&source, &[]).and_then(Spec::validate);
    let spec = spec.unwrap_or_else(|error| panic!("{error}\n{}", imported.toml));
    let results = incast_sim::run(&spec, &mut ()).unwrap();
    assert_eq!(results.summary.flows.finished, 2);
    let outcome = |key: &str| {
        let mut report = imported.report.iter();
        let found = report.find(|each| each.key == key).expect("it is told");
        found.outcome.to_string()
    };
    for key in ["trigger", "recv_done_trigger"] {
        assert_eq!(outcome(key), "used: traffic[0]: flows wait for each other");
    }
    let wrong = matrix.replace("trigger 1 size", "trigger 2 size");
    std::fs::write(folder.path().join("two.cm"), wrong).unwrap();
    let refused = import(folder.path(), Some("fat-tree"), Some("us")).unwrap_err();
    assert!(refused.to_string().contains("two.cm:"), "{refused}");
}

#[test]
fn a_name_will_do_for_the_topology() {
    let import = import(folder().path(), Some("fat-tree"), Some("us")).unwrap();
    assert!(
        import.toml.contains("topology = \"fat-tree\""),
        "{}",
        import.toml
    );
    assert!(
        import.toml.contains("start_unit = \"us\""),
        "{}",
        import.toml
    );
}

#[test]
fn a_matrix_for_a_smaller_network_is_told() {
    let import = import(folder().path(), Some("fat-tree"), Some("us")).unwrap();
    assert_eq!(
        import.report[0].outcome.to_string(),
        "used: but only these of the topology's 128 hosts send and receive"
    );
}

#[test]
fn everything_is_accounted_for() {
    let folder = folder();
    let topology = folder.path().join("tree.topo");
    let report = import(folder.path(), topology.to_str(), Some("ps"))
        .unwrap()
        .report;
    let lines: Vec<_> = report
        .iter()
        .take(7)
        .map(|entry| (entry.line, entry.key.as_str(), entry.value.as_str()))
        .collect();
    let expected = [
        (Some(1), "Nodes", "16"),
        (Some(2), "Connections", "2"),
        (Some(3), "id", "of each flow"),
        (Some(3), "start", "of each flow"),
        (Some(3), "size", "of each flow"),
        (Some(2), "Nodes", "16"),
        (Some(3), "Tiers", "2"),
    ];
    assert_eq!(lines, expected);
    let queue = report.iter().find(|entry| entry.key == "Queue_Up").unwrap();
    assert_eq!(
        queue.outcome.to_string(),
        "not used: the ports of a switch share one buffer; see [network.buffer]"
    );
}

#[test]
fn what_the_files_do_not_say_must_be_given() {
    let folder = folder();
    let message = |topology, unit| {
        let error = import(folder.path(), topology, unit)
            .unwrap_err()
            .to_string();
        error.replace(&format!("{}/", folder.path().display()), "")
    };
    assert_eq!(
        message(Some("star"), None),
        "two.cm: start: the unit of start times is needed; say \
         `--start-unit us` or `ps`: htsim's programs differ, and the file does not say"
    );
    assert_eq!(
        message(Some("star"), Some("ms")),
        "two.cm: start: `ms` is no unit of start times; say \
         `--start-unit us` or `ps`: htsim's programs differ, and the file does not say"
    );
    assert_eq!(
        message(None, Some("ps")),
        "two.cm: topology: the matrix does not say what network it is for; \
         give a `.topo` file or the name of a topology"
    );
    let message = message(Some("fat-treee"), Some("ps"));
    let expected = "two.cm: topology: there is neither a file nor a topology `fat-treee`; \
                    did you mean `fat-tree`? (available: ";
    assert!(message.starts_with(expected), "{message}");
}
