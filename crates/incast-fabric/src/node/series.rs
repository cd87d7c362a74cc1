//! Samples of a node over time: its queues, and the injection controls of its endpoints.

use incast_engine::Thinning;

use crate::endpoint::Endpoint;
use crate::measure::{ControlSample, OccupancySample};
use crate::packet::Cycle;
use crate::switch::FabricSwitch;

/// Samples of one node at the cycles 0, `every`, 2 · `every` …, thinned so that at most `limit` are
/// kept. Which samples are kept depends only on the cycle of the last one, so all nodes keep the
/// same.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeSeries {
    number: u16,
    ports: u16,
    every: Cycle,
    /// Most sampling times that are kept.
    limit: u64,
    thinning: Thinning,
    next: Cycle,
    /// Place and number of each endpoint whose control is sampled.
    watched: Vec<(usize, u16)>,
    pub(crate) controls: Vec<ControlSample>,
    pub(crate) occupancy: Vec<OccupancySample>,
}

impl NodeSeries {
    /// For a switch with `ports` ports and at most `limit` sampling times. `watched`: place among
    /// the switch's endpoints and number of each sampled endpoint.
    pub(crate) fn new(
        (number, ports): (u16, u16),
        (every, limit): (Cycle, u64),
        watched: Vec<(usize, u16)>,
    ) -> Self {
        Self {
            number,
            ports,
            every,
            limit,
            watched,
            ..Self::default()
        }
    }

    pub(crate) fn thinning(&self) -> Thinning {
        self.thinning
    }

    /// Cycles between samples that are kept.
    pub(crate) fn interval(&self) -> Cycle {
        self.every.saturating_mul(self.thinning.stride())
    }

    /// Thins the samples at least as far as `thinning`.
    pub(crate) fn thin_to(&mut self, thinning: Thinning) {
        if thinning <= self.thinning {
            return;
        }
        self.thinning = thinning;
        let interval = self.interval();
        let is_kept = |cycle: Cycle| cycle.is_multiple_of(interval);
        self.controls.retain(|sample| is_kept(sample.cycle));
        self.occupancy.retain(|sample| is_kept(sample.cycle));
    }

    /// Cycle in which the next sample is due.
    pub(crate) fn next(&self) -> Option<Cycle> {
        (self.every > 0).then_some(self.next)
    }

    /// Takes the sample that is due at `now`, unless thinning drops it.
    pub(crate) fn sample(&mut self, now: Cycle, switch: &FabricSwitch, endpoints: &mut [Endpoint]) {
        let number = now / self.every;
        let mut thinning = self.thinning;
        while number / thinning.stride() >= self.limit {
            thinning = thinning.doubled();
        }
        self.thin_to(thinning);
        if thinning.keeps(number) {
            self.record(now, switch, endpoints);
        }
        self.next = (number / thinning.stride() + 1).saturating_mul(self.interval());
    }

    fn record(&mut self, now: Cycle, switch: &FabricSwitch, endpoints: &mut [Endpoint]) {
        for &(place, endpoint) in &self.watched {
            let state = endpoints[place].control_mut().state(now);
            self.controls.push(ControlSample {
                cycle: now,
                endpoint,
                state,
            });
        }
        let own = endpoints.len() as u16;
        let held = |ports: std::ops::Range<u16>| {
            [0, 1].map(|channel| {
                let held = ports
                    .clone()
                    .map(|port| u64::from(switch.held_by(port, channel)));
                held.sum()
            })
        };
        let mut at_endpoints = [0; 2];
        for endpoint in endpoints.iter() {
            for (sum, waiting) in at_endpoints.iter_mut().zip(endpoint.port().waiting(now)) {
                *sum += waiting;
            }
        }
        self.occupancy.push(OccupancySample {
            cycle: now,
            switch: self.number,
            to_endpoints: held(0..own),
            to_switches: held(own..self.ports),
            at_endpoints,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::FabricConfig;
    use crate::shape::FabricShape;

    /// Samples every 10 cycles up to 100, at most four: cycles 0 to 30 keep all four, cycles 0 to
    /// 70 keep every second, later every fourth.
    #[test]
    fn samples_keep_to_their_limit() {
        let config = FabricConfig::new(FabricShape::fat_tree(8).unwrap());
        let switch = FabricSwitch::new(0, &config);
        let mut series = NodeSeries::new((0, 8), (10, 4), Vec::new());
        let mut until = |end: Cycle| {
            while let Some(at) = series.next().filter(|at| *at <= end) {
                series.sample(at, &switch, &mut []);
            }
            let cycles = series.occupancy.iter().map(|sample| sample.cycle);
            (cycles.collect::<Vec<_>>(), series.interval())
        };
        assert_eq!(until(30), (vec![0, 10, 20, 30], 10));
        assert_eq!(until(70), (vec![0, 20, 40, 60], 20));
        assert_eq!(until(100), (vec![0, 40, 80], 40));
    }
}
