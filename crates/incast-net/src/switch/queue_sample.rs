//! A sample of a switch's queues: taken at once, or port by port together with a window.

use incast_units::Time;

use crate::measure::{QueueSample, Recorder, Sampling, SkippedSamples, Tick};

/// Largest number of samples in a window that is processed port by port.
pub(super) const MOST_SAMPLES: usize = 2;

/// Number and time of a sample.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct SampleNumber {
    pub(super) index: u64,
    pub(super) time: Time,
}

/// Bytes that wait at a port of a switch.
#[derive(Copy, Clone, Debug)]
pub(super) struct WaitingBytes {
    /// The port's number in its switch.
    pub(super) port: u16,
    /// Whether samples of the port's queue are kept one by one.
    pub(super) is_recorded: bool,
    pub(super) bytes: u64,
}

/// The common facts of a switch's ports in a sample.
#[derive(Copy, Clone, Debug)]
pub(super) struct SampledSwitch {
    /// Number of the switch's first port, counted over all nodes.
    pub(super) first_port: u32,
    /// Number of paused ports.
    pub(super) paused_ports: u64,
}

impl SampledSwitch {
    /// Records a sample of these waiting bytes. `alike`: later samples that are equal.
    pub(super) fn record(
        self,
        SampleNumber { index, time }: SampleNumber,
        alike: Option<SkippedSamples>,
        waiting: impl Iterator<Item = WaitingBytes>,
        recorder: &mut Recorder,
    ) {
        let is_kept = recorder.queues.thinning().keeps(index);
        let mut tick = Tick {
            paused_ports: self.paused_ports,
            ..Tick::default()
        };
        for waiting in waiting {
            let bytes = waiting.bytes;
            tick.queue_max = tick.queue_max.max(bytes);
            tick.queue_sum += bytes;
            recorder.queue_statistics.add(time, alike, bytes);
            if is_kept && waiting.is_recorded && bytes > 0 {
                let port = self.first_port + u32::from(waiting.port);
                let sample = QueueSample { time, port, bytes };
                recorder.queues.samples.push(sample);
            }
        }
        if is_kept {
            recorder.queues.ticks.add(index, &tick);
            recorder.queues.bound_in_step();
        }
    }
}

/// The samples in a part of a window that is processed port by port. Each port adds its waiting
/// bytes as it passes the time of a sample.
#[derive(Clone, Debug, Default)]
pub(super) struct WindowSamples {
    samples: [WindowSample; MOST_SAMPLES],
    count: usize,
}

#[derive(Clone, Debug, Default)]
struct WindowSample {
    number: SampleNumber,
    waiting: Vec<WaitingBytes>,
}

impl WindowSamples {
    /// Starts the samples that are due before `end`.
    #[inline]
    pub(super) fn begin(&mut self, sampling: &mut Sampling, end: Time) {
        self.count = 0;
        let last = end - Time::from_ps(1);
        while sampling.due(last)
            && let Some(sample) = self.samples.get_mut(self.count)
            && let Some((index, time, _)) = sampling.take(last)
        {
            sample.number = SampleNumber { index, time };
            self.count += 1;
        }
    }

    /// Whether the part has no samples.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The times of all samples, filled up with `end`.
    #[inline]
    pub(super) fn times(&self, end: Time) -> [Time; MOST_SAMPLES + 1] {
        std::array::from_fn(|place| match place < self.count {
            true => self.samples[place].number.time,
            false => end,
        })
    }

    /// Adds a port's waiting bytes to the sample at this index.
    #[inline]
    pub(super) fn add(&mut self, place: usize, waiting: WaitingBytes) {
        self.samples[place].waiting.push(waiting);
    }

    /// Records the samples, after all ports have added their bytes.
    pub(super) fn end(&mut self, switch: SampledSwitch, recorder: &mut Recorder) {
        for sample in &mut self.samples[..self.count] {
            if switch.paused_ports > 0 || !sample.waiting.is_empty() {
                let waiting = sample.waiting.drain(..);
                switch.record(sample.number, None, waiting, recorder);
            }
        }
        self.count = 0;
    }
}
