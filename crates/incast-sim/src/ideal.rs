//! Ideal FCT: what a flow would take alone on the empty network, the denominator of FCT
//! slowdown.
//!
//! Two definitions exist. [`IdealFct::Alone`] is the project's own, and exact: no run can beat
//! it, so slowdown is at least 1. [`IdealFct::HpccNs3`] is the formula by which the HPCC
//! artifact (SIGCOMM 2019) computes `standalone_fct`, kept so that old results compare.
//!
//! Neither counts INT or timestamps: an algorithm that needs them pays for them, and algorithms
//! with and without share one denominator.

use incast_net::{Clock, PacketSizes};
use incast_units::{Bytes, Rate, Time};

#[cfg(test)]
mod tests;

/// One link of a path, in the direction of travel.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Rate of the link.
    pub rate: Rate,
    /// Its propagation delay.
    pub delay: Time,
}

/// What counts as ideal.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum IdealFct {
    /// The time that the flow takes alone on the empty network, to the unit of the clock.
    Alone(Clock),
    /// base RTT + (size + headers) / smallest rate, as the HPCC artifact computes it.
    HpccNs3,
}

impl IdealFct {
    /// The ideal FCT of `size` bytes whose packets take `data_path` and whose ACKs take
    /// `ack_path`.
    ///
    /// # Panics
    /// If a path is empty.
    pub fn of(
        self,
        size: Bytes,
        packets: &PacketSizes,
        data_path: &[Hop],
        ack_path: &[Hop],
    ) -> Time {
        match self {
            Self::Alone(clock) => alone(clock, size, packets, data_path, ack_path),
            Self::HpccNs3 => artifact(size, packets, data_path),
        }
    }

    /// FCT over ideal FCT.
    ///
    /// The artifact's formula exceeds what its own network needs for short flows (it counts a
    /// full packet's serialisation even for one byte), so its analysis clips the ratio to at
    /// least 1, and so does this. The project's own definition needs no clipping.
    pub fn slowdown(self, fct: Time, ideal: Time) -> f64 {
        let ratio = fct.as_ps() as f64 / ideal.as_ps() as f64;
        match self {
            Self::Alone(_) => ratio,
            Self::HpccNs3 => ratio.max(1.0),
        }
    }
}

/// A flow cut into packets: all are full but the last.
struct Cut {
    packets: u64,
    last: Bytes,
}

fn cut(size: Bytes, mtu: Bytes) -> Cut {
    let packets = size.as_u64().div_ceil(mtu.as_u64()).max(1);
    Cut {
        packets,
        last: size - mtu * (packets - 1),
    }
}

/// Store-and-forward at every hop, packets back to back at line rate, then the ACK of the last.
///
/// With s_i the serialisation of a full packet on hop i, l_i that of the last one, packet k
/// leaves hop i at
///
/// ```text
/// D(k, i) = max(D(k-1, i), D(k, i-1)) + (k = n ? l_i : s_i)       delays left out
/// ```
///
/// which is the heaviest path through a grid of n rows (packets) and H columns (hops) that only
/// steps down or right. Such a path enters row n in some column c. Before, it visits columns 1
/// to c and makes n-2 steps down, best all in the slowest of those columns; after, it runs
/// along row n. Hence, for n ≥ 2,
///
/// ```text
/// D(n, H) = max over c of  Σ_{i≤c} s_i + (n-2)·max_{i≤c} s_i + Σ_{i≥c} l_i
/// ```
///
/// and Σ l_i for n = 1. Propagation delays only add up: every packet waits them out alike. The
/// last ACK finds its path empty: it could wait for the ACK before only where an ACK takes
/// longer than the data packet that calls for it.
fn alone(
    clock: Clock,
    size: Bytes,
    packets: &PacketSizes,
    data_path: &[Hop],
    ack_path: &[Hop],
) -> Time {
    let Cut {
        packets: count,
        last,
    } = cut(size, packets.mtu);
    let full = on_wire(packets.data_header + packets.mtu, packets);
    let last = on_wire(packets.data_header + last, packets);
    let ack = on_wire(packets.ack, packets);

    let pipeline = match count.checked_sub(2) {
        None => crossing(clock, last, data_path),
        Some(between) => pipeline(clock, full, last, between, data_path),
    };
    pipeline + delays(data_path) + crossing(clock, ack, ack_path) + delays(ack_path)
}

/// max over c of the sum above; `between` is n - 2.
fn pipeline(clock: Clock, full: Bytes, last: Bytes, between: u64, path: &[Hop]) -> Time {
    let mut first_packet = Time::ZERO; // Σ_{i≤c} s_i
    let mut slowest = Time::ZERO; // max_{i≤c} s_i
    let mut last_packet = crossing(clock, last, path); // Σ_{i≥c} l_i
    let mut latest = Time::ZERO;
    for hop in path {
        let serialisation = clock.transmission_time(full, hop.rate);
        first_packet += serialisation;
        slowest = slowest.max(serialisation);
        latest = latest.max(first_packet + slowest * between + last_packet);
        last_packet -= clock.transmission_time(last, hop.rate);
    }
    latest
}

/// Serialisation of one packet on every hop.
fn crossing(clock: Clock, wire: Bytes, path: &[Hop]) -> Time {
    path.iter()
        .map(|hop| clock.transmission_time(wire, hop.rate))
        .sum()
}

fn delays(path: &[Hop]) -> Time {
    path.iter().map(|hop| hop.delay).sum()
}

fn on_wire(bytes: Bytes, packets: &PacketSizes) -> Bytes {
    bytes.max(packets.minimum)
}

/// The artifact's `standalone_fct` (HPCC, `scratch/third.cc`:163-169, 250, 919), in whole ns:
///
/// ```text
/// base RTT = 2·Σ delay + Σ ⌊mtu·8 / rate⌋
/// ideal    = base RTT + ⌊(size + packets·header)·8 / smallest rate⌋
/// ```
///
/// It counts a full packet once more than it needs to, and no ACK. Where equal-cost paths
/// differ in delay or rate, the artifact takes the one that its search meets first; this takes
/// the flow's own.
fn artifact(size: Bytes, packets: &PacketSizes, data_path: &[Hop]) -> Time {
    let Cut { packets: count, .. } = cut(size, packets.mtu);
    let smallest = data_path
        .iter()
        .map(|hop| hop.rate)
        .min()
        .expect("a path has a link");
    let payload: Time = data_path
        .iter()
        .map(|hop| whole_ns(hop.rate, packets.mtu))
        .sum();
    let base_rtt = delays(data_path) * 2 + payload;
    base_rtt + whole_ns(smallest, size + packets.data_header * count)
}

/// Serialisation, rounded down to whole ns in integers.
fn whole_ns(rate: Rate, bytes: Bytes) -> Time {
    const BIT_NS: u128 = 8_000_000_000;
    let ns = u128::from(bytes.as_u64()) * BIT_NS / u128::from(rate.as_bps());
    Time::from_ns(ns as u64)
}
