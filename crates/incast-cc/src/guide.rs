//! Delay AIMD: grow by a packet per round trip while the delay is short, else decrease.
//!
//! ```text
//! W ← W + AI · acked/W    if d < threshold                      (1)
//! W ← (1 − β) · W         otherwise, at most once per round trip (2)
//! ```
//!
//! | parameter           | symbol    | unit    | default  | source |
//! |---------------------|-----------|---------|----------|--------|
//! | `threshold`         | threshold | time    | 10 us    | ours   |
//! | `additive_increase` | AI        | window  | 1 packet | ours   |
//! | `beta`              | β         | 1       | 0.5      | ours   |
//!
//! Needs: timestamps. Ignores: ECN, CNP, INT.

use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Ack, CongestionControl, FlowContext, FlowController, Needs, Parameters, SendLimit, Window,
};

/// Parameters of delay AIMD.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DelayAimdConfig {
    /// Delay from which on the window decreases.
    pub threshold: Time,
    /// Growth of the window per round trip.
    pub additive_increase: Window,
    /// Part of the window that a decrease takes.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub beta: f64,
}

impl Default for DelayAimdConfig {
    fn default() -> Self {
        Self {
            threshold: Time::from_us(10),
            additive_increase: Window::Packets(1.0),
            beta: 0.5,
        }
    }
}

impl Parameters for DelayAimdConfig {
    fn needs(&self) -> Needs {
        Needs {
            timestamp: true,
            ..Needs::default()
        }
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        Box::new(DelayAimd {
            config: self.clone(),
            line_rate: context.line_rate,
            packet: context.mtu.as_u64() as f64,
            increase: self.additive_increase.in_bytes(context),
            window: Window::Bdp.in_bytes(context),
            next_decrease: Time::ZERO,
        })
    }
}

/// One flow under delay AIMD.
#[derive(Clone)]
struct DelayAimd {
    config: DelayAimdConfig,
    line_rate: Rate,
    /// Payload of a full packet.
    packet: f64,
    /// AI, in bytes.
    increase: f64,
    /// W, in bytes.
    window: f64,
    /// No decrease before this time.
    next_decrease: Time,
}

impl CongestionControl for DelayAimd {
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        let Some(delay) = ack.round_trip else {
            return;
        };
        if delay < self.config.threshold {
            self.window += self.increase * ack.newly_acked.as_u64() as f64 / self.window; // (1)
        } else if now >= self.next_decrease {
            self.window *= 1.0 - self.config.beta; // (2)
            self.next_decrease = now + delay;
        }
        self.window = self.window.max(self.packet);
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            window: Bytes::new(self.window as u64),
            ..SendLimit::paced(self.line_rate)
        }
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("window_bytes", self.window);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{context, delayed};

    /// The BDP is 52 000 B. 5 us are short: 1000 · 1000/52 000 = 19.2 B more. 12 us are not: half
    /// of 52 019 B. The next decrease is 12 us later.
    #[test]
    fn windows_grow_on_short_delays_and_decrease_on_long_ones() {
        let mut flow = DelayAimdConfig::default().build(&context());
        let mut windows = Vec::new();
        for (now, delay) in [(20, 5), (40, 12), (51, 12), (52, 12)] {
            let ack = delayed(1_000, 53_000, Time::from_us(delay));
            flow.on_ack(Time::from_us(now), &ack);
            windows.push(flow.limit().window.as_u64());
        }
        assert_eq!(windows, [52_019, 26_009, 26_009, 13_004]);
    }
}
