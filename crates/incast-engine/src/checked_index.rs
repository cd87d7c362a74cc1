//! Indexing of tables that every packet-hop looks up.
//!
//! An index that is out of its table is a mistake in this program. The usual panic tells which
//! index and how long the table was, for which both have to be kept at hand; this one only tells
//! where, and costs a comparison less.

/// A table with numbered places.
pub trait CheckedIndex<T> {
    /// What is at `index`.
    ///
    /// # Panics
    /// If there is no such place.
    fn at(&self, index: usize) -> &T;

    /// What is at `index`, to be changed.
    ///
    /// # Panics
    /// If there is no such place.
    fn at_mut(&mut self, index: usize) -> &mut T;
}

impl<T> CheckedIndex<T> for [T] {
    #[inline(always)]
    #[track_caller]
    fn at(&self, index: usize) -> &T {
        match self.get(index) {
            Some(item) => item,
            None => no_such_place(),
        }
    }

    #[inline(always)]
    #[track_caller]
    fn at_mut(&mut self, index: usize) -> &mut T {
        match self.get_mut(index) {
            Some(item) => item,
            None => no_such_place(),
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_such_place() -> ! {
    panic!("an index is out of its table");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_slice() {
        let mut table = [1, 2, 3];
        *table.at_mut(1) = 5;
        assert_eq!((*table.at(0), *table.at(1)), (1, 5));
    }

    #[test]
    #[should_panic(expected = "out of its table")]
    fn there_is_nothing_beyond() {
        [1, 2, 3].at(3);
    }
}
