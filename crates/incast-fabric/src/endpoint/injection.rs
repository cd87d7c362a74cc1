//! The injection side of an endpoint: queues of operations and responses, and the link to the ToR.

use std::collections::VecDeque;

use incast_random::mix;

use super::{Emission, Endpoint, FollowUp};
use crate::arbiter::Arbiter;
use crate::config::{FabricConfig, InjectionChannels, UplinkChoice};
use crate::control::{InjectionControl, OwnOperation};
use crate::packet::{
    CHANNELS, Channel, Credit, Cycle, FabricPacket, INJECTED_WRITES, Leg, NEVER, NO_ENTRY,
    OperationKind, REQUESTS, RESPONSES,
};
use crate::switch::FabricFacts;
use crate::work::OperationRecord;

/// An operation that waits to be injected.
#[derive(Copy, Clone, Debug)]
struct QueuedOperation {
    sequence: u32,
    operation: OwnOperation,
}

/// Operations of one channel.
#[derive(Debug, Default)]
struct OperationQueue {
    queue: VecDeque<QueuedOperation>,
    /// Since when the first has been the first.
    first_since: Cycle,
}

impl OperationQueue {
    fn push(&mut self, now: Cycle, operation: QueuedOperation) {
        if self.queue.is_empty() {
            self.first_since = now;
        }
        self.queue.push_back(operation);
    }

    /// Takes the first, and how long it was that.
    fn pop(&mut self, now: Cycle) -> Option<(QueuedOperation, Cycle)> {
        let first = self.queue.pop_front()?;
        let waited = now - self.first_since;
        self.first_since = now;
        Some((first, waited))
    }
}

/// The one probe that is always outstanding while there is work.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ProbeState {
    /// The control wants none.
    Unused,
    /// One is to be sent.
    Due,
    /// One was sent in that cycle.
    Outstanding(Cycle),
}

/// The link to the ToR and what waits for it.
#[derive(Debug)]
pub(crate) struct InjectionPort {
    number: u16,
    injection: InjectionChannels,
    /// Reads, writes.
    operations: [OperationQueue; 2],
    responses: VecDeque<FabricPacket>,
    credits: [u32; CHANNELS],
    coming: VecDeque<Credit>,
    arbiter: Arbiter,
    busy_until: Cycle,
    probe: ProbeState,
    probes: u32,
    /// By operation: what follows it, and which script it belongs to.
    follow_ups: Vec<(FollowUp, u16)>,
    wake: Cycle,
    /// Waits for credits.
    lacks_credits: bool,
    /// Flits sent.
    flits: u64,
    /// Packets sent, probes and their responses left aside.
    packets: u64,
}

impl InjectionPort {
    pub(super) fn new(number: u16, config: &FabricConfig, uses_probes: bool) -> Self {
        Self {
            number,
            injection: config.injection,
            operations: [OperationQueue::default(), OperationQueue::default()],
            responses: VecDeque::new(),
            credits: [config.input_depth; CHANNELS],
            coming: VecDeque::new(),
            arbiter: Arbiter::new(config.arbitration),
            busy_until: 0,
            probe: if uses_probes {
                ProbeState::Due
            } else {
                ProbeState::Unused
            },
            probes: 0,
            follow_ups: Vec::new(),
            wake: NEVER,
            lacks_credits: false,
            flits: 0,
            packets: 0,
        }
    }

    pub(super) fn expect_credit(&mut self, credit: Credit) -> bool {
        self.coming.push_back(credit);
        self.lacks_credits
    }

    /// Step 1.
    pub(super) fn collect_credits(&mut self, now: Cycle) {
        while let Some(credit) = self.coming.front()
            && credit.ready <= now
        {
            self.credits[usize::from(credit.channel)] += u32::from(credit.flits);
            self.coming.pop_front();
        }
    }

    pub(super) fn queue_response(&mut self, packet: FabricPacket) {
        self.responses.push_back(packet);
    }

    /// The successor of an operation, and the script that it belongs to.
    pub(super) fn take_follow_up(&self, sequence: u32) -> (FollowUp, usize) {
        let (follow_up, program) = self.follow_ups[sequence as usize];
        (follow_up, program.into())
    }

    /// The probe has returned: how long it took.
    pub(super) fn end_probe(&mut self, now: Cycle) -> Cycle {
        let before = std::mem::replace(&mut self.probe, ProbeState::Due);
        match before {
            ProbeState::Outstanding(sent) => now - sent,
            _ => 0,
        }
    }

    /// When to look again, as far as is known.
    pub(super) fn wake(&self) -> Cycle {
        self.wake
    }

    pub(super) fn responses(&self) -> usize {
        self.responses.len()
    }

    /// Flits sent.
    pub(crate) fn flits(&self) -> u64 {
        self.flits
    }

    /// Packets sent, probes left aside.
    pub(crate) fn packets(&self) -> u64 {
        self.packets
    }

    /// Whether all credits are back.
    pub(crate) fn has_all_credits(&self, depth: u32) -> bool {
        let coming = |channel: usize| {
            let mine = self
                .coming
                .iter()
                .filter(move |c| usize::from(c.channel) == channel);
            mine.map(|credit| u32::from(credit.flits)).sum::<u32>()
        };
        (0..CHANNELS).all(|channel| self.credits[channel] + coming(channel) == depth)
    }

    /// Flits of operations and responses that wait, requests first.
    pub(crate) fn waiting(&self) -> [u64; 2] {
        let requests = self.operations.iter().flat_map(|queue| &queue.queue);
        let requests = requests.map(|queued| u64::from(queued.operation.costs()[0]));
        let responses = self
            .responses
            .iter()
            .map(|packet| u64::from(packet.flits()));
        [requests.sum(), responses.sum()]
    }

    fn queue_of(&self, kind: OperationKind) -> usize {
        match self.injection {
            InjectionChannels::Shared => 0,
            InjectionChannels::Separate => usize::from(kind.is_write()),
        }
    }

    /// From when a channel's first packet may be sent, and its flits.
    fn candidate(
        &self,
        channel: Channel,
        now: Cycle,
        has_work: bool,
        control: &mut dyn InjectionControl,
    ) -> Option<(Cycle, u32)> {
        if channel == RESPONSES {
            return self.responses.front().map(|packet| (now, packet.flits()));
        }
        if channel == REQUESTS && self.probe == ProbeState::Due && has_work {
            return Some((now, OperationKind::Probe.request_flits(0)));
        }
        let queue = &self.operations[usize::from(channel == INJECTED_WRITES)];
        let first = queue.queue.front()?;
        let from = control.may_inject_from(now, &first.operation);
        Some((from, first.operation.costs()[0]))
    }

    /// The channel that sends in this cycle, if any; else `wake` says when to look again.
    fn choose(
        &mut self,
        now: Cycle,
        has_work: bool,
        control: &mut dyn InjectionControl,
    ) -> Option<Channel> {
        self.wake = NEVER;
        self.lacks_credits = false;
        for channel in self.arbiter.order() {
            let candidate = self.candidate(channel, now, has_work, control);
            let Some((from, flits)) = candidate else {
                continue;
            };
            if flits > self.credits[channel] {
                self.lacks_credits = true;
                let coming = self.coming.front().map_or(NEVER, |credit| credit.ready);
                self.wake = self.wake.min(coming.max(from));
            } else if from > now {
                self.wake = self.wake.min(from);
            } else {
                return Some(channel);
            }
        }
        None
    }

    /// An endpoint other than this one, each in its turn.
    fn probe_target(&self, endpoints: u16) -> u16 {
        let others = u32::from(endpoints) - 1;
        let step = 1 + (mix(self.number.into()) as u32 % others + self.probes) % others;
        ((u32::from(self.number) + step) % u32::from(endpoints)) as u16
    }

    fn probe_packet(&mut self, now: Cycle, config: &FabricConfig) -> FabricPacket {
        self.probe = ProbeState::Outstanding(now);
        let target = self.probe_target(config.shape.endpoints());
        self.probes += 1;
        let operation = OwnOperation {
            kind: OperationKind::Probe,
            target,
            data: 0,
        };
        request(self.number, PROBES | self.probes, &operation, config)
    }

    fn start(&mut self, now: Cycle, channel: Channel, packet: &FabricPacket) {
        let flits = packet.flits();
        self.arbiter.grant(channel);
        self.credits[channel] -= flits;
        self.flits += u64::from(flits);
        self.packets += u64::from(packet.kind != OperationKind::Probe);
        self.busy_until = now + u64::from(flits);
        self.wake = self.busy_until;
    }
}

/// Set in the numbers of probes.
const PROBES: u32 = 1 << 31;

/// The request of an operation.
fn request(
    initiator: u16,
    sequence: u32,
    operation: &OwnOperation,
    config: &FabricConfig,
) -> FabricPacket {
    FabricPacket {
        ready: 0,
        sequence,
        entry: NO_ENTRY,
        initiator,
        target: operation.target,
        uplink: uplink_of(initiator, sequence, config),
        kind: operation.kind,
        leg: Leg::Request,
        data: operation.data,
    }
}

/// The uplink that an operation takes at every ToR.
pub(crate) fn uplink_of(initiator: u16, sequence: u32, config: &FabricConfig) -> u16 {
    let uplinks = u64::from(config.shape.uplinks().max(1));
    let chosen = match config.uplink_choice {
        UplinkChoice::Hash => {
            mix(config.seed ^ mix(u64::from(initiator) << 32 | u64::from(sequence)))
        }
        UplinkChoice::Rotate => u64::from(initiator) + u64::from(sequence),
    };
    (chosen % uplinks) as u16
}

impl Endpoint {
    /// Hands an operation to the network interface.
    pub(super) fn issue(
        &mut self,
        now: Cycle,
        operation: OwnOperation,
        follow_up: FollowUp,
        program: usize,
    ) {
        let OwnOperation { kind, target, data } = operation;
        let sequence = self.records.len() as u32;
        self.records.push(OperationRecord {
            initiator: self.number,
            kind,
            target,
            data,
            issued: now,
            injected: NEVER,
            completed: NEVER,
        });
        self.open += 1;
        let port = &mut self.port;
        port.follow_ups.push((follow_up, program as u16));
        let queue = port.queue_of(kind);
        let queued = QueuedOperation {
            sequence,
            operation,
        };
        port.operations[queue].push(now, queued);
    }

    /// Step 7.
    pub(super) fn inject(&mut self, now: Cycle, facts: &FabricFacts, out: &mut Emission) {
        if self.port.busy_until > now {
            self.port.wake = self.port.busy_until;
            return;
        }
        let has_work = self.open > 0;
        let chosen = self.port.choose(now, has_work, &mut *self.control);
        let Some(channel) = chosen else { return };
        let packet = match channel {
            RESPONSES => self.next_response(),
            REQUESTS if self.port.probe == ProbeState::Due && has_work => {
                Some(self.port.probe_packet(now, &facts.config))
            }
            _ => self.next_operation(now, channel, &facts.config),
        };
        if let Some(packet) = packet {
            self.port.start(now, channel, &packet);
            out.packet = Some((channel as u8, packet));
        }
    }

    fn next_response(&mut self) -> Option<FabricPacket> {
        let packet = self.port.responses.pop_front()?;
        self.owed -= packet.flits();
        Some(packet)
    }

    fn next_operation(
        &mut self,
        now: Cycle,
        channel: Channel,
        config: &FabricConfig,
    ) -> Option<FabricPacket> {
        let queue = &mut self.port.operations[usize::from(channel == INJECTED_WRITES)];
        let (queued, waited) = queue.pop(now)?;
        self.control.on_injection(now, &queued.operation, waited);
        self.records[queued.sequence as usize].injected = now;
        Some(request(
            self.number,
            queued.sequence,
            &queued.operation,
            config,
        ))
    }
}
