use super::*;

/// Two collectives among three ranks: two flows along a ring, the second after the first; then one
/// flow back. Rows are ordered by source, as SimCCL writes them.
const FLOWS: &str = "\
collective,op,data_size,algorithm,protocol,channel_id,flow_id,src,dest,flow_size,chunk_id,\
chunk_count,conn_type,parent_flow_ids,prev_flow_ids
DP_0_0_0_1_8,1,8,1,0,0,1,1,2,4000,0,2,RING,0,0
DP_0_0_0_1_8,1,8,1,0,0,0,0,1,4000,0,2,RING,,2
DP_0_1_0_1_8,1,8,1,0,0,2,2,0,1000,0,2,RING,,
";

fn flows(text: &str, ranks: u32) -> Result<FileTasks, Diagnostic> {
    read(TextLines::new(text.as_bytes(), "f.csv"), ranks)
}

/// The diagnostic of a file, also of its checked list.
fn wrong(text: &str, ranks: u32) -> String {
    let checked = flows(text, ranks).and_then(|read| read.list.check(&read.name));
    checked.map_or_else(|wrong| wrong.to_string(), |_| "nothing".to_owned())
}

#[test]
fn a_row_is_a_message() {
    let read = flows(FLOWS, 3).unwrap();
    let sends = read
        .list
        .tasks()
        .iter()
        .filter_map(|(rank, work)| match *work {
            TaskWork::Send { to, size, .. } => Some((*rank, to, size.as_u64())),
            _ => None,
        });
    let sends: Vec<_> = sends.collect();
    assert_eq!(sends, [(1, 2, 4000), (0, 1, 4000), (2, 0, 1000)]);
    assert_eq!(wrong(FLOWS, 3), "nothing");
    // A receive and a send for each row, and an end for each rank of a collective: 3 and 2.
    assert_eq!(flows(FLOWS, 3).unwrap().list.len(), 6 + 5);
}

/// Version 2.20 of the model has no algorithm and no protocol.
#[test]
fn other_columns_do_not_matter() {
    let cut = |line: &str| {
        let cells: Vec<_> = line.split(',').collect();
        [&cells[..3], &cells[5..]].concat().join(",")
    };
    let older: Vec<_> = FLOWS.lines().map(cut).collect();
    let older = older.join("\r\n");
    let tasks = |text: &str| format!("{:?}", flows(text, 3).unwrap().list.tasks());
    assert_eq!(tasks(&older), tasks(FLOWS));
}

/// Two flows that wait for each other never leave.
#[test]
fn flows_that_wait_for_each_other_are_refused() {
    let text = FLOWS
        .replace("RING,,2", "RING,2,2")
        .replace("_0_1_0_1_8", "_0_0_0_1_8");
    let text = text.replace("1000,0,2,RING,,", "1000,0,2,RING,1,");
    assert!(
        wrong(&text, 3).contains("a cycle, of which none ever ends"),
        "{}",
        wrong(&text, 3)
    );
}

#[test]
fn mistakes_are_named() {
    for (old, new, message) in [
        (
            "flow_id,src",
            "flow,src",
            "f.csv:1: flow_id: no column of `collective,op,data_size,algorithm,protoc…` has this \
             name; the first line names the columns, as SimCCL writes it",
        ),
        (
            "0,1,1,2,4000",
            "0,1,1,3,4000",
            "f.csv:2: dest: rank 3 does not exist: `hosts` has 3; give a host for each rank, e.g. \
             hosts = \"0-15\"; NVSwitches of NVLS are none",
        ),
        (
            "0,1,1,2,4000",
            "0,1,2,2,4000",
            "f.csv:2: dest: rank 2 sends to itself; leave the row out",
        ),
        (
            "0,1,1,2,4000",
            "0,1,x,2,4000",
            "f.csv:2: src: `x` is not a whole number",
        ),
        (
            "0,1,1,2,4000",
            "0,0,1,2,4000",
            "f.csv:3: flow 0 stands in its collective twice",
        ),
        (
            "RING,0,0",
            "RING,9,0",
            "f.csv:2: it waits for flow 9, which its collective does not have",
        ),
        (
            "RING,,2",
            "RING,1,2",
            "f.csv:3: it waits for flow 1, which ends at rank 2 and not at rank 0; a \
             flow waits for what has arrived at its source",
        ),
        (
            "RING,0,0",
            "RING,0",
            "f.csv:2: end of line: the line ends before it",
        ),
        (
            "RING,0,0",
            "RING,0,0,0",
            "f.csv:2: end of line: the row has more cells than the first line; a row has those of \
             `collective,op,data_size,algorithm,protoc…`",
        ),
    ] {
        assert!(FLOWS.contains(old), "{old}");
        let found = wrong(&FLOWS.replacen(old, new, 1), 3);
        assert!(found.starts_with(message), "{new}: {found}");
    }
    assert_eq!(
        wrong("", 3),
        "f.csv: the file is empty; it begins with `collective,op,data_size,`, the names of its \
         columns"
    );
}
