//! Replays of recordings of uet-htsim's balancers: their draws, feedback and choices (commit
//! 40ccb05).
//!
//! Files are in `tests/balancers`. In `script-*` the feedback is written by hand, with all its
//! kinds and pauses of 10 ms. `trace-*` are of one flow in incasts and on slow links. The other
//! files are of sixteen hosts, with small queues or without trimming. A line is an event, in the
//! order of execution:
//!
//! | line          | event                                                                       |
//! |---------------|-----------------------------------------------------------------------------|
//! | `t T`         | what follows is at T ps; only where time matters                            |
//! | `d N`         | the random number N, of 31 bits, is drawn for the next entropy              |
//! | `n P W E`     | a packet leaves with entropy E, after P new ones, window of W packets  |
//! | `g m x o`, E  | what became of entropy E: good, marked, trimmed (a NACK), timed out         |

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use incast_units::{FlowId, Time};

use super::draws::RawDraws;
use super::{BalanceOptions, FlowEntropy, LeavingPacket, PathFeedback, PathReport, PathSelector};

/// Random numbers given in advance.
#[derive(Clone, Default)]
pub(super) struct Drawn(Arc<Mutex<VecDeque<u32>>>);

impl Drawn {
    pub(super) fn new(numbers: &[u32]) -> Self {
        let drawn = Self::default();
        drawn.numbers().extend(numbers);
        drawn
    }

    fn numbers(&self) -> std::sync::MutexGuard<'_, VecDeque<u32>> {
        self.0.lock().expect("one thread")
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.numbers().is_empty()
    }
}

impl RawDraws for Drawn {
    fn draw(&mut self) -> u32 {
        self.numbers().pop_front().expect("a number is left")
    }
}

/// The first packet of a flow.
pub(super) const LEAVING: LeavingPacket = LeavingPacket {
    new_packets: 0,
    window: 10,
    now: Time::ZERO,
};

/// A report of this fate for a packet with this entropy, at time 0.
pub(super) fn report(entropy: u16, feedback: PathFeedback) -> PathReport {
    PathReport {
        entropy,
        feedback,
        now: Time::ZERO,
        expected: 0,
        stamp: Time::ZERO,
    }
}

/// The entropies of the first `count` packets of a flow whose first entropy is `first`, without
/// feedback.
pub(super) fn taken(options: &impl BalanceOptions, first: u16, count: usize) -> Vec<u16> {
    let flow = FlowEntropy {
        flow: FlowId(3),
        first,
        seed: 1,
    };
    let mut selector = options.selector(&flow).expect("it has several paths");
    (0..count).map(|_| selector.next(&LEAVING)).collect()
}

/// Feeds a selector with a recording, and compares every entropy; returns their number. `begin`
/// makes the selector from the flow's first entropy. The reference draws it if passes are over this
/// many entropies (`drawn_first`).
pub(super) fn replay(
    recording: &str,
    drawn_first: Option<u32>,
    begin: impl Fn(u16, Drawn) -> Box<dyn PathSelector>,
) -> usize {
    let drawn = Drawn::default();
    let mut selector = None;
    let (mut now, mut compared) = (Time::ZERO, 0);
    for line in recording.lines() {
        let (kind, numbers) = line.split_once(' ').expect("a line has a kind");
        let numbers = numbers
            .split(' ')
            .map(|number| number.parse().expect("a number"));
        let numbers: Vec<u64> = numbers.collect();
        let feedback = match (kind, numbers.as_slice()) {
            ("t", &[ps]) => {
                now = Time::from_ps(ps);
                continue;
            }
            ("d", &[number]) => {
                drawn.numbers().push_back(number as u32);
                continue;
            }
            ("n", &[new_packets, window, entropy]) => {
                let packet = LeavingPacket {
                    new_packets: new_packets as u32,
                    window: window as u32,
                    now,
                };
                let start = || {
                    let first = drawn_first.map(|count| first_drawn(&drawn, count));
                    begin(first.unwrap_or(0), drawn.clone())
                };
                let next = selector.get_or_insert_with(start).next(&packet);
                assert_eq!(u64::from(next), entropy, "packet {compared}: {line}");
                assert!(drawn.is_used_up(), "packet {compared}: {line}");
                compared += 1;
                continue;
            }
            ("g", _) => PathFeedback::Good,
            ("m", _) => PathFeedback::Marked,
            ("x", _) => PathFeedback::Trimmed,
            ("o", _) => PathFeedback::TimedOut,
            _ => panic!("{line}"),
        };
        let report = PathReport {
            now,
            ..report(numbers[0] as u16, feedback)
        };
        selector
            .as_mut()
            .expect("a packet has left")
            .on_feedback(&report);
    }
    compared
}

/// The first entropy of passes over a power of two: the bits above the count are drawn.
fn first_drawn(drawn: &Drawn, entropies: u32) -> u16 {
    let bits = drawn.clone().draw() % 65_535;
    (bits & !(entropies - 1)) as u16
}
