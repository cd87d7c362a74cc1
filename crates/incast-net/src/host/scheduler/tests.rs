//! Round robin among few and many QPs, compared with a plain list of times.

use super::*;
use crate::wire::Lane;

/// The next slot after `last` that is due at `now`.
fn next_due(times: &[Time], last: usize, now: Time) -> Option<usize> {
    let slots = (last + 1..times.len()).chain(0..=last);
    let mut due = slots.filter(|&slot| times[slot] <= now);
    due.next()
}

/// QPs are added one by one, so that longer runs pass from the short list to many QPs.
#[test]
fn qps_are_served_as_in_a_plain_list() {
    for qps in [1, 2, 5, SHORT_LIST_SLOTS, SHORT_LIST_SLOTS + 1, 100] {
        let mut scheduler = Scheduler::new(NicScheduler::RoundRobin);
        let (mut times, mut last) = (vec![Time::MAX; qps], 0);
        let (mut state, mut now, mut used) = (1_u64, Time::ZERO, 0);
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let slot = (state >> 33) as usize % qps;
            while used <= slot {
                scheduler.add(used as u32);
                used += 1;
            }
            now += Time::from_ps((state >> 50) % 4);
            let at = match state >> 61 {
                0 => Time::MAX,
                1 => now,
                _ => now + Time::from_ps((state >> 40) % (2 * qps as u64)),
            };
            times[slot] = at;
            scheduler.set_next_send(slot as u32, at, now);
            let earliest = times.iter().min().copied().unwrap();
            assert_eq!(scheduler.earliest().max(now), earliest.max(now));
            let waiting = times.iter().filter(|at| **at < Time::MAX).count();
            assert_eq!(scheduler.waiting() as usize, waiting);
            let due = next_due(&times, last, now);
            let picked = scheduler.pick(now, Lanes::default(), &QpTable::default());
            assert_eq!(picked, due.map(|slot| slot as u32));
            if let Some(slot) = due {
                (last, times[slot]) = (slot, now + Time::from_ps((state >> 20) % 50));
                scheduler.set_next_send(slot as u32, times[slot], now);
            }
        }
    }
}

/// A QP that may send from 5 ps on sends then, unless its lane is paused.
#[test]
fn a_pause_holds_data() {
    let [early, due] = [4, 5].map(Time::from_ps);
    let (none, mut paused) = (Lanes::default(), Lanes::default());
    paused.insert(Lane::FIRST);
    let mut scheduler = Scheduler::new(NicScheduler::RoundRobin);
    scheduler.add(3);
    scheduler.set_next_send(3, due, Time::ZERO);
    assert_eq!(scheduler.earliest_unpaused(none), due);
    assert_eq!(scheduler.earliest_unpaused(paused), Time::MAX);
    for (at, lanes, picked) in [
        (early, none, None),
        (due, paused, None),
        (due, none, Some(3)),
    ] {
        assert_eq!(scheduler.pick(at, lanes, &QpTable::default()), picked);
    }
}
