//! External algorithms, bound to a scenario by a program.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use incast_cc::{AlgorithmConfig, ExternalAlgorithm, FlowContext, FlowController, Needs};
use incast_diagnostic::Diagnostic;
use incast_net::{FlowRecord, Observer, Progress};
use incast_sim::{RunError, SingleThreadedBecause, Source, Spec, ValidSpec, run};
use serde_json::{Map, Value};

/// An algorithm of the engine, wrapped as an external one. It fails after it has built `most`
/// controllers.
#[derive(Debug)]
struct Wrapped {
    algorithm: AlgorithmConfig,
    parameters: Map<String, Value>,
    built: AtomicU32,
    most: u32,
}

impl ExternalAlgorithm for Wrapped {
    fn name(&self) -> &str {
        "wrapped"
    }

    fn parameters(&self) -> Map<String, Value> {
        self.parameters.clone()
    }

    fn needs(&self) -> Needs {
        self.algorithm.needs()
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        self.built.fetch_add(1, Ordering::Relaxed);
        self.algorithm.build(context)
    }

    fn failure(&self) -> Option<String> {
        let is_over = self.built.load(Ordering::Relaxed) >= self.most;
        is_over.then(|| "no controllers are left".to_owned())
    }
}

struct Silent;

impl Observer for Silent {
    fn progress(&mut self, _progress: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn finished(&mut self, _flows: &[FlowRecord]) {}
}

fn parsed(cc: &str) -> Spec {
    let rest = "[network]\ntopology = \"star\"\n[[traffic]]\nkind = \"incast\"\nreceiver = 0\n\
                sizes = \"200KB\"\n";
    let source = Source::from_text("run.toml", format!("[cc]\n{cc}\n{rest}"));
    Spec::parse(&source, &[]).expect("a scenario")
}

fn bound(cc: &str, name: &str, controllers: u32) -> Result<ValidSpec, Diagnostic> {
    let mut spec = parsed(cc);
    spec.bind(|config, file| {
        assert_eq!(file, None);
        if config.parameters.contains_key("wrong") {
            return Err(Diagnostic::new("this is wrong", "leave it out").at("wrong"));
        }
        Ok(Arc::new(Wrapped {
            algorithm: AlgorithmConfig::with_defaults(name, None)?,
            parameters: config.parameters.clone(),
            built: AtomicU32::new(0),
            most: controllers,
        }))
    })?;
    spec.validate()
}

#[test]
fn a_run_is_that_of_the_algorithm_which_is_bound() {
    for name in ["dctcp", "hpcc", "timely"] {
        let own = bound("algorithm = \"external\"\nx = 1", name, u32::MAX).expect("bound");
        assert_eq!(own.algorithm_name(), "wrapped");
        assert_eq!(
            own.single_threaded_because(),
            Some(SingleThreadedBecause::ExternalAlgorithm)
        );
        let toml = own.to_toml();
        assert!(toml.contains("algorithm = \"external\"\nx = 1\n"), "{toml}");
        let listed = parsed(&format!("algorithm = \"{name}\"")).validate();
        let listed = run(&listed.expect("valid"), &mut Silent).expect("a run");
        let own = run(&own, &mut Silent).expect("a run");
        assert_eq!(own.summary.fingerprint, listed.summary.fingerprint);
    }
}

#[test]
fn what_cannot_be_bound_is_told() {
    let unbound = parsed("algorithm = \"external\"").validate().unwrap_err();
    assert_eq!(
        unbound.to_string(),
        "run.toml:2: cc.algorithm: this algorithm is not here; run it from Python, or bind it \
         before the scenario is checked"
    );
    let wrong = bound("algorithm = \"external\"\nwrong = 1", "dctcp", 1).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "run.toml:3: cc.wrong: this is wrong; leave it out"
    );
}

#[test]
fn a_failure_ends_the_run() {
    let spec = bound("algorithm = \"external\"", "dctcp", 1).expect("bound");
    match run(&spec, &mut Silent) {
        Err(RunError::Algorithm { reason, .. }) => assert_eq!(reason, "no controllers are left"),
        other => panic!("{other:?}"),
    }
}
