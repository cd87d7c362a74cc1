//! Machines: what users call hosts, where a host may have several NICs.
//!
//! To the network each NIC is an end of its own, a [`HostId`] with an address and one link. Which
//! NICs belong to one machine matters to traffic, which goes from machine to machine, and to tasks,
//! which wait for what has arrived at any NIC of their machine.
//!
//! ```text
//! machine        0           1        2        NICs of a machine follow each other
//! NIC            0  1        0  1     0
//! end            0  1        2  3     4
//! ```

use std::ops::Range;

use incast_units::HostId;

/// Which ends of a network are of one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machines {
    /// The first end of each machine, and the number of all ends.
    first: Vec<u32>,
    /// What the user's file calls them; empty if it does not.
    names: Vec<String>,
}

impl Machines {
    /// Machines with these numbers of NICs, each at least one.
    pub fn new(nics: impl IntoIterator<Item = u32>) -> Self {
        let ends = nics.into_iter().scan(0, |end: &mut u32, nics| {
            *end += nics;
            Some(*end)
        });
        Self {
            first: std::iter::once(0).chain(ends).collect(),
            names: Vec::new(),
        }
    }

    /// The same machines, which the user's file calls so.
    ///
    /// # Panics
    /// Unless there is a name for each.
    pub fn named(self, names: Vec<String>) -> Self {
        assert_eq!(names.len() as u32, self.count(), "names of machines");
        Self { names, ..self }
    }

    /// Their names in the user's file; empty if it has none.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// So many machines with equally many NICs.
    pub fn of_equal(machines: u32, nics: u32) -> Self {
        Self::new((0..machines).map(|_| nics))
    }

    /// How many machines there are.
    pub fn count(&self) -> u32 {
        self.first.len() as u32 - 1
    }

    /// How many NICs they have, all together.
    pub fn ends(&self) -> u32 {
        *self.first.last().expect("the end of the last machine")
    }

    /// The ends that are NICs of a machine, in order.
    ///
    /// # Panics
    /// If there is no such machine.
    pub fn nics(&self, machine: HostId) -> Range<u32> {
        self.first[machine.index()]..self.first[machine.index() + 1]
    }

    /// The machine of an end, and which of its NICs it is.
    pub fn of(&self, end: HostId) -> (HostId, u16) {
        let machine = self.first.partition_point(|&first| first <= end.0) - 1;
        let nic = end.0 - self.first[machine];
        (HostId(machine as u32), nic as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_counted_machine_by_machine() {
        let machines = Machines::new([2, 2, 1]);
        assert_eq!((machines.count(), machines.ends()), (3, 5));
        assert_eq!(machines.nics(HostId(1)), 2..4);
        let of = [0, 1, 2, 3, 4].map(|end| machines.of(HostId(end)));
        let expected = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)];
        assert_eq!(of, expected.map(|(machine, nic)| (HostId(machine), nic)));
        assert_eq!(Machines::of_equal(2, 3), Machines::new([3, 3]));
    }
}
