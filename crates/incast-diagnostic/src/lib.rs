//! Diagnostics: the place of a wrong input, the mistake, and a correction.
//!
//! Every check of the workspace returns a [`Diagnostic`]. The check that finds a mistake knows
//! mistake and correction. Its callers add the place step by step: the key, the line, the file.
//!
//! ```
//! use incast_diagnostic::{Diagnostic, Placed};
//!
//! fn rate(text: &str) -> Result<u64, Diagnostic> {
//!     let digits = text.strip_suffix("bps").and_then(|digits| digits.parse().ok());
//!     digits.ok_or_else(|| {
//!         let what = format!("`{text}` has no unit");
//!         Diagnostic::new(what, format!("write e.g. `{text}Gbps`"))
//!     })
//! }
//!
//! let error = rate("100").at("rate").at("links[3]").on_line(14).in_file("fabric.toml");
//! assert_eq!(
//!     error.unwrap_err().to_string(),
//!     "fabric.toml:14: links[3].rate: `100` has no unit; write e.g. `100Gbps`"
//! );
//! ```

mod diagnostic;
mod excerpt;
mod panics;
mod place;
mod printable;
mod serde_message;
mod suggestion;

pub use diagnostic::{Diagnostic, Placed, unprintable};
pub use excerpt::excerpt;
pub use panics::without_panic;
pub use place::{Origin, Place};
pub use printable::printable;
pub use suggestion::{nearest, suggestion};
