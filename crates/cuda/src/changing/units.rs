//! The kernels of lists that change.

use gw_device::Unit;

/// Threads per block: one per digit of the sort.
pub(super) const BLOCK: u32 = 256;

/// Sorts a batch by source and target.
pub(super) fn sort() -> Unit {
    let source = format!(
        r#"#define GW_BLOCK {BLOCK}
#include "radix.cuh"

struct Arguments {{
    gw::KeySort sort;
    unsigned* counter;
}};

extern "C" __global__ void __launch_bounds__({BLOCK}) sort_batch(const __grid_constant__ Arguments args)
{{
    if (args.sort.count <= gw::SORT_TILE) gw::sort_few(args.sort);
    else gw::sort_keys(args.sort, gw::Grid{{args.counter}});
}}
"#
    );
    Unit { name: "sort_batch".into(), source, block: BLOCK }
}

/// Applies a sorted batch to lists in a pool with offsets of 32 or 64 bits.
pub(super) fn apply(wide: bool) -> Unit {
    let offset = if wide { "unsigned long long" } else { "unsigned" };
    let source = format!(
        r#"#define GW_BLOCK {BLOCK}
#include "batch_apply.cuh"

extern "C" __global__ void __launch_bounds__({BLOCK}) apply_batch(const __grid_constant__ gw::Batch<{offset}> batch)
{{
    gw::apply(batch);
}}
"#
    );
    Unit { name: "apply_batch".into(), source, block: BLOCK }
}

/// All of them.
pub(crate) fn units() -> Vec<Unit> {
    vec![sort(), apply(false), apply(true)]
}
