//! The scenario's flows as the network wants them: numbered, with source ports.

use std::cell::{Cell, RefCell, RefMut};
use std::collections::VecDeque;

use incast_diagnostic::Diagnostic;
use incast_net::{Clock, Flow};
use incast_units::{Bytes, FlowId, Time};
use incast_workload::{Piece, PieceStream, Roles};

use crate::results::{FlowArrivals, MessageLedger};
use crate::spec::{NicTurns, ValidSpec};

use super::source_ports::SourcePorts;
use super::task_graphs::TaskGraphs;

/// Flows of a run, and what became of them so far.
pub(super) struct RunTraffic {
    stream: RefCell<Numbered>,
    error: RefCell<Option<Diagnostic>>,
    started: Cell<Started>,
    arrivals: RefCell<FlowStarts>,
    graphs: TaskGraphs,
    /// Flows of the task graphs that have started.
    chunks: Cell<u64>,
    /// Who attacks, if there is an attack.
    roles: Option<Roles>,
}

/// When flows started, and, if they are kept, which.
#[derive(Clone, Debug, Default)]
pub(super) struct FlowStarts {
    pub(super) times: FlowArrivals,
    /// By number.
    pub(super) flows: Vec<Flow>,
    keeps_flows: bool,
}

impl FlowStarts {
    pub(super) fn new(spec: &ValidSpec) -> Self {
        Self {
            times: FlowArrivals::new(spec.measure().flow_interval.unwrap_or_default()),
            keeps_flows: spec.fair_share(),
            ..Self::default()
        }
    }

    pub(super) fn note(&mut self, flow: &Flow) {
        self.times.note(flow.start);
        if self.keeps_flows {
            self.flows.push(*flow);
        }
    }
}

/// Flows that the network has started.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Started {
    pub(super) flows: u64,
    pub(super) payload: Bytes,
    /// Start of the first one.
    pub(super) first: Time,
    /// Start of the last one.
    pub(super) latest: Time,
}

impl Started {
    pub(super) fn note(&mut self, flow: &Flow) {
        if self.flows == 0 || flow.start < self.first {
            self.first = flow.start;
        }
        self.flows += 1;
        self.payload = self.payload.saturating_add(flow.size);
        self.latest = self.latest.max(flow.start);
    }
}

impl RunTraffic {
    pub(super) fn open(spec: &ValidSpec) -> Result<Self, Diagnostic> {
        let graphs = TaskGraphs::of(spec);
        let first_id = graphs.flows();
        let ledger = || MessageLedger::new(first_id);
        Ok(Self {
            stream: RefCell::new(Numbered::new(
                spec.pieces()?,
                spec.is_attacked().then(ledger),
                FlowNumbers::new(spec, first_id),
            )),
            error: RefCell::new(None),
            started: Cell::default(),
            arrivals: RefCell::new(FlowStarts::new(spec)),
            graphs,
            chunks: Cell::new(0),
            roles: spec.roles(),
        })
    }

    /// No more than flows that have started elsewhere.
    pub(super) fn of_started(spec: &ValidSpec, started: Started, starts: FlowStarts) -> Self {
        Self {
            stream: RefCell::new(Numbered::new(
                Box::new(std::iter::empty()),
                None,
                FlowNumbers::new(spec, 0),
            )),
            error: RefCell::new(None),
            started: Cell::new(started),
            arrivals: RefCell::new(starts),
            graphs: TaskGraphs::of(spec),
            chunks: Cell::new(0),
            roles: None,
        }
    }

    /// The flows; ends at the first error.
    pub(super) fn flows(&self) -> impl Iterator<Item = Flow> + '_ {
        // The network holds one flow ahead: it has started those before the one it holds.
        let mut held: Option<Flow> = None;
        std::iter::from_fn(move || {
            if let Some(flow) = held.take() {
                self.note_start(&flow);
            }
            held = self
                .stream
                .borrow_mut()
                .next()?
                .map_err(|error| self.fail(error))
                .ok();
            held
        })
    }

    /// Works out a flow ahead, for when it is wanted. Says whether one was left to work out.
    pub(super) fn prepare(&self) -> bool {
        self.stream.borrow_mut().prepare()
    }

    pub(super) fn started(&self) -> Started {
        self.started.get()
    }

    /// The ledger of messages, which complete with flows, if there is an attack.
    pub(super) fn ledger(&self) -> Option<RefMut<'_, MessageLedger>> {
        RefMut::filter_map(self.stream.borrow_mut(), |stream| stream.ledger.as_mut()).ok()
    }

    pub(super) fn take_arrivals(&self) -> FlowStarts {
        self.arrivals.take()
    }

    /// Flows of the task graphs, and what they wait for.
    pub(super) fn graphs(&self) -> &TaskGraphs {
        &self.graphs
    }

    /// Flows of the task graphs that have not started.
    pub(super) fn still_waiting(&self) -> u64 {
        u64::from(self.graphs.flows()) - self.chunks.get()
    }

    /// Flows that waited for others have started.
    pub(super) fn note_released(&self, flows: &[Flow]) {
        for flow in flows {
            self.note_start(flow);
            if let Some(roles) = &self.roles
                && let Some(mut ledger) = self.ledger()
            {
                ledger.start_chunk(flow.id, roles.of(&of_traffic(flow)));
            }
        }
    }

    pub(super) fn failed(&self) -> bool {
        self.error.borrow().is_some()
    }

    pub(super) fn take_error(&self) -> Option<Diagnostic> {
        self.error.take()
    }

    fn note_start(&self, flow: &Flow) {
        let mut started = self.started.get();
        started.note(flow);
        self.started.set(started);
        let is_chunk = flow.id.0 < self.graphs.flows();
        self.chunks.set(self.chunks.get() + u64::from(is_chunk));
        self.arrivals.borrow_mut().note(flow);
    }

    fn fail(&self, error: Diagnostic) {
        self.error.replace(Some(error));
    }
}

/// Flows that are worked out before they are wanted, at most.
const MAX_AHEAD: usize = 1024;

/// Flows with numbers, up to the first error.
struct Numbered {
    pieces: PieceStream,
    /// The next ones, as far as they are worked out.
    ahead: VecDeque<Result<Flow, Diagnostic>>,
    /// Whether none comes after these.
    is_over: bool,
    /// Which messages they belong to, if there is an attack.
    ledger: Option<MessageLedger>,
    numbering: FlowNumbers,
}

/// Gives flows their numbers and source ports.
#[derive(Clone)]
pub(super) struct FlowNumbers {
    next_id: u32,
    /// Flows start at whole units of it.
    clock: Clock,
    ports: SourcePorts,
    /// By `[[traffic]]` entry: whether its flows have congestion control.
    groups: Vec<u16>,
    nics: NicTurns,
}

impl Numbered {
    fn new(pieces: PieceStream, ledger: Option<MessageLedger>, numbering: FlowNumbers) -> Self {
        Self {
            pieces,
            ahead: VecDeque::new(),
            is_over: false,
            ledger,
            numbering,
        }
    }

    fn next(&mut self) -> Option<Result<Flow, Diagnostic>> {
        self.ahead.pop_front().or_else(|| self.work_out())
    }

    /// Works out a flow, unless there are many already. Says whether one was left to work out.
    fn prepare(&mut self) -> bool {
        if self.ahead.len() == MAX_AHEAD {
            return false;
        }
        let flow = self.work_out();
        let is_one = flow.is_some();
        self.ahead.extend(flow);
        is_one
    }

    fn work_out(&mut self) -> Option<Result<Flow, Diagnostic>> {
        if self.is_over {
            return None;
        }
        let piece = self.pieces.next();
        self.is_over = !matches!(piece, Some(Ok(_)));
        piece.map(|piece| piece.map(|piece| self.number(piece)))
    }

    fn number(&mut self, mut piece: Piece) -> Flow {
        let flow = self.numbering.number(&mut piece);
        if let Some(ledger) = &mut self.ledger {
            ledger.start(&piece, flow.source_port);
        }
        flow
    }
}

impl FlowNumbers {
    pub(super) fn new(spec: &ValidSpec, first: u32) -> Self {
        Self {
            next_id: first,
            clock: spec.network().model.clock,
            ports: SourcePorts::new(spec),
            groups: spec.groups(),
            nics: NicTurns::new(spec.graph.nic_pairs.clone()),
        }
    }

    /// The flow of a piece, whose start is rounded as the network rounds it.
    pub(super) fn number(&mut self, piece: &mut Piece) -> Flow {
        let id = FlowId(self.next_id);
        self.next_id = self.next_id.checked_add(1).expect("fewer flows than 2^32");
        piece.flow.start = self.clock.round_down(piece.flow.start);
        let group = self.groups.get(usize::from(piece.flow.tag));
        let (from, to) = (piece.flow.source, piece.flow.destination);
        let (source, destination) = self.nics.next(from, to);
        let mut flow = Flow {
            id,
            start: piece.flow.start,
            source,
            destination,
            size: piece.flow.size,
            tag: piece.flow.tag,
            lane: piece.lane,
            source_port: 0,
        };
        flow.source_port = self.ports.of(&flow, group.copied().unwrap_or_default());
        flow
    }
}

/// A flow as the traffic has it.
fn of_traffic(flow: &Flow) -> incast_workload::Flow {
    incast_workload::Flow {
        start: flow.start,
        source: flow.source,
        destination: flow.destination,
        size: flow.size,
        tag: flow.tag,
    }
}

#[cfg(test)]
mod tests {
    use incast_units::HostId;
    use incast_workload::{Flow as Message, Role};

    use super::*;
    use crate::spec::{Source, Spec};

    const STAR: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../python/incast/scenarios/star16.toml"
    );

    /// A flow of 1 KB every 10 ns, so many, then an error.
    fn numbered(spec: &ValidSpec, flows: u32) -> Numbered {
        let piece = |number: u32| Piece {
            flow: Message {
                start: Time::from_ns(10) * u64::from(number),
                source: HostId(number % 4),
                destination: HostId(4),
                size: Bytes::new(1_000),
                tag: 0,
            },
            message: number,
            first_of: None,
            lane: 0,
            role: Role::Victim,
        };
        let error = || Err(Diagnostic::new("the file ends here", "let it go on"));
        let pieces = (0..flows).map(move |number| Ok(piece(number)));
        let pieces = pieces.chain(std::iter::once_with(error));
        Numbered::new(Box::new(pieces), None, FlowNumbers::new(spec, 0))
    }

    /// However many flows are worked out ahead, the same come, and the error comes after the last;
    /// nothing is worked out beyond it, and no more than are to be.
    #[test]
    fn flows_that_are_worked_out_ahead_are_the_same() {
        const FLOWS: u32 = 3_000;
        let source = Source::from_file(STAR.as_ref()).expect("a file");
        let spec = Spec::parse(&source, &[]).and_then(Spec::validate);
        let spec = spec.expect("a star");
        let all = |ahead: u32| {
            let mut flows = numbered(&spec, FLOWS);
            let mut all = Vec::new();
            while let Some(flow) = flows.next() {
                all.push(flow);
                let is_left = |_: &u32| flows.prepare();
                let prepared = (0..ahead).take_while(is_left).count();
                assert!(prepared <= MAX_AHEAD, "{prepared}");
            }
            assert!(!flows.prepare());
            all
        };
        let expected = all(0);
        assert_eq!(expected.len() as u32, FLOWS + 1);
        assert!(expected[..FLOWS as usize].iter().all(Result::is_ok));
        assert!(expected[FLOWS as usize].is_err());
        for ahead in [1, 2, 700, 5_000] {
            let found = all(ahead);
            let same = found.iter().zip(&expected);
            let same = same.filter(|(one, other)| one.as_ref().ok() == other.as_ref().ok());
            assert_eq!((found.len(), same.count()), (3_001, 3_001), "{ahead}");
        }
    }
}
