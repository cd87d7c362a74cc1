//! Which data packet of a port leaves next.

use incast_net::PortArbitration;

use crate::support::{Network, Outcome, flow, star};

/// Host 0 sends three flows to host 2, host 1 sends one; without congestion control, 1 MB each.
fn outcome(arbitration: PortArbitration) -> Outcome {
    let mut network = Network::new(star(3));
    network.config.arbitration = arbitration;
    let mut flows = vec![flow(0, 1, 2, 1_000_000)];
    flows.extend((1..4).map(|id| flow(id, 0, 2, 1_000_000)));
    network.run(&flows, &network.uncontrolled())
}

/// Both hosts send at line rate, so with both orders each host gets half of the receiver's link: 2
/// MB take 168 us.
#[test]
fn hosts_that_send_alike_are_served_alike() {
    for arbitration in [PortArbitration::Fifo, PortArbitration::RoundRobin] {
        let fct = outcome(arbitration).fct(0).as_ps() as f64 / 1e6;
        assert!((fct - 172.0).abs() < 2.0, "{fct} us");
    }
}

/// Three hosts behind one link of the middle switch and a fourth host at that switch send to host 4
/// over one port. First come, first served gives each host a quarter. Turns of ingress ports give
/// half to the host that is alone on its port. 1 MB takes 168 us at 50 Gb/s, 335 us at a quarter of
/// 100 Gb/s.
#[test]
fn an_ingress_port_with_one_flow_gets_as_much_as_one_with_three() {
    use incast_topology::{Link, Topology};
    use incast_units::{NodeId, Rate, Time};
    let link = |a, b, gbps| {
        Link::new(
            NodeId(a),
            NodeId(b),
            Rate::from_gbps(gbps),
            Time::from_us(1),
        )
    };
    let links = vec![
        link(0, 5, 100),
        link(1, 5, 100),
        link(2, 5, 100),
        link(3, 6, 100),
        link(4, 6, 100),
        link(5, 6, 400),
    ];
    let fct = |arbitration: PortArbitration| {
        let mut network = Network::new(Topology::new("two switches", 5, 2, links.clone()));
        network.config.arbitration = arbitration;
        let flows: Vec<_> = (0..4).map(|host| flow(host, host, 4, 1_000_000)).collect();
        let outcome = network.run(&flows, &network.uncontrolled());
        outcome.fct(3).as_ps() as f64 / 1e6
    };
    let (fifo, turns) = (fct(PortArbitration::Fifo), fct(PortArbitration::RoundRobin));
    assert!((fifo - 337.0).abs() < 8.0, "{fifo} us");
    assert!((turns - 172.0).abs() < 4.0, "{turns} us");
}
