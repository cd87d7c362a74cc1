//! Links that `-failed` slows to a quarter of their rate. Their queues and marking thresholds are a
//! quarter, too; the base RTT stays that of full-rate links.

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, Rate};
use toml::{Table, Value};

use super::{Experiment, MAX_PACKETS};

/// `-failed` divides the rate of a link by this number.
const PART: u64 = 4;

impl Experiment<'_> {
    /// The largest BDP in packets, rounded up.
    fn bdp_packets(&self) -> Result<u64, Diagnostic> {
        let packet = self.rate.transmission_time(Bytes::new(self.packet));
        Ok(self.largest_base_rtt()?.as_ps().div_ceil(packet.as_ps()))
    }

    /// The queue of a port in BDPs at its own rate, so that slowed ports have shorter queues. Ports
    /// of the program hold whole packets, including the one that is leaving. Here only waiting
    /// packets count: one packet less, and half a packet less again, so that rounding cannot admit
    /// one more.
    pub(super) fn queue_in_bdps(&mut self) -> Result<Value, Diagnostic> {
        let factor = "-queue_size_bdp_factor";
        let packets = match self.line.number("-q", 2..=MAX_PACKETS)? {
            Some(packets) => {
                self.used("-q", "network.drop.queue_limit, in BDPs");
                self.unused(factor, "-q says how long queues are");
                packets
            }
            None => {
                let by_itself = if self.line.has("-disable_trim") { 5 } else { 1 };
                let given = self
                    .line
                    .number(factor, 0..=1_000)?
                    .filter(|count| *count > 0);
                self.used(factor, "network.drop.queue_limit");
                self.bdp_packets()? * given.unwrap_or(by_itself)
            }
        };
        let packet = self.rate.transmission_time(Bytes::new(self.packet));
        let waiting = (packets as f64 - 1.5) * packet.as_ps() as f64;
        let share = waiting / self.largest_base_rtt()?.as_ps() as f64;
        Ok(format!("{share:.6}bdp").into())
    }

    /// A marking curve for each rate: from `low` to `high` packets, or from 0.2 to 0.8 of the
    /// largest BDP, without the packet that is leaving.
    pub(super) fn marks_by_rate(&self, given: Option<(u64, u64)>) -> Result<Value, Diagnostic> {
        let bdp = self.bdp_packets()?;
        let (low, high) = given.unwrap_or(((bdp * 2).div_ceil(10), (bdp * 8).div_ceil(10)));
        let curve = |part: u64| {
            let waiting = |packets: u64| {
                let bytes = (packets * self.packet / part).saturating_sub(self.packet);
                Value::from(Bytes::new(bytes).to_string())
            };
            let rate = Rate::from_bps(self.rate.as_bps() / part);
            Table::from_iter([
                ("link_rate".to_owned(), rate.to_string().into()),
                ("k_min".to_owned(), waiting(low)),
                ("k_max".to_owned(), waiting(high)),
                ("p_max".to_owned(), 1.0.into()),
            ])
        };
        Ok(Value::Array(vec![curve(1).into(), curve(PART).into()]))
    }
}
