//! The kinds of traffic: the only table of them.

use incast_diagnostic::Diagnostic;
use incast_registry::registry;

use super::kind::{CheckedTraffic, TrafficContext, TrafficKind};
use super::{
    AllReduceSpec, AllToAllSpec, CollectiveSpec, FlowsSpec, IncastSpec, LiveSpec, PermutationSpec,
    PoissonSpec, TasksSpec,
};
use crate::files::FileSpec;

registry! {
    /// A `[[traffic]]` entry of a scenario: its `kind` decides which other keys it has.
    #[derive(Clone, Debug, PartialEq)]
    #[schemars(rename = "Traffic")]
    pub enum TrafficSpec: TrafficKind as "kind of traffic", tagged "kind", without defaults {
        "poisson" => Poisson(PoissonSpec),
            "each host sends flows at random moments, at a given load of its NIC";
        "incast" => Incast(IncastSpec),
            "many hosts send to one, together or a few at a time, once or in rounds";
        "permutation" => Permutation(PermutationSpec),
            "each host sends to one other and receives from one other";
        "all-to-all" => AllToAll(AllToAllSpec),
            "each source sends to each destination, or to a few drawn at random, all at once";
        "all-reduce" => AllReduce(AllReduceSpec),
            "chunks go around a ring of hosts, each passed on when it has arrived";
        "collective" => Collective(CollectiveSpec),
            "all-reduce, all-gather, broadcast and the like, over rings, trees, or directly";
        "tasks" => Tasks(TasksSpec),
            "sends, receives and computing of ranks, each after others";
        "flows" => Flows(FlowsSpec), "the flows listed in the scenario";
        "file" => File(FileSpec), "the flows of a file: HPCC's ns-3 artifact, htsim, CSV, Parquet";
        "live" => Live(LiveSpec), "flows that a program starts while the network is under way";
    }

    impl {
        /// Checks the options against the network.
        pub(super) fn check(
            &self,
            context: TrafficContext<'_>,
        ) -> Result<Box<dyn CheckedTraffic>, Diagnostic>;
    }
}
