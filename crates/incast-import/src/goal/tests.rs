use incast_workload::FileTasks;

use super::*;

pub(super) const TEXT: &str = include_str!("tests/ping-pong.goal");
pub(super) const BINARY: &[u8] = include_bytes!("tests/ping-pong.bin");

/// Hosts with one NIC; all messages must leave by NICs that exist.
pub(super) const HOST_NICS: HostNics = HostNics {
    count: 1,
    check: Strictness::Check,
};

/// The tasks that were read, or the diagnostic, also of the checked list.
pub(super) fn said(read: Result<FileTasks, Diagnostic>) -> String {
    let read = match read {
        Ok(read) => read,
        Err(wrong) => return wrong.to_string(),
    };
    let list = format!("{:?}", read.list);
    let checked = read.list.check(&read.name);
    checked.map_or_else(|wrong| wrong.to_string(), |_| list)
}

/// The same schedule as text and in binary.
#[test]
fn text_and_binary_say_the_same() {
    let from_text = said(text::tests::schedule(TEXT, 2));
    assert_eq!(said(binary::tests::schedule(BINARY, 2)), from_text);
    let expected = "TaskList { tasks: [\
         (0, Compute { duration: Time(100000), unit: 0 }), \
         (0, Send { to: 1, size: Bytes(2000), tag: 5, lane: 0, nic: None }), \
         (0, Receive { from: 1, size: Bytes(1000), tag: 6 }), \
         (1, Receive { from: 0, size: Bytes(2000), tag: 5 }), \
         (1, Send { to: 0, size: Bytes(1000), tag: 6, lane: 0, nic: None })], \
         ends: [(0, 1), (3, 4)], starts: [(1, 2)], ranks: 2 }";
    assert_eq!(from_text, expected);
}

#[test]
fn actions_that_cannot_be_are_refused() {
    let send = Action {
        kind: ActionKind::Send,
        size: 10,
        peer: 1,
        tag: 0,
        cpu: 0,
        nic: 3,
    };
    let said = |action: Action| {
        let work = action.work(HOST_NICS);
        work.map_or_else(|wrong| wrong.to_string(), |work| format!("{work:?}"))
    };
    assert_eq!(
        said(send),
        "nic 3 is not there: a host has one NIC; \
         set `nics = \"ignore\"` to let all messages leave by it"
    );
    let ignored = send.work(HostNics {
        check: Strictness::Ignore,
        ..HOST_NICS
    });
    assert!(matches!(ignored, Ok(TaskWork::Send { to: 1, .. })));
    let of_four = HostNics {
        count: 4,
        ..HOST_NICS
    };
    let nic = |action: Action| match action.work(of_four) {
        Ok(TaskWork::Send { nic, .. }) => Ok(nic),
        other => Err(other.unwrap_err().to_string()),
    };
    assert_eq!(nic(send), Ok(Some(3)));
    assert_eq!(nic(Action { nic: 0, ..send }), Ok(Some(0)));
    let beyond = "nic 4 is not there: hosts reach each other by 4 NICs; \
                  set `nics = \"ignore\"` to let such messages leave by one after the other";
    assert_eq!(nic(Action { nic: 4, ..send }), Err(beyond.to_owned()));
    let received = Action {
        kind: ActionKind::Receive,
        nic: 0,
        ..send
    };
    let peer = ANY;
    assert_eq!(
        said(Action { peer, ..received }),
        "a receive from any source gets what comes first: its message is not known before the \
         run; name the sending rank"
    );
    let tag = ANY;
    assert_eq!(
        said(Action { tag, ..received }),
        "with any tag it gets what comes first: its message is not known before the run; \
         give the tag of the send"
    );
    let long = Action {
        kind: ActionKind::Calculate,
        nic: 0,
        size: u64::MAX,
        ..send
    };
    assert_eq!(
        said(long),
        "18446744073709551615 ns of computing are too long to simulate; \
         give at most 4611686 s (53 days)"
    );
}

#[test]
fn a_schedule_is_of_as_many_ranks_as_there_are_hosts() {
    assert_eq!(
        check_ranks(4, 2).unwrap_err().to_string(),
        "the schedule is of 4 ranks, but `hosts` has 2; \
         give a host for each rank, e.g. hosts = \"0-15\""
    );
}
