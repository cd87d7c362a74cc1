//! Random scenarios have equal results on any number of threads. Each run also checks its own
//! invariants (bytes, buffers, pauses).

use std::num::NonZeroUsize;

use incast_sim::{Partitioning, Source, Spec, Threads, ValidSpec, run_on};

use crate::outcome::Outcome;
use crate::random_scenario::{RandomScenario, scenario};
use crate::torture;

#[test]
fn networks() {
    torture(
        "random networks",
        500,
        &scenario(),
        |RandomScenario { text }| {
            let source = Source::from_text("random.toml", text);
            let spec = match Spec::parse(&source, &[]).and_then(Spec::validate) {
                Ok(spec) => spec,
                Err(diagnostic) => return Outcome::refused(&diagnostic),
            };
            let one = fingerprint(&spec, 1, text);
            for threads in [2, 3, 8] {
                assert_eq!(
                    fingerprint(&spec, threads, text),
                    one,
                    "{threads} threads\n{text}"
                );
            }
            Outcome::Accepted
        },
    );
}

/// The fingerprint of the run; or the reason why it ended, which must not depend on threads either.
fn fingerprint(spec: &ValidSpec, threads: usize, text: &str) -> String {
    let count = NonZeroUsize::new(threads).expect("some threads");
    let threads = Threads {
        count,
        partitioning: Partitioning::Random(u64::from(u16::MAX)),
    };
    match run_on(spec, threads, &mut ()) {
        Ok(results) => results.summary.fingerprint.to_string(),
        Err(error) => {
            let error = error.to_string();
            assert!(!error.contains("defect"), "{error}\n{text}");
            error
        }
    }
}
