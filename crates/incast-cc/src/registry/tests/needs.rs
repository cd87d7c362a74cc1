//! What each algorithm needs from NICs and switches.

use incast_signals::EcnOptions;
use incast_signals::int::IntSource;

use super::*;
use crate::Serves;

/// By the heads of the files. `ack:each` is an ACK for every data packet, `marks` has thresholds of
/// marking, `sent` and `timers` are calls of the NIC, `pending` reschedules the paced packet.
///
/// The last word says which flows may share a controller.
const NEEDS: &str = "
    dcqcn            marks:400KB-1.6MB ack:each sent timers any
    dcqcn paper      marks:5KB-200KB cnp:50us sent timers any
    dcqcn connectx   marks:400KB-1.6MB cnp:4us sent timers any
    dctcp            marks:300KB ack:each sent any
    dctcp artifact   marks:300KB ack:each any
    ecn-tcp          marks:300KB ack:each sent any
    fncc             int:acks pending path
    hpcc             int:data ack:each pending path
    hpcc++           int:data ack:each pending path
    lgc              marks:1packet sent timers any
    none             any
    nscc             marks:0.2bdp-0.8bdp ack:16384B timestamp received selective sent room flow
    nscc with credits  marks:0.2bdp-0.8bdp host:credits ack:16384B timestamp received \
        selective sent room losses flow
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

fn thresholds(ecn: &EcnOptions) -> String {
    let text = match (ecn.step, ecn.k_min, ecn.k_max) {
        (Some(step), None, None) => format!("marks:{step}"),
        (None, Some(low), Some(high)) => format!("marks:{low}-{high}"),
        _ => panic!("neither a step nor a curve"),
    };
    text.replace(' ', "")
}

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
    let mut words: Vec<String> = ecn.map(thresholds).into_iter().collect();
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

/// A missing need makes an algorithm run blind, and no error says so.
#[test]
fn needs_are_those_of_the_heads() {
    let mut named = Vec::new();
    for row in NEEDS.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let (algorithm, words) = row.split_once("  ").expect("two columns");
        let words: Vec<_> = words.split_whitespace().collect();
        assert_eq!(in_words(chosen(algorithm).needs()), words, "{algorithm}");
        named.push(algorithm);
    }
    for built_in in AlgorithmConfig::built_in() {
        assert!(
            named.contains(&built_in.name),
            "{} has no row",
            built_in.name
        );
    }
}
