//! Building the tables: a breadth-first search from each edge switch.

use std::collections::HashMap;

use incast_units::NodeId;

use super::fabric::Fabric;
use super::search::{PathSearch, WIDTH, bits};
use super::{Destination, NONE, NextHopOrder, NextHopSet, Routes, UNREACHABLE};
use crate::ports::{Port, Ports};
use crate::topology::Topology;

pub(super) fn build(
    topology: &Topology,
    order: NextHopOrder,
    down: impl Fn(u32) -> bool,
) -> Routes {
    let ports = Ports::new(topology);
    let fabric = Fabric::new(topology, &ports, order, down);
    let (destinations, edge_rows) = destinations(topology, &ports);
    let cells = edge_rows.len() * topology.switches as usize;
    let mut sets = vec![
        NextHopSet {
            start: 0,
            length: 0
        };
        cells
    ];
    let mut distances = vec![UNREACHABLE; cells];
    let mut interned = Interned::default();
    let mut search = PathSearch::new(&fabric);
    let mut groups = Vec::new();
    for (starts, first) in edge_rows.chunks(WIDTH).zip((0..).step_by(WIDTH)) {
        search.run(starts, |reached| {
            let first_cell = reached.row * edge_rows.len() + first;
            reached.divide(&mut groups);
            for &group in &groups {
                let set = interned.set(reached.next_hops(group));
                for column in bits(group) {
                    distances[first_cell + column] = reached.distance;
                    sets[first_cell + column] = set;
                }
            }
        });
    }
    Routes {
        hosts: topology.hosts,
        trees: 0,
        edges: edge_rows.len() as u32,
        destinations,
        sets,
        distances,
        ports: interned.ports,
    }
}

/// The edge switch and port of each host, and the row of each edge switch, by column.
pub(super) fn destinations(topology: &Topology, ports: &Ports) -> (Vec<Destination>, Vec<u32>) {
    let mut columns = vec![NONE; topology.switches as usize];
    let mut edge_rows = Vec::new();
    let mut destination = |port: &Port| {
        let port_to_host = port.peer_port;
        if topology.is_host(port.peer) {
            return Destination {
                row: NONE,
                column: NONE,
                port: port_to_host,
            };
        }
        let row = port.peer.0 - topology.hosts;
        let column = &mut columns[row as usize];
        if *column == NONE {
            *column = edge_rows.len() as u32;
            edge_rows.push(row);
        }
        Destination {
            row,
            column: *column,
            port: port_to_host,
        }
    };
    let own_port = |host| &ports.of(NodeId(host))[0];
    let destinations = (0..topology.hosts)
        .map(|host| destination(own_port(host)))
        .collect();
    (destinations, edge_rows)
}

/// Sets of ports, each stored once.
#[derive(Default)]
pub(super) struct Interned {
    pub(super) ports: Vec<u16>,
    known: HashMap<Box<[u16]>, NextHopSet>,
    current: Vec<u16>,
}

impl Interned {
    pub(super) fn set(&mut self, ports: impl Iterator<Item = u16>) -> NextHopSet {
        self.current.clear();
        self.current.extend(ports);
        if let Some(&set) = self.known.get(self.current.as_slice()) {
            return set;
        }
        let set = NextHopSet {
            start: self.ports.len() as u32,
            length: self.current.len() as u32,
        };
        self.ports.extend_from_slice(&self.current);
        self.known
            .insert(self.current.clone().into_boxed_slice(), set);
        set
    }
}
