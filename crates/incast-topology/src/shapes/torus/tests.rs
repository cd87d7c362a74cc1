use incast_units::NodeId;

use super::super::path_count::{assert_size, diameter, paths, peers};
use super::*;

fn torus(dimensions: &[u32]) -> Torus {
    Torus {
        dimensions: dimensions.to_vec(),
        ..Torus::default()
    }
}

fn mesh(dimensions: &[u32]) -> Torus {
    Torus {
        wrap: false,
        ..torus(dimensions)
    }
}

/// 4 × 4 × 4: 64 + 3·64 links. A ring of 5: 5 + 5. 2 × 2 × 2 is a cube: 8 + 12, with or without
/// wrapping. 2 × 3: 6 + 3 + 6. A mesh of 4 × 3: 12 + 3·3 + 4·2.
#[test]
fn sizes_follow_the_formula() {
    let two_hosts = Torus {
        hosts_per_switch: 2,
        ..torus(&[3, 3])
    };
    for (network, hosts, switches, links) in [
        (Torus::default(), 64, 64, 256),
        (torus(&[5]), 5, 5, 10),
        (torus(&[2, 2, 2]), 8, 8, 20),
        (mesh(&[2, 2, 2]), 8, 8, 20),
        (torus(&[2, 3]), 6, 6, 15),
        (mesh(&[4, 3]), 12, 12, 29),
        (two_hosts, 18, 9, 36),
    ] {
        let built = network.build().unwrap();
        assert_size(network.size(), &built, [hosts, switches, links]);
    }
}

/// 4 × 3, hosts 0 to 11: switch 0 is node 12. It has links to switches 1 and 4, and to switches 3
/// and 8 around the rings. The mesh has no links around.
#[test]
fn lines_are_wired_as_drawn() {
    let closed = torus(&[4, 3]).build().unwrap();
    assert_eq!(peers(&closed, 12), [0, 13, 16, 15, 20]);
    assert_eq!(peers(&closed, 17), [5, 13, 16, 18, 21], "switch 5");
    let open = mesh(&[4, 3]).build().unwrap();
    assert_eq!(peers(&open, 12), [0, 13, 16]);
    assert_eq!(peers(&open, 23), [11, 19, 22], "switch 11");
    assert_eq!(open.label(NodeId(23)), "switch11");
    assert_eq!(
        [closed.name, open.name],
        ["torus of 4 × 3", "mesh of 4 × 3"]
    );
}

/// ⌊k/2⌋ for each ring: 2 + 2 + 2, 2 + 1, 1 + 1 + 1; k − 1 for each line of a mesh: 3 + 2.
#[test]
fn diameters_are_those_of_the_rings() {
    for (network, expected) in [
        (Torus::default(), 6),
        (torus(&[5, 3]), 3),
        (torus(&[2, 2, 2]), 3),
        (mesh(&[4, 3]), 5),
    ] {
        assert_eq!(diameter(&network.build().unwrap()), expected);
    }
}

/// Orders of steps: one step along each of two dimensions, 2; two along each, 4!/(2!·2!) = 6. To
/// the opposite switch of 4 × 4 × 4, number 2 + 4·2 + 16·2 = 42: 6!/(2!·2!·2!) = 90 orders, and 2
/// ways around in each of three rings, 720. Two links of each path are those of the hosts.
#[test]
fn paths_are_the_orders_of_steps() {
    let square = torus(&[5, 5]).build().unwrap();
    assert_eq!(paths(&square, 0, 1), (3, 1));
    assert_eq!(paths(&square, 0, 6), (4, 2));
    assert_eq!(paths(&square, 0, 12), (6, 6));
    assert_eq!(paths(&square, 0, 24), (4, 2), "around both edges");
    let cube = Torus::default().build().unwrap();
    assert_eq!(paths(&cube, 0, 42), (8, 720));
    assert_eq!(paths(&mesh(&[5, 5]).build().unwrap(), 0, 24), (10, 70));
}

#[test]
fn links_between_switches_may_have_a_rate_of_their_own() {
    let network = Torus {
        switch_rate: Some(Rate::from_gbps(400)),
        delay: Time::from_ns(500),
        ..Torus::default()
    };
    let links = network.build().unwrap().links;
    let [host, switch] = [63, 64].map(|link| links[link].rate.as_bps() / 1_000_000_000);
    assert_eq!([host, switch], [100, 400]);
    assert!(links.iter().all(|link| link.delay == Time::from_ns(500)));
}

#[test]
fn impossible_parameters_are_refused() {
    let message = |change: fn(&mut Torus)| {
        let mut network = Torus::default();
        change(&mut network);
        let wrong = network.build().unwrap_err();
        format!("{}; {}", wrong.what, wrong.hint)
    };
    for (found, expected) in [
        (
            message(|network| network.dimensions.clear()),
            "`dimensions` is empty; write e.g. [4, 4, 4]",
        ),
        (
            message(|network| network.dimensions = vec![4, 1]),
            "`dimensions` has a 1; write at least 2 for each, and leave out those of 1",
        ),
        (
            message(|network| network.dimensions = vec![0, 4]),
            "`dimensions` has a 0; write at least 2 for each, and leave out those of 1",
        ),
        (
            message(|network| network.dimensions = vec![u32::MAX; 9]),
            "18446744073709551615 nodes and ",
        ),
        (
            message(|network| network.hosts_per_switch = 0),
            "`hosts_per_switch` is 0",
        ),
        (
            message(|network| network.host_rate = Rate::ZERO),
            "`host_rate` is 0",
        ),
        (
            message(|network| network.switch_rate = Some(Rate::ZERO)),
            "`switch_rate` is 0",
        ),
        (
            message(|network| network.delay = Time::ZERO),
            "`delay` is 0",
        ),
    ] {
        assert!(found.starts_with(expected), "{found}");
    }
}
