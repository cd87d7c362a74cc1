//! Process groups: the ranks that take part in a collective.
//!
//! Groups stand in the traces, as PyTorch writes them. Or they stand in a separate file, `{"1": [0,
//! 1], "2": [2, 3]}`, which ASTRA-sim reads (`comm_group.json`) and its generator STG writes. Group
//! 0 has all ranks, unless the file defines it.

use std::collections::{HashMap, HashSet};
use std::io::Read;

use incast_diagnostic::{Diagnostic, excerpt};
use serde::Deserialize;

mod file;

/// The process groups of all traces, by name.
pub(super) struct Groups {
    all: u32,
    named: HashMap<String, Vec<u32>>,
    has_file: bool,
}

/// A group in the inputs of a node, as PyTorch writes it; other fields are not read.
#[derive(Deserialize)]
struct WrittenGroup {
    pg_name: String,
    ranks: Vec<u32>,
}

impl Groups {
    /// The groups of a trace of `ranks` ranks before any is read: group 0, with all ranks.
    pub(super) fn new(ranks: u32) -> Self {
        let all = (0..ranks).collect();
        Self {
            all: ranks,
            named: HashMap::from([("0".to_owned(), all)]),
            has_file: false,
        }
    }

    /// Whether there is a file of groups.
    pub(super) fn has_file(&self) -> bool {
        self.has_file
    }

    /// Adds the groups of a file, which must be read before the traces.
    pub(super) fn read_file(&mut self, file: impl Read) -> Result<(), Diagnostic> {
        let groups = file::read(file)?;
        self.has_file = true;
        let mut seen = HashSet::new();
        for (name, ranks) in groups {
            if ranks.is_empty() {
                return Err(no_ranks(&name));
            }
            self.check(&name, &ranks)?;
            if !seen.insert(name.clone()) {
                return Err(group_twice(&name));
            }
            self.named.insert(name, ranks);
        }
        Ok(())
    }

    /// Adds the groups in the inputs of a node: `['[{"pg_name": "1", "ranks": [0, 1]}]']`.
    pub(super) fn read(&mut self, inputs: &str) -> Result<(), Diagnostic> {
        if inputs.is_empty() {
            return Ok(());
        }
        let json = inputs
            .strip_prefix("['")
            .and_then(|json| json.strip_suffix("']"));
        let groups = json.and_then(|json| serde_json::from_str::<Vec<WrittenGroup>>(json).ok());
        for group in groups.ok_or_else(|| no_groups(inputs))? {
            let ranks = match group.ranks.is_empty() {
                true => (0..self.all).collect(),
                false => group.ranks,
            };
            self.check(&group.pg_name, &ranks)?;
            let known = self.named.entry(group.pg_name.clone());
            if *known.or_insert_with(|| ranks.clone()) != ranks {
                return Err(two_groups(&group.pg_name));
            }
        }
        Ok(())
    }

    /// Checks that each rank of a group exists, and is listed once.
    fn check(&self, name: &str, ranks: &[u32]) -> Result<(), Diagnostic> {
        if let Some(rank) = ranks.iter().find(|rank| **rank >= self.all) {
            return Err(no_such_rank(name, *rank, self.all));
        }
        let mut sorted = ranks.to_vec();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(rank_twice(name, pair[0])),
            None => Ok(()),
        }
    }

    /// The ranks of a group.
    pub(super) fn ranks(&self, name: &str) -> Result<Vec<u32>, Diagnostic> {
        let ranks = self.named.get(name).cloned();
        ranks.ok_or_else(|| match self.has_file {
            true => not_in_file(name),
            false => no_such_group(name),
        })
    }

    /// The hint of the error that ranks of a group have different numbers of collectives.
    pub(super) fn hint(&self) -> &'static str {
        match self.has_file {
            true => "all ranks of a group take part in each: is a file cut off?",
            false => {
                "all ranks of a group take part in each: is a file cut off, or are the groups in a \
                 `comm_group.json`? Then give `groups = { file = \"comm_group.json\" }`"
            }
        }
    }
}

fn no_groups(text: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{}` are no process groups", excerpt(text)),
        "PyTorch writes `['[{\"pg_name\": \"1\", \"ranks\": [0, 1]}]']`",
    )
}

fn no_such_rank(group: &str, rank: u32, ranks: u32) -> Diagnostic {
    Diagnostic::new(
        format!(
            "group `{}` has rank {rank}, which does not exist",
            excerpt(group)
        ),
        format!("there are {ranks} ranks, counted from 0"),
    )
}

fn rank_twice(group: &str, rank: u32) -> Diagnostic {
    let what = format!("group `{}` has rank {rank} twice", excerpt(group));
    Diagnostic::new(what, "leave one")
}

fn two_groups(group: &str) -> Diagnostic {
    Diagnostic::new(
        format!(
            "two groups of different ranks, or with them in another order, are called `{}`",
            excerpt(group)
        ),
        "give each its own name; 0 are all ranks",
    )
}

fn no_ranks(group: &str) -> Diagnostic {
    let what = format!("group `{}` has no ranks", excerpt(group));
    Diagnostic::new(what, "give it some, or leave it out")
}

fn group_twice(group: &str) -> Diagnostic {
    let what = format!("group `{}` stands there twice", excerpt(group));
    Diagnostic::new(what, "leave one")
}

fn not_in_file(group: &str) -> Diagnostic {
    let what = format!("group `{}` is not in the file of groups", excerpt(group));
    Diagnostic::new(what, "add it there, with its ranks")
}

fn no_such_group(group: &str) -> Diagnostic {
    Diagnostic::new(
        format!("no node says which ranks are in group `{}`", excerpt(group)),
        "give ASTRA-sim's file, `groups = { file = \"comm_group.json\" }`, or add a METADATA node \
         `process_group:init`; without `pg_name` all ranks take part",
    )
}
