//! Algorithms that are not in the table: users bring them, in a Python file or in a program that
//! uses this one as a library.
//!
//! A scenario names the file and the class, and their parameters beside them; before it is checked,
//! the algorithm is [bound](ExternalConfig::bind).
//!
//! | parameter | symbol | unit | default      | source |
//! |-----------|--------|------|--------------|--------|
//! | `file`    | –      | –    | none         | –      |
//! | `class`   | –      | –    | the only one | –      |
//!
//! Other parameters, and needs, are the algorithm's own.

use std::fmt;
use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{FlowContext, FlowController, Needs, Parameters};

/// An algorithm from outside of the table, with its parameters.
pub trait ExternalAlgorithm: fmt::Debug + Send + Sync {
    /// What results call it.
    fn name(&self) -> &str;

    /// Its parameters as a scenario writes them, with every default filled in.
    fn parameters(&self) -> Map<String, Value>;

    /// The signals that it needs from the network.
    fn needs(&self) -> Needs;

    /// The controller of one flow.
    fn build(&self, context: &FlowContext) -> Box<dyn FlowController>;

    /// Why it cannot go on, if that is so: the run then ends.
    fn failure(&self) -> Option<String> {
        None
    }

    /// Whether the user wants the run to end: it answers no more, and the observer is asked at
    /// once.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// An algorithm of one's own, and its parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExternalConfig {
    /// The Python file that it is in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The class in that file, or what else tells several algorithms apart; by default, the only
    /// one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub class: String,
    /// Its parameters.
    #[serde(flatten)]
    pub parameters: Map<String, Value>,
    #[serde(skip)]
    bound: Option<Bound>,
}

/// An algorithm that was found.
#[derive(Clone, Debug)]
struct Bound(Arc<dyn ExternalAlgorithm>);

impl PartialEq for Bound {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl ExternalConfig {
    /// From now on this is the algorithm, with its parameters.
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
        let limit = config.build(&context()).limit();
        assert_eq!(limit, SendLimit::paced(context().line_rate));
        let written = serde_json::to_string(&config).expect("JSON");
        assert_eq!(written, r#"{"file":"own.py","beta":0.5}"#);
        assert_eq!(config, config.clone());
        assert_ne!(config, unbound);
    }
}
