//! The macro that writes a table; the crate's documentation shows its use.

/// Writes a table of named things. The documentation of the [crate] shows how.
#[macro_export]
macro_rules! registry {
    (
        $(#[$meta:meta])*
        $vis:vis enum $Table:ident: $Behaviour:path as $noun:literal, tagged $tag:literal {
            $($name:literal => $Variant:ident($Options:ty), $summary:literal;)*
        }
        $(impl { $($methods:tt)* })?
    ) => {
        $crate::registry! {
            $(#[$meta])*
            $vis enum $Table: $Behaviour as $noun, tagged $tag, without defaults {
                $($name => $Variant($Options), $summary;)*
            }
            $(impl { $($methods)* })?
        }
        $crate::defaults_table!($vis $Table: $Behaviour as $noun {
            $($name => $Variant($Options);)*
        });
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $Table:ident: $Behaviour:path as $noun:literal, tagged $tag:literal,
        without defaults {
            $($name:literal => $Variant:ident($Options:ty), $summary:literal;)*
        }
        $(impl { $($methods:tt)* })?
    ) => {
        #[derive(::serde::Serialize, ::schemars::JsonSchema)]
        #[serde(tag = $tag)]
        $(#[$meta])*
        $vis enum $Table {
            $(#[doc = $summary] #[serde(rename = $name)] $Variant($Options),)*
        }

        $crate::options_table!($vis $Table: $Behaviour as $noun {
            $($name => $Variant($Options), $summary;)*
        });
        $crate::tagged_table!($Table $tag { $($name => $Variant($Options);)* });
        $crate::delegate!($Table [$($Variant)*] $($($methods)*)?);
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $Table:ident: $Behaviour:path as $noun:literal {
            $($name:literal => $Variant:ident($Options:ty), $summary:literal;)*
        }
        $(impl { $($methods:tt)* })?
    ) => {
        $(#[$meta])*
        $vis enum $Table {
            $(#[doc = $summary] $Variant($Options),)*
        }

        $crate::options_table!($vis $Table: $Behaviour as $noun {
            $($name => $Variant($Options), $summary;)*
        });
        $crate::defaults_table!($vis $Table: $Behaviour as $noun {
            $($name => $Variant($Options);)*
        });
        $crate::delegate!($Table [$($Variant)*] $($($methods)*)?);
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $Table:ident as $noun:literal => $Value:ty {
            $($name:literal => $Variant:ident = $value:expr, $summary:literal;)*
        }
    ) => {
        $crate::registry! {
            $(#[$meta])*
            $vis enum $Table as $noun {
                $($name => $Variant, $summary;)*
            }
        }

        impl $Table {
            /// The value of this row.
            $vis fn value(self) -> $Value {
                match self {
                    $(Self::$Variant => $value,)*
                }
            }
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $Table:ident as $noun:literal {
            $($name:literal => $Variant:ident, $summary:literal;)*
        }
    ) => {
        $(#[$meta])*
        $vis enum $Table {
            $(#[doc = $summary] $Variant,)*
        }

        impl $Table {
            /// The noun for a row of the table in messages.
            $vis const NOUN: &'static str = $noun;

            /// Every row, in the table's order.
            $vis const ALL: [Self; [$($name),*].len()] = [$(Self::$Variant),*];

            /// Names and summaries of all rows, in the table's order.
            $vis fn available() -> Vec<$crate::Available> {
                vec![$($crate::Available { name: $name, summary: $summary }),*]
            }

            /// The row with this name.
            ///
            /// # Errors
            /// If there is no such row.
            $vis fn named(name: &str) -> Result<Self, $crate::Diagnostic> {
                match name {
                    $($name => Ok(Self::$Variant),)*
                    _ => Err($crate::Diagnostic::unknown($noun, name, [$($name),*])),
                }
            }

            /// The row's name in scenarios.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$Variant => $name,)*
                }
            }

            /// One line on what the row is, and who proposed it.
            $vis const fn summary(self) -> &'static str {
                match self {
                    $(Self::$Variant => $summary,)*
                }
            }
        }
    };
}

/// The items of every table of things with options.
#[doc(hidden)]
#[macro_export]
macro_rules! options_table {
    ($vis:vis $Table:ident: $Behaviour:path as $noun:literal {
        $($name:literal => $Variant:ident($Options:ty), $summary:literal;)*
    }) => {
        $(impl From<$Options> for $Table {
            fn from(options: $Options) -> Self {
                Self::$Variant(options)
            }
        })*

        #[allow(dead_code, reason = "tables have the same items, whether used or not")]
        impl $Table {
            /// The noun for a row of the table in messages.
            $vis const NOUN: &'static str = $noun;

            /// Every row, in the table's order.
            $vis fn available() -> &'static [$crate::Registered] {
                &[$($crate::Registered {
                    name: $name,
                    summary: $summary,
                    named_sets: || $crate::sets_of(<$Options as $Behaviour>::SETS),
                }),*]
            }

            /// Reads the options of the row `name`.
            ///
            /// # Errors
            /// An unknown name, an unknown option, or a value of the wrong kind.
            $vis fn read<'de, D: ::serde::Deserializer<'de>>(
                name: &str,
                options: D,
            ) -> Result<Self, D::Error> {
                match name {
                    $($name => {
                        <$Options as ::serde::Deserialize>::deserialize(options).map(Self::$Variant)
                    })*
                    _ => Err(::serde::de::Error::custom(
                        $crate::Diagnostic::unknown($noun, name, [$($name),*]),
                    )),
                }
            }

            /// Writes the options, all defaults filled in, without the name.
            ///
            /// # Errors
            /// An error of the serializer.
            $vis fn write<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$Variant(options) => {
                        ::serde::Serialize::serialize(options, serializer)
                    })*
                }
            }

            /// The JSON Schema of each row's options, by name.
            $vis fn schemas(
                generator: &mut ::schemars::SchemaGenerator,
            ) -> Vec<(&'static str, ::schemars::Schema)> {
                vec![$(($name, generator.subschema_for::<$Options>())),*]
            }

            /// The JSON Schema of this row's options.
            $vis fn schema(
                &self,
                generator: &mut ::schemars::SchemaGenerator,
            ) -> ::schemars::Schema {
                match self {
                    $(Self::$Variant(_) => generator.subschema_for::<$Options>(),)*
                }
            }

            /// The row's name, without its options.
            $vis fn name(&self) -> &'static str {
                match self {
                    $(Self::$Variant(_) => $name,)*
                }
            }
        }
    };
}

/// Additional items of tables whose options have defaults.
#[doc(hidden)]
#[macro_export]
macro_rules! defaults_table {
    ($vis:vis $Table:ident: $Behaviour:path as $noun:literal {
        $($name:literal => $Variant:ident($Options:ty);)*
    }) => {
        #[allow(dead_code, reason = "tables have the same items, whether used or not")]
        impl $Table {
            /// The default options of the row `name`, or those of its named `set`.
            ///
            /// # Errors
            /// If there is no such row or set.
            $vis fn with_defaults(
                name: &str,
                set: Option<&str>,
            ) -> Result<Self, $crate::Diagnostic> {
                match name {
                    $($name => match set {
                        None => Ok(Self::$Variant(<$Options>::default())),
                        Some(set) => $crate::set_of(<$Options as $Behaviour>::SETS, set)
                            .map(Self::$Variant),
                    },)*
                    _ => Err($crate::Diagnostic::unknown($noun, name, [$($name),*])),
                }
            }

            /// The default options of the row `name`, or the named set `name` of any row.
            ///
            /// # Errors
            /// If there is no such row or set.
            $vis fn with_name_or_set(name: &str) -> Result<Self, $crate::Diagnostic> {
                let mut names = Vec::new();
                for row in Self::available() {
                    let sets = row.sets();
                    let set = sets.iter().find(|set| set.name == name).map(|set| set.name);
                    if row.name == name || set.is_some() {
                        return Self::with_defaults(row.name, set);
                    }
                    names.push(row.name);
                    names.extend(sets.iter().map(|set| set.name));
                }
                Err($crate::Diagnostic::unknown($noun, name, names))
            }
        }
    };
}

/// Implements reading of a table's enum from a table with a tag.
#[doc(hidden)]
#[macro_export]
macro_rules! tagged_table {
    ($Table:ident $tag:literal { $($name:literal => $Variant:ident($Options:ty);)* }) => {
        const _: () = {
            /// Form of a table in whose source the tag is not the first key.
            #[derive(::serde::Deserialize)]
            #[serde(tag = $tag)]
            enum Buffered {
                $(#[serde(rename = $name)] $Variant($Options),)*
            }

            impl<'de> $crate::tagged::Tagged<'de> for $Table {
                const TAG: &'static str = $tag;
                const NOUN: &'static str = <$Table>::NOUN;
                const NAMES: &'static [&'static str] = &[$($name),*];

                fn read<D: ::serde::Deserializer<'de>>(
                    name: &str,
                    options: D,
                ) -> Result<Self, D::Error> {
                    <$Table>::read(name, options)
                }

                fn read_buffered<D: ::serde::Deserializer<'de>>(
                    table: D,
                ) -> Result<Self, D::Error> {
                    <Buffered as ::serde::Deserialize>::deserialize(table).map(|read| match read {
                        $(Buffered::$Variant(options) => Self::$Variant(options),)*
                    })
                }
            }

            impl<'de> ::serde::Deserialize<'de> for $Table {
                fn deserialize<D: ::serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<Self, D::Error> {
                    $crate::tagged::deserialize(deserializer)
                }
            }
        };
    };
}
