//! Packets of new flows: sources send at line rate until the first feedback.

use std::collections::VecDeque;

use crate::spec::ValidSpec;

/// The flows that started in the last base RTT.
pub(super) struct Openings {
    base_rtt: f64,
    /// For each host, the time in ps at which its link has carried all flows so far.
    free_at: Vec<f64>,
    /// For each flow, its start in ps, and the packets that it sends before the first feedback.
    recent: VecDeque<(f64, f64)>,
    /// Sum of the packets in `recent`.
    sum: f64,
    /// The largest value of `sum` so far.
    pub(super) largest: f64,
}

impl Openings {
    pub(super) fn new(spec: &ValidSpec) -> Self {
        Self {
            base_rtt: spec.largest_base_rtt().rtt.as_ps() as f64,
            free_at: vec![0.0; spec.topology().hosts as usize],
            recent: VecDeque::new(),
            sum: 0.0,
            largest: 0.0,
        }
    }

    /// Adds a flow of `count` packets, which its source's link carries in `time`. Returns begin and
    /// end of that transmission.
    pub(super) fn add(
        &mut self,
        source: usize,
        [start, stop]: [f64; 2],
        count: f64,
        time: f64,
    ) -> [f64; 2] {
        let begin = self.free_at[source].max(start);
        self.free_at[source] = begin + time;
        let heard_at = (start + self.base_rtt).min(stop);
        let packets = count * ((heard_at - begin) / time.max(1.0)).clamp(0.0, 1.0);
        while let Some((at, gone)) = self.recent.front().copied()
            && at + self.base_rtt <= start
        {
            self.sum -= gone;
            self.recent.pop_front();
        }
        self.recent.push_back((start, packets));
        self.sum += packets;
        self.largest = self.largest.max(self.sum);
        [begin, begin + time]
    }
}
