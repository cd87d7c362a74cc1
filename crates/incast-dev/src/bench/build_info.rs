//! How this program was compiled, and from which commit.

use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// How a program was compiled, and from which commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BuildInfo {
    /// The commit, with `-dirty` if files were changed; empty outside of a checkout.
    pub(super) commit: String,
    /// Cargo's profile.
    pub(super) profile: String,
    /// Level of optimisation.
    pub(super) opt_level: String,
    /// Processor and system.
    pub(super) target: String,
    /// Compiler flags in addition to those of the profile.
    pub(super) rust_flags: String,
    /// The compiler.
    pub(super) compiler: String,
}

impl BuildInfo {
    pub(super) fn of_this_program() -> Self {
        Self {
            commit: commit(),
            profile: env!("INCAST_BUILD_PROFILE").to_owned(),
            opt_level: env!("INCAST_BUILD_OPT_LEVEL").to_owned(),
            target: env!("INCAST_BUILD_TARGET").to_owned(),
            rust_flags: env!("INCAST_BUILD_RUSTFLAGS").to_owned(),
            compiler: env!("INCAST_BUILD_RUSTC").to_owned(),
        }
    }

    pub(super) fn is_optimised(&self) -> bool {
        self.profile == "release"
    }

    /// The build, described in one line.
    pub(super) fn describe(&self) -> String {
        let facts = [
            self.commit.as_str(),
            &format!("profile {}, opt-level {}", self.profile, self.opt_level),
            &self.rust_flags,
            &self.compiler,
            &self.target,
        ];
        let known = facts.into_iter().filter(|fact| !fact.is_empty());
        known.collect::<Vec<_>>().join("; ")
    }

    /// Differences of the builds that change figures of the same code; `None` if there are none.
    pub(super) fn difference(&self, baseline: &Self) -> Option<String> {
        let differences = [
            ("profile", &self.profile, &baseline.profile),
            ("opt-level", &self.opt_level, &baseline.opt_level),
            ("target", &self.target, &baseline.target),
            ("flags", &self.rust_flags, &baseline.rust_flags),
            ("compiler", &self.compiler, &baseline.compiler),
        ];
        let differences: Vec<_> = differences
            .into_iter()
            .filter(|(_, now, then)| now != then)
            .map(|(what, now, then)| format!("{what} was `{then}`, is `{now}`"))
            .collect();
        (!differences.is_empty()).then(|| differences.join("; "))
    }
}

fn commit() -> String {
    let output = Command::new("git")
        .args(["describe", "--always", "--dirty", "--abbrev=12"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output();
    output.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_commit_is_what_one_compares_another_compiler_is_not() {
        let now = BuildInfo::of_this_program();
        let then = BuildInfo {
            commit: "0123456789ab".into(),
            ..now.clone()
        };
        assert_eq!(now.difference(&then), None);
        let then = BuildInfo {
            opt_level: "0".into(),
            rust_flags: "-C target-cpu=native".into(),
            ..then
        };
        let now = BuildInfo {
            opt_level: "3".into(),
            rust_flags: String::new(),
            ..now
        };
        let difference = "opt-level was `0`, is `3`; flags was `-C target-cpu=native`, is ``";
        assert_eq!(now.difference(&then).as_deref(), Some(difference));
    }
}
