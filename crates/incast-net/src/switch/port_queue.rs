//! The queues of one egress port: PFC frames go first, then the control class, then data.

use crate::fifo::Fifo;
use crate::wire::{Class, Packet};

use super::arbiter::IngressQueues;

/// Three FIFOs and their byte counts. Each holds packets of all ingress ports.
#[derive(Clone, Debug, Default)]
pub(super) struct PortQueue<const WORDS: usize> {
    pfc: Fifo<Packet<WORDS>>,
    control: Fifo<Packet<WORDS>>,
    data: Fifo<Packet<WORDS>>,
    /// In place of the last, where ingress ports take turns; on the plain and the direct path.
    by_ingress: Option<Box<IngressQueues<WORDS>>>,
    /// Packets in all three.
    packets: u32,
    /// Bytes in all three.
    bytes: u64,
    data_bytes: u64,
    /// Bytes of PFC frames, of which few ever wait.
    pfc_bytes: u64,
}

/// A data packet that leaves.
pub(super) struct Departing<'a, const WORDS: usize> {
    pub(super) packet: &'a mut Packet<WORDS>,
    /// Bytes that stay in the data queue.
    pub(super) data_behind: u64,
    /// Bytes that stay in all queues.
    pub(super) behind: u64,
}

impl<const WORDS: usize> PortQueue<WORDS> {
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.packets == 0
    }

    /// Packets in all three queues.
    pub(super) fn packets(&self) -> u32 {
        self.packets
    }

    /// Bytes in all three queues.
    #[inline(always)]
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes in the data queue.
    #[inline(always)]
    pub(super) fn data_bytes(&self) -> u64 {
        self.data_bytes
    }

    /// Bytes in the queues of control and data.
    #[inline(always)]
    pub(super) fn bytes_without_pfc(&self) -> u64 {
        self.bytes - self.pfc_bytes
    }

    /// With turns for this many ingress ports.
    pub(super) fn with_turns(ports: usize) -> Self {
        Self {
            by_ingress: Some(Box::new(IngressQueues::new(ports))),
            ..Self::default()
        }
    }

    /// The data that wait: the first to leave first, or by ingress port.
    pub(super) fn data(&self) -> impl Iterator<Item = &Packet<WORDS>> {
        let by_ingress = self.by_ingress.iter().flat_map(|queues| queues.iter());
        self.data.as_slice().iter().chain(by_ingress)
    }

    /// Whether a packet is queued that a pause does not stop: a PFC frame or one of the control
    /// class.
    #[inline(always)]
    pub(super) fn holds_control(&self) -> bool {
        !self.control.is_empty() || self.holds_pfc()
    }

    /// Whether a PFC frame is queued.
    #[inline]
    pub(super) fn holds_pfc(&self) -> bool {
        !self.pfc.is_empty()
    }

    /// Whether several PFC frames are queued.
    pub(super) fn holds_several_pfc(&self) -> bool {
        self.pfc.as_slice().len() > 1
    }

    /// Whether a packet waits that may leave while data are `paused`, or are not.
    #[inline]
    pub(super) fn may_send(&self, paused: bool) -> bool {
        self.holds_control() || self.data_bytes > 0 && !paused
    }

    /// Adds a packet to the queue of this class.
    #[inline(always)]
    pub(super) fn enqueue(&mut self, class: Class, packet: &Packet<WORDS>) {
        self.count(packet);
        match class {
            Class::Data => {
                self.data_bytes += u64::from(packet.size());
                match &mut self.by_ingress {
                    None => self.data.push_back(packet),
                    Some(queues) => queues.push(packet),
                }
            }
            Class::Control => self.control.push_back(packet),
            Class::Pfc => {
                self.pfc_bytes += u64::from(packet.size());
                self.pfc.push_back(packet);
            }
        }
    }

    /// Puts a control packet back in front of all others of its class.
    pub(super) fn return_control(&mut self, packet: Packet<WORDS>) {
        self.count(&packet);
        self.control.push_front(packet);
    }

    #[inline(always)]
    fn count(&mut self, packet: &Packet<WORDS>) {
        self.packets += 1;
        self.bytes += u64::from(packet.size());
    }

    /// Subtracts the first data packet from the counts; the packet itself stays in its place, to be
    /// changed and sent, until [`remove_data`](Self::remove_data).
    ///
    /// # Panics
    /// If there is none.
    #[inline(always)]
    pub(super) fn discount_data(&mut self) -> Departing<'_, WORDS> {
        let packet = self.data.front_mut();
        let size = u64::from(packet.size());
        self.packets -= 1;
        self.bytes -= size;
        self.data_bytes -= size;
        Departing {
            packet,
            data_behind: self.data_bytes,
            behind: self.bytes,
        }
    }

    /// Removes the first data packet, which has been taken out of the accounts.
    #[inline(always)]
    pub(super) fn remove_data(&mut self) {
        self.data.pop_front();
    }

    /// Takes out the packet that leaves next, and says of which queue it was.
    pub(super) fn dequeue(&mut self, paused: bool) -> Option<(Class, Packet<WORDS>)> {
        let (class, packet) = if !self.pfc.is_empty() {
            (Class::Pfc, take(&mut self.pfc))
        } else if !self.control.is_empty() {
            (Class::Control, take(&mut self.control))
        } else if !paused && self.data_bytes > 0 {
            let packet = match &mut self.by_ingress {
                None => take(&mut self.data),
                Some(queues) => queues.pop()?,
            };
            (Class::Data, packet)
        } else {
            return None;
        };
        let size = u64::from(packet.size());
        self.packets -= 1;
        self.bytes -= size;
        match class {
            Class::Data => self.data_bytes -= size,
            Class::Pfc => self.pfc_bytes -= size,
            Class::Control => {}
        }
        Some((class, packet))
    }
}

/// Takes the first packet out of a queue that has one.
fn take<const WORDS: usize>(queue: &mut Fifo<Packet<WORDS>>) -> Packet<WORDS> {
    let packet = *queue.front_mut();
    queue.pop_front();
    packet
}
