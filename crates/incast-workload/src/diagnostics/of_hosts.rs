//! Mistakes in hosts.

use incast_diagnostic::{Diagnostic, excerpt, nearest};
use incast_units::HostId;

/// A host number that the network does not have.
pub fn unknown_host(host: HostId, hosts: u32) -> Diagnostic {
    Diagnostic::new(format!("host {host} does not exist"), existing(hosts))
}

/// A host number that is not in the topology file; `numbers` are those in the file.
pub fn no_host_of_file(number: u32, numbers: &[u32]) -> Diagnostic {
    const SHOWN: usize = 5;
    let shown = numbers.iter().take(SHOWN).map(u32::to_string);
    let mut shown = shown.collect::<Vec<_>>().join(", ");
    if numbers.len() > SHOWN {
        shown += ", …";
    }
    Diagnostic::new(
        format!("node {number} of the topology file is no host with a link"),
        format!("its hosts are nodes {shown}"),
    )
}

/// A name that no host has; `known` are the names of hosts.
pub fn unknown_name<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    hosts: u32,
) -> Diagnostic {
    const SHOWN: usize = 5;
    let first: Vec<_> = known.clone().take(SHOWN).collect();
    let hint = match (nearest(name, known), first.as_slice()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) => "hosts of this network have no names: write a number, e.g. `0`".to_owned(),
        (None, first) if hosts as usize > SHOWN => {
            format!("hosts are called {}, …", first.join(", "))
        }
        (None, all) => format!("hosts are called {}", all.join(", ")),
    };
    Diagnostic::new(format!("unknown host `{}`", excerpt(name)), hint)
}

/// Source and destination are the same.
pub fn to_itself(host: HostId) -> Diagnostic {
    Diagnostic::new(
        format!("host {host} would send to itself"),
        "give another host",
    )
}

/// Text that names no hosts.
pub fn not_hosts(text: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` is no set of hosts"),
        "write e.g. `0-15`, `0,4,8` or `all`",
    )
}

/// A set such as `all` or `shuffled` within a list of hosts.
pub fn not_in_list(text: &str) -> Diagnostic {
    let what = format!("`{text}` cannot stand in a list of hosts");
    Diagnostic::new(what, "write it alone")
}

/// A range whose end comes first.
pub fn backwards(first: HostId, last: HostId) -> Diagnostic {
    Diagnostic::new(
        format!("`{first}-{last}` runs backwards"),
        format!("write `{last}-{first}`"),
    )
}

/// A set without hosts.
pub fn no_hosts() -> Diagnostic {
    Diagnostic::new("no host is listed", "list at least one, e.g. `\"0-15\"`")
}

/// A host listed more than once.
pub fn host_twice(host: HostId) -> Diagnostic {
    Diagnostic::new(
        format!("host {host} is listed twice"),
        "list each host once",
    )
}

/// Fewer hosts than the traffic needs.
pub fn too_few_hosts(have: u32, need: u32) -> Diagnostic {
    let too_few = match have {
        1 => "1 host is too few".to_owned(),
        _ => format!("{have} hosts are too few"),
    };
    Diagnostic::new(too_few, format!("{need} are needed at least"))
}

fn existing(hosts: u32) -> String {
    match hosts {
        0 => "the network has no hosts".to_owned(),
        1 => "the network has only host 0".to_owned(),
        _ => format!("the network has hosts 0–{}", hosts - 1),
    }
}
