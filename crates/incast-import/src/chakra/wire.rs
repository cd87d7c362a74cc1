//! The wire format of Protocol Buffers, as far as Chakra uses it: fields with numbers.

use std::io::{BufRead, Read};

use incast_diagnostic::Diagnostic;

/// The largest message of a trace; a larger length is damaged.
const MAX_MESSAGE: u64 = 1 << 30;

/// The encoded value of a field.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) enum WireValue<'a> {
    Varint(u64),
    Fixed64([u8; 8]),
    Fixed32([u8; 4]),
    /// Text, bytes, a message, or several numbers.
    Bytes(&'a [u8]),
}

/// The rest of a message that is being read.
#[derive(Copy, Clone, Debug)]
pub(super) struct WireMessage<'a>(&'a [u8]);

impl<'a> WireMessage<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next field, with its number; `None` at the end.
    pub(super) fn field(&mut self) -> Result<Option<(u64, WireValue<'a>)>, Diagnostic> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let value = match key & 7 {
            0 => WireValue::Varint(self.varint()?),
            1 => WireValue::Fixed64(self.array()?),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| damaged())?;
                let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(damaged)?;
                self.0 = rest;
                WireValue::Bytes(bytes)
            }
            5 => WireValue::Fixed32(self.array()?),
            _ => return Err(damaged()),
        };
        Ok(Some((key >> 3, value)))
    }

    /// A varint: one to ten bytes of seven bits each, the lowest bits first.
    pub(super) fn varint(&mut self) -> Result<u64, Diagnostic> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && byte > 1 {
                return Err(damaged());
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(damaged())
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Diagnostic> {
        let (array, rest) = self.0.split_first_chunk().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(*array)
    }
}

impl<'a> WireValue<'a> {
    pub(super) fn varint(self) -> Result<u64, Diagnostic> {
        match self {
            Self::Varint(value) => Ok(value),
            _ => Err(damaged()),
        }
    }

    pub(super) fn bytes(self) -> Result<&'a [u8], Diagnostic> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            _ => Err(damaged()),
        }
    }

    pub(super) fn text(self) -> Result<&'a str, Diagnostic> {
        str::from_utf8(self.bytes()?).map_err(|_| damaged())
    }

    /// One number, or several in a row.
    pub(super) fn varints(self, values: &mut Vec<u64>) -> Result<(), Diagnostic> {
        match self {
            Self::Varint(value) => values.push(value),
            other => {
                let mut packed = WireMessage::of(other.bytes()?);
                while !packed.is_empty() {
                    values.push(packed.varint()?);
                }
            }
        }
        Ok(())
    }
}

/// Reads the next message of a file, which follows its length; `false` at the end.
pub(super) fn next_message(
    file: &mut impl BufRead,
    message: &mut Vec<u8>,
) -> Result<bool, Diagnostic> {
    let unreadable = |error: std::io::Error| Diagnostic::unreadable(&error);
    message.clear();
    if file.fill_buf().map_err(unreadable)?.is_empty() {
        return Ok(false);
    }
    let mut digits = Vec::new();
    while digits.last().is_none_or(|byte| *byte >= 0x80) {
        if digits.len() == 10 || file.take(1).read_to_end(&mut digits).map_err(unreadable)? == 0 {
            return Err(damaged());
        }
    }
    let length = WireMessage::of(&digits).varint()?;
    if length > MAX_MESSAGE {
        return Err(damaged());
    }
    let read = file.take(length).read_to_end(message).map_err(unreadable)?;
    match read as u64 == length {
        true => Ok(true),
        false => Err(damaged()),
    }
}

/// Bytes that are no message.
pub(super) fn damaged() -> Diagnostic {
    Diagnostic::new(
        "the file is damaged or cut off here",
        "give an execution trace of Chakra (protobuf); those in JSON and gzip are not read",
    )
}
