//! The numbers that a matrix gives its flows, each of which must be of one flow.
//!
//! htsim's matrices number their flows one after the other, so numbers are kept as ranges: of a
//! matrix of any length a few.

use std::collections::BTreeMap;

use incast_diagnostic::Diagnostic;

/// Numbers that are taken: ranges that neither meet nor overlap.
#[derive(Default)]
pub(super) struct FlowIds {
    /// The last number of each range, by its first.
    ranges: BTreeMap<u64, u64>,
}

impl FlowIds {
    /// Takes a number.
    ///
    /// # Errors
    /// If a flow before has it.
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

    /// 3–5 and 7 become 3–7 with 6; the largest number has none after it.
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
