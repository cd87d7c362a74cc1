//! Messages about marking by tier that is not possible.

use super::*;

/// The message for the star, whose only switch has the tier `switch`.
fn refused(ecn: &str) -> String {
    message("[cc]", &format!("[network.ecn]\n{ecn}\n[cc]"))
}

#[test]
fn entries_that_cannot_be() {
    for (entries, expected) in [
        (
            "{ tier = \"swich\", step = \"1KB\" }",
            "[0].tier: this network has no tier `swich`; did you mean `switch`? \
             (available: switch)",
        ),
        (
            "{ tier = \"host\", step = \"1KB\" }",
            "[0].tier: this network has no tier `host`; available: switch",
        ),
        (
            "{ tier = \"switch\", step = \"1KB\" }, { tier = \"switch\", marking = \"off\" }",
            "[1].tier: there are two entries for the tier `switch`; keep one",
        ),
        (
            "{ tier = \"switch\" }",
            "[0]: this does not say how the tier marks; write `step`, or `k_min`, `k_max` and \
             `p_max`, or marking = \"off\"",
        ),
        (
            "{ tier = \"switch\", at = \"enqueue\" }",
            "[0]: a RED curve needs `k_min`, `k_max` and `p_max`; write all three, e.g. \
             k_min = \"400KB\", k_max = \"1600KB\", p_max = 0.2",
        ),
        (
            "{ tier = \"switch\", step = \"40KB\", k_min = \"1KB\" }",
            "[0].step: a step and a RED curve exclude each other; write either `step`, or \
             `k_min`, `k_max` and `p_max`",
        ),
        (
            "{ tier = \"switch\", k_min = \"3 packets\", k_max = \"1KB\", p_max = 1 }",
            "[0].k_min: `k_min` of 3270B is above `k_max` of 1KB; write thresholds in order of \
             size",
        ),
        (
            "{ tier = \"switch\", k_min = \"1KB\", k_max = \"1KB\", p_max = 20 }",
            "[0].p_max: `20` is not a probability; write 0 to 1",
        ),
        (
            "{ tier = \"switch\", step = \"1KB\", reference_rate = \"0bps\" }",
            "[0].reference_rate: a link of 0bps carries nothing; write e.g. 100Gbps",
        ),
        (
            "{ tier = \"switch\", marking = \"off\", p_max = 1 }",
            "[0].p_max: `p_max` has no effect with marking = \"off\"; remove one of the two",
        ),
        (
            "{ tier = \"switch\", marking = \"on\" }",
            "[0].marking: unknown value `on`; available: off",
        ),
        (
            "{ tier = \"switch\", step = \"40\" }",
            "[0].step: `40` has no unit; write e.g. `40KB`",
        ),
        (
            "{ step = \"40KB\" }",
            "[0]: `tier` is missing; add `tier = …`",
        ),
        (
            "{ tier = \"switch\", stpe = \"40KB\" }",
            "[0].stpe: unknown key `stpe`; did you mean `step`? (available: at, k_max, k_min, \
             marking, p_max, reference_rate, step, tier)",
        ),
        (
            "{ tier = \"switch\", marking = \"off\" }",
            ": marking is off in every tier of this network; write network.ecn = \"off\", or \
             give a tier thresholds",
        ),
    ] {
        assert_eq!(
            refused(&format!("per_tier = [{entries}]")),
            format!("run.toml:6: network.ecn.per_tier{expected}")
        );
    }
}

#[test]
fn tiers_and_rates_exclude_each_other() {
    let rates =
        "per_rate = [{ link_rate = \"100Gbps\", k_min = \"1KB\", k_max = \"1KB\", p_max = 1 }]";
    assert_eq!(
        refused(&format!(
            "per_tier = [{{ tier = \"switch\", step = \"1KB\" }}]\n{rates}"
        )),
        "run.toml:6: network.ecn.per_tier: `per_tier` and `per_rate` exclude each other; \
         write one; entries of `per_tier` may scale by a `reference_rate`"
    );
}

/// The rule of the section is checked beside entries. A file without names has no tiers.
#[test]
fn what_else_is_wrong_beside_tiers() {
    assert_eq!(
        refused("k_min = \"1KB\"\nper_tier = [{ tier = \"switch\", step = \"1KB\" }]"),
        "run.toml:5: network.ecn: a RED curve needs `k_min`, `k_max` and `p_max`; \
         write all three, e.g. k_min = \"400KB\", k_max = \"1600KB\", p_max = 0.2"
    );
    let folder = tempfile::tempdir().unwrap();
    let graph = "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n";
    std::fs::write(folder.path().join("pair.txt"), graph).unwrap();
    let text = STAR.replace(
        "\"star\"",
        "{ file = \"pair.txt\", format = \"hpcc-ns3\" }\n[network.ecn]\n\
                  per_tier = [{ tier = \"switch\", step = \"1KB\" }]",
    );
    let source = Source {
        folder: folder.path().to_owned(),
        ..source(&text)
    };
    let wrong = Spec::parse(&source, &[])
        .and_then(Spec::validate)
        .unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "run.toml:5: network.ecn.per_tier[0].tier: the switches of this topology have no names, \
         which would tell their tier; write it as a file of format = \"graph\", with switches \
         leaf0, leaf1, spine0 …"
    );
}
