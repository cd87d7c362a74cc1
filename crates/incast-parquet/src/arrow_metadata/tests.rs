use arrow_schema::Field;

use super::*;

fn told(entry: KeyValue) -> Vec<(String, Addition)> {
    additions(Some(&vec![entry]))
}

fn dictionary(keys: DataType) -> DataType {
    DataType::Dictionary(keys.into(), DataType::Utf8.into())
}

fn ours() -> KeyValue {
    let columns = [
        ("time_ps", DataType::UInt64),
        ("measure", dictionary(DataType::Int32)),
        ("label", DataType::Utf8),
        ("event", dictionary(DataType::Int8)),
        ("value", DataType::Float64),
    ];
    let fields = columns.map(|(name, kind)| Field::new(name, kind, name == "value"));
    entry(&Schema::new(Vec::from(fields))).unwrap()
}

#[test]
fn dictionaries_are_told() {
    let expected = [("measure", DataType::Int32), ("event", DataType::Int8)];
    let expected = expected.map(|(name, keys)| (name.to_owned(), Addition::Keys(keys)));
    assert_eq!(told(ours()), expected);
}

/// A schema that PyArrow 26 wrote: `measure` with 32-bit keys, `late` in microseconds, `kind` with
/// 8-bit keys, `n` of integers.
const OF_PYARROW: &str = "/////3ABAAAUAAAAAAAAAAAACgAMAAYABQAIAAoAAAAAAQQABAAAANz+//8EAAAABAAAAP\
AAAACsAAAARAAAAAQAAABw////AAABAhAAAAAUAAAABAAAAAAAAAABAAAAbgAAAAj///8AAAABQAAAABAAGAAIAAAABwAMABAA\
FAAQAAAAAAAABRQAAABEAAAAIAAAAAQAAAAAAAAABAAAAGtpbmQAAAAACAAUAAgABAAIAAAAEAAAAAEAAAAAAAAAAAAAAGj/\
//8AAAABCAAAAGD///8QABQACAAGAAcADAAAABAAEAAAAAAAARIQAAAAHAAAAAQAAAAAAAAABAAAAGxhdGUAAAYACAAGAAYA\
AAAAAAIAEAAYAAgABgAHAAwAEAAUABAAAAAAAAEFFAAAAEQAAAAgAAAABAAAAAAAAAAHAAAAbWVhc3VyZQAIAAgAAAAEAAgA\
AAAMAAAACAAMAAgABwAIAAAAAAAAASAAAAAEAAQABAAAAA==";

#[test]
fn other_writers_are_understood() {
    let found = told(KeyValue::new(KEY.into(), OF_PYARROW.to_owned()));
    let expected = [
        ("measure", Addition::Keys(DataType::Int32)),
        ("late", Addition::Duration(TimeUnit::Microsecond)),
        ("kind", Addition::Keys(DataType::Int8)),
    ];
    assert_eq!(
        found,
        expected.map(|(name, added)| (name.to_owned(), added))
    );
}

#[test]
fn no_metadata_adds_nothing() {
    assert_eq!(additions(None), []);
    for text in ["", "?", "/////w=="] {
        assert_eq!(
            told(KeyValue::new(KEY.into(), text.to_owned())),
            [],
            "{text}"
        );
    }
}

/// With any one byte of a schema changed, reading it does not panic.
#[test]
fn damage_is_no_panic() {
    for text in [OF_PYARROW.to_owned(), ours().value.unwrap()] {
        let whole = BASE64_STANDARD.decode(text).unwrap();
        for place in 0..whole.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[place] ^= change;
                let text = BASE64_STANDARD.encode(damaged);
                assert!(told(KeyValue::new(KEY.into(), text)).len() <= 5);
            }
        }
    }
}

#[test]
fn other_types_are_refused() {
    let schema = Schema::new(vec![Field::new("flag", DataType::Boolean, false)]);
    let message = entry(&schema).unwrap_err().to_string();
    assert!(message.ends_with("columns of type Boolean"), "{message}");
}
