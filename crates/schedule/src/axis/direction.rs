//! Direction: which end of an edge does the walking.

use crate::value::word_axis;

word_axis! {
    /// Which end of an edge does the walking. A switch between directions at run time is not a
    /// value of this axis but a hybrid schedule (see [`crate::Hybrid`]).
    Direction {
        Push = "push" | "sparse-push": "walk the out-edges of each vertex of the input frontier",
        Pull = "pull" | "dense-pull": "walk the in-edges of each destination and test the input frontier",
        DensePush = "dense-push": "scan all vertices, walk the out-edges of those in the input map",
    }
}
