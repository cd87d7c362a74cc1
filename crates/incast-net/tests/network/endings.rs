//! How runs end: at their stop time, at an impossible one, or because they cannot begin.

use incast_net::{Fault, Headroom, PfcThreshold};
use incast_units::{Bytes, Time};

use crate::support::{Network, at, flow, pfc, star};

/// A run may be stopped at any time, also when all flows have completed but a pause still holds
/// or a Resume is on its way: what is left over then is no defect.
#[test]
fn a_run_may_stop_at_any_time() {
    let rule = pfc(PfcThreshold::Static(Bytes::new(5_000)), Headroom::WorstCase);
    let mut network = Network::new(star(5)).with_flow_control(rule);
    let flows: Vec<_> = (0..4).map(|host| flow(host, host, 4, 50_000)).collect();
    let whole = network.run(&flows, &network.uncontrolled());
    let mut before = 0;
    for step in 1..=200 {
        let stop = Time::from_ps(whole.recording.end.as_ps() * step / 200);
        network.stop = Some(stop);
        let outcome = network.run(&flows, &network.uncontrolled());
        let finished = outcome.recording.finished;
        let expected = whole.flows.iter().filter(|flow| flow.finish < stop);
        assert_eq!(finished, expected.count() as u64, "stopped at {stop}");
        assert_eq!(outcome.flows.len() as u64, finished);
        let delivered = outcome.recording.delivered.as_u64();
        assert!((before..=200_000).contains(&delivered), "{delivered}");
        assert!(delivered >= 50_000 * finished);
        before = delivered;
    }
    assert_eq!(before, 200_000);
}

/// Times are 54 bits of picoseconds in a packet: 18 014 s.
#[test]
fn five_hours_are_the_end_of_time() {
    let network = Network::new(star(2));
    let hours = Time::from_ms(5 * 3_600_000);
    let last = hours - Time::from_us(10);
    let run = |start| {
        let flows = [at(start, flow(0, 0, 1, 1_000))];
        let result = network.try_run(&flows, &network.uncontrolled());
        result.map(|outcome| outcome.fct(0))
    };
    assert_eq!(run(last), Ok(Time::from_ps(4_177_280)));
    assert_eq!(run(hours), Err(Fault::TooLate { time: hours }));
}
