//! Parallelism: how a CPU splits an operator over its cores.

use crate::value::word_axis;

word_axis! {
    /// How a CPU splits an operator over its cores. Chunk sizes are the axis `grain`.
    Parallelism {
        Serial = "serial": "one core, no atomics",
        Static = "static" | "static-vertex-parallel": "equal shares of vertices, fixed before the operator starts",
        Dynamic = "dynamic" | "dynamic-vertex-parallel" | "parallel": "chunks of `grain` vertices, taken by idle cores",
        EdgeAware = "edge-aware" | "edge-aware-dynamic-vertex-parallel": "pull only: halve the vertex range until a chunk has fewer than `grain` in-edges",
        EdgeParallel = "edge-parallel": "equal shares of edges; a vertex may be shared by cores",
    }
}
