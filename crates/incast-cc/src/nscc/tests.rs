use incast_units::{Bytes, Rate, Time};

use super::*;
use crate::example::ack;
use crate::{Ack, AckNews, CongestionControl as _, FlowContext, Loss, LossKind, Sent};

mod equations;
mod parts;
mod recordings;
mod scaling;

type Nscc<P = NoParts> = super::controller::Nscc<P>;

/// A flow of uet-htsim: packets of 4150 B with 4086 B of payload.
fn context(gbps: u64, base_rtt: Time, trims: bool) -> FlowContext {
    let line_rate = Rate::from_gbps(gbps);
    FlowContext {
        flow: <_>::default(),
        line_rate,
        base_rtt,
        base_window: line_rate.bytes_in(base_rtt),
        mtu: Bytes::new(4_086),
        wire_mtu: Bytes::new(4_150),
        size: Bytes::new(5_000_000),
        trims,
        seed: 1,
    }
}

/// Sends `bytes` bytes at `now`.
fn send<P: Policy>(flow: &mut Nscc<P>, now: Time, bytes: u64) {
    let sent = Sent {
        payload: Bytes::new(bytes),
        wire: Bytes::new(bytes),
        next_to_send: bytes,
        retransmission: false,
    };
    flow.on_sent(now, &sent);
}

/// An ACK of an awaited packet that reports `bytes` new bytes.
fn received(bytes: u64) -> Ack<'static> {
    Ack {
        news: AckNews {
            newly_received: Bytes::new(bytes),
            was_awaited: true,
            ..AckNews::default()
        },
        ..ack(0, 0)
    }
}

/// The loss of `bytes` bytes, found in the way `kind`.
fn lost(kind: LossKind, bytes: u64) -> Loss {
    Loss {
        wire: Bytes::new(bytes),
        ..Loss::new(kind, 0)
    }
}

/// The NACK of a trimmed packet of `bytes` bytes, whose header came back after `round_trip`.
fn trimmed(bytes: u64, round_trip: Option<Time>, last_hop: bool) -> Loss {
    let kind = LossKind::Trimmed {
        last_hop,
        marked: false,
        bytes: Bytes::new(bytes),
    };
    Loss {
        round_trip,
        ..lost(kind, bytes)
    }
}
