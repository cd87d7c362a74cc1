use incast_sim::{Override, Profile, Source, Spec, ValidSpec};
use toml::Value;

use super::*;

const MATRIX: &str = "\
Nodes 16
Connections 2
0->15 id 1 start 0 size 200000
5->9 id 2 start 3 size 43210
";

/// 16 hosts on 4 ToRs, 4 : 1 oversubscribed, 400 Gb/s.
const TOPOLOGY: &str = "\
Nodes 16
Tiers 2
Podsize 16
Tier 0
Downlink_speed_Gbps 400
Downlink_Latency_ns 1000
Radix_Down 4
Radix_Up 1
Queue_Up 100
Queue_Down 100
Oversubscribed 4
Tier 1
Downlink_speed_Gbps 400
Downlink_Latency_ns 1000
Radix_Down 4
Queue_Down 100
";

/// A folder with a matrix and a topology.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("two.cm"), MATRIX).unwrap();
        std::fs::write(folder.path().join("leaf.topo"), TOPOLOGY).unwrap();
        Self(folder)
    }

    /// Imports the options, after file names in them are replaced by paths in the folder.
    fn import(&self, options: &str, ignored: &[&str]) -> Result<Import, String> {
        let folder = self.0.path().display();
        let options = options.replace("two.cm", &format!("{folder}/two.cm"));
        let options = options.replace("leaf.topo", &format!("{folder}/leaf.topo"));
        let ignored: Vec<_> = ignored.iter().map(|name| (*name).to_owned()).collect();
        let import = import_htsim_uec(&UecImport {
            options: &options,
            ignored: &ignored,
        });
        let relative = |wrong: Diagnostic| wrong.to_string().replace(&format!("{folder}/"), "");
        import.map(|(import, _)| import).map_err(relative)
    }

    fn spec(&self, import: &Import) -> ValidSpec {
        let source = Source {
            name: "two.toml".to_owned(),
            text: import.toml.clone(),
            folder: self.0.path().to_owned(),
        };
        let overrides: [Override; 0] = [];
        let spec = Spec::parse(&source, &overrides).and_then(Spec::validate);
        spec.unwrap_or_else(|error| panic!("{error}\n{}", import.toml))
    }
}

fn scenario(import: &Import) -> Table {
    toml::from_str(&import.toml).unwrap()
}

fn at<'t>(scenario: &'t Table, path: &str) -> Option<&'t Value> {
    let mut steps = path.split('.');
    let first = scenario.get(steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(step))
}

fn texts(import: &Import, paths: &[&str]) -> Vec<String> {
    let scenario = scenario(import);
    let text = |path: &&str| at(&scenario, path).map_or("-".to_owned(), Value::to_string);
    paths.iter().map(text).collect()
}

fn outcome<'i>(import: &'i Import, option: &str) -> &'i ImportOutcome {
    let mut report = import.report.iter().rev();
    let found = report.find(|each| each.key == option).expect("it is told");
    &found.outcome
}

#[test]
fn what_is_left_out_is_the_program_s() {
    let files = Files::new();
    let import = files.import("./htsim_uec -tm two.cm", &[]).unwrap();
    let spec = files.spec(&import);
    assert_eq!((spec.profile(), spec.seed()), (Profile::UetHtsim, 13));
    assert_eq!(spec.stop(), Some(Time::from_ms(1)));
    assert_eq!(spec.algorithm_name(), "nscc");
    let topology = "{ kind = \"fat-tree\", k = 4, host_rate = \"100Gbps\", delay = \"1us\" }";
    let paths = [
        "network.topology",
        "network.balance",
        "network.drop",
        "network.ecn",
    ];
    let balance = "{ kind = \"mixed\", entropies = 64 }";
    assert_eq!(texts(&import, &paths), [topology, balance, "-", "-"]);
    let flows: Vec<_> = spec.flows().unwrap().map(Result::unwrap).collect();
    assert_eq!(flows[1].start, Time::from_us(3));
}

/// Queues of 100 packets of 4150 B: 99 wait, 410,850 B. Marks from 25 to 75: 24 and 74 wait.
#[test]
fn options_are_keys() {
    let files = Files::new();
    let options = "-tm two.cm -topo leaf.topo -linkspeed 400000 -sender_cc_only \
                   -load_balancing_algo reps_legacy -paths 16 -q 100 -ecn 25 75 -end 20000 -seed 5 \
                   -trimsize 128 -sack_threshold 8192 -qa_gate 2 -nodes 16 \
                   -cwnd 150 -disable_base_rtt_update_on_nack -sleek -o log.dat -log sink \
                   -strat ecmp_host";
    let import = files.import(options, &[]).unwrap();
    let spec = files.spec(&import);
    assert_eq!((spec.seed(), spec.stop()), (5, Some(Time::from_ms(20))));
    let found = texts(
        &import,
        &[
            "network.topology.file",
            "network.balance.kind",
            "network.balance.entropies",
            "network.drop.queue_limit",
            "network.drop.trimming.header",
            "network.ecn.k_min",
            "network.ecn.k_max",
            "network.ack_every",
            "network.recovery.loss_detection.kind",
            "network.recovery.loss_detection.probes.delay",
            "cc.qa_gate",
            "cc.initial_window",
            "cc.base_rtt_from_trims",
        ],
    );
    let expected = [
        "\"leaf.topo\"",
        "\"reps-legacy\"",
        "16",
        "\"410850B\"",
        "\"128B\"",
        "\"99.6KB\"",
        "\"307.1KB\"",
        "\"8KiB\"",
        "\"early-count\"",
        "0.75",
        "2",
        "150.0",
        "false",
    ];
    assert_eq!(found, expected);
    let logs = outcome(&import, "-log").to_string();
    assert_eq!(logs, "not used: results here are what [measure] says");
    let queue = outcome(&import, "Queue_Up").to_string();
    assert_eq!(queue, "not used: the program sizes queues by its options");
    assert!(
        import
            .report
            .iter()
            .all(|each| !each.outcome.to_string().contains("without effect"))
    );
}

/// A target of 7 us is half of the base RTT between two pods, 6 · (2 us + 337.12 ns) = 14.02272 us;
/// packets of 2064 B have 2000 B of payload.
#[test]
fn more_options_are_keys() {
    let files = Files::new();
    let import = files
        .import("-tm two.cm -target_q_delay 7.01136", &[])
        .unwrap();
    assert_eq!(texts(&import, &["cc.target_delay"]), ["0.5"]);
    let options = "-tm two.cm -mtu 2064 -queue_size_bdp_factor 3 -hop_latency 0.5 -paths 1 \
                   -load_balancing_algo bitmap -sender_cc -receiver_cc";
    let import = files.import(options, &[]).unwrap();
    let paths = [
        "network.packets.mtu",
        "network.drop.queue_limit",
        "network.topology.delay",
        "network.balance",
        "cc.algorithm",
    ];
    let expected = [
        "\"2KB\"",
        "\"3bdp\"",
        "\"500ns\"",
        "{ kind = \"flow\" }",
        "\"nscc+credits\"",
    ];
    assert_eq!(texts(&import, &paths), expected);
    files.spec(&import);
    let import = files
        .import("-tm two.cm -disable_trim -trimsize 64 -end 0", &[])
        .unwrap();
    let found = texts(&import, &["network.drop.trimming", "run.stop"]);
    assert_eq!(found, ["\"off\"", "-"]);
    let idle = outcome(&import, "-trimsize").to_string();
    assert_eq!(idle, "not used: -disable_trim leaves nothing to trim");
    files.spec(&import);
}

/// The last option counts, as in the program; a single option adds to the default.
#[test]
fn control_is_as_the_options_leave_it() {
    let files = Files::new();
    for (options, algorithm) in [
        ("", "nscc"),
        ("-receiver_cc", "nscc+credits"),
        ("-receiver_cc_only", "rccc"),
        ("-receiver_cc_only -sender_cc", "nscc+credits"),
        ("-receiver_cc -sender_cc_only", "nscc"),
    ] {
        let import = files.import(&format!("-tm two.cm {options}"), &[]).unwrap();
        assert_eq!(files.spec(&import).algorithm_name(), algorithm, "{options}");
    }
}

/// A two-tier tree for 8 hosts has 4 leaves of 2; the program's switches have k = 4 ports.
#[test]
fn two_tiers_are_a_leaf_spine() {
    let files = Files::new();
    let matrix = MATRIX
        .replace("16", "8")
        .replace("15", "7")
        .replace("9", "3");
    std::fs::write(files.0.path().join("two.cm"), matrix).unwrap();
    let import = files.import("-tm two.cm -tiers 2", &[]).unwrap();
    let spec = files.spec(&import);
    assert_eq!(
        (spec.topology().hosts, spec.topology().nodes()),
        (8, 8 + 4 + 2)
    );
}

#[test]
fn every_mistake_is_told() {
    let files = Files::new();
    for (options, message) in [
        (
            "-tm two.cm -pahts 4",
            "--uec -pahts: htsim_uec has no such option; did you mean `-paths`?",
        ),
        (
            "-end 5",
            "--uec -tm: no connection matrix is named; write -tm and a .cm file",
        ),
        (
            "-tm two.cm -ecn 5",
            "--uec -ecn: a value is missing; write its 2 values after it",
        ),
        (
            "-tm two.cm -q",
            "--uec -q: a value is missing; write its value after it",
        ),
        (
            "-tm two.cm -q 1",
            "--uec -q: `1` is no whole number from 2 to 1000000; write e.g. 8",
        ),
        (
            "-tm two.cm -ecn 9 5",
            "--uec -ecn: 9 is above 5; write the smaller one first",
        ),
        (
            "-tm two.cm -linkspeed fast",
            "--uec -linkspeed: `fast` is no number above 0; write megabits per second, e.g. 400000",
        ),
        (
            "-tm two.cm -conn_reuse",
            "--uec -conn_reuse: this asks for messages that share a connection, which is not \
             modelled; leave it out, or read over it with --ignore conn_reuse",
        ),
        (
            "-tm two.cm -strat ecmp_ar",
            "--uec -strat: `ecmp_ar` asks for another way of switches to choose a path, which is \
             not modelled; write ecmp_host, or read over it with --ignore strat",
        ),
        (
            "-tm two.cm -failed 2 -topo leaf.topo -linkspeed 400000",
            "--uec -failed: the links of a topology file keep their rates in this version; leave \
             -topo out, or read over it with --ignore failed",
        ),
        (
            "-tm two.cm -nodes 8",
            "--uec -nodes: the matrix has 16 nodes; write 16, or leave it out",
        ),
        (
            "-tm two.cm -tiers 4",
            "--uec -tiers: `4` is no whole number from 2 to 3; write e.g. 3",
        ),
        (
            "-tm two.cm -tiers 2",
            "--uec -tiers: there is no fat tree of 2 tiers for 16 hosts; of two tiers there are \
             k²/2 hosts, of three k³/4; give a -topo file",
        ),
        (
            "-tm two.cm -paths 48",
            "--uec -paths: `48` is no power of two; write e.g. 64",
        ),
        (
            "-tm two.cm -load_balancing_algo ops",
            "--uec -load_balancing_algo: `ops` is no load balancing of the program; write bitmap, \
             mixed, oblivious, reps or reps_legacy",
        ),
        (
            "-tm two.cm -trimsize 4150",
            "--uec -trimsize: 4150 B are no less than a packet of 4150 B; write e.g. 64",
        ),
        (
            "-tm two.cm -sack_threshold 65536",
            "--uec -sack_threshold: after 65536 B no ACK is ever due: the program counts 16 bits; \
             write at most 65535",
        ),
        (
            "-tm two.cm -queue_size_bdp_factor 1001",
            "--uec -queue_size_bdp_factor: `1001` is no whole number from 0 to 1000; write e.g. 8",
        ),
        (
            "-tm two.cm -hop_latency 2000000",
            "--uec -hop_latency: 2s is too long; write less",
        ),
        (
            "-tm two.cm -receiver_cc_only -sleek",
            "--uec -sleek: senders recover by their window, and have none; leave it out, or add \
             -sender_cc",
        ),
        (
            "-tm two.cm -topo leaf.topo",
            "--uec -linkspeed: hosts send at 100Gbps, and their links carry 400Gbps; write \
             -linkspeed 400000",
        ),
        (
            "-tm two.cm -topo leaf.topo -linkspeed 400000 -target_q_delay 3",
            "--uec -target_q_delay: a delay in base RTTs is needed here, which a -topo file does \
             not say; set cc.target_delay by hand, and --ignore target_q_delay",
        ),
    ] {
        let said = files.import(options, &[]).unwrap_err();
        assert!(said.starts_with(message), "{said}\n{message}");
    }
}

#[test]
fn words_must_be_words() {
    let files = Files::new();
    let said = files.import("-tm a\u{7}.cm", &[]).unwrap_err();
    let expected = "--uec: `a\\u{7}.cm` has characters that do not print; write letters, digits \
                    and signs";
    assert_eq!(said, expected);
    let long = files.import(&format!("-tm {}", "a".repeat(1_001)), &[]);
    let said = long.unwrap_err();
    assert!(
        said.ends_with("has 1001 bytes; words have 1000 at most"),
        "{said}"
    );
}

#[test]
fn files_must_be_of_one_experiment() {
    let files = Files::new();
    let matrix = files.0.path().join("two.cm");
    std::fs::write(&matrix, MATRIX.replace("Nodes 16", "Nodes 128")).unwrap();
    let said = files
        .import("-tm two.cm -topo leaf.topo -linkspeed 400000", &[])
        .unwrap_err();
    let expected = "--uec -topo: the topology has 16 hosts, the matrix 128; give files of one \
                    experiment";
    assert_eq!(said, expected);
    std::fs::write(&matrix, MATRIX.replace("Nodes 16", "# nothing")).unwrap();
    let said = files.import("-tm two.cm", &[]).unwrap_err();
    let expected = "two.cm: Nodes: the matrix does not say for how many nodes it is; add e.g. \
                    `Nodes 128` at its top";
    assert_eq!(said, expected);
    std::fs::write(&matrix, MATRIX.replace("id 1 start", "id 1 msg 1 start")).unwrap();
    let said = files.import("-tm two.cm", &[]).unwrap_err();
    let expected = "two.cm:3: word: messages that share a connection (`-conn_reuse`) are not \
                    modelled; leave the word out: each line is a flow of its own then, with an \
                    `id` of its own";
    assert_eq!(said, expected);
}

#[test]
fn options_may_be_read_over() {
    let files = Files::new();
    let import = files.import(
        "-tm two.cm -failed 2 -conn_reuse",
        &["failed", "-conn_reuse"],
    );
    let import = import.unwrap();
    files.spec(&import);
    let ignored = outcome(&import, "-failed").to_string();
    assert_eq!(ignored, "not used: ignored, as asked");
    let slow = "-tm two.cm -topo leaf.topo -linkspeed 400000 -receiver_cc_only";
    for (options, ignored, expected) in [
        (slow.to_owned(), &[][..], Some(4.0)),
        (slow.to_owned(), &["oversubscribed_cc"], None),
        (
            format!("{slow} -force_disable_oversubscribed_cc"),
            &[],
            None,
        ),
    ] {
        let import = files.import(&options, ignored).unwrap();
        files.spec(&import);
        let cc = &scenario(&import)["cc"];
        let given = cc.get("oversubscription").and_then(Value::as_float);
        assert_eq!(given, expected, "{options} {ignored:?}");
    }
    let said = files.import("-tm two.cm", &["failed"]).unwrap_err();
    assert!(
        said.starts_with("--ignore -failed: the command line does not have it"),
        "{said}"
    );
    let said = files.import("-tm two.cm", &["failure"]).unwrap_err();
    assert!(said.contains("htsim_uec has no such option"), "{said}");
}

/// 16 hosts in three tiers: cores 0 and 1 send to aggregation switch 0 at 25 Gb/s. Of six links of
/// 1 us with 4150 B there (332 ns) and 64 B back (5.12 ns) the base RTT is 14.02272 us, 43 packets.
/// Queues: 41.5 · 332 ns / 14.02272 us = 0.982548 BDP. Marks: from 9 packets (0.2 · 43 = 8.6) to
/// 35, less one: 33,200 and 141,100 B; of slow links 9 · 4150 / 4 − 4150 = 5187 and 32,162 B.
#[test]
fn links_may_be_slowed() {
    let files = Files::new();
    let import = files.import("-tm two.cm -failed 2", &[]).unwrap();
    let table = scenario(&import);
    let network = at(&table, "network").unwrap();
    assert_eq!(network["topology"]["slowed_links"].as_integer(), Some(2));
    assert_eq!(network["drop"]["queue_limit"].as_str(), Some("0.982548bdp"));
    let curves = network["ecn"]["per_rate"].as_array().unwrap();
    let told = |curve: &Value| {
        ["link_rate", "k_min", "k_max"].map(|key| curve[key].as_str().unwrap().to_owned())
    };
    let bytes = |count: u64| Bytes::new(count).to_string();
    assert_eq!(
        told(&curves[0]),
        ["100Gbps".to_owned(), bytes(33_200), bytes(141_100)]
    );
    assert_eq!(
        told(&curves[1]),
        ["25Gbps".to_owned(), bytes(5_187), bytes(32_162)]
    );
    let spec = files.spec(&import);
    assert_eq!(spec.largest_base_rtt().rtt, Time::from_ps(14_022_720));
    let slow = spec
        .topology()
        .links
        .iter()
        .filter(|link| link.rate_back == Some(Rate::from_gbps(25)));
    assert_eq!(slow.count(), 2);
}

/// The first of two equal options has no effect, nor has an option that the topology file
/// overrides.
#[test]
fn what_has_no_effect_is_told() {
    let files = Files::new();
    let options = "-tm two.cm -seed 4 -seed 5 -topo leaf.topo -linkspeed 400000 -tiers 2 -q 9 \
                   -queue_size_bdp_factor 2 -planes 1 -cwnd 0";
    let import = files.import(options, &[]).unwrap();
    assert_eq!(files.spec(&import).seed(), 5);
    let told = |option: &str| {
        let found = import.report.iter().find(|each| each.key == option);
        found.expect("it is told").outcome.to_string()
    };
    assert_eq!(told("-seed"), "not used: it is given again");
    assert_eq!(told("-tiers"), "not used: the topology file has it");
    assert_eq!(told("-planes"), "not used: as it is without it");
    assert_eq!(
        told("-cwnd"),
        "not used: 0 is the default, the largest window"
    );
    let factor = told("-queue_size_bdp_factor");
    assert_eq!(factor, "not used: -q says how long queues are");
}
