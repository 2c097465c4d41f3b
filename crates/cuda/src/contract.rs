//! The graph between labels, made on the device of a graph and labels that are there already.

use std::sync::Arc;

use gw_device::{Buffer, Device, DeviceError, Launch, Unit};
use gw_exec::{Result, Scalar, Vector};
use gw_graph::{Graph, RemoteLists, VertexId, WeightKind, Weights};

use crate::codegen::inputs::GraphParts;
use crate::error::exec_error;
use crate::executable::CudaExecutable;
use crate::residency::{Lists, Wanted};

/// Threads per block: one per digit of the sort.
pub(crate) const BLOCK: u32 = 256;

/// Digits of the sort have so many bits.
const DIGIT_BITS: u32 = 8;

/// The fields of `ContractState`.
const STATE_WORDS: usize = 6;

impl CudaExecutable {
    /// The graph between labels. `None` where the host must make it: graphs with directions or whose lists stand apart,
    /// weights that are fractions or have 64 bits, more edges than numbers of 32 bits can count, too little memory, and
    /// whatever is an error.
    pub(crate) fn contracted(
        &mut self,
        graph: &Arc<Graph>,
        labels: &Vector,
        weighed: bool,
    ) -> Result<Option<Arc<Graph>>> {
        let (kind, shape) = (graph.out().weight_kind(), self.shape_of(graph));
        let suits = graph.is_symmetric()
            && self.context.device.facts().cooperative
            && (1..i32::MAX as usize).contains(&graph.edges())
            && !shape.wide
            && !shape.apart.out
            && (!weighed || matches!(kind, WeightKind::None | WeightKind::Int))
            && labels.scalar() == Scalar::Int
            && labels.len() == graph.vertices();
        if !suits {
            return Ok(None);
        }
        let labels = self.vectors.for_reading(labels)?;
        let parts = GraphParts { out: true, weights: weighed && kind == WeightKind::Int, ..Default::default() };
        let wanted = Wanted { parts, apart: shape.apart, wide: shape.wide, block: 0 };
        let words = match self.context.residency.words(graph, wanted) {
            Err(DeviceError::OutOfMemory { .. }) => return Ok(None),
            words => words.map_err(exec_error)?,
        };
        let [offsets, neighbours, weights, ..] = words.words;
        let weights = if parts.weights { weights } else { 0 };
        let old = OldGraph {
            offsets,
            neighbours,
            weights,
            labels: labels.0,
            vertices: graph.vertices(),
            edges: graph.edges(),
        };
        let (lists, edges) = match old.contract(&self.context.device) {
            Ok(Some(made)) => made,
            Ok(None) | Err(DeviceError::OutOfMemory { .. }) => return Ok(None),
            Err(error) => return Err(exec_error(error)),
        };
        let lists = Arc::new(lists);
        let made = Made {
            device: Arc::clone(&self.context.device),
            lists: Arc::clone(&lists),
            vertices: graph.vertices(),
            edges,
        };
        let contracted = Arc::new(graph.contracted_elsewhere(Arc::new(made)));
        self.context.residency.adopt(&contracted, lists);
        Ok(Some(contracted))
    }
}

/// What a contraction begins with: addresses on the device.
struct OldGraph {
    offsets: u64,
    neighbours: u64,
    /// 0: every edge counts 1.
    weights: u64,
    labels: u64,
    vertices: usize,
    edges: usize,
}

impl OldGraph {
    /// The new lists and the number of their edges; `None` where labels are no vertices or a sum does not fit a weight.
    fn contract(&self, device: &Arc<dyn Device>) -> std::result::Result<Option<(Lists, usize)>, DeviceError> {
        let (first, second) = (device.compile(&keys_unit())?, device.compile(&rows_unit())?);
        let blocks = first.blocks_per_processor.min(second.blocks_per_processor).max(1);
        let grid = device.facts().processors * blocks;
        let launch = Launch { grid, block: BLOCK, cooperative: true };
        let array = |bytes: usize| Buffer::new(device, bytes * self.edges);
        let keys = [array(8)?, array(8)?];
        let values = match self.weights {
            0 => [None, None],
            _ => [Some(array(4)?), Some(array(4)?)],
        };
        let counts = Buffer::new(device, 4 * (1 << DIGIT_BITS) * (grid as usize + 1))?;
        let runs = Buffer::new(device, 4 * grid as usize)?;
        let state = Buffer::zeroed(device, 4 * STATE_WORDS)?;
        // Bits of a vertex, and the digits of two of them.
        let bits = 32 - (self.vertices.max(2) as u32 - 1).leading_zeros();
        let passes = (2 * bits).div_ceil(DIGIT_BITS);
        let at = |buffer: &Option<Buffer>| buffer.as_ref().map_or(0, |b| b.address().0);
        let arguments = |made: [u64; 5]| {
            let before = [
                self.offsets,
                self.neighbours,
                self.weights,
                self.labels,
                keys[0].address().0,
                keys[1].address().0,
                at(&values[0]),
                at(&values[1]),
                counts.address().0,
                runs.address().0,
                state.address().0,
            ];
            let numbers = [self.vertices as u64, self.edges as u64, u64::from(bits), u64::from(passes)];
            [&before[..], &made, &numbers].concat()
        };
        let read = || -> std::result::Result<[u32; STATE_WORDS], DeviceError> {
            let mut words = [0u32; STATE_WORDS];
            device.download(bytemuck::cast_slice_mut(&mut words), state.address())?;
            Ok(words)
        };
        device.launch(&first, launch, bytemuck::cast_slice(&arguments([0; 5])))?;
        let [_, wrong, edges, ..] = read()?;
        if wrong != 0 {
            return Ok(None);
        }
        let edges = edges as usize;
        let offsets = Buffer::new(device, 4 * (self.vertices + 1))?;
        let sources = Buffer::new(device, 4 * edges)?;
        let neighbours = Buffer::new(device, 4 * edges)?;
        let sums = Buffer::zeroed(device, (8 * edges).max(8))?;
        let weights = Buffer::new(device, 4 * edges)?;
        let made = [&offsets, &sources, &neighbours, &sums, &weights].map(|buffer| buffer.address().0);
        device.launch(&second, launch, bytemuck::cast_slice(&arguments(made)))?;
        let [.., heavy, greatest, _] = read()?;
        let lists = Lists { offsets, neighbours, weights: Some(weights), greatest };
        Ok((heavy == 0).then_some((lists, edges)))
    }
}

/// Lists that only the device has.
struct Made {
    device: Arc<dyn Device>,
    lists: Arc<Lists>,
    vertices: usize,
    edges: usize,
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Made({} edges)", self.edges)
    }
}

impl Made {
    /// A device that no longer answers has lost the only copy.
    fn download<T: bytemuck::Pod>(&self, from: &Buffer, length: usize) -> std::result::Result<Vec<T>, String> {
        let mut items = vec![T::zeroed(); length];
        let outcome = self.device.download(bytemuck::cast_slice_mut(&mut items), from.address());
        outcome.map(|()| items).map_err(|error| error.to_string())
    }
}

impl RemoteLists for Made {
    fn vertices(&self) -> usize {
        self.vertices
    }

    fn edges(&self) -> usize {
        self.edges
    }

    fn greatest(&self) -> usize {
        self.lists.greatest as usize
    }

    fn offsets(&self) -> std::result::Result<Vec<u32>, String> {
        let offsets: Vec<u32> = self.download(&self.lists.offsets, self.vertices + 1)?;
        match offsets.last() {
            Some(&end) if end as usize == self.edges => Ok(offsets),
            _ => Err("lists of a contracted graph do not fit together".to_string()),
        }
    }

    fn weight_kind(&self) -> WeightKind {
        if self.lists.weights.is_some() { WeightKind::Int } else { WeightKind::None }
    }

    fn fetch(&self) -> std::result::Result<(Vec<VertexId>, Weights), String> {
        let weights = match &self.lists.weights {
            Some(weights) => Weights::Int(self.download::<i32>(weights, self.edges)?.into()),
            None => Weights::None,
        };
        Ok((self.download(&self.lists.neighbours, self.edges)?, weights))
    }
}

/// Sorts the edges between labels and counts those of the new graph.
pub(crate) fn keys_unit() -> Unit {
    unit("contract_keys")
}

/// Writes the new graph.
pub(crate) fn rows_unit() -> Unit {
    unit("contract_rows")
}

fn unit(name: &str) -> Unit {
    let source = format!(
        r#"#define GW_BLOCK {BLOCK}
#include "contract.cuh"

extern "C" __global__ void __launch_bounds__({BLOCK}) {name}(const __grid_constant__ gw::Contraction contraction)
{{
    gw::{name}(contraction);
}}
"#
    );
    Unit { name: name.into(), source, block: BLOCK }
}
