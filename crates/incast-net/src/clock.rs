//! Rounding of durations to the model's clock, and the order of simultaneous events.

use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The smallest step of time: events at `now` come before events at `now + INSTANT`.
pub(crate) const INSTANT: Time = Time::from_ps(1);

/// How serialisation delays and pacing gaps are rounded.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// Times are rounded up to the next picosecond.
    #[default]
    Picoseconds,
    /// Times are rounded down to whole nanoseconds, as in the ns-3 artifact. Where ties go by port,
    /// a packet takes at least one nanosecond.
    // Computed in a double, as in ns-3.17.
    Nanoseconds,
}

/// The order of a node's events at the same time.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// By kind of event, then by port.
    Port,
    /// By kind of event, then by a hash of seed, node, time and port, so that no port always wins.
    Hash,
    /// In the order in which the events were scheduled anywhere in the network, as in a simulator
    /// with one global event queue.
    Insertion,
}

/// Transmission time of one byte at 1 bit/s, in ps.
const BYTE_PS: u64 = 8_000_000_000_000;

impl Clock {
    /// Transmission time of `size` at `rate`.
    #[inline]
    pub fn transmission_time(self, size: Bytes, rate: Rate) -> Time {
        match self {
            Self::Picoseconds => rate.transmission_time(size),
            Self::Nanoseconds => truncated_ns(size, rate),
        }
    }

    /// Transmission time of a packet. Unless ties go by insertion, packets of one port are ordered
    /// by their times alone, so each takes at least one clock unit.
    pub(crate) fn time_on_link(self, ties: Ties, size: Bytes, rate: Rate) -> Time {
        let time = self.transmission_time(size, rate);
        match ties {
            Ties::Port | Ties::Hash => time.max(self.unit()),
            Ties::Insertion => time,
        }
    }

    /// Upper bound of the bytes that a link of this rate sends in the exact transmission time of
    /// `exact` bytes, in packets of `smallest` bytes or more. A clock of ns rounds a packet of
    /// between n and n + 1 ns down to n ns: the link is up to (n + 1)/n times as fast. Packets that
    /// take no time are left out; only the event-queue engine can have them.
    pub(crate) fn at_most_sent(self, exact: Bytes, rate: Rate, smallest: Bytes) -> Bytes {
        match self {
            Self::Picoseconds => exact,
            Self::Nanoseconds => {
                let ns = truncated_ns(smallest, rate).as_ns().max(1);
                Bytes::new((exact.as_u64() * (ns + 1)).div_ceil(ns))
            }
        }
    }

    /// The clock unit: all times are multiples of it.
    pub(crate) fn unit(self) -> Time {
        match self {
            Self::Picoseconds => Time::from_ps(1),
            Self::Nanoseconds => Time::from_ns(1),
        }
    }

    /// The last multiple of the clock unit up to `time`.
    pub fn round_down(self, time: Time) -> Time {
        let unit = self.unit().as_ps();
        Time::from_ps(time.as_ps() / unit * unit)
    }

    /// The first multiple of the clock unit from `time` on; [`Time::MAX`] (never) if none is
    /// representable.
    pub fn round_up(self, time: Time) -> Time {
        let unit = self.unit().as_ps();
        Time::from_ps(time.as_ps().div_ceil(unit).saturating_mul(unit))
    }
}

/// As in ns-3.17: bytes over rate as a double of seconds, converted to a fixed-point number with 64
/// fractional bits, times 10⁹, truncated.
fn truncated_ns(size: Bytes, rate: Rate) -> Time {
    const GIGA: u128 = 1_000_000_000;
    let seconds = size.as_u64() as f64 * 8.0 / rate.as_bps() as f64;
    let fixed = seconds * 2_f64.powi(64);
    let ns = match seconds < 1.0 {
        // With 64 bits the result is the same, in a third of the instructions.
        true => (u128::from(fixed as u64) * GIGA) >> 64,
        false => (fixed as u128 * GIGA) >> 64,
    };
    Time::from_ns(ns as u64)
}

/// Transmission times of one link, by the model's clock. At most rates a byte takes a whole number
/// of ps.
#[derive(Copy, Clone, Debug)]
pub(crate) struct LinkClock {
    clock: Clock,
    ties: Ties,
    rate: Rate,
    /// ps per byte; 0 if a byte takes a fraction of a ps, or the clock counts in ns.
    byte_ps: u64,
    /// The last two different sizes and their times: most packets are full, or ACKs.
    last: [(u64, Time); 2],
}

impl LinkClock {
    pub(crate) fn new(clock: Clock, ties: Ties, rate: Rate) -> Self {
        let whole = clock == Clock::Picoseconds && BYTE_PS.is_multiple_of(rate.as_bps());
        Self {
            clock,
            ties,
            rate,
            byte_ps: if whole { BYTE_PS / rate.as_bps() } else { 0 },
            last: [(0, clock.time_on_link(ties, Bytes::ZERO, rate)); 2],
        }
    }

    /// A clock with equal times, which never computes a time as size · ps per byte.
    pub(crate) fn without_whole_times(self) -> Self {
        Self { byte_ps: 0, ..self }
    }

    /// The transmission time of a packet; `None` if a byte takes a fraction of a ps.
    #[inline(always)]
    pub(crate) fn whole_time(&self, size: u64) -> Option<Time> {
        match self.byte_ps {
            0 => None,
            byte_ps => Some(Time::from_ps(size * byte_ps)),
        }
    }

    /// The transmission time of a packet.
    pub(crate) fn transmission_time(&mut self, size: u64) -> Time {
        match self.whole_time(size) {
            Some(time) => time,
            None => self.time_of_size(size),
        }
    }

    /// The transmission time of a packet, looked up among the last two sizes: valid on every link.
    #[inline(always)]
    pub(crate) fn time_of_size(&mut self, size: u64) -> Time {
        match self.last {
            [(known, time), _] | [_, (known, time)] if known == size => time,
            _ => self.new_time(size),
        }
    }

    #[cold]
    fn new_time(&mut self, size: u64) -> Time {
        let time = self
            .clock
            .time_on_link(self.ties, Bytes::new(size), self.rate);
        self.last = [(size, time), self.last[0]];
        time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(size: u64, gbps: u64) -> u64 {
        Clock::Nanoseconds
            .transmission_time(Bytes::new(size), Rate::from_gbps(gbps))
            .as_ns()
    }

    /// 1090 B: 87.2 ns at 100 Gb/s, 21.8 at 400; 1048 B: 83.84 and 20.96; 60 B: 4.8 and 1.2;
    /// 88 B: 7.04 and 1.76 (reference: recorded packet traces of the artifact).
    #[test]
    fn nanoseconds_are_truncated() {
        let cases = [(1090, 87, 21), (1048, 83, 20), (60, 4, 1), (88, 7, 1)];
        for (size, at_100, at_400) in cases {
            assert_eq!((ns(size, 100), ns(size, 400)), (at_100, at_400), "{size} B");
        }
    }

    /// 49 B at 400 Gb/s are 0.98 ns: 0 ns in the artifact, 1 ns where ties go by port.
    #[test]
    fn packets_of_less_than_a_nanosecond() {
        let packets = [(400, 49), (400, 60), (800, 99), (800, 208)];
        let times = |clock, ties| {
            packets.map(|(gbps, size)| {
                let mut link = LinkClock::new(clock, ties, Rate::from_gbps(gbps));
                link.transmission_time(size).as_ps()
            })
        };
        let (ps, ns) = (Clock::Picoseconds, Clock::Nanoseconds);
        assert_eq!(times(ns, Ties::Insertion), [0, 1_000, 0, 2_000]);
        assert_eq!(times(ns, Ties::Port), [1_000, 1_000, 1_000, 2_000]);
        assert_eq!(times(ps, Ties::Port), [980, 1_200, 990, 2_080]);
    }

    /// 1500 ps lie between the first and the second nanosecond.
    #[test]
    fn times_are_rounded_to_clock_units() {
        let (time, ns) = (Time::from_ps(1_500), Time::from_ns);
        let coarse = Clock::Nanoseconds;
        assert_eq!(
            (coarse.round_down(time), coarse.round_up(time)),
            (ns(1), ns(2))
        );
        assert_eq!(
            (coarse.round_down(ns(2)), coarse.round_up(ns(2))),
            (ns(2), ns(2))
        );
        let fine = Clock::Picoseconds;
        assert_eq!((fine.round_down(time), fine.round_up(time)), (time, time));
    }

    /// A timer that is not set is not due. 2^64 − 1 ps are no whole number of ns, and the next
    /// whole number does not fit 64 bits. Cut to 64 bits, it would be 384 ps.
    #[test]
    fn never_stays_never() {
        for clock in [Clock::Picoseconds, Clock::Nanoseconds] {
            assert_eq!(clock.round_up(Time::MAX), Time::MAX);
            assert!(clock.round_up(Time::MAX - Time::from_ps(1)) >= Time::MAX - Time::from_ps(1));
        }
    }

    /// 1090 B at 100 Gb/s: 1090 · 80 ps. At 7 Gb/s one byte takes 8000/7 ps: 1000 B take
    /// 1 142 857.14…, rounded up.
    #[test]
    fn picoseconds_are_rounded_up() {
        let link = |gbps| LinkClock::new(Clock::Picoseconds, Ties::Port, Rate::from_gbps(gbps));
        assert_eq!(link(100).transmission_time(1090), Time::from_ps(87_200));
        assert_eq!(link(7).transmission_time(1000), Time::from_ps(1_142_858));
    }
}
