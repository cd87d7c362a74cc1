//! Lanes of the data class (priorities, in PFC's terms). Data of one lane are queued, accounted and
//! paused together, apart from other lanes.

/// A lane of data; PFC has eight.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lane(u8);

/// Bits of a lane's number.
pub(super) const LANE_BITS: u32 = 3;
const _: () = assert!(Lane::COUNT <= 1 << LANE_BITS);

impl Lane {
    /// Number of lanes of a run. With a single lane, reading a packet's lane costs nothing.
    pub(crate) const COUNT: usize = 1;
    /// The lane of all data if there is a single one.
    pub(crate) const FIRST: Self = Self(0);

    /// The first `count` lanes, in order of service.
    #[inline(always)]
    pub(crate) fn first(count: usize) -> impl Iterator<Item = Self> {
        (0..count).map(|number| Self(number as u8))
    }

    /// The lane with this number, out of `LANES`.
    #[inline(always)]
    pub(super) fn numbered<const LANES: usize>(number: u32) -> Self {
        match LANES {
            1 => Self::FIRST,
            _ => Self(number as u8),
        }
    }

    #[inline(always)]
    pub(super) fn number(self) -> u32 {
        self.0.into()
    }

    /// The lane's index, out of `LANES`.
    #[inline(always)]
    pub(crate) fn place_among<const LANES: usize>(self) -> usize {
        match LANES {
            1 => 0,
            _ => usize::from(self.0),
        }
    }
}

/// A set of lanes of a link.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lanes(u8);

impl Lanes {
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this set has all of `LANES` lanes.
    #[inline(always)]
    pub(crate) fn are_all<const LANES: usize>(self) -> bool {
        u32::from(self.0) == (1 << LANES) - 1
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_come_and_go_one_by_one() {
        let mut paused = Lanes::default();
        let all: Vec<_> = Lane::first(8).collect();
        for lane in &all {
            assert!(!paused.contains(*lane) && !paused.are_all::<8>());
            paused.insert(*lane);
            paused.insert(*lane);
            assert!(paused.contains(*lane));
        }
        assert!(paused.are_all::<8>());
        paused.remove(all[3]);
        assert!(!paused.are_all::<8>());
        let held = all.iter().filter(|lane| paused.contains(**lane));
        assert_eq!(held.count(), 7);
        all.iter().for_each(|lane| paused.remove(*lane));
        assert!(paused.is_empty());
    }
}
