//! Deadlocks of PFC: egress ports that wait for each other in a circle.
//!
//! The peer of a paused port resumes the port only when a packet that arrived by this link leaves.
//! If all these packets wait at ports that are stuck themselves, none ever leaves. The largest set
//! of ports with this property is stuck for good. The search starts with all paused ports at which
//! data wait, and repeatedly removes ports that can go on. A port that was paused before its peer
//! decided to pause it can go on: a resume is on its way, or waits behind a long packet. Ports that
//! were paused only a short time ago are removed, too, since earlier packets of their peers may
//! still be on their way.

use std::collections::HashMap;

use incast_units::{FlowId, Time};

use crate::stall::{Stall, StuckPort};
use crate::switch::WaitingPort;

/// A port that has paused its peer.
#[derive(Debug, Default)]
struct Holder {
    /// Time at which the pause was decided.
    since: Time,
    /// All egress ports at which packets from this peer wait.
    ports: Vec<u32>,
}

/// The deadlock at `now` among ports that have been paused since `since` or longer, if any. `peer`
/// is the port at the other end of a link, by global port index.
pub(super) fn find(
    waiting: &[WaitingPort],
    since: Time,
    now: Time,
    peer: &dyn Fn(u32) -> u32,
) -> Option<Stall> {
    let mut stuck: HashMap<u32, Stuck<'_>> = HashMap::new();
    // By ingress.
    let mut holders: HashMap<u32, Holder> = HashMap::new();
    for port in waiting {
        for ingress in &port.came_by {
            if let Some(since) = ingress.pauses_since {
                let holder = holders.entry(ingress.index).or_default();
                holder.since = since;
                holder.ports.push(port.index);
            }
        }
        if let Some(paused) = port.paused_since.filter(|paused| *paused <= since) {
            stuck.insert(port.index, Stuck { port, paused });
        }
    }
    let holder = |egress: u32| holders.get(&peer(egress));
    stuck.retain(|egress, held| holder(*egress).is_some_and(|by| held.paused >= by.since));
    let holders = |egress: u32| holder(egress).map_or(&[][..], |by| &by.ports);
    loop {
        let can_go_on = |egress: &u32| {
            let held = holders(*egress);
            held.iter().any(|port| !stuck.contains_key(port))
        };
        let free: Vec<u32> = stuck.keys().copied().filter(can_go_on).collect();
        if free.is_empty() {
            break;
        }
        free.iter().for_each(|egress| {
            stuck.remove(egress);
        });
    }
    // Each stuck port waits for another stuck port, so following them closes a circle.
    let mut way = vec![*stuck.keys().min()?];
    let begin = loop {
        let next = *holders(*way.last()?).iter().min()?;
        match way.iter().position(|&port| port == next) {
            Some(begin) => break begin,
            None => way.push(next),
        }
    };
    let circle = way[begin..].iter().map(|port| stuck[port].facts());
    let circle: Vec<StuckPort> = circle.collect();
    let all = circle.iter().flat_map(|port| &port.flows);
    Some(Stall::Deadlock {
        closed: circle.iter().map(|port| port.paused).max()?,
        found: now,
        flows: in_order(all.copied()),
        circle,
    })
}

/// The flows in order of numbers, each once.
fn in_order(flows: impl Iterator<Item = FlowId>) -> Vec<FlowId> {
    let mut flows: Vec<_> = flows.collect();
    flows.sort_unstable();
    flows.dedup();
    flows
}

struct Stuck<'w> {
    port: &'w WaitingPort,
    /// Since when.
    paused: Time,
}

impl Stuck<'_> {
    fn facts(&self) -> StuckPort {
        StuckPort {
            node: self.port.node,
            port: self.port.port,
            paused: self.paused,
            flows: in_order(self.port.came_by.iter().map(|ingress| ingress.flow)),
        }
    }
}

#[cfg(test)]
mod tests {
    use incast_units::NodeId;

    use super::*;
    use crate::switch::ArrivalPort;

    /// Three switches in a ring. Port n of node n leads to port 10 + n of node n + 1; port 20 + n
    /// leads to a host.
    fn peer(port: u32) -> u32 {
        match port {
            0..3 => 10 + (port + 1) % 3,
            10..13 => (port - 10 + 2) % 3,
            _ => port + 100,
        }
    }

    /// The port of a node to the next switch, paused at `since`, at which packets of the previous
    /// switch wait.
    fn ring(node: u32, since: Option<u64>) -> WaitingPort {
        WaitingPort {
            node: NodeId(node),
            port: 0,
            index: node,
            paused_since: since.map(Time::from_ns),
            came_by: vec![ArrivalPort {
                index: 10 + node,
                pauses_since: Some(Time::from_ns(5)),
                flow: FlowId(7 - node),
            }],
        }
    }

    fn found(waiting: &[WaitingPort]) -> Option<Stall> {
        find(waiting, Time::from_ns(8), Time::from_ns(20), &peer)
    }

    fn stuck(node: u32, paused: u64) -> StuckPort {
        StuckPort {
            node: NodeId(node),
            port: 0,
            paused: Time::from_ns(paused),
            flows: vec![FlowId(7 - node)],
        }
    }

    #[test]
    fn a_circle_is_named_and_when_it_closed() {
        let waiting = [ring(0, Some(5)), ring(1, Some(8)), ring(2, Some(6))];
        let expected = Stall::Deadlock {
            closed: Time::from_ns(8),
            found: Time::from_ns(20),
            circle: vec![stuck(0, 5), stuck(1, 8), stuck(2, 6)],
            flows: vec![FlowId(5), FlowId(6), FlowId(7)],
        };
        assert_eq!(found(&waiting), Some(expected));
    }

    /// No deadlock: one port is not paused, or not for long; some packets of a link wait for a
    /// host; a resume is on its way.
    #[test]
    fn a_circle_with_a_way_out_is_none() {
        let open = [ring(0, Some(5)), ring(1, None), ring(2, Some(6))];
        assert_eq!(found(&open), None);
        let young = [ring(0, Some(5)), ring(1, Some(9)), ring(2, Some(6))];
        assert_eq!(found(&young), None);
        let to_host = WaitingPort {
            node: NodeId(1),
            port: 2,
            index: 21,
            paused_since: None,
            ..ring(1, None)
        };
        let all = [ring(0, Some(5)), ring(1, Some(8)), ring(2, Some(6))];
        assert_eq!(found(&[&all[..], &[to_host]].concat()), None);
        let mut resumed = all;
        resumed[1].came_by[0].pauses_since = None;
        assert_eq!(found(&resumed), None);
    }

    /// A port was paused at 6 ns, and its peer decided to pause it at 7 ns: the peer has resumed it
    /// in between, and the resume is on its way.
    #[test]
    fn a_resume_on_its_way_opens_the_circle() {
        let mut ports = [ring(0, Some(8)), ring(1, Some(7)), ring(2, Some(6))];
        assert!(found(&ports).is_some());
        // Port 2 leads to port 10 of node 0.
        ports[0].came_by[0].pauses_since = Some(Time::from_ns(6));
        assert!(found(&ports).is_some());
        ports[0].came_by[0].pauses_since = Some(Time::from_ns(7));
        assert_eq!(found(&ports), None);
    }
}
