use super::*;

const STAR: &str = r#"
[network]
topology = "star-16"

[cc]
algorithm = "hpcc"

[[traffic]]
kind = "incast"
senders = "0-15"
receiver = 16
sizes = "1MB"
stagger = { group = 2, every = "20us" }
"#;

fn valid(text: &str) -> ValidSpec {
    let source = Source {
        name: "a.toml".into(),
        text: text.into(),
        folder: ".".into(),
    };
    Spec::parse(&source, &[])
        .and_then(Spec::validate)
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn x() {
    println!("{}", valid(STAR).to_toml());
    println!("{:#?}", valid(STAR).base_rtts.largest);
    println!("{:#}", schema());
}
