//! The hosts that there are, by number and by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_units::HostId;

use crate::diagnostics;

/// How many hosts a network has, and what the file of its topology calls them, if it does. Cheap to
/// copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostNames {
    hosts: u32,
    by_name: Arc<BTreeMap<String, HostId>>,
    /// The number of each host in the file of its topology, if files count otherwise; they grow.
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

    /// Hosts with these names, that of host 0 first.
    pub fn named(names: &[String]) -> Self {
        let by_name = (0..).map(HostId).zip(names);
        let by_name = by_name.map(|(host, name)| (name.clone(), host));
        Self {
            hosts: names.len() as u32,
            by_name: Arc::new(by_name.collect()),
            in_file: None,
        }
    }

    /// The same hosts, which files of their simulator call by these numbers, that of host 0 first.
    ///
    /// # Panics
    /// Unless there is a number for each, in ascending order.
    pub fn with_file_numbers(self, numbers: &[u32]) -> Self {
        assert_eq!(numbers.len() as u32, self.hosts, "numbers of hosts");
        assert!(
            numbers.is_sorted_by(|one, next| one < next),
            "numbers of hosts grow"
        );
        let in_file = Some(numbers.into());
        Self { in_file, ..self }
    }

    /// The host of a number in a file that goes by the numbers of the topology file.
    ///
    /// # Errors
    /// If there is none.
    pub fn number_in_file(&self, number: u32) -> Result<HostId, Diagnostic> {
        let Some(numbers) = &self.in_file else {
            return self.number(HostId(number));
        };
        match numbers.binary_search(&number) {
            Ok(host) => Ok(HostId(host as u32)),
            Err(_) => Err(diagnostics::no_host_of_file(number, numbers)),
        }
    }

    /// How many there are.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// Whether the hosts have names.
    pub fn have_names(&self) -> bool {
        !self.by_name.is_empty()
    }

    /// The host of this number.
    ///
    /// # Errors
    /// If there is none.
    pub fn number(&self, host: HostId) -> Result<HostId, Diagnostic> {
        check_host(host, self.hosts).map(|()| host)
    }

    /// The host of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(&self, name: &str) -> Result<HostId, Diagnostic> {
        let found = self.by_name.get(name).copied();
        found.ok_or_else(|| {
            let known = self.by_name.keys().map(String::as_str);
            diagnostics::unknown_name(name, known, self.hosts)
        })
    }
}

/// Checks that a network of `hosts` hosts has this one.
///
/// # Errors
/// If it has not.
pub fn check_host(host: HostId, hosts: u32) -> Result<(), Diagnostic> {
    match host.0 < hosts {
        true => Ok(()),
        false => Err(diagnostics::unknown_host(host, hosts)),
    }
}
