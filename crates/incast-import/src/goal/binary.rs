//! GOAL in binary, as `txt2bin` writes it: little-endian, without padding.
//!
//! ```text
//! 8   4223, or 2342 after a run of LogGOPSim that has overwritten it
//! 4   number of ranks
//! 1   the largest cpu
//! 1   the largest nic
//! 16  for each rank: begin and end of its part, counted from the byte after the 4223
//!
//! part of a rank
//! 4   number of actions
//! 4   number of actions that wait for no other
//! 4   the number of each of these
//! 39  each action: how many others it waits for (4); send 1, receive 2 or calc 3 (1); peer (4);
//!     size (8); tag (4); cpu (1); nic (1); how many wait for its end (4), and their position in
//!     the list below (4); how many wait for its start (4), and their position (4)
//! 4   the list: the numbers of actions that wait for others
//! ```

use std::io::{Read, Seek, SeekFrom};

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_workload::{FileTasks, TaskList};

use super::{Action, ActionKind, HostNics, check_ranks};
use fields::{Fields, cut_off};

mod fields;
#[cfg(test)]
pub(super) mod tests;

const MAGIC: u64 = 4223;
const MAGIC_OVERWRITTEN: u64 = 2342;
/// The position from which offsets are counted.
const ORIGIN: u64 = 8;
/// Bytes before the table of parts.
const HEAD: u64 = 14;
/// Bytes of an action.
const ACTION: u64 = 39;

/// Reads a schedule of `ranks` ranks.
pub(crate) fn read(
    mut file: impl Read + Seek,
    ranks: u32,
    nics: HostNics,
) -> Result<FileTasks, Diagnostic> {
    let unreadable = |error: std::io::Error| Diagnostic::unreadable(&error);
    let length = file.seek(SeekFrom::End(0)).map_err(unreadable)?;
    file.rewind().map_err(unreadable)?;
    let head = part(&mut file, HEAD)?;
    let mut head = Fields::of(&head);
    match head.u64()? {
        MAGIC => {}
        MAGIC_OVERWRITTEN => return Err(overwritten()),
        _ => return Err(no_schedule()),
    }
    check_ranks(head.u32()?, ranks)?;
    let units = (head.u8()?, head.u8()?);
    let table = part(&mut file, u64::from(ranks) * 16)?;
    let mut table = Fields::of(&table);
    let mut list = TaskList::new(ranks);
    let mut first = Vec::with_capacity(ranks as usize);
    let mut at = HEAD + u64::from(ranks) * 16;
    for rank in 0..ranks {
        first.push(list.len() as u32);
        let (begin, end) = (table.u64()?, table.u64()?);
        // Parts must follow each other, so that each byte is read exactly once.
        let (true, Some(size)) = (begin == at - ORIGIN, end.checked_sub(begin)) else {
            return Err(wrong_parts(rank));
        };
        if size > length - at {
            return Err(cut_off());
        }
        let bytes = part(&mut file, size)?;
        let part = RankPart { rank, units, nics };
        part.read(&bytes, &mut list).at(format!("rank {rank}"))?;
        at += size;
    }
    if at != length {
        return Err(bytes_left(length - at));
    }
    let name = move |task| {
        let rank = first.partition_point(|first| *first <= task) - 1;
        format!("action {}", task - first[rank])
    };
    let name = Box::new(name);
    Ok(FileTasks { list, name })
}

/// The next `size` bytes of a file.
fn part(file: &mut impl Read, size: u64) -> Result<Vec<u8>, Diagnostic> {
    let mut bytes = Vec::new();
    let read = file.take(size).read_to_end(&mut bytes);
    match read.map_err(|error| Diagnostic::unreadable(&error))? as u64 == size {
        true => Ok(bytes),
        false => Err(cut_off()),
    }
}

/// The facts needed to read the actions of a rank.
struct RankPart {
    rank: u32,
    /// The largest cpu and nic.
    units: (u8, u8),
    nics: HostNics,
}

impl RankPart {
    fn read(&self, bytes: &[u8], list: &mut TaskList) -> Result<(), Diagnostic> {
        let mut fields = Fields::of(bytes);
        let (count, roots) = (fields.u32()?, fields.u32()?);
        let roots = fields.take(u64::from(roots) * 4)?;
        let actions = fields.take(u64::from(count) * ACTION)?;
        let first = list.len() as u32;
        let needs = self.actions(actions, count, list)?;
        let told = waits(actions, fields, (count, first), list)?;
        for (number, (needs, told)) in needs.iter().zip(told).enumerate() {
            if *needs != told {
                return Err(wrong_needs(*needs, told).at(format!("action {number}")));
            }
        }
        let mut roots = Fields::of(roots);
        for (number, _) in (0..).zip(&needs).filter(|(_, needs)| **needs == 0) {
            if roots.is_empty() || roots.u32()? != number {
                return Err(wrong_roots());
            }
        }
        match roots.is_empty() {
            true => Ok(()),
            false => Err(wrong_roots()),
        }
    }

    /// Adds the actions; returns how many others each says that it waits for.
    fn actions(
        &self,
        actions: &[u8],
        count: u32,
        list: &mut TaskList,
    ) -> Result<Vec<u32>, Diagnostic> {
        let mut fields = Fields::of(actions);
        let mut needs = Vec::with_capacity(count as usize);
        for number in 0..count {
            needs.push(fields.u32()?);
            let action = action(&mut fields, self.units);
            let work = action.and_then(|action| action.work(self.nics));
            list.add(self.rank, work.at(format!("action {number}"))?);
            fields.take(16)?;
        }
        Ok(needs)
    }
}

fn action(fields: &mut Fields<'_>, (max_cpu, max_nic): (u8, u8)) -> Result<Action, Diagnostic> {
    let kind = match fields.u8()? {
        1 => ActionKind::Send,
        2 => ActionKind::Receive,
        3 => ActionKind::Calculate,
        other => return Err(no_such_kind(other)),
    };
    let (peer, size, tag) = (fields.u32()?, fields.u64()?, fields.u32()?);
    let (cpu, nic) = (fields.u8()?, fields.u8()?);
    if cpu > max_cpu || nic > max_nic {
        return Err(units_beyond((cpu, nic), (max_cpu, max_nic)));
    }
    Ok(Action {
        kind,
        size,
        peer,
        tag,
        cpu: cpu.into(),
        nic: nic.into(),
    })
}

/// Adds the dependencies in the list at the end of the part; returns how many others each action
/// waits for.
fn waits(
    actions: &[u8],
    mut waiting: Fields<'_>,
    (count, first): (u32, u32),
    list: &mut TaskList,
) -> Result<Vec<u32>, Diagnostic> {
    let mut fields = Fields::of(actions);
    let mut told = vec![0_u32; count as usize];
    let mut listed = 0_u32;
    for number in 0..count {
        fields.take(ACTION - 16)?;
        for waits_for_end in [true, false] {
            let (length, begin) = (fields.u32()?, fields.u32()?);
            if length > 0 && begin != listed {
                return Err(wrong_list(begin, listed).at(format!("action {number}")));
            }
            for _ in 0..length {
                let task = waiting.u32()?;
                let Some(told) = told.get_mut(task as usize) else {
                    return Err(no_such_action(task, count).at(format!("action {number}")));
                };
                *told += 1;
                listed += 1;
                match waits_for_end {
                    true => list.wait_for_end(first + task, first + number),
                    false => list.wait_for_start(first + task, first + number),
                }
            }
        }
    }
    match waiting.len() {
        0 => Ok(told),
        left => Err(bytes_left(left)),
    }
}

fn overwritten() -> Diagnostic {
    Diagnostic::new(
        "the schedule was overwritten by a run of LogGOPSim with --save-mem",
        "make it anew with `txt2bin`",
    )
}

fn no_schedule() -> Diagnostic {
    Diagnostic::new(
        "this is no binary schedule: it does not begin with 4223",
        "write `format = \"goal\"` if it is text",
    )
}

fn wrong_parts(rank: u32) -> Diagnostic {
    Diagnostic::new(
        format!("the part of rank {rank} does not follow the one before it"),
        "make the file anew with `txt2bin`, into a file that does not exist",
    )
}

fn bytes_left(count: u64) -> Diagnostic {
    Diagnostic::new(
        format!("{count} bytes are left over at the end"),
        "make the file anew with `txt2bin`, into a file that does not exist",
    )
}

fn no_such_kind(kind: u8) -> Diagnostic {
    Diagnostic::new(
        format!("{kind} is no kind of action"),
        "there are 1 (send), 2 (receive) and 3 (calc)",
    )
}

fn units_beyond((cpu, nic): (u8, u8), (max_cpu, max_nic): (u8, u8)) -> Diagnostic {
    Diagnostic::new(
        format!(
            "cpu {cpu} and nic {nic} are beyond those that the top of the file promises, \
             {max_cpu} and {max_nic}"
        ),
        "make the file anew with `txt2bin`",
    )
}

fn wrong_list(begin: u32, listed: u32) -> Diagnostic {
    Diagnostic::new(
        format!("what waits for it begins at {begin} of the list, where {listed} comes next"),
        "make the file anew with `txt2bin`",
    )
}

fn no_such_action(action: u32, actions: u32) -> Diagnostic {
    Diagnostic::new(
        format!("action {action} waits for it, and there are {actions}, counted from 0"),
        "make the file anew with `txt2bin`",
    )
}

fn wrong_needs(needs: u32, told: u32) -> Diagnostic {
    Diagnostic::new(
        format!("it says that it waits for {needs} others, but it waits for {told}"),
        "a run of LogGOPSim may have overwritten it: make the file anew with `txt2bin`",
    )
}

fn wrong_roots() -> Diagnostic {
    Diagnostic::new(
        "the list of actions that wait for nothing is not that of those that do",
        "make the file anew with `txt2bin`",
    )
}
