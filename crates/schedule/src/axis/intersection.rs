//! Intersection: how two sorted neighbour lists are intersected.

use crate::value::word_axis;

word_axis! {
    /// How two sorted neighbour lists are intersected.
    Intersection {
        Naive = "naive": "merge, one element at a time",
        Hiroshi = "hiroshi": "compare blocks of three by three; merge below three elements",
        Multiskip = "multiskip": "merge in steps of three with roll-back",
        Combined = "combined": "marks for a list met many times in a row; otherwise search, hiroshi or multiskip by length",
        BinarySearch = "binary-search" | "binary": "search each element of the shorter list in the longer",
    }
}
