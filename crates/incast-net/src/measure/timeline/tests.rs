//! Timelines, against hand-computed values and with random events.

use incast_units::Rate;
use proptest::prelude::*;

use super::*;
use crate::clock::Clock;

const NS: fn(u64) -> Time = Time::from_ns;
/// Bytes of a packet; its transmission takes 83,840 ps.
const WIRE: u16 = 1048;
const PACKET: u64 = 83_840;

/// A host at 100 Gb/s with one flow, which starts at 0.
struct Host {
    nic: NicLog,
    flow: Timeline,
    acked: u32,
    timeouts: u32,
}

impl Host {
    fn new(last: CompletedBy) -> Self {
        Self {
            nic: NicLog::new(Clock::Picoseconds, Rate::from_gbps(100)),
            flow: Timeline::new(Time::ZERO, last),
            acked: 0,
            timeouts: 0,
        }
    }

    fn send(&mut self, ns: u64, psn: u32) {
        self.nic.note_start(WIRE, NS(ns));
        let packet = DepartingPacket {
            psn,
            time: self.nic.time_of(WIRE),
            acked: self.acked,
            timeouts: self.timeouts,
        };
        self.flow.note_sent(NS(ns), packet, &self.nic);
    }

    fn note(&mut self, ns: u64, state: SendState, timeouts: u32) {
        self.timeouts = timeouts;
        self.flow.note(NS(ns), Keeper::new(state, false), &self.nic);
        self.flow.note_timeouts(NS(ns), timeouts);
    }

    /// Parts in ps, without those that are zero.
    fn parts(&self, answered: u64) -> Vec<(&'static str, u64)> {
        let told = self.flow.at_sender(NS(answered));
        assert_eq!(told.parts.iter().copied().sum::<Time>(), told.left);
        let named = SenderPart::NAMES
            .into_iter()
            .zip(told.parts.map(Time::as_ps));
        named.filter(|(_, time)| *time > 0).collect()
    }
}

/// The window opens after 1000 ns; pacing admits the third packet at 2000 ns. The NIC is paused
/// until 2500 ns, and an ACK leaves until 2600 ns.
#[test]
fn waits_are_told_apart() {
    let mut host = Host::new(CompletedBy::Sent);
    host.send(0, 0);
    host.note(0, SendState::Window, 0);
    host.note(1000, SendState::Ready, 0);
    host.send(1000, 1);
    host.note(1000, SendState::Pacing(NS(2000)), 0);
    host.nic.set_paused(true, NS(1900), false);
    host.nic.set_paused(false, NS(2500), false);
    host.nic.note_start(1250, NS(2500));
    host.flow.note_follower(NS(2500));
    host.send(2600, 2);
    let expected = [
        ("fct_sending_ps", 2 * PACKET),
        ("fct_full_window_ps", 1_000_000 - PACKET),
        ("fct_pacing_ps", 1_000_000 - PACKET),
        ("fct_nic_ps", 100_000),
        ("fct_nic_paused_ps", 500_000),
    ];
    assert_eq!(host.parts(0), expected);
}

/// Two packets leave at 0 and 100 ns, and none may follow. A timeout retransmits the first one at
/// 1000 ns. The flow may be completed by the answer to any of these transmissions.
#[test]
fn what_was_waited_for_is_known_when_a_packet_leaves_again() {
    let mut host = Host::new(CompletedBy::Answered { timed: false });
    host.send(0, 0);
    host.note(0, SendState::Pacing(NS(100)), 0);
    host.send(100, 1);
    host.note(100, SendState::SentAll, 0);
    host.note(1000, SendState::Ready, 1);
    host.send(1000, 0);
    host.note(1000, SendState::SentAll, 1);
    host.note(3000, SendState::SentAll, 1);
    let before = [
        ("fct_sending_ps", PACKET),
        ("fct_pacing_ps", 100_000 - PACKET),
    ];
    assert_eq!(host.parts(100), before);
    let all = [
        ("fct_sending_ps", 2 * PACKET),
        ("fct_pacing_ps", 100_000 - PACKET),
        ("fct_timeout_ps", 900_000 - PACKET),
    ];
    assert_eq!(host.parts(1000), all);
}

/// An event at a host, some ns after the one before.
#[derive(Copy, Clone, Debug)]
enum Event {
    Send,
    /// The next packet may leave this many ns later; `None`: the window is full.
    Note(Option<u64>),
    Ack,
    Other,
    Pause(bool),
}

fn events() -> impl Strategy<Value = Vec<(u64, Event)>> {
    let event = prop_oneof![
        4 => Just(Event::Send),
        2 => proptest::option::of(0..300_u64).prop_map(Event::Note),
        2 => Just(Event::Ack),
        1 => Just(Event::Other),
        1 => any::<bool>().prop_map(Event::Pause),
    ];
    proptest::collection::vec((84..400_u64, event), 1..300)
}

proptest! {
    /// If no packet is sent again, sums made at once equal sums of kept pieces.
    #[test]
    fn sums_are_those_of_pieces(events in events()) {
        let kept = CompletedBy::Answered { timed: false };
        let mut hosts = [CompletedBy::Sent, kept].map(Host::new);
        let (mut ns, mut psn) = (0, 0);
        for (gap, event) in events {
            ns += gap;
            for host in &mut hosts {
                match event {
                    Event::Send => host.send(ns, psn),
                    Event::Note(None) => host.note(ns, SendState::Window, 0),
                    Event::Note(Some(later)) => {
                        host.note(ns, SendState::Pacing(NS(ns + later)), 0);
                    }
                    Event::Ack => host.acked = psn.saturating_sub(1),
                    Event::Other => {
                        host.nic.note_start(WIRE, NS(ns));
                        host.flow.note_follower(NS(ns));
                    }
                    Event::Pause(paused) => host.nic.set_paused(paused, NS(ns), false),
                }
            }
            psn += u32::from(matches!(event, Event::Send));
        }
        ns += 400;
        for host in &mut hosts {
            host.send(ns, psn);
        }
        let [summed, kept] = hosts.map(|host| host.parts(ns));
        prop_assert_eq!(summed, kept);
    }
}
