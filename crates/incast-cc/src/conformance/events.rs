//! Random events of a flow.

use std::fmt;

use incast_random::SplitMix64;
use incast_signals::int::IntFormat;
use incast_units::{Bytes, FlowId, Rate, Time};

use crate::{Cnp, FlowContext};

/// Most hops of a path.
const HOPS: u64 = 5;

/// An event of a flow.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// Time passes. Expired timers are served `late` later.
    Wait { time: Time, late: Time },
    /// A packet with at most this many bytes of payload leaves.
    Send { payload: u64 },
    /// An ACK for a part of the bytes in flight, in units of 1/255; 0: it acknowledges nothing new.
    Ack { part: u8, news: News },
    /// A NACK, which reports a loss, with the same content as an ACK.
    Nack { part: u8, news: News },
    /// The retransmission timer expired.
    Timeout,
    /// A CNP from the receiver or from a switch.
    Cnp(Cnp),
}

/// The content of an ACK besides its sequence number.
#[derive(Clone, Debug)]
pub(super) struct News {
    pub(super) marked: bool,
    pub(super) round_trip: Time,
    pub(super) receiver_flows: Option<u16>,
    /// For each hop: time since its previous record, the fraction of this time in which its link
    /// was busy in units of 1/255, and its queue in bytes.
    pub(super) hops: Vec<(Time, u8, u64)>,
}

/// A flow and its path.
#[derive(Clone, Debug)]
pub(super) struct PathSetting {
    pub(super) context: FlowContext,
    pub(super) flow_size: u64,
    pub(super) format: IntFormat,
    /// Rates of the path's links.
    pub(super) links: Vec<Rate>,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wait { time, .. } => write!(f, "a time of {time} without a packet"),
            Self::Send { payload } => write!(f, "a packet of up to {payload}B"),
            Self::Ack { part, news } => write!(f, "an ACK {}", Acknowledged(*part, news)),
            Self::Nack { part, news } => write!(f, "a NACK {}", Acknowledged(*part, news)),
            Self::Timeout => write!(f, "a timeout"),
            Self::Cnp(Cnp { rate: None, .. }) => write!(f, "a CNP"),
            Self::Cnp(Cnp {
                rate: Some(rate), ..
            }) => write!(f, "a CNP that asks for {rate}"),
        }
    }
}

/// The content of an ACK, for display in words.
struct Acknowledged<'a>(u8, &'a News);

impl fmt::Display for Acknowledged<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(part, news) = self;
        let marked = if news.marked { ", with a mark" } else { "" };
        write!(
            f,
            "of {part}/255 of what was in flight, after an RTT of {}{marked}",
            news.round_trip
        )
    }
}

impl fmt::Display for PathSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FlowContext {
            line_rate,
            base_rtt,
            mtu,
            size,
            ..
        } = self.context;
        write!(
            f,
            "a flow of {size} in packets of {mtu}, a NIC of {line_rate}, a base RTT of {base_rtt}"
        )
    }
}

/// A number up to `max`; all orders of magnitude are equally likely.
fn any_magnitude(random: &mut SplitMix64, max: u64) -> u64 {
    let bits = random.below(u64::from(max.ilog2()) + 1);
    (random.next_u64() >> (63 - bits)).min(max)
}

fn time(random: &mut SplitMix64, max: Time) -> Time {
    Time::from_ps(any_magnitude(random, max.as_ps()))
}

fn byte(random: &mut SplitMix64) -> u8 {
    random.below(256) as u8
}

fn is_heads(random: &mut SplitMix64) -> bool {
    random.below(2) == 0
}

fn one_of<T: Copy>(random: &mut SplitMix64, choices: &[T]) -> T {
    choices[random.below(choices.len() as u64) as usize]
}

impl News {
    fn draw(random: &mut SplitMix64) -> Self {
        Self {
            marked: is_heads(random),
            round_trip: time(random, Time::from_ms(10)).max(Time::from_ps(1)),
            receiver_flows: is_heads(random).then(|| 1 + random.below(1_000) as u16),
            hops: (0..HOPS)
                .map(|_| {
                    let elapsed = time(random, Time::from_ms(1));
                    (elapsed, byte(random), any_magnitude(random, 20_000_000))
                })
                .collect(),
        }
    }
}

impl Event {
    pub(super) fn draw(random: &mut SplitMix64) -> Self {
        match random.below(18) {
            0..4 => Self::Wait {
                time: time(random, Time::from_ms(2)),
                late: time(random, Time::from_ns(1)),
            },
            4..8 => Self::Send {
                payload: 1 + random.below(9_000),
            },
            8..14 => Self::Ack {
                part: byte(random),
                news: News::draw(random),
            },
            14 => Self::Nack {
                part: byte(random),
                news: News::draw(random),
            },
            15 => Self::Timeout,
            _ => {
                let is_from_switch = is_heads(random);
                Self::Cnp(Cnp {
                    rate: is_from_switch.then(|| Rate::from_mbps(1 + random.below(400_000))),
                    congestion_point: is_from_switch.then(|| random.next_u64() as u32),
                })
            }
        }
    }
}

impl PathSetting {
    pub(super) fn draw(random: &mut SplitMix64) -> Self {
        let rates = [1, 10, 25, 40, 100, 400, 800].map(Rate::from_gbps);
        let line_rate = one_of(random, &rates);
        let base_rtt = Time::from_ns(any_magnitude(random, 100_000).max(1));
        let mtu = Bytes::new(one_of(random, &[1, 1_000, 1_440, 4_096, 9_000]));
        let size = any_magnitude(random, 1 << 40).max(1);
        let seed = random.next_u64();
        let context = FlowContext {
            flow: FlowId(0),
            line_rate,
            base_rtt,
            // A base RTT includes the transmission of a packet, so the base window is at least one
            // packet.
            base_window: line_rate.bytes_in(base_rtt).max(mtu),
            mtu,
            wire_mtu: mtu + Bytes::new(90),
            size: Bytes::new(size),
            trims: seed % 2 == 1,
            seed,
        };
        let format = match is_heads(random) {
            true => IntFormat::Exact,
            false => IntFormat::quantised(1 + random.below(16) as u32, 16),
        };
        let hops = 1 + random.below(HOPS);
        Self {
            context,
            flow_size: size,
            format,
            links: (0..hops).map(|_| one_of(random, &rates)).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
