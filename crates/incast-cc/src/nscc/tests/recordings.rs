//! Recordings of uet-htsim (commit 40ccb05): the events at one sender, and its state after each
//! event.
//!
//! `traces/<runs>.csv` has a line for an ACK (`A`), a NACK of a trimmed packet (`N`), a timeout of
//! one packet (`T`), and packets that SLEEK took for lost (`L`). Another line is for all packets
//! that left between two of these events (`S`, their total bytes). Unchanged values are left out.
//! The flow starts at 0, over three tiers (two for `7to1`), with links of 100 Gb/s or the rate in
//! the name, and a delay of 1 us each.

use super::*;

/// A recording, and its network.
struct Recording {
    name: &'static str,
    text: &'static str,
    gbps: u64,
    hops: u64,
    trims: bool,
    /// Whether the receiver also granted credit.
    credit: bool,
}

macro_rules! recordings {
    ($($name:literal: $gbps:literal $hops:literal $trims:literal $credit:literal,)*) => {
        [$(Recording {
            name: $name,
            text: include_str!(concat!("traces/", $name, ".csv")),
            gbps: $gbps,
            hops: $hops,
            trims: $trims,
            credit: $credit,
        }),*]
    };
}

/// Name: rate in Gb/s, links of a path, whether switches trim, whether the receiver grants credit.
const RECORDINGS: [Recording; 9] = recordings! {
    "11to1_100g_nscc": 100 6 true false,
    "11to1_100g_nscc_disable_trim": 100 6 false false,
    "11to1_100g_nscc_disable_trim_sleek": 100 6 false false,
    "11to1_400g_nscc": 400 6 true false,
    "11to1_same_pod_100g_both": 100 6 true true,
    "11to1_same_tor_100g_nscc": 100 6 true false,
    "7to1_2tier_100g_nscc": 100 4 true false,
    "one_400g_nscc": 400 6 true false,
    "smallq_11to1_100g_both": 100 6 true true,
};

/// The state columns after an event, in order.
const STATES: [&str; 16] = [
    "cwnd",
    "avg",
    "base_rtt",
    "maxwnd",
    "inc",
    "received",
    "achieved",
    "ignored",
    "to_ignore",
    "trigger",
    "qa_end",
    "fi_count",
    "fast",
    "last_dec",
    "last_adjust",
    "inflight",
];
/// Number of columns before the states: event, time, bytes, mark, RTT, last hop, restored bytes.
const COLUMNS: usize = 7;

fn states(flow: &Nscc) -> [i64; STATES.len()] {
    let ps = |time: Time| time.as_ps() as i64;
    let quick = &flow.quick;
    [
        flow.window as i64,
        flow.average as i64,
        ps(flow.base_rtt),
        flow.max_window as i64,
        flow.increase as i64,
        flow.received as i64,
        quick.achieved as i64,
        quick.ignored as i64,
        quick.to_ignore as i64,
        i64::from(quick.is_triggered),
        ps(quick.end.unwrap_or_default()),
        flow.without_queue as i64,
        i64::from(flow.is_fast),
        ps(flow.decreased),
        ps(flow.adjusted),
        flow.in_flight,
    ]
}

/// The columns of a line; `None` for an empty column.
struct Line<'t>(Vec<&'t str>);

impl Line<'_> {
    fn number(&self, column: usize) -> Option<u64> {
        let text = self.0.get(column).filter(|text| !text.is_empty())?;
        Some(text.parse().expect("numbers alone"))
    }

    fn time(&self, column: usize) -> Option<Time> {
        self.number(column).map(Time::from_ps)
    }

    /// Passes the line's event to a flow.
    fn tell(&self, flow: &mut Nscc) {
        let now = self.time(1).expect("every event has a time");
        let bytes = self.number(2).unwrap_or(0);
        let is_set = |column| self.number(column) == Some(1);
        match self.0[0] {
            "0" => {}
            "S" => send(flow, now, bytes),
            "L" => flow.on_loss(now, &lost(LossKind::Nack, bytes)),
            "T" => flow.on_loss(now, &lost(LossKind::Timeout, bytes)),
            "N" => flow.on_loss(now, &trimmed(bytes, self.time(4), is_set(5))),
            "A" => {
                let mut ack = received(bytes);
                ack.marked = is_set(3);
                ack.round_trip = self.time(4);
                ack.news.restored = Bytes::new(self.number(6).unwrap_or(0));
                flow.on_ack(now, &ack);
            }
            other => panic!("an event of kind {other}"),
        }
    }
}

/// Base RTT of the recordings: twice the delays of the links, plus a full packet and 64 B on each
/// link.
pub(super) fn base_rtt(gbps: u64, hops: u64) -> Time {
    let rate = Rate::from_gbps(gbps);
    let [packet, control] = [4_150, 64].map(|size| rate.transmission_time(Bytes::new(size)));
    (Time::from_us(2) + packet + control) * hops
}

/// Feeds a recording to a flow. Returns the lines after which the flow's state differs, and the
/// number of lines.
fn replay(recording: &Recording, config: &NsccConfig) -> (Vec<String>, usize) {
    let context = context(
        recording.gbps,
        base_rtt(recording.gbps, recording.hops),
        recording.trims,
    );
    let mut flow = Nscc::new(config, &context, NoParts);
    let mut expected = [0; STATES.len()];
    let mut wrong = Vec::new();
    let lines = recording.text.lines().skip(1);
    let count = lines.clone().count();
    for line in lines {
        let fields = Line(line.split(',').collect());
        fields.tell(&mut flow);
        for (place, state) in expected.iter_mut().enumerate() {
            if let Some(number) = fields.number(COLUMNS + place) {
                *state = number as i64;
            }
        }
        for ((name, is), should) in STATES.iter().zip(states(&flow)).zip(expected) {
            if is != should {
                wrong.push(format!("{line}: {name} is {is}, not {should}"));
            }
        }
    }
    (wrong, count)
}

fn config_of(recording: &Recording) -> NsccConfig {
    NsccConfig {
        spares_last_hop: recording.credit,
        ..NsccConfig::uet_htsim()
    }
}

/// 14 states, the base RTT and the bytes in flight agree after each of about 5000 events.
#[test]
fn recordings_are_met_number_by_number() {
    let mut total = 0;
    for recording in &RECORDINGS {
        let (wrong, count) = replay(recording, &config_of(recording));
        let first: Vec<_> = wrong.iter().take(4).collect();
        assert!(wrong.is_empty(), "{}: {first:#?}", recording.name);
        total += count;
    }
    assert!(total > 4_000, "{total} events");
}

/// A change of parameters.
type Change = fn(&mut NsccConfig);

/// For each constant and each reading of the simulator, a wrong value fails some recording.
#[test]
fn recordings_tell_other_parameters_apart() {
    let others: [(&str, Change); 22] = [
        ("alpha", |config| config.alpha = 4.01),
        ("fair_increase", |config| config.fair_increase = 5.01),
        ("fast_increase", |config| config.fast_increase = 0.26),
        ("eta", |config| config.eta = 0.16),
        ("gamma", |config| config.gamma = 0.79),
        ("max_decrease", |config| config.max_decrease = 0.1),
        ("qa_gate", |config| config.qa_gate = 2),
        ("qa_threshold", |config| config.qa_threshold = Some(2.0)),
        ("adjust_packets", |config| config.adjust_packets = 7.0),
        ("adjust_period", |config| config.adjust_period = 0.9),
        ("min_window", |config| config.min_window = 1.1),
        ("max_window", |config| config.max_window = 1.4),
        ("about_zero", |config| {
            config.about_zero = Time::from_ns(600)
        }),
        ("packet", |config| config.packet = NsccUnit::Wire),
        ("weight", |config| config.average_weight = Some(0.012)),
        ("unmarked_delay", |config| config.unmarked_delay = None),
        ("needs_sample", |config| config.needs_sample = true),
        ("from_trims", |config| config.base_rtt_from_trims = false),
        ("unit", |config| config.received_unit = Bytes::new(256)),
        ("losses", |config| config.losses = NsccLosses::Every),
        ("bdp", |config| config.bdp = NsccProduct::Exact),
        ("last hop", |config| config.spares_last_hop ^= true),
    ];
    for (what, change) in others {
        let differs = RECORDINGS.iter().any(|recording| {
            let mut config = config_of(recording);
            change(&mut config);
            !replay(recording, &config).0.is_empty()
        });
        assert!(differs, "{what}");
    }
}
