use proptest::prelude::*;

use super::checks::WrongTasks;
use super::*;
use crate::tasks::{Actions, TaskEvent};

fn number(task: u32) -> String {
    format!("task {task}")
}

fn send(to: u32, size: u64, tag: u64) -> TaskWork {
    let size = Bytes::new(size);
    let (lane, nic) = (0, None);
    TaskWork::Send {
        to,
        size,
        tag,
        lane,
        nic,
    }
}

fn receive(from: u32, size: u64, tag: u64) -> TaskWork {
    let size = Bytes::new(size);
    TaskWork::Receive { from, size, tag }
}

fn compute(duration: u64, unit: u32) -> TaskWork {
    let duration = Time::from_ns(duration);
    TaskWork::Compute { duration, unit }
}

/// A list of tasks; `ends` are pairs of a task and another that waits for its end.
fn list(ranks: u32, tasks: &[(u32, TaskWork)], ends: &[(u32, u32)]) -> TaskList {
    let mut list = TaskList::new(ranks);
    for (rank, work) in tasks {
        list.add(*rank, *work);
    }
    for (before, task) in ends {
        list.wait_for_end(*task, *before);
    }
    list
}

/// The actions that a rank starts on this event.
fn told(rank: &mut ListProgress<'_>, event: TaskEvent) -> Actions {
    let mut actions = Actions::default();
    rank.advance(event, &mut actions);
    actions
}

/// Rank 0 computes for 5 ns, then sends; once the message is acknowledged, it computes for 7 ns on
/// the same unit. Another task of 9 ns on this unit was ready earlier, and comes before. Rank 1
/// receives.
#[test]
fn tasks_wait_for_what_they_are_told_to() {
    let tasks = [
        (0, compute(5, 0)),
        (1, receive(0, 100, 7)),
        (0, send(1, 100, 7)),
        (0, compute(7, 0)),
        (0, compute(9, 0)),
    ];
    let checked = list(2, &tasks, &[(0, 2), (2, 3)]).check(&number).unwrap();
    let mut rank = ListProgress::new(&checked, 0);
    // Renumbered rank by rank, tasks 0, 2, 3 and 4 of rank 0 are 0 to 3.
    let starts = told(&mut rank, TaskEvent::Begin);
    assert_eq!(starts.computes, [(0, Time::from_ns(5))]);
    let next = told(&mut rank, TaskEvent::Computed(0));
    assert_eq!(
        (next.sends, next.computes),
        (vec![0], vec![(3, Time::from_ns(9))])
    );
    assert_eq!(
        told(&mut rank, TaskEvent::Acknowledged(0)),
        Actions::default()
    );
    let next = told(&mut rank, TaskEvent::Computed(3));
    assert_eq!(next.computes, [(2, Time::from_ns(7))]);
    assert_eq!(told(&mut rank, TaskEvent::Computed(2)).done, [0]);
    let mut other = ListProgress::new(&checked, 1);
    assert_eq!(told(&mut other, TaskEvent::Begin), Actions::default());
    assert_eq!(told(&mut other, TaskEvent::Received(0)).done, [0]);
}

/// A task that waits for another's start runs beside it; messages may arrive before their receives
/// are ready; a rank without tasks ends at once.
#[test]
fn starts_early_arrivals_and_idle_ranks() {
    let mut early = list(
        3,
        &[
            (0, compute(5, 0)),
            (0, receive(1, 10, 0)),
            (0, compute(1, 1)),
            (1, send(0, 10, 0)),
        ],
        &[(0, 1)],
    );
    early.wait_for_start(2, 0);
    let checked = early.check(&number).unwrap();
    let mut rank = ListProgress::new(&checked, 0);
    let starts = told(&mut rank, TaskEvent::Begin).computes;
    assert_eq!(starts, [(0, Time::from_ns(5)), (2, Time::from_ns(1))]);
    assert_eq!(told(&mut rank, TaskEvent::Received(0)).done.len(), 0);
    assert_eq!(told(&mut rank, TaskEvent::Computed(2)).done.len(), 0);
    assert_eq!(told(&mut rank, TaskEvent::Computed(0)).done, [0]);
    let mut idle = ListProgress::new(&checked, 2);
    assert_eq!(told(&mut idle, TaskEvent::Begin).done, [0]);
}

/// A million tasks without duration, each waiting for the one before.
#[test]
fn long_chains_do_not_pile_up() {
    let count = 1_000_000;
    let mut chain = TaskList::new(1);
    for task in 0..count {
        chain.add(0, compute(0, 0));
        if task > 0 {
            chain.wait_for_end(task, task - 1);
        }
    }
    let checked = chain.check(&number).unwrap();
    let mut rank = ListProgress::new(&checked, 0);
    assert_eq!(told(&mut rank, TaskEvent::Begin).done, [0]);
}

#[test]
fn messages_belong_to_receives_in_order() {
    let tasks = [
        (0, send(1, 10, 0)),
        (0, send(1, 20, 0)),
        (0, send(1, 30, 4)),
        (1, receive(0, 30, 4)),
        (1, receive(0, 10, 0)),
        (1, receive(0, 20, 0)),
    ];
    assert_eq!(
        list(2, &tasks, &[]).matched(),
        Ok(vec![(0, 4), (1, 5), (2, 3)])
    );
}

#[test]
fn what_would_never_end_is_found() {
    let said = |tasks: &[(u32, TaskWork)], ends: &[(u32, u32)]| {
        list(2, tasks, ends).messages().unwrap_err()
    };
    let there = (0, send(1, 10, 0));
    assert_eq!(said(&[there], &[]), WrongTasks::Unmatched { task: 0 });
    let other_tag = (1, receive(0, 10, 1));
    assert_eq!(
        said(&[other_tag, there], &[]),
        WrongTasks::Unmatched { task: 1 }
    );
    let and_back = (1, receive(0, 10, 0));
    let more = [there, and_back, and_back];
    assert_eq!(said(&more, &[]), WrongTasks::Unmatched { task: 2 });
    let smaller = (1, receive(0, 9, 0));
    let sizes = WrongTasks::Sizes {
        send: 0,
        receive: 1,
    };
    assert_eq!(said(&[there, smaller], &[]), sizes);
    let own = (0, send(0, 10, 0));
    assert_eq!(said(&[own], &[]), WrongTasks::ToItself { task: 0 });
    assert_eq!(
        said(&[(0, send(1, 0, 0))], &[]),
        WrongTasks::Empty { task: 0 }
    );
    assert_eq!(
        said(&[(0, send(2, 1, 0))], &[]),
        WrongTasks::NoRank { task: 0, rank: 2 }
    );
    let across = WrongTasks::OtherRank { task: 1, before: 0 };
    assert_eq!(said(&[there, and_back], &[(0, 1)]), across);
    // Each rank sends after it has received from the other: task 0 waits for 1, whose message comes
    // from 3, which waits for 2, whose message comes from 0.
    let circle = [
        (0, send(1, 10, 0)),
        (0, receive(1, 10, 0)),
        (1, receive(0, 10, 0)),
        (1, send(0, 10, 0)),
    ];
    let WrongTasks::Cycle(mut tasks) = said(&circle, &[(1, 0), (2, 3)]) else {
        panic!("a cycle");
    };
    tasks.sort_unstable();
    assert_eq!(tasks, [0, 1, 2, 3]);
}

/// Both ranks send after they begin to receive: no cycle, because a receive begins by itself.
#[test]
fn a_send_may_wait_for_the_start_of_a_receive() {
    let tasks = [
        (0, receive(1, 10, 0)),
        (0, send(1, 10, 0)),
        (1, receive(0, 10, 0)),
        (1, send(0, 10, 0)),
    ];
    let mut both = list(2, &tasks, &[]);
    both.wait_for_start(1, 0);
    both.wait_for_start(3, 2);
    assert_eq!(both.messages(), Ok((vec![(1, 2), (3, 0)], 2)));
    // If the sends wait for the end of the receives, there is a cycle. A task that waits for its
    // own start is a cycle, too.
    let wrong = list(2, &tasks, &[(0, 1), (2, 3)]).messages();
    assert!(matches!(wrong, Err(WrongTasks::Cycle(tasks)) if tasks.len() == 4));
    let mut own = list(2, &tasks, &[]);
    own.wait_for_start(1, 1);
    assert_eq!(own.messages(), Err(WrongTasks::Cycle(vec![1])));
}

#[test]
fn messages_under_way_at_once_are_counted() {
    let widest = |ends: &[(u32, u32)], starts: &[(u32, u32)]| {
        let there = [(0, send(1, 10, 0)), (1, receive(0, 10, 0))];
        let compute = TaskWork::Compute {
            duration: Time::from_us(1),
            unit: 0,
        };
        let mut tasks = list(2, &[there, there, there, [(0, compute); 2]].concat(), ends);
        starts
            .iter()
            .for_each(|(before, task)| tasks.wait_for_start(*task, *before));
        tasks.messages().unwrap().1
    };
    assert_eq!(widest(&[], &[]), 3);
    assert_eq!(widest(&[(0, 2)], &[]), 2);
    assert_eq!(widest(&[(0, 2), (2, 4)], &[]), 1);
    // First, one send waits only for the start of another. Then, two sends wait for computing,
    // which waits for nothing.
    assert_eq!(widest(&[(0, 2)], &[(2, 4)]), 2);
    assert_eq!(widest(&[(6, 2), (6, 4)], &[]), 3);
}

#[test]
fn tasks_of_one_name_are_named_once_in_a_cycle() {
    let wait = TaskWork::Compute {
        duration: Time::ZERO,
        unit: 0,
    };
    let ends = [(0, 1), (1, 2), (2, 3), (3, 0)];
    let name = |task: u32| format!("node {}", [7, 7, 8, 7][task as usize]);
    let wrong = list(1, &[(0, wait); 4], &ends).check(&name).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "node 7 of rank 0, which waits for node 8 of rank 0, which waits for the first one: a \
         cycle, of which none ever ends; let one of them wait for something else"
    );
}

/// Tasks that wait only for earlier tasks of their rank, with messages from earlier to later tasks:
/// no cycle is possible.
fn sound() -> impl Strategy<Value = TaskList> {
    let task = (0_u32..4, 0_u32..4, 0_u64..3, 0_u64..4, any::<bool>());
    prop::collection::vec((task, prop::collection::vec(0_usize..100, 0..3)), 1..40).prop_map(
        |drawn| {
            let mut list = TaskList::new(4);
            let mut own: Vec<Vec<u32>> = vec![Vec::new(); 4];
            for ((rank, other, tag, size, computes), before) in drawn {
                let mut added = Vec::new();
                if computes || rank == other {
                    added.push((rank, list.add(rank, compute(size, tag as u32))));
                } else {
                    added.push((rank, list.add(rank, send(other, size + 1, tag))));
                    added.push((other, list.add(other, receive(rank, size + 1, tag))));
                }
                for (rank, task) in added {
                    let earlier = &own[rank as usize];
                    let mut waits: Vec<_> = before
                        .iter()
                        .filter(|_| !earlier.is_empty())
                        .map(|pick| (earlier[pick % earlier.len()], pick % 2 == 0))
                        .collect();
                    waits.sort_unstable();
                    waits.dedup();
                    for (before, at_start) in waits {
                        match at_start {
                            true => list.wait_for_start(task, before),
                            false => list.wait_for_end(task, before),
                        }
                    }
                    own[rank as usize].push(task);
                }
            }
            list
        },
    )
}

proptest! {
    /// In any order of events, every rank ends, and each message is sent once.
    #[test]
    fn sound_lists_come_to_an_end(
        list in sound(),
        picks in prop::collection::vec(0_usize..1000, 64),
    ) {
        let checked = list.check(&number).map_err(|wrong| TestCaseError::fail(wrong.to_string()))?;
        let mut ranks: Vec<_> = (0..4).map(|rank| ListProgress::new(&checked, rank)).collect();
        let mut pending: Vec<(u32, TaskEvent)> =
            (0..4).map(|rank| (rank, TaskEvent::Begin)).collect();
        let (mut sent, mut done, mut turn) = (0, 0, 0);
        while !pending.is_empty() {
            turn += 1;
            let (rank, event) = pending.swap_remove(picks[turn % picks.len()] % pending.len());
            let actions = told(&mut ranks[rank as usize], event);
            sent += actions.sends.len();
            done += actions.done.len();
            for number in actions.sends {
                let to = checked.messages[number as usize].destination;
                pending.push((to, TaskEvent::Received(number)));
                pending.push((rank, TaskEvent::Acknowledged(number)));
            }
            let computes = actions.computes.iter();
            pending.extend(computes.map(|(task, _)| (rank, TaskEvent::Computed(*task))));
        }
        prop_assert_eq!((sent, done), (checked.messages.len(), 4));
    }
}
