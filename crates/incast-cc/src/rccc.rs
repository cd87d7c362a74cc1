//! RCCC: receivers grant credit to senders, at the rate of the receiver's link.
//!
//! Receiver Credit Congestion Control, the receiver's side of Ultra Ethernet's congestion
//! management (UE Specification 1.0, §3.6.14), based on EQDS. `uet-htsim` is the consortium's
//! simulator (commit 40ccb05, `htsim/sim/uec.cpp`).
//!
//! Data packets carry the credit that their flow requests. The pacer of the receiver's NIC grants
//! credit to requesting flows in turn: at most 64 quanta of 256 B per pull, at a total of 0.99 of
//! the link's rate. While no flow requests credit, flows get credit ahead of their demand, up to a
//! window each. C is the credit of a flow, in bytes on the wire; G is the total that it was
//! granted:
//!
//! ```text
//! C ← S = speculative·BDP          the flow begins, at line rate              (1)
//! C ← C − size                     a packet leaves                            (2)
//! C ← min(C, 0)                    the first ACK, NACK or pull                (3)
//! C ← min(C + (G' − G), W)         a pull that brings the sum G to G'         (4)
//! C > 0                            a packet may leave                         (5)
//! D = G + (min(L, W) − C)/n        the sum that a packet asks for             (6)
//! ```
//!
//! W is `window`·BDP, L the bytes left to send, n the number of waiting flows of the NIC. The
//! packet that uses up the credit asks for an ACK.
//!
//! | parameter          | symbol | unit | `uec-1.0`  | `uet-htsim`  | source                     |
//! |--------------------|--------|------|------------|--------------|----------------------------|
//! | `speculative`      | S      | BDP  | 1          | 1.5          | §3.6.14; `:1834`           |
//! | `window`           | W      | BDP  | 1.5        | 1.5          | Table 3-82; `:161`         |
//! | `quantum`          | –      | B    | 256 B      | 256 B        | `uecpacket.h:31`           |
//! | `pull`             | –      | B    | 16 KiB     | 16 KiB       | `:33`                      |
//! | `rate`             | –      | 1    | 0.99       | 0.99         | `main_uec.cpp:754`         |
//! | `idle_turns`       | –      | –    | `of-flows` | `of-demands` | ours; `:3061`              |
//! | `grants_after_end` | –      | –    | false      | true         | ours; `:3061`              |
//! | `oversubscription` | O      | 1    | none       | none         | `oversubscribed_cc.cpp`    |
//!
//! `:n` is a line of `uec.cpp`. `idle_turns` sets the turns while no flow requests credit: in the
//! simulator a flow is in the list once for each of its satisfied requests. With `grants_after_end`
//! a completely received flow still gets credit up to the window, which a connection may use for
//! further messages.
//!
//! With `oversubscription` a receiver grants a total of R·`rate` of its link's rate; R begins at 1.
//! From the start of the run on, it counts arrivals in periods of 1.5 base RTTs times a random
//! factor of 0.75 to 1.25:
//!
//! ```text
//! R ← R − trimmed/arrived          trimmed before the last hop                (7)
//! g ← g/2 + f/2                    f = marked/(arrived − all trimmed)         (8)
//! R ← R·(1 − (g − 0.3)/2)          g > 0.3                                    (9)
//! R ← R + 0.01·2ᵏ                  neither (7) nor (9), no marks              (10)
//! R ← R + 0.01                     neither (7) nor (9), marks                 (11)
//! R ← max(min(R, 1), 0.9/O)                                                   (12)
//! ```
//!
//! k is the number of periods since the last with (7) or (9). The simulator applies (7)–(12) only
//! with RCCC alone, in networks with a known O > 1.
//!
//! Shared by QPs: by none, since credit is granted to one flow. A new QP inherits nothing.
//!
//! Needs: the host program `credits`; where switches drop packets, trimming or a loss detection
//! that needs no timeout; an ACK for every 16 KiB. Ignores: ECN, INT, CNPs, the round trips of
//! ACKs.
//!
//! Deviations: a flow without credit whose packets are lost requests a pull once per retransmission
//! timeout, by a packet of 64 B without a sequence number and without an ACK. In `uet-htsim` these
//! packets have sequence numbers, and more than one may leave at a time. Headers of packets that
//! have already arrived are not counted in (7)–(12).
//!
//! Readings: the pseudocode of §3.6.14 was not at hand; (1)–(6) are the simulator's.

use incast_diagnostic::Diagnostic;
use incast_registry::NamedSet;
use incast_signals::{CreditOptions, IdleTurns, ProgramRequest};
use incast_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parts::{CreditLimited, Credits};
use crate::uncontrolled::Uncontrolled;
use crate::{FlowContext, FlowController, Needs, Parameters, Serves};

/// A receiver sends an ACK after this many bytes on the wire (`uec.cpp:22`).
const ACK_EVERY: Bytes = Bytes::new(16_384);

/// Parameters of RCCC; the module's table has the sources of the defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RcccConfig {
    /// Initial credit of a flow, in BDPs; at least one packet.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub speculative: f64,
    /// Largest credit of a flow, and most credit that receivers grant beyond the flow's request, in
    /// BDPs.
    #[schemars(range(min = 0.1, max = 100.0))]
    pub window: f64,
    /// Unit of credit, in bytes on the wire.
    pub quantum: Bytes,
    /// Largest credit of one pull.
    pub pull: Bytes,
    /// Total rate of the credit that a receiver grants, as a fraction of its link's rate.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub rate: f64,
    /// How flows with satisfied requests take turns at the remaining credit.
    pub idle_turns: IdleTurns,
    /// Whether a completely received flow still gets credit, up to the window.
    pub grants_after_end: bool,
    /// The oversubscription of the network. Receivers grant less while packets are marked or
    /// trimmed before their last hop. Default: receivers do not reduce their rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub oversubscription: Option<f64>,
}

impl Default for RcccConfig {
    fn default() -> Self {
        Self {
            speculative: 1.0,
            window: 1.5,
            quantum: Bytes::new(256),
            pull: Bytes::new(16_384),
            rate: 0.99,
            idle_turns: IdleTurns::OfFlows,
            grants_after_end: false,
            oversubscription: None,
        }
    }
}

impl RcccConfig {
    /// Those of uet-htsim.
    fn uet_htsim() -> Self {
        Self {
            speculative: 1.5,
            idle_turns: IdleTurns::OfDemands,
            grants_after_end: true,
            ..Self::default()
        }
    }

    /// What receivers do.
    pub(crate) fn request(&self) -> ProgramRequest {
        ProgramRequest::new(&CreditOptions {
            quantum: self.quantum,
            pull: self.pull,
            rate: self.rate,
            window: self.window,
            idle_turns: self.idle_turns,
            grants_after_end: self.grants_after_end,
            oversubscription: self.oversubscription,
        })
    }

    /// The initial credit of a flow.
    pub(crate) fn credits(&self, context: &FlowContext) -> Credits {
        let bdp = context.base_window.as_u64() as f64;
        let packet = context.wire_mtu;
        let speculative = ((self.speculative * bdp) as u64).max(packet.as_u64());
        Credits::new(speculative, (self.window * bdp) as u64, packet)
    }
}

impl Parameters for RcccConfig {
    const SETS: &'static [NamedSet<Self>] = &[
        NamedSet {
            name: "uec-1.0",
            summary: "the UE Specification 1.0, as far as its text was at hand",
            values: Self::default,
        },
        NamedSet {
            name: "uet-htsim",
            summary: "the consortium's simulator, commit 40ccb05",
            values: Self::uet_htsim,
        },
    ];

    fn check(&self) -> Result<(), Diagnostic> {
        let (quantum, pull) = (self.quantum, self.pull);
        let wrong = |what: String, hint: &str, key: &str| Err(Diagnostic::new(what, hint).at(key));
        if quantum == Bytes::ZERO {
            return wrong(
                format!("{quantum} is too little"),
                "write e.g. \"256B\"",
                "quantum",
            );
        }
        if let Some(ratio) = self
            .oversubscription
            .filter(|ratio| !(1.0..=1000.0).contains(ratio))
        {
            let hint = "write how many times more hosts send than links carry, e.g. 4";
            return wrong(
                format!("`{ratio}` is out of range"),
                hint,
                "oversubscription",
            );
        }
        if pull < quantum {
            let what = format!("a pull of {pull} is less than one quantum of {quantum}");
            return wrong(
                what,
                "write a multiple of the quantum, e.g. \"16KiB\"",
                "pull",
            );
        }
        Ok(())
    }

    fn needs(&self) -> Needs {
        Needs {
            host_programs: vec![self.request()],
            sent_packets: true,
            room: true,
            ack_every: Some(ACK_EVERY),
            finds_losses: true,
            serves: Serves::OneFlow("receivers grant credit to single flows"),
            ..Needs::default()
        }
    }

    fn target_utilisation(&self) -> Option<f64> {
        (self.rate < 1.0).then_some(self.rate)
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        let line_rate = context.line_rate;
        Box::new(CreditLimited::new(
            Uncontrolled { line_rate },
            self.credits(context),
        ))
    }
}

#[cfg(test)]
mod tests;
