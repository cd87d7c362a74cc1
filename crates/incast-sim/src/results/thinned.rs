//! Series of which not all samples were kept, because they had too many rows.

use incast_net::{Recording, SampleIntervals};
use incast_units::Time;
use serde::{Deserialize, Serialize};

/// Series that were thinned; `None` for complete ones.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThinnedSeries {
    /// Queues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queues: Option<ThinnedTo>,
    /// Flows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flows: Option<ThinnedTo>,
    /// PFC frames from this time on are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pfc_cut_ps: Option<u64>,
}

/// A series that was thinned. The kept samples are unchanged.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThinnedTo {
    /// The interval in the scenario.
    pub every_ps: u64,
    /// The interval of the samples that were kept.
    pub kept_every_ps: u64,
}

impl ThinnedSeries {
    /// `None` if all samples were kept.
    pub(super) fn of(recording: &Recording, asked: SampleIntervals) -> Option<Self> {
        let kept = recording.kept_intervals;
        let thinned = Self {
            queues: ThinnedTo::of(asked.queues, kept.queues),
            flows: ThinnedTo::of(asked.flows, kept.flows),
            pfc_cut_ps: recording.pauses_cut.map(Time::as_ps),
        };
        let Self {
            queues,
            flows,
            pfc_cut_ps,
        } = thinned;
        (queues.is_some() || flows.is_some() || pfc_cut_ps.is_some()).then_some(thinned)
    }
}

impl ThinnedTo {
    fn of(asked: Option<Time>, kept: Option<Time>) -> Option<Self> {
        let (asked, kept) = asked.zip(kept)?;
        (asked < kept).then_some(Self {
            every_ps: asked.as_ps(),
            kept_every_ps: kept.as_ps(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asked for every 1 us of queues, and every 2 us of flows.
    fn of(kept_us: [u64; 2], pauses_cut: Option<Time>) -> Option<ThinnedSeries> {
        let intervals = |[queues, flows]: [u64; 2]| SampleIntervals {
            queues: Some(Time::from_us(queues)),
            flows: Some(Time::from_us(flows)),
        };
        let recording = Recording {
            kept_intervals: intervals(kept_us),
            pauses_cut,
            ..Recording::default()
        };
        ThinnedSeries::of(&recording, intervals([1, 2]))
    }

    #[test]
    fn each_series_is_thinned_by_itself() {
        let thinned = |every_us: u64, kept_every_us: u64| {
            Some(ThinnedTo {
                every_ps: every_us * 1_000_000,
                kept_every_ps: kept_every_us * 1_000_000,
            })
        };
        let series = |queues, flows, pfc_cut_ps| {
            Some(ThinnedSeries {
                queues,
                flows,
                pfc_cut_ps,
            })
        };
        assert_eq!(of([1, 2], None), None);
        assert_eq!(of([4, 2], None), series(thinned(1, 4), None, None));
        assert_eq!(of([1, 4], None), series(None, thinned(2, 4), None));
        assert_eq!(
            of([1, 2], Some(Time::from_us(9))),
            series(None, None, Some(9_000_000))
        );
    }
}
