//! Records the signals of senders while another algorithm sends.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use incast_cc::{
    Ack, Backlog, Cnp, CongestionControl, ControlReply, Credit, FlowController, Loss, LossKind,
    Needs, SendLimit, Sent, Start,
};
use incast_net::{Controllers, Flow, NicCalls};
use incast_signals::int::IntRecord;
use incast_units::{Bytes, Rate, Time};

/// The signals of one sender, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Log {
    /// For each packet: the time at which it began to leave, and whether it is a retransmission.
    pub(crate) sent: Vec<(Time, bool)>,
    pub(crate) acks: Vec<AckSeen>,
    pub(crate) cnps: Vec<Time>,
    /// For each CNP: the requested rate, and the requesting port.
    pub(crate) asked: Vec<(Option<Rate>, Option<u32>)>,
    pub(crate) losses: Vec<(Time, LossKind)>,
    /// For each loss: the round trip of the header of a trimmed packet.
    pub(crate) round_trips: Vec<Option<Time>>,
    /// How often INT came from another path.
    pub(crate) path_changes: u32,
}

/// An ACK as the algorithm received it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AckSeen {
    pub(crate) time: Time,
    pub(crate) next_expected: u64,
    pub(crate) newly_acked: Bytes,
    pub(crate) marked: bool,
    pub(crate) round_trip: Option<Time>,
    pub(crate) switch_hops: u8,
    pub(crate) receiver_flows: Option<u16>,
    pub(crate) records: Vec<IntRecord>,
}

/// Provides the controllers of `controllers`, and keeps a log for each flow.
pub(crate) struct Listener<'a> {
    controllers: &'a dyn Controllers,
    logs: Mutex<BTreeMap<u32, Arc<Mutex<Log>>>>,
}

impl<'a> Listener<'a> {
    pub(crate) fn new(controllers: &'a dyn Controllers) -> Self {
        Self {
            controllers,
            logs: Mutex::default(),
        }
    }

    /// The log of flow `id`'s sender.
    pub(crate) fn log(&self, id: u32) -> Log {
        let logs = self.logs.lock().unwrap();
        logs[&id].lock().unwrap().clone()
    }
}

impl Controllers for Listener<'_> {
    fn create(&self, flow: &Flow) -> Box<dyn FlowController> {
        let log = Arc::<Mutex<Log>>::default();
        self.logs.lock().unwrap().insert(flow.id.0, log.clone());
        let inner = self.controllers.create(flow);
        Box::new(Tapped { inner, log })
    }

    fn group(&self, flow: &Flow) -> u16 {
        self.controllers.group(flow)
    }

    fn calls(&self, flow: &Flow, common: NicCalls) -> NicCalls {
        NicCalls {
            sent_packets: true,
            ..self.controllers.calls(flow, common)
        }
    }

    fn needs(&self) -> Needs {
        Needs {
            sent_packets: true,
            ..self.controllers.needs()
        }
    }
}

#[derive(Clone)]
struct Tapped {
    inner: Box<dyn FlowController>,
    log: Arc<Mutex<Log>>,
}

impl CongestionControl for Tapped {
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        self.log.lock().unwrap().acks.push(AckSeen {
            time: now,
            next_expected: ack.next_expected,
            newly_acked: ack.newly_acked,
            marked: ack.marked,
            round_trip: ack.round_trip,
            switch_hops: ack.switch_hops,
            receiver_flows: ack.receiver_flows,
            records: ack.telemetry.records(),
        });
        self.inner.on_ack(now, ack);
    }

    fn limit(&self) -> SendLimit {
        self.inner.limit()
    }

    fn on_sent(&mut self, now: Time, sent: &Sent) {
        let entry = (now, sent.retransmission);
        self.log.lock().unwrap().sent.push(entry);
        self.inner.on_sent(now, sent);
    }

    fn on_loss(&mut self, now: Time, loss: &Loss) {
        {
            let mut log = self.log.lock().unwrap();
            log.losses.push((now, loss.kind));
            log.round_trips.push(loss.round_trip);
        }
        self.inner.on_loss(now, loss);
    }

    fn on_path_change(&mut self) {
        self.log.lock().unwrap().path_changes += 1;
        self.inner.on_path_change();
    }

    fn on_cnp(&mut self, now: Time, cnp: &Cnp) {
        {
            let mut log = self.log.lock().unwrap();
            log.cnps.push(now);
            log.asked.push((cnp.rate, cnp.congestion_point));
        }
        self.inner.on_cnp(now, cnp);
    }

    fn start(&self) -> Start {
        self.inner.start()
    }

    fn on_control(&mut self, now: Time, reply: &ControlReply) {
        self.inner.on_control(now, reply);
    }

    fn credit_wanted(&self, backlog: &Backlog) -> Bytes {
        self.inner.credit_wanted(backlog)
    }

    fn on_credit(&mut self, now: Time, credit: &Credit) {
        self.inner.on_credit(now, credit);
    }

    fn on_timer(&mut self, now: Time) {
        self.inner.on_timer(now);
    }

    fn next_timer(&self) -> Option<Time> {
        self.inner.next_timer()
    }
}
