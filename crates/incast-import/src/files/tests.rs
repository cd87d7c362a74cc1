use std::fs;

use incast_units::HostId;
use tempfile::TempDir;

use incast_units::{Rate, Time};
use incast_workload::{Flow, FlowCount, Network, StartUnit, Strictness, TrafficSpec, ValidTraffic};

use super::*;

#[test]
fn a_file_has_a_name() {
    let wrong = open(Path::new(""), Path::new("")).err().expect("no name");
    let expected = "the name of the file is empty; write the path of a file";
    assert_eq!(wrong.to_string(), expected);
}

/// The most flows that are sorted in memory.
const MAX_SORTED: usize = 1_000_000;

/// `hosts` hosts at 100 Gb/s.
fn network(hosts: u32) -> Network {
    Network::uniform(hosts, Rate::from_gbps(100))
}

/// Flows as (start in us, source, destination, size in bytes).
fn short(flows: &[Flow]) -> Vec<(f64, u32, u32, u64)> {
    let short = |flow: &Flow| {
        let start_us = flow.start.as_ps() as f64 / 1e6;
        let (source, destination) = (flow.source.0, flow.destination.0);
        (start_us, source, destination, flow.size.as_u64())
    };
    flows.iter().map(short).collect()
}

fn folder(name: &str, text: impl AsRef<[u8]>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), text).unwrap();
    folder
}

fn check(folder: &TempDir, spec: FileSpec) -> Result<ValidTraffic, String> {
    let spec = TrafficSpec::from(spec);
    let checked = spec.validate(&network(17), &ScenarioFiles::of(folder.path()));
    checked.map_err(|error| error.to_string())
}

fn flows(traffic: &ValidTraffic) -> Vec<Flow> {
    traffic.flows(1, 3).unwrap().map(Result::unwrap).collect()
}

fn hpcc() -> FileSpec {
    FileSpec::new("flow.txt", FlowFormat::HpccNs3)
}

/// 16 flows of 1 MB to host 16, two every 20 us from 2 s on, as the artifact writes them.
fn staggered_incast() -> String {
    let line = |host: usize| {
        let start_us = host / 2 * 20;
        format!("{host} 16 3 100 1000000 2.000{start_us:03}000\n")
    };
    format!("16\n{}", (0..16).map(line).collect::<String>())
}

#[test]
fn a_base_is_subtracted() {
    let folder = folder("flow.txt", staggered_incast());
    let base = Time::from_ms(2_000);
    let traffic = check(&folder, FileSpec { base, ..hpcc() }).unwrap();
    assert_eq!(traffic.expected_flows(), 16.0);
    let flows = flows(&traffic);
    assert!(flows.iter().all(|flow| flow.tag == 3));
    for (host, flow) in short(&flows).into_iter().enumerate() {
        assert_eq!(flow, ((host / 2 * 20) as f64, host as u32, 16, 1_000_000));
    }
    let as_they_are = check(&folder, hpcc()).unwrap().flows(1, 0).unwrap().next();
    assert_eq!(as_they_are.unwrap().unwrap().start, base);
}

/// 2.00004 s and 2.00012 s are a nanosecond early in ns-3, 2.00002 s is not; the same holds after
/// `base` is subtracted.
#[test]
fn starts_may_be_read_as_ns3_does() {
    let folder = folder("flow.txt", staggered_incast());
    let spec = FileSpec {
        base: Time::from_ms(2_000),
        ns3_clock: Some(true),
        ..hpcc()
    };
    let starts: Vec<_> = flows(&check(&folder, spec).unwrap())
        .iter()
        .map(|flow| flow.start.as_ns())
        .collect();
    assert_eq!(starts[2..6], [20_000, 20_000, 39_999, 39_999]);
    assert_eq!(starts[12..14], [119_999, 119_999]);
}

#[test]
fn a_start_before_the_base_is_refused() {
    let folder = folder("flow.txt", "1\n0 1 3 100 9 1.5\n");
    let base = Time::from_ms(2_000);
    assert_eq!(
        check(&folder, FileSpec { base, ..hpcc() }).unwrap_err(),
        "flow.txt:2: start: 1.5s is before the base of 2s; give a smaller `base`"
    );
}

/// Flows that start together keep the order of the file.
#[test]
fn a_short_file_is_sorted() {
    let text = "3\n0 1 3 100 9 2.1\n2 1 3 100 9 2.0\n3 1 3 100 9 2.1\n";
    let folder = folder("flow.txt", text);
    let flows = flows(&check(&folder, hpcc()).unwrap());
    let sources: Vec<_> = flows.iter().map(|flow| flow.source).collect();
    assert_eq!(sources, [2, 0, 3].map(HostId));
    assert!(flows.iter().all(|flow| flow.tag == 3));
}

#[test]
fn a_long_file_must_be_sorted() {
    let mut text = "source,destination,size_bytes,start_ps\n0,1,9,5\n0,1,9,4\n".to_owned();
    text.push_str(&"0,1,9,5\n".repeat(MAX_SORTED - 1));
    let folder = folder("f.csv", text);
    assert_eq!(
        check(&folder, FileSpec::new("f.csv", FlowFormat::Csv)).unwrap_err(),
        "f.csv:3: start: the flow starts before the one above it, and the file is too long to sort \
         here (over 1000000 flows); sort its lines by start"
    );
}

#[test]
fn a_file_that_changes_later_ends_the_stream() {
    let folder = folder("flow.txt", "2\n0 1 3 100 9 2.0\n0 1 3 100 9 2.1\n");
    let traffic = check(&folder, hpcc()).unwrap();
    fs::write(
        folder.path().join("flow.txt"),
        "2\n0 1 3 100 9 2.0\n0 1 3 100 9 1.9\n",
    )
    .unwrap();
    let yielded: Vec<_> = traffic.flows(1, 0).unwrap().collect();
    assert_eq!(yielded.len(), 2);
    assert_eq!(
        yielded[1].as_ref().unwrap_err().to_string(),
        "flow.txt:3: start: the flow starts before the one above it, as none did when the file \
         was checked; the file has changed since: run again"
    );
    fs::remove_file(folder.path().join("flow.txt")).unwrap();
    assert!(traffic.flows(1, 0).is_err());
}

#[test]
fn all_formats_are_read() {
    let htsim = folder(
        "t.cm",
        "Nodes 17\nConnections 1\n0->16 id 1 start 1.5 size 9\n",
    );
    let spec = FileSpec {
        start_unit: Some(StartUnit::Us),
        ..FileSpec::new("t.cm", FlowFormat::Htsim)
    };
    assert_eq!(
        short(&flows(&check(&htsim, spec).unwrap())),
        [(1.5, 0, 16, 9)]
    );
    let csv = folder(
        "f.csv",
        "start_ns,source,destination,size_bytes\n1500,0,16,9\n",
    );
    let spec = FileSpec::new("f.csv", FlowFormat::Csv);
    assert_eq!(
        short(&flows(&check(&csv, spec).unwrap())),
        [(1.5, 0, 16, 9)]
    );
}

#[test]
fn a_file_without_flows_is_refused() {
    let folder = folder("flow.txt", "0\n");
    assert_eq!(
        check(&folder, hpcc()).unwrap_err(),
        "flow.txt: no flow is listed; list at least one, or remove the entry"
    );
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    let folder = folder("flow.txt", vec![0; 100_000]);
    assert_eq!(
        check(&folder, hpcc()).unwrap_err(),
        "flow.txt:1: the line is longer than 16384 bytes; \
         no file of this format has such a line"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = folder("flow.txt", "");
    for (path, wrong) in [
        (
            "nowhere.txt",
            "there is no such file; relative paths begin at",
        ),
        (
            ".",
            "is no regular file; give a file, not a folder, a pipe or a device",
        ),
    ] {
        let error = check(&folder, FileSpec::new(path, FlowFormat::Csv)).unwrap_err();
        assert!(
            error.starts_with(&format!("file: `{path}`: {wrong}")),
            "{error}"
        );
    }
}

#[test]
fn options_belong_to_formats() {
    let folder = folder("flow.txt", staggered_incast());
    let csv = || FileSpec::new("flow.txt", FlowFormat::Csv);
    let unit = Some(StartUnit::Ps);
    let check_it = Some(Strictness::Check);
    let count_it = Some(FlowCount::Check);
    for (spec, message) in [
        (
            FileSpec {
                start_unit: unit,
                ..hpcc()
            },
            "start_unit: files of format `hpcc-ns3` have no use for it; remove it",
        ),
        (
            FileSpec {
                ns3_clock: Some(false),
                ..csv()
            },
            "ns3_clock: files of format `csv` have no use for it; remove it",
        ),
        (
            FileSpec {
                start_unit: unit,
                count: Some(FlowCount::First),
                ..FileSpec::new("flow.txt", FlowFormat::Htsim)
            },
            "count: `first` is how ns-3 reads its flow files, and htsim reads all connections; \
             write `count = \"ignore\"` or `\"check\"`",
        ),
        (
            FileSpec {
                count: count_it,
                ..csv()
            },
            "count: files of format `csv` have no use for it; remove it",
        ),
        (
            FileSpec {
                priorities: check_it,
                ..csv()
            },
            "priorities: files of format `csv` have no use for it; remove it",
        ),
        (
            FileSpec::new("flow.txt", FlowFormat::Htsim),
            "start_unit: a connection matrix does not say what `start` counts: some htsim programs \
             take picoseconds, others microseconds; give `start_unit = \"ps\"` or `\"us\"`",
        ),
    ] {
        assert_eq!(check(&folder, spec).unwrap_err(), message);
    }
}

#[test]
fn a_table_of_sizes_that_is_not_there_is_named() {
    let folder = folder("flow.txt", "");
    let files = ScenarioFiles::of(folder.path());
    let error = files.sizes(&"sizes.txt".into()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no such file; relative paths begin at the scenario's folder"
    );
}

#[test]
fn parquet_is_known_by_its_first_bytes() {
    for (name, content, format, message) in [
        (
            "f.csv",
            "PAR1",
            FlowFormat::Csv,
            "format: `f.csv` is a Parquet file; write `format = \"parquet\"`",
        ),
        (
            "f.parquet",
            "source,destination,size_bytes,start_ps\n",
            FlowFormat::Parquet,
            "format: `f.parquet` is no Parquet file: it does not begin with `PAR1`; write the \
             format that it has, e.g. `format = \"csv\"`",
        ),
        (
            "f.parquet",
            "",
            FlowFormat::Parquet,
            "f.parquet: the file is empty; it begins with `PAR1`",
        ),
        (
            "f.parquet",
            "PARE",
            FlowFormat::Parquet,
            "f.parquet: the file is encrypted Parquet, which is not read here; write it without \
             encryption",
        ),
    ] {
        let error = check(&folder(name, content), FileSpec::new(name, format));
        assert_eq!(error.unwrap_err(), message);
    }
}
