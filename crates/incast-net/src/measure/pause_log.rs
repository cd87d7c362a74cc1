//! PFC frames, one by one: the first ones, up to the limit on the rows of a series.

use incast_engine::RowLimit;
use incast_units::Time;

use super::PauseEvent;

/// The recorded frames of one thread, or of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct PauseLog {
    limit: RowLimit,
    events: Vec<PauseEvent>,
    /// Time from which on frames are left out, if the limit was reached.
    cut: Option<Time>,
}

impl PauseLog {
    pub(crate) fn new(limit: RowLimit) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    pub(crate) fn push(&mut self, event: PauseEvent) {
        if self.cut.is_none_or(|cut| event.time < cut) {
            self.events.push(event);
        }
    }

    /// Drops frames beyond the limit. Called between two steps: all frames of a step come before
    /// those of the next. The cut lies between two times, so the kept frames do not depend on the
    /// order of nodes.
    #[inline]
    pub(crate) fn bound(&mut self) {
        if self.events.len() > self.limit.0 {
            self.cut();
        }
    }

    #[cold]
    fn cut(&mut self) {
        self.sort();
        let cut = self.events[self.limit.0].time;
        let kept = self.events.partition_point(|event| event.time < cut);
        self.events.truncate(kept);
        self.cut = Some(cut);
    }

    /// Adds the frames of another thread, up to the earlier one of both cuts.
    pub(crate) fn merge(&mut self, other: Self) {
        self.events.extend(other.events);
        self.cut = self.cut.into_iter().chain(other.cut).min();
        if let Some(cut) = self.cut {
            self.events.retain(|event| event.time < cut);
        }
    }

    /// The frames in order, and the time from which on frames are left out.
    pub(crate) fn finish(mut self) -> (Vec<PauseEvent>, Option<Time>) {
        self.bound();
        self.sort();
        (self.events, self.cut)
    }

    /// Sorts by time and port. A pause and a resume of one port at one time keep their order.
    fn sort(&mut self) {
        self.events
            .sort_by_key(|event| (event.time, event.node, event.port));
    }
}

#[cfg(test)]
mod tests {
    use incast_units::NodeId;

    use super::*;

    fn log(times: impl IntoIterator<Item = u64>, limit: usize) -> PauseLog {
        let mut log = PauseLog::new(RowLimit(limit));
        for time in times {
            log.push(PauseEvent {
                time: Time::from_ns(time),
                node: NodeId(0),
                port: 0,
                paused: true,
            });
            log.bound();
        }
        log
    }

    fn times((events, cut): (Vec<PauseEvent>, Option<Time>)) -> (Vec<u64>, Option<Time>) {
        let times = events.iter().map(|event| event.time.as_ps() / 1000);
        (times.collect(), cut)
    }

    /// Frames are at 1, 2, 3 and 3 ns, and three may be kept. So the frames before 3 ns are kept.
    #[test]
    fn the_first_frames_are_kept() {
        let all = [1, 2, 3, 3, 4];
        let cut = Some(Time::from_ns(3));
        assert_eq!(times(log(all, 3).finish()), (vec![1, 2], cut));
        assert_eq!(times(log(all, 5).finish()), (all.to_vec(), None));
    }

    /// The kept frames do not depend on how frames are divided among threads.
    #[test]
    fn threads_keep_the_same_frames() {
        for split in [2, 3, 5] {
            let part = |odd| (1..100).filter(move |time| (time % split == 0) == odd);
            let mut one = log(part(true), 20);
            one.merge(log(part(false), 20));
            assert_eq!(times(one.finish()), times(log(1..100, 20).finish()));
        }
    }
}
