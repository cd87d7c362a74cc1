//! Mistakes in files. The reader adds the line, and the name of the field.
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

/// A line that is too long for any format.
pub(crate) fn line_too_long(limit: usize) -> Diagnostic {
    Diagnostic::new(
        format!("the line is longer than {limit} bytes"),
        "no file of this format has such a line",
    )
}

/// Bytes that are not UTF-8.
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

/// A stated count that differs from the number of flows that follow.
pub(crate) fn count(stated: u64, found: u64) -> Diagnostic {
    Diagnostic::new(
        format!(
            "the file says {stated} but has {found}: is it cut off? Write {found}, or set \
             `count = \"ignore\"`"
        ),
        "",
    )
}

/// More lines than the stated count allows.
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

/// A priority group that the artifact treats differently from all data.
pub(crate) fn control_priority() -> Diagnostic {
    Diagnostic::new(
        "group 0 is served ahead of all others and never paused there",
        "all flows share one class here: set `priorities = \"ignore\"` to read it as data",
    )
}

/// A header with another word than expected.
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

/// A flow without a required word.
pub(crate) fn word_missing(example: &str) -> Diagnostic {
    Diagnostic::new("the flow has none", format!("write e.g. `{example}`"))
}

/// The same word twice in a flow, or in a line.
pub(crate) fn word_twice(place: &str) -> Diagnostic {
    Diagnostic::new(format!("the {place} has it twice"), "leave one")
}

/// A second line of a kind that a file has only once.
pub(crate) fn line_twice(first: u64) -> Diagnostic {
    Diagnostic::new(format!("line {first} says it already"), "leave one of them")
}

/// A header without a required column.
pub(crate) fn column_missing(header: &str, instead: &str) -> Diagnostic {
    Diagnostic::new(format!("no column of `{header}` has this name"), instead)
}

/// Two columns with the same meaning.
pub(crate) fn column_twice(first: &str, second: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{first}` and `{second}` both give it"),
        "leave one of the columns out",
    )
}

/// A column that does not hold numbers.
pub(crate) fn no_numbers(kind: &str, wanted: &str) -> Diagnostic {
    Diagnostic::new(
        format!("the column holds values of type {kind}"),
        format!("write {wanted}"),
    )
}

/// An empty cell.
pub(crate) fn no_value() -> Diagnostic {
    Diagnostic::new("the value is missing", "fill it in, or leave the row out")
}

/// A Parquet file that cannot be decoded.
pub(crate) fn damaged_parquet(reason: &str) -> Diagnostic {
    /// The most characters of a reason that are shown; some reasons are pages long.
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

/// An encrypted Parquet file, which needs a key.
pub(crate) fn encrypted_parquet() -> Diagnostic {
    Diagnostic::new(
        "the file is encrypted Parquet, which is not read here",
        "write it without encryption",
    )
}

/// A Parquet file with more or fewer rows than it states.
pub(crate) fn rows_missing(found: u64, promised: i64) -> Diagnostic {
    Diagnostic::new(
        format!("the file is damaged: it says it has {promised} rows but has {found}"),
        "write it again",
    )
}

/// A compression of Parquet files that is not supported.
pub(crate) fn unknown_compression(name: &str) -> Diagnostic {
    Diagnostic::new(
        format!("the column is compressed with {name}, which is not read here"),
        "write it with Snappy, Zstandard, Gzip, or without compression",
    )
}

/// A Parquet file that the scenario declares as another format.
pub(crate) fn is_parquet(file: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{}` is a Parquet file", excerpt(file)),
        "write `format = \"parquet\"`",
    )
}

/// A file of another format that the scenario declares as Parquet.
pub(crate) fn no_parquet(file: &str) -> Diagnostic {
    Diagnostic::new(
        format!(
            "`{}` is no Parquet file: it does not begin with `PAR1`",
            excerpt(file)
        ),
        "write the format that it has, e.g. `format = \"csv\"`",
    )
}

/// An option that this format does not use.
pub(crate) fn option_unused(format: &str) -> Diagnostic {
    Diagnostic::new(
        format!("files of format `{format}` have no use for it"),
        "remove it",
    )
}

/// A table of ns-2, which does not state the unit of its sizes.
pub(crate) fn which_sizes() -> Diagnostic {
    Diagnostic::new(
        "three columns are a table of ns-2, which does not say what its sizes count",
        "write `size_unit = \"1460B\"` for packets of 1460 bytes, `size_unit = \"1B\"` for bytes",
    )
}

/// A table of percentages that ends in 1, as fractions do.
pub(crate) fn maybe_fractions() -> Diagnostic {
    Diagnostic::new(
        "the table ends at 1, not at 100",
        "if these are fractions, write `unit = \"fraction\"`",
    )
}

/// A table of fractions that ends in 100, as percentages do.
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

/// A connection matrix with `count = "first"`, which matrices do not support.
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

/// A topology whose nodes are all switches.
pub(crate) fn only_switches(nodes: u32, switches: u32) -> Diagnostic {
    Diagnostic::new(
        format!("{switches} switches of {nodes} nodes leave no host"),
        "write fewer switches than nodes",
    )
}

/// A list of switches whose length is not the announced one.
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

/// A node number beyond the announced number of nodes.
pub(crate) fn no_such_node(id: u32, nodes: u32) -> Diagnostic {
    Diagnostic::new(
        format!("node {id} does not exist"),
        format!("nodes are 0–{}", nodes - 1),
    )
}

/// A file that ends before all announced links.
pub(crate) fn links_missing(found: usize, announced: usize) -> Diagnostic {
    Diagnostic::new(
        format!("the file ends after {found} links, but its first line announces {announced}"),
        "",
    )
}

/// A topology in which no host has a link.
pub(crate) fn no_host_linked() -> Diagnostic {
    Diagnostic::new("no link joins a host", "announce the links of at least one")
}

/// A number without a unit that is too small for a rate in bit/s.
pub(crate) fn slow_bare_rate(text: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` has no unit, and ns-3 takes it for bit/s"),
        "write e.g. `100Gbps`",
    )
}

/// A number without a unit that is too large for a delay in seconds.
pub(crate) fn long_bare_delay(text: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` has no unit, and ns-3 takes it for seconds"),
        "write e.g. `1us`",
    )
}

/// A line that begins with an unknown keyword.
pub(crate) fn unknown_keyword(word: &str, known: &[&'static str]) -> Diagnostic {
    Diagnostic::unknown("keyword", &excerpt(word), known.iter().copied())
}

/// A node that has been declared already.
pub(crate) fn node_twice(name: &str) -> Diagnostic {
    Diagnostic::new(
        format!("node `{}` is declared twice", excerpt(name)),
        "give every node its own name",
    )
}

/// A node that has not been declared.
pub(crate) fn unknown_node(name: &str) -> Diagnostic {
    let name = excerpt(name);
    Diagnostic::new(
        format!("node `{name}` is unknown"),
        format!("declare it above, with `hosts {name}` or `switches {name}`"),
    )
}

/// A setting that is given twice, for the network or for one tier.
pub(crate) fn set_twice(key: &str, tier: Option<u32>) -> Diagnostic {
    Diagnostic::new(
        format!("`{key}` is set twice{}", of_tier(tier)),
        "set it once",
    )
}

/// A required setting that is missing, for the network or for one tier.
pub(crate) fn not_set(key: &str, tier: Option<u32>, example: u32) -> Diagnostic {
    Diagnostic::new(
        format!("`{key}` is not set{}", of_tier(tier)),
        format!("write e.g. `{key} {example}`"),
    )
}

/// A setting at a place where it has no meaning.
pub(crate) fn misplaced(key: &str, place: &str) -> Diagnostic {
    Diagnostic::new(format!("`{key}` does not belong here"), place)
}

/// A value that is impossible.
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
