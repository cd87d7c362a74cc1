//! News for the observer: flows that have started and completed, milestones, and the run's
//! progress.

use std::time::{Duration, Instant};

use incast_units::Time;

use super::state::{LoopState, REPORT_EVERY};
use crate::measure::FlowRecord;
use crate::observer::{Observer, Progress};

/// The longest time between reports of progress.
const REPORT_AT_LEAST_EVERY: Duration = Duration::from_millis(500);
/// Time between reports, within their limits: a multiple of the time for counting packet-hops (2 ms
/// with 8,192 hosts).
const REPORT_EVERY_COUNTS: u32 = 50;
/// Most steps between two readings of the wall clock, and most simulated time: a long step with
/// many samples can take as long as many steps.
const MAX_STEPS_PER_CLOCK_READING: u32 = 64;
const TIME_PER_CLOCK_READING: Time = Time::from_ms(1);
/// If two readings of the clock are further apart than this, the next one follows after fewer
/// steps.
const LONG_WITHOUT_READING: Duration = Duration::from_millis(5);

impl LoopState {
    /// Reports the news of a step. Returns whether flows completed, or milestones were reached.
    pub(super) fn tell(&mut self, observer: &mut dyn Observer) -> bool {
        let news = !self.finished.is_empty() || !self.milestones.is_empty();
        self.tell_starts(observer);
        if !self.finished.is_empty() {
            let in_order = |flow: &FlowRecord| (flow.finish, flow.id);
            self.finished.sort_unstable_by_key(in_order);
            self.alive -= self.finished.len() as u64;
            let last = self.finished.last().map(|flow| flow.finish);
            self.last_finish = self.last_finish.max(last.unwrap_or_default());
            observer.finished(&self.finished);
            self.finished.clear();
        }
        news
    }

    /// Reports the flows that have started and the milestones, where sends wait.
    fn tell_starts(&mut self, observer: &mut dyn Observer) {
        if !self.released.is_empty() {
            self.released
                .sort_unstable_by_key(|flow| (flow.start, flow.id));
            self.started += self.released.len() as u64;
            self.alive += self.released.len() as u64;
            observer.released(&self.released);
            self.released.clear();
        }
        if !self.milestones.is_empty() {
            self.milestones.sort_unstable();
            observer.reached(&self.milestones);
            self.milestones.clear();
        }
    }

    /// The time before which the run cannot end: the end of the last flow; [`Time::MAX`] while
    /// flows are alive.
    pub(super) fn known_end(&self) -> Time {
        match self.alive {
            0 => self.last_finish,
            _ => Time::MAX,
        }
    }

    /// Counts a step. Returns the time of the wall clock if a report of progress is due.
    pub(super) fn time_of_report(&mut self, at_once: bool) -> Option<Instant> {
        self.steps += 1;
        let is_soon = self.end < self.last_reading + TIME_PER_CLOCK_READING;
        if self.steps < self.steps_per_reading && is_soon && !at_once {
            return None;
        }
        (self.steps, self.last_reading) = (0, self.end);
        let now = Instant::now();
        self.steps_per_reading = match now - self.read_at > LONG_WITHOUT_READING {
            true => 1,
            false => (self.steps_per_reading * 2).min(MAX_STEPS_PER_CLOCK_READING),
        };
        self.read_at = now;
        (now >= self.next_report || at_once).then_some(now)
    }

    /// The progress to report, with the packet-hops whose counting began at `now`. Sets the time of
    /// the next report.
    pub(super) fn progress(&mut self, now: Instant, packet_hops: u64) -> Progress {
        let pause = now.elapsed() * REPORT_EVERY_COUNTS;
        self.next_report = now + pause.clamp(REPORT_EVERY, REPORT_AT_LEAST_EVERY);
        Progress {
            time: self.end,
            flows_started: self.started,
            flows_finished: self.started - self.alive,
            packet_hops,
        }
    }
}
