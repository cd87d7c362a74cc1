//! Experiments of htsim: a connection matrix (`.cm`) and a topology (`.topo`).

use std::path::{Path, PathBuf};

use incast_diagnostic::{Diagnostic, Placed as _, suggestion};
use incast_topology::TopologySpec;
use incast_workload::{
    FileSpec, FlowFormat, HostNames, HostSet, StartUnit, TaskFile, TaskFormat, TasksSpec,
    TrafficSpec,
};
use toml::{Table, Value};

use crate::file_format::FileFormat;
use crate::scenario::{Import, ImportOutcome, ImportedKey};
use crate::{checked, files, paths};

mod flow_ids;
pub(crate) mod matrix;
pub(crate) mod topology;
mod trigger_line;
pub(crate) mod triggers;
mod uec;

#[cfg(test)]
mod tests;

pub use self::uec::{UecImport, import_htsim_uec};

/// Files to import. htsim takes some facts from its command line, so they are options of the
/// import.
#[derive(Clone, Debug)]
pub struct HtsimImport<'a> {
    /// The connection matrix, a `.cm` file.
    pub matrix: &'a Path,
    /// A `.topo` file, or the name of a topology.
    pub topology: Option<&'a str>,
    /// The unit of `start` in the matrix: `ps` or `us`.
    pub start_unit: Option<&'a str>,
    /// The congestion control.
    pub algorithm: &'a str,
}

/// A scenario from files of htsim, to be saved beside the matrix.
///
/// # Errors
/// Files that cannot be read, and facts that neither the files nor the options state.
pub fn import_htsim(import: &HtsimImport<'_>) -> Result<Import, Diagnostic> {
    let folder = paths::folder(import.matrix);
    let start_unit = start_unit(import)?;
    let (topology, hosts, of_topology) = topology(import, &folder)?;
    let use_of = MatrixUse::of(import.matrix)?;
    let entry = checked_traffic(import.matrix, use_of, start_unit, hosts)?;
    let mut report = matrix_report(import.matrix, hosts, use_of)?;
    report.extend(of_topology);
    let mut network = Table::new();
    network.insert("topology".into(), topology);
    let mut cc = Table::new();
    cc.insert("algorithm".into(), import.algorithm.into());
    let mut scenario = Table::new();
    let name = import
        .matrix
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    scenario.insert(
        "run".into(),
        Table::from_iter([("name".into(), name.into())]).into(),
    );
    scenario.insert("network".into(), network.into());
    scenario.insert("cc".into(), cc.into());
    scenario.insert("traffic".into(), Value::Array(vec![entry]));
    let body = toml::to_string(&scenario).expect("text and tables are TOML");
    let file = import.matrix.file_name().map(PathBuf::from);
    let file = file.unwrap_or_default();
    let toml = format!(
        "# From {}, a connection matrix of htsim.\n\n{body}",
        file.display()
    );
    Ok(Import { toml, report })
}

/// The kind of traffic that a matrix becomes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum MatrixUse {
    /// A list of flows.
    Flows,
    /// Tasks, because flows wait for others; with the matrix's number of nodes, if stated.
    Tasks(Option<u32>),
}

impl MatrixUse {
    fn of(matrix: &Path) -> Result<Self, Diagnostic> {
        let (mut waits, mut nodes) = (false, None);
        for_each_line(matrix, |_, words| {
            if let ["Nodes", count, ..] = words {
                nodes = nodes.or(count.parse().ok());
            }
            let is_connection = words.first().is_some_and(|word| word.contains("->"));
            waits |= is_connection && words.contains(&"trigger");
        })?;
        Ok(match waits {
            true => Self::Tasks(nodes),
            false => Self::Flows,
        })
    }

    /// Number of hosts that take part.
    fn ranks(self, hosts: u32) -> u32 {
        match self {
            Self::Tasks(Some(nodes)) if nodes > 0 => nodes.min(hosts),
            _ => hosts,
        }
    }
}

/// The matrix as a traffic entry; the file is read to its end.
fn checked_traffic(
    matrix: &Path,
    use_of: MatrixUse,
    start_unit: StartUnit,
    hosts: u32,
) -> Result<Value, Diagnostic> {
    let folder = paths::folder(matrix);
    let file = matrix.file_name().map(PathBuf::from).unwrap_or_default();
    let traffic = traffic(use_of, &file, start_unit, hosts);
    match &traffic {
        TrafficSpec::File(flows) => checked::flows(flows, &folder, &HostNames::numbered(hosts))?,
        _ => {
            let mut tasks = TaskFile::new(&file, TaskFormat::Htsim);
            tasks.start_unit = Some(start_unit);
            checked::tasks(&tasks, &folder, use_of.ranks(hosts))?;
        }
    }
    Ok(Value::try_from(traffic).expect("a file is TOML"))
}

fn traffic(use_of: MatrixUse, file: &Path, start_unit: StartUnit, hosts: u32) -> TrafficSpec {
    match use_of {
        MatrixUse::Flows => TrafficSpec::from(FileSpec {
            start_unit: Some(start_unit),
            ..FileSpec::new(file, FlowFormat::Htsim)
        }),
        MatrixUse::Tasks(_) => {
            let ranks = use_of.ranks(hosts);
            let first = Value::from(format!("0-{}", ranks.max(1) - 1));
            TrafficSpec::from(TasksSpec {
                file: Some(file.to_owned()),
                format: Some(TaskFormat::Htsim),
                start_unit: Some(start_unit),
                hosts: match ranks < hosts {
                    true => first.try_into().expect("a set of hosts"),
                    false => HostSet::All,
                },
                ..TasksSpec::new(Vec::new())
            })
        }
    }
}

fn start_unit(import: &HtsimImport<'_>) -> Result<StartUnit, Diagnostic> {
    let hint = "say `--start-unit us` or `ps`: htsim's programs differ, and the file does not say";
    match import.start_unit {
        Some("ps") => Ok(StartUnit::Ps),
        Some("us") => Ok(StartUnit::Us),
        Some(other) => {
            let wrong = Diagnostic::new(format!("`{other}` is no unit of start times"), hint);
            Err(missing(import, "start", wrong))
        }
        None => {
            let wrong = Diagnostic::new("the unit of start times is needed", hint);
            Err(missing(import, "start", wrong))
        }
    }
}

fn missing(import: &HtsimImport<'_>, key: &str, wrong: Diagnostic) -> Diagnostic {
    wrong.at(key).in_file(import.matrix.display())
}

/// The topology (a file, or else a name), its number of hosts, and the report of the file's
/// keywords.
fn topology(
    import: &HtsimImport<'_>,
    folder: &Path,
) -> Result<(Value, u32, Vec<ImportedKey>), Diagnostic> {
    let names = TopologySpec::names();
    let names: Vec<_> = names.iter().map(|(name, _)| *name).collect();
    let Some(given) = import.topology else {
        let hint = "give a `.topo` file or the name of a topology";
        let wrong = Diagnostic::new("the matrix does not say what network it is for", hint);
        return Err(missing(import, "topology", wrong));
    };
    let path = Path::new(given);
    if path.is_file() {
        let hosts = checked::topology(path, FileFormat::Htsim)?.0.hosts;
        let report = topology_report(path)?;
        let format = Value::try_from(FileFormat::Htsim).expect("a name is TOML");
        let file = paths::slashed(&paths::seen_from(folder, path));
        let table = Table::from_iter([("file".into(), file.into()), ("format".into(), format)]);
        return Ok((table.into(), hosts, report));
    }
    if names.contains(&given) {
        let hosts = TopologySpec::named(given)?.build()?.hosts;
        return Ok((given.into(), hosts, Vec::new()));
    }
    let what = format!("there is neither a file nor a topology `{given}`");
    Err(missing(
        import,
        "topology",
        Diagnostic::new(what, suggestion(given, names)),
    ))
}

/// The report of a matrix's keywords. The run reads the flows themselves.
fn matrix_report(
    matrix: &Path,
    hosts: u32,
    use_of: MatrixUse,
) -> Result<Vec<ImportedKey>, Diagnostic> {
    let mut report = Vec::new();
    let mut seen = Vec::new();
    for_each_line(matrix, |line, words| {
        let word = words.first().copied().unwrap_or_default();
        let flow = word.contains("->");
        let keywords = if flow {
            &words[1..]
        } else {
            &words[..words.len().min(1)]
        };
        for keyword in keywords.iter().filter(|word| word.parse::<f64>().is_err()) {
            if word.starts_with('#') || seen.iter().any(|known| known == keyword) {
                continue;
            }
            seen.push((*keyword).to_owned());
            let after = words.iter().skip_while(|word| word != &keyword).nth(1);
            report.push(ImportedKey {
                line: Some(line),
                key: (*keyword).to_owned(),
                value: if flow {
                    "of each flow"
                } else {
                    after.copied().unwrap_or("")
                }
                .to_owned(),
                outcome: match (*keyword, after.and_then(|nodes| nodes.parse::<u32>().ok())) {
                    ("Nodes", Some(nodes)) if !flow && nodes < hosts => ImportOutcome::Used(
                        format!("but only these of the topology's {hosts} hosts send and receive"),
                    ),
                    _ => matrix_outcome(keyword, flow, use_of),
                },
            });
        }
    })?;
    Ok(report)
}

fn matrix_outcome(keyword: &str, flow: bool, use_of: MatrixUse) -> ImportOutcome {
    let used = |text: &str| ImportOutcome::Used(text.to_owned());
    let unused = |text: &str| ImportOutcome::NotUsed(text.to_owned());
    match (keyword, flow) {
        ("Nodes", false) => used("checked against the hosts of the topology"),
        ("Connections", false) => used("checked against the flows of the file"),
        ("start" | "size", true) => used("traffic[0]"),
        ("id", true) => unused("flows are numbered in order of start"),
        ("prio", true) => unused("flows are equals; it must be the same for all"),
        ("trigger", _) | ("send_done_trigger" | "recv_done_trigger", true) => match use_of {
            MatrixUse::Tasks(_) => used("traffic[0]: flows wait for each other"),
            MatrixUse::Flows => unused("it sets off no flow"),
        },
        _ => unused("it has no counterpart"),
    }
}

/// The report of a topology's keywords.
fn topology_report(topology: &Path) -> Result<Vec<ImportedKey>, Diagnostic> {
    let mut report = Vec::new();
    for_each_line(topology, |line, words| {
        let key = words[0].to_owned();
        if key.starts_with('#') {
            return;
        }
        let outcome = match key.to_ascii_lowercase().as_str() {
            "queue_up" | "queue_down" => ImportOutcome::NotUsed(
                "the ports of a switch share one buffer; see [network.buffer]".to_owned(),
            ),
            "switch_latency_ns" => ImportOutcome::Used(
                "network.topology; half of it in the delay of each link".to_owned(),
            ),
            _ => ImportOutcome::Used("network.topology".to_owned()),
        };
        report.push(ImportedKey {
            line: Some(line),
            key,
            value: words[1..].join(" "),
            outcome,
        });
    })?;
    Ok(report)
}

/// Calls `show` with the words of every line that is not empty.
fn for_each_line(path: &Path, mut show: impl FnMut(u64, &[&str])) -> Result<(), Diagnostic> {
    let mut lines = files::open(path, path).in_file(path.display())?;
    while let Some(line) = lines.next_line()? {
        let words: Vec<_> = line.text().split_whitespace().collect();
        show(line.number(), &words);
    }
    Ok(())
}
