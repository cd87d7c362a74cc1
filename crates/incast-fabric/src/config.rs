//! The options of the fabric, with the defaults of the 3CPO evaluation.

use incast_diagnostic::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::packet::MAX_PACKET_FLITS;
use crate::shape::FabricShape;

/// How a link chooses among channels that could send.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arbitration {
    /// The next one after the last that sent.
    RoundRobin,
    /// The one that sent longest ago.
    // §6.2.5.
    LeastRecentlyUsed,
}

/// Channels of the link from an endpoint to its ToR.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InjectionChannels {
    /// Reads and writes have one each.
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
    /// One uplink after the other, from one that the initiator's number chooses.
    Rotate,
}

/// Where a collective operation turns from up to down.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Turn {
    /// At a core.
    Core,
    /// At the ToR if it has all members of the group.
    Nearest,
}

/// Where a collective operation takes table entries.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reserve {
    /// Entries are taken in the switches that replicate it.
    Down,
    /// In the initiator's ToR, too, on its way up. With few entries this can deadlock.
    Path,
}

/// When an endpoint's control hears of another's operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MatchAt {
    /// When the request arrives at the port.
    Arrival,
    /// When the endpoint accepts it.
    Acceptance,
}

/// The options of a fabric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FabricConfig {
    /// The graph.
    pub shape: FabricShape,
    /// Cycles in which a flit or credit crosses a switch.
    pub switch_latency: u32,
    /// Cycles in which a flit crosses a link, beside the one that it occupies it.
    pub link_delay: u32,
    /// Cycles between a read's acceptance and its response.
    pub read_latency: u32,
    /// Cycles between the arrival of a write's last flit and its acknowledgement.
    pub write_latency: u32,
    /// Flits of each channel's buffer at the end of a link.
    pub input_depth: u32,
    /// Flits of each channel's queue before a link.
    pub output_depth: u32,
    /// Flits of responses that an endpoint may owe; it then accepts no more requests. `None`:
    /// unlimited.
    pub owed_limit: Option<u32>,
    /// How links choose.
    pub arbitration: Arbitration,
    /// Channels of injection links.
    pub injection: InjectionChannels,
    /// How uplinks are chosen.
    pub uplink_choice: UplinkChoice,
    /// Where operations turn.
    pub turn: Turn,
    /// Entries of each switch's reduction table. `None`: unlimited.
    pub table_entries: Option<u32>,
    /// Where operations take entries.
    pub reserve: Reserve,
    /// When remote operations are matched.
    pub match_at: MatchAt,
    /// Seed of all random streams.
    pub seed: u64,
}

impl FabricConfig {
    /// The 3CPO evaluation's fabric (§6.1.4); what the text leaves open as a trial settled it.
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

    /// Whether a run with these options can make progress.
    ///
    /// # Errors
    /// If the graph cannot be built, a buffer holds less than one packet, or there is a table
    /// without entries.
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

    /// Cycles after which what one switch sends can matter to another: a window of the engine.
    pub(crate) fn hop(&self) -> u64 {
        1 + u64::from(self.link_delay) + u64::from(self.switch_latency)
    }

    /// Cycles in which a flit travels from one end of a link to the other.
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
