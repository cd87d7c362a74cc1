mod measured;

use super::*;
use crate::spec::{Source, Spec};

fn estimate(text: &str) -> Estimate {
    let spec = Spec::parse(&Source::from_text("t.toml", text), &[]);
    let spec = spec.and_then(Spec::validate).expect("a sound scenario");
    spec.estimate().expect("no files")
}

const TEN: &str = "
[network]
topology = \"star\"
[cc]
algorithm = \"hpcc\"
[measure]
queues = { every = \"1us\" }
[[traffic]]
kind = \"flows\"
flows = [
    { source = 0, destination = 1, size = \"1KB\" },
    { source = 0, destination = 1, size = \"1KB\", start = \"10s\" },
]
";

/// Each of two flows is one packet and one ACK over two links: 8 packet-hops in all. The ten idle
/// seconds between the flows cost nothing.
#[test]
fn idle_time_costs_nothing() {
    let ten = estimate(TEN);
    assert_eq!((ten.flows, ten.packet_hops), (2.0, 8.0));
    assert!(ten.end >= Time::from_ms(10_000) && ten.end < Time::from_ms(10_001));
    let queues = ten.queues.expect("sampled");
    assert!(queues.rows < 1_000.0 && !queues.is_thinned(), "{queues:?}");
    assert!(ten.memory.total() < 100e6, "{:?}", ten.memory);
}

/// The scenario with 1.25 GB over 1 Gb/s as its first flow, which takes ten seconds.
fn ten_seconds() -> String {
    let star = "topology = { kind = \"star\", hosts = 3, rate = \"1Gbps\" }";
    let slower = TEN.replace("topology = \"star\"", star);
    slower.replacen("1KB", "1.25GB", 1)
}

/// One flow of 1.25 GB over 1 Gb/s takes 10 s or more. That is 10^7 samples with 4 rows, and with
/// one row for each of 3 ports: 7·10^7 rows. Of these 4·10^6 may be kept, so every 32nd sample is
/// kept.
#[test]
fn what_is_thinned_is_known_before() {
    let long = estimate(&ten_seconds());
    let queues = long.queues.expect("sampled");
    assert!((7e7..8e7).contains(&queues.rows), "{queues:?}");
    assert_eq!(queues.kept_every, Time::from_us(32));
    assert!(queues.kept_rows() <= 4e6);
}

/// 16 flows of 1000 packets to one host are 32,000 packets and ACKs over two links, with three
/// events per link. A trace of one flow has a 16th of the events. Until 10 us each of 34 ports
/// sends at most what 100 Gb/s carry: 115 packets of 1090 B, and as many ACKs, each way. A trace of
/// one sender's port has a 34th of that.
#[test]
fn a_trace_that_is_narrowed_is_smaller() {
    let events = |packets: &str| {
        let text = format!(
            "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"hpcc\"\n[[traffic]]\n\
             kind = \"incast\"\nsizes = \"1MB\"\nsenders = \"0-15\"\nreceiver = 16\n\
             [measure]\npackets = {packets}\n"
        );
        let told = estimate(&text);
        told.memory.trace / 200.0
    };
    assert_eq!(events("true"), 192_000.0);
    assert_eq!(events("{ flows = [3] }"), 12_000.0);
    assert_eq!(events("{ limit = 1000 }"), 1_000.0);
    let early = events("{ until = \"10us\" }");
    assert!((early - 34.0 * 688.0).abs() < 5.0, "{early}");
    let at_one = events("{ until = \"10us\", ports = [\"host 3\"] }");
    assert!((at_one - 688.0).abs() < 1.0, "{at_one}");
}

/// Samples end at `measure.until`, after 100 ms of the same run: all 7·10^5 rows are kept.
#[test]
fn samples_that_end_early_are_not_foreseen() {
    let text = ten_seconds();
    let whole = estimate(&text).queues.expect("sampled");
    let early = estimate(&text.replace("[measure]", "[measure]\nuntil = \"100ms\""));
    let queues = early.queues.expect("sampled");
    assert!((6.5e5..7.5e5).contains(&queues.rows), "{queues:?}");
    assert!(whole.is_thinned() && !queues.is_thinned());
    let flows = early.flow_series.expect("sampled");
    assert!(flows.rows < 1e5, "{flows:?}");
}

/// The run stops after 10 us at 1 Gb/s, when at most 1.25 kB from two senders can have arrived. So
/// the estimate has parts of two packets, not 2 MB.
#[test]
fn a_stop_time_limits_packets() {
    let text = "
[run]
stop = \"10us\"
[network]
topology = { kind = \"star\", hosts = 3, rate = \"1Gbps\", delay = \"100ns\" }
[cc]
algorithm = \"none\"
[[traffic]]
kind = \"incast\"
receiver = 0
sizes = \"1MB\"
";
    let stopped = estimate(text);
    assert!(stopped.packet_hops < 10.0, "{stopped:?}");
    assert_eq!(stopped.end, Time::from_us(10));
}

/// Each of 64 hosts at 10 Gb/s receives at most 125 KB in 100 us. An all-reduce of 6.4 GB has more
/// sends than the estimate draws. By the stop, at most 64 · 125 packets of 1000 B have crossed 2 to
/// 6 links.
#[test]
fn a_stop_time_limits_what_is_not_drawn() {
    let text = "
[run]
stop = \"100us\"
[network]
topology = \"clos-64\"
[cc]
algorithm = \"hpcc\"
[[traffic]]
kind = \"all-reduce\"
data = \"640MB\"
rings = 8
rounds = 10
";
    let stopped = estimate(text);
    let most = 64.0 * 125.0 * 2.0 * 6.0;
    assert!(
        (most / 10.0..most).contains(&stopped.packet_hops),
        "{stopped:?}"
    );
}

/// Two flows at 100 Gb/s over links of 50 ms keep 200 ms of traffic in flight: 2.5 GB each, some
/// 2.4 million packets. After 1 ms of the run at most 12.5 MB of each flow are in flight; of a 1 MB
/// flow, all of it.
#[test]
fn long_links_hold_packets() {
    let text = "
[run]
stop = \"400ms\"
[network]
topology = { kind = \"star\", hosts = 4, rate = \"100Gbps\", delay = \"50ms\" }
flow_control = \"none\"
[cc]
algorithm = \"none\"
[[traffic]]
kind = \"flows\"
flows = [
    { source = 0, destination = 1, size = \"50GB\" },
    { source = 2, destination = 3, size = \"50GB\" },
]
";
    let of_packets = |text: &str| estimate(text).memory.packets;
    let whole = of_packets(text);
    assert!((4.5e6 * 160.0..5e6 * 160.0).contains(&whole), "{whole}");
    let early = of_packets(&text.replace("400ms", "1ms"));
    assert!((23e3 * 160.0..25e3 * 160.0).contains(&early), "{early}");
    let small = of_packets(&text.replace("50GB", "1MB"));
    assert!((1.9e3 * 160.0..=2e3 * 160.0).contains(&small), "{small}");
}

/// The memory of active flows and of rows.
fn of_flows(estimate: &Estimate) -> f64 {
    estimate.memory.flows + estimate.memory.rows
}

/// All 1,208,900 flows between 1,100 hosts start at once, more than the estimate draws, and are
/// active until the run stops. Without a stop, waiting flows are active, too.
#[test]
fn flows_that_start_at_once_are_all_counted() {
    let text = "
[run]
stop = \"20us\"
[network]
topology = { kind = \"star\", hosts = 1100 }
flow_control = \"none\"
[cc]
algorithm = \"hpcc\"
[[traffic]]
kind = \"all-to-all\"
sizes = \"1MB\"
";
    let stopped = estimate(text);
    assert!((1.20e6..1.22e6).contains(&stopped.flows), "{stopped:?}");
    let per_flow = of_flows(&stopped) / stopped.flows;
    let whole = estimate(&text.replace("stop = \"20us\"", ""));
    assert!((1.20e6..1.22e6).contains(&whole.flows), "{whole:?}");
    let per_flow_of_whole = of_flows(&whole) / whole.flows;
    assert!((0.5..1.01).contains(&(per_flow_of_whole / per_flow)));
}

/// After 16 ms each of 64 senders has sent 200 MB without feedback: 12.8 million packets are in
/// flight or in queues. After 1 ms it is 12.5 MB per sender.
#[test]
fn senders_into_one_host_fill_links_of_their_own() {
    let text = "
[run]
stop = \"1s\"
[network]
topology = { kind = \"star\", hosts = 65, rate = \"100Gbps\", delay = \"10ms\" }
flow_control = \"none\"
[cc]
algorithm = \"none\"
[[traffic]]
kind = \"incast\"
receiver = 0
sizes = \"200MB\"
";
    let of_packets = |text: &str| estimate(text).memory.packets / 160.0;
    let whole = of_packets(text);
    assert!((12.7e6..12.9e6).contains(&whole), "{whole}");
    let early = of_packets(&text.replace("1s", "1ms"));
    assert!((0.7e6..0.8e6).contains(&early), "{early}");
    // One sender alone has 200,000 packets.
    let single = text.replace("sizes =", "senders = \"1\"\nsizes =");
    let single = of_packets(&single);
    assert!((0.19e6..0.21e6).contains(&single), "{single}");
}

/// A flow under s-PERC has a control packet in flight beside its data.
#[test]
fn control_packets_take_memory() {
    let text = |algorithm: &str| {
        format!(
            "
[run]
stop = \"20us\"
[network]
topology = {{ kind = \"star\", hosts = 100 }}
[cc]
algorithm = \"{algorithm}\"
[[traffic]]
kind = \"all-to-all\"
sizes = \"1MB\"
"
        )
    };
    let per_flow = |algorithm| estimate(&text(algorithm)).memory.flows / 9_900.0;
    assert!((per_flow("s-perc") - per_flow("hpcc") - 450.0).abs() < 20.0);
}

/// Of 9,900 flows, 100, 99 or none keep their rows.
#[test]
fn rows_that_are_not_kept_take_no_memory() {
    let rows = |rows: &str| {
        let measure = format!("[measure]\nflows = {{ rows = \"{rows}\" }}");
        let text = "[network]\ntopology = { kind = \"star\", hosts = 100 }\n\
                    [cc]\nalgorithm = \"hpcc\"\n\
                    [[traffic]]\nkind = \"all-to-all\"\nsizes = \"1KB\"\n";
        estimate(&(text.to_owned() + &measure)).memory.rows
    };
    let row = rows("all") / 9_900.0;
    assert!(row > 0.0);
    for (written, kept) in [
        ("auto", 9_900.0),
        ("slowest 100", 100.0),
        ("sample 1 %", 99.0),
    ] {
        assert!((rows(written) / row - kept).abs() < 1e-6, "{written}");
    }
    assert_eq!(rows("none"), 0.0);
}

/// 16 hosts send 20 MB each.
const ATTACK: &str = "
[attack]
NUMBERS
attackers = { share = 1.0 }
[network]
topology = { kind = \"star\", hosts = 16 }
[cc]
algorithm = \"hpcc\"
[[traffic]]
kind = \"permutation\"
sizes = \"20MB\"
";

fn attack(numbers: &str) -> Estimate {
    estimate(&ATTACK.replace("NUMBERS", numbers))
}

/// 20 MB in pieces of 1 KB are 20,000 flows, each of a packet and an ACK over two links. With
/// parallel QPs the pieces of a message wait for each other: on average half of them are active.
#[test]
fn pieces_of_messages_are_flows() {
    let whole = attack("kind = \"none\"");
    let pieces = attack("kind = \"parallel\"\npiece = \"1KB\"");
    let flows = 16.0 * 20e3;
    assert_eq!((whole.flows, pieces.flows), (16.0, flows));
    assert_eq!(pieces.packet_hops, flows * 4.0);
    assert_eq!(pieces.packet_hops, whole.packet_hops);
    let ratio = pieces.end.as_ps() as f64 / whole.end.as_ps() as f64;
    assert!((0.99..1.01).contains(&ratio), "{ratio}");
    let most = flows * 930.0;
    assert!(
        (0.6 * most..0.7 * most).contains(&of_flows(&pieces)),
        "{pieces:?}"
    );
    // Samples of each piece would take more memory than all else.
    assert!(pieces.memory.series < 10e6, "{pieces:?}");
}

/// First a message with more pieces than the estimate draws; then a message whose later pieces
/// would start after the stop.
#[test]
fn pieces_that_are_not_drawn_are_counted() {
    let billions = attack("kind = \"parallel\"\npiece = \"1B\"");
    assert_eq!(billions.flows, 16.0 * 20e6);
    assert!(billions.memory.total() > 70e9, "{billions:?}");
    let staggered = "kind = \"staggered\"\npiece = \"1KB\"\nspacing = \"1us\"";
    assert_eq!(attack(staggered).flows, 16.0 * 20e3);
    let stop = "[run]\nstop = \"2ms\"\n[attack]\n";
    let stopped = estimate(
        &ATTACK
            .replace("[attack]\n", stop)
            .replace("NUMBERS", staggered),
    );
    let ratio = stopped.flows / (16.0 * 2e3);
    assert!((0.9..1.1).contains(&ratio), "{ratio}");
}

/// 160 MB take 12.8 s over 100 Mb/s, and 12.8 ms over 100 Gb/s.
#[test]
fn a_degraded_link_ends_the_run_later() {
    let incast = |faults: &str| {
        estimate(&format!(
            "[network]\ntopology = {{ kind = \"star\", hosts = 9 }}\n[cc]\nalgorithm = \"dcqcn\"\n\
             [[traffic]]\nkind = \"incast\"\nreceiver = 0\nsizes = \"20MB\"\n{faults}"
        ))
    };
    let degraded = "[[fault]]\nkind = \"degraded\"\nlinks = [\"host 0\"]\nrate = \"100Mbps\"\n";
    let (whole, slow) = (incast(""), incast(degraded));
    assert!(
        (12.0..14.0).contains(&slow.end.as_secs_f64()),
        "{}",
        slow.end
    );
    assert!(whole.end < Time::from_ms(15), "{}", whole.end);
    let over = degraded.to_owned() + "until = \"1ms\"\n";
    assert!(incast(&over).end < slow.end);
}

/// 16 flows under DCQCN go to one host, then 1,024 flows over time, in one entry or in 64.
#[test]
fn flows_of_several_entries_meet() {
    let incast = |entries: usize| {
        let rounds = 1024 / entries;
        let entry = format!(
            "[[traffic]]\nkind = \"incast\"\nreceiver = 16\nsizes = \"10KB\"\n\
             rounds = {{ count = {rounds}, every = \"1ns\" }}\n"
        );
        let network = "[network]\ntopology = { kind = \"star\", hosts = 17 }\n\
                       [cc]\nalgorithm = \"dcqcn\"\n";
        estimate(&(network.to_owned() + &entry.repeat(entries)))
    };
    let (one, many) = (incast(1), incast(64));
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 0.01;
    assert!(near(many.memory.total(), one.memory.total()));
    assert_eq!((many.flows, many.packet_hops), (one.flows, one.packet_hops));
}

/// An all-reduce by halving-doubling of 4096 ranks at one switch: 98,304 messages.
fn halving_doubling(data: &str, stop: &str) -> Estimate {
    estimate(&format!(
        "
[run]
{stop}
[network]
topology = {{ kind = \"star\", hosts = 4096 }}
buffer = {{ size = \"1GiB\" }}
[cc]
algorithm = \"dcqcn\"
[[traffic]]
kind = \"collective\"
operation = \"all-reduce\"
algorithm = \"halving-doubling\"
data = \"{data}\"
"
    ))
}

/// The first fifth of the messages, which are drawn, have 1 MB to 16 MB, the last have 8 KB. Each
/// rank sends 8 packets · (1 + 2 + … + 2048) twice, 65,520 in all, over two links, and as many ACKs
/// come back. Of 4,096 B the steps of a half have 3, 2 and ten times 1 packet.
#[test]
fn messages_that_start_first_are_not_like_all() {
    let told = halving_doubling("32768KB", "");
    assert!((told.flows - 98_304.0).abs() < 1.0, "{told:?}");
    let ratio = told.packet_hops / (4096.0 * 65_520.0 * 4.0);
    assert!((0.99..1.01).contains(&ratio), "{ratio}");
    let small = halving_doubling("4096B", "");
    let packets = 4096.0 * 2.0 * (3.0 + 2.0 + 10.0);
    let ratio = small.packet_hops / (packets * 4.0);
    assert!((0.98..1.02).contains(&ratio), "{ratio}");
}

/// A run that stops later has no fewer packet-hops, and does not end sooner.
#[test]
fn what_is_not_drawn_adds_to_a_stopped_run() {
    let mut before = halving_doubling("32768KB", "stop = \"0.5ms\"");
    for tenths in [10, 20, 25, 30, 40, 60] {
        let text = format!("stop = \"{}us\"", 100 * tenths);
        let told = halving_doubling("32768KB", &text);
        assert!(
            told.packet_hops >= before.packet_hops,
            "{tenths}: {told:?} {before:?}"
        );
        assert!(told.end >= before.end, "{tenths}: {told:?} {before:?}");
        before = told;
    }
}

/// An all-reduce of 4 KB in a ring of 4 has 6 steps of one packet. Each step takes half a base RTT,
/// and 83.84 ns on a link of 100 Gb/s with 48 B of headers. Between two steps are 10 us of
/// computing. With 10,000 rounds the first 20,000 sends are drawn, and the time grows in proportion
/// to the rounds.
#[test]
fn steps_of_collectives_follow_each_other() {
    let ring = |rounds: u32| {
        let text = format!(
            "[network]\ntopology = {{ kind = \"star\", hosts = 4, delay = \"1ms\" }}\n\
             flow_control = \"none\"\n[cc]\nalgorithm = \"none\"\n\
             [[traffic]]\nkind = \"collective\"\n\
             operation = \"all-reduce\"\ndata = \"4KB\"\nrounds = {rounds}\n\
             compute = \"10us\"\n"
        );
        estimate(&text)
    };
    // A step crosses two links of 1 ms; the last ACK comes back over both.
    let (step, compute) = (2000.084, 10.0);
    let one = 6.0 * step + 5.0 * compute + 2000.0;
    let told = ring(1).end.as_ps() as f64 / 1e6;
    assert!((told - one).abs() < 2.0, "{told} {one}");
    let all = 10_000.0 * (6.0 * (step + compute));
    let told = ring(10_000).end.as_ps() as f64 / 1e6;
    assert!((told / all - 1.0).abs() < 0.01, "{told} {all}");
}
