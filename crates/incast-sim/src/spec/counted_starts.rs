//! Which flows count in FCT statistics. Of open-loop traffic, flows count that start while the
//! network is in a steady state.
//!
//! The first third of the arrivals fills the network. The last third keeps it full while the
//! counted flows finish. The window depends on the scenario alone, so all algorithms and seeds of a
//! comparison count the same flows.

use incast_units::Time;
use incast_workload::ValidTraffic;

use super::ValidSpec;
use super::section::measure::FctFlows;

/// The number of equal parts into which the default rule divides the time of arrivals. Flows of the
/// middle part count.
const PARTS: u64 = 3;

/// A span of time, its end excluded.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from: Time,
    pub(crate) until: Time,
}

impl Span {
    pub(crate) fn contains(self, time: Time) -> bool {
        self.from <= time && time < self.until
    }

    pub(crate) fn length(self) -> Time {
        self.until.saturating_sub(self.from)
    }

    /// The middle third of the span, in whole picoseconds.
    pub(crate) fn middle_third(self) -> Self {
        let part = |n: u64| Time::from_ps(self.length().as_ps() / PARTS * n);
        Self {
            from: self.from + part(1),
            until: self.from + part(PARTS - 1),
        }
    }
}

/// When the flows of a traffic entry start, and which of these flows count.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CountedStarts {
    /// When flows of open-loop traffic arrive, as expected over seeds, up to the stop time.
    pub(crate) arrivals: Option<Span>,
    /// Flows that start in this window count; without a window all flows count.
    pub(crate) window: Option<Span>,
}

impl CountedStarts {
    /// Whether a flow with this start time counts.
    pub(crate) fn counts(self, start: Time) -> bool {
        self.window.is_none_or(|window| window.contains(start))
    }

    /// How long the network fills before the first counted flow.
    pub(crate) fn warm_up(self) -> Option<Time> {
        let arrivals = self.arrivals?;
        let window = self.window.unwrap_or(arrivals.middle_third());
        Some(window.from.saturating_sub(arrivals.from))
    }
}

/// A traffic entry of open-loop traffic.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct OpenLoop {
    /// Number of the traffic entry.
    pub traffic: u16,
    /// The offered payload over the rates of the sources' NICs.
    pub load: f64,
    /// The rates of the sources' NICs, summed, in bit/s.
    pub nic_rates_bps: f64,
    /// The standard deviation of the load over seeds, relative to the load.
    pub spread: f64,
    /// When the entry's flows arrive, as expected over seeds, up to the stop time: begin and end.
    pub arrivals: (Time, Time),
    /// FCT statistics count the flows that start in this time: begin and end. If missing, all flows
    /// count.
    pub counted: Option<(Time, Time)>,
}

impl OpenLoop {
    /// The bits that the sources' NICs carry at their full rate in the time of the arrivals.
    pub(crate) fn bits_at_full_load(&self) -> f64 {
        self.nic_rates_bps * self.arrivals.1.saturating_sub(self.arrivals.0).as_ps() as f64 / 1e12
    }
}

impl ValidSpec {
    /// The traffic entries of open-loop traffic.
    pub fn open_loop(&self) -> Vec<OpenLoop> {
        let entries = (0..).zip(self.workload.entries());
        let found = entries.zip(self.counted_starts());
        let of = |((traffic, entry), starts): ((u16, &ValidTraffic), CountedStarts)| {
            let (offered, arrivals) = (entry.offered_load()?, starts.arrivals?);
            Some(OpenLoop {
                traffic,
                load: offered.load,
                nic_rates_bps: offered.nic_rates_bps,
                spread: offered.spread(arrivals.length()),
                arrivals: (arrivals.from, arrivals.until),
                counted: starts.window.map(|window| (window.from, window.until)),
            })
        };
        found.filter_map(of).collect()
    }

    /// Whether all traffic is open-loop.
    pub(crate) fn is_open_loop(&self) -> bool {
        let entries = self.workload.entries();
        entries.iter().all(|entry| entry.open_loop().is_some())
    }

    /// The utilisation of the busiest link that congestion control aims at; of several algorithms
    /// the smallest.
    pub(crate) fn target_utilisation(&self) -> f64 {
        let targets = self.algorithms.iter();
        let targets = targets.filter_map(|one| one.config().target_utilisation());
        targets.fold(1.0, f64::min)
    }

    /// The counted starts of each traffic entry.
    pub(crate) fn counted_starts(&self) -> Vec<CountedStarts> {
        let entries = self.workload.entries().iter();
        entries
            .map(|entry| self.counted_of(entry.open_loop()))
            .collect()
    }

    fn counted_of(&self, open_loop: Option<(Time, Time)>) -> CountedStarts {
        let stop = self.stop().unwrap_or(Time::MAX);
        let arrivals = open_loop.map(|(from, until)| Span {
            from,
            until: until.min(stop).max(from),
        });
        let measure = &self.scenario.measure;
        let is_asked = measure.from.is_some() || measure.until.is_some();
        let asked = is_asked.then_some(Span {
            from: self.measure.window.from,
            until: self.measure.window.until,
        });
        let window = match measure.fct.unwrap_or_default() {
            FctFlows::All => None,
            FctFlows::Window => asked,
            FctFlows::Steady => arrivals.map(|span| asked.unwrap_or(span.middle_third())),
        };
        CountedStarts { arrivals, window }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Source, Spec};

    fn counted(measure: &str, traffic: &str) -> Vec<CountedStarts> {
        let text = format!(
            "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"hpcc\"\n\
             [measure]\n{measure}\n{traffic}"
        );
        let spec = Spec::parse(&Source::from_text("scenario.toml", &text), &[]);
        let valid = spec.and_then(Spec::validate);
        valid
            .unwrap_or_else(|error| panic!("{error}"))
            .counted_starts()
    }

    const POISSON: &str = "[[traffic]]\nkind = \"poisson\"\nsizes = \"web-search\"\nload = 0.4\n\
                           start = \"1ms\"\nduration = \"3ms\"\n";
    const INCAST: &str = "[[traffic]]\nkind = \"incast\"\nsizes = \"1MB\"\nreceiver = 0\n\
                          senders = \"1-4\"\n";

    fn span(from: u64, until: u64) -> Option<Span> {
        let (from, until) = (Time::from_us(from), Time::from_us(until));
        Some(Span { from, until })
    }

    /// With arrivals from 1 to 4 ms the middle third is from 2 to 3 ms. All flows of an incast
    /// count.
    #[test]
    fn the_middle_third_of_each_open_loop_entry_counts() {
        let found = counted("", &format!("{POISSON}{INCAST}"));
        assert_eq!(found[0].arrivals, span(1000, 4000));
        assert_eq!(found[0].window, span(2000, 3000));
        assert_eq!(found[0].warm_up(), Some(Time::from_us(1000)));
        assert_eq!(found[1], CountedStarts::default());
        assert_eq!(found[1].warm_up(), None);
    }

    /// The run stops at 2.5 ms, so arrivals last from 1 to 2.5 ms: a third is 0.5 ms.
    #[test]
    fn a_stop_ends_the_arrivals() {
        let found = counted("", &format!("{POISSON}[run]\nstop = \"2500us\"\n"));
        assert_eq!(found[0].window, span(1500, 2000));
    }

    #[test]
    fn a_window_of_the_user_overrides_it() {
        let both = format!("{POISSON}{INCAST}");
        let found = counted("from = \"3ms\"\nuntil = \"3500us\"", &both);
        assert_eq!(found[0].window, span(3000, 3500));
        assert_eq!(found[0].warm_up(), Some(Time::from_us(2000)));
        assert_eq!(found[1].window, None);
        // Without an end, the window ends with the arrivals, as the one of goodput does.
        assert_eq!(
            counted("from = \"3ms\"", POISSON)[0].window,
            span(3000, 4000)
        );
        let all = counted("from = \"3ms\"\nfct = \"all\"", &both);
        assert_eq!((all[0].window, all[1].window), (None, None));
        assert_eq!(all[0].warm_up(), Some(Time::from_us(1000)));
        let window = counted("from = \"3ms\"\nuntil = \"4ms\"\nfct = \"window\"", &both);
        assert_eq!([window[0].window, window[1].window], [span(3000, 4000); 2]);
    }
}
