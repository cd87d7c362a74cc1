//! Writer and reader against hand-computed values, and against each other.

use incast_units::Time;

use super::*;

fn read(format: IntFormat, records: [IntRecord; 2]) -> (f64, f64, u64, f64) {
    fn of(reader: impl RecordReader, old: &[u64], new: &[u64]) -> (f64, f64, u64, f64) {
        let elapsed = reader.ns(reader.elapsed(new, old));
        let sent = reader.sent_bits(new, old);
        (elapsed, sent, reader.queue(new), reader.link_bps(new))
    }
    let layout = IntLayout::new(format, vec![Rate::from_gbps(40), Rate::from_gbps(100)]);
    let layout = layout.unwrap();
    let words = layout.pack(&records);
    let telemetry = Telemetry::new(&words, &layout);
    assert_eq!(telemetry.records(), records);
    let (old, new) = words.split_at(layout.format().words_per_hop());
    match telemetry.reader() {
        Records::Quantised(reader) => of(reader, old, new),
        Records::Exact(reader) => of(reader, old, new),
    }
}

fn record(clock: u64, sent: u64, queue: u64) -> IntRecord {
    IntRecord {
        clock,
        sent,
        queue: Bytes::new(queue),
        rate: Rate::from_gbps(100),
    }
}

/// 24-bit clock: from 2^24 − 10 to 77 is 87 ns. 20-bit counter in units of 4·128 B: from 2^20 − 1
/// to 1 is 2 units, 1024 B or 8192 bits. The queue is 15 units of 320 B.
#[test]
fn differences_survive_the_wrap() {
    let (old, new) = (
        record((1 << 24) - 10, (1 << 20) - 1, 0),
        record(77, 1, 4_800),
    );
    let found = read(IntFormat::quantised(4, 17), [old, new]);
    assert_eq!(found, (87.0, 8_192.0, 4_800, 1e11));
}

/// Exact records keep 87 200 ps, 1090 B, and a queue longer than 24 bits.
#[test]
fn exact_records_keep_every_bit() {
    let (old, new) = (
        record(1_000_000, 5_000, 1),
        record(1_087_200, 6_090, 33_554_431),
    );
    let found = read(IntFormat::Exact, [old, new]);
    assert_eq!(found, (87.2, 8_720.0, 33_554_431, 1e11));
}

/// Rates are read correctly with a long queue, and with none.
#[test]
fn rates_are_found_beside_any_queue() {
    for (queue_bits, codes) in [(8, 256), (12, 256), (13, 128), (17, 8), (20, 1)] {
        let format = IntFormat::quantised(1, queue_bits);
        assert_eq!(format.rate_codes(), codes, "{queue_bits}");
        let rates: Vec<Rate> = (1..=codes as u64).map(Rate::from_gbps).collect();
        let layout = IntLayout::new(format, rates.clone()).unwrap();
        let longest = Bytes::new(mask(queue_bits) * 80);
        for (rate, queue) in rates.iter().flat_map(|&rate| [(rate, 0), (rate, 1 << 30)]) {
            let record = IntRecord {
                rate,
                ..record(5, 7, queue)
            };
            let words = layout.pack(&[record]);
            let telemetry = Telemetry::new(&words, &layout);
            let Records::Quantised(reader) = telemetry.reader() else {
                panic!("they are quantised");
            };
            assert_eq!(reader.link_bps(&words), rate.as_bps() as f64);
            assert_eq!(reader.has_queue(&words), queue > 0);
            let queue = Bytes::new(queue).min(longest);
            assert_eq!(telemetry.records(), [IntRecord { queue, ..record }]);
        }
    }
}

/// 16 bits of queue leave 4 bits for the rate code.
#[test]
fn rates_that_cannot_be_told_apart_are_refused() {
    let rates = |count| (1..=count).map(Rate::from_gbps).collect();
    let quantised = IntFormat::quantised(1, 16);
    assert!(IntLayout::new(quantised, rates(16)).is_some());
    assert!(IntLayout::new(quantised, rates(17)).is_none());
    assert!(IntLayout::new(IntFormat::Exact, rates(256)).is_some());
}

fn written_and_read(format: IntFormat, now: Time, sent: u64, queue: u64) -> IntRecord {
    let rates = vec![Rate::from_gbps(100), Rate::from_gbps(400)];
    let layout = IntLayout::new(format, rates).unwrap();
    let mut words = [0; 13];
    let rate = layout.rate_code(Rate::from_gbps(400));
    let port = PortSnapshot {
        now,
        sent,
        queue,
        rate,
    };
    assert!(IntWriter::new(&layout, 13).write(&mut words, 2, &port));
    Telemetry::new(&words, &layout).records()[2]
}

/// Multiplier 4: units of 512 B and 320 B. 10 000 B sent are 19 units. A queue of 5000 B is 15
/// units, 4800 B. The clock at 20 ms is 20 000 000 − 16 777 216 = 3 222 784 ns modulo 2^24.
#[test]
fn quantised_fields_round_down_and_wrap() {
    let record = written_and_read(
        IntFormat::quantised(4, 17),
        Time::from_ms(20),
        10_000,
        5_000,
    );
    assert_eq!((record.clock, record.sent), (3_222_784, 19));
    assert_eq!(
        (record.queue, record.rate),
        (Bytes::new(4_800), Rate::from_gbps(400))
    );
}

/// 16 bits of 80 B hold 5.24 MB. A longer queue reads as this maximum, not as a short queue.
#[test]
fn a_long_queue_saturates() {
    let record = written_and_read(IntFormat::quantised(1, 16), Time::ZERO, 0, 6_000_000);
    assert_eq!(record.queue, Bytes::new(65_535 * 80));
}

#[test]
fn exact_fields_keep_every_bit() {
    let now = Time::from_ps(1_234_567_890_123 % (1 << 40));
    let record = written_and_read(IntFormat::Exact, now, 987_654_321_987, 33_554_431);
    assert_eq!((record.clock, record.sent), (now.as_ps(), 987_654_321_987));
    assert_eq!(
        (record.queue, record.rate),
        (Bytes::new(33_554_431), Rate::from_gbps(400))
    );
}
