//! The sending half of a NIC, with one flow and its algorithm.

use incast_signals::int::{IntLayout, IntRecord, IntSource, Telemetry};
use incast_units::{Bytes, Rate, Time};

use super::TIMERS_AT_ONCE;
use super::events::{Event, News, PathSetting};
use crate::{
    Ack, AckNews, AlgorithmConfig, FlowController, Loss, LossKind, Needs, SendLimit, Sent,
};

/// Bytes of headers.
const HEADERS: u64 = 90;

/// The sending half of a NIC, with one flow and its algorithm.
pub(super) struct SimpleNic<'a> {
    algorithm: &'a AlgorithmConfig,
    controller: Box<dyn FlowController>,
    setting: &'a PathSetting,
    needs: Needs,
    now: Time,
    /// Sequence numbers: next byte expected by the receiver, next byte to send, highest byte ever
    /// sent.
    acked: u64,
    next: u64,
    sent: u64,
    /// Clocks and sent bytes of the path's ports, without wrapping.
    ports: Vec<(Time, u64)>,
    /// Names of the algorithm's first probe.
    probed: Vec<&'static str>,
}

impl<'a> SimpleNic<'a> {
    pub(super) fn new(algorithm: &'a AlgorithmConfig, setting: &'a PathSetting) -> Self {
        let controller = algorithm.build(&setting.context);
        Self {
            algorithm,
            probed: names(&*controller),
            controller,
            setting,
            needs: algorithm.needs(),
            now: Time::ZERO,
            acked: 0,
            next: 0,
            sent: 0,
            ports: vec![(Time::ZERO, 0); setting.links.len()],
        }
    }

    pub(super) fn tell(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Wait { time, late } => return self.wait(*time, *late),
            Event::Send { payload } => return self.send(*payload),
            Event::Ack { part, news } => self.ack(*part, news),
            Event::Nack { part, news } => {
                self.ack(*part, news);
                self.lose(match self.setting.context.trims {
                    false => LossKind::Nack,
                    true => LossKind::Trimmed {
                        last_hop: news.receiver_flows.is_some(),
                        marked: news.marked,
                        bytes: Bytes::new(self.next - self.acked),
                    },
                });
            }
            Event::Timeout if self.next > self.acked => self.lose(LossKind::Timeout),
            Event::Timeout => {}
            Event::Cnp(cnp) => self.controller.on_cnp(self.now, cnp),
        }
        Ok(())
    }

    /// Lets `time` pass, and serves all timers due in it.
    fn wait(&mut self, time: Time, late: Time) -> Result<(), String> {
        let until = self.now + time;
        let mut at_once = 0;
        while let Some(due) = self.controller.next_timer().filter(|due| *due <= until) {
            let at = (due + late).min(until).max(self.now);
            at_once = if at == self.now { at_once + 1 } else { 0 };
            if at_once > TIMERS_AT_ONCE {
                return Err(format!("a timer never ends, at {at}"));
            }
            self.now = at;
            self.controller.on_timer(at);
            if let Some(next) = self.controller.next_timer().filter(|next| *next < due) {
                return Err(format!(
                    "a timer due at {due}, served at {at}, is next due at {next}"
                ));
            }
            self.check()?;
        }
        self.now = until;
        Ok(())
    }

    fn send(&mut self, payload: u64) -> Result<(), String> {
        let left = self.setting.flow_size - self.next;
        let payload = payload.min(self.setting.context.mtu.as_u64()).min(left);
        if payload == 0 {
            return Ok(());
        }
        let retransmission = self.next < self.sent;
        self.next += payload;
        self.sent = self.sent.max(self.next);
        let sent = Sent {
            payload: Bytes::new(payload),
            wire: Bytes::new(payload + HEADERS),
            next_to_send: self.next,
            retransmission,
        };
        let before = self.controller.limit();
        self.controller.on_sent(self.now, &sent);
        match self.needs.sent_packets || self.controller.limit() == before {
            true => Ok(()),
            false => Err("the limit changes with a packet sent, which it does not ask for".into()),
        }
    }

    fn ack(&mut self, part: u8, news: &News) {
        // After a go-back, packets sent earlier may still be acknowledged.
        let in_flight = self.sent - self.acked;
        let newly_acked = (u128::from(in_flight) * u128::from(part) / 255) as u64;
        self.acked += newly_acked;
        self.next = self.next.max(self.acked);
        let layout = IntLayout::new(self.setting.format, self.setting.links.clone());
        let layout = layout.expect("few rates");
        let words = layout.pack(&self.records(news));
        let ack = Ack {
            newly_acked: Bytes::new(newly_acked),
            next_expected: self.acked,
            next_to_send: self.next,
            flow_size: Bytes::new(self.setting.flow_size),
            marked: news.marked,
            round_trip: self.needs.timestamp.then_some(news.round_trip),
            switch_hops: self.setting.links.len() as u8,
            telemetry: Telemetry::new(&words, &layout),
            receiver_flows: news.receiver_flows,
            news: self.news(newly_acked, news),
        };
        self.controller.on_ack(self.now, &ack);
    }

    /// Counts of single transmissions in an ACK. They may be new bytes in part or not at all.
    fn news(&self, newly_acked: u64, news: &News) -> AckNews {
        let newly_received = match self.needs.received_bytes {
            true => newly_acked + newly_acked.min(HEADERS),
            false => 0,
        };
        AckNews {
            newly_received: Bytes::new(newly_received),
            restored: Bytes::new(newly_received / 3),
            was_awaited: news.receiver_flows.is_none(),
            answers_probe: false,
        }
    }

    /// The records that the ports of the path write, before they are packed. Packing wraps the
    /// clock and the bytes sent, and saturates a quantised queue.
    fn records(&mut self, news: &News) -> Vec<IntRecord> {
        if self.needs.int == IntSource::Off {
            return Vec::new();
        }
        let format = &self.setting.format;
        let (clock_unit, sent_unit) = (format.clock_unit(), format.sent_unit());
        let ports = self.ports.iter_mut().zip(&news.hops);
        let ports = ports.zip(&self.setting.links);
        ports
            .map(|(((clock, sent), &(elapsed, busy, queue)), &rate)| {
                *clock += elapsed;
                *sent += rate.bytes_in(elapsed).as_u64() * u64::from(busy) / 255;
                IntRecord {
                    clock: clock.as_ps() / clock_unit.as_ps(),
                    sent: *sent / sent_unit.as_u64(),
                    queue: Bytes::new(queue),
                    rate,
                }
            })
            .collect()
    }

    /// The NIC goes back to the first unacknowledged byte.
    fn lose(&mut self, kind: LossKind) {
        let lost = self.next - self.acked;
        let is_trimmed = matches!(kind, LossKind::Trimmed { .. });
        self.next = self.acked;
        let loss = Loss {
            kind,
            resume_at: self.acked,
            wire: Bytes::new(lost),
            round_trip: is_trimmed.then_some(self.setting.context.base_rtt),
        };
        self.controller.on_loss(self.now, &loss);
    }

    /// The send limit and the time of the next timer.
    pub(super) fn answer(&self) -> (SendLimit, Option<Time>) {
        (self.controller.limit(), self.controller.next_timer())
    }

    /// Checks that the answers are valid.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(failure) = self.algorithm.failure() {
            return Err(failure);
        }
        let limit = self.controller.limit();
        let line_rate = self.setting.context.line_rate;
        if limit.rate == Rate::default() {
            return Err("the rate is 0".to_owned());
        }
        if limit.rate > line_rate {
            return Err(format!(
                "the rate is {}, above the link's {line_rate}",
                limit.rate
            ));
        }
        if limit.window == Bytes::ZERO {
            return Err("the window is 0".to_owned());
        }
        if limit.until < u64::MAX && !self.needs.sequence_limit {
            return Err("the limit names a sequence number, which is not in its needs".to_owned());
        }
        if limit.room < Bytes::MAX && !self.needs.room {
            return Err("the limit says how much may leave, which is not in its needs".to_owned());
        }
        if limit != self.controller.limit() {
            return Err("the limit, asked for twice, is another".to_owned());
        }
        if !self.needs.timers && self.controller.next_timer().is_some() {
            return Err("there is a timer, which is not in its needs".to_owned());
        }
        if names(&*self.controller) != self.probed {
            return Err("it probes other names than at first".to_owned());
        }
        let mut infinite = None;
        self.controller.probe(&mut |name, value| {
            if !value.is_finite() {
                infinite = Some(format!("{name} is {value}"));
            }
        });
        infinite.map_or(Ok(()), Err)
    }
}

fn names(controller: &dyn FlowController) -> Vec<&'static str> {
    let mut names = Vec::new();
    controller.probe(&mut |name, _| names.push(name));
    names
}

#[cfg(test)]
mod tests;
