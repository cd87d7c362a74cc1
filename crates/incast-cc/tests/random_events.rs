//! Random but possible sequences of events, through the trait, for every algorithm of the registry
//! and each of its parameter sets: answers stay sound under any signals of a NIC.
//!
//! A new algorithm is tested by being registered.

use incast_cc::{
    Ack, AlgorithmConfig, Cnp, FlowContext, FlowController, Loss, LossKind, Needs, Part, SendLimit,
    Sent,
};
use incast_signals::int::{IntFormat, IntLayout, IntRecord, IntSource, Telemetry};
use incast_units::{Bytes, Rate, Time};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

/// Sequences of events per algorithm and set of parameters.
const CASES: u32 = 96;
/// How often in a row a timer may ask to be called again at the same instant: an algorithm with
/// several timers may serve one at a time.
const TIMERS_AT_ONCE: u32 = 8;

/// What happens to a flow.
#[derive(Clone, Debug)]
enum Event {
    /// Time passes; timers that come due are served this much late.
    Wait { time: Time, late: Time },
    /// A packet of at most this many bytes leaves.
    Send { payload: u64 },
    /// An ACK of this part of what is in flight, in 1/255; 0: of nothing new.
    Ack { part: u8, news: News },
    /// The same as a NACK, which tells of a loss.
    Nack { part: u8, news: News },
    /// No ACK came in time.
    Timeout,
    /// A CNP, from the receiver or from a switch.
    Cnp(Cnp),
}

/// What an ACK brings beside its sequence number.
#[derive(Clone, Debug)]
struct News {
    marked: bool,
    round_trip: Time,
    receiver_flows: Option<u16>,
    /// For each hop: time since the record before, the part of that time in which its link was
    /// busy in 1/255, and its queue in bytes.
    hops: Vec<(Time, u8, u64)>,
}

/// Most hops of a path.
const HOPS: usize = 5;

/// Up to `max`, all orders of magnitude alike.
fn any_magnitude(max: u64) -> impl Strategy<Value = u64> {
    let number = (0..=max.ilog2(), any::<u64>());
    number.prop_map(move |(bits, number)| (number >> (63 - bits)).min(max))
}

fn time(max: Time) -> impl Strategy<Value = Time> {
    any_magnitude(max.as_ps()).prop_map(Time::from_ps)
}

fn news() -> impl Strategy<Value = News> {
    let hop = (
        time(Time::from_ms(1)),
        any::<u8>(),
        any_magnitude(20_000_000),
    );
    (
        any::<bool>(),
        time(Time::from_ms(10)),
        proptest::option::of(1_u16..=1_000),
        proptest::collection::vec(hop, HOPS),
    )
        .prop_map(|(marked, round_trip, receiver_flows, hops)| News {
            marked,
            round_trip: round_trip.max(Time::from_ps(1)),
            receiver_flows,
            hops,
        })
}

fn cnp() -> impl Strategy<Value = Cnp> {
    let switch = (1_u64..=400_000, any::<u32>());
    proptest::option::of(switch).prop_map(|switch| Cnp {
        rate: switch.map(|(mbps, _)| Rate::from_mbps(mbps)),
        congestion_point: switch.map(|(_, port)| port),
    })
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (time(Time::from_ms(2)), time(Time::from_ns(1)))
            .prop_map(|(time, late)| Event::Wait { time, late }),
        4 => (1_u64..=9_000).prop_map(|payload| Event::Send { payload }),
        6 => (any::<u8>(), news()).prop_map(|(part, news)| Event::Ack { part, news }),
        1 => (any::<u8>(), news()).prop_map(|(part, news)| Event::Nack { part, news }),
        1 => Just(Event::Timeout),
        2 => cnp().prop_map(Event::Cnp),
    ]
}

/// A flow and the path that it takes.
#[derive(Clone, Debug)]
struct Setting {
    context: FlowContext,
    flow_size: u64,
    format: IntFormat,
    /// Rates of the links of the path.
    links: Vec<Rate>,
}

fn setting() -> impl Strategy<Value = Setting> {
    let rate = || prop::sample::select(vec![1, 10, 25, 40, 100, 400]).prop_map(Rate::from_gbps);
    let format = prop_oneof![
        Just(IntFormat::Exact),
        (1_u32..=16).prop_map(|multiplier| IntFormat::quantised(multiplier, 16)),
    ];
    (
        rate(),
        any_magnitude(100_000),
        prop::sample::select(vec![1_u64, 1_000, 1_440, 4_096, 9_000]),
        any::<u64>(),
        any_magnitude(1 << 40),
        format,
        proptest::collection::vec(rate(), 1..=HOPS),
    )
        .prop_map(|(line_rate, rtt_ns, mtu, seed, size, format, links)| {
            let base_rtt = Time::from_ns(rtt_ns.max(1));
            let context = FlowContext {
                flow: <_>::default(),
                line_rate,
                base_rtt,
                // A base RTT includes the transmission of a packet, so it holds one at least.
                base_window: line_rate.bytes_in(base_rtt).max(Bytes::new(mtu)),
                mtu: Bytes::new(mtu),
                wire_mtu: Bytes::new(mtu + 90),
                size: Bytes::new(size.max(1)),
                seed,
            };
            Setting {
                context,
                flow_size: size.max(1),
                format,
                links,
            }
        })
}

/// The sending half of a NIC, as far as one algorithm sees it.
struct Nic<'a> {
    controller: Box<dyn FlowController>,
    setting: &'a Setting,
    needs: Needs,
    now: Time,
    /// Sequence numbers: expected by the receiver, sent next, ever sent.
    acked: u64,
    next: u64,
    sent: u64,
    /// Clock and sent bytes of the ports of the path, as wide as they are.
    ports: Vec<(Time, u64)>,
    /// Names that the algorithm probed first.
    probed: Vec<&'static str>,
}

impl<'a> Nic<'a> {
    fn new(config: &AlgorithmConfig, setting: &'a Setting) -> Self {
        let controller = config.build(&setting.context);
        Self {
            probed: names(&*controller),
            controller,
            setting,
            needs: config.needs(),
            now: Time::ZERO,
            acked: 0,
            next: 0,
            sent: 0,
            ports: vec![(Time::ZERO, 0); setting.links.len()],
        }
    }

    fn tell(&mut self, event: &Event) -> Result<(), TestCaseError> {
        match event {
            Event::Wait { time, late } => return self.wait(*time, *late),
            Event::Send { payload } => self.send(*payload),
            Event::Ack { part, news } => self.ack(*part, news),
            Event::Nack { part, news } => {
                self.ack(*part, news);
                self.lose(LossKind::Nack);
            }
            Event::Timeout if self.next > self.acked => self.lose(LossKind::Timeout),
            Event::Timeout => {}
            Event::Cnp(cnp) => self.controller.on_cnp(self.now, cnp),
        }
        Ok(())
    }

    /// Serves every timer on the way.
    fn wait(&mut self, time: Time, late: Time) -> Result<(), TestCaseError> {
        let until = self.now + time;
        let mut at_once = 0;
        while let Some(due) = self.controller.next_timer().filter(|due| *due <= until) {
            let at = (due + late).min(until).max(self.now);
            at_once = if at == self.now { at_once + 1 } else { 0 };
            prop_assert!(
                at_once <= TIMERS_AT_ONCE,
                "a timer that never ends, at {at}"
            );
            self.now = at;
            self.controller.on_timer(at);
            if let Some(next) = self.controller.next_timer() {
                prop_assert!(
                    next >= due,
                    "a timer due at {due}, served at {at}, was next due at {next}"
                );
            }
            self.check()?;
        }
        self.now = until;
        Ok(())
    }

    fn send(&mut self, payload: u64) {
        let left = self.setting.flow_size - self.next;
        let payload = payload.min(self.setting.context.mtu.as_u64()).min(left);
        if payload == 0 {
            return;
        }
        let retransmission = self.next < self.sent;
        self.next += payload;
        self.sent = self.sent.max(self.next);
        let sent = Sent {
            payload: Bytes::new(payload),
            wire: Bytes::new(payload + 90),
            next_to_send: self.next,
            retransmission,
        };
        let before = self.controller.limit();
        self.controller.on_sent(self.now, &sent);
        if !self.needs.sent_packets {
            assert_eq!(
                self.controller.limit(),
                before,
                "a reaction to packets that it does not ask for"
            );
        }
    }

    fn ack(&mut self, part: u8, news: &News) {
        // After going back, what was sent before may still be acknowledged.
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
        };
        self.controller.on_ack(self.now, &ack);
    }

    /// What the ports of the path write, in the fields that the format has.
    fn records(&mut self, news: &News) -> Vec<IntRecord> {
        if self.needs.int == IntSource::Off {
            return Vec::new();
        }
        let format = &self.setting.format;
        let wrapped = |value: u64, unit: u64, bits: u32| (value / unit) & ((1 << bits) - 1);
        let ports = self.ports.iter_mut().zip(&news.hops);
        let ports = ports.zip(&self.setting.links);
        ports
            .map(|(((clock, sent), &(elapsed, busy, queue)), &rate)| {
                *clock += elapsed;
                *sent += rate.bytes_in(elapsed).as_u64() * u64::from(busy) / 255;
                let unit = format.queue_unit().as_u64();
                let longest = (1 << format.queue_bits()) - 1;
                IntRecord {
                    clock: wrapped(
                        clock.as_ps(),
                        format.clock_unit().as_ps(),
                        format.clock_bits(),
                    ),
                    sent: wrapped(*sent, format.sent_unit().as_u64(), format.sent_bits()),
                    queue: Bytes::new((queue / unit).min(longest) * unit),
                    rate,
                }
            })
            .collect()
    }

    /// The NIC goes back to the first byte that is not acknowledged.
    fn lose(&mut self, kind: LossKind) {
        self.next = self.acked;
        let loss = Loss {
            kind,
            resume_at: self.acked,
        };
        self.controller.on_loss(self.now, &loss);
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let limit = self.controller.limit();
        prop_assert!(limit.rate > Rate::default(), "the rate is 0");
        let line_rate = self.setting.context.line_rate;
        prop_assert!(limit.rate <= line_rate, "{} of {line_rate}", limit.rate);
        prop_assert!(limit.window >= Bytes::new(1), "the window is closed");
        prop_assert_eq!(limit, self.controller.limit(), "asked twice");
        let next = self.controller.next_timer();
        prop_assert!(
            self.needs.timers || next.is_none(),
            "a timer that is not in its needs"
        );
        prop_assert_eq!(&names(&*self.controller), &self.probed, "names probed");
        let mut wrong = None;
        self.controller.probe(&mut |name, value| {
            if !value.is_finite() {
                wrong = Some((name, value));
            }
        });
        prop_assert_eq!(wrong, None, "probed");
        Ok(())
    }
}

fn names(controller: &dyn FlowController) -> Vec<&'static str> {
    let mut names = Vec::new();
    controller.probe(&mut |name, _| names.push(name));
    names
}

/// What the algorithm answers after each event.
fn answers(
    config: &AlgorithmConfig,
    setting: &Setting,
    events: &[Event],
) -> Result<Vec<(SendLimit, Option<Time>)>, TestCaseError> {
    let mut nic = Nic::new(config, setting);
    nic.check()?;
    let mut answers = Vec::new();
    for event in events {
        nic.tell(event)?;
        nic.check()?;
        answers.push((nic.controller.limit(), nic.controller.next_timer()));
    }
    Ok(answers)
}

/// Every choice of the parts that an algorithm takes.
fn compositions(parts: &[Part]) -> Vec<Vec<Part>> {
    let mut found = vec![Vec::new()];
    for part in parts {
        let with = |chosen: &Vec<Part>| [chosen.as_slice(), &[*part]].concat();
        let with: Vec<_> = found.iter().map(with).collect();
        found.extend(with);
    }
    found
}

/// Every algorithm with each of its sets of parameters and every choice of its parts.
fn configurations() -> Vec<(String, AlgorithmConfig)> {
    let mut found = Vec::new();
    for info in AlgorithmConfig::built_in() {
        let sets = info.sets();
        // The first set is the default.
        let others = sets.iter().skip(1).map(|set| Some(set.name));
        for set in std::iter::once(None).chain(others) {
            for parts in compositions(AlgorithmConfig::parts_of(info.name)) {
                let name = format!("{} {} {parts:?}", info.name, set.unwrap_or("default"));
                let config = AlgorithmConfig::with_parts(info.name, set, &parts);
                found.push((name, config.expect("it is registered")));
            }
        }
    }
    found
}

#[test]
fn answers_stay_sound_under_any_events() {
    for (name, config) in configurations() {
        let mut runner = TestRunner::new(ProptestConfig {
            cases: CASES,
            rng_seed: RngSeed::Fixed(1),
            failure_persistence: None,
            ..ProptestConfig::default()
        });
        let strategy = (setting(), proptest::collection::vec(event(), 1..200));
        let outcome = runner.run(&strategy, |(setting, events)| {
            let first = answers(&config, &setting, &events)?;
            let second = answers(&config, &setting, &events)?;
            prop_assert_eq!(first, second, "the same events, told again");
            Ok(())
        });
        outcome.unwrap_or_else(|failure| panic!("{name}: {failure}"));
    }
}
