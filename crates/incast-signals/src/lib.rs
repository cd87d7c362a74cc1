//! Signals from the network to senders: formats, laws and options that switches, hosts and
//! algorithms share.
//!
//! | module      | signal                                                                     |
//! |-------------|----------------------------------------------------------------------------|
//! | [`int`]     | in-band network telemetry: the record format, its writer and its reader    |
//! | [`FairRateOptions`] | rates that switches compute and send: RoCC's law and its parameters |
//! | [`s_perc`]  | rates that control packets find link by link: their record, s-PERC's options   |
//! | [`RateRequestOptions`] | which of these packets a host sends, and when |
//! | [`CreditOptions`] | how receivers grant credit (RCCC)                                       |
//! | [`OneRttOptions`] | windows for the first packets of flows, by epoch (1RC)                  |
//!
//! The crate knows neither network nor algorithm: `incast-net` writes these signals,
//! `incast-cc` reads them.

mod credits;
mod ecn;
mod fair_rate;
pub mod int;
mod one_rtt;
mod program;
mod queue_threshold;
mod rate_requests;
pub mod s_perc;

pub use credits::{CreditOptions, IdleTurns};
pub use ecn::{EcnCurve, EcnOff, EcnOptions, EcnPerRate, EcnPerTier, Marking, MarkingPoint};
pub use fair_rate::{FairRateLaw, FairRateOptions};
pub use one_rtt::{OneRttOptions, WindowDivisor};
pub use program::{ProgramOptions, ProgramRequest};
pub use queue_threshold::QueueThreshold;
pub use rate_requests::RateRequestOptions;
