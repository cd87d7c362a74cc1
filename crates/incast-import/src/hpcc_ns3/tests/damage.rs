//! Damaged configurations end in a message or in a scenario, never in a panic.

use proptest::prelude::*;

use super::*;

/// A word in place of another.
fn word() -> impl Strategy<Value = String> {
    let known = prop::sample::select(keys().collect::<Vec<_>>()).prop_map(str::to_owned);
    let value = prop::sample::select(vec![
        "",
        "\n",
        "0",
        "1",
        "2",
        "3",
        "7",
        "-1",
        "1e9",
        "nan",
        "inf",
        "99999999999999999999",
        "100Gb/s",
        "0Mb/s",
        "1us",
        "0.5",
        "/",
        "..",
        "topology.txt",
        "config.txt",
        "\u{feff}",
    ])
    .prop_map(str::to_owned);
    let anything = any::<String>().prop_map(|text| text.chars().take(6).collect());
    prop_oneof![2 => known, 4 => value, 1 => anything]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_damage_panics(
        damage in prop::collection::vec((any::<prop::sample::Index>(), word()), 1..4),
    ) {
        let mut words: Vec<String> = CONFIG.split(' ').map(str::to_owned).collect();
        for (place, word) in damage {
            *place.get_mut(&mut words) = word;
        }
        let folder = folder(&words.join(" "));
        let file = folder.path().join("config.txt");
        match import_hpcc_ns3(&HpccImport::of(&file)) {
            Err(error) => prop_assert!(!error.what.is_empty(), "{error}"),
            Ok(import) => {
                let source = Source {
                    name: "imported.toml".to_owned(),
                    text: import.toml,
                    folder: folder.path().to_owned(),
                };
                if let Err(error) = Spec::parse(&source, &[]).and_then(Spec::validate) {
                    prop_assert!(!error.what.is_empty(), "{error}");
                }
            }
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let folder = folder("");
        let file = folder.path().join("config.txt");
        std::fs::write(&file, bytes).unwrap();
        let error = import_hpcc_ns3(&HpccImport::of(&file)).unwrap_err();
        prop_assert!(!error.what.is_empty(), "{error}");
    }
}
