//! FlatBuffers, as far as Arrow's schema needs them: tables of numbers, texts and other tables.
//!
//! Integers are little endian. An offset is relative to its own position and points forward. A
//! table begins with an offset backwards to its vtable, which has the position of each slot in the
//! table, 0 for an absent slot:
//!
//! ```text
//! vtable  u16 its length, u16 length of the table, u16 position of each slot in the table
//! table   i32 distance back to the vtable, then the slots
//! vector  u32 count, then the elements; a text is a vector of bytes, followed by a zero
//! ```
//!
//! <https://flatbuffers.dev/internals/>

/// A buffer that is written front to back; each offset is filled in when its target is written.
#[derive(Default)]
pub(crate) struct FlatWriter {
    bytes: Vec<u8>,
}

/// What a slot of a table holds.
#[derive(Copy, Clone)]
pub(crate) enum FlatSlot {
    Absent,
    Byte(u8),
    Short(i16),
    Int(i32),
    Long(i64),
    /// An offset, filled in by [`FlatWriter::point`].
    Offset,
}

impl FlatSlot {
    fn bytes(self) -> Vec<u8> {
        match self {
            Self::Absent => Vec::new(),
            Self::Byte(value) => vec![value],
            Self::Short(value) => value.to_le_bytes().into(),
            Self::Int(value) => value.to_le_bytes().into(),
            Self::Long(value) => value.to_le_bytes().into(),
            Self::Offset => vec![0; 4],
        }
    }
}

/// Tables begin at multiples of 8 bytes, the length of the longest number.
const ALIGNMENT: usize = 8;

impl FlatWriter {
    /// An empty buffer, with room for the offset of the first table.
    pub(crate) fn new() -> Self {
        Self { bytes: vec![0; 4] }
    }

    /// Writes a table, and its offset at `from`; returns the positions of its slots.
    pub(crate) fn table(&mut self, from: usize, slots: &[FlatSlot]) -> Vec<usize> {
        let vtable_length = 4 + 2 * slots.len();
        while !(self.bytes.len() + vtable_length).is_multiple_of(ALIGNMENT) {
            self.bytes.push(0);
        }
        let mut table = vec![0; 4];
        let mut places = Vec::new();
        for slot in slots {
            let value = slot.bytes();
            while !value.is_empty() && !table.len().is_multiple_of(value.len()) {
                table.push(0);
            }
            places.push(if value.is_empty() { 0 } else { table.len() });
            table.extend(value);
        }
        table[..4].copy_from_slice(&(vtable_length as i32).to_le_bytes());
        for length in [vtable_length, table.len()].iter().chain(&places) {
            self.bytes.extend((*length as u16).to_le_bytes());
        }
        self.point(from);
        let begin = self.bytes.len();
        self.bytes.extend(table);
        places.iter().map(|place| begin + place).collect()
    }

    /// Writes a vector of tables, and its offset at `from`; returns the positions of their offsets.
    pub(crate) fn tables(&mut self, from: usize, count: usize) -> Vec<usize> {
        self.vector(from, count);
        let begin = self.bytes.len();
        self.bytes.resize(begin + 4 * count, 0);
        (0..count).map(|index| begin + 4 * index).collect()
    }

    pub(crate) fn text(&mut self, from: usize, text: &str) {
        self.vector(from, text.len());
        self.bytes.extend(text.as_bytes());
        self.bytes.push(0);
    }

    fn vector(&mut self, from: usize, count: usize) {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
        self.point(from);
        self.bytes.extend((count as u32).to_le_bytes());
    }

    /// Makes the offset at `from` point to the end of the buffer.
    fn point(&mut self, from: usize) {
        let offset = (self.bytes.len() - from) as u32;
        self.bytes[from..from + 4].copy_from_slice(&offset.to_le_bytes());
    }

    /// The buffer, padded to a multiple of 8 bytes.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let length = self.bytes.len().next_multiple_of(ALIGNMENT);
        self.bytes.resize(length, 0);
        self.bytes
    }
}

/// A table in an untrusted buffer: reads outside of the buffer give `None`.
#[derive(Copy, Clone)]
pub(crate) struct FlatTable<'a> {
    bytes: &'a [u8],
    begin: usize,
}

impl<'a> FlatTable<'a> {
    /// The first table of a buffer.
    pub(crate) fn first(bytes: &'a [u8]) -> Option<Self> {
        let begin = target(bytes, 0)?;
        Some(Self { bytes, begin })
    }

    fn place(self, slot: usize) -> Option<usize> {
        let back = i64::from(i32::from_le_bytes(number(self.bytes, self.begin)?));
        let vtable = usize::try_from(i64::try_from(self.begin).ok()? - back).ok()?;
        let length = u16::from_le_bytes(number(self.bytes, vtable)?);
        let entry = 4 + 2 * slot;
        if entry + 2 > usize::from(length) {
            return None;
        }
        match u16::from_le_bytes(number(self.bytes, vtable + entry)?) {
            0 => None,
            place => Some(self.begin + usize::from(place)),
        }
    }

    pub(crate) fn byte(self, slot: usize) -> Option<u8> {
        self.bytes.get(self.place(slot)?).copied()
    }

    pub(crate) fn short(self, slot: usize) -> Option<i16> {
        number(self.bytes, self.place(slot)?).map(i16::from_le_bytes)
    }

    pub(crate) fn int(self, slot: usize) -> Option<i32> {
        number(self.bytes, self.place(slot)?).map(i32::from_le_bytes)
    }

    pub(crate) fn table(self, slot: usize) -> Option<Self> {
        let begin = target(self.bytes, self.place(slot)?)?;
        Some(Self { begin, ..self })
    }

    pub(crate) fn text(self, slot: usize) -> Option<&'a str> {
        let begin = target(self.bytes, self.place(slot)?)?;
        let length = u32::from_le_bytes(number(self.bytes, begin)?) as usize;
        let text = self.bytes.get(begin + 4..)?.get(..length)?;
        std::str::from_utf8(text).ok()
    }

    /// The tables of a vector.
    pub(crate) fn tables(self, slot: usize) -> Option<impl Iterator<Item = Self>> {
        let begin = target(self.bytes, self.place(slot)?)?;
        let count = u32::from_le_bytes(number(self.bytes, begin)?) as usize;
        let offsets = self.bytes.get(begin + 4..)?;
        let places = (begin + 4..).step_by(4).take(count.min(offsets.len() / 4));
        Some(places.map_while(move |place| {
            let begin = target(self.bytes, place)?;
            Some(Self { begin, ..self })
        }))
    }
}

/// The position that the offset at `place` points to.
fn target(bytes: &[u8], place: usize) -> Option<usize> {
    place.checked_add(u32::from_le_bytes(number(bytes, place)?) as usize)
}

fn number<const BYTES: usize>(bytes: &[u8], place: usize) -> Option<[u8; BYTES]> {
    bytes.get(place..place.checked_add(BYTES)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two slots: a byte and a short. The vtable is 8 bytes long and begins at 8, so that the table
    /// begins at 16; the buffer begins with an offset and four bytes of padding. In the table the
    /// byte is at 4, the short at 6.
    #[test]
    fn a_table_byte_by_byte() {
        let mut buffer = FlatWriter::new();
        let places = buffer.table(0, &[FlatSlot::Byte(7), FlatSlot::Short(-2)]);
        assert_eq!(places, [20, 22]);
        assert_eq!(
            buffer.finish(),
            [
                16, 0, 0, 0, 0, 0, 0, 0, // offset, padding
                8, 0, 8, 0, 4, 0, 6, 0, // vtable
                8, 0, 0, 0, 7, 0, 0xfe, 0xff, // table
            ]
        );
    }

    #[test]
    fn what_is_written_is_read() {
        let mut buffer = FlatWriter::new();
        let slots = [
            FlatSlot::Absent,
            FlatSlot::Offset,
            FlatSlot::Offset,
            FlatSlot::Int(-5),
        ];
        let places = buffer.table(0, &slots);
        buffer.text(places[1], "a name");
        for (index, from) in buffer.tables(places[2], 2).into_iter().enumerate() {
            buffer.table(from, &[FlatSlot::Long(9), FlatSlot::Byte(index as u8)]);
        }
        let bytes = buffer.finish();
        let table = FlatTable::first(&bytes).unwrap();
        assert_eq!(table.byte(0), None);
        assert_eq!(table.text(1), Some("a name"));
        assert_eq!(table.int(3), Some(-5));
        assert_eq!(table.int(4), None);
        let inner: Vec<_> = table.tables(2).unwrap().map(|each| each.byte(1)).collect();
        assert_eq!(inner, [Some(0), Some(1)]);
    }
}
