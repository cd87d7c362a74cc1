//! The losses of a scoreboard.

use incast_units::Time;

use super::Scoreboard;
use crate::transport::acknowledgement::OnLost;
use crate::transport::loss_detection::Evidence;
use crate::transport::timeout::RetransmissionTimer;

/// Transmissions whose own timeouts are over.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::transport) struct LatePackets {
    pub(in crate::transport) packets: u32,
    /// Departure of the first of these transmissions.
    pub(in crate::transport) since: Time,
    /// Time at which the next transmission times out; [`Time::MAX`] if none is in flight.
    pub(in crate::transport) next: Time,
}

/// Losses.
impl Scoreboard {
    /// Transmission `number` is lost; returns whether its packet's loss is new.
    pub(super) fn lose(&mut self, number: u64, on_lost: OnLost<'_>) -> bool {
        let Some(sent) = self.place(number).map(|place| self.sent[place]) else {
            return false;
        };
        if !sent.is_open {
            return false;
        }
        self.close(number);
        on_lost(sent.entropy);
        self.note_loss(sent.psn)
    }

    /// All transmissions before `number` have arrived or are lost; those of packets from `expected`
    /// on are lost. Returns whether any packet's loss is new.
    pub(super) fn lose_before(&mut self, number: u64, expected: u32, on_lost: OnLost<'_>) -> bool {
        let mut shows_loss = false;
        while self.first < number
            && let Some(sent) = self.sent.front().copied()
        {
            if sent.psn < expected {
                self.close(self.first);
            } else {
                shows_loss |= self.lose(self.first, &mut *on_lost);
            }
        }
        shows_loss
    }

    /// Finds the transmissions that count as lost at `now` by the rule; returns whether there are
    /// any.
    pub(in crate::transport) fn find_lost(&mut self, now: Time, on_lost: OnLost<'_>) -> bool {
        let Some(rule) = self.rule.as_mut().filter(|_| self.infers_losses) else {
            return false;
        };
        let evidence = Evidence {
            now,
            expected: self.first_psn,
            next_new: self.first_psn + self.open.len() as u32,
            early: self.early.len(),
            lost: self.lost.len(),
            window: self.window,
            mtu: self.segments.mtu,
            is_probed: std::mem::take(&mut self.is_probed),
            newest: self.newest,
            sent: &self.sent,
            first: self.first,
        };
        let mut found = std::mem::take(&mut self.found);
        self.loss_deadline = rule.find(&evidence, &mut |number| found.push(number));
        let mut shows_loss = false;
        for number in found.drain(..) {
            shows_loss |= self.lose(number, &mut *on_lost);
        }
        self.found = found;
        shows_loss
    }

    /// A timeout of the whole flow: every open transmission counts as lost.
    pub(in crate::transport) fn time_out(&mut self, on_lost: OnLost<'_>) {
        self.first += self.sent.len() as u64;
        for sent in std::mem::take(&mut self.sent) {
            if sent.is_open {
                on_lost(sent.entropy);
                if self.note_loss(sent.psn) {
                    self.timed_out.insert(sent.psn);
                }
            }
        }
        self.open.iter_mut().for_each(|number| *number = None);
        (self.closed, self.in_flight) = (0, 0);
        self.loss_deadline = Time::MAX;
    }

    /// Every open transmission whose own timeout is over at `now` counts as lost.
    pub(in crate::transport) fn time_out_late(
        &mut self,
        timer: &RetransmissionTimer,
        now: Time,
        on_lost: OnLost<'_>,
    ) -> LatePackets {
        let mut late = LatePackets {
            packets: 0,
            since: now,
            next: Time::MAX,
        };
        for number in self.first..self.first + self.sent.len() as u64 {
            let Some(sent) = self.place(number).map(|place| self.sent[place]) else {
                continue;
            };
            if !sent.is_open {
                continue;
            }
            let timeouts = self.timeouts.get(&sent.psn).copied().unwrap_or_default();
            let due = sent.sent + timer.length_after(timeouts);
            if due <= now {
                self.lose_late(number, &mut *on_lost);
                late.packets += 1;
                late.since = late.since.min(sent.sent);
                continue;
            }
            late.next = late.next.min(due);
            if timeouts == 0 {
                // Later transmissions are due later.
                break;
            }
        }
        late
    }

    /// A transmission is lost by its own timeout.
    fn lose_late(&mut self, number: u64, on_lost: OnLost<'_>) {
        let psn = self.place(number).map(|place| self.sent[place].psn);
        if self.lose(number, on_lost)
            && let Some(psn) = psn
        {
            self.timed_out.insert(psn);
            *self.timeouts.entry(psn).or_default() += 1;
        }
    }

    /// Notes that the open transmission of a packet is lost; returns whether the packet's loss is
    /// new.
    fn note_loss(&mut self, psn: u32) -> bool {
        self.untold.lost.add(self.segments.payload(psn));
        !self.early.contains(psn) && self.lost.insert(psn)
    }
}
