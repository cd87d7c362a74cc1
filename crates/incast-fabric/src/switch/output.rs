//! An output of a switch: a queue for each channel, the link behind it, and those that wait for
//! room.

use std::collections::VecDeque;

use crate::arbiter::Arbiter;
use crate::config::FabricConfig;
use crate::packet::{Channel, Credit, Cycle, FabricPacket, NEVER};

/// Channels of an output.
const CHANNELS: usize = 2;

/// Where a packet that waits for room comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    /// The first packet of an input.
    Input(u32),
    /// The combined response of a table entry.
    Entry(u32),
}

/// One channel of an output.
#[derive(Debug)]
pub(super) struct OutputChannel {
    queue: VecDeque<FabricPacket>,
    /// Flits of packets in the queue.
    held: u32,
    depth: u32,
    /// Packets that wait for room in the queue, first come, first served.
    waiting: VecDeque<(Waiting, FabricPacket)>,
    /// Flits that the receiver has room for.
    credits: u32,
    /// Credits on their way.
    coming: VecDeque<(Cycle, u32)>,
}

impl OutputChannel {
    fn new(config: &FabricConfig) -> Self {
        Self {
            queue: VecDeque::new(),
            held: 0,
            depth: config.output_depth,
            waiting: VecDeque::new(),
            credits: config.input_depth,
            coming: VecDeque::new(),
        }
    }

    fn fits(&self, packet: &FabricPacket) -> bool {
        self.held + packet.flits() <= self.depth
    }

    fn push(&mut self, packet: &FabricPacket) {
        self.held += packet.flits();
        self.queue.push_back(*packet);
    }

    /// Takes a packet in, or lets it wait. Says whether it was taken in.
    #[inline]
    pub(super) fn offer(&mut self, packet: &FabricPacket, from: Waiting) -> bool {
        let fits = self.waiting.is_empty() && self.fits(packet);
        if fits {
            self.push(packet);
        } else {
            self.waiting.push_back((from, *packet));
        }
        fits
    }

    /// Takes in the first that waits, if there is room for it now.
    #[inline]
    pub(super) fn admit(&mut self) -> Option<Waiting> {
        let (from, packet) = *self.waiting.front()?;
        if !self.fits(&packet) {
            return None;
        }
        self.waiting.pop_front();
        self.push(&packet);
        Some(from)
    }

    /// Counts the credits that have come by now.
    #[inline]
    fn collect(&mut self, now: Cycle) {
        while let Some(&(ready, flits)) = self.coming.front()
            && ready <= now
        {
            self.coming.pop_front();
            self.credits += flits;
        }
    }

    /// Whether the first packet could be sent.
    #[inline]
    fn may_send(&self) -> bool {
        let first = self.queue.front();
        first.is_some_and(|packet| packet.flits() <= self.credits)
    }

    /// Credits here and on their way.
    pub(super) fn all_credits(&self) -> u32 {
        self.credits + self.coming.iter().map(|(_, flits)| flits).sum::<u32>()
    }

    pub(super) fn held(&self) -> u32 {
        self.held
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.waiting.is_empty()
    }

    /// The packets that wait for room.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &(Waiting, FabricPacket)> {
        self.waiting.iter()
    }
}

/// An output.
#[derive(Debug)]
pub(super) struct OutputPort {
    pub(super) channels: [OutputChannel; CHANNELS],
    arbiter: Arbiter,
    /// The link is busy before.
    busy_until: Cycle,
    /// An event is due then, unless it is in the past.
    wake: Cycle,
    /// Waits for credits that are not on their way yet.
    lacks_credits: bool,
}

/// The action of an output in a cycle.
#[derive(Copy, Clone, Debug)]
pub(super) struct Turnout {
    /// The packet that it began to send.
    pub(super) sent: Option<FabricPacket>,
    /// When to look again; [`NEVER`] if nothing waits, or an event is due before.
    pub(super) wake: Cycle,
}

impl OutputPort {
    pub(super) fn new(config: &FabricConfig) -> Self {
        Self {
            channels: [OutputChannel::new(config), OutputChannel::new(config)],
            arbiter: Arbiter::new(config.arbitration),
            busy_until: 0,
            wake: 0,
            lacks_credits: false,
        }
    }

    /// The link is free for a packet of this cycle.
    #[inline]
    pub(super) fn send(&mut self, now: Cycle) -> Turnout {
        if self.busy_until > now {
            return self.nothing_sent(now, self.busy_until);
        }
        for channel in &mut self.channels {
            channel.collect(now);
        }
        let order = self.arbiter.order();
        let mut ready = order.into_iter().filter(|&number| {
            let channel = self.channels.get(number);
            channel.is_some_and(OutputChannel::may_send)
        });
        match ready.next() {
            Some(number) => self.start(number, now),
            None => self.wait_for_credits(now),
        }
    }

    fn start(&mut self, number: Channel, now: Cycle) -> Turnout {
        self.arbiter.grant(number);
        self.lacks_credits = false;
        let channel = &mut self.channels[number];
        let packet = channel.queue.pop_front();
        if let Some(packet) = &packet {
            channel.held -= packet.flits();
            channel.credits -= packet.flits();
            self.busy_until = now + u64::from(packet.flits());
        }
        // Room in the queue can be taken from the next cycle on.
        let at = if channel.waiting.is_empty() {
            self.busy_until
        } else {
            now + 1
        };
        let is_empty = self.channels.iter().all(OutputChannel::is_empty);
        let at = if is_empty { NEVER } else { at };
        Turnout {
            sent: packet,
            ..self.nothing_sent(now, at)
        }
    }

    fn wait_for_credits(&mut self, now: Cycle) -> Turnout {
        let queued = self
            .channels
            .iter()
            .filter(|channel| !channel.queue.is_empty());
        let coming = queued.clone().filter_map(|channel| channel.coming.front());
        let first = coming.map(|&(ready, _)| ready).min().unwrap_or(NEVER);
        self.lacks_credits = queued.count() > 0;
        self.nothing_sent(now, first)
    }

    fn nothing_sent(&mut self, now: Cycle, at: Cycle) -> Turnout {
        let is_due = self.wake > now && self.wake <= at;
        let wake = if is_due { NEVER } else { at };
        if wake != NEVER {
            self.wake = wake;
        }
        Turnout { sent: None, wake }
    }

    /// A credit is on its way. Says whether to look when it arrives.
    #[inline]
    pub(super) fn expect(&mut self, credit: Credit) -> bool {
        let coming = &mut self.channels[usize::from(credit.channel)].coming;
        coming.push_back((credit.ready, credit.flits.into()));
        self.lacks_credits
    }
}
