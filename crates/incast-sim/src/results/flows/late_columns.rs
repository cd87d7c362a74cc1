//! Columns of flows that are known only at the end of the run.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::DataType;
use incast_net::{ArrivalOrder, Breakdown, Losses, MeanWeight, OnLinks, PacketLatency, SenderPart};
use incast_units::{FlowId, Time};

use crate::ideal::LonePackets;
use crate::results::arrival_order::OrdersOfFlows;
use crate::results::messages::MessageLedger;
use crate::results::table::{numbers, texts};
use crate::spec::CountedStarts;

/// Values of the columns that are known at the end of the run, if they are wanted.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct LateColumns<'a> {
    /// For each flow, its share of its max-min fair rate, if it completed.
    pub(crate) fair_shares: Option<&'a [Option<f64>]>,
    /// The message of each flow, if there is an attack.
    pub(crate) messages: Option<&'a MessageLedger>,
    /// Which flows count, for each traffic entry, if not all flows do.
    pub(crate) counted_starts: Option<&'a [CountedStarts]>,
    /// The names of traffic entries, if entries are distinguished.
    pub(crate) traffic: Option<&'a [String]>,
    /// The algorithm of each traffic entry, if there are several algorithms.
    pub(crate) algorithms: Option<&'a [String]>,
    /// The names of hosts, if the user's file has names.
    pub(crate) host_names: Option<&'a [String]>,
    /// The tenant of each traffic entry, if any entry has one.
    pub(crate) tenants: Option<&'a [Option<String>]>,
    /// For each flow, the number of data packets that its receiver had already.
    pub(crate) duplicates: Option<&'a BTreeMap<FlowId, u32>>,
    /// The arrival order of each flow's packets, if receivers keep out-of-order packets.
    pub(crate) orders: Option<&'a OrdersOfFlows>,
    /// For each flow, the number of entropies in use, if they were counted.
    pub(crate) entropies: Option<&'a BTreeMap<FlowId, u32>>,
    /// The losses of each flow by link faults, if there are any.
    pub(crate) losses: Option<&'a BTreeMap<FlowId, Losses>>,
    /// The slowest packet of each flow, by flow number.
    pub(crate) packet_latencies: Option<&'a [PacketLatency]>,
    /// The parts of each flow's FCT, by flow number. Unless packets record their times on links,
    /// also the times of single packets.
    pub(crate) breakdowns: Option<(&'a [Breakdown], &'a [LonePackets])>,
    /// The weight of each flow, by flow number, if the algorithm has weights.
    pub(crate) mean_weights: Option<&'a [MeanWeight]>,
}

/// The column for `measure.packet_latency`, which receivers measure, not senders.
pub(super) const LONGEST_PACKET_LATENCY: &str = "longest_packet_latency_ps";

/// Which flows have a value in a column.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum ToldOf {
    All,
    Completed,
}

/// One more column.
pub(super) struct LateColumn<'a> {
    pub(super) name: &'static str,
    pub(super) kind: DataType,
    pub(super) told_of: ToldOf,
    /// Computes the values for a batch of rows.
    pub(super) values: Box<dyn Fn(&RecordBatch) -> ArrayRef + 'a>,
}

impl<'a> LateColumns<'a> {
    /// The wanted columns, in the order of the table.
    pub(super) fn columns(&self) -> Vec<LateColumn<'a>> {
        [
            self.duplicates(),
            self.fair_share(),
            self.packet_latency(),
            self.mean_weight(),
            self.counted(),
            self.traffic_name(),
            self.algorithm(),
            self.host_name("source_name", "source"),
            self.host_name("destination_name", "destination"),
            self.tenant(),
            self.role(),
            self.message(),
        ]
        .into_iter()
        .flatten()
        .chain(self.breakdown())
        .chain(self.orders())
        .chain(self.entropies())
        .chain(self.losses())
        .collect()
    }

    fn fair_share(&self) -> Option<LateColumn<'a>> {
        let shares = self.fair_shares?;
        of_completed("fair_share", DataType::Float64, move |rows| {
            numbers::<Float64Type, _>(flow_ids(rows), |&flow| {
                shares[flow as usize].expect("a flow that completed has a share")
            })
        })
    }

    fn packet_latency(&self) -> Option<LateColumn<'a>> {
        let latencies = self.packet_latencies?;
        of_completed(LONGEST_PACKET_LATENCY, DataType::UInt64, move |rows| {
            numbers::<UInt64Type, _>(flow_ids(rows), |&flow| {
                let place = latencies.binary_search_by_key(&flow, |each| each.flow.0);
                let index = place.expect("all packets of a flow that completed have arrived");
                latencies[index].longest.as_ps()
            })
        })
    }

    /// The parts of FCTs: those at the sender; then, of the last packet and its ACK, the time on
    /// links, and the rest.
    fn breakdown(&self) -> impl Iterator<Item = LateColumn<'a>> + use<'a> {
        type ReadPart = Box<dyn Fn(&Breakdown, Time) -> Time>;
        let at_sender = SenderPart::NAMES.into_iter().enumerate();
        let at_sender = at_sender.map(|(part, name)| -> (_, ReadPart) {
            (name, Box::new(move |parts, _| parts.at_sender[part]))
        });
        let of_last: [(_, ReadPart); 2] = [
            ("fct_way_ps", Box::new(|_, on_links| on_links)),
            (
                "fct_last_waits_ps",
                Box::new(|parts, on_links| parts.last - on_links),
            ),
        ];
        let column =
            |(name, read): (_, ReadPart),
             (breakdowns, alone): (&'a [Breakdown], &'a [LonePackets])| {
                of_completed(name, DataType::UInt64, move |rows| {
                    numbers::<UInt64Type, _>(flow_ids(rows), |&flow| {
                        let place = breakdowns.binary_search_by_key(&flow, |each| each.flow.0);
                        let parts = &breakdowns[place.expect("a flow that completed has parts")];
                        let on_links = match parts.on_links {
                            OnLinks::Told(time) => time,
                            OnLinks::LastPacket => alone[flow as usize].last,
                            OnLinks::FullPacket => alone[flow as usize].full,
                        };
                        read(parts, on_links).as_ps()
                    })
                })
            };
        let breakdowns = self.breakdowns;
        let columns = at_sender.chain(of_last);
        columns.filter_map(move |each| column(each, breakdowns?))
    }

    fn mean_weight(&self) -> Option<LateColumn<'a>> {
        let weights = self.mean_weights?;
        of_completed("mean_weight", DataType::Float64, move |rows| {
            numbers::<Float64Type, _>(flow_ids(rows), |&flow| {
                let place = weights.binary_search_by_key(&flow, |each| each.flow.0);
                weights[place.expect("a flow that completed has a weight")].fraction()
            })
        })
    }

    /// 1 if statistics of FCT count the flow, otherwise 0.
    fn counted(&self) -> Option<LateColumn<'a>> {
        let entries = self.counted_starts?;
        of_all("counted", DataType::UInt16, move |rows| {
            let starts = rows.column_by_name("start_ps").expect("flows have starts");
            let starts = starts.as_primitive::<UInt64Type>().values();
            let flows = self::entries(rows).iter().zip(starts);
            numbers::<UInt16Type, _>(flows, |(tag, start)| {
                entries[usize::from(*tag)]
                    .counts(Time::from_ps(*start))
                    .into()
            })
        })
    }

    fn traffic_name(&self) -> Option<LateColumn<'a>> {
        let names = self.traffic?;
        of_all("traffic_name", DataType::Utf8, move |rows| {
            texts(entries(rows), |&tag| &names[usize::from(tag)])
        })
    }

    fn algorithm(&self) -> Option<LateColumn<'a>> {
        let names = self.algorithms?;
        of_all("cc", DataType::Utf8, move |rows| {
            texts(entries(rows), |&tag| &names[usize::from(tag)])
        })
    }

    fn host_name(&self, name: &'static str, of: &'static str) -> Option<LateColumn<'a>> {
        let names = self.host_names?;
        of_all(name, DataType::Utf8, move |rows| {
            let hosts = rows.column_by_name(of).expect("flows have two hosts");
            let hosts = hosts.as_primitive::<UInt32Type>().values();
            texts(hosts, |&host| &names[host as usize])
        })
    }

    /// The name of the tenant; empty for flows without one.
    fn tenant(&self) -> Option<LateColumn<'a>> {
        let tenants = self.tenants?;
        of_all("tenant", DataType::Utf8, move |rows| {
            texts(entries(rows), |&tag| {
                tenants[usize::from(tag)].as_deref().unwrap_or_default()
            })
        })
    }

    fn role(&self) -> Option<LateColumn<'a>> {
        let messages = self.messages?;
        of_all("role", DataType::Utf8, move |rows| {
            texts(flow_ids(rows), |&flow| messages.role_of(flow).name())
        })
    }

    fn duplicates(&self) -> Option<LateColumn<'a>> {
        let duplicates = self.duplicates?;
        of_all("duplicate_packets", DataType::UInt32, move |rows| {
            numbers::<UInt32Type, _>(flow_ids(rows), |&flow| {
                duplicates.get(&FlowId(flow)).copied().unwrap_or(0)
            })
        })
    }

    /// Counts and bytes are 0 for flows without out-of-order packets.
    fn orders(&self) -> impl Iterator<Item = LateColumn<'a>> + use<'a> {
        type Read = fn(&ArrivalOrder) -> u64;
        let columns: [(_, Read); 4] = [
            ("out_of_order_packets", |order| order.out_of_order.into()),
            ("reordering_distance_max", |order| {
                order.largest_distance.into()
            }),
            ("reordering_distance_sum", |order| order.distances),
            ("reorder_buffer_bytes", |order| order.most_waiting),
        ];
        let column = |(name, read): (_, Read), orders: &'a OrdersOfFlows| {
            of_all(name, DataType::UInt64, move |rows| {
                numbers::<UInt64Type, _>(flow_ids(rows), |&flow| {
                    orders.get(&FlowId(flow)).map_or(0, read)
                })
            })
        };
        let orders = self.orders;
        let columns = columns.into_iter();
        columns.filter_map(move |each| column(each, orders?))
    }

    fn entropies(&self) -> Option<LateColumn<'a>> {
        let entropies = self.entropies?;
        of_all("entropies", DataType::UInt32, move |rows| {
            numbers::<UInt32Type, _>(flow_ids(rows), |&flow| {
                entropies.get(&FlowId(flow)).copied().unwrap_or(1)
            })
        })
    }

    fn losses(&self) -> impl Iterator<Item = LateColumn<'a>> + use<'a> {
        let column = |(index, name), losses: &'a BTreeMap<FlowId, Losses>| {
            of_all(name, DataType::UInt64, move |rows| {
                numbers::<UInt64Type, _>(flow_ids(rows), |&flow| {
                    let lost = losses.get(&FlowId(flow));
                    lost.map_or(0, |lost| lost.numbers()[index])
                })
            })
        };
        let losses = self.losses;
        let names = Losses::NAMES.into_iter().enumerate();
        names.filter_map(move |name| column(name, losses?))
    }

    fn message(&self) -> Option<LateColumn<'a>> {
        let messages = self.messages?;
        of_all("message", DataType::UInt32, move |rows| {
            numbers::<UInt32Type, _>(flow_ids(rows), |&flow| messages.message_of(flow))
        })
    }
}

fn of_all<'a>(
    name: &'static str,
    kind: DataType,
    values: impl Fn(&RecordBatch) -> ArrayRef + 'a,
) -> Option<LateColumn<'a>> {
    Some(LateColumn {
        name,
        kind,
        told_of: ToldOf::All,
        values: Box::new(values),
    })
}

fn of_completed<'a>(
    name: &'static str,
    kind: DataType,
    values: impl Fn(&RecordBatch) -> ArrayRef + 'a,
) -> Option<LateColumn<'a>> {
    let column = of_all(name, kind, values)?;
    Some(LateColumn {
        told_of: ToldOf::Completed,
        ..column
    })
}

fn flow_ids(rows: &RecordBatch) -> &[u32] {
    let flows = rows.column_by_name("flow_id").expect("flows have numbers");
    flows.as_primitive::<UInt32Type>().values()
}

fn entries(rows: &RecordBatch) -> &[u16] {
    let tags = rows.column_by_name("traffic").expect("flows have entries");
    tags.as_primitive::<UInt16Type>().values()
}
