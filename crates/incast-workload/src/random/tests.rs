use super::*;

fn stream(seed: u64, tag: u16, host: u32, purpose: Purpose) -> Stream {
    Streams { seed, tag }.of(HostId(host), purpose)
}

/// Results depend on these numbers. They were computed by a second implementation of the module's
/// formulas, written from the published algorithms.
#[test]
fn streams_are_pinned() {
    for (mut stream, expected) in [
        (
            stream(1, 0, 0, Purpose::Gap),
            [0x4e87_091c_ff8c_15f0, 0x9db7_30ae_9244_0320],
        ),
        (
            stream(1, 0, 0, Purpose::Size),
            [0x003f_2b67_0db2_1063, 0xc6ba_761a_aa64_1758],
        ),
        (
            stream(2, 7, 319, Purpose::Gap),
            [0xeaec_e55f_fe16_fabc, 0xcd00_e637_848c_b853],
        ),
        (
            Streams { seed: 1, tag: 0 }.of_entry(Purpose::Choice),
            [0xa43f_13cf_6259_0670, 0x3ef7_3eca_4913_528d],
        ),
    ] {
        assert_eq!([stream.0.next_u64(), stream.0.next_u64()], expected);
    }
}

/// 0x4e87091cff8c15f0 / 2^64 = 0.30674…; the second draw is 0x9db730ae92440320.
/// Below 10: ⌊10 · 0.61607…⌋ = 6. The third, 0x4c9fe309129358e6, is 0.29931… of the range, and
/// -ln(1 - 0.29931…) = 0.35569….
#[test]
fn draws_are_pinned() {
    let mut stream = stream(1, 0, 0, Purpose::Gap);
    assert_eq!(stream.unit(), 0.306_747_979_716_917_25);
    assert_eq!(stream.below(10), 6);
    assert_eq!(stream.exponential(), 0.355_696_394_057_264);
}

#[test]
fn streams_differ_in_every_part_of_the_key() {
    let mut first: Vec<_> = [
        stream(1, 0, 0, Purpose::Gap),
        stream(2, 0, 0, Purpose::Gap),
        stream(1, 1, 0, Purpose::Gap),
        stream(1, 0, 1, Purpose::Gap),
        stream(1, 0, 0, Purpose::Jitter),
    ]
    .iter_mut()
    .map(|stream| stream.0.next_u64())
    .collect();
    first.sort_unstable();
    first.dedup();
    assert_eq!(first.len(), 5);
}

/// The mean of 40 000 exponentials of mean 1 has a standard deviation of 1/√40000 = 0.005; five
/// of them is 0.025. The same for the uniform mean: 0.2887/200 = 0.00144, five are 0.0072.
#[test]
fn means_are_right() {
    let mut stream = stream(1, 0, 0, Purpose::Gap);
    let mut mean = |draw: fn(&mut Stream) -> f64| {
        (0..40_000).map(|_| draw(&mut stream)).sum::<f64>() / 40_000.0
    };
    assert!((mean(Stream::exponential) - 1.0).abs() < 0.025);
    assert!((mean(Stream::unit) - 0.5).abs() < 0.0072);
}

/// 6 orders of 3 things, 12 000 shuffles: 2 000 each, standard deviation
/// √(12000 · 1/6 · 5/6) = 41; five of them is 204.
#[test]
fn every_order_is_equally_likely() {
    let mut stream = stream(1, 0, 0, Purpose::Choice);
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..12_000 {
        let mut items = [0, 1, 2];
        stream.shuffle(&mut items);
        *counts.entry(items).or_insert(0_i32) += 1;
    }
    assert_eq!(counts.len(), 6);
    assert!(counts.values().all(|count| (count - 2_000).abs() < 204));
}
