//! The outputs of a packet.

use super::FabricFacts;
use crate::config::{FabricConfig, Reserve, Turn};
use crate::group::Group;
use crate::packet::{FabricPacket, TicketRole};

/// The outputs of a packet at a switch.
#[derive(Copy, Clone, Debug)]
pub(super) enum Route<'f> {
    /// One.
    To(u16),
    /// One output; the packet takes a table entry on the way.
    Reserving(u16),
    /// Copies to the group's members at this ToR.
    Members(&'f [u16]),
    /// Copies to the ToRs of a group, all by the same lane.
    Tors {
        tors: &'f [u16],
        lane: u16,
        lanes: u16,
    },
}

impl<'f> Route<'f> {
    /// The route of a packet that came by `port` and has this role. `request`: the request of its
    /// operation.
    #[inline]
    pub(super) fn of(
        request: &FabricPacket,
        role: TicketRole,
        port: u16,
        switch: u16,
        facts: &'f FabricFacts,
    ) -> Self {
        let (config, shape) = (&facts.config, &facts.config.shape);
        let is_tor = switch < shape.tors;
        if role != TicketRole::Request || !request.kind.is_collective() {
            let to = match role {
                TicketRole::Request => request.target,
                _ => request.initiator,
            };
            let tor = shape.tor_of(to);
            return Self::To(match is_tor {
                true if tor == switch => shape.local_port(to),
                true => shape.uplink_port(request.uplink),
                false => shape.core_port(tor, request.uplink),
            });
        }
        let group = &facts.groups[usize::from(request.target)];
        if !is_tor {
            return Self::Tors {
                tors: group.tors(),
                lane: shape.core_port(0, request.uplink),
                lanes: shape.lanes,
            };
        }
        let comes_up = port < shape.endpoints_of(switch);
        if comes_up && !turns_at(config, group, switch) {
            let up = shape.uplink_port(request.uplink);
            return match config.reserve {
                Reserve::Path => Self::Reserving(up),
                Reserve::Down => Self::To(up),
            };
        }
        Self::Members(group.ports_at(switch))
    }

    /// Whether the packet takes a table entry.
    #[inline]
    pub(super) fn takes_entry(&self) -> bool {
        !matches!(self, Self::To(_))
    }

    /// Number of outputs.
    #[inline]
    pub(super) fn count(&self) -> u32 {
        match self {
            Self::To(_) | Self::Reserving(_) => 1,
            Self::Members(ports) => ports.len() as u32,
            Self::Tors { tors, .. } => tors.len() as u32,
        }
    }

    /// Calls `visit` with each output port.
    #[inline]
    pub(super) fn for_each(self, mut visit: impl FnMut(u16)) {
        match self {
            Self::To(port) | Self::Reserving(port) => visit(port),
            Self::Members(ports) => ports.iter().for_each(|&port| visit(port)),
            Self::Tors { tors, lane, lanes } => {
                tors.iter().for_each(|&tor| visit(tor * lanes + lane));
            }
        }
    }
}

/// Whether a collective operation on its way up turns at this ToR.
fn turns_at(config: &FabricConfig, group: &Group, tor: u16) -> bool {
    match config.turn {
        Turn::Core => config.shape.cores == 0,
        Turn::Nearest => group.tors() == [tor],
    }
}
