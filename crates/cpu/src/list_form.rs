//! How kernels find the lists of an adjacency. Every kernel is compiled for one form.

use gw_graph::derived::CsrM;
use gw_graph::{Adjacency, Offsets};

/// What tells where lists begin and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ListForm {
    /// Positions are 64 bits wide, else 32.
    pub(crate) wide: bool,
    /// Every list has a beginning and an end of its own, else it ends where the next one begins.
    pub(crate) pairs: bool,
}

impl ListForm {
    /// Offsets of compressed rows with fewer than 2^32 edges.
    pub(crate) const NARROW: ListForm = ListForm { wide: false, pairs: false };

    /// The form in which an adjacency is read.
    pub(crate) fn of(adjacency: &Adjacency) -> ListForm {
        match adjacency.spans() {
            Some(spans) => ListForm { wide: matches!(spans.ranges(), CsrM::Wide(_)), pairs: true },
            None => ListForm::of_offsets(adjacency.offsets()),
        }
    }

    /// The form of offsets.
    pub(crate) fn of_offsets(offsets: &Offsets) -> ListForm {
        ListForm { wide: matches!(offsets, Offsets::Wide(_)), pairs: false }
    }

    /// The logarithm of the bytes from one list to the next.
    pub(crate) fn shift(self) -> u32 {
        2 + u32::from(self.wide) + u32::from(self.pairs)
    }

    /// The form as helpers of kernels are told it: [`ListForm::of_word`].
    pub(crate) fn word(self) -> u32 {
        u32::from(self.wide) | u32::from(self.pairs) << 1
    }

    /// The form that a word tells.
    pub(crate) fn of_word(word: u32) -> ListForm {
        ListForm { wide: word & 1 != 0, pairs: word & 2 != 0 }
    }
}

/// The address of pairs.
pub(crate) fn pairs_address(pairs: &CsrM) -> u64 {
    match pairs {
        CsrM::Narrow(pairs) => pairs.as_ptr() as u64,
        CsrM::Wide(pairs) => pairs.as_ptr() as u64,
    }
}

/// The address of offsets.
pub(crate) fn offsets_address(offsets: &Offsets) -> u64 {
    match offsets {
        Offsets::Narrow(o) => o.as_ptr() as u64,
        Offsets::Wide(o) => o.as_ptr() as u64,
    }
}
