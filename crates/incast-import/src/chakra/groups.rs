//! Process groups: which ranks take part in a collective.

use std::collections::HashMap;

use incast_diagnostic::{Diagnostic, excerpt};
use serde::Deserialize;

/// The process groups of all traces, by name.
pub(super) struct Groups {
    all: u32,
    named: HashMap<String, Vec<u32>>,
}

/// A group, as PyTorch writes it into the inputs of a node, among other things.
#[derive(Deserialize)]
struct WrittenGroup {
    pg_name: String,
    ranks: Vec<u32>,
}

impl Groups {
    /// Those of a trace of so many ranks: all of them are group 0.
    pub(super) fn new(ranks: u32) -> Self {
        let all = (0..ranks).collect();
        Self {
            all: ranks,
            named: HashMap::from([("0".to_owned(), all)]),
        }
    }

    /// Adds the groups of `['[{"pg_name": "1", "ranks": [0, 1]}]']`.
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
            if let Some(rank) = ranks.iter().find(|rank| **rank >= self.all) {
                return Err(no_such_rank(&group.pg_name, *rank, self.all));
            }
            let mut sorted = ranks.clone();
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(rank_twice(&group.pg_name, pair[0]));
            }
            let known = self.named.entry(group.pg_name.clone());
            if *known.or_insert_with(|| ranks.clone()) != ranks {
                return Err(two_groups(&group.pg_name));
            }
        }
        Ok(())
    }

    /// The ranks of a group.
    pub(super) fn ranks(&self, name: &str) -> Result<Vec<u32>, Diagnostic> {
        let ranks = self.named.get(name).cloned();
        ranks.ok_or_else(|| no_such_group(name))
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

fn no_such_group(group: &str) -> Diagnostic {
    Diagnostic::new(
        format!("no node says which ranks are in group `{}`", excerpt(group)),
        "add a METADATA node `process_group:init`; without `pg_name` all ranks take part",
    )
}
