//! The links of a topology file that carry traffic in ns-3.

use std::collections::HashMap;
use std::io::BufRead;

use incast_diagnostic::Diagnostic;
use incast_topology::Link;
use incast_units::NodeId;

use super::header::Header;
use crate::diagnostics;
use crate::text::{Field, TextLine, TextLines};
use crate::topology_note::TopologyNote;

const LINK: &str = "a b rate delay error_rate";

/// Links between nodes, by the file's numbers, each with its line.
pub(super) struct FileLinks {
    pub(super) links: Vec<Link>,
    pub(super) lines: Vec<u64>,
}

/// Reads the announced links. `held` is a line that has been read already.
pub(super) fn read<R: BufRead>(
    lines: &mut TextLines<R>,
    header: &Header,
    held: Option<String>,
) -> Result<FileLinks, Diagnostic> {
    let announced = header.links as usize;
    let mut read = FileLinks {
        links: Vec::new(),
        lines: Vec::new(),
    };
    if let Some(text) = held.filter(|_| announced > 0) {
        read.add(lines.line_again(&text), header)?;
    }
    while read.links.len() < announced {
        let Some(line) = lines.next_line()? else {
            let missing = diagnostics::links_missing(read.links.len(), announced);
            return Err(lines.in_file(missing));
        };
        read.add(line, header)?;
    }
    Ok(read)
}

impl FileLinks {
    fn add(&mut self, line: TextLine<'_>, header: &Header) -> Result<(), Diagnostic> {
        let link = link(line, header)?;
        let checked = link.check(self.links.len());
        checked.map_err(|wrong| line.wrong(wrong))?;
        self.links.push(link);
        self.lines.push(line.number());
        Ok(())
    }

    /// Keeps only the last link between two nodes: ns-3 has one entry for each pair of neighbours,
    /// which each further link overwrites (`nbr2if` of `scratch/third.cc`).
    pub(super) fn keep_the_last_of_two_nodes(&mut self, notes: &mut Vec<TopologyNote>) {
        let pair = |link: &Link| (link.a.min(link.b), link.a.max(link.b));
        let numbered = self.links.iter().enumerate();
        let last: HashMap<_, _> = numbered.map(|(index, link)| (pair(link), index)).collect();
        if last.len() == self.links.len() {
            return;
        }
        let is_last = |index: usize| last[&pair(&self.links[index])] == index;
        for index in (0..self.links.len()).filter(|index| !is_last(*index)) {
            let link = &self.links[index];
            let by = self.lines[last[&pair(link)]];
            notes.push(TopologyNote {
                line: Some(self.lines[index]),
                subject: format!("link {} {}", link.a, link.b),
                outcome: format!("line {by} joins the same nodes, and ns-3 takes the last one"),
            });
        }
        let kept: Vec<_> = (0..self.links.len())
            .filter(|each| is_last(*each))
            .collect();
        self.lines = kept.iter().map(|index| self.lines[*index]).collect();
        self.links = kept.iter().map(|index| self.links[*index]).collect();
    }
}

/// A link between nodes, by the file's numbers.
fn link(line: TextLine<'_>, header: &Header) -> Result<Link, Diagnostic> {
    let mut words = line.words(LINK);
    let a = existing(words.next("a")?, header)?;
    let b = existing(words.next("b")?, header)?;
    let rate = words.next("rate")?.rate()?;
    let delay = words.next("delay")?.delay()?;
    let error_rate = words.next("error_rate")?.probability()?;
    words.end()?;
    Ok(Link {
        error_rate,
        ..Link::new(NodeId(a), NodeId(b), rate, delay)
    })
}

/// A node number, below the announced number of nodes.
pub(super) fn existing(word: Field<'_>, header: &Header) -> Result<u32, Diagnostic> {
    let id = word.integer_32("16")?;
    match id < header.nodes {
        true => Ok(id),
        false => Err(word.wrong(diagnostics::no_such_node(id, header.nodes))),
    }
}
