//! What traffic must know of the network: its hosts and how fast their NICs are.

use incast_units::{HostId, Rate};

use crate::error::Fault;

/// The hosts of a network, counted from 0, with the rates of their NICs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    nic_rates: Vec<Rate>,
}

impl Network {
    /// A network with these NICs, that of host 0 first.
    ///
    /// # Panics
    /// With more hosts than ids.
    pub fn new(nic_rates: Vec<Rate>) -> Self {
        assert!(
            u32::try_from(nic_rates.len()).is_ok(),
            "more than 2^32 hosts"
        );
        Self { nic_rates }
    }

    /// A network of `hosts` hosts with equal NICs.
    pub fn uniform(hosts: u32, nic_rate: Rate) -> Self {
        Self::new(vec![nic_rate; hosts as usize])
    }

    /// How many hosts there are.
    pub fn hosts(&self) -> u32 {
        self.nic_rates.len() as u32
    }

    /// How fast the NIC of `host` is.
    ///
    /// # Panics
    /// If there is no such host.
    pub fn nic_rate(&self, host: HostId) -> Rate {
        self.nic_rates[host.index()]
    }

    /// All hosts, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = HostId> + use<> {
        (0..self.hosts()).map(HostId)
    }

    pub(crate) fn check(&self, host: HostId) -> Result<(), Fault> {
        let hosts = self.hosts();
        match host.0 < hosts {
            true => Ok(()),
            false => Err(Fault::UnknownHost { host, hosts }),
        }
    }
}
