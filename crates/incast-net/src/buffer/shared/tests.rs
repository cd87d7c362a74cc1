//! Egress accounting against hand-computed values.

use incast_units::Rate;

use super::*;
use crate::buffer::{PortBufferConfig, PortLimit};

/// With α = 1 and 10 000 B a queue of q bytes may grow while q + size ≤ 10 000 − used: alone, up to
/// half of the buffer.
#[test]
fn dropping_queues_share_dynamically() {
    let config = DropConfig::Shared {
        alpha: 1.0,
        queue_limit: Bytes::MAX,
    };
    let size = BufferConfig {
        size: Bytes::new(10_000),
        reserve: Bytes::ZERO,
    };
    let mut buffer = DropBuffer::new(&size, &config, []);
    let mut queue = 0;
    while buffer.admit(queue, 1000) == Admission::Stored {
        queue += 1000;
    }
    assert_eq!((queue, buffer.used()), (5000, 5000));
    buffer.release(1000);
    assert_eq!(buffer.admit(queue - 1000, 1000), Admission::Stored);
}

/// α = 1, a buffer of 6100 B and a limit of 3000 B. In a queue of 3000 B, a packet of 1000 B fits
/// in place of the last 1000 B, a packet of 1001 B does not. Then other queues hold 2000 B more.
/// Without the last 500 B 1600 B are free, less than the 2500 B that stay, so no packet fits. A
/// queue of 1000 B without its last 500 B leaves room for 1100 B.
#[test]
fn a_packet_fits_in_the_place_of_another() {
    let config = DropConfig::Shared {
        alpha: 1.0,
        queue_limit: Bytes::new(3_000),
    };
    let size = BufferConfig {
        size: Bytes::new(6_100),
        reserve: Bytes::ZERO,
    };
    let mut buffer = DropBuffer::new(&size, &config, []);
    buffer.charge(3_000);
    let fits = |buffer: &DropBuffer, last, size| buffer.has_room_in_place(3_000, last, size);
    assert!(fits(&buffer, 1_000, 1_000) && fits(&buffer, 500, 500));
    assert!(!fits(&buffer, 1_000, 1_001) && !fits(&buffer, 500, 501));
    buffer.charge(2_000);
    assert!(!fits(&buffer, 500, 1) && !buffer.has_room(3_000, 1));
    assert!(buffer.has_room_in_place(1_000, 500, 1_100));
    assert!(!buffer.has_room_in_place(1_000, 500, 1_101));
}

/// α = 1/2: a queue may take half of the free bytes. Of 10 000 B, a packet of 5000 B fits, 5001 B
/// do not.
#[test]
fn a_packet_must_fit_an_empty_buffer() {
    let size = BufferConfig {
        size: Bytes::new(10_000),
        reserve: Bytes::ZERO,
    };
    let wrong = |queue_limit, largest| {
        let config = DropConfig::Shared {
            alpha: 0.5,
            queue_limit: Bytes::new(queue_limit),
        };
        let checked = DropBuffer::check(&size, &config, Bytes::new(largest));
        checked.err().map(|wrong| wrong.to_string())
    };
    assert_eq!(wrong(10_000, 5_000), None);
    for (queue_limit, largest, expected) in [
        (
            10_000,
            5_001,
            "drop.alpha: a packet of 5001B never fits 0.5 of the buffer of 10KB; give a larger \
             share of the free buffer to a queue, or a larger buffer",
        ),
        (
            999,
            1_000,
            "drop.queue_limit: a packet of 1KB never fits a queue of at most 999B; give 1KB or \
             more",
        ),
        (
            999,
            10_001,
            "buffer.size: a packet of 10001B never fits a buffer of 10KB; give 10001B or more",
        ),
    ] {
        assert_eq!(wrong(queue_limit, largest).as_deref(), Some(expected));
    }
}

/// Each queue may have 3000 B. A packet of 1000 B finds room behind 2000 B, not behind 2001 B,
/// however many bytes wait in other queues.
#[test]
fn queues_with_buffers_of_their_own_share_nothing() {
    let none = BufferConfig {
        size: Bytes::ZERO,
        reserve: Bytes::ZERO,
    };
    let limit = PortLimit::Size(Bytes::new(3_000));
    let config = DropConfig::PerPort(PortBufferConfig::of(limit));
    let port = EgressFacts {
        rate: Rate::from_gbps(100),
        faces_host: false,
        full_packet: Bytes::new(1_000),
    };
    let mut buffer = DropBuffer::new(&none, &config, [port]);
    for others in 0..1_000 {
        assert_eq!(buffer.used(), others * 1_000);
        assert!(buffer.has_room(2_000, 1_000) && !buffer.has_room(2_001, 1_000));
        assert_eq!(buffer.admit(2_001, 1_000), Admission::Refused);
        assert_eq!(buffer.admit(2_000, 1_000), Admission::Stored);
    }
    let wrong = |largest| {
        let checked = DropBuffer::check(&none, &config, Bytes::new(largest));
        checked.err().map(|wrong| wrong.to_string())
    };
    assert_eq!(wrong(3_000), None);
    let expected = "drop.queue_limit: a packet of 3001B never fits a queue of at most 3KB; give \
                    3001B or more";
    assert_eq!(wrong(3_001).as_deref(), Some(expected));
}
