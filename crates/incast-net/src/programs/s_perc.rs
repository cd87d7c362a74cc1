//! s-PERC: every egress port keeps the sums of its allocations to flows, and rate requests (the
//! paper's control packets) carry the allocation of each flow.
//!
//! Jose et al., SIGMETRICS 2019; the state of a link is in [`link`]. A rate request passes the
//! ports by which its flow's data leave. The reply arrives by the same ports, so paths must be
//! symmetric. The sender's own link is the first one of the record; its NIC keeps the state.

pub(crate) mod link;

use incast_diagnostic::Diagnostic;
use incast_signals::s_perc::{CompactRate, ControlRecord, DEFAULT_ROUND, SPercOptions};
use incast_units::{Rate, Time};

use self::link::{LinkShares, LinkState};
use super::{
    NetworkFacts, Offer, OverAllocated, Program, ProgramDemands, SwitchFacts, SwitchProgramOptions,
};
use crate::wire::{Packet, Pass};

/// The links of one switch.
#[derive(Clone, Debug)]
pub(crate) struct SPercLinks {
    ports: Vec<LinkState>,
}

impl SwitchProgramOptions for SPercOptions {
    fn demands(&self) -> ProgramDemands {
        ProgramDemands {
            symmetric_paths: true,
            one_path: Some("control packets find the rate of the links that they cross"),
            most_switches: Some(ControlRecord::LINKS - 1),
            ..ProgramDemands::default()
        }
    }

    fn complete(&mut self, network: &NetworkFacts) -> Result<(), Diagnostic> {
        let base_rtt = network.base_rtt;
        self.rtt.get_or_insert(base_rtt);
        let round = *self.round.get_or_insert(DEFAULT_ROUND.max(base_rtt));
        if round < base_rtt {
            let what = format!(
                "a round of {round} is shorter than the largest base RTT, {base_rtt}: links would \
                 forget flows whose control packets are under way"
            );
            let hint = format!("write at least \"{base_rtt}\", or leave it out");
            return Err(Diagnostic::new(what, hint).at("round"));
        }
        Ok(())
    }

    fn build<const WORDS: usize>(&self, switch: &SwitchFacts<'_>) -> Box<dyn Program<WORDS>> {
        Box::new(SPercLinks::new(self, switch.rates))
    }
}

impl SPercLinks {
    pub(crate) fn new(options: &SPercOptions, rates: &[Rate]) -> Self {
        let shares = LinkShares::from(options);
        let ports = rates.iter().map(|rate| LinkState::new(*rate, &shares));
        Self {
            ports: ports.collect(),
        }
    }
}

impl<const WORDS: usize> Program<WORDS> for SPercLinks {
    fn sees_rate_requests(&self) -> bool {
        true
    }

    fn on_rate_request(
        &mut self,
        packet: &mut Packet<WORDS>,
        port: usize,
        pass: Pass,
        now: Time,
        offer: &mut Offer,
    ) -> Result<(), OverAllocated> {
        // A request has counted the switches before this one, a reply all switches of the path.
        let link = match pass {
            Pass::Forward => {
                packet.count_hop();
                packet.hops()
            }
            Pass::Reverse => {
                let link = packet.hops();
                packet.uncount_hop();
                link
            }
        };
        let mut record = packet.control_record();
        let limit = self.ports[port].process(&mut record, link, pass, now)?;
        offer.rate = Some(CompactRate::rate_of(limit));
        Ok(())
    }

    fn left_over(&self) -> Option<String> {
        let mut left = self.ports.iter().filter_map(LinkState::left_over);
        left.next()
    }
}

#[cfg(test)]
mod tests;
