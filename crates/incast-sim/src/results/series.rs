//! Time series in long form: one row per time, measure and entity.
//!
//! | measure                               | entity                | value                        |
//! |---------------------------------------|-----------------------|------------------------------|
//! | `queue_bytes`                         | a port                | bytes queued                 |
//! | `queue_max_bytes`, `queue_sum_bytes`  | `network`             | over all switch ports        |
//! | `paused_ports`                        | `network`             | ports that PFC has paused    |
//! | `active_flows`                        | `network`             | flows under way              |
//! | `goodput_bps`                         | `network`             | increase of `acked_bytes`    |
//! | `jain_index`                          | `network`             | of these increases, by flow  |
//! | `rate_bps`, `window_bytes`            | a flow                | limits of the sender         |
//! | `sent_bytes`, `acked_bytes`           | a flow                | payload so far               |
//! | `cc_` and a name of the algorithm's   | a flow                | state of the algorithm       |
//! | `pfc`                                 | a port                | 1: it is paused, 0: resumed  |
//!
//! Paused ports, of switches and hosts, are counted when queues are sampled.
//!
//! Rows without information are left out: the window of a flow without one, the Jain index when no
//! flow got anything, goodput at the first sample.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int32Array, StringArray, UInt64Array};
use incast_net::{FlowSample, ProbeSample, Recording, Tick};
use incast_units::{Bytes, FlowId, Time};
use rustc_hash::FxHashMap;

use super::jain_index::jain_index;
use super::ports::PortNames;
use super::rates::bps;
use super::table::Table;

/// The series of a run, which are taken out of the recording.
pub(crate) fn table(recording: &mut Recording, ports: &PortNames) -> Table {
    let mut rows = Rows::with_capacity(most_rows(recording));
    for sample in std::mem::take(&mut recording.queues) {
        let bytes = sample.bytes as f64;
        rows.push(
            sample.time,
            Measure::QueueBytes,
            Entity::Port(sample.port),
            bytes,
        );
    }
    rows.push_queue_ticks(&recording.queue_ticks);
    rows.push_flow_ticks(&recording.flow_ticks);
    rows.push_totals(&recording.queue_ticks, Measure::PausedPorts, |tick| {
        tick.paused_ports
    });
    for sample in std::mem::take(&mut recording.flow_samples) {
        rows.push_flow_sample(&sample);
    }
    for sample in std::mem::take(&mut recording.probes) {
        rows.push_probe(&sample);
    }
    for event in std::mem::take(&mut recording.pauses) {
        let port = Entity::Port(ports.index(event.node, event.port));
        rows.push(
            event.time,
            Measure::Pfc,
            port,
            f64::from(u8::from(event.paused)),
        );
    }
    rows.into_table(ports)
}

/// An upper bound on the number of rows: some samples have no Jain index.
fn most_rows(recording: &Recording) -> usize {
    let flows = recording.flow_samples.iter();
    let of_flows: usize = flows
        .map(|sample| 3 + usize::from(has_window(sample)))
        .sum();
    recording.queues.len()
        + 3 * recording.queue_ticks.len()
        + 3 * recording.flow_ticks.len()
        + of_flows
        + recording.probes.len()
        + recording.pauses.len()
}

fn has_window(sample: &FlowSample) -> bool {
    sample.window != Bytes::MAX
}

#[derive(Copy, Clone)]
enum Measure {
    QueueBytes,
    QueueMaxBytes,
    QueueSumBytes,
    PausedPorts,
    ActiveFlows,
    GoodputBps,
    JainIndex,
    RateBps,
    WindowBytes,
    SentBytes,
    AckedBytes,
    Pfc,
}

/// Names of measures, in the order of [`Measure`].
const MEASURES: [&str; 12] = [
    "queue_bytes",
    "queue_max_bytes",
    "queue_sum_bytes",
    "paused_ports",
    "active_flows",
    "goodput_bps",
    "jain_index",
    "rate_bps",
    "window_bytes",
    "sent_bytes",
    "acked_bytes",
    "pfc",
];

/// The subject of a value.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Entity {
    Network,
    Port(u32),
    Flow(FlowId),
}

impl Entity {
    fn label(self, ports: &PortNames) -> String {
        match self {
            Self::Network => "network".to_owned(),
            Self::Port(port) => ports.name(port).label.clone(),
            Self::Flow(flow) => format!("flow {flow}"),
        }
    }
}

#[derive(Default)]
struct Rows {
    times: Vec<u64>,
    measures: Vec<i32>,
    /// Names of algorithms' values, after the fixed measures.
    probes: Vec<&'static str>,
    entities: Vec<i32>,
    values: Vec<f64>,
    /// Entities so far, in order; an entity's index is its key in the column.
    known: Vec<Entity>,
    keys: FxHashMap<Entity, i32>,
    /// The entity of the last row, and its key: rows of one entity often follow each other.
    last: Option<(Entity, i32)>,
}

impl Rows {
    fn with_capacity(rows: usize) -> Self {
        Self {
            times: Vec::with_capacity(rows),
            measures: Vec::with_capacity(rows),
            entities: Vec::with_capacity(rows),
            values: Vec::with_capacity(rows),
            ..Self::default()
        }
    }

    fn push(&mut self, time: Time, measure: Measure, entity: Entity, value: f64) {
        self.push_row(time, measure as i32, entity, value);
    }

    fn push_probe(&mut self, sample: &ProbeSample) {
        let known = self.probes.iter().position(|name| *name == sample.name);
        let place = known.unwrap_or_else(|| {
            self.probes.push(sample.name);
            self.probes.len() - 1
        });
        let measure = (MEASURES.len() + place) as i32;
        let entity = Entity::Flow(sample.flow);
        self.push_row(sample.time, measure, entity, sample.value);
    }

    fn push_row(&mut self, time: Time, measure: i32, entity: Entity, value: f64) {
        let key = match self.last {
            Some((last, key)) if last == entity => key,
            _ => self.key_of(entity),
        };
        self.times.push(time.as_ps());
        self.measures.push(measure);
        self.entities.push(key);
        self.values.push(value);
    }

    /// The key of an entity; a new entity gets a new key.
    fn key_of(&mut self, entity: Entity) -> i32 {
        let key = *self.keys.entry(entity).or_insert_with(|| {
            self.known.push(entity);
            self.known.len() as i32 - 1
        });
        self.last = Some((entity, key));
        key
    }

    fn push_queue_ticks(&mut self, ticks: &[Tick]) {
        self.push_totals(ticks, Measure::QueueMaxBytes, |tick| tick.queue_max);
        self.push_totals(ticks, Measure::QueueSumBytes, |tick| tick.queue_sum);
    }

    fn push_flow_ticks(&mut self, ticks: &[Tick]) {
        self.push_totals(ticks, Measure::ActiveFlows, |tick| tick.alive);
        for pair in ticks.windows(2) {
            let bps = bps(Bytes::new(pair[1].acked), pair[1].time - pair[0].time);
            self.push(pair[1].time, Measure::GoodputBps, Entity::Network, bps);
        }
        for tick in ticks {
            if let Some(index) = jain_index(tick) {
                self.push(tick.time, Measure::JainIndex, Entity::Network, index);
            }
        }
    }

    fn push_totals(&mut self, ticks: &[Tick], measure: Measure, value: fn(&Tick) -> u64) {
        for tick in ticks {
            self.push(tick.time, measure, Entity::Network, value(tick) as f64);
        }
    }

    fn push_flow_sample(&mut self, sample: &FlowSample) {
        let mut push = |measure, value: u64| {
            self.push(
                sample.time,
                measure,
                Entity::Flow(sample.flow),
                value as f64,
            );
        };
        push(Measure::RateBps, sample.rate.as_bps());
        if has_window(sample) {
            push(Measure::WindowBytes, sample.window.as_u64());
        }
        push(Measure::SentBytes, sample.sent.as_u64());
        push(Measure::AckedBytes, sample.acked.as_u64());
    }

    fn into_table(self, ports: &PortNames) -> Table {
        let entities = StringArray::from_iter_values(self.known.iter().map(|e| e.label(ports)));
        let probes = self.probes.iter().map(|name| format!("cc_{name}"));
        let measures = MEASURES.map(str::to_owned).into_iter().chain(probes);
        let measures = StringArray::from_iter_values(measures);
        Table::of(vec![
            ("time_ps", Arc::new(UInt64Array::from(self.times))),
            ("measure", dictionary(self.measures, measures)),
            ("entity", dictionary(self.entities, entities)),
            ("value", Arc::new(Float64Array::from(self.values))),
        ])
    }
}

fn dictionary(keys: Vec<i32>, values: StringArray) -> ArrayRef {
    let keys = Int32Array::from(keys);
    Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::new(values)).expect("keys in range"))
}
