//! Which nodes are hosts or switches, and their numbers in the file.

use std::io::BufRead;

use incast_diagnostic::Diagnostic;
use incast_topology::Link;
use incast_units::NodeId;

use super::header::Header;
use super::links::existing;
use crate::diagnostics;
use crate::text::{TextLine, TextLines};
use crate::topology_note::TopologyNote;

const SWITCHES: &str = "switch switch …";

/// The file's nodes that the network has: first hosts, then switches, each in the file's order.
pub(super) struct Numbering {
    /// Whether each node of the file is a switch.
    is_switch: Vec<bool>,
    /// The numbers in the file.
    pub(super) old: Vec<u32>,
    pub(super) hosts: u32,
}

/// Reads the list of switches. Also returns a line after the list, if that had to be read.
pub(super) fn read<R: BufRead>(
    lines: &mut TextLines<R>,
    header: &Header,
) -> Result<(Numbering, Option<String>), Diagnostic> {
    let mut is_switch = vec![false; header.nodes as usize];
    let (mut found, mut listed_on) = (0, None);
    // ns-3 reads words, so that the list may extend over several lines.
    while found < header.switches {
        let missing = diagnostics::switch_count(found, header.switches);
        let Some(line) = lines.next_line()? else {
            return Err(lines.in_file(missing));
        };
        let mut words = line.text().split_whitespace();
        match listed_on {
            Some(before) if words.any(|word| word.parse::<u32>().is_err()) => {
                return Err(lines.on_line(before, missing));
            }
            _ => listed_on = Some(line.number()),
        }
        found += mark_switches(line, header, &mut is_switch, found)?;
    }
    let held = match header.tors {
        0 => None,
        tors => after_the_tors(lines, tors, &mut is_switch)?,
    };
    let mut numbering = Numbering {
        is_switch,
        old: Vec::new(),
        hosts: 0,
    };
    numbering.number(|_| true);
    Ok((numbering, held))
}

/// Reads the second list of some forks: ToRs, which are among the switches already, or switches of
/// a wide-area network, which are not. If the next line is no such list, returns the line.
fn after_the_tors<R: BufRead>(
    lines: &mut TextLines<R>,
    tors: u32,
    is_switch: &mut [bool],
) -> Result<Option<String>, Diagnostic> {
    let Some(line) = lines.next_line()? else {
        return Ok(None);
    };
    let words = line.text().split_whitespace();
    let nodes: Option<Vec<usize>> = words.map(|word| word.parse().ok()).collect();
    let is_node = |id: &usize| *id < is_switch.len();
    let listed = nodes.filter(|ids| ids.len() == tors as usize && ids.iter().all(is_node));
    let Some(listed) = listed else {
        return Ok(Some(line.text().to_owned()));
    };
    for id in listed {
        is_switch[id] = true;
    }
    Ok(None)
}

fn mark_switches(
    line: TextLine<'_>,
    header: &Header,
    is_switch: &mut [bool],
    before: u32,
) -> Result<u32, Diagnostic> {
    let mut words = line.words(SWITCHES);
    let mut found = 0;
    while let Some(word) = words.optional("switch") {
        let id = existing(word, header)?;
        if std::mem::replace(&mut is_switch[id as usize], true) {
            return Err(line.wrong(diagnostics::switch_twice(id)));
        }
        found += 1;
    }
    match before + found <= header.switches {
        true => Ok(found),
        false => Err(line.wrong(diagnostics::switch_count(before + found, header.switches))),
    }
}

impl Numbering {
    fn number(&mut self, is_there: impl Fn(u32) -> bool) {
        let all = 0..self.is_switch.len() as u32;
        let (switches, hosts): (Vec<u32>, Vec<u32>) = all
            .filter(|&id| is_there(id))
            .partition(|&id| self.is_switch[id as usize]);
        self.hosts = hosts.len() as u32;
        self.old = [hosts, switches].concat();
    }

    /// Leaves out hosts without a link, which no other node can reach. ns-3 accepts such hosts
    /// unless a flow uses them.
    pub(super) fn leave_out_hosts_without_link(
        &mut self,
        links: &[Link],
        notes: &mut Vec<TopologyNote>,
    ) {
        let mut is_joined = self.is_switch.clone();
        for node in links.iter().flat_map(|link| [link.a, link.b]) {
            is_joined[node.index()] = true;
        }
        let alone: Vec<u32> = (0..)
            .zip(&is_joined)
            .filter(|(_, is)| !**is)
            .map(|each| each.0)
            .collect();
        let Some(first) = alone.first() else { return };
        self.number(|id| is_joined[id as usize]);
        let subject = match alone.len() {
            1 => format!("node {first}"),
            count => format!("node {first} and {} more", count - 1),
        };
        notes.push(TopologyNote {
            line: None,
            subject,
            outcome: "no link joins it: left out".to_owned(),
        });
    }

    /// How many of the file's switches the network has.
    pub(super) fn switches(&self) -> u32 {
        self.old.len() as u32 - self.hosts
    }

    /// The links, with the new numbers of their nodes.
    pub(super) fn renumbered(&self, links: &[Link]) -> Vec<Link> {
        let mut new = vec![0; self.is_switch.len()];
        for (number, &id) in (0..).zip(&self.old) {
            new[id as usize] = number;
        }
        let number = |node: NodeId| NodeId(new[node.index()]);
        let renumbered = links.iter().map(|link| Link {
            a: number(link.a),
            b: number(link.b),
            ..*link
        });
        renumbered.collect()
    }
}
