//! `BUFFER_SIZE`, and ns-3's behaviour if the headroom of its ports exceeds the buffer.
//!
//! The shared part of a switch's buffer is the size minus the reserve and the headroom of its
//! ports. The artifact subtracts with 32 bits (`GetPfcThreshold` of `switch-mmu.cc`). If reserve
//! and headroom exceed the buffer, the difference is 4 GiB too large, and the switch hardly ever
//! pauses. A buffer that is 4 GiB larger has the same thresholds.

use incast_diagnostic::Diagnostic;
use incast_topology::Topology;
use incast_units::Bytes;

use super::config::Config;
use super::notes::Notes;

/// The reserve of each port in bytes, in addition to its headroom (`switch-mmu.cc`).
const RESERVE: u64 = 4 * 1024;
/// The headroom of a port, in multiples of rate · delay of its link (`scratch/third.cc`).
const HEADROOM: u64 = 3;
/// The largest sum of reserve and headroom: with more, the buffer would exceed the largest size.
const MAX_KEPT: u64 = 1_000_000_000_000_000 - 2 * WRAP;
/// The error of a negative difference in 32 bits.
const WRAP: u64 = 1 << 32;

/// The buffer of each switch.
pub(super) fn size(
    config: &Config,
    topology: &Topology,
    notes: &mut Notes,
) -> Result<Bytes, Diagnostic> {
    let key = "BUFFER_SIZE";
    let mebibytes = config.number(key, 16.0)?;
    if !(0.0..=f64::from(u32::MAX)).contains(&mebibytes) {
        let what = format!("`{mebibytes}` is not a size in MiB");
        return Err(config.wrong(key, what, "write e.g. 32"));
    }
    // Rounded down to whole bytes, as in the forks that read a fraction.
    let size = (mebibytes * f64::from(1 << 20)) as u64;
    let kept = kept_by_switches(topology);
    let most = kept.iter().copied().max().unwrap_or(0);
    if most > MAX_KEPT {
        return Err(too_long(config, topology));
    }
    let wraps = most.saturating_sub(size).div_ceil(WRAP);
    let mut remark = "network.buffer.size".to_owned();
    if mebibytes.fract() != 0.0 {
        remark += "; a fraction, which forks read and the artifact does not";
    }
    if wraps > 0 {
        let never = kept.iter().filter(|kept| **kept <= size).count();
        remark += &format!(
            ", and {} GiB: headroom and reserve take {}, and ns-3 subtracts them with 32 bits, so \
             that switches hardly ever pause",
            4 * wraps,
            Bytes::new(most)
        );
        if never > 0 {
            remark += &format!("; here neither do the {never} whose ports keep less");
        }
    }
    notes.used(key, &remark);
    Ok(Bytes::new(size + wraps * WRAP))
}

/// Headroom and reserve of all ports of each switch, in bytes.
fn kept_by_switches(topology: &Topology) -> Vec<u64> {
    let mut kept = vec![0_u64; topology.nodes() as usize];
    for link in &topology.links {
        let on_the_way = link.rate.bytes_in(link.delay).as_u64();
        let of_port = on_the_way.saturating_mul(HEADROOM).saturating_add(RESERVE);
        for end in [link.a, link.b] {
            let kept = &mut kept[end.index()];
            *kept = kept.saturating_add(of_port);
        }
    }
    kept.split_off(topology.hosts as usize)
}

/// A diagnostic: some links need more headroom than any buffer has.
fn too_long(config: &Config, topology: &Topology) -> Diagnostic {
    let longest = topology.links.iter().max_by_key(|link| link.delay);
    let what = longest.map_or_else(String::new, |link| {
        let (rate, delay) = (link.rate, link.delay);
        format!("on links of {rate} and {delay} more is under way than any buffer can hold")
    });
    config.wrong(
        "TOPOLOGY_FILE",
        what,
        "use links that take at most a minute",
    )
}
