//! The kinds of packets: one table with their numbers, names in traces and properties.
//!
//! To add a kind is to add a row here, and an arm where hosts take packets (`host/dispatch.rs`); a
//! kind that belongs to a host program needs no arm.

/// The class in which a packet is queued and counted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Payload and probes: queued in the shared buffer, paused by PFC.
    Data,
    /// ACKs, NACKs, CNPs, rate requests and replies, pulls, headers of trimmed packets.
    Control,
    /// PFC frames.
    Pfc,
}

impl Class {
    /// Whether a PFC frame stops packets of this class.
    #[inline(always)]
    pub(crate) fn is_pausable(self) -> bool {
        self == Self::Data
    }

    /// Whether packets of this class are counted in the buffer of a switch. Other packets always
    /// find room.
    #[inline(always)]
    pub(crate) fn is_buffered(self) -> bool {
        self == Self::Data
    }

    /// Whether packets of this class are part of measured queues.
    #[inline(always)]
    pub(crate) fn is_measured(self) -> bool {
        self != Self::Pfc
    }
}

/// The direction of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Heading {
    /// Packets go from the sender of their flow to the receiver, with the data.
    Forward,
    /// Packets go from the receiver of their flow to the sender.
    Back,
    /// Over one link.
    Link,
}

/// The contents of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Carries {
    /// Bytes of its flow.
    Payload,
    /// The state of received data.
    Receipt,
    /// A record of rates, which switches write.
    Rates,
    /// Nothing but its kind.
    Signal,
}

/// Declares the kinds of packets, and the fewer kinds that traces distinguish.
macro_rules! packet_kinds {
    (
        traced { $($(#[$shown_doc:meta])* $shown:ident = $name:literal,)* }
        kinds {
            $($(#[$doc:meta])* $kind:ident = $number:literal:
                $trace:ident, $class:ident, $way:ident, $carries:ident;)*
        }
    ) => {
        /// The kind of a packet in a trace.
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum PacketKind { $($(#[$shown_doc])* $shown,)* }

        impl PacketKind {
            /// Names in results, in the order of the kinds: `kind as usize` is the index of a
            /// kind's name.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// All kinds, in order.
            pub const ALL: &'static [Self] = &[$(Self::$shown),*];

            /// Whether packets go from the sender of their flow to its receiver.
            pub fn goes_with_data(self) -> bool {
                const FORWARD: u32 =
                    $((matches!(Heading::$way, Heading::Forward) as u32)
                        << PacketKind::$trace as u32)|*;
                FORWARD >> self as u32 & 1 != 0
            }

            /// Whether packets are PFC frames.
            pub fn is_pfc(self) -> bool {
                const PFC: u32 =
                    $((matches!(Class::$class, Class::Pfc) as u32) << PacketKind::$trace as u32)|*;
                PFC >> self as u32 & 1 != 0
            }
        }

        /// The kind of a packet.
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Kind { $($(#[$doc])* $kind = $number,)* }

        impl Kind {
            /// All kinds, in the order of the table.
            #[cfg(test)]
            pub(crate) const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// Kinds by number; numbers without a kind are never looked up.
            const BY_NUMBER: [Self; 1 << KIND_BITS] = {
                let mut all = [Self::Data; 1 << KIND_BITS];
                $(all[$number] = Self::$kind;)*
                all
            };

            /// The set of kinds of the data class: a bit for each number.
            pub(super) const DATA: u16 = $(bit($number, matches!(Class::$class, Class::Data)))|*;
            pub(super) const PFC: u16 = $(bit($number, matches!(Class::$class, Class::Pfc)))|*;
            pub(super) const FORWARD: u16 =
                $(bit($number, matches!(Heading::$way, Heading::Forward)))|*;
            pub(super) const RECEIPTS: u16 =
                $(bit($number, matches!(Carries::$carries, Carries::Receipt)))|*;
            const RATES: u16 = $(bit($number, matches!(Carries::$carries, Carries::Rates)))|*;
            pub(super) const PAYLOAD: u16 =
                $(bit($number, matches!(Carries::$carries, Carries::Payload)))|*;

            /// The kind in traces.
            pub(crate) fn shown(self) -> PacketKind {
                match self { $(Self::$kind => PacketKind::$trace,)* }
            }
        }
    };
}

const fn bit(number: u32, holds: bool) -> u16 {
    (holds as u16) << number
}

/// Bits of a kind's number: 16 kinds at most.
pub(crate) const KIND_BITS: u32 = 4;

packet_kinds! {
    traced {
        /// Payload.
        Data = "data",
        /// All earlier payload has arrived.
        Ack = "ack",
        /// All earlier payload has arrived, and the next packet is missing. Where switches trim
        /// packets: this packet was trimmed.
        Nack = "nack",
        /// A congestion notification.
        Cnp = "cnp",
        /// PFC: stop sending data.
        Pause = "pause",
        /// PFC: go on.
        Resume = "resume",
        /// A rate request, on its way to the destination.
        RateRequest = "rate-request",
        /// A rate reply, on its way back.
        RateReply = "rate-reply",
        /// The header of a data packet without room, whose payload was dropped.
        Trimmed = "trimmed",
        /// Credit from the receiver.
        Pull = "pull",
        /// A sender without credit asks for credit.
        CreditRequest = "credit-request",
        /// A sender asks for an ACK, to learn whether packets were lost.
        Probe = "probe",
    }
    // Number, kind in traces, class, direction, contents.
    kinds {
        /// Payload, with more to come.
        Data = 0: Data, Data, Forward, Payload;
        /// Payload with an ACK request (AckReq, a bit of the BTH): the sender cannot go on without
        /// an ACK.
        DataWithAckRequest = 1: Data, Data, Forward, Payload;
        /// The last payload of its flow, with an ACK request.
        LastData = 2: Data, Data, Forward, Payload;
        /// Asks for an ACK. A probe waits in the queues of data, so that its round trip shows their
        /// length.
        Probe = 3: Probe, Data, Forward, Signal;
        /// All packets before `psn` have arrived.
        Ack = 4: Ack, Control, Back, Receipt;
        /// All packets before `psn` have arrived, and `psn` is missing. Where switches trim
        /// packets: this transmission of `psn` was trimmed, without any statement on other packets.
        Nack = 5: Nack, Control, Back, Receipt;
        /// A congestion notification.
        Cnp = 6: Cnp, Control, Back, Signal;
        /// A rate request on its way back.
        RateReply = 7: RateReply, Control, Back, Rates;
        /// PFC: stop sending data.
        Pause = 8: Pause, Pfc, Link, Signal;
        /// PFC: go on.
        Resume = 9: Resume, Pfc, Link, Signal;
        /// The header of a data packet without room, whose payload was dropped.
        Trimmed = 10: Trimmed, Control, Forward, Signal;
        /// Collects rates on its way to the destination (the papers' control packet).
        RateRequest = 11: RateRequest, Control, Forward, Rates;
        /// Credit from the receiver.
        Pull = 12: Pull, Control, Back, Signal;
        /// A sender without credit asks for credit.
        CreditRequest = 13: CreditRequest, Control, Forward, Signal;
    }
}

/// The two directions of a rate request.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// With the data.
    Forward,
    /// Back.
    Reverse,
}

impl Kind {
    /// The kind with the number in the lowest [`KIND_BITS`].
    #[inline(always)]
    pub(crate) fn numbered(number: u32) -> Self {
        Self::BY_NUMBER[number as usize % (1 << KIND_BITS)]
    }

    #[inline(always)]
    fn is_one_of(self, kinds: u16) -> bool {
        kinds >> self as u32 & 1 != 0
    }

    /// The direction of a rate request or reply.
    #[inline(always)]
    pub(crate) fn rate_pass(self) -> Option<Pass> {
        let pass = match self.is_one_of(Self::FORWARD) {
            true => Pass::Forward,
            false => Pass::Reverse,
        };
        self.is_one_of(Self::RATES).then_some(pass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_numbers_of_their_own() {
        for kind in Kind::ALL {
            assert_eq!(Kind::numbered(*kind as u32), *kind);
            let pass = match kind {
                Kind::RateRequest => Some(Pass::Forward),
                Kind::RateReply => Some(Pass::Reverse),
                _ => None,
            };
            assert_eq!(kind.rate_pass(), pass);
        }
    }

    /// The data class has the packets with payload, and probes.
    #[test]
    fn data_have_payload() {
        assert_eq!(Kind::DATA, Kind::PAYLOAD | 1 << Kind::Probe as u32);
        assert_eq!(Kind::DATA, 0b1111);
    }

    #[test]
    fn traces_show_one_name_for_all_data() {
        let names = Kind::ALL
            .iter()
            .map(|kind| PacketKind::NAMES[kind.shown() as usize]);
        let expected = [
            "data",
            "data",
            "data",
            "probe",
            "ack",
            "nack",
            "cnp",
            "rate-reply",
            "pause",
            "resume",
            "trimmed",
            "rate-request",
            "pull",
            "credit-request",
        ];
        assert!(names.eq(expected));
        for kind in PacketKind::ALL {
            let has = |of: fn(PacketKind) -> bool| of(*kind);
            assert_eq!(
                has(PacketKind::goes_with_data),
                matches!(
                    kind,
                    PacketKind::Data
                        | PacketKind::RateRequest
                        | PacketKind::Trimmed
                        | PacketKind::CreditRequest
                        | PacketKind::Probe
                )
            );
            assert_eq!(
                has(PacketKind::is_pfc),
                matches!(kind, PacketKind::Pause | PacketKind::Resume)
            );
        }
    }
}
