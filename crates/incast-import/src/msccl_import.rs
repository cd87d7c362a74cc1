//! Experiments with an algorithm of MSCCL: the GPUs as hosts of a star, and the algorithm as tasks.

use std::path::{Path, PathBuf};

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_units::Bytes;
use incast_workload::{TaskFormat, TasksSpec, TrafficSpec};
use toml::{Table, Value};

use crate::files;
use crate::msccl::{Algorithm, no_data, tasks};
use crate::scenario::{Import, ImportOutcome, ImportedKey};

#[cfg(test)]
mod tests;

/// A file to import. MSCCL's caller gives the size of the buffers, so it is an option of the
/// import.
#[derive(Clone, Debug)]
pub struct MscclImport<'a> {
    /// The algorithm, an XML file.
    pub file: &'a Path,
    /// The size of the buffers, as in nccl-tests.
    pub data: Option<&'a str>,
    /// The congestion control.
    pub algorithm: &'a str,
}

/// A scenario from an algorithm of MSCCL, to be saved beside it.
///
/// # Errors
/// A file that cannot be read, or a size of the buffers that is missing or not divisible into
/// chunks.
pub fn import_msccl(import: &MscclImport<'_>) -> Result<Import, Diagnostic> {
    let file = import.file;
    let opened = files::open_regular(file, file).in_file(file.display())?;
    let algorithm = Algorithm::read(opened).in_file(file.display())?;
    let data = data(import, algorithm.some_data())?;
    let chunk = algorithm.chunk(data).at("data").in_file(file.display())?;
    let listed = tasks(&algorithm, chunk).in_file(file.display())?;
    listed.list.check(&listed.name).in_file(file.display())?;
    let name = file.file_name().map(PathBuf::from).unwrap_or_default();
    let toml = format!(
        "# From {}, an algorithm of MSCCL.\n\n{}",
        name.display(),
        scenario(import, &algorithm, data, &name)
    );
    Ok(Import {
        toml,
        report: report(&algorithm, data, chunk),
    })
}

fn data(import: &MscclImport<'_>, some: Bytes) -> Result<Bytes, Diagnostic> {
    let given = match import.data {
        Some(given) => given.parse(),
        None => Err(no_data(&format!("--data {some}"))),
    };
    given.at("data").in_file(import.file.display())
}

fn scenario(import: &MscclImport<'_>, algorithm: &Algorithm, data: Bytes, file: &Path) -> String {
    let hosts = Value::from(algorithm.gpu_count() as i64);
    let topology = Table::from_iter([("kind".into(), "star".into()), ("hosts".into(), hosts)]);
    let traffic = TrafficSpec::from(TasksSpec {
        file: Some(file.to_owned()),
        format: Some(TaskFormat::Msccl),
        data: Some(data),
        ..TasksSpec::new(Vec::new())
    });
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let sections = [
        ("run", vec![("name", name.into_owned().into())]),
        ("network", vec![("topology", topology.into())]),
        ("cc", vec![("algorithm", import.algorithm.into())]),
        ("nic", vec![("qps", "persistent".into())]),
    ];
    let mut scenario = Table::new();
    for (section, keys) in sections {
        let keys = keys.into_iter().map(|(key, value)| (key.to_owned(), value));
        scenario.insert(section.into(), Table::from_iter(keys).into());
    }
    let traffic = Value::try_from(traffic).expect("a file is TOML");
    scenario.insert("traffic".into(), Value::Array(vec![traffic]));
    toml::to_string(&scenario).expect("text and tables are TOML")
}

/// The report of the algorithm's attributes, and of the steps that are not messages.
fn report(algorithm: &Algorithm, data: Bytes, chunk: Bytes) -> Vec<ImportedKey> {
    let used = |text: String| ImportOutcome::Used(text);
    let unused = |text: &str| ImportOutcome::NotUsed(text.to_owned());
    let attributes = algorithm.attributes.iter();
    let of_file = attributes.map(|(key, value)| ImportedKey {
        line: Some(algorithm.line),
        key: (*key).to_owned(),
        value: value.clone(),
        outcome: match *key {
            "ngpus" => used("network.topology.hosts: each GPU is a host at one switch".to_owned()),
            "nchunksperloop" => used(format!("a chunk is {chunk}")),
            "coll" => used("traffic[0]: its steps say what is done".to_owned()),
            "nchannels" => used("nic.qps: a QP for each connection".to_owned()),
            "proto" => unused("messages have the bytes of the data, without flags of LL, LL128"),
            "minBytes" | "maxBytes" => unused(in_range(key, value, data)),
            _ => unused("it describes the algorithm"),
        },
    });
    let default = |key: &str, value: String, outcome| ImportedKey {
        line: None,
        key: key.to_owned(),
        value,
        outcome,
    };
    let of_options = [
        default("data", data.to_string(), used("traffic[0].data".to_owned())),
        default(
            "cpy, re, nop",
            "of each GPU".to_owned(),
            unused("they take no time; edges to and from them are kept"),
        ),
    ];
    of_file.chain(of_options).collect()
}

/// A remark on whether MSCCL would use the algorithm for this size of data.
fn in_range(key: &str, value: &str, data: Bytes) -> &'static str {
    let is_outside = match (key, value.parse::<u64>()) {
        ("minBytes", Ok(min)) => data.as_u64() < min,
        // 0 stands for no upper bound.
        (_, Ok(max)) => max > 0 && data.as_u64() > max,
        (_, Err(_)) => false,
    };
    match is_outside {
        true => "for such data MSCCL takes another algorithm",
        false => "MSCCL takes the algorithm for such data",
    }
}
