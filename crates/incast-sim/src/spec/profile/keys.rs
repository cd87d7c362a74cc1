//! Keys that a profile writes into scenarios that leave them out.
//!
//! Sections fill in most choices of a profile as defaults. Options of load balancing and parameters
//! of algorithms are read earlier, by code that knows no profile. They are rows of a table here.

use crate::spec::profile::Profile;
use crate::spec::tree::{self, TomlEntry, TomlNode, Value, WrittenAt};

/// A key that a profile adds to all tables of some kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProfileKey {
    table: TableOf,
    /// The kinds of tables that have the key; none: all kinds. `nscc+credits` means the algorithm
    /// with this part; `nscc` means the algorithm with any parts.
    kinds: &'static [&'static str],
    key: &'static str,
    /// The value as TOML. If the value is a table that a scenario writes in part, the missing keys
    /// are added.
    value: &'static str,
    /// As TOML: the meaning of a missing key without a profile. `None` if that is not a value.
    unwritten: Option<&'static str>,
}

/// Which tables of a scenario have a key.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum TableOf {
    /// `[network]`.
    Network,
    /// `network.balance`, and `balance` of every traffic entry.
    Balance,
    /// `[cc]`, and `cc` of every traffic entry.
    Algorithms,
}

/// Balancers that pass over all entropies.
const PASSING: &[&str] = &["oblivious", "bitmap", "mixed"];
/// Balancers that skip entropies.
const SKIPPING: &[&str] = &["bitmap", "mixed"];

/// `main_uec.cpp`, `uec_mp.cpp` and `uec.cpp` of uet-htsim, commit 40ccb05.
pub(super) const UET_HTSIM: &[ProfileKey] = &[
    ProfileKey::new(TableOf::Network, &[], "flow_control", "\"none\""),
    ProfileKey::new(TableOf::Network, &[], "balance", "{ kind = \"mixed\" }")
        .unwritten("{ kind = \"flow\" }"),
    ProfileKey::new(TableOf::Balance, PASSING, "order", "\"xor\""),
    ProfileKey::new(TableOf::Balance, SKIPPING, "skips", "\"penalties\""),
    ProfileKey::new(TableOf::Balance, SKIPPING, "timeout_blames", "\"first\""),
    ProfileKey::new(TableOf::Balance, &["reps"], "exploring", "16"),
    ProfileKey::new(
        TableOf::Algorithms,
        &["nscc", "rccc"],
        "parameters",
        "\"uet-htsim\"",
    )
    .unwritten("\"uec-1.0\""),
    ProfileKey::new(
        TableOf::Algorithms,
        &["nscc+credits"],
        "credits",
        "{ speculative = 1.5, idle_turns = \"of-demands\", grants_after_end = true }",
    ),
];

impl ProfileKey {
    const fn new(
        table: TableOf,
        kinds: &'static [&'static str],
        key: &'static str,
        value: &'static str,
    ) -> Self {
        Self {
            table,
            kinds,
            key,
            value,
            unwritten: None,
        }
    }

    const fn unwritten(self, value: &'static str) -> Self {
        Self {
            unwritten: Some(value),
            ..self
        }
    }

    /// Whether a table of this kind gets the key.
    fn is_for(&self, kind: Option<&str>) -> bool {
        self.kinds.is_empty()
            || kind.is_some_and(|kind| self.kinds.iter().any(|own| is_of(kind, own)))
    }
}

impl TableOf {
    /// The key that says the kind of a table.
    fn tag(self) -> &'static str {
        match self {
            Self::Network | Self::Balance => "kind",
            Self::Algorithms => "algorithm",
        }
    }
}

/// Whether the written name is that of `kind`, with at least its parts.
fn is_of(written: &str, kind: &str) -> bool {
    let mut parts = written.split('+');
    let (base, mut wanted) = (parts.next(), kind.split('+'));
    let parts: Vec<_> = parts.collect();
    base == wanted.next() && wanted.all(|part| parts.contains(&part))
}

/// Adds the missing keys of the scenario's profile. Messages about these keys name the line of the
/// profile.
pub(crate) fn fill_in(tree: &mut TomlNode) {
    let Some((profile, origin)) = profile_of(tree) else {
        return;
    };
    for key in profile.choices().keys {
        for table in tables(tree, key.table) {
            let kind = kind_of(table, key.table);
            if key.is_for(kind.as_deref()) {
                spell_out(table);
                let value = tree::parse_value(key.value).expect("values of profiles are TOML");
                complete(table, key.key, tree::placed(value, origin));
            }
        }
    }
}

/// The kind of a table. An algorithm may be written as a name alone, with or without the name of a
/// parameter set.
fn kind_of(table: &mut TomlNode, which: TableOf) -> Option<String> {
    match &table.value {
        Value::Text(text) => Some(text.split(':').next()?.to_owned()),
        _ => match &entry(table, which.tag())?.value {
            Value::Text(kind) => Some(kind.clone()),
            _ => None,
        },
    }
}

/// Turns an algorithm's name, with or without the name of a parameter set, into a table.
fn spell_out(table: &mut TomlNode) {
    let Value::Text(text) = &table.value else {
        return;
    };
    let mut words = text.splitn(2, ':').map(str::to_owned);
    let keys = [TableOf::Algorithms.tag(), "parameters"];
    let entries = keys.into_iter().map_while(|key| {
        Some(TomlEntry {
            key: key.to_owned(),
            origin: table.origin,
            node: TomlNode {
                value: Value::Text(words.next()?),
                origin: table.origin,
            },
        })
    });
    table.value = Value::Table(entries.collect());
}

/// The profile that the scenario names and where; `None` if there is no profile of that name.
fn profile_of(tree: &mut TomlNode) -> Option<(Profile, WrittenAt)> {
    let network = entry(tree, "network")?;
    let entries = network.entries()?;
    let written = entries.iter().find(|entry| entry.key == "profile")?;
    let Value::Text(name) = &written.node.value else {
        return None;
    };
    let mut profiles = Profile::ALL.into_iter();
    let profile = profiles.find(|profile| profile.name() == name)?;
    Some((profile, written.place()))
}

/// The tables of one sort that a scenario has.
fn tables(tree: &mut TomlNode, which: TableOf) -> Vec<&mut TomlNode> {
    match which {
        TableOf::Network => entry(tree, "network").into_iter().collect(),
        TableOf::Balance => of_sections(tree, balances_of),
        TableOf::Algorithms => of_sections(tree, algorithms_of),
    }
}

fn of_sections(
    tree: &mut TomlNode,
    of: fn(&mut TomlEntry) -> Vec<&mut TomlNode>,
) -> Vec<&mut TomlNode> {
    match &mut tree.value {
        Value::Table(entries) => entries.iter_mut().flat_map(of).collect(),
        _ => Vec::new(),
    }
}

/// The `balance` tables in a section.
fn balances_of(section: &mut TomlEntry) -> Vec<&mut TomlNode> {
    match section.key == "network" {
        true => entry(&mut section.node, "balance").into_iter().collect(),
        false => of_traffic(section, "balance"),
    }
}

/// The tables of algorithms in a section.
fn algorithms_of(section: &mut TomlEntry) -> Vec<&mut TomlNode> {
    if section.key == "cc" {
        return vec![&mut section.node];
    }
    of_traffic(section, "cc")
}

/// The values of a key in all traffic entries.
fn of_traffic<'t>(section: &'t mut TomlEntry, key: &str) -> Vec<&'t mut TomlNode> {
    match (section.key.as_str(), &mut section.node.value) {
        ("traffic", Value::Array(items)) => {
            let own = items.iter_mut().filter_map(|item| entry(item, key));
            own.collect()
        }
        _ => Vec::new(),
    }
}

fn entry<'t>(table: &'t mut TomlNode, key: &str) -> Option<&'t mut TomlNode> {
    let Value::Table(entries) = &mut table.value else {
        return None;
    };
    let found = entries.iter_mut().find(|entry| entry.key == key);
    found.map(|entry| &mut entry.node)
}

/// Adds a key with its value. If the key exists and its value is a table, adds the keys that this
/// table lacks.
fn complete(table: &mut TomlNode, key: &str, value: TomlNode) {
    if let Some(written) = entry(table, key) {
        if let Value::Table(entries) = value.value {
            for entry in entries {
                complete(written, &entry.key, entry.node);
            }
        }
        return;
    }
    if let Value::Table(entries) = &mut table.value {
        entries.push(TomlEntry {
            key: key.to_owned(),
            origin: value.origin,
            node: value,
        });
    }
}

/// Writes into a whole scenario the values that missing keys have without a profile, where the
/// profile would give other values.
pub(crate) fn pin(scenario: &mut toml::Value, profile: Profile) {
    let keys = profile.choices().keys.iter();
    for (key, value) in keys.filter_map(|key| Some((key, key.unwritten?))) {
        for table in written_tables(scenario, key.table) {
            let kind = table.get(key.table.tag()).and_then(toml::Value::as_str);
            if key.is_for(kind) && !table.contains_key(key.key) {
                let value = toml::from_str::<toml::Table>(&format!("value = {value}"));
                let mut value = value.expect("values of profiles are TOML");
                table.extend(
                    value
                        .remove("value")
                        .map(|value| (key.key.to_owned(), value)),
                );
            }
        }
    }
}

fn written_tables(scenario: &mut toml::Value, which: TableOf) -> Vec<&mut toml::Table> {
    let Some(scenario) = scenario.as_table_mut() else {
        return Vec::new();
    };
    match which {
        TableOf::Network => scenario
            .get_mut("network")
            .and_then(toml::Value::as_table_mut)
            .into_iter()
            .collect(),
        TableOf::Balance => {
            let network = scenario
                .get_mut("network")
                .and_then(toml::Value::as_table_mut);
            let balance = network.and_then(|network| network.get_mut("balance"));
            balance
                .and_then(toml::Value::as_table_mut)
                .into_iter()
                .collect()
        }
        TableOf::Algorithms => {
            let mut found = Vec::new();
            for (key, value) in scenario.iter_mut() {
                match value {
                    toml::Value::Table(cc) if key == "cc" => found.push(cc),
                    toml::Value::Array(items) if key == "traffic" => {
                        let own = items.iter_mut().filter_map(|item| item.get_mut("cc"));
                        found.extend(own.filter_map(toml::Value::as_table_mut));
                    }
                    _ => {}
                }
            }
            found
        }
    }
}
