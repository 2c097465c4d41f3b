//! The entries that a push from few vertices can reach.

use gw_graph::Graph;

/// Lists of visited edges are followed when they have fewer edges than one in so many vertices.
const FEW: usize = 8;

/// Marks of vertices that are listed already; all clear between calls.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    marks: Vec<bool>,
}

impl Reach {
    /// The sources and the ends of all their edges, each once; `None` where these are so many that looking at all
    /// entries costs less.
    pub(crate) fn entries(&mut self, graph: &Graph, sources: &[u32]) -> Option<Vec<u32>> {
        let most = graph.vertices() / FEW;
        let mut work = sources.len();
        for &source in sources {
            work += graph.out().degree(source);
            if work > most {
                return None;
            }
        }
        self.marks.resize(graph.vertices().max(self.marks.len()), false);
        let mut found = Vec::with_capacity(work);
        for &source in sources {
            for &vertex in std::iter::once(&source).chain(graph.out().neighbours(source)) {
                if !std::mem::replace(&mut self.marks[vertex as usize], true) {
                    found.push(vertex);
                }
            }
        }
        found.iter().for_each(|&vertex| self.marks[vertex as usize] = false);
        Some(found)
    }
}
