//! Checks of a list of tasks before it is run: every message has a send and a receive, and no tasks
//! wait for each other in a cycle.

use std::collections::HashMap;

use incast_diagnostic::Diagnostic;
use incast_units::Bytes;

use super::{TaskList, TaskWork};

/// A mistake in a list of tasks, which are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WrongTasks {
    /// A send without a receive at the other rank, or a receive without a send.
    Unmatched { task: u32 },
    /// A send and its receive differ in size.
    Sizes { send: u32, receive: u32 },
    /// Each of these tasks waits for the next one, and the last for the first.
    Cycle(Vec<u32>),
    /// A task waits for a task of another rank.
    OtherRank { task: u32, before: u32 },
    /// A message from a rank to itself.
    ToItself { task: u32 },
    /// A message of zero bytes.
    Empty { task: u32 },
    /// A rank that does not exist.
    NoRank { task: u32, rank: u32 },
}

impl WrongTasks {
    /// The number of one task that takes part in the mistake.
    pub(super) fn task(&self) -> u32 {
        match self {
            Self::Unmatched { task }
            | Self::Sizes { send: task, .. }
            | Self::OtherRank { task, .. }
            | Self::ToItself { task }
            | Self::Empty { task }
            | Self::NoRank { task, .. } => *task,
            Self::Cycle(tasks) => tasks[0],
        }
    }
}

/// The most tasks of a cycle that a message names.
const NAMED: usize = 6;

/// Describes a cycle of tasks with these names.
fn cycle(names: impl Iterator<Item = String>) -> String {
    // Successive tasks of one collective have the same name.
    let mut named: Vec<_> = names.collect();
    named.dedup();
    if named.len() > 1 && named.first() == named.last() {
        named.pop();
    }
    let more = match named.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", which waits for {more} more"),
    };
    named.truncate(NAMED);
    match &named[..] {
        [alone] => format!("{alone} waits for itself, so it never begins"),
        named => format!(
            "{}{more}, which waits for the first one: a cycle, of which none ever ends",
            named.join(", which waits for ")
        ),
    }
}

impl TaskList {
    /// The diagnostic of a mistake; `name` gives a task's name.
    pub(super) fn describe(&self, wrong: &WrongTasks, name: &dyn Fn(u32) -> String) -> Diagnostic {
        let of_rank = |task: u32| format!("{} of rank {}", name(task), self.tasks[task as usize].0);
        match wrong {
            WrongTasks::Unmatched { task } => {
                let what = format!("{} {}", of_rank(*task), self.unmatched(*task));
                Diagnostic::new(what, "give every send its receive, with the same tag")
            }
            WrongTasks::Sizes { send, receive } => {
                let size = |task: u32| match self.tasks[task as usize].1 {
                    TaskWork::Send { size, .. } | TaskWork::Receive { size, .. } => size,
                    TaskWork::Compute { .. } => Bytes::ZERO,
                };
                let (sent, received) = (size(*send), size(*receive));
                let what = format!(
                    "{} sends {sent}, of which {} receives {received}",
                    of_rank(*send),
                    of_rank(*receive)
                );
                Diagnostic::new(what, "give both the same size")
            }
            WrongTasks::Cycle(tasks) => {
                let what = cycle(tasks.iter().map(|task| of_rank(*task)));
                Diagnostic::new(what, "let one of them wait for something else")
            }
            WrongTasks::OtherRank { task, before } => {
                let what = format!(
                    "{} waits for {}: what another rank does is not known there",
                    of_rank(*task),
                    of_rank(*before)
                );
                Diagnostic::new(what, "send a message, and wait for its receive")
            }
            WrongTasks::ToItself { task } => Diagnostic::new(
                format!("{} has its own rank at the other end", of_rank(*task)),
                "leave the message out, and let tasks wait for each other",
            ),
            WrongTasks::Empty { task } => Diagnostic::new(
                format!(
                    "{} has a message of 0 bytes, which never ends",
                    of_rank(*task)
                ),
                "give at least 1 byte",
            ),
            WrongTasks::NoRank { task, rank } => {
                let named = match self.tasks[*task as usize].0 == *rank {
                    true => name(*task),
                    false => of_rank(*task),
                };
                Diagnostic::new(
                    format!("{named} names rank {rank}, which does not exist"),
                    format!("there are {} ranks, counted from 0", self.ranks),
                )
            }
        }
    }
}

impl TaskList {
    /// Describes a send without a receive, or a receive without a send.
    fn unmatched(&self, task: u32) -> String {
        let (rank, work) = self.tasks[task as usize];
        match work {
            TaskWork::Send { to, size, tag, .. } => format!(
                "sends {size} to rank {to} with tag {tag}, but rank {to} has no receive from rank \
                 {rank} for it"
            ),
            TaskWork::Receive { from, size, tag } => format!(
                "receives {size} from rank {from} with tag {tag}, but rank {from} has no send to \
                 rank {rank} for it"
            ),
            TaskWork::Compute { .. } => String::new(),
        }
    }

    /// Checks each task: its ranks exist and differ, its message is not empty, and it waits for
    /// tasks of its own rank only.
    pub(super) fn check_tasks(&self) -> Result<(), WrongTasks> {
        for (task, (rank, work)) in (0..).zip(&self.tasks) {
            let (other, size) = match *work {
                TaskWork::Send { to, size, .. } => (to, size),
                TaskWork::Receive { from, size, .. } => (from, size),
                TaskWork::Compute { .. } => (*rank, Bytes::new(1)),
            };
            for rank in [*rank, other] {
                if rank >= self.ranks {
                    return Err(WrongTasks::NoRank { task, rank });
                }
            }
            if other == *rank && !matches!(work, TaskWork::Compute { .. }) {
                return Err(WrongTasks::ToItself { task });
            }
            if size == Bytes::ZERO {
                return Err(WrongTasks::Empty { task });
            }
        }
        let rank = |task: u32| self.tasks[task as usize].0;
        let mut pairs = self.ends.iter().chain(&self.starts);
        match pairs.find(|(before, task)| rank(*before) != rank(*task)) {
            Some(&(before, task)) => Err(WrongTasks::OtherRank { task, before }),
            None => Ok(()),
        }
    }

    /// The sends in order, each with its receive.
    pub(super) fn matched(&self) -> Result<Vec<(u32, u32)>, WrongTasks> {
        // For each sender, receiver and tag: the receives that have no send yet, in reverse order.
        let mut receives: HashMap<(u32, u32, u64), Vec<u32>> = HashMap::new();
        for (task, (rank, work)) in self.tasks.iter().enumerate().rev() {
            if let TaskWork::Receive { from, tag, .. } = *work {
                let waiting = receives.entry((from, *rank, tag)).or_default();
                waiting.push(task as u32);
            }
        }
        let mut pairs = Vec::new();
        for (send, (rank, work)) in (0..).zip(&self.tasks) {
            if let TaskWork::Send { to, size, tag, .. } = *work {
                let waiting = receives.get_mut(&(*rank, to, tag));
                let Some(receive) = waiting.and_then(Vec::pop) else {
                    return Err(WrongTasks::Unmatched { task: send });
                };
                match self.tasks[receive as usize].1 {
                    TaskWork::Receive { size: other, .. } if other == size => {}
                    _ => return Err(WrongTasks::Sizes { send, receive }),
                }
                pairs.push((send, receive));
            }
        }
        let left = receives.into_values().flatten().min();
        match left {
            Some(task) => Err(WrongTasks::Unmatched { task }),
            None => Ok(pairs),
        }
    }

    /// Checks that no tasks wait for each other in a cycle, also through messages and other ranks.
    ///
    /// Returns the most messages under way at once, if each message takes one unit of time and
    /// computing takes none.
    pub(super) fn check_cycles(&self, messages: &[(u32, u32)]) -> Result<u64, WrongTasks> {
        let moments = 2 * self.tasks.len();
        let mut needs = vec![0_u32; moments];
        self.moments(messages)
            .for_each(|(_, moment)| needs[moment as usize] += 1);
        let waiting = super::Waiting::new(moments, self.moments(messages).collect());
        let mut ready: Vec<u32> = (0..moments as u32)
            .filter(|moment| needs[*moment as usize] == 0)
            .collect();
        let mut done = 0;
        // The time of each moment, in units; and the number of messages sent at each time.
        let mut times = vec![0_u32; moments];
        let mut sent: Vec<u64> = Vec::new();
        while let Some(moment) = ready.pop() {
            done += 1;
            let time = times[moment as usize];
            let work = self.tasks[moment as usize / 2].1;
            let is_sent = moment % 2 == 0 && matches!(work, TaskWork::Send { .. });
            if is_sent {
                sent.resize(sent.len().max(time as usize + 1), 0);
                sent[time as usize] += 1;
            }
            for next in waiting.of(moment) {
                // The ends of the send and of its receive are a unit later than its start; tasks
                // that wait for its start are not.
                let after = time + u32::from(is_sent && next % 2 == 1);
                times[*next as usize] = times[*next as usize].max(after);
                needs[*next as usize] -= 1;
                if needs[*next as usize] == 0 {
                    ready.push(*next);
                }
            }
        }
        match done == moments {
            true => Ok(sent.into_iter().max().unwrap_or(0)),
            false => Err(WrongTasks::Cycle(self.cycle(messages, &needs))),
        }
    }

    /// Pairs of moments, of which the first must come before the second.
    ///
    /// The moments of a task are its start, 2·task, and its end, 2·task + 1, which comes after the
    /// start. A receive ends after its send has started.
    fn moments(&self, messages: &[(u32, u32)]) -> impl Iterator<Item = (u32, u32)> {
        let own = (0..self.tasks.len() as u32).map(|task| (2 * task, 2 * task + 1));
        let ends = self.ends.iter();
        let ends = ends.map(|(before, task)| (2 * before + 1, 2 * task));
        let starts = self.starts.iter();
        let starts = starts.map(|(before, task)| (2 * before, 2 * task));
        let sent = messages.iter();
        let sent = sent.map(|(send, receive)| (2 * send, 2 * receive + 1));
        own.chain(ends).chain(starts).chain(sent)
    }

    /// The tasks of a cycle, found among moments that never become ready.
    fn cycle(&self, messages: &[(u32, u32)], needs: &[u32]) -> Vec<u32> {
        // Every remaining moment waits for another remaining moment.
        let mut before = vec![u32::MAX; needs.len()];
        for (first, moment) in self.moments(messages) {
            if needs[first as usize] > 0 {
                before[moment as usize] = first;
            }
        }
        let left = needs.iter().position(|needs| *needs > 0);
        let mut at = left.unwrap_or_default() as u32;
        for _ in 0..needs.len() {
            at = before[at as usize];
        }
        let mut cycle = vec![at / 2];
        let mut next = before[at as usize];
        while next != at {
            if cycle.last() != Some(&(next / 2)) {
                cycle.push(next / 2);
            }
            next = before[next as usize];
        }
        if cycle.len() > 1 && cycle.first() == cycle.last() {
            cycle.pop();
        }
        cycle
    }
}
