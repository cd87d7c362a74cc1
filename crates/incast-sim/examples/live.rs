//! A ping-pong between two hosts, in which each message starts when the previous one has arrived.

use std::error::Error;
use std::sync::Arc;

use incast_sim::{HaltAt, LiveNetwork, Source, Spec, Stand};
use incast_units::{Bytes, HostId, Time};
use incast_workload::GivenFlow;

const SCENARIO: &str = r#"
network = { topology = "star" }
cc = { algorithm = "hpcc" }
traffic = [{ kind = "live" }]
"#;

fn message(source: u32, destination: u32, start: Time) -> GivenFlow {
    GivenFlow {
        source: HostId(source).into(),
        destination: HostId(destination).into(),
        size: Bytes::new(64_000),
        start,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let spec = Spec::parse(&Source::from_text("live.toml", SCENARIO), &[])?.validate()?;
    let mut network = LiveNetwork::new(Arc::new(spec))?;
    network.start(&message(0, 1, Time::ZERO), None)?;
    let mut received = 0;
    while network.advance(None, HaltAt::FlowEnd, &mut ())? == Stand::FlowEnds {
        for end in network.take_ends() {
            if !end.is_acknowledged {
                received += 1;
                println!("message {} is there after {}", end.flow, end.time.rounded());
                if received < 4 {
                    let (source, destination) = (received % 2, (received + 1) % 2);
                    network.start(&message(source, destination, network.now()), None)?;
                }
            }
        }
    }
    println!("fingerprint {}", network.results()?.summary.fingerprint);
    Ok(())
}
