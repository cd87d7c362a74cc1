//! The nodes of a network, made from its topology.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use incast_diagnostic::Diagnostic;
use incast_engine::Partitioning;
use incast_topology::{Machines, Port};
use incast_units::{HostId, NodeId, Rate};

use super::Run;
use super::steps::NetNode;
use crate::faults::FaultSide;
use crate::flow::Controllers;
use crate::forwarding::{AccessPorts, ForwardingTable};
use crate::host::{Host, Machine};
use crate::packet::NOWHERE;
use crate::pfc::{PfcBuffer, PortFacts};
use crate::shared::Shared;
use crate::shared_buffer::{Buffer, DropBuffer};
use crate::switch::{Switch, SwitchIdentity};
use crate::transmitter::Transmitter;
use crate::{FlowControl, WaitingSends, diagnostics};

/// With fewer ports for each, threads are not worth their start.
const PORTS_PER_THREAD: usize = 2_000;

/// What hosts are given.
pub(super) struct HostParts<'h, 'c> {
    pub(super) controllers: &'h Arc<dyn Controllers + 'c>,
    pub(super) waiting: &'h (dyn Fn(HostId) -> Option<Box<dyn WaitingSends + 'c>> + Sync),
}

impl Run<'_> {
    /// Hosts or machines, then switches.
    pub(super) fn nodes<'c, const WORDS: usize, H, S>(
        &self,
        shared: &Arc<Shared>,
        parts: &HostParts<'_, 'c>,
    ) -> Result<Vec<NetNode<'c, WORDS, H, S>>, Diagnostic>
    where
        H: From<Host<'c, WORDS>> + AsRef<Host<'c, WORDS>> + AsMut<Host<'c, WORDS>> + FaultSide,
        S: From<Switch<WORDS>>,
        NetNode<'c, WORDS, H, S>: Send,
    {
        let hosts = self.topology.hosts;
        if hosts > u32::from(NOWHERE) {
            return Err(diagnostics::too_many_hosts(hosts as usize));
        }
        self.config.check_drops()?;
        let machines = self.engine_numbers().machines;
        let nic_rate = self.ports.of(NodeId(0)).first();
        let nic_rate = nic_rate.map_or(Rate::from_gbps(100), |port| port.rate);
        let threads = self.building_threads();
        let mut nodes = match machines {
            Some(machines) => made(0..machines.count(), threads, |machine| {
                Ok(self.machine(machines, HostId(machine), shared, parts))
            }),
            None => made(0..hosts, threads, |number| {
                let waiting = (parts.waiting)(HostId(number));
                let host = self.host(HostId(number), shared, parts);
                let host = host.with_waiting_sends(waiting);
                Ok(NetNode::Host(Box::new(host.into())))
            }),
        }?;
        let access = Arc::new(AccessPorts::new(self.routes));
        nodes.extend(made(hosts..self.topology.nodes(), threads, |node| {
            let forwarding = ForwardingTable::new(&access, self.routes, NodeId(node));
            let switch = self.switch(NodeId(node), nic_rate, forwarding, shared)?;
            Ok(NetNode::Switch(Box::new(switch.into())))
        })?);
        Ok(nodes)
    }

    /// How many threads make the nodes. Rehearsals have one.
    fn building_threads(&self) -> usize {
        let most = match self.threads.partitioning {
            Partitioning::Rehearsed(_) => 1,
            Partitioning::Measured | Partitioning::Random(_) => self.threads.count.get(),
        };
        (self.ports.count() / PORTS_PER_THREAD).clamp(1, most)
    }

    fn link(&self, port: &Port) -> (Transmitter, Rate) {
        let model = &self.config.model;
        let link = Transmitter::new(model, port.rate, model.clock.round_down(port.delay));
        (link, port.rate)
    }

    fn host<'c, const WORDS: usize>(
        &self,
        number: HostId,
        shared: &Arc<Shared>,
        parts: &HostParts<'_, 'c>,
    ) -> Host<'c, WORDS> {
        let link = self.link(&self.ports.of(number.into())[0]);
        let number = number.0 as u16;
        Host::new(number, link, shared, parts.controllers, self.measure)
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
        let facts: Vec<PortFacts> = own
            .iter()
            .map(|port| PortFacts {
                rate: port.rate,
                delay: port.delay,
                nic_rate,
            })
            .collect();
        let buffer = self.buffer(node, &facts)?;
        let links = own.iter().map(|port| self.link(port)).collect();
        let identity = SwitchIdentity {
            node,
            tier: self.topology.tier(node),
            original: self.topology.original_id(node),
            first_port: self.ports.index(node, 0),
        };
        Ok(Switch::new(
            identity,
            links,
            buffer,
            shared,
            forwarding,
            self.measure,
        ))
    }

    fn buffer(&self, node: NodeId, facts: &[PortFacts]) -> Result<Buffer, Diagnostic> {
        let config = self.config;
        Ok(match &config.flow_control {
            FlowControl::Pfc(pfc) => Buffer::Pfc(PfcBuffer::new(
                node,
                &config.buffer,
                pfc,
                &config.packets,
                config.model.clock,
                facts,
            )?),
            FlowControl::Drop(drop) => Buffer::Drop(DropBuffer::new(&config.buffer, drop)),
        })
    }
}

/// What is made of each number, in their order, by so many threads, if the system has them; or the
/// first error.
fn made<T: Send>(
    numbers: Range<u32>,
    threads: usize,
    make: impl Fn(u32) -> Result<T, Diagnostic> + Sync,
) -> Result<Vec<T>, Diagnostic> {
    let part = |part: Range<u32>| part.map(&make).collect::<Result<Vec<T>, _>>();
    if threads == 1 {
        return part(numbers);
    }
    let length = numbers.len().div_ceil(threads).max(1);
    let starts = numbers.clone().step_by(length);
    let parts = starts.map(|start| start..numbers.end.min(start + length as u32));
    thread::scope(|scope| {
        let started = parts.map(|range| {
            let own = range.clone();
            let thread = thread::Builder::new().spawn_scoped(scope, || part(own));
            (range, thread)
        });
        let started: Vec<_> = started.collect();
        let mut all = Vec::with_capacity(numbers.len());
        for (range, thread) in started {
            all.extend(match thread {
                Ok(thread) => thread.join().unwrap_or_else(|cause| resume_unwind(cause)),
                Err(_) => part(range),
            }?);
        }
        Ok(all)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_make_the_same_as_one() {
        for count in [0, 1, 5, 6, 7, 100] {
            for threads in [1, 2, 3, 8] {
                let all = made(10..10 + count, threads, |number| Ok(2 * number));
                let expected: Vec<u32> = (10..10 + count).map(|number| 2 * number).collect();
                assert_eq!(all.expect("no errors"), expected);
                let fails = |number| match number {
                    12 | 14 => Err(Diagnostic::new(format!("{number}"), "another")),
                    _ => Ok(number),
                };
                let found = made(10..10 + count, threads, fails);
                match count {
                    0 | 1 => assert!(found.is_ok()),
                    _ => assert!(found.expect_err("12").to_string().starts_with("12")),
                }
            }
        }
    }
}
