//! Flow files that change while a run reads them. Such a run must fail, since its identity covers
//! the contents at its begin.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use incast_sim::{FlowRecord, HaltAt, LiveNetwork, Observer, Progress, Source, ValidSpec, run};
use incast_units::Time;

use crate::support::{self, valid};

const FLOWS: &str = "source,destination,size_bytes,start_us\n0,1,1000,0\n2,1,1000,50\n";

const CHANGED: &str = "flows.csv: changed while the run read it; run again";

/// A scenario that reads a flow file, in the folder of that file.
struct Case {
    folder: tempfile::TempDir,
    spec: Arc<ValidSpec>,
}

impl Case {
    /// A scenario with these flows in its file, and with `more` at its end.
    fn new(flows: &str, more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("flows.csv"), flows).unwrap();
        let text = "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"hpcc\"\n[[traffic]]\n\
                    kind = \"file\"\nfile = \"flows.csv\"\nformat = \"csv\"\n";
        let source = Source {
            folder: folder.path().to_owned(),
            ..Source::from_text("scenario.toml", format!("{text}{more}"))
        };
        let spec = valid(&source, &[]).unwrap_or_else(|error| panic!("{error}"));
        Self {
            folder,
            spec: Arc::new(spec),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("flows.csv")
    }

    fn write(&self, flows: &str) {
        std::fs::write(self.file(), flows).expect("the disk has room");
    }

    /// A live network with these flows in its file, beside the flows of a program.
    fn live(flows: &str) -> (Self, LiveNetwork) {
        let case = Self::new(flows, "[[traffic]]\nkind = \"live\"\n");
        let net = LiveNetwork::new(Arc::clone(&case.spec));
        (case, net.unwrap_or_else(|error| panic!("{error}")))
    }
}

/// Writes other flows into the file when the first flow completes.
struct Meddler<'a>(&'a Case, &'a str);

impl Observer for Meddler<'_> {
    fn progress(&mut self, _progress: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn finished(&mut self, _flows: &[FlowRecord]) {
        self.0.write(self.1);
    }
}

/// Two versions of a file so long that a run still reads it after the first flows have completed.
/// The second version has start 0 for all flows, which is out of order after those of the first.
fn long_file() -> [String; 2] {
    let of = |start: &dyn Fn(u32) -> u32| {
        let row = |number| format!("0,1,1000,{:08}\n", start(number));
        let rows: String = (0..2000).map(row).collect();
        format!("source,destination,size_bytes,start_ns\n{rows}")
    };
    [of(&|number| 10_000_000 + 20_000 * number), of(&|_| 0)]
}

fn advance(net: &mut LiveNetwork, until: Option<Time>) -> Result<(), String> {
    let stand = net.advance(until, HaltAt::Time, &mut ());
    stand.map(drop).map_err(|error| error.to_string())
}

fn is_changed<T, E: std::fmt::Display>(outcome: Result<T, E>) {
    let error = outcome.err().expect("the file has changed").to_string();
    assert!(error.ends_with(CHANGED), "{error}");
}

#[test]
fn a_file_that_changes_meanwhile_is_told() {
    let case = Case::new(FLOWS, "");
    assert_eq!(support::results(&case.spec).summary.flows.finished, 2);
    let other = FLOWS.replace("1000", "5000");
    is_changed(run(&case.spec, &mut Meddler(&case, &other)));
}

/// The error about the change comes first: errors about the lines would describe a mixture of two
/// files.
#[test]
fn a_file_that_changes_is_told_before_what_is_wrong_with_it() {
    let [flows, other] = long_file();
    let case = Case::new(&flows, "");
    is_changed(run(&case.spec, &mut Meddler(&case, &other)));
    let (case, mut net) = Case::live(&flows);
    advance(&mut net, Some(Time::from_ms(11))).unwrap();
    case.write(&other);
    is_changed(advance(&mut net, None));
}

#[test]
fn a_live_network_tells_a_file_that_changes() {
    let (case, mut net) = Case::live(FLOWS);
    advance(&mut net, Some(Time::from_us(20))).unwrap();
    assert_eq!(net.results().unwrap().summary.flows.finished, 1);
    let mut copy = net.copy().unwrap();
    case.write(&FLOWS.replace("1000", "5000"));
    is_changed(net.results());
    is_changed(net.copy());
    for each in [&mut net, &mut copy] {
        is_changed(advance(each, None));
    }
    // The file was different when its end was read.
    case.write(FLOWS);
    for each in [net, copy] {
        is_changed(each.results());
        is_changed(each.copy());
    }
}

/// A file may change after a live network has read it to the end: the network keeps the flows that
/// it has read.
#[test]
fn a_file_may_change_after_its_end_was_read() {
    let (case, mut net) = Case::live(FLOWS);
    advance(&mut net, None).unwrap();
    let fingerprint = net.results().unwrap().summary.fingerprint;
    std::fs::remove_file(case.file()).unwrap();
    let mut copy = net.copy().unwrap();
    advance(&mut copy, None).unwrap();
    for each in [net, copy] {
        assert_eq!(each.results().unwrap().summary.fingerprint, fingerprint);
    }
}
