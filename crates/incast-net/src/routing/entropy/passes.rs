//! Passes over the entropies of a flow: each is used once per pass, in an order that changes from
//! pass to pass.
//!
//! | order      | the i-th entropy of a pass over N                     | source                  |
//! |------------|-------------------------------------------------------|-------------------------|
//! | `shuffled` | the i-th of a random permutation, drawn for each pass | UEC 1.0, 3.6.16.3       |
//! | `xor`      | i xor x, with x below N drawn for each pass           | uet-htsim, `uec_mp.cpp` |
//!
//! The specification asks for a pseudo-random order and leaves open whether passes differ.

use incast_diagnostic::{Diagnostic, Placed as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check_entropies;
use super::draws::RawDraws;

/// The order of the entropies in a pass over all of them.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PassOrder {
    /// A random permutation, drawn for each pass.
    #[default]
    Shuffled,
    /// Ascending numbers, each xor a random number that is drawn for each pass; needs a power of
    /// two.
    Xor,
}

impl PassOrder {
    /// Checks that a pass of this order is possible.
    ///
    /// # Errors
    /// Too few or too many entropies, or a number that is not a power of two.
    pub(super) fn check(self, entropies: u32) -> Result<(), Diagnostic> {
        check_entropies(entropies)?;
        if self == Self::Shuffled || entropies.is_power_of_two() {
            return Ok(());
        }
        let what = format!("`{entropies}` is not a power of two, which the order \"xor\" is for");
        let (above, below) = (
            entropies.next_power_of_two(),
            entropies.next_power_of_two() / 2,
        );
        let hint = format!("write {below} or {above}, or order = \"shuffled\"");
        Err(Diagnostic::new(what, hint)).at("entropies")
    }
}

/// The place of a flow in its passes.
#[derive(Clone, Debug)]
pub(super) struct EntropyPass<D> {
    draws: D,
    /// Number of packets of this pass so far.
    done: u32,
    count: u32,
    sequence: PassSequence,
}

/// The numbers of one pass.
#[derive(Clone, Debug)]
enum PassSequence {
    Permutation(Vec<u16>),
    Xor(u16),
}

impl<D: RawDraws> EntropyPass<D> {
    pub(super) fn new(order: PassOrder, entropies: u32, mut draws: D) -> Self {
        let sequence = match order {
            PassOrder::Shuffled => PassSequence::Permutation(shuffled(entropies, &mut draws)),
            PassOrder::Xor => PassSequence::Xor(draws.pick(entropies)),
        };
        Self {
            draws,
            done: 0,
            count: entropies,
            sequence,
        }
    }

    /// The entropy number that is next.
    pub(super) fn current(&self) -> u16 {
        match &self.sequence {
            PassSequence::Permutation(numbers) => numbers[self.done as usize],
            PassSequence::Xor(mask) => self.done as u16 ^ mask,
        }
    }

    /// Moves to the next entropy number.
    pub(super) fn step(&mut self) {
        self.done += 1;
        if self.done == self.count {
            self.done = 0;
            match &mut self.sequence {
                PassSequence::Permutation(numbers) => shuffle(numbers, &mut self.draws),
                PassSequence::Xor(mask) => *mask = self.draws.pick(self.count),
            }
        }
    }

    /// Takes the entropy number that is next.
    pub(super) fn take(&mut self) -> u16 {
        let number = self.current();
        self.step();
        number
    }
}

fn shuffled(count: u32, draws: &mut impl RawDraws) -> Vec<u16> {
    let mut numbers = (0..count).map(|number| number as u16).collect::<Vec<_>>();
    shuffle(&mut numbers, draws);
    numbers
}

/// Fisher-Yates shuffle: from the last place on, each number changes places with one drawn from
/// those up to it.
fn shuffle(numbers: &mut [u16], draws: &mut impl RawDraws) {
    for place in (1..numbers.len()).rev() {
        let other = draws.pick(place as u32 + 1);
        numbers.swap(place, other.into());
    }
}

#[cfg(test)]
mod tests {
    use super::super::recordings::Drawn;
    use super::*;

    fn taken(order: PassOrder, entropies: u32, draws: &[u32], count: usize) -> Vec<u16> {
        let mut pass = EntropyPass::new(order, entropies, Drawn::new(draws));
        (0..count).map(|_| pass.take()).collect()
    }

    /// 0 to 3, each xor 7 mod 4 = 3, then each xor 9 mod 4 = 1. The third pass begins with 2.
    #[test]
    fn xor_mirrors_the_ascending_order() {
        let numbers = taken(PassOrder::Xor, 4, &[7, 9, 2], 9);
        assert_eq!(numbers, [3, 2, 1, 0, 1, 0, 3, 2, 2]);
    }

    /// 0 1 2: place 2 changes with 4 mod 3 = 1 (0 2 1), place 1 with 2 mod 2 = 0 (2 0 1). From this
    /// order the second pass: place 2 with 0 (1 0 2), place 1 with 1, itself. The third: place 2
    /// with 2, itself, place 1 with 0 (0 1 2).
    #[test]
    fn a_shuffle_is_drawn_for_each_pass() {
        let numbers = taken(PassOrder::Shuffled, 3, &[4, 2, 0, 1, 2, 0], 7);
        assert_eq!(numbers, [2, 0, 1, 1, 0, 2, 0]);
    }

    /// Each of three passes has all 65,536 numbers.
    #[test]
    fn each_comes_once_in_a_pass() {
        use incast_random::{NetworkPurpose, RandomStream};
        for order in [PassOrder::Shuffled, PassOrder::Xor] {
            let draws = RandomStream::of_network(1, 2, NetworkPurpose::Entropy);
            let mut pass = EntropyPass::new(order, 1 << 16, draws);
            for _ in 0..3 {
                let mut numbers: Vec<u16> = (0..1 << 16).map(|_| pass.take()).collect();
                numbers.sort_unstable();
                assert!(numbers.into_iter().eq(0..=u16::MAX), "{order:?}");
            }
        }
    }

    #[test]
    fn xor_is_for_powers_of_two() {
        for (order, entropies, said) in [
            (PassOrder::Shuffled, 48, None),
            (PassOrder::Xor, 64, None),
            (PassOrder::Xor, 1 << 16, None),
            (PassOrder::Xor, 1, None),
            (
                PassOrder::Xor,
                48,
                Some("write 32 or 64, or order = \"shuffled\""),
            ),
            (PassOrder::Shuffled, 0, Some("write 1 to 65536")),
            (PassOrder::Xor, 1 << 17, Some("write 1 to 65536")),
        ] {
            let checked = order.check(entropies).map_err(|wrong| wrong.to_string());
            match (checked, said) {
                (Err(wrong), Some(said)) => assert!(wrong.contains(said), "{wrong}"),
                (checked, said) => assert_eq!((checked, said), (Ok(()), None), "{entropies}"),
            }
        }
    }
}
