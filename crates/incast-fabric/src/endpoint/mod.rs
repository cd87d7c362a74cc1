//! An endpoint: an accelerator's network interface and memory.
//!
//! In each cycle, in this order:
//!
//! 1. Credits that have come count.
//! 2. The first flits of packets arrive. The control hears of requests of other members.
//! 3. Own operations whose last flit has arrived complete; what follows them is issued.
//! 4. Requests are accepted in order while the responses owed stay within the limit. Room is given
//!    back upstream.
//! 5. Responses that memory has ready are queued, those of reads first.
//! 6. Work that is due is issued.
//! 7. If the link is free, one channel sends: responses, and requests that the control admits.

mod injection;
mod program;
mod reception;

use std::collections::VecDeque;

use self::injection::InjectionPort;
use self::program::ScriptProgress;
use crate::control::InjectionControl;
use crate::packet::{Credit, Cycle, FabricPacket, NEVER};
use crate::switch::FabricFacts;
use crate::violation::FabricViolation;
use crate::work::{OperationRecord, Script, Work, WorkKind};

/// The successor of an operation, due when it completes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum FollowUp {
    None,
    /// A multicast write of the result.
    Write,
}

impl FollowUp {
    fn of(work: &Work) -> Self {
        match work.kind {
            WorkKind::Transaction => Self::Write,
            WorkKind::Single(_) => Self::None,
        }
    }
}

/// The flits and credits of an endpoint to its ToR in a cycle.
#[derive(Debug, Default)]
pub(crate) struct Emission {
    pub(crate) packet: Option<(u8, FabricPacket)>,
    pub(crate) credits: Vec<Credit>,
}

/// An endpoint.
#[derive(Debug)]
pub(crate) struct Endpoint {
    number: u16,
    /// Packets on the way from the ToR, by arrival of the first flit.
    coming: VecDeque<FabricPacket>,
    /// Responses to own operations, by arrival of the last flit.
    completing: VecDeque<(Cycle, FabricPacket)>,
    /// Requests that have come, by arrival of the last flit, and are not accepted.
    requests: VecDeque<(Cycle, FabricPacket)>,
    /// Responses that memory prepares, of reads, then of writes, and when they are ready.
    preparing: [VecDeque<(Cycle, FabricPacket)>; 2],
    /// Cycles in which memory answers a read.
    read_latency: u32,
    /// Flits of responses not sent.
    owed: u32,
    port: InjectionPort,
    control: Box<dyn InjectionControl>,
    /// Scripts under way, side by side.
    programs: Vec<ScriptProgress>,
    /// By number.
    records: Vec<OperationRecord>,
    /// Operations issued and not complete.
    open: u64,
    /// Flits that have arrived, those of probes left aside.
    received: u64,
    /// When this endpoint is next called, at the latest.
    pub(crate) wake: Cycle,
    pub(crate) violation: Option<FabricViolation>,
}

impl Endpoint {
    pub(crate) fn new(
        number: u16,
        facts: &FabricFacts,
        control: Box<dyn InjectionControl>,
        read_latency: u32,
        scripts: Vec<Script>,
    ) -> Self {
        let operations = scripts.iter().map(Script::operations).sum::<u64>() as usize;
        Self {
            number,
            coming: VecDeque::new(),
            completing: VecDeque::new(),
            requests: VecDeque::new(),
            preparing: [VecDeque::new(), VecDeque::new()],
            read_latency,
            owed: 0,
            port: InjectionPort::new(number, &facts.config, control.uses_probes()),
            control,
            programs: scripts.into_iter().map(ScriptProgress::new).collect(),
            records: Vec::with_capacity(operations),
            open: 0,
            received: 0,
            wake: NEVER,
            violation: None,
        }
    }

    /// When work is first due.
    pub(crate) fn first_due(&self) -> Cycle {
        let due = self.programs.iter().map(ScriptProgress::due);
        due.min().unwrap_or(NEVER)
    }

    /// A packet is on its way; its time is when its first flit arrives.
    pub(crate) fn expect(&mut self, packet: &FabricPacket) {
        self.coming.push_back(*packet);
    }

    /// A credit for the injection link is on its way. Says whether to call when it arrives.
    pub(crate) fn expect_credit(&mut self, credit: Credit) -> bool {
        self.port.expect_credit(credit)
    }

    /// One cycle. Returns when to call again, unless something arrives before.
    pub(crate) fn run_cycle(
        &mut self,
        now: Cycle,
        facts: &FabricFacts,
        out: &mut Emission,
    ) -> Cycle {
        self.port.collect_credits(now);
        self.take_arrivals(now, facts, out);
        self.complete(now);
        self.accept(now, facts, out);
        self.collect_responses(now);
        self.issue_due(now);
        self.inject(now, facts, out);
        self.next_call(now, facts)
    }

    /// When something is due that is known now.
    fn next_call(&self, now: Cycle, facts: &FabricFacts) -> Cycle {
        if self.may_accept(facts) {
            return now + 1;
        }
        let ready = |queue: &VecDeque<(Cycle, FabricPacket)>| queue.front().map(|first| first.0);
        let coming = self.coming.front().map(|packet| packet.ready);
        let due = [
            coming.unwrap_or(NEVER),
            ready(&self.completing).unwrap_or(NEVER),
            ready(&self.preparing[0]).unwrap_or(NEVER),
            ready(&self.preparing[1]).unwrap_or(NEVER),
            self.first_due(),
            self.port.wake(),
        ];
        let next = due.into_iter().min().unwrap_or(NEVER);
        next.max(now + 1)
    }

    /// Step 6.
    fn issue_due(&mut self, now: Cycle) {
        for program in 0..self.programs.len() {
            while self.programs[program].due() <= now {
                for work in self.programs[program].begin_step() {
                    for _ in 0..work.count {
                        self.issue(now, work.first(), FollowUp::of(&work), program);
                    }
                }
                self.programs[program].end_issue(now);
            }
        }
    }

    pub(crate) fn control_mut(&mut self) -> &mut dyn InjectionControl {
        &mut *self.control
    }

    pub(crate) fn records(&self) -> &[OperationRecord] {
        &self.records
    }

    /// Operations not complete, those not yet issued included.
    pub(crate) fn unfinished(&self) -> u64 {
        self.open
            + self
                .programs
                .iter()
                .map(ScriptProgress::not_issued)
                .sum::<u64>()
    }

    /// Operations that are complete.
    pub(crate) fn completed(&self) -> u64 {
        self.records.len() as u64 - self.open
    }

    /// Whether work begins later by itself.
    pub(crate) fn waits_for_time(&self) -> bool {
        self.first_due() != NEVER
    }

    /// Packets held, operations not complete left aside.
    pub(crate) fn held(&self) -> usize {
        let prepared: usize = self.preparing.iter().map(VecDeque::len).sum();
        let queued = self.coming.len() + self.completing.len() + self.requests.len();
        queued + prepared + self.port.responses()
    }

    /// Flits that have arrived, those of probes left aside.
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    pub(crate) fn port(&self) -> &InjectionPort {
        &self.port
    }

    /// Requests that have come and are not accepted.
    pub(crate) fn refused(&self) -> usize {
        self.requests.len()
    }
}
