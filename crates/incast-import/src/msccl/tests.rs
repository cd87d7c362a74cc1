//! Algorithms worked by hand, and files that are refused.

use incast_units::Time;
use incast_workload::TaskList;

use super::steps::NO_UNIT;
use super::*;

const RING: &str = include_str!("tests/ring.xml");
const SUM: &str = include_str!("tests/sum.xml");

fn listed(text: &str, data: u64, ranks: u32) -> Result<FileTasks, Diagnostic> {
    read(text.as_bytes(), Some(Bytes::new(data)), ranks)
}

/// The sends of a list: source, destination, size, tag.
fn sends(list: &TaskList) -> Vec<(u32, u32, u64, u64)> {
    let tasks = list.tasks().iter();
    let sends = tasks.filter_map(|(from, work)| match *work {
        TaskWork::Send { to, size, tag, .. } => Some((*from, to, size.as_u64(), tag)),
        _ => None,
    });
    sends.collect()
}

/// Four GPUs, 2·(4 − 1) rounds: 24 messages, each of a quarter of the data.
#[test]
fn a_ring_has_the_messages_worked_by_hand() {
    let tasks = listed(RING, 4_000, 4).unwrap();
    let sends = sends(&tasks.list);
    assert_eq!(sends.len(), 24);
    for gpu in 0..4 {
        let own: Vec<_> = sends.iter().filter(|(from, ..)| *from == gpu).collect();
        assert_eq!(own, [&(gpu, (gpu + 1) % 4, 1_000, 0); 6]);
    }
    // Each GPU has a send, five receives with sends, and a receive.
    assert_eq!(tasks.list.len(), 4 * 12);
    assert_eq!((tasks.name)(3), "step 2 of thread block 0");
    assert!(tasks.list.check(&tasks.name).is_ok());
}

/// GPU 0 receives a chunk of 500 B on each channel, and sends both back. Its nop, its reduction and
/// its copy are tasks without duration.
#[test]
fn steps_wait_for_other_thread_blocks() {
    let tasks = listed(SUM, 1_000, 2).unwrap();
    assert_eq!(
        sends(&tasks.list),
        [(0, 1, 1_000, 0), (1, 0, 500, 0), (1, 0, 500, 1)]
    );
    let instant = TaskWork::Compute {
        duration: Time::ZERO,
        unit: NO_UNIT,
    };
    let works = tasks.list.tasks();
    assert_eq!(works[2..5], [(0, instant); 3]);
    // Without the sum there is no dependency, and the send would be the first task of its thread
    // block.
    assert!(matches!(works[5].1, TaskWork::Send { .. }));
    assert!(tasks.list.check(&tasks.name).is_ok());
}

/// GPU 1 sends its second chunk after it has received the sum, but GPU 0 needs this chunk for the
/// sum.
#[test]
fn dependences_in_a_cycle_are_found() {
    let waiting = SUM.replace(
        "<step s=\"0\" type=\"s\" srcbuf=\"i\" srcoff=\"1\" dstbuf=\"s\" dstoff=\"1\" cnt=\"1\" \
         depid=\"-1\" deps=\"-1\"",
        "<step s=\"0\" type=\"s\" srcbuf=\"i\" srcoff=\"1\" dstbuf=\"s\" dstoff=\"1\" cnt=\"1\" \
         depid=\"0\" deps=\"1\"",
    );
    let waiting = waiting.replace(
        "cnt=\"2\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"",
        "cnt=\"2\" depid=\"-1\" deps=\"-1\" hasdep=\"1\"",
    );
    let tasks = listed(&waiting, 1_000, 2).unwrap();
    let wrong = tasks.list.check(&tasks.name).unwrap_err();
    assert!(wrong.what.contains("a cycle"), "{wrong}");
    assert!(
        wrong.what.contains("step 0 of thread block 1 of rank 1"),
        "{wrong}"
    );
}

#[test]
fn contents_are_told() {
    assert_eq!(contents(RING.as_bytes()).unwrap(), (4, 24));
    assert_eq!(contents(SUM.as_bytes()).unwrap(), (2, 3));
}

#[test]
fn sizes_must_be_given_and_divide() {
    let wrong = read(RING.as_bytes(), None, 4).unwrap_err().to_string();
    assert_eq!(
        wrong,
        "data: an algorithm of MSCCL does not say how large the buffers are; give their size, \
         e.g. data = \"256KiB\""
    );
    let wrong = listed(RING, 4_001, 4).unwrap_err().to_string();
    assert_eq!(
        wrong,
        "data: 4001B are not a multiple of the algorithm's 4 chunks, as MSCCL needs; write e.g. \
         \"4KB\""
    );
    // As in nccl-tests, some sizes are smaller than the number of chunks.
    let wrong = listed(RING, 3, 4).unwrap_err();
    assert_eq!(wrong.hint, "write e.g. \"4B\"");
    let wrong = listed(RING, 4_000, 5).unwrap_err().to_string();
    assert_eq!(
        wrong,
        "the algorithm is of 4 GPUs, but `hosts` has 5; give a host for each, e.g. hosts = \"0-3\""
    );
}

/// Replacements in `sum.xml`: old text, new text, and the message.
const REFUSED: [(&str, &str, &str); 24] = [
    (
        "</algo>",
        "",
        "line 1: this is no XML: an element never ends; is the file cut off?",
    ),
    (
        "name=",
        "title=",
        "line 2: algo: unknown attribute `title`; available: coll, inplace",
    ),
    (
        "nchunksperloop=\"2\"",
        "nchunksperloop=\"0\"",
        "line 2: nchunksperloop: `0` is not a whole number from 1 to 4294967295; write e.g. \
         nchunksperloop=\"1\"",
    ),
    (
        "nchunksperloop=\"2\"",
        "",
        "line 2: nchunksperloop: the element `algo` does not have it; give it: <algo … \
         nchunksperloop=\"…\">",
    ),
    (
        "ngpus=\"2\"",
        "ngpus=\"3\"",
        "line 2: ngpus: the algorithm is of 3 GPUs, but GPU 2 is not there; is the file cut \
         off?",
    ),
    (
        "ngpus=\"2\"",
        "ngpus=\"1\"",
        "line 4: recv: `1` is not a whole number from -1 to 0; write e.g. recv=\"-1\"",
    ),
    (
        "<gpu id=\"1\"",
        "<gpu id=\"0\"",
        "line 17: id: GPU 0 stands there twice; leave one",
    ),
    (
        "</gpu>",
        "</gpu> and",
        "line 16: there is text between elements `gpu`; leave it out, or make it a comment: <!-- \
         … -->",
    ),
    (
        "<tb id=\"1\"",
        "<tb id=\"0\"",
        "line 7: id: thread block 0 stands there twice; leave one",
    ),
    (
        "recv=\"1\" chan=\"1\"",
        "recv=\"1\" chan=\"0\"",
        "line 7: recv: thread block 1 receives from GPU 1 on channel 0, as thread block 0 does: \
         which message is whose is not known before the run; give each a channel of its own",
    ),
    (
        "recv=\"1\"",
        "recv=\"0\"",
        "line 4: recv: GPU 0 has itself at the other end; name another GPU, or -1 for none",
    ),
    (
        "recv=\"1\"",
        "recv=\"-1\"",
        "line 5: type: a step `r` of thread block 0, whose `recv` is -1; name the GPU at the \
         other end: <tb … recv=\"…\">",
    ),
    (
        "<step s=\"1\"",
        "<step s=\"2\"",
        "line 12: s: step 2 stands where step 1 is due; steps stand in their order, from 0 on",
    ),
    (
        "<step s=\"1\" type=\"re\"",
        "<op s=\"1\" type=\"re\"",
        "line 12: element `op` is not known here; here stand elements `step`",
    ),
    (
        "hasdep=\"1\"/>",
        "hasdep=\"1\"><nop/></step>",
        "line 5: there is element `nop` within an element `step`; end it by `/>`: elements \
         `step` are empty",
    ),
    (
        "hasdep=\"1\"/>",
        "hasdep=\"1\">nop</step>",
        "line 5: there is text within an element `step`; end it by `/>`: elements `step` are \
         empty",
    ),
    (
        "type=\"re\"",
        "type=\"rec\"",
        "line 12: type: unknown type of step `rec`; did you mean `re`?",
    ),
    (
        "srcbuf=\"s\"",
        "srcbuf=\"x\"",
        "line 12: srcbuf: unknown buffer `x`",
    ),
    (
        "srcoff=\"1\"",
        "srcoff=\"2\"",
        "line 13: srcoff: its chunks are not all in buffer `s`, which has 2; correct them, or \
         `s_chunks` of the GPU",
    ),
    (
        "depid=\"0\"",
        "depid=\"-1\"",
        "line 11: deps: `depid` and `deps` must both name something, or both be -1; `depid` is a \
         thread block of this GPU, `deps` a step of it",
    ),
    (
        "depid=\"0\" deps=\"0\"",
        "depid=\"0\" deps=\"1\"",
        "line 11: depid: it waits for step 1 of thread block 0, which GPU 0 does not have; is \
         the file cut off?",
    ),
    (
        "hasdep=\"1\"",
        "hasdep=\"0\"",
        "line 11: depid: it waits for step 0 of thread block 0, of which `hasdep` is 0; write \
         hasdep=\"1\" there: MSCCL does not signal other steps",
    ),
    (
        "cnt=\"1\"",
        "cnt=\"0\"",
        "line 5: cnt: `0` is not a whole number from 1 to 4294967295; write e.g. cnt=\"1\"",
    ),
    (
        "cnt=\"2\"",
        "cnt=\"1\"",
        "step 3 of thread block 2 of rank 0 sends 500B, of which step 1 of thread block 0 of \
         rank 1 receives 1KB; give both the same size",
    ),
];

#[test]
fn what_msccl_could_not_run_is_refused() {
    let mut wrong = Vec::new();
    for (old, new, expected) in REFUSED {
        assert!(SUM.contains(old), "{old}");
        let tasks = listed(&SUM.replacen(old, new, 1), 1_000, 2);
        let checked = tasks.and_then(|tasks| tasks.list.check(&tasks.name));
        let told = checked.unwrap_err().to_string();
        if !told.starts_with(expected) {
            wrong.push(format!("{old} -> {new}: {told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn places_are_told() {
    let nested = format!("{}<algo/>", "<algo>".repeat(1_000));
    assert!(listed(&nested, 1, 1).is_err());
    let endless = read(std::io::repeat(b' '), None, 1)
        .unwrap_err()
        .to_string();
    assert_eq!(
        endless,
        "the file has more than 64 MiB, which is no algorithm of MSCCL; name another file"
    );
    let wrong = read(&b"<algo\n name=\"\xff\"/>"[..], None, 1).unwrap_err();
    assert_eq!(wrong.place.line(), Some(2));
    let wrong = listed(&SUM.replace("algo", "algorithm"), 1_000, 2).unwrap_err();
    assert_eq!(wrong.what, "element `algorithm` is not known here");
}
