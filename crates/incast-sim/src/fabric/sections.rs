//! `[fabric]`, `[[group]]` and `[measure]`: the graph, the groups, and the samples.

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_engine::RowLimit;
use incast_fabric::{
    Arbitration, FabricConfig, FabricMeasure, FabricShape, Group, InjectionChannels, MatchAt,
    Reserve, Turn, UplinkChoice,
};
use incast_random::{TrafficPurpose, TrafficStreams};
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::spec::section::measure::row_limit;

/// `[fabric]`. Latencies are in cycles, depths in flits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Fabric")]
pub(super) struct FabricSection {
    /// A fat tree of 3CPO's evaluation with this number of endpoints, in place of the four counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoints: Option<u32>,
    /// Number of endpoints of each ToR.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoints_per_tor: Option<u16>,
    /// ToRs.
    #[serde(skip_serializing_if = "Option::is_none")]
    tors: Option<u16>,
    /// Number of core switches; 0 if there is one ToR.
    #[serde(skip_serializing_if = "Option::is_none")]
    cores: Option<u16>,
    /// Number of links between each ToR and each core.
    #[serde(skip_serializing_if = "Option::is_none")]
    lanes: Option<u16>,
    /// Duration of a cycle.
    pub(super) cycle: Time,
    /// Cycles that a flit or credit takes to cross a switch.
    switch_latency: u32,
    /// Propagation delay of a link, in cycles.
    link_delay: u32,
    /// Cycles between a read's acceptance and its response.
    read_latency: u32,
    /// Cycles between a write's last flit and its acknowledgement.
    write_latency: u32,
    /// Buffer of each virtual channel at the end of a link, in flits.
    input_depth: u32,
    /// Queue of each virtual channel before a link, in flits.
    output_depth: u32,
    /// The most flits of responses that an endpoint may have to send; 0: unlimited.
    owed_limit: u32,
    /// How a link chooses among virtual channels.
    arbitration: Arbitration,
    /// Whether writes have a virtual channel of their own from endpoint to ToR.
    injection: InjectionChannels,
    /// How a packet's core switch is chosen.
    uplinks: UplinkChoice,
    /// The switch at which collective operations turn: a core, or the nearest switch above all
    /// members.
    turn: Turn,
    /// Table entries of a switch; unlimited if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    table_entries: Option<u32>,
    /// Where operations reserve table entries: on the way down, or along the whole path.
    reserve: Reserve,
    /// When the injection control learns of a remote operation.
    match_at: MatchAt,
}

impl Default for FabricSection {
    fn default() -> Self {
        Self {
            endpoints: None,
            endpoints_per_tor: None,
            tors: None,
            cores: None,
            lanes: None,
            cycle: Time::from_ps(640),
            switch_latency: 150,
            link_delay: 0,
            read_latency: 180,
            write_latency: 0,
            input_depth: 512,
            output_depth: 512,
            owed_limit: 512,
            arbitration: Arbitration::LeastRecentlyUsed,
            injection: InjectionChannels::Separate,
            uplinks: UplinkChoice::Hash,
            turn: Turn::Core,
            table_entries: None,
            reserve: Reserve::Down,
            match_at: MatchAt::Arrival,
        }
    }
}

impl FabricSection {
    fn shape(&self) -> Result<FabricShape, Diagnostic> {
        let counts = [self.endpoints_per_tor, self.tors, self.cores, self.lanes];
        match (self.endpoints, counts) {
            (Some(endpoints), [None, None, None, None]) => {
                FabricShape::fat_tree(endpoints).at("endpoints")
            }
            (None, [Some(endpoints_per_tor), Some(tors), cores, lanes]) => Ok(FabricShape {
                endpoints_per_tor,
                tors,
                cores: cores.unwrap_or(0),
                lanes: lanes.unwrap_or(1),
            }),
            _ => Err(Diagnostic::new(
                "the graph is not clear",
                "write endpoints = 64 for a fat tree, or endpoints_per_tor, tors, cores and lanes",
            )),
        }
    }

    pub(super) fn build(&self, seed: u64) -> Result<FabricConfig, Diagnostic> {
        if self.cycle == Time::ZERO {
            let diagnostic = Diagnostic::new("a cycle of no time", "write e.g. \"640ps\"");
            return Err(diagnostic.at("cycle"));
        }
        let config = FabricConfig {
            shape: self.shape()?,
            switch_latency: self.switch_latency,
            link_delay: self.link_delay,
            read_latency: self.read_latency,
            write_latency: self.write_latency,
            input_depth: self.input_depth,
            output_depth: self.output_depth,
            owed_limit: (self.owed_limit > 0).then_some(self.owed_limit),
            arbitration: self.arbitration,
            injection: self.injection,
            uplink_choice: self.uplinks,
            turn: self.turn,
            table_entries: self.table_entries,
            reserve: self.reserve,
            match_at: self.match_at,
            seed,
        };
        config.check()?;
        Ok(config)
    }
}

/// `[[group]]`: these members, or a number of random members; all endpoints if neither is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Group")]
pub(super) struct GroupSection {
    /// Endpoints by number.
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<Vec<u16>>,
    /// Number of members, drawn at random from all endpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    random: Option<u16>,
    /// With `random`: whether the group shares no member with earlier groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    disjoint: Option<bool>,
}

impl GroupSection {
    /// Builds group number `number`; `before` are the earlier groups.
    pub(super) fn build(
        &self,
        shape: &FabricShape,
        number: u16,
        before: &[Group],
        seed: u64,
    ) -> Result<Group, Diagnostic> {
        match (&self.members, self.random) {
            (Some(_), Some(_)) => Err(Diagnostic::new(
                "members are given twice",
                "write `members` or `random`",
            )),
            (Some(members), None) => Group::new(shape, members).at("members"),
            (None, None) => Group::all(shape),
            (None, Some(count)) => {
                let apart = self.disjoint == Some(true);
                let free = |e: &u16| !apart || before.iter().all(|group| !group.has(*e));
                let mut endpoints: Vec<u16> = (0..shape.endpoints()).filter(free).collect();
                if usize::from(count) > endpoints.len() {
                    let what = format!("{count} members of {} endpoints", endpoints.len());
                    return Err(Diagnostic::new(what, "write fewer").at("random"));
                }
                let streams = TrafficStreams { seed, tag: number };
                let mut random = streams.of_entry(TrafficPurpose::Choice);
                random.choose_first(count.into(), &mut endpoints);
                Group::new(shape, &endpoints[..count.into()]).at("random")
            }
        }
    }
}

/// `[measure]`: samples over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "FabricMeasure")]
pub(super) struct FabricMeasureSection {
    /// Cycles between samples; 0 for no samples.
    every: u64,
    /// Endpoints whose tokens, watermarks and unmatched flits are sampled.
    endpoints: Vec<u16>,
    /// The most rows of each of the two tables, of endpoints and of queues. With more rows, every
    /// second sample is dropped, repeatedly if necessary.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1_000_000))]
    rows: Option<u64>,
}

/// The default limit: some 150 MB for each of the two tables, whose rows are long.
const DEFAULT_ROWS: RowLimit = RowLimit(1_000_000);

impl FabricMeasureSection {
    pub(super) fn build(&self, shape: &FabricShape) -> Result<FabricMeasure, Diagnostic> {
        if let Some(missing) = self.endpoints.iter().find(|&&e| e >= shape.endpoints()) {
            let what = format!("endpoint {missing} does not exist");
            let hint = format!("the fabric has endpoints 0 to {}", shape.endpoints() - 1);
            return Err(Diagnostic::new(what, hint).at("endpoints"));
        }
        Ok(FabricMeasure {
            every: self.every,
            endpoints: self.endpoints.clone(),
            row_limit: row_limit(self.rows, DEFAULT_ROWS).at("rows")?,
            ..FabricMeasure::default()
        })
    }
}
