//! Progress of a host's flows since the last sample. A sample takes no time for flows without
//! progress.

use incast_units::Time;

use super::Tick;

/// The part of a flow's state that is for samples.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct OfFlow {
    /// Bytes acknowledged in order at the last sample.
    sampled: u64,
    /// Whether the flow's slot is in [`SinceSample::acked_slots`].
    is_listed: bool,
}

/// State of a slot.
#[derive(Clone, Debug)]
struct Slot {
    /// Start of the flow in this slot; [`Time::MAX`] if the slot is free.
    start: Time,
    /// Whether the slot is in [`SinceSample::young`].
    is_young: bool,
    /// Whether the last flow that ended in this slot was listed.
    was_listed: bool,
}

const FREE: Slot = Slot {
    start: Time::MAX,
    is_young: false,
    was_listed: false,
};

/// The flows of a host, and their progress since the last sample.
#[derive(Clone, Debug, Default)]
pub(crate) struct SinceSample {
    slots: Vec<Slot>,
    /// Number of flows under way.
    alive: u64,
    /// Bytes acknowledged in order since the last kept sample, including flows that have ended.
    acked: u64,
    /// Slots with acknowledged bytes since the last sample, each once.
    acked_slots: Vec<u32>,
    /// Slots whose flows may have started since the sample before, each once.
    young: Vec<u32>,
}

impl SinceSample {
    /// Adds a flow that starts at `start`, in a free slot.
    pub(crate) fn begin(&mut self, slot: u32, start: Time, flow: &mut OfFlow) {
        let number = slot as usize;
        if self.slots.len() <= number {
            self.slots.resize(number + 1, FREE);
        }
        let state = &mut self.slots[number];
        state.start = start;
        flow.is_listed = std::mem::take(&mut state.was_listed);
        if !state.is_young {
            state.is_young = true;
            self.young.push(slot);
        }
        self.alive += 1;
    }

    /// Adds `bytes` of a flow that are newly acknowledged in order.
    #[inline(always)]
    pub(crate) fn acknowledge(&mut self, slot: u32, flow: &mut OfFlow, bytes: u64) {
        self.acked += bytes;
        if !flow.is_listed {
            flow.is_listed = true;
            self.list(slot);
        }
    }

    #[inline(never)]
    fn list(&mut self, slot: u32) {
        self.acked_slots.push(slot);
    }

    /// Removes a flow that has ended.
    pub(crate) fn end(&mut self, slot: u32, flow: OfFlow) {
        let state = &mut self.slots[slot as usize];
        (state.start, state.was_listed) = (Time::MAX, flow.is_listed);
        self.alive -= 1;
    }

    /// Whether no bytes have been acknowledged since the last kept sample.
    pub(crate) fn is_nothing(&self) -> bool {
        self.acked == 0
    }

    /// Takes the bytes acknowledged since the last kept sample.
    pub(crate) fn take_acked(&mut self) -> u64 {
        std::mem::take(&mut self.acked)
    }

    /// Adds the flows to the totals of a sample at `time`, `interval` after the sample before. `of`
    /// returns the acknowledged bytes and the state of the flow in a slot.
    pub(crate) fn sample<T>(
        &mut self,
        (time, interval): (Time, Time),
        totals: &mut Tick,
        table: &mut T,
        of: fn(&mut T, u32) -> (u64, &mut OfFlow),
    ) {
        // Flows that started before this time have been alive for the whole interval.
        let began_before = match time >= interval {
            true => time - interval + Time::from_ps(1),
            false => Time::ZERO,
        };
        let slots = &mut self.slots;
        if !self.young.is_empty() {
            self.young.retain(|&slot| {
                let state = &mut slots[slot as usize];
                state.is_young = state.start >= began_before && state.start < Time::MAX;
                state.is_young
            });
        }
        let (mut sum, mut square_sum) = (0, 0);
        for &slot in &self.acked_slots {
            let state = &mut slots[slot as usize];
            if state.start == Time::MAX {
                state.was_listed = false;
                continue;
            }
            let (acked, flow) = of(table, slot);
            let newly = acked - std::mem::replace(&mut flow.sampled, acked);
            flow.is_listed = false;
            if state.start < began_before {
                sum += newly;
                square_sum += u128::from(newly) * u128::from(newly);
            }
        }
        self.acked_slots.clear();
        totals.alive += self.alive;
        totals.whole += self.alive - self.young.len() as u64;
        totals.acked_sum += sum;
        totals.acked_square_sum += square_sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use incast_random::{NetworkPurpose, RandomStream};

    /// By slot: start, bytes acknowledged in total, and at the last sample.
    #[derive(Default)]
    struct Plain(Vec<Option<(Time, u64, u64)>>);

    impl Plain {
        /// Takes a sample by visiting all flows.
        fn sample(&mut self, time: Time, interval: Time) -> Tick {
            let mut totals = Tick::default();
            for (start, acked, sampled) in self.0.iter_mut().flatten() {
                let newly = *acked - std::mem::replace(sampled, *acked);
                totals.alive += 1;
                if *start + interval <= time {
                    totals.whole += 1;
                    totals.acked_sum += newly;
                    totals.acked_square_sum += u128::from(newly) * u128::from(newly);
                }
            }
            totals
        }
    }

    /// Flows with their state for samples.
    #[derive(Default)]
    struct Flows {
        since: SinceSample,
        flows: Vec<(u64, OfFlow)>,
    }

    impl Flows {
        fn begin(&mut self, slot: usize, start: Time) {
            let size = self.flows.len().max(slot + 1);
            self.flows.resize_with(size, Default::default);
            self.flows[slot] = Default::default();
            let flow = &mut self.flows[slot].1;
            self.since.begin(slot as u32, start, flow);
        }

        fn acknowledge(&mut self, slot: usize, bytes: u64) {
            let (acked, flow) = &mut self.flows[slot];
            *acked += bytes;
            self.since.acknowledge(slot as u32, flow, bytes);
        }

        fn end(&mut self, slot: usize) {
            self.since.end(slot as u32, self.flows[slot].1);
        }

        fn sample(&mut self, time: Time, interval: Time) -> Tick {
            let mut totals = Tick::default();
            let at = (time, interval);
            self.since
                .sample(at, &mut totals, &mut self.flows, |flows, slot| {
                    let (acked, flow) = &mut flows[slot as usize];
                    (*acked, flow)
                });
            totals
        }
    }

    /// Flows start in free slots, make progress and end at random.
    #[test]
    fn samples_are_as_if_all_flows_were_looked_at() {
        for seed in 0..50 {
            let mut random = RandomStream::of_network(seed, 1, NetworkPurpose::Scheduling);
            let mut below = |limit: u64| (random.uniform() * limit as f64) as u64;
            let (mut flows, mut plain) = (Flows::default(), Plain::default());
            let (mut total, mut now, mut samples) = (0, Time::ZERO, 0);
            let interval = Time::from_ps(100);
            for _ in 0..2_000 {
                let slot = below(12) as usize;
                plain.0.resize(plain.0.len().max(slot + 1), None);
                match (&mut plain.0[slot], below(4)) {
                    (flow @ None, _) => {
                        *flow = Some((now, 0, 0));
                        flows.begin(slot, now);
                    }
                    (flow, 0) => {
                        *flow = None;
                        flows.end(slot);
                    }
                    (Some((_, acked, _)), _) => {
                        let bytes = below(3);
                        (*acked, total) = (*acked + bytes, total + bytes);
                        flows.acknowledge(slot, bytes);
                    }
                }
                assert!(flows.since.acked_slots.len() <= 12 && flows.since.young.len() <= 12);
                now += Time::from_ps(below(30));
                // Some samples are late, several at once.
                while below(3) > 0 && interval * (samples + 1) < now {
                    samples += 1;
                    let found = flows.sample(interval * samples, interval);
                    assert_eq!(found, plain.sample(interval * samples, interval));
                }
                if below(20) == 0 {
                    assert_eq!(flows.since.take_acked(), std::mem::take(&mut total));
                }
            }
            assert!(samples > 100);
        }
    }

    /// Two flows start at 0, one at 100 ns and one just after; the first one ends.
    #[test]
    fn flows_count_whole_from_their_first_interval_on() {
        let at = Time::from_ns;
        let mut flows = Flows::default();
        flows.begin(0, at(0));
        flows.begin(1, at(0));
        flows.acknowledge(0, 3);
        flows.acknowledge(1, 4);
        let first = flows.sample(at(100), at(100));
        assert_eq!((first.alive, first.whole), (2, 2));
        assert_eq!((first.acked_sum, first.acked_square_sum), (7, 25));
        flows.begin(2, at(100));
        flows.begin(3, at(101));
        flows.acknowledge(0, 5);
        flows.end(0);
        flows.acknowledge(2, 6);
        flows.acknowledge(3, 7);
        let second = flows.sample(at(200), at(100));
        assert_eq!((second.alive, second.whole), (3, 2));
        assert_eq!((second.acked_sum, second.acked_square_sum), (6, 36));
        assert_eq!(flows.since.take_acked(), 3 + 4 + 5 + 6 + 7);
    }
}
