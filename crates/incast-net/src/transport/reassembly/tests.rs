use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// 2 and 3 wait for 1; 5, the last, waits for 4. It holds 300 B.
#[test]
fn packets_are_released_up_to_the_next_gap() {
    let mut buffer = Reassembly::default();
    for (psn, payload, is_last) in [(3, 1_000, false), (5, 300, true), (2, 1_000, false)] {
        assert!(buffer.keep(psn, payload, is_last));
    }
    assert!(!buffer.keep(3, 1_000, false), "it has come before");
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

/// 0 to 4 have come, and 6, 69 and 70. From 3 on: 3, 4 and 6 are bits 0, 1 and 3; 69 is beyond 66.
#[test]
fn a_receiver_reports_64_packets_from_any_base() {
    let mut buffer = Reassembly::default();
    for psn in [6, 69, 70] {
        buffer.keep(psn, 1_000, false);
    }
    let bits = |base| buffer.report(5, base).sack.bits;
    assert_eq!(bits(3), 0b1011);
    assert_eq!(bits(6), 1 | 1 << 63);
    assert_eq!(bits(70), 1);
    let report = buffer.report(5, 6);
    assert_eq!((report.early, report.highest), (3, Some(70)));
    let none = Reassembly::default().report(100, 20);
    assert_eq!(
        (none.sack.bits, none.early, none.highest),
        (u64::MAX, 0, Some(99))
    );
    assert_eq!(Reassembly::default().report(0, 0).highest, None);
}

/// The same with a map.
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

    /// A flow of 200 packets, the last of which may be short, comes in any order, some of it twice.
    #[test]
    fn it_is_as_with_a_map(
        arrivals in proptest::collection::vec(0_u32..200, 0..600),
        spread in 1_u32..100,
        last_payload in 1_u64..=1_000,
    ) {
        let (mut buffer, mut model, mut expected) = (Reassembly::default(), Model::default(), 0);
        for (place, arrival) in (0_u32..).zip(arrivals) {
            // Most come near their turn.
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
                prop_assert_eq!(buffer.keep(psn, payload, is_last), is_new);
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
            let base = expected.saturating_sub(spread / 2);
            let has = |psn: &u32| *psn < expected || model.packets.contains_key(psn);
            let bits = (base..base + 64).filter(has).map(|psn| 1 << (psn - base));
            let report = buffer.report(expected, base);
            prop_assert_eq!(report.sack.bits, bits.sum::<u64>());
            prop_assert_eq!(report.early as usize, model.packets.len());
            let highest = model.packets.keys().last().copied();
            prop_assert_eq!(report.highest, highest.or(expected.checked_sub(1)));
        }
    }
}
