//! An endpoint: an accelerator's network interface and memory.
//!
//! In each cycle, in this order:
//!
//! 1. Credits that have arrived become usable.
//! 2. The first flits of packets arrive. The control learns of other members' requests.
//! 3. Own operations whose last flit has arrived complete, and their follow-ups are issued.
//! 4. Requests are accepted in order while the responses owed stay within the limit. Room is given
//!    back upstream.
//! 5. Responses that memory has ready are queued, responses to reads first. (No packet is moved:
//!    the order of this queue follows from the cycles in which responses are ready.)
//! 6. Scripted work that is due is issued.
//! 7. If the link is free, one channel sends a response, or a request that the control admits.

mod injection;
mod link;
mod program;
mod reception;

use std::collections::VecDeque;

use self::injection::InjectionPort;
pub(crate) use self::link::TorLink;
use self::program::ScriptProgress;
use crate::control::InjectionControl;
use crate::packet::{BufferCredit, Cycle, NEVER, Ticket};
use crate::switch::FabricFacts;
use crate::touch::touch;
use crate::violation::FabricViolation;
use crate::work::{OperationRecord, Script, Work, WorkKind};

/// The follow-up of an operation, issued when the operation completes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum FollowUp {
    None,
    /// A multicast write of the read's result.
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

/// An endpoint.
#[derive(Debug)]
pub(crate) struct Endpoint {
    number: u16,
    /// Packets on the way from the ToR, with the arrival of their first flit.
    coming: VecDeque<(Cycle, Ticket)>,
    /// Responses to own operations, with the arrival of their last flit.
    completing: VecDeque<(Cycle, Ticket)>,
    /// Requests that have arrived and are not yet accepted.
    requests: VecDeque<Ticket>,
    /// Cycle in which the last flit of the latest request arrives. All flits of earlier requests
    /// have arrived before.
    last_tail: Cycle,
    /// Cycles that memory takes to answer a read.
    read_latency: u32,
    /// Flits of responses not yet sent.
    owed: u32,
    port: InjectionPort,
    control: Box<dyn InjectionControl>,
    /// Whether the control needs to learn of other endpoints' requests.
    hears_requests: bool,
    /// Scripts in progress, independent of each other.
    programs: Vec<ScriptProgress>,
    /// Cycle in which the earliest next step of any script begins.
    due: Cycle,
    /// By number.
    records: Vec<OperationRecord>,
    /// Operations issued but not complete.
    open: u64,
    /// Flits that have arrived, not counting those of probes.
    received: u64,
    /// Cycle of the next event.
    wake: Cycle,
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
        let mut endpoint = Self {
            number,
            coming: VecDeque::new(),
            completing: VecDeque::new(),
            requests: VecDeque::new(),
            last_tail: 0,
            read_latency,
            owed: 0,
            port: InjectionPort::new(number, &facts.config, control.uses_probes()),
            hears_requests: control.hears_requests(),
            control,
            programs: scripts.into_iter().map(ScriptProgress::new).collect(),
            due: NEVER,
            records: Vec::with_capacity(operations),
            open: 0,
            received: 0,
            wake: NEVER,
            violation: None,
        };
        endpoint.find_due();
        endpoint.wake = endpoint.due;
        endpoint
    }

    fn find_due(&mut self) {
        let due = self.programs.iter().map(ScriptProgress::due);
        self.due = due.min().unwrap_or(NEVER);
    }

    /// Prefetches the first items of the queues.
    pub(crate) fn touch(&self, sum: &mut u64) {
        touch(&self.coming, sum, |&(ready, _)| ready);
        touch(&self.requests, sum, |request| request.slot.into());
        self.port.touch(sum);
    }

    /// Earliest cycle in which the endpoint may have something to do.
    #[inline]
    pub(crate) fn wake(&self) -> Cycle {
        self.wake
    }

    /// A packet is on its way. Its first flit arrives at `at`.
    #[inline]
    pub(crate) fn expect(&mut self, at: Cycle, packet: Ticket) {
        self.coming.push_back((at, packet));
        self.wake = self.wake.min(at);
    }

    /// A credit for the injection link is on its way.
    #[inline]
    pub(crate) fn expect_credit(&mut self, credit: BufferCredit) {
        if self.port.expect_credit(credit) {
            self.wake = self.wake.min(credit.ready);
        }
    }

    /// Handles all events before `end`.
    pub(crate) fn run_until(&mut self, end: Cycle, link: &mut TorLink<'_>) {
        while self.wake < end {
            let now = self.wake;
            self.run_cycle(now, link);
            self.wake = self.next_call(now, link.facts);
        }
    }

    fn run_cycle(&mut self, now: Cycle, link: &mut TorLink<'_>) {
        self.take_arrivals(now, link);
        self.complete(now, link);
        self.accept(now, link);
        self.issue_due(now);
        self.inject(now, link);
    }

    /// Cycle of the next event, as far as it is known now.
    #[inline]
    fn next_call(&self, now: Cycle, facts: &FabricFacts) -> Cycle {
        if self.may_accept(facts) {
            return now + 1;
        }
        let ready =
            |queue: &VecDeque<(Cycle, Ticket)>| queue.front().map_or(NEVER, |first| first.0);
        let next = ready(&self.coming)
            .min(ready(&self.completing))
            .min(self.due)
            .min(self.port.wake());
        next.max(now + 1)
    }

    /// Step 6.
    #[inline]
    fn issue_due(&mut self, now: Cycle) {
        if self.due <= now {
            self.issue_steps(now);
        }
    }

    fn issue_steps(&mut self, now: Cycle) {
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
        self.find_due();
    }

    pub(crate) fn control_mut(&mut self) -> &mut dyn InjectionControl {
        &mut *self.control
    }

    pub(crate) fn records(&self) -> &[OperationRecord] {
        &self.records
    }

    /// Operations not complete, including those not yet issued.
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

    /// Whether a script waits for a fixed start time.
    pub(crate) fn waits_for_time(&self) -> bool {
        self.due != NEVER
    }

    /// Packets held in queues.
    pub(crate) fn held(&self) -> usize {
        let queued = self.coming.len() + self.completing.len() + self.requests.len();
        queued + self.port.responses()
    }

    /// Flits that have arrived, not counting those of probes.
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    pub(crate) fn port(&self) -> &InjectionPort {
        &self.port
    }

    /// Requests that have arrived and are not yet accepted.
    pub(crate) fn refused(&self) -> usize {
        self.requests.len()
    }
}
