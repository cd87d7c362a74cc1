//! Every message has a test.

/// The fixed text of every message, its longest stretch, occurs in what some test expects.
#[test]
fn no_message_is_untested() {
    let errors = [
        include_str!("../error.rs"),
        include_str!("../read/error.rs"),
    ]
    .concat();
    let tests = unwrapped(
        &[
            include_str!("../topology/tests.rs"),
            include_str!("../spec/tests.rs"),
            include_str!("../shapes/star.rs"),
            include_str!("../shapes/fat_tree.rs"),
            include_str!("../read/tests.rs"),
            include_str!("../read/tests/graph.rs"),
            include_str!("../read/tests/hpcc_ns3.rs"),
            include_str!("../read/tests/htsim.rs"),
        ]
        .concat(),
    );
    let messages = messages(&unwrapped(&errors));
    assert!(messages.len() > 40, "{} messages found", messages.len());
    for message in messages {
        let fixed = longest_fixed(&message);
        assert!(
            tests.contains(&fixed),
            "no test expects `{message}` (`{fixed}`)"
        );
    }
}

/// The text with string literals over several lines joined.
fn unwrapped(text: &str) -> String {
    let mut parts = text.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start())
}

/// The literals of all `#[error("…")]`.
fn messages(source: &str) -> Vec<String> {
    let attributes = source.split("#[error(").skip(1);
    attributes
        .filter_map(|rest| rest.trim_start().strip_prefix('"'))
        .map(|rest| rest.split_once('"').expect("a closed literal").0.to_owned())
        .collect()
}

/// The longest stretch between placeholders.
fn longest_fixed(message: &str) -> String {
    let outside = message
        .split('{')
        .map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    outside
        .max_by_key(|part| part.len())
        .unwrap_or_default()
        .to_owned()
}
