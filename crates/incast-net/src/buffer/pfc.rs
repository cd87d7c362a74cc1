//! PFC (IEEE 802.1Qbb): thresholds, headroom, and the accounts of ingress ports.
//!
//! The buffer is accounted per ingress port and lane. Each account has a reserve, a share of the
//! common part with dynamic thresholds, and headroom for packets that arrive after a pause was
//! decided. `switch-mmu` of HPCC's ns-3 artifact does the same.

mod headroom;
mod threshold;

use incast_diagnostic::Diagnostic;
use incast_engine::CheckedIndex;
use incast_units::{Bytes, NodeId, Rate, Time};

use crate::buffer::{Admission, BufferConfig};
use crate::clock::Clock;
use crate::diagnostics;
use crate::violation::OverflowCause;
use crate::wire::PacketSizes;
use crate::wire::{Address, Kind, Lane, NOWHERE, Packet};

pub use self::headroom::{Headroom, IngressLink};
pub use self::threshold::PfcThreshold;

/// Priority flow control (IEEE 802.1Qbb) over a shared buffer with dynamic thresholds.
#[derive(Clone, Debug, PartialEq)]
pub struct PfcConfig {
    /// When an ingress port is paused.
    pub threshold: PfcThreshold,
    /// A paused port resumes when it holds this much less than its threshold.
    pub resume_offset: Bytes,
    /// Buffer kept for packets that arrive after a pause was decided.
    pub headroom: Headroom,
}

impl PfcConfig {
    /// Total headroom and reserve of ports with these links, in bytes.
    pub fn kept(
        &self,
        links: impl IntoIterator<Item = IngressLink>,
        buffer: &BufferConfig,
        packets: &PacketSizes,
        clock: Clock,
    ) -> Bytes {
        let headrooms = links
            .into_iter()
            .map(|link| self.headroom.of(&link, packets, clock));
        headrooms.map(|headroom| headroom + buffer.reserve).sum()
    }
}

/// A PFC frame of this kind for a lane, addressed to the peer of a port.
pub(crate) fn frame<const WORDS: usize>(kind: Kind, lane: Lane, size: u16) -> Packet<WORDS> {
    let mut frame = Packet::new(kind, size).in_lane(lane);
    frame.address = Address::new(0, NOWHERE, 0);
    frame
}

/// Ingress accounting of a lossless switch.
#[derive(Clone, Debug)]
pub(crate) struct PfcBuffer<const LANES: usize = { Lane::COUNT }> {
    /// Shared part, headrooms and reserves excluded.
    shared: u64,
    shared_used: u64,
    reserve: u64,
    resume_offset: u64,
    threshold: PfcThreshold,
    /// Accounts of all ports for the first lane, then of all ports for the next lane.
    accounts: Vec<Ingress>,
    /// Of their shifts.
    largest_shift: u32,
    /// Number of paused accounts.
    paused: u32,
    /// By port: the headroom that suffices in the worst case, in bytes.
    worst_cases: Vec<u64>,
}

/// The index of an account: one ingress port and one lane.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account(usize);

/// One lane of an ingress port.
#[derive(Clone, Debug)]
struct Ingress {
    /// Bytes in reserve and shared buffer.
    bytes: u64,
    /// Bytes in headroom.
    headroom_used: u64,
    headroom: u64,
    /// Dynamic threshold: free shared buffer shifted right by this.
    shift: u32,
    /// Time at which a pause of the peer was decided; `None`: the peer is not paused.
    paused_since: Option<Time>,
    /// Whether a pause has waited behind several other PFC frames.
    pause_has_waited: bool,
    /// Size of the smallest packet that arrived while headroom was in use, in bytes.
    smallest: u64,
}

impl Ingress {
    /// Takes bytes out of the headroom; returns the bytes of the packet that are not in the
    /// headroom.
    fn release_headroom(&mut self, size: u64) -> u64 {
        let from_headroom = self.headroom_used.min(size);
        self.headroom_used -= from_headroom;
        size - from_headroom
    }
}

/// The facts of a port of a lossless switch.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PortFacts {
    pub(crate) link: IngressLink,
    pub(crate) nic_rate: Rate,
}

impl<const LANES: usize> PfcBuffer<LANES> {
    /// # Errors
    /// If headrooms and reserves leave nothing to share.
    pub(crate) fn new(
        node: NodeId,
        buffer: &BufferConfig,
        pfc: &PfcConfig,
        packets: &PacketSizes,
        clock: Clock,
        ports: &[PortFacts],
    ) -> Result<Self, Diagnostic> {
        let headroom =
            |rule: &Headroom, port: &PortFacts| rule.of(&port.link, packets, clock).as_u64();
        let ingress = |port: &PortFacts| Ingress {
            bytes: 0,
            headroom_used: 0,
            headroom: headroom(&pfc.headroom, port),
            shift: shift(&pfc.threshold, port),
            paused_since: None,
            pause_has_waited: false,
            smallest: u64::MAX,
        };
        let accounts = Lane::first(LANES).flat_map(|_| ports.iter().map(ingress));
        let accounts: Vec<_> = accounts.collect();
        let links = ports.iter().map(|port| port.link);
        let kept = pfc.kept(links, buffer, packets, clock) * LANES as u64;
        if kept >= buffer.size {
            return Err(diagnostics::buffer_too_small(node, buffer.size, kept));
        }
        let shared = (buffer.size - kept).as_u64();
        Ok(Self {
            shared,
            shared_used: 0,
            reserve: buffer.reserve.as_u64(),
            resume_offset: pfc.resume_offset.as_u64(),
            threshold: pfc.threshold.clone(),
            largest_shift: accounts.iter().map(|each| each.shift).max().unwrap_or(0),
            accounts,
            paused: 0,
            worst_cases: ports
                .iter()
                .map(|port| headroom(&Headroom::WorstCase, port))
                .collect(),
        })
    }

    /// The account of a lane of an ingress port.
    #[inline(always)]
    pub(crate) fn account(&self, port: usize, lane: Lane) -> Account {
        Account(lane.place_among::<LANES>() * self.worst_cases.len() + port)
    }

    /// Whether an account that is not paused stays below its pause threshold when a packet comes
    /// in. If so, this also holds for a less full buffer.
    #[inline(always)]
    pub(crate) fn fits_below_threshold(&self, account: Account, size: u64) -> bool {
        let ingress = self.accounts.at(account.0);
        let total = ingress.bytes + size;
        // Headroom is in use only while the account is paused.
        ingress.paused_since.is_none()
            && (total <= self.reserve || self.fits_shared(ingress, total, size))
    }

    /// Whether a packet that takes the account to `total` bytes above its reserve keeps the account
    /// below the threshold.
    fn fits_shared(&self, ingress: &Ingress, total: u64, size: u64) -> bool {
        let used = total - self.reserve;
        let taken = self.shared_used + size.min(used);
        taken <= self.shared
            && match self.threshold {
                PfcThreshold::Dynamic { .. } => used < (self.shared - taken) >> ingress.shift,
                PfcThreshold::Static(bytes) => used < bytes.as_u64() && taken < self.shared,
            }
    }

    /// Whether no account is paused, and none reaches its threshold when `arriving` bytes come in
    /// at these ports and none leave. `all`: sum of these bytes. The answer holds for any order and
    /// lanes.
    #[inline]
    pub(crate) fn all_fit_below_threshold(
        &self,
        all: u64,
        mut arriving: impl Iterator<Item = (usize, u64)>,
    ) -> bool {
        let taken = self.shared_used + all;
        if self.paused > 0 || taken >= self.shared {
            return false;
        }
        let free = self.shared - taken;
        let threshold = |shift| match self.threshold {
            PfcThreshold::Dynamic { .. } => free >> shift,
            PfcThreshold::Static(bytes) => bytes.as_u64(),
        };
        // No account uses more of the shared part than all accounts together.
        if taken < threshold(self.largest_shift) {
            return true;
        }
        arriving.all(|(port, bytes)| {
            Lane::first(LANES).all(|lane| {
                let ingress = self.accounts.at(self.account(port, lane).0);
                let used = (ingress.bytes + bytes).saturating_sub(self.reserve);
                used == 0 || used < threshold(ingress.shift)
            })
        })
    }

    /// Accounts a packet that [fits below the threshold](Self::fits_below_threshold).
    #[inline(always)]
    pub(crate) fn charge(&mut self, account: Account, size: u64) {
        let ingress = self.accounts.at_mut(account.0);
        ingress.bytes += size;
        self.shared_used += size.min(ingress.bytes.saturating_sub(self.reserve));
    }

    /// Whether any account is paused.
    #[inline]
    pub(crate) fn pauses_peers(&self) -> bool {
        self.paused > 0
    }

    /// Whether the peer is told to pause this lane.
    pub(crate) fn pauses(&self, account: Account) -> bool {
        self.pauses_since(account).is_some()
    }

    /// Decides about a packet of an account, and charges the account if the packet is stored.
    pub(crate) fn admit(&mut self, account: Account, size: u64) -> Admission {
        let ingress = self.accounts.at_mut(account.0);
        let total = ingress.bytes + size;
        if total <= self.reserve {
            ingress.bytes = total;
            return Admission::Stored;
        }
        let threshold = self.threshold(account);
        let ingress = self.accounts.at_mut(account.0);
        if total - self.reserve > threshold {
            if ingress.headroom_used + size > ingress.headroom {
                return Admission::Refused;
            }
            ingress.headroom_used += size;
            ingress.smallest = ingress.smallest.min(size);
        } else {
            ingress.bytes = total;
            self.shared_used += size.min(total - self.reserve);
        }
        Admission::Stored
    }

    /// Releases the bytes of a packet that leaves: from the headroom first, then from the shared
    /// part, then from the reserve.
    #[inline(always)]
    pub(crate) fn release(&mut self, account: Account, size: u64) {
        let ingress = self.accounts.at_mut(account.0);
        // Headroom is in use only while the account is paused.
        let rest = match ingress.paused_since {
            Some(_) => ingress.release_headroom(size),
            None => size,
        };
        let from_shared = rest.min(ingress.bytes.saturating_sub(self.reserve));
        ingress.bytes -= rest;
        self.shared_used -= from_shared;
    }

    /// Time since which the peer is paused on this lane; `None`: it is not.
    pub(crate) fn pauses_since(&self, account: Account) -> Option<Time> {
        self.accounts[account.0].paused_since
    }

    /// Pauses an account that has reached its threshold; `true` if it was not paused before.
    pub(crate) fn update_pause(&mut self, account: Account, now: Time) -> bool {
        let pauses = !self.pauses(account) && self.should_pause(account);
        if pauses {
            self.accounts[account.0].paused_since = Some(now);
            self.paused += 1;
        }
        pauses
    }

    /// Resumes a paused account that is far enough below its threshold; `true` if it resumes.
    pub(crate) fn update_resume(&mut self, account: Account) -> bool {
        let resumes = self.pauses(account) && self.should_resume(account);
        if resumes {
            self.accounts[account.0].paused_since = None;
            self.paused -= 1;
        }
        resumes
    }

    fn should_pause(&self, account: Account) -> bool {
        let ingress = &self.accounts[account.0];
        let used = ingress.bytes.saturating_sub(self.reserve);
        let at_threshold = ingress.bytes > self.reserve && used >= self.threshold(account);
        ingress.headroom_used > 0 || at_threshold
    }

    fn should_resume(&self, account: Account) -> bool {
        let ingress = &self.accounts[account.0];
        let used = ingress.bytes.saturating_sub(self.reserve);
        let below = used == 0 || used + self.resume_offset <= self.threshold(account);
        ingress.headroom_used == 0 && below
    }

    /// The pause threshold of an account, in bytes of the shared part. A static threshold is capped
    /// at the account's bytes there plus the free bytes.
    #[inline]
    fn threshold(&self, account: Account) -> u64 {
        let free = self.shared - self.shared_used;
        let ingress = &self.accounts[account.0];
        match self.threshold {
            PfcThreshold::Dynamic { .. } => free >> ingress.shift,
            PfcThreshold::Static(bytes) => {
                let used = ingress.bytes.saturating_sub(self.reserve);
                bytes.as_u64().min(used + free)
            }
        }
    }

    /// Notes that a pause of this lane waits behind several other PFC frames.
    pub(crate) fn note_waiting_pause(&mut self, account: Account) {
        self.accounts[account.0].pause_has_waited = true;
    }

    /// Why a packet of this account found no room. `takes_no_time` says whether the link transmits
    /// a packet of this size in zero time.
    pub(crate) fn cause_of_loss(
        &self,
        account: Account,
        acks_ignore_pauses: bool,
        takes_no_time: impl Fn(u64) -> bool,
    ) -> OverflowCause {
        let ingress = &self.accounts[account.0];
        let headroom = Bytes::new(ingress.headroom);
        let worst_case = Bytes::new(self.worst_cases[account.0 % self.worst_cases.len()]);
        if headroom < worst_case {
            OverflowCause::HeadroomTooSmall {
                headroom,
                worst_case,
            }
        } else if acks_ignore_pauses {
            OverflowCause::AcksNotPaused
        } else if ingress.pause_has_waited {
            OverflowCause::PausesWaited
        } else if takes_no_time(ingress.smallest) {
            OverflowCause::NoTimeOnLink
        } else {
            OverflowCause::Unknown
        }
    }

    /// Bytes in the buffer, and number of paused accounts: both zero in an empty network.
    pub(crate) fn left_over(&self) -> (u64, usize) {
        let bytes = self
            .accounts
            .iter()
            .map(|each| each.bytes + each.headroom_used)
            .sum();
        let paused = self
            .accounts
            .iter()
            .filter(|each| each.paused_since.is_some());
        (bytes, paused.count())
    }
}

fn shift(threshold: &PfcThreshold, port: &PortFacts) -> u32 {
    let PfcThreshold::Dynamic { shift } = threshold else {
        return 0;
    };
    let (mut shift, mut rate) = (*shift, port.link.rate.as_bps());
    while rate > port.nic_rate.as_bps() && shift > 0 {
        shift -= 1;
        rate /= 2;
    }
    shift
}

#[cfg(test)]
mod tests;
