//! Curves and their options, worked by hand.

use super::*;

const RATES: [Rate; 2] = [Rate::from_gbps(100), Rate::from_gbps(400)];
const PACKET: Bytes = Bytes::new(1_048);

fn size(bytes: u64) -> Option<QueueThreshold> {
    Some(QueueThreshold::Size(Bytes::new(bytes)))
}

/// The curves of ports of 100 and 400 Gb/s: k_min and k_max in bytes, p_max.
fn curves(options: &EcnOptions) -> [(u64, u64, f64); 2] {
    options.check(&RATES, PACKET).unwrap();
    RATES.map(|rate| {
        let curve = options.curve(rate, PACKET).unwrap();
        (curve.k_min.as_u64(), curve.k_max.as_u64(), curve.p_max)
    })
}

/// k_min = 5 KB, k_max = 200 KB, p_max = 0.01: at 102.5 KB, half way, p = 0.01 · 97.5/195.
#[test]
fn the_probability_rises_between_the_thresholds() {
    let curve = EcnOptions::red(Bytes::new(5_000), Bytes::new(200_000), 0.01)
        .curve(RATES[0], PACKET)
        .unwrap();
    assert_eq!(curve.marking(Bytes::new(5_000)), Marking::Never);
    assert_eq!(curve.marking(Bytes::new(102_500)), Marking::With(0.005));
    assert_eq!(curve.marking(Bytes::new(200_000)), Marking::With(0.01));
    assert_eq!(curve.marking(Bytes::new(200_001)), Marking::Always);
}

#[test]
fn a_step_needs_no_random_number() {
    let curve = EcnCurve::step(Bytes::new(300_000));
    assert_eq!(curve.marking(Bytes::new(300_000)), Marking::Never);
    assert_eq!(curve.marking(Bytes::new(300_001)), Marking::Always);
}

/// 400 KB · 400/100 = 1600 KB; 1600 KB · 4 = 6400 KB.
#[test]
fn without_thresholds_they_follow_the_link_rate() {
    let options = EcnOptions::default().with_defaults(EcnOptions::HPCC_ARTIFACT);
    let expected = [(400_000, 1_600_000, 0.2), (1_600_000, 6_400_000, 0.2)];
    assert_eq!(curves(&options), expected);
    assert_eq!(options.reference_rate, Some(RATES[0]));
    let again = options.clone().with_defaults(EcnOptions::DCTCP);
    assert_eq!(again, options, "defaults are filled in once");
}

/// A step of 300 KB · 400/100 = 1200 KB.
#[test]
fn a_recommendation_may_be_a_step() {
    let options = EcnOptions::default().with_defaults(EcnOptions::DCTCP);
    let expected = [(300_000, 300_000, 1.0), (1_200_000, 1_200_000, 1.0)];
    assert_eq!(curves(&options), expected);
    assert_eq!(options.step, size(300_000));
}

#[test]
fn a_step_holds_for_every_port() {
    let options = EcnOptions {
        step: size(40_000),
        ..EcnOptions::default()
    };
    let options = options.with_defaults(EcnOptions::HPCC_ARTIFACT);
    assert_eq!(curves(&options), [(40_000, 40_000, 1.0); 2]);
}

#[test]
fn a_step_scales_with_a_reference() {
    let options = EcnOptions {
        step: size(300_000),
        reference_rate: Some(RATES[0]),
        ..EcnOptions::default()
    };
    let options = options.with_defaults(EcnOptions::HPCC_ARTIFACT);
    let expected = [(300_000, 300_000, 1.0), (1_200_000, 1_200_000, 1.0)];
    assert_eq!(curves(&options), expected);
}

/// 65 packets of 1048 B are 68 120 B, at every port.
#[test]
fn a_step_may_count_packets() {
    let options = EcnOptions::step(QueueThreshold::Packets(65), MarkingPoint::Dequeue);
    assert_eq!(curves(&options), [(68_120, 68_120, 1.0); 2]);
}

/// LGC's step is one packet at arrival. Options with a threshold of their own keep the default
/// marking point.
#[test]
fn the_marking_point_comes_with_the_recommended_threshold() {
    let options = EcnOptions::default().with_defaults(EcnOptions::ONE_PACKET);
    assert_eq!(curves(&options), [(1_048, 1_048, 1.0); 2]);
    assert_eq!(options.at, Some(MarkingPoint::Enqueue));
    let options = EcnOptions {
        step: size(40_000),
        ..EcnOptions::default()
    };
    let options = options.with_defaults(EcnOptions::ONE_PACKET);
    assert_eq!(options.at, Some(MarkingPoint::Dequeue));
}

/// Each link rate has its own curve. A rate without a curve is an error.
#[test]
fn curves_may_be_given_by_link_rate() {
    let entry = EcnPerRate {
        link_rate: RATES[0],
        k_min: QueueThreshold::Size(Bytes::new(1_000)),
        k_max: QueueThreshold::Packets(2),
        p_max: 0.5,
    };
    let options = EcnOptions {
        per_rate: Some(vec![entry]),
        ..EcnOptions::default()
    };
    assert_eq!(options.check(&RATES[..1], PACKET), Ok(()));
    let curve = options.curve(RATES[0], PACKET).unwrap();
    assert_eq!((curve.k_min.as_u64(), curve.k_max.as_u64()), (1_000, 2_096));
    let error = options.check(&RATES, PACKET).unwrap_err();
    assert_eq!(
        error.to_string(),
        "per_rate: there is no entry for links of 400Gbps; \
         add { link_rate = \"400Gbps\", k_min = …, k_max = …, p_max = … }"
    );
    assert_eq!(options.curve(RATES[1], PACKET), None);
}

fn entry(tier: &str) -> EcnPerTier {
    EcnPerTier {
        tier: tier.to_owned(),
        ..EcnPerTier::default()
    }
}

/// Three tiers with rules of their own, besides a scaled step of 100 KB at 100 Gb/s. Leaves have 40
/// KB at any rate. Spines have a step with its own reference rate: 80 KB · 400/50 = 640 KB. Cores
/// do not mark.
fn by_tier() -> EcnOptions {
    EcnOptions {
        at: Some(MarkingPoint::Enqueue),
        step: size(100_000),
        reference_rate: Some(RATES[0]),
        per_tier: vec![
            EcnPerTier {
                step: size(40_000),
                at: Some(MarkingPoint::Dequeue),
                ..entry("leaf")
            },
            EcnPerTier {
                step: size(80_000),
                reference_rate: Some(Rate::from_gbps(50)),
                ..entry("spine")
            },
            EcnPerTier {
                marking: Some(EcnOff::Off),
                ..entry("core")
            },
        ],
        ..EcnOptions::default()
    }
}

/// Step and marking point of a 400 Gb/s port at a switch of this tier.
fn step_at(tier: Option<&str>) -> Option<(u64, MarkingPoint)> {
    let options = by_tier();
    let own = options.of_tier(tier)?;
    let curve = own.curve(RATES[1], PACKET).unwrap();
    assert_eq!(curve, EcnCurve::step(curve.k_min));
    Some((curve.k_min.as_u64(), own.marking_point()))
}

#[test]
fn a_tier_has_its_own_rule_and_others_that_of_the_section() {
    assert_eq!(step_at(Some("leaf")), Some((40_000, MarkingPoint::Dequeue)));
    assert_eq!(
        step_at(Some("spine")),
        Some((640_000, MarkingPoint::Enqueue)),
        "without `at`, that of the section"
    );
    assert_eq!(step_at(Some("core")), None);
    for other in [Some("tor"), Some("leafs"), None] {
        assert_eq!(step_at(other), Some((400_000, MarkingPoint::Enqueue)));
    }
}

/// With LGC, tiers without a rule keep LGC's threshold and marking point.
#[test]
fn a_rule_for_one_tier_leaves_the_others_what_is_recommended() {
    let options = EcnOptions {
        per_tier: by_tier().per_tier,
        ..EcnOptions::default()
    };
    let completed = options.with_defaults(EcnOptions::ONE_PACKET);
    let expected = EcnOptions {
        per_tier: by_tier().per_tier,
        ..EcnOptions::ONE_PACKET.clone()
    };
    assert_eq!(completed, expected);
    assert_eq!(completed.clone().with_defaults(EcnOptions::DCTCP), expected);
}

#[test]
fn tiers_have_to_be_those_of_the_network() {
    let check = |tiers: &[Option<&str>]| {
        let checked = by_tier().check_tiers(tiers, PACKET);
        checked.map_err(|wrong| wrong.to_string())
    };
    assert_eq!(
        check(&[None, Some("core"), Some("leaf"), Some("spine")]),
        Ok(())
    );
    assert_eq!(
        check(&[Some("core"), Some("lead"), Some("spine")]).unwrap_err(),
        "per_tier[0].tier: this network has no tier `leaf`; did you mean `lead`? \
         (available: core, lead, spine)"
    );
    assert_eq!(
        check(&[None]).unwrap_err(),
        "per_tier[0].tier: the switches of this topology have no names, which would tell their \
         tier; write it as a file of format = \"graph\", with switches leaf0, leaf1, spine0 …"
    );
    let many: Vec<_> = (0..17).map(|number| format!("row{number}x")).collect();
    let many: Vec<_> = many.iter().map(|name| Some(name.as_str())).collect();
    assert_eq!(
        check(&many).unwrap_err(),
        "per_tier[0].tier: this network has no tier `leaf`; write one of its 17 tiers, e.g. `row0x`"
    );
}

/// A tier without a rule marks, and so do switches without a tier.
#[test]
fn marking_that_is_off_everywhere_is_a_mistake() {
    let options = EcnOptions {
        per_tier: by_tier().per_tier.split_off(2),
        ..by_tier()
    };
    let check = |tiers: &[Option<&str>]| options.check_tiers(tiers, PACKET);
    assert_eq!(check(&[Some("core"), Some("tor")]), Ok(()));
    assert_eq!(check(&[None, Some("core")]), Ok(()));
    assert_eq!(
        check(&[Some("core")]).unwrap_err().to_string(),
        "per_tier: marking is off in every tier of this network; \
         write network.ecn = \"off\", or give a tier thresholds"
    );
}

/// Ports between switches mark whatever `last_hop` says; so do ports in tiers with rules of their
/// own.
#[test]
fn the_last_hop_may_go_without_marks() {
    for (last_hop, marks) in [(None, true), (Some(true), true), (Some(false), false)] {
        let options = EcnOptions {
            last_hop,
            per_tier: vec![EcnPerTier {
                tier: "tor".to_owned(),
                step: Some(QueueThreshold::Packets(3)),
                ..EcnPerTier::default()
            }],
            ..EcnOptions::default()
        };
        for tier in [None, Some("tor")] {
            let of_tier = options.of_tier(tier).expect("it marks");
            assert_eq!(
                (of_tier.marks_at(true), of_tier.marks_at(false)),
                (marks, true)
            );
        }
    }
}
