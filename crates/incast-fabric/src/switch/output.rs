//! An output of a switch: a queue for each channel, and the link after it.

use std::collections::VecDeque;

use crate::arbiter::Arbiter;
use crate::config::FabricConfig;
use crate::credits::ChannelCredits;
use crate::packet::{BufferCredit, Channel, Cycle, NEVER, Ticket};
use crate::touch::touch;

/// Number of channels of an output.
const CHANNELS: usize = 2;

/// One channel of an output.
#[derive(Debug)]
pub(super) struct OutputChannel {
    /// The packets in the queue, then the packets that wait for room in it, first come, first
    /// served. No packet waits while the queue is empty.
    packets: VecDeque<Ticket>,
    /// Packets at the end of `packets` that wait for room.
    waiting: u32,
    /// Flits of the packets in the queue.
    held: u32,
    depth: u32,
    credits: ChannelCredits,
}

impl OutputChannel {
    fn new(config: &FabricConfig) -> Self {
        Self {
            packets: VecDeque::new(),
            waiting: 0,
            held: 0,
            depth: config.output_depth,
            credits: ChannelCredits::new(config.input_depth),
        }
    }

    /// Adds a packet to the queue, or lets it wait. Returns whether the queue took it.
    #[inline]
    pub(super) fn offer(&mut self, packet: Ticket) -> bool {
        self.packets.push_back(packet);
        let fits = self.waiting == 0 && self.held + packet.flits() <= self.depth;
        if fits {
            self.held += packet.flits();
        } else {
            self.waiting += 1;
        }
        fits
    }

    /// Moves the first waiting packet into the queue, if there is room now.
    #[inline]
    pub(super) fn admit(&mut self) -> Option<Ticket> {
        if self.waiting == 0 {
            return None;
        }
        let packet = self.packets[self.packets.len() - self.waiting as usize];
        if self.held + packet.flits() > self.depth {
            return None;
        }
        self.waiting -= 1;
        self.held += packet.flits();
        Some(packet)
    }

    /// Whether the first packet has the credits to be sent now.
    #[inline]
    fn may_send(&mut self, now: Cycle) -> bool {
        let first = self.packets.front();
        first.is_some_and(|first| self.credits.suffice(now, first.flits()))
    }

    /// All credits, including those on their way.
    pub(super) fn all_credits(&self) -> u32 {
        self.credits.total()
    }

    pub(super) fn held(&self) -> u32 {
        self.held
    }

    pub(super) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// The packets that wait for room.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Ticket> {
        let queued = self.packets.len() - self.waiting as usize;
        self.packets.iter().skip(queued)
    }
}

/// An output.
#[derive(Debug)]
pub(super) struct OutputPort {
    pub(super) channels: [OutputChannel; CHANNELS],
    arbiter: Arbiter,
    /// Cycle from which the link is free.
    busy_until: Cycle,
    /// Cycle of the output's next event; in the past if none is due.
    wake: Cycle,
    /// Whether the output waits for credits that are not yet on their way.
    lacks_credits: bool,
}

/// What an output did in a cycle.
#[derive(Copy, Clone, Debug)]
pub(super) struct Turnout {
    /// The packet that the output began to send.
    pub(super) sent: Option<Ticket>,
    /// Cycle in which the output acts next; [`NEVER`] if nothing waits, or an earlier event is due.
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

    /// Prefetches the first items of the queues.
    pub(super) fn touch(&self, sum: &mut u64) {
        for channel in &self.channels {
            touch(&channel.packets, sum, |packet| packet.slot.into());
            channel.credits.touch(sum);
        }
    }

    /// Sends a packet if one can go: the link is free in this cycle.
    #[inline]
    pub(super) fn send(&mut self, now: Cycle) -> Turnout {
        if self.busy_until > now {
            return self.nothing_sent(now, self.busy_until);
        }
        for number in self.arbiter.order() {
            let channel = self.channels.get_mut(number);
            if channel.is_some_and(|channel| channel.may_send(now)) {
                return self.start(number, now);
            }
        }
        self.wait_for_credits(now)
    }

    #[inline]
    fn start(&mut self, number: Channel, now: Cycle) -> Turnout {
        self.arbiter.grant(number);
        self.lacks_credits = false;
        let channel = &mut self.channels[number];
        let packet = channel.packets.pop_front();
        if let Some(packet) = packet {
            channel.held -= packet.flits();
            channel.credits.take(packet.flits());
            self.busy_until = now + u64::from(packet.flits());
        }
        // Room in the queue can be used from the next cycle on.
        let at = if channel.waiting == 0 {
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
        let queued = self.channels.iter().filter(|channel| !channel.is_empty());
        let coming = queued.clone().map(|channel| channel.credits.next());
        let first = coming.min().unwrap_or(NEVER);
        self.lacks_credits = queued.count() > 0;
        self.nothing_sent(now, first)
    }

    #[inline]
    fn nothing_sent(&mut self, now: Cycle, at: Cycle) -> Turnout {
        let is_due = self.wake > now && self.wake <= at;
        let wake = if is_due { NEVER } else { at };
        if wake != NEVER {
            self.wake = wake;
        }
        Turnout { sent: None, wake }
    }

    /// A credit is on its way. Returns whether the output must act when the credit arrives.
    #[inline]
    pub(super) fn expect(&mut self, credit: BufferCredit) -> bool {
        self.channels[usize::from(credit.channel)]
            .credits
            .expect(credit);
        self.lacks_credits
    }
}
