//! Partitioning: which shard each node belongs to. Shards of equal work, with few messages and no
//! short links between them.
//!
//! Shards grow from a seed node, always by the neighbour that has the largest share of its
//! messages with the shard; then nodes at the borders move as long as that helps (see
//! `graph_growing`). The search repeats this for several numbers of shards, and with links below
//! several delays left uncut, and keeps the plan with the least estimated time. All nodes in one
//! shard is one of the candidates.

mod graph_growing;

use incast_units::Time;

use self::graph_growing::Clusters;

/// Cost of a synchronisation round of several threads, in messages handled: some 3 µs.
const ROUND_COST: u64 = 40;
/// Cost of a message between shards for both sides together, in quarters of a message handled.
const CROSSING_COST: u64 = 1;
/// Number of delays that are tried as the shortest that is cut.
const MAX_DELAYS: usize = 4;

/// A link and its messages, both directions together.
#[derive(Copy, Clone, Debug)]
pub(super) struct LinkLoad {
    pub(super) ends: [u32; 2],
    pub(super) delay: Time,
    pub(super) messages: u64,
}

/// The sides of a network.
const SIDES: [usize; 2] = [0, 1];

/// The load measured for a while.
#[derive(Debug)]
pub(super) struct MeasuredLoad {
    /// By node: messages that arrived, times their cost to the node.
    pub(super) work: Vec<u64>,
    /// By node: its side. Nodes of a side have their rounds together.
    pub(super) sides: Vec<u8>,
    pub(super) links: Vec<LinkLoad>,
    /// Number of turns that had work, or of rounds.
    pub(super) rounds: u64,
    /// Simulated time that passed.
    pub(super) span: Time,
}

/// A partition of the nodes into shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShardPlan {
    /// By node.
    pub(super) shard_of_node: Vec<u16>,
    pub(super) shards: usize,
    /// Smallest delay of a link between shards; [`Time::MAX`] if there is none. No shard can affect
    /// another sooner.
    pub(super) lookahead: Time,
}

impl ShardPlan {
    /// All nodes in one shard.
    pub(super) fn single(nodes: usize) -> Self {
        Self {
            shard_of_node: vec![0; nodes],
            shards: 1,
            lookahead: Time::MAX,
        }
    }

    /// The partition `shard_of_node` into this number of shards.
    pub(super) fn new(shard_of_node: Vec<u16>, shards: usize, links: &[LinkLoad]) -> Self {
        let cut = links.iter().filter(|link| is_cut(&shard_of_node, link));
        let lookahead = cut.map(|link| link.delay).min().unwrap_or(Time::MAX);
        Self {
            shard_of_node,
            shards,
            lookahead,
        }
    }
}

fn is_cut(shard_of_node: &[u16], link: &LinkLoad) -> bool {
    let [one, other] = link.ends.map(|end| shard_of_node[end as usize]);
    one != other
}

impl MeasuredLoad {
    /// The plan with the least estimated time, of at most `max_shards`.
    pub(super) fn best_plan(&self, max_shards: usize) -> ShardPlan {
        let mut best = ShardPlan::single(self.work.len());
        let mut least = self.cost(&best);
        let work: u64 = self.work.iter().sum();
        for shortest in self.candidate_delays() {
            let mut shards = max_shards;
            // No plan takes less than its shards' share of the work.
            while shards > 1 && work / (shards as u64) < least {
                let plan = self.plan(shards, shortest);
                let cost = self.cost(&plan);
                if cost < least {
                    (best, least) = (plan, cost);
                }
                shards = shards.div_ceil(2);
            }
        }
        best
    }

    /// Estimated time of a plan, in messages handled one after another: for each side that of the
    /// shard with most of its work, as if rounds did not overlap, and the synchronisation rounds.
    pub(super) fn cost(&self, plan: &ShardPlan) -> u64 {
        let mut quarters = SIDES.map(|_| vec![0; plan.shards]);
        let place = |node: usize| (self.sides[node], usize::from(plan.shard_of_node[node]));
        for (node, work) in self.work.iter().enumerate() {
            let (side, shard) = place(node);
            quarters[usize::from(side)][shard] += 4 * work;
        }
        for link in &self.links {
            if is_cut(&plan.shard_of_node, link) {
                for end in link.ends {
                    let (side, shard) = place(end as usize);
                    quarters[usize::from(side)][shard] += CROSSING_COST * link.messages / 2;
                }
            }
        }
        let longest = quarters.map(|shards| shards.into_iter().max().unwrap_or(0));
        let rounds = match plan.shards {
            1 => 0,
            _ => self.rounds(plan.lookahead),
        };
        longest.into_iter().sum::<u64>() / 4 + rounds * ROUND_COST
    }

    fn rounds(&self, lookahead: Time) -> u64 {
        (self.span.as_ps() / lookahead.as_ps() + 1).min(self.rounds)
    }

    /// Candidates for the shortest delay between shards, in ascending order.
    fn candidate_delays(&self) -> Vec<Time> {
        let mut delays: Vec<Time> = self.links.iter().map(|link| link.delay).collect();
        delays.sort_unstable();
        delays.dedup();
        let step = delays.len().div_ceil(MAX_DELAYS).max(1);
        delays.into_iter().step_by(step).collect()
    }

    /// A plan of about equal shards; links with a delay below `shortest` are not cut.
    fn plan(&self, shards: usize, shortest: Time) -> ShardPlan {
        let mut clusters = Clusters::new(self, shortest);
        clusters.grow(shards);
        clusters.refine(shards);
        ShardPlan::new(clusters.shard_of_node(), shards, &self.links)
    }
}

#[cfg(test)]
mod tests;
