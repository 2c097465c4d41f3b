//! Filter: how the condition around an edge function, such as that of a view, is asked.

use crate::value::word_axis;

word_axis! {
    /// How the condition around an edge function, such as that of `edges.where(f)`, is asked.
    EdgeFilter {
        View = "view": "at every edge that is walked",
        Graph = "graph": "once at every edge of the graph, before the loops around the operator, which then walks a graph \
            of the edges where it is true",
    }
}
