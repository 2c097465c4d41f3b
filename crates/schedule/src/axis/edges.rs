//! Edge form: which stored form of the edges an operator walks, and whether it looks at their classes.

use crate::value::word_axis;

word_axis! {
    /// Which stored form of the edges an operator walks.
    EdgeForm {
        Csr = "csr": "offsets and neighbours, one offset per vertex",
        CsrM = "csr-m": "offsets as (begin, end) pairs, one load per vertex",
        CooSource = "coo-by-source": "edge list in source order, endpoints in separate arrays",
        CooSourcePairs = "coo-by-source-pairs": "edge list in source order, endpoints as pairs",
        CooDestination = "coo-by-destination": "edge list in destination order, endpoints in separate arrays",
        CooDestinationPairs = "coo-by-destination-pairs": "edge list in destination order, endpoints as pairs",
    }
}

impl EdgeForm {
    /// Whether this is a list of edges rather than an adjacency by vertex.
    pub fn is_edge_list(self) -> bool {
        !matches!(self, EdgeForm::Csr | EdgeForm::CsrM)
    }
}

word_axis! {
    /// Whether a push treats edges by their classes: the only edge to its destination, and self-loops.
    Classes {
        Off = "off": "all edges are treated alike",
        Marked = "marked": "two bits of every neighbour tell the class: the only edge to its destination updates it \
            without atomics; self-loops are passed over where they change nothing",
    }
}
