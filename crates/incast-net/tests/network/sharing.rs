//! Several flows on one link: hand-computed shares, and waiting times of queueing theory.

use incast_cc::{FlowController, Pacing, SendLimit};
use incast_net::Flow;
use incast_units::{Bytes, Rate, Time};

use crate::support::{Fixed, Network, With, at, flow, star};

/// Time of a full packet, 1048 B, at 100 Gb/s.
const PACKET: Time = Time::from_ps(1_048 * 80);
/// Time of an ACK, 60 B.
const ACK: Time = Time::from_ps(60 * 80);
const LINK: Time = Time::from_us(1);

/// Hosts 0 and 1 send 100 packets each to host 2 from the same time on. Their first packets reach
/// the switch together, after S + 1 µs. From then on the switch sends 200 packets alternately
/// without a gap; host 0's are the odd ones. Host 0's last packet leaves after 199 packet times,
/// host 1's after 200. Each arrives 1 µs later, and its ACK takes 2·(60 B + 1 µs).
#[test]
fn two_senders_take_turns_at_the_receivers_link() {
    let network = Network::new(star(3));
    let flows = [flow(0, 0, 2, 100_000), flow(1, 1, 2, 100_000)];
    let outcome = network.run(&flows, &network.uncontrolled());
    let first_at_switch = PACKET + LINK;
    let back = LINK + ACK * 2 + LINK * 2;
    assert_eq!(outcome.fct(0), first_at_switch + PACKET * 199 + back);
    assert_eq!(outcome.fct(1), first_at_switch + PACKET * 200 + back);
    let port = &outcome.recording.ports[network.port(3, 2)];
    assert_eq!((port.data_packets, port.data_bytes), (200, 209_600));
    // In every packet time two packets arrive and one leaves. When the 100th pair arrives, 99 have
    // left and 1 enters the link, so 100 wait.
    assert_eq!(port.queue_max, 100 * 1_048);
}

/// Host 0 sends 100 packets each to hosts 1 and 2. Its NIC serves the two QPs alternately, for 200
/// packet times in total.
#[test]
fn two_qps_take_turns_at_the_nic() {
    let network = Network::new(star(3));
    let flows = [flow(0, 0, 1, 100_000), flow(1, 0, 2, 100_000)];
    let outcome = network.run(&flows, &network.uncontrolled());
    let rest = LINK + PACKET + LINK + ACK * 2 + LINK * 2;
    assert_eq!(outcome.fct(0), PACKET * 199 + rest);
    assert_eq!(outcome.fct(1), PACKET * 200 + rest);
}

/// A short flow waits only for its turn, however long the other flow is. It starts while packet 11
/// of the other flow leaves (10·83.84 = 838.4 ns ≤ 900 ns), and goes next.
#[test]
fn a_newcomer_is_served_in_the_next_turn() {
    let network = Network::new(star(3));
    let start = Time::from_ns(900);
    let flows = [flow(0, 0, 1, 1_000_000), at(start, flow(1, 0, 2, 1_000))];
    let outcome = network.run(&flows, &network.uncontrolled());
    let rest = LINK + PACKET + LINK + ACK * 2 + LINK * 2;
    assert_eq!(outcome.fct(1), PACKET * 11 - start + PACKET + rest);
}

/// Opposite directions of a link affect each other only by ACKs. Each host's NIC sends, besides its
/// 100 packets, ACKs for packets that arrive while it is still sending. Packet i of the other host
/// arrives at 2·S + 2·1 µs + (i − 1)·S. So by the end of 100 packets ⌊(100·83 840 − 2 167 680)/83
/// 840⌋ + 1 = 75 have arrived, and their ACKs delay the last packets by 4 800 ps each. During this
/// delay 75·4 800/83 840 = 4.3 more packets arrive.
#[test]
fn opposite_directions_are_independent_but_for_acks() {
    let network = Network::new(star(2));
    let flows = [flow(0, 0, 1, 100_000), flow(1, 1, 0, 100_000)];
    let outcome = network.run(&flows, &network.uncontrolled());
    let alone = network.run(&flows[..1], &network.uncontrolled()).fct(0);
    assert_eq!(outcome.fct(0), outcome.fct(1));
    let delay = outcome.fct(0) - alone;
    assert!(
        (ACK * 75..ACK * 82).contains(&delay),
        "{} ACK times",
        delay.as_ps() as f64 / ACK.as_ps() as f64
    );
}

/// M/D/1: 64 hosts send single packets at random times to one host. Together these packets are a
/// Poisson stream, except for packets that wait for others of their own host. All links have the
/// same rate, so such a wait replaces an equal wait at the switch, and the total wait is that of a
/// single queue:
///
/// ```text
/// mean waiting time = ρ·S / (2·(1 − ρ))          (Pollaczek–Khinchine)
/// ```
///
/// The tolerance is four standard errors. Waits within a busy period depend on each other, waits of
/// different busy periods do not. By the regenerative method, with nᵢ packets of total wait yᵢ in
/// busy period i, and mean m = Σyᵢ/Σnᵢ, the error is √(Σ(yᵢ − m·nᵢ)²) / Σnᵢ.
#[test]
fn poisson_packets_wait_as_in_m_d_1() {
    const SENDERS: u32 = 64;
    const PACKETS: u32 = 60_000;
    let network = Network::new(star(SENDERS + 1));
    let unloaded = PACKET * 2 + LINK * 2 + ACK * 2 + LINK * 2;
    for load in [0.3, 0.5, 0.8] {
        let flows = poisson(PACKETS, SENDERS, PACKET.as_ps() as f64 / load);
        let outcome = network.run(&flows, &network.uncontrolled());
        let waits: Vec<f64> = flows
            .iter()
            .map(|flow| (outcome.fct(flow.id.0) - unloaded).as_ps() as f64)
            .collect();
        let (mean, error) = regenerative(&waits);
        let expected = load * PACKET.as_ps() as f64 / (2.0 * (1.0 - load));
        assert!(
            (mean - expected).abs() < 4.0 * error,
            "load {load}: {mean} ps; expected {expected} ± {error}"
        );
        assert!(error < 0.03 * expected, "load {load}: error {error}");
    }
}

/// Flows of one packet from random hosts to the last host, with exponential gaps of mean `mean_gap`
/// ps (SplitMix64, inverse transform).
fn poisson(count: u32, senders: u32, mean_gap: f64) -> Vec<Flow> {
    let mut state = 0x5eed_u64;
    let mut uniform = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut now = 0.0;
    (0..count)
        .map(|id| {
            now -= mean_gap * (1.0 - uniform()).ln();
            let source = (uniform() * f64::from(senders)) as u32;
            let start = Time::from_ps(now as u64);
            at(start, flow(id, source, senders, 1_000))
        })
        .collect()
}

/// Mean of the waits, and its standard error. A packet that does not wait begins a new busy period.
fn regenerative(waits: &[f64]) -> (f64, f64) {
    let mean = waits.iter().sum::<f64>() / waits.len() as f64;
    let (mut squares, mut deviation) = (0.0, 0.0);
    for &wait in waits {
        if wait == 0.0 {
            squares += deviation * deviation;
            deviation = 0.0;
        }
        deviation += wait - mean;
    }
    squares += f64::powi(deviation, 2);
    (mean, squares.sqrt() / waits.len() as f64)
}

/// QPs take turns by packets, not by bytes: packets of 1000 B alternate with packets of 500 B (from
/// many short messages, for example).
#[test]
fn turns_are_packets() {
    let mut network = Network::new(star(3));
    network.config.packets.mtu = Bytes::new(500);
    // 500 + 48 B take 43.84 ns. Each flow has 200 packets.
    let packet = Time::from_ps(548 * 80);
    let flows = [flow(0, 0, 1, 100_000), flow(1, 0, 2, 100_000)];
    let outcome = network.run(&flows, &network.uncontrolled());
    let rest = LINK + packet + LINK + ACK * 2 + LINK * 2;
    assert_eq!(outcome.fct(1), packet * 400 + rest);
}

/// Random gaps keep their mean: at 80 of 100 Gb/s, 20 000 packets take 20 000 · 104.8 ns = 2.096 ms
/// on average, and 4 us of links. In a Poisson process, packets due while the link is busy leave
/// later; the total has a standard deviation of 104.8 ns · √20 000 = 14.8 us. Without this catching
/// up the mean gap would be 83.84 · (1 + 1.25·e^(−0.8)) = 130.9 ns, and the flow would take 2.62
/// ms. Exponential delays between packets of 83.84 ns have a mean of 20.96 ns; the total has a
/// standard deviation of 20.96 ns · √20 000 = 3.0 us.
#[test]
fn random_gaps_keep_their_mean() {
    for (pacing, allowed) in [
        (Pacing::Poisson, Time::from_us(60)),
        (Pacing::Exponential, Time::from_us(12)),
    ] {
        let network = Network::new(star(2));
        let paced = With(|_: &Flow| {
            let limit = SendLimit {
                pacing,
                ..SendLimit::paced(Rate::from_gbps(80))
            };
            Box::new(Fixed(limit)) as Box<dyn FlowController>
        });
        let fct = network.run(&[flow(0, 0, 1, 20_000_000)], &paced).fct(0);
        let expected = Time::from_us(2_100);
        assert!(
            fct > expected - allowed && fct < expected + allowed,
            "{pacing:?}: {fct}"
        );
    }
}
