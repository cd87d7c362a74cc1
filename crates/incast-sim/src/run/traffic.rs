//! The scenario's flows in the form that the network needs: numbered, with source ports.

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

/// The flows of a run, with counts of those that have started.
pub(super) struct RunTraffic {
    stream: RefCell<Numbered>,
    error: RefCell<Option<Diagnostic>>,
    started: Cell<Started>,
    arrivals: RefCell<FlowStarts>,
    graphs: TaskGraphs,
    /// Number of task-graph flows that have started.
    chunks: Cell<u64>,
    /// The roles of flows, if there is an attack.
    roles: Option<Roles>,
}

/// Starts of flows; and the flows themselves, if they are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct FlowStarts {
    pub(super) times: FlowArrivals,
    /// Started flows by number, if they are kept.
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

/// Counts of flows that the network has started.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Started {
    pub(super) flows: u64,
    pub(super) payload: Bytes,
    /// Start of the first flow.
    pub(super) first: Time,
    /// Start of the last flow.
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

    /// Traffic without further flows, after these have started elsewhere.
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

    /// The flows in order of start; the stream ends at the first error.
    pub(super) fn flows(&self) -> impl Iterator<Item = Flow> + '_ {
        // The network takes one flow ahead: when it takes a flow, it has started the one before.
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

    /// Makes one flow ahead of its use; `false` if none was left to make.
    pub(super) fn prepare(&self) -> bool {
        self.stream.borrow_mut().prepare()
    }

    pub(super) fn started(&self) -> Started {
        self.started.get()
    }

    /// The ledger of messages, which finds the flows that complete them, if there is an attack.
    pub(super) fn ledger(&self) -> Option<RefMut<'_, MessageLedger>> {
        RefMut::filter_map(self.stream.borrow_mut(), |stream| stream.ledger.as_mut()).ok()
    }

    pub(super) fn take_arrivals(&self) -> FlowStarts {
        self.arrivals.take()
    }

    /// The task graphs.
    pub(super) fn graphs(&self) -> &TaskGraphs {
        &self.graphs
    }

    /// Number of task-graph flows that have not started.
    pub(super) fn still_waiting(&self) -> u64 {
        u64::from(self.graphs.flows()) - self.chunks.get()
    }

    /// Notes that flows that waited for others have started.
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

/// The most flows that are made ahead of their use.
const MAX_AHEAD: usize = 1024;

/// Numbered flows, up to the first error.
struct Numbered {
    pieces: PieceStream,
    /// The next flows, as far as they are made ahead.
    ahead: VecDeque<Result<Flow, Diagnostic>>,
    /// Whether no further flows can be made.
    is_over: bool,
    /// The messages of the flows, if there is an attack.
    ledger: Option<MessageLedger>,
    numbering: FlowNumbers,
}

/// Assigns numbers and source ports to flows.
#[derive(Clone)]
pub(super) struct FlowNumbers {
    next_id: u32,
    /// The network's clock, to whose units starts are rounded.
    clock: Clock,
    ports: SourcePorts,
    /// The group of each `[[traffic]]` entry's flows, by their algorithm.
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

    /// Makes one flow ahead, unless there are many already; `false` if none was left to make.
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

    /// The flow of a piece; the piece's start is rounded to the network's clock.
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

/// A flow of the network as a flow of the traffic.
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

    /// A stream of `flows` flows of 1 KB every 10 ns, then an error.
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

    /// However many flows are made ahead, the stream is the same, and the error comes after the
    /// last flow. None is made after the error, nor more than the limit.
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
