//! Group table: where the groups of a vertex's neighbours are kept while they are made.

use crate::value::word_axis;

word_axis! {
    /// Where the groups of a vertex's neighbours are kept while they are made.
    GroupTable {
        Hash = "hash": "a hash table as large as the groups of the vertex want it",
        Dense = "dense": "CPU: a slot for every vertex of the graph, in which keys never meet",
        Warp = "warp": "GPU: a warp groups even the shortest lists, none is left to one thread",
        Shared = "shared": "GPU: a block groups every list, with a table in shared memory where that has room",
        Memory = "memory": "GPU: a block groups every list, with a table in global memory",
    }
}
