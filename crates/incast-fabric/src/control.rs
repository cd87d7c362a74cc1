//! Injection control: when an endpoint may put its next operation onto the network.
//!
//! | file | scheme |
//! |---|---|
//! | `uncontrolled` | none: at once |
//! | `rate_limit` | injection rate limiting (IRL): two token buckets with fixed watermarks |
//! | `window` | a static window of outstanding operations for each kind, in addition to IRL |
//! | `watermark_aimd` | IRL with watermarks that follow the latency of probes, AIMD |
//! | `three_cpo` | 3CPO: remote operations take tokens, too; Algorithm 6 sets the watermarks |
//!
//! `scheme` is the table of all schemes: each scheme has a file and a row. The file lists the keys
//! of the scheme's options with `parameters!`. Schemes share the options of the buckets, in
//! `token_options`.
//!
//! A scheme uses only what its endpoint's network interface knows.

mod parameters;
mod rate_limit;
mod scheme;
mod scheme_options;
mod three_cpo;
mod token_bucket;
mod token_options;
mod uncontrolled;
mod watermark_aimd;
mod window;

use std::fmt::Debug;

use crate::packet::{Cycle, OperationKind};

pub use self::rate_limit::RateLimitOptions;
pub use self::scheme::ControlScheme;
pub use self::three_cpo::{
    Decrease, DecrementScope, Hold, RepairedOptions, ThreeCpoOptions, WatermarkStep, watermarks,
};
pub use self::token_options::{TokenCheck, TokenGeneration, TokenOptions};
pub use self::uncontrolled::UncontrolledOptions;
pub use self::watermark_aimd::AimdOptions;
pub use self::window::{WindowOptions, WindowScope};

/// An operation of the endpoint itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OwnOperation {
    /// What it does.
    pub kind: OperationKind,
    /// The group of a collective operation, else the destination endpoint.
    pub target: u16,
    /// Flits of data that the operation moves.
    pub data: u8,
}

impl OwnOperation {
    /// Flits of the request and of the response.
    pub(crate) fn costs(&self) -> [u32; 2] {
        [
            self.kind.request_flits(self.data),
            self.kind.response_flits(self.data),
        ]
    }
}

/// The arrival of another member's request.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RemoteRequest {
    /// The member.
    pub from: u16,
    /// Its operation.
    pub operation: OwnOperation,
}

/// State of a scheme, for plots. Request side first, then response side.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct ControlState {
    /// Tokens; negative while earlier operations are still being paid for.
    pub tokens: [f64; 2],
    /// Watermarks.
    pub watermarks: [f64; 2],
    /// Own flits not matched by remote operations, summed over all members and groups.
    pub unmatched_own: [u64; 2],
    /// Remote flits not matched by own operations, summed over all members and groups.
    pub unmatched_remote: [u64; 2],
    /// Own operations outstanding.
    pub outstanding: u32,
}

/// Decides when an endpoint may inject. The first two methods are required.
pub trait InjectionControl: Debug + Send {
    /// Returns `now` if the operation may be injected, else a cycle before which it may not. After
    /// another call the operation may go sooner; a call for a remote request never has this effect.
    /// [`NEVER`](crate::NEVER): not before another call.
    fn may_inject_from(&mut self, now: Cycle, operation: &OwnOperation) -> Cycle;

    /// The operation is injected. `waited`: cycles for which it was first in its queue.
    fn on_injection(&mut self, now: Cycle, operation: &OwnOperation, waited: Cycle);

    /// Whether the scheme needs to learn of other members' requests.
    fn hears_requests(&self) -> bool {
        false
    }

    /// A request of another member of a group arrives.
    fn on_remote_request(&mut self, _now: Cycle, _request: &RemoteRequest) {}

    /// An own operation completes, `latency` cycles after its injection.
    fn on_completion(&mut self, _now: Cycle, _operation: &OwnOperation, _latency: Cycle) {}

    /// Whether the endpoint always has one probe outstanding while it has work.
    fn uses_probes(&self) -> bool {
        false
    }

    /// A probe returns after `round_trip` cycles.
    fn on_probe(&mut self, _now: Cycle, _round_trip: Cycle) {}

    /// Values worth plotting.
    fn state(&mut self, now: Cycle) -> ControlState;
}
