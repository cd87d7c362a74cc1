//! What ends a run early: promises that the model breaks, and networks that cannot be.

use incast_units::{Bytes, FlowId, HostId, NodeId, Time};
use thiserror::Error;

/// Why a run could not begin, or had to stop.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// A lossless network lost a packet: a defect of the model.
    #[error(
        "switch {node} port {port} had no room for a packet of flow {flow} at {} ps: a network \
         with PFC must not lose packets; this is a defect of the simulator, please report it",
        time.as_ps()
    )]
    PacketLost {
        /// The switch.
        node: NodeId,
        /// The port by which the packet came.
        port: u32,
        /// The packet's flow.
        flow: FlowId,
        /// When.
        time: Time,
    },
    /// A lossless network lost a packet, and the headroom was too small to promise that it
    /// would not.
    #[error(
        "switch {node} port {port} had no room for a packet of flow {flow} at {} ps: its headroom \
         of {} bytes is less than the {} bytes that can arrive after a pause; use the worst-case \
         headroom",
        time.as_ps(), headroom.as_u64(), worst_case.as_u64()
    )]
    HeadroomTooSmall {
        /// The switch.
        node: NodeId,
        /// The port by which the packet came.
        port: u32,
        /// The packet's flow.
        flow: FlowId,
        /// When.
        time: Time,
        /// The port's headroom.
        headroom: Bytes,
        /// What would have been enough.
        worst_case: Bytes,
    },
    /// A lossless network lost a packet, and hosts send ACKs among the data even while data are
    /// paused, which no headroom can hold.
    #[error(
        "switch {node} port {port} had no room for a packet of flow {flow} at {} ps: ACKs travel \
         among the data, but hosts do not pause them; pause them, too, or give them a class of \
         their own",
        time.as_ps()
    )]
    AcksNotPaused {
        /// The switch.
        node: NodeId,
        /// The port by which the packet came.
        port: u32,
        /// The packet's flow.
        flow: FlowId,
        /// When.
        time: Time,
    },
    /// Headroom and reserve of all ports do not fit the buffer.
    #[error(
        "switch {node}: a buffer of {} bytes is too small: headroom and reserve of its ports take \
         {} bytes; give a larger buffer, or a smaller headroom or reserve",
        buffer.as_u64(),
        needed.as_u64()
    )]
    BufferTooSmall {
        /// The switch.
        node: NodeId,
        /// The buffer's size.
        buffer: Bytes,
        /// What headrooms and reserves take together.
        needed: Bytes,
    },
    /// A switch that drops would drop every full packet.
    #[error(
        "switch {node}: a packet of {} bytes never fits: give a larger buffer than {} bytes, a \
         longer queue limit, or a larger share of the free buffer to a queue",
        packet.as_u64(), buffer.as_u64()
    )]
    NothingFits {
        /// The switch.
        node: NodeId,
        /// A full packet on the wire.
        packet: Bytes,
        /// The buffer's size.
        buffer: Bytes,
    },
    /// s-PERC gave away all of a link, or more, to flows that are limited elsewhere.
    #[error(
        "node {node} port {port}: the flows that s-PERC takes to be limited elsewhere have all of \
         the link; this is a defect of the simulator, please report it"
    )]
    OverAllocated {
        /// The switch or host.
        node: NodeId,
        /// The port.
        port: u32,
    },
    /// Speculative packets that were to be dropped have been acknowledged.
    #[error(
        "flow {flow} is to resume at packet {resumed}, but {acked} packets are acknowledged: this \
         is a defect of the simulator, please report it"
    )]
    NoPrefix {
        /// The flow.
        flow: FlowId,
        /// The first packet that was dropped.
        resumed: u32,
        /// Packets acknowledged.
        acked: u32,
    },
    /// A link's delay is shorter than the clock can tell.
    #[error(
        "a link has a delay of {} ps, less than the {} ps by which the model's clock advances",
        delay.as_ps(), tick.as_ps()
    )]
    DelayTooShort {
        /// The shortest delay.
        delay: Time,
        /// The clock's unit.
        tick: Time,
    },
    /// A flow from or to a host that does not exist.
    #[error("flow {flow}: host {host} does not exist; there are hosts 0 to {}", hosts - 1)]
    NoSuchHost {
        /// The flow.
        flow: FlowId,
        /// The host.
        host: HostId,
        /// How many there are.
        hosts: u32,
    },
    /// A flow that would never leave its host.
    #[error("flow {flow} goes from host {host} to itself; name two hosts")]
    FlowToItself {
        /// The flow.
        flow: FlowId,
        /// The host.
        host: HostId,
    },
    /// Flows must come in order of start.
    #[error(
        "flow {flow} starts at {} ps, before the flow that came before it, at {} ps; sort flows \
         by their start",
        start.as_ps(), earliest.as_ps()
    )]
    FlowOutOfOrder {
        /// The flow.
        flow: FlowId,
        /// When it starts.
        start: Time,
        /// Start of the flow before it.
        earliest: Time,
    },
    /// More different link rates than INT's rate code can tell apart.
    #[error(
        "links have {rates} different rates, more than the rate code of quantised INT can tell \
         apart; use exact INT"
    )]
    TooManyRates {
        /// How many.
        rates: usize,
    },
    /// A path has more switches than a packet can count, or has room for INT records of.
    #[error(
        "a path has {hops} switches, more than the {most} that a packet can tell of; use shorter \
         paths, or quantised instead of exact INT"
    )]
    TooManyHops {
        /// Switches on the path.
        hops: usize,
        /// Switches that fit.
        most: usize,
    },
    /// Times do not fit a packet.
    #[error(
        "something happens at {} ps or later, after the 2.5 hours that this version can simulate",
        time.as_ps()
    )]
    TooLate {
        /// When.
        time: Time,
    },
    /// Host numbers do not fit a packet.
    #[error("{hosts} hosts are more than the 65535 that this version can address")]
    TooManyHosts {
        /// How many.
        hosts: usize,
    },
    /// A packet would be larger than its size field.
    #[error(
        "packets of {} bytes are larger than the 65535 that this version can carry",
        size.as_u64()
    )]
    PacketTooLarge {
        /// Bytes of a full packet on the wire.
        size: Bytes,
    },
    /// A flow has more packets than sequence numbers.
    #[error("flow {flow} has more than 4294967295 packets; use larger packets or a smaller flow")]
    FlowTooLarge {
        /// The flow.
        flow: FlowId,
    },
    /// Nothing happens any more, but flows are alive.
    #[error(
        "nothing happens after {} ps, but {alive} flows have not completed, among them flow \
         {flow}: the network is deadlocked, or packets were lost and there is no retransmission \
         timeout",
        time.as_ps()
    )]
    Stalled {
        /// Flows alive.
        alive: u64,
        /// One of them.
        flow: FlowId,
        /// Time of the last event.
        time: Time,
    },
    /// Something is left in an empty network: a defect of the model.
    #[error(
        "all flows have completed, but {what} left over at node {node}; this is a defect of the \
         simulator, please report it"
    )]
    LeftOver {
        /// What, and how much of it.
        what: String,
        /// Where.
        node: NodeId,
    },
}

#[cfg(test)]
mod tests;
