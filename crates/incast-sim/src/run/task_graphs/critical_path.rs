//! The critical path of a task graph: the messages that held up its end.

use incast_units::Time;

/// The cause of each message's start, with times.
pub(super) struct Causes {
    /// For each message, the message that it waited for last, or [`NOTHING`].
    causes: Vec<u32>,
    /// For each message, the time at which its cause had arrived, or was acknowledged, at its
    /// sender.
    released: Vec<Time>,
    /// For each message, its start, after computing.
    starts: Vec<Time>,
}

/// The cause of a message that waited for no other message: the beginning of its rank.
const NOTHING: u32 = u32::MAX;

impl Causes {
    pub(super) fn new(messages: usize) -> Self {
        Self {
            causes: vec![NOTHING; messages],
            released: vec![Time::ZERO; messages],
            starts: vec![Time::ZERO; messages],
        }
    }

    pub(super) fn note_start(&mut self, message: u64, start: Time) {
        self.starts[message as usize] = start;
    }

    pub(super) fn note_cause(&mut self, message: u64, cause: Option<u64>, time: Time) {
        self.causes[message as usize] = cause.map_or(NOTHING, |cause| cause as u32);
        self.released[message as usize] = time;
    }

    /// The path that ends with this message, in order of time. `end` and `computing` are the end of
    /// the path, and the computing after its last message. `step` gets each message, its start and
    /// end, and the computing of its receiver afterwards.
    pub(super) fn path<S>(
        &self,
        last: Option<u64>,
        (mut end, mut computing): (Time, Time),
        step: impl Fn(u64, Time, Time, Time) -> S,
    ) -> Vec<S> {
        let mut steps = Vec::new();
        let mut next = last;
        while let Some(message) = next {
            let index = message as usize;
            steps.push(step(message, self.starts[index], end, computing));
            next = (self.causes[index] != NOTHING).then(|| self.causes[index].into());
            end = self.released[index];
            computing = self.starts[index].saturating_sub(end);
        }
        steps.reverse();
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Message 0 starts at 5 and arrives at 20; its receiver computes for 4, and sends message 2,
    /// which arrives at 40. Message 1, which arrives at 12, is not on the path.
    #[test]
    fn the_path_goes_back_from_the_end() {
        let time = Time::from_ps;
        let mut causes = Causes::new(3);
        for (message, cause, released, start) in
            [(0, None, 5, 5), (1, None, 5, 6), (2, Some(0), 20, 24)]
        {
            causes.note_cause(message, cause, time(released));
            causes.note_start(message, time(start));
        }
        let step = |message, start: Time, end: Time, computing: Time| {
            (message, start.as_ps(), end.as_ps(), computing.as_ps())
        };
        let end = (time(40), time(7));
        let path = causes.path(Some(2), end, step);
        assert_eq!(path, [(0, 5, 20, 4), (2, 24, 40, 7)]);
        assert_eq!(causes.path(None, end, step), []);
    }
}
