//! Totals over the network at the times of samples, and their merging across threads.

use incast_units::Time;

/// Totals over a network at one sampling time.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Tick {
    /// When.
    pub time: Time,
    /// Longest queue of any switch port, in bytes.
    pub queue_max: u64,
    /// Sum of all switch ports' queues, in bytes.
    pub queue_sum: u64,
    /// Flows alive.
    pub alive: u64,
    /// Payload bytes of all flows acknowledged in order since the previous tick.
    pub acked: u64,
    /// Flows alive during the whole interval since the previous tick.
    pub whole: u64,
    /// Payload bytes of these flows acknowledged since then, summed.
    pub acked_sum: u64,
    /// Sum of the squares of these flows' acknowledged bytes.
    pub acked_square_sum: u128,
    /// Ports of switches and hosts that their peers have paused; in queue ticks.
    pub paused_ports: u64,
}

/// Totals that may stay the same over many samples.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StandingTotals {
    /// Flows alive since the sample before, without acknowledged bytes.
    pub(crate) alive: u64,
    /// Ports that their peers have paused.
    pub(crate) paused_ports: u64,
}

impl StandingTotals {
    pub(crate) fn add(&mut self, other: Self) {
        self.alive += other.alive;
        self.paused_ports += other.paused_ports;
    }
}

impl Tick {
    /// A tick without any counts at this time.
    pub(crate) fn at(time: Time) -> Self {
        Self {
            time,
            ..Self::default()
        }
    }

    /// A tick with only the bytes acknowledged since the previous tick.
    pub(crate) fn of_acked(acked: u64) -> Self {
        Self {
            acked,
            ..Self::default()
        }
    }

    /// Whether all totals are zero. Sums over flows or queues are zero if the tested totals are.
    #[inline]
    pub(crate) fn is_zero(&self) -> bool {
        self.queue_max | self.alive | self.acked | self.paused_ports == 0
    }

    /// Adds a node's totals that are equal at several samples.
    #[inline]
    pub(crate) fn add(&mut self, standing: StandingTotals) {
        self.alive += standing.alive;
        self.whole += standing.alive;
        self.paused_ports += standing.paused_ports;
    }

    /// Adds other nodes' totals at the same time.
    pub(crate) fn merge(&mut self, other: &Self) {
        let Self {
            time: _,
            queue_max,
            queue_sum,
            alive,
            acked,
            whole,
            acked_sum,
            acked_square_sum,
            paused_ports,
        } = self;
        *queue_max = other.queue_max.max(*queue_max);
        *queue_sum += other.queue_sum;
        *alive += other.alive;
        *acked += other.acked;
        *whole += other.whole;
        *acked_sum += other.acked_sum;
        *acked_square_sum += other.acked_square_sum;
        *paused_ports += other.paused_ports;
    }
}
