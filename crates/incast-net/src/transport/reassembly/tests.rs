use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// 2 and 3 wait for 1; packet 5, the last one, with 300 B, waits for 4.
#[test]
fn packets_are_released_up_to_the_next_gap() {
    let mut buffer = Reassembly::default();
    for (psn, payload, is_last) in [(3, 1_000, false), (5, 300, true), (2, 1_000, false)] {
        assert!(buffer.keep(psn, payload, is_last).is_some());
    }
    assert_eq!(buffer.keep(3, 1_000, false), None, "it has come before");
    assert!(buffer.has_last());
    assert_eq!(buffer.release(1, 1_000), Released::default());
    let two = Released {
        packets: 2,
        payload: 2_000,
        completes_flow: false,
    };
    assert_eq!(buffer.release(2, 1_000), two);
    let last = Released {
        packets: 1,
        payload: 300,
        completes_flow: true,
    };
    assert_eq!(buffer.release(5, 1_000), last);
    assert!(buffer.is_empty());
}

/// Packets 0 to 4, 6, 69 and 70 have arrived. From base 6 on, 6 and 69 are bits 0 and 63; 70 is
/// beyond the bitmap.
#[test]
fn a_receiver_names_64_packets_from_any_base() {
    let mut buffer = Reassembly::default();
    for psn in [6, 69, 70] {
        buffer.keep(psn, 1_000, false);
    }
    let bits = |base| buffer.sack(base).bits;
    assert_eq!((bits(3), bits(70)), (0b1000, 1));
    assert_eq!(
        buffer.sack(6),
        Sack {
            base: 6,
            bits: 1 | 1 << 63
        }
    );
}

/// A reference model with a map.
#[derive(Default)]
struct Model {
    packets: BTreeMap<u32, u64>,
    last: Option<u32>,
}

impl Model {
    fn release(&mut self, expected: u32) -> Released {
        let mut released = Released::default();
        while let Some(payload) = self.packets.remove(&(expected + released.packets)) {
            released.completes_flow = self.last == Some(expected + released.packets);
            released.packets += 1;
            released.payload += payload;
        }
        released
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// A flow of 200 packets, the last of which may be short, arrives in any order, with
    /// duplicates.
    #[test]
    fn it_is_as_with_a_map(
        arrivals in proptest::collection::vec(0_u32..200, 0..600),
        spread in 1_u32..100,
        last_payload in 1_u64..=1_000,
    ) {
        let (mut buffer, mut model, mut expected) = (Reassembly::default(), Model::default(), 0);
        for (place, arrival) in (0_u32..).zip(arrivals) {
            // Most packets arrive near their turn.
            let psn = (place / 3 + arrival % spread).min(199);
            let (is_last, payload) = match psn {
                199 => (true, last_payload),
                _ => (false, 1_000),
            };
            if psn < expected {
                continue;
            }
            if psn > expected {
                let is_new = model.packets.insert(psn, payload).is_none();
                prop_assert_eq!(buffer.keep(psn, payload, is_last).is_some(), is_new);
                if is_last {
                    model.last = Some(psn);
                }
            } else {
                expected += 1;
                let released = model.release(expected);
                prop_assert_eq!(buffer.release(expected, 1_000), released);
                expected += released.packets;
            }
            prop_assert_eq!(buffer.is_empty(), model.packets.is_empty());
            prop_assert_eq!(buffer.has_last(), model.last.is_some());
            let base = expected + 1 + spread / 2;
            let has = |psn: &u32| model.packets.contains_key(psn);
            let bits = (base..base + 64).filter(has).map(|psn| 1 << (psn - base));
            prop_assert_eq!(buffer.sack(base), Sack { base, bits: bits.sum::<u64>() });
        }
    }
}
