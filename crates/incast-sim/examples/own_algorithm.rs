//! A program of one's own with an algorithm of one's own: `own_algorithm scenario.toml results`.
//!
//! AIMD on marks, as in `incast new-algorithm`. It is bound to a scenario that says
//! `algorithm = "external"`, and runs at the engine's own speed.
//!
//! ```text
//! W ← W + AI · acked/W    if an ACK has no mark                  (1)
//! W ← (1 − β) · W         if it has, once per window of data     (2)
//! ```

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use incast_cc::{
    Ack, CongestionControl, ExternalAlgorithm, FlowContext, FlowController, Needs, SendLimit,
    Window,
};
use incast_diagnostic::Diagnostic;
use incast_signals::EcnOptions;
use incast_sim::{Source, Spec, run};
use incast_units::{Bytes, Rate, Time};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The parameters in `[cc]`, with units.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct MarkAimd {
    /// AI.
    additive_increase: Window,
    /// β.
    beta: f64,
}

impl Default for MarkAimd {
    fn default() -> Self {
        Self {
            additive_increase: Window::Packets(1.0),
            beta: 0.5,
        }
    }
}

impl ExternalAlgorithm for MarkAimd {
    fn name(&self) -> &str {
        "mark-aimd"
    }

    fn parameters(&self) -> Map<String, Value> {
        let written = serde_json::to_value(self).expect("a table of numbers and text");
        written.as_object().cloned().unwrap_or_default()
    }

    fn needs(&self) -> Needs {
        Needs {
            ecn: Some(EcnOptions::DCTCP),
            ..Needs::default()
        }
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        Box::new(Flow {
            beta: self.beta,
            increase: self.additive_increase.in_bytes(context),
            line_rate: context.line_rate,
            packet: context.mtu.as_u64() as f64,
            window: context.base_window.as_u64() as f64,
            decreased_up_to: 0,
        })
    }
}

/// One flow.
#[derive(Clone)]
struct Flow {
    beta: f64,
    /// AI, in bytes.
    increase: f64,
    line_rate: Rate,
    /// Payload of a full packet.
    packet: f64,
    /// W, in bytes.
    window: f64,
    /// No decrease before a byte beyond this is acknowledged.
    decreased_up_to: u64,
}

impl CongestionControl for Flow {
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        if !ack.marked {
            let acked = ack.newly_acked.as_u64() as f64;
            self.window += self.increase * acked / self.window; // (1)
        } else if ack.next_expected > self.decreased_up_to {
            self.window *= 1.0 - self.beta; // (2)
            self.decreased_up_to = ack.next_to_send;
        }
        self.window = self.window.max(self.packet);
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            window: Bytes::new(self.window as u64),
            ..SendLimit::paced(self.line_rate)
        }
    }
}

fn run_scenario(scenario: &Path, results: &Path) -> Result<String, String> {
    let told = |error: Diagnostic| error.to_string();
    let source = Source::from_file(scenario).map_err(told)?;
    let mut spec = Spec::parse(&source, &[]).map_err(told)?;
    let bound = spec.bind(|config, _file| {
        let parameters = Value::Object(config.parameters.clone());
        let algorithm = serde_json::from_value::<MarkAimd>(parameters);
        let wrong = |error: serde_json::Error| Diagnostic::new(error.to_string(), "leave it out");
        Ok(Arc::new(algorithm.map_err(wrong)?))
    });
    bound.map_err(told)?;
    let results_of_run = run(&spec.validate().map_err(told)?, &mut ());
    let found = results_of_run.map_err(|error| error.to_string())?;
    let stored = found.write(results);
    stored.map_err(|error| error.to_string())?;
    Ok(found.summary.fingerprint.to_string())
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [scenario, results] = arguments.as_slice() else {
        eprintln!("usage: own_algorithm SCENARIO RESULTS");
        return ExitCode::from(2);
    };
    match run_scenario(scenario.as_ref(), results.as_ref()) {
        Ok(fingerprint) => {
            println!("fingerprint {fingerprint}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
