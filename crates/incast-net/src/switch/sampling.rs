//! Observing a switch's ports without changing them: samples of their queues, and observations of
//! programs.

use incast_units::Time;

use crate::measure::Recorder;

use super::queue_sample::{MOST_SAMPLES, SampleNumber, SampledSwitch, WaitingBytes, WindowSamples};
use super::{EgressPort, Switch};

impl<const WORDS: usize> Switch<WORDS> {
    /// Makes the observations that are due up to `until`, of the present state of ports.
    #[inline]
    pub(super) fn observe(&mut self, until: Time, recorder: &mut Recorder) {
        if until >= self.next_observation {
            self.observe_ports(until, recorder);
        }
    }

    #[cold]
    pub(super) fn observe_ports(&mut self, until: Time, recorder: &mut Recorder) {
        self.take_samples(until, recorder);
        self.programs.observe(until, &self.ports);
        self.plan_observation();
    }

    /// Takes all samples up to `until`; no port has changed since the first of them.
    #[cold]
    pub(crate) fn take_samples(&mut self, until: Time, recorder: &mut Recorder) {
        self.forget_empty_queues();
        while self.sampling.due(until) {
            self.forget_zero_samples();
            if self.sampled.is_empty() {
                self.sampling.skip(until);
                return;
            }
            let Some((index, time, _)) = self.sampling.take(until) else {
                return;
            };
            self.take_sample((index, time), until, recorder);
        }
    }

    /// Takes a sample. Following samples up to `until` that are not kept and are equal are counted
    /// with it.
    #[inline(never)]
    fn take_sample(&mut self, (index, time): (u64, Time), until: Time, recorder: &mut Recorder) {
        let thinning = recorder.queues.thinning();
        let mut alike = None;
        if thinning.stride() > 1 && self.waits_unchanged(time) {
            alike = self.sampling.skip_before(thinning.next_kept(index), until);
        }
        let switch = self.as_sampled();
        let ports = &mut self.ports;
        let sampled = self.sampled.iter();
        let waiting = sampled.map(|&number| ports[usize::from(number)].sample(number, time));
        switch.record(SampleNumber { index, time }, alike, waiting, recorder);
    }

    /// Records the samples to which ports have added their bytes. Ports that are no longer sampled
    /// may stay among the backlogged ones until the end of the window or the next observation.
    pub(super) fn end_samples(&mut self, samples: &mut WindowSamples, recorder: &mut Recorder) {
        samples.end(self.as_sampled(), recorder);
        self.forget_zero_samples();
        self.plan_observation();
    }

    fn plan_observation(&mut self) {
        self.next_observation = self.sampling.next().min(self.programs.next_observation());
    }

    fn as_sampled(&self) -> SampledSwitch {
        let sampled = self.sampled.iter();
        let links = sampled.map(|&number| &self.ports[usize::from(number)].egress.link);
        SampledSwitch {
            first_port: self.first_port,
            paused_ports: links.filter(|link| !link.paused().is_empty()).count() as u64,
        }
    }

    /// Whether the bytes that wait at `time` wait until the next event, because no committed send
    /// starts before.
    fn waits_unchanged(&mut self, time: Time) -> bool {
        self.sampled.iter().all(|&number| {
            let committed = &mut self.ports[usize::from(number)].committed;
            committed.bytes_at(time) == 0
        })
    }

    /// Whether at most [`MOST_SAMPLES`] observations come before `end`.
    #[inline(always)]
    pub(super) fn observes_rarely(&self, end: Time) -> bool {
        self.next_observation >= end || self.sampling.takes_at_most(MOST_SAMPLES as u64, end)
    }

    /// Notes that samples of this port may be above zero from now on.
    pub(super) fn sample_port(&mut self, number: usize) {
        self.ports[number].start_sampling(number, &mut self.sampled);
    }

    /// Removes the ports whose samples are all zero.
    fn forget_zero_samples(&mut self) {
        let ports = &mut self.ports;
        self.sampled.retain(|&number| {
            let port = &mut ports[usize::from(number)];
            port.is_sampled = !port.has_zero_samples();
            port.is_sampled
        });
    }
}

impl<const WORDS: usize> EgressPort<WORDS> {
    /// The bytes that wait at `time`, before any event then. `number`: the port's number in its
    /// switch.
    #[inline]
    pub(super) fn sample(&mut self, number: u16, time: Time) -> WaitingBytes {
        WaitingBytes {
            port: number,
            is_recorded: self.is_recorded,
            bytes: self.waiting_bytes(time),
        }
    }
}
