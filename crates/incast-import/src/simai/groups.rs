//! Groups of ranks, as SimAI makes them of the sizes in the first line (`MockNcclGroup.cc`).
//!
//! ```text
//! t = model_parallel_NPU_group, e = ep, n ranks
//! TP      t ranks, one after the other
//! DP      n/t ranks, every t-th
//! EP      e ranks, every t-th: the same place of e TP groups that follow each other
//! DP_EP   n/(t·e) ranks, every t·e-th
//! ```

/// What a group does together.
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
    /// The size of expert parallelism, where the file gives it.
    pub(super) expert: Option<u32>,
}

impl GroupSizes {
    /// How many ranks are in a group.
    pub(super) fn size(&self, kind: GroupKind) -> u32 {
        let stride = self.stride(kind);
        match kind {
            GroupKind::Tp => self.tensor,
            GroupKind::Ep => self.experts(),
            GroupKind::Dp | GroupKind::DpEp => self.ranks / stride,
        }
    }

    /// The distance from one rank of a group to the next.
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

    /// The ranks of each group; every rank is in one.
    pub(super) fn groups(&self, kind: GroupKind) -> impl Iterator<Item = Vec<u32>> {
        let (size, stride) = (self.size(kind), self.stride(kind));
        let ranks = 0..self.ranks;
        let first = ranks.filter(move |rank| rank / stride % size == 0);
        first.map(move |first| (0..size).map(|place| first + place * stride).collect())
    }
}
