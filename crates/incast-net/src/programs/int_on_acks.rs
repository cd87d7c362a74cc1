//! INT on ACKs: an ACK collects the state of the ports by which its data packet left, at the time
//! when the ACK passes.
//!
//! Xu et al., "FNCC: Fast Notification Congestion Control in Data Center Networks", §4.1,
//! Algorithm 1. A switch keeps All_INT_Table, a row for every port. An ACK that arrives by port p
//! carries row p away. If the ACK returns on the path of its data, p is the port by which the data
//! left. So the record of the first switch is one hop old when it reaches the sender, rather than a
//! round trip. The first record is that of the switch next to the receiver.
//!
//! The table is live, or refreshed at a period. A row has
//!
//! - the bytes of data that wait,
//! - the bytes sent, including the part of a packet in transmission that has left: so the
//!   throughput between two ACKs is never more than the link's rate, however close they are,
//! - the rate of the link, and the time of these values.
//!
//! Deviation: the row is read when the ACK arrives, not when it leaves again. The ACK waits for the
//! link at most as long as a data packet takes, where ACKs have a class of their own.

use incast_signals::int::{IntWriter, PortSnapshot};
use incast_units::Time;

use crate::wire::Packet;

use super::PortView;

/// The table, and the writer of its rows into ACKs.
#[derive(Clone, Debug)]
pub(crate) struct IntOnAcks {
    writer: IntWriter,
    refreshed: Option<Refreshed>,
}

/// FNCC's All_INT_Table, refreshed periodically.
#[derive(Clone, Debug)]
struct Refreshed {
    period: Time,
    /// Time of the next refresh.
    next: Time,
    /// By port; filled by the first refresh, at time 0.
    rows: Vec<Option<PortSnapshot>>,
}

impl IntOnAcks {
    /// For a switch with this many ports. The table is live unless a period is given.
    pub(crate) fn new(writer: IntWriter, period: Option<Time>, ports: usize) -> Self {
        let refreshed = period.map(|period| Refreshed {
            period,
            next: Time::ZERO,
            rows: vec![None; ports],
        });
        Self { writer, refreshed }
    }

    /// An ACK or NACK arrives at port `ingress`, whose departures so far have been computed.
    /// `false`: the packet has no room for a record.
    #[inline(always)]
    pub(super) fn on_ack<const WORDS: usize>(
        &self,
        packet: &mut Packet<WORDS>,
        ingress: usize,
        now: Time,
        port: &impl PortView<WORDS>,
    ) -> bool {
        let row = match &self.refreshed {
            None => port.snapshot(now),
            Some(table) => table.rows[ingress].expect("it was refreshed at time 0"),
        };
        let hop = packet.hops();
        let fits = self.writer.write(&mut packet.words, hop, &row);
        if fits {
            packet.count_hop();
        }
        fits
    }

    /// Time of the next refresh; [`Time::MAX`] if the table is live.
    pub(super) fn next_observation(&self) -> Time {
        self.refreshed
            .as_ref()
            .map_or(Time::MAX, |table| table.next)
    }

    /// Refreshes the table if a refresh is due, before events at `now` itself.
    pub(super) fn observe<const WORDS: usize>(
        &mut self,
        now: Time,
        ports: &[&dyn PortView<WORDS>],
    ) {
        let Some(table) = &mut self.refreshed else {
            return;
        };
        if now < table.next {
            return;
        }
        let periods = now.as_ps() / table.period.as_ps();
        let at = table.period * periods;
        for (row, port) in table.rows.iter_mut().zip(ports) {
            *row = Some(port.snapshot_before(at));
        }
        table.next = at + table.period;
    }
}
