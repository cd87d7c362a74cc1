//! The scenario files of this repository, and the snippets of their reference: all are valid for
//! the program and for its schema.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use incast_cc::{AlgorithmConfig, Part};
use incast_sim::{Diagnostic, FabricSpec, ScenarioKind, Source, Spec, ValidSpec};
use serde_json::Value;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The scenario files in a folder, at least one.
fn scenarios(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(repository().join(folder)).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{folder}");
    files
}

fn valid(source: &Source) -> Result<ValidSpec, Diagnostic> {
    Spec::parse(source, &[]).and_then(Spec::validate)
}

/// The schema's objections to a scenario.
fn objections(schema: &jsonschema::Validator, text: &str) -> Vec<String> {
    let table: toml::Table = toml::from_str(text).unwrap();
    let value = serde_json::to_value(table).unwrap();
    let objection =
        |error: jsonschema::ValidationError<'_>| format!("{}: {error}", error.instance_path());
    schema.iter_errors(&value).map(objection).collect()
}

#[test]
fn examples_and_shipped_scenarios_are_valid() {
    let schema = jsonschema::validator_for(&incast_sim::schema()).unwrap();
    for file in [scenarios("examples"), scenarios("python/incast/scenarios")].concat() {
        let source = Source::from_file(&file).unwrap_or_else(|error| panic!("{error}"));
        if ScenarioKind::of(&source) == Ok(ScenarioKind::Fabric) {
            continue;
        }
        let spec = valid(&source).unwrap_or_else(|error| panic!("{error}"));
        for text in [&source.text, &spec.to_toml()] {
            let objections = objections(&schema, text);
            assert_eq!(objections, Vec::<String>::new(), "{}", file.display());
        }
    }
}

#[test]
fn examples_of_the_fabric_are_valid() {
    let sources = scenarios("examples").into_iter();
    let sources = sources.map(|file| Source::from_file(&file).unwrap());
    let fabrics = sources.filter(|source| ScenarioKind::of(source) == Ok(ScenarioKind::Fabric));
    let names: Vec<_> = fabrics
        .map(|source| {
            let spec = FabricSpec::parse(&source, &[]).and_then(FabricSpec::validate);
            let spec = spec.unwrap_or_else(|error| panic!("{error}"));
            spec.name().to_owned()
        })
        .collect();
    assert_eq!(names, ["fabric"]);
}

#[test]
fn the_schema_refuses_what_the_program_refuses() {
    let schema = jsonschema::validator_for(&incast_sim::schema()).unwrap();
    let scenario = |from: &str, to: &str| {
        let text = "cc = { algorithm = \"hpcc\" }\n\
                    network = { topology = \"star\", link_delay = \"1us\" }\n\
                    traffic = [{ kind = \"incast\", receiver = 0, sizes = \"1MB\" }]\n";
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    assert_eq!(objections(&schema, &scenario("", "")), Vec::<String>::new());
    for (from, to) in [
        ("algorithm", "algoritm"),
        ("\"hpcc\"", "\"hpc\""),
        ("\"hpcc\"", "\"hpcc+vay\""),
        ("\"hpcc\"", "\"none+vai\""),
        ("\"hpcc\"", "\"hpcc+vai\", vai = { ai_kap = 9 }"),
        (
            "\"hpcc\"",
            "\"hpcc+vai\", vai = { token_threshold = \"4us\" }",
        ),
        ("\"hpcc\"", "\"hpcc\", parameters = \"artefact\""),
        ("\"hpcc\"", "\"swift\", initial_window = 12"),
        ("\"hpcc\"", "\"hpcc\", max_stage = \"five\""),
        ("\"hpcc\"", "\"hpcc\", maximum_stage = 5"),
        ("\"star\"", "\"stars\""),
        ("\"star\"", "{ kind = \"star\", k = 4 }"),
        ("\"1us\"", "1"),
        ("\"1us\"", "\"1\""),
        ("\"1us\"", "\"1us\", flow_control = \"credit\""),
        ("\"incast\"", "\"inkast\""),
        ("receiver = 0", "receivers = 0"),
        ("traffic = [{", "traffic = []\nbackground = [{"),
    ] {
        let text = scenario(from, to);
        assert!(!objections(&schema, &text).is_empty(), "{text}");
        assert!(
            valid(&Source::from_text("a.toml", text.as_str())).is_err(),
            "{text}"
        );
    }
}

/// A block of code in a page.
struct Block {
    line: usize,
    /// The text after the fence: `toml`, `toml wrong`, `text`.
    info: String,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (line, text) in (1..).zip(page.lines()) {
        match (&mut open, text.strip_prefix("```")) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(text);
                block.text.push('\n');
            }
            (None, Some(info)) => {
                open = Some(Block {
                    line,
                    info: info.to_owned(),
                    text: String::new(),
                });
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// The scenario that fills in the parts that a snippet leaves out.
const AROUND: &str = r#"
[network]
topology = "star"
[cc]
algorithm = "hpcc"
[[traffic]]
kind = "incast"
receiver = 0
sizes = "1MB"
"#;

/// The snippet, completed with the sections that it leaves out, and with the keys that every
/// scenario needs.
fn completed(snippet: &str) -> String {
    let mut table: toml::Table = toml::from_str(snippet).unwrap();
    let around: toml::Table = toml::from_str(AROUND).unwrap();
    for (section, whole) in around {
        match (table.get_mut(&section), whole) {
            (None, whole) => {
                table.insert(section, whole);
            }
            (Some(toml::Value::Table(given)), toml::Value::Table(whole)) => {
                for (key, value) in whole {
                    given.entry(key).or_insert(value);
                }
            }
            _ => {}
        }
    }
    toml::to_string(&table).unwrap()
}

/// The pages that explain scenarios.
fn reference() -> Vec<(String, String)> {
    let sections = std::fs::read_dir(repository().join("docs/scenario")).unwrap();
    let mut pages: Vec<_> = sections.map(|entry| entry.unwrap().path()).collect();
    pages.extend(
        ["docs/scenario.md", "docs/attacks.md", "docs/algorithms.md"]
            .map(|page| repository().join(page)),
    );
    pages.sort();
    let read = |page: PathBuf| {
        (
            page.display().to_string(),
            std::fs::read_to_string(&page).unwrap(),
        )
    };
    pages.into_iter().map(read).collect()
}

/// `toml` blocks are parts of a valid scenario. A `toml wrong` block is a whole scenario, and the
/// next `text` block is its message.
#[test]
fn every_snippet_of_the_reference_is_checked() {
    let schema = jsonschema::validator_for(&incast_sim::schema()).unwrap();
    let mut toml = 0;
    for (page, text) in reference() {
        let blocks = blocks(&text);
        toml += blocks
            .iter()
            .filter(|block| block.info.starts_with("toml"))
            .count();
        for (index, block) in blocks.iter().enumerate() {
            let place = format!("{page}, line {}", block.line);
            check_block(&schema, block, blocks.get(index + 1), &place);
        }
    }
    assert!(toml > 20, "the reference has lost its examples");
}

fn check_block(schema: &jsonschema::Validator, block: &Block, next: Option<&Block>, place: &str) {
    let source = |text: String| Source {
        name: "run.toml".into(),
        text,
        folder: repository().join("examples"),
    };
    match block.info.as_str() {
        "toml" => {
            let text = completed(&block.text);
            let spec = valid(&source(text.clone()));
            spec.unwrap_or_else(|error| panic!("{place}: {error}\n{text}"));
            let objections = objections(schema, &text);
            assert_eq!(objections, Vec::<String>::new(), "{place}");
        }
        "toml wrong" => {
            let error = valid(&source(block.text.clone())).unwrap_err().to_string();
            let message = next.expect("a message after the mistake");
            assert_eq!(error, message.text.trim_end(), "{place}");
        }
        "text" | "sh" => {}
        other => panic!("{place}: a block of `{other}`"),
    }
}

/// Collects every key that a scenario may have, and every name that a value may be.
fn words(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Object(properties)) = object.get("properties") {
                found.extend(properties.keys().cloned());
            }
            if let Some(Value::String(name)) = object.get("const") {
                found.insert(name.clone());
            }
            for names in object
                .get("enum")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                found.extend(names.as_str().map(str::to_owned));
            }
            object.values().for_each(|value| words(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| words(item, found)),
        _ => {}
    }
}

#[test]
fn the_reference_explains_every_word() {
    let fabric = std::fs::read_to_string(repository().join("docs/fabric.md")).unwrap();
    let pages: Vec<_> = reference().into_iter().map(|(_, text)| text).collect();
    let page = pages.concat() + &fabric;
    let mut found = BTreeSet::new();
    words(&incast_sim::schema(), &mut found);
    let explained = |word: &str| {
        let forms = [
            format!("`{word}`"),
            format!("`\"{word}\"`"),
            format!("`[{word}]`"),
            format!("`[[{word}]]`"),
            format!("`[network.{word}]`"),
        ];
        forms.iter().any(|form| page.contains(form))
    };
    // `hpcc+vai` counts as explained where its parts are.
    let missing: Vec<_> = found
        .into_iter()
        .filter(|word| !word.split('+').all(explained))
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

/// The parameters of an algorithm, or of one of its parts, by name.
fn parameters(algorithm: &str, set: Option<&str>, part: Option<Part>) -> Option<Value> {
    let parts = part.as_slice();
    let config = AlgorithmConfig::with_parts(algorithm, set, parts).ok()?;
    let values = config.write(serde_json::value::Serializer).unwrap();
    Some(match part {
        Some(part) => values[part.name()].clone(),
        None => values,
    })
}

/// The parameters that a column of a section's table describes: those of a set, of an algorithm, or
/// the defaults.
fn column(section: &str, title: &str) -> Option<Value> {
    let algorithms = || AlgorithmConfig::available().iter().map(|info| info.name);
    let named = |text: &str, name: &str| text.contains(&format!("`{name}`"));
    if let Some(part) = Part::ALL
        .into_iter()
        .find(|part| named(section, part.name()))
    {
        let mut takers = algorithms().filter(|name| named(title, name) || title == "default");
        return takers.find_map(|name| parameters(name, None, Some(part)));
    }
    algorithms()
        .filter(|name| named(section, name))
        .find_map(|name| {
            let set = title.trim_matches('`');
            match named(title, name) || title == "default" {
                true => parameters(name, None, None),
                false => parameters(name, Some(set), None),
            }
        })
}

/// Whether a cell has the value of a parameter, as written in a scenario or as a fraction.
fn says(cell: &str, value: &Value) -> bool {
    let cell = cell.trim_matches('`');
    let number = |text: &str| match text.split_once('/') {
        Some((over, under)) => Some(over.parse::<f64>().ok()? / under.parse::<f64>().ok()?),
        None => text.parse().ok(),
    };
    match value {
        Value::String(text) => text == cell,
        Value::Bool(flag) => flag.to_string() == cell,
        value => number(cell)
            .zip(value.as_f64())
            .is_some_and(|(cell, value)| cell == value),
    }
}

/// Every default in the tables of algorithms.md is that of the program. A dash marks a parameter
/// that has no effect, or that the algorithm does not have.
#[test]
fn the_reference_has_the_right_defaults() {
    let page = std::fs::read_to_string(repository().join("docs/algorithms.md")).unwrap();
    let (mut section, mut columns, mut checked) = ("", Vec::new(), 0);
    for (line, text) in (1..).zip(page.lines()) {
        if let Some(heading) = text.strip_prefix("## ") {
            section = heading;
        }
        let cells: Vec<_> = text.trim_matches('|').split('|').map(str::trim).collect();
        if cells[0] == "key" {
            columns = cells.iter().map(|title| column(section, title)).collect();
        }
        let key = cells[0].trim_matches('`');
        for (cell, column) in cells.iter().zip(&columns) {
            let value = column.as_ref().and_then(|parameters| parameters.get(key));
            if let Some(value) = value.filter(|_| !matches!(*cell, "–" | "")) {
                assert!(says(cell, value), "line {line}: {key}: {cell}, not {value}");
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "only {checked} defaults were found");
}
