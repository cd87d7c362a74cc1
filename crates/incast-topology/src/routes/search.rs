//! Shortest paths to many switches: 64 breadth-first searches in parallel, one for each bit of a
//! word.

use super::fabric::{Fabric, Neighbour};

/// Searches in parallel: one for each bit.
pub(super) const WIDTH: usize = u64::BITS as usize;

/// Searches that each begin at a row. A search has the same bit in every word.
pub(super) struct PathSearch<'a> {
    fabric: &'a Fabric,
    /// By row: the searches that have reached the row.
    reached: Vec<u64>,
    /// By row: the searches that reached the row in the last step. `front` lists the rows with such
    /// searches.
    newly_reached: Vec<u64>,
    front: Vec<u32>,
    /// By row: the searches that reached a neighbour of the row in the last step. `next_front`
    /// lists the rows with such searches.
    beside: Vec<u64>,
    next_front: Vec<u32>,
}

/// A row that searches have reached.
pub(super) struct Reached<'s> {
    pub(super) row: usize,
    /// Links between this row and the start of the searches.
    pub(super) distance: u32,
    /// The searches that have reached the row, one bit each.
    pub(super) searches: u64,
    neighbours: &'s [Neighbour],
    /// By row: the searches that reached the row one step earlier.
    nearer: &'s [u64],
}

impl<'a> PathSearch<'a> {
    pub(super) fn new(fabric: &'a Fabric) -> Self {
        let rows = fabric.rows();
        Self {
            fabric,
            reached: vec![0; rows],
            newly_reached: vec![0; rows],
            front: Vec::new(),
            beside: vec![0; rows],
            next_front: Vec::new(),
        }
    }

    /// Searches from at most [`WIDTH`] rows. Calls `note` for each row that is reached, once for
    /// each distance.
    pub(super) fn run(&mut self, starts: &[u32], mut note: impl FnMut(Reached<'_>)) {
        assert!(starts.len() <= WIDTH, "a bit for each search");
        self.reached.fill(0);
        for (search, &row) in starts.iter().enumerate() {
            self.beside[row as usize] |= 1 << search;
            self.next_front.push(row);
        }
        let mut distance = 0;
        while !self.next_front.is_empty() {
            self.enter(distance, &mut note);
            self.look_ahead();
            distance += 1;
        }
    }

    /// Moves searches to the rows of `next_front` that they have not reached before.
    fn enter(&mut self, distance: u32, note: &mut impl FnMut(Reached<'_>)) {
        for &row in &self.next_front {
            let row = row as usize;
            self.beside[row] &= !self.reached[row];
            if self.beside[row] != 0 {
                note(Reached {
                    row,
                    distance,
                    searches: self.beside[row],
                    neighbours: self.fabric.of(row),
                    nearer: &self.newly_reached,
                });
            }
        }
        for row in self.front.drain(..) {
            self.newly_reached[row as usize] = 0;
        }
        for row in self.next_front.drain(..) {
            let searches = std::mem::take(&mut self.beside[row as usize]);
            if searches != 0 {
                self.reached[row as usize] |= searches;
                self.newly_reached[row as usize] = searches;
                self.front.push(row);
            }
        }
    }

    /// Finds the neighbours of the rows that were reached last.
    fn look_ahead(&mut self) {
        for &row in &self.front {
            let searches = self.newly_reached[row as usize];
            for next in self.fabric.of(row as usize) {
                let beside = &mut self.beside[next.row as usize];
                if *beside == 0 {
                    self.next_front.push(next.row);
                }
                *beside |= searches;
            }
        }
    }
}

impl Reached<'_> {
    /// Divides the searches into `groups`. Searches of a group share the neighbours that are one
    /// link nearer to their starts.
    pub(super) fn divide(&self, groups: &mut Vec<u64>) {
        groups.clear();
        groups.push(self.searches);
        for next in self.neighbours {
            let searches = self.nearer[next.row as usize] & self.searches;
            if searches == 0 || searches == self.searches {
                continue;
            }
            for place in 0..groups.len() {
                let (with, without) = (groups[place] & searches, groups[place] & !searches);
                if with != 0 && without != 0 {
                    groups[place] = with;
                    groups.push(without);
                }
            }
        }
    }

    /// The ports to neighbours that are one link nearer to the starts of a group's searches.
    pub(super) fn next_hops(&self, group: u64) -> impl Iterator<Item = u16> {
        let is_nearer = move |next: &&Neighbour| self.nearer[next.row as usize] & group != 0;
        self.neighbours
            .iter()
            .filter(is_nearer)
            .map(|next| next.port)
    }
}

/// The positions of the bits that are set in a word, in order.
pub(super) fn bits(word: u64) -> impl Iterator<Item = usize> {
    let rest = |word: &u64| Some(word & word.wrapping_sub(1));
    let words = std::iter::successors(Some(word), rest);
    words
        .take_while(|word| *word != 0)
        .map(|word| word.trailing_zeros() as usize)
}
