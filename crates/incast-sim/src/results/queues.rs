//! Statistics of switch queues, over ports and time.

use incast_net::{Histogram, PortCounters, Recording};
use incast_units::percentile_index;
use serde::{Deserialize, Serialize};

use super::ports::PortNames;

/// Egress queues of switch ports, in bytes, the packet in transmission excluded.
///
/// The peak is exact, over the whole run. Mean and percentiles are over the samples of all switch
/// ports, including idle ones; they are `None` if queues were not sampled. The mean is exact. A
/// percentile (defined in [`Distribution`](super::Distribution)) is the upper end of its bin, at
/// most 0.2 % too high.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Queues {
    /// The longest.
    pub peak: u64,
    /// The port with the longest queue, if any packet was queued; if there are several, the first.
    pub peak_port: Option<String>,
    /// Mean.
    pub mean: Option<f64>,
    /// Median.
    pub p50: Option<u64>,
    /// 95th percentile.
    pub p95: Option<u64>,
    /// 99th percentile.
    pub p99: Option<u64>,
    /// 99.9th percentile.
    pub p999: Option<u64>,
}

impl Queues {
    pub(crate) fn of(recording: &Recording, ports: &PortNames) -> Self {
        let (peak, peak_port) = peak(&recording.ports, ports);
        let histogram = &recording.queue_histogram;
        let samples = histogram.total();
        let at = |permille| percentile(histogram, samples, permille).map(|edge| edge.min(peak));
        Self {
            peak,
            peak_port,
            mean: (samples > 0).then(|| recording.queue_sum as f64 / samples as f64),
            p50: at(500),
            p95: at(950),
            p99: at(990),
            p999: at(999),
        }
    }
}

fn peak(counters: &[PortCounters], ports: &PortNames) -> (u64, Option<String>) {
    let mut longest = (0, None);
    for (port, counters) in ports.iter().zip(counters) {
        if !port.at_host && counters.queue_max > longest.0 {
            longest = (counters.queue_max, Some(port.label.clone()));
        }
    }
    longest
}

/// The largest queue in bytes that falls into the percentile's bin.
fn percentile(histogram: &Histogram, samples: u64, permille: u64) -> Option<u64> {
    let bin = histogram.bin_at(percentile_index(samples, permille)?)?;
    Some(bin.end - 1)
}

#[cfg(test)]
mod tests {
    use incast_topology::{Ports, Star};

    use super::*;

    /// The queue of a host's port is longer, but does not count.
    #[test]
    fn the_peak_is_at_a_switch() {
        let topology = Star {
            hosts: 2,
            ..Star::default()
        }
        .build()
        .expect("a star");
        let ports = Ports::new(&topology);
        let names = PortNames::new(&topology, &ports);
        let counters: Vec<_> = names
            .iter()
            .map(|port| PortCounters {
                queue_max: if port.at_host {
                    9_000
                } else {
                    100 * u64::from(port.port)
                },
                ..PortCounters::default()
            })
            .collect();
        let (longest, at) = peak(&counters, &names);
        let label = at.expect("a queue");
        assert_eq!(longest, 100);
        assert!(
            label.contains("switch") && label.contains("port 1"),
            "{label}"
        );
    }

    /// Queues of 0, 0, 0 and 9001 = 2^13 + 809 bytes: the median (index 2) is 0, p95 (index 3) lies
    /// in a bin of 16 bytes: 809 / 16 = 50.6, from 8192 + 50 · 16 = 8992 to 9007.
    #[test]
    fn percentiles_are_upper_ends_of_bins() {
        let histogram = Histogram::from_iter([0, 0, 0, 9001]);
        assert_eq!(percentile(&histogram, 4, 500), Some(0));
        assert_eq!(percentile(&histogram, 4, 950), Some(9007));
        assert_eq!(percentile(&Histogram::default(), 0, 500), None);
    }
}
