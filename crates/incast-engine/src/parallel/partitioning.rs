//! Partitioning: which shard each node belongs to. Shards of equal work, with few messages and no
//! short links between them.
//!
//! Shards grow from a seed node, always by the neighbour that has the largest share of its links
//! with the shard; then nodes at the borders move as long as that helps (see `graph_growing`). The
//! search repeats this for several numbers of shards, and with links below several delays left
//! uncut, and keeps the plan with the least estimated time. All nodes in one shard is one of the
//! candidates.
//!
//! Before a turn a shard waits for what the others' outer nodes, which have links to other shards,
//! did in the turn before, and for nothing else. So shards are to have equal work over both sides
//! together; only where turns of outer nodes would take longer than that, in each side.

mod graph_growing;

use incast_units::Time;

use self::graph_growing::Clusters;

/// Cost of a synchronisation round of several threads, in messages handled: some 3 µs.
const ROUND_COST: u64 = 40;
/// Cost of a message between shards for both sides together, in quarters of a message handled.
const CROSSING_COST: u64 = 1;
/// How much the load of a shard changes from one examination to the next, in hundredths: the more,
/// the smaller it is, up to this.
const MAX_FLUCTUATION_PERCENT: u64 = 10;
/// Number of delays that are tried as the shortest that is cut.
const MAX_DELAYS: usize = 4;

/// How much of its work a shard of so many is taken to have more or less soon, in hundredths. To
/// balance work better would gain nothing, and tear apart what is closely linked.
pub(super) fn fluctuation_percent(shards: usize) -> u64 {
    (shards as u64).min(MAX_FLUCTUATION_PERCENT)
}

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

/// The quantity of which every shard is to have an equal part.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum EqualParts {
    /// Of all work.
    All,
    /// The work of each side.
    EachSide,
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
    /// By node: whether it has a link to another shard.
    pub(super) outer: Vec<bool>,
}

impl ShardPlan {
    /// All nodes in one shard.
    pub(super) fn single(nodes: usize) -> Self {
        Self::new(vec![0; nodes], 1, &[])
    }

    /// The partition `shard_of_node` into this number of shards.
    pub(super) fn new(shard_of_node: Vec<u16>, shards: usize, links: &[LinkLoad]) -> Self {
        let (mut lookahead, mut outer) = (Time::MAX, vec![false; shard_of_node.len()]);
        for link in links.iter().filter(|link| is_cut(&shard_of_node, link)) {
            lookahead = lookahead.min(link.delay);
            for end in link.ends {
                outer[end as usize] = true;
            }
        }
        Self {
            shard_of_node,
            shards,
            lookahead,
            outer,
        }
    }
}

fn is_cut(shard_of_node: &[u16], link: &LinkLoad) -> bool {
    let [one, other] = link.ends.map(|end| shard_of_node[end as usize]);
    one != other
}

/// Estimated time of a plan, in messages handled one after another.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct PlanCost {
    /// The work of the shard with most of it.
    longest: u64,
    /// What the turns take at least: for each side the outer nodes of the shard where they have
    /// most work.
    turns: u64,
    /// The synchronisation rounds.
    rounds: u64,
}

impl PlanCost {
    fn total(self) -> u64 {
        self.longest.max(self.turns) + self.rounds
    }
}

impl MeasuredLoad {
    /// The plan with the least estimated time, of at most `max_shards`, and that time.
    pub(super) fn best_plan(&self, max_shards: usize) -> (ShardPlan, u64) {
        let mut best = ShardPlan::single(self.work.len());
        let mut least = self.cost(&best);
        let work: u64 = self.work.iter().sum();
        for shortest in self.candidate_delays() {
            for equal in [EqualParts::All, EqualParts::EachSide] {
                let mut clusters = Clusters::new(self, shortest, equal);
                let (mut shards, mut are_held_up) = (max_shards, false);
                // No plan takes less than its shards' share of the work.
                while shards > 1 && work / (shards as u64) < least {
                    let plan = self.plan(&mut clusters, shards);
                    let cost = self.parts_of_cost(&plan);
                    are_held_up |= cost.turns > cost.longest;
                    if cost.total() < least {
                        (best, least) = (plan, cost.total());
                    }
                    shards = shards.div_ceil(2);
                }
                if !are_held_up {
                    break;
                }
            }
        }
        (best, least)
    }

    /// Estimated time of a plan, in messages handled one after another.
    pub(super) fn cost(&self, plan: &ShardPlan) -> u64 {
        self.parts_of_cost(plan).total()
    }

    fn parts_of_cost(&self, plan: &ShardPlan) -> PlanCost {
        let mut crossing = vec![0; self.work.len()];
        for link in &self.links {
            if is_cut(&plan.shard_of_node, link) {
                for end in link.ends {
                    crossing[end as usize] += CROSSING_COST * link.messages / 2;
                }
            }
        }
        let mut all = vec![0; plan.shards];
        let mut outer = SIDES.map(|_| vec![0; plan.shards]);
        for (node, (work, crossing)) in self.work.iter().zip(crossing).enumerate() {
            let shard = usize::from(plan.shard_of_node[node]);
            let quarters = 4 * work + crossing;
            all[shard] += quarters;
            if plan.outer[node] {
                outer[usize::from(self.sides[node])][shard] += quarters;
            }
        }
        let most = |quarters: &Vec<u64>| quarters.iter().max().map_or(0, |most| most / 4);
        let rounds = match plan.shards {
            1 => 0,
            _ => self.rounds(plan.lookahead),
        };
        PlanCost {
            longest: most(&all),
            turns: outer.iter().map(most).sum(),
            rounds: rounds * ROUND_COST,
        }
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

    /// A plan of about equal shards, of clusters that are not cut.
    fn plan(&self, clusters: &mut Clusters, shards: usize) -> ShardPlan {
        clusters.grow(shards);
        clusters.refine(shards);
        ShardPlan::new(clusters.shard_of_node(), shards, &self.links)
    }
}

#[cfg(test)]
mod tests;
