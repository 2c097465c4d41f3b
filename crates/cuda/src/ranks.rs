//! Positions of the entries of a vector in order, worked out on the device.

use gw_device::{Address, Buffer, DeviceError, Launch, Unit};
use gw_exec::{Result, Scalar, Vector};

use crate::contract::BLOCK;
use crate::error::exec_error;
use crate::executable::CudaExecutable;

impl CudaExecutable {
    /// The position of every entry, the largest first. `None` where the host must do it: entries that are no whole
    /// numbers of 32 bits, rows, or too little memory.
    pub(crate) fn ranked(&mut self, vector: &Vector) -> Result<Option<Vector>> {
        let (cells, scalar) = (vector.cells(), vector.scalar());
        let suits = matches!(scalar, Scalar::Int | Scalar::Uint)
            && cells == vector.len()
            && (1..i32::MAX as usize).contains(&cells)
            && self.context.device.facts().cooperative;
        if !suits {
            return Ok(None);
        }
        let address = self.vectors.for_reading(vector)?;
        let buffer = match self.sort_cells(address, cells, scalar) {
            Err(DeviceError::OutOfMemory { .. }) => return Ok(None),
            sorted => sorted.map_err(exec_error)?,
        };
        let ranks = Vector::zeros(Scalar::Int, &[cells])?;
        self.vectors.adopt(&ranks, buffer);
        Ok(Some(ranks))
    }

    fn sort_cells(
        &mut self,
        address: Address,
        cells: usize,
        scalar: Scalar,
    ) -> std::result::Result<Buffer, DeviceError> {
        let device = &self.context.device;
        let kernel = device.compile(&unit())?;
        let grid = device.facts().processors * kernel.blocks_per_processor.max(1);
        let array = |bytes: usize| Buffer::new(device, bytes * cells);
        let (keys, values, ranks) =
            ([array(8)?, array(8)?], [array(4)?, array(4)?], Buffer::new(device, (4 * cells).max(8))?);
        let counts = Buffer::new(device, 4 * 256 * (grid as usize + 1))?;
        let barrier = Buffer::zeroed(device, 4)?;
        let words = [
            address.0,
            keys[0].address().0,
            keys[1].address().0,
            values[0].address().0,
            values[1].address().0,
            ranks.address().0,
            counts.address().0,
            barrier.address().0,
            cells as u64,
            // Turns numbers with a sign into numbers of the same order without one.
            if scalar == Scalar::Int { 1 << 31 } else { 0 },
        ];
        device.launch(&kernel, Launch { grid, block: BLOCK, cooperative: true }, bytemuck::cast_slice(&words))?;
        Ok(ranks)
    }
}

/// The kernel.
pub(crate) fn unit() -> Unit {
    let source = format!(
        r#"#define GW_BLOCK {BLOCK}
#include "radix.cuh"

struct Arguments {{
    const unsigned* cells;
    unsigned long long* keys[2];
    unsigned* values[2];
    int* ranks;
    unsigned *counts, *barrier;
    unsigned long long count, sign;
}};

extern "C" __global__ void __launch_bounds__({BLOCK}) ranks(const __grid_constant__ Arguments args)
{{
    const gw::Grid grid{{args.barrier}};
    const unsigned count = (unsigned)args.count;
    for (unsigned at = grid.rank(); at < count; at += grid.size()) {{
        // The largest first: the sort goes by the upper half of a key.
        args.keys[1][at] = (unsigned long long)~(args.cells[at] ^ (unsigned)args.sign) << 32;
        args.values[1][at] = at;
    }}
    grid.wait();
    gw::KeySort sort{{args.keys[1], args.values[1], {{args.keys[0], args.keys[1]}}, {{args.values[0], args.values[1]}},
                     args.counts, count, 0, 4}};
    gw::sort_keys(sort, grid);
    for (unsigned at = grid.rank(); at < count; at += grid.size()) args.ranks[args.values[1][at]] = (int)at;
}}
"#
    );
    Unit { name: "ranks".into(), source, block: BLOCK }
}
