//! PFC frames one by one: as many as a series may have rows, from the first on.

use incast_engine::RowLimit;
use incast_units::Time;

use super::PauseEvent;

/// The frames that one thread, or a run, recorded.
#[derive(Clone, Debug, Default)]
pub(crate) struct PauseLog {
    limit: RowLimit,
    events: Vec<PauseEvent>,
    /// From when on frames were left out, the limit being reached.
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

    /// Keeps no more frames than the limit. It is called between two steps: all frames of the
    /// earlier one come before those of the later one. The kept ones end between two times, so they
    /// do not depend on the order of nodes.
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

    /// Adds the frames of another thread: all frames before either cut are there.
    pub(crate) fn merge(&mut self, other: Self) {
        self.events.extend(other.events);
        self.cut = self.cut.into_iter().chain(other.cut).min();
        if let Some(cut) = self.cut {
            self.events.retain(|event| event.time < cut);
        }
    }

    /// The frames in order, and from when on there are none.
    pub(crate) fn finish(mut self) -> (Vec<PauseEvent>, Option<Time>) {
        self.bound();
        self.sort();
        (self.events, self.cut)
    }

    /// A port may be paused and resumed at one time: these stay in their order.
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

    /// Of frames at 1, 2, 3, 3 ns three may be kept: those before 3 ns.
    #[test]
    fn the_first_frames_are_kept() {
        let all = [1, 2, 3, 3, 4];
        let cut = Some(Time::from_ns(3));
        assert_eq!(times(log(all, 3).finish()), (vec![1, 2], cut));
        assert_eq!(times(log(all, 5).finish()), (all.to_vec(), None));
    }

    /// However frames are divided among threads.
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
