//! The parts of the simulator, and the source files of each.

use super::line_tables::Frame;

const MAILBOXES: &str = "mailboxes";
const ARRIVALS: &str = "node scheduling: sorting of arrivals";
const WINDOWS: &str = "node scheduling: calendar, timers, windows";
const BUFFER: &str = "buffer accounting";
const QUEUES: &str = "switches: queues, forwarding";
const INT: &str = "INT, other switch programs";
const NIC: &str = "NIC scheduling";
const HOSTS: &str = "hosts: QPs, receivers";
const ALGORITHM: &str = "algorithm";
const MEASURING: &str = "measuring, results";
const SCENARIO: &str = "scenario, routes, flows";
pub(super) const LIBRARIES: &str = "system libraries (copies, memory)";
const REST: &str = "rest of the process";

/// All parts, in the order of tables.
pub(super) const NAMES: [&str; 13] = [
    MAILBOXES, ARRIVALS, WINDOWS, BUFFER, QUEUES, INT, NIC, HOSTS, ALGORITHM, MEASURING, SCENARIO,
    LIBRARIES, REST,
];

/// The part that a line of source belongs to.
#[derive(Copy, Clone)]
enum Owner {
    Part(&'static str),
    /// The part of the caller, for small functions that are used everywhere.
    Caller,
}
use Owner::{Caller, Part};

/// Prefixes of paths, and for some files a part of the function's name; the first match counts.
const OWNERS: &[(&str, &str, Owner)] = &[
    ("incast-units/", "", Caller),
    ("incast-engine/src/checked_index.rs", "", Caller),
    ("incast-random/", "", Caller),
    ("incast-engine/src/window/mail", "", Part(MAILBOXES)),
    // A node sends.
    (
        "incast-engine/src/window/context.rs",
        "send",
        Part(MAILBOXES),
    ),
    ("incast-engine/src/port_batch.rs", "", Part(ARRIVALS)),
    ("incast-engine/src/window/inbox.rs", "", Part(ARRIVALS)),
    ("incast-engine/src/window/event_key.rs", "", Part(ARRIVALS)),
    ("incast-engine/", "", Part(WINDOWS)),
    ("incast-net/src/wire", "", Caller),
    ("incast-net/src/transmitter.rs", "", Caller),
    ("incast-net/src/clock.rs", "", Caller),
    ("incast-net/src/context.rs", "", Caller),
    ("incast-net/src/buffer", "", Part(BUFFER)),
    ("incast-net/src/switch/sampling.rs", "", Part(MEASURING)),
    ("incast-net/src/switch/queue_sample.rs", "", Part(MEASURING)),
    ("incast-net/src/switch", "", Part(QUEUES)),
    ("incast-net/src/routing", "", Part(QUEUES)),
    ("incast-net/src/marker", "", Part(QUEUES)),
    ("incast-net/src/programs", "", Part(INT)),
    ("incast-signals/src/int/divisor.rs", "", Caller),
    ("incast-signals/src/int", "", Part(INT)),
    ("incast-signals/", "", Caller),
    ("incast-net/src/host/scheduler", "", Part(NIC)),
    ("incast-net/src/host/scan_timing.rs", "", Part(NIC)),
    ("incast-net/src/host", "", Part(HOSTS)),
    ("incast-net/src/transport", "", Part(HOSTS)),
    ("incast-net/src/cnp.rs", "", Part(HOSTS)),
    ("incast-net/src/measure", "", Part(MEASURING)),
    ("incast-cc/", "", Part(ALGORITHM)),
    ("incast-sim/src/ideal", "", Part(MEASURING)),
    ("incast-sim/src/results", "", Part(MEASURING)),
    ("incast-dev/src/bench/null/packet.rs", "", Caller),
    ("incast-dev/src/bench/null/host.rs", "", Part(HOSTS)),
    ("incast-dev/src/bench/null/switch.rs", "", Part(QUEUES)),
    ("incast-", "", Part(SCENARIO)),
];

/// The standard library's sorting, by which switches sort the packets that arrive for a port.
const SORTING: &str = "/slice/sort/";
/// The source of the memory management.
const ALLOCATOR: &str = "mimalloc";

/// The part of an instruction: that of its innermost function that has a part. If the line tables
/// only know that code of a library was inlined, the part follows from the file of the outer
/// function.
pub(super) fn part_of(frames: &[Frame], file: &str) -> &'static str {
    let inlined = frames
        .iter()
        .map(|frame| (frame.file.as_str(), frame.function.as_str()));
    let mut parts = inlined.chain([(file, "")]).filter_map(part_of_line);
    let rest = if file.contains(SORTING) {
        ARRIVALS
    } else if file.contains(ALLOCATOR) {
        LIBRARIES
    } else {
        REST
    };
    parts.next().unwrap_or(rest)
}

/// Whether a part is outside of the simulator.
pub(super) fn is_outside(part: &str) -> bool {
    part == LIBRARIES || part == REST
}

fn part_of_line((file, function): (&str, &str)) -> Option<&'static str> {
    let (_, path) = file.rsplit_once("crates/")?;
    let fits = |(begin, name, _): &&(&str, &str, Owner)| {
        path.starts_with(begin) && function.contains(name)
    };
    match OWNERS.iter().find(fits)? {
        (_, _, Part(part)) => Some(part),
        (_, _, Caller) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn part(frames: &[(&str, &str)], file: &str) -> &'static str {
        let frame = |&(file, function): &(&str, &str)| Frame {
            file: file.to_owned(),
            function: function.to_owned(),
        };
        part_of(&frames.iter().map(frame).collect::<Vec<_>>(), file)
    }

    #[test]
    fn what_is_inlined_belongs_to_the_innermost_part() {
        let index = ("/rustc/5980/library/core/src/slice/index.rs", "get");
        let at = ("/a/crates/incast-engine/src/checked_index.rs", "at");
        let hop = ("/a/crates/incast-net/src/routing/forwarding.rs", "port");
        let switch = ("/a/crates/incast-net/src/switch.rs", "forward");
        let window = "/a/crates/incast-engine/src/window.rs";
        let frames = [index, at, hop, switch, (window, "deliver_to")];
        assert_eq!(part(&frames, window), QUEUES);
        assert_eq!(part(&frames[..2], window), WINDOWS);
        let context = "/a/crates/incast-engine/src/window/context.rs";
        assert_eq!(part(&[(context, "send")], context), MAILBOXES);
        assert_eq!(part(&frames[..1], "./malloc/malloc.c"), REST);
        assert_eq!(part(&[], ""), REST);
        assert_eq!(part(&[], "/a/mimalloc/v3/src/alloc.c"), LIBRARIES);
        let sort = "/rustc/5980/library/core/src/slice/sort/unstable/quicksort.rs";
        assert_eq!(part(&[(sort, "quicksort")], sort), ARRIVALS);
    }

    /// Every prefix in the table matches a file: a file that has moved would count for another
    /// part.
    #[test]
    fn every_line_of_the_table_has_files() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for (begin, ..) in OWNERS {
            let (folder, name) = begin.rsplit_once('/').unwrap_or(("", begin));
            let mut files = std::fs::read_dir(crates.join(folder)).unwrap();
            let fits = |file: std::ffi::OsString| file.to_string_lossy().starts_with(name);
            assert!(files.any(|file| fits(file.unwrap().file_name())), "{begin}");
        }
    }
}
