use super::*;

const RING: &str = include_str!("../msccl/tests/ring.xml");

fn import(file: &Path, data: Option<&str>) -> Result<crate::Import, Diagnostic> {
    import_msccl(&MscclImport {
        file,
        data,
        algorithm: "hpcc",
    })
}

#[test]
fn an_import_is_a_scenario_on_a_star() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ring.xml");
    std::fs::write(&file, RING).unwrap();
    let imported = import(&file, Some("4MB")).unwrap();
    assert_eq!(
        imported.toml,
        "\
# From ring.xml, an algorithm of MSCCL.

[run]
name = \"ring\"

[network.topology]
kind = \"star\"
hosts = 4

[cc]
algorithm = \"hpcc\"

[nic]
qps = \"persistent\"

[[traffic]]
kind = \"tasks\"
file = \"ring.xml\"
format = \"msccl\"
data = \"4MB\"
hosts = \"all\"
start = \"0s\"
"
    );
    let told: Vec<_> = imported
        .report
        .iter()
        .map(|each| each.key.as_str())
        .collect();
    assert_eq!(told.len(), 12, "{told:?}");
    let wrong = import(&file, None).unwrap_err();
    assert_eq!(wrong.hint, "give their size, e.g. --data 256KiB");
}

/// MSCCL uses an algorithm for data from `minBytes` to `maxBytes`; a `maxBytes` of 0 is no bound.
#[test]
fn data_for_which_msccl_takes_another_algorithm_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ring.xml");
    let bounded = RING.replace(
        "minBytes=\"0\" maxBytes=\"0\"",
        "minBytes=\"4000\" maxBytes=\"8000\"",
    );
    std::fs::write(&file, bounded).unwrap();
    for (data, outside) in [
        ("2KB", "minBytes"),
        ("4KB", ""),
        ("8KB", ""),
        ("12KB", "maxBytes"),
    ] {
        let imported = import(&file, Some(data)).unwrap();
        let other = imported
            .report
            .iter()
            .filter(|each| each.outcome.to_string().contains("takes another algorithm"));
        let other: Vec<_> = other.map(|each| each.key.as_str()).collect();
        assert_eq!(other.join(" "), outside, "{data}");
    }
}

#[test]
fn mistakes_of_the_file_are_placed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ring.xml");
    std::fs::write(&file, RING.replacen("type=\"rrcs\"", "type=\"rrsc\"", 1)).unwrap();
    let wrong = import(&file, Some("4KB")).unwrap_err().to_string();
    let expected = "ring.xml:8: type: unknown type of step `rrsc`; did you mean";
    assert!(wrong.contains(expected), "{wrong}");
}
