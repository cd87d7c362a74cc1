//! Checks of a shape's parameters; each diagnostic names the parameter's key.

use incast_diagnostic::Diagnostic;
use incast_units::{Rate, Time};

pub(super) fn at_least(min: u32, parameter: &str, value: u32) -> Result<(), Diagnostic> {
    match value >= min {
        true => Ok(()),
        false => Err(Diagnostic::new(
            format!("`{parameter}` is {value}"),
            format!("write at least {min}"),
        )
        .at(parameter)),
    }
}

pub(super) fn at_most(max: u64, parameter: &str, value: u32) -> Result<(), Diagnostic> {
    match u64::from(value) <= max {
        true => Ok(()),
        false => Err(Diagnostic::new(
            format!("`{parameter}` is {value}, and there are {max}"),
            format!("write at most {max}"),
        )
        .at(parameter)),
    }
}

pub(super) fn even(parameter: &str, value: u32) -> Result<(), Diagnostic> {
    match value.is_multiple_of(2) {
        true => Ok(()),
        false => Err(Diagnostic::new(
            format!("`{parameter}` is {value}, an odd number"),
            format!("write {} or {}", value - 1, u64::from(value) + 1),
        )
        .at(parameter)),
    }
}

pub(super) fn rate(parameter: &str, rate: Rate) -> Result<(), Diagnostic> {
    match rate {
        Rate::ZERO => Err(Diagnostic::new(
            format!("`{parameter}` is 0"),
            "nothing would ever leave; write e.g. `100Gbps`",
        )
        .at(parameter)),
        _ => Ok(()),
    }
}

pub(super) fn delay(parameter: &str, delay: Time) -> Result<(), Diagnostic> {
    match delay {
        Time::ZERO => Err(Diagnostic::new(
            format!("`{parameter}` is 0"),
            "simulated time advances by the smallest link delay; write at least `1ns`",
        )
        .at(parameter)),
        _ => Ok(()),
    }
}

/// Checks that a list has an entry for each host, or none at all.
pub(super) fn per_host(parameter: &str, entries: usize, hosts: u32) -> Result<(), Diagnostic> {
    match entries == 0 || entries == hosts as usize {
        true => Ok(()),
        false => Err(Diagnostic::new(
            format!("`{parameter}` has {entries} entries for {hosts} hosts"),
            "write one for each",
        )
        .at(parameter)),
    }
}
