//! RoCC's reaction point through the trait, against hand-computed values. Line rate is 100 Gb/s. A
//! CNP takes effect 15 µs after its arrival. Without a CNP for 55 µs the rate doubles.

use super::*;

struct Flow(Box<dyn FlowController>);

impl Flow {
    fn new() -> Self {
        Self::with(&RoccConfig::default())
    }

    fn with(config: &RoccConfig) -> Self {
        let context = FlowContext {
            flow: <_>::default(),
            line_rate: Rate::from_gbps(100),
            base_rtt: Time::from_us(12),
            base_window: Bytes::new(150_000),
            mtu: Bytes::new(1_000),
            wire_mtu: Bytes::new(1_048),
            size: Bytes::new(1_000_000),
            trims: false,
            seed: 1,
        };
        Self(config.build(&context))
    }

    fn cnp(&mut self, us: u64, gbps: u64, congestion_point: u32) {
        let cnp = Cnp {
            rate: Some(Rate::from_gbps(gbps)),
            congestion_point: Some(congestion_point),
        };
        self.0.on_cnp(Time::from_us(us), &cnp);
    }

    /// Serves all timers up to `us` µs, each at its time.
    fn until(&mut self, us: u64) {
        while let Some(at) = self.0.next_timer().filter(|at| *at <= Time::from_us(us)) {
            self.0.on_timer(at);
        }
    }

    fn gbps(&self) -> f64 {
        self.0.limit().rate.as_bps() as f64 / 1e9
    }

    fn next_timer(&self) -> Option<u64> {
        self.0.next_timer().map(|at| at.as_ns() / 1_000)
    }
}

#[test]
fn a_flow_starts_without_limits() {
    let flow = Flow::new();
    assert_eq!(flow.gbps(), 100.0);
    assert_eq!(flow.0.limit().window, Bytes::MAX);
    assert_eq!(flow.next_timer(), None);
}

/// With `1rc` a BDP of 150 000 B leaves at line rate until the control packet is back. Its rate
/// counts at once, if a port asks for it and it is below line rate.
#[test]
fn speculation_is_limited_to_a_window() {
    for (gbps, point, expected) in [
        (30, Some(1), 30.0),
        (30, None, 100.0),
        (100, Some(1), 100.0),
    ] {
        let one_rtt = Some(OneRttConfig::default());
        let mut flow = Flow::with(&RoccConfig {
            one_rtt,
            ..RoccConfig::default()
        });
        assert_eq!(flow.0.start(), Start::Speculatively);
        assert_eq!(flow.0.limit().window, Bytes::new(150_000));
        let reply = ControlReply {
            rate: Rate::from_gbps(gbps),
            congestion_point: point,
        };
        flow.0.on_control(Time::from_us(12), &reply);
        assert_eq!((flow.gbps(), flow.0.limit().window), (expected, Bytes::MAX));
        // A limiter recovers 55 µs later; without one there is nothing to wait for.
        let timer = (expected < 100.0).then_some(67);
        assert_eq!(flow.next_timer(), timer);
    }
    assert_eq!(Flow::new().0.start(), Start::AtOnce);
}

/// The plotted value is whether a port limits the rate.
#[test]
fn probes_tell_a_limiter() {
    let mut flow = Flow::new();
    flow.cnp(0, 30, 1);
    flow.until(15);
    let mut values = Vec::new();
    flow.0.probe(&mut |name, value| values.push((name, value)));
    assert_eq!(values, [("limited", 1.0)]);
}

#[test]
fn a_rate_counts_after_the_delay() {
    let mut flow = Flow::new();
    flow.cnp(100, 30, 1);
    assert_eq!(flow.next_timer(), Some(115));
    flow.until(114);
    assert_eq!(flow.gbps(), 100.0);
    flow.until(115);
    assert_eq!((flow.gbps(), flow.next_timer()), (30.0, Some(170)));
}

#[test]
fn without_a_delay_a_rate_counts_at_once() {
    let mut flow = Flow::with(&RoccConfig {
        reaction_delay: Time::ZERO,
        ..RoccConfig::default()
    });
    flow.cnp(100, 30, 1);
    assert_eq!((flow.gbps(), flow.next_timer()), (30.0, Some(155)));
}

/// Rule (1): a lower rate counts from any congestion point, a higher rate only from the point that
/// set the current rate.
#[test]
fn the_lowest_rate_and_its_point_are_followed() {
    let mut flow = Flow::new();
    let mut told = |us, gbps, point| {
        flow.cnp(us, gbps, point);
        flow.until(us + 15);
        flow.gbps()
    };
    assert_eq!(told(0, 30, 1), 30.0);
    assert_eq!(told(16, 40, 2), 30.0, "another point asks for more");
    assert_eq!(told(32, 30, 2), 30.0, "or for the same, and is the one now");
    assert_eq!(told(48, 35, 1), 30.0);
    assert_eq!(told(64, 35, 2), 35.0);
    assert_eq!(told(80, 20, 1), 20.0);
}

/// CNPs that arrive within the delay take effect in order: at 15 and at 20 µs.
#[test]
fn cnps_wait_side_by_side() {
    let mut flow = Flow::new();
    flow.cnp(0, 50, 1);
    flow.cnp(5, 20, 1);
    flow.until(15);
    assert_eq!((flow.gbps(), flow.next_timer()), (50.0, Some(20)));
    flow.until(20);
    assert_eq!((flow.gbps(), flow.next_timer()), (20.0, Some(75)));
}

/// Rule (2): the limit is 30 Gb/s at 15 µs, 60 at 70 µs, 120 at 125 µs (line rate, 100, applies),
/// and none at 180 µs. A CNP that does not count does not restart the timer.
#[test]
fn without_cnps_the_rate_doubles_until_the_limit_goes() {
    let mut flow = Flow::new();
    flow.cnp(0, 30, 1);
    flow.until(69);
    flow.cnp(50, 90, 2);
    assert_eq!(flow.gbps(), 30.0);
    flow.until(70);
    assert_eq!(flow.gbps(), 60.0);
    flow.until(125);
    assert_eq!((flow.gbps(), flow.next_timer()), (100.0, Some(180)));
    flow.until(180);
    assert_eq!((flow.gbps(), flow.next_timer()), (100.0, None));
}

/// A limit equal to the line rate is not above it, so the limit doubles once more before it ends.
#[test]
fn a_limit_at_line_rate_takes_one_more_period_to_go() {
    let mut flow = Flow::new();
    flow.cnp(0, 100, 1);
    flow.until(70);
    assert_eq!(flow.next_timer(), Some(125));
    flow.until(125);
    assert_eq!(flow.next_timer(), None);
}

/// The CNP of a receiver has no rate.
#[test]
fn other_cnps_are_ignored() {
    let mut flow = Flow::new();
    flow.0.on_cnp(Time::ZERO, &Cnp::default());
    assert_eq!((flow.gbps(), flow.next_timer()), (100.0, None));
}

#[test]
fn recovery_must_not_come_before_the_next_cnp() {
    let config = RoccConfig {
        recovery_interval: Time::from_us(40),
        ..RoccConfig::default()
    };
    let diagnostic = config.check().unwrap_err();
    assert_eq!(diagnostic.place.key, "recovery_interval");
    assert_eq!(
        diagnostic.what,
        "flows would recover before the next CNP, 40us after the last"
    );
    assert_eq!(RoccConfig::default().check(), Ok(()));
    let config = RoccConfig {
        period: Some(Time::from_us(100)),
        ..RoccConfig::default()
    };
    assert_eq!(config.check().unwrap_err().place.key, "period");
}

#[test]
fn queues_rise_from_the_reference_to_the_largest() {
    let config = |reference: u64, largest: u64| RoccConfig {
        reference_queue: Some(Bytes::new(reference)),
        largest_queue: Some(Bytes::new(largest)),
        ..RoccConfig::default()
    };
    assert_eq!(config(300_000, 660_000).check(), Ok(()));
    let diagnostic = config(900_000, 1_000).check().unwrap_err();
    assert_eq!(diagnostic.place.key, "largest_queue");
    assert_eq!(diagnostic.what, "1KB is not above reference_queue, 900KB");
    assert_eq!(
        config(0, 1).check().unwrap_err().place.key,
        "reference_queue"
    );
}
