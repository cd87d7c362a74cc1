//! The steps of an endpoint's script: which step is next, and when it begins.

use crate::packet::{Cycle, NEVER};
use crate::work::{Script, StepStart, Work, WorkStep};

/// A script in progress.
#[derive(Debug)]
pub(super) struct ScriptProgress {
    steps: std::vec::IntoIter<WorkStep>,
    /// Cycle in which the first of `steps` begins; [`NEVER`] while another step is in progress.
    due: Cycle,
    /// Operations of the current step that are not complete.
    unfinished: u64,
    not_issued: u64,
}

impl ScriptProgress {
    pub(super) fn new(script: Script) -> Self {
        let mut program = Self {
            not_issued: script.operations(),
            steps: script.steps.into_iter(),
            due: NEVER,
            unfinished: 0,
        };
        program.find_due(0);
        program
    }

    fn find_due(&mut self, now: Cycle) {
        let next = self.steps.as_slice().first();
        self.due = next.map_or(NEVER, |step| match step.start {
            StepStart::At(cycle) => cycle.max(now),
            StepStart::After(cycles) => now + cycles,
        });
    }

    /// Cycle in which the next step begins, if it is known.
    pub(super) fn due(&self) -> Cycle {
        self.due
    }

    pub(super) fn not_issued(&self) -> u64 {
        self.not_issued
    }

    /// Begins the step that is due. The caller issues its operations, then calls
    /// [`end_issue`](Self::end_issue).
    pub(super) fn begin_step(&mut self) -> Vec<Work> {
        let step = self.steps.next();
        let work = step.map_or(Vec::new(), |step| step.work);
        self.unfinished = work.iter().map(Work::operations).sum();
        self.not_issued -= self.unfinished;
        self.due = NEVER;
        work
    }

    /// All operations of the step have been issued, except follow-ups.
    pub(super) fn end_issue(&mut self, now: Cycle) {
        if self.unfinished == 0 {
            self.find_due(now);
        }
    }

    /// An operation of the step completes.
    pub(super) fn complete_one(&mut self, now: Cycle) {
        self.unfinished -= 1;
        if self.unfinished == 0 {
            self.find_due(now);
        }
    }
}
