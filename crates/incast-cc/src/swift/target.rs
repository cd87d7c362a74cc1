//! The target delay: Eq. (1).

use super::SwiftConfig;

/// Target delay of a flow, in picoseconds.
#[derive(Clone, Debug)]
pub(super) struct TargetDelay {
    base: f64,
    per_hop: f64,
    scaling: Option<FlowScaling>,
}

/// Flow-based scaling: the smaller a flow's window, the larger its target.
#[derive(Clone, Debug)]
struct FlowScaling {
    /// a
    slope: f64,
    /// b
    offset: f64,
    /// fs_range
    range: f64,
}

impl TargetDelay {
    pub(super) fn new(config: &SwiftConfig) -> Self {
        Self {
            base: config.base_target.as_ps() as f64,
            per_hop: config.per_hop.as_ps() as f64,
            scaling: config.flow_scaling.then(|| FlowScaling::new(config)),
        }
    }

    /// Eq. (1), for a path through `hops` switches and a window in packets.
    pub(super) fn delay(&self, hops: u8, packets: f64) -> f64 {
        let scaled = match &self.scaling {
            Some(scaling) => scaling.delay(packets),
            None => 0.0,
        };
        self.base + f64::from(hops) * self.per_hop + scaled
    }
}

impl FlowScaling {
    fn new(config: &SwiftConfig) -> Self {
        let range = config.flow_scaling_range.as_ps() as f64;
        let (least, most) = (config.fs_min_packets.sqrt(), config.fs_max_packets.sqrt());
        let slope = range / (1.0 / least - 1.0 / most);
        Self {
            slope,
            offset: -slope / most,
            range,
        }
    }

    fn delay(&self, packets: f64) -> f64 {
        (self.slope / packets.sqrt() + self.offset).clamp(0.0, self.range)
    }
}
