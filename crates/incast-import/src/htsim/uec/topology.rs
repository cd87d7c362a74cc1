//! The network: a `.topo` file, or the fat tree that the program builds by default.

use std::path::Path;

use incast_diagnostic::Diagnostic;
use incast_topology::Ports;
use incast_units::{Bytes, NodeId, Time};
use toml::{Table, Value};

use super::command_line::wrong;
use super::control::Control;
use super::{Experiment, whole};
use crate::file_format::FileFormat;
use crate::htsim::{for_each_line, topology_report};
use crate::scenario::{ImportOutcome, ImportedKey};
use crate::{checked, paths};

/// The network of an experiment, and the report of the file's lines.
pub(super) struct NetworkFile {
    pub(super) topology: Value,
    pub(super) report: Vec<ImportedKey>,
}

/// The longest delay of a hop; a link around the Earth has 0.2 s.
const LONGEST_HOP: Time = Time::from_ms(1_000);

impl Experiment<'_> {
    /// A topology file, which must have this number of hosts, and links of the given rate.
    pub(super) fn topology_of(
        &mut self,
        file: &Path,
        folder: &Path,
        nodes: u32,
    ) -> Result<NetworkFile, Diagnostic> {
        let (topology, _) = checked::topology(file, FileFormat::Htsim)?;
        if topology.hosts != nodes {
            let what = format!(
                "the topology has {} hosts, the matrix {nodes}",
                topology.hosts
            );
            return Err(wrong("-topo", what, "give files of one experiment"));
        }
        let rate = Ports::new(&topology).of(NodeId(0))[0].rate;
        if rate != self.rate {
            let what = format!("hosts send at {}, and their links carry {rate}", self.rate);
            let hint = format!("write -linkspeed {}", rate.as_bps() / 1_000_000);
            return Err(wrong("-linkspeed", what, hint));
        }
        self.note_oversubscription(file)?;
        if self.slowed_links()? > 0 {
            let what = "the links of a topology file keep their rates in this version";
            let hint = "leave -topo out, or read over it with --ignore failed";
            return Err(wrong("-failed", what, hint));
        }
        for option in ["-tiers", "-hop_latency"] {
            self.unused(option, "the topology file has it");
        }
        self.used("-topo", "network.topology");
        self.used("-linkspeed", "checked against the topology file");
        let path = paths::slashed(&paths::seen_from(folder, file));
        let format = Value::try_from(FileFormat::Htsim).expect("a name is TOML");
        let mut report = topology_report(file)?;
        for each in &mut report {
            if each.key.to_ascii_lowercase().starts_with("queue_") {
                let reason = "the program sizes queues by its options";
                each.outcome = ImportOutcome::NotUsed(reason.to_owned());
            }
        }
        Ok(NetworkFile {
            topology: Table::from_iter([("file".into(), path.into()), ("format".into(), format)])
                .into(),
            report,
        })
    }

    /// Notes that with receiver-based control alone, receivers reduce their rates if switches have
    /// more capacity below than above, unless an option disables it.
    fn note_oversubscription(&mut self, file: &Path) -> Result<(), Diagnostic> {
        let mut ratio = 1_u64;
        for_each_line(file, |_, words| {
            if let [key, value, ..] = words
                && key.eq_ignore_ascii_case("oversubscribed")
            {
                ratio = ratio.saturating_mul(value.parse().unwrap_or(1));
            }
        })?;
        let is_off = self.line.has("-force_disable_oversubscribed_cc")
            || self.line.ignores("-oversubscribed_cc");
        let slows_down = self.control == Control::Receiver && ratio > 1 && !is_off;
        self.oversubscription = slows_down.then_some(ratio);
        Ok(())
    }

    /// The fat tree that the program builds for `nodes` hosts.
    pub(super) fn own_topology(&mut self, nodes: u32) -> Result<NetworkFile, Diagnostic> {
        let tiers = self.tiers()?;
        let nodes = u64::from(nodes);
        let ports = (2..=4096_u64).step_by(2).find(|k| match tiers {
            2 => k * k / 2 == nodes,
            _ => k * k * k / 4 == nodes,
        });
        let Some(k) = ports.map(|k| k as i64) else {
            let what = format!("there is no fat tree of {tiers} tiers for {nodes} hosts");
            let hint = "of two tiers there are k²/2 hosts, of three k³/4; give a -topo file";
            return Err(wrong("-tiers", what, hint));
        };
        let slowed = self.slowed_links()?;
        let half = k as u64 / 2;
        let most = if tiers == 2 { half } else { 2 * half.pow(3) };
        if slowed > most {
            let what = format!("`{slowed}` are more than the {most} that there are");
            return Err(wrong("-failed", what, format!("write at most {most}")));
        }
        let rate = Value::from(self.rate.to_string());
        let mut table = Table::new();
        let mut set = |key: &str, value: Value| table.insert(key.to_owned(), value);
        match tiers {
            2 => {
                set("kind", "leaf-spine".into());
                set("leaves", k.into());
                set("spines", (k / 2).into());
                set("hosts_per_leaf", (k / 2).into());
                set("spine_rate", rate.clone());
                if slowed > 0 {
                    set("slowed_spines", whole(slowed));
                }
            }
            _ => {
                set("kind", "fat-tree".into());
                set("k", k.into());
                if slowed > 0 {
                    set("slowed_links", whole(slowed));
                }
            }
        }
        set("host_rate", rate);
        set("delay", self.hop()?.to_string().into());
        for option in ["-tiers", "-linkspeed", "-hop_latency"] {
            self.used(option, "network.topology");
        }
        match slowed {
            0 => self.unused("-failed", "no link is slowed"),
            _ => self.used(
                "-failed",
                "network.topology, queues and marks in proportion",
            ),
        }
        Ok(NetworkFile {
            topology: table.into(),
            report: Vec::new(),
        })
    }

    /// Number of links (in two tiers: spines) with a quarter of their rate.
    pub(super) fn slowed_links(&self) -> Result<u64, Diagnostic> {
        Ok(self
            .line
            .number("-failed", 0..=u32::MAX.into())?
            .unwrap_or(0))
    }

    fn tiers(&self) -> Result<u64, Diagnostic> {
        Ok(self.line.number("-tiers", 2..=3)?.unwrap_or(3))
    }

    fn hop(&self) -> Result<Time, Diagnostic> {
        let given = self.line.microseconds("-hop_latency")?;
        let hop = given.unwrap_or(Time::from_us(1));
        match hop <= LONGEST_HOP {
            true => Ok(hop),
            false => Err(wrong(
                "-hop_latency",
                format!("{hop} is too long"),
                "write less",
            )),
        }
    }

    /// The largest base RTT of the program's own topology.
    pub(super) fn largest_base_rtt(&self) -> Result<Time, Diagnostic> {
        let links = 2 * self.tiers()?;
        let there = self.rate.transmission_time(Bytes::new(self.packet));
        let back = self.rate.transmission_time(Bytes::new(super::HEADER));
        Ok((self.hop()? * 2 + there + back) * links)
    }
}
