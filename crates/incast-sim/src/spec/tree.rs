//! A TOML file as a tree in which every key and value has its line.

use incast_diagnostic::{Diagnostic, Placed as _};

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TomlNode {
    pub(crate) value: Value,
    pub(crate) origin: WrittenAt,
}

/// A TOML value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    /// Dates and times, which no key accepts; kept as written for the message.
    Date(String),
    Array(Vec<TomlNode>),
    Table(Vec<TomlEntry>),
}

/// A key of a table with its value. Tables keep the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TomlEntry {
    pub(crate) key: String,
    /// Where the key was written.
    pub(crate) origin: WrittenAt,
    pub(crate) node: TomlNode,
}

/// Where a key or value was written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum WrittenAt {
    /// This line of the file, counted from 1.
    Line(u32),
    /// The command line.
    Override,
}

impl TomlEntry {
    /// The place to show for a mistake in the value. It is the line of the key, since the value may
    /// be a table of many lines; or the command line if the value was replaced there.
    pub(crate) fn place(&self) -> WrittenAt {
        match self.node.origin {
            WrittenAt::Override => WrittenAt::Override,
            WrittenAt::Line(_) => self.origin,
        }
    }
}

impl TomlNode {
    /// The entries, if this is a table.
    pub(crate) fn entries(&self) -> Option<&[TomlEntry]> {
        match &self.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// Where the value at `path` (`network.buffer.size`, `traffic[0].load`) was written. If there
    /// is no such value, the place of the innermost table around it.
    pub(crate) fn locate(&self, path: &str) -> WrittenAt {
        segments(path)
            .try_fold((self, self.origin), |(node, at), segment| {
                match node.child(segment) {
                    Some((child, origin)) => Ok((child, origin)),
                    None => Err(at),
                }
            })
            .map_or_else(|at| at, |(_, at)| at)
    }

    /// The value of a key or of an array index, with the place to show for a mistake in it.
    fn child(&self, segment: &str) -> Option<(&TomlNode, WrittenAt)> {
        match &self.value {
            Value::Table(entries) => {
                let entry = entries.iter().find(|entry| entry.key == segment)?;
                Some((&entry.node, entry.place()))
            }
            Value::Array(items) => {
                let item = items.get(item_number(segment)?)?;
                Some((item, item.origin))
            }
            _ => None,
        }
    }
}

/// The steps of `traffic[0].load` or `traffic.0.load`: `traffic`, `0`, `load`.
pub(crate) fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split(['.', '[', ']'])
        .filter(|segment| !segment.is_empty())
}

/// The array index that a step names; only digits are accepted, not `+0`.
pub(crate) fn item_number(segment: &str) -> Option<usize> {
    let is_digit = |byte: u8| byte.is_ascii_digit();
    segment
        .bytes()
        .all(is_digit)
        .then(|| segment.parse().ok())?
}

/// Reads TOML.
pub(crate) fn parse(file: &str, text: &str) -> Result<TomlNode, Diagnostic> {
    let lines = LineStarts::new(text);
    let invalid = |error: toml::de::Error| {
        let diagnostic =
            Diagnostic::new(format!("not valid TOML: {}", one_line(error.message())), "");
        match error.span() {
            Some(span) => diagnostic.on_line(lines.line(span.start).into()),
            None => diagnostic,
        }
    };
    let table = toml::de::DeTable::parse(text).map_err(invalid);
    let value = table.and_then(|table| lines.table(table.get_ref()));
    let value = value.in_file(file)?;
    Ok(TomlNode {
        value,
        origin: WrittenAt::Line(1),
    })
}

/// The value of a `--set` option: TOML if the text is valid TOML, else the text itself.
///
/// # Errors
/// If the value is a number that is too large.
pub(crate) fn parse_value(text: &str) -> Result<Value, Diagnostic> {
    match toml::de::DeValue::parse(text) {
        Ok(value) => {
            let parsed = LineStarts::new("").value(value.get_ref(), 0);
            // A value of the command line has no line in a file.
            parsed.map_err(|wrong| Diagnostic::new(wrong.what, wrong.hint))
        }
        Err(_) => Ok(Value::Text(text.to_owned())),
    }
}

/// A tree whose nodes were all written at `origin`.
pub(crate) fn placed(mut value: Value, origin: WrittenAt) -> TomlNode {
    match &mut value {
        Value::Array(items) => {
            for item in items {
                *item = placed(item.value.clone(), origin);
            }
        }
        Value::Table(entries) => {
            for entry in entries {
                entry.origin = origin;
                entry.node = placed(entry.node.value.clone(), origin);
            }
        }
        _ => {}
    }
    TomlNode { value, origin }
}

fn one_line(message: &str) -> String {
    message
        .lines()
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The byte offsets at which the lines of a text begin.
struct LineStarts {
    starts: Vec<usize>,
}

impl LineStarts {
    fn new(text: &str) -> Self {
        let after_breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self {
            starts: std::iter::once(0)
                .chain(after_breaks.map(|(at, _)| at + 1))
                .collect(),
        }
    }

    /// The line that contains a byte, counted from 1.
    fn line(&self, offset: usize) -> u32 {
        self.starts.partition_point(|start| *start <= offset) as u32
    }

    fn node(&self, spanned: &toml::Spanned<toml::de::DeValue<'_>>) -> Result<TomlNode, Diagnostic> {
        let line = self.line(spanned.span().start);
        let value = self.value(spanned.get_ref(), line)?;
        Ok(TomlNode {
            value,
            origin: WrittenAt::Line(line),
        })
    }

    fn value(&self, value: &toml::de::DeValue<'_>, line: u32) -> Result<Value, Diagnostic> {
        use toml::de::DeValue;
        Ok(match value {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => {
                let parsed = i64::from_str_radix(number.as_str(), number.radix());
                Value::Integer(parsed.map_err(|_| too_large(number.as_str()).on_line(line.into()))?)
            }
            DeValue::Float(number) => {
                let parsed = number.as_str().parse();
                Value::Float(parsed.map_err(|_| too_large(number.as_str()).on_line(line.into()))?)
            }
            DeValue::Boolean(boolean) => Value::Boolean(*boolean),
            DeValue::Datetime(date) => Value::Date(date.to_string()),
            DeValue::Array(items) => Value::Array(
                items
                    .iter()
                    .map(|item| self.node(item))
                    .collect::<Result<_, _>>()?,
            ),
            DeValue::Table(table) => self.table(table)?,
        })
    }

    fn table(&self, table: &toml::de::DeTable<'_>) -> Result<Value, Diagnostic> {
        let mut keyed: Vec<_> = table.iter().collect();
        keyed.sort_by_key(|(key, _)| key.span().start);
        let entries = keyed.into_iter().map(|(key, value)| {
            Ok(TomlEntry {
                key: key.get_ref().to_string(),
                origin: WrittenAt::Line(self.line(key.span().start)),
                node: self.node(value)?,
            })
        });
        Ok(Value::Table(entries.collect::<Result<_, _>>()?))
    }
}

fn too_large(number: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{number}` is too large"),
        "a whole number has at most 63 bits",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
[network]
topology = { kind = \"star\",
             hosts = 3 }

[[traffic]]
load = 0.5
[[traffic]]
size = \"1MB\"
";

    #[test]
    fn keys_know_their_lines() {
        let tree = parse("a.toml", TEXT).unwrap();
        for (path, line) in [
            ("network", 1),
            ("network.topology", 2),
            ("network.topology.kind", 2),
            ("network.topology.hosts", 3),
            ("traffic[0].load", 6),
            ("traffic.1.size", 8),
            // A missing value has the place of the table around it.
            ("traffic[0].size", 5),
            ("network.pfc.threshold", 1),
            ("measure.queues", 1),
        ] {
            assert_eq!(tree.locate(path), WrittenAt::Line(line), "{path}");
        }
    }

    #[test]
    fn broken_toml_is_told_with_its_line() {
        let message = |text| parse("a.toml", text).unwrap_err().to_string();
        let message_a = message("[run]\nseed = \n");
        assert!(
            message_a.starts_with("a.toml:2: not valid TOML: "),
            "{message_a}"
        );
        assert_eq!(
            message("[run]\nseed = 1\nseed = 2"),
            "a.toml:3: not valid TOML: duplicate key"
        );
        assert_eq!(
            message("a = 99999999999999999999"),
            "a.toml:1: `99999999999999999999` is too large; a whole number has at most 63 bits"
        );
    }

    #[test]
    fn values_on_the_command_line_need_no_quotes() {
        assert_eq!(parse_value("5"), Ok(Value::Integer(5)));
        assert_eq!(parse_value("0.5"), Ok(Value::Float(0.5)));
        assert_eq!(parse_value("true"), Ok(Value::Boolean(true)));
        assert_eq!(parse_value("100Gbps"), Ok(Value::Text("100Gbps".into())));
        assert_eq!(parse_value("\"5\""), Ok(Value::Text("5".into())));
        assert_eq!(parse_value("hpcc+vai"), Ok(Value::Text("hpcc+vai".into())));
        assert_eq!(parse_value(""), Ok(Value::Text(String::new())));
        let message = parse_value("9223372036854775808").unwrap_err().to_string();
        let expected = "`9223372036854775808` is too large; a whole number has at most 63 bits";
        assert_eq!(message, expected);
        assert!(matches!(
            parse_value("{ kind = \"star\" }"),
            Ok(Value::Table(_))
        ));
    }
}
