//! `CC_MODE` and the keys of its algorithms.

use incast_diagnostic::Diagnostic;
use incast_units::{Rate, Time};
use toml::{Table, Value};

use super::config::{Config, FlagDefault};
use super::notes::Notes;
use super::text;

/// Keys that only some algorithms read.
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
    ("FAST_REACT", "only CC_MODE 3 (HPCC) reads it"),
    ("MULTI_RATE", "only CC_MODE 3 (HPCC) reads it"),
    ("SAMPLE_FEEDBACK", "only CC_MODE 3 (HPCC) reads it"),
    ("VAR_WIN", "there is no window: HAS_WIN is 0"),
    ("HAS_WIN", "every mode reads it"),
    ("RATE_AI", "CC_MODE 1, 3, 7 and 10 read it"),
];
const DCQCN: &str = "only CC_MODE 1 (DCQCN) reads it";
const HPCC: &str = "CC_MODE 3 (HPCC) and 10 (HPCC-PINT) read it";
const PINT: &str = "only CC_MODE 10 (HPCC-PINT) reads it";

/// `[cc]`.
pub(super) fn section(config: &Config, notes: &mut Notes) -> Result<Table, Diagnostic> {
    for (key, reason) in PRIVATE {
        notes.unused(key, reason);
    }
    let cc = Cc {
        config,
        notes,
        table: Table::new(),
    };
    match config.whole("CC_MODE", 1)? {
        1 => cc.dcqcn(),
        3 => cc.hpcc(),
        7 => cc.timely(),
        8 => cc.dctcp(),
        10 => {
            let what = "mode 10 is HPCC-PINT, which this version does not have";
            let hint = "modes 1 (DCQCN), 3 (HPCC), 7 (TIMELY) and 8 (DCTCP) can be imported";
            Err(config.wrong("CC_MODE", what, hint))
        }
        mode => {
            let what = format!("`{mode}` is no mode of the artifact");
            let hint = "modes are 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP) and 10 (HPCC-PINT)";
            Err(config.wrong("CC_MODE", what, hint))
        }
    }
}

/// The section `[cc]` as it is being filled.
struct Cc<'a> {
    config: &'a Config,
    notes: &'a mut Notes,
    table: Table,
}

impl Cc<'_> {
    /// Mode 1, "Mellanox version". There are no CNPs: ACKs carry the marks.
    fn dcqcn(mut self) -> Result<Table, Diagnostic> {
        let config = self.config;
        self.begin("dcqcn", &[("form", "connectx"), ("notification", "ack")]);
        self.needs_marks("DCQCN")?;
        for (key, default, name) in [
            ("ALPHA_RESUME_INTERVAL", Some(55.0), "alpha_interval"),
            ("RATE_DECREASE_INTERVAL", Some(4.0), "decrease_interval"),
            ("RP_TIMER", None, "increase_interval"),
        ] {
            let interval = self.interval(key, default)?;
            self.put(key, name, text(interval));
        }
        let gain = self.gain()?;
        self.put("EWMA_GAIN", "gain", gain);
        let recovery = i64::from(config.whole("FAST_RECOVERY_TIMES", 5)?);
        self.put("FAST_RECOVERY_TIMES", "fast_recovery", recovery);
        let clamp = config.flag("CLAMP_TARGET_RATE", FlagDefault::Off)?;
        self.put("CLAMP_TARGET_RATE", "clamp_target", clamp);
        self.rate("RATE_AI", "additive_increase", None)?;
        self.rate("RATE_HAI", "hyper_increase", None)?;
        self.min_rate()?;
        self.window()?;
        Ok(self.table)
    }

    /// Mode 3.
    fn hpcc(mut self) -> Result<Table, Diagnostic> {
        let config = self.config;
        if !config.flag("HAS_WIN", FlagDefault::On)? {
            let what = "HPCC without a window divides by zero in the artifact";
            return Err(config.wrong("HAS_WIN", what, "write 1"));
        }
        self.begin("hpcc", &[]);
        let utilisation = config.number("U_TARGET", 0.95)?;
        self.put("U_TARGET", "target_utilisation", utilisation);
        let stages = i64::from(config.whole("MI_THRESH", 5)?);
        self.put("MI_THRESH", "max_stage", stages);
        self.rate("RATE_AI", "additive_increase", None)?;
        self.min_rate()?;
        for (key, default, name) in [
            ("FAST_REACT", FlagDefault::On, "fast_react"),
            ("MULTI_RATE", FlagDefault::On, "multi_rate"),
            ("SAMPLE_FEEDBACK", FlagDefault::Off, "sample_feedback"),
        ] {
            let flag = config.flag(key, default)?;
            self.put(key, name, flag);
        }
        self.window()?;
        Ok(self.table)
    }

    /// Mode 7. Thresholds and weights are constants in the artifact's code, which has no keys for
    /// them.
    fn timely(mut self) -> Result<Table, Diagnostic> {
        self.begin("timely", &[("parameters", "artifact")]);
        self.rate("RATE_AI", "additive_increase", None)?;
        self.rate("RATE_HAI", "hyper_increase", None)?;
        self.min_rate()?;
        self.window()?;
        Ok(self.table)
    }

    /// Mode 8.
    fn dctcp(mut self) -> Result<Table, Diagnostic> {
        self.begin("dctcp", &[("parameters", "artifact")]);
        self.needs_marks("DCTCP")?;
        let gain = self.gain()?;
        self.put("EWMA_GAIN", "gain", gain);
        let default = Rate::from_mbps(1_000);
        self.rate("DCTCP_RATE_AI", "additive_increase", Some(default))?;
        self.min_rate()?;
        self.window()?;
        Ok(self.table)
    }

    fn begin(&mut self, algorithm: &str, fixed: &[(&str, &str)]) {
        self.table.insert("algorithm".into(), text(algorithm));
        for (name, value) in fixed {
            self.table.insert((*name).into(), text(value));
        }
        self.notes.used("CC_MODE", "cc.algorithm");
    }

    fn put(&mut self, key: &'static str, name: &str, value: impl Into<Value>) {
        self.table.insert(name.into(), value.into());
        self.notes.used(key, &format!("cc.{name}"));
    }

    fn rate(
        &mut self,
        key: &'static str,
        name: &str,
        default: Option<Rate>,
    ) -> Result<(), Diagnostic> {
        let rate = self.config.rate(key, default)?;
        self.put(key, name, text(rate));
        Ok(())
    }

    fn min_rate(&mut self) -> Result<(), Diagnostic> {
        self.rate("MIN_RATE", "min_rate", Some(Rate::from_mbps(100)))
    }

    /// The gain. The artifact's default is 1/16 in C++, an integer division that gives 0.
    fn gain(&self) -> Result<f64, Diagnostic> {
        self.config.number("EWMA_GAIN", 0.0)
    }

    /// An interval in microseconds, rounded down to whole ones as in the artifact.
    fn interval(&self, key: &'static str, default: Option<f64>) -> Result<Time, Diagnostic> {
        let config = self.config;
        let number = match default {
            Some(default) => config.number(key, default)?,
            // An uninitialised global.
            None => config.number(key, 0.0)?,
        };
        if !(1.0..1e9).contains(&number) {
            let what = match config.text(key) {
                Some(text) => format!("`{text}` us is less than the artifact can wait"),
                None => "is missing, and the artifact's default of 0 ends in a loop".to_owned(),
            };
            return Err(config.wrong(key, what, "write whole microseconds, e.g. 4"));
        }
        Ok(Time::from_us(number as u64))
    }

    fn window(&mut self) -> Result<(), Diagnostic> {
        let window = match self.config.flag("HAS_WIN", FlagDefault::On)? {
            false => "none",
            true if self.config.flag("VAR_WIN", FlagDefault::Off)? => "variable",
            true => "fixed",
        };
        self.put("HAS_WIN", "window", text(window));
        if window != "none" {
            self.notes.used("VAR_WIN", "cc.window");
        }
        Ok(())
    }

    /// Checks that marking is on: without marks the artifact's flows stay at line rate.
    fn needs_marks(&self, algorithm: &str) -> Result<(), Diagnostic> {
        if self.config.flag("ENABLE_QCN", FlagDefault::On)? {
            return Ok(());
        }
        let what = format!("{algorithm} without marks stays at line rate");
        Err(self.config.wrong("ENABLE_QCN", what, "write 1"))
    }
}
