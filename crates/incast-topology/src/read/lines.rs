//! Lines and words of a file, in constant memory.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::str::{FromStr, SplitWhitespace};

use incast_diagnostic::Diagnostic;

use super::error::{ReadError, ReadFault};

/// In bytes: the list of 100 000 switches is a line, and no line is longer than that.
const LONGEST: usize = 1 << 20;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The lines of a file that are not blank.
pub(super) struct Lines<R> {
    reader: R,
    file: PathBuf,
    number: u64,
    buffer: Vec<u8>,
}

/// The words of a line.
pub(super) struct Words<'a> {
    words: SplitWhitespace<'a>,
    /// What a whole line looks like.
    form: &'static str,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R, file: &Path) -> Self {
        Self {
            reader,
            file: file.to_owned(),
            number: 0,
            buffer: Vec::new(),
        }
    }

    /// The number of the line read last, counted from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Goes on to the next line that is not blank; says whether there is one.
    pub(super) fn advance(&mut self) -> Result<bool, ReadError> {
        while self.fill()? {
            self.check()?;
            if !self.line().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes on to the first line, which must be there.
    pub(super) fn advance_to_first(&mut self, expected: &'static str) -> Result<(), ReadError> {
        match self.advance()? {
            true => Ok(()),
            false => Err(self.whole_file(ReadFault::Empty { expected })),
        }
    }

    /// The line, without blanks at its ends.
    pub(super) fn line(&self) -> &str {
        // Checked when it was read.
        let line = str::from_utf8(&self.buffer).unwrap_or_default();
        line.trim_start_matches(BYTE_ORDER_MARK).trim()
    }

    /// The words of the line, which should look like `form`.
    pub(super) fn words(&self, form: &'static str) -> Words<'_> {
        Words {
            words: self.line().split_whitespace(),
            form,
        }
    }

    /// A fault of this line.
    pub(super) fn here(&self, fault: ReadFault) -> ReadError {
        self.at(self.number, fault)
    }

    /// A fault of another line.
    pub(super) fn at(&self, line: u64, fault: ReadFault) -> ReadError {
        ReadError {
            file: self.file.clone(),
            line: Some(line),
            fault,
        }
    }

    /// A fault that no line has alone.
    pub(super) fn whole_file(&self, fault: ReadFault) -> ReadError {
        ReadError {
            file: self.file.clone(),
            line: None,
            fault,
        }
    }

    fn fill(&mut self) -> Result<bool, ReadError> {
        self.buffer.clear();
        let mut limited = (&mut self.reader).take(LONGEST as u64 + 1);
        let read = limited.read_until(b'\n', &mut self.buffer);
        match read.map_err(|error| ReadError::unreadable(&self.file, error))? {
            0 => Ok(false),
            _ => {
                self.number += 1;
                Ok(true)
            }
        }
    }

    fn check(&self) -> Result<(), ReadError> {
        if self.buffer.len() > LONGEST {
            return Err(self.here(ReadFault::TooLong { longest: LONGEST }));
        }
        match str::from_utf8(&self.buffer) {
            Ok(text) if !text.contains('\0') => Ok(()),
            _ => Err(self.here(ReadFault::NotText)),
        }
    }
}

impl<'a> Words<'a> {
    /// The next word, if there is one.
    pub(super) fn optional(&mut self) -> Option<&'a str> {
        self.words.next()
    }

    /// The next word.
    pub(super) fn word(&mut self, field: &'static str) -> Result<&'a str, ReadFault> {
        self.optional().ok_or(ReadFault::Missing {
            field,
            form: self.form,
        })
    }

    /// The next word, a whole number.
    pub(super) fn number(&mut self, field: &'static str) -> Result<u32, ReadFault> {
        whole_number(field, self.word(field)?)
    }

    /// The next word, a rate or a delay with its unit.
    pub(super) fn quantity<Q>(&mut self, field: &'static str) -> Result<Q, ReadFault>
    where
        Q: FromStr<Err = Diagnostic>,
    {
        let quantity = shortened(self.word(field)?).parse();
        quantity.map_err(|error| ReadFault::Quantity { field, error })
    }

    /// Nothing more.
    pub(super) fn end(mut self) -> Result<(), ReadFault> {
        match self.optional() {
            Some(word) => Err(ReadFault::Surplus {
                word: shortened(word),
                form: self.form,
            }),
            None => Ok(()),
        }
    }
}

pub(super) fn whole_number(field: &'static str, word: &str) -> Result<u32, ReadFault> {
    let expected = "a whole number of 32 bits; write e.g. `16`";
    let not_a_number = || ReadFault::NotANumber {
        field,
        word: shortened(word),
        expected,
    };
    // `parse` would also take a sign.
    match word.bytes().all(|byte| byte.is_ascii_digit()) {
        true => word.parse().map_err(|_| not_a_number()),
        false => Err(not_a_number()),
    }
}

pub(super) fn probability(field: &'static str, word: &str) -> Result<f64, ReadFault> {
    let expected = "a probability; write 0 to 1, e.g. `1e-6`";
    match word.parse() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err(ReadFault::NotANumber {
            field,
            word: shortened(word),
            expected,
        }),
    }
}

/// A word as messages quote it: a megabyte without blanks is one word too.
pub(super) fn shortened(word: &str) -> String {
    const LONGEST_QUOTE: usize = 40;
    match word.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}

/// The word that was probably meant.
pub(super) fn nearest(word: &str, known: &[&'static str]) -> Option<&'static str> {
    let lower = word.to_lowercase();
    let distance = |known: &str| strsim::osa_distance(&lower, &known.to_lowercase());
    known
        .iter()
        .copied()
        .min_by_key(|known| distance(known))
        .filter(|known| distance(known) <= 2)
}
