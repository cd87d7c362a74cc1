//! The threshold from which an ingress port is paused.

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, OneOf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The threshold from which an ingress port is paused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "WrittenThreshold", into = "WrittenThreshold")]
pub enum PfcThreshold {
    /// The free shared buffer shifted right by `shift` (3: one eighth). Each doubling of the port's
    /// rate over the NICs' rate takes one off the shift, down to 0.
    Dynamic {
        /// The shift at NIC rate.
        shift: u32,
    },
    /// At a fixed number of bytes.
    Static(Bytes),
}

impl PfcThreshold {
    /// Checks that the shift leaves a threshold.
    ///
    /// # Errors
    /// If the shift is above 63.
    pub fn check(&self) -> Result<(), Diagnostic> {
        match self {
            Self::Dynamic { shift } if *shift > 63 => {
                let what = format!("a shift by {shift} leaves nothing");
                let diagnostic = Diagnostic::new(what, "write at most 63; 3 means one eighth");
                Err(diagnostic.at("shift"))
            }
            Self::Dynamic { .. } | Self::Static(_) => Ok(()),
        }
    }
}

/// The threshold as scenarios write it: a size, or `{ shift = 3 }`.
type WrittenThreshold = OneOf<Bytes, DynamicThreshold>;

/// A fraction of the free shared buffer.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DynamicThreshold {
    /// The threshold is the free shared buffer shifted right by this.
    #[schemars(range(max = 63))]
    shift: u32,
}

impl From<WrittenThreshold> for PfcThreshold {
    fn from(written: WrittenThreshold) -> Self {
        match written {
            OneOf::Plain(bytes) => Self::Static(bytes),
            OneOf::Nested(DynamicThreshold { shift }) => Self::Dynamic { shift },
        }
    }
}

impl From<PfcThreshold> for WrittenThreshold {
    fn from(threshold: PfcThreshold) -> Self {
        match threshold {
            PfcThreshold::Static(bytes) => Self::Plain(bytes),
            PfcThreshold::Dynamic { shift } => Self::Nested(DynamicThreshold { shift }),
        }
    }
}
