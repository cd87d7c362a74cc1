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
}

impl HostNames {
    /// Hosts without names.
    pub fn numbered(hosts: u32) -> Self {
        let by_name = Arc::default();
        Self { hosts, by_name }
    }

    /// Hosts with these names, that of host 0 first.
    pub fn named(names: &[String]) -> Self {
        let by_name = (0..).map(HostId).zip(names);
        let by_name = by_name.map(|(host, name)| (name.clone(), host));
        Self {
            hosts: names.len() as u32,
            by_name: Arc::new(by_name.collect()),
        }
    }

    /// How many there are.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// Whether they have names.
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
