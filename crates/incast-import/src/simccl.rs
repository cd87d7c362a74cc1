//! Flows of SimCCL (aliyun/SimCCL), SimAI's model of NCCL: `ncclFlowModel_detailed_flows.csv`.
//!
//! ```text
//! collective,op,data_size,…,channel_id,flow_id,src,dest,flow_size,…,parent_flow_ids,prev_flow_ids
//! TP_0_0_0_1_8,1,8,…,0,0,0,1,4,…,,1
//! TP_0_0_0_1_8,1,8,…,0,2,1,0,4,…,0,0
//! ```
//!
//! A row is a message between two ranks. The message is sent when all of its parents have arrived
//! at its source (`NcclFlowModel.cc`). The rows of a collective are consecutive, in any order. At
//! each rank a collective begins when the previous one has ended there. The header names the
//! columns: in version 2.20 of the model, algorithm and protocol are missing.

use std::collections::HashMap;
use std::io::BufRead;
use std::mem;

use incast_diagnostic::{Diagnostic, excerpt};
use incast_units::{Bytes, Time};
use incast_workload::{FileTasks, TaskList, TaskWork};

use crate::diagnostics;
use crate::text::{Field, TextLine, TextLines};

#[cfg(test)]
mod tests;

/// The expected begin of a file, for messages.
const BEGINS: &str = "`collective,op,data_size,`, the names of its columns";

/// The columns that are used.
const COLUMNS: [&str; 6] = [
    "collective",
    "flow_id",
    "src",
    "dest",
    "flow_size",
    "parent_flow_ids",
];

/// The largest tag of a flow; collectives have larger tags.
const MAX_ID: u64 = i64::MAX as u64;

/// The unit of tasks without duration, which never delay another task.
const NO_UNIT: u32 = u32::MAX;

/// Reads the tasks of a file, for this number of ranks.
pub(crate) fn read(
    mut lines: TextLines<impl BufRead>,
    ranks: u32,
) -> Result<FileTasks, Diagnostic> {
    let columns = SimcclColumns::read(lines.first_line(BEGINS)?)?;
    let mut flows = SimcclFlows {
        list: TaskList::new(ranks),
        lines: Vec::new(),
        begun: vec![None; ranks as usize],
        name: String::new(),
        rows: Vec::new(),
    };
    while let Some(line) = lines.next_line()? {
        let room = flows.list.len() + 4 * (flows.rows.len() + 1);
        let checked = flows.list.check_room(room as u128);
        checked.map_err(|wrong| line.wrong(wrong))?;
        let row = columns.row(line, ranks)?;
        let same = row.0 == flows.name;
        if !same {
            let ended = flows.end_of_collective();
            ended.map_err(|(at, wrong)| lines.on_line(at, wrong))?;
            flows.name = row.0;
        }
        flows.rows.push(row.1);
    }
    let ended = flows.end_of_collective();
    ended.map_err(|(at, wrong)| lines.on_line(at, wrong))?;
    Ok(FileTasks::numbered(flows.list, "line", flows.lines))
}

/// The positions of the columns.
struct SimcclColumns {
    width: usize,
    header: String,
    places: [usize; COLUMNS.len()],
}

/// A message.
struct SimcclRow {
    line: u64,
    id: u64,
    source: u32,
    destination: u32,
    size: Bytes,
    parents: Vec<u64>,
}

/// The tasks and rows that have been read.
struct SimcclFlows {
    list: TaskList,
    /// The line of each task.
    lines: Vec<u64>,
    /// For each rank, the last task of its last collective.
    begun: Vec<Option<u32>>,
    /// The collective of the rows that are not tasks yet.
    name: String,
    rows: Vec<SimcclRow>,
}

impl SimcclColumns {
    fn read(line: TextLine<'_>) -> Result<Self, Diagnostic> {
        let header: Vec<_> = line.text().trim().split(',').map(str::trim).collect();
        let shown = excerpt(line.text());
        let mut places = [0; COLUMNS.len()];
        for (place, name) in places.iter_mut().zip(COLUMNS) {
            let mut found = header.iter().enumerate().filter(|(_, cell)| **cell == name);
            let Some((at, _)) = found.next() else {
                let instead = "the first line names the columns, as SimCCL writes it";
                let wrong = diagnostics::column_missing(&shown, instead);
                return Err(line.wrong(wrong.at(name)));
            };
            if found.next().is_some() {
                return Err(line.wrong(diagnostics::column_twice(name, name).at(name)));
            }
            *place = at;
        }
        let width = header.len();
        Ok(Self {
            width,
            header: shown,
            places,
        })
    }

    fn row(&self, line: TextLine<'_>, ranks: u32) -> Result<(String, SimcclRow), Diagnostic> {
        let mut fields = COLUMNS.map(|name| line.field(name, ""));
        let mut width = 0;
        for text in line.text().trim().split(',') {
            if let Some(field) = self.places.iter().position(|place| *place == width) {
                fields[field] = line.field(COLUMNS[field], text.trim());
            }
            width += 1;
        }
        if width < self.width {
            return Err(line.wrong(diagnostics::field_missing(&self.header).at("end of line")));
        }
        if width > self.width {
            return Err(line.wrong(too_wide(&self.header).at("end of line")));
        }
        let [collective, id, source, destination, size, parents] = fields;
        let ids = parents.text.split(';').filter(|id| !id.is_empty());
        let parents = ids.map(|id| line.field("parent_flow_ids", id).integer("5"));
        let from = rank(source, ranks)?;
        let to = rank(destination, ranks)?;
        if from == to {
            return Err(destination.wrong(to_itself(from)));
        }
        let row = SimcclRow {
            line: line.number(),
            id: id.integer_up_to(MAX_ID, "5")?,
            source: from,
            destination: to,
            size: size.size()?,
            parents: parents.collect::<Result<_, _>>()?,
        };
        Ok((collective.text.to_owned(), row))
    }
}

impl SimcclFlows {
    /// Adds the tasks of the rows that are not tasks yet.
    fn end_of_collective(&mut self) -> Result<(), (u64, Diagnostic)> {
        let rows = mem::take(&mut self.rows);
        // For each flow id, its destination, and the task that ends the flow there.
        let mut arrivals = HashMap::new();
        for row in &rows {
            let (from, tag) = (row.source, row.id);
            let size = row.size;
            let receive = self.add(row, row.destination, TaskWork::Receive { from, size, tag });
            self.wait(receive, self.begun[row.destination as usize]);
            if arrivals
                .insert(row.id, (row.destination, receive))
                .is_some()
            {
                return Err((row.line, flow_twice(row.id)));
            }
        }
        // For each rank, the tasks that end its part.
        let mut ends = vec![Vec::new(); self.begun.len()];
        for row in &rows {
            let (to, size, tag) = (row.destination, row.size, row.id);
            let (lane, nic) = (0, None);
            let send = TaskWork::Send {
                to,
                size,
                tag,
                lane,
                nic,
            };
            let send = self.add(row, row.source, send);
            self.wait(send, self.begun[row.source as usize]);
            for parent in &row.parents {
                match arrivals.get(parent) {
                    Some((at, receive)) if *at == row.source => {
                        self.list.wait_for_end(send, *receive);
                    }
                    Some((at, _)) => return Err((row.line, elsewhere(*parent, *at, row.source))),
                    None => return Err((row.line, no_such_flow(*parent))),
                }
            }
            ends[row.source as usize].push(send);
            ends[row.destination as usize].push(arrivals[&row.id].1);
        }
        let Some(last) = rows.last() else {
            return Ok(());
        };
        for (rank, ends) in (0..).zip(ends) {
            if !ends.is_empty() {
                let (duration, unit) = (Time::ZERO, NO_UNIT);
                let end = self.add(last, rank, TaskWork::Compute { duration, unit });
                ends.iter()
                    .for_each(|before| self.list.wait_for_end(end, *before));
                self.begun[rank as usize] = Some(end);
            }
        }
        Ok(())
    }

    fn add(&mut self, row: &SimcclRow, rank: u32, work: TaskWork) -> u32 {
        self.lines.push(row.line);
        self.list.add(rank, work)
    }

    fn wait(&mut self, task: u32, before: Option<u32>) {
        if let Some(before) = before {
            self.list.wait_for_end(task, before);
        }
    }
}

fn rank(field: Field<'_>, ranks: u32) -> Result<u32, Diagnostic> {
    match field.integer_32("5")? {
        rank if rank < ranks => Ok(rank),
        rank => Err(field.wrong(no_such_rank(rank, ranks))),
    }
}

fn no_such_rank(rank: u32, ranks: u32) -> Diagnostic {
    Diagnostic::new(
        format!("rank {rank} does not exist: `hosts` has {ranks}"),
        "give a host for each rank, e.g. hosts = \"0-15\"; NVSwitches of NVLS are none",
    )
}

fn to_itself(rank: u32) -> Diagnostic {
    Diagnostic::new(format!("rank {rank} sends to itself"), "leave the row out")
}

fn too_wide(header: &str) -> Diagnostic {
    Diagnostic::new(
        "the row has more cells than the first line",
        format!("a row has those of `{header}`"),
    )
}

fn flow_twice(id: u64) -> Diagnostic {
    let what = format!("flow {id} stands in its collective twice");
    Diagnostic::new(what, "leave one")
}

fn no_such_flow(parent: u64) -> Diagnostic {
    Diagnostic::new(
        format!("it waits for flow {parent}, which its collective does not have"),
        "is the file cut off?",
    )
}

fn elsewhere(parent: u64, at: u32, source: u32) -> Diagnostic {
    Diagnostic::new(
        format!("it waits for flow {parent}, which ends at rank {at} and not at rank {source}"),
        "a flow waits for what has arrived at its source",
    )
}
