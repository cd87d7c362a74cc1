use super::*;

const EPOCH: Time = Time::from_us(13);

fn speculations(shared: bool, divided_by: Option<WindowDivisor>) -> Speculations {
    let options = OneRttOptions {
        epoch: Some(EPOCH),
        shared,
        divided_by,
        ..OneRttOptions::default()
    };
    Speculations::new(&options, NodeId(0), 1)
}

fn numbers(all: &mut Speculations, flow: &mut Speculating, count: usize) -> Vec<u32> {
    (0..count)
        .map(|_| all.number_packet(flow).sequence)
        .collect()
}

/// Flows of one epoch share a sequence; a flow of the next epoch has its own. Without sharing every
/// flow has its own. A flow resumes at its first packet whose number is not let through.
#[test]
fn flows_of_an_epoch_share_a_sequence() {
    let mut all = speculations(true, None);
    let mut first = all.begin(1, Time::from_us(2));
    assert_eq!(numbers(&mut all, &mut first, 2), [0, 1]);
    let mut second = all.begin(2, Time::from_us(12));
    assert_eq!(numbers(&mut all, &mut second, 1), [2]);
    assert_eq!(numbers(&mut all, &mut first, 2), [3, 4]);
    let mut third = all.begin(3, Time::from_us(14));
    assert_eq!(numbers(&mut all, &mut third, 2), [0, 1]);
    // The flow's packets have numbers 0, 1, 3, 4; number 2 is another flow's.
    let resumes = [0, 1, 2, 3, 4, 9].map(|let_through| first.first_beyond(let_through));
    assert_eq!(resumes, [0, 1, 2, 2, 3, 4]);
    let resumes = [2, 3].map(|let_through| second.first_beyond(let_through));
    assert_eq!(resumes, [0, 1]);
    let mut alone = speculations(false, None);
    let mut flows = [2, 3].map(|us| alone.begin(1, Time::from_us(us)));
    let sequences = flows.each_mut().map(|flow| numbers(&mut alone, flow, 2));
    assert_eq!(sequences, [[0, 1], [0, 1]]);
}

/// A sequence lasts as long as its epoch, even after all its flows have got their rates. The start
/// of a later epoch ends the sequence.
#[test]
fn a_sequence_lasts_as_long_as_flows_may_join() {
    let mut all = speculations(true, None);
    all.note_connections(0, Time::from_us(1));
    let mut first = all.begin(1, Time::from_us(1));
    assert_eq!(numbers(&mut all, &mut first, 3), [0, 1, 2]);
    all.end(&first);
    let mut second = all.begin(1, Time::from_us(11));
    assert_eq!(numbers(&mut all, &mut second, 1), [3]);
    all.note_connections(1, Time::from_us(14));
    assert_eq!(numbers(&mut all, &mut second, 1), [4]);
    all.end(&second);
    assert!(all.sequences.is_empty());
}

/// Two connections were open when epoch 1 began, three when it ended; the flow itself is the
/// fourth. Without weights n is 1.
#[test]
fn connections_are_those_before_the_epoch() {
    for (divided_by, expected) in [
        (Some(WindowDivisor::EpochStart), 2),
        (Some(WindowDivisor::FlowStart), 4),
        (None, 1),
    ] {
        let mut all = speculations(true, divided_by);
        for (open, us) in [(0, 1), (1, 5), (2, 14), (3, 20)] {
            all.note_connections(open, Time::from_us(us));
        }
        assert_eq!(all.begin(4, Time::from_us(20)).connections(), expected);
    }
    // No connection was open: the divisor is still 1.
    let mut all = speculations(true, Some(WindowDivisor::EpochStart));
    all.note_connections(0, Time::from_us(1));
    assert_eq!(all.begin(1, Time::from_us(1)).connections(), 1);
}
