use incast_units::{HostId, Rate};

use super::*;
use crate::traffic::{FlowsSpec, GivenFlow, PoissonSpec, TrafficSpec};
use crate::{Network, Published, Workload, no_files};

fn network(hosts: u32) -> Network {
    Network::uniform(hosts, Rate::from_gbps(100))
}

fn spec(text: &str) -> AttackSpec {
    toml::from_str(text).unwrap()
}

/// A flow of `size` bytes from host 0 to host 2 at 1 us.
fn given(size: u64) -> GivenFlow {
    GivenFlow {
        source: HostId(0).into(),
        destination: HostId(2).into(),
        size: Bytes::new(size),
        start: Time::from_us(1),
    }
}

fn attacked(flows: Vec<GivenFlow>, hosts: u32, attack: &str) -> Workload {
    let entries: [TrafficSpec; 1] = [FlowsSpec::new(flows).into()];
    let network = network(hosts);
    let workload = Workload::new(&entries, &network, &no_files()).unwrap();
    let tenants = [Some("storage".to_owned())];
    workload.under(&spec(attack), &tenants, &network).unwrap()
}

fn pieces_of(flows: Vec<GivenFlow>, hosts: u32, attack: &str) -> Vec<Piece> {
    let pieces = attacked(flows, hosts, attack).pieces(1).unwrap();
    pieces.map(Result::unwrap).collect()
}

/// Start in ns, destination, size, lane.
fn facts(pieces: &[Piece]) -> Vec<(u64, u32, u64, u16)> {
    let fact = |piece: &Piece| {
        let flow = piece.flow;
        let start = flow.start.as_ns();
        (start, flow.destination.0, flow.size.as_u64(), piece.lane)
    };
    pieces.iter().map(fact).collect()
}

/// §3.6.2: 1 MB is six pieces of 150 KB and one of 100 KB.
#[test]
fn a_parallel_megabyte_is_seven_pieces_at_once() {
    let attack = "kind = \"parallel\"\npiece = \"150KB\"\nattackers = { hosts = 0 }";
    let pieces = pieces_of(vec![given(1_000_000)], 4, attack);
    let mut expected: Vec<_> = (0..6).map(|lane| (1000, 2, 150_000, lane)).collect();
    expected.push((1000, 2, 100_000, 6));
    assert_eq!(facts(&pieces), expected);
    assert!(pieces.iter().all(|piece| piece.message == 0));
    assert_eq!(pieces[0].first_of.map(|(_, pieces)| pieces), Some(7));
    assert_eq!(pieces[1].first_of, None);
}

/// 10 B over 4 QPs: 3 + 3 + 2 + 2; 3 B are three pieces.
#[test]
fn equal_pieces_differ_by_a_byte() {
    let attack = "kind = \"parallel\"\nqps = 4\npiece = \"1KB\"\nattackers = { hosts = 0 }";
    let sizes = |size| {
        let pieces = pieces_of(vec![given(size)], 4, attack);
        facts(&pieces).iter().map(|fact| fact.2).collect::<Vec<_>>()
    };
    assert_eq!(sizes(10), [3, 3, 2, 2]);
    assert_eq!(sizes(3), [1, 1, 1]);
}

/// Piece i of 250 B starts i·13 us later; a message that starts between two pieces comes between
/// them.
#[test]
fn staggered_pieces_come_in_order_of_start() {
    let attack = "kind = \"staggered\"\npiece = \"100B\"\nspacing = \"13us\"\n\
                  attackers = { larger_than = \"200B\" }";
    let between = GivenFlow {
        start: Time::from_us(20),
        ..given(200)
    };
    let pieces = pieces_of(vec![given(250), between], 4, attack);
    let expected = [
        (1_000, 2, 100, 0),
        (14_000, 2, 100, 1),
        (20_000, 2, 200, 0),
        (27_000, 2, 50, 2),
    ];
    assert_eq!(facts(&pieces), expected);
    let roles: Vec<_> = pieces.iter().map(|piece| piece.role.name()).collect();
    assert_eq!(roles, ["attacker", "attacker", "victim", "attacker"]);
    let messages: Vec<_> = pieces.iter().map(|piece| piece.message).collect();
    assert_eq!(messages, [0, 0, 1, 0]);
}

fn expected(flows: Vec<GivenFlow>, attack: &str) -> f64 {
    attacked(flows, 4, attack).expected_flows(1).unwrap()
}

/// 250 B in pieces of 100 B are three flows; over 4 QPs they are four. A victim's 200 B are one
/// flow.
#[test]
fn pieces_are_counted_before_they_are_cut() {
    let both = || vec![given(250), given(200)];
    let of = |numbers: &str| {
        let attackers = "attackers = { larger_than = \"200B\" }";
        expected(both(), &format!("{numbers}\n{attackers}"))
    };
    assert_eq!(of("kind = \"none\"\npiece = \"100B\""), 2.0);
    assert_eq!(of("kind = \"parallel\"\npiece = \"100B\""), 4.0);
    assert_eq!(of("kind = \"parallel\"\nqps = 4"), 5.0);
    assert_eq!(
        of("kind = \"staggered\"\npiece = \"1B\"\nspacing = \"1ns\""),
        251.0
    );
    // A thousand million pieces are counted without making them.
    let billion = "kind = \"parallel\"\npiece = \"1B\"\nattackers = { hosts = 0 }";
    assert_eq!(expected(vec![given(1 << 30)], billion), (1 << 30) as f64);
}

/// 250 pieces are 63 batches: 62 of four pieces, and one of two. Of 64 pieces, each is a batch.
#[test]
fn batches_hold_all_pieces_in_order_of_start() {
    let attack = "kind = \"shuffled\"\npiece = \"100B\"\nspacing = \"10us\"\n\
                  attackers = { larger_than = \"0B\" }";
    let later = GivenFlow {
        start: Time::from_us(35),
        ..given(6_400)
    };
    let workload = attacked(vec![given(25_000), later], 5, attack);
    let batches: Vec<_> = workload
        .batches(1, 0)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(batches.is_sorted_by_key(|batch| batch.piece.flow.start));
    let counts = |message| -> Vec<u64> {
        let own = batches
            .iter()
            .filter(|batch| batch.piece.message == message);
        own.map(|batch| batch.count).collect()
    };
    assert_eq!(counts(0), [vec![4; 62], vec![2]].concat());
    assert_eq!(counts(1), [1; 64]);
    let whole = batches.iter().filter_map(|batch| batch.piece.first_of);
    assert_eq!(
        whole.map(|(_, pieces)| pieces).collect::<Vec<_>>(),
        [250, 64]
    );
    let piece = |batch: &Batch| (batch.piece.message == 1).then_some(batch.piece);
    let single: Vec<_> = batches.iter().filter_map(piece).collect();
    let exact = workload.pieces(1).unwrap().map(Result::unwrap);
    let exact: Vec<_> = exact.filter(|piece| piece.message == 1).collect();
    assert_eq!(single, exact);
    // Four rings, and batches of four pieces: representatives go to more than one host.
    let own = batches.iter().filter(|batch| batch.piece.message == 0);
    let hosts: std::collections::BTreeSet<_> =
        own.map(|batch| batch.piece.flow.destination).collect();
    assert_eq!(hosts.len(), 4);
}

/// Five hosts have four rings (N = 4: hub 4, then r, r + 3, r + 1, r + 2 mod 4). From 0 they lead
/// to 3, 2, 4 and 1. The message to 2 begins in ring 1; its fifth piece is in ring 1 again.
#[test]
fn shuffled_pieces_go_along_one_ring_after_the_other() {
    let attack = "kind = \"shuffled\"\npiece = \"100B\"\nspacing = \"10us\"\n\
                  attackers = { larger_than = \"0B\" }";
    let pieces = pieces_of(vec![given(500)], 5, attack);
    let rings = crate::Rings::new(5);
    let after: Vec<_> = (0..4).map(|ring| rings.after(ring, 0)).collect();
    assert_eq!(after, [3, 2, 4, 1]);
    let expected = [
        (1_000, 2, 100, 0),
        (11_000, 4, 100, 0),
        (21_000, 1, 100, 0),
        (31_000, 3, 100, 0),
        (41_000, 2, 100, 1),
    ];
    assert_eq!(facts(&pieces), expected);
}

#[test]
fn several_overlays_start_together() {
    let attack = "kind = \"shuffled\"\npiece = \"100B\"\nspacing = \"10us\"\noverlays = 2\n\
                  attackers = { hosts = \"0-2\" }";
    // Three hosts have two rings, which lead from 0 to 1 and 2. Lanes number the QPs to each.
    let pieces = pieces_of(vec![given(400)], 4, attack);
    let facts = facts(&pieces);
    let starts: Vec<_> = facts.iter().map(|fact| fact.0).collect();
    assert_eq!(starts, [1_000, 1_000, 11_000, 11_000]);
    let to: Vec<_> = facts.iter().map(|fact| (fact.1, fact.3)).collect();
    assert_eq!(to, [(2, 0), (1, 0), (2, 1), (1, 1)]);
}

/// Host 3 is not an attacker's: the first piece goes to host 3, the others go along the rings.
#[test]
fn a_message_to_others_is_shuffled_from_its_second_piece() {
    let attack = "kind = \"shuffled\"\npiece = \"100B\"\nspacing = \"10us\"\n\
                  attackers = { hosts = \"0-2\" }";
    let other = GivenFlow {
        destination: HostId(3).into(),
        ..given(300)
    };
    let pieces = pieces_of(vec![other], 4, attack);
    let mut to: Vec<_> = facts(&pieces).iter().map(|fact| fact.1).collect();
    assert_eq!(to.remove(0), 3);
    to.sort_unstable();
    assert_eq!(to, [1, 2]);
}

/// Under every attack the messages have the same flows, roles and bytes.
#[test]
fn attacks_neither_lose_nor_add_a_byte() {
    let network = network(16);
    let spec_of = |kind: &str| {
        spec(&format!(
            "kind = \"{kind}\"\npiece = \"50KB\"\nspacing = \"5us\"\nattackers = {{ share = 0.25 }}"
        ))
    };
    let run = |kind: &str| {
        let poisson = PoissonSpec::new(Published::WebSearch, 0.5, Time::from_ms(1));
        let workload = Workload::new(&[poisson.into()], &network, &no_files()).unwrap();
        let attacked = workload.under(&spec_of(kind), &[None], &network).unwrap();
        let mut messages = std::collections::BTreeMap::new();
        let mut latest = Time::ZERO;
        for piece in attacked.pieces(3).unwrap() {
            let piece = piece.unwrap();
            assert!(piece.flow.start >= latest);
            assert_ne!(piece.flow.source, piece.flow.destination);
            latest = piece.flow.start;
            let entry = messages
                .entry(piece.message)
                .or_insert((piece.role, Bytes::ZERO));
            entry.1 += piece.flow.size;
        }
        messages
    };
    let untouched = run("none");
    let attackers = untouched
        .values()
        .filter(|message| message.0 == Role::Attacker);
    assert!((1..untouched.len()).contains(&attackers.count()));
    for kind in ["parallel", "staggered", "shuffled"] {
        assert_eq!(run(kind), untouched, "{kind}");
    }
}

/// A quarter of 16 hosts are 4; another seed draws other hosts.
#[test]
fn the_seed_draws_the_attackers() {
    let share = AttackersSpec {
        share: Some(0.25),
        ..AttackersSpec::default()
    };
    let drawn = share.check(&network(16), &[]).unwrap();
    let hosts = |seed| drawn.draw(seed, 16);
    let attackers::CheckedAttackers::Hosts(first) = hosts(1) else {
        panic!("hosts are drawn");
    };
    assert_eq!(first.len(), 4);
    assert_eq!(hosts(1), hosts(1));
    assert_ne!(hosts(1), hosts(2));
}

#[test]
fn mistakes_are_told() {
    for (attack, message) in [
        (
            "attackers = {}",
            "attack.attackers: nothing says who attacks; give one of share = 0.1, \
             hosts = \"0-31\", larger_than = \"1MB\", tenant = \"name\"",
        ),
        (
            "attackers = { share = 0.1, hosts = 1 }",
            "attack.attackers: attackers are selected in several ways; give one of share = 0.1, \
             hosts = \"0-31\", larger_than = \"1MB\", tenant = \"name\"",
        ),
        (
            "attackers = { share = 1.5 }",
            "attack.attackers.share: 1.5 is no share of the hosts; \
             give a share above 0 and at most 1",
        ),
        (
            "attackers = { hosts = 9 }",
            "attack.attackers.hosts: host 9 does not exist; the network has hosts 0–5",
        ),
        (
            "attackers = { tenant = \"storag\" }",
            "attack.attackers.tenant: unknown tenant `storag`; did you mean `storage`? \
             (available: storage)",
        ),
        (
            "piece = \"0B\"\nattackers = { hosts = 1 }",
            "attack.piece: pieces of 0 bytes never make a message; \
             give at least 1 byte, e.g. `150KB`",
        ),
        (
            "qps = 0\nattackers = { hosts = 1 }",
            "attack.qps: over 0 QPs nothing is sent; give at least 1",
        ),
        (
            "overlays = 0\nattackers = { hosts = 1 }",
            "attack.overlays: along 0 rings nothing is sent; give at least 1",
        ),
        (
            "spacing = \"0us\"\nattackers = { hosts = 1 }",
            "attack.spacing: pieces that are 0 apart start together, as under the parallel \
             attack; give a time above 0, e.g. `13us`, or kind = \"parallel\"",
        ),
        (
            "attackers = { hosts = \"0-1\" }",
            "attack.attackers: the attackers own 2 of the hosts, which have no two rings; \
             let them own at least 3",
        ),
        (
            "overlays = 5\nattackers = { larger_than = \"1KB\" }",
            "attack.overlays: 6 hosts have 4 rings that share no pair; give at most 4",
        ),
    ] {
        let network = network(6);
        let entries: [TrafficSpec; 1] = [FlowsSpec::new(vec![given(1)]).into()];
        let workload = Workload::new(&entries, &network, &no_files()).unwrap();
        let tenants = [Some("storage".to_owned())];
        let attack = spec(&format!("kind = \"shuffled\"\n{attack}"));
        let error = workload.under(&attack, &tenants, &network).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn a_tenant_without_traffic_is_told_how_to_get_some() {
    let network = network(6);
    let entries: [TrafficSpec; 1] = [FlowsSpec::new(vec![given(1)]).into()];
    let workload = Workload::new(&entries, &network, &no_files()).unwrap();
    let attack = spec("kind = \"none\"\nattackers = { tenant = \"web\" }");
    let error = workload.under(&attack, &[None], &network).unwrap_err();
    assert_eq!(
        error.to_string(),
        "attack.attackers.tenant: no traffic has a tenant; \
         add tenant = \"web\" to the [[traffic]] entries that are theirs"
    );
}

#[test]
fn an_unknown_attack_is_answered_with_the_known_ones() {
    let wrong = "kind = \"stagered\"\nattackers = { hosts = 1 }";
    let error = toml::from_str::<AttackSpec>(wrong).unwrap_err().to_string();
    assert!(error.contains("unknown attack `stagered`"), "{error}");
}

/// A tenant's rings go over the hosts in its traffic: 0 and 2, which are too few.
#[test]
fn a_tenant_owns_the_hosts_of_its_traffic() {
    let network = network(6);
    let entries: [TrafficSpec; 1] = [FlowsSpec::new(vec![given(1)]).into()];
    let workload = Workload::new(&entries, &network, &no_files()).unwrap();
    let attack = spec("kind = \"shuffled\"\nattackers = { tenant = \"storage\" }");
    let tenants = [Some("storage".to_owned())];
    let error = workload.under(&attack, &tenants, &network).unwrap_err();
    assert!(error.to_string().contains("own 2 of the hosts"), "{error}");
}
