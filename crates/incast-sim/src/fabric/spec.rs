//! A memory fabric's scenario, from text to a run.

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_fabric::{Collective, FabricSimulation, Group, Script};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::control::ControlSection;
use super::exception::ExceptionSection;
use super::sections::{FabricMeasureSection, FabricSection, GroupSection};
use super::work::WorkSection;
use crate::identity::Identity;
use crate::spec::section::run::RunSection;
use crate::spec::tree::{TomlNode, WrittenAt};
use crate::spec::{OPTION, Override, Source, overrides, reader, stem, tree};

/// The kind of a scenario.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ScenarioKind {
    /// `[network]`.
    Network,
    /// `[fabric]`.
    Fabric,
}

impl ScenarioKind {
    /// The kind of a scenario: with `[fabric]` it is a memory fabric's. Text that cannot be read
    /// counts as a network's, whose reader reports the mistake.
    ///
    /// # Errors
    /// If the text has both `[network]` and `[fabric]`.
    pub fn of(source: &Source) -> Result<Self, Diagnostic> {
        let Ok(tree) = tree::parse(&source.name, &source.text) else {
            return Ok(Self::Network);
        };
        Self::of_tree(&tree, &source.name)
    }

    fn of_tree(tree: &TomlNode, file: &str) -> Result<Self, Diagnostic> {
        let has = |key: &str| {
            let entries = tree.entries().unwrap_or_default();
            entries.iter().any(|entry| entry.key == key)
        };
        let wrong = |key: &str, what: &str, hint: &str| {
            let diagnostic = Diagnostic::new(what, hint).at(key);
            Err(match tree.locate(key) {
                WrittenAt::Line(line) => diagnostic.on_line(line.into()).in_file(file),
                WrittenAt::Override => diagnostic.in_option(OPTION),
            })
        };
        if has("network") && has("fabric") {
            let what = "a scenario has [network] or [fabric], not both";
            return wrong("fabric", what, "keep one of them");
        }
        if has("fault") && has("fabric") {
            let what = "links of a memory fabric have no faults";
            return wrong("fault", what, "leave them out, or take a [network]");
        }
        Ok(if has("fabric") {
            Self::Fabric
        } else {
            Self::Network
        })
    }
}

/// A memory fabric's scenario as written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FabricScenario {
    /// Name, seed and stop of the run.
    #[serde(default)]
    run: RunSection,
    /// The memory fabric.
    fabric: FabricSection,
    /// Injection control of all endpoints.
    control: ControlSection,
    /// The quantities to sample over time.
    #[serde(default)]
    measure: FabricMeasureSection,
    /// Groups for collective operations, numbered from 0. Default: one group of all endpoints.
    #[serde(default)]
    group: Vec<GroupSection>,
    /// Work of the members of groups: at least one entry.
    #[schemars(length(min = 1))]
    work: Vec<WorkSection>,
    /// Endpoints with options of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    exception: Vec<ExceptionSection>,
}

/// A memory fabric's scenario that has not been checked.
#[derive(Clone, Debug)]
pub struct FabricSpec {
    scenario: FabricScenario,
    file: String,
    tree: TomlNode,
}

/// A memory fabric's scenario that has been checked.
#[derive(Clone, Debug)]
pub struct ValidFabricSpec {
    scenario: FabricScenario,
    simulation: FabricSimulation,
}

impl FabricSpec {
    /// Reads a scenario; `changes` override its values, in order.
    ///
    /// # Errors
    /// Text that is not TOML, `[network]` beside `[fabric]`, keys that do not exist or are missing,
    /// values of the wrong type.
    pub fn parse(source: &Source, changes: &[Override]) -> Result<Self, Diagnostic> {
        let mut tree = tree::parse(&source.name, &source.text)?;
        for change in changes {
            overrides::apply(&mut tree, change)?;
        }
        ScenarioKind::of_tree(&tree, &source.name)?;
        let mut scenario: FabricScenario = reader::read(&tree).in_file(&source.name)?;
        scenario.run.name.get_or_insert_with(|| stem(&source.name));
        Ok(Self {
            scenario,
            file: source.name.clone(),
            tree,
        })
    }

    /// Checks the scenario as a whole, and builds its run.
    ///
    /// # Errors
    /// The first mistake.
    pub fn validate(self) -> Result<ValidFabricSpec, Diagnostic> {
        match build(&self.scenario) {
            Ok(simulation) => Ok(ValidFabricSpec {
                scenario: self.scenario,
                simulation,
            }),
            Err(diagnostic) => Err(self.located(diagnostic)),
        }
    }

    fn located(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.tree.locate(&diagnostic.place.key) {
            WrittenAt::Line(line) => diagnostic.on_line(line.into()).in_file(&self.file),
            WrittenAt::Override => diagnostic.in_option(OPTION),
        }
    }
}

fn build(scenario: &FabricScenario) -> Result<FabricSimulation, Diagnostic> {
    let seed = scenario.run.seed;
    if scenario.run.stop.is_some() {
        let diagnostic = Diagnostic::new(
            "a fabric runs until its work is done",
            "remove it, or give it less work",
        );
        return Err(diagnostic.at("run.stop"));
    }
    if scenario.work.is_empty() {
        let diagnostic = Diagnostic::new(
            "there is no work",
            "add e.g. [[work]] with kind = \"transactions\" and count = 128",
        );
        return Err(diagnostic.at("work"));
    }
    let config = scenario.fabric.build(seed).at("fabric")?;
    let control = scenario.control.build().at("control")?;
    let shape = config.shape;
    let mut run = FabricSimulation::new(config, control);
    run.measure = scenario.measure.build(&shape).at("measure")?;
    for (number, group) in scenario.group.iter().enumerate() {
        let key = format!("group[{number}]");
        let built = group
            .build(&shape, number as u16, &run.groups, seed)
            .at(key)?;
        run.groups.push(built);
    }
    if run.groups.is_empty() {
        run.groups.push(Group::all(&shape)?);
    }
    for (number, work) in scenario.work.iter().enumerate() {
        let key = format!("work[{number}]");
        let scripts = work.scripts(&shape, &run.groups, seed).at(key)?;
        run.more_scripts.extend(with_work(scripts));
    }
    for (number, exception) in scenario.exception.iter().enumerate() {
        let key = format!("exception[{number}]");
        run.exceptions.extend(exception.build(&shape).at(key)?);
    }
    run.check()?;
    Ok(run)
}

/// The scripts that have steps, each with its endpoint.
fn with_work(scripts: Vec<Script>) -> impl Iterator<Item = (u16, Script)> {
    let numbered = (0_u16..).zip(scripts);
    numbered.filter(|(_, script)| script.operations() > 0)
}

impl ValidFabricSpec {
    /// The name of the run.
    pub fn name(&self) -> &str {
        self.scenario.run.name.as_deref().unwrap_or_default()
    }

    /// The seed of all random streams.
    pub fn seed(&self) -> u64 {
        self.scenario.run.seed
    }

    /// The scheme of injection control, by name.
    pub fn scheme(&self) -> &'static str {
        self.scenario.control.name()
    }

    /// Number of operations of all work.
    pub fn operations(&self) -> u64 {
        let scripts = self.simulation.more_scripts.iter();
        scripts.map(|(_, script)| script.operations()).sum()
    }

    /// The run.
    pub fn simulation(&self) -> &FabricSimulation {
        &self.simulation
    }

    /// The scenario with every default filled in.
    pub fn to_toml(&self) -> String {
        toml::to_string(&self.scenario).expect("a scenario that was read can be printed")
    }

    /// The identity of the run.
    pub fn identity(&self) -> Identity {
        Identity::of(&self.to_toml())
    }

    /// Collectives that are the only work of their group, each with its number of members.
    /// Operations record their group, not their work, so that other collectives cannot be
    /// distinguished.
    pub(super) fn collectives(&self) -> Vec<(Collective, u64)> {
        let work = &self.scenario.work;
        let alone = |group| work.iter().filter(|other| other.group == group).count() == 1;
        let collectives = work.iter().filter_map(WorkSection::collective);
        let collectives = collectives.filter(|collective| alone(collective.group));
        let members =
            |c: &Collective| self.simulation.groups[usize::from(c.group)].members().len() as u64;
        collectives.map(|c| (c, members(&c))).collect()
    }

    /// Duration of a cycle in seconds.
    pub fn cycle_seconds(&self) -> f64 {
        self.scenario.fabric.cycle.as_ps() as f64 * 1e-12
    }
}

#[cfg(test)]
mod tests;
