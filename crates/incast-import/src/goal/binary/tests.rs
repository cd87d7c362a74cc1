use std::io::Cursor;

use super::super::tests::{BINARY, HOST_NICS, said};
use super::*;

pub(in super::super) fn schedule(bytes: &[u8], ranks: u32) -> Result<FileTasks, Diagnostic> {
    read(Cursor::new(bytes), ranks, HOST_NICS)
}

/// The diagnostic of the example with other bytes at one position.
fn with(at: usize, bytes: &[u8]) -> String {
    let mut changed = BINARY.to_vec();
    changed[at..at + bytes.len()].copy_from_slice(bytes);
    said(schedule(&changed, 2))
}

/// Before the parts: 8 + 4 + 1 + 1 + 2·16 = 46 bytes. The part of rank 0 begins with 12 bytes: it
/// has three actions, of which one, the first, waits for no other. So its actions begin at 58; a
/// list of two follows them.
#[test]
fn mistakes_are_named() {
    let (rank, action) = (46, 58);
    for (at, bytes, message) in [
        (
            0,
            &2342_u32.to_le_bytes()[..],
            "the schedule was overwritten by a run of LogGOPSim with --save-mem; \
             make it anew with `txt2bin`",
        ),
        (
            0,
            b"num_ranks",
            "this is no binary schedule: it does not begin with 4223; \
             write `format = \"goal\"` if it is text",
        ),
        (
            8,
            &[3],
            "the schedule is of 3 ranks, but `hosts` has 2; \
             give a host for each rank, e.g. hosts = \"0-15\"",
        ),
        (
            14,
            &[0],
            "the part of rank 0 does not follow the one before it; \
             make the file anew with `txt2bin`, into a file that does not exist",
        ),
        (
            rank,
            &[9],
            "rank 0: the file ends early; is it cut off? Make it anew with `txt2bin`",
        ),
        (
            rank + 8,
            &[1],
            "rank 0: the list of actions that wait for nothing is not that of those that do; \
             make the file anew with `txt2bin`",
        ),
        (
            action,
            &[1],
            "rank 0.action 0: it says that it waits for 1 others, but it waits for 0; \
             a run of LogGOPSim may have overwritten it: make the file anew with `txt2bin`",
        ),
        (
            action + 4,
            &[4],
            "rank 0.action 0: 4 is no kind of action; there are 1 (send), 2 (receive) and 3 (calc)",
        ),
        (
            action + 21,
            &[7],
            "rank 0.action 0: cpu 7 and nic 0 are beyond those that the top of the file promises, \
             0 and 0; make the file anew with `txt2bin`",
        ),
        (
            action + 27,
            &[1],
            "rank 0.action 0: what waits for it begins at 1 of the list, where 0 comes next; \
             make the file anew with `txt2bin`",
        ),
        (
            action + 3 * 39,
            &[3],
            "rank 0.action 0: action 3 waits for it, and there are 3, counted from 0; \
             make the file anew with `txt2bin`",
        ),
        (
            action + 39 + 5,
            &[0xff; 4],
            "action 1 of rank 0 names rank 4294967295, which does not exist; \
             there are 2 ranks, counted from 0",
        ),
        (
            action + 39 + 5,
            &[0],
            "action 1 of rank 0 has its own rank at the other end; \
             leave the message out, and let tasks wait for each other",
        ),
        (
            action + 2 * 39 + 5,
            &[0xff; 4],
            "rank 0.action 2: a receive from any source gets what comes first: its message is not \
             known before the run; name the sending rank",
        ),
        (
            action + 39 + 17,
            &[8],
            "action 1 of rank 0 sends 2KB to rank 1 with tag 8, but rank 1 has no receive from \
             rank 0 for it; give every send its receive, with the same tag",
        ),
    ] {
        assert_eq!(with(at, bytes), message);
    }
}

#[test]
fn a_file_has_all_of_its_bytes_and_no_more() {
    for length in 0..BINARY.len() {
        assert_eq!(
            said(schedule(&BINARY[..length], 2)),
            "the file ends early; is it cut off? Make it anew with `txt2bin`",
            "{length}"
        );
    }
    let longer = [BINARY, &[0]].concat();
    assert_eq!(
        said(schedule(&longer, 2)),
        "1 bytes are left over at the end; \
         make the file anew with `txt2bin`, into a file that does not exist"
    );
}
