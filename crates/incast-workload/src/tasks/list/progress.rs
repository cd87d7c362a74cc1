//! The progress of a rank through a list of tasks: its waiting tasks, and how much each waits for.

use std::collections::{HashMap, HashSet, VecDeque};

use incast_units::Time;

use super::{ListedTasks, ListedWork};
use crate::tasks::{Actions, RankProgress, TaskEvent};

/// The progress of a rank through its tasks.
#[derive(Clone)]
pub(super) struct ListProgress<'a> {
    tasks: &'a ListedTasks,
    /// The number of the rank's first task.
    first: u32,
    /// For each task of the rank, how many starts and ends it still waits for.
    needs: Vec<u32>,
    /// Number of tasks that have not ended.
    left: usize,
    /// Messages that have arrived before their receives were ready.
    arrived: HashSet<u32>,
    /// Messages whose receives are ready, but which have not arrived.
    ready: HashSet<u32>,
    /// For each unit, the task that it computes, then the tasks that are ready.
    units: HashMap<u32, VecDeque<u32>>,
    /// Steps that are due now. A queue in place of recursion, because chains of tasks may be long.
    at_once: VecDeque<Step>,
}

#[derive(Copy, Clone, Debug)]
enum Step {
    /// The task waits for no other task.
    Ready(u32),
    /// The task's unit begins to compute it.
    Compute(u32),
    End(u32),
}

impl<'a> ListProgress<'a> {
    pub(super) fn new(tasks: &'a ListedTasks, rank: u32) -> Self {
        let (first, end) = (tasks.first[rank as usize], tasks.first[rank as usize + 1]);
        Self {
            tasks,
            first,
            needs: tasks.needs[first as usize..end as usize].to_vec(),
            left: (end - first) as usize,
            arrived: HashSet::new(),
            ready: HashSet::new(),
            units: HashMap::new(),
            at_once: VecDeque::new(),
        }
    }

    fn on_ready(&mut self, task: u32, actions: &mut Actions) {
        match self.tasks.works[task as usize] {
            ListedWork::Send(message) => {
                actions.sends.push(message.into());
                self.let_go_on(self.tasks.starts.of(task));
            }
            ListedWork::Receive(message) => {
                self.let_go_on(self.tasks.starts.of(task));
                match self.arrived.remove(&message) {
                    true => self.at_once.push_back(Step::End(task)),
                    false => {
                        self.ready.insert(message);
                    }
                }
            }
            ListedWork::Compute { unit, .. } => {
                let queue = self.units.entry(unit).or_default();
                queue.push_back(task);
                if queue.len() == 1 {
                    self.at_once.push_back(Step::Compute(task));
                }
            }
        }
    }

    fn compute(&mut self, task: u32, actions: &mut Actions) {
        self.let_go_on(self.tasks.starts.of(task));
        match self.tasks.works[task as usize] {
            ListedWork::Compute { duration, .. } if duration > Time::ZERO => {
                actions.computes.push((task.into(), duration));
            }
            _ => self.at_once.push_back(Step::End(task)),
        }
    }

    fn on_end(&mut self, task: u32, actions: &mut Actions) {
        if let ListedWork::Compute { unit, .. } = self.tasks.works[task as usize] {
            let queue = self.units.entry(unit).or_default();
            queue.pop_front();
            if let Some(next) = queue.front() {
                self.at_once.push_back(Step::Compute(*next));
            }
        }
        self.let_go_on(self.tasks.ends.of(task));
        self.left -= 1;
        if self.left == 0 {
            actions.done.push(0);
        }
    }

    /// Each of these tasks waits for one start or end less.
    fn let_go_on(&mut self, waiting: &[u32]) {
        for task in waiting {
            let needs = &mut self.needs[(task - self.first) as usize];
            *needs -= 1;
            if *needs == 0 {
                self.at_once.push_back(Step::Ready(*task));
            }
        }
    }
}

impl RankProgress for ListProgress<'_> {
    fn advance(&mut self, event: TaskEvent, actions: &mut Actions) {
        let messages = &self.tasks.messages;
        match event {
            TaskEvent::Begin => {
                if self.left == 0 {
                    actions.done.push(0);
                }
                let own = (self.first..).zip(&self.needs);
                let ready = own.filter(|(_, needs)| **needs == 0);
                self.at_once
                    .extend(ready.map(|(task, _)| Step::Ready(task)));
            }
            TaskEvent::Received(message) => {
                let message = message as u32;
                if self.ready.remove(&message) {
                    let receive = messages[message as usize].receive;
                    self.at_once.push_back(Step::End(receive));
                } else {
                    self.arrived.insert(message);
                }
            }
            TaskEvent::Acknowledged(message) => {
                let send = messages[message as usize].send;
                self.at_once.push_back(Step::End(send));
            }
            TaskEvent::Computed(task) => self.at_once.push_back(Step::End(task as u32)),
        }
        while let Some(step) = self.at_once.pop_front() {
            match step {
                Step::Ready(task) => self.on_ready(task, actions),
                Step::Compute(task) => self.compute(task, actions),
                Step::End(task) => self.on_end(task, actions),
            }
        }
    }
}
