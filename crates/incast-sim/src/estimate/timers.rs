//! Timers, of flows and of switch programs: over slow links they cost more than packets.

use incast_cc::{Ack, AckNews, AlgorithmConfig, Cnp, FlowContext, Sent};
use incast_net::SwitchProgram;
use incast_signals::int::Telemetry;
use incast_units::{Bytes, FlowId};

use super::fluid::FluidRun;
use crate::spec::ValidSpec;

/// Seconds for a timer of a flow, and for a period of a port's fair rate; measured
/// (docs/engineering/estimates.md).
const SECONDS_PER_TIMER: f64 = 0.09e-6;
const SECONDS_PER_PERIOD: f64 = 3e-6;
/// Flows alive at once whose timers take twice as long: their states lie in no cache.
const FLOWS_BEYOND_CACHES: f64 = 40_000.0;
/// Times as long as they take at most.
const MOST_BEYOND_CACHES: f64 = 5.0;
/// Timers of a flow that are looked at.
const TIMERS: u32 = 100;
/// A flow that does not end.
const SIZE: Bytes = Bytes::new(1 << 50);

/// Seconds for all of a run's timers, roughly.
pub(super) fn seconds(spec: &ValidSpec, run: &FluidRun) -> f64 {
    let of_flows = run.congested_ps * timers_per_ps(spec);
    let periods = run.contended_ps * fair_rates_per_ps(spec);
    let beyond_caches = (1.0 + run.alive / FLOWS_BEYOND_CACHES).min(MOST_BEYOND_CACHES);
    of_flows * SECONDS_PER_TIMER * beyond_caches + periods * SECONDS_PER_PERIOD
}

/// Timers of a flow that has met congestion, per picosecond. If there are several algorithms, that
/// with the most timers counts.
fn timers_per_ps(spec: &ValidSpec) -> f64 {
    let algorithms = spec.algorithms().iter();
    let timers = algorithms.map(|one| timers_of(one.config(), spec));
    timers.fold(0.0, f64::max)
}

/// Timers that come again and again by themselves.
fn timers_of(algorithm: &AlgorithmConfig, spec: &ValidSpec) -> f64 {
    // What is outside of this program is not tried out.
    let is_external = matches!(algorithm, AlgorithmConfig::External(_));
    if is_external || !algorithm.needs().timers {
        return 0.0;
    }
    let base_rtt = spec.largest_base_rtt();
    let mtu = spec.network().packets.mtu;
    let mut controller = algorithm.build(&FlowContext {
        flow: FlowId(0),
        line_rate: base_rtt.rate,
        base_rtt: base_rtt.rtt,
        base_window: base_rtt.window,
        mtu,
        wire_mtu: spec.wire_size(mtu),
        size: SIZE,
        trims: spec.network().trims(),
        seed: spec.seed(),
    });
    let begin = base_rtt.rtt;
    controller.on_sent(begin, &first_packet(spec, mtu));
    controller.on_cnp(begin, &Cnp::default());
    controller.on_ack(begin, &marked_ack(mtu));
    let mut now = begin;
    for _ in 0..TIMERS {
        match controller.next_timer() {
            Some(next) => now = next,
            None => return 0.0,
        }
        controller.on_timer(now);
    }
    f64::from(TIMERS) / (now - begin).as_ps().max(1) as f64
}

/// Fair rates that a port with data computes, per picosecond.
fn fair_rates_per_ps(spec: &ValidSpec) -> f64 {
    let per_ps = |program: &SwitchProgram| match program {
        SwitchProgram::FairRates(options) => {
            let rate = spec.largest_base_rtt().rate;
            1.0 / options.law(rate).period.as_ps().max(1) as f64
        }
        _ => 0.0,
    };
    spec.network().programs.iter().map(per_ps).sum()
}

fn first_packet(spec: &ValidSpec, mtu: Bytes) -> Sent {
    Sent {
        payload: mtu,
        wire: spec.wire_size(mtu),
        next_to_send: mtu.as_u64(),
        retransmission: false,
    }
}

/// The ACK of the first packet, which was marked.
fn marked_ack(mtu: Bytes) -> Ack<'static> {
    Ack {
        newly_acked: mtu,
        next_expected: mtu.as_u64(),
        next_to_send: mtu.as_u64(),
        flow_size: SIZE,
        marked: true,
        round_trip: None,
        switch_hops: 1,
        telemetry: Telemetry::NONE,
        receiver_flows: None,
        news: AckNews::default(),
    }
}
