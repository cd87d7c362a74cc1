//! 3CPO, the collective congestion control protocol (dissertation, ch. 6).
//!
//! An operation of a group loads every member's link. So the operation costs tokens at every member
//! that is sending, not only at its initiator. An endpoint pays for its own operation, and for each
//! remote operation that contends with it. It *matches* remote operations with its own
//! (`matching`). Probes measure all other congestion, and set the watermarks (`watermark`).
//!
//! ```text
//! own operation:     f + κ·(remote flits that it matches)      tokens of each type
//! remote operation:  κ·(own flits that it matches)
//! κ = 0.8 if the last own operation took under 1000 cycles, 1 over 2000, linear between
//! remote operations can be matched for RTT + D cycles: the last probe's round trip, and how long
//! the last collective operation was first in its queue
//! ```
//!
//! Choices that the text leaves open are options. Their defaults are the readings that the
//! evaluation supports. `repaired` is a variant of this project. Endpoints that start together
//! learn of each other only half a round trip later. By then their packets form a queue that no
//! rule drains. So the variant sends few operations until the first response, and then paces itself
//! by the number of active members.

mod matching;
mod watermark;

use incast_diagnostic::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::matching::Matching;
use self::watermark::{RoundTripSample, WatermarkRule};
use super::parameters::parameters;
use super::scheme_options::SchemeOptions;
use super::token_bucket::TokenBuckets;
use super::{AimdOptions, ControlState, InjectionControl, OwnOperation, RemoteRequest};
use crate::group::Group;
use crate::packet::{Cycle, NEVER};

pub use self::watermark::{Decrease, WatermarkStep, watermarks};

/// The tokens that the watermark's rule counts as taken by multicast control.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DecrementScope {
    /// All tokens beyond the own operations' cost.
    All,
    /// Tokens taken at injection, but not tokens taken when a remote request arrives.
    Injection,
}

/// How long a remote operation can be matched.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hold {
    /// A round trip, plus how long the last own operation was first in its queue.
    RoundTripAndDelay,
    /// A round trip.
    RoundTrip,
    /// Forever.
    Forever,
}

/// Options of 3CPO.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ThreeCpoOptions {
    /// Buckets, thresholds and steps that 3CPO shares with AIMD.
    pub aimd: AimdOptions,
    /// κ of operations below the lower latency.
    pub discount: f64,
    /// Latencies in cycles between which κ rises from `discount` to 1.
    pub discount_latencies: [f64; 2],
    /// Largest κ. At 1, as printed, operations cost exactly the flits that links carry, so a
    /// standing queue never drains. Above 1, κ rises further along the same line, and the queue
    /// drains.
    pub discount_max: f64,
    /// Whether the discount also holds for remote operations matched at injection.
    pub discount_at_injection: bool,
    /// For how long a remote operation can be matched.
    pub hold: Hold,
    /// Round-trip time in cycles until the first probe returns.
    pub round_trip_initial: Cycle,
    /// The tokens that count as taken by multicast control.
    pub scope: DecrementScope,
    /// Whether the tokens taken for a minority type are scaled (lines 5 to 8).
    pub minority_scaling: bool,
    /// Whether tokens that could not have been produced are carried over (lines 9, 11, 22).
    pub carry_over: bool,
    /// Whether the watermark is raised by multicast control's part (line 14).
    pub raise: bool,
    /// Whether the decrease is scaled by the rate (lines 16, 19).
    pub flow_scaling: bool,
    /// How the watermark falls.
    pub decrease: Decrease,
    /// Whether own operations are paced: operations of one kind are as far apart as one operation
    /// of each recently active member takes. Feedback comes half a round trip late. Without pacing,
    /// endpoints in step send a burst until then.
    pub pacing: bool,
    /// Most own operations of a kind outstanding during the first round trip; 0: unlimited.
    pub opening: u32,
}

impl Default for ThreeCpoOptions {
    /// As printed.
    fn default() -> Self {
        Self {
            aimd: AimdOptions::default(),
            discount: 0.8,
            discount_latencies: [1000.0, 2000.0],
            discount_max: 1.0,
            discount_at_injection: true,
            hold: Hold::RoundTripAndDelay,
            round_trip_initial: 1000,
            scope: DecrementScope::All,
            minority_scaling: true,
            carry_over: true,
            raise: true,
            flow_scaling: true,
            decrease: Decrease::AboveEquivalent,
            pacing: false,
            opening: 0,
        }
    }
}

impl ThreeCpoOptions {
    /// This project's variant. Until the first response two operations of a kind are sent, then
    /// operations are paced by the number of active members. No bursts and standing queues form, so
    /// remote operations can cost less. If latency rises nevertheless, because of a slow endpoint
    /// or other groups, κ rises beyond 1 and the queue drains.
    pub fn repaired() -> Self {
        Self {
            discount: 0.6,
            discount_max: 4.0,
            pacing: true,
            opening: 2,
            ..Self::default()
        }
    }

    /// κ: the factor of the tokens that remote operations cost, for the `latency` of the last own
    /// operation.
    fn discount_at(&self, latency: Option<f64>) -> f64 {
        let [low, high] = self.discount_latencies;
        match latency {
            None => 1.0,
            Some(latency) => {
                let rise = ((latency - low) / (high - low)).max(0.0);
                let discount = self.discount + (1.0 - self.discount) * rise;
                discount.min(self.discount_max)
            }
        }
    }
}

parameters! {
    ThreeCpoOptions {
        .. => aimd;
        "discount" => discount,
            "Part of their tokens that remote operations take below 1000 cycles. Default: 0.8.";
        "discount_max" => discount_max, "The largest such part, from 2000 cycles on. Default: 1.";
        "discount_at_injection" => discount_at_injection,
            "Whether it also holds for remote operations that an own one matches.";
        "hold" => hold, "How long a remote operation can be matched. Default: RTT + D.";
        "scope" => scope,
            "Which tokens count as throttling: all beyond the own, or those taken at injection.";
        "minority_scaling" => minority_scaling,
            "Whether tokens of a minority kind are scaled (Algorithm 6, lines 5 to 8).";
        "carry_over" => carry_over,
            "Whether tokens that could not be made are carried over (lines 9, 11, 22).";
        "raise" => raise, "Whether a watermark rises by what matching took over (line 14).";
        "flow_scaling" => flow_scaling, "Whether slow endpoints give way less (lines 16, 19).";
        "decrease" => decrease,
            "How a watermark falls: by a part of what matching leaves, or of the whole.";
        "pacing" => pacing,
            "Whether own operations are paced by the members heard of. Default: false.";
        "opening" => opening,
            "Operations of a kind until the first response. Default: 0, which is no limit.";
    }
}

impl SchemeOptions for ThreeCpoOptions {
    fn check(&self) -> Result<(), Diagnostic> {
        self.aimd.check()
    }

    fn build(
        &self,
        seed: u64,
        endpoint: u16,
        endpoints: u16,
        groups: &[Group],
    ) -> Box<dyn InjectionControl> {
        Box::new(ThreeCpo::new(self, seed, endpoint, endpoints, groups))
    }
}

/// Options of 3CPO with the defaults of the variant `repaired`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct RepairedOptions(pub ThreeCpoOptions);

impl Default for RepairedOptions {
    fn default() -> Self {
        Self(ThreeCpoOptions::repaired())
    }
}

parameters! {
    RepairedOptions {
        .. => 0;
    }
}

impl SchemeOptions for RepairedOptions {
    fn check(&self) -> Result<(), Diagnostic> {
        self.0.check()
    }

    fn build(
        &self,
        seed: u64,
        endpoint: u16,
        endpoints: u16,
        groups: &[Group],
    ) -> Box<dyn InjectionControl> {
        self.0.build(seed, endpoint, endpoints, groups)
    }
}

/// Indices of the request side and the response side.
const SIDES: [usize; 2] = [0, 1];

/// State of 3CPO at one endpoint.
#[derive(Debug)]
pub(super) struct ThreeCpo {
    options: ThreeCpoOptions,
    buckets: TokenBuckets,
    /// By group; `None` if this endpoint is not a member.
    groups: Vec<Option<GroupState>>,
    rules: [WatermarkRule; 2],
    /// Tokens taken for remote operations since the last probe, by side.
    extra: [f64; 2],
    /// Reads and writes sent since the last probe.
    sent: [u32; 2],
    /// Latency of the last own collective operation.
    latency: Option<f64>,
    /// κ at `latency`.
    discount: f64,
    round_trip: Option<Cycle>,
    /// Cycles for which the last own collective operation was first in its queue.
    delay: Cycle,
    /// Reads, writes outstanding.
    outstanding: [u32; 2],
    /// Cycles from which pacing admits the next read and the next write.
    paced_until: [Cycle; 2],
}

/// State of the matching in one group.
#[derive(Debug)]
struct GroupState {
    members: Vec<u16>,
    matching: Matching,
    /// By kind (reads, writes) and endpoint: cycle of the last operation's arrival. Empty without
    /// pacing.
    heard: [Vec<Option<Cycle>>; 2],
}

impl GroupState {
    /// Number of other members whose operations of this kind arrived within the last `hold` cycles.
    fn active(&self, kind: usize, now: Cycle, hold: Cycle) -> u32 {
        let heard = self.heard[kind].iter().flatten();
        heard.filter(|&&at| at.saturating_add(hold) > now).count() as u32
    }
}

impl ThreeCpo {
    pub(super) fn new(
        options: &ThreeCpoOptions,
        seed: u64,
        endpoint: u16,
        endpoints: u16,
        groups: &[Group],
    ) -> Self {
        let of_group = |group: &Group| {
            group.has(endpoint).then(|| GroupState {
                members: group.members().to_vec(),
                matching: Matching::new(endpoint, endpoints),
                heard: [(); 2].map(|()| match options.pacing {
                    true => vec![None; endpoints.into()],
                    false => Vec::new(),
                }),
            })
        };
        Self {
            options: *options,
            buckets: TokenBuckets::new(&options.aimd.tokens, seed, endpoint),
            groups: groups.iter().map(of_group).collect(),
            rules: [WatermarkRule::default(); 2],
            extra: [0.0; 2],
            sent: [0; 2],
            latency: None,
            discount: options.discount_at(None),
            round_trip: None,
            delay: 0,
            outstanding: [0; 2],
            paced_until: [0; 2],
        }
    }

    /// Cycles for which a remote operation can be matched.
    fn hold(&self) -> Cycle {
        let round_trip = self.round_trip.unwrap_or(self.options.round_trip_initial);
        match self.options.hold {
            Hold::RoundTripAndDelay => round_trip + self.delay,
            Hold::RoundTrip => round_trip,
            Hold::Forever => NEVER,
        }
    }

    /// Forgets expired remote operations. Must be called before the hold time or a group's arrays
    /// change.
    fn expire(&mut self, now: Cycle) {
        let hold = self.hold();
        for group in self.groups.iter_mut().flatten() {
            group.matching.expire(now, hold);
        }
    }

    fn group(&mut self, target: u16) -> Option<&mut GroupState> {
        self.groups.get_mut(usize::from(target))?.as_mut()
    }

    /// Whether the limit of the first round trip forbids another operation of this kind.
    fn is_opening(&self, is_write: bool) -> bool {
        let limit = self.options.opening;
        limit > 0 && self.latency.is_none() && self.outstanding[usize::from(is_write)] >= limit
    }

    /// Paces after an own operation: the next operation of its kind waits as long as one operation
    /// of each active member takes.
    fn pace(&mut self, now: Cycle, operation: &OwnOperation) {
        let kind = usize::from(operation.kind.is_write());
        let (hold, discount) = (self.hold(), self.discount);
        let flits = operation.costs().into_iter().max().unwrap_or(0);
        let Some(group) = self.group(operation.target) else {
            return;
        };
        let members = 1 + group.active(kind, now, hold);
        let gap = discount * f64::from(members) * f64::from(flits);
        self.paced_until[kind] = now + gap as Cycle;
    }

    /// Tokens that an own collective operation costs for the remote operations that it matches.
    fn match_own(&mut self, operation: &OwnOperation) -> [f64; 2] {
        let discount = if self.options.discount_at_injection {
            self.discount
        } else {
            1.0
        };
        let costs = operation.costs();
        let Some(group) = self.group(operation.target) else {
            return [0.0; 2];
        };
        let costs = costs.map(|flits| flits as i32);
        let matched = group.matching.send(costs, &group.members);
        matched.map(|flits| discount * f64::from(flits))
    }
}

impl InjectionControl for ThreeCpo {
    fn may_inject_from(&mut self, now: Cycle, operation: &OwnOperation) -> Cycle {
        let is_write = operation.kind.is_write();
        if operation.kind.is_collective() && self.is_opening(is_write) {
            return NEVER;
        }
        let paced = self.paced_until[usize::from(is_write)];
        self.buckets.ready_from(now, is_write).max(paced)
    }

    fn on_injection(&mut self, now: Cycle, operation: &OwnOperation, waited: Cycle) {
        let mut costs = operation.costs().map(f64::from);
        let is_write = operation.kind.is_write();
        self.outstanding[usize::from(is_write)] += 1;
        if operation.kind.is_collective() {
            self.expire(now);
            self.delay = waited;
            let extra = self.match_own(operation);
            for side in SIDES {
                costs[side] += extra[side];
                self.extra[side] += extra[side];
            }
            self.sent[usize::from(is_write)] += 1;
            if self.options.pacing {
                self.pace(now, operation);
            }
        }
        self.buckets.take(now, costs);
    }

    fn hears_requests(&self) -> bool {
        true
    }

    fn on_remote_request(&mut self, now: Cycle, request: &RemoteRequest) {
        let (hold, discount) = (self.hold(), self.discount);
        let is_paced = self.options.pacing;
        let costs = request.operation.costs();
        let Some(group) = self.group(request.operation.target) else {
            return;
        };
        if is_paced {
            let kind = usize::from(request.operation.kind.is_write());
            group.heard[kind][usize::from(request.from)] = Some(now);
        }
        group.matching.expire(now, hold);
        let costs = costs.map(|flits| flits as i32);
        let matched = group.matching.receive(request.from, costs, now);
        if matched == [0; 2] {
            return;
        }
        let taken = matched.map(|flits| discount * f64::from(flits));
        self.buckets.take(now, taken);
        if self.options.scope == DecrementScope::All {
            for side in SIDES {
                self.extra[side] += taken[side];
            }
        }
    }

    fn on_completion(&mut self, now: Cycle, operation: &OwnOperation, latency: Cycle) {
        self.outstanding[usize::from(operation.kind.is_write())] -= 1;
        if !operation.kind.is_collective() {
            return;
        }
        self.expire(now);
        self.latency = Some(latency as f64);
        self.discount = self.options.discount_at(self.latency);
        let costs = operation.costs().map(|flits| flits as i32);
        if let Some(group) = self.group(operation.target) {
            group.matching.complete(costs);
        }
    }

    fn uses_probes(&self) -> bool {
        true
    }

    fn on_probe(&mut self, now: Cycle, round_trip: Cycle) {
        self.expire(now);
        self.round_trip = Some(round_trip);
        let [reads, writes] = self.sent.map(f64::from);
        let total = reads + writes;
        let watermarks = self.buckets.watermarks();
        let next = SIDES.map(|side| {
            // Writes dominate the request side, reads the response side.
            let own = [writes, reads][side];
            let sample = RoundTripSample {
                latency: round_trip as f64,
                extra: self.extra[side],
                share: (total > 0.0).then(|| own / total),
            };
            self.rules[side].next(&self.options, watermarks[side], &sample)
        });
        self.buckets.set_watermarks(now, next);
        self.extra = [0.0; 2];
        self.sent = [0; 2];
    }

    fn state(&mut self, now: Cycle) -> ControlState {
        // Expired operations are forgotten only at the next event, so forget them before reading.
        self.expire(now);
        let mut state = ControlState {
            tokens: self.buckets.tokens(now),
            watermarks: self.buckets.watermarks(),
            outstanding: self.outstanding.iter().sum(),
            ..ControlState::default()
        };
        for group in self.groups.iter().flatten() {
            for (side, (own, remote)) in group.matching.unmatched().into_iter().enumerate() {
                state.unmatched_own[side] += own;
                state.unmatched_remote[side] += remote;
            }
        }
        state
    }
}

#[cfg(test)]
mod tests;
