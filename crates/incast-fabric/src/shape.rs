//! The graph: a two-level tree given by its counts, and the links of its ports.
//!
//! ```text
//! core c      port t·lanes + l          to ToR t, lane l
//! ToR t       port e                    to its endpoint e, e < endpoints per ToR
//!             port endpoints + u        uplink u = l·cores + c: to core c, lane l
//! ```
//!
//! Switches are numbered from the ToRs to the cores, endpoints in the order of their ToRs.

use incast_diagnostic::Diagnostic;

/// Counts of a two-level fabric. A fabric of one ToR needs no core.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FabricShape {
    /// Endpoints of each ToR.
    pub endpoints_per_tor: u16,
    /// ToRs.
    pub tors: u16,
    /// Core switches, each linked to every ToR.
    pub cores: u16,
    /// Parallel links between a ToR and a core.
    pub lanes: u16,
}

/// Largest number of endpoints.
const MAX_ENDPOINTS: u32 = 1 << 15;

impl FabricShape {
    /// The fat tree of the 3CPO evaluation with 8 endpoints per ToR. 64 endpoints have 8 ToRs and 4
    /// cores (§6.3.1); 128 endpoints have 16 ToRs and 16 cores. Other multiples of 8 have 8 cores,
    /// so that a ToR has as many uplinks as endpoints.
    ///
    /// # Errors
    /// If the endpoints do not fill their ToRs, or are too many.
    pub fn fat_tree(endpoints: u32) -> Result<Self, Diagnostic> {
        let shape = |tors: u32, cores, lanes| Self {
            endpoints_per_tor: 8,
            tors: tors.min(u32::from(u16::MAX)) as u16,
            cores,
            lanes,
        };
        let shape = match endpoints {
            8 => shape(1, 0, 1),
            64 => shape(8, 4, 2),
            128 => shape(16, 16, 1),
            _ if endpoints.is_multiple_of(8) && endpoints > 0 => shape(endpoints / 8, 8, 1),
            _ => {
                let what = format!("{endpoints} endpoints do not fill ToRs of 8");
                let hint = "write a multiple of 8, or the counts of another graph";
                return Err(Diagnostic::new(what, hint));
            }
        };
        shape.check()?;
        Ok(shape)
    }

    /// Checks that the graph can be built.
    ///
    /// # Errors
    /// If a count is zero or too large, or several ToRs have no core between them.
    pub fn check(&self) -> Result<(), Diagnostic> {
        let counts = [
            ("endpoints_per_tor", self.endpoints_per_tor),
            ("tors", self.tors),
            ("lanes", self.lanes),
        ];
        for (key, count) in counts {
            if count == 0 {
                return Err(Diagnostic::new("must not be 0", "write at least 1").at(key));
            }
        }
        let endpoints = u32::from(self.endpoints_per_tor) * u32::from(self.tors);
        if endpoints > MAX_ENDPOINTS {
            let what = format!("{endpoints} endpoints are too many");
            return Err(Diagnostic::new(what, format!("at most {MAX_ENDPOINTS}")));
        }
        if endpoints < 2 {
            let diagnostic = Diagnostic::new("a fabric of 1 endpoint", "write at least 2");
            return Err(diagnostic.at("endpoints_per_tor"));
        }
        if self.cores == 0 && self.tors > 1 {
            let what = format!("{} ToRs have no core between them", self.tors);
            return Err(Diagnostic::new(what, "write at least 1").at("cores"));
        }
        Ok(())
    }

    /// All endpoints.
    pub fn endpoints(&self) -> u16 {
        self.endpoints_per_tor * self.tors
    }

    /// Number of uplinks of a ToR.
    pub fn uplinks(&self) -> u16 {
        self.cores * self.lanes
    }

    /// All switches.
    pub fn switches(&self) -> u16 {
        self.tors + self.cores
    }

    /// Number of ports of a switch; ports to endpoints come first.
    pub fn ports_of(&self, switch: u16) -> u16 {
        if switch < self.tors {
            self.endpoints_per_tor + self.uplinks()
        } else {
            self.tors * self.lanes
        }
    }

    /// Number of endpoints of a switch; they have the first ports.
    pub fn endpoints_of(&self, switch: u16) -> u16 {
        if switch < self.tors {
            self.endpoints_per_tor
        } else {
            0
        }
    }

    /// The ToR of an endpoint.
    pub fn tor_of(&self, endpoint: u16) -> u16 {
        endpoint / self.endpoints_per_tor
    }

    /// The port of an endpoint at its ToR.
    pub fn local_port(&self, endpoint: u16) -> u16 {
        endpoint % self.endpoints_per_tor
    }

    /// The port of an uplink at its ToR.
    pub fn uplink_port(&self, uplink: u16) -> u16 {
        self.endpoints_per_tor + uplink
    }

    /// The port of a core that leads to `tor` by the lane of `uplink`.
    pub fn core_port(&self, tor: u16, uplink: u16) -> u16 {
        tor * self.lanes + uplink / self.cores
    }

    /// The other end of a link between switches: switch and port.
    pub fn peer(&self, switch: u16, port: u16) -> (u16, u16) {
        if switch < self.tors {
            let uplink = port - self.endpoints_per_tor;
            let core = uplink % self.cores;
            (self.tors + core, self.core_port(switch, uplink))
        } else {
            let (tor, lane) = (port / self.lanes, port % self.lanes);
            let uplink = lane * self.cores + (switch - self.tors);
            (tor, self.uplink_port(uplink))
        }
    }

    /// For each port to another switch, in order of switches and ports: the number of the port at
    /// the other end. Ports to endpoints are not counted.
    pub(crate) fn link_peers(&self) -> Vec<u32> {
        let first: Vec<u32> = (0..self.switches())
            .scan(0_u32, |next, switch| {
                let first = *next;
                *next += u32::from(self.ports_of(switch) - self.endpoints_of(switch));
                Some(first)
            })
            .collect();
        let ports = (0..self.switches()).flat_map(|switch| {
            (self.endpoints_of(switch)..self.ports_of(switch)).map(move |port| (switch, port))
        });
        let number = |(switch, port): (u16, u16)| {
            first[usize::from(switch)] + u32::from(port - self.endpoints_of(switch))
        };
        ports
            .map(|(switch, port)| number(self.peer(switch, port)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 64 endpoints: each ToR has 8 endpoints and 4 cores · 2 lanes = 8 uplinks; each core has 8
    /// ToRs · 2 lanes = 16 ports (§6.1.4). 128 endpoints: each ToR has 8 + 16 ports, each core 16.
    #[test]
    fn the_papers_fat_trees() {
        let small = FabricShape::fat_tree(64).unwrap();
        assert_eq!(
            (small.switches(), small.ports_of(0), small.ports_of(8)),
            (12, 16, 16)
        );
        let large = FabricShape::fat_tree(128).unwrap();
        assert_eq!(
            (large.switches(), large.ports_of(0), large.ports_of(16)),
            (32, 24, 16)
        );
    }

    #[test]
    fn links_lead_back() {
        for endpoints in [8, 64, 128, 1024] {
            let shape = FabricShape::fat_tree(endpoints).unwrap();
            let peers = shape.link_peers();
            let links = usize::from(shape.tors) * usize::from(shape.uplinks());
            assert_eq!(peers.len(), 2 * links);
            for (port, &peer) in peers.iter().enumerate() {
                assert_eq!(peers[peer as usize] as usize, port);
            }
        }
    }

    #[test]
    fn graphs_that_cannot_be_built() {
        let said = |shape: FabricShape| shape.check().unwrap_err().to_string();
        let fine = FabricShape {
            endpoints_per_tor: 4,
            tors: 2,
            cores: 1,
            lanes: 1,
        };
        assert_eq!(fine.check(), Ok(()));
        assert_eq!(
            said(FabricShape { cores: 0, ..fine }),
            "cores: 2 ToRs have no core between them; write at least 1"
        );
        assert_eq!(
            said(FabricShape { lanes: 0, ..fine }),
            "lanes: must not be 0; write at least 1"
        );
        assert_eq!(
            said(FabricShape {
                endpoints_per_tor: 1,
                tors: 1,
                ..fine
            }),
            "endpoints_per_tor: a fabric of 1 endpoint; write at least 2"
        );
        assert_eq!(
            said(FabricShape {
                endpoints_per_tor: 40_000,
                ..fine
            }),
            "80000 endpoints are too many; at most 32768"
        );
        assert_eq!(
            FabricShape::fat_tree(60).unwrap_err().to_string(),
            "60 endpoints do not fill ToRs of 8; write a multiple of 8, or the counts of another \
             graph"
        );
    }
}
