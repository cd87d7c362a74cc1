//! interim
use super::network::NetworkSection;
use crate::spec::resolve::Trouble;
use incast_topology::Topology;
use incast_units::{NodeId, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct TopologySection(String);

impl NetworkSection {
    pub(crate) fn build_topology(&mut self, _folder: &Path) -> Result<Topology, Trouble> {
        let senders: u32 = self
            .topology
            .0
            .strip_prefix("star-")
            .unwrap()
            .parse()
            .unwrap();
        let edges = (0..=senders).map(|h| {
            (
                NodeId(h),
                NodeId(senders + 1),
                Rate::from_gbps(100),
                Time::from_us(1),
            )
        });
        Ok(Topology::from_edges("star", senders + 1, 1, edges).unwrap())
    }
}
