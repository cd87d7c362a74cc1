//! A value that a message suggests is itself accepted: put in place of the wrong value, it does not
//! give the same hint.

use std::path::Path;

use proptest::prelude::*;

use incast_diagnostic::Diagnostic;
use incast_workload::{FileSpec, FlowFormat, HostNames, SizeFile, StartUnit};

use crate::{FileFormat, HpccImport, ScenarioFiles, import_hpcc_ns3, read_topology_from};

/// Valid files, and how each is read.
const FILES: [(ReadAs, &str); 8] = [
    (
        ReadAs::Topology,
        "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n",
    ),
    (
        ReadAs::Graph,
        "hosts a b\nswitches s\nlink a s 100Gbps 1us\nlink b s 100Gbps 1us 1e-6\n",
    ),
    (
        ReadAs::Htsim,
        "Nodes 16\nTiers 2\nPodsize 16\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 4\n\
         Radix_Up 4\nDownlink_Latency_ns 1000\nTier 1\nDownlink_speed_Gbps 100\n\
         Radix_Down 4\nDownlink_Latency_ns 1000\n",
    ),
    (
        ReadAs::Flows(FlowFormat::HpccNs3),
        "2\n0 1 3 100 1000 2.0\n1 0 3 100 7 2.5\n",
    ),
    (
        ReadAs::Flows(FlowFormat::Csv),
        "source,destination,size_bytes,start_us\n0 , 1 , 1000 , 5\n",
    ),
    (
        ReadAs::Flows(FlowFormat::Htsim),
        "Nodes 4\nConnections 1\n0->1 id 1 start 1.5 size 2000\n",
    ),
    (ReadAs::Sizes, "0 0\n1000 50\n3000 100\n"),
    (
        ReadAs::Config,
        "TOPOLOGY_FILE t.txt FLOW_FILE f.txt CC_MODE 1 RATE_AI 50Mb/s RATE_HAI 50Mb/s RP_TIMER 300 \
         EWMA_GAIN 0.004 L2_ACK_INTERVAL 1 KMIN_MAP 1 100000000000 400 KMAX_MAP 1 100000000000 \
         1600 PMAX_MAP 1 100000000000 0.2 BUFFER_SIZE 32 ERROR_RATE_PER_LINK 0 LINK_DOWN 0 0 0 \
         SIMULATOR_STOP_TIME 3 ALPHA_RESUME_INTERVAL 1 RATE_DECREASE_INTERVAL 4 MIN_RATE 100Mb/s",
    ),
];

#[derive(Copy, Clone, Debug)]
enum ReadAs {
    Topology,
    Graph,
    Htsim,
    Flows(FlowFormat),
    Sizes,
    Config,
}

fn read(format: ReadAs, text: &str, folder: &Path) -> Result<(), Diagnostic> {
    let topology = |format| {
        let read = read_topology_from(text.as_bytes(), Path::new("file"), format);
        read.map(drop)
    };
    std::fs::write(folder.join("file"), text).unwrap();
    let files = ScenarioFiles::of(folder);
    match format {
        ReadAs::Topology => topology(FileFormat::HpccNs3),
        ReadAs::Graph => topology(FileFormat::Graph),
        ReadAs::Htsim => topology(FileFormat::Htsim),
        ReadAs::Flows(format) => {
            let spec = FileSpec {
                start_unit: matches!(format, FlowFormat::Htsim).then_some(StartUnit::Us),
                ..FileSpec::new("file", format)
            };
            let mut flows = files.flows(&spec, &HostNames::numbered(4))?;
            while flows.next_flow()?.is_some() {}
            Ok(())
        }
        ReadAs::Sizes => files.sizes(&SizeFile::from("file")).map(drop),
        ReadAs::Config => import_hpcc_ns3(&HpccImport::of(&folder.join("file"))).map(drop),
    }
}

/// The text in backquotes of a hint that says what to write or to give.
fn suggested(hint: &str) -> Option<&str> {
    let is_told = hint.starts_with("write") || hint.starts_with("give");
    let mut parts = hint.split('`').filter(|_| is_told);
    parts.nth(1)
}

/// The text with word `number` replaced; blanks stay.
fn with_word(text: &str, number: usize, word: &str) -> String {
    let mut replaced = String::new();
    let mut count = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let (own, blank) = piece.split_at(piece.trim_end().len());
        let is_it = !own.is_empty() && count == number;
        replaced += if is_it { word } else { own };
        replaced += blank;
        count += usize::from(!own.is_empty());
    }
    replaced
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn what_a_message_suggests_is_accepted(
        (format, text) in prop::sample::select(&FILES[..]),
        at in any::<prop::sample::Index>(),
        wrong in prop::sample::select(vec![
            "x", "-1", "0", "1.5", "25000000000.0", "100", "1000000000000", "0.000001", "1e9",
            "100Gpbs", "1m", "100GB", "99999999999999999999", "2,0", "nan", "0Gbps", "0us", "Nodez",
            "300", "100.0", "1e-7us", "5Mb",
        ]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("t.txt", FILES[0].1), ("f.txt", FILES[3].1)] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let right = read(format, text, folder.path());
        prop_assert!(right.is_ok(), "{right:?}");
        let words = text.split_whitespace().count();
        let number = at.index(words);
        let Err(error) = read(format, &with_word(text, number, wrong), folder.path()) else {
            return Ok(());
        };
        let Some(suggestion) = suggested(&error.hint) else {
            return Ok(());
        };
        // Some hints suggest whole lines, or keys of scenarios.
        if suggestion.contains([' ', '=']) || suggestion.starts_with('-') {
            return Ok(());
        }
        let again = read(format, &with_word(text, number, suggestion), folder.path());
        if let Err(next) = again {
            let is_same = next.place == error.place && next.hint == error.hint;
            prop_assert!(!is_same, "{error}\n{next}");
        }
    }
}
