//! Attributes of Chakra's nodes: names with values of any type.

use incast_diagnostic::{Diagnostic, excerpt};

use super::wire::{WireMessage, WireValue, damaged};

/// An attribute.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    value: AttributeValue<'a>,
}

#[derive(Clone, Debug, PartialEq)]
enum AttributeValue<'a> {
    None,
    /// An integer, of any of the ten integer types.
    Integer(i128),
    Bool(bool),
    Text(&'a str),
    Bools(Vec<bool>),
    /// Floats, bytes, and all lists except lists of booleans.
    Other,
}

impl<'a> Attribute<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Diagnostic> {
        let (mut name, mut value) = ("", AttributeValue::None);
        let mut message = WireMessage::of(bytes);
        while let Some((number, wire)) = message.field()? {
            match number {
                1 => name = wire.text()?,
                2 => drop(wire.text()?),
                _ => value = AttributeValue::read(number, wire)?,
            }
        }
        Ok(Self { name, value })
    }

    /// The value as an integer that is not negative.
    pub(super) fn integer(&self) -> Result<u64, Diagnostic> {
        match self.value {
            AttributeValue::Integer(value) => {
                u64::try_from(value).map_err(|_| self.wrong(&format!("is {value}")))
            }
            _ => Err(self.wrong("is no whole number")),
        }
    }

    /// The value as a 32-bit integer that is not negative.
    pub(super) fn integer_32(&self) -> Result<u32, Diagnostic> {
        let value = self.integer()?;
        u32::try_from(value).map_err(|_| self.wrong(&format!("is {value}")))
    }

    /// The value as a boolean; 1 and 0 count as such.
    pub(super) fn flag(&self) -> Result<bool, Diagnostic> {
        match self.value {
            AttributeValue::Bool(flag) => Ok(flag),
            AttributeValue::Integer(flag @ (0 | 1)) => Ok(flag == 1),
            _ => Err(self.wrong("is neither true nor false")),
        }
    }

    /// The value as a name, which may be written as a number.
    pub(super) fn text(&self) -> Result<String, Diagnostic> {
        match self.value {
            AttributeValue::Text(text) => Ok(text.to_owned()),
            AttributeValue::Integer(number) => Ok(number.to_string()),
            _ => Err(self.wrong("is no text")),
        }
    }

    pub(super) fn flags(&self) -> Result<&[bool], Diagnostic> {
        match &self.value {
            AttributeValue::Bools(flags) => Ok(flags),
            _ => Err(self.wrong("is no list of true and false")),
        }
    }

    fn wrong(&self, what: &str) -> Diagnostic {
        let what = format!("`{}` {what}", excerpt(self.name));
        Diagnostic::new(what, "correct the trace")
    }
}

impl<'a> AttributeValue<'a> {
    /// Reads the value in field number `field` of AttributeProto (`et_def.proto`).
    fn read(field: u64, wire: WireValue<'a>) -> Result<Self, Diagnostic> {
        let signed_32 = |value: u64| i128::from(value as i64 as i32);
        let zigzag = |value: u64| (value >> 1) as i64 ^ -((value & 1) as i64);
        Ok(match (field, wire) {
            (7, WireValue::Varint(value)) => Self::Integer(signed_32(value)),
            (9, WireValue::Varint(value)) => Self::Integer((value as i64).into()),
            (11, WireValue::Varint(value)) => Self::Integer((value as u32).into()),
            (13, WireValue::Varint(value)) => Self::Integer(value.into()),
            (15, WireValue::Varint(value)) => Self::Integer((zigzag(value) as i32).into()),
            (17, WireValue::Varint(value)) => Self::Integer(zigzag(value).into()),
            (19, WireValue::Fixed32(bytes)) => Self::Integer(u32::from_le_bytes(bytes).into()),
            (21, WireValue::Fixed64(bytes)) => Self::Integer(u64::from_le_bytes(bytes).into()),
            (23, WireValue::Fixed32(bytes)) => Self::Integer(i32::from_le_bytes(bytes).into()),
            (25, WireValue::Fixed64(bytes)) => Self::Integer(i64::from_le_bytes(bytes).into()),
            (27, WireValue::Varint(value)) => Self::Bool(value != 0),
            (28, WireValue::Bytes(list)) => Self::Bools(bools(list)?),
            (29, wire) => Self::Text(wire.text()?),
            (3, WireValue::Fixed64(_)) | (5, WireValue::Fixed32(_)) | (31, WireValue::Bytes(_)) => {
                Self::Other
            }
            (4..=26 | 30 | 32, WireValue::Bytes(_)) if field.is_multiple_of(2) => Self::Other,
            _ => return Err(damaged()),
        })
    }
}

/// The values of a BoolList.
fn bools(list: &[u8]) -> Result<Vec<bool>, Diagnostic> {
    let mut values = Vec::new();
    let mut message = WireMessage::of(list);
    while let Some((number, wire)) = message.field()? {
        match number {
            1 => wire.varints(&mut values)?,
            _ => return Err(damaged()),
        }
    }
    Ok(values.into_iter().map(|value| value != 0).collect())
}
