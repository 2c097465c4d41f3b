//! EdgeBlocking: edges grouped by the block of ids that one endpoint falls into (UGF thesis, algorithm 2), so that a
//! pass over one group touches vertex data that fits a cache.

use crate::derived::{Coo, CooOrder};
use crate::parallel;
use crate::scatter::Scatter;
use crate::{Graph, Weight, Weights, with_weights};

/// Edges of block `b` are `starts[b]..starts[b + 1]` of `edges`; inside a block they keep the order of the other
/// endpoint.
#[derive(Debug, PartialEq)]
pub struct BlockedEdges {
    /// Ids per block.
    pub block: u32,
    /// First edge of each block, and the number of edges at the end.
    pub starts: Vec<u64>,
    /// The edges.
    pub edges: Coo,
}

impl BlockedEdges {
    pub(super) fn new(graph: &Graph, by: CooOrder, block: u32) -> Self {
        // Scan in the order of the other endpoint: a stable counting sort by block then keeps that order inside.
        let scan = match by {
            CooOrder::Destination => CooOrder::Source,
            CooOrder::Source => CooOrder::Destination,
        };
        let coo = Coo::new(graph, scan);
        let key = |coo: &Coo, edge: usize| {
            let id = match by {
                CooOrder::Destination => coo.destinations[edge],
                CooOrder::Source => coo.sources[edge],
            };
            (id / block) as usize
        };
        let blocks = graph.vertices().div_ceil(block as usize);
        let edges = coo.sources.len();
        let task = edges.div_ceil(8 * rayon::current_num_threads()).max(1 << 16);
        let tasks: Vec<_> = (0..edges).step_by(task).map(|s| s..(s + task).min(edges)).collect();

        let counts: Vec<Vec<u64>> = parallel::map(tasks.len(), |task| {
            let mut counts = vec![0; blocks];
            tasks[task].clone().for_each(|e| counts[key(&coo, e)] += 1);
            counts
        });
        let mut starts = Vec::with_capacity(blocks + 1);
        let mut cursors: Vec<Vec<u64>> = vec![Vec::with_capacity(blocks); tasks.len()];
        let mut position = 0;
        for b in 0..blocks {
            starts.push(position);
            for (cursor, count) in cursors.iter_mut().zip(&counts) {
                cursor.push(position);
                position += count[b];
            }
        }
        starts.push(position);

        let order: Vec<u32>;
        let wide: Vec<u64>;
        // A permutation first, so that each array is then gathered by one simple loop.
        let gathered = if u32::try_from(edges).is_ok() {
            order = permutation(&tasks, cursors, edges, |e| key(&coo, e), |e| e as u32);
            gather(&coo, &order, |&i| i as usize)
        } else {
            wide = permutation(&tasks, cursors, edges, |e| key(&coo, e), |e| e as u64);
            gather(&coo, &wide, |&i| i as usize)
        };
        BlockedEdges { block, starts, edges: gathered }
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.starts.len() - 1
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        8 * self.starts.len() + self.edges.bytes()
    }
}

fn permutation<I: Copy + Default + Send + Sync>(
    tasks: &[std::ops::Range<usize>],
    cursors: Vec<Vec<u64>>,
    edges: usize,
    key: impl Fn(usize) -> usize + Sync,
    index: impl Fn(usize) -> I + Sync,
) -> Vec<I> {
    let mut order = vec![I::default(); edges];
    let scatter = Scatter::new(&mut order);
    parallel::map_items(tasks.iter().zip(cursors).collect(), |(range, mut cursor)| {
        for e in range.clone() {
            let slot = &mut cursor[key(e)];
            // SAFETY: the cursors of all tasks and blocks start at distinct prefix sums of their counts and advance
            // by exactly those counts, so every position below `edges` is written once, by one task.
            unsafe { scatter.write(*slot as usize, index(e)) };
            *slot += 1;
        }
    });
    order
}

fn gather<I: Sync>(coo: &Coo, order: &[I], at: impl Fn(&I) -> usize + Sync) -> Coo {
    Coo {
        sources: parallel::list(order.len(), |i| coo.sources[at(&order[i])]),
        destinations: parallel::list(order.len(), |i| coo.destinations[at(&order[i])]),
        weights: with_weights!(&coo.weights, none => Weights::None, w => {
            Weight::wrap(parallel::list(order.len(), |i| w[at(&order[i])]))
        }),
    }
}
