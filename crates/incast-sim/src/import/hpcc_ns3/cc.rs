//! `CC_MODE` and the keys of its algorithms.

use incast_units::Rate;
use toml::{Table, Value};

use super::config::Config;
use super::notes::Notes;
use super::text;
use crate::spec::SpecError;

/// Keys that only one algorithm reads.
const PRIVATE: [(&str, &str); 18] = [
    ("ALPHA_RESUME_INTERVAL", DCQCN),
    ("RATE_DECREASE_INTERVAL", DCQCN),
    ("CLAMP_TARGET_RATE", DCQCN),
    ("RP_TIMER", DCQCN),
    ("FAST_RECOVERY_TIMES", DCQCN),
    ("EWMA_GAIN", "CC_MODE 1 (DCQCN) and 8 (DCTCP) read it"),
    ("RATE_HAI", "CC_MODE 1 (DCQCN) and 7 (TIMELY) read it"),
    ("DCTCP_RATE_AI", "only CC_MODE 8 (DCTCP) reads it"),
    ("PINT_LOG_BASE", PINT),
    ("PINT_PROB", PINT),
    ("U_TARGET", HPCC),
    ("MI_THRESH", HPCC),
    ("FAST_REACT", HPCC),
    ("MULTI_RATE", HPCC),
    ("SAMPLE_FEEDBACK", HPCC),
    ("VAR_WIN", HPCC),
    ("HAS_WIN", HPCC),
    ("RATE_AI", "CC_MODE 1, 3, 7 and 10 read it"),
];
const DCQCN: &str = "only CC_MODE 1 (DCQCN) reads it";
const HPCC: &str = "only CC_MODE 3 (HPCC) reads it";
const PINT: &str = "only CC_MODE 10 (HPCC-PINT) reads it";

/// `[cc]`.
pub(super) fn section(config: &Config, notes: &mut Notes) -> Result<Table, SpecError> {
    for (key, reason) in PRIVATE {
        notes.unused(key, reason);
    }
    let mode = config.whole("CC_MODE", 1)?;
    let name = match mode {
        1 => "DCQCN",
        3 => return hpcc(config, notes),
        7 => "TIMELY",
        8 => "DCTCP",
        10 => "HPCC-PINT",
        _ => {
            let what = format!("`{mode}` is no mode of the artifact");
            let hint = "modes are 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP) and 10 (HPCC-PINT)";
            return Err(config.wrong("CC_MODE", what, hint));
        }
    };
    let what = format!("mode {mode} is {name}, which this version does not have");
    Err(config.wrong("CC_MODE", what, "mode 3 (HPCC) can be imported"))
}

fn hpcc(config: &Config, notes: &mut Notes) -> Result<Table, SpecError> {
    if !config.flag("HAS_WIN", true)? {
        let what = "HPCC without a window divides by zero in the artifact";
        return Err(config.wrong("HAS_WIN", what, "write 1"));
    }
    notes.used("HAS_WIN", "HPCC always has a window");
    notes.used("CC_MODE", "cc.algorithm");
    let flag = |key, default| config.flag(key, default).map(Value::Boolean);
    let rate = |key, default| config.rate(key, default).map(text);
    let mut cc = Table::new();
    cc.insert("algorithm".into(), text("hpcc"));
    for (key, name, value) in [
        (
            "U_TARGET",
            "target_utilisation",
            config.number("U_TARGET", 0.95)?.into(),
        ),
        (
            "MI_THRESH",
            "max_stage",
            i64::from(config.whole("MI_THRESH", 5)?).into(),
        ),
        ("RATE_AI", "additive_increase", rate("RATE_AI", None)?),
        (
            "MIN_RATE",
            "min_rate",
            rate("MIN_RATE", Some(Rate::from_mbps(100)))?,
        ),
        ("FAST_REACT", "fast_react", flag("FAST_REACT", true)?),
        ("MULTI_RATE", "multi_rate", flag("MULTI_RATE", true)?),
        (
            "SAMPLE_FEEDBACK",
            "sample_feedback",
            flag("SAMPLE_FEEDBACK", false)?,
        ),
        ("VAR_WIN", "variable_window", flag("VAR_WIN", false)?),
    ] {
        cc.insert(name.into(), value);
        notes.used(key, &format!("cc.{name}"));
    }
    Ok(cc)
}
