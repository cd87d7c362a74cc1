//! Diagnostics of networks and flows that cannot exist. Scenarios are checked before a run, so
//! these diagnostics are for programs that build a network themselves.

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, FlowId, HostId, NodeId, Rate, Time};

use crate::wire::{MAX_FLOWS, MAX_PACKETS};

/// The buffer is smaller than `needed`, the headrooms and reserves of a switch's ports.
pub(crate) fn buffer_too_small(node: NodeId, buffer: Bytes, needed: Bytes) -> Diagnostic {
    let what = format!(
        "headroom and reserve of the ports of switch {node} take {needed}, the whole buffer of \
         {buffer}"
    );
    let hint = "give a larger buffer, or a smaller headroom or reserve";
    Diagnostic::new(what, hint).at("buffer.size")
}

/// The buffer of a switch that may drop is smaller than one packet.
pub(crate) fn larger_than_buffer(packet: Bytes, buffer: Bytes) -> Diagnostic {
    let what = format!("a packet of {packet} never fits a buffer of {buffer}");
    Diagnostic::new(what, format!("give {packet} or more")).at("buffer.size")
}

/// A queue's limit is smaller than one packet.
pub(crate) fn larger_than_queue(packet: Bytes, limit: Bytes) -> Diagnostic {
    let what = format!("a packet of {packet} never fits a queue of at most {limit}");
    Diagnostic::new(what, format!("give {packet} or more")).at("drop.queue_limit")
}

/// A packet is larger than a queue's share of a free buffer.
pub(crate) fn larger_than_share(packet: Bytes, alpha: f64, buffer: Bytes) -> Diagnostic {
    let what = format!("a packet of {packet} never fits {alpha} of the buffer of {buffer}");
    let hint = "give a larger share of the free buffer to a queue, or a larger buffer";
    Diagnostic::new(what, hint).at("drop.alpha")
}

/// A link's delay is shorter than the clock unit.
pub(crate) fn delay_too_short(delay: Time, unit: Time) -> Diagnostic {
    let what = format!("a delay of {delay} is less than the {unit} by which the clock advances");
    Diagnostic::new(what, format!("write {unit} or more")).at("topology")
}

pub(crate) fn too_much_jitter(jitter: Time, most: Time) -> Diagnostic {
    let what = format!("{jitter} is too long: ports vary by nanoseconds");
    Diagnostic::new(
        what,
        format!("write at most \"{most}\", or give links another delay"),
    )
}

pub(crate) fn clocks_too_slow(ppm: u32, most: u32) -> Diagnostic {
    let what = format!("{ppm} ppm are too many: clocks of hardware differ by 200 at most");
    Diagnostic::new(what, format!("write at most {most}")).at("clock_ppm")
}

pub(crate) fn too_coarse_for(key: &str) -> Diagnostic {
    let what = "a clock of whole nanoseconds is too coarse for it";
    let hint = "write model.clock = \"picoseconds\" and model.ties = \"port\", or leave it out";
    Diagnostic::new(what, hint).at(key)
}

/// A run under the event-queue engine has faults of links.
pub(crate) fn faults_in_one_queue() -> Diagnostic {
    let what = "faults of links have no place in the order of one queue of events";
    Diagnostic::new(what, "write ties = \"port\", or leave the faults out").at("model.ties")
}

/// A controller that is shared by several flows limits a sequence number or credit, which belong to
/// one flow.
pub(crate) fn sequence_limit_of_several() -> Diagnostic {
    let what = "the algorithm limits each flow by sequence number or by credit, which flows that \
                share it cannot be";
    let hint = "leave out nic.enforcement and nic.qps";
    Diagnostic::new(what, hint).at("nic")
}

/// A flow from or to a host that does not exist.
pub(crate) fn unknown_host(flow: FlowId, host: HostId, hosts: u32) -> Diagnostic {
    let what = format!("host {host} does not exist");
    let hint = format!("there are hosts 0 to {}", hosts - 1);
    Diagnostic::new(what, hint).at(place(flow))
}

/// A flow that would never leave its host.
pub(crate) fn to_itself(flow: FlowId, host: HostId) -> Diagnostic {
    let what = format!("goes from host {host} to itself");
    Diagnostic::new(what, "name two hosts").at(place(flow))
}

/// Flows must come in order of start; the flow before this one starts at `latest`.
pub(crate) fn out_of_order(flow: FlowId, start: Time, latest: Time) -> Diagnostic {
    let what = format!("starts at {start}, before the flow that came before it, at {latest}");
    Diagnostic::new(what, "sort flows by their start").at(place(flow))
}

/// A run has more flows than flow numbers of packets.
pub(crate) fn too_many_flows(flow: FlowId) -> Diagnostic {
    let what = format!("is one of more than {MAX_FLOWS} flows");
    Diagnostic::new(what, "run them in parts").at(place(flow))
}

/// A flow has more packets than sequence numbers.
pub(crate) fn flow_too_large(flow: FlowId) -> Diagnostic {
    let what = format!("has more than {MAX_PACKETS} packets");
    Diagnostic::new(what, "use larger packets, or a smaller flow").at(place(flow))
}

/// More different link rates than INT's rate code can express.
pub(crate) fn too_many_rates(rates: usize) -> Diagnostic {
    let what = format!("links have {rates} different rates, more than quantised INT tells apart");
    Diagnostic::new(what, "use exact INT").at("model.int_format")
}

pub(crate) fn no_room_for_breakdown() -> Diagnostic {
    let what =
        "packets have no room for INT of the longest path and the time that they are on links";
    let hint = "leave it out, use quantised INT, or shorter paths";
    Diagnostic::new(what, hint).at("measure.breakdown")
}

/// A path has more switches than a packet can count, or than it has room for INT records.
pub(crate) fn too_many_hops(hops: usize, most: usize) -> Diagnostic {
    let what =
        format!("a path has {hops} switches, more than the {most} that a packet can tell of");
    let hint = "use shorter paths, or quantised instead of exact INT";
    Diagnostic::new(what, hint).at("topology")
}

/// A packet is on a link for longer than its arrival time can express.
pub(crate) fn link_too_slow(rate: Rate, delay: Time, hop: Time) -> Diagnostic {
    let hop = hop.rounded();
    let what = format!("a packet takes {hop} over a link of {rate} and {delay}");
    Diagnostic::new(what, "use links that take at most a minute").at("topology")
}

/// A packet would be larger than its size field.
pub(crate) fn packet_too_large(size: Bytes) -> Diagnostic {
    let what = format!("packets of {size} are too large");
    Diagnostic::new(what, "this version carries 65535 bytes").at("packets.mtu")
}

fn place(flow: FlowId) -> String {
    format!("flow[{flow}]")
}
