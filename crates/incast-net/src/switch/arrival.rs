//! Arrivals as numbers that sort in order of arrival, for the port-by-port path.

use incast_units::Time;

/// Bits for an arrival's place in its batch, and for its batch.
const PLACE_BITS: u32 = 13;
const BATCH_BITS: u32 = 11;

/// Largest number of batches in a window.
pub(super) const MAX_BATCHES: usize = 1 << BATCH_BITS;
/// Largest number of packets in a batch.
pub(super) const MAX_PLACES: usize = 1 << PLACE_BITS;

/// The arrival of one packet: ps since the start of the window, batch, and place in the batch, from
/// high to low bits. Numbers sort in order of arrival.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrival(u64);

impl Arrival {
    /// The first arrival of a batch, at time 0 of the run, in a window that begins at `start`; the
    /// number wraps around.
    #[inline(always)]
    pub(super) fn origin(start: Time, batch: usize) -> Self {
        Self(((batch as u64) << PLACE_BITS).wrapping_sub(Self::shifted(start)))
    }

    /// The arrival, moved by `time`.
    #[inline(always)]
    pub(super) fn later(self, time: Time) -> Self {
        Self(self.0.wrapping_add(Self::shifted(time)))
    }

    #[inline(always)]
    fn shifted(time: Time) -> u64 {
        time.as_ps() << (BATCH_BITS + PLACE_BITS)
    }

    /// The time of arrival, in a window that begins at `start`.
    #[inline(always)]
    pub(super) fn time(self, start: Time) -> Time {
        start + Time::from_ps(self.0 >> (BATCH_BITS + PLACE_BITS))
    }

    /// The arrival at the same time, this many places later in its batch.
    #[inline(always)]
    pub(super) fn plus(self, places: usize) -> Self {
        Self(self.0.wrapping_add(places as u64))
    }

    #[inline(always)]
    pub(super) fn batch(self) -> usize {
        (self.0 >> PLACE_BITS) as usize % (1 << BATCH_BITS)
    }

    #[inline(always)]
    pub(super) fn place(self) -> usize {
        self.0 as usize % (1 << PLACE_BITS)
    }
}

/// After every arrival.
const NONE: Arrival = Arrival(u64::MAX);

/// Sorts arrivals. A few are sorted by a fixed network of comparisons: the order cannot be
/// predicted, so branches would be slow.
#[inline(always)]
pub(super) fn sort(arrivals: &mut Vec<Arrival>) {
    match arrivals.len() {
        0 | 1 => {}
        2..=4 => sort_few(arrivals, sort_four),
        5..=8 => sort_few(arrivals, sort_eight),
        _ => arrivals.sort_unstable(),
    }
}

/// Sorts up to `N` arrivals.
#[inline(always)]
fn sort_few<const N: usize>(
    arrivals: &mut Vec<Arrival>,
    sort: impl Fn([Arrival; N]) -> [Arrival; N],
) {
    let count = arrivals.len();
    arrivals.extend_from_slice(&[NONE; N]);
    if let Some(few) = arrivals.first_chunk_mut() {
        *few = sort(*few);
    }
    arrivals.truncate(count);
}

/// Sorts each pair, one after the other.
macro_rules! put_in_order {
    ($($one:ident $other:ident),*) => {
        $(let ($one, $other) = ($one.min($other), $one.max($other));)*
    };
}

// The pairs form Batcher's sorting networks (Knuth, The Art of Computer Programming 3, 5.3.4).

#[inline(always)]
fn sort_four([a, b, c, d]: [Arrival; 4]) -> [Arrival; 4] {
    put_in_order!(a b, c d, a c, b d, b c);
    [a, b, c, d]
}

#[inline(always)]
fn sort_eight([a, b, c, d, e, f, g, h]: [Arrival; 8]) -> [Arrival; 8] {
    put_in_order!(a b, c d, e f, g h, a c, b d, e g, f h, b c, f g);
    put_in_order!(a e, b f, c g, d h, c e, d f, b c, d e, f g);
    [a, b, c, d, e, f, g, h]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network that sorts all sequences of zeros and ones sorts everything. Different arrivals
    /// are sorted, too.
    #[test]
    fn few_and_many_arrivals_are_put_in_order() {
        for count in 0..=12 {
            for bits in 0..1_u64 << count {
                let each = (0..count).map(|place| bits >> place & 1);
                for mut arrivals in [
                    each.clone().map(Arrival).collect::<Vec<_>>(),
                    each.zip(1..)
                        .map(|(bit, n)| Arrival(bit * 100 + 20 - n))
                        .collect(),
                ] {
                    let mut expected = arrivals.clone();
                    expected.sort();
                    sort(&mut arrivals);
                    assert_eq!(arrivals, expected);
                }
            }
        }
    }

    /// Late in a long run, in the longest window, by the last of many ports: time decides first,
    /// then the batch, then the place.
    #[test]
    fn arrivals_come_in_order_and_keep_their_parts() {
        let start = Time::from_ms(9_000_000);
        let at = |ps| start + Time::from_ps(ps);
        let last_batch = (1 << BATCH_BITS) - 1;
        let long = (1 << 28) - 1;
        let first = Arrival::origin(start, 0);
        let last = Arrival::origin(start, last_batch).plus(2);
        let arrivals = [
            first.later(at(0)),
            first.plus(1).later(at(0)),
            last.later(at(0)),
            first.later(at(1)),
            last.later(at(long)),
        ];
        assert!(arrivals.is_sorted());
        let [.., latest] = arrivals;
        assert_eq!((latest.batch(), latest.place()), (last_batch, 2));
        assert_eq!(latest.time(start), at(long));
        assert_eq!(arrivals[1].time(start), start);
    }
}
