//! Consecutive little-endian numbers in bytes.

use incast_diagnostic::Diagnostic;

/// The bytes that have not been read.
#[derive(Copy, Clone)]
pub(super) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many bytes are left.
    pub(super) fn len(&self) -> u64 {
        self.0.len() as u64
    }

    /// The next bytes.
    pub(super) fn take(&mut self, count: u64) -> Result<&'a [u8], Diagnostic> {
        let count = usize::try_from(count).map_err(|_| cut_off())?;
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(cut_off)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Diagnostic> {
        let (taken, rest) = self.0.split_first_chunk().ok_or_else(cut_off)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(super) fn u8(&mut self) -> Result<u8, Diagnostic> {
        self.array().map(u8::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Diagnostic> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Diagnostic> {
        self.array().map(u64::from_le_bytes)
    }
}

/// Fewer bytes than required.
pub(super) fn cut_off() -> Diagnostic {
    Diagnostic::new(
        "the file ends early",
        "is it cut off? Make it anew with `txt2bin`",
    )
}
