//! The declaration of recorded quantities.

use incast_units::Time;

/// A value as results write it: a whole number of a unit, which is the end of the column's name.
pub(super) trait Quantity: Copy {
    fn number(self) -> u64;
}

macro_rules! numbers {
    ($($type:ty, $value:ident => $number:expr;)*) => {
        $(impl Quantity for $type {
            fn number(self) -> u64 {
                let $value = self;
                $number
            }
        })*
    };
}

numbers! {
    u32, count => count.into();
    u64, count => count;
    Time, time => time.as_ps();
}

/// Declares a struct of recorded quantities, each once: meaning, type, name with its unit.
///
/// `NAMES` and `numbers()` list all of them in order; columns and fingerprints follow from these
/// lists.
macro_rules! quantities {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* $field:ident: $type:ty => $column:literal,)*
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl $name {
            /// The names of the quantities, which end in their units.
            pub const NAMES: [&'static str; [$($column),*].len()] = [$($column),*];

            /// One reader per quantity, in the order of the names: its value in whole units.
            pub const READERS: [fn(&Self) -> u64; Self::NAMES.len()] =
                [$(|all| $crate::measure::quantity::Quantity::number(all.$field)),*];

            /// The quantities as whole numbers of their units, in the order of their names.
            pub fn numbers(&self) -> [u64; Self::NAMES.len()] {
                [$($crate::measure::quantity::Quantity::number(self.$field)),*]
            }
        }
    };
}

pub(super) use quantities;
