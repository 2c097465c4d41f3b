//! Frontier: the form in which the input is tested, how the output is made, how it is counted.

use crate::value::word_axis;

word_axis! {
    /// Form of the *input* frontier where it is tested per vertex (pull, dense push, edge lists).
    FrontierForm {
        Boolmap = "boolmap" | "bool-map": "one byte per vertex",
        Bitmap = "bitmap" | "bitvector": "one bit per vertex",
        LevelMask = "level-mask": "the number of the round in which the vertex was last added; never cleared",
    }
}

word_axis! {
    /// How the *output* frontier is made.
    FrontierCreation {
        Fused = "fused": "the operator appends straight to a sparse queue",
        UnfusedBitmap = "unfused-bitmap": "the operator marks a bit map, packed when a queue is next needed",
        UnfusedBoolmap = "unfused-boolmap": "the operator marks a byte map, packed when a queue is next needed",
        LevelMask = "level-mask": "the operator writes the round number, packed when a queue is next needed",
        SlidingQueue = "sliding-queue": "one queue reused over all rounds, filled from per-thread buffers (CPU)",
    }
}

impl FrontierCreation {
    /// Whether the output is a map over all vertices, which holds each vertex once by construction.
    pub fn is_map(self) -> bool {
        matches!(self, FrontierCreation::UnfusedBitmap | FrontierCreation::UnfusedBoolmap | FrontierCreation::LevelMask)
    }
}

word_axis! {
    /// How the vertices added to a map are counted.
    FrontierCount {
        Plain = "plain": "one global atomic per added vertex",
        Bulk = "bulk": "a counter per thread, one global atomic per thread at the end",
        Warp = "warp": "a counter per thread, summed over the warp, one atomic per warp",
        Block = "block": "a counter per thread, summed over warp and block, one atomic per block",
    }
}

word_axis! {
    /// How the threads of a GPU get room in the output queue for the vertices they add.
    Append {
        Staged = "staged": "ids wait in shared memory; one reservation per block at the end of the operator",
        Ballot = "ballot": "lanes that add at the same time reserve together and write side by side",
        Registers = "registers": "a thread keeps a few ids in registers; lanes whose registers are full, and at the \
            end all of a block, reserve together",
    }
}

word_axis! {
    /// Whether vertices without out-edges enter the output, where nobody can tell.
    Leaves {
        Keep = "keep": "every vertex that was found enters the output",
        Drop = "drop": "vertices without out-edges stay out: the next step would load them for nothing; the first ones \
            found enter, so that the output is empty only where nothing was found",
    }
}
