//! Flows as hosts send them: whole messages, and pieces of messages.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_units::Time;

use super::attackers::Role;
use super::valid::AttackUnderWay;
use crate::flow::{Flow, FlowStream};

/// A flow that is a message, or a piece of one.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The flow.
    pub flow: Flow,
    /// The number of the message, in order of start.
    pub message: u32,
    /// Only for the first piece of a message: the message, and its number of pieces.
    pub first_of: Option<(Flow, u64)>,
    /// The QP of this piece among those between its two hosts, counted from 0. There are 65,536 UDP
    /// source ports, so the lane after 65,535 is 0 again.
    pub lane: u16,
    /// The role of the message.
    pub role: Role,
}

/// Pieces in order of start; the stream ends after an error.
pub type PieceStream = Box<dyn Iterator<Item = Result<Piece, Diagnostic>> + Send>;

/// Successive pieces of a message, for estimates: as if all started together, between the same two
/// hosts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The piece that stands for all pieces of the batch.
    pub piece: Piece,
    /// How many pieces the batch has.
    pub count: u64,
}

/// Batches in order of start; the stream ends after an error.
pub type BatchStream = Box<dyn Iterator<Item = Result<Batch, Diagnostic>> + Send>;

/// The most batches of a message, whatever its number of pieces.
const BATCHES: u64 = 64;

/// Flows without an attack: each is whole, and a victim's.
pub(crate) fn whole(flows: FlowStream) -> PieceStream {
    let piece = |(message, flow): (u32, Result<Flow, Diagnostic>)| {
        flow.map(|flow| Piece::whole(flow, message, Role::Victim))
    };
    Box::new((0..).zip(flows).map(piece))
}

/// The pieces that an attack makes of a stream of flows. Pieces that start together are in the
/// order of their messages, then of their indices.
///
/// Flows of traffic entries marked in `collectives` stay whole, and get no message number.
pub(crate) fn attacked(
    flows: FlowStream,
    attack: Arc<AttackUnderWay>,
    collectives: Vec<bool>,
) -> PieceStream {
    let pieces = Attacked {
        collectives,
        ..Attacked::new(flows, attack, u64::MAX)
    };
    Box::new(pieces.map(|batch| Ok(batch?.piece)))
}

/// The pieces of an attack in batches. No flow belongs to a collective.
pub(crate) fn batches(flows: FlowStream, attack: Arc<AttackUnderWay>) -> BatchStream {
    Box::new(Attacked::new(flows, attack, BATCHES))
}

impl Batch {
    pub(crate) fn single(piece: Piece) -> Self {
        Self { piece, count: 1 }
    }
}

impl Piece {
    fn whole(flow: Flow, message: u32, role: Role) -> Self {
        Self {
            flow,
            message,
            first_of: Some((flow, 1)),
            lane: 0,
            role,
        }
    }
}

struct Attacked {
    flows: std::iter::Fuse<FlowStream>,
    attack: Arc<AttackUnderWay>,
    /// For each traffic entry, whether it is a collective.
    collectives: Vec<bool>,
    /// The most batches of a message.
    batches: u64,
    /// The next message, already taken from `flows`.
    held: Option<Flow>,
    /// How many messages have been numbered.
    messages: u32,
    /// Messages with pieces to come, by start of the next piece.
    under_way: BinaryHeap<Reverse<MessageCut>>,
}

/// A message with pieces to come. Order: by start of the next piece, then by number of the message.
#[derive(Copy, Clone, Debug)]
struct MessageCut {
    /// Start of the next piece.
    start: Time,
    number: u32,
    next: u64,
    pieces: u64,
    /// Pieces of a batch; the last batch has the remaining ones.
    per_batch: u64,
    message: Flow,
}

impl MessageCut {
    /// The index of the piece that stands for the next batch. Its position in the batch varies,
    /// because pieces may go to several destinations in turn.
    fn representative(&self) -> u64 {
        let place = (self.next / self.per_batch) % self.per_batch;
        (self.next + place).min(self.pieces - 1)
    }
}

impl Ord for MessageCut {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.start, self.number).cmp(&(other.start, other.number))
    }
}

impl PartialOrd for MessageCut {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for MessageCut {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for MessageCut {}

impl Iterator for Attacked {
    type Item = Result<Batch, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.held.is_none() {
                match self.flows.next() {
                    Some(Ok(flow)) => self.held = Some(flow),
                    Some(Err(error)) => {
                        self.under_way.clear();
                        return Some(Err(error));
                    }
                    None => {}
                }
            }
            let next = self.under_way.peek().map(|Reverse(cut)| cut.start);
            let message = match (self.held, next) {
                (None, None) => return None,
                (Some(message), next) if next.is_none_or(|next| message.start < next) => message,
                _ => return self.next_batch().map(Ok),
            };
            self.held = None;
            if let Some(piece) = self.take(message) {
                return Some(Ok(Batch::single(piece)));
            }
        }
    }
}

impl Attacked {
    fn new(flows: FlowStream, attack: Arc<AttackUnderWay>, batches: u64) -> Self {
        Self {
            flows: flows.fuse(),
            attack,
            collectives: Vec::new(),
            batches,
            held: None,
            messages: 0,
            under_way: BinaryHeap::new(),
        }
    }

    /// Numbers a message. Returns it if it is sent whole; otherwise keeps it for cutting.
    fn take(&mut self, message: Flow) -> Option<Piece> {
        if self.collectives.get(usize::from(message.tag)) == Some(&true) {
            let role = self.attack.role_of(&message);
            return Some(Piece::whole(message, 0, role));
        }
        let number = self.messages;
        self.messages = number.checked_add(1).expect("fewer messages than 2^32");
        let AttackUnderWay {
            attack,
            attackers,
            numbers,
        } = &*self.attack;
        if !attackers.sends(&message) {
            return Some(Piece::whole(message, number, Role::Victim));
        }
        let pieces = attack.pieces(&message, numbers);
        if pieces == 1 {
            return Some(Piece::whole(message, number, Role::Attacker));
        }
        self.under_way.push(Reverse(MessageCut {
            start: message.start,
            number,
            next: 0,
            pieces,
            per_batch: pieces.div_ceil(self.batches),
            message,
        }));
        None
    }

    /// The batch that starts next, of all messages with pieces to come.
    fn next_batch(&mut self) -> Option<Batch> {
        let Reverse(mut cut) = self.under_way.pop()?;
        let AttackUnderWay {
            attack, numbers, ..
        } = &*self.attack;
        let message = cut.message;
        let (flow, lane) = attack.piece(&message, cut.representative(), numbers);
        let first_of = (cut.next == 0).then_some((message, cut.pieces));
        let count = cut.per_batch.min(cut.pieces - cut.next);
        cut.next += count;
        if cut.next < cut.pieces {
            let next = cut.representative();
            cut.start = attack.piece(&message, next, numbers).0.start;
            self.under_way.push(Reverse(cut));
        }
        let piece = Piece {
            flow,
            message: cut.number,
            first_of,
            lane,
            role: Role::Attacker,
        };
        Some(Batch { piece, count })
    }
}
