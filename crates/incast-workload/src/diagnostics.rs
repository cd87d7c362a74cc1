//! Mistakes in traffic. The caller adds the key, or the line.
//!
//! Text from a file is quoted by its first 40 characters, escaped.

use incast_diagnostic::{Diagnostic, nearest};
use incast_units::{Bytes, HostId, Time};

mod of_hosts;

pub use of_hosts::*;

/// A size of zero.
pub fn empty_flow() -> Diagnostic {
    Diagnostic::new("a flow of 0 bytes never ends", "give at least 1 byte")
}

/// A size above [`MAX_FLOW`](crate::MAX_FLOW).
pub fn flow_too_large(size: &str) -> Diagnostic {
    Diagnostic::new(
        format!("{size} bytes are more than a flow may have"),
        "give at most 9223372036854775807 (2^63 - 1)",
    )
}

/// A flow with more packets than packet numbers: the network carries flows of at most `largest`.
pub(crate) fn too_many_packets(size: Bytes, largest: Bytes) -> Diagnostic {
    let what = format!("a flow of {size} has more packets than sequence numbers can name");
    let hint = format!("write at most {largest}, or a larger network.packets.mtu");
    Diagnostic::new(what, hint)
}

/// Open-loop traffic whose load is too low for `count` flows to arrive before [`MAX_START`].
pub(crate) fn too_seldom(count: u64, expected: f64) -> Diagnostic {
    let what = format!("{count} flows take too long: some {expected:.0} arrive in 53 days");
    Diagnostic::new(what, "write a higher load, or a duration")
}

/// A start after [`MAX_START`](crate::MAX_START).
pub fn too_late(start: &str) -> Diagnostic {
    Diagnostic::new(
        format!("{start} is too late to simulate"),
        "let flows start within 4611686s (53 days)",
    )
}

/// A start before that of the previous flow.
pub fn back_in_time(start: Time, previous: Time) -> Diagnostic {
    Diagnostic::new(
        format!("{start} is before {previous}, where the flow before it starts"),
        "give flows in order of start",
    )
}

/// A load that is not in (0, 1].
pub fn load(load: f64) -> Diagnostic {
    let judged = if load > 1.0 {
        "more than the links carry"
    } else if load == 0.0 {
        "no traffic"
    } else if load < 0.0 {
        "less than nothing"
    } else {
        "not a number"
    };
    Diagnostic::new(
        format!("{load} is {judged}"),
        "give a load above 0 and at most 1",
    )
}

/// Poisson arrivals without `duration` and `count`.
pub fn never_ends() -> Diagnostic {
    Diagnostic::new(
        "nothing ends this traffic",
        "give `duration`, `count`, or both",
    )
}

/// A count of zero.
pub fn zero() -> Diagnostic {
    Diagnostic::new("0 makes no traffic", "give at least 1")
}

/// A time of zero.
pub fn no_time() -> Diagnostic {
    Diagnostic::new("0 is no time", "give a time above 0, e.g. `20us`")
}

/// A source whose only possible destination is itself.
pub fn no_destination(host: HostId) -> Diagnostic {
    Diagnostic::new(
        format!("host {host} has only itself to send to"),
        "add another host",
    )
}

/// More hosts to draw than there are.
pub fn too_many_drawn(wanted: u32, available: u32) -> Diagnostic {
    Diagnostic::new(
        format!("{wanted} hosts cannot be drawn from {available}"),
        format!("give at most {available}"),
    )
}

/// A shift that maps hosts to themselves.
pub fn shift(shift: u32, hosts: u32) -> Diagnostic {
    Diagnostic::new(
        format!("a shift by {shift} among {hosts} hosts sends each host to itself"),
        format!("give 1 to {}", hosts - 1),
    )
}

/// A weight that is not above zero.
pub fn weight(weight: f64) -> Diagnostic {
    Diagnostic::new(
        format!("a weight of {weight} cannot be drawn by"),
        "give a number above 0",
    )
}

/// A mix without parts.
pub fn empty_mix() -> Diagnostic {
    Diagnostic::new(
        "an empty mix has no sizes",
        "give at least one part, e.g. { sizes = \"web-search\", weight = 1 }",
    )
}

/// Fewer bytes of data than chunks to cut it into.
pub fn too_few_bytes(data: Bytes, chunks: u64) -> Diagnostic {
    Diagnostic::new(
        format!("{data} cannot be cut into {chunks} chunks, one for each host of each ring"),
        format!("give at least {chunks}B"),
    )
}

/// An algorithm that does not do this collective.
pub fn no_such_collective(operation: &str, algorithm: &str, known: &[&str]) -> Diagnostic {
    Diagnostic::new(
        format!("{operation} is not done by `{algorithm}`"),
        format!("write one of: {}", known.join(", ")),
    )
}

/// A key that means nothing for this kind of collective.
pub fn meaningless_key(what: &str) -> Diagnostic {
    Diagnostic::new(
        format!("it means nothing for {what}"),
        "leave it out, or choose another algorithm",
    )
}

/// A NIC that hosts do not have.
pub fn no_nic(nic: u16, nics: u16) -> Diagnostic {
    let (what, hint) = match nics {
        1 => ("a host has one NIC".to_owned(), "leave it out".to_owned()),
        _ => (
            format!("hosts reach each other by {nics} NICs"),
            format!("write 0 to {}, or leave it out", nics - 1),
        ),
    };
    Diagnostic::new(format!("NIC {nic} is not there: {what}"), hint)
}

/// More streams of a rank than there are lanes.
pub fn too_many_streams(streams: u64) -> Diagnostic {
    Diagnostic::new(
        format!("each rank would have {streams} streams"),
        "give fewer channels, or rings: 65535 streams at most",
    )
}

/// Recursive halving among ranks that cannot be halved.
pub fn no_power_of_two(ranks: u32) -> Diagnostic {
    let below = 1_u32 << ranks.ilog2();
    Diagnostic::new(
        format!("{ranks} ranks cannot be halved again and again"),
        format!("give {below} or {} hosts", u64::from(below) * 2),
    )
}

/// Senders given as places in a random order, in which the receiver may be one of them.
pub fn senders_at_random(receiver: HostId) -> Diagnostic {
    Diagnostic::new(
        format!(
            "whether host {} is among these is left to the seed",
            receiver.0
        ),
        "write senders = \"all\" with fan_in = 4 for 4 others drawn at random, or \
         receiver = \"random\" for one of these hosts",
    )
}

/// A root that is not among the ranks.
pub fn no_rank(host: HostId) -> Diagnostic {
    Diagnostic::new(
        format!("host {} takes no part", host.0),
        "give one of `hosts`",
    )
}

/// Ranks that cannot be divided into nodes.
pub fn no_nodes(size: Option<u32>, ranks: u32) -> Diagnostic {
    let sizes: Vec<_> = (2..=ranks / 2)
        .filter(|size| ranks.is_multiple_of(*size))
        .map(|size| size.to_string())
        .collect();
    let hint = match &sizes[..] {
        [] => "give a number of hosts that can be divided".to_owned(),
        sizes if sizes.len() > 8 => format!("write one of {}, …", sizes[..8].join(", ")),
        sizes => format!("write one of {}", sizes.join(", ")),
    };
    let what = match size {
        None => format!("how many of the {ranks} ranks a node has is not told"),
        Some(size) => format!("{ranks} ranks are not two or more nodes of {size}"),
    };
    Diagnostic::new(what, hint)
}

/// A list without a task.
pub fn no_tasks() -> Diagnostic {
    Diagnostic::new("there is no task", "give at least one")
}

/// Tasks both in the scenario and in a file.
pub fn tasks_twice() -> Diagnostic {
    let what = "tasks are listed, and a file of tasks is named";
    Diagnostic::new(what, "leave out `tasks` or `file`")
}

/// A file of tasks without a format.
pub fn no_task_format() -> Diagnostic {
    let what = "the format of the file is not told";
    Diagnostic::new(what, "write e.g. format = \"goal\"")
}

/// An option of task files, without a file.
pub fn no_task_file() -> Diagnostic {
    let what = "it tells how to read a file, but no file is named";
    Diagnostic::new(what, "give `file`, or leave it out")
}

/// A task that is not one of the three kinds.
pub fn not_one_task() -> Diagnostic {
    Diagnostic::new(
        "it is none, or several, of send, receive and compute",
        "give one of them",
    )
}

/// A message of unknown size.
pub fn no_message_size() -> Diagnostic {
    Diagnostic::new("a message needs a size", "write e.g. size = \"1MB\"")
}

/// A key that this kind of task does not have.
pub fn not_of_task(what: &str) -> Diagnostic {
    Diagnostic::new(format!("it means nothing for {what}"), "leave it out")
}

/// Two tasks with the same name.
pub fn task_twice(name: &str) -> Diagnostic {
    Diagnostic::new(
        format!("two tasks are called `{name}`"),
        "give each a name of its own",
    )
}

/// A task that waits for a task that does not exist.
pub fn no_task<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let known: Vec<_> = known.collect();
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "give the id of another task".to_owned(),
    };
    Diagnostic::new(format!("unknown task `{name}`"), hint)
}

/// Chunks so small that there are more of them than flow numbers.
pub fn too_small_chunks(data: Bytes, chunks: u128) -> Diagnostic {
    Diagnostic::new(
        format!("{data} would be cut into so many chunks that {chunks} are sent"),
        "give larger chunks: 4294967294 flows at most",
    )
}

/// More sends than flow numbers.
pub fn too_many_sends(sends: u128) -> Diagnostic {
    Diagnostic::new(
        format!("it would take {sends} flows, more than there are numbers for"),
        "give fewer rounds or rings, or larger chunks: 4294967294 flows at most",
    )
}

/// An algorithm that cannot do a collective of a task file.
pub fn not_unrolled(algorithm: &str, ranks: u32) -> Diagnostic {
    Diagnostic::new(
        format!("algorithm = \"{algorithm}\" does not fit its {ranks} ranks"),
        "halving-doubling takes a power of two, and hierarchical a `node_size`, which entries of \
         kind `tasks` do not have; leave `algorithm` out, or write ring, tree or direct",
    )
}

/// A file whose collectives have more sends and receives than the limit.
pub fn too_many_tasks(tasks: u128, most: u128) -> Diagnostic {
    Diagnostic::new(
        format!("with it there are {tasks} sends and receives, and other tasks"),
        format!(
            "give at most {most}, as all of them are held in memory; a trace of fewer steps, or an \
             entry of kind `collective`, which holds none"
        ),
    )
}

/// Shuffling of a single ring.
pub fn one_ring() -> Diagnostic {
    Diagnostic::new(
        "one ring cannot be shuffled",
        "add rings = \"all\", or a number of rings above 1",
    )
}

/// All rings over 4 or 6 hosts, which have fewer rings than a host has others.
pub fn rings_missing(hosts: u32, rings: u32) -> Diagnostic {
    Diagnostic::new(
        format!("{hosts} hosts are one of two cases (4 and 6) without a ring for each other host"),
        format!("write rings = {rings}, which is how many share no pair of them"),
    )
}

/// Rounds that overlap: the next one begins while flows of the last still start.
pub fn rounds_overlap(every: Time, span: Time) -> Diagnostic {
    Diagnostic::new(
        format!(
            "the next round would begin after {every}, when this one still starts flows \
             until {span}"
        ),
        format!("give {span} or more"),
    )
}

/// A NIC without a rate.
pub fn no_rate(host: HostId) -> Diagnostic {
    Diagnostic::new(
        format!("the NIC of host {host} has no rate, so a load on it means nothing"),
        "leave the host out",
    )
}

/// More traffic entries than tags.
pub fn too_many_entries(entry: usize) -> Diagnostic {
    Diagnostic::new(
        format!("entry {entry} is one too many"),
        "a scenario has at most 65536 traffic entries",
    )
}

/// A list without flows.
pub fn no_flows() -> Diagnostic {
    Diagnostic::new(
        "no flow is listed",
        "list at least one, or remove the entry",
    )
}

/// A file that is not in order of start, with more flows than can be sorted.
pub fn unsorted(limit: u64) -> Diagnostic {
    Diagnostic::new(
        format!(
            "the flow starts before the one above it, and the file is too long to sort \
             here (over {limit} flows)"
        ),
        "sort its lines by start",
    )
}

/// A file that was in order of start when it was checked, and is not when its flows start.
pub fn no_longer_sorted() -> Diagnostic {
    Diagnostic::new(
        "the flow starts before the one above it, as none did when the file was checked",
        "the file has changed since: run again",
    )
}

/// A start before `base`, which is subtracted from it.
pub fn before_base(start: Time, base: Time) -> Diagnostic {
    Diagnostic::new(
        format!("{start} is before the base of {base}"),
        "give a smaller `base`",
    )
}

/// A table that does not begin at 0 %.
pub fn table_start(percent: f64) -> Diagnostic {
    Diagnostic::new(
        format!("the table begins at {percent} %"),
        "let its first line end in 0",
    )
}

/// A table that does not end at 100 %.
pub fn table_end(percent: f64) -> Diagnostic {
    // The table probably has fractions in place of percentages.
    let advice = match percent == 1.0 {
        true => {
            "it must end at 100: are these fractions? Multiply them by 100 (a file takes \
             `unit = \"fraction\"`)"
        }
        false => "let its last line end in 100",
    };
    Diagnostic::new(format!("the table ends at {percent} %"), advice)
}

/// Values that fall.
pub fn table_falls(value: f64, previous: f64) -> Diagnostic {
    Diagnostic::new(
        format!("{value} is less than the {previous} above it"),
        "sizes and percentages only grow",
    )
}

/// The same point twice.
pub fn table_repeats() -> Diagnostic {
    Diagnostic::new("the line repeats the one above it", "leave it out")
}

/// Attackers without a selection.
pub fn no_attackers() -> Diagnostic {
    Diagnostic::new("nothing says who attacks", WHO_ATTACKS)
}

/// Attackers selected twice.
pub fn several_attackers() -> Diagnostic {
    Diagnostic::new("attackers are selected in several ways", WHO_ATTACKS)
}

const WHO_ATTACKS: &str = "give one of share = 0.1, hosts = \"0-31\", larger_than = \"1MB\", \
                           tenant = \"name\"";

/// A share of hosts that is not in (0, 1].
pub fn attackers_share(share: f64) -> Diagnostic {
    Diagnostic::new(
        format!("{share} is no share of the hosts"),
        "give a share above 0 and at most 1",
    )
}

/// A tenant as attacker, although no traffic entry has a tenant.
pub fn no_tenants(tenant: &str) -> Diagnostic {
    Diagnostic::new(
        "no traffic has a tenant",
        format!("add tenant = {tenant:?} to the [[traffic]] entries that are theirs"),
    )
}

/// Pieces of zero bytes.
pub fn no_piece() -> Diagnostic {
    Diagnostic::new(
        "pieces of 0 bytes never make a message",
        "give at least 1 byte, e.g. `150KB`",
    )
}

/// An attack over zero QPs.
pub fn no_qps() -> Diagnostic {
    Diagnostic::new("over 0 QPs nothing is sent", "give at least 1")
}

/// A spacing of zero.
pub fn no_spacing() -> Diagnostic {
    Diagnostic::new(
        "pieces that are 0 apart start together, as under the parallel attack",
        "give a time above 0, e.g. `13us`, or kind = \"parallel\"",
    )
}

/// Zero rings.
pub fn no_overlays() -> Diagnostic {
    Diagnostic::new("along 0 rings nothing is sent", "give at least 1")
}

/// Fewer than three hosts of attackers, so that no other pair exists.
pub fn too_few_to_shuffle(hosts: u32) -> Diagnostic {
    Diagnostic::new(
        format!("the attackers own {hosts} of the hosts, which have no two rings"),
        "let them own at least 3",
    )
}

/// More rings than exist over these hosts.
pub fn too_many_rings(hosts: u32, rings: u32) -> Diagnostic {
    Diagnostic::new(
        format!("{hosts} hosts have {rings} rings that share no pair"),
        format!("give at most {rings}"),
    )
}
