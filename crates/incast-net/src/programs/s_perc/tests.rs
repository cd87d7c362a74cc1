//! Every line of the link's processing against hand-computed values. Rates are in kb/s. Of 100 Mb/s
//! the link has c = 96 000 kb/s for data, and 2 000 kb/s for control packets.

use incast_signals::s_perc::{Allocation, RateClass, UNIT_WEIGHT};
use incast_units::Bytes;

use super::*;

const C: u64 = 96_000;

fn link() -> LinkState {
    link_with_rounds(Time::from_us(20))
}

fn link_with_rounds(round: Time) -> LinkState {
    let options = SPercOptions {
        round: Some(round),
        ..SPercOptions::default()
    };
    LinkState::new(Rate::from_mbps(100), &LinkShares::from(&options))
}

/// A flow's record, with n connections.
#[derive(Clone)]
struct Flow([u64; ControlRecord::WORDS]);

impl Flow {
    fn new() -> Self {
        let mut words = [0; ControlRecord::WORDS];
        ControlRecord::new(&mut words).begin();
        Self(words)
    }

    fn record(&mut self) -> ControlRecord<'_> {
        ControlRecord::new(&mut self.0)
    }

    /// Sets the limit that another link, number 8, has computed.
    fn limited(mut self, kbps: u64, ignored: bool) -> Self {
        let found = Allocation {
            limit: CompactRate::at_most(kbps),
            rate: CompactRate::at_most(kbps),
            class: RateClass::Here,
            ignored,
        };
        self.record().set_allocation(8, found);
        self
    }

    /// Sends the flow's first request, with n connections and a demand.
    fn begin(&mut self, connections: u16, demand: u64) {
        let demand = match demand {
            u64::MAX => CompactRate::UNLIMITED,
            kbps => CompactRate::at_most(kbps),
        };
        self.record().begin_trip(connections, demand, Time::ZERO);
    }

    /// Passes the link, number 1 of its path, at `us` microseconds.
    fn pass(&mut self, link: &mut LinkState, pass: Pass, us: u64) -> Allocation {
        let mut record = ControlRecord::new(&mut self.0);
        link.process(&mut record, 1, pass, Time::from_us(us))
            .unwrap();
        record.allocation(1)
    }

    fn out(&mut self, link: &mut LinkState) -> Allocation {
        self.begin(1, u64::MAX);
        self.pass(link, Pass::Forward, 0)
    }

    fn end_trip(&mut self) {
        self.record().end_trip();
    }
}

fn found(limit: u64, rate: u64, class: RateClass, ignored: bool) -> Allocation {
    Allocation {
        limit: CompactRate::at_most(limit),
        rate: CompactRate::at_most(rate),
        class,
        ignored,
    }
}

use RateClass::{Elsewhere, Here};

/// Lines (2), (3), (5): NumB = 1, 2, 3: 96 000/1, /2, /3. No flow is in E, so no limit is ignored.
#[test]
fn new_flows_share_the_link() {
    let mut link = link();
    for limit in [96_000, 48_000, 32_000] {
        let allocation = Flow::new().out(&mut link);
        assert_eq!(allocation, found(limit, limit, Here, false));
    }
    assert_eq!(
        link.left_over().unwrap(),
        format!(
            "SumE of 0, NumB of {} and 3 flows of s-PERC are",
            3 * UNIT_WEIGHT
        )
    );
}

/// Lines (4), (8): the first flow is limited to 10 000 elsewhere. The second flow gets the
/// remaining 86 000. Its limit is not below MaxE = 10 000.
#[test]
fn what_a_flow_cannot_use_others_get() {
    let mut link = link();
    let slow = Flow::new().limited(10_000, false).out(&mut link);
    assert_eq!(slow, found(96_000, 10_000, Elsewhere, false));
    let fast = Flow::new().out(&mut link);
    assert_eq!(fast, found(86_000, 86_000, Here, false));
}

/// Line (4): an ignored limit does not count; a host's demand does.
#[test]
fn ignored_limits_do_not_count_and_demand_does() {
    let mut link = link();
    let mut flow = Flow::new().limited(10_000, true);
    assert_eq!(flow.out(&mut link), found(96_000, 96_000, Here, false));
    flow.end_trip();
    flow.begin(1, 7_000);
    let allocation = flow.pass(&mut link, Pass::Forward, 0);
    assert_eq!(allocation, found(96_000, 7_000, Elsewhere, false));
}

/// Line (5): e = b − 100 does not count as below b, e = b − 101 does: the difference must exceed
/// 100 kb/s.
#[test]
fn a_limit_elsewhere_is_lower_by_more_than_epsilon() {
    let class = |limit| Flow::new().limited(limit, false).out(&mut link()).class;
    assert_eq!([C - 101, C - 100, C].map(class), [Elsewhere, Here, Here]);
}

/// Lines (1), (2): one of two flows at 48 000 passes again, on its way back and out. Its allocation
/// is subtracted first.
#[test]
fn a_flow_is_taken_out_before_it_is_counted_again() {
    let mut link = link();
    let (mut one, mut other) = (Flow::new(), Flow::new());
    one.out(&mut link);
    other.out(&mut link);
    for _ in 0..3 {
        assert_eq!(one.pass(&mut link, Pass::Reverse, 0).limit.kbps(), 48_000);
        one.end_trip();
        assert_eq!(one.out(&mut link).limit.kbps(), 48_000);
    }
    // A flow in E: 9 600 are booked for it, then 4 800.
    let mut slow = Flow::new().limited(9_600, false);
    assert_eq!(slow.out(&mut link).limit.kbps(), 32_000);
    slow.end_trip();
    let mut slow = slow.limited(4_800, false);
    assert_eq!(slow.out(&mut link), found(32_000, 4_800, Elsewhere, false));
    // (96 000 − 4 800)/2
    assert_eq!(one.pass(&mut link, Pass::Reverse, 0).limit.kbps(), 45_600);
}

/// Line (6). Flow 1 is limited elsewhere to 60 000, so MaxE = 60 000. Flow 2's limit, 36 000, is
/// lower: flow 1 may have too much at this link, so flow 2's other links ignore this limit. When
/// flow 1 has fallen to 30 000, the limit is 66 000.
#[test]
fn a_limit_below_the_largest_rate_elsewhere_is_ignored() {
    let mut link = link();
    let mut first = Flow::new().limited(60_000, false);
    assert_eq!(
        first.out(&mut link),
        found(96_000, 60_000, Elsewhere, false)
    );
    let mut second = Flow::new();
    assert_eq!(second.out(&mut link), found(36_000, 36_000, Here, true));
    // Seen from link 0, the only limit of another link is ignored.
    assert_eq!(second.record().limit_elsewhere(0), u64::MAX);
    first.end_trip();
    let mut first = first.limited(30_000, false);
    assert_eq!(first.out(&mut link), found(48_000, 30_000, Elsewhere, true));
    second.end_trip();
    assert_eq!(second.out(&mut link), found(66_000, 66_000, Here, false));
    assert_eq!(second.record().limit_elsewhere(0), 66_000);
}

/// Line (9), T_round = 20 us: MaxE = 60 000 of round 0 still holds in round 1, whose largest x is
/// 30 000. In round 2 it is forgotten. After two rounds without a packet MaxE is 0.
#[test]
fn the_largest_rate_elsewhere_is_forgotten_after_a_round() {
    let mut link = link();
    let mut first = Flow::new().limited(60_000, false);
    first.out(&mut link);
    first.end_trip();
    let mut first = first.limited(30_000, false);
    first.begin(1, u64::MAX);
    first.pass(&mut link, Pass::Forward, 25);
    let ignored = |us| {
        let mut second = Flow::new();
        second.begin(1, 2 * C);
        let mut link = link.clone();
        let new = second.pass(&mut link, Pass::Forward, us);
        let mut third = Flow::new();
        third.begin(1, 2 * C);
        (
            new.limit.kbps(),
            new.ignored,
            third.pass(&mut link, Pass::Forward, us).ignored,
        )
    };
    // b = 66 000, then 33 000: both limits are below 60 000, and above 30 000.
    assert_eq!(ignored(39), (66_000, false, true));
    assert_eq!(ignored(40), (66_000, false, false));
    assert_eq!(ignored(59), (66_000, false, false));
    let mut fast = Flow::new().limited(50_000, false);
    fast.begin(1, u64::MAX);
    fast.pass(&mut link, Pass::Forward, 45);
    // MaxE in round 3 is 50 000; round 4 takes MaxE' of round 3, in which no flow was in E.
    let mut other = Flow::new();
    other.begin(1, u64::MAX);
    assert!(
        other
            .clone()
            .pass(&mut link.clone(), Pass::Forward, 61)
            .ignored
    );
    assert!(!other.pass(&mut link, Pass::Forward, 80).ignored);
}

/// Line (7): a leaving flow is removed on its way out; its packet does nothing on its way back.
#[test]
fn a_flow_that_leaves_is_forgotten() {
    let mut link = link();
    let (mut stays, mut here) = (Flow::new(), Flow::new());
    let mut elsewhere = Flow::new().limited(10_000, false);
    for flow in [&mut stays, &mut here, &mut elsewhere] {
        flow.out(&mut link);
        flow.end_trip();
    }
    for flow in [&mut here, &mut elsewhere] {
        flow.record().leave();
        flow.out(&mut link);
        let before = format!("{link:?}");
        flow.pass(&mut link, Pass::Reverse, 0);
        assert_eq!(format!("{link:?}"), before);
    }
    assert_eq!(stays.out(&mut link).limit.kbps(), C);
    stays.end_trip();
    stays.record().leave();
    stays.out(&mut link);
    assert_eq!(link.left_over(), None);
}

/// Weights are 1/2 twice and 1: NumB = 2, so 48 000 per unit weight; the rate of a flow with n = 2
/// is half of this. When n falls to 1, on the way out, NumB = 2.5: 38 400. In the end SumE and NumB
/// are 0.
#[test]
fn flows_count_by_their_weights() {
    let mut link = link();
    let mut flows = [Flow::new(), Flow::new(), Flow::new()];
    let limits: Vec<u64> = flows
        .iter_mut()
        .zip([2, 2, 1])
        .map(|(flow, n)| {
            flow.begin(n, u64::MAX);
            flow.pass(&mut link, Pass::Forward, 0).limit.kbps()
        })
        .collect();
    assert_eq!(limits, [192_000, 96_000, 48_000]);
    flows[0].pass(&mut link, Pass::Reverse, 0);
    flows[0].end_trip();
    flows[0].begin(1, u64::MAX);
    assert_eq!(
        flows[0].pass(&mut link, Pass::Forward, 0).limit.kbps(),
        38_400
    );
    // On the way back n has not changed: NumB stays 2.5.
    assert_eq!(
        flows[0].pass(&mut link, Pass::Reverse, 0).limit.kbps(),
        38_400
    );
    for (flow, n) in flows.iter_mut().zip([3, 1, 7]) {
        flow.end_trip();
        flow.record().leave();
        flow.begin(n, u64::MAX);
        flow.pass(&mut link, Pass::Forward, 0);
    }
    assert_eq!(link.left_over(), None);
}

/// Weights are no powers of two, and limits are no whole numbers. After all flows have left, SumE
/// and NumB are exactly 0.
#[test]
fn nothing_drifts() {
    let mut link = link();
    let mut random = incast_random::SplitMix64::new(7);
    let mut flows: Vec<Flow> = Vec::new();
    for step in 0..5_000 {
        if flows.len() < 5 || random.below(4) > 0 {
            flows.push(Flow::new());
        }
        let index = random.below(flows.len() as u64) as usize;
        let mut flow = flows
            .swap_remove(index)
            .limited(1 + random.below(2 * C), false);
        let leaves = !flow.record().is_first() && random.below(3) == 0;
        if leaves {
            flow.record().leave();
        }
        flow.begin(1 + random.below(11) as u16, u64::MAX);
        flow.pass(&mut link, Pass::Forward, step);
        if !leaves {
            flow.pass(&mut link, Pass::Reverse, step);
            flow.end_trip();
            flows.push(flow);
        }
    }
    for mut flow in flows {
        flow.record().leave();
        flow.begin(5, u64::MAX);
        flow.pass(&mut link, Pass::Forward, 5_000);
    }
    assert_eq!(link.left_over(), None);
}

/// A link without any rate left is an error, not a rate of zero.
#[test]
fn a_link_without_anything_left_is_a_fault() {
    let mut link = link();
    let mut flow = Flow::new();
    flow.out(&mut link);
    flow.end_trip();
    let booked = found(C, 2 * C, Elsewhere, false);
    let mut wrong = link_with_booked(&mut link, booked);
    let mut record = ControlRecord::new(&mut wrong.0);
    record.begin_trip(1, CompactRate::UNLIMITED, Time::ZERO);
    assert_eq!(
        link.process(&mut record, 1, Pass::Reverse, Time::ZERO),
        Err(OverAllocated)
    );
}

/// Books all of c for other flows. Returns a flow whose record has the allocation `booked` at rate
/// zero.
fn link_with_booked(link: &mut LinkState, booked: Allocation) -> Flow {
    let mut thief = Flow::new();
    thief.record().set_allocation(
        1,
        Allocation {
            rate: CompactRate::ZERO,
            ..booked
        },
    );
    link.book_for_test(C);
    thief
}

/// 2 000 kb/s for control packets: 2 000, 1 000, 666 for each of one, two, three flows.
#[test]
fn control_packets_have_their_share() {
    let mut link = link();
    let shares: Vec<u64> = (0..3)
        .map(|_| {
            let mut flow = Flow::new();
            flow.out(&mut link);
            flow.record().control_rate().kbps()
        })
        .collect();
    assert_eq!(shares, [2_000, 1_000, 666]);
}

/// T_round is 20 µs, but at least a round trip.
#[test]
fn rounds_last_at_least_a_base_rtt() {
    let round = |base_rtt| {
        let mut options = SPercOptions::default();
        let facts = NetworkFacts {
            base_rtt,
            base_window: Bytes::new(1),
        };
        options.complete(&facts).unwrap();
        options.round
    };
    assert_eq!(round(Time::from_us(12)), Some(Time::from_us(20)));
    assert_eq!(round(Time::from_us(160)), Some(Time::from_us(160)));
}
