//! Building the tables: one breadth-first search for each edge switch.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use incast_units::NodeId;

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
    for (column, &edge) in edge_rows.iter().enumerate() {
        search.run(edge);
        for row in 0..fabric.rows() {
            let cell = row * edge_rows.len() + column;
            distances[cell] = search.distances[row];
            // Most switches reach this edge as they do the one before.
            sets[cell] = match search.is_as_before(row) {
                true if column > 0 => sets[cell - 1],
                _ => interned.set(search.next_hops(row)),
            };
        }
    }
    Routes {
        hosts: topology.hosts,
        trees: 0,
        edges: edge_rows.len() as u32,
        stretches: stretches(&destinations),
        destinations,
        sets,
        distances,
        ports: interned.ports,
    }
}

/// Every host's way in, and the rows of the edge switches by column.
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

/// Where stretches of hosts end that have the same edge switch.
pub(super) fn stretches(destinations: &[Destination]) -> Vec<u32> {
    let alike = |one: &Destination, other: &Destination| one.row == other.row;
    let mut end = 0;
    let lengths = destinations.chunk_by(alike).map(<[_]>::len);
    let ends = lengths.map(|length| {
        end += length as u32;
        end
    });
    ends.collect()
}

/// The switches and the links among them: all that lies between two edge switches.
pub(super) struct Fabric {
    /// Where each row's neighbours begin, and the end of the last.
    first: Vec<u32>,
    /// In the order in which next hops are listed.
    neighbours: Vec<Neighbour>,
}

#[derive(Copy, Clone)]
pub(super) struct Neighbour {
    pub(super) row: u32,
    pub(super) port: u16,
    /// The number of the port at the other end.
    pub(super) peer_port: u16,
    /// Among the bits of all rows, that of this link at the neighbour.
    bit: u32,
}

impl Fabric {
    pub(super) fn new(
        topology: &Topology,
        ports: &Ports,
        order: NextHopOrder,
        down: impl Fn(u32) -> bool,
    ) -> Self {
        let mut fabric = Self {
            first: vec![0],
            neighbours: Vec::new(),
        };
        for node in topology.hosts..topology.nodes() {
            let mut usable: Vec<(u16, &Port)> = (0..)
                .zip(ports.of(NodeId(node)))
                .filter(|(_, port)| !topology.is_host(port.peer) && !down(port.link))
                .collect();
            let peer = |port: &Port| topology.original_id(port.peer);
            match order {
                NextHopOrder::ByPort => {}
                NextHopOrder::DescendingNode => usable.sort_by_key(|(_, port)| Reverse(peer(port))),
                NextHopOrder::AscendingNode => usable.sort_by_key(|(_, port)| peer(port)),
            }
            fabric
                .neighbours
                .extend(usable.into_iter().map(|(number, port)| Neighbour {
                    row: port.peer.0 - topology.hosts,
                    port: number,
                    peer_port: port.peer_port,
                    bit: 0,
                }));
            fabric.first.push(fabric.neighbours.len() as u32);
        }
        fabric.find_bits();
        fabric
    }

    fn find_bits(&mut self) {
        let words = self.first_words();
        let bits_of = |row: usize| {
            let mut bits = Vec::new();
            for (next, bit) in self.of(row).iter().zip(64 * words[row]..) {
                bits.resize(bits.len().max(usize::from(next.port) + 1), 0);
                bits[usize::from(next.port)] = bit;
            }
            bits
        };
        let bits: Vec<Vec<u32>> = (0..self.rows()).map(bits_of).collect();
        for next in &mut self.neighbours {
            next.bit = bits[next.row as usize][usize::from(next.peer_port)];
        }
    }

    /// By row: the first of its words, in which each of its neighbours has a bit; and the number of
    /// all words.
    fn first_words(&self) -> Vec<u32> {
        let mut first = vec![0];
        for row in 0..self.rows() {
            first.push(first[row] + self.of(row).len().div_ceil(64) as u32);
        }
        first
    }

    pub(super) fn rows(&self) -> usize {
        self.first.len() - 1
    }

    pub(super) fn of(&self, row: usize) -> &[Neighbour] {
        &self.neighbours[self.first[row] as usize..self.first[row + 1] as usize]
    }
}

/// A breadth-first search for all shortest paths to one row, and the one before it.
pub(super) struct PathSearch<'a> {
    fabric: &'a Fabric,
    /// By row: the links from the row where the search began, or [`UNREACHABLE`].
    pub(super) distances: Vec<u32>,
    queue: Vec<u32>,
    /// By row: the first of its words.
    first_words: Vec<u32>,
    /// By row: words with a bit for each neighbour, whether it is one link nearer.
    nearer: Vec<u64>,
    /// Those of the last search.
    before: Vec<u64>,
}

impl<'a> PathSearch<'a> {
    pub(super) fn new(fabric: &'a Fabric) -> Self {
        let rows = fabric.rows();
        let first_words = fabric.first_words();
        let words = first_words[rows] as usize;
        Self {
            fabric,
            distances: vec![UNREACHABLE; rows],
            queue: Vec::with_capacity(rows),
            first_words,
            nearer: vec![0; words],
            before: vec![0; words],
        }
    }

    /// Finds the paths to row `start`.
    pub(super) fn run(&mut self, start: u32) {
        std::mem::swap(&mut self.nearer, &mut self.before);
        self.nearer.fill(0);
        self.distances.fill(UNREACHABLE);
        self.distances[start as usize] = 0;
        self.queue.clear();
        self.queue.push(start);
        let mut head = 0;
        while let Some(&row) = self.queue.get(head) {
            head += 1;
            let farther = self.distances[row as usize] + 1;
            for next in self.fabric.of(row as usize) {
                let distance = &mut self.distances[next.row as usize];
                if *distance == UNREACHABLE {
                    *distance = farther;
                    self.queue.push(next.row);
                }
                if *distance == farther {
                    self.nearer[next.bit as usize / 64] |= 1 << (next.bit % 64);
                }
            }
        }
    }

    fn words_of(&self, row: usize) -> Range<usize> {
        self.first_words[row] as usize..self.first_words[row + 1] as usize
    }

    /// Whether the same neighbours are nearer as in the last search.
    fn is_as_before(&self, row: usize) -> bool {
        let words = self.words_of(row);
        self.nearer[words.clone()] == self.before[words]
    }

    /// The ports that lead one link nearer to where the search began.
    fn next_hops(&self, row: usize) -> impl Iterator<Item = u16> {
        let words = &self.nearer[self.words_of(row)];
        let is_nearer = |place: usize| words[place / 64] >> (place % 64) & 1 == 1;
        let places = self.fabric.of(row).iter().enumerate();
        places
            .filter(move |(place, _)| is_nearer(*place))
            .map(|(_, next)| next.port)
    }
}

/// Sets of ports, each kept once.
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
