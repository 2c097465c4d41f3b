//! How many members of the team share a step.
//!
//! A step that is shared costs the caller two or three microseconds before anybody helps, and every further member adds
//! to it: each must see the step, enter, look for chunks and leave. So a member is asked only for as much work as takes
//! longer than that. Steps of deep graphs are small; they stay on the calling thread, or on a few.

use crate::team::Help;
use crate::tuning::{ALONE_ATOMIC, JOINED_MEMBERS, MEMBER_EDGES, MEMBER_VERTICES};

/// Who takes part in a step beside the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hands {
    /// Whether the others are woken and waited for.
    pub(crate) help: Help,
    /// The number of members, the caller included: at least two.
    pub(crate) members: usize,
}

/// How work is shared out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sharing {
    /// Edges that are worth a member.
    pub(crate) member_edges: usize,
    /// Where two members write to the same entries, fewer edges than this are done alone.
    pub(crate) alone_atomic: usize,
    /// Vertices that are worth a member.
    pub(crate) member_vertices: usize,
    /// For this many times more work than is worth two members, members who sleep are woken.
    pub(crate) worth_waking: usize,
    /// A chunk has at least this many vertices.
    pub(crate) least_chunk: usize,
    /// A team of at least this size carries out a pull and the vertex operator behind it in one pass.
    pub(crate) joined_members: usize,
}

impl Sharing {
    /// What measures best.
    pub(crate) const USUAL: Sharing = Sharing {
        member_edges: MEMBER_EDGES,
        alone_atomic: ALONE_ATOMIC,
        member_vertices: MEMBER_VERTICES,
        worth_waking: 64,
        least_chunk: 64,
        joined_members: JOINED_MEMBERS,
    };
    /// Everything is shared, in chunks as small as can be: brings races to light.
    pub(crate) const TINY: Sharing = Sharing {
        member_edges: 0,
        alone_atomic: 0,
        member_vertices: 0,
        worth_waking: 0,
        least_chunk: 1,
        joined_members: 0,
    };

    /// Who shares so much work in a team of `size`, when `each` is worth a member; `None` leaves it to the caller.
    pub(crate) fn hands(&self, work: usize, each: usize, size: usize) -> Option<Hands> {
        let members = work.checked_div(each).unwrap_or(size).min(size);
        let help = if work < 2 * each * self.worth_waking { Help::Awake } else { Help::Anyone };
        (members >= 2).then_some(Hands { help, members })
    }

    /// The same for edges whose writes need atomics or not. Two members with atomics are hardly faster than one
    /// without.
    pub(crate) fn hands_for_edges(&self, edges: usize, size: usize, atomics: bool) -> Option<Hands> {
        let hands = self.hands(edges, self.member_edges, size)?;
        let in_vain = atomics && hands.members == 2 && edges < self.alone_atomic;
        (!in_vain).then_some(hands)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_steps_stay_on_few_members() {
        let members = |edges: usize, size: usize, atomics: bool| {
            Sharing::USUAL.hands_for_edges(edges, size, atomics).map_or(1, |hands| hands.members)
        };
        // A level of a road network: 500 vertices with 4 edges each.
        assert_eq!((members(2_000, 2, true), members(2_000, 16, true)), (1, 2_000 / MEMBER_EDGES));
        assert_eq!((members(100, 16, true), members(100, 16, false)), (1, 1));
        assert_eq!((members(1 << 20, 2, true), members(1 << 20, 16, true)), (2, 16));
        // More threads never mean fewer members.
        for edges in (0..20).map(|shift| 1 << shift) {
            for atomics in [false, true] {
                let sizes: Vec<usize> = (1..=16).map(|size| members(edges, size, atomics)).collect();
                assert!(sizes.is_sorted(), "{edges} edges: {sizes:?}");
            }
        }
    }

    #[test]
    fn tests_share_everything() {
        assert_eq!(Sharing::TINY.hands_for_edges(1, 3, true), Some(Hands { help: Help::Anyone, members: 3 }));
        assert_eq!(Sharing::TINY.hands(0, 0, 1), None);
    }
}
