use parquet::schema::parser::parse_message_type;

use super::*;

/// The Arrow type of a column that is given in Parquet's schema language.
fn arrow(column: &str, addition: Option<&Addition>) -> String {
    let message = format!("message m {{ {column} }}");
    let root = parse_message_type(&message).unwrap();
    arrow_type(&root.get_fields()[0], addition).to_string()
}

#[test]
fn every_type_of_a_column_is_named() {
    for (column, expected) in [
        ("required int32 a;", "Int32"),
        ("optional int32 a (INTEGER(8,true));", "Int8"),
        ("optional int32 a (INTEGER(16,false));", "UInt16"),
        ("optional int32 a (UINT_8);", "UInt8"),
        ("optional int32 a (INTEGER(32,false));", "UInt32"),
        ("optional int64 a;", "Int64"),
        ("optional int64 a (UINT_64);", "UInt64"),
        ("optional int32 a (DATE);", "Date32"),
        ("optional int32 a (DECIMAL(9,2));", "Decimal128(9, 2)"),
        ("optional binary a (DECIMAL(40,2));", "Decimal256(40, 2)"),
        ("optional int64 a (TIMESTAMP(NANOS,true));", "Timestamp(ns)"),
        ("optional int64 a (TIME_MICROS);", "Time64(µs)"),
        ("optional int96 a;", "Timestamp(ns)"),
        ("optional float a;", "Float32"),
        ("optional double a;", "Float64"),
        ("optional boolean a;", "Boolean"),
        ("optional binary a;", "Binary"),
        ("optional binary a (UTF8);", "Utf8"),
        ("optional binary a (STRING);", "Utf8"),
        ("optional binary a (JSON);", "Utf8"),
        ("optional fixed_len_byte_array(16) a;", "Binary"),
        ("repeated int32 a;", "Struct()"),
        ("optional group a { optional int32 b; }", "Struct()"),
    ] {
        assert_eq!(arrow(column, None), expected, "{column}");
    }
}

#[test]
fn additions_count_for_the_types_that_they_fit() {
    let keys = Addition::Keys(DataType::Int8);
    let text = "optional binary a (UTF8);";
    assert_eq!(arrow(text, Some(&keys)), "Dictionary(Int8, Utf8)");
    let number = "optional int64 a;";
    assert_eq!(arrow(number, Some(&keys)), "Int64");
    let duration = Addition::Duration(TimeUnit::Millisecond);
    assert_eq!(arrow(number, Some(&duration)), "Duration(ms)");
    assert_eq!(arrow(text, Some(&duration)), "Utf8");
}
