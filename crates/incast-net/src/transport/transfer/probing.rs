//! Probes of a transfer, if its loss detection uses them.

use incast_units::Time;

use super::Transfer;
use crate::routing::LeavingPacket;
use crate::transport::acknowledgement::Acknowledgement;
use crate::transport::probes::{Prober, Probes, StillToSend};
use crate::transport::recovery::{Recovery, RecoveryConfig, RecoveryKind};
use crate::wire::{Address, Kind};

/// A probe that leaves now.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ProbeSegment {
    pub(crate) flow: u32,
    /// The probe's number, above those of all transmissions.
    pub(crate) transmission: u64,
    pub(crate) address: Address,
}

impl RecoveryConfig {
    /// The probes of a flow.
    pub(super) fn prober(&self, base_rtt: Time) -> Option<Box<Prober>> {
        let probes = self.probes();
        probes.map(|probes| Box::new(Prober::new(probes, base_rtt)))
    }

    /// Whether flows probe.
    pub(crate) fn has_probes(&self) -> bool {
        self.probes().is_some()
    }

    fn probes(&self) -> Option<Probes> {
        match self.kind {
            RecoveryKind::GoBackN => None,
            RecoveryKind::Selective => self.loss_detection.probes(),
        }
    }
}

impl Prober {
    /// Records whether an ACK or NACK answers the latest probe, and whether this shows losses.
    /// Called before the effects of the ACK or NACK.
    pub(super) fn hear(&self, ack: &Acknowledgement, recovery: &mut Recovery, now: Time) {
        let answers = ack.kind == Kind::Ack && self.is_latest(ack.transmission);
        if answers && self.shows_loss(now) {
            recovery.note_probe();
        }
        if let Some(untold) = recovery.untold() {
            untold.answers_probe = answers;
        }
    }
}

impl Transfer {
    /// Postpones the next probe after an ACK.
    pub(super) fn expect_probe(&mut self, now: Time) {
        let backlog = match self.has_sent_all() {
            true => StillToSend::Nothing,
            false => StillToSend::Some,
        };
        if let Some(prober) = &mut self.prober {
            prober.on_ack(now, backlog);
        }
    }

    /// Sets the timer for overtaken packets, and for the next probe.
    pub(super) fn expect_loss(&mut self) {
        let probe = self
            .prober
            .as_ref()
            .map_or(Time::MAX, |prober| prober.due());
        let deadline = self.recovery.loss_deadline().min(probe);
        self.retransmission.expect_loss(deadline);
    }

    /// Whether a probe is to leave now; resets this state.
    #[inline]
    pub(crate) fn takes_probe(&mut self) -> bool {
        let prober = self.prober.as_mut();
        prober.is_some_and(|prober| prober.take_due())
    }

    /// The probe that leaves now, with the selector's next entropy if the flow has a selector.
    pub(crate) fn probe(&mut self, mtu: u64, window: u64, now: Time) -> Option<ProbeSegment> {
        let transmission = self.prober.as_mut()?.send(now);
        self.counters.probes += 1;
        let mut address = self.address;
        if let Some(selector) = &mut self.selector {
            let entropy = selector.next(&LeavingPacket {
                new_packets: self.sequence.first_unsent(),
                window: u32::try_from(window / mtu).unwrap_or(u32::MAX),
                now,
            });
            address = address.with_entropy(entropy);
        }
        Some(ProbeSegment {
            flow: self.flow.id.0,
            transmission,
            address,
        })
    }
}
