//! Groups of ranks, as SimAI forms them from the sizes in the first line (`MockNcclGroup.cc`).
//!
//! ```text
//! t = model_parallel_NPU_group, e = ep, n ranks
//! TP      t consecutive ranks
//! DP      n/t ranks: every t-th
//! EP      e ranks: every t-th, the same place in e consecutive TP groups
//! DP_EP   n/(t·e) ranks: every t·e-th
//! ```

/// The kind of parallelism of a group.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum GroupKind {
    /// Tensor parallelism.
    Tp,
    /// Data parallelism.
    Dp,
    /// Expert parallelism.
    Ep,
    /// Data parallelism of experts.
    DpEp,
}

/// The sizes of groups.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct GroupSizes {
    pub(super) ranks: u32,
    pub(super) tensor: u32,
    /// The size of expert parallelism, if the file gives it.
    pub(super) expert: Option<u32>,
}

impl GroupSizes {
    /// Number of ranks in a group.
    pub(super) fn size(&self, kind: GroupKind) -> u32 {
        let stride = self.stride(kind);
        match kind {
            GroupKind::Tp => self.tensor,
            GroupKind::Ep => self.experts(),
            GroupKind::Dp | GroupKind::DpEp => self.ranks / stride,
        }
    }

    /// The difference between consecutive ranks of a group.
    fn stride(&self, kind: GroupKind) -> u32 {
        match kind {
            GroupKind::Tp => 1,
            GroupKind::Dp | GroupKind::Ep => self.tensor,
            GroupKind::DpEp => self.tensor * self.experts(),
        }
    }

    fn experts(&self) -> u32 {
        self.expert.unwrap_or(1)
    }

    /// The ranks of each group; every rank is in exactly one group.
    pub(super) fn groups(&self, kind: GroupKind) -> impl Iterator<Item = Vec<u32>> {
        let (size, stride) = (self.size(kind), self.stride(kind));
        let ranks = 0..self.ranks;
        let first = ranks.filter(move |rank| rank / stride % size == 0);
        first.map(move |first| (0..size).map(|place| first + place * stride).collect())
    }
}
