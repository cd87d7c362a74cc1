//! `--set key=value`: changes to a scenario before the scenario is read.

use incast_diagnostic::Diagnostic;

use super::tree::{self, TomlEntry, TomlNode, Value, WrittenAt};

/// The command line option that sets a key.
pub(crate) const OPTION: &str = "--set";

/// A value that replaces a value of a scenario file, or adds a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Dotted key, e.g. `cc.algorithm` or `traffic.0.load`.
    pub key: String,
    /// The value: TOML if the text is valid TOML, else the text itself. Examples: `0.5`, `100Gbps`,
    /// `{ kind = "star", hosts = 9 }`.
    pub value: String,
}

impl Override {
    /// Sets `key` to `value`.
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        let (key, value) = (key.into(), value.into());
        Self { key, value }
    }
}

/// Sets the value in the tree. Missing tables on the way are made. Array entries must exist, except
/// for the one after the last.
pub(crate) fn apply(tree: &mut TomlNode, change: &Override) -> Result<(), Diagnostic> {
    let path: Vec<_> = tree::segments(&change.key).collect();
    let placed = |diagnostic: Diagnostic| diagnostic.at(&change.key).in_option(OPTION);
    if path.is_empty() {
        let unnamed = Diagnostic::new("this names no key", "write e.g. network.topology=star");
        return Err(placed(unnamed));
    }
    let value = tree::parse_value(&change.value).map_err(placed)?;
    set(tree, &path, tree::placed(value, WrittenAt::Override)).map_err(placed)
}

fn set(node: &mut TomlNode, path: &[&str], value: TomlNode) -> Result<(), Diagnostic> {
    let Some((first, rest)) = path.split_first() else {
        *node = value;
        return Ok(());
    };
    set(child(node, first)?, rest, value)
}

fn child<'a>(node: &'a mut TomlNode, segment: &str) -> Result<&'a mut TomlNode, Diagnostic> {
    // `topology = "star"`, then `--set network.topology.kind=…`: begin a table instead.
    if !matches!(node.value, Value::Table(_) | Value::Array(_)) {
        *node = empty_table();
    }
    match &mut node.value {
        Value::Array(items) => item(items, segment),
        Value::Table(entries) => Ok(entry(entries, segment)),
        _ => unreachable!("made a table above"),
    }
}

fn item<'a>(items: &'a mut Vec<TomlNode>, segment: &str) -> Result<&'a mut TomlNode, Diagnostic> {
    let length = items.len();
    let index = tree::item_number(segment).filter(|index| *index <= length);
    let index = index.ok_or_else(|| no_item(segment, length))?;
    if index == length {
        items.push(empty_table());
    }
    Ok(&mut items[index])
}

fn entry<'a>(entries: &'a mut Vec<TomlEntry>, key: &str) -> &'a mut TomlNode {
    let index = entries
        .iter()
        .position(|entry| entry.key == key)
        .unwrap_or_else(|| {
            let origin = WrittenAt::Override;
            entries.push(TomlEntry {
                key: key.to_owned(),
                origin,
                node: empty_table(),
            });
            entries.len() - 1
        });
    &mut entries[index].node
}

fn empty_table() -> TomlNode {
    TomlNode {
        value: Value::Table(Vec::new()),
        origin: WrittenAt::Override,
    }
}

fn no_item(segment: &str, length: usize) -> Diagnostic {
    let hint = match length {
        0 => "write 0 for the first".to_owned(),
        1 => "there is one entry: 0".to_owned(),
        _ => format!("entries are 0 to {}", length - 1),
    };
    Diagnostic::new(format!("there is no entry `{segment}`"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, key: &str, value: &str) -> Result<TomlNode, Diagnostic> {
        let mut tree = tree::parse("a.toml", text).unwrap();
        apply(&mut tree, &Override::new(key, value)).map(|()| tree)
    }

    fn value_at<'a>(mut node: &'a TomlNode, path: &[&str]) -> &'a Value {
        for step in path {
            node = match &node.value {
                Value::Table(entries) => {
                    &entries
                        .iter()
                        .find(|entry| entry.key == *step)
                        .unwrap()
                        .node
                }
                Value::Array(items) => &items[step.parse::<usize>().unwrap()],
                other => panic!("{other:?} has no {step}"),
            };
        }
        &node.value
    }

    #[test]
    fn a_key_has_a_name() {
        let message = changed("seed = 1", ".", "1").unwrap_err().to_string();
        let expected = "--set .: this names no key; write e.g. network.topology=star";
        assert_eq!(message, expected);
    }

    #[test]
    fn a_value_is_replaced_or_added() {
        let text = "[cc]\nalgorithm = \"hpcc\"\n[[traffic]]\nload = 0.5";
        for (key, value, path, expected) in [
            (
                "cc.algorithm",
                "none",
                vec!["cc", "algorithm"],
                Value::Text("none".into()),
            ),
            (
                "traffic.0.load",
                "0.7",
                vec!["traffic", "0", "load"],
                Value::Float(0.7),
            ),
            (
                "traffic[0].load",
                "0.7",
                vec!["traffic", "0", "load"],
                Value::Float(0.7),
            ),
            (
                "traffic.1.kind",
                "file",
                vec!["traffic", "1", "kind"],
                Value::Text("file".into()),
            ),
            (
                "network.pfc.on",
                "true",
                vec!["network", "pfc", "on"],
                Value::Boolean(true),
            ),
            (
                "cc.algorithm.deep",
                "1",
                vec!["cc", "algorithm", "deep"],
                Value::Integer(1),
            ),
        ] {
            let tree = changed(text, key, value).unwrap();
            assert_eq!(*value_at(&tree, &path), expected, "{key}");
            assert_eq!(tree.locate(key), WrittenAt::Override, "{key}");
        }
    }

    #[test]
    fn an_entry_that_does_not_exist_is_told() {
        for step in ["5", "+0", "-1", "0_0"] {
            let key = format!("traffic.{step}.load");
            let message = changed("[[traffic]]\n", &key, "1").unwrap_err().to_string();
            assert_eq!(
                message,
                format!("--set {key}: there is no entry `{step}`; there is one entry: 0")
            );
        }
    }
}
