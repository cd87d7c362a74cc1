//! Arrivals at an endpoint: completions, requests, and memory's responses to them.

use super::{Endpoint, FollowUp, TorLink};
use crate::config::MatchAt;
use crate::control::{OwnOperation, RemoteRequest};
use crate::packet::{Cycle, FabricPacket, NEVER, OperationKind, REQUESTS, Ticket, TicketRole};
use crate::switch::FabricFacts;
use crate::violation::FabricViolation;

impl Endpoint {
    /// Step 3: own operations complete.
    #[inline]
    pub(super) fn complete(&mut self, now: Cycle, link: &mut TorLink<'_>) {
        while let Some(&(tail, response)) = self.completing.front()
            && tail <= now
        {
            self.completing.pop_front();
            let packet = *link.store().request(response);
            link.store().free(response);
            self.port.ask_control();
            if packet.kind == OperationKind::Probe {
                let round_trip = self.port.end_probe(now);
                self.control.on_probe(now, round_trip);
            } else {
                self.complete_operation(now, &packet);
            }
        }
    }

    fn complete_operation(&mut self, now: Cycle, packet: &FabricPacket) {
        let record = self.records.get_mut(packet.sequence as usize);
        let Some(record) = record.filter(|record| record.completed == NEVER) else {
            self.violation
                .get_or_insert(FabricViolation::CompletedTwice {
                    initiator: self.number,
                    sequence: packet.sequence,
                    cycle: now,
                });
            return;
        };
        record.completed = now;
        let operation = OwnOperation {
            kind: packet.kind,
            target: packet.target,
            data: packet.data,
        };
        let latency = record.latency();
        self.open -= 1;
        self.control.on_completion(now, &operation, latency);
        let (follow_up, program) = self.port.take_follow_up(packet.sequence);
        if follow_up == FollowUp::Write {
            let write = OperationKind::WriteMulticast;
            let operation = OwnOperation {
                kind: write,
                ..operation
            };
            self.issue(now, operation, FollowUp::None, program);
        }
        self.programs[program].complete_one(now);
        self.find_due();
    }

    /// Step 2: first flits arrive.
    #[inline]
    pub(super) fn take_arrivals(&mut self, now: Cycle, link: &mut TorLink<'_>) {
        while let Some(&(ready, packet)) = self.coming.front()
            && ready <= now
        {
            self.coming.pop_front();
            if packet.kind != OperationKind::Probe {
                self.received += u64::from(packet.flits());
            }
            let tail = ready + u64::from(packet.flits()) - 1;
            if packet.role == TicketRole::Request {
                if link.facts.config.match_at == MatchAt::Arrival {
                    self.hear(now, packet, link);
                }
                self.last_tail = tail;
                self.requests.push_back(packet);
            } else {
                link.give_back(now, packet);
                self.completing.push_back((tail, packet));
            }
        }
    }

    /// Tells the control of another endpoint's collective operation.
    #[inline]
    fn hear(&mut self, now: Cycle, request: Ticket, link: &mut TorLink<'_>) {
        if !self.hears_requests || !request.kind.is_collective() {
            return;
        }
        let packet = link.store().request(request);
        if packet.initiator != self.number {
            let operation = OwnOperation {
                kind: packet.kind,
                target: packet.target,
                data: packet.data,
            };
            let from = packet.initiator;
            let request = RemoteRequest { from, operation };
            self.control.on_remote_request(now, &request);
        }
    }

    /// Whether the first waiting request can be accepted.
    #[inline]
    pub(super) fn may_accept(&self, facts: &FabricFacts) -> bool {
        let limit = facts.config.owed_limit.unwrap_or(u32::MAX);
        let first = self.requests.front();
        first.is_some_and(|request| self.owed + u32::from(request.answer) <= limit)
    }

    /// Step 4: requests are accepted.
    #[inline]
    pub(super) fn accept(&mut self, now: Cycle, link: &mut TorLink<'_>) {
        let write_latency = u64::from(link.facts.config.write_latency);
        while self.may_accept(link.facts)
            && let Some(request) = self.requests.pop_front()
        {
            let role = match request.kind.is_collective() {
                true => TicketRole::Contribution,
                false => TicketRole::Response,
            };
            let response = request.response(role);
            self.owed += response.flits();
            debug_assert_eq!(request.channel(), REQUESTS);
            link.give_back(now, request);
            if link.facts.config.match_at == MatchAt::Acceptance {
                self.hear(now, request, link);
            }
            let ready = match request.kind.is_write() {
                true if self.requests.is_empty() => self.last_tail.max(now) + write_latency,
                true => now + write_latency,
                false => now + u64::from(self.read_latency),
            };
            self.port.prepare(ready, response);
        }
    }
}
