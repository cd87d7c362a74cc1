//! Experiments of `htsim_uec`, the Ultra Ethernet Consortium's program, from its command line.
//!
//! The scenario has profile `uet-htsim`, which has the program's fixed choices; its options become
//! keys.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use incast_diagnostic::{Diagnostic, excerpt};
use incast_units::{Bytes, Rate, Time};
use incast_workload::StartUnit;
use toml::{Table, Value};

use self::command_line::{CommandLine, wrong};
use self::control::Control;
use super::{MatrixUse, checked_traffic, for_each_line, matrix_report};
use crate::paths;
use crate::scenario::{Import, ImportOutcome};

mod command_line;
mod control;
mod slowed;
#[cfg(test)]
mod tests;
mod topology;

/// An experiment to import.
#[derive(Clone, Debug)]
pub struct UecImport<'a> {
    /// The options on the program's command line. Paths are relative to the current folder.
    pub options: &'a str,
    /// Options to ignore, with or without their dashes.
    pub ignored: &'a [String],
}

/// A scenario from a command line of `htsim_uec`, to be saved beside the matrix; and the path of
/// the matrix.
///
/// # Errors
/// Files that cannot be read, options that do not exist, and options that this version does not
/// model.
pub fn import_htsim_uec(import: &UecImport<'_>) -> Result<(Import, PathBuf), Diagnostic> {
    let line = CommandLine::parse(import.options, import.ignored)?;
    let Some(matrix) = line.text("-tm").map(PathBuf::from) else {
        let what = "no connection matrix is named";
        return Err(wrong("-tm", what, "write -tm and a .cm file"));
    };
    let nodes = nodes(&matrix)?;
    let mut experiment = Experiment {
        line: &line,
        packet: line
            .number("-mtu", SMALLEST_PACKET..=LARGEST_PACKET)?
            .unwrap_or(PACKET),
        rate: line.megabits("-linkspeed")?.unwrap_or(DEFAULT_RATE),
        control: Control::of(&line),
        oversubscription: None,
        outcomes: BTreeMap::new(),
    };
    let import = experiment.import(&matrix, nodes)?;
    Ok((import, matrix))
}

/// Bytes of a data packet's header, which the program's packet size includes.
const HEADER: u64 = 64;
/// Bytes of a full packet on the wire, without `-mtu`.
const PACKET: u64 = 4150;
const SMALLEST_PACKET: u64 = HEADER + 1;
const LARGEST_PACKET: u64 = 65_535;
/// The largest queue, in packets.
const MAX_PACKETS: u64 = 1_000_000;
/// The latest end of a run, in microseconds: a thousand seconds.
const MAX_END: u64 = 1_000_000_000;
const DEFAULT_RATE: Rate = Rate::from_gbps(100);
const DEFAULT_SEED: u64 = 13;
/// The default end of a run, in microseconds.
const DEFAULT_END: u64 = 1_000;
const DEFAULT_PATHS: u64 = 64;
const MAX_PATHS: u64 = 8_192;
/// The program counts bytes without an ACK in 16 bits.
const LARGEST_SACK_THRESHOLD: u64 = 65_535;

struct Experiment<'a> {
    line: &'a CommandLine,
    /// Bytes of a full packet on the wire.
    packet: u64,
    /// The rate of hosts' links.
    rate: Rate,
    control: Control,
    /// The oversubscription at which receivers reduce their rates; `None` if they do not.
    oversubscription: Option<u64>,
    outcomes: BTreeMap<&'static str, ImportOutcome>,
}

impl Experiment<'_> {
    fn import(&mut self, matrix: &Path, nodes: u32) -> Result<Import, Diagnostic> {
        if let Some(given) = self.line.number("-nodes", 1..=u32::MAX.into())?
            && given != u64::from(nodes)
        {
            let what = format!("the matrix has {nodes} nodes");
            return Err(wrong(
                "-nodes",
                what,
                format!("write {nodes}, or leave it out"),
            ));
        }
        self.used("-nodes", "checked against the matrix");
        let folder = paths::folder(matrix);
        let network = match self.line.text("-topo").map(PathBuf::from) {
            Some(file) => self.topology_of(&file, &folder, nodes)?,
            None => self.own_topology(nodes)?,
        };
        let use_of = MatrixUse::of(matrix)?;
        let traffic = checked_traffic(matrix, use_of, StartUnit::Us, nodes)?;
        self.used("-tm", "traffic[0]; `start` counts microseconds");
        let mut scenario = Table::new();
        scenario.insert("run".into(), self.run(matrix)?.into());
        scenario.insert("network".into(), self.network(network.topology)?.into());
        scenario.insert("cc".into(), self.cc()?.into());
        scenario.insert("traffic".into(), Value::Array(vec![traffic]));
        self.note_control();
        let mut report = self.line.report(|name| self.outcomes.get(name).cloned());
        report.extend(matrix_report(matrix, nodes, use_of)?);
        report.extend(network.report);
        let body = toml::to_string(&scenario).expect("text, numbers and tables are TOML");
        Ok(Import {
            toml: format!("# From a command line of htsim_uec.\n\n{body}"),
            report,
        })
    }

    /// Notes that the option became the key `key` of the scenario, possibly with a remark.
    fn used(&mut self, option: &'static str, key: &str) {
        let outcome = ImportOutcome::Used(key.to_owned());
        self.outcomes.insert(option, outcome);
    }

    fn unused(&mut self, option: &'static str, reason: &str) {
        let outcome = ImportOutcome::NotUsed(reason.to_owned());
        self.outcomes.insert(option, outcome);
    }

    fn run(&mut self, matrix: &Path) -> Result<Table, Diagnostic> {
        let name = matrix.file_stem().unwrap_or_default().to_string_lossy();
        let seed = self
            .line
            .number("-seed", 0..=i64::MAX as u64)?
            .unwrap_or(DEFAULT_SEED);
        let mut run = Table::from_iter([
            ("name".to_owned(), Value::from(name.into_owned())),
            ("seed".to_owned(), whole(seed)),
        ]);
        self.used("-seed", "run.seed, of other random numbers");
        match self
            .line
            .number("-end", 0..=MAX_END)?
            .unwrap_or(DEFAULT_END)
        {
            0 => self.unused("-end", "0 is no end"),
            end => {
                run.insert("stop".into(), Time::from_us(end).to_string().into());
                self.used("-end", "run.stop");
            }
        }
        Ok(run)
    }

    fn network(&mut self, topology: Value) -> Result<Table, Diagnostic> {
        let mut network = Table::new();
        network.insert("profile".into(), "uet-htsim".into());
        network.insert("topology".into(), topology);
        network.insert("balance".into(), self.balance()?.into());
        if self.slowed_links()? > 0 {
            let rtt = self.largest_base_rtt()?.to_string();
            network.insert("largest_base_rtt".into(), rtt.into());
        }
        let mut insert = |key: &str, table: Table| {
            if !table.is_empty() {
                network.insert(key.to_owned(), table.into());
            }
        };
        insert("packets", self.packets());
        insert("drop", self.drop()?);
        insert("ecn", self.ecn()?);
        insert("recovery", self.recovery()?);
        if let Some(bytes) = self.line.number("-sack_threshold", 1..=i64::MAX as u64)? {
            if bytes > LARGEST_SACK_THRESHOLD {
                let what =
                    format!("after {bytes} B no ACK is ever due: the program counts 16 bits");
                let hint = format!("write at most {LARGEST_SACK_THRESHOLD}");
                return Err(wrong("-sack_threshold", what, hint));
            }
            network.insert("ack_every".into(), Bytes::new(bytes).to_string().into());
            self.used("-sack_threshold", "network.ack_every");
        }
        Ok(network)
    }

    fn balance(&mut self) -> Result<Table, Diagnostic> {
        let paths = self
            .line
            .number("-paths", 1..=MAX_PATHS)?
            .unwrap_or(DEFAULT_PATHS);
        if !paths.is_power_of_two() {
            let what = format!("`{paths}` is no power of two");
            return Err(wrong("-paths", what, "write e.g. 64"));
        }
        let named = self.line.text("-load_balancing_algo").unwrap_or("mixed");
        let kind = match named {
            "bitmap" | "mixed" | "oblivious" | "reps" => named,
            "reps_legacy" => "reps-legacy",
            other => {
                let what = format!("`{}` is no load balancing of the program", excerpt(other));
                let hint = "write bitmap, mixed, oblivious, reps or reps_legacy";
                return Err(wrong("-load_balancing_algo", what, hint));
            }
        };
        if paths == 1 {
            self.used("-paths", "network.balance: a flow keeps one path");
            let reason = "with -paths 1 there is nothing to choose";
            self.unused("-load_balancing_algo", reason);
            return Ok(Table::from_iter([("kind".to_owned(), "flow".into())]));
        }
        self.used("-paths", "network.balance.entropies");
        self.used("-load_balancing_algo", "network.balance.kind");
        Ok(Table::from_iter([
            ("kind".to_owned(), kind.into()),
            ("entropies".to_owned(), whole(paths)),
        ]))
    }

    fn packets(&mut self) -> Table {
        if self.packet == PACKET {
            self.used("-mtu", "as it is without it");
            return Table::new();
        }
        self.used("-mtu", "network.packets.mtu, less 64 B of header");
        Table::from_iter([("mtu".to_owned(), self.bytes(self.packet - HEADER))])
    }

    fn bytes(&self, count: u64) -> Value {
        Bytes::new(count).to_string().into()
    }

    /// The size of this number of full packets, without the packet that is leaving, which does not
    /// wait.
    fn waiting(&self, packets: u64) -> Value {
        self.bytes((packets - 1) * self.packet)
    }

    fn drop(&mut self) -> Result<Table, Diagnostic> {
        let mut drop = Table::new();
        let factor = "-queue_size_bdp_factor";
        if self.slowed_links()? > 0 {
            let waiting = self.queue_in_bdps()?;
            drop.insert("queue_limit".into(), waiting.clone());
            drop.insert("last_hop_queue_limit".into(), waiting);
        } else if let Some(packets) = self.line.number("-q", 2..=MAX_PACKETS)? {
            drop.insert("queue_limit".into(), self.waiting(packets));
            self.used(
                "-q",
                "network.drop.queue_limit, less the packet that leaves",
            );
            self.unused(factor, "-q says how long queues are");
        } else if let Some(count @ 1..) = self.line.number(factor, 0..=1_000)? {
            drop.insert("queue_limit".into(), format!("{count}bdp").into());
            self.used(factor, "network.drop.queue_limit");
        }
        let size = self.line.number("-trimsize", HEADER..=LARGEST_PACKET)?;
        if self.line.has("-disable_trim") {
            drop.insert("trimming".into(), "off".into());
            self.used("-disable_trim", "network.drop.trimming");
            self.unused("-trimsize", "-disable_trim leaves nothing to trim");
        } else if let Some(size) = size {
            if size >= self.packet {
                let what = format!("{size} B are no less than a packet of {} B", self.packet);
                return Err(wrong("-trimsize", what, "write e.g. 64"));
            }
            let trimming = Table::from_iter([("header".to_owned(), self.bytes(size))]);
            drop.insert("trimming".into(), trimming.into());
            self.used("-trimsize", "network.drop.trimming.header");
        }
        Ok(drop)
    }

    fn ecn(&mut self) -> Result<Table, Diagnostic> {
        let given = self.line.numbers("-ecn", 1..=MAX_PACKETS)?;
        self.used("-ecn", "network.ecn, in packets less the one that leaves");
        if self.slowed_links()? > 0 {
            let curves = self.marks_by_rate(given)?;
            return Ok(Table::from_iter([("per_rate".to_owned(), curves)]));
        }
        let Some((low, high)) = given else {
            return Ok(Table::new());
        };
        Ok(Table::from_iter([
            ("k_min".to_owned(), self.waiting(low)),
            ("k_max".to_owned(), self.waiting(high)),
            ("p_max".to_owned(), 1.0.into()),
        ]))
    }

    fn recovery(&mut self) -> Result<Table, Diagnostic> {
        if !self.line.has("-sleek") {
            return Ok(Table::new());
        }
        if self.control == Control::Receiver {
            let what = "senders recover by their window, and have none";
            return Err(wrong("-sleek", what, "leave it out, or add -sender_cc"));
        }
        self.used("-sleek", "network.recovery.loss_detection, with probes");
        // The target queueing delay, in base RTTs.
        let target = match self.line.has("-disable_trim") {
            true => 1.0,
            false => 0.75,
        };
        let probes = Table::from_iter([("delay".to_owned(), target.into())]);
        let detection = Table::from_iter([
            ("kind".to_owned(), "early-count".into()),
            ("probes".to_owned(), probes.into()),
        ]);
        Ok(Table::from_iter([(
            "loss_detection".to_owned(),
            detection.into(),
        )]))
    }
}

/// The number of hosts of a matrix.
fn nodes(matrix: &Path) -> Result<u32, Diagnostic> {
    let mut nodes = None;
    for_each_line(matrix, |_, words| {
        if let ["Nodes", count, ..] = words {
            nodes = nodes.or(count.parse().ok());
        }
    })?;
    nodes.filter(|nodes| *nodes > 0).ok_or_else(|| {
        let what = "the matrix does not say for how many nodes it is";
        let missing = Diagnostic::new(what, "add e.g. `Nodes 128` at its top");
        missing.at("Nodes").in_file(matrix.display())
    })
}

fn whole(number: u64) -> Value {
    i64::try_from(number)
        .expect("numbers of options have 63 bits")
        .into()
}
