//! Windows and their steps in scenarios: in packets, in bytes, as the rate that fills the window,
//! or as the BDP of the network.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, Rate, from_text};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::FlowContext;

/// A window, or a change of a window.
///
/// ```
/// use incast_cc::Window;
///
/// assert_eq!("0.5 packets".parse(), Ok(Window::Packets(0.5)));
/// assert_eq!(Window::Bdp.to_string(), "bdp");
/// assert_eq!(
///     "12".parse::<Window>().unwrap_err().to_string(),
///     "`12` has no unit; write e.g. `12 packets`, `50KB`, `50Mbps` or `bdp`"
/// );
/// ```
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Window {
    /// The BDP: line rate times base RTT.
    Bdp,
    /// This number of full packets, which may be a fraction.
    Packets(f64),
    /// This many bytes of payload.
    Size(Bytes),
    /// The bytes in flight at this rate: the rate times the base RTT.
    Rate(Rate),
}

impl Window {
    /// The window of this flow in bytes of payload.
    pub fn in_bytes(self, context: &FlowContext) -> f64 {
        match self {
            Self::Bdp => context.base_window.as_u64() as f64,
            Self::Packets(packets) => packets * context.mtu.as_u64() as f64,
            Self::Size(size) => size.as_u64() as f64,
            Self::Rate(rate) => {
                const BIT_PS: f64 = 8e12;
                rate.as_bps() as f64 * context.base_rtt.as_ps() as f64 / BIT_PS
            }
        }
    }

    /// The rate that fills the window of this flow.
    pub(crate) fn as_rate(self, context: &FlowContext) -> Rate {
        match self {
            Self::Rate(rate) => rate,
            _ => {
                let bits = self.in_bytes(context) * 8.0;
                Rate::from_bps((bits / context.base_rtt.as_secs_f64()) as u64)
            }
        }
    }
}

impl FromStr for Window {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let trimmed = text.trim();
        if trimmed == "bdp" {
            return Ok(Self::Bdp);
        }
        let stem = trimmed.strip_suffix('s').unwrap_or(trimmed);
        if let Some(number) = stem.strip_suffix("packet") {
            let packets = number.trim_end().parse::<f64>().ok();
            let packets = packets.filter(|packets| packets.is_finite() && *packets >= 0.0);
            return match packets {
                Some(packets) => Ok(Self::Packets(packets)),
                None => Err(not_a_window(text)),
            };
        }
        if trimmed.parse::<f64>().is_ok() {
            return Err(without_unit(trimmed));
        }
        match (trimmed.parse::<Bytes>(), trimmed.parse::<Rate>()) {
            (Ok(size), _) => Ok(Self::Size(size)),
            (_, Ok(rate)) => Ok(Self::Rate(rate)),
            _ => Err(not_a_window(text)),
        }
    }
}

fn without_unit(number: &str) -> Diagnostic {
    let hint = format!("write e.g. `{number} packets`, `50KB`, `50Mbps` or `bdp`");
    Diagnostic::new(format!("`{number}` has no unit"), hint)
}

fn not_a_window(text: &str) -> Diagnostic {
    let hint = "write e.g. `12 packets`, `50KB`, `50Mbps` or `bdp`";
    Diagnostic::new(format!("`{text}` is not a window"), hint)
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bdp => f.write_str("bdp"),
            Self::Packets(1.0) => f.write_str("1 packet"),
            Self::Packets(packets) => write!(f, "{packets} packets"),
            Self::Size(size) => size.fmt(f),
            Self::Rate(rate) => rate.fmt(f),
        }
    }
}

impl Serialize for Window {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Window {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(
            "a window as text, e.g. \"12 packets\", \"50KB\", \"50Mbps\" or \"bdp\"",
            deserializer,
        )
    }
}

impl JsonSchema for Window {
    fn schema_name() -> Cow<'static, str> {
        "Window".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (size, rate) = (
            generator.subschema_for::<Bytes>(),
            generator.subschema_for::<Rate>(),
        );
        json_schema!({
            "description": "A window: packets, bytes, the rate that fills it in a base RTT, or \
                            the BDP.",
            "anyOf": [
                { "type": "string", "pattern": r"^\s*([0-9]+(\.[0-9]+)?\s*packets?|bdp)\s*$" },
                size,
                rate,
            ],
            "examples": ["12 packets", "50KB", "50Mbps", "bdp"],
        })
    }
}

#[cfg(test)]
mod tests {
    use incast_units::Time;

    use super::*;

    #[test]
    fn windows_are_read_and_printed() {
        for (text, window, printed) in [
            ("bdp", Window::Bdp, "bdp"),
            (" 12 packets ", Window::Packets(12.0), "12 packets"),
            ("1packet", Window::Packets(1.0), "1 packet"),
            ("0.001 packets", Window::Packets(0.001), "0.001 packets"),
            ("50 KB", Window::Size(Bytes::new(50_000)), "50KB"),
            ("0.05Gbps", Window::Rate(Rate::from_mbps(50)), "50Mbps"),
        ] {
            assert_eq!(text.parse(), Ok(window), "{text}");
            assert_eq!(window.to_string(), printed);
            assert_eq!(printed.parse(), Ok(window));
        }
    }

    #[test]
    fn what_is_no_window_is_told_what_is() {
        let rest = "write e.g. `12 packets`, `50KB`, `50Mbps` or `bdp`";
        for text in [
            "",
            "packets",
            "-1 packets",
            "inf packets",
            "BDP",
            "3 us",
            "4Kb",
        ] {
            let error = text.parse::<Window>().unwrap_err().to_string();
            assert_eq!(error, format!("`{text}` is not a window; {rest}"));
        }
        let error = "0.5".parse::<Window>().unwrap_err().to_string();
        let expected = "`0.5` has no unit; write e.g. `0.5 packets`, `50KB`, `50Mbps` or `bdp`";
        assert_eq!(error, expected);
    }

    /// The schema's examples are windows, one of each kind.
    #[test]
    fn examples_of_the_schema_can_be_read() {
        let schema = schemars::schema_for!(Window).to_value();
        let examples = schema["examples"].as_array().expect("examples");
        let read = examples.iter().map(|text| {
            let text = text.as_str().expect("text");
            text.parse::<Window>().expect("a window")
        });
        let expected = [
            Window::Packets(12.0),
            Window::Size(Bytes::new(50_000)),
            Window::Rate(Rate::from_mbps(50)),
            Window::Bdp,
        ];
        assert_eq!(read.collect::<Vec<_>>(), expected);
        assert_eq!(schema["title"], "Window");
    }

    /// With a base RTT of 4.16 us: 50 Mb/s · 4.16 us / 8 = 26 B; 1 Gb/s gives 520 B.
    #[test]
    fn windows_in_bytes() {
        let context = FlowContext {
            flow: <_>::default(),
            line_rate: Rate::from_gbps(100),
            base_rtt: Time::from_ns(4_160),
            base_window: Bytes::new(52_000),
            mtu: Bytes::new(1_000),
            wire_mtu: Bytes::new(1_090),
            size: Bytes::new(1_000_000),
            trims: false,
            seed: 1,
        };
        for (window, bytes) in [
            (Window::Bdp, 52_000.0),
            (Window::Packets(0.5), 500.0),
            (Window::Size(Bytes::new(77)), 77.0),
            (Window::Rate(Rate::from_mbps(50)), 26.0),
            (Window::Rate(Rate::from_gbps(1)), 520.0),
        ] {
            assert_eq!(window.in_bytes(&context), bytes, "{window}");
        }
        // A rate stays itself to the last bit per second, which bytes would round away.
        let odd = Rate::from_bps(123_456_789);
        assert_eq!(Window::Rate(odd).as_rate(&context), odd);
        // 52 B · 8 / 4.16 us.
        for window in [Window::Rate(Rate::from_mbps(100)), Window::Packets(0.052)] {
            assert_eq!(window.as_rate(&context), Rate::from_mbps(100), "{window}");
        }
    }
}
