//! Deduplication: whether and how a vertex is kept from entering the output twice.

use crate::value::word_axis;

word_axis! {
    /// Whether repeats are removed from the output frontier although the algorithm would bear
    /// them. When the algorithm needs a unique output it gets one whatever this says.
    Dedup {
        Off = "off" | "disabled": "only when the algorithm needs a unique output",
        On = "on" | "enabled": "remove repeats, exactly or as far as the method can",
    }
}

word_axis! {
    /// How repeats are found when the output is a queue.
    DedupBy {
        Counters = "counters" | "unfused": "monotone round counters, in a pass after the operator",
        CountersFused = "counters-fused": "monotone round counters, tested while appending",
        Bitmap = "bitmap": "bit map tested while appending",
        Boolmap = "boolmap": "byte map tested while appending",
        Hash = "hash": "hash table in shared memory; finds most repeats, not all",
        WarpMatch = "warp-match": "lanes of a warp compare their vertices; finds repeats within a warp only",
    }
}

impl DedupBy {
    /// Whether every repeat is found.
    pub fn is_exact(self) -> bool {
        !matches!(self, DedupBy::Hash | DedupBy::WarpMatch)
    }
}
