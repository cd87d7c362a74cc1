use std::sync::LazyLock;

use serde_json::Value as Json;
use toml::{Table, Value};

use super::*;
use crate::fabric::{FabricSpec, ValidFabricSpec};
use crate::spec::{Override, Source, reader, tree};

/// The schema of a whole scenario.
static SCHEMA: LazyLock<Json> = LazyLock::new(crate::schema);

/// The section with these lines.
fn section(text: &str) -> Result<ControlSection, Diagnostic> {
    let tree = tree::parse("control.toml", text).expect(text);
    reader::read(&tree)
}

fn lines(entries: &Table) -> String {
    toml::to_string(entries).expect("entries can be printed")
}

/// A section with the options of a scheme, and the scheme as its last key.
fn written(scheme: &str, options: &Table) -> Result<ControlSection, Diagnostic> {
    section(&format!("{}scheme = \"{scheme}\"\n", lines(options)))
}

fn all_options(section: &ControlSection) -> Table {
    Table::try_from(AllOptions(&section.scheme)).expect("options can be printed")
}

/// The schema of a key.
fn schema_of(key: &str) -> Json {
    let control = &SCHEMA["$defs"]["InjectionControl"]["properties"][key];
    assert!(control["description"].is_string(), "{key}: {control}");
    match control["$ref"].as_str() {
        Some(path) => SCHEMA["$defs"][path.rsplit('/').next().expect(path)].clone(),
        None => control.clone(),
    }
}

/// A value that the schema allows and that is not the default.
fn another(key: &str, default: Option<&Value>) -> Value {
    let schema = schema_of(key);
    let named = |names: &Json, at: &dyn Fn(&Json) -> Json| -> Option<Value> {
        let last = at(names.as_array()?.last()?);
        Some(Value::String(last.as_str()?.to_owned()))
    };
    let value = match (schema["type"].as_str(), default) {
        (Some("number"), Some(Value::Float(value))) => Value::Float(value + 0.25),
        (Some("number"), None) => Value::Float(200.5),
        (Some("integer"), Some(Value::Integer(value))) => Value::Integer(value + 1),
        (Some("integer"), None) => Value::Integer(200),
        (Some("boolean"), Some(Value::Boolean(value))) => Value::Boolean(!value),
        _ => named(&schema["oneOf"], &|name| name["const"].clone())
            .or_else(|| named(&schema["enum"], &Json::clone))
            .unwrap_or_else(|| panic!("{key}: {schema} and {default:?}")),
    };
    assert_ne!(Some(&value), default, "{key}");
    value
}

/// All options of a scheme with values other than their defaults, in the order of its keys.
fn all_changed(scheme: ControlScheme) -> Table {
    let defaults = Table::try_from(AllOptions(&scheme)).expect("options can be printed");
    let keys = scheme.keys().into_iter();
    keys.map(|key| (key.to_owned(), another(key, defaults.get(key))))
        .collect()
}

fn each_scheme() -> impl Iterator<Item = ControlScheme> {
    names().map(|name| ControlScheme::with_defaults(name, None).expect(name))
}

/// All keys of a scheme are read in the reverse of their usual order.
#[test]
fn every_scheme_is_read_and_written() {
    for scheme in each_scheme() {
        let all = all_changed(scheme);
        let backwards: Table = all.clone().into_iter().rev().collect();
        let read =
            written(scheme.name(), &backwards).unwrap_or_else(|_| panic!("{}", scheme.name()));
        assert_eq!(all_options(&read), all, "{}", scheme.name());
        let text = toml::to_string(&read).expect("a section can be printed");
        let expected = format!("scheme = \"{}\"\n{}", scheme.name(), lines(&all));
        assert_eq!(text, expected);
        assert_eq!(
            section(&text).as_ref().map(|again| again.scheme),
            Ok(read.scheme)
        );
    }
}

/// One key in a section changes its own option alone, and only this key is printed.
#[test]
fn every_key_stands_alone() {
    for scheme in each_scheme() {
        let defaults = Table::try_from(AllOptions(&scheme)).expect("options can be printed");
        let none =
            written(scheme.name(), &Table::new()).unwrap_or_else(|_| panic!("{}", scheme.name()));
        assert_eq!(none.scheme, scheme);
        for (key, value) in all_changed(scheme) {
            let one = Table::from_iter([(key.clone(), value.clone())]);
            let read = written(scheme.name(), &one).expect(&key);
            let mut expected = defaults.clone();
            expected.insert(key.clone(), value);
            assert_eq!(all_options(&read), expected, "{}: {key}", scheme.name());
            let text = toml::to_string(&read).expect("a section can be printed");
            assert_eq!(
                text,
                format!("scheme = \"{}\"\n{}", scheme.name(), lines(&one))
            );
        }
    }
}

#[test]
fn every_scheme_refuses_the_keys_of_others() {
    for scheme in each_scheme() {
        let foreign = each_scheme().flat_map(all_changed);
        for (key, value) in foreign.filter(|(key, _)| !scheme.keys().contains(&key.as_str())) {
            let one = Table::from_iter([(key.clone(), value)]);
            let said = written(scheme.name(), &one).expect_err(&key);
            assert_eq!(said.place.line(), Some(1));
            assert_eq!(
                said.what,
                format!("scheme `{}` has no such parameter", scheme.name())
            );
            assert_eq!((said.hint.as_str(), said.place.key), ("remove it", key));
        }
    }
}

#[test]
fn the_schema_has_the_keys_of_all_schemes() {
    let control = &SCHEMA["$defs"]["InjectionControl"];
    let described = control["properties"].as_object().expect("properties");
    let mut described: Vec<_> = described.keys().map(String::as_str).collect();
    let schemes = each_scheme().flat_map(|scheme| scheme.keys());
    let mut keys: Vec<_> = schemes.chain([SCHEME]).collect();
    keys.sort_unstable();
    keys.dedup();
    described.sort_unstable();
    assert_eq!(described, keys);
    assert_eq!(control["required"], serde_json::json!([SCHEME]));
    assert_eq!(control["additionalProperties"], Json::Bool(false));
    let scheme = schema_of(SCHEME);
    assert_eq!(
        scheme["enum"],
        serde_json::json!(names().collect::<Vec<_>>())
    );
}

const ALL_KEYS: &str = "carry_over, decrease, decrease_max, discount, discount_at_injection, \
                        discount_max, flow_scaling, hold, increase, latency_max, \
                        latency_threshold, minority_scaling, opening, pacing, raise, scheme, \
                        scope, token_cap, token_check, token_generation, watermark_initial, \
                        watermark_max, watermark_min, window, window_scope";

/// A fabric whose control section begins on line 4.
fn spec(control: &str, changes: &[Override]) -> Result<ValidFabricSpec, Diagnostic> {
    let text = format!(
        "[fabric]\nendpoints = 64\n[control]\n{control}\n\
         [[work]]\nkind = \"transactions\"\ncount = 8\n"
    );
    let source = Source::from_text("fabric.toml", text);
    FabricSpec::parse(&source, changes).and_then(FabricSpec::validate)
}

#[test]
fn mistakes_keep_their_places() {
    let one_of = "write one of \"none\", \"rate-limit\", \"window\", \"aimd\", \"3cpo\", \
                  \"3cpo-repaired\"";
    let available = format!("(available: {ALL_KEYS})");
    for (control, expected) in [
        (
            "scheme = 3",
            format!("4: control.scheme: `3` is a number; {one_of}"),
        ),
        (
            "scheme = []",
            format!("4: control.scheme: this is an array; {one_of}"),
        ),
        (
            "scheme = true",
            format!("4: control.scheme: `true` is a boolean; {one_of}"),
        ),
        (
            "scheme = nan",
            format!("4: control.scheme: `NaN` is not finite; {one_of}"),
        ),
        (
            "scheme = 2020-01-01",
            format!("4: control.scheme: this is a date; {one_of}"),
        ),
        (
            "pacing = true\nscheme = \"3cpoo\"",
            "5: control.scheme: unknown value `3cpoo`; did you mean `3cpo`? \
             (available: 3cpo, 3cpo-repaired, aimd, none, rate-limit, window)"
                .to_owned(),
        ),
        (
            "schem = \"3cpo\"",
            format!("4: control.schem: unknown key `schem`; did you mean `scheme`? {available}"),
        ),
        (
            "window = 3\nwindoww = 3",
            format!(
                "5: control.windoww: unknown key `windoww`; did you mean `window`? {available}"
            ),
        ),
        (
            "window = 3",
            "3: control: `scheme` is missing; add e.g. scheme = \"3cpo\"".to_owned(),
        ),
        (
            "scheme = \"3cpo\"\nincrese = 3",
            format!(
                "5: control.increse: unknown key `increse`; did you mean `increase`? {available}"
            ),
        ),
        (
            "scheme = \"3cpo\"\nincrease = \"x\"",
            "5: control.increase: `\"x\"` is text; write a number".to_owned(),
        ),
        (
            "watermark_initial = inf\nscheme = \"3cpo\"",
            "4: control.watermark_initial: `inf` is not finite; write a number".to_owned(),
        ),
        (
            "scheme = \"window\"\nwindow = 2.5",
            "5: control.window: `2.5` is a fraction; write a whole number".to_owned(),
        ),
        (
            "scheme = \"3cpo\"\nhold = 3",
            "5: control.hold: `3` is a number; write one of \"round-trip-and-delay\", \
             \"round-trip\", \"forever\""
                .to_owned(),
        ),
        (
            "scheme = \"3cpo\"\nopening = -1",
            "5: control.opening: `-1` is negative; write zero or more".to_owned(),
        ),
    ] {
        let said = spec(control, &[]).expect_err(control).to_string();
        assert_eq!(said, format!("fabric.toml:{expected}"));
    }
}

#[test]
fn mistakes_of_overrides_stand_on_no_line() {
    let aimd = "scheme = \"aimd\"";
    let with_discount = "scheme = \"aimd\"\ndiscount = 0.5";
    for (control, key, value, what) in [
        (
            aimd,
            "discount",
            "0.5",
            "scheme `aimd` has no such parameter",
        ),
        (
            with_discount,
            "discount",
            "0.6",
            "scheme `aimd` has no such parameter",
        ),
        (aimd, "scheme", "3", "`3` is a number"),
        (aimd, "scheme", "nono", "unknown value `nono`"),
        (aimd, "foo", "3", "unknown key `foo`"),
    ] {
        let key = format!("control.{key}");
        let changes = [Override::new(&key, value)];
        let said = spec(control, &changes).expect_err(&key);
        assert_eq!(said.place.line(), None);
        assert_eq!((said.what.as_str(), said.place.key), (what, key));
    }
    // The key is in the file, though the scheme is not.
    let changes = [Override::new("control.scheme", "aimd")];
    let said = spec("scheme = \"3cpo\"\ndiscount = 0.5", &changes).expect_err("discount");
    assert_eq!(
        said.to_string(),
        "fabric.toml:5: control.discount: scheme `aimd` has no such parameter; remove it"
    );
}

#[test]
fn the_canonical_text_has_what_was_written() {
    let control = "opening = 3\nwatermark_max = 3000\nscheme = \"3cpo\"\nincrease = 7\n\
                   token_check = \"own\"\npacing = true\n[[exception]]\nendpoints = [1]\n\
                   control = { watermark_min = 200, scheme = \"window\", window = 3 }";
    let text = spec(control, &[]).expect("a scenario").to_toml();
    for part in [
        "\n[control]\nscheme = \"3cpo\"\nwatermark_max = 3000.0\ntoken_check = \"own\"\n\
         increase = 7.0\npacing = true\nopening = 3\n\n",
        "\n[[exception]]\nendpoints = [1]\n\n[exception.control]\nscheme = \"window\"\n\
         window = 3\nwatermark_min = 200.0\n",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

/// Scenarios that differ have different identities; the order and spelling of keys do not matter.
#[test]
fn identities() {
    let identity = |control: &str| {
        let group = "\n[[group]]\nmembers = [0, 1, 8, 9]";
        let valid = spec(&format!("{control}{group}"), &[]).expect(control);
        valid.identity().to_string()
    };
    let chosen = identity(
        "opening = 3\nwatermark_max = 3000\nscheme = \"3cpo\"\nincrease = 7\n\
         token_check = \"own\"\npacing = true",
    );
    let turned = identity(
        "scheme = \"3cpo\"\nincrease = 7.0\npacing = true\ntoken_check = \"own\"\n\
         watermark_max = 3000.0\nopening = 3",
    );
    assert_eq!(chosen, turned);
    assert_ne!(chosen, identity("scheme = \"3cpo\""));
}

/// The initial watermark is the largest one by default, whatever the order of keys.
#[test]
fn the_first_watermark_follows_the_largest() {
    for (control, initial) in [
        ("watermark_max = 3000\nscheme = \"aimd\"", 3000.0),
        (
            "watermark_initial = 500\nwatermark_max = 3000\nscheme = \"aimd\"",
            500.0,
        ),
        (
            "scheme = \"aimd\"\nwatermark_max = 3000\nwatermark_initial = 500",
            500.0,
        ),
    ] {
        let read = section(control).expect(control).build().expect(control);
        let mut endpoint = read.build(1, 0, 64, &[]);
        assert_eq!(endpoint.state(0).watermarks, [initial; 2], "{control}");
    }
}
