//! `[network.drop]`: which packets a full queue drops, or trims.

use incast_diagnostic::{Diagnostic, Placed};
use incast_net::{Contention, DropConfig, HeaderService, PortBufferConfig, TrimmingConfig};
use incast_units::{Bytes, OneOf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filled_in;
use super::queue_limit::{Bdp, QueueLimit};
use crate::spec::profile::{DropChoices, HeaderQueueSize};

/// Admission of packets to queues, where packets may be dropped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Drop")]
pub(crate) struct DropSection {
    /// Whether the ports of a switch share its buffer, or have a buffer each. Default: shared; with
    /// trimming, and under profile `uet-htsim`, per-port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sharing: Option<Sharing>,
    /// The most that an egress queue may hold with a shared buffer, as a multiple of the free
    /// buffer (dynamic threshold). Default: 1.
    #[schemars(range(min = 0.001, max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) alpha: Option<f64>,
    /// The most that an egress queue may hold in any case. Default: the whole buffer; of a port
    /// with a buffer of its own 5 BDPs, with trimming 1 BDP. Under profile `uet-htsim` a BDP is
    /// that of a NIC in full packets. One of these packets is the departing one, which does not
    /// wait.
    pub(crate) queue_limit: Option<QueueLimit>,
    /// The queue limit at ports that lead to hosts, if each port has a buffer of its own. Default:
    /// `queue_limit`; without that key 1.5 BDPs with trimming, under profile `uet-htsim` 1 BDP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_hop_queue_limit: Option<QueueLimit>,
    /// The packet that is dropped or trimmed when a packet finds its queue full. Random: one of the
    /// packets that asked for the last place. Tail: the arriving packet. Coin: by chance the
    /// arriving packet or the last one of the queue. `default`: random; `hpcc-ns3`: tail; with
    /// trimming: tail; `uet-htsim`: coin.
    pub(crate) contention: Option<Contention>,
    /// Trimming: a packet without room loses only its payload, and its header goes on. Default:
    /// `"off"`; under profile `uet-htsim` on, unless ports share a buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trimming: Option<OneOf<TrimmingOff, TrimmingSection>>,
}

/// No trimming.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TrimmingOff {
    /// Packets without room are dropped.
    Off,
}

/// Which ports share a buffer.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Sharing {
    /// All ports share the buffer of their switch.
    #[default]
    Shared,
    /// Each port has a buffer of its own; `network.buffer` has no effect.
    PerPort,
}

/// Trimming of packets that find no room.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Trimming")]
pub(crate) struct TrimmingSection {
    /// The size of a trimmed packet on the wire, at least 24 B.
    #[schemars(extend("default" = "64B"))]
    pub(crate) header: Option<Bytes>,
    /// The limit of the header queue; headers beyond it are dropped. Default under profile
    /// `uet-htsim`: twice the limit of the data queue.
    #[schemars(extend("default" = "1bdp"))]
    pub(crate) header_queue: Option<QueueLimit>,
    /// How a port divides its rate between headers and data. With `strict`, the default of profile
    /// `uet-htsim`, headers always leave first.
    #[schemars(extend("default" = "25%"))]
    pub(crate) service: Option<HeaderService>,
}

/// The smallest header of Ultra Ethernet over UDP (Specification 1.0, table 4-1).
const MIN_HEADER: Bytes = Bytes::new(24);

impl DropSection {
    /// The section with defaults: the profile's choices, and the usual limits of such buffers.
    /// `packet`: the size of a full packet.
    pub(crate) fn with_defaults(
        mut self,
        choices: &DropChoices,
        buffer_size: Bytes,
        packet: Bytes,
    ) -> Self {
        let has_ports = self.sharing == Some(Sharing::PerPort)
            || (self.sharing.is_none() && (choices.trims || self.trims()));
        if choices.trims && has_ports {
            let trimming = TrimmingSection::default();
            self.trimming.get_or_insert(OneOf::Nested(trimming));
        }
        let contention = match self.trims() {
            true => choices.contention_of_trimming,
            false => choices.contention,
        };
        let with_contention = Self {
            contention: self.contention.or(Some(contention)),
            ..self
        };
        match has_ports {
            true => with_contention.of_ports(choices, packet),
            false => Self {
                alpha: with_contention.alpha.or(Some(1.0)),
                queue_limit: with_contention
                    .queue_limit
                    .or(Some(QueueLimit::Size(buffer_size))),
                ..with_contention
            },
        }
    }

    /// Whether packets are trimmed.
    pub(crate) fn trims(&self) -> bool {
        matches!(self.trimming, Some(OneOf::Nested(_)))
    }

    /// The section with limits for ports that have buffers of their own. The Ultra Ethernet
    /// Specification 1.0 recommends them (3.6.17), except for the choices of the profile.
    fn of_ports(self, choices: &DropChoices, packet: Bytes) -> Self {
        let [limit, last_hop] = match self.trims() {
            true => [1.0, choices.trimming_last_hop_bdps],
            false => [5.0, 5.0],
        };
        let last_hop = self.queue_limit.unwrap_or(QueueLimit::Bdps(last_hop));
        let limit = self.queue_limit.unwrap_or(QueueLimit::Bdps(limit));
        let trimming = self.trimming.map(|trimming| match trimming {
            OneOf::Plain(off) => OneOf::Plain(off),
            OneOf::Nested(on) => OneOf::Nested(on.with_defaults(choices, limit, packet)),
        });
        Self {
            sharing: Some(Sharing::PerPort),
            last_hop_queue_limit: self.last_hop_queue_limit.or(Some(last_hop)),
            queue_limit: Some(limit),
            trimming,
            ..self
        }
    }

    /// The admission policy of the run.
    ///
    /// # Errors
    /// If a value is out of range, or a key has no effect beside the others.
    pub(crate) fn build(&self, bdp: &Bdp) -> Result<DropConfig, Diagnostic> {
        match self.sharing {
            Some(Sharing::PerPort) => self.build_of_ports(bdp).map(DropConfig::PerPort),
            Some(Sharing::Shared) | None => self.build_shared(),
        }
    }

    fn build_shared(&self) -> Result<DropConfig, Diagnostic> {
        let wrong = |key: &str, what: &str, hint: &str| {
            Err(Diagnostic::new(what, hint).at(format!("network.drop.{key}")))
        };
        if self.trims() {
            let what = "switches that trim have a buffer for each port";
            let hint = "write \"per-port\", or leave it out";
            return wrong("sharing", what, hint);
        }
        if self.last_hop_queue_limit.is_some() {
            let what = "ports that share a buffer have one limit";
            let hint = "remove it, or write network.drop.sharing = \"per-port\"";
            return wrong("last_hop_queue_limit", what, hint);
        }
        let alpha = filled_in(self.alpha);
        if !(0.001..=1024.0).contains(&alpha) {
            let what = format!("`{alpha}` is out of range");
            let hint = "write 0.001 to 1024; 1 lets one queue take half of the buffer";
            return wrong("alpha", &what, hint);
        }
        match filled_in(self.queue_limit) {
            QueueLimit::Size(queue_limit) => Ok(DropConfig::Shared { alpha, queue_limit }),
            QueueLimit::Bdps(_) => {
                let what = "a BDP is that of a port, and ports share their buffer";
                let hint = "write a size, or network.drop.sharing = \"per-port\"";
                wrong("queue_limit", what, hint)
            }
        }
    }

    fn build_of_ports(&self, bdp: &Bdp) -> Result<PortBufferConfig, Diagnostic> {
        if self.alpha.is_some() {
            let what = "has no effect where each port has a buffer of its own";
            let hint = "remove it, or write network.drop.sharing = \"shared\"";
            return Err(Diagnostic::new(what, hint).at("network.drop.alpha"));
        }
        let of_ports = |limit: Option<QueueLimit>| bdp.of_data(filled_in(limit));
        let trimming = match &self.trimming {
            Some(OneOf::Nested(trimming)) => trimming.build(bdp).map(Some),
            Some(OneOf::Plain(TrimmingOff::Off)) | None => Ok(None),
        };
        Ok(PortBufferConfig {
            queue_limit: of_ports(self.queue_limit),
            last_hop_queue_limit: of_ports(self.last_hop_queue_limit),
            trimming: trimming.at("network.drop.trimming")?,
        })
    }
}

impl TrimmingSection {
    /// The section with the header size of uet-htsim, and with the profile's header queue beside
    /// data queues of limit `data`.
    fn with_defaults(self, choices: &DropChoices, data: QueueLimit, packet: Bytes) -> Self {
        let header_queue = match (choices.header_queue, data) {
            (HeaderQueueSize::OneBdp, _) => QueueLimit::Bdps(1.0),
            (HeaderQueueSize::TwiceData, QueueLimit::Bdps(count)) => QueueLimit::Bdps(2.0 * count),
            (HeaderQueueSize::TwiceData, QueueLimit::Size(size)) => {
                QueueLimit::Size((size + packet) * 2)
            }
        };
        Self {
            header: self.header.or(Some(Bytes::new(64))),
            header_queue: self.header_queue.or(Some(header_queue)),
            service: self.service.or(Some(choices.header_service)),
        }
    }

    fn build(&self, bdp: &Bdp) -> Result<TrimmingConfig, Diagnostic> {
        let header = filled_in(self.header);
        if header < MIN_HEADER {
            let what = format!("{header} is less than the headers that route a packet");
            let hint = format!("write at least \"{MIN_HEADER}\", e.g. \"64B\"");
            return Err(Diagnostic::new(what, hint).at("header"));
        }
        let queue = filled_in(self.header_queue);
        if let QueueLimit::Size(size) = queue
            && size < header
        {
            let what = format!("a queue of {size} holds no header of {header}");
            let hint = format!("write at least \"{header}\", or e.g. \"1bdp\"");
            return Err(Diagnostic::new(what, hint).at("header_queue"));
        }
        Ok(TrimmingConfig {
            header,
            header_queue: bdp.of_headers(queue),
            service: filled_in(self.service),
        })
    }
}
