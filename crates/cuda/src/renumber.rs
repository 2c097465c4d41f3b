//! Renumbering a graph on the device: the lists under new numbers are made of the lists that are there already.

use std::sync::Arc;

use gw_graph::{Adjacency, Offsets, Renumbering};

use gw_device::{Address, Buffer, Device, DeviceError, Launch, Unit};

/// Threads per block.
const BLOCK: u32 = 1024;

/// Lists of at most so many entries have a lane for each, longer ones a warp, and those beyond the second number a
/// block.
const LANES: usize = 32;
const WARP: usize = 4096;

/// Lists on the device.
pub(crate) struct DeviceLists {
    pub(crate) offsets: Address,
    /// Offsets are pairs: lists stand apart.
    pub(crate) apart: bool,
    pub(crate) neighbours: Address,
    /// The weights, as they are or null.
    pub(crate) weights: Address,
}

/// Makes the lists of `renumbered`, whose offsets are at `offsets`, of those of its source. Returns neighbours and, if
/// the source has weights at hand, weights. Lengths fall with the numbers.
pub(crate) fn renumber(
    device: &Arc<dyn Device>,
    renumbered: &Adjacency,
    renumbering: &Renumbering,
    source: &DeviceLists,
    offsets: Address,
) -> Result<(Buffer, Option<Buffer>), DeviceError> {
    let bytes = 4 * renumbered.edges();
    let array = || Buffer::new(device, bytes);
    let (neighbours, spare) = (array()?, array()?);
    let weighted = source.weights != Address::default();
    let weights = weighted.then(array).transpose()?;
    let spare_weights = weighted.then(array).transpose()?;
    let new_id = Buffer::with(device, bytemuck::cast_slice(renumbering.permutation().new_ids()))?;
    let old_id = Buffer::with(device, bytemuck::cast_slice(renumbering.permutation().old_ids()))?;
    let kernel = device.compile(&unit(matches!(renumbered.offsets(), Offsets::Wide(_)), source.apart))?;
    // As many digits of 8 bits as the greatest number has.
    let passes = (32 - (renumbered.vertices().max(2) as u32 - 1).leading_zeros()).div_ceil(8);
    let at = |buffer: &Option<Buffer>| buffer.as_ref().map_or(0, |b| b.address().0);
    let (long, few) = (longer_than(renumbered, WARP), longer_than(renumbered, LANES));
    let launch = Launch {
        grid: device.facts().processors * kernel.blocks_per_processor.max(1),
        block: BLOCK,
        cooperative: false,
    };
    for (task, first, last) in [(0, 0, long), (1, long, few), (2, few, renumbered.vertices())] {
        if first == last {
            continue;
        }
        let words = [
            source.offsets.0,
            source.neighbours.0,
            source.weights.0,
            offsets.0,
            neighbours.address().0,
            at(&weights),
            spare.address().0,
            at(&spare_weights),
            new_id.address().0,
            old_id.address().0,
            first as u64,
            last as u64,
            u64::from(passes),
            task,
        ];
        device.launch(&kernel, launch, bytemuck::cast_slice(&words))?;
    }
    Ok((neighbours, weights))
}

/// How many lists are longer than this: they come first.
fn longer_than(adjacency: &Adjacency, length: usize) -> usize {
    let (mut low, mut high) = (0, adjacency.vertices());
    while low < high {
        let middle = (low + high) / 2;
        match adjacency.degree(middle as u32) > length {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

/// The kernel, for old lists that are compressed rows or stand apart; `task` is 0 for a block per list, 1 for a warp, 2
/// for a lane per neighbour.
pub(crate) fn unit(wide: bool, apart: bool) -> Unit {
    // Where a list begins is every entry, or the first of every pair.
    let stride = if apart { 2 } else { 1 };
    let offset = if wide { "unsigned long long" } else { "unsigned" };
    let source = format!(
        r#"#include "renumber.cuh"

using Offset = {offset};

struct Arguments {{
    const Offset* old_offsets;
    const unsigned* old_neighbours;
    const unsigned* old_weights;
    const Offset* offsets;
    unsigned *neighbours, *weights, *spare, *spare_weights;
    const unsigned *new_id, *old_id;
    unsigned long long first, last, passes, task;
}};

extern "C" __global__ void __launch_bounds__({BLOCK}) renumber(const __grid_constant__ Arguments args)
{{
    __shared__ unsigned counts[{warps}][gw::DIGITS];
    const unsigned lane = gw::lane(), warp = threadIdx.x / 32;
    const unsigned long long begin = args.task == 0 ? blockIdx.x : blockIdx.x * {warps}ull + warp;
    const unsigned long long step = args.task == 0 ? gridDim.x : gridDim.x * {warps}ull;
    for (unsigned long long vertex = args.first + begin; vertex < args.last; vertex += step) {{
        const Offset at = args.offsets[vertex], old = args.old_offsets[{stride}ull * args.old_id[vertex]];
        const unsigned long long length = args.offsets[vertex + 1] - at;
        // The last pass must end in `neighbours`.
        gw::SortedList list{{args.spare + at, args.neighbours + at, nullptr, nullptr}};
        if (args.weights) list.from_weights = args.spare_weights + at, list.to_weights = args.weights + at;
        if (args.task == 2) {{
            const bool inside = lane < length;
            const unsigned key = inside ? args.new_id[args.old_neighbours[old + lane]] : 0;
            const unsigned weight = inside && args.weights ? args.old_weights[old + lane] : 0;
            gw::sort_few(list, (unsigned)length, key, weight);
            continue;
        }}
        if (args.passes % 2 == 0) list.swap();
        const unsigned threads = args.task == 0 ? {BLOCK} : 32, own = args.task == 0 ? threadIdx.x : lane;
        for (unsigned long long entry = own; entry < length; entry += threads) {{
            list.from[entry] = args.new_id[args.old_neighbours[old + entry]];
            if (args.weights) list.from_weights[entry] = args.old_weights[old + entry];
        }}
        if (args.task == 0) {{
            __syncthreads();
            gw::sort_list<{warps}>(list, length, (unsigned)args.passes, counts, warp);
        }} else {{
            __syncwarp();
            gw::sort_list<1>(list, length, (unsigned)args.passes, counts + warp, 0);
        }}
    }}
}}
"#,
        warps = BLOCK / 32
    );
    Unit { name: "renumber".into(), source, block: BLOCK }
}
