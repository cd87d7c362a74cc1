//! `[network.recovery]`: how losses are found, and which packets are sent again.

use incast_cc::Needs;
use incast_diagnostic::{Diagnostic, Placed};
use incast_net::{Backoff, Explicit, LossDetection, RecoveryConfig, RecoveryKind, TimeoutOf};
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ack_every::AckEvery;
use super::buffers::FlowControlKind;
use super::filled_in;
use crate::spec::profile::RecoveryChoices;

/// Whether links lose packets.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Losing {
    Nothing,
    Packets,
}

/// Whether flows need a retransmission timeout. They do where packets may be lost. They also do
/// where ACKs wait for bytes: a window may shrink below the bytes in flight while no ACK is due.
pub(crate) fn needs_timeout(
    flow_control: FlowControlKind,
    links: Losing,
    ack_every: AckEvery,
) -> bool {
    flow_control == FlowControlKind::None
        || links == Losing::Packets
        || matches!(ack_every, AckEvery::Bytes(_))
}

/// Recovery from losses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Recovery")]
pub(crate) struct RecoverySection {
    /// Which packets are sent again. Default: selective if the algorithm needs it; else go-back-n
    /// under PFC, where nothing is lost, and under profile `hpcc-ns3`; else selective.
    pub(crate) kind: Option<RecoveryKind>,
    /// How senders find single lost packets, with selective recovery. Default: in order; with
    /// trimming, and under profile `uet-htsim`, explicit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) loss_detection: Option<LossDetection>,
    /// The shortest time between two NACKs for the same sequence number, with go-back-n.
    #[schemars(extend("default" = "500us"))]
    pub(crate) nack_interval: Option<Time>,
    /// Retransmission timeout. Default: 1 ms, or 20 base RTTs if that is longer. Under profile
    /// `uet-htsim`: 15 us, plus the time in which a NIC sends six full queues. Under PFC: none,
    /// unless links with faults lose packets or ACKs wait for bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<Time>,
    /// What counts as lost when the timeout expires. Default: the packet, if losses are found by
    /// explicit or early-count; else all packets of the flow in flight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout_of: Option<TimeoutOf>,
    /// How the timeout grows with each expiry in a row. Default under profile `uet-htsim`: `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "exponential"))]
    pub(crate) backoff: Option<Backoff>,
}

impl RecoverySection {
    /// The section with defaults: the needs of flow control and the algorithm, and this timeout.
    pub(crate) fn with_defaults(
        self,
        choices: &RecoveryChoices,
        flow_control: FlowControlKind,
        timeout: Option<Time>,
        needs: &Needs,
    ) -> Self {
        let drops = flow_control == FlowControlKind::None;
        let kind = match drops {
            _ if needs.selective_repeat => RecoveryKind::Selective,
            true => choices.kind,
            false => RecoveryKind::GoBackN,
        };
        let kind = self.kind.unwrap_or(kind);
        let (loss_detection, backoff) = match drops && kind == RecoveryKind::Selective {
            true => (choices.loss_detection.clone(), choices.backoff),
            false => (None, None),
        };
        Self {
            kind: Some(kind),
            loss_detection: self.loss_detection.or(loss_detection),
            nack_interval: self.nack_interval.or(Some(Time::from_us(500))),
            timeout: self.timeout.or(timeout),
            timeout_of: self.timeout_of,
            backoff: self.backoff.or(backoff),
        }
    }

    /// The section with the needs of trimming for missing keys: a sender sends again only packets
    /// that a NACK reports. Headers overtake data, so the order of arrivals shows no loss.
    pub(crate) fn with_trimming(self) -> Self {
        let kind = self.kind.unwrap_or(RecoveryKind::Selective);
        let explicit = (kind == RecoveryKind::Selective).then(|| Explicit {}.into());
        Self {
            kind: Some(kind),
            loss_detection: self.loss_detection.or(explicit),
            ..self
        }
    }

    /// The recovery of the run.
    ///
    /// # Errors
    /// If the timeout is not longer than the base RTT.
    pub(crate) fn build(&self, base_rtt: Time) -> Result<RecoveryConfig, Diagnostic> {
        if let Some(timeout) = self.timeout.filter(|timeout| *timeout <= base_rtt) {
            let diagnostic = Diagnostic::new(
                format!("a timeout of {timeout} expires before an ACK can come"),
                format!("write more than the base RTT of {base_rtt}"),
            );
            return Err(diagnostic.at("network.recovery.timeout"));
        }
        let kind = filled_in(self.kind);
        if let Some(detection) = &self.loss_detection {
            detection.check().at("network.recovery.loss_detection")?;
            if kind == RecoveryKind::GoBackN {
                let diagnostic = Diagnostic::new(
                    "go-back-n has no choice of loss detection: a gap is a loss",
                    "write recovery.kind = \"selective\", or leave loss_detection out",
                );
                return Err(diagnostic.at("network.recovery.loss_detection"));
            }
        }
        if kind == RecoveryKind::GoBackN && self.timeout_of == Some(TimeoutOf::Packet) {
            let diagnostic = Diagnostic::new(
                "under go-back-n no packet has a timeout of its own",
                "write recovery.kind = \"selective\", or leave timeout_of out",
            );
            return Err(diagnostic.at("network.recovery.timeout_of"));
        }
        let loss_detection = self.loss_detection.clone().unwrap_or_default();
        let timeout_of = self
            .timeout_of
            .unwrap_or_else(|| loss_detection.timeout_of());
        Ok(RecoveryConfig {
            kind,
            loss_detection,
            timeout_of,
            nack_interval: filled_in(self.nack_interval),
            timeout: self.timeout,
            backoff: self.backoff.unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use incast_units::Bytes;

    use super::*;
    use crate::spec::Profile;
    use crate::spec::profile::TimeoutRule;

    fn recovery(profile: Profile, flow_control: FlowControlKind, rtt: Time) -> RecoveryConfig {
        let section = RecoverySection::default();
        let (choices, needs) = (&profile.choices().recovery, Needs::default());
        let timeout = TimeoutRule::TwentyRtts.timeout(rtt, None);
        let is_needed = needs_timeout(flow_control, Losing::Nothing, AckEvery::Packets(1));
        let timeout = is_needed.then_some(timeout);
        let section = section.with_defaults(choices, flow_control, timeout, &needs);
        section.build(rtt).unwrap()
    }

    /// The timeout is 20 · 100 us = 2 ms, which is more than 1 ms; but 20 · 4.16 us is less than
    /// 1 ms.
    #[test]
    fn the_timeout_outlasts_twenty_round_trips() {
        let timeout = |rtt| recovery(Profile::Default, FlowControlKind::None, rtt).timeout;
        assert_eq!(timeout(Time::from_us(100)), Some(Time::from_ms(2)));
        assert_eq!(timeout(Time::from_ns(4160)), Some(Time::from_ms(1)));
    }

    /// By default, packets of Ultra Ethernet time out one by one.
    #[test]
    fn loss_detection_says_what_times_out() {
        let timeout_of = |detection: LossDetection, given| {
            let section = RecoverySection {
                kind: Some(RecoveryKind::Selective),
                loss_detection: Some(detection),
                nack_interval: Some(Time::from_us(500)),
                timeout_of: given,
                ..RecoverySection::default()
            };
            let recovery = section.build(Time::from_us(4)).unwrap();
            recovery.timeout_of
        };
        let explicit = || LossDetection::from(Explicit {});
        assert_eq!(timeout_of(explicit(), None), TimeoutOf::Packet);
        assert_eq!(
            timeout_of(explicit(), Some(TimeoutOf::Flow)),
            TimeoutOf::Flow
        );
        assert_eq!(timeout_of(LossDetection::default(), None), TimeoutOf::Flow);
    }

    #[test]
    fn nothing_times_out_under_pfc() {
        let recovery = recovery(Profile::Default, FlowControlKind::Pfc, Time::from_us(4));
        assert_eq!(recovery.timeout, None);
        assert_eq!(recovery.kind, RecoveryKind::GoBackN);
    }

    /// A window may shrink below the bytes in flight while no ACK is due.
    #[test]
    fn acks_that_wait_for_bytes_need_a_timeout() {
        let by_bytes = AckEvery::Bytes(Bytes::new(16_384));
        let needed = |every| needs_timeout(FlowControlKind::Pfc, Losing::Nothing, every);
        assert_eq!(
            [needed(by_bytes), needed(AckEvery::Packets(4))],
            [true, false]
        );
    }

    /// Under PFC, too, a timeout finds packets that links lose. Recovery is go-back-N, as in NICs
    /// for lossless networks.
    #[test]
    fn what_links_lose_is_found_by_timeout() {
        let choices = &Profile::Default.choices().recovery;
        let (pfc, rtt) = (FlowControlKind::Pfc, Time::from_us(4));
        let is_needed = needs_timeout(pfc, Losing::Packets, AckEvery::Packets(1));
        let timeout = is_needed.then_some(Time::from_ms(1));
        let section = RecoverySection::default();
        let section = section.with_defaults(choices, pfc, timeout, &Needs::default());
        let recovery = section.build(rtt).unwrap();
        assert_eq!(recovery.timeout, Some(Time::from_ms(1)));
        assert_eq!(recovery.kind, RecoveryKind::GoBackN);
    }

    #[test]
    fn an_algorithm_may_need_selective_repeat() {
        let needs = Needs {
            selective_repeat: true,
            ..Needs::default()
        };
        for (profile, kind) in [
            (Profile::Default, FlowControlKind::Pfc),
            (Profile::HpccNs3, FlowControlKind::None),
        ] {
            let (section, rtt) = (RecoverySection::default(), Time::from_us(4));
            let choices = &profile.choices().recovery;
            let section = section.with_defaults(choices, kind, Some(rtt), &needs);
            assert_eq!(section.kind, Some(RecoveryKind::Selective));
        }
    }

    #[test]
    fn drops_are_repaired_selectively_but_for_the_artifact() {
        let kind = |profile| recovery(profile, FlowControlKind::None, Time::from_us(4)).kind;
        assert_eq!(kind(Profile::Default), RecoveryKind::Selective);
        assert_eq!(kind(Profile::HpccNs3), RecoveryKind::GoBackN);
    }
}
