//! The buffer of a switch that may drop packets: who may use how much of it.
//!
//! It is accounted to the queues in which packets wait. Ports share it, with dynamic thresholds; or
//! each has [its own](super::per_port), which is a share of a buffer that has no end.

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
    /// The rule of networks whose ports share nothing; the other fields agree with it.
    port_rule: Option<PortRule>,
}

/// More than all packets of a run take, and its float is exact.
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

    /// Checks that it lets packets of up to this many bytes in while it is empty.
    ///
    /// # Errors
    /// What keeps them out.
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

    /// Decides about a packet for a queue of `queue` bytes, and accounts it if it is stored.
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

    /// Whether a packet may join that queue in the place of one of `last` bytes.
    pub(super) fn has_room_in_place(&self, queue: u64, last: u64, size: u64) -> bool {
        let without = Self {
            used: self.used - last,
            ..*self
        };
        without.has_room(queue - last, size)
    }

    /// Whether no queue matters to another one while this many bytes come in: whatever queues they
    /// join, they find room even if none leave; or no queue ever does.
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
