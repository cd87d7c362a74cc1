//! Algorithms that are not in the table: users supply them in a Python file, or in a program that
//! uses this crate.
//!
//! A scenario names the file and the class, besides the algorithm's parameters. Before a scenario
//! is checked, the algorithm is [bound](ExternalConfig::bind).
//!
//! | parameter | symbol | unit | default      | source |
//! |-----------|--------|------|--------------|--------|
//! | `file`    | –      | –    | none         | –      |
//! | `class`   | –      | –    | the only one | –      |
//!
//! All other parameters, and the needs, depend on the algorithm.

use std::fmt;
use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{FlowContext, FlowController, Needs, Parameters};

/// An algorithm outside the table, with its parameters.
pub trait ExternalAlgorithm: fmt::Debug + Send + Sync {
    /// The algorithm's name in results.
    fn name(&self) -> &str;

    /// The algorithm's parameters as scenarios write them, all defaults filled in.
    fn parameters(&self) -> Map<String, Value>;

    /// The signals that the algorithm needs from the network.
    fn needs(&self) -> Needs;

    /// The controller of one flow.
    fn build(&self, context: &FlowContext) -> Box<dyn FlowController>;

    /// The error that stopped the algorithm, if any. The run then ends.
    fn failure(&self) -> Option<String> {
        None
    }

    /// Whether the user wants to stop the run. The algorithm then gives no more answers, and the
    /// run's observer is called at once.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// A user's algorithm, and its parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExternalConfig {
    /// The Python file that contains the algorithm.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The class in the file, or another name that identifies the algorithm. Default: the only one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub class: String,
    /// Its parameters.
    #[serde(flatten)]
    pub parameters: Map<String, Value>,
    #[serde(skip)]
    bound: Option<Bound>,
}

/// An algorithm that has been found.
#[derive(Clone, Debug)]
struct Bound(Arc<dyn ExternalAlgorithm>);

impl PartialEq for Bound {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl ExternalConfig {
    /// Sets the algorithm, with its parameters.
    pub fn bind(&mut self, algorithm: Arc<dyn ExternalAlgorithm>) {
        self.parameters = algorithm.parameters();
        self.bound = Some(Bound(algorithm));
    }

    /// What was bound.
    pub fn bound(&self) -> Option<&dyn ExternalAlgorithm> {
        self.bound.as_ref().map(|bound| &*bound.0)
    }
}

impl Parameters for ExternalConfig {
    fn check(&self) -> Result<(), Diagnostic> {
        match self.bound {
            Some(_) => Ok(()),
            None => {
                let hint = "run it from Python, or bind it before the scenario is checked";
                Err(Diagnostic::new("this algorithm is not here", hint).at("algorithm"))
            }
        }
    }

    fn needs(&self) -> Needs {
        self.bound().map(|bound| bound.needs()).unwrap_or_default()
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        let bound = self.bound();
        bound.expect("the scenario was checked").build(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::context;
    use crate::{SendLimit, UncontrolledConfig};

    #[derive(Debug)]
    struct Own;

    impl ExternalAlgorithm for Own {
        fn name(&self) -> &str {
            "own"
        }

        fn parameters(&self) -> Map<String, Value> {
            Map::from_iter([("beta".to_owned(), Value::from(0.5))])
        }

        fn needs(&self) -> Needs {
            Needs {
                timestamp: true,
                ..Needs::default()
            }
        }

        fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
            UncontrolledConfig::default().build(context)
        }
    }

    #[test]
    fn what_is_bound_answers() {
        let text = r#"{ "file": "own.py", "beta": 0.25 }"#;
        let mut config: ExternalConfig = serde_json::from_str(text).expect("a configuration");
        assert_eq!(config.parameters["beta"], 0.25);
        assert_eq!(config.needs(), Needs::default());
        let missing = config.check().unwrap_err();
        assert_eq!(missing.place.key, "algorithm");
        let unbound = config.clone();
        config.bind(Arc::new(Own));
        assert_eq!(config.check(), Ok(()));
        assert!(config.needs().timestamp);
        let algorithm = crate::AlgorithmConfig::from(config.clone());
        assert_eq!(
            (algorithm.failure(), algorithm.is_interrupted()),
            (None, false)
        );
        let limit = config.build(&context()).limit();
        assert_eq!(limit, SendLimit::paced(context().line_rate));
        let written = serde_json::to_string(&config).expect("JSON");
        assert_eq!(written, r#"{"file":"own.py","beta":0.5}"#);
        assert_eq!(config, config.clone());
        assert_ne!(config, unbound);
        let mut other = unbound;
        other.bind(Arc::new(Own));
        assert_ne!(config, other, "another algorithm with the same parameters");
    }
}
