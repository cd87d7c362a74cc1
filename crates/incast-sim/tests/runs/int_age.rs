//! The age of INT when it reaches its sender, worked out by hand.

use incast_sim::{IntAge, Results, Source};

use crate::support;

/// The results of two packets that cross a chain of three switches; the sender uses the first ACK.
/// Links have 100 Gb/s and 1.5 us.
fn results(algorithm: &str, measure: &str) -> Results {
    let text = format!(
        "[network]\ntopology = {{ kind = \"dumbbell\", senders = 1, switches = 3 }}\n\
         link_delay = \"1.5us\"\nlink_rate = \"100Gbps\"\nmodel.int_format = \"exact\"\n\
         [cc]\nalgorithm = \"{algorithm}\"\n\
         [[traffic]]\nkind = \"incast\"\nsenders = \"0\"\nreceiver = 1\nsizes = \"2000B\"\n\
         [measure]\n{measure}\n"
    );
    let source = Source::from_text("chain.toml", text);
    support::results_of(&source, &[])
}

fn ages(algorithm: &str) -> Vec<IntAge> {
    results(algorithm, "int_age = true").summary.int_age_ps
}

fn age(switch: u64, ps: u64) -> IntAge {
    IntAge {
        switches: 3,
        switch,
        count: 1,
        mean: ps as f64,
        min: ps,
        max: ps,
    }
}

/// Under HPCC data of 1090 B take 87.2 ns a link, and ACKs of 88 B 7.04 ns. From switch s the
/// packet has 4 − s links to go, and its ACK 4 links: (4 − s)·1587.2 + 4·1507.04 ns.
#[test]
fn int_on_data_is_as_old_as_the_rest_of_the_round_trip() {
    let expected = [age(1, 10_789_760), age(2, 9_202_560), age(3, 7_615_360)];
    assert_eq!(ages("hpcc"), expected);
}

/// Under FNCC an ACK of 90 B takes 7.2 ns a link. From switch s it has s links to go: s·1507.2 ns.
#[test]
fn int_on_acks_is_as_old_as_the_way_back_to_the_sender() {
    let expected = [age(1, 1_507_200), age(2, 3_014_400), age(3, 4_521_600)];
    assert_eq!(ages("fncc"), expected);
}

#[test]
fn measuring_changes_no_result() {
    for algorithm in ["hpcc", "fncc", "none"] {
        let measured = results(algorithm, "int_age = true");
        let plain = results(algorithm, "");
        assert_eq!(measured.summary.fingerprint, plain.summary.fingerprint);
        assert!(plain.summary.int_age_ps.is_empty());
    }
    assert!(ages("none").is_empty());
}
