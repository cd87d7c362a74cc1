//! Egress ports with separate buffers: their drops depend on nothing else, on every execution path.

use std::cell::Cell;

use incast_net::{
    AckClass, DropConfig, ExecutionPath, FlowControl, PortBufferConfig, PortLimit, Threads,
};
use incast_units::{Bytes, Time};
use proptest::prelude::*;

use crate::execution_paths::{check, trim_end};
use crate::mixed::OfSetting;
use crate::properties::for_all;
use crate::random_network::lossy_by_port;
use crate::support::{Network, flow, several_threads, star};

fn per_port(limit: u64) -> FlowControl {
    let limit = PortLimit::Size(Bytes::new(limit));
    FlowControl::Drop(DropConfig::PerPort(PortBufferConfig::of(limit)))
}

/// Two hosts send ten packets each to a third host at the rate of its link, and two others to a
/// fourth host; a queue holds three packets. After the first pair of packets a queue has 1 packet,
/// after the second 2, after the third 3. From then on one packet leaves before two arrive: one of
/// each pair is dropped, 7 at each port. No feedback has arrived at 4 us.
#[test]
fn a_queue_drops_what_is_above_its_limit() {
    let mut network = Network::new(star(6)).with_flow_control(per_port(0));
    let mtu = network.config.packets.mtu;
    let full = (mtu + network.data_overhead()).as_u64();
    network.config.flow_control = per_port(3 * full);
    network.config.buffer.size = Bytes::new(1);
    network.stop = Some(Time::from_us(4));
    let ten = 10 * mtu.as_u64();
    let flows = [
        flow(0, 0, 2, ten),
        flow(1, 1, 2, ten),
        flow(2, 3, 5, ten),
        flow(3, 4, 5, ten),
    ];
    for path in [ExecutionPath::Plain, ExecutionPath::Fast] {
        network.path = path;
        let outcome = network.run(&flows, &network.uncontrolled());
        let ports = &outcome.recording.ports;
        for receiver in [2, 5] {
            let port = &ports[network.port(6, receiver)];
            assert_eq!((port.dropped, port.queue_max), (7, 3 * full), "{path:?}");
        }
        assert_eq!(outcome.dropped(), 14, "{path:?}");
    }
}

/// The same queue limit in a shared buffer that no queue can fill.
fn with_endless_shared_buffer(network: &mut Network) {
    let FlowControl::Drop(DropConfig::PerPort(port)) = &network.config.flow_control else {
        panic!("ports have buffers of their own");
    };
    network.config.buffer.size = Bytes::new(1 << 40);
    network.config.flow_control = FlowControl::Drop(DropConfig::Shared {
        alpha: 1_024.0,
        queue_limit: match port.queue_limit {
            PortLimit::Size(limit) => limit,
            PortLimit::Time(_) => panic!("limits are sizes"),
        },
    });
}

/// Random incasts with drops: event by event; lazily if ACKs travel among data, otherwise port by
/// port; on one to three threads. The outcome equals that of an unlimited shared buffer.
#[test]
fn all_paths_agree_on_what_ports_drop() {
    let (lazily, by_port) = (Cell::new(0), Cell::new(0));
    for_all(lossy_by_port(), |setting| {
        let setting = match setting.seed.is_multiple_of(2) {
            true => setting.with_equal_delays(Time::from_us(1 + setting.seed % 40)),
            false => setting.clone(),
        };
        if !setting.has_windows() {
            return Ok(());
        }
        let mut network = setting.network();
        network.stop = Some(Time::from_ms(2));
        network.measure.until = Time::MAX;
        network.measure.round_trips = setting.seed.is_multiple_of(3).then_some(Time::ZERO);
        network.measure.queue_interval = (setting.seed % 4 < 3).then_some(Time::from_ns(1_300));
        let expected = check(&mut network, &setting)?;
        let drops = match network.config.model.ack_class {
            AckClass::Data => &lazily,
            AckClass::Control => &by_port,
        };
        drops.set(drops.get() + expected.dropped());
        let agrees = |network: &Network| {
            let mut outcome = network.run(&setting.flows, &OfSetting(network, &setting));
            trim_end(&mut outcome);
            let recordings = [&outcome, &expected].map(|each| format!("{:?}", each.recording));
            prop_assert_eq!(&recordings[0], &recordings[1]);
            prop_assert_eq!(&outcome.flows, &expected.flows);
            Ok(())
        };
        network.threads = several_threads(2 + setting.seed as usize % 2, setting.seed);
        agrees(&network)?;
        network.threads = Threads::ONE;
        with_endless_shared_buffer(&mut network);
        agrees(&network)
    });
    let (lazily, by_port) = (lazily.get(), by_port.get());
    assert!(
        lazily > 1_000 && by_port > 1_000,
        "{lazily} and {by_port} packets dropped"
    );
}
