//! Numbers of timers and ports of all nodes, counted over a whole network or a shard of it.

use std::ops::Range;

use crate::node::NodeShape;

/// The sources of one node: its timers, then its ports.
#[derive(Copy, Clone, Debug)]
pub(crate) struct NodeLayout {
    pub(crate) first_source: u32,
    pub(crate) timers: u32,
    pub(crate) first_port: u32,
    pub(crate) ports: u32,
}

impl NodeLayout {
    /// The sources of the node that are timers.
    #[inline(always)]
    pub(crate) fn timer_range(self) -> Range<usize> {
        let first = self.first_source as usize;
        first..first + self.timers as usize
    }

    /// The node's ports.
    #[inline(always)]
    pub(crate) fn port_range(self) -> Range<usize> {
        let first = self.first_port as usize;
        first..first + self.ports as usize
    }

    /// The first source after the node's.
    #[inline]
    pub(crate) fn end_of_sources(self) -> u32 {
        self.first_source + self.timers + self.ports
    }
}

/// The sources of all nodes.
#[derive(Debug)]
pub(crate) struct SourceLayout {
    /// By node.
    pub(crate) nodes: Vec<NodeLayout>,
    /// By source: its node.
    pub(crate) node_of_source: Vec<u32>,
    /// By port: its number as a source.
    pub(crate) source_of_port: Vec<u32>,
    /// Largest number of sources of one node.
    pub(crate) max_sources: usize,
}

impl SourceLayout {
    /// Numbers the sources of `nodes`.
    ///
    /// # Panics
    /// If there is not one peer for every port.
    pub(crate) fn new<N: NodeShape>(nodes: &[N], peers: &[u32]) -> Self {
        let layout = Self::of(nodes.iter().map(|node| (node.timers(), node.ports())));
        let ports = layout.source_of_port.len();
        assert_eq!(peers.len(), ports, "one peer for every port");
        layout
    }

    /// Numbers the sources of nodes with these numbers of timers and ports.
    pub(crate) fn of(shapes: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut layout = Self {
            nodes: Vec::new(),
            node_of_source: Vec::new(),
            source_of_port: Vec::new(),
            max_sources: 0,
        };
        for (number, (timers, ports)) in (0..).zip(shapes) {
            layout.add(number, timers, ports);
        }
        layout
    }

    fn add(&mut self, number: u32, timers: usize, ports: usize) {
        let first_source = self.node_of_source.len() as u32;
        self.nodes.push(NodeLayout {
            first_source,
            timers: timers as u32,
            first_port: self.source_of_port.len() as u32,
            ports: ports as u32,
        });
        let end = self.node_of_source.len() + timers + ports;
        self.node_of_source.resize(end, number);
        let first = first_source + timers as u32;
        self.source_of_port.extend(first..first + ports as u32);
        self.max_sources = self.max_sources.max(timers + ports);
    }
}
