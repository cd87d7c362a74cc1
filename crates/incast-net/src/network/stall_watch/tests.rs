//! The times of looks, and the flows that count as stuck.

use incast_units::{Bytes, HostId};

use super::*;
use crate::flow::Flow;
use crate::measure::FlowCounters;

const MS: Time = Time::from_ms(1);

fn watch(no_progress: Option<(Time, StuckFlows)>) -> StallWatch {
    let config = StallConfig {
        on_deadlock: OnDeadlock::Report,
        no_progress,
    };
    StallWatch::new(config, Time::ZERO)
}

/// A flow that has sent `sent` packets and may send next at `next_send`.
fn flow(id: u32, sent: u32, next_send: Time) -> UnfinishedFlow {
    let flow = Flow {
        id: FlowId(id),
        start: Time::ZERO,
        source: HostId(0),
        destination: HostId(1),
        size: Bytes::new(1_000_000),
        tag: 0,
        lane: 0,
        source_port: 0,
    };
    UnfinishedFlow {
        flow,
        acked: Bytes::ZERO,
        sent,
        next_send,
        counters: FlowCounters::default(),
    }
}

fn sent_again(flow: UnfinishedFlow) -> UnfinishedFlow {
    let counters = FlowCounters {
        retransmitted: 1,
        ..FlowCounters::default()
    };
    UnfinishedFlow { counters, ..flow }
}

/// Looks are at 1, 2, 3, … ms, and no event comes until 100.5 ms. Flows that may stand still for 10
/// ms are compared with the start at 10 ms, and again 10 ms later.
#[test]
fn in_silence_only_looks_that_tell_more_are_taken() {
    let looks = |no_progress, until| {
        let mut watch = watch(no_progress);
        let looks: Vec<_> = watch.advance(until).collect();
        assert_eq!(watch.next(), looks[looks.len() - 1] + MS);
        looks
    };
    let until = Time::from_us(100_500);
    assert_eq!(looks(None, until), [MS, MS * 2, MS * 100]);
    let all = [MS, MS * 2, MS * 10, MS * 20, MS * 100];
    let allowed = |time| Some((time, StuckFlows::Any));
    assert_eq!(looks(allowed(MS * 10), until), all);
    assert_eq!(
        looks(allowed(MS * 60), until),
        [MS, MS * 2, MS * 60, MS * 100]
    );
    assert_eq!(looks(allowed(Time::MAX), until), [MS, MS * 2, MS * 100]);
    assert_eq!(looks(allowed(MS * 10), MS), [MS]);
}

/// The stall found 10 ms after a look with these flows. `moves`: packets move in the network.
fn found<const FLOWS: usize>(
    enough: StuckFlows,
    before: [UnfinishedFlow; FLOWS],
    after: [UnfinishedFlow; FLOWS],
    moves: Moves,
) -> Option<Vec<FlowId>> {
    let mut watch = watch(Some((MS * 10, enough)));
    let look = |time, flows: [UnfinishedFlow; FLOWS], packet_hops| Look {
        time,
        flows: flows.to_vec(),
        completed: 3,
        packet_hops,
        packets_wait: true,
    };
    watch.compare_flows(look(MS * 10, before, 5), MS * 10);
    let hops = match moves {
        Moves::Yes => 6,
        Moves::No => 5,
    };
    let stall = watch.compare_flows(look(MS * 20, after, hops), MS * 20);
    stall.map(|stall| stall.flows().to_vec())
}

#[derive(Copy, Clone)]
enum Moves {
    Yes,
    No,
}

#[test]
fn a_flow_that_sends_or_waits_for_its_pace_is_slow() {
    let before = [flow(7, 5, Time::MAX)];
    let still = found(StuckFlows::All, before, before, Moves::No);
    assert_eq!(still, Some(vec![FlowId(7)]));
    for slow in [flow(7, 6, Time::MAX), flow(7, 5, MS * 30)] {
        assert_eq!(found(StuckFlows::All, before, [slow], Moves::No), None);
        let any = found(StuckFlows::Any, before, [slow], Moves::No);
        assert_eq!(any, Some(vec![FlowId(7)]));
    }
    assert_eq!(found(StuckFlows::All, before, before, Moves::Yes), None);
}

/// The packets that move in the network may be repeated retransmissions.
#[test]
fn one_flow_that_sends_again_makes_no_other_stuck() {
    let before = [flow(1, 5, Time::MAX), flow(2, 5, Time::MAX)];
    let [repeated, still] = [sent_again(before[0]), before[1]];
    let both = Some(vec![FlowId(1), FlowId(2)]);
    let all = StuckFlows::All;
    assert_eq!(found(all, before, [repeated, still], Moves::Yes), both);
    let slow = flow(2, 5, MS * 30);
    assert_eq!(found(all, before, [repeated, slow], Moves::Yes), None);
    let repeated = UnfinishedFlow {
        sent: 6,
        ..repeated
    };
    assert_eq!(found(all, before, [repeated, still], Moves::Yes), both);
}

/// Flow 1 of one packet has completed, flow 2 is retransmitted repeatedly: flow 2 may still get its
/// turn.
#[test]
fn flows_that_complete_are_progress() {
    let before = [flow(1, 5, Time::MAX), flow(2, 5, Time::MAX)];
    for (completed, stuck) in [(3, Some(vec![FlowId(2)])), (4, None)] {
        let mut watch = watch(Some((MS * 10, StuckFlows::All)));
        let look = |time, flows: &[UnfinishedFlow], completed| Look {
            time,
            flows: flows.to_vec(),
            completed,
            packet_hops: 0,
            packets_wait: false,
        };
        watch.compare_flows(look(MS * 10, &before, 3), MS * 10);
        let stall =
            watch.compare_flows(look(MS * 20, &[sent_again(before[1])], completed), MS * 20);
        assert_eq!(stall.map(|stall| stall.flows().to_vec()), stuck);
    }
}
