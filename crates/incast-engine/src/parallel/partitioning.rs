//! Partitioning: the assignment of nodes to shards. Shards have equal work, few messages between
//! them, and no short links.
//!
//! A shard grows from a seed node. It repeatedly takes the neighbour that has the largest share of
//! its links with the shard. Then nodes at the borders move as long as that helps (see
//! `graph_growing`). The search repeats this for several numbers of shards, and with links below
//! several delays left uncut. It keeps the plan with the least estimated time. All nodes in one
//! shard is one of the candidates.
//!
//! *Outer* nodes have links to other shards. Before a turn a shard waits only for the outer nodes
//! of other shards in the turn before. So shards need equal work in both sides together. Where the
//! turns of outer nodes would take longer, shards need equal work in each side.

mod graph_growing;

use incast_units::Time;

use self::graph_growing::Clusters;

/// Cost of a synchronisation round of several threads, in messages handled: some 3 µs.
const ROUND_COST: u64 = 40;
/// Cost of a message between shards for both sides together, in quarters of a message handled.
const CROSSING_COST: u64 = 1;
/// Largest change of a shard's load from one examination to the next, in percent. Smaller shards
/// change more.
const MAX_FLUCTUATION_PERCENT: u64 = 10;
/// Largest number of candidates for the shortest delay of links between shards.
const MAX_DELAYS: usize = 4;

/// Expected change of a shard's work, in percent, with this many shards. A finer balance would gain
/// nothing, and separate closely linked nodes.
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

/// The load measured over a span of time.
#[derive(Debug)]
pub(super) struct MeasuredLoad {
    /// By node: messages that arrived, times their cost to the node.
    pub(super) work: Vec<u64>,
    /// By node: its side. The nodes of a side take the same turns.
    pub(super) sides: Vec<u8>,
    pub(super) links: Vec<LinkLoad>,
    /// Number of turns that had work, or of rounds.
    pub(super) rounds: u64,
    /// Simulated time of the measurement.
    pub(super) span: Time,
}

/// The quantity that is divided equally among shards.
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
    /// another sooner than this.
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

/// Parts of the estimated time of a plan, in messages handled one after another.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct PlanCost {
    /// The work of the shard with the most work.
    longest: u64,
    /// Lower bound of the time of the turns: for each side, the largest work of a shard's outer
    /// nodes.
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
    /// The plan of at most `max_shards` shards with the least estimated time, and this time.
    pub(super) fn best_plan(&self, max_shards: usize) -> (ShardPlan, u64) {
        let mut best = ShardPlan::single(self.work.len());
        let mut least = self.cost(&best);
        let work: u64 = self.work.iter().sum();
        for shortest in self.candidate_delays() {
            for equal in [EqualParts::All, EqualParts::EachSide] {
                let mut clusters = Clusters::new(self, shortest, equal);
                let (mut shards, mut are_held_up) = (max_shards, false);
                // No plan takes less than an equal share of the work.
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

    /// A plan of about equal shards, made of whole clusters.
    fn plan(&self, clusters: &mut Clusters, shards: usize) -> ShardPlan {
        clusters.grow(shards);
        clusters.refine(shards);
        ShardPlan::new(clusters.shard_of_node(), shards, &self.links)
    }
}

#[cfg(test)]
mod tests;
