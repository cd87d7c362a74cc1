//! `[network.model]`: choices on which network models differ.

use incast_diagnostic::{Diagnostic, Placed};
use incast_net::{AckClass, Clock, EcmpHash, MarkingRandom, Model, NicScheduler, Ties};
use incast_signals::int::IntFormat;
use incast_units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filled_in;
use crate::spec::profile::Choices;

/// Choices on which network models differ. The profile gives the value of a missing key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Model")]
pub(crate) struct ModelSection {
    /// How serialisation delays and pacing gaps are rounded.
    /// `default`: picoseconds; `hpcc-ns3`: nanoseconds.
    pub(crate) clock: Option<Clock>,
    /// The order of a node's events at the same time. Events are ordered by kind and port, or in
    /// the order in which they were scheduled. Or they are ordered by kind, and arriving packets by
    /// a hash of seed, node, time and port. `default`: port; `hpcc-ns3`: insertion.
    pub(crate) ties: Option<Ties>,
    /// How a flow picks one of several equal-cost next hops.
    /// `default`: mixed; `hpcc-ns3`: murmur3.
    pub(crate) ecmp: Option<EcmpHash>,
    /// The traffic class of ACKs and NACKs. `default`: control; `hpcc-ns3`: data.
    pub(crate) ack_class: Option<AckClass>,
    /// Whether a paused data class also stops the ACKs of a host's NIC.
    /// `default`: false; `hpcc-ns3`: true.
    pub(crate) ack_pausable_at_host: Option<bool>,
    /// The format of INT records: `"exact"`, or how their fields are quantised. `default`:
    /// multiplier 1, 16 bits of queue; `hpcc-ns3`: multiplier NIC rate / 25 Gb/s, 17 bits.
    pub(crate) int_format: Option<IntFormat>,
    /// Order in which a NIC serves its QPs.
    /// `default`: round-robin; `hpcc-ns3`: linear-scan.
    pub(crate) nic_scheduler: Option<NicScheduler>,
    /// The source of random numbers for marking. `default`: own; `hpcc-ns3`: ns3, with the seed as
    /// ns-3's run number.
    pub(crate) marking_random: Option<MarkingRandom>,
}

impl ModelSection {
    /// The section with the profile's choices for missing keys.
    pub(crate) fn with_defaults(self, choices: &Choices, nic_rate: Rate) -> Self {
        let ties = self.ties.unwrap_or(choices.ties);
        let random = match ties {
            Ties::Port | Ties::Hash => MarkingRandom::Own,
            Ties::Insertion => choices.marking_random,
        };
        let multiplier = choices.int_multiplier.at(nic_rate);
        let int_format = IntFormat::quantised(multiplier, choices.int_queue_bits);
        let pausable = choices.ack_pausable_at_host;
        Self {
            clock: self.clock.or(Some(choices.clock)),
            ties: Some(ties),
            ecmp: self.ecmp.or(Some(choices.ecmp)),
            ack_class: self.ack_class.or(Some(choices.ack_class)),
            ack_pausable_at_host: self.ack_pausable_at_host.or(Some(pausable)),
            int_format: self.int_format.or(Some(int_format)),
            nic_scheduler: self.nic_scheduler.or(Some(choices.nic_scheduler)),
            marking_random: self.marking_random.or(Some(random)),
        }
    }

    /// The network model of the run.
    ///
    /// # Errors
    /// If INT records cannot have the format that is asked for.
    pub(crate) fn build(&self) -> Result<Model, Diagnostic> {
        let int_format = filled_in(self.int_format);
        int_format.check().at("network.model.int_format")?;
        Ok(Model {
            int_format,
            clock: filled_in(self.clock),
            ties: filled_in(self.ties),
            ecmp: filled_in(self.ecmp),
            ack_class: filled_in(self.ack_class),
            ack_pausable_at_host: filled_in(self.ack_pausable_at_host),
            nic_scheduler: filled_in(self.nic_scheduler),
            marking_random: filled_in(self.marking_random),
        })
    }
}
