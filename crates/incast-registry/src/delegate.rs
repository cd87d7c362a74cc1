//! Methods of a table's enum that call the same method of the row's options.

/// Writes methods that call the method of the same name on the variant's options.
#[doc(hidden)]
#[macro_export]
macro_rules! delegate {
    ($Table:ident $Variants:tt) => {};
    (
        $Table:ident $Variants:tt
        $(#[$meta:meta])*
        $vis:vis fn $method:ident $(<const $N:ident: usize>)? (
            &self $(, $argument:ident: $Argument:ty)* $(,)?
        ) $(-> $Return:ty)?;
        $($rest:tt)*
    ) => {
        impl $Table {
            $(#[$meta])*
            $vis fn $method $(<const $N: usize>)? (
                &self $(, $argument: $Argument)*
            ) $(-> $Return)? {
                $crate::delegate_call!(self $method ($($argument),*) $Table $Variants)
            }
        }
        $crate::delegate!($Table $Variants $($rest)*);
    };
    (
        $Table:ident $Variants:tt
        $(#[$meta:meta])*
        $vis:vis fn $method:ident(
            &mut self $(, $argument:ident: $Argument:ty)* $(,)?
        ) $(-> $Return:ty)?;
        $($rest:tt)*
    ) => {
        impl $Table {
            $(#[$meta])*
            $vis fn $method(&mut self $(, $argument: $Argument)*) $(-> $Return)? {
                $crate::delegate_call!(self $method ($($argument),*) $Table $Variants)
            }
        }
        $crate::delegate!($Table $Variants $($rest)*);
    };
}

/// Matches on the variant, and calls the delegated method on its options.
#[doc(hidden)]
#[macro_export]
macro_rules! delegate_call {
    ($self:ident $method:ident $arguments:tt $Table:ident [$($Variant:ident)*]) => {
        match $self {
            $($Table::$Variant(options) => options.$method $arguments,)*
        }
    };
}
