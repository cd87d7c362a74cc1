//! Hosts that are NICs of one machine. If each NIC waits only for events at itself, as separate
//! hosts do, all results are those of separate hosts. A flow that waits at one NIC may also start
//! by an event at another.

use std::ops::Range;

use incast_net::{Dependencies, ExecutionPath, Flow, Unblocked, WaitingSends};
use incast_topology::Machines;
use incast_units::{FlowId, HostId, Time};
use proptest::prelude::*;

use crate::faults::{down, fault, with_faults};
use crate::mixed::OfSetting;
use crate::properties::for_all;
use crate::random_network::{Setting, lossless, lossy};
use crate::support::{Network, at, flow, several_threads, star};
use crate::waiting::{FIRST, Relay, Ring, ring_of, text};

/// Dependencies under which each host waits for events at itself.
trait OfHosts: Dependencies + Copy + Send + 'static {
    /// The hosts of a flow: source and destination.
    fn ends(&self, flow: FlowId) -> Option<[u32; 2]>;
}

impl OfHosts for Ring {
    fn ends(&self, flow: FlowId) -> Option<[u32; 2]> {
        let host = flow.0.checked_sub(FIRST)? % self.hosts;
        Some([host, (host + 1) % self.hosts])
    }
}

/// A host passes on only data that it has received: the previous flow went to this host.
impl OfHosts for Relay {
    fn ends(&self, flow: FlowId) -> Option<[u32; 2]> {
        let number = flow.0.checked_sub(FIRST)?;
        let (step, host) = (number / 2 / self.0.hosts, number / 2 % self.0.hosts);
        let first = self.to(host, step);
        Some(match number.is_multiple_of(2) {
            true => [host, first],
            false => [first, self.to(first, step + 1)],
        })
    }
}

/// A network whose hosts are grouped into machines.
struct Grouped<D> {
    all: D,
    machines: Machines,
}

impl<D: OfHosts> Dependencies for Grouped<D> {
    fn at_host(&self, machine: HostId) -> Option<Box<dyn WaitingSends + '_>> {
        let nics = self.machines.nics(machine);
        let sends = nics.clone().map(|nic| self.all.at_host(HostId(nic)));
        let sends = sends.collect::<Option<Vec<_>>>()?;
        let all = self.all;
        Some(Box::new(GroupedHost { all, nics, sends }))
    }
}

#[derive(Clone)]
struct GroupedHost<'a, D> {
    all: D,
    nics: Range<u32>,
    sends: Vec<Box<dyn WaitingSends + 'a>>,
}

impl<'a, D: OfHosts> GroupedHost<'a, D> {
    fn of(&mut self, flow: FlowId, end: usize) -> Option<&mut Box<dyn WaitingSends + 'a>> {
        let host = self.all.ends(flow)?[end];
        let nic = self.nics.clone().position(|nic| nic == host)?;
        self.sends.get_mut(nic)
    }
}

impl<D: OfHosts> WaitingSends for GroupedHost<'_, D> {
    fn begin(&mut self) -> Vec<(Time, u64)> {
        let all = self.sends.iter_mut();
        all.flat_map(|sends| sends.begin()).collect()
    }

    fn on_received(&mut self, flow: FlowId, now: Time, outcome: &mut Unblocked) {
        if let Some(sends) = self.of(flow, 1) {
            sends.on_received(flow, now, outcome);
        }
    }

    fn on_acknowledged(&mut self, flow: FlowId, now: Time, outcome: &mut Unblocked) {
        if let Some(sends) = self.of(flow, 0) {
            sends.on_acknowledged(flow, now, outcome);
        }
    }

    fn on_wake(&mut self, token: u64, now: Time, outcome: &mut Unblocked) {
        if let Some(sends) = self.of(FlowId(token as u32), 0) {
            sends.on_wake(token, now, outcome);
        }
    }
}

/// Machines of 1 to 3 hosts.
fn machines(hosts: u32, seed: u64) -> Machines {
    let mut left = hosts;
    let sizes = (0..).map_while(|place: u64| {
        let size = (1 + ((seed >> (place % 20)) % 3) as u32).min(left);
        left -= size;
        (size > 0).then_some(size)
    });
    Machines::new(sizes)
}

/// Runs with separate hosts and with NICs of machines: with windows on both execution paths and
/// several threads, in insertion order on one. All results are equal.
fn check<D: OfHosts>(
    setting: &Setting,
    mut network: Network,
    all: D,
    flows: &[Flow],
) -> Result<(), TestCaseError> {
    network.stop = Some(Time::from_ms(20));
    network.measure.until = Time::MAX;
    network.measure.pauses = true;
    if setting.seed.is_multiple_of(2) {
        network.measure.flow_interval = Some(Time::from_ns(900));
        network.measure.flows = true;
    }
    network.dependencies = Some(Box::new(all));
    let run = |network: &Network| text(network.run(flows, &OfSetting(network, setting)));
    let expected = run(&network);
    let machines = machines(network.topology.hosts, setting.seed);
    network.topology.machines = Some(machines.clone());
    network.dependencies = Some(Box::new(Grouped { all, machines }));
    prop_assert_eq!(&run(&network), &expected);
    if !setting.has_windows() {
        return Ok(());
    }
    network.path = ExecutionPath::Plain;
    prop_assert_eq!(&run(&network), &expected);
    network.path = ExecutionPath::Fast;
    network.threads = several_threads(3, setting.seed);
    prop_assert_eq!(&run(&network), &expected);
    Ok(())
}

#[test]
fn nics_of_machines_are_as_hosts_of_their_own() {
    for_all(prop_oneof![lossless(), lossy()], |setting| {
        let network = setting.network();
        let hosts = network.topology.hosts;
        if hosts < 2 {
            return Ok(());
        }
        let ring = ring_of(setting, hosts);
        let mut flows = [setting.flows.clone(), ring.first(Time::from_ns(333))].concat();
        flows.sort_by_key(|flow| flow.start);
        check(setting, network, ring, &flows)
    });
}

#[test]
fn nics_of_machines_that_begin_by_themselves_are_as_hosts_of_their_own() {
    for_all(prop_oneof![lossless(), lossy()], |setting| {
        let network = setting.network();
        let hosts = network.topology.hosts;
        if hosts < 2 {
            return Ok(());
        }
        check(setting, network, Relay(ring_of(setting, hosts)), &[])
    });
}

/// Both links of a machine fail for 300 us, the second 5 us after the first.
#[test]
fn links_of_nics_fail_as_those_of_hosts() {
    let ring = Ring {
        hosts: 4,
        steps: 9,
        chunk: 200_000,
        compute: Time::ZERO,
    };
    let mut network = Network::new(star(4));
    network.config.recovery.timeout = Some(Time::from_us(200));
    network.stop = Some(Time::from_ms(20));
    let faults = vec![fault(2, down(50), 20, 320), fault(3, down(50), 25, 325)];
    let mut network = with_faults(network, faults);
    network.dependencies = Some(Box::new(ring));
    let run = |network: &Network| {
        let outcome = network.run(&ring.first(Time::ZERO), &network.uncontrolled());
        let faults = outcome.recording.faults.as_ref().expect("two faults");
        assert!(faults.faults.iter().all(|each| each.data > 0));
        assert_eq!(outcome.flows.len(), 4 * 9);
        text(outcome)
    };
    let expected = run(&network);
    let machines = Machines::of_equal(2, 2);
    network.topology.machines = Some(machines.clone());
    network.dependencies = Some(Box::new(Grouped {
        all: ring,
        machines,
    }));
    for path in [ExecutionPath::Fast, ExecutionPath::Plain] {
        network.path = path;
        assert!(run(&network) == expected, "{path:?}");
    }
}

/// Machine 0 has NICs 0 and 1, machine 1 has NICs 2 and 3. A message to NIC 2 is answered by NIC 3,
/// a message to NIC 1 by NIC 0.
struct Across;

impl Dependencies for Across {
    fn at_host(&self, machine: HostId) -> Option<Box<dyn WaitingSends + '_>> {
        Some(Box::new(AcrossHost(machine)))
    }
}

#[derive(Clone)]
struct AcrossHost(HostId);

impl WaitingSends for AcrossHost {
    fn on_received(&mut self, received: FlowId, now: Time, outcome: &mut Unblocked) {
        if received.0 < FIRST + 6 {
            let (from, to) = if self.0 == HostId(1) { (3, 1) } else { (0, 2) };
            let next = flow(received.0 + 1, from, to, 1000);
            outcome.sends.push(at(now, next));
        }
    }
}

/// A star of 100 Gb/s and 1 us. Packets of 1048 B take twice 83.84 ns + 1 us, so a message takes
/// 2.16768 us, and the answer leaves the other NIC at once.
#[test]
fn what_comes_to_one_nic_is_answered_by_another() {
    for path in [ExecutionPath::Fast, ExecutionPath::Plain] {
        let mut network = Network::new(star(4));
        network.path = path;
        network.topology.machines = Some(Machines::of_equal(2, 2));
        network.dependencies = Some(Box::new(Across));
        let first = at(Time::ZERO, flow(FIRST, 0, 2, 1000));
        network.stop = Some(Time::from_ms(1));
        let outcome = network.run(&[first], &network.uncontrolled());
        assert_eq!(outcome.flows.len(), 7);
        for step in 0..7 {
            let record = outcome.record(FIRST + step);
            assert_eq!(record.start, Time::from_ps(2_167_680) * u64::from(step));
            let ends = if step % 2 == 0 { (0, 2) } else { (3, 1) };
            assert_eq!((record.source.0, record.destination.0), ends);
        }
    }
}
