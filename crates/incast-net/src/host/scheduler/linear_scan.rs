//! The scheduler of the HPCC artifact's NIC (`qbb-net-device.cc`), habits included: QPs are scanned
//! in order of creation, starting after the QP served last. Finished QPs stay in the list until a
//! scan meets one of them. Their removal does not correct the place of the QP served last.

use incast_units::Time;

use crate::host::sending::QpTable;
use crate::wire::Lanes;

/// A QP that has finished but is still in the list.
const FINISHED: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
pub(in crate::host) struct LinearScan {
    /// Slots in order of creation.
    list: Vec<u32>,
    /// Place in the list of the QP served last, not corrected when finished QPs are removed.
    last: usize,
}

impl LinearScan {
    pub(super) fn add(&mut self, slot: u32) {
        self.list.push(slot);
    }

    pub(super) fn finish(&mut self, slot: u32) {
        let place = self.list.iter().position(|&other| other == slot);
        self.list[place.expect("a QP that finishes is in the list")] = FINISHED;
    }

    pub(super) fn pick(&mut self, now: Time, paused: Lanes, qps: &QpTable) -> Option<u32> {
        let count = self.list.len();
        let mut first_finished = usize::MAX;
        let mut found = None;
        // The list may have become shorter since.
        let start = (self.last + 1).checked_rem(count).unwrap_or(0);
        for place in (start..count).chain(0..start) {
            let slot = self.list[place];
            if slot == FINISHED {
                first_finished = first_finished.min(place);
                continue;
            }
            let qp = qps.get(slot).expect("an unfinished QP exists");
            let is_paused = paused.contains(qp.transfer.flow.data_lane());
            if !is_paused && qp.may_send() && qp.pacer.next_send <= now {
                found = Some(place);
                break;
            }
        }
        let found = self.sweep(first_finished, found)?;
        self.last = found;
        Some(self.list[found])
    }

    /// Removes the finished QPs from place `first` on; returns the new place of `found`.
    fn sweep(&mut self, first: usize, found: Option<usize>) -> Option<usize> {
        if first == usize::MAX {
            return found;
        }
        let before = |place: usize| {
            place
                - self.list[first..place]
                    .iter()
                    .filter(|&&slot| slot == FINISHED)
                    .count()
        };
        let found = found.map(|place| if place > first { before(place) } else { place });
        let mut place = 0;
        self.list.retain(|&slot| {
            place += 1;
            slot != FINISHED || place <= first
        });
        found
    }

    pub(super) fn earliest_send_time(&self, qps: &QpTable) -> Option<Time> {
        let unfinished = self.list.iter().filter(|&&slot| slot != FINISHED);
        unfinished
            .filter_map(|&slot| qps.get(slot))
            .filter(|qp| !qp.transfer.has_sent_all())
            .map(|qp| qp.pacer.next_send)
            .min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slots 0 to 5, of which these have finished.
    fn of_six(finished: &[u32]) -> LinearScan {
        let mut scan = LinearScan::default();
        (0..6).for_each(|slot| scan.add(slot));
        finished.iter().for_each(|&slot| scan.finish(slot));
        scan
    }

    /// A scan that meets finished QPs removes them from the first one on. The place of the QP that
    /// it found moves with that QP.
    #[test]
    fn a_scan_removes_what_has_finished() {
        for (finished, first, found, left, moved) in [
            (
                &[][..],
                usize::MAX,
                Some(3),
                &[0, 1, 2, 3, 4, 5][..],
                Some(3),
            ),
            (&[2], 2, Some(1), &[0, 1, 3, 4, 5], Some(1)),
            (&[2], 2, Some(3), &[0, 1, 3, 4, 5], Some(2)),
            (&[1, 3, 4], 1, Some(5), &[0, 2, 5], Some(2)),
            (&[1, 4], 4, Some(2), &[0, FINISHED, 2, 3, 5], Some(2)),
            (&[0, 5], 0, None, &[1, 2, 3, 4], None),
        ] {
            let mut scan = of_six(finished);
            assert_eq!(scan.sweep(first, found), moved, "{finished:?}");
            assert_eq!(scan.list, left, "{finished:?}");
        }
    }
}
