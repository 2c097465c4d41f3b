//! Joining the components of a simple graph, keeping every degree as long as there is a cycle to open.
//!
//! An edge (a, b) off a spanning forest can be removed without tearing its component. Swapped with an edge (c, d) of
//! another component for (a, c) and (b, d), it joins the two, and no new edge can be parallel to an old one.
//! Components with cycles are joined first, because each brings its own spare edges; trees use them up. When
//! none is left, and for isolated vertices, an edge is added, which raises two degrees by one.

use crate::rng::Rng;

/// Makes the graph on `vertices` vertices connected.
pub fn connect(vertices: usize, edges: &mut Vec<(u32, u32)>, rng: &mut Rng) {
    if vertices < 2 {
        return;
    }
    let mut sets = DisjointSets::new(vertices);
    let spare_edges: Vec<usize> =
        (0..edges.len()).filter(|&i| !sets.join(edges[i].0 as usize, edges[i].1 as usize)).collect();

    // Per component: spare edges, and some edge of it.
    let mut parts: Vec<Part> = Vec::new();
    let mut part_of_root = vec![usize::MAX; vertices];
    for (v, part) in part_of_root.iter_mut().enumerate() {
        if sets.find(v) == v {
            *part = parts.len();
            parts.push(Part { vertex: v as u32, edge: None, spare: Vec::new() });
        }
    }
    if parts.len() == 1 {
        return;
    }
    for (i, &(a, _)) in edges.iter().enumerate() {
        parts[part_of_root[sets.find(a as usize)]].edge = Some(i);
    }
    for &i in &spare_edges {
        parts[part_of_root[sets.find(edges[i].0 as usize)]].spare.push(i);
    }

    // Most spare edges first: cyclic components, then trees, then isolated vertices.
    parts.sort_by_key(|part| (std::cmp::Reverse(part.spare.len()), part.edge.is_none()));
    let mut parts = parts.into_iter();
    let Some(base) = parts.next() else { return };
    let root = base.vertex as usize;
    let mut joined: Vec<u32> = (0..vertices).filter(|&v| sets.find(v) == root).map(|v| v as u32).collect();
    let mut spare = base.spare;
    rng.shuffle(&mut spare);
    for mut part in parts {
        let own_spare = part.spare.pop();
        match (spare.pop(), own_spare.or(part.edge)) {
            (Some(open), Some(other)) => {
                let ((a, b), (c, d)) = (edges[open], edges[other]);
                edges[open] = ordered(a, c);
                edges[other] = ordered(b, d);
                // Opening a cycle on both sides leaves one of the two new edges spare.
                spare.extend(own_spare);
            }
            (open, _) => {
                // An isolated vertex leaves the spare edge where it is.
                spare.extend(open);
                let anchor = joined[rng.below(joined.len() as u64) as usize];
                edges.push(ordered(anchor, part.vertex));
            }
        }
        spare.append(&mut part.spare);
        joined.push(part.vertex);
    }
}

struct Part {
    vertex: u32,
    edge: Option<usize>,
    spare: Vec<usize>,
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// Union-find with path halving and union by size.
#[derive(Debug)]
pub(in super::super) struct DisjointSets {
    parent: Vec<u32>,
    size: Vec<u32>,
}

impl DisjointSets {
    pub(in super::super) fn new(count: usize) -> Self {
        DisjointSets { parent: (0..count as u32).collect(), size: vec![1; count] }
    }

    /// The representative of `x`.
    pub(in super::super) fn find(&mut self, mut x: usize) -> usize {
        while self.parent[x] as usize != x {
            self.parent[x] = self.parent[self.parent[x] as usize];
            x = self.parent[x] as usize;
        }
        x
    }

    /// Unites two sets; false when they were one.
    pub(in super::super) fn join(&mut self, a: usize, b: usize) -> bool {
        let (mut a, mut b) = (self.find(a), self.find(b));
        if a == b {
            return false;
        }
        if self.size[a] < self.size[b] {
            std::mem::swap(&mut a, &mut b);
        }
        self.parent[b] = a as u32;
        self.size[a] += self.size[b];
        true
    }

    /// Number of members of the set of `x`.
    pub(in super::super) fn size(&mut self, x: usize) -> usize {
        let root = self.find(x);
        self.size[root] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn components(vertices: usize, edges: &[(u32, u32)]) -> usize {
        let mut sets = DisjointSets::new(vertices);
        vertices - edges.iter().filter(|&&(a, b)| sets.join(a as usize, b as usize)).count()
    }

    proptest! {
        #[test]
        fn one_simple_component_comes_out(
            pairs in prop::collection::hash_set((0u32..40, 0u32..40), 0..60), seed: u64
        ) {
            let simple: HashSet<_> = pairs.into_iter().filter(|(a, b)| a != b).map(|(a, b)| ordered(a, b)).collect();
            let mut edges: Vec<_> = simple.into_iter().collect();
            edges.sort_unstable();
            let before = edges.len();
            let missing = components(40, &edges) - 1;
            connect(40, &mut edges, &mut Rng::new(seed, 0));
            prop_assert_eq!(components(40, &edges), 1);
            prop_assert_eq!(edges.iter().collect::<HashSet<_>>().len(), edges.len());
            prop_assert!(edges.iter().all(|(a, b)| a < b));
            prop_assert!(edges.len() - before <= missing);
        }
    }

    #[test]
    fn cycles_are_joined_without_touching_degrees() {
        // Four triangles.
        let mut edges: Vec<(u32, u32)> =
            (0..4).flat_map(|t| [(3 * t, 3 * t + 1), (3 * t + 1, 3 * t + 2), (3 * t, 3 * t + 2)]).collect();
        connect(12, &mut edges, &mut Rng::new(1, 0));
        assert_eq!(edges.len(), 12);
        assert_eq!(components(12, &edges), 1);
        assert!((0..12u32).all(|v| edges.iter().filter(|&&(a, b)| a == v || b == v).count() == 2));
    }
}
