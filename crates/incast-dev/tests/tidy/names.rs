//! Each type name has one meaning, and is defined in one place.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};

use crate::source::{for_tests, none, rust};

/// Type names that several crates may have.
const SHARED: &[&str] = &[
    // A flow of the traffic, and the same flow with its numbers in the network.
    "Flow",
];

#[test]
fn no_type_name_stands_twice_in_the_workspace() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in rust().iter().filter(|source| !source.is_test()) {
        let mut types = Types::default();
        types.visit_file(&source.syntax());
        for name in types.0 {
            places.entry(name).or_default().push(source.shown());
        }
    }
    let twice = places
        .iter()
        .filter(|(name, places)| places.len() > 1 && !SHARED.contains(&name.as_str()));
    let found: Vec<_> = twice
        .map(|(name, places)| format!("{name}: {}", places.join(", ")))
        .collect();
    none(
        &found,
        "one of each of these needs a name that says what it is",
    );
}

/// Names of the types and traits that a file defines.
#[derive(Default)]
struct Types(Vec<String>);

impl<'ast> Visit<'ast> for Types {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let name = match item {
            syn::Item::Struct(item) => &item.ident,
            syn::Item::Enum(item) => &item.ident,
            syn::Item::Trait(item) => &item.ident,
            syn::Item::Type(item) => &item.ident,
            syn::Item::Mod(item) if for_tests(&item.attrs) => return,
            _ => return visit::visit_item(self, item),
        };
        self.0.push(name.to_string());
        visit::visit_item(self, item);
    }
}
