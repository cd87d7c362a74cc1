//! GOAL schedules: the sends, receives and computing of each rank, and their dependencies.
//!
//! Hoefler, Siebert, Lumsdaine, "Group Operation Assembly Language", ICPP 2009. LogGOPSim and
//! ATLAHS have the same formats (`txt2bin.re`, `Parser.hpp`).
//!
//! | GOAL | here |
//! |---|---|
//! | `send`, `recv` | a message; the send ends when all of it is acknowledged |
//! | `calc` | computing, in ns; a `cpu` computes one at a time |
//! | `a requires b` | a begins when b has ended |
//! | `a irequires b` | a begins when b has begun |
//! | `cpu` of a message | unused: messages take no time of a cpu |
//! | `nic` | the NIC that sends, if hosts have several |
//!
//! A receive from any source, or with any tag, gets the message that arrives first, which is not
//! known before the run. Such receives are refused.

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, Time};
use incast_workload::{Strictness, TaskWork};

use crate::decimal::{TimeUnit, whole_moment};

pub(crate) mod binary;
pub(crate) mod text;

#[cfg(test)]
mod tests;

/// The number that stands for any source, or any tag, of a receive.
const ANY: u32 = u32::MAX;

/// A send, a receive or a calculation in a file.
#[derive(Copy, Clone, Debug)]
struct Action {
    kind: ActionKind,
    /// Bytes of a message, or ns of computing.
    size: u64,
    /// The rank at the other end of a message.
    peer: u32,
    tag: u32,
    cpu: u32,
    nic: u32,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ActionKind {
    Send,
    Receive,
    Calculate,
}

impl Action {
    /// The task.
    fn work(self, nics: HostNics) -> Result<TaskWork, Diagnostic> {
        let (size, tag) = (Bytes::new(self.size), self.tag.into());
        if self.kind != ActionKind::Calculate {
            if self.kind == ActionKind::Receive && self.peer == ANY {
                return Err(any_source());
            }
            if self.tag == ANY {
                return Err(any_tag());
            }
        }
        let nic = nics.find(self.nic)?;
        Ok(match self.kind {
            ActionKind::Send => TaskWork::Send {
                to: self.peer,
                size,
                tag,
                lane: 0,
                nic,
            },
            ActionKind::Receive => TaskWork::Receive {
                from: self.peer,
                size,
                tag,
            },
            ActionKind::Calculate => TaskWork::Compute {
                duration: nanoseconds(self.size)?,
                unit: self.cpu,
            },
        })
    }
}

/// The number of NICs of each host, and whether messages must leave by NICs that exist.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostNics {
    pub(crate) count: u16,
    pub(crate) check: Strictness,
}

impl HostNics {
    /// The NIC with this number; `None` if hosts have only one.
    fn find(self, nic: u32) -> Result<Option<u16>, Diagnostic> {
        let is_there = nic < self.count.into();
        if !is_there && self.check == Strictness::Check {
            return Err(other_nic(nic, self.count));
        }
        Ok((is_there && self.count > 1).then_some(nic as u16))
    }
}

/// A duration of `count` ns; an error if no flow could start after it.
pub(crate) fn nanoseconds(count: u64) -> Result<Time, Diagnostic> {
    whole_moment(count, TimeUnit::Nanosecond).map_err(|_| computes_too_long(count))
}

/// Checks that the schedule has as many ranks as the traffic entry has hosts.
fn check_ranks(stated: u32, ranks: u32) -> Result<(), Diagnostic> {
    match stated == ranks {
        true => Ok(()),
        false => Err(Diagnostic::new(
            format!("the schedule is of {stated} ranks, but `hosts` has {ranks}"),
            "give a host for each rank, e.g. hosts = \"0-15\"",
        )),
    }
}

fn any_source() -> Diagnostic {
    Diagnostic::new(
        "a receive from any source gets what comes first: its message is not known before the run",
        "name the sending rank",
    )
}

fn any_tag() -> Diagnostic {
    Diagnostic::new(
        "with any tag it gets what comes first: its message is not known before the run",
        "give the tag of the send",
    )
}

fn other_nic(nic: u32, nics: u16) -> Diagnostic {
    match nics {
        1 => Diagnostic::new(
            format!("nic {nic} is not there: a host has one NIC"),
            "set `nics = \"ignore\"` to let all messages leave by it",
        ),
        _ => Diagnostic::new(
            format!("nic {nic} is not there: hosts reach each other by {nics} NICs"),
            "set `nics = \"ignore\"` to let such messages leave by one after the other",
        ),
    }
}

fn computes_too_long(count: u64) -> Diagnostic {
    Diagnostic::new(
        format!("{count} ns of computing are too long to simulate"),
        "give at most 4611686 s (53 days)",
    )
}
