//! One number for all edges and weights of a graph, to tell graphs of the same size apart.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::parallel;
use crate::{Graph, WeightKind};

/// Vertices hashed at a time. Part of the number, so that it is the same for any number of threads.
const PART: usize = 1 << 14;

impl Graph {
    /// A hash of all lists in their order, with the weights. Graphs that are equal have equal numbers on every machine
    /// of the same byte order.
    ///
    /// ```
    /// use gw_graph::{BuildOptions, EdgeList, build};
    /// let options = BuildOptions::default();
    /// let of = |ends| build(EdgeList::from_pairs(3, vec![(0, 1), ends]), &options).unwrap().edges_hash();
    /// assert_eq!(of((1, 2)), of((1, 2)));
    /// assert_ne!(of((1, 2)), of((0, 2)));
    /// ```
    pub fn edges_hash(&self) -> u64 {
        let part = |first: usize| {
            let (mut hash, out) = (FxHasher::default(), self.out());
            for v in first..(first + PART).min(self.vertices()) {
                let v = v as u32;
                let ends = out.neighbours(v);
                hash.write_u64(ends.len() as u64);
                // As bytes, which the hasher takes sixteen at a time.
                hash.write(bytemuck::cast_slice(ends));
                match out.weight_kind() {
                    WeightKind::None => {}
                    WeightKind::Int => hash.write(bytemuck::cast_slice(out.weights_of::<i32>(v))),
                    WeightKind::Float => hash.write(bytemuck::cast_slice(out.weights_of::<f32>(v))),
                    WeightKind::Int64 => hash.write(bytemuck::cast_slice(out.weights_of::<i64>(v))),
                    WeightKind::Double => hash.write(bytemuck::cast_slice(out.weights_of::<f64>(v))),
                }
            }
            hash.finish()
        };
        let firsts: Vec<usize> = (0..self.vertices()).step_by(PART).collect();
        let parts: Vec<u64> = parallel::map_items(firsts, part);
        let mut hash = FxHasher::default();
        parts.into_iter().for_each(|part| hash.write_u64(part));
        hash.finish()
    }
}
