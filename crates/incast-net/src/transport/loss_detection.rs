//! How a sender finds lost packets whose transmissions are numbered: a policy of the scoreboard.
//!
//! Whatever the policy, a NACK that names a transmission and the retransmission timeout show
//! losses, too.

use incast_units::Time;

use super::options::Reordering;

/// The latest transmission that is known to have arrived.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Newest {
    pub(super) number: u64,
    pub(super) round_trip: Time,
}

/// The fate of a transmission that was overtaken.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Lost,
    /// It is lost if nothing shows its arrival before this time.
    OpenUntil(Time),
}

impl Reordering {
    /// The fate of transmission `number`, which left at `sent`, earlier than the newest that has
    /// arrived.
    pub(super) fn fate(&self, number: u64, sent: Time, newest: &Newest, now: Time) -> Fate {
        let until = sent + newest.round_trip + self.time;
        if newest.number - number >= u64::from(self.packets) || now >= until {
            Fate::Lost
        } else {
            Fate::OpenUntil(until)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: fn(u64) -> Time = Time::from_us;

    /// Transmission 7 left at 10 us. Number 9 has arrived after 8 us: equation (1) needs 10,
    /// equation (2) 10 + 8 + 2 = 20 us.
    #[test]
    fn packets_and_time_are_thresholds() {
        let rule = Reordering {
            packets: 3,
            time: US(2),
        };
        let newest = |number| Newest {
            number,
            round_trip: US(8),
        };
        let fate = |number, now| rule.fate(7, US(10), &newest(number), now);
        assert_eq!(fate(9, US(19)), Fate::OpenUntil(US(20)));
        assert_eq!(fate(9, US(20)), Fate::Lost);
        assert_eq!(fate(10, US(19)), Fate::Lost);
    }
}
