//! Simulators that descend from the HPCC artifact, and whose files differ from the artifact's.
//!
//! | simulator | configuration | topology | flows |
//! |---|---|---|---|
//! | ConWeave | more keys, no stop time | the artifact's | no destination port |
//! | ns3-datacenter | the artifact's | `nodes switches tors links`, bit/s | the artifact's |
//! | Reverie | as ns3-datacenter | two rates more in the first line | the artifact's |
//! | SimAI | more keys, no topology | begins with six fields, for GPUs | none: a workload |
//!
//! Programs of ns3-datacenter take the algorithm from the command line, whatever `CC_MODE` is.
//! They are `conweave-project/conweave-ns3` (`scratch/network-load-balance.cc`),
//! `inet-tub/ns3-datacenter` (`simulator/ns-3.39/examples/PowerTCP`), and `aliyun/SimAI` with
//! `aliyun/ns-3-alibabacloud` (`network_frontend/ns3/common.h`).
//!
//! Deviation: these simulators have their own rules for shared buffers and pauses. Imported
//! scenarios use the artifact's rules, and say so.

use incast_diagnostic::Diagnostic;

use super::HpccImport;
use super::config::Config;
use super::keys::{CONWEAVE_KEYS, SIMAI_KEYS};
use super::notes::Notes;
use super::stray;

/// The simulator that the files are written for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Artifact,
    ConWeave,
    Datacenter,
}

impl Dialect {
    /// Recognises the simulator by the keys of a configuration, and by the first line of its
    /// topology.
    pub(super) fn of(config: &Config, topology: &str) -> Self {
        let mut of_conweave = CONWEAVE_KEYS.iter().map(|(key, _)| key);
        if of_conweave.any(|key| config.last(key).is_some()) {
            return Self::ConWeave;
        }
        let words: Vec<_> = topology.split_whitespace().collect();
        match words[..] {
            [_, _, _, _] => Self::Datacenter,
            [_, _, _, _, _, last] if last.parse::<u64>().is_ok() => Self::Datacenter,
            _ => Self::Artifact,
        }
    }

    /// The comment in the scenario about its origin.
    pub(super) fn origin(self, file: &str) -> String {
        match self {
            Self::Artifact => {
                format!("# From {file}, a configuration of the HPCC ns-3 artifact.\n")
            }
            Self::ConWeave => format!(
                "# From {file}, a configuration of ConWeave's ns-3.\n\
                 # Its switches share buffers and pause by rules of their own; here they are\n\
                 # the HPCC ns-3 artifact's, so completion times differ from its.\n"
            ),
            Self::Datacenter => format!(
                "# From {file}, a configuration of ns3-datacenter.\n\
                 # Its programs take the algorithm from the command line; here it is that of\n\
                 # CC_MODE (see powertcp). Its switches share buffers by rules of their own; here\n\
                 # they are the HPCC ns-3 artifact's, so completion times differ from its.\n"
            ),
        }
    }

    /// Adds notes on keys that only ConWeave has; returns whether the network has PFC.
    pub(super) fn note(self, config: &Config, notes: &mut Notes) -> Result<bool, Diagnostic> {
        note_simai(config, notes)?;
        if self != Self::ConWeave {
            return Ok(true);
        }
        let balancing = match config.whole("LB_MODE", 0)? {
            0 => None,
            2 => Some("DRILL"),
            3 => Some("CONGA"),
            6 => Some("LetFlow"),
            9 => Some("ConWeave"),
            _ => Some("another way of load balancing"),
        };
        if let Some(name) = balancing {
            let what = format!("{name} is not in this version: each flow has one path");
            return Err(config.wrong("LB_MODE", what, "write 0, which is ECMP"));
        }
        if config.whole("ENABLE_IRN", 0)? != 0 {
            let hint = "write 0, or set network.recovery in a scenario of yours";
            let what = "IRN, with its window of one BDP, is not in this version";
            return Err(config.wrong("ENABLE_IRN", what, hint));
        }
        for (key, reason) in CONWEAVE_KEYS {
            notes.unused(key, reason);
        }
        notes.used("LB_MODE", "ECMP is what every network here has");
        notes.used("ENABLE_PFC", "network.flow_control");
        Ok(config.whole("ENABLE_PFC", 1)? != 0)
    }
}

/// Adds notes on keys that only SimAI has.
fn note_simai(config: &Config, notes: &mut Notes) -> Result<(), Diagnostic> {
    for key in SIMAI_KEYS {
        notes.unused(key, "an output of SimAI's own");
    }
    let key = "NIC_TOTAL_PAUSE_TIME";
    if config.number(key, 0.0)? > 0.0 {
        let what = "NICs that stop for a while are not in this version";
        return Err(config.wrong(key, what, "write 0"));
    }
    notes.unused(key, "0: no NIC stops");
    Ok(())
}

/// A diagnostic if this is a configuration of ns3-rdma (`bobzhuyb/ns3-rdma`), the simulator of
/// DCQCN from which the artifact descends. Many forks contain its binary for Windows.
pub(super) fn ns3_rdma(config: &Config) -> Option<Diagnostic> {
    let key = "PACKET_LEVEL_ECMP";
    config
        .strays
        .iter()
        .find(|(_, words)| stray::first_word(words) == key)?;
    let what = "this is a configuration of ns3-rdma, whose settings and flows are others than \
                those of the artifact, which descends from it";
    Some(config.wrong(
        key,
        what,
        "give a configuration of the artifact, or of a fork of it",
    ))
}

/// A diagnostic if this is a configuration of SimAI that names no flows.
pub(super) fn simai(config: &Config, import: &HpccImport<'_>) -> Option<Diagnostic> {
    let key = SIMAI_KEYS.iter().find(|key| config.last(key).is_some())?;
    if config.last("FLOW_FILE").is_some() || import.flows.is_some() {
        return None;
    }
    let what = "this is a configuration of SimAI, whose flows come from a workload of collectives, \
                not from a file";
    let hint = "write the collectives as [[traffic]], e.g. kind = \"all-reduce\", or give flows \
                with --flows";
    Some(config.wrong(key, what, hint))
}
