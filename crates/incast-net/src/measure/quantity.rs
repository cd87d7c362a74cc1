//! The declaration of recorded quantities.

use incast_units::Time;

/// A value as results write it: a whole number of the unit that its name ends in.
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

/// A struct of recorded quantities. Each is declared once: meaning, type, name with its unit.
///
/// `NAMES` and `numbers()` have all of them in order: columns and fingerprints follow.
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
            /// The names of the quantities; they end in the unit.
            pub const NAMES: [&'static str; [$($column),*].len()] = [$($column),*];

            /// Reads each of them, in the order of the names, as a whole number of its unit.
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
