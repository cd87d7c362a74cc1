use serde_json::json;

use schemars::{JsonSchema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use incast_diagnostic::Diagnostic;

use crate::{Available, NamedSet, registry};

/// What every fruit does.
trait Fruit: Default + 'static {
    const SETS: &'static [NamedSet<Self>] = &[];

    fn weight(&self, count: u32, each_grams: u32) -> u32;

    fn ripen(&mut self);

    fn peel<const TIMES: usize>(&self) -> [u32; TIMES];
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Apple {
    seeds: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Plum {}

impl Fruit for Apple {
    const SETS: &'static [NamedSet<Self>] = &[NamedSet {
        name: "newton",
        summary: "as it fell",
        values: || Self { seeds: 7 },
    }];

    fn weight(&self, count: u32, each_grams: u32) -> u32 {
        count * each_grams + self.seeds
    }

    fn ripen(&mut self) {
        self.seeds += 1;
    }

    fn peel<const TIMES: usize>(&self) -> [u32; TIMES] {
        [self.seeds; TIMES]
    }
}

impl Fruit for Plum {
    fn weight(&self, count: u32, each_grams: u32) -> u32 {
        count * each_grams
    }

    fn ripen(&mut self) {}

    fn peel<const TIMES: usize>(&self) -> [u32; TIMES] {
        [0; TIMES]
    }
}

registry! {
    /// A fruit.
    #[derive(Clone, Debug, PartialEq)]
    enum FruitSpec: Fruit as "fruit", tagged "kind" {
        "apple" => Apple(Apple), "grows on trees";
        "plum" => Plum(Plum), "blue";
    }

    impl {
        /// The weight of `count` fruits in grams.
        fn weight(&self, count: u32, each_grams: u32) -> u32;
        fn ripen(&mut self);
        fn peel<const TIMES: usize>(&self) -> [u32; TIMES];
    }
}

registry! {
    /// A table without a tag.
    #[derive(Clone, Debug, PartialEq)]
    enum Untagged: Fruit as "fruit" {
        "apple" => Apple(Apple), "grows on trees";
    }
}

registry! {
    /// A tree.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    enum Tree as "tree" => u32 {
        "oak" => Oak = 500, "old";
        "birch" => Birch = 100, "white";
    }
}

#[test]
fn a_row_is_listed_with_its_sets() {
    let names: Vec<_> = FruitSpec::available().iter().map(|row| row.name).collect();
    assert_eq!(names, ["apple", "plum"]);
    let newton = Available {
        name: "newton",
        summary: "as it fell",
    };
    assert_eq!(FruitSpec::available()[0].sets(), [newton]);
    assert_eq!(FruitSpec::available()[1].sets(), []);
}

#[test]
fn defaults_and_sets_go_by_name() {
    let newton = FruitSpec::from(Apple { seeds: 7 });
    assert_eq!(
        FruitSpec::with_defaults("apple", None),
        Ok(Apple { seeds: 0 }.into())
    );
    assert_eq!(
        FruitSpec::with_defaults("apple", Some("newton")),
        Ok(newton.clone())
    );
    assert_eq!(FruitSpec::with_name_or_set("newton"), Ok(newton));
    assert_eq!(FruitSpec::with_name_or_set("plum"), Ok(Plum {}.into()));
}

#[test]
fn unknown_names_come_back_with_those_that_exist() {
    let unknown =
        |noun, name, names: &[&str]| Err(Diagnostic::unknown(noun, name, names.iter().copied()));
    assert_eq!(
        FruitSpec::with_defaults("pear", None),
        unknown("fruit", "pear", &["apple", "plum"])
    );
    assert_eq!(
        FruitSpec::with_defaults("apple", Some("adam")),
        unknown("set of parameters", "adam", &["newton"])
    );
    assert_eq!(
        FruitSpec::with_name_or_set("pear"),
        unknown("fruit", "pear", &["apple", "newton", "plum"])
    );
    let message = Tree::named("ash").unwrap_err().to_string();
    assert_eq!(message, "unknown tree `ash`; available: birch, oak");
}

#[test]
fn the_tag_may_stand_anywhere() {
    for text in [
        r#"{ "kind": "apple", "seeds": 3 }"#,
        r#"{ "seeds": 3, "kind": "apple" }"#,
    ] {
        let read: FruitSpec = serde_json::from_str(text).unwrap();
        assert_eq!(read, FruitSpec::Apple(Apple { seeds: 3 }));
    }
    let written = serde_json::to_value(FruitSpec::Apple(Apple { seeds: 3 })).unwrap();
    assert_eq!(written, json!({ "kind": "apple", "seeds": 3 }));
}

#[test]
fn mistakes_in_a_tagged_table_are_told() {
    for (text, message) in [
        (
            r#"{ "kind": "pear" }"#,
            "unknown fruit `pear`; available: apple, plum",
        ),
        (
            r#"{ "kind": "plum", "seeds": 3 }"#,
            "unknown field `seeds`, there are no fields",
        ),
        (r#"{ "seeds": 3 }"#, "missing field `kind`"),
        (
            "3",
            "invalid type: integer `3`, expected a table with a `kind`",
        ),
    ] {
        let error = serde_json::from_str::<FruitSpec>(text).unwrap_err();
        // The end of the message is the place in the text.
        let error = error.to_string();
        assert_eq!(error.split(" at line").next(), Some(message), "{text}");
    }
}

#[test]
fn options_are_read_and_written_without_the_name() {
    let options = json!({ "seeds": 2 });
    let read = Untagged::read("apple", options.clone()).unwrap();
    assert_eq!((read.name(), Untagged::NOUN), ("apple", "fruit"));
    assert_eq!(read.write(serde_json::value::Serializer).unwrap(), options);
    assert!(Untagged::read("plum", options).is_err());
}

#[test]
fn every_row_has_a_schema() {
    let schemas = FruitSpec::schemas(&mut SchemaGenerator::default());
    let names: Vec<_> = schemas.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["apple", "plum"]);
    let apple = FruitSpec::Apple(Apple { seeds: 3 });
    assert_eq!(apple.schema(&mut SchemaGenerator::default()), schemas[0].1);
    let whole = SchemaGenerator::default().into_root_schema_for::<FruitSpec>();
    assert_eq!(whole.as_value()["oneOf"][1]["description"], "blue");
}

/// 2 · 100 g and 3 seeds; one seed more when ripe.
#[test]
fn methods_are_those_of_the_options() {
    let mut apple = FruitSpec::Apple(Apple { seeds: 3 });
    assert_eq!(apple.weight(2, 100), 203);
    apple.ripen();
    assert_eq!(apple.peel::<2>(), [4, 4]);
}

#[test]
fn values_go_by_name() {
    assert_eq!(Tree::ALL.map(Tree::value), [500, 100]);
    assert_eq!(Tree::named("birch").map(Tree::summary), Ok("white"));
    assert_eq!(Tree::available()[1].name, Tree::Birch.name());
    assert_eq!(Tree::NOUN, "tree");
}
