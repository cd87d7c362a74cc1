//! Totals over time. Most may be zero: idle time takes no memory.

use std::ops::Range;

use incast_engine::Thinning;
use incast_units::Time;

use super::paused_ports::PausedPorts;
use super::{StandingTotals, Tick};

/// Number of ticks that are stored together. The length of the series is checked after at most this
/// many new ticks.
pub(crate) const PAGE: u64 = 64;

/// Totals by sample number; only pages with totals that are not zero are stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ticks {
    interval: Time,
    thinning: Thinning,
    /// Pages in order of their numbers.
    pages: Vec<Page>,
    /// Index of the page that was found last.
    last: usize,
    /// Number of ticks that are not zero.
    count: usize,
    /// Paused ports that are not added to ticks yet.
    paused: PausedPorts,
}

/// `PAGE` consecutive kept ticks.
#[derive(Clone, Debug)]
struct Page {
    number: u64,
    /// The ticks, without their common totals.
    ticks: Vec<Tick>,
    /// Totals that all ticks of the page have in addition.
    standing: StandingTotals,
}

impl Page {
    /// The page with this number, of ticks that are kept `interval` apart.
    fn new(number: u64, interval: Time) -> Self {
        let numbers = number * PAGE..(number + 1) * PAGE;
        Self {
            number,
            ticks: numbers.map(|number| Tick::at(interval * number)).collect(),
            standing: StandingTotals::default(),
        }
    }

    fn stands(&self) -> bool {
        self.standing != StandingTotals::default()
    }

    /// Adds the same totals to a range of ticks, by place. Returns how many of them were zero.
    fn add_to_each(&mut self, places: Range<usize>, standing: StandingTotals) -> usize {
        let stands = self.stands();
        let mut were_zero = 0;
        if places == (0..PAGE as usize) {
            if !stands {
                were_zero = self.ticks.iter().filter(|tick| tick.is_zero()).count();
            }
            self.standing.add(standing);
            return were_zero;
        }
        for tick in &mut self.ticks[places] {
            were_zero += usize::from(!stands && tick.is_zero());
            tick.add(standing);
        }
        were_zero
    }

    /// Adds totals to a tick, by place. Returns whether it was zero.
    #[inline(always)]
    fn add(&mut self, place: usize, totals: &Tick) -> bool {
        let tick = &mut self.ticks[place];
        let was_zero = tick.is_zero();
        tick.merge(totals);
        was_zero && !self.stands()
    }

    /// All ticks of the page.
    fn iter(&self) -> impl Iterator<Item = Tick> {
        self.ticks.iter().map(|tick| {
            let mut tick = *tick;
            tick.add(self.standing);
            tick
        })
    }

    /// All ticks of the page, with their numbers.
    fn numbered(&self) -> impl Iterator<Item = (u64, Tick)> {
        (self.number * PAGE..).zip(self.iter())
    }
}

impl Ticks {
    pub(crate) fn new(interval: Option<Time>) -> Self {
        Self {
            interval: interval.unwrap_or_default(),
            ..Self::default()
        }
    }

    pub(crate) fn thinning(&self) -> Thinning {
        self.thinning
    }

    /// Number of ticks that are not zero.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Time between kept ticks.
    pub(crate) fn interval(&self) -> Time {
        self.interval * self.thinning.stride()
    }

    /// Adds one paused port at the samples after `since` and up to `until`.
    pub(crate) fn add_pause(&mut self, since: Time, until: Time) {
        let interval = self.interval().as_ps();
        let before = |time: Time| time.as_ps().checked_div(interval).map(|last| last + 1);
        if let (Some(start), Some(end)) = (before(since), before(until)) {
            self.paused.add(start..end);
        }
    }

    /// Number of samples with paused ports that are not added to ticks yet.
    pub(crate) fn paused_samples(&self) -> u64 {
        self.paused.samples()
    }

    /// Adds the paused ports to ticks.
    pub(crate) fn settle_pauses(&mut self) {
        for (samples, paused_ports) in std::mem::take(&mut self.paused).stretches() {
            let standing = StandingTotals {
                paused_ports,
                ..StandingTotals::default()
            };
            self.add_to_each(samples, standing);
        }
    }

    /// Adds totals to a kept sample.
    pub(crate) fn add(&mut self, index: u64, totals: &Tick) {
        if !totals.is_zero() {
            self.add_to_slot(index / self.thinning.stride(), totals);
        }
    }

    /// Adds the same totals to several samples, by number among the kept ones.
    pub(crate) fn add_to_each(&mut self, indices: Range<u64>, standing: StandingTotals) {
        if standing == StandingTotals::default() {
            return;
        }
        let mut left = indices;
        while !left.is_empty() {
            let first = left.start / PAGE * PAGE;
            let end = left.end.min(first + PAGE);
            let places = (left.start - first) as usize..(end - first) as usize;
            self.count += self.page_of(left.start).add_to_each(places, standing);
            left.start = end;
        }
    }

    fn add_to_slot(&mut self, slot: u64, totals: &Tick) {
        let place = (slot % PAGE) as usize;
        self.count += usize::from(self.page_of(slot).add(place, totals));
    }

    /// The page that holds a kept sample.
    #[inline(always)]
    fn page_of(&mut self, slot: u64) -> &mut Page {
        let number = slot / PAGE;
        let found = self.pages.get(self.last);
        if found.is_none_or(|page| page.number != number) {
            self.last = self.find(number);
        }
        &mut self.pages[self.last]
    }

    /// Index of a page, which is added if missing.
    #[inline(never)]
    fn find(&mut self, number: u64) -> usize {
        let found = self.pages.binary_search_by_key(&number, |page| page.number);
        found.unwrap_or_else(|place| {
            self.pages.insert(place, Page::new(number, self.interval()));
            place
        })
    }

    /// Keeps every second tick. Bytes acknowledged until a dropped tick count for the next one.
    pub(crate) fn thin(&mut self) {
        let thinning = self.thinning.doubled();
        let mut thinned = Self {
            interval: self.interval,
            thinning,
            paused: std::mem::take(&mut self.paused).thinned(),
            ..Self::default()
        };
        let stride = thinning.stride();
        for page in std::mem::take(&mut self.pages) {
            for (slot, tick) in page.numbered() {
                match slot % 2 {
                    0 => thinned.add(slot / 2 * stride, &tick),
                    _ => thinned.add((slot / 2 + 1) * stride, &Tick::of_acked(tick.acked)),
                }
            }
        }
        *self = thinned;
    }

    /// Adds the ticks of another thread, with equal thinning.
    pub(crate) fn merge(&mut self, other: Self) {
        debug_assert_eq!(self.thinning, other.thinning, "thinned alike");
        self.paused.merge(other.paused);
        for page in other.pages {
            for (slot, tick) in page.numbered() {
                if !tick.is_zero() {
                    self.add_to_slot(slot, &tick);
                }
            }
        }
    }

    /// Whether any tick but the first is not zero; thinning never drops the first.
    pub(crate) fn are_several(&self) -> bool {
        self.iter().any(|tick| tick.time > Time::ZERO)
    }

    /// Ticks that are not zero, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Tick> {
        let ticks = self.pages.iter().flat_map(Page::iter);
        ticks.filter(|tick| !tick.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acked(bytes: u64) -> Tick {
        Tick {
            alive: 1,
            ..Tick::of_acked(bytes)
        }
    }

    /// 150 samples from 40 on lie in three pages. One of these pages has totals before, one gets
    /// totals later. Thinned series are equal, too.
    #[test]
    fn the_same_for_many_is_that_for_each() {
        let mut ticks = Ticks::new(Some(Time::from_ns(10)));
        ticks.add(100, &acked(7));
        let mut one_by_one = ticks.clone();
        let standing = StandingTotals {
            alive: 3,
            paused_ports: 2,
        };
        let same = Tick {
            alive: 3,
            whole: 3,
            paused_ports: 2,
            ..Tick::default()
        };
        for _ in 0..2 {
            ticks.add_to_each(40..190, standing);
            (40..190).for_each(|index| one_by_one.add(index, &same));
        }
        ticks.add(70, &acked(9));
        one_by_one.add(70, &acked(9));
        assert!(ticks.iter().eq(one_by_one.iter()));
        assert_eq!((ticks.count(), one_by_one.count()), (150, 150));
        ticks.add_to_each(200..300, StandingTotals::default());
        assert_eq!((ticks.count(), ticks.pages.len()), (150, 3));
        ticks.thin();
        one_by_one.thin();
        assert!(ticks.iter().eq(one_by_one.iter()));
        assert_eq!((ticks.count(), one_by_one.count()), (75, 75));
    }

    /// Samples 0, 3, 4 and 1 000 000 000 every 10 ns: there are no pages between them. In the
    /// series of every second sample, sample 4 includes the bytes acknowledged until 3.
    #[test]
    fn thinned_ticks_lose_no_bytes() {
        let mut ticks = Ticks::new(Some(Time::from_ns(10)));
        for (index, bytes) in [(0, 1), (3, 10), (4, 100), (1_000_000_000, 1000)] {
            ticks.add(index, &acked(bytes));
        }
        assert_eq!((ticks.count(), ticks.pages.len()), (4, 2));
        ticks.thin();
        let found: Vec<_> = ticks
            .iter()
            .map(|tick| (tick.time, tick.acked, tick.alive))
            .collect();
        let expected = [
            (Time::ZERO, 1, 1),
            (Time::from_ns(40), 110, 1),
            (Time::from_ms(10_000), 1000, 1),
        ];
        assert_eq!(found, expected);
    }

    /// Thinning before and after merging gives the same.
    #[test]
    fn threads_may_thin_before_they_meet() {
        let part = |first: u64| {
            let mut ticks = Ticks::new(Some(Time::from_ns(10)));
            (first..200)
                .step_by(3)
                .for_each(|index| ticks.add(index, &acked(index)));
            ticks
        };
        let [mut one, mut other] = [part(0), part(1)];
        one.merge(part(1));
        one.thin();
        let mut first = part(0);
        first.thin();
        other.thin();
        first.merge(other);
        assert!(one.iter().eq(first.iter()));
        assert_eq!(one.count(), first.count());
    }
}
