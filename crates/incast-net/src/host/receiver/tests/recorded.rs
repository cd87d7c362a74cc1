//! Recordings of uet-htsim (commit 40ccb05): each packet of one flow that a receiver got, and its
//! ACK, if any. The sign `e` stands for a mark, `a` for an ACK request.

use super::*;

/// The receiver's answer: expected packet, received bytes, and the bitmap if it is not empty.
type Recorded = Option<(u32, u64, Option<(u32, u64)>)>;

/// Packets of 4150 B, of which 64 are headers; an ACK for 16,384 B.
fn receiver() -> (ReceiveSide, Arc<Shared>) {
    let mut config = NetworkConfig {
        acks: AckPolicy::Bytes(Bytes::new(16_384)),
        ..NetworkConfig::standard(FlowControl::Drop(DropConfig::Shared {
            alpha: 1.0,
            queue_limit: Bytes::new(100_000),
        }))
    };
    config.recovery.kind = RecoveryKind::Selective;
    config.recovery.loss_detection = Explicit {}.into();
    config.packets.mtu = Bytes::new(4_086);
    config.packets.data_header = Bytes::new(64);
    let words = WantedWords {
        longest_path: 1,
        programs: PacketParts::default(),
    };
    let needs = incast_cc::Needs {
        received_bytes: true,
        ..Default::default()
    };
    let measure = MeasureConfig::default();
    let shared = Shared::new(config, &measure, Vec::new(), 2, None, words, &needs);
    let shared = Arc::new(shared.expect("sizes fit"));
    (ReceiveSide::new(&shared), shared)
}

/// Parses a line into a packet and the recorded answer. The last packet of a flow is the short one.
fn parse(line: &str) -> (Packet<5>, Recorded) {
    let cells: Vec<_> = line.split(',').collect();
    let number = |cell: usize| cells[cell].parse::<u32>().expect("a number");
    let kind = match (number(1) < 4150, cells[2].contains('a')) {
        (true, _) => Kind::LastData,
        (false, true) => Kind::DataWithAckRequest,
        (false, false) => Kind::Data,
    };
    let packet = Packet::new(kind, number(1) as u16);
    let address = crate::wire::Address::new(0, 1, 7);
    let mut packet: Packet<5> = packet.of_flow(0, number(0), address);
    if cells[2].contains('e') {
        packet.mark();
    }
    let answer = (cells.len() > 3).then(|| {
        let bits = u64::from_str_radix(cells[5], 16).expect("a bitmap");
        let sack = (bits > 0).then(|| (number(4), bits));
        (number(3), number(6).into(), sack)
    });
    (packet, answer)
}

fn answer_of(receiver: &mut ReceiveSide, packet: &Packet<5>, recorder: &mut Recorder) -> Recorded {
    let mut answer = *packet;
    let due = receiver.on_data(packet, US(1), recorder)?;
    receiver.answer(&mut answer, due);
    receiver.name_early(&mut answer, packet.psn());
    let sack = answer.early_packets().filter(|sack| sack.1 > 0);
    Some((answer.psn(), answer.received_bytes(), sack))
}

/// Three recordings. The first is a flow of a permutation. In the second, packets overtake each
/// other by more than 64, and some are trimmed; headers are left out here. In the third, a flow
/// gets eight packets twice.
#[test]
fn recorded_acks_are_met() {
    macro_rules! traces {
        ($($name:literal)*) => { [$(include_str!(concat!("traces/", $name, ".csv"))),*] };
    }
    let mut acks = Vec::new();
    for trace in traces!(
        "perm16_100g_nscc" "slow_core_400g_nscc" "11to1_100g_nscc_disable_trim_sleek"
    ) {
        let (mut receiver, _) = receiver();
        let numbers = trace.lines().skip(1).map(|line| parse(line).0.psn());
        let packets = numbers.max().expect("a packet") + 1;
        let mut recorder = Recorder::new(MeasureConfig::default());
        let mut count = 0;
        for line in trace.lines().skip(1) {
            let (packet, mut recorded) = parse(line);
            let answer = answer_of(&mut receiver, &packet, &mut recorder);
            // The state of a complete flow is dropped, so the received bytes are not reported
            // any more.
            if let Some(last) = recorded.as_mut().filter(|found| found.0 == packets) {
                last.1 = 0;
            }
            assert_eq!(answer, recorded, "{line}");
            count += usize::from(answer.is_some());
        }
        acks.push(count);
    }
    assert_eq!(acks, [213, 291, 353]);
}
