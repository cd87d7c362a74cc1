//! Ways to compute a run: the plain path and faster ones.

use crate::clock::Ties;
use crate::config::NetworkConfig;
use crate::host::NicScheduler;
use crate::measure::MeasureConfig;

/// How nodes compute their events. Results do not depend on the path; tests compare the paths.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum ExecutionPath {
    /// Event by event: each departure and each chance to send has a timer. Packet traces, faults of
    /// links and, in windows, the linear-scan NIC need this path. Tests take it as the reference.
    Plain,
    /// Lazily: departures are computed when a port or a host is next touched, or a window ends.
    /// Under the event-queue engine: event by event, without events that change nothing.
    #[default]
    Fast,
}

impl ExecutionPath {
    /// Whether a run that prefers this path takes the direct path of the event-queue engine: event
    /// by event, without events that change nothing.
    pub(crate) fn is_direct(self, config: &NetworkConfig, measure: &MeasureConfig) -> bool {
        let is_ordered = config.model.ties == Ties::Insertion;
        self == Self::Fast && is_ordered && measure.packets.is_none()
    }

    /// The path of a run that prefers this path and is not direct. Packet traces and the linear
    /// scan exist on the plain path alone. In windows, so do some switch programs, arbitration
    /// among ingress ports, and choices of next hops that keep state.
    pub(crate) fn of(self, config: &NetworkConfig, measure: &MeasureConfig) -> Self {
        let model = &config.model;
        let needs_each_event = model.nic_scheduler == NicScheduler::LinearScan
            || measure.packets.is_some()
            || !config.arbitration.is_fifo()
            || !config.path_choice().is_stateless()
            || config
                .programs
                .iter()
                .any(|program| program.demands().each_event);
        if needs_each_event { Self::Plain } else { self }
    }
}
