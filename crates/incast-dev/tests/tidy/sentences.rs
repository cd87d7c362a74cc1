//! Sentences in comments and documentation have at most 40 words (write for 30). A word is a group
//! of characters with two letters in a row.

use crate::source::{Source, file, files, none};

const MAX_WORDS: usize = 40;

/// Pages outside of `docs`.
const PAGES: &[&str] = &[
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
];

#[test]
fn sentences_of_comments_are_short() {
    let sources = files("crates", &["rs"]);
    assert!(sources.len() > 500, "the tree is elsewhere");
    none(&long_ones(&sources, comment), "sentences are long");
}

/// All pages except reproductions, which quote claims of papers.
#[test]
fn sentences_of_pages_are_short() {
    let pages = files("docs", &["md"]).into_iter();
    let pages = pages.filter(|page| !page.path.starts_with("docs/reproductions"));
    let pages: Vec<_> = pages.chain(PAGES.iter().map(|page| file(page))).collect();
    assert!(pages.len() > 30, "the pages are elsewhere");
    none(&long_ones(&pages, |line| Some(line)), "sentences are long");
}

fn long_ones(sources: &[Source], text: fn(&str) -> Option<&str>) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources {
        for (line, paragraph) in paragraphs(&source.text, text) {
            for sentence in sentences(&paragraph) {
                let words = words(sentence);
                if words > MAX_WORDS {
                    let begin: String = sentence.chars().take(60).collect();
                    let place = format!("{}:{line}", source.shown());
                    found.push(format!("{place}: {words} words: {begin} …"));
                }
            }
        }
    }
    found
}

/// The text of a line that is only a comment.
fn comment(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("//")?;
    Some(text.trim_start_matches(['/', '!']).trim())
}

/// Paragraphs, each with its first line: text between blank lines, without code blocks, tables and
/// headings. An item of a list is a paragraph.
fn paragraphs(text: &str, part: fn(&str) -> Option<&str>) -> Vec<(usize, String)> {
    let mut found = vec![(1, String::new())];
    let mut in_code = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = part(line).unwrap_or_default().trim();
        let is_fence = line.starts_with("```");
        in_code ^= is_fence;
        let is_no_text = line.is_empty() || line.starts_with(['|', '#', '<']);
        if in_code || is_fence || is_no_text {
            found.push((number, String::new()));
            continue;
        }
        if is_item(line) || found.last().is_some_and(|(_, text)| text.is_empty()) {
            found.push((number, String::new()));
        }
        if let Some((_, paragraph)) = found.last_mut() {
            paragraph.push_str(line);
            paragraph.push(' ');
        }
    }
    found
}

fn is_item(line: &str) -> bool {
    let number = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    line.starts_with("- ") || line.starts_with("* ") || number.starts_with(". ")
}

/// Sentences, which end with a full stop or another final mark before a blank.
fn sentences(paragraph: &str) -> impl Iterator<Item = &str> {
    let ends = [". ", "! ", "? ", ".* ", ".** "];
    let mut rest = paragraph;
    std::iter::from_fn(move || {
        let end = ends
            .iter()
            .filter_map(|end| rest.find(end).map(|at| at + end.len()))
            .min()
            .unwrap_or(rest.len());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        (!sentence.is_empty()).then_some(sentence)
    })
}

/// Number of words with two letters in a row, so that numbers, signs and symbols do not count.
fn words(sentence: &str) -> usize {
    let is_word = |word: &&str| {
        let letters: Vec<_> = word.chars().map(|c| c.is_ascii_alphabetic()).collect();
        letters
            .windows(2)
            .any(|pair| pair.iter().all(|letter| *letter))
    };
    sentence.split_whitespace().filter(is_word).count()
}

#[test]
fn long_sentences_are_found_where_they_stand() {
    let long = "word ".repeat(MAX_WORDS + 1);
    let short = "word ".repeat(MAX_WORDS);
    let text =
        format!("fn a() {{}}\n/// {short}.\n/// {short}.\n///\n//! - {long}\nlet a; // {long}\n");
    let source = Source {
        path: "a.rs".into(),
        text,
    };
    let found = long_ones(&[source], comment);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("a.rs:5: 41 words: - word"),
        "{found:?}"
    );
}

#[test]
fn code_tables_and_numbers_are_no_sentences() {
    let long = "word ".repeat(MAX_WORDS + 1);
    let numbers = "1 048 + 2·83.84 = x, ".repeat(MAX_WORDS);
    let text = format!("```text\n{long}\n```\n| {long} |\n# {long}\n{numbers}\n");
    let path = "a.md".into();
    assert_eq!(
        long_ones(&[Source { path, text }], |line| Some(line)),
        Vec::<String>::new()
    );
}
