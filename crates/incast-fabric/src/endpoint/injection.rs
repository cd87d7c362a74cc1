//! The injection side of an endpoint: queues of operations and responses, and the link to the ToR.

use std::collections::VecDeque;

use incast_random::mix;

use super::{Endpoint, FollowUp, TorLink};
use crate::arbiter::Arbiter;
use crate::config::{FabricConfig, InjectionChannels, UplinkChoice};
use crate::control::{InjectionControl, OwnOperation};
use crate::credits::ChannelCredits;
use crate::packet::{
    BufferCredit, CHANNELS, Channel, Cycle, FabricPacket, INJECTED_WRITES, Leg, NEVER, NO_ENTRY,
    OperationKind, REQUESTS, RESPONSES, Ticket,
};
use crate::touch::touch;
use crate::work::OperationRecord;

/// An operation that waits to be injected.
#[derive(Copy, Clone, Debug)]
struct QueuedOperation {
    sequence: u32,
    operation: OwnOperation,
}

/// The operations that wait in one channel.
#[derive(Debug, Default)]
struct OperationQueue {
    queue: VecDeque<QueuedOperation>,
    /// Cycle since which the current first operation has been first.
    first_since: Cycle,
}

impl OperationQueue {
    fn push(&mut self, now: Cycle, operation: QueuedOperation) {
        if self.queue.is_empty() {
            self.first_since = now;
        }
        self.queue.push_back(operation);
    }

    /// Removes the first operation; returns it with the cycles for which it was first.
    fn pop(&mut self, now: Cycle) -> Option<(QueuedOperation, Cycle)> {
        let first = self.queue.pop_front()?;
        let waited = now - self.first_since;
        self.first_since = now;
        Some((first, waited))
    }
}

/// State of the endpoint's probe: while there is work, one probe is always outstanding.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ProbeState {
    /// The scheme uses no probes.
    Unused,
    /// A probe is to be sent.
    Due,
    /// A probe was sent in this cycle.
    Outstanding(Cycle),
}

/// The sending side of the link to the ToR, and the queues before it.
#[derive(Debug)]
pub(crate) struct InjectionPort {
    number: u16,
    injection: InjectionChannels,
    /// Reads, writes.
    operations: [OperationQueue; 2],
    /// For reads and writes: the cycle before which the control has refused them.
    not_before: [Cycle; 2],
    /// Responses to reads and to writes, each with the cycle in which memory has it ready.
    responses: [VecDeque<(Cycle, Ticket)>; 2],
    credits: [ChannelCredits; CHANNELS],
    arbiter: Arbiter,
    busy_until: Cycle,
    probe: ProbeState,
    probes: u32,
    /// By operation: its follow-up, and the script that it belongs to.
    follow_ups: Vec<(FollowUp, u16)>,
    wake: Cycle,
    /// Waits for credits.
    lacks_credits: bool,
    /// Flits sent.
    flits: u64,
    /// Packets sent, not counting probes and their responses.
    packets: u64,
}

impl InjectionPort {
    pub(super) fn new(number: u16, config: &FabricConfig, uses_probes: bool) -> Self {
        Self {
            number,
            injection: config.injection,
            operations: [OperationQueue::default(), OperationQueue::default()],
            not_before: [0; 2],
            responses: [VecDeque::new(), VecDeque::new()],
            credits: [(); CHANNELS].map(|()| ChannelCredits::new(config.input_depth)),
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

    /// A credit is on its way. Returns whether the port must act when the credit arrives.
    #[inline]
    pub(super) fn expect_credit(&mut self, credit: BufferCredit) -> bool {
        self.credits[usize::from(credit.channel)].expect(credit);
        self.lacks_credits
    }

    /// Prefetches the first items of the queues.
    pub(super) fn touch(&self, sum: &mut u64) {
        for responses in &self.responses {
            touch(responses, sum, |&(ready, _)| ready);
        }
        self.credits.iter().for_each(|credits| credits.touch(sum));
    }

    /// Asks the control again: something has happened that can change its answer.
    #[inline]
    pub(super) fn ask_control(&mut self) {
        self.not_before = [0; 2];
    }

    /// Queues a response that memory will have ready at `ready`.
    #[inline]
    pub(super) fn prepare(&mut self, ready: Cycle, response: Ticket) {
        let responses = &mut self.responses[usize::from(response.kind.is_write())];
        responses.push_back((ready, response));
    }

    /// The response that is ready first, and its queue. Responses to reads win ties.
    #[inline]
    fn first_response(&self) -> Option<(usize, Cycle, Ticket)> {
        let [reads, writes] = self.responses.each_ref().map(VecDeque::front);
        match (reads, writes) {
            (Some(&(ready, packet)), None) => Some((0, ready, packet)),
            (Some(&(ready, packet)), Some(&(other, _))) if ready <= other => {
                Some((0, ready, packet))
            }
            (_, writes) => writes.map(|&(ready, packet)| (1, ready, packet)),
        }
    }

    /// The follow-up of an operation, and the script that it belongs to.
    pub(super) fn take_follow_up(&self, sequence: u32) -> (FollowUp, usize) {
        let (follow_up, program) = self.follow_ups[sequence as usize];
        (follow_up, program.into())
    }

    /// The probe has returned. Returns its round-trip time.
    pub(super) fn end_probe(&mut self, now: Cycle) -> Cycle {
        let before = std::mem::replace(&mut self.probe, ProbeState::Due);
        match before {
            ProbeState::Outstanding(sent) => now - sent,
            _ => 0,
        }
    }

    /// Earliest cycle in which the port may have something to do.
    pub(super) fn wake(&self) -> Cycle {
        self.wake
    }

    pub(super) fn responses(&self) -> usize {
        self.responses.iter().map(VecDeque::len).sum()
    }

    /// Flits sent.
    pub(crate) fn flits(&self) -> u64 {
        self.flits
    }

    /// Packets sent, not counting probes.
    pub(crate) fn packets(&self) -> u64 {
        self.packets
    }

    /// Whether all credits of the link are back.
    pub(crate) fn has_all_credits(&self, depth: u32) -> bool {
        self.credits.iter().all(|credits| credits.total() == depth)
    }

    /// Flits of requests and of responses that wait before cycle `now`.
    pub(crate) fn waiting(&self, now: Cycle) -> [u64; 2] {
        let requests = self.operations.iter().flat_map(|queue| &queue.queue);
        let requests = requests.map(|queued| u64::from(queued.operation.costs()[0]));
        let responses = self.responses.iter().flatten();
        let responses = responses.filter(|(ready, _)| *ready < now);
        let responses = responses.map(|(_, packet)| u64::from(packet.flits()));
        [requests.sum(), responses.sum()]
    }

    fn queue_of(&self, kind: OperationKind) -> usize {
        match self.injection {
            InjectionChannels::Shared => 0,
            InjectionChannels::Separate => usize::from(kind.is_write()),
        }
    }

    /// The cycle from which a channel's first packet may be sent, and its flits.
    #[inline]
    fn candidate(
        &mut self,
        channel: Channel,
        now: Cycle,
        has_work: bool,
        control: &mut dyn InjectionControl,
    ) -> Option<(Cycle, u32)> {
        if channel == RESPONSES {
            let first = self.first_response();
            return first.map(|(_, ready, packet)| (ready, packet.flits()));
        }
        if channel == REQUESTS && self.probe == ProbeState::Due && has_work {
            return Some((now, OperationKind::Probe.request_flits(0)));
        }
        let queue = usize::from(channel == INJECTED_WRITES);
        let first = self.operations[queue].queue.front()?;
        let not_before = &mut self.not_before[queue];
        if *not_before <= now {
            *not_before = control.may_inject_from(now, &first.operation);
        }
        Some((*not_before, first.operation.costs()[0]))
    }

    /// The channel that sends in this cycle, if any. Otherwise sets `wake` to the next cycle to
    /// try.
    #[inline]
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
            let credits = &mut self.credits[channel];
            if !credits.suffice(now, flits) {
                self.lacks_credits = true;
                self.wake = self.wake.min(credits.next().max(from));
            } else if from > now {
                self.wake = self.wake.min(from);
            } else {
                return Some(channel);
            }
        }
        None
    }

    /// The next cycle to act while the link is busy.
    #[inline]
    fn next_look(&self, has_work: bool) -> Cycle {
        let has_operations = self.operations.iter().any(|queue| !queue.queue.is_empty());
        if has_operations || self.probe == ProbeState::Due && has_work {
            return self.busy_until;
        }
        let response = self.first_response();
        response.map_or(NEVER, |(_, ready, _)| ready.max(self.busy_until))
    }

    /// The next probe's destination: the other endpoints in turn.
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

    #[inline]
    fn start(&mut self, now: Cycle, channel: Channel, packet: Ticket) {
        let flits = packet.flits();
        self.arbiter.grant(channel);
        self.credits[channel].take(flits);
        self.flits += u64::from(flits);
        self.packets += u64::from(packet.kind != OperationKind::Probe);
        self.busy_until = now + u64::from(flits);
    }
}

/// Bit that marks the sequence numbers of probes.
const PROBES: u32 = 1 << 31;

/// The request packet of an operation.
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
    /// Queues an operation at the network interface.
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
    #[inline]
    pub(super) fn inject(&mut self, now: Cycle, link: &mut TorLink<'_>) {
        let has_work = self.open > 0;
        if self.port.busy_until <= now {
            let chosen = self.port.choose(now, has_work, &mut *self.control);
            let Some(channel) = chosen else { return };
            self.send(now, channel, link);
        }
        self.port.wake = self.port.next_look(has_work);
    }

    /// Sends the first packet of `channel`.
    #[inline]
    fn send(&mut self, now: Cycle, channel: Channel, link: &mut TorLink<'_>) {
        let packet = match channel {
            RESPONSES => self.next_response(),
            REQUESTS if self.port.probe == ProbeState::Due && self.open > 0 => {
                let probe = self.port.probe_packet(now, &link.facts.config);
                Some(link.store().add(&probe))
            }
            _ => self.next_operation(now, channel, link),
        };
        if let Some(packet) = packet {
            self.port.start(now, channel, packet);
            if let Some(credit) = link.send(now, self.number, channel, packet) {
                self.port.credits[channel].expect(credit);
            }
        }
    }

    #[inline]
    fn next_response(&mut self) -> Option<Ticket> {
        let (queue, _, response) = self.port.first_response()?;
        self.port.responses[queue].pop_front();
        self.owed -= response.flits();
        Some(response)
    }

    fn next_operation(
        &mut self,
        now: Cycle,
        channel: Channel,
        link: &mut TorLink<'_>,
    ) -> Option<Ticket> {
        let queue = &mut self.port.operations[usize::from(channel == INJECTED_WRITES)];
        let (queued, waited) = queue.pop(now)?;
        self.port.ask_control();
        self.control.on_injection(now, &queued.operation, waited);
        self.records[queued.sequence as usize].injected = now;
        let config = &link.facts.config;
        let packet = request(self.number, queued.sequence, &queued.operation, config);
        Some(link.store().add(&packet))
    }
}
