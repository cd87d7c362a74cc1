//! The options of the fabric, with the defaults of the 3CPO evaluation.

use incast_diagnostic::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::packet::MAX_PACKET_FLITS;
use crate::shape::FabricShape;

/// How a link chooses among the channels that can send.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arbitration {
    /// The next channel after the last sender.
    RoundRobin,
    /// The channel that sent longest ago.
    // §6.2.5.
    LeastRecentlyUsed,
}

/// Channels of the link from an endpoint to its ToR.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InjectionChannels {
    /// Reads and writes have a channel each.
    // §6.2.5.
    Separate,
    /// All requests share one channel.
    Shared,
}

/// How operations are spread over the uplinks of a ToR.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UplinkChoice {
    /// By a hash of initiator and operation.
    Hash,
    /// Uplinks in turn; the initiator's number chooses the first.
    Rotate,
}

/// The switch at which a collective operation turns from up to down.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Turn {
    /// At a core.
    Core,
    /// The ToR, if all members of the group are linked to it.
    Nearest,
}

/// The switches where a collective operation takes entries of the reduction table.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reserve {
    /// The switches that replicate the operation.
    Down,
    /// The initiator's ToR, too, on the operation's way up. With few entries this can deadlock.
    Path,
}

/// When an endpoint's injection control learns of another endpoint's operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MatchAt {
    /// When the request arrives at the endpoint's port.
    Arrival,
    /// When the endpoint accepts the request.
    Acceptance,
}

/// The options of a fabric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FabricConfig {
    /// The graph.
    pub shape: FabricShape,
    /// Cycles that a flit or credit takes through a switch.
    pub switch_latency: u32,
    /// Cycles of a link's propagation delay, beside the one cycle in which the flit is sent.
    pub link_delay: u32,
    /// Cycles from a read's acceptance to its response.
    pub read_latency: u32,
    /// Cycles from the arrival of a write's last flit to its acknowledgement.
    pub write_latency: u32,
    /// Size of each channel's buffer at the receiving end of a link, in flits.
    pub input_depth: u32,
    /// Size of each channel's queue at the sending end of a link, in flits.
    pub output_depth: u32,
    /// Most flits of responses that an endpoint may owe. At this limit it accepts no more requests.
    /// `None`: unlimited.
    pub owed_limit: Option<u32>,
    /// How links choose.
    pub arbitration: Arbitration,
    /// Channels of the links from endpoints to ToRs.
    pub injection: InjectionChannels,
    /// How operations choose among uplinks.
    pub uplink_choice: UplinkChoice,
    /// Where operations turn.
    pub turn: Turn,
    /// Entries of each switch's reduction table. `None`: unlimited.
    pub table_entries: Option<u32>,
    /// Where operations take table entries.
    pub reserve: Reserve,
    /// When injection control learns of remote operations.
    pub match_at: MatchAt,
    /// Seed of all random streams.
    pub seed: u64,
}

impl FabricConfig {
    /// The fabric of the 3CPO evaluation (§6.1.4), with this project's choices where the text
    /// leaves a value open.
    pub fn new(shape: FabricShape) -> Self {
        Self {
            shape,
            switch_latency: 150,
            link_delay: 0,
            read_latency: 180,
            write_latency: 0,
            input_depth: 512,
            output_depth: 512,
            owed_limit: Some(512),
            arbitration: Arbitration::LeastRecentlyUsed,
            injection: InjectionChannels::Separate,
            uplink_choice: UplinkChoice::Hash,
            turn: Turn::Core,
            table_entries: None,
            reserve: Reserve::Down,
            match_at: MatchAt::Arrival,
            seed: 1,
        }
    }

    /// Checks that a run with these options can make progress.
    ///
    /// # Errors
    /// If the graph cannot be built, a buffer holds less than one packet, or a reduction table has
    /// no entries.
    pub fn check(&self) -> Result<(), Diagnostic> {
        self.shape.check()?;
        let rooms = [
            ("input_depth", Some(self.input_depth)),
            ("output_depth", Some(self.output_depth)),
            ("owed_limit", self.owed_limit),
        ];
        for (key, room) in rooms {
            if let Some(flits) = room
                && flits < MAX_PACKET_FLITS
            {
                let what = format!("{flits} flits are less than one packet");
                let hint = format!("write at least {MAX_PACKET_FLITS}");
                return Err(Diagnostic::new(what, hint).at(key));
            }
        }
        if self.table_entries == Some(0) {
            let diagnostic = Diagnostic::new(
                "a table without entries lets no collective operation pass",
                "write at least 1, or leave it out",
            );
            return Err(diagnostic.at("table_entries"));
        }
        Ok(())
    }

    /// Length of the engine's window in cycles: what a switch sends affects no other switch
    /// earlier.
    pub(crate) fn hop(&self) -> u64 {
        1 + u64::from(self.link_delay) + u64::from(self.switch_latency)
    }

    /// Cycles that a flit takes from one end of a link to the other.
    pub(crate) fn flight(&self) -> u64 {
        1 + u64::from(self.link_delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(change: impl FnOnce(&mut FabricConfig)) -> String {
        let mut config = FabricConfig::new(FabricShape::fat_tree(64).unwrap());
        assert_eq!(config.check(), Ok(()));
        change(&mut config);
        config.check().unwrap_err().to_string()
    }

    #[test]
    fn fabrics_that_would_stand_still() {
        assert_eq!(
            said(|config| config.input_depth = 8),
            "input_depth: 8 flits are less than one packet; write at least 9"
        );
        assert_eq!(
            said(|config| config.output_depth = 0),
            "output_depth: 0 flits are less than one packet; write at least 9"
        );
        assert_eq!(
            said(|config| config.owed_limit = Some(1)),
            "owed_limit: 1 flits are less than one packet; write at least 9"
        );
        assert_eq!(
            said(|config| config.table_entries = Some(0)),
            "table_entries: a table without entries lets no collective operation pass; write at \
             least 1, or leave it out"
        );
    }
}
