//! θ-PowerTCP: PowerTCP without INT, from the RTT and its gradient.
//!
//! Addanki, Michel, Schmid, "PowerTCP: Pushing the Performance Limits of Datacenter Networks", NSDI
//! 2022. With the RTTs θ of an ACK and of the previous ACK:
//!
//! ```text
//! Γ = max(dθ/dt + 1, ½) · θ / (m·τ)                               (1)
//! ```
//!
//! The rate follows from the power ([`power`](crate::power)), with η = 1.
//!
//! | parameter             | symbol | unit  | default  | source |
//! |-----------------------|--------|-------|----------|--------|
//! | `gamma`               | γ      | 1     | 0.7      | the authors' ns-3 code |
//! | `rtt_margin`          | m      | 1     | 1.05     | the authors' ns-3 code |
//! | `additive_increase`   | R_AI   | bit/s | 150 Mb/s | the authors' ns-3 code |
//! | `min_rate`            | –      | bit/s | 100 Mb/s | ours   |
//! | `window`              | –      | –     | `variable` | the authors' ns-3 code |
//!
//! Shared by QPs: those of one path, because the gradient compares successive RTTs.
//! Needs: timestamps, an ACK per packet. Ignores: ECN, CNP, INT.
//! Deviations: those of PowerTCP. The smallest current of ½ and the margin m are from the authors'
//! code, not from the paper. For τ the authors' code uses the smallest RTT so far; here τ is the
//! base RTT.

use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::number::ns;
use crate::power::{PowerOptions, PowerRate, PowerSample};
use crate::{
    Ack, CongestionControl, FlowContext, FlowController, Needs, Parameters, RateWindow, SendLimit,
    Serves,
};

/// The smallest current, relative to the link's rate.
const LEAST_CURRENT: f64 = 0.5;

/// Parameters of θ-PowerTCP; the module's table has the sources of the values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ThetaPowerTcpConfig {
    /// Weight γ of the rate computed from the power.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gamma: f64,
    /// Ratio of the RTT over a fully used link without a queue to the base RTT.
    #[schemars(range(min = 1.0))]
    pub rtt_margin: f64,
    /// Additive increase of the rate.
    pub additive_increase: Rate,
    /// Lowest rate of a flow.
    pub min_rate: Rate,
    /// The window that limits the flow in addition to the rate.
    pub window: RateWindow,
}

impl Default for ThetaPowerTcpConfig {
    fn default() -> Self {
        Self {
            gamma: 0.7,
            rtt_margin: 1.05,
            additive_increase: Rate::from_mbps(150),
            min_rate: Rate::from_mbps(100),
            window: RateWindow::Variable,
        }
    }
}

impl Parameters for ThetaPowerTcpConfig {
    fn needs(&self) -> Needs {
        Needs {
            timestamp: true,
            per_packet_ack: true,
            reschedules_pending: true,
            serves: Serves::OnePath("it steers by the change of the RTT"),
            ..Needs::default()
        }
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        let options = PowerOptions {
            gamma: self.gamma,
            target: 1.0,
            additive_increase: self.additive_increase,
            min_rate: self.min_rate,
            window: self.window,
        };
        Box::new(ThetaPowerTcp {
            rate: PowerRate::new(options, context),
            full_rtt_ns: self.rtt_margin * ns(context.base_rtt),
            last: None,
        })
    }
}

/// One flow under θ-PowerTCP.
#[derive(Clone)]
struct ThetaPowerTcp {
    rate: PowerRate,
    /// m·τ.
    full_rtt_ns: f64,
    /// The last RTT in ns, and the time of its measurement.
    last: Option<(f64, Time)>,
}

impl CongestionControl for ThetaPowerTcp {
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        let Some(rtt) = ack.round_trip else {
            return;
        };
        let rtt = ns(rtt);
        let Some((before, at)) = self.last.replace((rtt, now)) else {
            self.rate.begin(ack);
            return;
        };
        let elapsed_ns = ns(now.saturating_sub(at));
        if elapsed_ns > 0.0 {
            let current = ((rtt - before) / elapsed_ns + 1.0).max(LEAST_CURRENT);
            let power = current * rtt / self.full_rtt_ns;
            self.rate.react(ack, PowerSample { power, elapsed_ns });
        }
    }

    fn limit(&self) -> SendLimit {
        self.rate.limit()
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.rate.probe(record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{assert_close, context, delayed};

    /// τ = 4160 ns, m·τ = 4368 ns. RTTs are 4368 ns and, 2080 ns later, 4784 ns: dθ/dt = 0.2, so Γ
    /// = 1.2 · 4784/4368 = 1.314286 over half of τ: Γ_s = (1 + 1.314286)/2 = 1.157143. R =
    /// 0.7·(100/1.157143 + 0.15) + 0.3·100 = 90.598827 Gb/s. The ACK is in the same RTT epoch.
    #[test]
    fn the_rate_by_hand() {
        let mut flow = ThetaPowerTcpConfig::default().build(&context());
        flow.on_ack(
            Time::from_us(10),
            &delayed(1_000, 53_000, Time::from_ns(4_368)),
        );
        assert_eq!(flow.limit().rate, Rate::from_gbps(100));
        let later = Time::from_us(10) + Time::from_ns(2_080);
        flow.on_ack(later, &delayed(2_000, 54_000, Time::from_ns(4_784)));
        assert_close(flow.limit().rate.as_bps() as f64 * 1e-9, 90.598_827);
        // W₀ = 52 000 B times the rate over line rate.
        assert_eq!(flow.limit().window.as_u64(), 47_111);
        let mut probed = Vec::new();
        flow.probe(&mut |name, value| probed.push((name, value)));
        assert_close(probed[0].1, 1.157_142_857);
        assert_eq!(probed[1], ("reference_rate_bps", 1e11));
        // The next RTT epoch updates the reference. An RTT that falls fast counts as a current of
        // ½.
        let end = later + Time::from_ns(4_160);
        flow.on_ack(end, &delayed(54_000, 100_000, Time::from_ns(436)));
        // Γ = ½ · 436/4368 = 0.049908 over a whole τ; 0.7·(100/0.049908 + 0.15) + 30 > 100.
        assert_eq!(flow.limit().rate, Rate::from_gbps(100));
    }
}
