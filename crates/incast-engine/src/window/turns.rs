//! Turns: the order in which nodes handle windows of time.
//!
//! Let L be the smallest delay of any link. Events at one node in \[T, T+L) cannot affect another
//! before T+L, so all nodes can take one window of length L after the other. Sometimes nodes can be
//! divided into two sides, so that no link shorter than 2L joins two nodes of one side (levels of a
//! fat tree, of a leaf-spine, of a star). Windows are then twice as long, and half as many:
//!
//! ```text
//! turn       1        2        3        4        5
//! side 1   [0, 2L)           [2L, 4L)          [4L, 6L)
//! side 0   [0,L)    [L, 3L)           [3L, 5L)
//! ```
//!
//! A side depends on the events of the other side up to L before the end of its window. These are
//! done in the turn before. Turns follow each other at distances of L; the first turn of side 0 is
//! turn 0. Where all nodes have to stand at one time, a multiple of 2L, side 0 takes its last
//! window in two parts.

/// The numbering of turns, in order of time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Turns {
    /// Time from one turn to the next, in ps: the smallest delay of any link, or less.
    step: u64,
    /// 2^64 over `step`, rounded down.
    inverse: u64,
    /// Length of a window in steps: two if sides alternate, one if all nodes are of side 0.
    reach: u64,
}

impl Turns {
    /// All nodes take every turn.
    pub(super) fn of_all(step: u64) -> Self {
        Self::new(step, 1)
    }

    /// Two sides alternate.
    pub(super) fn of_sides(step: u64) -> Self {
        Self::new(step, 2)
    }

    fn new(step: u64, reach: u64) -> Self {
        let inverse = u64::MAX / step;
        Self {
            step,
            inverse,
            reach,
        }
    }

    /// Time from one turn to the next, in ps.
    pub(super) fn step(self) -> u64 {
        self.step
    }

    /// Length of a window, in ps. All nodes can stand at its multiples.
    #[inline(always)]
    pub(super) fn length(self) -> u64 {
        self.step * self.reach
    }

    /// Whether there are two sides.
    pub(super) fn is_alternating(self) -> bool {
        self.reach > 1
    }

    /// The turn in which a node of this side handles events at `at`, in ps.
    #[inline(always)]
    pub(super) fn turn_of(self, at: u64, side: u32) -> u64 {
        let side = u64::from(side);
        ((self.steps_before(at) + 1 + side) & !(self.reach - 1)) - side
    }

    /// Whole steps up to `at`, in ps. Called for each batch, so it avoids a division.
    #[inline(always)]
    fn steps_before(self, at: u64) -> u64 {
        let least = (u128::from(at) * u128::from(self.inverse)) >> u64::BITS;
        let least = least as u64;
        // Because the inverse is rounded down, `least` is at most one too small.
        least + u64::from(at - least * self.step >= self.step)
    }

    /// The side whose turn it is.
    #[inline(always)]
    pub(super) fn side_of(self, turn: u64) -> u32 {
        (turn & (self.reach - 1)) as u32
    }

    /// Number of successive turns in which no node depends on messages sent in these turns over
    /// links of at least this delay, in ps. Links shorter than two steps join one side to the
    /// other.
    pub(super) fn within(self, delay: u64) -> u64 {
        (delay / self.step).saturating_sub(self.reach - 1).max(1)
    }

    /// Start of a turn's window, in ps.
    #[inline(always)]
    pub(super) fn start(self, turn: u64) -> u64 {
        turn.saturating_sub(1) * self.step
    }

    /// End of a turn's window, in ps.
    #[inline(always)]
    pub(super) fn end(self, turn: u64) -> u64 {
        (turn + self.reach - 1) * self.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table at the head of this file, with L = 10.
    #[test]
    fn sides_alternate() {
        let turns = Turns::of_sides(10);
        let of = |side| [0, 9, 10, 19, 20, 29, 30, 39, 40].map(|at| turns.turn_of(at, side));
        assert_eq!(of(1), [1, 1, 1, 1, 3, 3, 3, 3, 5]);
        assert_eq!(of(0), [0, 0, 2, 2, 2, 2, 4, 4, 4]);
        let windows = [0, 1, 2, 3, 4].map(|turn| (turns.start(turn), turns.end(turn)));
        assert_eq!(windows, [(0, 10), (0, 20), (10, 30), (20, 40), (30, 50)]);
        assert_eq!([0, 1, 2, 3].map(|turn| turns.side_of(turn)), [0, 1, 0, 1]);
        assert_eq!((turns.step(), turns.length()), (10, 20));
    }

    /// Equal to a division, at the ends of steps and of time.
    #[test]
    fn steps_are_whole() {
        let steps = [
            1,
            2,
            3,
            10,
            1_000,
            999_999,
            1 << 20,
            10_000_000,
            (1 << 40) - 1,
            u64::MAX,
        ];
        for step in steps {
            let turns = Turns::of_all(step);
            let last = u64::MAX / step;
            for number in [0, 1, 2, 3, 1_000, last / 3, last.saturating_sub(1), last] {
                let Some(start) = number.checked_mul(step) else {
                    continue;
                };
                for at in [
                    start.saturating_sub(1),
                    start,
                    start.saturating_add(1),
                    u64::MAX,
                ] {
                    assert_eq!(turns.steps_before(at), at / step, "{at} / {step}");
                }
            }
        }
    }

    #[test]
    fn all_nodes_take_every_turn() {
        let turns = Turns::of_all(10);
        assert_eq!([0, 9, 10, 25].map(|at| turns.turn_of(at, 0)), [1, 1, 2, 3]);
        assert_eq!([1, 2, 3].map(|turn| turns.start(turn)), [0, 10, 20]);
        assert_eq!([1, 2, 3].map(|turn| turns.end(turn)), [10, 20, 30]);
        assert_eq!((turns.side_of(2), turns.length()), (0, 10));
    }
}
