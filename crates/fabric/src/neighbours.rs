//! A plan of who has how much for whom, kept for many exchanges: nobody need be told of lengths, and ranks that have
//! nothing for each other do not speak.

/// The ranks that a rank gives entries to and takes entries of, and how many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbours {
    /// Ranks and numbers of entries, none of them 0, by rank.
    pub(crate) give: Vec<(usize, usize)>,
    pub(crate) take: Vec<(usize, usize)>,
}

impl Neighbours {
    /// The plan of the rank `own`, by entries per rank. What it has for itself is not part of it.
    pub fn of(own: usize, give: &[usize], take: &[usize]) -> Neighbours {
        let others = |entries: &[usize]| {
            let of_rank = entries.iter().copied().enumerate();
            of_rank.filter(|&(rank, entries)| rank != own && entries > 0).collect()
        };
        Neighbours { give: others(give), take: others(take) }
    }

    /// The ranks that take something, with the number of entries.
    pub fn give(&self) -> &[(usize, usize)] {
        &self.give
    }

    /// The ranks that give something, with the number of entries.
    pub fn take(&self) -> &[(usize, usize)] {
        &self.take
    }
}
