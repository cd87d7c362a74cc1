//! Arrivals at an endpoint: completions, requests, and the memory that answers them.

use super::{Emission, Endpoint, FollowUp};
use crate::config::MatchAt;
use crate::control::{OwnOperation, RemoteRequest};
use crate::packet::{Credit, Cycle, FabricPacket, Leg, NEVER, OperationKind, REQUESTS, channel_of};
use crate::switch::FabricFacts;
use crate::violation::FabricViolation;

/// Places in `preparing`.
const READS: usize = 0;
const WRITES: usize = 1;

/// The cycle in which the last flit arrives.
fn arrival_of_tail(packet: &FabricPacket) -> Cycle {
    packet.ready + u64::from(packet.flits()) - 1
}

fn credit_for(packet: &FabricPacket, now: Cycle) -> Credit {
    Credit {
        ready: now,
        channel: channel_of(packet.leg) as u8,
        flits: packet.flits() as u8,
    }
}

impl Endpoint {
    /// Step 3: own operations complete.
    pub(super) fn complete(&mut self, now: Cycle) {
        while let Some(&(tail, packet)) = self.completing.front()
            && tail <= now
        {
            self.completing.pop_front();
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
    }

    /// Step 2: first flits arrive.
    pub(super) fn take_arrivals(&mut self, now: Cycle, facts: &FabricFacts, out: &mut Emission) {
        while let Some(&packet) = self.coming.front()
            && packet.ready <= now
        {
            self.coming.pop_front();
            if packet.kind != OperationKind::Probe {
                self.received += u64::from(packet.flits());
            }
            let tail = arrival_of_tail(&packet);
            match packet.leg {
                Leg::Response => {
                    out.credits.push(credit_for(&packet, now));
                    self.completing.push_back((tail, packet));
                }
                Leg::Request => {
                    if facts.config.match_at == MatchAt::Arrival {
                        self.hear(now, &packet);
                    }
                    self.requests.push_back((tail, packet));
                }
            }
        }
    }

    /// The control hears of another's collective operation.
    fn hear(&mut self, now: Cycle, packet: &FabricPacket) {
        if packet.kind.is_collective() && packet.initiator != self.number {
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

    /// Step 5: responses that are ready.
    pub(super) fn collect_responses(&mut self, now: Cycle) {
        for preparing in &mut self.preparing {
            while let Some(&(ready, packet)) = preparing.front()
                && ready <= now
            {
                preparing.pop_front();
                self.port.queue_response(packet);
            }
        }
    }

    /// Whether the first request that waits could be accepted.
    pub(super) fn may_accept(&self, facts: &FabricFacts) -> bool {
        let limit = facts.config.owed_limit.unwrap_or(u32::MAX);
        let first = self.requests.front();
        first.is_some_and(|(_, request)| self.owed + request.response().flits() <= limit)
    }

    /// Step 4: requests are accepted.
    pub(super) fn accept(&mut self, now: Cycle, facts: &FabricFacts, out: &mut Emission) {
        while self.may_accept(facts)
            && let Some((tail, request)) = self.requests.pop_front()
        {
            let response = request.response();
            self.owed += response.flits();
            debug_assert_eq!(channel_of(request.leg), REQUESTS);
            out.credits.push(credit_for(&request, now));
            if facts.config.match_at == MatchAt::Acceptance {
                self.hear(now, &request);
            }
            if request.kind.is_write() {
                let arrived = tail.max(now);
                let ready = arrived + u64::from(facts.config.write_latency);
                self.preparing[WRITES].push_back((ready, response));
            } else {
                let ready = now + u64::from(self.read_latency);
                self.preparing[READS].push_back((ready, response));
            }
        }
    }
}
