//! PowerTCP: follow the power of the busiest link, which is its arrival rate times the bytes in its
//! queue and on the path.
//!
//! Addanki, Michel, Schmid, "PowerTCP: Pushing the Performance Limits of Datacenter Networks", NSDI
//! 2022. From the INT of each hop, b is its link's rate, q its queue, μ its sending rate:
//!
//! ```text
//! λ = dq/dt + μ                                     current      (1)
//! ν = q + b·τ                                       voltage      (2)
//! Γ = max over hops of λ·ν / (b²·τ)                 power        (3)
//! ```
//!
//! The rate follows from the power ([`power`](crate::power)).
//!
//! | parameter             | symbol | unit  | default  | source |
//! |-----------------------|--------|-------|----------|--------|
//! | `gamma`               | γ      | 1     | 0.9      | paper  |
//! | `target_utilisation`  | η      | 1     | 0.95     | the authors' ns-3 code |
//! | `additive_increase`   | R_AI   | bit/s | 150 Mb/s | the authors' ns-3 code |
//! | `min_rate`            | –      | bit/s | 100 Mb/s | ours   |
//! | `window`              | –      | –     | `variable` | the authors' ns-3 code |
//!
//! Shared by QPs: those of one path, as it compares the INT of successive ACKs hop by hop.
//! Needs: INT on data, an ACK per packet. Ignores: ECN, CNP, timestamps.
//! Deviations: rates take the place of windows. The second term of the rate has R_c where the paper
//! has the current window. Both follow the authors' ns-3 code (ns3-datacenter, `rdma-hw.cc`), which
//! is based on HPCC's. The authors' code leaves out dq/dt, as its switches count arriving bytes.

use incast_signals::int::{RecordReader, Records};
use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::power::{PowerOptions, PowerRate, PowerSample};
use crate::{
    Ack, CongestionControl, FlowContext, FlowController, Needs, Parameters, RateWindow, SendLimit,
};

#[cfg(test)]
mod tests;

/// Parameters of PowerTCP; the module's table has the sources of the values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PowerTcpConfig {
    /// Weight γ of the rate computed from the power.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gamma: f64,
    /// Target utilisation η of the busiest link.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub target_utilisation: f64,
    /// Additive increase of the rate.
    pub additive_increase: Rate,
    /// Lowest rate of a flow.
    pub min_rate: Rate,
    /// The window that limits the flow in addition to the rate.
    pub window: RateWindow,
}

impl Default for PowerTcpConfig {
    fn default() -> Self {
        Self {
            gamma: 0.9,
            target_utilisation: 0.95,
            additive_increase: Rate::from_mbps(150),
            min_rate: Rate::from_mbps(100),
            window: RateWindow::Variable,
        }
    }
}

impl Parameters for PowerTcpConfig {
    fn target_utilisation(&self) -> Option<f64> {
        Some(self.target_utilisation)
    }

    fn needs(&self) -> Needs {
        Needs::int_of_successive_acks()
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        let options = PowerOptions {
            gamma: self.gamma,
            target: self.target_utilisation,
            additive_increase: self.additive_increase,
            min_rate: self.min_rate,
            window: self.window,
        };
        Box::new(PowerTcp {
            rate: PowerRate::new(options, context),
            base_rtt: context.base_rtt.as_secs_f64(),
            last_int: Vec::new(),
        })
    }
}

/// One flow under PowerTCP.
#[derive(Clone)]
struct PowerTcp {
    rate: PowerRate,
    /// τ, in seconds.
    base_rtt: f64,
    /// The packed INT of the previous ACK; empty before the first.
    last_int: Vec<u64>,
}

impl CongestionControl for PowerTcp {
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        let words = ack.telemetry.words();
        if self.last_int.len() != words.len() {
            self.last_int = words.to_vec();
            self.rate.begin(ack);
            return;
        }
        let sample = match ack.telemetry.reader() {
            Records::Quantised(reader) => self.measure(reader, words),
            Records::Exact(reader) => self.measure(reader, words),
        };
        self.last_int.copy_from_slice(words);
        if let Some(sample) = sample {
            self.rate.react(ack, sample);
        }
    }

    fn limit(&self) -> SendLimit {
        self.rate.limit()
    }

    fn on_path_change(&mut self) {
        self.last_int.clear();
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.rate.probe(record);
    }
}

impl PowerTcp {
    /// (1) to (3), and the time between the records of the busiest hop. `None` if no hop has two
    /// records of different times.
    fn measure<R: RecordReader>(&self, reader: R, words: &[u64]) -> Option<PowerSample> {
        let last = self.last_int.chunks_exact(R::WORDS);
        let hops = words.chunks_exact(R::WORDS).zip(last);
        let samples = hops.filter_map(|(new, old)| {
            let elapsed_ns = reader.ns(reader.elapsed(new, old));
            if elapsed_ns <= 0.0 {
                return None;
            }
            let seconds = elapsed_ns * 1e-9;
            let [queue, before] = [new, old].map(|record| reader.queue(record) as f64 * 8.0);
            let link = reader.link_bps(new);
            let current = (queue - before + reader.sent_bits(new, old)) / seconds;
            let voltage = queue + link * self.base_rtt;
            Some(PowerSample {
                // A queue shrinks by sent bytes only, so with exact records the current is never
                // negative.
                power: current.max(0.0) * voltage / (link * link * self.base_rtt),
                elapsed_ns,
            })
        });
        samples.max_by(|one, other| one.power.total_cmp(&other.power))
    }
}
