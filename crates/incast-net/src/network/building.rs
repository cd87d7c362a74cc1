//! The nodes of a network, made from its topology.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};
use std::thread;

use incast_diagnostic::Diagnostic;
use incast_engine::{Partitioning, Rehearsal};
use incast_topology::{Machines, Port};
use incast_units::{HostId, NodeId, Rate};

use super::Run;
use super::nodes::NetNode;
use crate::buffer::{Buffer, DropBuffer, EgressFacts, PfcBuffer, PortFacts};
use crate::config::{FlowControl, NetworkConfig};
use crate::faults::FaultSide;
use crate::flow::Controllers;
use crate::host::{Host, Machine};
use crate::routing::{AccessPorts, ForwardingTable, Recall};
use crate::shared::Shared;
use crate::switch::{Switch, SwitchIdentity};
use crate::timing_errors::PortPlace;
use crate::transmitter::Transmitter;
use crate::waiting::WaitingSends;

/// Smallest number of ports per thread for which starting a thread pays.
const PORTS_PER_THREAD: usize = 2_000;

const UNPOISONED: &str = "a panic never holds this lock";

/// The parts of hosts that come from the caller.
pub(super) struct HostParts<'h, 'c> {
    pub(super) controllers: &'h Arc<dyn Controllers + 'c>,
    pub(super) waiting: &'h (dyn Fn(HostId) -> Option<Box<dyn WaitingSends + 'c>> + Sync),
}

/// The common inputs of all nodes.
#[derive(Copy, Clone)]
pub(super) struct NodeParts<'r, 'h, 'c> {
    pub(super) run: &'r Run<'r>,
    pub(super) shared: &'r Arc<Shared>,
    pub(super) hosts: &'r HostParts<'h, 'c>,
}

/// The nodes of a network.
pub(super) struct Built<'r, N> {
    pub(super) run: &'r Run<'r>,
    pub(super) nodes: Vec<N>,
    /// Measured times of building the nodes, part by part, if several threads are rehearsed.
    pub(super) rehearsal: Rehearsal,
}

impl<'c, const WORDS: usize, H, S> NetNode<'c, WORDS, H, S>
where
    H: From<Host<'c, WORDS>> + AsRef<Host<'c, WORDS>> + AsMut<Host<'c, WORDS>> + FaultSide,
    S: From<Switch<WORDS>>,
    Self: Send,
{
    /// All nodes: hosts or machines, then switches.
    pub(super) fn all<'r>(
        NodeParts {
            run,
            shared,
            hosts: parts,
        }: NodeParts<'r, '_, 'c>,
    ) -> Result<Built<'r, Self>, Diagnostic> {
        let hosts = run.topology.hosts;
        run.config.check_drops()?;
        let machines = run.engine_numbers().machines;
        let nic_rate = run.ports.of(NodeId(0)).first();
        let nic_rate = nic_rate.map_or(Rate::from_gbps(100), |port| port.rate);
        let mut makers = run.makers();
        let mut nodes = match machines {
            Some(machines) => makers.make(0..machines.count(), &|machine| {
                Ok(run.machine(machines, HostId(machine), shared, parts))
            }),
            None => makers.make(0..hosts, &|number| {
                let waiting = (parts.waiting)(HostId(number));
                let host = run.host(HostId(number), shared, parts);
                let host = host.with_waiting_sends(waiting);
                Ok(Self::Host(Box::new(host.into())))
            }),
        }?;
        let access = Arc::new(AccessPorts::new(run.routes));
        let recall = Recall::new(run.config.keeps_paths());
        nodes.extend(makers.make(hosts..run.topology.nodes(), &|node| {
            let forwarding = ForwardingTable::new(&access, run.routes, NodeId(node), recall);
            let switch = run.switch(NodeId(node), nic_rate, forwarding, shared)?;
            Ok(Self::Switch(Box::new(switch.into())))
        })?);
        let rehearsal = makers.rehearsal;
        Ok(Built {
            run,
            nodes,
            rehearsal,
        })
    }
}

impl Run<'_> {
    /// The threads that build the nodes.
    fn makers(&self) -> Makers {
        let (ports, most) = (self.ports.count(), self.threads.count.get());
        Makers {
            threads: (ports / PORTS_PER_THREAD).clamp(1, most),
            are_rehearsed: matches!(self.threads.partitioning, Partitioning::Rehearsed(_)),
            rehearsal: Rehearsal::default(),
        }
    }

    /// The links of a node, with their rates.
    fn links(&self, node: NodeId, shared: &Shared) -> impl Iterator<Item = (Transmitter, Rate)> {
        let tells_time = shared.times_links;
        let NetworkConfig {
            model,
            timing_errors,
            seed,
            ..
        } = self.config;
        let is_nic = self.topology.is_host(node);
        let numbers = self.ports.index(node, 0)..;
        self.ports
            .of(node)
            .iter()
            .zip(numbers)
            .map(move |(port, index)| {
                let delay = model.clock.round_down(port.delay);
                let place = PortPlace {
                    node,
                    is_nic,
                    index,
                };
                let errors = timing_errors.of_port(*seed, &place, delay);
                let mut link = Transmitter::new(model, port.rate, delay);
                if let Some(errors) = errors {
                    link = link.with_errors(errors, model, port.rate);
                }
                if tells_time {
                    link = link.telling_time();
                }
                (link, port.rate)
            })
    }

    fn host<'c, const WORDS: usize>(
        &self,
        number: HostId,
        shared: &Arc<Shared>,
        parts: &HostParts<'_, 'c>,
    ) -> Host<'c, WORDS> {
        let link = self.links(number.into(), shared).next().expect("a link");
        Host::new(number.0, link, shared, parts.controllers, self.measure)
    }

    fn machine<'c, const WORDS: usize, H, S>(
        &self,
        machines: &Machines,
        machine: HostId,
        shared: &Arc<Shared>,
        parts: &HostParts<'_, 'c>,
    ) -> NetNode<'c, WORDS, H, S>
    where
        H: From<Host<'c, WORDS>> + AsRef<Host<'c, WORDS>> + AsMut<Host<'c, WORDS>> + FaultSide,
    {
        let numbers = machines.nics(machine);
        let first = HostId(numbers.start);
        let nics = numbers.map(|number| {
            let host = self.host(HostId(number), shared, parts);
            H::from(host.as_nic_of_machine())
        });
        let sends = ((parts.waiting)(machine), self.config.model.clock);
        NetNode::Machine(Box::new(Machine::new(first, nics.collect(), sends)))
    }

    fn switch<const WORDS: usize>(
        &self,
        node: NodeId,
        nic_rate: Rate,
        forwarding: ForwardingTable,
        shared: &Arc<Shared>,
    ) -> Result<Switch<WORDS>, Diagnostic> {
        let own = self.ports.of(node);
        let full_packet = shared.full_packet();
        let facts = |port: &Port| EgressFacts {
            rate: port.rate,
            faces_host: self.topology.is_host(port.peer),
            full_packet,
        };
        let egress: Vec<_> = own.iter().map(facts).collect();
        let buffer = self.buffer(node, own, nic_rate, &egress)?;
        let links = self.links(node, shared).map(|(link, _)| link).zip(egress);
        let identity = SwitchIdentity {
            node,
            tier: self.topology.tier(node),
            original: self.topology.original_id(node),
            first_host: self.topology.first_host_number(),
            first_port: self.ports.index(node, 0),
        };
        Ok(Switch::new(
            identity,
            links.collect(),
            buffer,
            shared,
            forwarding,
            self.measure,
        ))
    }

    fn buffer(
        &self,
        node: NodeId,
        ports: &[Port],
        nic_rate: Rate,
        egress: &[EgressFacts],
    ) -> Result<Buffer, Diagnostic> {
        let config = self.config;
        let facts = |port: &Port| PortFacts {
            link: config.ingress_link(port, self.topology),
            nic_rate,
        };
        let facts: Vec<_> = ports.iter().map(facts).collect();
        Ok(match &config.flow_control {
            FlowControl::Pfc(pfc) => Buffer::Pfc(PfcBuffer::new(
                node,
                &config.buffer,
                pfc,
                &config.packets,
                config.model.clock,
                &facts,
            )?),
            FlowControl::Drop(drop) => {
                let egress = egress.iter().copied();
                Buffer::Drop(DropBuffer::new(&config.buffer, drop, egress))
            }
        })
    }
}

/// Builds items on several threads; in a rehearsal, one part after the other, with times.
struct Makers {
    threads: usize,
    are_rehearsed: bool,
    rehearsal: Rehearsal,
}

impl Makers {
    /// The items of all numbers, in order; or the first error.
    fn make<T: Send>(
        &mut self,
        numbers: Range<u32>,
        make: &(dyn Fn(u32) -> Result<T, Diagnostic> + Sync),
    ) -> Result<Vec<T>, Diagnostic> {
        if self.threads == 1 {
            return numbers.map(make).collect();
        }
        let length = numbers.len().div_ceil(self.threads).max(1);
        let starts = numbers.clone().step_by(length);
        let parts = starts.map(|start| start..numbers.end.min(start + length as u32));
        let parts: Vec<_> = parts
            .map(|part| (part, Mutex::new(Ok(Vec::new()))))
            .collect();
        self.run(parts.len(), &|index| {
            let (part, made) = &parts[index];
            let items = part.clone().map(make).collect();
            *made.lock().expect(UNPOISONED) = items;
        });
        let mut all = Vec::with_capacity(numbers.len());
        for (_, made) in parts {
            all.append(&mut made.into_inner().expect(UNPOISONED)?);
        }
        Ok(all)
    }

    /// Does so many pieces of work.
    fn run(&mut self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        match self.are_rehearsed {
            true => self.rehearsal += Rehearsal::of_tasks(count, &mut |index| work(index)),
            false => side_by_side(count, work),
        }
    }
}

/// Does so many pieces of work, each on a thread of its own if the system has one.
fn side_by_side(count: usize, work: &(dyn Fn(usize) + Sync)) {
    thread::scope(|scope| {
        let start = |index| thread::Builder::new().spawn_scoped(scope, move || work(index));
        let started: Vec<_> = (0..count).map(start).collect();
        for (index, thread) in started.into_iter().enumerate() {
            match thread {
                Ok(thread) => thread.join().unwrap_or_else(|cause| resume_unwind(cause)),
                Err(_) => work(index),
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn threads_make_the_same_as_one() {
        for (count, threads) in [0, 1, 5, 6, 7, 100]
            .map(|c| [1, 2, 3, 8].map(|t| (c, t)))
            .concat()
        {
            for are_rehearsed in [false, true] {
                let mut makers = Makers {
                    threads,
                    are_rehearsed,
                    rehearsal: Rehearsal::default(),
                };
                let all = makers.make(10..10 + count, &|number| Ok(2 * number));
                let expected: Vec<u32> = (10..10 + count).map(|number| 2 * number).collect();
                assert_eq!(all.expect("no errors"), expected);
                let fails = |number| match number {
                    12 | 14 => Err(Diagnostic::new(format!("{number}"), "another")),
                    _ => Ok(number),
                };
                let found = makers.make(10..10 + count, &fails);
                match count {
                    0 | 1 => assert!(found.is_ok()),
                    _ => assert!(found.expect_err("12").to_string().starts_with("12")),
                }
            }
        }
    }

    /// Three items take 2 ms each, one after the other.
    #[test]
    fn a_rehearsal_takes_the_time_of_each() {
        let mut makers = Makers {
            threads: 3,
            are_rehearsed: true,
            rehearsal: Rehearsal::default(),
        };
        let sleep = |_| {
            thread::sleep(Duration::from_millis(2));
            Ok(())
        };
        makers.make(0..3, &sleep).expect("no errors");
        let Rehearsal {
            meetings,
            all,
            longest,
        } = makers.rehearsal;
        assert_eq!(meetings, 1);
        assert!(longest >= Duration::from_millis(2) && all >= Duration::from_millis(6));
        assert!(
            longest + Duration::from_millis(4) <= all,
            "{longest:?} of {all:?}"
        );
    }
}
