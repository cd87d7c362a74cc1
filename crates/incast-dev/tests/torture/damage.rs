//! Random damage to files: typing errors, incomplete copies, hostile changes.

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::sample::{Index, select};

/// One change to a file.
#[derive(Clone, Debug)]
pub(crate) enum Damage {
    /// Flips a bit.
    Bit(Index, u8),
    /// Truncates the file.
    Cut(Index),
    /// Deletes some bytes.
    Delete(Index, usize),
    /// Inserts these bytes.
    Insert(Index, Vec<u8>),
    /// Replaces a number of the text by this one.
    Number(Index, &'static str),
    /// Replaces a word of the text by this one.
    Word(Index, &'static str),
    /// Repeats a line.
    Repeat(Index),
    /// Exchanges two lines.
    Swap(Index, Index),
    /// Deletes a line.
    Drop(Index),
}

/// Numbers that often reveal errors in programs.
const NUMBERS: [&str; 25] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "255",
    "256",
    "1000",
    "65535",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999",
    "0.5",
    "1e-300",
    "1e308",
    "1e400",
    "nan",
    "inf",
];

/// Bytes with a special meaning for a format, a terminal or a file system.
const SPLINTERS: [&str; 27] = [
    "[",
    "]",
    "[[",
    "{",
    "}",
    "\"",
    "'",
    "\"\"\"",
    "=",
    "\n",
    "\r\n",
    ",",
    ".",
    "#",
    "\t",
    " ",
    "\0",
    "\u{1b}[2J",
    "\u{feff}",
    "é",
    "µ",
    "..",
    "/",
    "true",
    "[]",
    "{}",
    "-",
];

/// Random damage; words are replaced by these words, among others.
pub(crate) fn damage(words: &[&'static str]) -> impl Strategy<Value = Vec<Damage>> + use<> {
    let words = select(words.to_vec());
    let bytes = prop_oneof![
        4 => select(SPLINTERS.to_vec()).prop_map(|text| text.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 1..9),
    ];
    let place = any::<Index>;
    let numbers = select(NUMBERS.to_vec());
    let one = prop_oneof![
        2 => (place(), 0..8_u8).prop_map(|(at, bit)| Damage::Bit(at, bit)),
        1 => place().prop_map(Damage::Cut),
        2 => (place(), 1..40_usize).prop_map(|(at, length)| Damage::Delete(at, length)),
        3 => (place(), bytes).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        6 => (place(), numbers).prop_map(|(at, number)| Damage::Number(at, number)),
        4 => (place(), words).prop_map(|(at, word)| Damage::Word(at, word)),
        1 => place().prop_map(Damage::Repeat),
        1 => (place(), place()).prop_map(|(one, two)| Damage::Swap(one, two)),
        1 => place().prop_map(Damage::Drop),
    ];
    vec(one, 1..4)
}

/// One of these files, with random damage.
pub(crate) fn damaged(
    files: Vec<Vec<u8>>,
    words: &[&'static str],
) -> impl Strategy<Value = Vec<u8>> + use<> {
    (select(files), damage(words)).prop_map(|(mut file, damage)| {
        for change in &damage {
            change.of(&mut file);
        }
        file
    })
}

/// One of these texts, with random damage; bytes that are not UTF-8 become replacement characters.
pub(crate) fn damaged_text(
    texts: Vec<String>,
    words: &[&'static str],
) -> impl Strategy<Value = String> + use<> {
    let files = texts.into_iter().map(String::into_bytes).collect();
    damaged(files, words).prop_map(|file| String::from_utf8_lossy(&file).into_owned())
}

impl Damage {
    fn of(&self, file: &mut Vec<u8>) {
        if file.is_empty() {
            return;
        }
        match self {
            Self::Bit(at, bit) => *at.get_mut(file) ^= 1 << bit,
            Self::Cut(at) => file.truncate(at.index(file.len())),
            Self::Delete(at, length) => {
                let start = at.index(file.len());
                file.drain(start..(start + length).min(file.len()));
            }
            Self::Insert(at, bytes) => {
                let start = at.index(file.len());
                file.splice(start..start, bytes.iter().copied());
            }
            Self::Number(at, number) => replace(file, at, number, |byte| byte.is_ascii_digit()),
            Self::Word(at, word) => replace(file, at, word, |byte| {
                byte.is_ascii_alphanumeric() || b"_-".contains(&byte)
            }),
            Self::Repeat(at) => lines(file, |lines| {
                let place = at.index(lines.len());
                lines.insert(place, lines[place].clone());
            }),
            Self::Swap(one, other) => lines(file, |lines| {
                let (one, other) = (one.index(lines.len()), other.index(lines.len()));
                lines.swap(one, other);
            }),
            Self::Drop(at) => lines(file, |lines| {
                let place = at.index(lines.len());
                lines.remove(place);
            }),
        }
    }
}

/// Replaces one run of bytes that `belongs` selects by a text.
fn replace(file: &mut Vec<u8>, at: &Index, with: &str, belongs: impl Fn(u8) -> bool) {
    let starts: Vec<usize> = (0..file.len())
        .filter(|&place| belongs(file[place]) && (place == 0 || !belongs(file[place - 1])))
        .collect();
    if starts.is_empty() {
        return;
    }
    let start = starts[at.index(starts.len())];
    let length = file[start..]
        .iter()
        .take_while(|byte| belongs(**byte))
        .count();
    file.splice(start..start + length, with.bytes());
}

fn lines(file: &mut Vec<u8>, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
    let mut lines: Vec<Vec<u8>> = file
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    change(&mut lines);
    *file = lines.join(&b'\n');
}
