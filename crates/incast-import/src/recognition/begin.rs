//! The begin of a file, which distinguishes formats.

use crate::hpcc_ns3::is_key;

/// Number of bytes at the begin of a file that are read.
pub(super) const LENGTH: u64 = 1 << 16;

/// The first bytes of a file, and the complete, non-blank lines in them.
pub(super) struct FileBegin {
    pub(super) bytes: Vec<u8>,
    pub(super) extension: String,
    text: String,
}

impl FileBegin {
    pub(super) fn new(bytes: Vec<u8>, extension: &str) -> Self {
        let is_cut = bytes.len() as u64 == LENGTH;
        let text = match str::from_utf8(&bytes) {
            Ok(text) => text,
            // The last character may be incomplete.
            Err(error) if is_cut && error.error_len().is_none() => {
                str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(_) => "",
        };
        let text = text.trim_start_matches('\u{feff}');
        let text = match text.rfind('\n') {
            Some(end) if is_cut => &text[..end],
            _ => text,
        };
        Self {
            text: text.to_owned(),
            extension: extension.to_ascii_lowercase(),
            bytes,
        }
    }

    /// The text; empty if the file is not text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    fn lines(&self) -> impl Iterator<Item = &str> {
        let lines = self.text.lines().map(str::trim);
        lines.filter(|line| !line.is_empty())
    }

    /// Lines that do not begin with a comment sign.
    fn spoken(&self) -> impl Iterator<Item = &str> {
        self.lines()
            .filter(|line| !line.starts_with('#') && !line.starts_with("//"))
    }

    /// The first words of the first two lines that are not comments.
    pub(super) fn first_words(&self) -> Vec<&str> {
        let words = self.spoken().take(2);
        words
            .filter_map(|line| line.split_whitespace().next())
            .collect()
    }

    pub(super) fn is_scenario(&self) -> bool {
        let mut lines = self.lines();
        self.extension == "toml"
            && lines.any(|line| line.starts_with("[network") || line.starts_with("[fabric"))
    }

    /// Whether two lines begin with keys of the artifact. In the artifact's own printout of its
    /// settings, `Yes` and `No` replace 1 and 0; this printout is not a configuration.
    pub(super) fn is_hpcc_config(&self) -> bool {
        let settings = self.lines().filter_map(|line| {
            let mut words = line.split_whitespace();
            let key = words.next().filter(|word| is_key(word))?;
            Some((key, words.next()?))
        });
        let settings: Vec<_> = settings.collect();
        let is_printed = |(_, value): &(&str, &str)| matches!(*value, "Yes" | "No");
        settings.len() > 1 && !settings.iter().any(is_printed)
    }

    /// The name of the root element, if the file is XML.
    fn root(&self) -> Option<&str> {
        let mut rest = self.text.trim_start();
        loop {
            let end = match rest {
                _ if rest.starts_with("<!--") => "-->",
                _ if rest.starts_with("<?") => "?>",
                _ if rest.starts_with("<!") => ">",
                _ => break,
            };
            rest = rest[rest.find(end)? + end.len()..].trim_start();
        }
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let element = rest.strip_prefix('<')?;
        element.split(|c| !is_part(c)).next()
    }

    /// Whether the file is XML with this root element, and has a tag that begins with `inner`.
    fn is_xml_with(&self, root: &str, inner: &str) -> bool {
        self.root() == Some(root) && self.text.contains(inner)
    }

    pub(super) fn is_msccl(&self) -> bool {
        self.is_xml_with("algo", "nchunksperloop")
    }

    pub(super) fn is_nccl_graphs(&self) -> bool {
        self.is_xml_with("graphs", "<graph ")
    }

    pub(super) fn is_nccl_topology(&self) -> bool {
        self.is_xml_with("system", "<cpu ")
    }

    /// Whether the first line names the columns of SimCCL that are used.
    pub(super) fn is_simccl(&self) -> bool {
        self.has_columns(&["collective", "flow_id", "parent_flow_ids"])
    }

    /// Whether the first line names these columns.
    fn has_columns(&self, names: &[&str]) -> bool {
        let head = self.lines().next().unwrap_or_default();
        let columns: Vec<_> = head.split(',').map(str::trim).collect();
        names.iter().all(|name| columns.contains(name))
    }

    pub(super) fn is_htsim_topology(&self) -> bool {
        let is_keyword = |line: &str| {
            let first = line.split_whitespace().next();
            matches!(first, Some("Tiers" | "Podsize" | "Tier"))
        };
        let starts = matches!(
            self.first_words().first(),
            Some(&("Nodes" | "Tiers" | "Podsize"))
        );
        starts && self.spoken().any(is_keyword)
    }

    pub(super) fn is_graph(&self) -> bool {
        let keyword = self.first_words();
        let is_link = |line: &str| line.starts_with("link ");
        matches!(keyword.first(), Some(&("hosts" | "switches"))) && self.spoken().any(is_link)
    }

    pub(super) fn is_csv(&self) -> bool {
        self.has_columns(&["source", "destination", "size_bytes"])
    }

    /// Whether lines are FCTs of the artifact: two hexadecimal addresses, two ports, a size, three
    /// times.
    pub(super) fn is_fct(&self) -> bool {
        let words: Vec<_> = self
            .lines()
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let is_address = |word: &&str| word.len() == 8 && u32::from_str_radix(word, 16).is_ok();
        words.len() == 8 && words[..2].iter().all(is_address) && are_numbers(&words[2..])
    }

    /// Whether the first line is a single number, and the next lines have five or six numbers.
    pub(super) fn is_hpcc_flows(&self) -> bool {
        let mut lines = self.lines();
        let first = lines.next().unwrap_or_default();
        let second: Vec<_> = lines
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        first.parse::<u64>().is_ok() && matches!(second.len(), 5 | 6) && are_numbers(&second)
    }

    /// Whether the file has three or more numbers, then node numbers, then a link: two nodes, a
    /// rate, a delay.
    pub(super) fn is_hpcc_topology(&self) -> bool {
        let mut lines = self.lines();
        let head: Vec<_> = lines
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let counts = head.iter().take_while(|word| word.parse::<u64>().is_ok());
        let is_head = match counts.count() {
            count @ 3..=6 => count == head.len(),
            _ => false,
        } || (head.len() == 6 && are_numbers(&head[..5]));
        let is_link = |line: &str| {
            let words: Vec<_> = line.split_whitespace().collect();
            let has_units = words.len() == 5 && !are_numbers(&words[2..4]);
            has_units && are_numbers(&words[..2]) && are_numbers(&words[4..])
        };
        is_head && lines.take(64).any(is_link)
    }

    /// Whether all lines have two or three numbers, and the last column increases to 1 or 100.
    pub(super) fn is_sizes(&self) -> bool {
        let separator = |c: char| c.is_whitespace() || c == ',' || c == ';';
        let rows: Vec<Vec<&str>> = self
            .spoken()
            .map(|line| {
                line.split(separator)
                    .filter(|word| !word.is_empty())
                    .collect()
            })
            .collect();
        let head = rows
            .first()
            .is_some_and(|row| row.iter().all(|word| word.parse::<f64>().is_err()));
        let rows = &rows[usize::from(head)..];
        let columns = rows.first().map_or(0, Vec::len);
        let last: Vec<f64> = rows
            .iter()
            .filter_map(|row| row.last()?.parse().ok())
            .collect();
        rows.len() > 1
            && matches!(columns, 2 | 3)
            && rows
                .iter()
                .all(|row| row.len() == columns && are_numbers(row))
            && last.is_sorted()
            && last.last().is_some_and(|end| [1.0, 100.0].contains(end))
    }
}

fn are_numbers(words: &[&str]) -> bool {
    words.iter().all(|word| word.parse::<f64>().is_ok())
}
