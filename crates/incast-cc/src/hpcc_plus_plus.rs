//! HPCC++: HPCC in windows, as in the Internet-Draft, with the draft's options for fewer INT
//! records.
//!
//! Miao et al., "HPCC++: Enhanced High Precision Congestion Control", draft-miao-tsv-hpcc,
//! §4.2 (lines 1 to 27), §6.3.2 (lines 28 to 34).
//!
//! ```text
//! u ← max over hops of min(q_i, q_i')/(B_i·T) + txRate_i/B_i       (1)  lines 3 to 7
//! U ← (1 − τ/T)·U + (τ/T)·u                                        (2)  lines 8 and 9
//! W ← W_c/(U/η) + W_ai   if U ≥ η or incStage ≥ maxStage           (3)  line 13
//! W ← W_c + W_ai         otherwise                                 (4)  line 17
//! W_c ← W, incStage ← 0 or incStage + 1   once per RTT             (5)  lines 15, 19, 24
//! R ← W/T                                                          (6)  line 27
//! W_ai = W_init·(1 − η)/N                                          (7)  §5
//! ```
//!
//! Primed values are those of the previous record; τ is the time between the two records, at most
//! T.
//!
//! This is the controller of `hpcc` in windows, with W for R·T. There are three differences: W_ai
//! follows from N by Eq. (7); `feedback` may come by probes or from the receiver; there is no
//! R_min. With η = 1 Eq. (7) gives 0. The window then grows by the multiplicative step alone,
//! unless `additive_increase` is set.
//!
//! | parameter             | symbol   | unit   | default      | source                         |
//! |-----------------------|----------|--------|--------------|--------------------------------|
//! | `target_utilisation`  | η        | 1      | 0.95         | draft, §4.1                    |
//! | `max_stage`           | maxStage | 1      | 5            | draft, §4.1                    |
//! | `flows`               | N        | 1      | 100          | HPCC §5.1; the draft: expected |
//! | `additive_increase`   | W_ai     | window | by Eq. (7)   | draft, §5                      |
//! | `feedback`            | –        | –      | `every-ack`  | draft, §4.2                    |
//!
//! `feedback` selects the records that W follows. `every-ack`: the records of every ACK. `probes`:
//! the records of one packet at a time; the next such packet leaves when the previous one is
//! acknowledged (§6.2.1; §7.1 for RoCEv2). `receiver`: the records of every ACK, but W changes once
//! per T, when the receiver would send W (lines 28 to 34).
//!
//! Shared by QPs: those of one path, as INT is compared hop by hop.
//! Needs: INT on data, one ACK per packet. Ignores: ECN, CNP, timestamps.
//! Deviations: W is at most W_init, so that R is at most the line's. U begins at 1, as in HPCC's
//! artifact; the draft does not say. lastUpdateSeq never decreases. Under `probes` and `receiver`
//! all data packets still carry INT (`network.packets.int` is their bytes): probes and answers of
//! their own are not modelled, nor is the receiver's count of flows.

use incast_signals::int::{HopRecords, RecordReader, Records};
use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hpcc::averaged;
use crate::number::ns;
use crate::rtt_epoch::RttEpoch;
use crate::{
    Ack, CongestionControl, FlowContext, FlowController, Needs, Parameters, SendLimit, Window,
};

#[cfg(test)]
mod tests;

/// Parameters of HPCC++; the module's table has the sources of the defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HpccPlusPlusConfig {
    /// Target utilisation η of the busiest link.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub target_utilisation: f64,
    /// Additive steps in a row before a multiplicative step.
    #[schemars(range(max = 1_000_000))]
    pub max_stage: u32,
    /// N, the number of flows for which a link should stay without a queue.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub flows: u32,
    /// Additive increase of the window. Default: the increase at which `flows` flows together stay
    /// below line rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additive_increase: Option<Window>,
    /// The records that the window follows.
    pub feedback: HpccFeedback,
}

/// The INT records that the window of HPCC++ follows.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HpccFeedback {
    /// INT of every ACK.
    EveryAck,
    /// INT of one packet at a time, once per RTT.
    Probes,
    /// INT of every ACK; the receiver sends the window once per base RTT.
    Receiver,
}

impl Default for HpccPlusPlusConfig {
    fn default() -> Self {
        Self {
            target_utilisation: 0.95,
            max_stage: 5,
            flows: 100,
            additive_increase: None,
            feedback: HpccFeedback::EveryAck,
        }
    }
}

impl Parameters for HpccPlusPlusConfig {
    fn target_utilisation(&self) -> Option<f64> {
        Some(self.target_utilisation)
    }

    fn needs(&self) -> Needs {
        Needs::int_of_successive_acks()
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        let initial = Window::Bdp.in_bytes(context);
        let headroom = initial * (1.0 - self.target_utilisation);
        let increase = match self.additive_increase {
            Some(increase) => increase.in_bytes(context),
            None => headroom / f64::from(self.flows), // (7)
        };
        Box::new(HpccPlusPlus {
            config: self.clone(),
            base_rtt: context.base_rtt,
            line_rate: context.line_rate,
            initial,
            increase,
            window: initial,
            reference: initial,
            utilisation: 1.0,
            inc_stage: 0,
            rtt: RttEpoch::default(),
            next_answer: Time::ZERO,
            last_int: Vec::new(),
        })
    }
}

/// One flow under HPCC++.
#[derive(Clone)]
struct HpccPlusPlus {
    config: HpccPlusPlusConfig,
    /// T.
    base_rtt: Time,
    line_rate: Rate,
    /// W_init, in bytes.
    initial: f64,
    /// W_ai, in bytes.
    increase: f64,
    /// W, in bytes.
    window: f64,
    /// W_c, in bytes.
    reference: f64,
    /// U.
    utilisation: f64,
    /// incStage, the number of successive additive steps.
    inc_stage: u32,
    rtt: RttEpoch,
    /// Earliest time at which the receiver may send the next window.
    next_answer: Time,
    /// L, the packed INT of the previous ACK; empty before the first.
    last_int: Vec<u64>,
}

/// Whether W becomes the reference (updateWc).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ReferenceWindow {
    Stays,
    Moves,
}

impl CongestionControl for HpccPlusPlus {
    /// NewAck, lines 21 to 27, or NewINT, lines 28 to 34.
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        if self.last_int.len() != ack.telemetry.words().len() {
            self.last_int = ack.telemetry.words().to_vec();
            self.rtt.begin(ack);
            self.next_answer = now + self.base_rtt;
            return;
        }
        let rtt_is_over = self.rtt.is_over(ack);
        match self.config.feedback {
            HpccFeedback::EveryAck if rtt_is_over => self.react(ack, ReferenceWindow::Moves),
            HpccFeedback::EveryAck => self.react(ack, ReferenceWindow::Stays),
            HpccFeedback::Probes if rtt_is_over => self.react(ack, ReferenceWindow::Moves),
            HpccFeedback::Probes => return,
            HpccFeedback::Receiver if now > self.next_answer => {
                self.react(ack, ReferenceWindow::Moves);
                self.next_answer = now + self.base_rtt;
            }
            // The receiver measures, but sends no window.
            HpccFeedback::Receiver => self.measure(ack),
        }
        if rtt_is_over {
            self.rtt.begin(ack);
        }
    }

    fn limit(&self) -> SendLimit {
        let bits_per_second = self.window * 8.0 / self.base_rtt.as_secs_f64(); // (6)
        SendLimit {
            window: Bytes::new((self.window as u64).max(1)),
            ..SendLimit::paced(Rate::from_bps((bits_per_second as u64).max(1)).min(self.line_rate))
        }
    }

    fn on_path_change(&mut self) {
        self.last_int.clear();
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("utilisation", self.utilisation);
        record("reference_window_bytes", self.reference);
    }
}

impl HpccPlusPlus {
    /// ComputeWind(MeasureInflight(ack), updateWc), lines 11 to 20.
    fn react(&mut self, ack: &Ack<'_>, reference: ReferenceWindow) {
        self.measure(ack);
        let target = self.config.target_utilisation;
        let multiplies = self.utilisation >= target || self.inc_stage >= self.config.max_stage;
        let (window, inc_stage) = match multiplies {
            true => (
                self.reference / (self.utilisation / target) + self.increase,
                0,
            ), // (3)
            false => (self.reference + self.increase, self.inc_stage + 1), // (4)
        };
        self.window = window.min(self.initial);
        if reference == ReferenceWindow::Moves {
            (self.reference, self.inc_stage) = (self.window, inc_stage); // (5)
        }
    }

    /// MeasureInflight, lines 1 to 10.
    fn measure(&mut self, ack: &Ack<'_>) {
        match ack.telemetry.reader() {
            Records::Quantised(reader) => self.measure_records(reader, ack),
            Records::Exact(reader) => self.measure_records(reader, ack),
        }
    }

    fn measure_records<R: RecordReader>(&mut self, reader: R, ack: &Ack<'_>) {
        let base_rtt = self.base_rtt.as_secs_f64();
        let (mut busiest, mut elapsed) = (0.0, 0);
        for hop in HopRecords::of(reader, ack.telemetry.words(), &mut self.last_int) {
            let queue = hop.shorter_queue() as f64 * 8.0 / base_rtt;
            let utilisation = (queue + hop.sent_bps()) / hop.link_bps(); // (1)
            if utilisation > busiest {
                (busiest, elapsed) = (utilisation, hop.elapsed());
            }
            hop.remember();
        }
        let (elapsed_ns, over_ns) = (reader.ns(elapsed), ns(self.base_rtt));
        self.utilisation = averaged(self.utilisation, busiest, elapsed_ns, over_ns); // (2)
    }
}
