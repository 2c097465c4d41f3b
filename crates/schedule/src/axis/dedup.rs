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
        Words = "words": "the number of the round beside the value in one word of 64 bits, both changed by one atomic",
        Bitmap = "bitmap": "bit map tested while appending",
        Boolmap = "boolmap": "byte map tested while appending",
        Hash = "hash": "hash table in shared memory; finds most repeats, not all",
        Hash64 = "hash64": "hash table in shared memory of (vertex, thread) words, written before they are read; \
            never cleared, finds most repeats within a block",
        WarpMatch = "warp-match": "lanes of a warp compare their vertices; finds repeats within a warp only",
    }
}

impl DedupBy {
    /// Whether every repeat is found.
    pub fn is_exact(self) -> bool {
        !matches!(self, DedupBy::Hash | DedupBy::Hash64 | DedupBy::WarpMatch)
    }
}

word_axis! {
    /// Whether repeats in the *input* queue of a push are dropped when its entries are loaded.
    DedupInput {
        Off = "off": "every entry of the input queue is walked",
        Warp = "warp": "entries that the lanes of a warp load together are compared; finds repeats within a warp only",
        Block = "block": "entries pass a hash table of (vertex, thread) words in shared memory; finds most repeats \
            within a block",
    }
}

word_axis! {
    /// How a push gets a destination that a test on the same entry guards (`to(unvisited)` and `level[dst] = ...`).
    Claim {
        Swap = "swap": "compare-and-swap: one edge gets the destination",
        Store = "store": "test, then plain store: several edges may get it at the same time, and it may repeat",
    }
}

word_axis! {
    /// Whether a map remembers destinations that were got, so that their entries are not asked again.
    Visited {
        Off = "off": "every edge asks the entry of its destination",
        Bits = "bits": "a bit per vertex in bytes without atomics is asked first; it may have forgotten some",
    }
}
