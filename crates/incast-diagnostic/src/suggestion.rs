//! "Did you mean": the nearest of the names that exist.

/// The hint for a name that does not exist: the nearest name, if one is near, and all of them in
/// alphabetical order.
pub fn suggestion<'a>(name: &str, available: impl IntoIterator<Item = &'a str>) -> String {
    let mut sorted: Vec<_> = available.into_iter().collect();
    sorted.sort_unstable();
    let list = match sorted.as_slice() {
        [] => "there is none".to_owned(),
        all => format!("available: {}", all.join(", ")),
    };
    match nearest(name, sorted) {
        Some(near) => format!("did you mean `{near}`? ({list})"),
        None => list,
    }
}

/// The name that was probably meant.
///
/// A name is near if at most a third of its characters (at least one, but not all) are mistyped:
/// inserted, deleted, substituted, or swapped with a neighbour. Without a near name, the first name
/// that begins with the typed text is meant. Case and separators do not count.
pub fn nearest<'a>(name: &str, available: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = normalised(name);
    let candidates = available.into_iter();
    candidates
        .filter_map(|candidate| Some((distance(&wanted, candidate)?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The edit distance of the candidate from the typed name, the largest number for an abbreviation;
/// `None` if the candidate is not near.
fn distance(wanted: &str, candidate: &str) -> Option<usize> {
    let (length, candidate) = (candidate.chars().count(), normalised(candidate));
    let mistyped = strsim::osa_distance(wanted, &candidate);
    if mistyped <= (length / 3).max(1) && mistyped < length {
        return Some(mistyped);
    }
    let abbreviated = !wanted.is_empty() && candidate.starts_with(wanted);
    abbreviated.then_some(usize::MAX)
}

/// The name without case and separators, which are mistyped most.
fn normalised(name: &str) -> String {
    let kept = name.chars().filter(|c| !matches!(c, '-' | '_' | ' '));
    kept.flat_map(char::to_lowercase).collect()
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
            assert_eq!(nearest(typed, NAMES), Some(meant), "{typed}");
        }
    }

    #[test]
    fn far_names_are_not() {
        for typed in ["", "bbr", "timely", "x"] {
            assert_eq!(nearest(typed, NAMES), None, "{typed}");
        }
        // One character, mistyped: nothing is left in common.
        assert_eq!(nearest("x", ["B"]), None);
    }

    /// `m` is one deletion from `MB`, and no mistyping of `B`; `G` only begins `Gbps`.
    #[test]
    fn abbreviations_are_completed() {
        assert_eq!(
            nearest("leaf", ["star", "leaf-spine", "leaf-spine-144"]),
            Some("leaf-spine")
        );
        assert_eq!(nearest("G", ["bps", "Gbps", "Gb/s"]), Some("Gbps"));
        assert_eq!(nearest("m", ["B", "KB", "MB", "MiB"]), Some("MB"));
    }

    #[test]
    fn the_suggestion_lists_all_names_in_order() {
        assert_eq!(
            suggestion("dctpc", NAMES),
            "did you mean `dctcp`? (available: dcqcn, dctcp, hpcc, link_delay, swift)"
        );
        assert_eq!(suggestion("bbr", ["hpcc"]), "available: hpcc");
        assert_eq!(suggestion("bbr", []), "there is none");
    }
}
