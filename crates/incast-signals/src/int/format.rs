//! The option `int_format`: widths and units of a record's fields.

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, OneOf, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most link rates that a record of any format can distinguish.
pub(super) const RATE_CODES: usize = 256;
/// Bits of the clock, the lowest bits of a quantised record.
pub(super) const CLOCK_BITS: u32 = 24;
/// Bits of the bytes sent, above the clock.
pub(super) const SENT_BITS: u32 = 20;
/// Bits of a field of an exact record.
pub(super) const EXACT_BITS: u32 = 40;

/// Widths and units of a record's fields.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "WrittenFormat", into = "WrittenFormat")]
pub enum IntFormat {
    /// Picoseconds and bytes, in fields that do not wrap within a base RTT of the simulation; two
    /// words.
    Exact,
    /// The 64-bit record of HPCC and FNCC (§4.3): 24 bits of nanoseconds, 20 bits of sent bytes
    /// in units of 128, and the queue in units of 80 bytes.
    Quantised {
        /// Factor of both byte units.
        multiplier: u32,
        /// Bits of the queue field. A longer queue reads as the field's largest value.
        queue_bits: u32,
    },
}

impl IntFormat {
    /// The quantised format with this multiplier and width of the queue field.
    pub const fn quantised(multiplier: u32, queue_bits: u32) -> Self {
        Self::Quantised {
            multiplier,
            queue_bits,
        }
    }

    /// Checks widths and units.
    ///
    /// # Errors
    /// If the format does not fit into a record.
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

    /// The clock's unit.
    pub fn clock_unit(self) -> Time {
        match self {
            Self::Exact => Time::from_ps(1),
            Self::Quantised { .. } => Time::from_ns(1),
        }
    }

    /// Bits of the clock: it wraps after 2 to this power units.
    pub fn clock_bits(self) -> u32 {
        match self {
            Self::Exact => EXACT_BITS,
            Self::Quantised { .. } => CLOCK_BITS,
        }
    }

    /// The unit of bytes sent.
    pub fn sent_unit(self) -> Bytes {
        match self {
            Self::Exact => Bytes::new(1),
            Self::Quantised { multiplier, .. } => Bytes::new(128) * u64::from(multiplier),
        }
    }

    /// Bits of the bytes sent: the count wraps after 2 to this power units.
    pub fn sent_bits(self) -> u32 {
        match self {
            Self::Exact => EXACT_BITS,
            Self::Quantised { .. } => SENT_BITS,
        }
    }

    /// The unit of queued bytes.
    pub fn queue_unit(self) -> Bytes {
        match self {
            Self::Exact => Bytes::new(1),
            Self::Quantised { multiplier, .. } => Bytes::new(80) * u64::from(multiplier),
        }
    }

    /// Bits of the queue field.
    pub fn queue_bits(self) -> u32 {
        match self {
            Self::Exact => EXACT_BITS,
            Self::Quantised { queue_bits, .. } => queue_bits,
        }
    }

    /// Words of a packet that one record takes.
    pub fn words_per_hop(self) -> usize {
        match self {
            Self::Exact => 2,
            Self::Quantised { .. } => 1,
        }
    }

    /// Number of link rates that a record can distinguish.
    pub fn rate_codes(self) -> usize {
        let Self::Quantised { queue_bits, .. } = self else {
            return RATE_CODES;
        };
        let used = CLOCK_BITS + SENT_BITS + queue_bits;
        let codes = 1_usize.checked_shl(u64::BITS.saturating_sub(used));
        codes.map_or(RATE_CODES, |codes| codes.min(RATE_CODES))
    }
}

/// The format in scenarios: `"exact"`, or the options of the quantised format.
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
    /// Factor of both byte units.
    #[schemars(range(min = 1, max = 4096))]
    multiplier: u32,
    /// Bits of the queue field.
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
