use serde::Deserialize;

use super::*;
use crate::files::NoFiles;
use crate::size_file::{CdfUnit, SizeFile};
use incast_random::{RandomStream, TrafficPurpose, TrafficStreams};

fn stream() -> RandomStream {
    TrafficStreams { seed: 1, tag: 0 }.of_host(0, TrafficPurpose::Size)
}

fn at(table: Published, fraction: f64) -> u64 {
    table.cdf().quantile(fraction).as_u64()
}

fn up_to(table: Published, size: u64) -> f64 {
    table.cdf().fraction_up_to(Bytes::new(size))
}

/// The first three are the means that the artifact's generator computes from the same tables.
#[test]
fn means() {
    for (table, mean) in [
        (Published::WebSearch, 1_711_250.0),
        (Published::FbHadoop, 120_420.75),
        (Published::AliStorage, 40_869.8),
        (Published::GoogleRpc, 2_932.305_477),
        (Published::RoccFb, 487.222_4),
        (Published::RoccHtl, 3_149_000.0),
        (Published::RoccVl2, 23_199_798.6),
    ] {
        let measured = table.cdf().mean_bytes();
        assert!(
            (measured / mean - 1.0).abs() < 1e-9,
            "{table:?}: {measured}"
        );
    }
}

/// Lines from 0 to 10 for half of the flows, and from 10 to 40 for the others:
/// 100/3 · 0.5 + (100 + 400 + 1600)/3 · 0.5 = 366 2/3. For a single size it is the square; for a
/// mix with equal weights, the mean of both parts.
#[test]
fn mean_squares() {
    let table = Cdf::new([(0.0, 0.0), (10.0, 50.0), (40.0, 100.0)]).unwrap();
    let table = FlowSizes::Table(Arc::new(table));
    assert!((table.mean_square_bytes() - 1100.0 / 3.0).abs() < 1e-9);
    let fixed = FlowSizes::Fixed(Bytes::new(20));
    assert_eq!(fixed.mean_square_bytes(), 400.0);
    let mix = FlowSizes::Mix(Arc::new(Mix::new(vec![(table, 1.0), (fixed, 1.0)])));
    assert!((mix.mean_square_bytes() - (1100.0 / 3.0 + 400.0) / 2.0).abs() < 1e-9);
}

/// Hadoop: 95 % of the flows below 300 KB, 2.5 % above 1 MB.
#[test]
fn hadoop_has_the_shares_that_are_claimed() {
    assert_eq!(up_to(Published::FbHadoop, 300_000), 0.95);
    assert!((1.0 - up_to(Published::FbHadoop, 1_000_000) - 0.025).abs() < 1e-12);
}

/// WebSearch: 30 % of the flows above 1 MB. AliStorage: 96 % below 128 KB (96.77), 97.5 % below
/// 256 KB (97.53), all below 2 MB.
#[test]
fn web_search_and_storage_have_the_shares_that_are_claimed() {
    assert!((1.0 - up_to(Published::WebSearch, 1_000_000) - 0.3).abs() < 1e-12);
    assert!((up_to(Published::AliStorage, 128_000) - 0.9677).abs() < 1e-12);
    assert!((up_to(Published::AliStorage, 256_000) - 0.9753).abs() < 1e-12);
    assert_eq!(up_to(Published::AliStorage, 2_000_000), 1.0);
}

/// WebSearch at 65 %: halfway from (200 000, 60) to (1 000 000, 70), 600 000.
/// Hadoop at 50 %: 700; at 17.5 %: halfway from 350 to 400, 375; at 0: 0, made 1;
/// at 0.5 %: 50; at 2.75 %: 200 + 100 · 0.75/3 = 225; at 12.4 %: 300 + 50 · 7.4/10 = 337;
/// at 16.3 %: 350 + 50 · 1.3/5 = 363.
#[test]
fn quantiles_by_hand() {
    assert_eq!(at(Published::WebSearch, 0.65), 600_000);
    for (fraction, size) in [
        (0.5, 700),
        (0.175, 375),
        (0.0, 1),
        (0.005, 50),
        (0.0275, 225),
        (0.124, 337),
        (0.163, 363),
    ] {
        assert_eq!(at(Published::FbHadoop, fraction), size, "{fraction}");
    }
    let just_below_one = 1.0 - f64::EPSILON / 2.0;
    assert_eq!(at(Published::WebSearch, just_below_one), 29_999_999);
}

/// RoCC's tables hold only the sizes listed: from 50 % to just below 75 % a flow has 250 B.
#[test]
fn steps_have_no_sizes_between() {
    for (fraction, size) in [
        (0.0, 75),
        (0.499, 75),
        (0.5, 250),
        (0.749, 250),
        (0.9995, 24_094),
    ] {
        assert_eq!(at(Published::RoccFb, fraction), size, "{fraction}");
    }
    assert_eq!(up_to(Published::RoccFb, 74), 0.0);
    assert_eq!(up_to(Published::RoccFb, 75), 0.5);
    assert_eq!(up_to(Published::RoccFb, 249), 0.5);
}

#[test]
fn quantile_and_fraction_are_inverse() {
    for table in Published::ALL {
        let cdf = table.cdf();
        for percent in 0..100 {
            let size = cdf.quantile(f64::from(percent) / 100.0);
            assert!(cdf.fraction_up_to(size + Bytes::new(1)) >= f64::from(percent) / 100.0 - 1e-12);
        }
    }
}

/// 20 000 draws of Hadoop: half of them up to 700 B, standard deviation √(0.25 · 20000) = 71;
/// five are 354.
#[test]
fn draws_follow_the_table() {
    let sizes = FlowSizes::Table(Published::FbHadoop.cdf().into());
    let mut stream = stream();
    let small = (0..20_000)
        .filter(|_| sizes.draw(&mut stream).as_u64() < 700)
        .count();
    assert!(small.abs_diff(10_000) < 354, "{small}");
}

fn mix() -> FlowSizes {
    FlowSizes::Mix(Arc::new(Mix::new(vec![
        (FlowSizes::Fixed(Bytes::new(100)), 3.0),
        (FlowSizes::Fixed(Bytes::new(900)), 1.0),
    ])))
}

/// (3 · 100 + 1 · 900)/4 = 300.
#[test]
fn a_mix_has_the_mean_of_its_parts() {
    assert_eq!(mix().mean_bytes(), 300.0);
}

/// A quarter of 20 000 draws is 5 000; standard deviation √(20000 · 3/16) = 61, five are 306.
#[test]
fn a_mix_draws_by_weight() {
    let (sizes, mut stream) = (mix(), stream());
    let large = (0..20_000)
        .filter(|_| sizes.draw(&mut stream).as_u64() == 900)
        .count();
    assert!(large.abs_diff(5_000) < 306, "{large}");
    let FlowSizes::Mix(mix) = mix() else { panic!() };
    assert!(matches!(mix.pick(0.7499), FlowSizes::Fixed(size) if size.as_u64() == 100));
    assert!(matches!(mix.pick(0.75), FlowSizes::Fixed(size) if size.as_u64() == 900));
}

#[derive(Debug, Deserialize, serde::Serialize)]
struct Entry {
    sizes: SizeSpec,
}

fn from_toml(sizes: &str) -> Result<SizeSpec, String> {
    toml::from_str(&format!("sizes = {sizes}"))
        .map(|entry: Entry| entry.sizes)
        .map_err(|error| error.message().to_owned())
}

/// Uniform from 1 to 10 KB.
fn ten_to_one() -> SizeSpec {
    let point = |kilobytes: u64, percent| CdfPoint(Bytes::new(1_000 * kilobytes), percent);
    SizeSpec::Cdf(vec![point(1, 0.0), point(10, 100.0)])
}

/// The median, 5500 B, which is also the mean.
#[test]
fn inline_points_are_a_table() {
    let sizes = ten_to_one().validate(&NoFiles).unwrap();
    assert_eq!(sizes.mean_bytes(), 5_500.0);
    let FlowSizes::Table(table) = sizes else {
        panic!("{sizes:?}");
    };
    assert_eq!(table.quantile(0.5), Bytes::new(5_500));
}

#[test]
fn all_forms_are_read_and_written() {
    let mix = SizeSpec::Mix(vec![
        MixPart {
            sizes: Published::WebSearch.into(),
            weight: 2.5,
        },
        MixPart {
            sizes: Bytes::new(50_000).into(),
            weight: 1.0,
        },
    ]);
    for (text, spec) in [
        ("\"1MB\"", Bytes::new(1_000_000).into()),
        ("\"fb-hadoop\"", Published::FbHadoop.into()),
        ("{ cdf = [[\"1KB\", 0], [\"10 KB\", 100]] }", ten_to_one()),
        ("{ file = \"a/b.txt\" }", SizeSpec::File("a/b.txt".into())),
        (
            "{ file = \"s.tcl\", unit = \"fraction\", size_unit = \"1460B\" }",
            SizeSpec::File(SizeFile {
                unit: Some(CdfUnit::Fraction),
                size_unit: Some(Bytes::new(1_460)),
                ..SizeFile::from("s.tcl")
            }),
        ),
        (
            "{ mix = [{ sizes = \"web-search\", weight = 2.5 }, { sizes = \"50KB\" }] }",
            mix,
        ),
    ] {
        assert_eq!(from_toml(text), Ok(spec.clone()));
        let written = toml::to_string(&Entry {
            sizes: spec.clone(),
        })
        .unwrap();
        assert_eq!(toml::from_str::<Entry>(&written).unwrap().sizes, spec);
    }
}

#[test]
fn every_published_name_is_read() {
    for table in Published::ALL {
        assert_eq!(
            from_toml(&format!("\"{}\"", table.name())),
            Ok(table.into())
        );
    }
}

#[test]
fn misspelt_forms_are_explained() {
    const AVAILABLE: &str = "available: ali-storage, fb-hadoop, google-rpc, rocc-fb, rocc-htl, \
                             rocc-vl2, web-search";
    const NOT_A_POINT: &str = "not a size and a percentage; write a point, e.g. [\"10KB\", 80]: \
                               80 % of the flows are up to 10 KB";
    const OR_ONE: &str = "; or write one size, e.g. `1MB`";
    for (text, message) in [
        (
            "\"fb-hadop\"",
            format!("unknown sizes `fb-hadop`; did you mean `fb-hadoop`? ({AVAILABLE}){OR_ONE}"),
        ),
        (
            "\"pareto\"",
            format!("unknown sizes `pareto`; {AVAILABLE}{OR_ONE}"),
        ),
        (
            "\"1000\"",
            "`1000` has no unit; write e.g. `1000KB`".to_owned(),
        ),
        ("1000", "`1000` has no unit; write e.g. `1000KB`".to_owned()),
        ("0.5", "`0.5` has no unit; write e.g. `0.5KB`".to_owned()),
        ("-1", "`-1` is negative; a size is zero or more".to_owned()),
        ("{}", "give one of `cdf`, `file` and `mix`".to_owned()),
        (
            "{ file = \"a\", mix = [] }",
            "give one of `cdf`, `file` and `mix`".to_owned(),
        ),
        (
            "{ mix = [], unit = \"fraction\" }",
            "`unit` and `size_unit` say how a file is read; give `file`, too".to_owned(),
        ),
        (
            "{ fil = \"a\" }",
            "unknown field `fil`, expected one of `cdf`, `file`, `mix`, `unit`, `size_unit`"
                .to_owned(),
        ),
        (
            "{ cdf = [[\"1KB\", 0], [\"10KB\"]] }",
            NOT_A_POINT.to_owned(),
        ),
        ("{ cdf = [[\"1KB\", 0, 7]] }", NOT_A_POINT.to_owned()),
        (
            "{ cdf = [[1000, 0]] }",
            "`1000` has no unit; write e.g. `1000KB`".to_owned(),
        ),
    ] {
        assert_eq!(from_toml(text), Err(message));
    }
}

fn invalid(spec: SizeSpec) -> String {
    spec.validate(&NoFiles).unwrap_err().to_string()
}

#[test]
fn impossible_sizes_are_refused() {
    let part = |sizes: SizeSpec, weight| SizeSpec::Mix(vec![MixPart { sizes, weight }]);
    let kilobyte = || SizeSpec::from(Bytes::new(1_000));
    let point = |size, percent| CdfPoint(Bytes::new(size), percent);
    for (spec, message) in [
        (
            Bytes::ZERO.into(),
            "sizes: a flow of 0 bytes never ends; give at least 1 byte",
        ),
        (
            Bytes::MAX.into(),
            "sizes: 18446744073709551615 bytes are more than a flow may have; \
             give at most 9223372036854775807 (2^63 - 1)",
        ),
        (
            SizeSpec::Cdf(vec![]),
            "sizes.cdf: no points; write some, from 0 to 100 %",
        ),
        (
            SizeSpec::Cdf(vec![point(1, 0.0), point(2, f64::NAN), point(3, 100.0)]),
            "sizes.cdf[1].percent: NaN is less than the 0 above it; sizes and percentages only \
             grow",
        ),
        (
            SizeSpec::Cdf(vec![point(1, 0.0), point(3, 50.0), point(2, 100.0)]),
            "sizes.cdf[2].bytes: 2 is less than the 3 above it; sizes and percentages only grow",
        ),
        (
            SizeSpec::Cdf(vec![point(1, 5.0), point(3, 100.0)]),
            "sizes.cdf[0].percent: the table begins at 5 %; let its first line end in 0",
        ),
        (
            SizeSpec::Cdf(vec![point(1, 0.0), point(3, 1.0)]),
            "sizes.cdf[1].percent: the table ends at 1 %; it must end at 100: are these \
             fractions? Multiply them by 100 (a file takes `unit = \"fraction\"`)",
        ),
        (
            SizeSpec::Mix(vec![]),
            "sizes.mix: an empty mix has no sizes; \
             give at least one part, e.g. { sizes = \"web-search\", weight = 1 }",
        ),
        (
            part(kilobyte(), 0.0),
            "sizes.mix[0].weight: a weight of 0 cannot be drawn by; give a number above 0",
        ),
        (
            part(kilobyte(), f64::INFINITY),
            "sizes.mix[0].weight: a weight of inf cannot be drawn by; give a number above 0",
        ),
        (
            part(Bytes::ZERO.into(), 1.0),
            "sizes.mix[0].sizes: a flow of 0 bytes never ends; give at least 1 byte",
        ),
        (
            part(part(kilobyte(), -1.0), 1.0),
            "sizes.mix[0].sizes.mix[0].weight: \
             a weight of -1 cannot be drawn by; give a number above 0",
        ),
    ] {
        assert_eq!(invalid(spec), message);
    }
}

#[test]
fn the_schema_lists_the_names() {
    let schema = schemars::schema_for!(SizeSpec).to_value();
    let names = Published::ALL.map(Published::name);
    assert_eq!(schema["anyOf"][0]["enum"], serde_json::json!(names));
}
