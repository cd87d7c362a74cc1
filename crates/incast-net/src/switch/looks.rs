//! Who looks at a switch's ports without changing them: samples, and programs.

use incast_units::Time;

use crate::context::NetContext;
use crate::record::{Bin, QueueSample};
use crate::recorder::Recorder;

use super::{Port, Switch};

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
        if self.ports.iter().all(Port::is_quiet) {
            let count = self.sampling.skip(now);
            recorder.queue_histogram[0] += count * self.ports.len() as u64;
            return;
        }
        while let Some((index, time, interval)) = self.sampling.take(now) {
            let tick = Recorder::tick(&mut recorder.queue_ticks, index, interval);
            for (number, port) in self.ports.iter_mut().enumerate() {
                let bytes = port.queue(time);
                tick.queue_max = tick.queue_max.max(bytes);
                tick.queue_sum += bytes;
                tick.paused_ports += u64::from(port.link.paused);
                recorder.queue_histogram[Bin::of(bytes)] += 1;
                if port.recorded {
                    let port = self.first_port + number as u32;
                    recorder.queues.push(QueueSample { time, port, bytes });
                }
            }
        }
    }

    /// Packets in all queues.
    pub(super) fn waiting(&self) -> u32 {
        self.ports.iter().map(|port| port.waiting).sum()
    }
}
