//! Messages about faults of links that are not possible.

use super::*;

/// The message for the star of 17 hosts around switch 17, with this fault from line 14 on.
fn of_fault(fault: &str) -> String {
    error(&format!("{STAR}[[fault]]\n{fault}"))
}

#[test]
fn faults_that_cannot_be() {
    let twice = "kind = \"down\"\nlinks = [\"host 1\"]\nfrom = \"1us\"\nuntil = \"3us\"\n";
    let overlapping = format!("{twice}[[fault]]\n{}", twice.replace("\"1us\"", "\"2us\""));
    for (fault, expected) in [
        (
            "kind = \"dwon\"",
            "fault[0].kind: unknown value `dwon`; did you mean `down`? (available: degraded, \
             down, loss)",
        ),
        (
            "kind = \"down\"",
            "fault[0]: the fault has no links; write e.g. links = [\"host 0\"], or between = \
             [\"switch 17\", \"switch 20\"]",
        ),
        (
            "kind = \"down\"\nlinks = [\"host 17\"]",
            "fault[0].links[0]: there is no node `host 17`; write e.g. \"switch 17 port 0\"; \
             it is the only switch",
        ),
        (
            "kind = \"down\"\nbetween = [\"host 0\", \"switch 16\"]",
            "fault[0].between: there is no node `switch 16`; write e.g. \"switch 17\"; it is the \
             only switch",
        ),
        (
            "kind = \"down\"\nbetween = [\"host 0\", \"host 1\"]",
            "fault[0].between: no link joins `host 0` and `host 1`; `host 0` has links to switch \
             17",
        ),
        (
            "kind = \"down\"\nbetween = [\"host 0\"]",
            "fault[0].between: has 1 entries; write the names of two nodes",
        ),
        (
            "kind = \"down\"\nlinks = [\"host 0\"]\nbetween = [\"host 0\", \"switch 17\"]",
            "fault[0].between: the links are named twice, by `links` and by `between`; leave one \
             of them out",
        ),
        (
            "kind = \"down\"\nlinks = [\"host 0\"]\nfrom = \"2us\"\nuntil = \"1us\"",
            "fault[0].until: the fault ends at 1us, and begins at 2us; write a time after `from`",
        ),
        (
            "kind = \"down\"\nlinks = [\"host 0\"]\nevery = \"2us\"",
            "fault[0].every: the fault would never end; write times, too: how often it happens",
        ),
        (
            "kind = \"down\"\nlinks = [\"host 0\"]\ntimes = 2",
            "fault[0].times: nothing says when it happens; write every, too: the time from begin \
             to begin",
        ),
        (
            "kind = \"down\"\nlinks = [\"host 0\"]\nevery = \"2us\"\ntimes = 2",
            "fault[0].every: a fault that never ends cannot begin again; write until: the end of \
             the first time",
        ),
        (
            "kind = \"down\"\nlinks = [\"host 0\"]\nuntil = \"2us\"\nevery = \"2us\"\ntimes = 2",
            "fault[0].every: it begins again after 2us, and lasts 2us; write more than it lasts",
        ),
        (
            "kind = \"down\"\nlinks = [\"host 0\"]\nuntil = \"2us\"\nevery = \"3us\"\ntimes = 0",
            "fault[0].times: a fault that never happens; write 1 or more, or leave the fault out",
        ),
        (
            "kind = \"down\"\nlinks = [\"host 0\"]\nuntil = \"2us\"\nevery = \"3us\"\n\
             times = 10001",
            "fault[0].times: the faults happen 10001 times together; write 10000 times at most",
        ),
        (
            "kind = \"down\"\nlinks = [\"host 0\"]\nuntil = \"2us\"\nevery = \"999999s\"\n\
             times = 9999",
            "fault[0]: it would happen after the end of any run; runs last {end} at most",
        ),
        (
            "kind = \"down\"\nlinks = [\"host 0\"]\nrate = \"1Gbps\"",
            "fault[0].rate: has no effect with kind = \"down\"; leave it out, or write kind = \
             \"degraded\"",
        ),
        (
            "kind = \"degraded\"\nlinks = [\"host 0\"]",
            "fault[0]: `rate` is missing; write e.g. rate = \"25Gbps\"",
        ),
        (
            "kind = \"degraded\"\nlinks = [\"host 0\"]\nrate = \"100Gbps\"",
            "fault[0].rate: the link has 100Gbps without the fault; write a lower rate",
        ),
        (
            "kind = \"degraded\"\nlinks = [\"host 0\"]\nrate = \"0Gbps\"",
            "fault[0].rate: a link of no rate carries nothing; write a rate above 0, or kind = \
             \"down\"",
        ),
        (
            "kind = \"degraded\"\nlinks = [\"host 0\"]\nrate = \"1bps\"",
            "fault[0].rate: a packet takes 8720s over a link of 1bps and 1us; write a higher rate",
        ),
        (
            "kind = \"loss\"\nlinks = [\"host 0\"]",
            "fault[0]: `probability` is missing; write e.g. probability = 0.001",
        ),
        (
            "kind = \"loss\"\nlinks = [\"host 0\"]\nprobability = 1.5",
            "fault[0].probability: `1.5` is out of range; write more than 0, at most 1",
        ),
        (
            overlapping.as_str(),
            "fault[1]: the link host 1 – switch 17 has the same fault from 2us on, by fault[0]; \
             let faults of one kind and link follow each other",
        ),
    ] {
        let said = of_fault(fault);
        let expected = expected.replace("{end}", &incast_net::END_OF_TIME.to_string());
        let place = said.split_once(": ").map_or("", |(_, rest)| rest);
        assert_eq!(place, expected, "{said}");
    }
}

#[test]
fn networks_that_can_have_no_faults() {
    let fault = "[[fault]]\nkind = \"down\"\nlinks = [\"host 0\"]\n";
    for (from, to, expected) in [
        (
            "topology",
            "profile = \"hpcc-ns3\"\ntopology",
            "run.toml:3: network.profile: faults of links have no place in the order of events of \
             ns-3; write \"default\", or leave [[fault]] out",
        ),
        (
            "[cc]",
            "[network.model]\nties = \"insertion\"\nclock = \"nanoseconds\"\n[cc]",
            "run.toml:6: network.model.ties: faults of links have no place in the order of events \
             of ns-3; write \"port\", or leave [[fault]] out",
        ),
        (
            "topology",
            "routing = \"spanning-trees\"\ntopology",
            "run.toml:3: network.routing: spanning trees do not go around links that fail; write \
             \"ecmp\" or \"symmetric-ecmp\"",
        ),
        (
            "\"hpcc\"",
            "\"s-perc\"",
            "run.toml:14: fault: switch program `s-perc`, for algorithm `s-perc`, needs paths that \
             stay and links that lose nothing; leave it out, or take another algorithm",
        ),
        (
            "[cc]",
            "[measure]\nfair_share = \"all\"\n[cc]",
            "run.toml:6: measure.fair_share: max-min fair rates are not computed where links have \
             faults; leave it out, or the faults",
        ),
    ] {
        assert!(STAR.contains(from), "{from}");
        let text = STAR.replacen(from, to, 1) + fault;
        assert_eq!(error(&text), expected);
    }
}
