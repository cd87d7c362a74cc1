//! The common form of all extension points: a table of named things.
//!
//! Algorithms, topologies, kinds of traffic, distributions of flow sizes and switch programs are
//! each one table, written with [`registry!`]. A row has a name, a type and a one-line summary. To
//! add a thing takes one file and one row.
//!
//! # Things with options
//!
//! The type of a row holds the options of a thing, and implements the *behaviour trait* of the
//! table. This trait has the methods of every thing in the table, and the named sets of values:
//!
//! ```
//! use incast_registry::{NamedSet, registry};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! /// What every shape does.
//! pub trait Shape: Default + 'static {
//!     /// Sets of options that go by a name; every behaviour trait has this line.
//!     const SETS: &'static [NamedSet<Self>] = &[];
//!
//!     fn area(&self, scale: f64) -> f64;
//! }
//!
//! // square.rs: the options of a thing, their defaults, what it does with them.
//! #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
//! #[serde(default, deny_unknown_fields)]
//! pub struct Square {
//!     pub side: f64,
//! }
//!
//! impl Default for Square {
//!     fn default() -> Self {
//!         Self { side: 1.0 }
//!     }
//! }
//!
//! impl Shape for Square {
//!     const SETS: &'static [NamedSet<Self>] = &[NamedSet {
//!         name: "large-square",
//!         summary: "that of Euclid, Book I",
//!         values: || Self { side: 10.0 },
//!     }];
//!
//!     fn area(&self, scale: f64) -> f64 {
//!         self.side * self.side * scale
//!     }
//! }
//!
//! // registry.rs: the table. The name of the table is the type of "one of these things".
//! registry! {
//!     /// A shape with its options.
//!     #[derive(Clone, Debug, PartialEq)]
//!     pub enum ShapeSpec: Shape as "shape", tagged "kind" {
//!         "square" => Square(Square), "four equal sides";
//!     }
//!
//!     impl {
//!         /// The area in square metres.
//!         pub fn area(&self, scale: f64) -> f64;
//!     }
//! }
//!
//! let named = ShapeSpec::with_defaults("square", None).unwrap();
//! assert_eq!((named.name(), named.area(2.0)), ("square", 2.0));
//! let large: ShapeSpec = ShapeSpec::with_name_or_set("large-square").unwrap();
//! assert_eq!(large, Square { side: 10.0 }.into());
//! let read: ShapeSpec = serde_json::from_str(r#"{ "kind": "square", "side": 3 }"#).unwrap();
//! assert_eq!(read.area(1.0), 9.0);
//! ```
//!
//! The macro writes the enum, a conversion from each type of options, and
//!
//! | item                       | meaning                                                       |
//! |----------------------------|---------------------------------------------------------------|
//! | `NOUN`                     | the noun for a row of the table in messages                   |
//! | `available()`              | the rows as [`Registered`]: name, summary, named sets         |
//! | `with_defaults(name, set)` | the default options of a thing, or a named set of them        |
//! | `with_name_or_set(name)`   | the same by one name, of a row or of a set                     |
//! | `read(name, deserializer)` | a thing whose name has been read, from its options            |
//! | `write(serializer)`        | the thing's options, with all defaults, without the name      |
//! | `schemas(generator)`       | the JSON Schema of every thing's options                      |
//! | `schema(generator)`        | the JSON Schema of this thing's options                       |
//! | `name()`                   | the thing's name                                              |
//! | `impl { … }`               | methods of the behaviour trait, passed on to the options      |
//!
//! With `tagged "kind"` serde reads and writes the enum itself, as a table whose key `kind` has the
//! name; the schema is derived. If the tag comes first, the options are read without a buffer, so
//! that errors in them know their place in the source. Without `tagged`, the caller reads the name.
//! Crates with a table depend on `serde` and `schemars`.
//!
//! Options with required keys have no defaults: after the tag, `without defaults` leaves out
//! `with_defaults` and `with_name_or_set`, and the behaviour trait need not ask for `Default`.
//!
//! Methods after `impl` may take `&self` or `&mut self`, arguments, and one const parameter of
//! type `usize` (`fn build<const WORDS: usize>(&self, …)`).
//!
//! # Things without options
//!
//! ```
//! incast_registry::registry! {
//!     /// A side of a coin.
//!     #[derive(Copy, Clone, Debug, PartialEq, Eq)]
//!     pub enum Side as "side of a coin" => u32 {
//!         "heads" => Heads = 1, "the side with a head";
//!         "tails" => Tails = 2, "the other side";
//!     }
//! }
//!
//! assert_eq!(Side::named("tails").unwrap().value(), 2);
//! assert_eq!(Side::ALL.map(Side::name), ["heads", "tails"]);
//! ```
//!
//! Each row has a value, whose type follows the arrow. Value and type may be left out
//! (`"heads" => Heads, "…";`). The items are
//! `NOUN`, `ALL`, `available()`, `named(name)`, `name()`, `summary()`, `value()`.

mod delegate;
mod registered;
mod table;
#[doc(hidden)]
pub mod tagged;

pub use registered::{Available, NamedSet, Registered};

#[doc(hidden)]
pub use {
    incast_diagnostic::Diagnostic,
    registered::{set_of, sets_of},
};

#[cfg(test)]
mod tests;
