//! The two sides of a network, if its nodes can be divided in this way. Windows are then twice as
//! long (see `turns`).

use incast_units::Time;

use super::WindowEngine;
use super::inbox::Inbox;
use super::turns::Turns;
use crate::message::Message;
use crate::node::NodeShape;

/// Longest delay with which sides alternate. Longer windows have enough messages without
/// alternation, and messages would stay in memory twice as long.
pub const LONGEST_STEP_OF_SIDES: Time = Time::from_us(10);

impl<M: Message, N: NodeShape> WindowEngine<N, M> {
    /// Lets two sides of the network alternate, with windows twice as long, if nodes can be divided
    /// in this way. `delays` are the link delays at each port. Called before the first event.
    ///
    /// # Panics
    /// If there is not one delay for every port.
    pub fn alternating(mut self, delays: &[Time]) -> Self {
        let turns = Turns::of_sides(self.state.router.turns.step());
        if let Some(sides) = self.found_sides(delays) {
            let node_of_port = self.node_of_port();
            let receivers = self.state.router.receivers.iter_mut();
            for (receiver, &peer) in receivers.zip(&self.state.peers) {
                receiver.side = sides[node_of_port[peer as usize] as usize].into();
            }
            self.state.router.turns = turns;
            self.inbox = Inbox::new(turns.length());
            self.sides = sides;
        }
        self
    }

    /// The length that windows would have if sides [alternated](Self::alternating).
    ///
    /// # Panics
    /// If there is not one delay for every port.
    pub fn length_if_alternating(&self, delays: &[Time]) -> Time {
        match self.found_sides(delays) {
            Some(_) => self.step() * 2,
            None => self.length(),
        }
    }

    /// By node: its side; `None` if nodes cannot be divided.
    fn found_sides(&self, delays: &[Time]) -> Option<Vec<u8>> {
        let peers = &self.state.peers;
        assert_eq!(delays.len(), peers.len(), "a delay for each port");
        let node_of_port = self.node_of_port();
        let links = peers.iter().zip(&node_of_port).zip(delays);
        let links = links
            .map(|((&peer, &node), delay)| ([node, node_of_port[peer as usize]], delay.as_ps()));
        let step = self.state.router.turns.step();
        let is_short = step <= LONGEST_STEP_OF_SIDES.as_ps();
        is_short.then(|| sides(self.nodes.len(), links, step))?
    }
}

/// By node: its side, 0 or 1; `None` if a link shorter than two steps would join two nodes of one
/// side. `ends` are the nodes at both ends of each link, and its delay in ps. A link may come
/// twice.
fn sides(nodes: usize, ends: impl Iterator<Item = ([u32; 2], u64)>, step: u64) -> Option<Vec<u8>> {
    let mut neighbours = vec![Vec::new(); nodes];
    for ([one, other], delay) in ends {
        if delay < 2 * step {
            neighbours[one as usize].push(other);
            neighbours[other as usize].push(one);
        }
    }
    const UNKNOWN: u8 = 2;
    let mut sides = vec![UNKNOWN; nodes];
    let mut found = Vec::new();
    for first in 0..nodes {
        if sides[first] == UNKNOWN {
            sides[first] = 1;
            found.push(first as u32);
        }
        while let Some(node) = found.pop() {
            let other_side = 1 - sides[node as usize];
            for &neighbour in &neighbours[node as usize] {
                let side = &mut sides[neighbour as usize];
                if *side == UNKNOWN {
                    *side = other_side;
                    found.push(neighbour);
                } else if *side != other_side {
                    return None;
                }
            }
        }
    }
    Some(sides)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square, a triangle, and a triangle with a link of two steps.
    #[test]
    fn short_links_join_the_sides() {
        let sides = |nodes, ends: &[([u32; 2], u64)]| sides(nodes, ends.iter().copied(), 10);
        let square = [([0, 1], 10), ([1, 2], 19), ([2, 3], 10), ([3, 0], 10)];
        assert_eq!(sides(5, &square), Some(vec![1, 0, 1, 0, 1]));
        let triangle = |delay| [([0, 1], 10), ([1, 2], 10), ([2, 0], delay)];
        assert_eq!(sides(3, &triangle(19)), None);
        assert_eq!(sides(3, &triangle(20)), Some(vec![1, 0, 1]));
    }
}
