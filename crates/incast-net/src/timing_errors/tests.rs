use super::*;
use crate::config::Model;
use crate::transmitter::Transmitter;

const PS: fn(u64) -> Time = Time::from_ps;

const NIC: PortPlace = PortPlace {
    node: NodeId(3),
    is_nic: true,
    index: 5,
};

fn errors(nic: u64, switch: u64, clock_ppm: u32) -> TimingErrors {
    TimingErrors {
        nic_jitter: PS(nic),
        switch_jitter: PS(switch),
        clock_ppm,
    }
}

#[test]
fn without_errors_ports_have_none() {
    let switch = PortPlace {
        is_nic: false,
        ..NIC
    };
    let has = |errors: TimingErrors, place| errors.of_port(1, &place, PS(500)).is_some();
    assert!(!has(TimingErrors::default(), NIC));
    assert!(has(errors(1, 0, 0), NIC) && !has(errors(1, 0, 0), switch));
    assert!(has(errors(0, 1, 0), switch) && !has(errors(0, 1, 0), NIC));
    assert!(has(errors(0, 0, 1), NIC) && has(errors(0, 0, 1), switch));
}

/// A jitter of 100 ps on a link of 500 ps: packets that end 40 ps apart arrive in order, each 500
/// to 600 ps after its end. Each of these delays occurs.
#[test]
fn packets_are_late_and_stay_in_order() {
    let mut port = errors(100, 0, 0).of_port(1, &NIC, PS(500)).expect("jitter");
    let (mut delay, mut last, mut seen) = (PS(500), Time::ZERO, [0; 101]);
    for number in 1..=20_000_u64 {
        delay = port.next_delay(delay, PS(40));
        let arrival = PS(40 * number) + delay;
        assert!(arrival > last);
        last = arrival;
        seen[(delay.as_ps() - 500) as usize] += 1;
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

/// Packets whose ends are at least the jitter apart do not affect each other: lateness is uniform
/// in 0 … 100 ps. Of 20 200 draws each value has 200, within five standard deviations, √200 = 14.
#[test]
fn lateness_is_uniform() {
    let mut port = errors(100, 0, 0).of_port(1, &NIC, PS(500)).expect("jitter");
    let (mut delay, mut seen) = (PS(500), [0_i32; 101]);
    for _ in 0..20_200 {
        delay = port.next_delay(delay, PS(101));
        seen[(delay.as_ps() - 500) as usize] += 1;
    }
    assert!(
        seen.iter().all(|count| (count - 200).abs() < 71),
        "{seen:?}"
    );
}

/// After a packet that is 90 ps late, a packet that ends 30 ps later is at least 61 ps late, so
/// that it arrives 1 ps after. A packet that ends 91 ps later may be on time.
#[test]
fn no_packet_overtakes_another() {
    let mut port = errors(0, 0, 1).of_port(1, &NIC, PS(500)).expect("a clock");
    assert_eq!(port.next_delay(PS(590), PS(30)), PS(561));
    assert_eq!(port.next_delay(PS(590), PS(90)), PS(501));
    assert_eq!(port.next_delay(PS(590), PS(91)), PS(500));
}

fn slow_by(ppb: u64, gbps: u64) -> PortErrors {
    let mut port = errors(0, 0, 1).of_port(1, &NIC, PS(500)).expect("a clock");
    port.slow_ppb = ppb;
    port.set_rate(Rate::from_gbps(gbps));
    port
}

/// 1000 B at 100 Gb/s take 80 000 ps. 5 ppm are 0.4 ps more: ten such packets take a total of 4 ps
/// more, although no single packet takes a whole ps more.
#[test]
fn parts_of_picoseconds_are_kept() {
    let mut port = slow_by(5_000, 100);
    let mut total = Time::ZERO;
    for number in 1..=1_000_u64 {
        total += port.stretch(1_000);
        let exact = number * 2 / 5;
        // The time of a byte is rounded down to 2⁻³² ps.
        assert!((exact.saturating_sub(1)..=exact).contains(&total.as_ps()));
    }
    assert!(total >= PS(399));
}

/// A revoked transmission leaves the carried-over time unchanged, whatever happened in between.
#[test]
fn what_is_taken_back_is_as_if_it_had_not_been() {
    let (mut port, mut other) = (slow_by(77_777, 7), slow_by(77_777, 7));
    for size in [1_000, 64, 60, 9_000, 1] {
        let kept = port.kept;
        port.stretch(60);
        port.stretch(64);
        port.take_back(64);
        port.take_back(60);
        assert_eq!(port.kept, kept);
        assert_eq!(port.stretch(size), other.stretch(size));
    }
}

/// Each node has one slowness: both its ports are equally slow, and no node is fast. From 0 … 100
/// ppm, 1000 nodes have a mean of 50 ppm, within five times 100/√12/√1000 = 0.91.
#[test]
fn a_clock_is_that_of_a_node() {
    let ppb = |node, index, seed| {
        let place = PortPlace {
            node: NodeId(node),
            is_nic: false,
            index,
        };
        let port = errors(0, 0, 100).of_port(seed, &place, PS(500));
        port.expect("a clock").slow_ppb
    };
    assert_eq!(ppb(7, 20, 1), ppb(7, 21, 1));
    assert_ne!(ppb(7, 20, 1), ppb(8, 20, 1));
    assert_ne!(ppb(7, 20, 1), ppb(7, 20, 2));
    let all: Vec<_> = (0..1_000).map(|node| ppb(node, node, 1)).collect();
    assert!(all.iter().all(|ppb| *ppb <= 100_000));
    let mean = all.iter().sum::<u64>() as f64 / 1e6;
    assert!((mean - 50.0).abs() < 4.6, "{mean}");
}

/// A link of 100 Gb/s whose clock is 1000 ppm slow: a full packet of 1090 B takes 87 287.2 ps, or 1
/// more. 100 ps before its end 1.2 B are left. At its start no byte has left.
#[test]
fn bytes_leave_as_slowly() {
    let model = Model::standard();
    let (rate, delay) = (Rate::from_gbps(100), PS(500));
    let link = Transmitter::new(&model, rate, delay);
    let exact = rate.as_bps() as f64 / 8e12;
    let port = slow_by(1_000_000, 100);
    assert!((port.bytes_per_ps(exact) * 87_287.2 - 1_090.0).abs() < 1e-6);
    let mut link = link.with_errors(port, &model, rate);
    link.sent_bytes = 1_090;
    assert_eq!(link.sent_before(0, PS(87_288), Time::ZERO), 0);
    assert_eq!(link.sent_before(0, PS(87_288), PS(87_188)), 1_089);
}

/// A pause is later by the jitter of both ends. At 1000 ppm, with 100 ns of transmissions, it is
/// later by another 100 ps, and 3 ps for carried-over fractions.
#[test]
fn a_pause_is_late_at_both_ends() {
    let both = errors(5_000, 1_000, 0);
    let sending = Time::from_ns(100);
    assert_eq!(both.later_pause(true, sending), PS(6_000));
    assert_eq!(both.later_pause(false, sending), PS(2_000));
    let slow = errors(5_000, 1_000, 1_000);
    assert_eq!(slow.later_pause(true, sending), PS(6_103));
    assert_eq!(TimingErrors::default().later_pause(true, sending), PS(0));
}
