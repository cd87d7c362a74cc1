//! Flows that wait for received flows: a ring that passes chunks on, besides the flows of random
//! networks. Also hosts that start flows by themselves, and wait for ACKs and for computation.

use incast_net::{Dependencies, ExecutionPath, Flow, Milestone, Unblocked, WaitingSends};
use incast_units::{Bytes, FlowId, HostId, Time};
use proptest::prelude::*;

use crate::execution_paths::trim;
use crate::mixed::OfSetting;
use crate::properties::for_all;
use crate::random_network::{Setting, lossless, lossy};
use crate::support::{Network, Outcome, at, flow, several_threads, star};

/// Every host passes chunks on to the next host, `steps` times. Flow `FIRST + step·hosts + host` is
/// the flow that `host` sends in `step`.
#[derive(Copy, Clone)]
pub(crate) struct Ring {
    pub(crate) hosts: u32,
    pub(crate) steps: u32,
    pub(crate) chunk: u64,
    pub(crate) compute: Time,
}

pub(crate) const FIRST: u32 = 100_000;

impl Ring {
    fn send(&self, step: u32, host: u32, start: Time) -> Flow {
        let id = FIRST + step * self.hosts + host;
        at(start, flow(id, host, (host + 1) % self.hosts, self.chunk))
    }

    pub(crate) fn first(&self, start: Time) -> Vec<Flow> {
        (0..self.hosts)
            .map(|host| self.send(0, host, start))
            .collect()
    }

    fn every(&self) -> Vec<Flow> {
        let steps = 0..self.steps;
        let flows = steps
            .flat_map(|step| (0..self.hosts).map(move |host| self.send(step, host, Time::ZERO)));
        flows.collect()
    }
}

impl Dependencies for Ring {
    fn at_host(&self, host: HostId) -> Option<Box<dyn WaitingSends + '_>> {
        let at = RingHost { ring: self, host };
        (host.0 < self.hosts).then(|| Box::new(at) as Box<dyn WaitingSends>)
    }
}

#[derive(Clone)]
struct RingHost<'a> {
    ring: &'a Ring,
    host: HostId,
}

impl WaitingSends for RingHost<'_> {
    fn on_received(&mut self, flow: FlowId, now: Time, outcome: &mut Unblocked) {
        let Some(number) = flow.0.checked_sub(FIRST) else {
            return;
        };
        let step = number / self.ring.hosts + 1;
        if step < self.ring.steps {
            let start = now + self.ring.compute;
            outcome.sends.push(self.ring.send(step, self.host.0, start));
        } else {
            outcome.milestones.push(Milestone {
                time: now,
                host: self.host,
                what: 7,
                cause: 0,
                since: now,
            });
        }
    }
}

pub(crate) fn ring_of(setting: &Setting, hosts: u32) -> Ring {
    Ring {
        hosts,
        steps: 5,
        chunk: 700 + setting.seed % 9_000,
        compute: Time::from_ns(setting.seed % 3 * 777),
    }
}

/// All results of a run as text. After all flows have completed, a timer of a plain host may still
/// expire without effect. The run then ends later, perhaps after one more sample.
pub(crate) fn text(mut outcome: Outcome) -> String {
    let last = outcome.flows.iter().map(|flow| flow.finish).max();
    let ticks = &mut outcome.recording.flow_ticks;
    ticks.retain(|row| last.is_none_or(|last| row.time <= last));
    outcome.recording.end = Time::ZERO;
    trim(&mut outcome.recording.flow_ticks);
    trim(&mut outcome.recording.queue_ticks);
    format!("{outcome:?}")
}

/// Random networks, every algorithm, PFC and drops, frequent or no samples. On the plain path and
/// the fast path, on one and three threads, the same flows start and complete at the same times.
#[test]
fn paths_and_threads_agree_on_flows_that_wait() {
    for_all(prop_oneof![lossless(), lossy()], |setting| {
        let mut network = setting.network();
        let hosts = network.topology.hosts;
        if !setting.has_windows() || hosts < 2 {
            return Ok(());
        }
        let ring = ring_of(setting, hosts);
        network.stop = Some(Time::from_ms(5));
        network.measure.until = Time::MAX;
        network.measure.pauses = true;
        if setting.seed.is_multiple_of(2) {
            network.measure.flow_interval = Some(Time::from_ns(900));
            network.measure.flows = true;
        }
        network.dependencies = Some(Box::new(ring));
        let mut flows = [setting.flows.clone(), ring.first(Time::from_ns(333))].concat();
        flows.sort_by_key(|flow| flow.start);
        let run = |network: &Network| network.run(&flows, &OfSetting(network, setting));
        let fast = run(&network);
        let (completed, given) = (fast.flows.len(), flows.len());
        let later = ring.hosts as usize * (ring.steps as usize - 1);
        prop_assert!(completed <= given + later);
        let expected = text(fast);
        network.path = ExecutionPath::Plain;
        prop_assert_eq!(&text(run(&network)), &expected);
        network.path = ExecutionPath::Fast;
        network.threads = several_threads(3, setting.seed);
        prop_assert_eq!(&text(run(&network)), &expected);
        Ok(())
    });
}

/// Four hosts of a star, 100 Gb/s, 1 us to the switch. A chunk of 1000 B is a packet of 1048 B,
/// which arrives after 2·(83.84 ns + 1 us) = 2.16768 us. The next chunk leaves after 1 us of
/// computation: chunk s starts at s·3.16768 us. All hosts act in step. Their ACKs (60 B, 4.8 ns) do
/// not delay packets: an ACK leaves when a chunk has arrived, and the next packet 1 us later.
#[test]
fn a_chunk_goes_on_when_it_has_arrived_and_computing_is_done() {
    let ring = Ring {
        hosts: 4,
        steps: 6,
        chunk: 1000,
        compute: Time::from_us(1),
    };
    let mut network = Network::new(star(4));
    network.stop = Some(Time::from_ms(1));
    network.dependencies = Some(Box::new(ring));
    let outcome = network.run(&ring.first(Time::ZERO), &network.uncontrolled());
    assert_eq!(outcome.flows.len(), 24);
    for step in 0..6 {
        for host in 0..4 {
            let record = outcome.record(FIRST + step * 4 + host);
            assert_eq!(record.start, Time::from_ps(3_167_680) * u64::from(step));
        }
    }
}

/// Host 0 has a chunk to pass on at 3.16768 us: it has arrived after 2·(83.84 ns + 1 us), and takes
/// 1 us of computation. The host has a flow of the list at 10 us, too. Each leaves at its time, and
/// takes as long as the first chunk.
#[test]
fn what_has_waited_does_not_bring_later_flows_forward() {
    let ring = Ring {
        hosts: 2,
        steps: 2,
        chunk: 1000,
        compute: Time::from_us(1),
    };
    let mut network = Network::new(star(3));
    network.stop = Some(Time::from_ms(1));
    network.dependencies = Some(Box::new(ring));
    let listed = at(Time::from_us(10), flow(7, 0, 2, 1000));
    let flows = [ring.first(Time::ZERO), vec![listed]].concat();
    let outcome = network.run(&flows, &network.uncontrolled());
    assert_eq!(outcome.flows.len(), 5);
    assert_eq!(outcome.record(FIRST + 2).start, Time::from_ps(3_167_680));
    for id in [7, FIRST + 2] {
        assert_eq!(outcome.fct(id), outcome.fct(FIRST), "{id}");
    }
}

/// Hosts that start flows by themselves. Each host sends a flow at a time of its own. When the flow
/// is acknowledged, the host computes, and sends the next flow, to another host. An arrived flow is
/// passed on once, at a requested time. Flow `FIRST + 2·(step·hosts + host)` is the flow that
/// `host` sends in `step`; the next number is this flow when passed on.
#[derive(Copy, Clone)]
pub(crate) struct Relay(pub(crate) Ring);

impl Relay {
    pub(crate) fn to(&self, host: u32, step: u32) -> u32 {
        (host + 1 + step % (self.0.hosts - 1)) % self.0.hosts
    }
}

impl Dependencies for Relay {
    fn at_host(&self, host: HostId) -> Option<Box<dyn WaitingSends + '_>> {
        Some(Box::new(RelayHost { relay: *self, host }))
    }
}

#[derive(Clone)]
struct RelayHost {
    relay: Relay,
    host: HostId,
}

impl WaitingSends for RelayHost {
    fn begin(&mut self) -> Vec<(Time, u64)> {
        let own = Time::from_ns(77) * u64::from(self.host.0 % 3);
        vec![(own, u64::from(FIRST + 2 * self.host.0))]
    }

    fn on_received(&mut self, flow: FlowId, now: Time, outcome: &mut Unblocked) {
        if flow.0 >= FIRST && (flow.0 - FIRST).is_multiple_of(2) {
            let then = now + self.relay.0.compute;
            outcome.wakes.push((then, u64::from(flow.0 + 1)));
        }
    }

    fn on_acknowledged(&mut self, flow: FlowId, now: Time, outcome: &mut Unblocked) {
        let Relay(ring) = self.relay;
        let next = flow.0 + 2 * ring.hosts;
        let is_own = flow.0 >= FIRST && (flow.0 - FIRST).is_multiple_of(2);
        if is_own && next < FIRST + 2 * ring.hosts * ring.steps {
            outcome.wakes.push((now + ring.compute, u64::from(next)));
        }
    }

    fn on_wake(&mut self, token: u64, now: Time, outcome: &mut Unblocked) {
        let (Relay(ring), number) = (self.relay, token as u32 - FIRST);
        let to = self
            .relay
            .to(self.host.0, number / 2 / ring.hosts + number % 2);
        let next = flow(token as u32, self.host.0, to, ring.chunk);
        outcome.sends.push(at(now, next));
        outcome.milestones.push(Milestone {
            time: now,
            host: self.host,
            what: token,
            cause: 0,
            since: now,
        });
    }
}

/// Host h sends its first flow at h·77 ns, and each next one 1 us after the last ACK of the one
/// before.
#[test]
fn a_flow_waits_for_the_ack_of_another() {
    let (hosts, steps, compute) = (3, 4, Time::from_us(1));
    let ring = Ring {
        hosts,
        steps,
        chunk: 5_000,
        compute,
    };
    let mut network = Network::new(star(hosts));
    network.stop = Some(Time::from_ms(1));
    network.dependencies = Some(Box::new(Relay(ring)));
    for path in [ExecutionPath::Fast, ExecutionPath::Plain] {
        network.path = path;
        let outcome = network.run(&[], &network.uncontrolled());
        assert_eq!(outcome.flows.len() as u32, 2 * hosts * steps);
        for host in 0..hosts {
            let of_step = |step| outcome.record(FIRST + 2 * (step * hosts + host));
            assert_eq!(of_step(0).start, Time::from_ns(77) * u64::from(host));
            for step in 1..steps {
                assert_eq!(of_step(step).start, of_step(step - 1).finish + compute);
            }
        }
    }
}

/// As for rings, with flows that only the hosts themselves start.
#[test]
fn paths_and_threads_agree_on_hosts_that_begin_by_themselves() {
    for_all(prop_oneof![lossless(), lossy()], |setting| {
        let mut network = setting.network();
        let hosts = network.topology.hosts;
        if !setting.has_windows() || hosts < 2 {
            return Ok(());
        }
        let relay = Relay(ring_of(setting, hosts));
        network.stop = Some(Time::from_ms(50));
        network.measure.until = Time::MAX;
        network.dependencies = Some(Box::new(relay));
        let run = |network: &Network| network.run(&[], &OfSetting(network, setting));
        let fast = run(&network);
        // Each host sends a flow in each step, and each flow is passed on.
        let all = 2 * (hosts * relay.0.steps) as usize;
        prop_assert!(fast.flows.len() <= all && !fast.flows.is_empty());
        let expected = text(fast);
        network.path = ExecutionPath::Plain;
        prop_assert_eq!(&text(run(&network)), &expected);
        network.path = ExecutionPath::Fast;
        network.threads = several_threads(3, setting.seed);
        prop_assert_eq!(&text(run(&network)), &expected);
        Ok(())
    });
}

/// Conservation holds for all flows that started, with any number of threads.
#[test]
fn flows_that_waited_are_in_the_books() {
    let ring = Ring {
        hosts: 8,
        steps: 14,
        chunk: 50_000,
        compute: Time::ZERO,
    };
    let mut network = Network::new(star(8));
    network.stop = Some(Time::from_ms(5));
    network.dependencies = Some(Box::new(ring));
    let outcome = network.run(&ring.first(Time::ZERO), &network.uncontrolled());
    outcome.check_books(&ring.every());
    assert_eq!(outcome.recording.delivered, Bytes::new(8 * 14 * 50_000));
}
