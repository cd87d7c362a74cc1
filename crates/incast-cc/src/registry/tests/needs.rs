//! What each algorithm needs from NICs and switches.

use std::collections::BTreeMap;

use incast_signals::EcnOptions;
use incast_signals::int::IntSource;

use super::*;
use crate::Serves;

/// Signals and programs are those of the heads of the files and of the parts. `ack:each` is an ACK
/// for every data packet, `marks` has its options in [`MARKS`].
///
/// The heads do not have what the NIC does: `sent` and `timers` are its calls of the algorithm,
/// `room` is a limit that it keeps, and `pending` reschedules the paced packet. The last word says
/// which flows may share a controller.
const NEEDS: &str = "
    dcqcn            marks ack:each sent timers any
    dcqcn paper      marks cnp:50us sent timers any
    dcqcn connectx   marks cnp:4us sent timers any
    dctcp            marks ack:each sent any
    dctcp artifact   marks ack:each any
    ecn-tcp          marks ack:each sent any
    fncc             int:acks pending path
    hpcc             int:data ack:each pending path
    hpcc++           int:data ack:each pending path
    lgc              marks sent timers any
    none             any
    nscc             marks ack:16384B timestamp received selective sent room flow
    nscc with credits  marks host:credits ack:16384B timestamp received selective sent room \
        losses flow
    powertcp         int:data ack:each pending path
    rccc             host:credits ack:16384B sent room losses flow
    rocc             switch:fair-rates timers pending path
    rocc with 1rc    switch:fair-rates switch:1rc host:rate-requests ack:each timers pending flow
    rocc with weights  switch:fair-rates host:rate-requests timers pending flow
    s-perc           switch:s-perc host:rate-requests pending flow
    s-perc with 1rc  switch:s-perc switch:1rc host:rate-requests ack:each pending flow
    swift            timestamp pending any
    theta-powertcp   timestamp ack:each pending path
    timely           timestamp path
";

/// When switches mark, by the authors of each algorithm: the whole options, as a scenario has them.
const MARKS: &str = r#"{
    "dcqcn": {
        "k_min": "400KB", "k_max": "1600KB", "p_max": 0.2, "reference_rate": "100Gbps",
        "at": "dequeue"
    },
    "dcqcn paper": {
        "k_min": "5KB", "k_max": "200KB", "p_max": 0.01, "reference_rate": "40Gbps",
        "at": "dequeue"
    },
    "dcqcn connectx": {
        "k_min": "400KB", "k_max": "1600KB", "p_max": 0.2, "reference_rate": "100Gbps",
        "at": "dequeue"
    },
    "dctcp": { "step": "300KB", "reference_rate": "100Gbps", "at": "dequeue" },
    "dctcp artifact": { "step": "300KB", "reference_rate": "100Gbps", "at": "dequeue" },
    "ecn-tcp": { "step": "300KB", "reference_rate": "100Gbps", "at": "dequeue" },
    "lgc": { "step": "1 packet", "at": "enqueue" },
    "nscc": { "k_min": "0.2 bdp", "k_max": "0.8 bdp", "p_max": 1.0, "at": "dequeue" },
    "nscc with credits": { "k_min": "0.2 bdp", "k_max": "0.8 bdp", "p_max": 1.0, "at": "dequeue" }
}"#;

fn in_words(needs: Needs) -> Vec<String> {
    // Without `..`, so that a new need wants a word.
    let Needs {
        ecn,
        int,
        programs,
        host_programs,
        timestamp,
        cnp,
        per_packet_ack,
        ack_every,
        received_bytes,
        selective_repeat,
        sent_packets,
        timers,
        sequence_limit,
        room,
        finds_losses,
        reschedules_pending,
        serves,
    } = needs;
    let mut words: Vec<String> = ecn.map(|_| "marks".to_owned()).into_iter().collect();
    words.extend(match int {
        IntSource::Off => None,
        IntSource::Data => Some("int:data".to_owned()),
        IntSource::Acks => Some("int:acks".to_owned()),
    });
    words.extend(programs.iter().map(|each| format!("switch:{}", each.name)));
    words.extend(
        host_programs
            .iter()
            .map(|each| format!("host:{}", each.name)),
    );
    words.extend(cnp.map(|least| format!("cnp:{least}")));
    words.extend(ack_every.map(|bytes| format!("ack:{}B", bytes.as_u64())));
    let flags = [
        (timestamp, "timestamp"),
        (per_packet_ack, "ack:each"),
        (received_bytes, "received"),
        (selective_repeat, "selective"),
        (sent_packets, "sent"),
        (timers, "timers"),
        (sequence_limit, "until"),
        (room, "room"),
        (finds_losses, "losses"),
        (reschedules_pending, "pending"),
    ];
    let given = flags.into_iter().filter(|(is_needed, _)| *is_needed);
    words.extend(given.map(|(_, word)| word.to_owned()));
    let serves = match serves {
        Serves::AnyFlows => "any",
        Serves::OnePath(_) => "path",
        Serves::OneFlow(_) => "flow",
    };
    words.push(serves.to_owned());
    words
}

/// The algorithms of [`NEEDS`], and their words.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = NEEDS.lines().filter(|row| !row.is_empty());
    rows.map(|row| row.trim().split_once("  ").expect("two columns"))
}

/// An algorithm that does not ask for a signal runs blind, and no error says so. The conformance
/// test refuses uses of the NIC that are not in the needs: timers, sequence limits, room, and
/// limits that change with a packet sent.
#[test]
fn needs_are_as_written() {
    for (algorithm, words) in rows() {
        let words: Vec<_> = words.split_whitespace().collect();
        assert_eq!(in_words(chosen(algorithm).needs()), words, "{algorithm}");
    }
    assert_every_algorithm_is_in(rows().map(|(algorithm, _)| algorithm));
}

#[test]
fn marks_are_those_of_the_authors() {
    let found: BTreeMap<_, _> = rows()
        .filter_map(|(algorithm, _)| Some((algorithm, chosen(algorithm).needs().ecn?.clone())))
        .collect();
    let expected: BTreeMap<&str, EcnOptions> = serde_json::from_str(MARKS).expect("options");
    assert_eq!(found, expected);
}
