use super::super::recordings::{Drawn, LEAVING, report};
use super::*;
use PathFeedback::{Good, Lost, Marked, TimedOut, Trimmed};

const US: fn(u64) -> Time = Time::from_us;

/// Eight entropies from 100 on, and three congested rounds before a change.
const OPTIONS: fn() -> Plb = || Plb {
    entropies: 8,
    rounds_before_change: 3,
    idle_rounds_before_change: 0,
    ..Plb::default()
};

struct OneFlow {
    plb: PlbSelector<Drawn>,
    sent: u32,
    acked: u32,
}

impl OneFlow {
    fn new(options: Plb, draws: &[u32]) -> Self {
        Self {
            plb: PlbSelector::new(&options, 100, Drawn::new(draws)),
            sent: 0,
            acked: 0,
        }
    }

    /// The entropy of the next packet.
    fn send(&mut self) -> u16 {
        self.sent += 1;
        self.plb.next(&LeavingPacket {
            new_packets: self.sent - 1,
            ..LEAVING
        })
    }

    /// Acknowledges the next packet, which left `round_trip` before.
    fn ack(&mut self, feedback: PathFeedback, now: Time, round_trip: Time) {
        self.acked += 1;
        self.plb.on_feedback(&PathReport {
            now,
            expected: self.acked,
            stamp: now - round_trip,
            ..report(100, feedback)
        });
    }

    /// Sends four packets. Before each, an older packet arrives with this feedback. Returns the
    /// entropies of the four.
    fn round(&mut self, heard: [PathFeedback; 4]) -> [u16; 4] {
        heard.map(|feedback| {
            let entropy = self.send();
            self.ack(feedback, US(9), US(8));
            entropy
        })
    }
}

/// A flow with four packets in flight, whose first round has ended with the first ACK. Each later
/// round has four ACKs.
fn flow(options: Plb, draws: &[u32]) -> OneFlow {
    let mut flow = OneFlow::new(options, draws);
    for _ in 0..5 {
        assert_eq!(flow.send(), 100);
    }
    flow.ack(Good, US(1), US(1));
    flow
}

/// Rounds have four ACKs, and two marks are enough. The third congested round adds 3 mod 7 + 1 = 4:
/// 104. Three rounds later 6 mod 7 + 1 = 7 is added: 11 mod 8 = 3, so 103.
#[test]
fn three_congested_rounds_change_the_path() {
    let mut flow = flow(OPTIONS(), &[3, 6]);
    let half = [Good, Marked, Good, Marked];
    for entropy in [100, 104] {
        for _ in 0..3 {
            assert_eq!(flow.round(half), [entropy; 4]);
        }
    }
    assert_eq!(flow.round(half), [103; 4]);
}

/// One mark of four ACKs is less than half, so the count restarts. Reports of trimmed or lost
/// packets are not ACKs.
#[test]
fn a_better_round_begins_the_count_anew() {
    let mut flow = flow(OPTIONS(), &[3]);
    let (all, one) = ([Marked; 4], [Marked, Good, Good, Good]);
    for round in [all, all, one, all, all, all] {
        assert_eq!(flow.round(round), [100; 4]);
        for feedback in [Trimmed, Lost] {
            flow.plb.on_feedback(&report(100, feedback));
        }
    }
    assert_eq!(flow.round(all), [104; 4]);
}

/// One packet at a time: each ACK ends a round, after which no packet is in flight. With two rounds
/// before an idle change, the third packet takes another path; with none, it keeps the path.
#[test]
fn idle_flows_change_earlier() {
    for (idle_rounds_before_change, third) in [(2, 104), (0, 100)] {
        let options = Plb {
            rounds_before_change: 12,
            idle_rounds_before_change,
            ..OPTIONS()
        };
        let mut flow = OneFlow::new(options, &[3]);
        let entropies = [(); 3].map(|()| {
            let entropy = flow.send();
            flow.ack(Marked, US(1), US(1));
            entropy
        });
        assert_eq!(entropies, [100, 100, third]);
    }
}

/// With `delay`: an RTT of 8 us is above 7 us and not above 8 us. Marks have no effect.
#[test]
fn delay_may_tell_of_congestion() {
    for (delay, last) in [(7, 104), (8, 100)] {
        let options = Plb {
            delay: Some(US(delay)),
            ..OPTIONS()
        };
        let mut flow = flow(options, &[3]);
        for _ in 0..2 {
            assert_eq!(flow.round([Good; 4]), [100; 4]);
        }
        assert_eq!(flow.round([Marked; 4]), [100; 4]);
        assert_eq!(flow.round([Good; 4]), [last; 4]);
    }
}

/// Four packets time out at 10 us: one change, by 0 mod 7 + 1. The pause of 4 us is extended by the
/// fraction 2³⁰/2³¹, 2 us, and ends at 16 us. Four earlier rounds do not change the path; the next
/// round, which ends at 16 us, does.
#[test]
fn a_timeout_changes_the_path_and_pauses() {
    let options = Plb {
        pause_after_timeout: US(4),
        ..OPTIONS()
    };
    let mut flow = flow(options, &[1 << 30, 0, 3]);
    for _ in 0..4 {
        flow.plb.on_feedback(&PathReport {
            now: US(10),
            ..report(100, TimedOut)
        });
    }
    for _ in 0..4 {
        assert_eq!(flow.round([Marked; 4]), [101; 4]);
    }
    for _ in 0..4 {
        flow.ack(Marked, US(16), US(8));
    }
    assert_eq!(flow.send(), 105);
}

#[test]
fn one_entropy_is_kept() {
    let options = Plb {
        entropies: 1,
        ..OPTIONS()
    };
    let mut flow = flow(options, &[]);
    for _ in 0..5 {
        assert_eq!(flow.round([Marked; 4]), [100; 4]);
    }
}

#[test]
fn options_are_checked() {
    assert!(Plb::default().check().is_ok());
    for (options, said) in [
        (
            Plb {
                entropies: 0,
                ..OPTIONS()
            },
            "entropies",
        ),
        (
            Plb {
                congested: 1.5,
                ..OPTIONS()
            },
            "congested: `1.5` is no part of all ACKs",
        ),
        (
            Plb {
                congested: f64::NAN,
                ..OPTIONS()
            },
            "congested",
        ),
        (
            Plb {
                rounds_before_change: 0,
                ..OPTIONS()
            },
            "rounds_before_change: `0`",
        ),
    ] {
        let wrong = options.check().expect_err("it is refused").to_string();
        assert!(wrong.contains(said), "{wrong}");
    }
}
