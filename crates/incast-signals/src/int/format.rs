//! The option `int_format`: which fields a record has, how wide and in which units.

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, OneOf, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most rates of links that any record can tell apart.
pub(super) const RATE_CODES: usize = 256;
/// Bits of the clock in a quantised record, the lowest ones.
pub(super) const CLOCK_BITS: u32 = 24;
/// Bits of the bytes sent, above them.
pub(super) const SENT_BITS: u32 = 20;
/// Bits of a field of an exact record.
pub(super) const EXACT_BITS: u32 = 40;

/// Widths and units of a record's fields.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "WrittenFormat", into = "WrittenFormat")]
pub enum IntFormat {
    /// Picoseconds and bytes, in fields that do not wrap within a simulation's base RTTs; two
    /// words.
    Exact,
    /// The 64-bit record of HPCC and FNCC (§4.3): 24 bits of nanoseconds, 20 bits of sent bytes
    /// in units of 128, and the queue in units of 80 bytes.
    Quantised {
        /// Both byte units are multiplied by this number.
        multiplier: u32,
        /// Width of the queue field; a longer queue reads as the largest value.
        queue_bits: u32,
    },
}

impl IntFormat {
    /// The quantised format with these byte units and this width of the queue field.
    pub const fn quantised(multiplier: u32, queue_bits: u32) -> Self {
        Self::Quantised {
            multiplier,
            queue_bits,
        }
    }

    /// Checks widths and units.
    ///
    /// # Errors
    /// If records do not have the form that is asked for.
    pub fn check(self) -> Result<(), Diagnostic> {
        let Self::Quantised {
            multiplier,
            queue_bits,
        } = self
        else {
            return Ok(());
        };
        let checked = [
            ("multiplier", multiplier, 1, 4096),
            ("queue_bits", queue_bits, 8, 20),
        ];
        for (key, value, least, most) in checked {
            if !(least..=most).contains(&value) {
                let hint = format!("write {least} to {most}");
                let diagnostic = Diagnostic::new(format!("`{value}` is out of range"), hint);
                return Err(diagnostic.at(key));
            }
        }
        Ok(())
    }

    /// One unit of the clock.
    pub fn clock_unit(self) -> Time {
        match self {
            Self::Exact => Time::from_ps(1),
            Self::Quantised { .. } => Time::from_ns(1),
        }
    }

    /// The clock wraps after 2 to this power units.
    pub fn clock_bits(self) -> u32 {
        match self {
            Self::Exact => EXACT_BITS,
            Self::Quantised { .. } => CLOCK_BITS,
        }
    }

    /// One unit of sent bytes.
    pub fn sent_unit(self) -> Bytes {
        match self {
            Self::Exact => Bytes::new(1),
            Self::Quantised { multiplier, .. } => Bytes::new(128) * u64::from(multiplier),
        }
    }

    /// Sent bytes wrap after 2 to this power units.
    pub fn sent_bits(self) -> u32 {
        match self {
            Self::Exact => EXACT_BITS,
            Self::Quantised { .. } => SENT_BITS,
        }
    }

    /// One unit of queued bytes.
    pub fn queue_unit(self) -> Bytes {
        match self {
            Self::Exact => Bytes::new(1),
            Self::Quantised { multiplier, .. } => Bytes::new(80) * u64::from(multiplier),
        }
    }

    /// Width of the queue field.
    pub fn queue_bits(self) -> u32 {
        match self {
            Self::Exact => EXACT_BITS,
            Self::Quantised { queue_bits, .. } => queue_bits,
        }
    }

    /// Words of a packet that a record takes.
    pub fn words_per_hop(self) -> usize {
        match self {
            Self::Exact => 2,
            Self::Quantised { .. } => 1,
        }
    }

    /// How many rates of links a record can tell apart.
    pub fn rate_codes(self) -> usize {
        let Self::Quantised { queue_bits, .. } = self else {
            return RATE_CODES;
        };
        let used = CLOCK_BITS + SENT_BITS + queue_bits;
        let codes = 1_usize.checked_shl(u64::BITS.saturating_sub(used));
        codes.map_or(RATE_CODES, |codes| codes.min(RATE_CODES))
    }
}

/// The format as scenarios write it: `"exact"`, or how it is quantised.
type WrittenFormat = OneOf<ExactInt, QuantisedInt>;

/// INT without quantisation.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum ExactInt {
    /// Picoseconds and bytes, in fields that do not wrap.
    Exact,
}

/// The 64-bit INT record of HPCC: 24 bits of nanoseconds, 20 bits of sent bytes in units of 128,
/// and the queue in units of 80 bytes.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct QuantisedInt {
    /// Both byte units are multiplied by this.
    #[schemars(range(min = 1, max = 4096))]
    multiplier: u32,
    /// Width of the queue field.
    #[serde(default = "default_queue_bits")]
    #[schemars(range(min = 8, max = 20))]
    queue_bits: u32,
}

fn default_queue_bits() -> u32 {
    16
}

impl From<WrittenFormat> for IntFormat {
    fn from(written: WrittenFormat) -> Self {
        match written {
            OneOf::Plain(ExactInt::Exact) => Self::Exact,
            OneOf::Nested(int) => Self::quantised(int.multiplier, int.queue_bits),
        }
    }
}

impl From<IntFormat> for WrittenFormat {
    fn from(format: IntFormat) -> Self {
        match format {
            IntFormat::Exact => Self::Plain(ExactInt::Exact),
            IntFormat::Quantised {
                multiplier,
                queue_bits,
            } => Self::Nested(QuantisedInt {
                multiplier,
                queue_bits,
            }),
        }
    }
}
