//! The kinds of mistakes, each with the values that its message needs.

use std::borrow::Cow;
use std::error::Error;
use std::io;

use incast_units::{Bytes, HostId, Time};

/// What was wrong, and what would be right.
///
/// Text from a file is kept short and printable: its first 40 characters, escaped.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    // ---- Flows, wherever they come from. ----
    /// A host number beyond the network's.
    #[error("host {host} does not exist; {}", existing(*.hosts))]
    UnknownHost {
        /// The number given.
        host: HostId,
        /// How many hosts there are.
        hosts: u32,
    },
    /// Source and destination are the same.
    #[error("host {host} would send to itself; give another host")]
    ToItself {
        /// Both.
        host: HostId,
    },
    /// A size of zero.
    #[error("a flow of 0 bytes never ends; give at least 1 byte")]
    EmptyFlow,
    /// A size above [`LARGEST_FLOW`](crate::LARGEST_FLOW).
    #[error(
        "{size} bytes are more than a flow may have; give at most 9223372036854775807 (2^63 - 1)"
    )]
    FlowTooLarge {
        /// The size given.
        size: String,
    },
    /// A start after [`LATEST_START`](crate::LATEST_START).
    #[error("{start} is too late to simulate; let flows start within 4611686s (53 days)")]
    TooLate {
        /// The start given.
        start: String,
    },
    /// A start before that of the flow before.
    #[error(
        "{start} is before {previous}, where the flow before it starts; \
         give flows in order of start"
    )]
    BackInTime {
        /// The start given.
        start: Time,
        /// The start of the flow before.
        previous: Time,
    },
    /// Whoever makes the flows failed.
    #[error("{0}")]
    Outside(#[source] Box<dyn Error + Send + Sync>),

    // ---- Traffic entries. ----
    /// A load that is not in (0, 1].
    #[error("{load} is {}; give a load above 0 and at most 1", judged(*.load))]
    Load {
        /// The load given.
        load: f64,
    },
    /// Poisson arrivals without `duration` and `count`.
    #[error("nothing ends this traffic; give `duration`, `count`, or both")]
    NeverEnds,
    /// A count of zero.
    #[error("0 makes no traffic; give at least 1")]
    Zero,
    /// A time of zero.
    #[error("0 is no time; give a time above 0, e.g. `20us`")]
    NoTime,
    /// Text that names no hosts.
    #[error("`{text}` is no set of hosts; write e.g. `0-15`, `0,4,8` or `all`")]
    NotHosts {
        /// What is there.
        text: String,
    },
    /// A range whose end comes first.
    #[error("`{first}-{last}` runs backwards; write `{last}-{first}`")]
    Backwards {
        /// Where it begins.
        first: HostId,
        /// Where it ends.
        last: HostId,
    },
    /// A set without hosts.
    #[error("no host is listed; list at least one, e.g. `\"0-15\"`")]
    NoHosts,
    /// A host listed more than once.
    #[error("host {host} is listed twice; list each host once")]
    HostTwice {
        /// Which.
        host: HostId,
    },
    /// Fewer hosts than the traffic needs.
    #[error("{}; {need} are needed at least", too_few(*.have))]
    TooFewHosts {
        /// How many there are.
        have: u32,
        /// How many it takes.
        need: u32,
    },
    /// A source whose only possible destination is itself.
    #[error("host {host} has only itself to send to; add another host")]
    NoDestination {
        /// Which.
        host: HostId,
    },
    /// More hosts to be drawn than there are.
    #[error("{wanted} hosts cannot be drawn from {available}; give at most {available}")]
    TooManyDrawn {
        /// How many were asked for.
        wanted: u32,
        /// How many there are.
        available: u32,
    },
    /// A shift that maps hosts to themselves.
    #[error(
        "a shift by {shift} among {hosts} hosts sends each host to itself; give 1 to {}",
        .hosts - 1
    )]
    Shift {
        /// The shift given.
        shift: u32,
        /// How many hosts are permuted.
        hosts: u32,
    },
    /// A weight that is not above zero.
    #[error("a weight of {weight} cannot be drawn by; give a number above 0")]
    Weight {
        /// The weight given.
        weight: f64,
    },
    /// A mix of nothing.
    #[error(
        "an empty mix has no sizes; \
         give at least one part, e.g. {{ sizes = \"web-search\", weight = 1 }}"
    )]
    EmptyMix,
    /// Less data than chunks to cut it into.
    #[error("{data} cannot be cut into a chunk for each of {hosts} hosts; give at least {hosts}B")]
    TooFewBytes {
        /// The data given.
        data: Bytes,
        /// The hosts of the ring.
        hosts: u32,
    },
    /// A round that is still starting flows when the next one begins.
    #[error(
        "the next round would begin after {every}, when this one still starts flows until {span}; \
         give {span} or more"
    )]
    RoundsOverlap {
        /// From one round to the next.
        every: Time,
        /// From the first start of a round to its last.
        span: Time,
    },
    /// A NIC without a rate.
    #[error(
        "the NIC of host {host} has no rate, so a load on it means nothing; leave the host out"
    )]
    NoRate {
        /// Which.
        host: HostId,
    },
    /// More traffic entries than tags.
    #[error("entry {entry} is one too many; a scenario has at most 65536 traffic entries")]
    TooManyEntries {
        /// Counted from 0.
        entry: usize,
    },

    // ---- Options of flow files. ----
    /// A connection matrix without `start_unit`.
    #[error(
        "a connection matrix does not say what `start` counts: some htsim programs take \
         picoseconds, others microseconds; give `start_unit = \"ps\"` or `\"us\"`"
    )]
    StartUnitMissing,
    /// An option that this format has no use for.
    #[error("files of format `{format}` have no use for it; remove it")]
    OptionUnused {
        /// The format's name.
        format: &'static str,
    },

    // ---- Files. ----
    /// The operating system refused.
    #[error("cannot be read: {0}; check that the path is right, seen from the scenario's folder")]
    Unreadable(#[source] io::Error),
    /// A file with nothing in it.
    #[error("the file is empty; it begins with {begins}")]
    EmptyFile {
        /// What the format begins with.
        begins: &'static str,
    },
    /// A line that no format has.
    #[error("the line is longer than {limit} bytes; this is no list of flows or sizes")]
    LineTooLong {
        /// The longest line read.
        limit: usize,
    },
    /// Bytes that are no UTF-8.
    #[error("byte {byte} of the line is not text; save the file as UTF-8")]
    NotText {
        /// Counted from 1.
        byte: usize,
    },
    /// A line with too few fields.
    #[error("the line ends before it; a line is `{line}`: is the file cut off?")]
    FieldMissing {
        /// What a whole line looks like.
        line: Cow<'static, str>,
    },
    /// A line with too many fields.
    #[error("`{text}` is too much; a line is `{line}`")]
    FieldTooMany {
        /// What follows the last field.
        text: String,
        /// What a whole line looks like.
        line: Cow<'static, str>,
    },
    /// Not a whole number.
    #[error("`{text}` is not a whole number; give digits only, e.g. `{example}`")]
    NotInteger {
        /// What is there.
        text: String,
        /// What might be.
        example: &'static str,
    },
    /// Not a number.
    #[error("`{text}` is not a decimal number; give e.g. `{example}`")]
    NotDecimal {
        /// What is there.
        text: String,
        /// What might be.
        example: &'static str,
    },
    /// A number below zero.
    #[error("`{text}` is negative; give zero or more")]
    Negative {
        /// What is there.
        text: String,
    },
    /// A number above what its field holds.
    #[error("`{text}` is too large; give at most {most}")]
    NumberTooLarge {
        /// What is there.
        text: String,
        /// The largest that fits.
        most: u64,
    },
    /// A list without flows.
    #[error("no flow is listed; list at least one, or remove the entry")]
    NoFlows,
    /// A file whose flows are not in order, with more flows than we sort.
    #[error(
        "the flow starts before the one above it, and the file is too long to sort here \
         (over {limit} flows); sort its lines by start"
    )]
    Unsorted {
        /// How many flows are sorted in memory.
        limit: u64,
    },

    // ---- The HPCC artifact's flow files. ----
    /// Stray digits left by the artifact's generator.
    #[error(
        "the file says {stated} flows but has {found}; the artifact's generator writes the true \
         count over a longer estimate and leaves the estimate's last digits: write {found}, or \
         set `count = \"ignore\"`"
    )]
    StrayDigits {
        /// The count at the top.
        stated: u64,
        /// The flows that follow.
        found: u64,
    },
    /// Another count than the flows that follow.
    #[error(
        "the file says {stated} but has {found}: is it cut off? Write {found}, or set \
         `count = \"ignore\"`"
    )]
    Count {
        /// The count at the top.
        stated: u64,
        /// What follows.
        found: u64,
    },
    /// More lines than the count at the top allows.
    #[error(
        "one flow more than the {stated} that the top of the file promises; correct the count, \
         or set `count = \"ignore\"`"
    )]
    MoreThanStated {
        /// The count at the top.
        stated: u64,
    },
    /// Flows of different priorities.
    #[error(
        "{found} differs from the {first} of the flows before; all flows share one class here: \
         set `priorities = \"ignore\"` to read them as equals"
    )]
    Priority {
        /// This flow's.
        found: u64,
        /// That of the first flow.
        first: u64,
    },
    /// A priority group that the artifact treats unlike any data.
    #[error(
        "group 0 is served ahead of all others and never paused there; all flows share one class \
         here: set `priorities = \"ignore\"` to read it as data"
    )]
    ControlPriority,
    /// A start before the `base` that is to be subtracted.
    #[error("{start} is before the base of {base}; give a smaller `base`")]
    BeforeBase {
        /// The start given.
        start: Time,
        /// The base.
        base: Time,
    },

    // ---- htsim's connection matrices. ----
    /// A header that says something else.
    #[error("`{text}` is not what comes here; write e.g. `{example}`")]
    Unexpected {
        /// What is there.
        text: String,
        /// What might be.
        example: &'static str,
    },
    /// A file without a line that comes before its flows.
    #[error("the file has no such line before its first flow; add e.g. `{example}`")]
    HeaderMissing {
        /// What might be.
        example: &'static str,
    },
    /// A matrix for a larger network.
    #[error("the matrix is for {nodes} hosts; the network has only {hosts}")]
    TooManyNodes {
        /// What the file says.
        nodes: u64,
        /// What there is.
        hosts: u32,
    },
    /// A word whose meaning needs the simulator.
    #[error("{why}; {instead}")]
    Unsupported {
        /// What it would take.
        why: &'static str,
        /// What to do.
        instead: &'static str,
    },
    /// A flow without a word that it needs.
    #[error("the flow has none; write e.g. `{example}`")]
    WordMissing {
        /// What a whole line looks like.
        example: &'static str,
    },
    /// The same word twice.
    #[error("the flow has it twice; leave one")]
    WordTwice,

    // ---- CSV. ----
    /// A header without a column that is needed.
    #[error("no column of `{header}` has this name; {instead}")]
    ColumnMissing {
        /// The header line.
        header: String,
        /// What would do.
        instead: &'static str,
    },
    /// Two columns that say the same.
    #[error("`{first}` and `{second}` both give it; leave one of the columns out")]
    ColumnTwice {
        /// A column's name.
        first: &'static str,
        /// Another's, or the same.
        second: &'static str,
    },

    // ---- Tables of sizes. ----
    /// A table that does not begin at 0 %.
    #[error("the table begins at {percent} %; let its first line end in 0")]
    TableStart {
        /// The first line's.
        percent: f64,
    },
    /// A table that does not end at 100 %.
    #[error("the table ends at {percent} %; {}", advice(*.percent))]
    TableEnd {
        /// The last line's.
        percent: f64,
    },
    /// Values that fall.
    #[error("{value} is less than the {previous} above it; sizes and percentages only grow")]
    TableFalls {
        /// This line's.
        value: f64,
        /// That of the line before.
        previous: f64,
    },
    /// The same point twice.
    #[error("the line repeats the one above it; leave it out")]
    TableRepeats,
}

impl Fault {
    pub(crate) fn back_in_time(start: Time, previous: Time) -> Self {
        Self::BackInTime { start, previous }
    }
}

fn existing(hosts: u32) -> String {
    match hosts {
        0 => "the network has no hosts".to_owned(),
        1 => "the network has only host 0".to_owned(),
        _ => format!("the network has hosts 0–{}", hosts - 1),
    }
}

fn too_few(hosts: u32) -> String {
    match hosts {
        1 => "1 host is too few".to_owned(),
        _ => format!("{hosts} hosts are too few"),
    }
}

fn judged(load: f64) -> &'static str {
    if load > 1.0 {
        "more than the links carry"
    } else if load == 0.0 {
        "no traffic"
    } else if load < 0.0 {
        "less than nothing"
    } else {
        "not a number"
    }
}

/// A table of fractions is the likeliest mistake.
fn advice(percent: f64) -> &'static str {
    match percent == 1.0 {
        true => "it must end at 100: are these fractions? Multiply them by 100",
        false => "let its last line end in 100",
    }
}
