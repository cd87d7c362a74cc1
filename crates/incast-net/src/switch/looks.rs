//! Who looks at a switch's ports without changing them: samples, and programs.

use incast_units::Time;

use crate::context::NetContext;
use crate::measure::Recorder;
use crate::measure::{Bin, QueueSample};

use super::Switch;

impl<const WORDS: usize> Switch<'_, WORDS> {
    #[inline]
    pub(super) fn sample<C: NetContext<WORDS>>(&mut self, until: Time, context: &mut C) {
        if until >= self.next_look {
            self.take_samples(until, context);
        }
    }

    /// Takes all samples up to `until`, each of what is there when it is taken, and lets programs
    /// look.
    #[cold]
    pub(super) fn take_samples<C: NetContext<WORDS>>(&mut self, until: Time, context: &mut C) {
        while !self.busy.is_empty() && until >= self.next_look {
            let next = self.next_look;
            self.depart_all(next, context);
            self.look(next, context.local());
        }
        self.look(until, context.local());
    }

    pub(super) fn look(&mut self, now: Time, recorder: &mut Recorder) {
        self.catch_up(now, recorder);
        self.programs.look(now, &self.ports);
        self.next_look = self.sampling.next().min(self.programs.next_look());
    }

    /// Takes all samples up to `now`, since which nothing has changed.
    #[cold]
    pub(crate) fn catch_up(&mut self, now: Time, recorder: &mut Recorder) {
        loop {
            self.forget_quiet();
            if self.stirred.is_empty() {
                let count = self.sampling.skip(now);
                recorder.queue_histogram[0] += count * self.ports.len() as u64;
                return;
            }
            let Some((index, time, interval)) = self.sampling.take(now) else {
                return;
            };
            let tick = Recorder::tick(&mut recorder.queue_ticks, index, interval);
            let quiet = self.ports.len() - self.stirred.len();
            recorder.queue_histogram[0] += quiet as u64;
            for &number in &self.stirred {
                let port = &mut self.ports[usize::from(number)];
                let bytes = port.queue(time);
                tick.queue_max = tick.queue_max.max(bytes);
                tick.queue_sum += bytes;
                tick.paused_ports += u64::from(port.link.paused);
                recorder.queue_histogram[Bin::of(bytes)] += 1;
                if port.recorded {
                    let port = self.first_port + u32::from(number);
                    recorder.queues.push(QueueSample { time, port, bytes });
                }
            }
        }
    }

    /// Forgets stirred ports of which a sample tells nothing any more.
    fn forget_quiet(&mut self) {
        let ports = &mut self.ports;
        self.stirred.retain(|&number| {
            let port = &mut ports[usize::from(number)];
            port.stirred = !port.is_quiet();
            port.stirred
        });
    }

    /// Packets in all queues.
    pub(super) fn waiting(&self) -> u32 {
        self.ports.iter().map(|port| port.waiting).sum()
    }
}
