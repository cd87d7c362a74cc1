//! Mechanisms that need all packets of a flow on one path, checked before a run.

use incast_cc::{Needs, Serves};
use incast_diagnostic::{Diagnostic, Placed as _};
use incast_signals::int::IntSource;

use super::NetworkConfig;
use crate::cnp::CnpConfig;
use crate::routing::{Balance, PathUse, Plb};
use crate::transport::RecoveryKind;

impl NetworkConfig {
    /// Checks all balances against the needs of all algorithms together. Where traffic entries have
    /// balances of their own, needs are checked entry by entry elsewhere.
    ///
    /// # Errors
    /// The mechanism that relies on one path.
    pub(crate) fn check_balances(&self, needs: &Needs) -> Result<(), Diagnostic> {
        let unknown = Needs::default();
        let needs = match self.entry_balances.is_empty() {
            true => needs,
            false => &unknown,
        };
        self.balances().try_for_each(|balance| {
            let checked = self.check_balance(balance, "the algorithm", needs);
            checked.at("balance")
        })
    }

    /// Checks that no mechanism needs all packets of a flow on one path, if this balance spreads
    /// them. `who` is the name of the algorithm in messages.
    ///
    /// # Errors
    /// The mechanism that relies on one path.
    pub fn check_balance(
        &self,
        balance: &Balance,
        who: &str,
        needs: &Needs,
    ) -> Result<(), Diagnostic> {
        balance.check()?;
        if self.keeps_path_under(balance) {
            return Ok(());
        }
        let refuse = |what: String, hint: &str| {
            let hint = format!("{hint}, or leave load balancing out");
            Err(Diagnostic::new(what, hint))
        };
        let name = balance.name();
        if let Some((what, why)) = self.needs_one_path(needs) {
            let does = match balance.path_use() {
                PathUse::OneAtATime => "moves flows to other paths",
                _ => "gives each packet a path of its own",
            };
            let what =
                format!("\"{name}\" {does}, but {what}{who} is for flows that keep one: {why}");
            return refuse(what, "take another algorithm");
        }
        if let Balance::Plb(plb) = balance {
            self.check_signals_of_plb(plb)?;
        }
        let by_order;
        let (by_order, hint) = match (self.recovery.kind, &self.recovery.loss_detection) {
            (RecoveryKind::GoBackN, _) => ("go-back-n", "write recovery.kind = \"selective\""),
            (RecoveryKind::Selective, detection) if detection.needs_order() => {
                by_order = format!("{} loss detection", detection.name());
                (
                    &*by_order,
                    "write recovery.loss_detection.kind = \"explicit\"",
                )
            }
            _ => return self.check_feedback_of_several_paths(name),
        };
        let what = format!(
            "{by_order} takes every packet that overtakes another for a loss before it, and \
             \"{name}\" lets packets overtake each other"
        );
        refuse(what, hint)
    }

    /// A mechanism that needs one path, in words that precede the algorithm's name, and the reason.
    fn needs_one_path(&self, needs: &Needs) -> Option<(String, &'static str)> {
        let mut programs = self.programs.iter();
        let of_program = programs.find_map(|program| {
            let why = program.demands().one_path?;
            Some((format!("switch program `{}` of ", program.name()), why))
        });
        let why = match needs.serves {
            Serves::OnePath(why) => Some(why),
            _ if needs.int != IntSource::Off => Some("INT tells of one path"),
            _ => None,
        };
        of_program.or_else(|| Some((String::new(), why?)))
    }

    /// Checks that PLB gets its signal: marks, or RTTs from packets that carry their send time.
    fn check_signals_of_plb(&self, plb: &Plb) -> Result<(), Diagnostic> {
        let (what, hint) = match plb.delay {
            None if self.ecn.is_none() => (
                "\"plb\" changes paths by ECN marks, and no switch marks",
                "write balance.delay, the RTT above which a path is congested, or [network.ecn]",
            ),
            Some(_) if !self.timestamps => (
                "\"plb\" with a delay goes by RTTs, and packets do not carry the time at \
                 which they left",
                "write network.timestamps = true, or leave balance.delay out",
            ),
            _ => return Ok(()),
        };
        Err(Diagnostic::new(what, hint))
    }

    /// Checks that no receiver has to know the QP of a packet. Receivers know a QP by source and
    /// UDP source port, which is the entropy.
    fn check_feedback_of_several_paths(&self, balance: &str) -> Result<(), Diagnostic> {
        let tells = match (self.cnp, self.int) {
            (CnpConfig::Interval(_), _) => "limit CNPs",
            (_, IntSource::Acks) => "count flows for INT on ACKs",
            _ => return Ok(()),
        };
        if !self.nic.knows_senders_by_port() {
            return Ok(());
        }
        let what = format!(
            "receivers {tells} by QP, which they know by the source port of its packets, but \
             under \"{balance}\" packets of a flow have several"
        );
        let hint = "let each flow have a limit and a QP of its own, or leave load balancing out";
        Err(Diagnostic::new(what, hint))
    }
}
