//! Observing a host without changing it: samples of its flows, and pauses of its NIC.

use incast_units::Time;

use crate::measure::{PAGE, Recorder, StandingTotals, Tick};

use super::Host;

impl<const WORDS: usize> Host<'_, WORDS> {
    /// Takes the samples due up to and including `now`, before the event at `now` takes effect.
    #[inline]
    pub(crate) fn take_samples(&mut self, now: Time, recorder: &mut Recorder) {
        if self.sampling.due(now) {
            self.take_due_samples(now, recorder);
        }
    }

    #[inline(never)]
    fn take_due_samples(&mut self, now: Time, recorder: &mut Recorder) {
        loop {
            if self.has_nothing_to_sample() {
                self.sampling.skip(now);
                return;
            }
            let thinning = recorder.flows.thinning();
            let Some((index, time, interval)) = self.sampling.take_observed(now, thinning) else {
                return;
            };
            let mut totals = Tick::default();
            if !thinning.keeps(index) {
                // The next sample is kept: its counts per flow start here.
                self.sender.sample(time, interval, &mut totals);
                continue;
            }
            totals.acked = self.sender.since_sample().take_acked();
            self.sender.sample(time, interval, &mut totals);
            let samples = &mut recorder.flows.samples;
            if recorder.measure.flows {
                self.sender.keep_sample(time, &mut samples.flows);
            }
            if recorder.measure.probes {
                self.sender.probe(time, &mut samples.probes);
            }
            recorder.flows.ticks.add(index, &totals);
            recorder.flows.bound_in_step();
            self.take_alike_samples(now, &totals, recorder);
        }
    }

    /// Takes all further samples up to `now`, after one with these totals. No event lies between
    /// them: the same flows exist, and nothing is acknowledged.
    #[inline(never)]
    fn take_alike_samples(&mut self, now: Time, before: &Tick, recorder: &mut Recorder) {
        if recorder.measure.flows || recorder.measure.probes {
            return;
        }
        let standing = StandingTotals {
            alive: before.alive,
            ..StandingTotals::default()
        };
        while self.sampling.due(now) {
            let stride = recorder.flows.thinning().stride();
            let first = self.sampling.index();
            // A whole page of totals is added in one step.
            let page = first.div_ceil(stride) / PAGE;
            let Some(alike) = self.sampling.skip_before((page + 1) * PAGE * stride, now) else {
                return;
            };
            let kept = first.div_ceil(stride)..(first + alike.count()).div_ceil(stride);
            recorder.flows.ticks.add_to_each(kept, standing);
            recorder.flows.bound_in_step();
        }
    }

    fn has_nothing_to_sample(&mut self) -> bool {
        self.sender.is_empty() && self.sender.since_sample().is_nothing()
    }

    /// Adds a pause of the NIC, if it is paused, to the samples of queues up to `until`. Like
    /// samples of flows, these show the state before all events at their time.
    pub(super) fn sample_pause(&self, until: Time, recorder: &mut Recorder) {
        if let Some(since) = self.nic.link.paused_since() {
            let until = until.min(recorder.measure.until);
            recorder.queues.ticks.add_pause(since, until);
        }
    }

    /// Takes all samples up to `series_end`, and counts a pause that still lasts at `end`, the end
    /// of the run.
    pub(crate) fn catch_up(&mut self, series_end: Time, end: Time, recorder: &mut Recorder) {
        self.take_samples(series_end, recorder);
        self.sample_pause(series_end, recorder);
        self.nic.link.count_open_pause(end);
    }
}
