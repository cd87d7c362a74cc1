use super::super::recordings::{Drawn, LEAVING, replay, report};
use super::*;
use PathFeedback::{Good, Lost, Marked, TimedOut, Trimmed};

const US: fn(u64) -> Time = Time::from_us;

fn selector(options: Reps, draws: &[u32]) -> RepsSelector<Drawn> {
    RepsSelector::new(&options, 100, Drawn::new(draws))
}

fn next(selector: &mut RepsSelector<Drawn>, count: usize) -> Vec<u16> {
    (0..count).map(|_| selector.next(&LEAVING)).collect()
}

fn hear(selector: &mut RepsSelector<Drawn>, entropies: &[u16], feedback: PathFeedback, now: Time) {
    for entropy in entropies {
        selector.on_feedback(&PathReport {
            now,
            ..report(*entropy, feedback)
        });
    }
}

/// Given the recorded draws and feedback of the reference simulator, entropies equal the recorded
/// ones. Under the script the ring freezes, thaws and explores.
#[test]
fn recorded_entropies_are_met() {
    for (recording, entropies) in [
        (
            include_str!("../../../../tests/balancers/reps-plain.txt"),
            64,
        ),
        (
            include_str!("../../../../tests/balancers/reps-smallq.txt"),
            64,
        ),
        (
            include_str!("../../../../tests/balancers/script-reps-16.txt"),
            16,
        ),
        (
            include_str!("../../../../tests/balancers/script-reps-64.txt"),
            64,
        ),
    ] {
        let options = Reps {
            entropies,
            exploring: Some(16),
            ..Reps::default()
        };
        let compared = replay(recording, None, |first, draws| {
            Box::new(RepsSelector::new(&options, first, draws))
        });
        assert!(compared > 600, "{compared}");
    }
}

/// Draws are 70 mod 64 = 6, then 5 and 7. Of the entropies 106, 105 and 107 the second is marked.
/// 106 and 107 are used again, each once and in this order, before 1 is drawn.
#[test]
fn unmarked_entropies_are_used_again_once() {
    let mut reps = selector(Reps::default(), &[70, 5, 7, 65]);
    assert_eq!(next(&mut reps, 3), [106, 105, 107]);
    hear(&mut reps, &[106], Good, US(1));
    hear(&mut reps, &[105], Marked, US(1));
    hear(&mut reps, &[105], Trimmed, US(1));
    hear(&mut reps, &[107], Good, US(1));
    assert_eq!(next(&mut reps, 3), [106, 107, 101]);
}

/// A ring of two holds the last two entropies.
#[test]
fn a_full_ring_forgets_the_oldest() {
    let options = Reps {
        ring: 2,
        ..Reps::default()
    };
    let mut reps = selector(options, &[9]);
    hear(&mut reps, &[101, 102, 103], Good, US(1));
    assert_eq!(next(&mut reps, 3), [102, 103, 109]);
}

/// The ring is frozen at 1 us for 10 us: 101 and 102 are used in turn although they are not fresh,
/// and 103 after an ACK. A timeout at 5 us does not prolong the freeze. At 11 us the ring is still
/// frozen. The first report afterwards empties the ring, except for the reported entropy, 104.
/// Three packets draw 1, 2 and 3; until they have left, no timeout freezes the ring.
#[test]
fn a_timeout_freezes_the_ring() {
    let options = Reps {
        frozen_for: US(10),
        exploring: Some(3),
        ..Reps::default()
    };
    let mut reps = selector(options, &[1, 2, 3]);
    hear(&mut reps, &[101, 102], Good, US(0));
    assert_eq!(next(&mut reps, 1), [101]);
    hear(&mut reps, &[101], TimedOut, US(1));
    assert_eq!(next(&mut reps, 3), [101, 102, 101]);
    hear(&mut reps, &[103], Good, US(4));
    hear(&mut reps, &[101], TimedOut, US(5));
    assert_eq!(next(&mut reps, 3), [102, 103, 101]);
    hear(&mut reps, &[101], Marked, US(11));
    assert_eq!(next(&mut reps, 1), [102]);
    hear(&mut reps, &[104], Good, US(12));
    assert_eq!(next(&mut reps, 2), [101, 102]);
    hear(&mut reps, &[104], TimedOut, US(13));
    assert_eq!(next(&mut reps, 2), [103, 104]);
}

/// The window is 10 packets. With 4 entropies, 4 packets draw at random.
#[test]
fn a_window_is_explored_if_no_number_is_given() {
    for (entropies, explored) in [(64, 10), (4, 4)] {
        let options = Reps {
            entropies,
            frozen_for: US(10),
            ..Reps::default()
        };
        let mut reps = selector(options, &[1; 11]);
        assert_eq!(next(&mut reps, 1), [101]);
        hear(&mut reps, &[101], TimedOut, US(1));
        hear(&mut reps, &[102], Good, US(12));
        assert_eq!(next(&mut reps, explored), vec![101; explored]);
        assert_eq!(next(&mut reps, 1), [102]);
    }
}

#[test]
fn losses_freeze_the_ring_if_they_are_to() {
    for (freezes_on, last) in [(FreezeSign::Timeout, 107), (FreezeSign::Loss, 101)] {
        let options = Reps {
            freezes_on,
            ..Reps::default()
        };
        let mut reps = selector(options, &[7]);
        hear(&mut reps, &[101], Good, US(0));
        hear(&mut reps, &[101], Trimmed, US(0));
        hear(&mut reps, &[101], Lost, US(0));
        assert_eq!(next(&mut reps, 2), [101, last]);
    }
}

#[test]
fn a_frozen_ring_without_entropies_draws() {
    let mut reps = selector(Reps::default(), &[5, 6]);
    hear(&mut reps, &[101], TimedOut, US(0));
    assert_eq!(next(&mut reps, 2), [105, 106]);
}

#[test]
fn options_are_checked() {
    let of_ring = |ring| Reps {
        ring,
        ..Reps::default()
    };
    assert!(of_ring(1).check().is_ok() && of_ring(1024).check().is_ok());
    for ring in [0, 1025] {
        let said = of_ring(ring)
            .check()
            .expect_err("it is refused")
            .to_string();
        assert!(
            said.contains("ring") && said.contains("write 1 to 1024"),
            "{said}"
        );
    }
}
