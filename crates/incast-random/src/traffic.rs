//! Streams of one `[[traffic]]` entry of a scenario, one for each host and purpose.
//!
//! ```text
//! key ← 0;  for word in [seed, tag, purpose, host]:  key ← mix(key xor word)
//! ```

use crate::{RandomStream, mix};

/// Purpose of a stream of traffic. The numbers are part of the derivation, so no number may be
/// reused.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TrafficPurpose {
    /// Gaps between arrivals.
    Gap = 1,
    /// A flow's destination.
    Destination = 2,
    /// A flow's size.
    Size = 3,
    /// Delays of starts within a burst.
    Jitter = 4,
    /// The choice of participating hosts.
    Choice = 5,
    /// The choice of attacking hosts, drawn once for the whole scenario.
    Attackers = 6,
    /// The order of hosts in which jobs are placed, drawn once for the whole scenario.
    Placement = 7,
}

/// The source of all streams of one traffic entry.
#[derive(Copy, Clone, Debug)]
pub struct TrafficStreams {
    /// The seed of the run.
    pub seed: u64,
    /// Index of the `[[traffic]]` entry.
    pub tag: u16,
}

/// In place of a host's number: the entry as a whole.
const WHOLE_ENTRY: u32 = u32::MAX;

impl TrafficStreams {
    /// The stream of one host.
    pub fn of_host(&self, host: u32, purpose: TrafficPurpose) -> RandomStream {
        let words = [self.seed, self.tag.into(), purpose as u64, host.into()];
        RandomStream::from_key(words.iter().fold(0, |key, word| mix(key ^ word)))
    }

    /// The stream for choices that concern the entry as a whole.
    pub fn of_entry(&self, purpose: TrafficPurpose) -> RandomStream {
        self.of_host(WHOLE_ENTRY, purpose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(seed: u64, tag: u16, host: u32, purpose: TrafficPurpose) -> RandomStream {
        TrafficStreams { seed, tag }.of_host(host, purpose)
    }

    /// Results depend on these numbers, which come from a second implementation of this module's
    /// formulas and the published algorithms.
    #[test]
    fn streams_are_pinned() {
        for (mut stream, expected) in [
            (
                stream(1, 0, 0, TrafficPurpose::Gap),
                [0x4e87_091c_ff8c_15f0, 0x9db7_30ae_9244_0320],
            ),
            (
                stream(1, 0, 0, TrafficPurpose::Size),
                [0x003f_2b67_0db2_1063, 0xc6ba_761a_aa64_1758],
            ),
            (
                stream(2, 7, 319, TrafficPurpose::Gap),
                [0xeaec_e55f_fe16_fabc, 0xcd00_e637_848c_b853],
            ),
            (
                TrafficStreams { seed: 1, tag: 0 }.of_entry(TrafficPurpose::Choice),
                [0xa43f_13cf_6259_0670, 0x3ef7_3eca_4913_528d],
            ),
        ] {
            assert_eq!([stream.next_u64(), stream.next_u64()], expected);
        }
    }

    /// 0x4e87091cff8c15f0 / 2^64 = 0.30674…. The second draw is 0x9db730ae92440320; below 10: ⌊10 ·
    /// 0.61607…⌋ = 6. The third draw, 0x4c9fe309129358e6, is 0.29931… of the range, and -ln(1 -
    /// 0.29931…) = 0.35569….
    #[test]
    fn draws_are_pinned() {
        let mut stream = stream(1, 0, 0, TrafficPurpose::Gap);
        assert_eq!(stream.uniform(), 0.306_747_979_716_917_25);
        assert_eq!(stream.below(10), 6);
        assert_eq!(stream.exponential(), 0.355_696_394_057_264);
    }

    #[test]
    fn streams_differ_in_every_part_of_the_key() {
        let mut first: Vec<_> = [
            stream(1, 0, 0, TrafficPurpose::Gap),
            stream(2, 0, 0, TrafficPurpose::Gap),
            stream(1, 1, 0, TrafficPurpose::Gap),
            stream(1, 0, 1, TrafficPurpose::Gap),
            stream(1, 0, 0, TrafficPurpose::Jitter),
        ]
        .iter_mut()
        .map(RandomStream::next_u64)
        .collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 5);
    }
}
