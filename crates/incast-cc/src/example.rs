//! For tests: a flow at a NIC of 100 Gb/s, and its ACKs.

use incast_signals::int::{IntRecord, Telemetry};
use incast_units::{Bytes, Rate, Time};

use crate::{Ack, AckNews, FlowContext, FlowController, Sent};

/// C = 100 Gb/s, T = 4.16 µs, W₀ = 52 000 B. Packets have 1000 B of payload, 1048 B on the wire.
pub(crate) fn context() -> FlowContext {
    FlowContext {
        flow: <_>::default(),
        line_rate: Rate::from_gbps(100),
        base_rtt: Time::from_ns(4_160),
        base_window: Bytes::new(52_000),
        mtu: Bytes::new(1_000),
        wire_mtu: Bytes::new(1_048),
        size: Bytes::new(1_000_000),
        trims: false,
        seed: 1,
    }
}

/// The fields of an ACK that tests set.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Acked {
    /// Packets acknowledged since the start, and by this ACK.
    pub(crate) packets: u64,
    pub(crate) newly: u64,
    /// Packets sent since the start.
    pub(crate) sent: u64,
    pub(crate) marked: bool,
    pub(crate) round_trip: Option<Time>,
}

impl Acked {
    /// The ACK of packet number `packets`, counted from 1, after `sent` packets were sent.
    pub(crate) fn plain(packets: u64, sent: u64) -> Self {
        Self {
            packets,
            newly: 1,
            sent,
            marked: false,
            round_trip: None,
        }
    }

    /// The ACK of a marked packet.
    pub(crate) fn marked(packets: u64, sent: u64) -> Self {
        Self {
            marked: true,
            ..Self::plain(packets, sent)
        }
    }

    pub(crate) fn give(self, controller: &mut dyn FlowController, now: Time) {
        let ack = Ack {
            newly_acked: Bytes::new(self.newly * 1_000),
            marked: self.marked,
            round_trip: self.round_trip,
            ..ack(self.packets * 1_000, self.sent * 1_000)
        };
        controller.on_ack(now, &ack);
    }
}

/// An ACK of one packet. `next_expected`: next sequence number to receive; `next_to_send`: next to
/// send.
pub(crate) fn ack(next_expected: u64, next_to_send: u64) -> Ack<'static> {
    Ack {
        newly_acked: Bytes::new(1_000),
        next_expected,
        next_to_send,
        flow_size: Bytes::new(1_000_000_000),
        marked: false,
        round_trip: None,
        switch_hops: 1,
        telemetry: Telemetry::NONE,
        receiver_flows: None,
        news: AckNews::default(),
    }
}

/// An ACK with this delay.
pub(crate) fn delayed(next_expected: u64, next_to_send: u64, delay: Time) -> Ack<'static> {
    Ack {
        round_trip: Some(delay),
        ..ack(next_expected, next_to_send)
    }
}

/// Asserts that two numbers are equal up to rounding.
#[track_caller]
pub(crate) fn assert_close(value: f64, expected: f64) {
    let error = (value - expected).abs();
    let allowed = expected.abs() * 1e-6 + 1e-9;
    assert!(error <= allowed, "{value} is not {expected}");
}

/// Sends all packets up to number `packets`.
pub(crate) fn send(controller: &mut dyn FlowController, packets: u64) {
    let sent = Sent {
        payload: Bytes::new(1_000),
        wire: Bytes::new(1_048),
        next_to_send: packets * 1_000,
        retransmission: false,
    };
    controller.on_sent(Time::ZERO, &sent);
}

/// Serves all timers of the controller that expire before `end`.
pub(crate) fn pass_time(controller: &mut dyn FlowController, end: Time) {
    while let Some(at) = controller.next_timer().filter(|at| *at <= end) {
        controller.on_timer(at);
    }
}

/// INT record of a port with a link of 100 Gb/s at `ns` ns.
pub(crate) fn record(ns: u64, sent: u64, queue: u64) -> IntRecord {
    IntRecord {
        clock: ns * 1_000,
        sent,
        queue: Bytes::new(queue),
        rate: Rate::from_gbps(100),
    }
}
