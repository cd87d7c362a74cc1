//! Dependencies between crates.

use std::fs;

use crate::source::root;

/// The dependencies of each crate, lowest first. A new dependency must be in ARCHITECTURE.md first.
const ARROWS: &[(&str, &[&str])] = &[
    ("diagnostic", &[]),
    ("random", &[]),
    ("registry", &["diagnostic"]),
    ("units", &["diagnostic"]),
    ("signals", &["diagnostic", "units"]),
    (
        "cc",
        &["diagnostic", "random", "registry", "units", "signals"],
    ),
    ("engine", &["random", "units"]),
    ("topology", &["diagnostic", "registry", "units"]),
    ("workload", &["diagnostic", "random", "registry", "units"]),
    ("parquet", &[]),
    (
        "import",
        &["diagnostic", "units", "parquet", "topology", "workload"],
    ),
    (
        "net",
        &[
            "diagnostic",
            "random",
            "registry",
            "units",
            "signals",
            "cc",
            "engine",
            "topology",
        ],
    ),
    (
        "fabric",
        &["diagnostic", "random", "registry", "units", "engine"],
    ),
    (
        "sim",
        &[
            "diagnostic",
            "random",
            "registry",
            "units",
            "signals",
            "cc",
            "engine",
            "topology",
            "workload",
            "parquet",
            "import",
            "net",
            "fabric",
        ],
    ),
    (
        "py",
        &[
            "diagnostic",
            "units",
            "signals",
            "cc",
            "topology",
            "workload",
            "import",
            "net",
            "sim",
        ],
    ),
    ("dev", &["random", "units", "engine", "topology", "sim"]),
];

#[test]
fn arrows_point_down() {
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let short = name
            .strip_prefix("incast-")
            .expect("crates are called incast-…");
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let named = manifest.contains(&format!("name = \"{name}\""));
        assert!(named, "{name}: folder and crate differ");
        let allowed = ARROWS.iter().find(|(from, _)| *from == short);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{name} has no place in ARROWS"));
        // Dependencies of tests are free.
        let dependencies = manifest.split("[dev-dependencies]").next().unwrap();
        for line in dependencies
            .lines()
            .filter(|line| line.starts_with("incast-"))
        {
            let to = line["incast-".len()..]
                .split(['.', ' ', '='])
                .next()
                .unwrap();
            let known = allowed.contains(&to);
            assert!(
                known,
                "{name} → incast-{to} is not an arrow of ARCHITECTURE.md"
            );
        }
    }
}
