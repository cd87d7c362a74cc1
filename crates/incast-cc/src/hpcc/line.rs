//! What one hop's two INT records say about it: Eq. (1).

use incast_signals::int::RecordReader;
use incast_units::{Bytes, Rate, Time};

use crate::FlowContext;
use crate::number::float;

/// The NIC's line, as Eq. (1) needs it.
#[derive(Copy, Clone, Debug)]
pub(super) struct Line {
    /// C in bit/s.
    rate: f64,
    /// W₀ in bytes.
    base_window: f64,
}

impl Line {
    pub(super) fn new(context: &FlowContext) -> Self {
        Self {
            rate: float(context.line_rate.as_bps()),
            base_window: float(context.base_window.as_u64()),
        }
    }

    /// Eq. (1) for one hop, and the ticks since its last record.
    #[inline(always)]
    pub(super) fn measure<R: RecordReader>(
        &self,
        reader: R,
        new: &[u64],
        old: &[u64],
    ) -> (f64, u64) {
        let span = reader.elapsed(new, old);
        let link = reader.link_bps(new);
        // Two records at the same instant say nothing about the rate.
        let throughput = if span > 0 {
            reader.sent_bits(new, old) / (reader.ns(span) * 1e-9)
        } else {
            0.0
        };
        let utilisation = throughput / link;
        // Most queues are empty.
        if reader.has_queue(new) {
            let queue = reader.queue(new).min(reader.queue(old));
            let standing = float(queue) * self.rate / link / self.base_window;
            return (utilisation + standing, span);
        }
        (utilisation, span)
    }

    /// Eq. (1) for every hop of a path; `last` becomes the new records. With `ONLY_QUEUES` hops
    /// whose queue is empty are passed over.
    #[inline(always)]
    pub(super) fn measure_path<R: RecordReader, const ONLY_QUEUES: bool>(
        &self,
        reader: R,
        new: &[u64],
        last: &mut [u64],
    ) -> Busiest {
        let (mut busiest, mut ticks, mut measured) = (0.0, 0, false);
        for (new, last) in hops::<R>(new, last) {
            if ONLY_QUEUES && !reader.has_queue(new) {
                continue;
            }
            measured = true;
            let (utilisation, span) = self.measure(reader, new, last);
            last.copy_from_slice(new);
            // Not in one branch, which nobody could foresee.
            let busier = utilisation > busiest;
            ticks = if busier { span } else { ticks };
            busiest = if busiest > utilisation {
                busiest
            } else {
                utilisation
            };
        }
        Busiest {
            measured,
            utilisation: busiest,
            span: reader.ns(ticks),
        }
    }
}

/// What a path's records say.
#[derive(Copy, Clone, Debug)]
pub(super) struct Busiest {
    /// Whether there is such a hop.
    pub(super) measured: bool,
    /// u of the busiest hop.
    pub(super) utilisation: f64,
    /// Since its last record, in ns.
    pub(super) span: f64,
}

/// The first record of a path, if there is one; it takes no more words than this.
#[inline(always)]
pub(super) fn first_record<R: RecordReader>(words: &[u64]) -> Option<[u64; 2]> {
    let mut record = [0; 2];
    record[..R::WORDS].copy_from_slice(words.get(..R::WORDS)?);
    Some(record)
}

/// The longest queue of a path.
pub(super) fn longest_queue<R: RecordReader>(reader: R, words: &[u64]) -> Bytes {
    let records = words.chunks_exact(R::WORDS);
    let longest = records.map(|record| reader.queue(record)).max();
    Bytes::new(longest.unwrap_or(0))
}

/// The new and the last record of each hop, as far as both go.
#[inline(always)]
pub(super) fn hops<'a, R: RecordReader>(
    new: &'a [u64],
    last: &'a mut [u64],
) -> impl Iterator<Item = (&'a [u64], &'a mut [u64])> {
    let last = last.chunks_exact_mut(R::WORDS);
    new.chunks_exact(R::WORDS).zip(last)
}

/// `window` · `rate` / `line_rate`, rounded down.
pub(super) fn scaled(window: Bytes, rate: Rate, line_rate: Rate) -> Bytes {
    let (window, rate, line_rate) = (window.as_u64(), rate.as_bps(), line_rate.as_bps());
    let scaled = match window.checked_mul(rate) {
        Some(product) => product / line_rate,
        None => (u128::from(window) * u128::from(rate) / u128::from(line_rate)) as u64,
    };
    Bytes::new(scaled)
}

/// Nanoseconds as the artifact counts them, so that sums round alike.
pub(super) fn ns(time: Time) -> f64 {
    float(time.as_ps()) / 1_000.0
}
