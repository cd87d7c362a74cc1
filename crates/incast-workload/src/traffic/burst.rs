//! Bursts: many flows that start together, perhaps again and again.

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

/// The same burst several times. What is drawn at random is drawn anew each time.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rounds {
    /// How often, the first time included.
    #[schemars(range(min = 1))]
    pub count: u64,
    /// From the start of a round to the start of the next; not shorter than a round.
    pub every: Time,
}

/// Who sends to whom in one round.
pub(super) trait Burst: fmt::Debug + Send + Sync {
    /// Adds the round's flows: pairs with their delays after the round's start.
    fn round(&self, choice: &mut RandomStream, flows: &mut Vec<Pair>);

    /// How many flows a round has.
    fn flows(&self) -> u64;

    /// The hosts that may send or receive, in any order and perhaps several times.
    fn hosts(&self) -> Vec<HostId>;

    /// Time from the start of a round to its last flow.
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

/// How a burst's flows lie in time.
#[derive(Copy, Clone, Debug)]
pub(super) struct Timing {
    pub(super) start: Time,
    /// Each flow starts up to this much later, uniformly at random.
    pub(super) jitter: Time,
    pub(super) rounds: Option<Rounds>,
}

/// Bursts with their sizes, when their timing is sound.
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

/// Rounds that last for `span`: without any, one.
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

/// The last flow of the last round starts early enough to be simulated.
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
