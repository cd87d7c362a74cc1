//! Egress accounting, worked by hand.

use super::*;

/// α = 1, 10 000 B: a queue of q may grow while q + size ≤ 10 000 − used: alone, up to half.
#[test]
fn dropping_queues_share_dynamically() {
    let config = DropConfig {
        alpha: 1.0,
        queue_limit: Bytes::MAX,
    };
    let size = BufferConfig {
        size: Bytes::new(10_000),
        reserve: Bytes::ZERO,
    };
    let mut buffer = DropBuffer::new(NodeId(0), &size, &config, Bytes::new(1000)).unwrap();
    let mut queue = 0;
    while buffer.admit(queue, 1000) {
        queue += 1000;
    }
    assert_eq!((queue, buffer.used()), (5000, 5000));
    buffer.release(1000);
    assert!(buffer.admit(queue - 1000, 1000));
}

/// A queue may take half of what is free: of 10 000 B, a packet of 5000 B fits, 5001 B do not.
#[test]
fn a_packet_must_fit_an_empty_buffer() {
    let config = DropConfig {
        alpha: 0.5,
        queue_limit: Bytes::MAX,
    };
    let size = BufferConfig {
        size: Bytes::new(10_000),
        reserve: Bytes::ZERO,
    };
    let buffer = |largest| DropBuffer::new(NodeId(3), &size, &config, Bytes::new(largest));
    assert!(buffer(5_000).is_ok());
    assert_eq!(
        buffer(5_001)
            .err()
            .map(|wrong| wrong.to_string())
            .as_deref(),
        Some(
            "buffer.size: a packet of 5001B never fits the buffer of 10KB of switch 3; give a \
             larger buffer, a longer queue limit, or a larger share of the free buffer to a queue"
        )
    );
}
