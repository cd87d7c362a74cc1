//! Why a run has no results.

use std::fmt;

use incast_diagnostic::Diagnostic;
use incast_net::{NetworkError, Violation};
use incast_units::{Bytes, FlowId, NodeId, Time};
use thiserror::Error;

use crate::file_error::FileError;
use crate::identity::Identity;
use crate::spec::ValidSpec;

/// Why a run has no results.
#[derive(Debug, Error)]
pub enum RunError {
    /// A file that the scenario names can no longer be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The rows of flows could not be written to disk.
    #[error(transparent)]
    Rows(FileError),
    /// The network cannot be built, or flows that are made or read during the run are wrong.
    #[error("{run}: {error}")]
    Input {
        /// Which run.
        run: RunName,
        /// The wrong input.
        error: Box<Diagnostic>,
    },
    /// An invariant of the model does not hold.
    #[error("{run}: {message}")]
    Violation {
        /// Which run.
        run: RunName,
        /// The violation.
        violation: Violation,
        /// The violation in words, with the names of nodes.
        message: String,
    },
    /// The algorithm failed.
    #[error("{run}: {reason}")]
    Algorithm {
        /// Which run.
        run: RunName,
        /// How.
        reason: String,
    },
    /// Flows or bytes at the end are not those that went in.
    #[error(
        "{run}: {violation}; this is a defect of the simulator, please report it with the scenario"
    )]
    Conservation {
        /// Which run.
        run: RunName,
        /// The sums that differ.
        violation: ConservationViolation,
    },
}

/// Discards the outcome if an input file changed during the run: neither results nor errors would
/// describe an existing file.
pub(super) fn unless_changed<T>(
    outcome: Result<T, RunError>,
    check: impl FnOnce() -> Result<(), FileError>,
) -> Result<T, RunError> {
    if matches!(outcome, Ok(_) | Err(RunError::Input { .. })) {
        check()?;
    }
    outcome
}

/// Sums that differ at the end of a run.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Error)]
pub enum ConservationViolation {
    /// Flows appeared or disappeared.
    #[error(
        "{given} flows were given to the network, {started} started, {finished} completed, \
         {recorded} were recorded"
    )]
    Flows {
        /// Flows given to the network.
        given: u64,
        /// Started by it.
        started: u64,
        /// Completed in it.
        finished: u64,
        /// Recorded as completed.
        recorded: u64,
    },
    /// Receivers got more than was sent, or less than the completed flows have.
    #[error(
        "receivers got {} bytes, but completed flows have {} and all flows {}",
        delivered.as_u64(), finished.as_u64(), started.as_u64()
    )]
    Payload {
        /// Payload that receivers got in order.
        delivered: Bytes,
        /// Payload of completed flows.
        finished: Bytes,
        /// Payload of all flows.
        started: Bytes,
    },
    /// A flow was faster than it would be alone on the empty network.
    #[error(
        "flow {flow}, which completed at {}, was faster than it would be alone on the empty \
         network",
        finish.rounded()
    )]
    TooFast {
        /// The flow.
        flow: FlowId,
        /// When it completed.
        finish: Time,
    },
    /// A port sent more than its link can carry.
    #[error(
        "node {node} port {port} sent {} bytes, which is more than its link can carry in the time \
         of the run",
        sent.as_u64()
    )]
    Capacity {
        /// The node.
        node: NodeId,
        /// The number of the port at this node.
        port: u16,
        /// Bytes that the port sent.
        sent: Bytes,
    },
    /// Data packets that hosts sent are not all received, dropped, trimmed or under way.
    #[error(
        "hosts sent {sent} data packets, but {received} went to receivers, {dropped} were dropped \
         and {trimmed} trimmed"
    )]
    Data {
        /// Data packets that hosts sent.
        sent: u64,
        /// Data packets that switches sent to hosts.
        received: u64,
        /// Data packets that switches dropped.
        dropped: u64,
        /// Data packets that switches trimmed.
        trimmed: u64,
    },
    /// Packets that left on links with faults are not all arrived or lost; or those at switches are
    /// not all forwarded or dropped.
    #[error(
        "{sent} packets left on links, but {arrived} arrived and {lost} were lost; switches sent \
         or dropped {forwarded}"
    )]
    Packets {
        /// Packets that left on links.
        sent: u64,
        /// Packets that arrived over links.
        arrived: u64,
        /// Packets lost on links.
        lost: u64,
        /// Packets that switches forwarded or dropped.
        forwarded: u64,
    },
}

/// The name of a run in messages, with all facts that are needed to repeat it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunName {
    /// The scenario's name.
    pub scenario: String,
    /// The seed.
    pub seed: u64,
    /// Hash of scenario, seed and version.
    pub identity: Identity,
}

impl RunName {
    pub(super) fn of(spec: &ValidSpec, identity: Identity) -> Self {
        Self {
            scenario: spec.name().to_owned(),
            seed: spec.seed(),
            identity,
        }
    }
}

impl RunName {
    /// The error of wrong input.
    pub(super) fn input_error(&self, error: Diagnostic) -> RunError {
        RunError::Input {
            run: self.clone(),
            error: Box::new(error),
        }
    }

    /// The error of a network without a recording.
    pub(super) fn error(&self, spec: &ValidSpec, error: NetworkError) -> RunError {
        let run = self.clone();
        match error {
            NetworkError::Input(error) => RunError::Input { run, error },
            NetworkError::Violation(violation) => RunError::Violation {
                run,
                message: violation.describe(|node| spec.topology().node_name(node)),
                violation,
            },
            NetworkError::Algorithm(reason) => RunError::Algorithm { run, reason },
        }
    }
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            scenario,
            seed,
            identity,
        } = self;
        let version = env!("CARGO_PKG_VERSION");
        write!(
            f,
            "{scenario} (seed {seed}, run {identity}, incast {version})"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> RunName {
        RunName {
            scenario: "fan-in".to_owned(),
            seed: 7,
            identity: Identity::of("seed = 7"),
        }
    }

    /// Every message has scenario, seed, run and version, then the event, its place and time.
    #[test]
    fn messages_say_what_where_and_when() {
        let name = format!(
            "fan-in (seed 7, run {}, incast {}): ",
            Identity::of("seed = 7"),
            env!("CARGO_PKG_VERSION")
        );
        let lost = Violation::PacketLost {
            node: NodeId(17),
            port: 3,
            flow: FlowId(5),
            time: Time::from_ps(1234),
            cause: incast_net::OverflowCause::Unknown,
        };
        let defect = "; this is a defect of the simulator, please report it with the scenario";
        let violation = |violation| RunError::Conservation {
            run: run(),
            violation,
        };
        let cases = [
            (
                RunError::Violation {
                    run: run(),
                    message: lost.to_string(),
                    violation: lost.clone(),
                },
                format!("{name}{lost}"),
            ),
            (
                violation(ConservationViolation::Flows {
                    given: 3,
                    started: 3,
                    finished: 2,
                    recorded: 1,
                }),
                format!(
                    "{name}3 flows were given to the network, 3 started, 2 completed, 1 were \
                     recorded{defect}"
                ),
            ),
            (
                violation(ConservationViolation::Payload {
                    delivered: Bytes::new(1),
                    finished: Bytes::new(2),
                    started: Bytes::new(3),
                }),
                format!(
                    "{name}receivers got 1 bytes, but completed flows have 2 and all flows \
                     3{defect}"
                ),
            ),
            (
                violation(ConservationViolation::TooFast {
                    flow: FlowId(5),
                    finish: Time::from_ps(9),
                }),
                format!(
                    "{name}flow 5, which completed at 9ps, was faster than it would be alone on \
                     the empty network{defect}"
                ),
            ),
            (
                violation(ConservationViolation::Capacity {
                    node: NodeId(17),
                    port: 3,
                    sent: Bytes::new(1200),
                }),
                format!(
                    "{name}node 17 port 3 sent 1200 bytes, which is more than its link can carry \
                     in the time of the run{defect}"
                ),
            ),
            (
                violation(ConservationViolation::Data {
                    sent: 12,
                    received: 8,
                    dropped: 1,
                    trimmed: 2,
                }),
                format!(
                    "{name}hosts sent 12 data packets, but 8 went to receivers, 1 were dropped \
                     and 2 trimmed{defect}"
                ),
            ),
            (
                violation(ConservationViolation::Packets {
                    sent: 12,
                    arrived: 9,
                    lost: 2,
                    forwarded: 5,
                }),
                format!(
                    "{name}12 packets left on links, but 9 arrived and 2 were lost; switches sent \
                     or dropped 5{defect}"
                ),
            ),
        ];
        for (error, message) in cases {
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn traffic_keeps_its_own_words() {
        let error = Diagnostic::new("the generator failed", "").at("flows[3]");
        let words = error.to_string();
        let error = Box::new(error);
        let message = RunError::Input { run: run(), error }.to_string();
        assert!(message.starts_with("fan-in (seed 7, run ") && message.ends_with(&words));
    }
}
