use std::collections::VecDeque;
use std::sync::Arc;

use incast_cc::{Ack, CongestionControl, Credit, FlowController, SendLimit};
use incast_signals::{CreditOptions, RateRequestOptions};
use incast_units::{Bytes, FlowId, HostId};

use super::access::Acts;
use super::*;
use crate::buffer::DropConfig;
use crate::config::{FlowControl, NetworkConfig};
use crate::flow::Controllers;
use crate::host::sending::SendSide;
use crate::measure::{MeasureConfig, Recorder};
use crate::shared::WantedWords;
use crate::wire::{Address, ONE_LINE};

#[test]
fn a_program_is_found_by_name_with_its_options() {
    let options = RateRequestOptions {
        repeats: true,
        ..RateRequestOptions::default()
    };
    let request = ProgramRequest::new(&options);
    let found = HostProgramSpec::requested(&request).expect("it is in the table");
    assert_eq!(found, HostProgramSpec::RateRequests(options));
    assert!(found.carries().records && !found.measures_weights());
    let request = ProgramRequest::new(&CreditOptions::default());
    let found = HostProgramSpec::requested(&request).expect("it is in the table");
    assert!(found.carries().credit && !found.carries().records);
}

#[test]
fn errors_name_the_program() {
    let mut request = ProgramRequest::new(&RateRequestOptions::default());
    request.options["credits"] = 3.into();
    let error = HostProgramSpec::requested(&request).expect_err("no such option");
    let told = error.to_string();
    assert!(told.contains("host program `rate-requests`: "), "{told}");
    request.name = "rate-request";
    let error = HostProgramSpec::requested(&request).expect_err("no such program");
    assert!(error.to_string().contains("rate-requests"), "{error}");
}

/// A pull pacer as in NDP: each data packet that arrives entitles its sender to one more, and one
/// pull leaves per microsecond.
#[derive(Clone, Debug)]
struct Pulls {
    /// Flow and source of each data packet that has arrived.
    waiting: VecDeque<(u32, u32)>,
    due: Time,
}

const SPACING: Time = Time::from_us(1);

impl HostProgram<ONE_LINE> for Pulls {
    fn kinds(&self) -> &'static [Kind] {
        &[Kind::RateReply]
    }

    fn hears(&self) -> Hears {
        Hears {
            data: true,
            ..Hears::default()
        }
    }

    fn on_data(
        &mut self,
        packet: &Packet<ONE_LINE>,
        received: ReceivedPart,
        host: &mut HostAccess<'_, '_, ONE_LINE>,
    ) {
        if received == ReceivedPart::Part {
            self.waiting.push_back((packet.flow(), packet.source()));
            self.due = self.due.min(host.now() + SPACING);
        }
    }

    fn on_packet(
        &mut self,
        packet: &mut Packet<ONE_LINE>,
        host: &mut HostAccess<'_, '_, ONE_LINE>,
    ) -> Delivery {
        let credit = Credit {
            more: Bytes::new(1_000),
            ..Credit::default()
        };
        let now = host.now();
        host.tell(packet.flow(), |controller| {
            controller.on_credit(now, &credit)
        });
        Delivery::Taken
    }

    fn next_due(&self) -> Time {
        self.due
    }

    fn on_due(&mut self, host: &mut HostAccess<'_, '_, ONE_LINE>) {
        let next = self.waiting.pop_front();
        let (flow, source) = next.expect("it is due while data wait");
        let pull = Packet::new(Kind::RateReply, 64);
        host.send(pull.of_flow(flow, 0, Address::new(0, source, 0)));
        self.due = match self.waiting.is_empty() {
            true => Time::MAX,
            false => self.due + SPACING,
        };
    }
}

/// A controller that sends one packet at the start, and then one for each credit.
#[derive(Clone)]
struct Credited {
    until: u64,
}

impl CongestionControl for Credited {
    fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {}

    fn on_credit(&mut self, _now: Time, credit: &Credit) {
        self.until += credit.more.as_u64();
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            until: self.until,
            ..SendLimit::paced(Rate::from_gbps(100))
        }
    }
}

struct AllCredited;

impl Controllers for AllCredited {
    fn create(&self, _flow: &Flow) -> Box<dyn FlowController> {
        Box::new(Credited { until: 1_000 })
    }

    fn needs(&self) -> Needs {
        Needs {
            sequence_limit: true,
            ..Needs::default()
        }
    }
}

fn config() -> NetworkConfig {
    NetworkConfig::standard(FlowControl::Drop(DropConfig::Shared {
        alpha: 1.0,
        queue_limit: Bytes::new(100_000),
    }))
}

/// A host with a single program.
struct Bench {
    sender: SendSide<'static>,
    program: Pulls,
    recorder: Recorder,
    acts: Acts<ONE_LINE>,
}

impl Bench {
    fn new() -> Self {
        let measure = MeasureConfig::default();
        let controllers: Arc<dyn Controllers> = Arc::new(AllCredited);
        let needs = controllers.needs();
        let wanted = WantedWords {
            longest_path: 1,
            programs: PacketParts::default(),
        };
        let shared = Shared::new(config(), &measure, Vec::new(), 3, None, wanted, &needs);
        let shared = Arc::new(shared.expect("a sound configuration"));
        Self {
            sender: SendSide::new(0, Rate::from_gbps(100), &shared, &controllers),
            program: Pulls {
                waiting: VecDeque::new(),
                due: Time::MAX,
            },
            recorder: Recorder::new(measure),
            acts: Acts::default(),
        }
    }

    /// Calls the program at `now`, with access to the host.
    fn at<R>(
        &mut self,
        now: Time,
        act: impl FnOnce(&mut Pulls, &mut HostAccess<'_, '_, ONE_LINE>) -> R,
    ) -> R {
        let mut access = HostAccess {
            now,
            sender: &mut self.sender,
            recorder: &mut self.recorder,
            acts: &mut self.acts,
        };
        act(&mut self.program, &mut access)
    }
}

/// Data of flow 1 arrive at 0 and 0.2 us, of flow 2 at 0.1 us, and the last packet of flow 3: three
/// pulls, 1 us apart, in the order of the data.
#[test]
fn a_receiver_paces_its_sources() {
    let mut bench = Bench::new();
    let arrivals = [
        (0, 1, ReceivedPart::Part),
        (100, 2, ReceivedPart::Part),
        (150, 3, ReceivedPart::All),
        (200, 1, ReceivedPart::Part),
    ];
    for (ns, flow, received) in arrivals {
        let data = Packet::new(Kind::Data, 1_048);
        let data = data.of_flow(flow, 0, Address::new(10 + flow, 0, 0));
        bench.at(Time::from_ns(ns), |program, host| {
            program.on_data(&data, received, host);
        });
    }
    let mut left = Vec::new();
    while HostProgram::<ONE_LINE>::next_due(&bench.program) < Time::MAX {
        let due = bench.program.due;
        bench.at(due, |program, host| program.on_due(host));
        let pull = bench.acts.packets.pop().expect("one pull each time");
        left.push((due.as_ps() / 1_000_000, pull.flow(), pull.destination()));
    }
    assert_eq!(left, [(1, 1, 11), (2, 2, 12), (3, 1, 11)]);
}

/// A flow of 2500 B sends one packet by itself, and each other one after a pull. Pulls for unknown
/// flows change nothing.
#[test]
fn a_sender_sends_what_it_has_credit_for() {
    let mut bench = Bench::new();
    let flow = Flow {
        id: FlowId(7),
        start: Time::ZERO,
        source: HostId(0),
        destination: HostId(1),
        size: Bytes::new(2_500),
        tag: 0,
        lane: 0,
        source_port: 1,
    };
    let slot = bench.sender.open(flow, Time::ZERO).expect("a flow");
    let mut sent = Vec::new();
    for us in 0..4 {
        let now = Time::from_us(us);
        if bench.sender.next_send(slot) < Time::MAX {
            let packet: Packet<ONE_LINE> = bench.sender.next_packet(slot, now);
            sent.push((us, packet.psn()));
        }
        assert_eq!(bench.sender.next_send(slot), Time::MAX);
        let pulled = if us == 1 { 8 } else { 7 };
        let pull = Packet::new(Kind::RateReply, 64);
        let mut pull = pull.of_flow(pulled, 0, Address::new(1, 0, 0));
        let delivery = bench.at(now, |program, host| program.on_packet(&mut pull, host));
        assert_eq!(delivery, Delivery::Taken);
        let changed = std::mem::take(&mut bench.acts.changed);
        assert_eq!(changed, [slot][..usize::from(us != 1)]);
    }
    assert_eq!(sent, [(0, 0), (1, 1), (3, 2)]);
}
