//! The three dimensions of quantities, and the units of each.

use std::fmt;

/// One of the three things a quantity measures, with the units it is written in.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// A time, in whole picoseconds.
    Time,
    /// A rate, in whole bits per second.
    Rate,
    /// A size, in whole bytes.
    Size,
}

/// A unit as it is written.
pub(crate) struct Unit {
    pub(crate) symbol: &'static str,
    /// How many base units (ps, bit/s, B) this unit stands for.
    pub(crate) scale: u64,
    /// Whether values are printed in this unit; the other units are only read.
    pub(crate) printed: bool,
}

const fn printed(symbol: &'static str, scale: u64) -> Unit {
    Unit {
        symbol,
        scale,
        printed: true,
    }
}

const fn read(symbol: &'static str, scale: u64) -> Unit {
    Unit {
        symbol,
        scale,
        printed: false,
    }
}

const KILO: u64 = 1_000;
const MEGA: u64 = 1_000_000;
const GIGA: u64 = 1_000_000_000;
const TERA: u64 = 1_000_000_000_000;

/// `µ` exists twice in Unicode: as the micro sign (U+00B5) and as the Greek letter (U+03BC).
static TIME: [Unit; 7] = [
    printed("ps", 1),
    printed("ns", KILO),
    printed("us", MEGA),
    printed("ms", GIGA),
    printed("s", TERA),
    read("\u{b5}s", MEGA),
    read("\u{3bc}s", MEGA),
];

static RATE: [Unit; 17] = [
    printed("bps", 1),
    printed("kbps", KILO),
    printed("Mbps", MEGA),
    printed("Gbps", GIGA),
    printed("Tbps", TERA),
    read("Kbps", KILO),
    read("b/s", 1),
    read("kb/s", KILO),
    read("Kb/s", KILO),
    read("Mb/s", MEGA),
    read("Gb/s", GIGA),
    read("Tb/s", TERA),
    read("bit/s", 1),
    read("kbit/s", KILO),
    read("Mbit/s", MEGA),
    read("Gbit/s", GIGA),
    read("Tbit/s", TERA),
];

static SIZE: [Unit; 10] = [
    printed("B", 1),
    printed("KB", KILO),
    printed("KiB", 1 << 10),
    printed("MB", MEGA),
    printed("MiB", 1 << 20),
    printed("GB", GIGA),
    printed("GiB", 1 << 30),
    printed("TB", TERA),
    printed("TiB", 1 << 40),
    read("kB", KILO),
];

impl Dimension {
    /// The field's word for the dimension, with its article: "a time".
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Time => "a time",
            Self::Rate => "a rate",
            Self::Size => "a size",
        }
    }

    /// The largest value that can be written, in base units. The sum of eighteen such values fits
    /// 64 bits, so that no sum of a scenario's values wraps around.
    pub const fn largest(self) -> u64 {
        match self {
            Self::Time | Self::Rate => 1_000_000 * TERA,
            Self::Size => 1_000 * TERA,
        }
    }

    /// The unit that a value in a scenario is most often written in.
    pub const fn usual_unit(self) -> &'static str {
        match self {
            Self::Time => "us",
            Self::Rate => "Gbps",
            Self::Size => "KB",
        }
    }

    /// Values as a user might write them.
    pub const fn examples(self) -> [&'static str; 3] {
        match self {
            Self::Time => ["12us", "1.5ms", "200ns"],
            Self::Rate => ["100Gbps", "50Mbps", "1.6Tbps"],
            Self::Size => ["64KB", "32MiB", "1000B"],
        }
    }

    /// The symbols that values are printed in, smallest first.
    pub fn symbols(self) -> impl Iterator<Item = &'static str> {
        self.printed_units().map(|unit| unit.symbol)
    }

    pub(crate) fn units(self) -> &'static [Unit] {
        match self {
            Self::Time => &TIME,
            Self::Rate => &RATE,
            Self::Size => &SIZE,
        }
    }

    pub(crate) fn printed_units(self) -> impl Iterator<Item = &'static Unit> {
        self.units().iter().filter(|unit| unit.printed)
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.noun())
    }
}
