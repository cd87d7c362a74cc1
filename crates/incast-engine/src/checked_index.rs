//! Indexing of tables that every packet-hop looks up.
//!
//! An index out of bounds is a defect of the program. The usual panic reports index and length, so
//! the compiler keeps both in registers. This panic reports only its place in the source, and costs
//! one comparison less.

/// Indexing with a panic that reports neither index nor length.
pub trait CheckedIndex<T> {
    /// The item at `index`.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    fn at(&self, index: usize) -> &T;

    /// The item at `index`, mutable.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    fn at_mut(&mut self, index: usize) -> &mut T;
}

impl<T> CheckedIndex<T> for [T] {
    #[inline(always)]
    #[track_caller]
    fn at(&self, index: usize) -> &T {
        match self.get(index) {
            Some(item) => item,
            None => out_of_bounds(),
        }
    }

    #[inline(always)]
    #[track_caller]
    fn at_mut(&mut self, index: usize) -> &mut T {
        match self.get_mut(index) {
            Some(item) => item,
            None => out_of_bounds(),
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn out_of_bounds() -> ! {
    panic!("an index is out of its table");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_those_of_the_slice() {
        let mut table = [1, 2, 3];
        *table.at_mut(1) = 5;
        assert_eq!((*table.at(0), *table.at(1)), (1, 5));
    }

    #[test]
    #[should_panic(expected = "out of its table")]
    fn an_index_beyond_the_end_panics() {
        [1, 2, 3].at(3);
    }
}
