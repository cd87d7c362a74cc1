//! Lanes of the data class: data of one lane are queued, accounted and paused together, apart from
//! those of all others (priorities, in the words of PFC).

use super::Packet;

/// A lane of data; PFC tells eight apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lane(u8);

impl Lane {
    /// Lanes of a run. With one, a look at a packet's lane costs nothing.
    pub(crate) const COUNT: usize = 1;
    /// The lane of all data where there is one.
    pub(crate) const FIRST: Self = Self(0);

    /// So many lanes, the first to leave first.
    #[inline(always)]
    pub(crate) fn first(count: usize) -> impl Iterator<Item = Self> {
        (0..count).map(|number| Self(number as u8))
    }

    /// Its place among so many.
    #[inline(always)]
    pub(crate) fn place_among<const LANES: usize>(self) -> usize {
        match LANES {
            1 => 0,
            _ => usize::from(self.0),
        }
    }
}

/// Some of the lanes of a link.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lanes(u8);

impl Lanes {
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline(always)]
    pub(crate) fn contains(self, lane: Lane) -> bool {
        self.0 >> lane.0 & 1 != 0
    }

    pub(crate) fn insert(&mut self, lane: Lane) {
        self.0 |= 1 << lane.0;
    }

    pub(crate) fn remove(&mut self, lane: Lane) {
        self.0 &= !(1 << lane.0);
    }
}

impl<const WORDS: usize> Packet<WORDS> {
    /// The lane of a packet of the data class, or that a PFC frame is about. While there is one,
    /// packets carry none.
    #[inline(always)]
    pub(crate) fn lane(&self) -> Lane {
        Lane::FIRST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_come_and_go_one_by_one() {
        let mut paused = Lanes::default();
        let all: Vec<_> = Lane::first(8).collect();
        for lane in &all {
            assert!(!paused.contains(*lane));
            paused.insert(*lane);
            paused.insert(*lane);
            assert!(paused.contains(*lane));
        }
        paused.remove(all[3]);
        let held = all.iter().filter(|lane| paused.contains(**lane));
        assert_eq!(held.count(), 7);
        all.iter().for_each(|lane| paused.remove(*lane));
        assert!(paused.is_empty());
    }
}
