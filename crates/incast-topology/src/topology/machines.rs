//! Machines: the hosts of users, which may have several NICs.
//!
//! To the network each NIC is an end of its own, a [`HostId`] with an address and one link. Only
//! traffic and tasks know machines: traffic goes from machine to machine, and a task waits for data
//! at any NIC of its machine.
//!
//! ```text
//! machine        0           1        2        NICs of a machine follow each other
//! NIC            0  1        0  1     0
//! end            0  1        2  3     4
//! ```

use std::ops::Range;

use incast_units::HostId;

/// Which ends of a network belong to the same machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machines {
    /// The first end of each machine; at the end, the number of all ends.
    first: Vec<u32>,
    /// The names of machines in the user's file; empty if the file has no names.
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

    /// Gives the machines their names in the user's file.
    ///
    /// # Panics
    /// Unless there is a name for each machine.
    pub fn named(self, names: Vec<String>) -> Self {
        assert_eq!(names.len() as u32, self.count(), "names of machines");
        Self { names, ..self }
    }

    /// The names of machines in the user's file; empty if the file has no names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Machines with `nics` NICs each.
    pub fn of_equal(machines: u32, nics: u32) -> Self {
        Self::new((0..machines).map(|_| nics))
    }

    /// How many machines there are.
    pub fn count(&self) -> u32 {
        self.first.len() as u32 - 1
    }

    /// How many NICs all machines have together.
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

    /// The machine of an end, and the end's number among the NICs of that machine.
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
