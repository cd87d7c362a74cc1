use super::wire::WireValue;
use super::*;
use incast_workload::CollectiveAlgorithm;

mod astra_sim;

const STEP: [&[u8]; 2] = [
    include_bytes!("tests/step.0.et"),
    include_bytes!("tests/step.1.et"),
];

/// The tasks read from the files of ranks, or the diagnostic, also of the checked list.
fn said(files: &[Vec<u8>]) -> String {
    said_of(files, None)
}

fn said_of(files: &[Vec<u8>], algorithm: Option<CollectiveAlgorithm>) -> String {
    let mut traces = Traces::new(files.len() as u32, None);
    for (rank, file) in (0..).zip(files) {
        if let Err(wrong) = traces.read(rank, file.as_slice()) {
            return format!("{rank}: {wrong}");
        }
    }
    let means = CollectiveMeans {
        algorithm,
        ..CollectiveMeans::default()
    };
    let read = match traces.tasks(means) {
        Ok(read) => read,
        Err(wrong) => return wrong.to_string(),
    };
    let list = format!("{:?}", read.list.tasks());
    let checked = read.list.check(&read.name);
    checked.map_or_else(|wrong| wrong.to_string(), |_| list)
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn bytes(field: u64, bytes: &[u8]) -> Vec<u8> {
    [
        varint(field << 3 | 2),
        varint(bytes.len() as u64),
        bytes.to_vec(),
    ]
    .concat()
}

fn attribute(name: &str, value: &[u8]) -> Vec<u8> {
    bytes(10, &[bytes(1, name.as_bytes()), value.to_vec()].concat())
}

/// An attribute of type int64.
fn whole(name: &str, value: u64) -> Vec<u8> {
    attribute(name, &number(9, value))
}

fn message(fields: &[Vec<u8>]) -> Vec<u8> {
    let fields = fields.concat();
    [varint(fields.len() as u64), fields].concat()
}

fn node(id: u64, kind: u64, more: &[Vec<u8>]) -> Vec<u8> {
    message(&[number(1, id), number(3, kind), more.concat()])
}

/// A file of version 1.0.0.
fn file(nodes: &[Vec<u8>]) -> Vec<u8> {
    [message(&[bytes(1, b"1.0.0")]), nodes.concat()].concat()
}

/// The diagnostic of these nodes at rank 0, with an empty trace at rank 1.
fn of_rank_0(nodes: &[Vec<u8>]) -> String {
    said(&[file(nodes), file(&[])])
}

fn all_reduce(id: u64, size: u64) -> Vec<u8> {
    node(id, 7, &[whole("comm_type", 0), whole("comm_size", size)])
}

/// Each rank computes for 1 us, then 4000 bytes are reduced over a ring of two: 2000 bytes in each
/// of two steps. Then rank 0 sends 1000 bytes to rank 1.
#[test]
fn a_step_is_read() {
    let files = STEP.map(<[u8]>::to_vec);
    let tasks = said(&files);
    assert_eq!(tasks.matches("duration: Time(1000000), unit: 0").count(), 2);
    assert_eq!(tasks.matches("size: Bytes(2000)").count(), 8);
    assert!(
        tasks.contains("(0, Send { to: 1, size: Bytes(1000), tag: 3, lane: 0, nic: None })"),
        "{tasks}"
    );
    assert!(
        tasks.contains("(1, Receive { from: 0, size: Bytes(1000), tag: 3 })"),
        "{tasks}"
    );
}

/// Each of the ten integer types, with 5; the signed types also with -5.
#[test]
fn whole_numbers_of_all_types_are_read() {
    let fixed_32 =
        |field: u64, value: i32| [varint(field << 3 | 5), value.to_le_bytes().to_vec()].concat();
    let fixed_64 =
        |field: u64, value: i64| [varint(field << 3 | 1), value.to_le_bytes().to_vec()].concat();
    let read = |value: Vec<u8>| {
        let written = [bytes(1, b"size"), value].concat();
        let read = Attribute::read(&written).and_then(|attribute| attribute.integer());
        read.map_err(|wrong| wrong.to_string())
    };
    for value in [
        number(7, 5),
        number(9, 5),
        number(11, 5),
        number(13, 5),
        number(15, 10),
        number(17, 10),
        fixed_32(19, 5),
        fixed_64(21, 5),
        fixed_32(23, 5),
        fixed_64(25, 5),
    ] {
        assert_eq!(read(value), Ok(5));
    }
    for value in [
        number(7, -5_i64 as u64),
        number(9, -5_i64 as u64),
        number(15, 9),
        number(17, 9),
        fixed_32(23, -5),
        fixed_64(25, -5),
    ] {
        assert_eq!(
            read(value),
            Err("`size` is -5; correct the trace".to_owned())
        );
    }
    assert_eq!(read(number(13, u64::MAX)), Ok(u64::MAX));
    let no_number = Err("`size` is no whole number; correct the trace".to_owned());
    assert_eq!(read(fixed_64(3, 5)), no_number);
    assert_eq!(read(bytes(8, &bytes(1, &[5]))), no_number);
    assert!(read(bytes(33, &[])).is_err());
}

#[test]
fn wire_types_are_told_apart() {
    let written = [number(1, 300), bytes(2, b"ab")].concat();
    let mut message = WireMessage::of(&written);
    assert_eq!(message.field(), Ok(Some((1, WireValue::Varint(300)))));
    assert_eq!(message.field(), Ok(Some((2, WireValue::Bytes(b"ab")))));
    assert_eq!(message.field(), Ok(None));
    let too_long = [0xff; 10];
    assert!(WireMessage::of(&too_long).varint().is_err());
}

#[test]
fn groups_of_pytorch_are_read() {
    let groups = r#"['[{"pg_name": "3", "ranks": [2, 0], "backend_id": 7}]']"#;
    let init = message(&[
        number(1, 1),
        bytes(2, b"## process_group:init ##"),
        number(3, 1),
        bytes(8, &bytes(1, groups.as_bytes())),
    ]);
    let reduce = node(
        2,
        7,
        &[
            whole("comm_type", 0),
            whole("comm_size", 10),
            attribute("pg_name", &bytes(29, b"3")),
        ],
    );
    let member = || file(&[init.clone(), reduce.clone()]);
    let tasks = said(&[member(), file(&[]), member()]);
    assert!(
        tasks.contains("(2, Send { to: 0, size: Bytes(5)"),
        "{tasks}"
    );
    assert!(!tasks.contains("(1, "), "{tasks}");
    assert_eq!(
        said(&[member(), member(), member()]),
        "rank 1 takes part in a collective of group `3`, which it is not in; correct the trace"
    );
    assert_eq!(
        said(&[file(std::slice::from_ref(&reduce))]),
        "no node says which ranks are in group `3`; \
         give ASTRA-sim's file, `groups = { file = \"comm_group.json\" }`, or add a METADATA node \
         `process_group:init`; without `pg_name` all ranks take part"
    );
    assert_eq!(
        said(&[member(), member()]),
        "0: node 1: group `3` has rank 2, which does not exist; \
         there are 2 ranks, counted from 0"
    );
}

#[test]
fn wrong_groups_are_named() {
    let read = |texts: [&str; 2]| {
        let mut groups = Groups::new(4);
        let read = texts.map(|text| groups.read(text));
        read.into_iter().find_map(Result::err).unwrap().to_string()
    };
    assert_eq!(
        read(["[]", ""]),
        "`[]` are no process groups; PyTorch writes `['[{\"pg_name\": \"1\", \"ranks\": [0, 1]}]']`"
    );
    let of = |ranks: &str| format!("['[{{\"pg_name\": \"1\", \"ranks\": {ranks}}}]']");
    assert_eq!(
        read([&of("[0, 1]"), &of("[0, 2]")]),
        "two groups of different ranks, or with them in another order, are called `1`; \
         give each its own name; 0 are all ranks"
    );
    assert_eq!(
        read([&of("[0, 0]"), ""]),
        "group `1` has rank 0 twice; leave one"
    );
}

#[test]
fn what_a_node_cannot_be_is_named() {
    let send = |more: &[Vec<u8>]| node(5, 5, more);
    let collective = |kind: u64| node(5, 7, &[whole("comm_type", kind), whole("comm_size", 8)]);
    for (node, message) in [
        (
            node(5, 0, &[]),
            "0 is no type of node that can be run; there are METADATA, MEM_LOAD, MEM_STORE, COMP, \
             COMM_SEND, COMM_RECV and COMM_COLL: 1 to 7",
        ),
        (
            all_reduce(5, 0),
            "the all-reduce is of 0 bytes, so it sends nothing; \
             leave the node out, or give its `comm_size`",
        ),
        (
            collective(9),
            "a collective of type 9, BARRIER, is not done here; there are ALL_REDUCE, REDUCE, \
             ALL_GATHER, BROADCAST, ALL_TO_ALL and REDUCE_SCATTER",
        ),
        (
            node(5, 7, &[whole("comm_type", 0)]),
            "the node has no `comm_size`; add it to the trace",
        ),
        (
            node(5, 4, &[whole("num_ops", 9)]),
            "the computing has `num_ops`, but no duration: how long it takes depends on a \
             machine; tell the machine, e.g. `roofline = { peak_tflops = 900.0 }`, or give the \
             node `duration_micros`",
        ),
        (
            node(5, 2, &[whole("tensor_size", 9)]),
            "the memory access has `tensor_size`, but no duration: how long it takes depends on \
             a machine; give it `duration_micros`",
        ),
        (
            node(5, 4, &[number(7, u64::MAX)]),
            "18446744073709551615 us are too long to simulate; give at most 4611686 s (53 days)",
        ),
        (
            send(&[whole("comm_src", 1)]),
            "`comm_src` is 1, which is not the rank of this file; \
             a rank sends from itself, and receives at itself",
        ),
        (
            send(&[attribute("is_cpu_op", &number(27, 1))]),
            "communication is said to be of a CPU, which is not known here; leave `is_cpu_op` out",
        ),
        (
            node(
                5,
                7,
                &[attribute("involved_dim", &bytes(28, &bytes(1, &[1, 0])))],
            ),
            "`involved_dim` leaves out dimensions of a network of dimensions, which there are not \
             here; name the ranks by a process group (`pg_name`)",
        ),
        (
            node(5, 7, &[whole("comm_group", 1)]),
            "`comm_group` names a group of a file of groups, which is not given; \
             give the file: `groups = { file = \"comm_group.json\" }`",
        ),
        (
            send(&[whole("comm_dst", 1), whole("comm_priority", 2)]),
            "`comm_priority` is 2, but all messages are equals here; leave it out",
        ),
        (
            node(5, 4, &[number(5, 7)]),
            "it waits for node 7, which is not in the file; is the file cut off?",
        ),
        (
            node(5, 4, &[attribute("is_cpu_op", &number(9, 2))]),
            "`is_cpu_op` is neither true nor false; correct the trace",
        ),
    ] {
        assert_eq!(of_rank_0(&[node]), format!("0: node 5: {message}"));
    }
    assert_eq!(
        of_rank_0(&[node(5, 4, &[number(11, 1)])]),
        "0: first node: field 11 is not one of a node; give a trace of Chakra 1.0"
    );
    let tag = || whole("comm_tag", 1);
    assert_eq!(
        of_rank_0(&[node(5, 5, &[tag(), tag()])]),
        "0: first node: the node has `comm_tag` twice; leave one of them in the trace"
    );
    assert_eq!(
        of_rank_0(&[node(5, 1, &[]), node(5, 1, &[])]),
        "0: two nodes have the id 5; give each its own"
    );
}

#[test]
fn what_ranks_cannot_do_together_is_named() {
    assert_eq!(
        said(&[file(&[all_reduce(1, 8)]), file(&[all_reduce(2, 9)])]),
        "in group `0`, node 1 of rank 0 is all-reduce of 8B, but in its place node 2 of rank 1 is \
         all-reduce of 9B; \
         the collectives of a group belong to each other in the order of the files"
    );
    assert_eq!(
        of_rank_0(&[all_reduce(1, 8)]),
        "rank 0 takes part in 1 collectives of group `0`, and rank 1 in 0; \
         all ranks of a group take part in each: is a file cut off, or are the groups in a \
         `comm_group.json`? Then give `groups = { file = \"comm_group.json\" }`"
    );
    let size = attribute("comm_size", &number(13, u64::MAX));
    let gather = node(1, 7, &[whole("comm_type", 2), size]);
    assert_eq!(
        said(&[file(std::slice::from_ref(&gather)), file(&[gather])]),
        "node 1 of rank 0: 18446744073709551615 bytes of each rank are more than can be counted; \
         correct `comm_size`"
    );
    let broadcast = node(
        1,
        7,
        &[
            whole("comm_type", 5),
            attribute("comm_size", &number(13, 1 << 47)),
        ],
    );
    assert_eq!(
        said(&[file(std::slice::from_ref(&broadcast)), file(&[broadcast])]),
        "node 1 of rank 0: with it there are 536870916 sends and receives, and other tasks; \
         give at most 134217728, as all of them are held in memory; a trace of fewer steps, or an \
         entry of kind `collective`, which holds none"
    );
    let three = [1, 2, 3].map(|_| file(&[all_reduce(1, 8)]));
    for algorithm in [
        CollectiveAlgorithm::HalvingDoubling,
        CollectiveAlgorithm::Hierarchical,
    ] {
        let name = algorithm.name();
        assert_eq!(
            said_of(&three, Some(algorithm)),
            format!(
                "node 1 of rank 0: algorithm = \"{name}\" does not fit its 3 ranks; \
                 halving-doubling takes a power of two, and hierarchical a `node_size`, which \
                 entries of kind `tasks` do not have; leave `algorithm` out, or write ring, tree \
                 or direct"
            )
        );
    }
    let send = node(
        4,
        5,
        &[
            whole("comm_dst", 1),
            whole("comm_size", 8),
            whole("comm_tag", 2),
        ],
    );
    assert_eq!(
        of_rank_0(&[send]),
        "node 4 of rank 0 sends 8B to rank 1 with tag 2, but rank 1 has no receive from rank 0 for \
         it; give every send its receive, with the same tag"
    );
    let waits = |id, before| node(id, 4, &[number(4, before)]);
    assert_eq!(
        of_rank_0(&[waits(1, 2), waits(2, 1)]),
        "node 1 of rank 0, which waits for node 2 of rank 0, which waits for the first one: a \
         cycle, of which none ever ends; let one of them wait for something else"
    );
}

#[test]
fn files_that_are_cut_off_are_named() {
    assert_eq!(
        said(&[Vec::new()]),
        "0: the file is empty; it begins with the version of Chakra"
    );
    let whole = STEP[0];
    let mut wholes = 0;
    for length in 1..whole.len() {
        let mut traces = Traces::new(1, None);
        wholes += usize::from(traces.read(0, &whole[..length]).is_ok());
    }
    // After the version, and after each of the first two of three nodes.
    assert_eq!(wholes, 3);
    let text = "num_ranks 2";
    assert_eq!(
        said(&[text.into()]),
        "0: the file is damaged or cut off here; give an execution trace of Chakra (protobuf); \
         those in JSON and gzip are not read"
    );
    assert_eq!(
        said(&[message(&[bytes(1, b"2.0")])]),
        "0: version `2.0` of Chakra is not known; give a trace of version 1.0 or 0.0.4"
    );
    assert_eq!(
        rank_too_many(3, 2).to_string(),
        "this is a file of rank 3, but `hosts` has ranks 0 to 1; \
         give a host for each rank, e.g. hosts = \"0-15\""
    );
}
