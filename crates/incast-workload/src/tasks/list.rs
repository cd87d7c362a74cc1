//! Tasks that are listed one by one, with their dependencies.
//!
//! A task waits for tasks of its own rank: for their end, or for their start only. A task ends
//!
//! ```text
//! send      when all of the message has been acknowledged
//! receive   when all of the message has arrived, and the task waits for no other
//! compute   its duration after it has begun; a unit of a rank computes one task at a time, in
//!           the order in which tasks become ready
//! ```
//!
//! A send does not wait for its receive. The sends from one rank to another with the same tag
//! belong to the receives there in the order of the list.

use std::collections::HashMap;

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, HostId, Time};

use super::{ListSize, RankProgress, TaskGraph, TaskMessage};
use crate::diagnostics;
use checks::WrongTasks;
use progress::ListProgress;

mod checks;
mod progress;
#[cfg(test)]
mod tests;

/// A bit that only tags of collectives' messages have. The number of the collective follows, then
/// the number of the chunk.
pub(crate) const OF_COLLECTIVE: u64 = 1 << 63;

/// The most tasks of a list with collectives: they take some 30 GB of memory.
const MAX_TASKS: u128 = 1 << 27;

/// The work of a task.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TaskWork {
    /// Sends a message to another rank.
    Send {
        /// The receiving rank.
        to: u32,
        /// Payload.
        size: Bytes,
        /// Distinguishes messages between the same two ranks.
        tag: u64,
        /// The persistent QP between the two ranks that sends the message.
        lane: u16,
        /// The number of the NIC, among those that reach the receiver; `None`: each in turn.
        nic: Option<u16>,
    },
    /// Receives a message from another rank.
    Receive {
        /// The sending rank.
        from: u32,
        /// Payload.
        size: Bytes,
        /// The tag of the send.
        tag: u64,
    },
    /// Computes.
    Compute {
        /// How long.
        duration: Time,
        /// The unit of the rank that computes.
        unit: u32,
    },
}

/// A list of tasks that has not been checked.
#[derive(Clone, Debug, Default)]
pub struct TaskList {
    /// The rank and the work of each task.
    tasks: Vec<(u32, TaskWork)>,
    /// Pairs of a task and another that waits for its end.
    ends: Vec<(u32, u32)>,
    /// Pairs of a task and another that waits for its start.
    starts: Vec<(u32, u32)>,
    ranks: u32,
}

impl TaskList {
    /// An empty list for `ranks` ranks.
    pub fn new(ranks: u32) -> Self {
        Self {
            ranks,
            ..Self::default()
        }
    }

    /// Adds a task; returns its number.
    pub fn add(&mut self, rank: u32, work: TaskWork) -> u32 {
        self.tasks.push((rank, work));
        self.tasks.len() as u32 - 1
    }

    /// Makes `task` wait for the end of `before`.
    pub fn wait_for_end(&mut self, task: u32, before: u32) {
        self.ends.push((before, task));
    }

    /// Makes `task` wait for the start of `before`.
    pub fn wait_for_start(&mut self, task: u32, before: u32) {
        self.starts.push((before, task));
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Number of tasks.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether the list has no task.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Checks that the list has room for `more` tasks.
    ///
    /// # Errors
    /// If the list would have more than its limit.
    pub fn check_room(&self, more: u128) -> Result<(), Diagnostic> {
        let tasks = more + self.len() as u128;
        match tasks > MAX_TASKS {
            true => Err(diagnostics::too_many_tasks(tasks, MAX_TASKS)),
            false => Ok(()),
        }
    }

    /// The tasks in order of their numbers, each with its rank.
    pub fn tasks(&self) -> &[(u32, TaskWork)] {
        &self.tasks
    }

    /// Checks the list, and makes a graph that can be run; `name` gives a task's name in
    /// diagnostics.
    ///
    /// # Errors
    /// The first mistake, which would prevent the tasks from starting or ending.
    pub fn check(self, name: &dyn Fn(u32) -> String) -> Result<ListedTasks, Diagnostic> {
        match self.messages() {
            Ok((pairs, widest)) => Ok(ListedTasks::new(self, pairs, widest)),
            Err(wrong) => Err(self.describe(&wrong, name)),
        }
    }

    /// The first mistake, with the number of its task; `name` gives a task's name in diagnostics.
    pub fn wrong(&self, name: &dyn Fn(u32) -> String) -> Option<(u32, Diagnostic)> {
        let wrong = self.messages().err()?;
        Some((wrong.task(), self.describe(&wrong, name)))
    }

    /// Checks the list. Returns the sends in order, each with its receive, and the most messages
    /// under way at once.
    fn messages(&self) -> Result<(Vec<(u32, u32)>, u64), WrongTasks> {
        self.check_tasks()?;
        let pairs = self.matched()?;
        let widest = self.check_cycles(&pairs)?;
        Ok((pairs, widest))
    }
}

/// A list of tasks that has been checked; tasks are renumbered rank by rank.
#[derive(Clone, Debug)]
pub struct ListedTasks {
    /// The work of each task.
    works: Vec<ListedWork>,
    /// The first task of each rank; at the end, the number of tasks.
    first: Vec<u32>,
    /// How many starts and ends of other tasks each task waits for.
    needs: Vec<u32>,
    ends: Waiting,
    starts: Waiting,
    messages: Vec<ListedMessage>,
    /// The most messages under way at once.
    widest: u64,
}

/// The work of a task; for a send or a receive, the number of its message.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ListedWork {
    Send(u32),
    Receive(u32),
    Compute { duration: Time, unit: u32 },
}

/// A message: its two tasks, its two ranks, and the properties of the send.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct ListedMessage {
    send: u32,
    receive: u32,
    source: u32,
    destination: u32,
    size: Bytes,
    turn: u32,
    lane: u16,
    nic: Option<u16>,
}

/// For each task, the tasks that wait for it, in one array.
#[derive(Clone, Debug)]
struct Waiting {
    first: Vec<u32>,
    tasks: Vec<u32>,
}

impl Waiting {
    fn new(tasks: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        let mut first = vec![0; tasks + 1];
        for (before, _) in &pairs {
            first[*before as usize + 1] += 1;
        }
        for task in 0..tasks {
            first[task + 1] += first[task];
        }
        Self {
            first,
            tasks: pairs.into_iter().map(|(_, task)| task).collect(),
        }
    }

    /// The tasks that wait for `task`.
    fn of(&self, task: u32) -> &[u32] {
        let (begin, end) = (self.first[task as usize], self.first[task as usize + 1]);
        &self.tasks[begin as usize..end as usize]
    }
}

impl ListedTasks {
    /// A checked list; `pairs` are the sends in order, each with its receive.
    fn new(list: TaskList, pairs: Vec<(u32, u32)>, widest: u64) -> Self {
        let TaskList {
            tasks,
            mut ends,
            mut starts,
            ranks,
        } = list;
        // Renumbers the tasks rank by rank.
        let mut order: Vec<u32> = (0..tasks.len() as u32).collect();
        order.sort_by_key(|task| tasks[*task as usize].0);
        let mut renamed = vec![0; tasks.len()];
        for (number, task) in (0..).zip(&order) {
            renamed[*task as usize] = number;
        }
        let mut first = vec![0; ranks as usize + 1];
        for (rank, _) in &tasks {
            first[*rank as usize + 1] += 1;
        }
        for rank in 0..ranks as usize {
            first[rank + 1] += first[rank];
        }
        let mut works = vec![ListedWork::Send(0); tasks.len()];
        for (task, (_, work)) in tasks.iter().enumerate() {
            if let TaskWork::Compute { duration, unit } = *work {
                works[renamed[task] as usize] = ListedWork::Compute { duration, unit };
            }
        }
        let messages = listed_messages(&tasks, pairs, &renamed, &mut works);
        let mut needs = vec![0; tasks.len()];
        for (before, task) in ends.iter_mut().chain(&mut starts) {
            (*before, *task) = (renamed[*before as usize], renamed[*task as usize]);
            needs[*task as usize] += 1;
        }
        Self {
            ends: Waiting::new(tasks.len(), ends),
            starts: Waiting::new(tasks.len(), starts),
            works,
            first,
            needs,
            messages,
            widest,
        }
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.first.len() as u32 - 1
    }

    /// The size of the largest message.
    pub fn largest(&self) -> Bytes {
        let sizes = self.messages.iter().map(|message| message.size);
        sizes.max().unwrap_or(Bytes::ZERO)
    }
}

/// Makes the messages from pairs of a send and its receive, with new task numbers. Enters the
/// number of each message in the work of its two tasks.
fn listed_messages(
    tasks: &[(u32, TaskWork)],
    mut pairs: Vec<(u32, u32)>,
    renamed: &[u32],
    works: &mut [ListedWork],
) -> Vec<ListedMessage> {
    // Messages of collectives come after all others, in the order that they have in a traffic entry
    // of their own, so that ECMP gives them the same paths.
    pairs.sort_by_key(|(send, _)| match tasks[*send as usize].1 {
        TaskWork::Send { tag, .. } if tag & OF_COLLECTIVE != 0 => tag,
        _ => 0,
    });
    let mut turns: HashMap<(u32, u32), u32> = HashMap::new();
    let mut messages = Vec::with_capacity(pairs.len());
    for (number, (send, receive)) in (0..).zip(pairs) {
        let (source, work) = tasks[send as usize];
        let TaskWork::Send {
            to,
            size,
            lane,
            nic,
            ..
        } = work
        else {
            continue;
        };
        let (send, receive) = (renamed[send as usize], renamed[receive as usize]);
        works[send as usize] = ListedWork::Send(number);
        works[receive as usize] = ListedWork::Receive(number);
        let turn = turns.entry((source, to)).or_insert(0);
        messages.push(ListedMessage {
            send,
            receive,
            source,
            destination: to,
            size,
            turn: *turn,
            lane,
            nic,
        });
        *turn += 1;
    }
    messages
}

/// A list of tasks, and the host of each rank.
#[derive(Clone, Debug)]
pub(crate) struct PlacedTasks {
    /// The host of each rank.
    pub(crate) hosts: Vec<HostId>,
    pub(crate) start: Time,
    pub(crate) tasks: std::sync::Arc<ListedTasks>,
}

impl TaskGraph for PlacedTasks {
    fn hosts(&self) -> &[HostId] {
        &self.hosts
    }

    fn start(&self) -> Time {
        self.start
    }

    fn rounds(&self) -> u64 {
        1
    }

    fn messages(&self) -> u128 {
        self.tasks.messages.len() as u128
    }

    fn message(&self, number: u64) -> TaskMessage {
        let message = self.tasks.messages[number as usize];
        TaskMessage {
            source: self.hosts[message.source as usize],
            destination: self.hosts[message.destination as usize],
            size: message.size,
            turn: message.turn.into(),
            lane: message.lane,
            nic: message.nic,
        }
    }

    fn waits_for_acks(&self) -> bool {
        true
    }

    fn listed(&self) -> ListSize {
        ListSize {
            tasks: self.tasks.works.len() as u64,
            widest: self.tasks.widest,
        }
    }

    fn rank(&self, rank: u32) -> Box<dyn RankProgress + '_> {
        Box::new(ListProgress::new(&self.tasks, rank))
    }
}
