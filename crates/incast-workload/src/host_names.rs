//! The hosts of a network, by number and by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_units::HostId;

use crate::diagnostics;

/// The number of hosts of a network, and their names and numbers in the topology file, if these
/// differ. Cheap to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostNames {
    hosts: u32,
    by_name: Arc<BTreeMap<String, HostId>>,
    /// The number of each host in the topology file, in ascending order; `None` if the file has the
    /// same numbers.
    in_file: Option<Arc<[u32]>>,
}

impl HostNames {
    /// Hosts without names.
    pub fn numbered(hosts: u32) -> Self {
        Self {
            hosts,
            by_name: Arc::default(),
            in_file: None,
        }
    }

    /// Hosts with these names, in order of host numbers.
    pub fn named(names: &[String]) -> Self {
        let by_name = (0..).map(HostId).zip(names);
        let by_name = by_name.map(|(host, name)| (name.clone(), host));
        Self {
            hosts: names.len() as u32,
            by_name: Arc::new(by_name.collect()),
            in_file: None,
        }
    }

    /// Sets the numbers of the hosts in the files of their simulator, in order of host numbers.
    ///
    /// # Panics
    /// Unless there is a number for each host, in ascending order.
    pub fn with_file_numbers(self, numbers: &[u32]) -> Self {
        assert_eq!(numbers.len() as u32, self.hosts, "numbers of hosts");
        assert!(
            numbers.is_sorted_by(|one, next| one < next),
            "numbers of hosts grow"
        );
        let in_file = Some(numbers.into());
        Self { in_file, ..self }
    }

    /// The host with this number in the topology file.
    ///
    /// # Errors
    /// If no host has this number.
    pub fn number_in_file(&self, number: u32) -> Result<HostId, Diagnostic> {
        let Some(numbers) = &self.in_file else {
            return self.number(HostId(number));
        };
        match numbers.binary_search(&number) {
            Ok(host) => Ok(HostId(host as u32)),
            Err(_) => Err(diagnostics::no_host_of_file(number, numbers)),
        }
    }

    /// How many hosts there are.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// Whether the hosts have names.
    pub fn have_names(&self) -> bool {
        !self.by_name.is_empty()
    }

    /// Checks that a host with this number exists, and returns it.
    ///
    /// # Errors
    /// If the host does not exist.
    pub fn number(&self, host: HostId) -> Result<HostId, Diagnostic> {
        check_host(host, self.hosts).map(|()| host)
    }

    /// The host with this name.
    ///
    /// # Errors
    /// If no host has this name.
    pub fn find(&self, name: &str) -> Result<HostId, Diagnostic> {
        let found = self.by_name.get(name).copied();
        found.ok_or_else(|| {
            let known = self.by_name.keys().map(String::as_str);
            diagnostics::unknown_name(name, known, self.hosts)
        })
    }
}

/// Checks that `host` exists on a network of `hosts` hosts.
///
/// # Errors
/// If the host does not exist.
pub fn check_host(host: HostId, hosts: u32) -> Result<(), Diagnostic> {
    match host.0 < hosts {
        true => Ok(()),
        false => Err(diagnostics::unknown_host(host, hosts)),
    }
}
