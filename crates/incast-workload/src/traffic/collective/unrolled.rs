//! Collectives as tasks of a list, where other tasks wait for them, and they for others.
//!
//! The streams of a rank become chains of sends and receives. What follows a send waits for its
//! start, what follows a receive for its end. Where there are slots, a send also waits for the end
//! of an earlier one. So alone on a network it takes the time of an entry of its own.

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
    /// The task of this rank after whose end it begins.
    pub begin: u32,
    /// The task of this rank that waits for it.
    pub end: u32,
}

/// The last task of a stream so far.
enum Last {
    /// What follows waits for its end.
    End(u32),
    /// What follows waits for its start.
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
    /// Adds the sends and receives of these ranks, in order, the root first; `number` tells this
    /// collective from all others of the list. Only operation, data, algorithm and channels count;
    /// an algorithm that does not do the operation gives way to its default.
    ///
    /// # Errors
    /// If the algorithm does not do it among so many ranks, or it takes too many messages.
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

    /// How many tasks [`unroll`](Self::unroll) adds among so many ranks.
    ///
    /// # Errors
    /// If the algorithm does not do it among so many ranks.
    pub fn unrolled_tasks(&self, ranks: u32) -> Result<u128, Diagnostic> {
        match ranks {
            0 | 1 => Ok(0),
            _ => Ok(2 * u128::from(self.unrolled_schedule(ranks)?.1.chunks())),
        }
    }

    /// How two or more ranks do it, the first of them the root.
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
        // Keys of a collective's own entry, which hints name, are not there.
        let schedule = schedule.map_err(|_| diagnostics::not_unrolled(algorithm.name(), ranks))?;
        Ok((algorithm, schedule))
    }
}

struct Unrolled<'a> {
    schedule: &'a dyn Schedule,
    members: &'a [CollectiveMember],
    /// The tag to which the number of a chunk is added.
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
