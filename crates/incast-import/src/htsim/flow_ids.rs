//! The ids of flows in a matrix, which must be distinct.
//!
//! htsim's matrices number their flows consecutively. Ids are therefore kept as ranges: a few, for
//! a matrix of any length.

use std::collections::BTreeMap;

use incast_diagnostic::Diagnostic;

/// The ids found so far, as ranges that neither touch nor overlap.
#[derive(Default)]
pub(super) struct FlowIds {
    /// The first id of each range, with its last.
    ranges: BTreeMap<u64, u64>,
}

impl FlowIds {
    /// Adds an id.
    ///
    /// # Errors
    /// If an earlier flow has the same id.
    pub(super) fn take(&mut self, id: u64) -> Result<(), Diagnostic> {
        let before = self.ranges.range(..=id).next_back();
        let before = before.map(|(first, last)| (*first, *last));
        if before.is_some_and(|(_, last)| last >= id) {
            return Err(id_twice(id));
        }
        let first = match before {
            Some((first, last)) if last + 1 == id => first,
            _ => id,
        };
        let after = id.checked_add(1);
        let last = after.and_then(|after| self.ranges.remove(&after));
        self.ranges.insert(first, last.unwrap_or(id));
        Ok(())
    }
}

fn id_twice(id: u64) -> Diagnostic {
    Diagnostic::new(
        format!("a flow above has the number {id}, too"),
        "give each flow a number of its own, or leave `id` out",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3–5 and 7 become 3–7 with 6. No id follows the largest number.
    #[test]
    fn numbers_are_taken_once() {
        let mut ids = FlowIds::default();
        for id in [5, 3, 4, 7, 6, 0, u64::MAX, u64::MAX - 1] {
            assert_eq!(ids.take(id), Ok(()), "{id}");
            let message = ids.take(id).unwrap_err().to_string();
            let expected = format!(
                "a flow above has the number {id}, too; give each flow a number of its own, or \
                 leave `id` out"
            );
            assert_eq!(message, expected);
        }
        let ranges = [(0, 0), (3, 7), (u64::MAX - 1, u64::MAX)];
        assert_eq!(ids.ranges, ranges.into());
    }
}
