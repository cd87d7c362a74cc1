//! Conversions between packets and algorithms: data packets are made; ACKs, NACKs and CNPs are
//! read.

use incast_cc::{Ack, AckNews, Cnp, LossKind};
use incast_signals::int::Telemetry;
use incast_units::{Bytes, Time};

use crate::shared::Shared;
use crate::transport::{
    Acknowledgement, NextSegment, ProbeSegment, Sack, SequenceNumbers, Transfer, Trim,
};
use crate::wire::{Kind, Lane, MAX_PACKETS, Packet, TrimmedAt};

/// A data packet that leaves now.
pub(super) fn data_packet<const WORDS: usize>(
    transfer: &mut Transfer,
    segment: &NextSegment,
    shared: &Shared,
    now: Time,
) -> Packet<WORDS> {
    let size = segment.payload + shared.data_overhead;
    let mut packet = Packet::new(segment.kind, 0);
    renew_data_packet(&mut packet, transfer, segment, size);
    transfer.choose_path(&mut packet, segment, shared.mtu, now);
    if shared.numbered {
        packet.set_transmission_number(segment.transmission);
    }
    if shared.stamped {
        packet.set_timestamp(now);
    }
    packet
}

/// Turns a packet that this host has sent into the next packet of a transfer, of `size` bytes on
/// the wire.
#[inline(always)]
pub(super) fn renew_data_packet<const WORDS: usize>(
    packet: &mut Packet<WORDS>,
    transfer: &Transfer,
    segment: &NextSegment,
    size: u64,
) {
    let (flow, address) = (&transfer.flow, transfer.address);
    let number = (flow.data_lane(), segment.psn);
    packet.renew_data(segment.kind, flow.id.0, number, address, size as u16);
}

/// A probe that leaves now. Its number differs from all packets of its flow.
pub(super) fn probe_packet<const WORDS: usize>(
    probe: &ProbeSegment,
    lane: Lane,
    shared: &Shared,
    now: Time,
) -> Packet<WORDS> {
    let packet = Packet::new(Kind::Probe, shared.data_overhead as u16);
    let packet = packet.of_flow(probe.flow, MAX_PACKETS, probe.address);
    let mut packet = packet.in_lane(lane);
    packet.set_transmission_number(probe.transmission);
    if shared.stamped {
        packet.set_timestamp(now);
    }
    packet
}

/// A CNP in the form for algorithms.
pub(super) fn cnp_of<const WORDS: usize>(packet: &Packet<WORDS>) -> Cnp {
    let (rate, congestion_point) = packet.asked_rate().unzip();
    Cnp {
        rate,
        congestion_point,
    }
}

/// An ACK or NACK in the form for its flow's transfer.
pub(super) fn acknowledgement_of<const WORDS: usize>(
    packet: &Packet<WORDS>,
    shared: &Shared,
) -> Acknowledgement {
    if shared.tells_of_trimming(packet) {
        return nack_of(packet);
    }
    Acknowledgement {
        kind: packet.kind(),
        expected: packet.psn(),
        transmission: match shared.numbered {
            true => packet.transmission_number(),
            false => 0,
        },
        sack: match shared.names_early {
            true => sack_of(packet),
            false => None,
        },
        received: match shared.counts_received {
            true => packet.received_bytes(),
            false => 0,
        },
        trim: None,
    }
}

/// A NACK of a trimmed packet, without information on other packets.
fn nack_of<const WORDS: usize>(packet: &Packet<WORDS>) -> Acknowledgement {
    Acknowledgement {
        kind: Kind::Nack,
        expected: 0,
        transmission: packet.transmission_number(),
        sack: None,
        received: 0,
        trim: Some(Trim {
            at: packet.trimmed_at(),
            marked: packet.marked(),
        }),
    }
}

/// The loss that an ACK or NACK shows on its arrival, in the form for algorithms. `trimmed`:
/// payload bytes of the trimmed packet. Has the trimmed packet's round trip if packets carry
/// timestamps.
pub(super) fn loss_of<const WORDS: usize>(
    packet: &Packet<WORDS>,
    shared: &Shared,
    trimmed: u64,
    now: Time,
) -> (LossKind, Option<Time>) {
    if !shared.tells_of_trimming(packet) {
        return (LossKind::Nack, None);
    }
    let kind = LossKind::Trimmed {
        last_hop: packet.trimmed_at() == TrimmedAt::LastHop,
        marked: packet.marked(),
        bytes: Bytes::new(trimmed),
    };
    let stamped = shared.config.timestamps;
    (kind, stamped.then(|| now - packet.timestamp()))
}

/// The packets that an ACK or NACK reports as early.
fn sack_of<const WORDS: usize>(packet: &Packet<WORDS>) -> Option<Sack> {
    let (base, bits) = packet.early_packets()?;
    Some(Sack { base, bits })
}

/// An ACK or NACK in the form for its QP's algorithm. `words_per_record`: words of an INT record.
#[inline(always)]
pub(super) fn ack_of<'a, const WORDS: usize>(
    packet: &'a Packet<WORDS>,
    progress: SequenceNumbers,
    (newly_acked, news): (u64, AckNews),
    shared: &'a Shared,
    words_per_record: usize,
    round_trip: Option<Time>,
) -> Ack<'a> {
    let words = &packet.words[..packet.hops() * words_per_record];
    Ack {
        newly_acked: Bytes::new(newly_acked),
        next_expected: progress.next_expected,
        next_to_send: progress.next_to_send,
        flow_size: progress.size,
        marked: packet.marked(),
        round_trip,
        switch_hops: packet.hops() as u8,
        telemetry: Telemetry::new(words, &shared.layout),
        receiver_flows: shared.int_on_acks.then(|| packet.receiver_flows()),
        news,
    }
}
