//! The sheet of an NVIDIA GPU.
//!
//! | file | concept |
//! |---|---|
//! | `table` | arithmetic operations by row |
//! | `kernels` | kernels generated from rows |
//! | `sass`, `purity` | machine code: does a benchmark measure what it names? |
//! | `runner` | launches in the steady state, with power |
//! | `arithmetic`, `memories`, `dynamic` | units, memories, benchmarks with a knob |
//! | `service` | service times of L2 and DRAM against requests in flight; atomics |
//! | `host` | launches, barriers of the grid, copies |

mod arithmetic;
mod dynamic;
mod host;
mod kernels;
mod memories;
mod purity;
mod runner;
mod sass;
mod service;
mod table;

use std::sync::Arc;
use std::time::Duration;

use gw_device::{Device, Unit};

use crate::clock::utc_now;
use crate::effort::{Effort, Listener};
use crate::error::Result;
use crate::power::{EnergyMeter, Nvml, recorded};
use crate::sheet::{GpuSheet, Sheet, Target, VERSION};
use purity::Purity;
use runner::Runner;
use service::{Server, service_time};

/// Opens the GPU that programs run on and measures it: about three minutes with power, one second per number that has
/// watts, and 40 seconds where `effort` is [`Effort::Quick`].
pub fn measure_gpu(effort: Effort, listener: &dyn Listener) -> Result<Sheet> {
    let device: Arc<dyn Device> = Arc::new(gw_device::nvidia::NvidiaDevice::open()?);
    measure_device(&device, Nvml::open(), effort, listener)
}

/// Measures an opened device, with the power of its board where that can be read.
pub fn measure_device(
    device: &Arc<dyn Device>,
    nvml: Result<Nvml, String>,
    effort: Effort,
    listener: &dyn Listener,
) -> Result<Sheet> {
    let facts = device.facts().clone();
    let mut remarks = Vec::new();
    device.compile_ahead(units());
    let idle_w = match &nvml {
        Ok(nvml) => {
            listener.begins("idle power");
            let seconds = effort.pick(4.0, 1.0);
            recorded(nvml, || std::thread::sleep(Duration::from_secs_f64(seconds))).1.watts(seconds / 4.0)
        }
        Err(reason) => {
            remarks.push(format!("no power: {reason}"));
            None
        }
    };
    let power = nvml.as_ref().ok().zip(idle_w).map(|(nvml, idle)| (nvml as &dyn EnergyMeter, idle.median));
    let quiet = Runner::new(device, None, effort)?;
    let purity = Purity::new(&format!("sm_{}{}", facts.capability.0, facts.capability.1));

    listener.begins("service times of L2 and DRAM");
    let l2_hit_s = service_time(&quiet, Server::L2Hit)?;
    let dram_sequential_s = service_time(&quiet, Server::DramSequential)?;
    let dram_random_s = service_time(&quiet, Server::DramRandom)?;
    listener.begins("atomics");
    let atomics = service::atomics(&quiet)?;
    listener.begins("launches, barriers, copies");
    let host = host::measure(&quiet)?;
    let clock_ghz = host::clock_ghz(&quiet)?;
    drop(quiet);

    let runner = Runner::new(device, power, effort)?;
    listener.begins("arithmetic");
    let arithmetic = arithmetic::measure(&runner, &purity)?;
    listener.begins("memories");
    let memories = memories::measure(&runner, &purity)?;
    listener.begins("benchmarks with a knob");
    let dynamic = dynamic::measure(&runner)?;
    if let Some(state) = nvml.as_ref().ok().and_then(Nvml::state) {
        remarks.push(format!(
            "after the benchmarks: multiprocessors at {} MHz, memory at {} MHz, {} degrees Celsius, reasons for lower clocks \
             {:#x}",
            state.sm_mhz, state.memory_mhz, state.celsius, state.held_back
        ));
    }
    remarks.extend(purity.complaints());
    Ok(Sheet {
        version: VERSION,
        machine: facts.name.clone(),
        target: Target::Cuda,
        measured: utc_now(),
        quick: effort == Effort::Quick,
        cpu: None,
        gpu: Some(GpuSheet {
            capability: format!("{}.{}", facts.capability.0, facts.capability.1),
            multiprocessors: facts.processors,
            clock_ghz,
            l2_bytes: facts.cache,
            memory_bytes: facts.memory,
            specified_bytes_per_second: facts.bandwidth,
            resident_warps_per_sm: host.resident_warps_per_sm,
            l2_hit_s,
            dram_sequential_s,
            dram_random_s,
            atomics,
            launch_us: host.launch_us,
            launch_and_wait_us: host.launch_and_wait_us,
            grid_barrier_us: host.grid_barrier_us,
            copies: host.copies,
            arithmetic,
            memories,
            dynamic,
            idle_w,
            power_source: power.map(|(meter, _)| meter.name()),
            software: format!("driver of CUDA {}, {}", facts.driver, facts.compiler),
        }),
        remarks,
    })
}

/// All kernels, for compiling them side by side.
fn units() -> Vec<Unit> {
    let mut units = vec![kernels::links(), kernels::empty(), kernels::grid_barriers()];
    units.extend([1, 2, 4, 8].map(|chains| kernels::chase("cg", chains, 8 * chains)));
    units.extend(kernels::ATOMICS.iter().map(|(name, ptx)| kernels::atomic(name, ptx)));
    units.extend(table::ARITHMETIC.iter().flat_map(|row| [arithmetic::rate_unit(row), arithmetic::latency_unit(row)]));
    units.extend(memories::units().into_iter().map(|(unit, ..)| unit));
    units.extend(dynamic::units());
    units
}

#[cfg(test)]
mod tests;
