//! Data that every sending side has, and the steps that do not depend on whether congestion states
//! are shared.

use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_signals::int::IntSource;
use incast_units::{FlowId, Rate, Time};

use crate::clock::Clock;
use crate::flow::{Controllers, Flow, NicCalls};
use crate::host::NicScheduler;
use crate::host::flow_table::FlowTable;
use crate::measure::{Recorder, SinceSample, Tick};
use crate::shared::Shared;
use crate::transport::Transfer;
use crate::wire::Packet;

use super::HasTransfer;
use super::congestion::CongestionState;
use super::pacer::RandomGaps;

/// The part of a host that its sent flows use.
#[derive(Clone)]
pub(crate) struct SenderBase<'a> {
    /// The host.
    pub(crate) number: u32,
    pub(crate) shared: Arc<Shared>,
    controllers: Arc<dyn Controllers + 'a>,
    /// The calls that every flow needs, if all flows need equal calls.
    calls: NicCalls,
    pub(crate) clock: Clock,
    /// Words of a packet that an INT record takes; 0 without INT.
    pub(crate) words_per_record: usize,
    /// Whether the ACK that completes a flow still reaches its controller, as in the HPCC artifact.
    pub(super) final_ack_reaches_controller: bool,
    pub(crate) gaps: RandomGaps,
    pub(crate) since_sample: SinceSample,
    /// The flow that has just completed.
    pub(super) completed: Option<FlowId>,
}

impl<'a> SenderBase<'a> {
    /// `rate` is the NIC's line rate.
    pub(super) fn new(
        number: u32,
        rate: Rate,
        shared: &Arc<Shared>,
        controllers: &Arc<dyn Controllers + 'a>,
    ) -> Self {
        let config = &shared.config;
        Self {
            number,
            shared: Arc::clone(shared),
            controllers: Arc::clone(controllers),
            calls: NicCalls::from(&controllers.needs()),
            clock: config.model.clock,
            words_per_record: match config.int {
                IntSource::Off => 0,
                _ => shared.layout.format().words_per_hop(),
            },
            final_ack_reaches_controller: config.model.nic_scheduler == NicScheduler::LinearScan,
            gaps: RandomGaps::new(config.seed, number, rate, config.model.clock),
            since_sample: SinceSample::default(),
            completed: None,
        }
    }

    /// The transfer of a flow that starts.
    pub(super) fn new_transfer(&self, flow: Flow) -> Result<Transfer, Diagnostic> {
        let calls = self.controllers.calls(&flow, self.calls);
        Transfer::new(
            flow,
            calls.mark_report(),
            &self.shared.of_transfers(flow.tag),
        )
    }

    /// A new congestion state, for one flow or for several flows of which this one is the first.
    pub(super) fn new_congestion(&self, flow: &Flow) -> CongestionState {
        let calls = self.controllers.calls(flow, self.calls);
        CongestionState::new(self.controllers.create(flow), calls)
    }

    /// [`Controllers::group`].
    pub(super) fn group(&self, flow: &Flow) -> u16 {
        self.controllers.group(flow)
    }

    /// Starts the counts since the last sample for a flow in this slot.
    pub(super) fn begin(&mut self, slot: u32, transfer: &mut Transfer) {
        let start = transfer.flow.start;
        self.since_sample.begin(slot, start, &mut transfer.samples);
    }

    /// Records a flow, in this slot, that completes with this ACK.
    pub(super) fn complete<const WORDS: usize>(
        &mut self,
        (slot, transfer): (u32, &Transfer),
        ack: &Packet<WORDS>,
        finish: Time,
        recorder: &mut Recorder,
    ) {
        self.since_sample.end(slot, transfer.samples);
        recorder.finished.push(transfer.record(finish));
        recorder.entropies.extend(transfer.entropies());
        recorder.breakdowns.extend(transfer.breakdown(ack, finish));
        self.completed = Some(transfer.flow.id);
    }

    /// Adds every flow of a table to the totals of a sample.
    pub(super) fn sample<T: HasTransfer>(
        &mut self,
        at: (Time, Time),
        table: &mut FlowTable<T>,
        totals: &mut Tick,
    ) {
        self.since_sample.sample(at, totals, table, |table, slot| {
            table.get_mut(slot).transfer_mut().sampled()
        });
    }
}
