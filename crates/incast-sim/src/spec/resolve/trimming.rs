//! Cross-checks of a network whose switches trim packets.

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_net::{
    AckClass, DropConfig, FlowControl, HeaderService, InOrder, LossDetection, NetworkConfig,
    RecoveryKind, TrimmingConfig,
};
use incast_units::Bytes;

/// Checks that the rest of a network suits trimming, if switches trim packets. `packet`: the size
/// of a full packet.
pub(super) fn check(network: &NetworkConfig, packet: Bytes) -> Result<(), Diagnostic> {
    let FlowControl::Drop(DropConfig::PerPort(ports)) = &network.flow_control else {
        return Ok(());
    };
    let Some(trimming) = &ports.trimming else {
        return Ok(());
    };
    check_header(trimming, packet).at("network.drop.trimming.header")?;
    check_recovery(network).at("network.recovery")?;
    if network.model.ack_class == AckClass::Data {
        let what = "ACKs that wait among data would be lost where data are trimmed";
        let wrong = Diagnostic::new(what, "write \"control\", or remove network.drop.trimming");
        return Err(wrong.at("network.model.ack_class"));
    }
    if !network.arbitration.is_fifo() && trimming.service != HeaderService::Strict {
        let what = "ingress ports cannot take turns where headers and data do";
        let hint = "write \"fifo\", or network.drop.trimming.service = \"strict\"";
        return Err(Diagnostic::new(what, hint).at("network.arbitration"));
    }
    Ok(())
}

fn check_header(trimming: &TrimmingConfig, packet: Bytes) -> Result<(), Diagnostic> {
    match trimming.header < packet {
        true => Ok(()),
        false => Err(Diagnostic::new(
            format!(
                "a header of {} is not shorter than a full packet of {packet}",
                trimming.header
            ),
            "write e.g. \"64B\"",
        )),
    }
}

fn check_recovery(network: &NetworkConfig) -> Result<(), Diagnostic> {
    if network.recovery.kind == RecoveryKind::GoBackN {
        let what = "go-back-n cannot send a trimmed packet again alone";
        let hint = "write \"selective\", or remove network.drop.trimming";
        return Err(Diagnostic::new(what, hint).at("kind"));
    }
    if network.recovery.loss_detection == LossDetection::InOrder(InOrder::default()) {
        let what = "headers overtake data, so that a gap is no loss where packets are trimmed";
        let hint = "write { kind = \"explicit\" }, or leave it out";
        return Err(Diagnostic::new(what, hint).at("loss_detection"));
    }
    Ok(())
}
