//! Headroom that exceeds buffers, links that lose packets, and features that forks switch off.

use super::*;

fn with_topology(config: &str, topology: &str) -> (tempfile::TempDir, Import) {
    let folder = folder(config);
    std::fs::write(folder.path().join("topology.txt"), topology).unwrap();
    let import = import_hpcc_ns3(&HpccImport::of(&folder.path().join("config.txt")));
    (folder, import.unwrap())
}

fn outcome(import: &Import, key: &str) -> String {
    let found = import.report.iter().find(|each| each.key == key);
    found.expect("the key").outcome.to_string()
}

/// Links of 1 ms: 100 Gb/s · 1 ms / 8 = 12.5 MB; each port has three times this much headroom, and
/// 4096 B of reserve.
const LONG: &str = "3 1 2\n2\n0 2 100Gbps 1ms 0\n1 2 100Gbps 1ms 0\n";

/// 2 · (37 500 000 + 4096) = 75 008 192 B are more than 32 MiB = 33 554 432 B. ns-3's difference of
/// 32 bits, 33 554 432 − 75 008 192 + 2³², is that of a buffer of 33 554 432 + 2³² B.
#[test]
fn headroom_beyond_the_buffer_wraps_around_as_in_ns3() {
    let (folder, import) = with_topology(CONFIG, LONG);
    let buffer = valid(folder.path(), &import).network().buffer.size;
    assert_eq!(buffer, Bytes::new(33_554_432 + (1 << 32)));
    assert_eq!(
        outcome(&import, "BUFFER_SIZE"),
        "used: network.buffer.size, and 4 GiB: headroom and reserve take 75008192B, and ns-3 \
         subtracts them with 32 bits, so that switches hardly ever pause"
    );
}

/// 100 Gb/s · 1 000 000 s / 8 = 12.5 PB; three times this much headroom for a port exceeds any
/// buffer. At 10 Tb/s it is 1.25·10¹⁸ B; 16 · 3 times this much does not fit 64 bits.
#[test]
fn links_of_days_are_refused_by_their_length() {
    let ports = 16;
    let links: String = (0..ports)
        .map(|host| format!("{host} {ports} 10000Gbps 1000000s 0\n"))
        .collect();
    let many = format!("{} 1 {ports}\n{ports}\n{links}", ports + 1);
    let long = LONG.replace("1ms", "1000000s");
    for (topology, link) in [
        (long, "100Gbps and 1000000s"),
        (many, "10Tbps and 1000000s"),
    ] {
        let folder = folder(CONFIG);
        std::fs::write(folder.path().join("topology.txt"), topology).unwrap();
        let config = folder.path().join("config.txt");
        let wrong = import_hpcc_ns3(&HpccImport::of(&config)).unwrap_err();
        let expected = format!(
            "config.txt:6: TOPOLOGY_FILE: on links of {link} more is under way than any buffer \
             can hold; use links that take at most a minute"
        );
        assert!(wrong.to_string().ends_with(&expected), "{wrong}");
    }
}

/// One of two switches has less headroom than buffer: 3 · 12 500 B + 3 · 12.5 kB and reserves.
#[test]
fn switches_that_would_pause_are_told() {
    let two = "4 2 3\n2 3\n0 2 100Gbps 1us 0\n1 3 100Gbps 1ms 0\n2 3 100Gbps 1us 0\n";
    let (_folder, import) = with_topology(CONFIG, two);
    let told = outcome(&import, "BUFFER_SIZE");
    assert!(
        told.ends_with("; here neither do the 1 whose ports keep less"),
        "{told}"
    );
}

/// 0.5 MiB = 524 288 B; headroom and reserve of two ports with 1 us are
/// 2 · (37 500 + 4096) = 83 192 B.
#[test]
fn a_buffer_may_be_a_fraction_as_in_forks() {
    let (folder, import) = with_topology(&CONFIG.replace("SIZE 32", "SIZE 0.5"), PAIR);
    assert_eq!(
        valid(folder.path(), &import).network().buffer.size,
        Bytes::new(524_288)
    );
    assert!(outcome(&import, "BUFFER_SIZE").contains("a fraction"));
}

#[test]
fn random_loss_is_a_fault_of_all_links() {
    let lossy = CONFIG.replace("ERROR_RATE_PER_LINK 0.0000", "ERROR_RATE_PER_LINK 0.03");
    let (folder, import) = with_topology(&lossy, PAIR);
    valid(folder.path(), &import);
    let expected = "[[fault]]\nkind = \"loss\"\nprobability = 0.03\nlinks = [\"switch 2\"]\n";
    assert!(import.toml.contains(expected), "{}", import.toml);
    assert!(outcome(&import, "ERROR_RATE_PER_LINK").starts_with("used: a [[fault]] of all links"));
}

#[test]
fn settings_of_what_is_switched_off_are_notes() {
    let off = format!("{CONFIG}\nENABLE_PBT 0\nPBT_MAX 1073741824\nP4THMETER_THRESHOLD 1\n");
    let import = import(&off).unwrap();
    assert_eq!(
        outcome(&import, "PBT_MAX"),
        "not used: what it belongs to is switched off"
    );
    assert_eq!(
        outcome(&import, "P4THMETER_THRESHOLD"),
        "not used: PrioMeter does not read it, but P4THMETER_THR"
    );
    let on = self::import(&off.replace("PBT 0", "PBT 1")).unwrap_err();
    assert!(
        on.contains("--ignore ENABLE_PBT --ignore PBT_MAX to"),
        "{on}"
    );
}

#[test]
fn the_older_simulator_is_told_by_name() {
    let wrong = import("ENABLE_QCN 1\nPACKET_LEVEL_ECMP 0\nCC_MODE 1\n").unwrap_err();
    assert!(wrong.contains("a configuration of ns3-rdma"), "{wrong}");
}

/// Three hosts, each with a link to each other host: each has a NIC for each link.
#[test]
fn hosts_without_a_switch_are_a_mesh() {
    let mesh = "3 0 3\n\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n";
    let (folder, import) = with_topology(CONFIG, mesh);
    let spec = valid(folder.path(), &import);
    assert_eq!(
        (spec.topology().machine_count(), spec.topology().hosts),
        (3, 6)
    );
}
