use super::super::TrafficSpec;
use super::super::tests::from_toml;
use super::*;
use crate::files::FlowFormat;
use crate::start_unit::StartUnit;
use crate::strictness::{FlowCount, Strictness};

#[test]
fn settings_are_read() {
    let text = "kind = \"file\"\nfile = \"a/flow.txt\"\nformat = \"hpcc-ns3\"\nbase = \"2s\"\n\
                ns3_clock = true\ncount = \"ignore\"\npriorities = \"check\"\n";
    let spec = FileSpec {
        base: Time::from_ms(2_000),
        ns3_clock: Some(true),
        count: Some(FlowCount::Ignore),
        priorities: Some(Strictness::Check),
        ..FileSpec::new("a/flow.txt", FlowFormat::HpccNs3)
    };
    assert_eq!(from_toml(text), Ok(spec.clone().into()));
    let written = toml::to_string(&TrafficSpec::from(spec.clone())).unwrap();
    assert_eq!(from_toml(&written), Ok(spec.into()));
    let unit = "kind = \"file\"\nfile = \"t.cm\"\nformat = \"htsim\"\nstart_unit = \"us\"";
    let spec = FileSpec {
        start_unit: Some(StartUnit::Us),
        ..FileSpec::new("t.cm", FlowFormat::Htsim)
    };
    assert_eq!(from_toml(unit), Ok(spec.into()));
    for format in [
        FlowFormat::HpccNs3,
        FlowFormat::Htsim,
        FlowFormat::Csv,
        FlowFormat::Parquet,
    ] {
        assert_eq!(serde_json::to_value(format).unwrap(), format.name());
    }
}
