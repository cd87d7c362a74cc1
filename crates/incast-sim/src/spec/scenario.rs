//! A scenario as written.

use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use incast_cc::{AlgorithmConfig, ExternalAlgorithm, ExternalConfig};
use incast_diagnostic::{Diagnostic, Placed as _};
use incast_net::NicConfig;
use incast_workload::AttackSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::overrides::{self, OPTION, Override};
use super::profile::keys;
use super::reader;
use super::section::cc::CcSection;
use super::section::faults::FaultSection;
use super::section::measure::MeasureSection;
use super::section::network::NetworkSection;
use super::section::run::RunSection;
use super::section::traffic::TrafficSection;
use super::stem::stem;
use super::tree::{self, TomlNode, WrittenAt};

/// The text of a scenario, with its name and folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name in messages: that of the file.
    pub name: String,
    /// TOML.
    pub text: String,
    /// The folder that relative paths in the scenario start from.
    pub folder: PathBuf,
}

/// The largest size of a scenario file. A file of this size lists 450 000 flows, whose check takes
/// 0.9 GB of memory.
const LARGEST: u64 = 16 << 20;

impl Source {
    /// Reads a scenario file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn from_file(path: &Path) -> Result<Self, Diagnostic> {
        let name = path.display().to_string();
        let unreadable = |error| Diagnostic::unreadable(&error).in_file(&name);
        let size = std::fs::metadata(path).map_err(unreadable)?.len();
        if size > LARGEST {
            let diagnostic = Diagnostic::new(
                format!("{size} bytes are too large for a scenario"),
                "keep long lists of flows in a file of their own",
            );
            return Err(diagnostic.in_file(name));
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Ok(Self { name, text, folder })
    }

    /// A scenario that is in no file. Relative paths in the scenario start from the current folder.
    pub fn from_text(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            folder: ".".into(),
        }
    }
}

/// A network, its traffic, the congestion control under test, and the measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// The run: name, seed and end.
    #[serde(default)]
    pub(crate) run: RunSection,
    /// The network.
    pub(crate) network: NetworkSection,
    /// The hosts' NICs.
    #[serde(default, skip_serializing_if = "NicConfig::is_default")]
    pub(crate) nic: NicConfig,
    /// The congestion control under test.
    pub(crate) cc: CcSection,
    /// Measurements beside those of flows and the counters.
    #[serde(default)]
    pub(crate) measure: MeasureSection,
    /// Which traffic attacks the performance of other traffic, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) attack: Option<AttackSpec>,
    /// Links that fail and come back, are slower for a time, or corrupt packets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) fault: Vec<FaultSection>,
    /// The traffic: at least one entry.
    #[schemars(length(min = 1))]
    pub(crate) traffic: Vec<TrafficSection>,
}

/// Every table of congestion control, with its key.
fn sections(scenario: &mut Scenario) -> impl Iterator<Item = (String, &mut CcSection)> {
    let own = scenario.traffic.iter_mut().enumerate();
    let own = own.filter_map(|(index, entry)| {
        let cc = entry.cc.as_mut()?;
        Some((format!("traffic[{index}].cc"), cc))
    });
    iter::once(("cc".to_owned(), &mut scenario.cc)).chain(own)
}

/// A scenario as written, which is not checked yet.
#[derive(Clone, Debug)]
pub struct Spec {
    pub(crate) scenario: Scenario,
    /// The name of the file, and the folder that it is in.
    pub(crate) file: String,
    pub(crate) folder: PathBuf,
    /// The tree of the file, which knows where each key was written.
    tree: TomlNode,
}

impl Spec {
    /// Reads a scenario; `overrides` replace its values, in order.
    ///
    /// # Errors
    /// Text that is not TOML, unknown or missing keys, values of the wrong kind.
    pub fn parse(source: &Source, overrides: &[Override]) -> Result<Self, Diagnostic> {
        let mut tree = tree::parse(&source.name, &source.text)?;
        for change in overrides {
            overrides::apply(&mut tree, change)?;
        }
        keys::fill_in(&mut tree);
        let entries = tree.entries().unwrap_or_default();
        if entries.is_empty() {
            let diagnostic = Diagnostic::new(
                "the scenario is empty",
                "write at least [network], [cc] and [[traffic]]",
            );
            return Err(diagnostic.in_file(&source.name));
        }
        let mut scenario: Scenario = reader::read(&tree).in_file(&source.name)?;
        scenario.run.name.get_or_insert_with(|| stem(&source.name));
        let (file, folder) = (source.name.clone(), source.folder.clone());
        Ok(Self {
            scenario,
            file,
            folder,
            tree,
        })
    }

    /// Binds each external algorithm once. `find` gets the key of the algorithm's table, and the
    /// file if the table names one.
    ///
    /// # Errors
    /// The error of `find`, with the line of the key.
    pub fn bind(
        &mut self,
        mut find: impl FnMut(
            &ExternalConfig,
            Option<PathBuf>,
        ) -> Result<Arc<dyn ExternalAlgorithm>, Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let mut found = Ok(());
        let (folder, mut bound) = (&self.folder, Vec::new());
        for (key, cc) in sections(&mut self.scenario) {
            let AlgorithmConfig::External(config) = &mut cc.algorithm else {
                continue;
            };
            let written = config.clone();
            let same = |(other, _): &&(ExternalConfig, _)| *other == written;
            let algorithm = match bound.iter().find(same) {
                Some((_, algorithm)) => Arc::clone(algorithm),
                None => {
                    let file = (!config.file.is_empty()).then(|| folder.join(&config.file));
                    match find(config, file) {
                        Ok(algorithm) => algorithm,
                        Err(wrong) => {
                            found = Err(wrong.at(key));
                            break;
                        }
                    }
                }
            };
            bound.push((written, Arc::clone(&algorithm)));
            cc.name.rename(algorithm.name());
            config.bind(algorithm);
        }
        found.map_err(|wrong| self.located(wrong))
    }

    /// The diagnostic with the line of its key, unless the mistake is in another file.
    pub(crate) fn located(&self, diagnostic: Diagnostic) -> Diagnostic {
        if diagnostic.has_origin() {
            return diagnostic;
        }
        match self.tree.locate(&diagnostic.place.key) {
            WrittenAt::Line(line) => diagnostic.on_line(line.into()).in_file(&self.file),
            WrittenAt::Override => diagnostic.in_option(OPTION),
        }
    }
}
