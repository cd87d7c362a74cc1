//! The buffer of a switch that may drop packets: how much each queue may use.
//!
//! The buffer is accounted to the queues in which packets wait. Ports share the buffer, with
//! dynamic thresholds, or each port has [its own](super::per_port); the switch's buffer is then
//! unlimited.

use incast_diagnostic::Diagnostic;
use incast_units::Bytes;

use super::options::EgressFacts;
use super::{Admission, BufferConfig, DropConfig, PortRule};
use crate::diagnostics;

/// Egress accounting of a switch that drops.
#[derive(Copy, Clone, Debug)]
pub(crate) struct DropBuffer {
    size: u64,
    used: u64,
    alpha: f64,
    limit: u64,
    /// The rule of ports with buffers of their own; `size` and `alpha` are then unlimited.
    port_rule: Option<PortRule>,
}

/// Size of an unlimited buffer: more than all packets of a run, and exact as a float.
const ENDLESS: u64 = 1 << 62;

impl DropBuffer {
    /// The buffer of a switch with these ports.
    pub(crate) fn new(
        buffer: &BufferConfig,
        config: &DropConfig,
        ports: impl IntoIterator<Item = EgressFacts>,
    ) -> Self {
        match config {
            DropConfig::Shared { alpha, queue_limit } => Self {
                size: buffer.size.as_u64(),
                used: 0,
                alpha: *alpha,
                limit: queue_limit.as_u64(),
                port_rule: None,
            },
            DropConfig::PerPort(config) => {
                let rule = PortRule::new(config, ports);
                Self {
                    size: ENDLESS,
                    used: 0,
                    alpha: f64::INFINITY,
                    limit: rule.limit(),
                    port_rule: Some(rule),
                }
            }
        }
    }

    /// Checks that an empty buffer lets a packet of `largest` bytes in.
    ///
    /// # Errors
    /// The limit that is smaller than the packet.
    pub(crate) fn check(
        buffer: &BufferConfig,
        config: &DropConfig,
        largest: Bytes,
    ) -> Result<(), Diagnostic> {
        let (alpha, queue_limit) = match config {
            DropConfig::Shared { alpha, queue_limit } => (*alpha, *queue_limit),
            DropConfig::PerPort(config) => return config.check(largest),
        };
        if Self::new(buffer, config, []).has_room(0, largest.as_u64()) {
            return Ok(());
        }
        Err(if largest > buffer.size {
            diagnostics::larger_than_buffer(largest, buffer.size)
        } else if largest <= queue_limit {
            diagnostics::larger_than_share(largest, alpha, buffer.size)
        } else {
            diagnostics::larger_than_queue(largest, queue_limit)
        })
    }

    /// Decides about a packet for a queue of `queue` bytes, and charges the buffer if it is stored.
    pub(crate) fn admit(&mut self, queue: u64, size: u64) -> Admission {
        let admission = match self.port_rule {
            Some(rule) => rule.admit(queue, size),
            None if self.has_room(queue, size) => Admission::Stored,
            None => Admission::Refused,
        };
        if admission == Admission::Stored {
            self.charge(size);
        }
        admission
    }

    pub(crate) fn port_rule(&self) -> Option<PortRule> {
        self.port_rule
    }

    /// Whether a packet may join a queue that holds `queue` bytes.
    #[inline]
    pub(crate) fn has_room(&self, queue: u64, size: u64) -> bool {
        let free = self.size - self.used;
        let wanted = queue + size;
        size <= free && wanted <= self.limit && wanted as f64 <= self.alpha * free as f64
    }

    /// Whether a packet may join a queue of `queue` bytes in the place of the last packet, of
    /// `last` bytes.
    pub(super) fn has_room_in_place(&self, queue: u64, last: u64, size: u64) -> bool {
        let without = Self {
            used: self.used - last,
            ..*self
        };
        without.has_room(queue - last, size)
    }

    /// Whether no queue affects the admission to another one while this many bytes come in. Either
    /// all of them find room in any queue, even if none leave, or each port has a buffer of its
    /// own.
    pub(super) fn are_queues_independent(&self, bytes: u64) -> bool {
        let used = self.used + bytes;
        let all_fit = used <= self.size.min(self.limit)
            && used as f64 <= self.alpha * (self.size - used) as f64;
        all_fit || self.port_rule.is_some()
    }

    /// Accounts a packet for which there is room.
    #[inline]
    pub(crate) fn charge(&mut self, size: u64) {
        self.used += size;
    }

    #[inline]
    pub(crate) fn release(&mut self, size: u64) {
        self.used -= size;
    }

    pub(crate) fn used(&self) -> u64 {
        self.used
    }
}

#[cfg(test)]
mod tests;
