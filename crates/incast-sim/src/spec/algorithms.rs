//! The algorithms of a scenario: the one of `[cc]`, and those of `[[traffic]]` entries with a `cc`
//! of their own. Also the needs of all of them together, which one network has to serve.

use incast_cc::{AlgorithmConfig, Needs};
use incast_diagnostic::{Diagnostic, Placed as _};
use incast_net::IntSource;
use incast_signals::{EcnOff, EcnOptions};
use incast_units::OneOf;

use super::scenario::Scenario;
use super::section::cc::CcSection;
use super::section::network::NetworkSection;

/// The group of the flows under `[cc]`, the first of all groups.
const OF_CC: u16 = 0;
/// The group of the flows of entries with `controlled = false`.
const UNCONTROLLED: u16 = 1;

/// The algorithms of a scenario, each once.
#[derive(Clone, Debug)]
pub(crate) struct Algorithms {
    /// The algorithm of `[cc]` first, then the others in the order of the entries.
    all: Vec<FlowAlgorithm>,
    /// By traffic entry: the index of its algorithm in `all`; `None` if its flows are not
    /// controlled.
    of_entry: Vec<Option<usize>>,
    /// The needs of all algorithms together.
    needs: Needs,
    /// The names of the algorithms, each once, with commas between.
    label: String,
}

/// An algorithm, with the key that it is written under and the needs of its flows.
#[derive(Clone, Debug)]
pub(crate) struct FlowAlgorithm {
    pub(crate) cc: CcSection,
    pub(crate) needs: Needs,
    /// Whether marks of the algorithm's flows cause CNPs, where receivers send CNPs.
    pub(crate) takes_cnps: bool,
    /// The key that the algorithm is written under.
    key: String,
}

impl Algorithms {
    /// # Errors
    /// Parameters that are out of range or contradict each other, a `cc` without effect, and
    /// algorithms that one network cannot serve.
    pub(crate) fn of(scenario: &Scenario) -> Result<Self, Diagnostic> {
        let mut all = vec![FlowAlgorithm::checked(&scenario.cc, "cc".to_owned())?];
        let mut of_entry = Vec::new();
        for (index, entry) in scenario.traffic.iter().enumerate() {
            let key = format!("traffic[{index}].cc");
            of_entry.push(match &entry.cc {
                None => entry.kind.is_controlled().then_some(0),
                Some(_) if !entry.kind.is_controlled() => {
                    let what = "the entry's flows have no congestion control: controlled = false";
                    return Err(Diagnostic::new(what, "remove one of the two").at(key));
                }
                Some(own) => match all.iter().position(|other| other.cc == *own) {
                    Some(place) => Some(place),
                    None => {
                        all.push(FlowAlgorithm::checked(own, key)?);
                        Some(all.len() - 1)
                    }
                },
            });
        }
        if all.len() > 1 && !of_entry.contains(&Some(0)) {
            return Err(unused(&all[0]));
        }
        let needs = needs_of_all(&all, &scenario.network)?;
        if all.iter().any(|one| one.needs.cnp.is_some()) {
            for one in &mut all {
                one.takes_cnps = one.needs.cnp.is_some();
            }
        }
        let label = label(&all);
        Ok(Self {
            all,
            of_entry,
            needs,
            label,
        })
    }

    /// All algorithms of the scenario.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &FlowAlgorithm> {
        self.all.iter()
    }

    /// The name and the needs of each algorithm.
    pub(crate) fn named(&self) -> Vec<(&str, &Needs)> {
        self.iter().map(|one| (one.name(), &one.needs)).collect()
    }

    /// Whether the scenario has several algorithms.
    pub(crate) fn are_mixed(&self) -> bool {
        self.all.len() > 1
    }

    /// The names of the algorithms, each once, with commas between.
    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// The needs of all algorithms together.
    pub(crate) fn needs(&self) -> &Needs {
        &self.needs
    }

    /// The algorithm of an entry's flows; `None` if these flows are not controlled.
    pub(crate) fn of_flows(&self, tag: u16) -> Option<&FlowAlgorithm> {
        Some(&self.all[self.place(tag)?])
    }

    /// Whether an entry's flows send without congestion control.
    pub(crate) fn are_uncontrolled(&self, tag: u16) -> bool {
        self.of_flows(tag).is_none_or(|one| one.name() == "none")
    }

    /// The group of an entry's flows. The flows of one group share an algorithm, or all have none.
    pub(crate) fn group(&self, tag: u16) -> u16 {
        match self.place(tag) {
            Some(0) => OF_CC,
            None => UNCONTROLLED,
            Some(place) => UNCONTROLLED + place as u16,
        }
    }

    /// The value of `of` for the algorithm of each group; flows that are not controlled take that
    /// of `[cc]`.
    pub(crate) fn by_group<T>(&self, of: impl Fn(&FlowAlgorithm) -> T) -> Vec<T> {
        let (first, others) = self.all.split_at(1);
        let all = first.iter().chain(first).chain(others);
        all.map(of).collect()
    }

    /// By traffic entry: the name of its algorithm; `none` if its flows are not controlled.
    pub(crate) fn names_by_entry(&self) -> Vec<String> {
        let name = |place: &Option<usize>| match place {
            Some(place) => self.all[*place].name().to_owned(),
            None => "none".to_owned(),
        };
        self.of_entry.iter().map(name).collect()
    }

    fn place(&self, tag: u16) -> Option<usize> {
        let entry = self.of_entry.get(usize::from(tag));
        entry.copied().unwrap_or(Some(0))
    }
}

impl FlowAlgorithm {
    fn checked(cc: &CcSection, key: String) -> Result<Self, Diagnostic> {
        cc.check_ranges().at(&key)?;
        cc.algorithm.check().at(&key)?;
        Ok(Self {
            cc: cc.clone(),
            needs: cc.algorithm.needs(),
            takes_cnps: true,
            key,
        })
    }

    pub(crate) fn name(&self) -> &str {
        self.cc.name.as_str()
    }

    pub(crate) fn config(&self) -> &AlgorithmConfig {
        &self.cc.algorithm
    }

    /// The algorithm's name and the key that it is written under, for messages.
    fn described(&self) -> String {
        let place = self.key.strip_suffix(".cc").unwrap_or("[cc]");
        format!("`{}` of {place}", self.name())
    }
}

fn unused(cc: &FlowAlgorithm) -> Diagnostic {
    let what = format!(
        "`{}` is no flow's algorithm: every entry of the traffic has another `cc`",
        cc.name()
    );
    let hint = "write an entry's algorithm here, and leave its `cc` out";
    Diagnostic::new(what, hint).at(&cc.key)
}

fn label(all: &[FlowAlgorithm]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for one in all {
        if !names.contains(&one.name()) {
            names.push(one.name());
        }
    }
    names.join(", ")
}

/// The needs of all algorithms together: the network provides each signal that any of them needs.
///
/// # Errors
/// If two algorithms need what one network cannot provide together.
fn needs_of_all(all: &[FlowAlgorithm], network: &NetworkSection) -> Result<Needs, Diagnostic> {
    let (first, others) = all.split_first().expect("a scenario has [cc]");
    let mut together = first.needs.clone();
    for (number, other) in others.iter().enumerate() {
        let earlier = &all[..=number];
        check_programs(earlier, other)?;
        check_int(earlier, other)?;
        check_ecn(earlier, other, network)?;
        check_cnps(earlier, other, network)?;
        let needs = &other.needs;
        together.ecn = together.ecn.or(needs.ecn);
        if together.int == IntSource::Off {
            together.int = needs.int;
        }
        together.cnp = together.cnp.or(needs.cnp);
        together.timestamp |= needs.timestamp;
        together.per_packet_ack |= needs.per_packet_ack;
        together.sent_packets |= needs.sent_packets;
        together.timers |= needs.timers;
        together.sequence_limit |= needs.sequence_limit;
        together.room |= needs.room;
        together.ack_every = together.ack_every.or(needs.ack_every);
        together.received_bytes |= needs.received_bytes;
        together.selective_repeat |= needs.selective_repeat;
        together.finds_losses |= needs.finds_losses;
        together.reschedules_pending |= needs.reschedules_pending;
    }
    Ok(together)
}

/// Refuses a second algorithm beside one with programs of switches or hosts, which act on the
/// packets of all flows.
fn check_programs(earlier: &[FlowAlgorithm], other: &FlowAlgorithm) -> Result<(), Diagnostic> {
    let needs_all = |one: &&FlowAlgorithm| {
        let needs = &one.needs;
        !needs.programs.is_empty() || !needs.host_programs.is_empty()
    };
    let beside = |one: &FlowAlgorithm, another: &FlowAlgorithm| {
        let what = format!(
            "{} needs switch programs that act on every flow, and cannot go with {}",
            one.described(),
            another.described()
        );
        let hint = "give all entries the same algorithm, or take one that needs no switch programs";
        Diagnostic::new(what, hint).at(&other.key)
    };
    if needs_all(&other) {
        return Err(beside(other, &earlier[0]));
    }
    match earlier.iter().find(needs_all) {
        Some(one) => Err(beside(one, other)),
        None => Ok(()),
    }
}

/// Refuses one algorithm with INT in data packets beside one with INT in ACKs: switches write one
/// of the two.
fn check_int(earlier: &[FlowAlgorithm], other: &FlowAlgorithm) -> Result<(), Diagnostic> {
    let told = |int: IntSource| match int {
        IntSource::Acks => "ACKs",
        _ => "data packets",
    };
    let mut with_int = earlier.iter().filter(|one| one.needs.int != IntSource::Off);
    match with_int.next() {
        Some(one) if other.needs.int != IntSource::Off && one.needs.int != other.needs.int => {
            let what = format!(
                "{} needs INT in {}, {} in {}: switches write into one of the two",
                one.described(),
                told(one.needs.int),
                other.described(),
                told(other.needs.int)
            );
            let hint = "take algorithms whose INT is in the same packets";
            Err(Diagnostic::new(what, hint).at(&other.key))
        }
        _ => Ok(()),
    }
}

/// Refuses two algorithms whose authors recommend different ECN marking, unless the scenario gives
/// the marking: a switch port has one marking curve.
fn check_ecn(
    earlier: &[FlowAlgorithm],
    other: &FlowAlgorithm,
    network: &NetworkSection,
) -> Result<(), Diagnostic> {
    let written = match &network.ecn {
        Some(OneOf::Plain(EcnOff::Off)) => return Ok(()),
        Some(OneOf::Nested(options)) => options.clone(),
        None => EcnOptions::default(),
    };
    let mut marked = earlier.iter().filter_map(|one| Some((one, one.needs.ecn?)));
    let (Some((one, first)), Some(second)) = (marked.next(), other.needs.ecn) else {
        return Ok(());
    };
    let completed = |recommended: &EcnOptions| written.clone().with_defaults(recommended);
    if completed(first) == completed(second) {
        return Ok(());
    }
    let what = format!(
        "{} and {} are made for different ECN marking, and a switch has one",
        one.described(),
        other.described()
    );
    let hint = format!(
        "write the thresholds for both, e.g. network.ecn = {}, those of `{}`",
        inline(&completed(first)),
        one.name()
    );
    Err(Diagnostic::new(what, hint).at(&other.key))
}

/// Refuses two algorithms with different CNP intervals, unless the scenario gives one: a receiver
/// has one interval for all flows.
fn check_cnps(
    earlier: &[FlowAlgorithm],
    other: &FlowAlgorithm,
    network: &NetworkSection,
) -> Result<(), Diagnostic> {
    let mut notified = earlier.iter().filter_map(|one| Some((one, one.needs.cnp?)));
    let (Some((one, first)), Some(second)) = (notified.next(), other.needs.cnp) else {
        return Ok(());
    };
    if first == second || network.cnp_interval.is_some() {
        return Ok(());
    }
    let what = format!(
        "{} has CNPs every {first} at most, {} every {second}: receivers have one interval",
        one.described(),
        other.described()
    );
    let hint = format!("write the one for both, e.g. network.cnp_interval = \"{first}\"");
    Err(Diagnostic::new(what, hint).at(&other.key))
}

/// The ECN options as an inline table of TOML.
fn inline(options: &EcnOptions) -> String {
    let table = toml::Table::try_from(options).expect("options can be printed");
    let pairs = table.iter().map(|(key, value)| format!("{key} = {value}"));
    format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
}
