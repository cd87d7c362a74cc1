//! Congestion control: whether senders or receivers have it, and its parameters.

use incast_diagnostic::Diagnostic;
use toml::Table;

use super::command_line::{CommandLine, wrong};
use super::{Experiment, MAX_PACKETS, whole};

/// Who controls congestion.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Control {
    Sender,
    Receiver,
    Both,
}

impl Control {
    /// The control after all options, in order.
    pub(super) fn of(line: &CommandLine) -> Self {
        let (mut sender, mut receiver) = (true, false);
        for option in line.in_order() {
            match option {
                "-sender_cc_only" => (sender, receiver) = (true, false),
                "-receiver_cc_only" => (sender, receiver) = (false, true),
                "-sender_cc" => sender = true,
                "-receiver_cc" => receiver = true,
                _ => {}
            }
        }
        match (sender, receiver) {
            (_, false) => Self::Sender,
            (false, true) => Self::Receiver,
            (true, true) => Self::Both,
        }
    }

    fn algorithm(self) -> &'static str {
        match self {
            Self::Sender => "nscc",
            Self::Receiver => "rccc",
            Self::Both => "nscc+credits",
        }
    }
}

impl Experiment<'_> {
    pub(super) fn cc(&mut self) -> Result<Table, Diagnostic> {
        let mut cc = Table::new();
        cc.insert("algorithm".into(), self.control.algorithm().into());
        match self.line.number("-cwnd", 0..=MAX_PACKETS)? {
            None | Some(0) => self.unused("-cwnd", "0 is the default, the largest window"),
            Some(_) if self.control == Control::Receiver => {
                self.unused("-cwnd", "receivers alone leave senders no window");
            }
            Some(packets) => {
                cc.insert("initial_window".into(), (packets as f64).into());
                self.used("-cwnd", "cc.initial_window");
            }
        }
        if self.control == Control::Receiver {
            let reason = "it is for control by senders";
            for option in [
                "-qa_gate",
                "-target_q_delay",
                "-disable_base_rtt_update_on_nack",
            ] {
                self.unused(option, reason);
            }
            if let Some(ratio) = self.oversubscription {
                cc.insert("oversubscription".into(), (ratio as f64).into());
                self.used(
                    "-receiver_cc_only",
                    "cc.algorithm: rccc, and cc.oversubscription",
                );
            }
            return Ok(cc);
        }
        if let Some(gate) = self.line.number("-qa_gate", 0..=16)? {
            cc.insert("qa_gate".into(), whole(gate));
            self.used("-qa_gate", "cc.qa_gate");
        }
        if self.line.has("-disable_base_rtt_update_on_nack") {
            cc.insert("base_rtt_from_trims".into(), false.into());
            self.used("-disable_base_rtt_update_on_nack", "cc.base_rtt_from_trims");
        }
        if let Some(delay) = self.line.microseconds("-target_q_delay")? {
            if self.line.has("-topo") {
                let what = "a delay in base RTTs is needed here, which a -topo file does not say";
                let hint = "set cc.target_delay by hand, and --ignore target_q_delay";
                return Err(wrong("-target_q_delay", what, hint));
            }
            let in_rtts = delay.as_ps() as f64 / self.largest_base_rtt()?.as_ps() as f64;
            cc.insert("target_delay".into(), in_rtts.into());
            self.used("-target_q_delay", "cc.target_delay, in base RTTs");
        }
        Ok(cc)
    }

    pub(super) fn note_control(&mut self) {
        let algorithm = format!("cc.algorithm: {}", self.control.algorithm());
        if self.oversubscription.is_none() {
            self.used("-receiver_cc_only", &algorithm);
        }
        for option in ["-sender_cc_only", "-sender_cc", "-receiver_cc"] {
            self.used(option, &algorithm);
        }
        let reason = "receivers slow down only where cc.oversubscription is given";
        self.unused("-force_disable_oversubscribed_cc", reason);
    }
}
