//! The first line of a topology file, in which descendants of the artifact differ.
//!
//! ```text
//! nodes switches links                                  the artifact, ConWeave
//! nodes switches tors links                             ns3-datacenter, PowerTCP
//! nodes dc_switches wan_switches links                  hrQAQ/intcc
//! nodes switches tors links host_rate fabric_rate       Reverie
//! nodes gpus nvswitches switches links gpu_type         SimAI; one more number may follow
//! ```

use std::io::BufRead;

use incast_diagnostic::Diagnostic;
use incast_topology::check_size;

use crate::diagnostics;
use crate::text::{TextLine, TextLines};

const ARTIFACT: &str = "nodes switches links";

/// The numbers in the first line.
pub(super) struct Header {
    pub(super) nodes: u32,
    /// Number of switches, NVSwitches included.
    pub(super) switches: u32,
    pub(super) links: u32,
    /// The length of a second list that may follow the list of switches: ToRs, or switches of a
    /// wide-area network.
    pub(super) tors: u32,
}

/// The simulators that write each form.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Form {
    Artifact,
    Tors,
    Reverie,
    SimAi,
}

impl Form {
    fn of(words: &[&str]) -> Self {
        match *words {
            [_, _, _, _, _, gpu, ..] if gpu.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                Self::SimAi
            }
            [_, switches, tors, _] if is_at_most(tors, switches) => Self::Tors,
            [_, switches, tors, _, _, _] if is_at_most(tors, switches) => Self::Reverie,
            _ => Self::Artifact,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Artifact => ARTIFACT,
            Self::Tors => "nodes switches tors links",
            Self::Reverie => "nodes switches tors links host_rate fabric_rate",
            Self::SimAi => "nodes gpus_per_server nvswitches switches links gpu_type",
        }
    }
}

/// Whether both words are numbers, and the first is at most the second.
fn is_at_most(one: &str, other: &str) -> bool {
    let numbers = (one.parse::<u32>(), other.parse::<u32>());
    matches!(numbers, (Ok(one), Ok(other)) if one <= other)
}

impl Header {
    pub(super) fn read<R: BufRead>(lines: &mut TextLines<R>) -> Result<Self, Diagnostic> {
        Self::of(lines.first_line("`nodes switches links`, e.g. `376 56 480`")?)
    }

    fn of(line: TextLine<'_>) -> Result<Self, Diagnostic> {
        let found: Vec<_> = line.text().split_whitespace().collect();
        let form = Form::of(&found);
        let mut words = line.words(form.words());
        let nodes = words.next("nodes")?.integer_32("376")?;
        let mut nvswitches = 0;
        if form == Form::SimAi {
            words.next("gpus_per_server")?.integer_32("8")?;
            nvswitches = words.next("nvswitches")?.integer_32("4")?;
        }
        let switches = words.next("switches")?.integer_32("56")?;
        let switches = switches.saturating_add(nvswitches);
        let tors = match form {
            Form::Tors | Form::Reverie => words.next("tors")?.integer_32("8")?,
            Form::Artifact | Form::SimAi => 0,
        };
        let links = words.next("links")?.integer_32("480")?;
        match form {
            // The lines of the links repeat these rates.
            Form::Reverie => {
                words.next("host_rate")?.rate()?;
                words.next("fabric_rate")?.rate()?;
            }
            Form::SimAi => {
                words.next("gpu_type")?;
                if let Some(gpus) = words.optional("gpus_per_node") {
                    gpus.integer_32("8")?;
                }
            }
            Form::Artifact | Form::Tors => {}
        }
        words.end()?;
        check_size(nodes.into(), links.into()).map_err(|wrong| line.wrong(wrong))?;
        match switches < nodes {
            true => Ok(Self {
                nodes,
                switches,
                links,
                tors,
            }),
            false => Err(line.wrong(diagnostics::only_switches(nodes, switches))),
        }
    }
}
