//! Progressive filling with flows that come and go.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

/// Links with capacities, and flows that come and go.
pub(crate) struct FillingNetwork<'a> {
    /// Capacity of each link, in bytes per ps.
    capacities: &'a [f64],
    flows: Vec<Demand>,
    /// For each link, the flows on it, each with the share of the flow that crosses the link.
    on_link: Vec<Vec<(u32, f64)>>,
    /// The free part of each link, while rates are filled.
    left: Vec<Left>,
    seen_links: Marks,
    seen_flows: Marks,
}

/// The free part of a link.
#[derive(Copy, Clone, Debug, Default)]
struct Left {
    capacity: f64,
    /// Number of flows that share the free capacity.
    flows: u32,
    /// Sum of the link's shares of flows that share the free capacity.
    shares: f64,
}

/// A flow that always has data to send.
struct Demand {
    /// The links of the flow, each with the share of the flow that crosses it.
    links: Vec<(u32, f64)>,
    start: u64,
    end: u64,
    rate: f64,
    /// Bytes that the flow got up to `since`.
    got: f64,
    since: u64,
}

impl Demand {
    /// Advances the flow to `now`, at its current rate.
    fn settle(&mut self, now: u64) {
        self.got += self.rate * (now - self.since) as f64;
        self.since = now;
    }
}

impl<'a> FillingNetwork<'a> {
    pub(crate) fn new(capacities: &'a [f64]) -> Self {
        Self {
            capacities,
            flows: Vec::new(),
            on_link: vec![Vec::new(); capacities.len()],
            left: vec![Left::default(); capacities.len()],
            seen_links: Marks::new(capacities.len()),
            seen_flows: Marks::default(),
        }
    }

    /// Adds a flow from `start` to `end` in ps; `spread` has its links, each with a share of its
    /// data.
    pub(crate) fn add(&mut self, spread: &[(u32, f64)], start: u64, end: u64) {
        self.flows.push(Demand {
            links: spread.to_vec(),
            start,
            end,
            rate: 0.0,
            got: 0.0,
            since: start,
        });
    }

    /// Bytes that each flow gets at its max-min fair rate; `None` if `go_on` breaks off.
    pub(crate) fn fair_bytes(
        mut self,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Option<Vec<f64>> {
        self.seen_flows = Marks::new(self.flows.len());
        let mut changes = self.changes();
        let mut rest = changes.as_mut_slice();
        while let Some(&mut (now, ..)) = rest.first_mut() {
            let count = rest.iter().take_while(|change| change.0 == now).count();
            let (group, later) = rest.split_at_mut(count);
            for &mut (_, comes, flow) in group.iter_mut() {
                if comes {
                    self.arrive(flow)
                } else {
                    self.leave(flow, now)
                }
            }
            let changed: Vec<u32> = group.iter().map(|change| change.2).collect();
            self.fill_around(&changed, now);
            if go_on().is_break() {
                return None;
            }
            rest = later;
        }
        Some(self.flows.iter().map(|flow| flow.got).collect())
    }

    /// Arrivals and departures in order of time, departures first: (time, whether it is an arrival,
    /// flow).
    fn changes(&self) -> Vec<(u64, bool, u32)> {
        let both = self.flows.iter().enumerate().flat_map(|(index, flow)| {
            let index = index as u32;
            [(flow.start, true, index), (flow.end, false, index)]
        });
        // Flows without duration are left out.
        let mut changes: Vec<_> = both
            .filter(|&(.., flow)| self.flows[flow as usize].start < self.flows[flow as usize].end)
            .collect();
        changes.sort_unstable();
        changes
    }

    fn arrive(&mut self, flow: u32) {
        for &(link, share) in &self.flows[flow as usize].links {
            self.on_link[link as usize].push((flow, share));
        }
    }

    fn leave(&mut self, flow: u32, now: u64) {
        let demand = &mut self.flows[flow as usize];
        demand.settle(now);
        for &(link, _) in &demand.links {
            let on_link = &mut self.on_link[link as usize];
            let place = on_link.iter().position(|(other, _)| *other == flow);
            on_link.swap_remove(place.expect("it is on its links"));
        }
    }

    /// Computes the rates of all flows that a change of these flows can affect.
    fn fill_around(&mut self, changed: &[u32], now: u64) {
        self.seen_links.clear();
        self.seen_flows.clear();
        let mut links = Vec::new();
        for &flow in changed {
            for &(link, _) in &self.flows[flow as usize].links {
                if self.seen_links.mark(link) {
                    links.push(link);
                }
            }
        }
        let (mut next, mut flows) = (0, 0);
        while let Some(&link) = links.get(next) {
            next += 1;
            for &(flow, _) in &self.on_link[link as usize] {
                if !self.seen_flows.mark(flow) {
                    continue;
                }
                flows += 1;
                let demand = &mut self.flows[flow as usize];
                demand.settle(now);
                for &(other, _) in &demand.links {
                    if self.seen_links.mark(other) {
                        links.push(other);
                    }
                }
            }
        }
        self.fill(&links, flows);
    }

    /// Progressive filling of these links, whose `unsettled` flows use no other links.
    fn fill(&mut self, links: &[u32], mut unsettled: u32) {
        // From here on, marks are for flows whose rates are settled.
        self.seen_flows.clear();
        let mut fullest = Vec::with_capacity(links.len());
        for &link in links {
            let on_link = &self.on_link[link as usize];
            let left = Left {
                capacity: self.capacities[link as usize],
                flows: on_link.len() as u32,
                shares: on_link.iter().map(|(_, share)| share).sum(),
            };
            self.left[link as usize] = left;
            if left.flows > 0 {
                fullest.push(Reverse((bits(left.capacity / left.shares), link)));
            }
        }
        let mut fullest = BinaryHeap::from(fullest);
        while unsettled > 0
            && let Some(Reverse((offered, link))) = fullest.pop()
        {
            let left = self.left[link as usize];
            if left.flows == 0 {
                continue;
            }
            // The level of the link may have risen since, because flows have settled at lower
            // rates.
            let level = (left.capacity / left.shares).max(0.0);
            if bits(level) > offered {
                fullest.push(Reverse((bits(level), link)));
                continue;
            }
            for place in 0..self.on_link[link as usize].len() {
                let (flow, _) = self.on_link[link as usize][place];
                if self.seen_flows.mark(flow) {
                    self.settle_at(flow, level);
                    unsettled -= 1;
                }
            }
        }
    }

    fn settle_at(&mut self, flow: u32, rate: f64) {
        let demand = &mut self.flows[flow as usize];
        demand.rate = rate;
        for &(link, share) in &demand.links {
            let left = &mut self.left[link as usize];
            left.capacity -= rate * share;
            left.flows -= 1;
            left.shares -= share;
        }
    }
}

/// The bits of a number that is not negative, which compare as the number does.
fn bits(number: f64) -> u64 {
    number.to_bits()
}

/// Marks of indices, which can be cleared all at once.
#[derive(Default)]
struct Marks {
    marks: Vec<u32>,
    current: u32,
}

impl Marks {
    fn new(count: usize) -> Self {
        Self {
            marks: vec![0; count],
            current: 1,
        }
    }

    fn clear(&mut self) {
        self.current = self.current.checked_add(1).unwrap_or_else(|| {
            self.marks.fill(0);
            1
        });
    }

    /// Marks an index; returns whether it was not marked.
    fn mark(&mut self, index: u32) -> bool {
        std::mem::replace(&mut self.marks[index as usize], self.current) != self.current
    }
}
