//! Damaged files of networks and of traffic: topologies, flows, tables of sizes, tasks.

use std::path::Path;

use incast_import::{FileFormat, ScenarioFiles, read_topology_from};
use incast_units::{Bytes, Time};
use incast_workload::{
    CdfUnit, FileSpec, FlowFormat, HostNames, SizeFile, StartUnit, TaskFile, TaskFormat,
};

use crate::damage::damaged;
use crate::outcome::Outcome;
use crate::{repository, torture, write};

pub(crate) const HTSIM_TOPOLOGY: &str =
    include_str!("../../../incast-import/src/htsim/tests/tree.topo");

pub(crate) const HPCC_TOPOLOGY: &str = "\
5 2 4
3 4
0 3 100Gbps 1us 0
1 3 100Gbps 1000ns 0.000000
3 4 400Gbps 0.001ms 0
2 4 100Gbps 1us 0
";

/// Switches first, two NICs, parallel links, rates without a unit, a note.
const REVERIE_TOPOLOGY: &str = "\
5 2 1 6 25000000000 25000000000
0 1
2 0 25000000000.0 1us 0
2 1 25000000000 0.000001 0
3 0 25000000000 1us 0
4 1 25000000000 1us 0
0 1 25000000000 1us 0
0 1 100Gbps 1us 0
the last of two links counts
";

const SIMAI_TOPOLOGY: &str = "\
6 2 1 1 4 H100
4 5
0 4 2400Gbps 0.000025ms 0
1 4 2400Gbps 0.000025ms 0
0 5 200Gbps 0.0005ms 0
1 5 200Gbps 0.0005ms 0
";

pub(crate) const HPCC_FLOWS: &str = "\
3
0 1 3 100 1000 2.000000000
1 2 3 100 250000 2.000010000
2 0 3 100 1 2.1
";

pub(crate) const MATRIX: &str = "\
Nodes 16
Connections 3
0->15 id 1 start 0 size 100000
3->2 id 2 start 1000000 size 1
# trigger
7->8 start 20 size 4096
";

const SIZES: &str = "\
0 0
1000 15
10000 60.5
30000000 100
";

/// Sizes in packets, a column that is not read, and fractions.
const NS2_SIZES: &str = "\
# size any fraction
6 1 0.15
13 1 0.2
20000 1 1
";

const WORDS: [&str; 24] = [
    "hosts",
    "switches",
    "link",
    "Nodes",
    "Tiers",
    "Tier",
    "Radix_Up",
    "Radix_Down",
    "Bundle",
    "Connections",
    "start",
    "size",
    "id",
    "trigger",
    "send_done_trigger",
    "source",
    "destination",
    "size_bytes",
    "start_us",
    "start_ps",
    "100Gbps",
    "0Gbps",
    "1us",
    "h0",
];

const GOAL_WORDS: [&str; 14] = [
    "num_ranks",
    "rank",
    "{",
    "}",
    "l1",
    "l1:",
    "send",
    "recv",
    "calc",
    "requires",
    "irequires",
    "10b",
    "to",
    "-1",
];

const CHAKRA_WORDS: [&str; 6] = [
    "comm_size",
    "comm_type",
    "comm_dst",
    "pg_name",
    "involved_dim",
    "num_ops",
];

const SIMAI_WORDS: [&str; 12] = [
    "ALLREDUCE",
    "ALLTOALL_EP",
    "REDUCESCATTER_DP_EP",
    "NONE",
    "HYBRID_TRANSFORMER",
    "model_parallel_NPU_group: 4",
    "ep: 2",
    "pp_comm",
    "checkpoints: 1",
    "0",
    "-1",
    "9223372036854775807",
];

const GROUP_WORDS: [&str; 8] = ["\"1\"", "[0, 1]", "0", "-1", ":", ",", "{}", "4294967296"];

pub(crate) const SIMCCL: &str = "\
collective,channel_id,flow_id,src,dest,flow_size,parent_flow_ids,prev_flow_ids
A,0,0,0,1,4000,,2
A,0,1,1,2,4000,0,0
A,0,2,2,0,4000,1;1,1
B,0,3,0,1,8,,2
";

const SIMCCL_WORDS: [&str; 10] = [
    "parent_flow_ids",
    "flow_id",
    ",",
    ";",
    "0",
    "3",
    "-1",
    "A",
    "B",
    "9223372036854775808",
];

pub(crate) const MSCCL: &str = include_str!("../../../incast-import/src/msccl/tests/sum.xml");

const MSCCL_WORDS: [&str; 14] = [
    "\"rrcs\"",
    "\"re\"",
    "\"0\"",
    "\"1\"",
    "\"-1\"",
    "\"4294967295\"",
    "<step ",
    "<tb>",
    "</tb>",
    "/>",
    "&lt;",
    "<!-- -->",
    "<!DOCTYPE a [<!ENTITY b \"c\">]>",
    "nchunksperloop",
];

/// Number of hosts of the network for flow files.
const HOSTS: u32 = 16;

#[test]
fn topologies() {
    let graph = std::fs::read(repository("examples/own-network.graph")).expect("an example");
    let mesh = "3 0 3\n\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n";
    let hpcc = [HPCC_TOPOLOGY, REVERIE_TOPOLOGY, SIMAI_TOPOLOGY, mesh].map(Vec::from);
    let seeds = [vec![graph, HTSIM_TOPOLOGY.into()], hpcc.to_vec()].concat();
    torture("topologies", 1, &damaged(seeds, &WORDS), |file| {
        let read = |format| read_topology_from(file.as_slice(), Path::new("network"), format);
        let outcomes = FileFormat::ALL.map(|format| Outcome::of(read(format)));
        let accepted = outcomes
            .iter()
            .find(|each| matches!(each, Outcome::Accepted));
        *accepted.unwrap_or(&outcomes[0])
    });
}

#[test]
fn flows() {
    let csv = std::fs::read(repository("examples/own-flows.csv")).expect("an example");
    let seeds = vec![csv, HPCC_FLOWS.into(), MATRIX.into()];
    let folder = tempfile::tempdir().expect("a folder");
    let files = ScenarioFiles::of(folder.path());
    torture("flows", 1, &damaged(seeds, &WORDS), |file| {
        write(folder.path().join("flows"), file);
        let read = |(format, start_unit)| {
            let spec = FileSpec {
                file: "flows".into(),
                format,
                base: Time::ZERO,
                start_unit,
                ns3_clock: None,
                count: None,
                priorities: None,
            };
            let mut reader = files.flows(&spec, &HostNames::numbered(HOSTS))?;
            while reader.next_flow()?.is_some() {}
            Ok(())
        };
        let outcomes = [
            (FlowFormat::Csv, None),
            (FlowFormat::HpccNs3, None),
            (FlowFormat::Htsim, Some(StartUnit::Ps)),
        ]
        .map(|format| Outcome::of(read(format)));
        let accepted = outcomes
            .iter()
            .find(|each| matches!(each, Outcome::Accepted));
        *accepted.unwrap_or(&outcomes[0])
    });
}

/// Sixty flows of a data frame in two row groups, one file written by PyArrow, one by Polars.
#[test]
fn parquet_flows() {
    let folder = tempfile::tempdir().expect("a folder");
    let seeds = ["snappy", "zstd"].map(|name| {
        let path = format!("crates/incast-dev/tests/torture/flows-{name}.parquet");
        std::fs::read(repository(path)).expect("a file of the repository")
    });
    let files = ScenarioFiles::of(folder.path());
    let spec = FileSpec::new("flows", FlowFormat::Parquet);
    torture(
        "parquet flows",
        1,
        &damaged(seeds.to_vec(), &WORDS),
        |file| {
            write(folder.path().join("flows"), file);
            let read = || {
                let mut reader = files.flows(&spec, &HostNames::numbered(HOSTS))?;
                while reader.next_flow()?.is_some() {}
                Ok(())
            };
            Outcome::of(read())
        },
    );
}

#[test]
fn sizes() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = ScenarioFiles::of(folder.path());
    let seeds = vec![SIZES.into(), NS2_SIZES.into()];
    torture("sizes", 1, &damaged(seeds, &WORDS), |file| {
        write(folder.path().join("sizes"), file);
        let read = |unit, size_unit| {
            files.sizes(&SizeFile {
                unit,
                size_unit,
                ..SizeFile::from("sizes")
            })
        };
        let outcomes = [
            Outcome::of(read(None, None)),
            Outcome::of(read(Some(CdfUnit::Fraction), Some(Bytes::new(1_460)))),
        ];
        let accepted = outcomes
            .iter()
            .find(|each| matches!(each, Outcome::Accepted));
        *accepted.unwrap_or(&outcomes[0])
    });
}

/// Schedules of two ranks as text and in binary; lists that are read are also checked as a whole.
#[test]
fn goal() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = ScenarioFiles::of(folder.path());
    let seeds = ["ping-pong.goal", "ping-pong.bin"].map(|name| {
        let path = repository("crates/incast-import/src/goal/tests").join(name);
        std::fs::read(path).expect("a file of the repository")
    });
    torture("goal", 1, &damaged(seeds.to_vec(), &GOAL_WORDS), |file| {
        write(folder.path().join("tasks"), file);
        let read = |format| {
            let read = files.tasks(&TaskFile::new(Path::new("tasks"), format), 2)?;
            read.list.check(&read.name)
        };
        match file.starts_with(&4223_u32.to_le_bytes()) {
            true => Outcome::of(read(TaskFormat::GoalBinary)),
            false => Outcome::of(read(TaskFormat::Goal)),
        }
    });
}

/// A matrix of three hosts with a trigger; lists that are read are also checked as a whole.
#[test]
fn triggers() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = ScenarioFiles::of(folder.path());
    let seed = "Nodes 3\nConnections 2\nTriggers 1\n\
                0->1 id 1 start 1.5 size 2000 recv_done_trigger 1\n\
                1->2 id 2 trigger 1 size 1000\ntrigger id 1 barrier count 1\n";
    torture("triggers", 1, &damaged(vec![seed.into()], &WORDS), |file| {
        write(folder.path().join("m.cm"), file);
        let matrix = TaskFile {
            start_unit: Some(StartUnit::Us),
            ..TaskFile::new(Path::new("m.cm"), TaskFormat::Htsim)
        };
        let read = || {
            let read = files.tasks(&matrix, 3)?;
            read.list.check(&read.name)
        };
        Outcome::of(read())
    });
}

/// The trace of one of two ranks; lists that are read are also checked as a whole.
#[test]
fn chakra() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = ScenarioFiles::of(folder.path());
    let seeds = [0, 1].map(|rank| {
        let path = format!("crates/incast-import/src/chakra/tests/step.{rank}.et");
        std::fs::read(repository(path)).expect("a file of the repository")
    });
    let at = |rank: u32| folder.path().join(format!("step.{rank}.et"));
    write(at(1), &seeds[1]);
    torture(
        "chakra",
        1,
        &damaged(seeds.to_vec(), &CHAKRA_WORDS),
        |file| {
            write(at(0), file);
            let read = || {
                let file = TaskFile::new(Path::new("step"), TaskFormat::Chakra);
                let read = files.tasks(&file, 2)?;
                read.list.check(&read.name)
            };
            Outcome::of(read())
        },
    );
}

/// A file of process groups, with the traces of two ranks; lists that are read are also checked as
/// a whole.
#[test]
fn process_groups() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = ScenarioFiles::of(folder.path());
    for rank in [0, 1] {
        let path = format!("crates/incast-import/src/chakra/tests/step.{rank}.et");
        let to = folder.path().join(format!("step.{rank}.et"));
        std::fs::copy(repository(path), to).expect("the disk has room");
    }
    let seed = br#"{"0": [1, 0], "1": [0], "24": [0, 1]}"#;
    torture(
        "process groups",
        1,
        &damaged(vec![seed.to_vec()], &GROUP_WORDS),
        |file| {
            write(folder.path().join("groups.json"), file);
            let read = || {
                let file = TaskFile {
                    groups: Some(Path::new("groups.json")),
                    ..TaskFile::new(Path::new("step"), TaskFormat::Chakra)
                };
                let read = files.tasks(&file, 2)?;
                read.list.check(&read.name)
            };
            Outcome::of(read())
        },
    );
}

/// Damaged flows of SimCCL among three ranks. Each list that can be read is then checked as a
/// whole.
#[test]
fn simccl() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = ScenarioFiles::of(folder.path());
    torture(
        "simccl",
        1,
        &damaged(vec![SIMCCL.into()], &SIMCCL_WORDS),
        |file| {
            write(folder.path().join("flows.csv"), file);
            let read = || {
                let file = TaskFile::new(Path::new("flows.csv"), TaskFormat::Simccl);
                let read = files.tasks(&file, 3)?;
                read.list.check(&read.name)
            };
            Outcome::of(read())
        },
    );
}

/// Algorithms of MSCCL for two and four GPUs; lists that are read are also checked as a whole.
#[test]
fn msccl() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = ScenarioFiles::of(folder.path());
    let ring = repository("crates/incast-import/src/msccl/tests/ring.xml");
    let ring = std::fs::read(ring).expect("a file of the repository");
    let seeds = vec![MSCCL.into(), ring];
    torture("msccl", 1, &damaged(seeds, &MSCCL_WORDS), |file| {
        write(folder.path().join("a.xml"), file);
        let read = |ranks| {
            let algorithm = TaskFile {
                data: Some(Bytes::new(4_000)),
                ..TaskFile::new(Path::new("a.xml"), TaskFormat::Msccl)
            };
            let read = files.tasks(&algorithm, ranks)?;
            read.list.check(&read.name)
        };
        match Outcome::of(read(2)) {
            Outcome::Accepted => Outcome::Accepted,
            _ => Outcome::of(read(4)),
        }
    });
}

/// Workloads of four ranks, with and without group sizes; lists that are read are also checked as a
/// whole.
#[test]
fn simai() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = ScenarioFiles::of(folder.path());
    let path = repository("crates/incast-import/src/simai/tests/step.txt");
    let mut seeds = vec![std::fs::read(path).expect("a file of the repository")];
    let layer = "a -1 1000 ALLGATHER 4000 2000 ALLTOALL 8000 3000 ALLREDUCE 12000 100\n";
    let ways = ["MICRO", "DATA", "MODEL", "DISTRIBUTED_INFERENCE"];
    seeds.extend(ways.map(|way| format!("{way}\n2\n{layer}{layer}").into_bytes()));
    torture("simai", 1, &damaged(seeds, &SIMAI_WORDS), |file| {
        write(folder.path().join("step"), file);
        let read = || {
            let file = TaskFile::new(Path::new("step"), TaskFormat::Simai);
            let read = files.tasks(&file, 4)?;
            read.list.check(&read.name)
        };
        Outcome::of(read())
    });
}
