//! What can be wrong with a file. The reader says in which line, under which name.
//!
//! Text from a file is quoted by its first 40 characters, escaped.

use incast_diagnostic::{Diagnostic, excerpt};

/// A file with nothing in it.
pub(crate) fn empty_file(begins: &str) -> Diagnostic {
    Diagnostic::new("the file is empty", format!("it begins with {begins}"))
}

/// A folder, a pipe or a device.
pub(crate) fn no_regular_file() -> Diagnostic {
    Diagnostic::new(
        "is no regular file",
        "give a file, not a folder, a pipe or a device",
    )
}

/// A line that no format has.
pub(crate) fn line_too_long(limit: usize) -> Diagnostic {
    Diagnostic::new(
        format!("the line is longer than {limit} bytes"),
        "no file of this format has such a line",
    )
}

/// Bytes that are no UTF-8.
pub(crate) fn not_text(byte: usize) -> Diagnostic {
    Diagnostic::new(
        format!("byte {byte} of the line is not text"),
        "save the file as UTF-8",
    )
}

/// A line with too few fields.
pub(crate) fn field_missing(line: &str) -> Diagnostic {
    Diagnostic::new(
        "the line ends before it",
        format!("a line is `{line}`: is the file cut off?"),
    )
}

/// A line with too many fields.
pub(crate) fn field_too_many(text: &str, line: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` is too much"),
        format!("a line is `{line}`"),
    )
}

/// Not a whole number.
pub(crate) fn not_integer(text: &str, example: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` is not a whole number"),
        format!("give digits only, e.g. `{example}`"),
    )
}

/// Not a number.
pub(crate) fn not_decimal(text: &str, example: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` is not a decimal number"),
        format!("give e.g. `{example}`"),
    )
}

/// A number below zero.
pub(crate) fn negative(text: &str) -> Diagnostic {
    Diagnostic::new(format!("`{text}` is negative"), "give zero or more")
}

/// A number above what its field holds.
pub(crate) fn number_too_large(text: &str, max: u64) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` is too large"),
        format!("give at most {max}"),
    )
}

/// Stray digits left by the artifact's generator.
pub(crate) fn stray_digits(stated: u64, found: u64) -> Diagnostic {
    Diagnostic::new(
        format!("the file says {stated} flows but has {found}"),
        format!(
            "the artifact's generator writes the true count over a longer estimate and leaves \
             the estimate's last digits: write {found}, or set `count = \"ignore\"`"
        ),
    )
}

/// Another count than the flows that follow.
pub(crate) fn count(stated: u64, found: u64) -> Diagnostic {
    Diagnostic::new(
        format!(
            "the file says {stated} but has {found}: is it cut off? Write {found}, or set \
             `count = \"ignore\"`"
        ),
        "",
    )
}

/// More lines than the count at the top allows.
pub(crate) fn more_than_stated(stated: u64, remedy: &str) -> Diagnostic {
    Diagnostic::new(
        format!("one flow more than the {stated} that the top of the file promises"),
        remedy,
    )
}

/// Flows of different priorities.
pub(crate) fn priority(found: u64, first: u64) -> Diagnostic {
    Diagnostic::new(
        format!("{found} differs from the {first} of the flows before"),
        "all flows share one class here: set `priorities = \"ignore\"` to read them as equals",
    )
}

/// A priority group that the artifact treats unlike any data.
pub(crate) fn control_priority() -> Diagnostic {
    Diagnostic::new(
        "group 0 is served ahead of all others and never paused there",
        "all flows share one class here: set `priorities = \"ignore\"` to read it as data",
    )
}

/// A header that says something else.
pub(crate) fn unexpected(text: &str, example: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` is not what comes here"),
        format!("write e.g. `{example}`"),
    )
}

/// A file without a line that comes before its flows.
pub(crate) fn header_missing(example: &str) -> Diagnostic {
    Diagnostic::new(
        "the file has no such line before its first flow",
        format!("add e.g. `{example}`"),
    )
}

/// A matrix for a larger network.
pub(crate) fn too_many_nodes(nodes: u64, hosts: u32) -> Diagnostic {
    Diagnostic::new(
        format!("the matrix is for {nodes} hosts"),
        format!("the network has only {hosts}"),
    )
}

/// A flow of a host that the matrix does not have.
pub(crate) fn host_beyond_nodes(host: u64, nodes: u64) -> Diagnostic {
    Diagnostic::new(
        format!("host {host} is none of the {nodes} that `Nodes` says, which count from 0"),
        format!("give another host, or write `Nodes {}`", host + 1),
    )
}

/// A flow without a word that it needs.
pub(crate) fn word_missing(example: &str) -> Diagnostic {
    Diagnostic::new("the flow has none", format!("write e.g. `{example}`"))
}

/// The same word twice in a flow, or in a line.
pub(crate) fn word_twice(place: &str) -> Diagnostic {
    Diagnostic::new(format!("the {place} has it twice"), "leave one")
}

/// A line that a file has once, for the second time.
pub(crate) fn line_twice(first: u64) -> Diagnostic {
    Diagnostic::new(format!("line {first} says it already"), "leave one of them")
}

/// A header without a column that is needed.
pub(crate) fn column_missing(header: &str, instead: &str) -> Diagnostic {
    Diagnostic::new(format!("no column of `{header}` has this name"), instead)
}

/// Two columns that say the same.
pub(crate) fn column_twice(first: &str, second: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{first}` and `{second}` both give it"),
        "leave one of the columns out",
    )
}

/// A column of something else than numbers.
pub(crate) fn no_numbers(kind: &str, wanted: &str) -> Diagnostic {
    Diagnostic::new(
        format!("the column holds values of type {kind}"),
        format!("write {wanted}"),
    )
}

/// A cell with nothing in it.
pub(crate) fn no_value() -> Diagnostic {
    Diagnostic::new("the value is missing", "fill it in, or leave the row out")
}

/// A Parquet file that cannot be decoded.
pub(crate) fn damaged_parquet(reason: &str) -> Diagnostic {
    /// The most letters of a reason that are shown. Some go on for pages.
    const SHOWN: usize = 120;
    let reason = reason.strip_prefix("Parquet error: ").unwrap_or(reason);
    let shown: String = reason.chars().take(SHOWN).collect();
    let more = if shown.len() < reason.len() {
        "…"
    } else {
        ""
    };
    Diagnostic::new(
        format!("the file is damaged or cut off ({shown}{more})"),
        "write it again",
    )
}

/// A Parquet file that cannot be read without a key.
pub(crate) fn encrypted_parquet() -> Diagnostic {
    Diagnostic::new(
        "the file is encrypted Parquet, which is not read here",
        "write it without encryption",
    )
}

/// A Parquet file that ends early, or late.
pub(crate) fn rows_missing(found: u64, promised: i64) -> Diagnostic {
    Diagnostic::new(
        format!("the file is damaged: it says it has {promised} rows but has {found}"),
        "write it again",
    )
}

/// A compression of Parquet files that is not read here.
pub(crate) fn unknown_compression(name: &str) -> Diagnostic {
    Diagnostic::new(
        format!("the column is compressed with {name}, which is not read here"),
        "write it with Snappy, Zstandard, Gzip, or without compression",
    )
}

/// A Parquet file that is said to be something else.
pub(crate) fn is_parquet(file: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{}` is a Parquet file", excerpt(file)),
        "write `format = \"parquet\"`",
    )
}

/// Something else that is said to be Parquet.
pub(crate) fn no_parquet(file: &str) -> Diagnostic {
    Diagnostic::new(
        format!(
            "`{}` is no Parquet file: it does not begin with `PAR1`",
            excerpt(file)
        ),
        "write the format that it has, e.g. `format = \"csv\"`",
    )
}

/// An option that this format has no use for.
pub(crate) fn option_unused(format: &str) -> Diagnostic {
    Diagnostic::new(
        format!("files of format `{format}` have no use for it"),
        "remove it",
    )
}

/// A table of ns-2, whose sizes may count anything.
pub(crate) fn which_sizes() -> Diagnostic {
    Diagnostic::new(
        "three columns are a table of ns-2, which does not say what its sizes count",
        "write `size_unit = \"1460B\"` for packets of 1460 bytes, `size_unit = \"1B\"` for bytes",
    )
}

/// A table that ends in 1.
pub(crate) fn maybe_fractions() -> Diagnostic {
    Diagnostic::new(
        "the table ends at 1, not at 100",
        "if these are fractions, write `unit = \"fraction\"`",
    )
}

/// A table of fractions that ends in 100.
pub(crate) fn no_fractions() -> Diagnostic {
    Diagnostic::new(
        "the table ends at 100, and fractions end at 1",
        "write `unit = \"percent\"`",
    )
}

/// A table whose first line says that some flows are smaller.
pub(crate) fn begins_above_zero(size: f64, up_to: f64) -> Diagnostic {
    Diagnostic::new(
        format!("the table begins at {up_to}, not at 0"),
        format!(
            "add a line `0 0` above it, from which sizes rise, or `{size} 0`, to give all these \
             flows this size"
        ),
    )
}

/// A matrix of which the first flows are asked for.
pub(crate) fn first_of_matrix() -> Diagnostic {
    Diagnostic::new(
        "`first` is how ns-3 reads its flow files, and htsim reads all connections",
        "write `count = \"ignore\"` or `\"check\"`",
    )
}

/// A connection matrix without `start_unit`.
pub(crate) fn start_unit_missing() -> Diagnostic {
    Diagnostic::new(
        "a connection matrix does not say what `start` counts: some htsim programs take \
         picoseconds, others microseconds",
        "give `start_unit = \"ps\"` or `\"us\"`",
    )
}

/// Not a probability.
pub(crate) fn not_a_probability(text: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` is not a probability"),
        "write 0 to 1, e.g. `1e-6`",
    )
}

/// Every node is a switch.
pub(crate) fn only_switches(nodes: u32, switches: u32) -> Diagnostic {
    Diagnostic::new(
        format!("{switches} switches of {nodes} nodes leave no host"),
        "write fewer switches than nodes",
    )
}

/// A list of switches of another length than announced.
pub(crate) fn switch_count(found: u32, announced: u32) -> Diagnostic {
    Diagnostic::new(
        format!("{found} switch numbers, but the first line announces {announced} switches"),
        "",
    )
}

/// The same switch twice.
pub(crate) fn switch_twice(id: u32) -> Diagnostic {
    Diagnostic::new(
        format!("switch {id} is listed twice"),
        "list every switch once",
    )
}

/// A number beyond the nodes announced.
pub(crate) fn no_such_node(id: u32, nodes: u32) -> Diagnostic {
    Diagnostic::new(
        format!("node {id} does not exist"),
        format!("nodes are 0–{}", nodes - 1),
    )
}

/// A file that ends before all links.
pub(crate) fn links_missing(found: usize, announced: usize) -> Diagnostic {
    Diagnostic::new(
        format!("the file ends after {found} links, but its first line announces {announced}"),
        "",
    )
}

/// A topology in which nothing can be sent.
pub(crate) fn no_host_linked() -> Diagnostic {
    Diagnostic::new("no link joins a host", "announce the links of at least one")
}

/// A rate in bit/s that is none.
pub(crate) fn slow_bare_rate(text: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` has no unit, and ns-3 takes it for bit/s"),
        "write e.g. `100Gbps`",
    )
}

/// A delay in seconds that is none.
pub(crate) fn long_bare_delay(text: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` has no unit, and ns-3 takes it for seconds"),
        "write e.g. `1us`",
    )
}

/// A line that says nothing known.
pub(crate) fn unknown_keyword(word: &str, known: &[&'static str]) -> Diagnostic {
    Diagnostic::unknown("keyword", &excerpt(word), known.iter().copied())
}

/// A node that was declared before.
pub(crate) fn node_twice(name: &str) -> Diagnostic {
    Diagnostic::new(
        format!("node `{}` is declared twice", excerpt(name)),
        "give every node its own name",
    )
}

/// A node that was not declared.
pub(crate) fn unknown_node(name: &str) -> Diagnostic {
    let name = excerpt(name);
    Diagnostic::new(
        format!("node `{name}` is unknown"),
        format!("declare it above, with `hosts {name}` or `switches {name}`"),
    )
}

/// The same setting twice, perhaps of one tier.
pub(crate) fn set_twice(key: &str, tier: Option<u32>) -> Diagnostic {
    Diagnostic::new(
        format!("`{key}` is set twice{}", of_tier(tier)),
        "set it once",
    )
}

/// A setting that is needed, perhaps of each tier.
pub(crate) fn not_set(key: &str, tier: Option<u32>, example: u32) -> Diagnostic {
    Diagnostic::new(
        format!("`{key}` is not set{}", of_tier(tier)),
        format!("write e.g. `{key} {example}`"),
    )
}

/// A setting where it means nothing.
pub(crate) fn misplaced(key: &str, place: &str) -> Diagnostic {
    Diagnostic::new(format!("`{key}` does not belong here"), place)
}

/// A value that cannot be.
pub(crate) fn impossible(key: &str, value: u32, instead: &str) -> Diagnostic {
    Diagnostic::new(format!("`{key} {value}` is impossible"), instead)
}

/// Settings that contradict each other.
pub(crate) fn contradiction(
    setting: &str,
    tier: Option<u32>,
    expected: &str,
    reason: &str,
) -> Diagnostic {
    Diagnostic::new(
        format!(
            "`{setting}`{} does not fit the rest, which asks for {expected} ({reason})",
            of_tier(tier)
        ),
        "",
    )
}

fn of_tier(tier: Option<u32>) -> String {
    tier.map_or(String::new(), |tier| format!(" in tier {tier}"))
}
