//! Bursts: many flows that start together, once or repeatedly.

use std::fmt;
use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_units::{HostId, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::CheckedTraffic;
use crate::diagnostics;
use crate::flow::{Flow, FlowStream, MAX_START};
use crate::sizes::FlowSizes;
use incast_random::{RandomStream, TrafficPurpose, TrafficStreams};

/// Repetitions of a burst. Random draws are made anew for each round.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rounds {
    /// Number of rounds.
    #[schemars(range(min = 1))]
    pub count: u64,
    /// Time from the start of a round to the start of the next; at least the time from a round's
    /// first to its last start.
    pub every: Time,
}

/// The sources and destinations of one round.
pub(super) trait Burst: fmt::Debug + Send + Sync {
    /// Adds the flows of a round: pairs of hosts, each with its delay after the round's start.
    fn round(&self, choice: &mut RandomStream, flows: &mut Vec<Pair>);

    /// Number of flows in a round.
    fn flows(&self) -> u64;

    /// The hosts that may send or receive, in any order, possibly several times.
    fn hosts(&self) -> Vec<HostId>;

    /// Time from the start of a round to the start of its last flow.
    fn span(&self) -> Time;
}

/// A flow of a round.
#[derive(Copy, Clone, Debug)]
pub(super) struct Pair {
    pub(super) delay: Time,
    pub(super) source: HostId,
    pub(super) destination: HostId,
}

impl Pair {
    /// A flow that starts with its round.
    pub(super) fn at_once(source: HostId, destination: HostId) -> Self {
        let delay = Time::ZERO;
        Self {
            delay,
            source,
            destination,
        }
    }
}

/// Start, jitter and repetitions of a burst.
#[derive(Copy, Clone, Debug)]
pub(super) struct Timing {
    pub(super) start: Time,
    /// Each flow starts later by a random delay, uniform up to this time.
    pub(super) jitter: Time,
    pub(super) rounds: Option<Rounds>,
}

/// Checks the timing of a burst, and makes its traffic.
pub(super) fn traffic(
    burst: impl Burst + 'static,
    sizes: FlowSizes,
    timing: Timing,
) -> Result<Box<dyn CheckedTraffic>, Diagnostic> {
    let span = burst.span().saturating_add(timing.jitter);
    let rounds = check_rounds(timing.start, span, timing.rounds)?;
    Ok(Box::new(Bursts {
        burst: Arc::new(burst),
        sizes,
        start: timing.start,
        jitter: timing.jitter,
        rounds,
    }))
}

/// Checks rounds that each take `span` from first to last start; `None` is one round.
pub(super) fn check_rounds(
    start: Time,
    span: Time,
    rounds: Option<Rounds>,
) -> Result<Rounds, Diagnostic> {
    let Some(Rounds { count, every }) = rounds else {
        let (count, every) = (1, Time::ZERO);
        check_last(start, span, 0, every)?;
        return Ok(Rounds { count, every });
    };
    if count == 0 {
        return Err(diagnostics::zero().at("rounds.count"));
    }
    if every == Time::ZERO {
        return Err(diagnostics::no_time().at("rounds.every"));
    }
    if every < span && count > 1 {
        return Err(diagnostics::rounds_overlap(every, span).at("rounds.every"));
    }
    check_last(start, span, count - 1, every)?;
    Ok(Rounds { count, every })
}

/// Checks that the last flow of the last round starts at [`MAX_START`] or before.
fn check_last(start: Time, span: Time, more: u64, every: Time) -> Result<(), Diagnostic> {
    let ps = |time: Time| u128::from(time.as_ps());
    let first_round = ps(start) + ps(span);
    let last_round = first_round + u128::from(more) * ps(every);
    let key = match first_round > ps(MAX_START) {
        true => "start",
        false => "rounds.count",
    };
    match last_round > ps(MAX_START) {
        true => {
            let start = format!("{}s", last_round / 1_000_000_000_000);
            Err(diagnostics::too_late(&start).at(key))
        }
        false => Ok(()),
    }
}

#[derive(Debug)]
struct Bursts<B> {
    burst: Arc<B>,
    sizes: FlowSizes,
    start: Time,
    jitter: Time,
    rounds: Rounds,
}

impl<B: Burst + 'static> CheckedTraffic for Bursts<B> {
    fn flows(&self, streams: TrafficStreams) -> Result<FlowStream, Diagnostic> {
        let (burst, sizes, jitter) = (Arc::clone(&self.burst), self.sizes.clone(), self.jitter);
        let (start, every) = (self.start, self.rounds.every);
        let mut choice = streams.of_entry(TrafficPurpose::Choice);
        let mut delays = streams.of_entry(TrafficPurpose::Jitter);
        let mut drawn = streams.of_entry(TrafficPurpose::Size);
        let round = move |number: u64| {
            let mut pairs = Vec::new();
            burst.round(&mut choice, &mut pairs);
            let begins = start + every * number;
            let mut flow = |pair: Pair| Flow {
                start: begins + pair.delay + Time::from_ps(delays.below(jitter.as_ps())),
                source: pair.source,
                destination: pair.destination,
                size: sizes.draw(&mut drawn),
                tag: streams.tag,
            };
            let mut flows: Vec<_> = pairs.into_iter().map(&mut flow).collect();
            flows.sort_by_key(|flow| flow.start);
            flows.into_iter().map(Ok)
        };
        Ok(Box::new((0..self.rounds.count).flat_map(round)))
    }

    fn expected_flows(&self) -> f64 {
        self.burst.flows() as f64 * self.rounds.count as f64
    }

    fn hosts(&self) -> Option<Vec<HostId>> {
        Some(self.burst.hosts())
    }
}
