//! "Did you mean": the nearest of the names that exist.

/// The nearest name, if one is near, and all of them.
pub(crate) fn hint(name: &str, available: &[&str]) -> String {
    let mut sorted = available.to_vec();
    sorted.sort_unstable();
    let list = match sorted.as_slice() {
        [] => "there is none".to_owned(),
        all => format!("available: {}", all.join(", ")),
    };
    match nearest(name, &sorted) {
        Some(near) => format!("did you mean `{near}`? ({list})"),
        None => list,
    }
}

/// The name with the smallest edit distance, if that is at most a third of its length.
pub(crate) fn nearest<'a>(name: &str, available: &[&'a str]) -> Option<&'a str> {
    let wanted = normalised(name);
    available
        .iter()
        .map(|candidate| (distance(&wanted, &normalised(candidate)), *candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.chars().count() / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Case and separators are what people mistype most.
fn normalised(name: &str) -> Vec<char> {
    name.to_lowercase()
        .chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .collect()
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let substitute = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                let swap = if swapped {
                    rows[i - 2][j - 2] + 1
                } else {
                    usize::MAX
                };
                substitute
                    .min(swap)
                    .min(rows[i - 1][j] + 1)
                    .min(rows[i][j - 1] + 1)
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = ["hpcc", "dcqcn", "dctcp", "swift", "link_delay"];

    #[test]
    fn near_names_are_suggested() {
        for (typed, meant) in [
            ("dctpc", "dctcp"),
            ("hpc", "hpcc"),
            ("HPCC", "hpcc"),
            ("link-delay", "link_delay"),
            ("linkdelays", "link_delay"),
            ("swfit", "swift"),
        ] {
            assert_eq!(nearest(typed, &NAMES), Some(meant), "{typed}");
        }
    }

    #[test]
    fn far_names_are_not() {
        for typed in ["", "bbr", "timely", "x"] {
            assert_eq!(nearest(typed, &NAMES), None, "{typed}");
        }
    }

    #[test]
    fn the_hint_lists_what_exists_in_order() {
        assert_eq!(
            hint("dctpc", &NAMES),
            "did you mean `dctcp`? (available: dcqcn, dctcp, hpcc, link_delay, swift)"
        );
        assert_eq!(hint("bbr", &["hpcc"]), "available: hpcc");
        assert_eq!(hint("bbr", &[]), "there is none");
    }

    /// One swap; one substitution and one insertion.
    #[test]
    fn distances() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(distance(&chars("dctpc"), &chars("dctcp")), 1);
        assert_eq!(distance(&chars("kitten"), &chars("sittens")), 2);
        assert_eq!(distance(&chars(""), &chars("abc")), 3);
    }
}
