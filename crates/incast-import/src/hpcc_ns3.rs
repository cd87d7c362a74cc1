//! Configurations of the HPCC ns-3 artifact (alibaba-edu/High-Precision-Congestion-Control,
//! `simulation/mix/config*.txt`, read by `scratch/third.cc`).

use std::path::{Path, PathBuf};

use incast_diagnostic::Diagnostic;
use incast_topology::Topology;
use incast_units::{Bytes, Rate, Time};
use incast_workload::{FileSpec, FlowCount, FlowFormat, HostNames, Strictness, TrafficSpec};
use toml::{Table, Value};

use crate::file_format::FileFormat;
use crate::scenario::Import;
use crate::topology_note::TopologyNote;
use crate::{checked, files, paths};
use config::{Config, FlagDefault};
use dialect::Dialect;
use keys::UNUSED_KEYS;
use notes::Notes;

mod buffer;
mod cc;
mod clock;
mod config;
mod dialect;
pub(crate) mod flows;
mod keys;
mod loss;
mod notes;
mod stray;
#[cfg(test)]
mod tests;
pub(crate) mod topology;

/// An experiment of the artifact, with options of the import.
#[derive(Copy, Clone, Debug)]
pub struct HpccImport<'a> {
    /// The configuration.
    pub config: &'a Path,
    /// A topology file in place of the one that the configuration names.
    pub topology: Option<&'a Path>,
    /// A flow file in place of the one that the configuration names.
    pub flows: Option<&'a Path>,
    /// How many flows are read; by default the number in the file's head, as in ns-3.
    pub count: Option<FlowCount>,
    /// Whether all flows must have the same priority group.
    pub priorities: Option<Strictness>,
    /// Keys to ignore, as if the configuration did not have them.
    pub ignore: &'a [String],
}

impl<'a> HpccImport<'a> {
    /// The experiment of a configuration, without other options.
    pub fn of(config: &'a Path) -> Self {
        Self {
            config,
            topology: None,
            flows: None,
            count: None,
            priorities: None,
            ignore: &[],
        }
    }
}

/// A scenario from a configuration of the HPCC ns-3 artifact. Its profile is `hpcc-ns3`, so that
/// completion times are those of the artifact.
///
/// # Errors
/// Files that cannot be read, invalid values, and settings that this version does not model.
pub fn import_hpcc_ns3(import: &HpccImport<'_>) -> Result<Import, Diagnostic> {
    let file = import.config;
    let text = paths::read(file)?;
    let mut parsed = Config::parse(&file.display().to_string(), &text)?;
    parsed.ignore(import.ignore)?;
    let importer = Importer {
        import,
        config: &parsed,
        folder: paths::folder(file),
        notes: Notes::default(),
    };
    importer.run()
}

/// Whether a word is a key of the artifact or of a known fork.
pub(crate) fn is_key(word: &str) -> bool {
    config::is_known(word)
}

/// The time at which the artifact's traffic starts: 2 s.
const START: Time = Time::from_ms(2_000);

struct Importer<'a> {
    import: &'a HpccImport<'a>,
    config: &'a Config,
    /// The folder of the configuration, where the scenario goes, too.
    folder: PathBuf,
    notes: Notes,
}

impl Importer<'_> {
    fn run(mut self) -> Result<Import, Diagnostic> {
        let import = self.import;
        let other = dialect::simai(self.config, import);
        if let Some(wrong) = other.or_else(|| dialect::ns3_rdma(self.config)) {
            return Err(wrong);
        }
        self.refuse_what_is_not_modelled()?;
        let loss = loss::probability(self.config, &mut self.notes)?;
        let topology = self.file("TOPOLOGY_FILE", import.topology, "network.topology.file")?;
        let flows = self.file("FLOW_FILE", import.flows, "traffic[0]")?;
        let dialect = Dialect::of(self.config, &first_line(&self.folder.join(&topology)));
        let has_pfc = dialect.note(self.config, &mut self.notes)?;
        self.config.refuse_settings_of_forks()?;
        let graph = self.graph(&topology)?;
        let base = start_of(&self.folder.join(&flows));
        let traffic = self.traffic(&flows, base, &checked::hosts(&graph))?;
        let mut scenario = Table::new();
        scenario.insert("run".into(), self.run_section(base, dialect)?.into());
        let mut network = self.network(&topology, &graph, loss)?;
        if !has_pfc {
            network.insert("flow_control".into(), text("none"));
        }
        scenario.insert("network".into(), network.into());
        scenario.insert(
            "cc".into(),
            cc::section(self.config, &mut self.notes)?.into(),
        );
        let entry = Value::try_from(TrafficSpec::from(traffic)).expect("a flow file is TOML");
        scenario.insert("traffic".into(), Value::Array(vec![entry]));
        if let Some(probability) = loss {
            let fault = loss::fault(probability, &graph);
            scenario.insert("fault".into(), Value::Array(vec![fault.into()]));
        }
        for (key, reason) in UNUSED_KEYS {
            self.notes.unused(key, reason);
        }
        let body = toml::to_string(&scenario).expect("text, numbers and tables are TOML");
        let file = import.config;
        let name = file.file_name().unwrap_or(file.as_os_str());
        let toml = format!("{}\n{body}", dialect.origin(&name.to_string_lossy()));
        Ok(Import {
            toml,
            report: self.notes.report(self.config),
        })
    }

    /// The network of the topology file.
    fn graph(&mut self, topology: &Path) -> Result<Topology, Diagnostic> {
        let file = self.folder.join(topology);
        let (network, notes) = checked::topology(&file, FileFormat::HpccNs3)?;
        for note in notes {
            let TopologyNote {
                line,
                subject,
                outcome,
            } = note;
            self.notes.of_file(topology, line, subject, outcome);
        }
        if network.machines.is_some() {
            let what = "hosts with several NICs".to_owned();
            let why = "ns-3 picks the NIC by a hash of the flow, this version the NICs in turn";
            self.notes.of_file(topology, None, what, why.to_owned());
        }
        Ok(network)
    }

    /// The traffic: as many flows as ns-3 reads, unless the user asks for all.
    fn traffic(
        &mut self,
        flows: &Path,
        base: Time,
        hosts: &HostNames,
    ) -> Result<FileSpec, Diagnostic> {
        let file = self.folder.join(flows);
        let beyond = flows::lines_beyond(files::open(&file, &file)?);
        let count = match (self.import.count, beyond) {
            (None, Some(rest)) => {
                let what = rest.counted();
                let why =
                    "ns-3 reads as many flows as the first line says; --count ignore reads all";
                self.notes
                    .of_file(flows, Some(rest.first), what, why.to_owned());
                Some(FlowCount::First)
            }
            (given, _) => given,
        };
        let traffic = FileSpec {
            count,
            priorities: self.import.priorities,
            ..file_spec(flows, base)
        };
        checked::flows(&traffic, &self.folder, hosts)?;
        Ok(traffic)
    }

    /// The file that a key names, or the one given in its place, by the path that the scenario
    /// needs.
    ///
    /// ns-3's paths are relative to the folder in which it is started. For
    /// `simulation/mix/config.txt`, which names `mix/flow.txt`, this is `simulation`, a folder
    /// above the configuration.
    fn file(
        &mut self,
        key: &'static str,
        instead: Option<&Path>,
        scenario_key: &str,
    ) -> Result<PathBuf, Diagnostic> {
        if let Some(path) = instead {
            self.notes
                .unused(key, &format!("{} was given instead", path.display()));
            return Ok(paths::seen_from(&self.folder, path));
        }
        let Some(named) = self.config.text(key) else {
            let hint = format!("add it, or give the file with {}", option_for(key));
            return Err(self.config.wrong(key, "is missing", &hint));
        };
        if self.folder.join(named).is_file() {
            self.notes.used(key, scenario_key);
            return Ok(PathBuf::from(named));
        }
        if let Some((above, folders)) = paths::above(&self.folder, named) {
            let from = match folders {
                1 => "the folder above".to_owned(),
                _ => format!("{folders} folders above"),
            };
            self.notes
                .used(key, &format!("{scenario_key}; seen from {from}"));
            return Ok(paths::seen_from(&self.folder, &above));
        }
        let option = option_for(key);
        let what = format!("there is no file `{named}`, nor in any folder above");
        let name = Path::new(named).file_name().map(Path::new);
        let beside = name.filter(|name| self.folder.join(name).is_file());
        let hint = match beside {
            Some(name) => format!("a `{}` stands here: give it with {option}", name.display()),
            None => format!("give the file with {option}"),
        };
        Err(self.config.wrong(key, what, &hint))
    }

    fn run_section(&mut self, base: Time, dialect: Dialect) -> Result<Table, Diagnostic> {
        let file = self.import.config;
        let mut run = Table::new();
        let name = file
            .file_stem()
            .unwrap_or(file.as_os_str())
            .to_string_lossy();
        run.insert("name".into(), Value::String(name.into_owned()));
        if dialect == Dialect::ConWeave {
            self.notes
                .unused("SIMULATOR_STOP_TIME", "ConWeave does not read it");
        } else {
            run.insert("stop".into(), text(self.stop(base)?));
        }
        Ok(run)
    }

    /// The time at which the run stops, after the start of traffic.
    fn stop(&mut self, base: Time) -> Result<Time, Diagnostic> {
        let key = "SIMULATOR_STOP_TIME";
        let seconds = self.config.text(key).unwrap_or("3.01");
        let stop: Time = format!("{seconds}s").parse().map_err(|_| {
            self.config.wrong(
                key,
                format!("`{seconds}` is not a time in seconds"),
                "write e.g. 2.5",
            )
        })?;
        if stop <= base {
            let what = format!("the run would stop at {stop}, before traffic starts at {base}");
            return Err(self.config.wrong(key, what, "write a later time"));
        }
        self.notes.used(
            key,
            &format!("run.stop, less the {base} at which traffic starts"),
        );
        Ok(stop - base)
    }

    fn network(
        &mut self,
        topology: &Path,
        nodes: &Topology,
        loss: Option<f64>,
    ) -> Result<Table, Diagnostic> {
        let config = self.config;
        let mut network = Table::new();
        network.insert("profile".into(), text("hpcc-ns3"));
        network.insert(
            "base_rtt".into(),
            text(match config.flag("GLOBAL_T", FlagDefault::On)? {
                true => "global",
                false => "path",
            }),
        );
        self.notes.used("GLOBAL_T", "network.base_rtt");
        let mtu = config.whole("PACKET_PAYLOAD_SIZE", 1000)?;
        network.insert("ack_every".into(), self.ack_every(mtu)?.into());
        let mut graph = Table::new();
        graph.insert("file".into(), text(paths::slashed(topology)));
        graph.insert("format".into(), text("hpcc-ns3"));
        network.insert("topology".into(), graph.into());
        network.insert(
            "packets".into(),
            table("mtu", text(Bytes::new(mtu.into()))).into(),
        );
        self.notes
            .used("PACKET_PAYLOAD_SIZE", "network.packets.mtu");
        let buffer = buffer::size(config, nodes, &mut self.notes)?;
        network.insert("buffer".into(), table("size", text(buffer)).into());
        network.insert("ecn".into(), self.ecn()?);
        network.insert("model".into(), self.model(loss)?.into());
        Ok(network)
    }

    /// The number of packets per ACK: the artifact's receiver sends an ACK whenever this many bytes
    /// have arrived since the last.
    fn ack_every(&mut self, mtu: u32) -> Result<i64, Diagnostic> {
        let key = "L2_ACK_INTERVAL";
        let bytes = self.config.whole(key, 0)?;
        if bytes == 0 {
            let what = "with 0, which is also the default, the artifact's flows never complete";
            return Err(self
                .config
                .wrong(key, what, "write 1 for an ACK per packet"));
        }
        let every = bytes.div_ceil(mtu.max(1));
        let tail = match every {
            1 => "",
            _ => "; the last packet is acknowledged too, unlike in the artifact",
        };
        self.notes.used(key, &format!("network.ack_every{tail}"));
        Ok(every.into())
    }

    fn model(&mut self, loss: Option<f64>) -> Result<Table, Diagnostic> {
        let mut model = Table::new();
        if loss.is_some() {
            // Losses are not compatible with ns-3's order of simultaneous events, the order of
            // insertion into one queue.
            model.insert("ties".into(), text("port"));
            model.insert("marking_random".into(), text("own"));
        }
        let high = self.config.flag("ACK_HIGH_PRIO", FlagDefault::Off)?;
        model.insert("ack_pausable_at_host".into(), Value::Boolean(!high));
        self.notes.used(
            "ACK_HIGH_PRIO",
            "network.model.ack_pausable_at_host, reversed",
        );
        let mut format = Table::new();
        format.insert(
            "multiplier".into(),
            i64::from(self.config.whole("INT_MULTI", 1)?).into(),
        );
        format.insert("queue_bits".into(), 17.into());
        model.insert("int_format".into(), format.into());
        self.notes
            .used("INT_MULTI", "network.model.int_format.multiplier");
        Ok(model)
    }

    /// Link rates for which all three thresholds are given.
    fn ecn(&mut self) -> Result<Value, Diagnostic> {
        let maps = ["KMIN_MAP", "KMAX_MAP", "PMAX_MAP"];
        if !self.config.flag("ENABLE_QCN", FlagDefault::On)? {
            self.notes.used("ENABLE_QCN", "network.ecn");
            for key in maps {
                self.notes.unused(key, "ENABLE_QCN is 0");
            }
            return Ok(text("off"));
        }
        let [k_min, k_max, p_max] = maps.map(|key| self.config.map(key));
        let (k_min, k_max, p_max) = (k_min?, k_max?, p_max?);
        let of = |map: &[(Rate, f64)], rate| {
            map.iter()
                .rev()
                .find(|(at, _)| *at == rate)
                .map(|(_, value)| *value)
        };
        // Thresholds are in units of 1000 bytes.
        let kilobytes = |value: f64| text(Bytes::new(1_000) * value as u64);
        let mut entries = Vec::new();
        for (rate, low) in &k_min {
            if let (Some(high), Some(p)) = (of(&k_max, *rate), of(&p_max, *rate)) {
                let mut entry = Table::new();
                entry.insert("link_rate".into(), text(*rate));
                entry.insert("k_min".into(), kilobytes(*low));
                entry.insert("k_max".into(), kilobytes(high));
                entry.insert("p_max".into(), p.into());
                entries.push(Value::Table(entry));
            }
        }
        if entries.is_empty() {
            let what = "no link rate has a value in all of KMIN_MAP, KMAX_MAP and PMAX_MAP";
            return Err(self.config.wrong(
                "KMIN_MAP",
                what,
                "add the maps, as the artifact needs them",
            ));
        }
        self.notes.used("ENABLE_QCN", "network.ecn");
        for key in maps {
            self.notes.used(key, "network.ecn.per_rate");
        }
        Ok(table("per_rate", Value::Array(entries)).into())
    }

    fn refuse_what_is_not_modelled(&mut self) -> Result<(), Diagnostic> {
        let config = self.config;
        if config.flag("LINK_DOWN", FlagDefault::Off)? {
            let what = "profile hpcc-ns3 has no links that go down";
            let hint =
                "write 0 0 0, or give --ignore LINK_DOWN and add a [[fault]] to the scenario";
            return Err(config.wrong("LINK_DOWN", what, hint));
        }
        self.notes.used("LINK_DOWN", "no link goes down");
        if config.flag("L2_BACK_TO_ZERO", FlagDefault::Off)? {
            let what = "going back to the beginning of a chunk is not in this version";
            let hint = "write 0: senders go back to the first lost packet";
            return Err(config.wrong("L2_BACK_TO_ZERO", what, hint));
        }
        self.notes.used(
            "L2_BACK_TO_ZERO",
            "senders go back to the first lost packet",
        );
        if !config.flag("RATE_BOUND", FlagDefault::On)? {
            // `UpdateNextAvail` of `rdma-hw.cc`: the QP's rate has an effect only if this key is
            // set.
            let what = "flows at line rate within their windows, without pacing, are not modelled";
            let hint = "write 1, or give --ignore RATE_BOUND: flows are paced then";
            return Err(config.wrong("RATE_BOUND", what, hint));
        }
        self.notes.used("RATE_BOUND", "flows are paced");
        Ok(())
    }
}

/// The import's option for a file in place of the one that a key names.
fn option_for(key: &str) -> &'static str {
    match key {
        "FLOW_FILE" => "--flows",
        _ => "--topology",
    }
}

fn file_spec(flows: &Path, base: Time) -> FileSpec {
    let flows = PathBuf::from(paths::slashed(flows));
    FileSpec {
        base,
        ns3_clock: Some(true),
        ..FileSpec::new(flows, FlowFormat::HpccNs3)
    }
}

/// The start of traffic: 2 s, as in the artifact's generator, unless the first flow is earlier.
fn start_of(flows: &Path) -> Time {
    match first_start(flows) {
        Some(seconds) if seconds < START.as_secs_f64() => Time::ZERO,
        _ => START,
    }
}

/// The start of the first flow in seconds, if the file is readable up to there.
fn first_start(flows: &Path) -> Option<f64> {
    let mut lines = files::open(flows, flows).ok()?;
    lines.next_line().ok()?;
    let first = lines.next_line().ok()??;
    first.text().split_whitespace().last()?.parse().ok()
}

/// The first line of a file that is known to be readable.
fn first_line(file: &Path) -> String {
    let lines = files::open(file, file).ok();
    let line = lines.and_then(|mut lines| {
        let line = lines.next_line().ok()??;
        Some(line.text().to_owned())
    });
    line.unwrap_or_default()
}

fn table(key: &str, value: Value) -> Table {
    let mut table = Table::new();
    table.insert(key.into(), value);
    table
}

fn text(value: impl ToString) -> Value {
    Value::String(value.to_string())
}
