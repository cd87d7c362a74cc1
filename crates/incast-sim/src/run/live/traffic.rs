//! The flows of a live network: those that the program starts, and those of the scenario's traffic.

use std::collections::BTreeMap;
use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_net::{Clock, Flow, FlowQueue};
use incast_random::mix;
use incast_units::Time;
use incast_workload::{Piece, PieceStream, Role};

use crate::run::traffic::{FlowNumbers, FlowStarts, Started};
use crate::spec::ValidSpec;

/// Flows that have not started; they are numbered when they start.
#[derive(Clone)]
pub(super) struct LiveTraffic {
    clock: Clock,
    /// The live traffic entries, with their names.
    entries: Vec<(u16, String)>,
    /// The program's flows, by start, then by number of their entry, then by their own number.
    queue: BTreeMap<(Time, u16, u64), incast_workload::Flow>,
    /// For each flow of the program, its number in the network, once it has started.
    ids: Vec<Option<u32>>,
    own: OwnTraffic,
    numbering: FlowNumbers,
    /// For each flow of the network, its number as a flow of the program, if it is one.
    numbers: Vec<Option<u64>>,
    started: Started,
    starts: FlowStarts,
    /// A hash of the flows that have started.
    hash: u64,
}

/// The flows of the scenario's own traffic.
struct OwnTraffic {
    pieces: PieceStream,
    /// Makes the stream of flows again, for a copy.
    again: Arc<dyn Fn() -> Result<PieceStream, Diagnostic> + Send + Sync>,
    taken: usize,
    next: Option<Piece>,
    /// Whether all flows have been read.
    is_read: bool,
    error: Option<Diagnostic>,
}

impl LiveTraffic {
    pub(super) fn new(spec: &Arc<ValidSpec>) -> Result<Self, Diagnostic> {
        let again = {
            let spec = Arc::clone(spec);
            Arc::new(move || spec.pieces())
        };
        let mut own = OwnTraffic {
            pieces: again()?,
            again,
            taken: 0,
            next: None,
            is_read: false,
            error: None,
        };
        own.take();
        Ok(Self {
            clock: spec.network().model.clock,
            entries: spec.live_traffic(),
            queue: BTreeMap::new(),
            ids: Vec::new(),
            own,
            numbering: FlowNumbers::new(spec, 0),
            numbers: Vec::new(),
            started: Started::default(),
            starts: FlowStarts::new(spec),
            hash: 0,
        })
    }

    /// The number of the live entry with this name.
    pub(super) fn tag(&self, name: Option<&str>) -> Result<u16, Diagnostic> {
        let names: Vec<&str> = self.entries.iter().map(|(_, name)| &**name).collect();
        let Some(name) = name else {
            return match self.entries.as_slice() {
                [(only, _)] => Ok(*only),
                _ => Err(Diagnostic::new(
                    "there are several",
                    format!("name one of {}", names.join(", ")),
                )),
            };
        };
        let found = self.entries.iter().find(|(_, other)| other == name);
        found.map(|(tag, _)| *tag).ok_or_else(|| {
            Diagnostic::new(
                format!("no live traffic is called `{name}`"),
                format!("name one of {}", names.join(", ")),
            )
        })
    }

    /// Adds a flow of the program, and numbers it.
    pub(super) fn start(&mut self, flow: incast_workload::Flow) -> u64 {
        let number = self.ids.len() as u64;
        self.ids.push(None);
        self.queue.insert((flow.start, flow.tag, number), flow);
        number
    }

    /// The program's number of a flow of the network, if it is the program's.
    pub(super) fn number_of(&self, flow: u32) -> Option<u64> {
        self.numbers.get(flow as usize).copied().flatten()
    }

    /// Whether all flows of the scenario have been read.
    pub(super) fn is_read(&self) -> bool {
        self.own.is_read
    }

    /// Takes the error in the scenario's flows, if there was one.
    pub(super) fn take_error(&mut self) -> Option<Diagnostic> {
        self.own.error.take()
    }

    /// The network's number of a flow of the program, if the flow has started.
    pub(super) fn id_of(&self, number: u64) -> Option<u32> {
        self.ids.get(number as usize).copied().flatten()
    }

    /// The flows that have started, and a hash of them.
    pub(super) fn into_started(self) -> (Started, FlowStarts, u64) {
        (self.started, self.starts, self.hash)
    }

    /// Start and entry of the next flow of the scenario.
    fn next_own(&self) -> Option<(Time, u16)> {
        let piece = self.own.next.as_ref()?;
        Some((self.clock.round_down(piece.flow.start), piece.flow.tag))
    }
}

impl FlowQueue for LiveTraffic {
    fn first_start(&self) -> Option<Time> {
        let given = self.queue.first_key_value().map(|((start, ..), _)| *start);
        let own = self.next_own().map(|(start, _)| start);
        given.into_iter().chain(own).min()
    }

    fn pop_before(&mut self, end: Time) -> Option<Flow> {
        let given = self.queue.first_key_value();
        let given = given.map(|((start, tag, _), _)| (*start, *tag));
        let own = self.next_own();
        let first = given.into_iter().chain(own).min()?;
        if first.0 >= end {
            return None;
        }
        let (mut piece, number) = if own == Some(first) {
            (self.own.take()?, None)
        } else {
            let ((.., number), flow) = self.queue.pop_first()?;
            (whole_message(flow), Some(number))
        };
        let mut flow = self.numbering.number(&mut piece);
        flow.start = self.clock.round_down(flow.start);
        self.numbers.push(number);
        if let Some(number) = number {
            self.ids[number as usize] = Some(flow.id.0);
        }
        self.started.note(&flow);
        self.starts.note(&flow);
        let ends = u64::from(flow.source.0) << 32 | u64::from(flow.destination.0);
        for part in [
            flow.start.as_ps(),
            ends,
            flow.size.as_u64(),
            flow.tag.into(),
        ] {
            self.hash = mix(self.hash ^ mix(part));
        }
        Some(flow)
    }
}

impl OwnTraffic {
    /// Takes the next flow; ends at the first error.
    fn take(&mut self) -> Option<Piece> {
        let taken = self.next.take();
        self.next = match self.pieces.next() {
            Some(Ok(piece)) => {
                self.taken += 1;
                Some(piece)
            }
            Some(Err(error)) => {
                self.error = Some(error);
                None
            }
            None => {
                self.is_read = true;
                None
            }
        };
        taken
    }
}

/// A copy makes its stream again, and skips the flows that were taken already.
impl Clone for OwnTraffic {
    fn clone(&self) -> Self {
        let pieces: Result<PieceStream, _> = match self.is_read {
            true => Ok(Box::new(std::iter::empty())),
            false => (self.again)(),
        };
        let (pieces, error): (PieceStream, _) = match pieces {
            Ok(pieces) => (Box::new(pieces.skip(self.taken)), self.error.clone()),
            Err(error) => (Box::new(std::iter::empty()), Some(error)),
        };
        Self {
            pieces,
            again: Arc::clone(&self.again),
            taken: self.taken,
            next: self.next,
            is_read: self.is_read,
            error,
        }
    }
}

/// A flow that is a message by itself.
fn whole_message(flow: incast_workload::Flow) -> Piece {
    Piece {
        flow,
        message: 0,
        first_of: None,
        lane: 0,
        role: Role::Victim,
    }
}
