//! One graph of the population: its cells, its mutation rates and its fitness.

use super::Crossover;
use crate::generate::degrees::{DisjointSets, Target, distance};
use crate::rng::Rng;

/// The cells above the diagonal of an n by n matrix: cell (row, column) has the number `row * n + column`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space {
    vertices: u32,
}

/// Average numbers of edges inserted into and deleted from a child.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rates {
    pub(super) insert: f64,
    pub(super) delete: f64,
}

/// A simple undirected graph as the sorted numbers of its cells.
#[derive(Debug, Clone)]
pub(super) struct Individual {
    cells: Vec<u32>,
    rates: Rates,
    pub(super) distance: f64,
    pub(super) connected: f64,
}

impl Space {
    pub(super) fn new(vertices: u32) -> Self {
        Space { vertices }
    }

    fn ends(&self, cell: u32) -> (u32, u32) {
        (cell / self.vertices, cell % self.vertices)
    }

    fn pairs(&self) -> u64 {
        u64::from(self.vertices) * u64::from(self.vertices.saturating_sub(1)) / 2
    }

    fn random_cell(&self, rng: &mut Rng) -> u32 {
        self.random_cell_at(rng.below(self.vertices.into()) as u32, rng)
    }

    /// A random cell of the row or column of vertex `a`.
    fn random_cell_at(&self, a: u32, rng: &mut Rng) -> u32 {
        let b = rng.below(u64::from(self.vertices) - 1) as u32;
        let b = if b >= a { b + 1 } else { b };
        a.min(b) * self.vertices + a.max(b)
    }

    /// `count` random cells, sorted, without repetition but possibly fewer.
    fn random_cells(&self, count: u64, rng: &mut Rng) -> Vec<u32> {
        let mut cells: Vec<u32> = (0..count).map(|_| self.random_cell(rng)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

impl Individual {
    /// A graph with `edges` random edges.
    pub(super) fn random(space: &Space, edges: u64, rates: Rates, rng: &mut Rng) -> Self {
        let edges = edges.min(space.pairs());
        let mut cells = Vec::new();
        if space.pairs() > 0 {
            if 2 * edges > space.pairs() {
                // Dense: all cells but some.
                let n = space.vertices;
                cells = (0..n).flat_map(|a| (a + 1..n).map(move |b| a * n + b)).collect();
                rng.shuffle(&mut cells);
                cells.truncate(edges as usize);
            }
            while (cells.len() as u64) < edges {
                cells.extend(space.random_cells(edges - cells.len() as u64, rng));
                cells.sort_unstable();
                cells.dedup();
            }
            cells.sort_unstable();
        }
        Individual { cells, rates, distance: 1.0, connected: 0.0 }
    }

    /// A child of two parents. Its rates are the parents' geometric mean, changed by up to about a fifth.
    pub(super) fn cross(space: &Space, first: &Self, second: &Self, how: Crossover, rng: &mut Rng) -> Self {
        let (a, b) = (&first.cells, &second.cells);
        let cells = match how {
            Crossover::Vertex => rows(space, a, b, rng),
            Crossover::Edge => each(a, b, rng),
            Crossover::Point => {
                let point = space.random_cell(rng);
                let (in_a, in_b) = (a.partition_point(|&c| c < point), b.partition_point(|&c| c < point));
                [&a[..in_a], &b[in_b..]].concat()
            }
        };
        let mut inherit = |x: f64, y: f64| {
            // The sum of three uniform numbers is near enough to a normal one.
            let spread = rng.unit() + rng.unit() + rng.unit() - 1.5;
            (x * y).sqrt() * (0.4 * spread).exp()
        };
        let rates = Rates {
            insert: inherit(first.rates.insert, second.rates.insert),
            delete: inherit(first.rates.delete, second.rates.delete),
        };
        Individual { cells, rates, distance: 1.0, connected: 0.0 }
    }

    /// Deletes and inserts edges, each kind at its own rate, in bursts at random vertices: a distribution of degrees is
    /// met by moving whole degrees, and single cells strewn over the matrix hardly move any.
    pub(super) fn mutate(&mut self, space: &Space, rng: &mut Rng) {
        if space.pairs() == 0 {
            return;
        }
        let degrees = self.degrees(space);
        let mean_degree = (2 * self.cells.len() as u64).div_ceil(u64::from(space.vertices)).max(1);

        let mut doom = vec![0.0; space.vertices as usize];
        let degree = |v: u32| u64::from(degrees[v as usize]);
        for (v, size) in bursts(around(self.rates.delete, rng), mean_degree, degree, space, rng) {
            doom[v as usize] += size as f64 / degree(v) as f64;
        }
        self.cells.retain(|&cell| {
            let (a, b) = space.ends(cell);
            let chance: f64 = doom[a as usize] + doom[b as usize];
            chance == 0.0 || rng.unit() >= chance
        });

        let mut fresh = Vec::new();
        let free = |v: u32| u64::from(space.vertices) - 1 - degree(v);
        for (v, size) in bursts(around(self.rates.insert, rng), mean_degree, free, space, rng) {
            fresh.extend((0..size).map(|_| space.random_cell_at(v, rng)));
        }
        fresh.sort_unstable();
        fresh.dedup();
        self.cells = union(&self.cells, &fresh);
    }

    fn degrees(&self, space: &Space) -> Vec<u32> {
        let mut degrees = vec![0; space.vertices as usize];
        for &cell in &self.cells {
            let (a, b) = space.ends(cell);
            degrees[a as usize] += 1;
            degrees[b as usize] += 1;
        }
        degrees
    }

    /// The same graph with its fitness worked out.
    pub(super) fn judged(mut self, space: &Space, target: &Target) -> Self {
        let vertices = space.vertices as usize;
        let mut sets = DisjointSets::new(vertices);
        for &cell in &self.cells {
            let (a, b) = space.ends(cell);
            sets.join(a as usize, b as usize);
        }
        let mut counts = vec![0; vertices];
        for degree in self.degrees(space) {
            counts[degree as usize] += 1;
        }
        self.distance = distance(&counts, target);
        self.connected = sets.size(0) as f64 / vertices as f64;
        self
    }

    /// (1 - D) * c.
    pub(super) fn fitness(&self) -> f64 {
        (1.0 - self.distance) * self.connected
    }

    /// The edges, from lower to higher id.
    pub(super) fn edges(&self, space: &Space) -> Vec<(u32, u32)> {
        self.cells.iter().map(|&cell| space.ends(cell)).collect()
    }
}

/// A whole number with this mean: the rate's floor or ceiling.
fn around(rate: f64, rng: &mut Rng) -> u64 {
    (rate + rng.unit()) as u64
}

/// Splits a number of edges into bursts (vertex, edges) of up to about twice the mean degree, none above what `most`
/// allows at its vertex.
fn bursts(edges: u64, mean_degree: u64, most: impl Fn(u32) -> u64, space: &Space, rng: &mut Rng) -> Vec<(u32, u64)> {
    let mut bursts = Vec::new();
    let mut left = edges;
    // A graph with hardly any edges may not have as many to delete.
    for _ in 0..4 * edges {
        if left == 0 {
            break;
        }
        let v = rng.below(space.vertices.into()) as u32;
        let size = (1 + rng.below(2 * mean_degree)).min(left).min(most(v));
        if size > 0 {
            bursts.push((v, size));
            left -= size;
        }
    }
    bursts
}

/// Vertex-wise crossover: each row from one parent.
fn rows(space: &Space, a: &[u32], b: &[u32], rng: &mut Rng) -> Vec<u32> {
    let mut cells = Vec::with_capacity(a.len().max(b.len()) + 16);
    let (mut at_a, mut at_b) = (0, 0);
    let mut bits = 0;
    for row in 0..space.vertices {
        if row % 64 == 0 {
            bits = rng.next_u64();
        }
        // The last row may end at 2^32, which 64 bits hold.
        let end = (u64::from(row) + 1) * u64::from(space.vertices);
        let run = |cells: &[u32], from: usize| from + cells[from..].iter().take_while(|&&c| u64::from(c) < end).count();
        let (end_a, end_b) = (run(a, at_a), run(b, at_b));
        if bits >> (row % 64) & 1 == 0 {
            cells.extend_from_slice(&a[at_a..end_a]);
        } else {
            cells.extend_from_slice(&b[at_b..end_b]);
        }
        (at_a, at_b) = (end_a, end_b);
    }
    cells
}

/// Edge-wise crossover: a cell that only one parent has is kept by the toss of a coin.
fn each(a: &[u32], b: &[u32], rng: &mut Rng) -> Vec<u32> {
    merge(a, b, |_| rng.next_u64() & 1 == 0)
}

fn union(a: &[u32], b: &[u32]) -> Vec<u32> {
    merge(a, b, |_| true)
}

/// Merges sorted cells; those in both stay, those in one are asked about.
fn merge(a: &[u32], b: &[u32], mut keep_single: impl FnMut(u32) -> bool) -> Vec<u32> {
    let mut cells = Vec::with_capacity(a.len().max(b.len()) + 16);
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    loop {
        let single = match (a.peek(), b.peek()) {
            (Some(&x), Some(&y)) if x == y => {
                b.next();
                a.next();
                cells.push(x);
                continue;
            }
            (Some(x), Some(y)) if x < y => a.next(),
            (Some(_), None) => a.next(),
            (_, Some(_)) => b.next(),
            (None, None) => return cells,
        };
        cells.extend(single.filter(|&cell| keep_single(cell)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use proptest::prelude::*;

    const SPACE: Space = Space { vertices: 30 };

    fn graph(edges: u64, seed: u64) -> Individual {
        Individual::random(&SPACE, edges, Rates { insert: 5.0, delete: 5.0 }, &mut Rng::new(seed, 0))
    }

    fn proper(cells: &[u32]) -> bool {
        cells.is_sorted_by(|a, b| a < b) && cells.iter().all(|&c| c / 30 < c % 30)
    }

    proptest! {
        #[test]
        fn children_take_every_cell_from_a_parent(
            x in 0u64..435, y in 0u64..435, seed: u64,
            how in prop::sample::select(vec![Crossover::Vertex, Crossover::Edge, Crossover::Point])
        ) {
            let (first, second) = (graph(x, seed), graph(y, !seed));
            prop_assert_eq!(first.cells.len() as u64, x);
            let child = Individual::cross(&SPACE, &first, &second, how, &mut Rng::new(seed, 9));
            prop_assert!(proper(&child.cells));
            let has = |i: &Individual, c: &u32| i.cells.binary_search(c).is_ok();
            prop_assert!(child.cells.iter().all(|c| has(&first, c) || has(&second, c)));
            prop_assert!(first.cells.iter().filter(|c| has(&second, c)).all(|c| has(&child, c)));
        }

        #[test]
        fn mutation_changes_few_cells_and_keeps_order(edges in 0u64..435, seed: u64) {
            let mut child = graph(edges, seed);
            let before = child.cells.clone();
            child.mutate(&SPACE, &mut Rng::new(seed, 1));
            prop_assert!(proper(&child.cells));
            let lost = before.iter().filter(|c| child.cells.binary_search(c).is_err()).count();
            let gained = child.cells.iter().filter(|c| before.binary_search(c).is_err()).count();
            // Deleting is a matter of chance around the rate; inserting is bounded by it.
            prop_assert!(lost <= 30 && gained <= 6, "{} {}", lost, gained);
        }
    }

    #[test]
    fn equal_rates_keep_the_density() {
        // The flaw of plain bit flips: they pull every graph towards half density.
        let mut sparse = graph(30, 1);
        let mut rng = Rng::new(4, 4);
        let mut total = 0;
        for _ in 0..400 {
            sparse.mutate(&SPACE, &mut rng);
            total += sparse.cells.len();
        }
        let mean = total as f64 / 400.0;
        assert!((20.0..45.0).contains(&mean), "{mean}");
    }
}
