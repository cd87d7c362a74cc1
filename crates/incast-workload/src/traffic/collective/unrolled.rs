//! Collectives as tasks of a list, so that other tasks wait for them, and they wait for others.
//!
//! The streams of a rank become chains of sends and receives. A task after a send waits for the
//! send's start; a task after a receive waits for the receive's end. With slots, a send also waits
//! for the end of an earlier send. So alone on a network an unrolled collective takes the same time
//! as a traffic entry of its own.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_units::Bytes;

use super::{CollectiveSpec, SLOTS, diagnostics};
use crate::collective::{CollectiveAlgorithm, Operation, Schedule};
use crate::tasks::{OF_COLLECTIVE, TaskList, TaskWork};

/// A rank that takes part in a collective.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CollectiveMember {
    /// Of the list.
    pub rank: u32,
    /// The task of this rank whose end begins the collective.
    pub begin: u32,
    /// The task of this rank that waits for the collective.
    pub end: u32,
}

/// The last task of a stream so far.
enum Last {
    /// The next task waits for the end of this one.
    End(u32),
    /// The next task waits for the start of this one.
    Start(u32),
}

impl Last {
    fn lets_wait(&self, task: u32, list: &mut TaskList) {
        match *self {
            Self::End(before) => list.wait_for_end(task, before),
            Self::Start(before) => list.wait_for_start(task, before),
        }
    }
}

impl CollectiveSpec {
    /// Adds the sends and receives of these ranks, in order, the root first; `number` distinguishes
    /// this collective from all others of the list. Only operation, data, algorithm and channels
    /// are used. If the algorithm cannot do the operation, the operation's default is used.
    ///
    /// # Errors
    /// If the algorithm does not support this number of ranks, or the list would be too long.
    pub fn unroll(
        &self,
        list: &mut TaskList,
        members: &[CollectiveMember],
        number: u32,
    ) -> Result<(), Diagnostic> {
        if members.len() < 2 {
            for member in members {
                list.wait_for_end(member.end, member.begin);
            }
            return Ok(());
        }
        let (algorithm, schedule) = self.unrolled_schedule(members.len() as u32)?;
        list.check_room(2 * u128::from(schedule.chunks()))?;
        let unrolled = Unrolled {
            schedule: schedule.as_ref(),
            members,
            tag: OF_COLLECTIVE | u64::from(number) << 32,
            slots: self.is_pipelined(algorithm).then_some(SLOTS),
        };
        for member in 0..members.len() as u32 {
            for stream in 0..schedule.streams() {
                unrolled.stream(member, stream, list);
            }
        }
        Ok(())
    }

    /// Number of tasks that [`unroll`](Self::unroll) adds for `ranks` ranks.
    ///
    /// # Errors
    /// If the algorithm does not support this number of ranks.
    pub fn unrolled_tasks(&self, ranks: u32) -> Result<u128, Diagnostic> {
        match ranks {
            0 | 1 => Ok(0),
            _ => Ok(2 * u128::from(self.unrolled_schedule(ranks)?.1.chunks())),
        }
    }

    /// Algorithm and schedule for two or more ranks, the first of which is the root.
    fn unrolled_schedule(
        &self,
        ranks: u32,
    ) -> Result<(CollectiveAlgorithm, Arc<dyn Schedule>), Diagnostic> {
        let by_default = || {
            let algorithm = None;
            Self {
                algorithm,
                ..self.clone()
            }
        };
        let algorithm = self.checked_algorithm();
        let algorithm = algorithm.or_else(|_| by_default().checked_algorithm())?;
        let schedule = self.schedule(algorithm, ranks, 0, self.channels.unwrap_or(1));
        // The original hint names keys of a traffic entry, which a task file does not have.
        let schedule = schedule.map_err(|_| diagnostics::not_unrolled(algorithm.name(), ranks))?;
        Ok((algorithm, schedule))
    }
}

struct Unrolled<'a> {
    schedule: &'a dyn Schedule,
    members: &'a [CollectiveMember],
    /// The collective's tag, to which the number of each chunk is added.
    tag: u64,
    slots: Option<u32>,
}

impl Unrolled<'_> {
    fn stream(&self, member: u32, stream: u32, list: &mut TaskList) {
        let own = self.members[member as usize];
        let mut last = Last::End(own.begin);
        let mut unacknowledged: HashMap<u32, VecDeque<u32>> = HashMap::new();
        for index in 0.. {
            let Some(operation) = self.schedule.operation(member, stream, index) else {
                break;
            };
            let (Operation::Send(number) | Operation::Receive(number)) = operation;
            let chunk = self.schedule.chunk(number);
            let (size, tag) = (Bytes::new(chunk.segment.size.max(1)), self.tag | number);
            let (task, next) = match operation {
                Operation::Send(_) => {
                    let to = self.members[chunk.to as usize].rank;
                    let lane = chunk.lane;
                    let nic = self.schedule.channel(lane);
                    let send = TaskWork::Send {
                        to,
                        size,
                        tag,
                        lane,
                        nic,
                    };
                    let task = list.add(own.rank, send);
                    if let Some(slots) = self.slots {
                        let sends = unacknowledged.entry(to).or_default();
                        if sends.len() == slots as usize
                            && let Some(first) = sends.pop_front()
                        {
                            list.wait_for_end(task, first);
                        }
                        sends.push_back(task);
                    }
                    (task, Last::Start(task))
                }
                Operation::Receive(_) => {
                    let from = self.members[chunk.from as usize].rank;
                    let task = list.add(own.rank, TaskWork::Receive { from, size, tag });
                    (task, Last::End(task))
                }
            };
            last.lets_wait(task, list);
            last = next;
        }
        last.lets_wait(own.end, list);
    }
}
