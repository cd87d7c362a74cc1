//! Which part each node belongs to: parts of equal work, with few messages between them and no
//! short links.
//!
//! Parts grow from a node, always by the neighbour that has most of its messages with them; then
//! nodes at the borders change sides as long as that helps. It is done for several numbers of
//! parts, and with links below several delays left uncut, and the plan that should take the
//! least time is kept; that all nodes stay together is one of them.

mod growth;

use incast_units::Time;

use self::growth::Clusters;

/// Part of all work that the coordinator does beside, in hundredths: flows begin and end with it.
const CONDUCTING: u64 = 2;
/// What a round costs that several threads run, in messages handled: some 3 µs.
const ROUND: u64 = 40;
/// What a message from part to part costs both sides together, in quarters of one handled.
const CROSSING: u64 = 1;
/// As many delays as this are tried as the shortest that is cut.
const MOST_DELAYS: usize = 4;

/// A link, both directions together.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) ends: [u32; 2],
    pub(crate) delay: Time,
    pub(crate) messages: u64,
}

/// What was measured for a while.
#[derive(Debug)]
pub(crate) struct Load {
    /// By node: messages that arrived, times what they cost it.
    pub(crate) work: Vec<u64>,
    pub(crate) edges: Vec<Edge>,
    /// Windows that had work.
    pub(crate) windows: u64,
    /// Simulated time that passed.
    pub(crate) span: Time,
}

/// A partitioning of the nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// By node: its part.
    pub(crate) homes: Vec<u16>,
    pub(crate) parts: usize,
    /// Smallest delay of a link between parts; [`Time::MAX`] if there is none.
    pub(crate) lookahead: Time,
}

impl Plan {
    /// All nodes in one part.
    pub(crate) fn whole(nodes: usize) -> Self {
        Self {
            homes: vec![0; nodes],
            parts: 1,
            lookahead: Time::MAX,
        }
    }

    /// The partitioning by `homes`, of which there are `parts`.
    pub(crate) fn new(homes: Vec<u16>, parts: usize, edges: &[Edge]) -> Self {
        let cut = edges.iter().filter(|edge| is_cut(&homes, edge));
        let lookahead = cut.map(|edge| edge.delay).min().unwrap_or(Time::MAX);
        Self {
            homes,
            parts,
            lookahead,
        }
    }
}

fn is_cut(homes: &[u16], edge: &Edge) -> bool {
    let [one, other] = edge.ends.map(|end| homes[end as usize]);
    one != other
}

impl Load {
    /// The plan for at most `most` parts that should take the least time.
    pub(crate) fn best_plan(&self, most: usize) -> Plan {
        let mut best = Plan::whole(self.work.len());
        let mut least = self.cost(&best);
        for shortest in self.delays() {
            let mut parts = most;
            while parts > 1 {
                let plan = self.plan(parts, shortest);
                let cost = self.cost(&plan);
                if cost < least {
                    (best, least) = (plan, cost);
                }
                parts = parts.div_ceil(2);
            }
        }
        best
    }

    /// What it should take, in messages handled one after another.
    pub(crate) fn cost(&self, plan: &Plan) -> u64 {
        let mut parts = vec![0; plan.parts];
        parts[0] = 4 * self.conducting();
        for (work, &home) in self.work.iter().zip(&plan.homes) {
            parts[usize::from(home)] += 4 * work;
        }
        for edge in &self.edges {
            if is_cut(&plan.homes, edge) {
                for end in edge.ends {
                    parts[usize::from(plan.homes[end as usize])] += CROSSING * edge.messages / 2;
                }
            }
        }
        let rounds = match plan.parts {
            1 => 0,
            _ => self.rounds(plan.lookahead),
        };
        parts.into_iter().max().unwrap_or(0) / 4 + rounds * ROUND
    }

    /// Work that belongs to no node, but to the first part.
    fn conducting(&self) -> u64 {
        self.work.iter().sum::<u64>() * CONDUCTING / 100
    }

    fn rounds(&self, lookahead: Time) -> u64 {
        (self.span.as_ps() / lookahead.as_ps() + 1).min(self.windows)
    }

    /// Delays that the shortest link between parts may have, the smallest first.
    fn delays(&self) -> Vec<Time> {
        let mut delays: Vec<Time> = self.edges.iter().map(|edge| edge.delay).collect();
        delays.sort_unstable();
        delays.dedup();
        let step = delays.len().div_ceil(MOST_DELAYS).max(1);
        delays.into_iter().step_by(step).collect()
    }

    /// About equal `parts`; links with a delay below `shortest` are not cut.
    fn plan(&self, parts: usize, shortest: Time) -> Plan {
        let mut clusters = Clusters::new(self, shortest);
        clusters.grow(parts, self.conducting());
        clusters.refine(parts);
        Plan::new(clusters.homes(), parts, &self.edges)
    }
}

#[cfg(test)]
mod tests;
