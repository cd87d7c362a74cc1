//! Which ports have something to do when nothing arrives.

use crate::context::NetContext;

use super::Switch;

impl<const WORDS: usize> Switch<'_, WORDS> {
    /// Remembers that packets wait at a port.
    #[inline(never)]
    pub(super) fn list<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        self.ports[port].listed = true;
        self.busy.push(port as u16);
        self.arm_tick(context);
    }

    /// Packets wait at a port.
    #[inline(never)]
    pub(super) fn note_waiting<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        self.ports[port].stir(port, &mut self.stirred);
        if C::PUNCTUAL {
            self.arm_tick(context);
        } else if !self.ports[port].listed {
            self.list(port, context);
        }
        if self.punctual::<C>() {
            self.arm(port, context);
        }
    }

    /// Sets the port's timer, unless it is set or nothing that waits may leave.
    #[inline]
    pub(super) fn arm<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        let out = &self.ports[port];
        if out.may_send() && context.timer_deadline(port).is_none() && out.link.busy(context) {
            context.set_timer(port, out.link.free_at());
        }
    }
}
