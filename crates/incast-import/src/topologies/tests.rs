mod graph;
mod hpcc_ns3;
mod htsim;

use std::io::{self, BufReader, Read};
use std::path::Path;

use proptest::prelude::*;

use super::*;

/// The network in `text`, or the diagnostic as text.
fn parse(text: impl AsRef<[u8]>, format: FileFormat) -> Result<Topology, String> {
    read_topology_from(text.as_ref(), Path::new("net.txt"), format)
        .map_err(|error| error.to_string())
}

/// The diagnostic of `text`.
fn message(text: impl AsRef<[u8]>, format: FileFormat) -> String {
    parse(text, format).unwrap_err()
}

/// The text with each replacement made once.
fn edited(text: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

#[test]
fn an_empty_file_is_refused() {
    let begin = |expected| format!("net.txt: the file is empty; it begins with {expected}");
    for text in ["", "\n\n  \n"] {
        assert_eq!(
            message(text, FileFormat::HpccNs3),
            begin("`nodes switches links`, e.g. `376 56 480`")
        );
        assert_eq!(
            message(text, FileFormat::Htsim),
            begin("`Nodes`, e.g. `Nodes 128`")
        );
        assert_eq!(
            message(text, FileFormat::Graph),
            begin("`hosts`, e.g. `hosts h0 h1 h2`")
        );
    }
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    for format in FileFormat::ALL {
        let bytes = [
            (&b"\xff\xfe\x00\n"[..], 1),
            (b"3 1 2\0\n", 6),
            (b"\xc3\x28\n", 1),
        ];
        for (bytes, at) in bytes {
            assert_eq!(
                message(bytes, format),
                format!("net.txt:1: byte {at} of the line is not text; save the file as UTF-8")
            );
        }
    }
}

#[test]
fn a_file_without_line_ends_is_refused_at_once() {
    struct Zeros {
        served: u64,
    }
    impl Read for Zeros {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            buffer.fill(0);
            self.served += buffer.len() as u64;
            Ok(buffer.len())
        }
    }
    for format in FileFormat::ALL {
        let mut zeros = Zeros { served: 0 };
        let reader = BufReader::new(zeros.by_ref().take(10_000_000_000));
        let error = read_topology_from(reader, Path::new("zeros.img"), format).unwrap_err();
        assert_eq!(
            error.to_string(),
            "zeros.img:1: the line is longer than 1048576 bytes; \
             no file of this format has such a line"
        );
        assert!(zeros.served <= 1 << 21, "{}", zeros.served);
    }
}

#[test]
fn a_file_that_does_not_exist_is_refused() {
    let missing = Path::new("no/such/file.txt");
    let error = read_topology(missing, missing, FileFormat::Graph).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no such file; relative paths begin at the scenario's folder"
    );
}

#[test]
fn other_systems_line_ends_and_marks_are_text_too() {
    let text =
        "\u{feff}hosts a b\r\n\r\nswitches s\r\nlink a s 1Gbps 1us\r\nlink b s 1Gbps 1us\r\n";
    assert_eq!(
        parse(text, FileFormat::Graph).unwrap().labels,
        ["a", "b", "s"]
    );
}

#[test]
fn a_network_is_named_after_its_file() {
    let text = "hosts a b\nlink a b 1Gbps 1us";
    assert_eq!(parse(text, FileFormat::Graph).unwrap().name, "net");
}

/// A message quotes only a part of a word of one megabyte.
#[test]
fn messages_stay_short() {
    let long = "9".repeat(500_000);
    for text in [
        long.clone(),
        format!("Nodes {long}"),
        format!("hosts {long} {long}"),
        format!("hosts a b\nlink a b {long}Gbps 1us"),
        format!("3 1 2\n2\n0 2 {long}Gbps 1us 0"),
        format!("3 1 2\n2\n0 2 1Gbps {long}us 0"),
        format!("3 1 2\n2\n0 2 1Gbps 1us {long}"),
    ] {
        for format in FileFormat::ALL {
            let message = message(&text, format);
            assert!(message.len() < 400, "{message}");
        }
    }
}

fn lines() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "0",
        "1",
        "2",
        "3",
        "4",
        "8",
        "16",
        "4294967295",
        "99999999999",
        "-1",
        "1e-6",
        "NaN",
        "100Gbps",
        "1us",
        "0us",
        "1000ns",
        "hosts",
        "switches",
        "link",
        "parallel-links",
        "a",
        "b",
        "s",
        "#",
        "Nodes",
        "Tiers",
        "Podsize",
        "Tier",
        "Downlink_speed_Gbps",
        "Downlink_Latency_ns",
        "Radix_Down",
        "Radix_Up",
        "Bundle",
        "Oversubscribed",
        "µ",
    ]);
    let line = prop::collection::vec(word, 0..6).prop_map(|words| words.join(" "));
    prop::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in FileFormat::ALL {
            if let Ok(topology) = parse(&bytes, format) {
                prop_assert_eq!(topology.validate(), Ok(()));
            }
        }
    }

    #[test]
    fn no_words_panic(text in lines()) {
        for format in FileFormat::ALL {
            if let Ok(topology) = parse(&text, format) {
                prop_assert_eq!(topology.validate(), Ok(()));
            }
        }
    }
}
