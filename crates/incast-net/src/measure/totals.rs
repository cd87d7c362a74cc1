//! Totals over the network at the times of samples, and how those of several threads become one.

use incast_units::Time;

/// Totals over a network at one sampling time.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Tick {
    /// When.
    pub time: Time,
    /// Longest queue of any switch port.
    pub queue_max: u64,
    /// Sum of all switch ports' queues.
    pub queue_sum: u64,
    /// Flows alive.
    pub alive: u64,
    /// Payload bytes acknowledged in order since the tick before, for any flow.
    pub acked: u64,
    /// Flows alive ever since the tick before.
    pub whole: u64,
    /// Payload bytes acknowledged since then, summed over those flows.
    pub acked_sum: u64,
    /// Sum of the squares of the same.
    pub acked_square_sum: u128,
    /// Ports of switches and hosts that the peer has paused; in queue ticks.
    pub paused_ports: u64,
}

/// Totals that may stay the same over many samples.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StandingTotals {
    /// Flows alive ever since the sample before, which get nothing.
    pub(crate) alive: u64,
    /// Ports that the peer has paused.
    pub(crate) paused_ports: u64,
}

impl StandingTotals {
    pub(crate) fn add(&mut self, other: Self) {
        self.alive += other.alive;
        self.paused_ports += other.paused_ports;
    }
}

impl Tick {
    /// A tick without any counts, at a time.
    pub(crate) fn at(time: Time) -> Self {
        Self {
            time,
            ..Self::default()
        }
    }

    /// A tick with nothing but what was acknowledged since the tick before.
    pub(crate) fn of_acked(acked: u64) -> Self {
        Self {
            acked,
            ..Self::default()
        }
    }

    /// Whether there was nothing. What is summed over flows or queues is zero where these are.
    #[inline]
    pub(crate) fn is_zero(&self) -> bool {
        self.queue_max | self.alive | self.acked | self.paused_ports == 0
    }

    /// Adds what another node had at the same time as at those around it.
    #[inline]
    pub(crate) fn add(&mut self, standing: StandingTotals) {
        self.alive += standing.alive;
        self.whole += standing.alive;
        self.paused_ports += standing.paused_ports;
    }

    /// Adds what other nodes had at the same time.
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
