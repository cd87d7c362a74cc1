//! Time, Rate, Bytes and ids: the quantities every other crate speaks in.
//!
//! All three are integers, so that sums do not depend on their order: [`Time`] counts
//! picoseconds (one byte at 400 Gb/s takes exactly 20 ps), [`Rate`] bits per second,
//! [`Bytes`] bytes. Division states its rounding.
//!
//! As text, in files and on the command line, a quantity always carries its unit:
//!
//! ```
//! use incast_units::{Bytes, Rate, Time};
//!
//! let rate: Rate = "100Gbps".parse()?;
//! let base_rtt: Time = "4.16 us".parse()?;
//! assert_eq!(rate.bytes_in(base_rtt), "52KB".parse::<Bytes>()?);
//! assert_eq!(base_rtt.to_string(), "4.16us");
//! assert_eq!(
//!     "100".parse::<Rate>().unwrap_err().to_string(),
//!     "`100` has no unit; write e.g. `100Gbps`"
//! );
//! # Ok::<(), incast_diagnostic::Diagnostic>(())
//! ```

mod diagnostics;
mod dimension;
mod ids;
mod one_of;
mod percentile;
mod quantity;
mod serial;
mod text;

pub use dimension::Dimension;
pub use ids::{FlowId, HostId, NodeId};
pub use one_of::OneOf;
pub use percentile::percentile_index;
pub use quantity::{Bytes, Rate, Time};
pub use serial::from_text;
pub use text::bare_number;
