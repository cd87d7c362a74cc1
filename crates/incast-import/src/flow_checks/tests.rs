//! Helpers of the tests of all formats.

use incast_diagnostic::Diagnostic;
use incast_workload::FlowReader;

/// A flow as (start in ps, source, destination, size in bytes).
pub(crate) type Short = (u64, u32, u32, u64);

/// All flows as tuples, or the first diagnostic as text.
pub(crate) fn all(reader: Result<impl FlowReader, Diagnostic>) -> Result<Vec<Short>, String> {
    let mut reader = reader.map_err(|error| error.to_string())?;
    let mut flows = Vec::new();
    loop {
        match reader.next_flow() {
            Ok(None) => return Ok(flows),
            Ok(Some(flow)) => flows.push((
                flow.start.as_ps(),
                flow.source.0,
                flow.destination.0,
                flow.size.as_u64(),
            )),
            Err(error) => return Err(error.to_string()),
        }
    }
}

mod fuzz {
    use std::io::Cursor;

    use proptest::prelude::*;

    use incast_workload::{FlowCount, HostNames, Strictness};

    use super::all;
    use crate::csv::Csv;
    use crate::decimal::TimeUnit;
    use crate::hpcc_ns3::flows::{FlowFileReader, FlowOptions, StartClock};
    use crate::htsim::matrix::{MatrixOptions, MatrixReader};
    use crate::text::TextLines;

    /// Random text: pieces of all formats, and a few arbitrary bytes.
    fn file() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            8 => prop::sample::select(vec![
                "\n", " ", ",", "0", "1", "2", "16", "3", "100", "1000", "2.000000164", "-1", "1e9",
                "Nodes ", "Connections ", "0->1 ", "start ", "size ", "id ", "trigger ", "prio ",
                "source", "destination", "size_bytes", "start_ps", "start_s", "\"", "#", "\u{feff}",
                "99999999999999999999", "0 1 3 100 1000 2.0\n", "0->1 start 0 size 1\n",
            ])
            .prop_map(|text| text.as_bytes().to_vec()),
            1 => prop::collection::vec(any::<u8>(), 0..8),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    fn lines(bytes: &[u8]) -> TextLines<Cursor<Vec<u8>>> {
        TextLines::new(Cursor::new(bytes.to_vec()), "f")
    }

    proptest! {
        /// No file makes a reader panic, and all flows that a reader yields are valid.
        #[test]
        fn readers_survive_anything(bytes in file(), ignore in any::<bool>()) {
            let strictness = if ignore { Strictness::Ignore } else { Strictness::Check };
            let (count, priorities) = (strictness, strictness);
            let (clock, start_unit) = (StartClock::Ns3, TimeUnit::Microsecond);
            let of_count = if ignore { FlowCount::First } else { FlowCount::Check };
            let hpcc = FlowOptions { count: of_count, priorities, clock };
            let htsim = MatrixOptions { start_unit, count, priorities };
            let hosts = 16;
            for flows in [
                all(FlowFileReader::new(lines(&bytes), hpcc, HostNames::numbered(hosts))),
                all(Ok(MatrixReader::new(lines(&bytes), htsim, hosts))),
                all(Csv::new(lines(&bytes), HostNames::numbered(hosts))),
            ] {
                match flows {
                    Err(message) => prop_assert!(message.starts_with('f'), "{}", message),
                    Ok(flows) => for (_, source, destination, size) in flows {
                        prop_assert!(source < hosts && destination < hosts);
                        prop_assert!(source != destination && size > 0);
                    },
                }
            }
        }
    }
}
