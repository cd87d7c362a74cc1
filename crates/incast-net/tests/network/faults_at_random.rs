//! Random faults on random networks: no flow is lost, packet counts balance, and results depend
//! neither on the order of nodes nor on threads.

use std::cell::Cell;

use incast_net::{FaultKind, LinkFault, NodeOrder, RecoveryKind, Routing};
use incast_topology::{NextHopOrder, Routes};
use incast_units::{Rate, Time};
use proptest::prelude::*;

use crate::faults::{check_packets, with_faults};
use crate::properties::{Watched, for_all};
use crate::random_network::{Setting, lossless, lossy};
use crate::support::{Network, several_threads};
use crate::timing_errors::{add_errors, errors};

/// A fault of a link: (link, kind, start in ns, length in ns, size).
type Wrong = (prop::sample::Index, u8, u64, u64, u64);

fn settings() -> impl Strategy<Value = (Setting, Vec<Wrong>)> {
    let wrong = (
        any::<prop::sample::Index>(),
        0_u8..6,
        0_u64..60_000,
        1_u64..150_000,
        0_u64..40_000,
    );
    let faults = proptest::collection::vec(wrong, 1..8);
    (prop_oneof![lossless(), lossy()], faults)
}

fn faults(network: &Network, wrong: &[Wrong]) -> Vec<LinkFault> {
    let mut faults: Vec<LinkFault> = Vec::new();
    for (place, kind, from, length, size) in wrong {
        let link = place.index(network.topology.links.len());
        let own = network.topology.links[link].rate;
        let kind = match kind {
            0 => FaultKind::Loss {
                probability: *size as f64 / 80_000.0,
            },
            1 => FaultKind::Degraded {
                rate: Rate::from_bps(own.as_bps() / (2 + size % 50)),
            },
            _ => FaultKind::Down {
                detection: Time::from_ns(*size),
            },
        };
        let same = |other: &LinkFault| {
            let kinds = [&other.kind, &kind].map(std::mem::discriminant);
            other.links == [link as u32] && kinds[0] == kinds[1]
        };
        if !faults.iter().any(same) {
            faults.push(LinkFault {
                links: vec![link as u32],
                kind,
                from: Time::from_ns(*from),
                until: Time::from_ns(from + length),
            });
        }
    }
    faults
}

/// In one of three networks packets have jitter and clocks are slow.
///
/// With go-back-N, almost all runs with buffer overflows end: see [`crate::properties`].
#[test]
fn no_flow_is_lost_to_faults() {
    let (lost, endless, recovered) = (Cell::new(0), Cell::new(0), Cell::new(0));
    for_all(settings(), |(setting, wrong)| {
        let mut setting = setting.clone();
        if !setting.needs().programs.is_empty() {
            setting.use_only("hpcc");
        }
        if !setting.has_windows() {
            return Ok(());
        }
        let mut network = setting.network();
        if setting.seed.is_multiple_of(3) {
            let jitter = Time::from_ps(1_000 * setting.seed);
            add_errors(&mut network, errors(jitter, jitter, 100), 20_000);
        }
        network.config.routing = Routing::Ecmp;
        network.routes = Routes::shortest(&network.topology, NextHopOrder::ByPort);
        network.config.recovery.timeout = Some(Time::from_us(200));
        network.stop = Some(Time::from_ms(200));
        let faults = faults(&network, wrong);
        let mut network = with_faults(network, faults);
        let outcome = network.run(&setting.flows, &Watched(&network, &setting));
        let is_endless = outcome.recording.finished < setting.flows.len() as u64;
        if is_endless {
            let drops = outcome.dropped() > 0;
            let repeats = network.config.recovery.kind == RecoveryKind::GoBackN;
            prop_assert!(drops && repeats, "a flow did not end");
            endless.set(endless.get() + 1);
        } else {
            outcome.check_books(&setting.flows);
            if network.config.programs.is_empty() {
                check_packets(&network, &outcome);
            }
        }
        let record = outcome.recording.faults.as_ref().expect("there are faults");
        lost.set(lost.get() + record.losses().on_links());
        let all = record.faults.iter().filter(|each| each.recovered.is_some());
        recovered.set(recovered.get() + all.count());
        let expected = format!("{outcome:?}");
        network.order = NodeOrder::Shuffled(setting.seed);
        let shuffled = network.run(&setting.flows, &Watched(&network, &setting));
        prop_assert!(format!("{shuffled:?}") == expected, "order of nodes");
        network.threads = several_threads(2 + setting.seed as usize % 7, setting.seed);
        let divided = network.run(&setting.flows, &Watched(&network, &setting));
        prop_assert!(format!("{divided:?}") == expected, "threads");
        Ok(())
    });
    let (lost, endless, recovered) = (lost.get(), endless.get(), recovered.get());
    assert!(lost > 1_000, "only {lost} packets lost");
    assert!(recovered > 50, "only {recovered} recoveries");
    assert!(endless <= 10, "{endless} runs did not end");
}
