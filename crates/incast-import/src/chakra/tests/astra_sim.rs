//! Inputs of ASTRA-sim beside the traces: a file of process groups, and a machine.

use super::*;
use incast_units::Rate;

/// Two groups of two ranks; the first has the name 0, which otherwise stands for all ranks.
const GROUPS: &str = r#"{"0": [0, 1], "1": [2, 3]}"#;

/// The tasks read from these files of ranks with a file of groups, or the diagnostic.
fn grouped(groups: &str, files: &[Vec<u8>]) -> String {
    let mut traces = Traces::new(files.len() as u32, None);
    if let Err(wrong) = traces.read_groups(groups.as_bytes()) {
        return wrong.to_string();
    }
    read_of(traces, files)
}

fn read_of(mut traces: Traces, files: &[Vec<u8>]) -> String {
    for (rank, file) in (0..).zip(files) {
        if let Err(wrong) = traces.read(rank, file.as_slice()) {
            return format!("{rank}: {wrong}");
        }
    }
    match traces.tasks(CollectiveMeans::default()) {
        Ok(read) => format!("{:?}", read.list.tasks()),
        Err(wrong) => wrong.to_string(),
    }
}

/// An all-reduce of 10 bytes; the attribute `attribute_name` names its group.
fn reduce_of(attribute_name: &str, group: &[u8]) -> Vec<u8> {
    let group = attribute(attribute_name, group);
    let size = whole("comm_size", 10);
    file(&[node(2, 7, &[whole("comm_type", 0), size, group])])
}

/// Over a ring of two, each sends 5 bytes twice.
#[test]
fn groups_of_a_file_are_those_of_its_names() {
    let by_name =
        ["0", "0", "1", "1"].map(|name| reduce_of("pg_name", &bytes(29, name.as_bytes())));
    let by_number = [0, 0, 1, 1].map(|group| reduce_of("comm_group", &number(7, group)));
    for files in [by_name, by_number] {
        let tasks = grouped(GROUPS, &files);
        for (rank, to) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
            let sent = format!("({rank}, Send {{ to: {to}, size: Bytes(5)");
            assert_eq!(tasks.matches(&sent).count(), 2, "{tasks}");
        }
        assert_eq!(tasks.matches("Send").count(), 8);
    }
    // Without the file, group 0 has all ranks, of which two do not take part.
    let files = ["0", "0", "1", "1"].map(|name| reduce_of("pg_name", &bytes(29, name.as_bytes())));
    let wrong = read_of(Traces::new(4, None), &files);
    assert!(
        wrong.contains("give `groups = { file = \"comm_group.json\" }`"),
        "{wrong}"
    );
}

/// The ring follows the order of the group's list.
#[test]
fn ranks_of_a_group_are_in_the_order_of_the_file() {
    let files = ["7"; 3].map(|name| reduce_of("pg_name", &bytes(29, name.as_bytes())));
    let tasks = grouped(r#"{"7": [2, 0, 1]}"#, &files);
    assert!(tasks.contains("(2, Send { to: 0,"), "{tasks}");
    assert!(tasks.contains("(0, Send { to: 1,"), "{tasks}");
    assert!(!tasks.contains("(0, Send { to: 2,"), "{tasks}");
}

#[test]
fn wrong_files_of_groups_are_named() {
    let hint = "write the ranks of each group, e.g. `{\"1\": [0, 1], \"2\": [2, 3]}`";
    for (groups, message) in [
        (
            "",
            format!("line 1: the file ends before its last bracket: is it cut off?; {hint}"),
        ),
        (
            "{\"0\": [0,",
            format!("line 1: the file ends before its last bracket: is it cut off?; {hint}"),
        ),
        (
            "{\n\"0\": [0 1]}",
            format!("line 2: column 9 is no JSON; {hint}"),
        ),
        ("{} {}", format!("line 1: column 4 is no JSON; {hint}")),
        (
            "[[0, 1]]",
            format!("line 1: what ends at column 1 is no list of ranks; {hint}"),
        ),
        (
            "{\"0\": [-1]}",
            format!("line 1: what ends at column 10 is no list of ranks; {hint}"),
        ),
        (
            "{\"0\": 1}",
            format!("line 1: what ends at column 8 is no list of ranks; {hint}"),
        ),
        (
            "{\"0\": []}",
            "group `0` has no ranks; give it some, or leave it out".to_owned(),
        ),
        (
            "{\"0\": [0, 4]}",
            "group `0` has rank 4, which does not exist; there are 4 ranks, counted from 0"
                .to_owned(),
        ),
        (
            "{\"0\": [0, 0]}",
            "group `0` has rank 0 twice; leave one".to_owned(),
        ),
        (
            "{\"0\": [0], \"0\": [0]}",
            "group `0` stands there twice; leave one".to_owned(),
        ),
    ] {
        let files = vec![file(&[]); 4];
        assert_eq!(grouped(groups, &files), message, "{groups}");
    }
    let files = [reduce_of("pg_name", &bytes(29, b"5")), file(&[])];
    assert_eq!(
        grouped("{}", &files),
        "group `5` is not in the file of groups; add it there, with its ranks"
    );
    let both = [
        whole("comm_type", 0),
        whole("comm_size", 10),
        whole("comm_group", 1),
        attribute("pg_name", &bytes(29, b"0")),
    ];
    assert_eq!(
        grouped("{\"0\": [0]}", &[file(&[node(2, 7, &both)])]),
        "0: node 2: `pg_name` is `0`, but `comm_group` is `1`; leave one of them in the trace"
    );
}

/// At 900 TFLOPS and 12.8 Tb/s: 1.8·10⁹ operations take 2000 ns, 4.8 MB 3000 ns. A duration in the
/// trace takes precedence over both. The machine does not describe the CPU.
#[test]
fn work_without_a_duration_takes_as_long_as_on_the_machine() {
    let machine = Roofline {
        peak_tflops: 900.0,
        memory_rate: Some(Rate::from_gbps(12_800)),
    };
    let work = |more: &[Vec<u8>]| {
        let nodes = [node(
            1,
            4,
            &[whole("num_ops", 1_800_000_000), more.concat()],
        )];
        read_of(Traces::new(1, Some(machine)), &[file(&nodes)])
    };
    let takes = |ps: u64| format!("[(0, Compute {{ duration: Time({ps}), unit: 0 }})]");
    assert_eq!(work(&[]), takes(2_000_000));
    assert_eq!(work(&[whole("tensor_size", 4_800_000)]), takes(3_000_000));
    assert_eq!(work(&[number(7, 5)]), takes(5_000_000));
    let of_cpu = attribute("is_cpu_op", &number(27, 1));
    assert!(work(&[of_cpu]).contains("node 1: the computing has `num_ops`, but no duration"));
    let slow = Roofline {
        peak_tflops: 1e-9,
        memory_rate: None,
    };
    let long = file(&[node(1, 4, &[whole("num_ops", u64::MAX >> 1)])]);
    assert_eq!(
        read_of(Traces::new(1, Some(slow)), &[long]),
        "0: node 1: 9223372036854775807 operations are too long to simulate on this machine; \
         give a faster one as `roofline`"
    );
}
