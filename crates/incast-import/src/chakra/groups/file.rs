//! A file of process groups: a JSON object of lists of ranks.

use std::fmt;
use std::io::Read;

use incast_diagnostic::Diagnostic;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::error::Category;

/// The largest file: the groups of a million ranks take less.
const MAX_BYTES: u64 = 1 << 28;

/// The groups in the order of the file, repeated names included.
pub(super) fn read(file: impl Read) -> Result<Vec<(String, Vec<u32>)>, Diagnostic> {
    let mut json = serde_json::Deserializer::from_reader(file.take(MAX_BYTES));
    let groups = json.deserialize_map(GroupsInOrder);
    let groups = groups.and_then(|groups| json.end().map(|()| groups));
    groups.map_err(|error| wrong(&error))
}

struct GroupsInOrder;

impl<'de> Visitor<'de> for GroupsInOrder {
    type Value = Vec<(String, Vec<u32>)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("groups with their ranks")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut groups = Vec::new();
        while let Some(group) = map.next_entry()? {
            groups.push(group);
        }
        Ok(groups)
    }
}

fn wrong(error: &serde_json::Error) -> Diagnostic {
    let (line, column) = (error.line() as u64, error.column());
    let what = match error.classify() {
        Category::Io => "the file cannot be read".to_owned(),
        Category::Syntax => format!("column {column} is no JSON"),
        Category::Data => format!("what ends at column {column} is no list of ranks"),
        Category::Eof => "the file ends before its last bracket: is it cut off?".to_owned(),
    };
    let hint = "write the ranks of each group, e.g. `{\"1\": [0, 1], \"2\": [2, 3]}`";
    Diagnostic::new(what, hint).on_line(line.max(1))
}
