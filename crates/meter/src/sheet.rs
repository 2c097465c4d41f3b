//! The sheet of a machine: what its memory, units and power reach, as numbers with units and spreads.
//!
//! A sheet is a JSON file. `gw meter` measures it and keeps it beside the other caches of the user; everybody who wants
//! to know the machine (`gw explain`, the lab) finds it there by [`Sheet::find`].

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::curve::Curve;
use crate::error::{MeterError, Result};
use crate::measured::Measured;

/// Version of the sheets that this program writes and reads.
pub const VERSION: u64 = 1;

/// The kind of machine that a sheet describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// The processor.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
}

impl Target {
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Target::Cpu => "cpu",
            Target::Cuda => "cuda",
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is known about one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// [`VERSION`] of the program that wrote the sheet.
    pub version: u64,
    /// Name of the processor or device.
    pub machine: String,
    /// What kind of machine it is.
    pub target: Target,
    /// When it was measured, in UTC, such as `2026-01-31T23:59:59Z`.
    pub measured: String,
    /// The quick version of every benchmark was taken: fewer points and repetitions.
    #[serde(default)]
    pub quick: bool,
    /// What was found out about a processor; present for [`Target::Cpu`].
    pub cpu: Option<CpuSheet>,
    /// What was found out about a device; present for [`Target::Cuda`].
    pub gpu: Option<GpuSheet>,
    /// Remarks for a reader: what could not be measured and why.
    #[serde(default)]
    pub remarks: Vec<String>,
}

/// A cache of a processor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CacheFact {
    /// 1 is nearest.
    pub level: u32,
    /// Size in bytes as the system tells it.
    pub bytes: u64,
    /// Bytes of a line.
    pub line_bytes: u32,
    /// Logical processors that share the cache.
    pub shared_by: u32,
}

/// A level of a processor's memory: `L1`, `L2`, `L3` or `DRAM`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// `L1`, `L2`, `L3` or `DRAM`.
    pub name: String,
    /// Bytes of the array whose accesses were measured.
    pub footprint_bytes: u64,
    /// Seconds per access of one core against the number of independent chains of dependent loads (1 to 32). One chain
    /// gives the latency.
    pub seconds_per_access: Curve,
    /// Bytes read per second by all cores together against the number of cores that read.
    pub read_bytes_per_second: Curve,
}

/// What was found out about a processor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CpuSheet {
    /// Processors that the measuring process could use.
    pub cores: u32,
    /// Nanoseconds of one simple integer operation in a chain of dependent ones: a cycle.
    pub cycle_ns: Measured,
    /// Caches, nearest first.
    pub caches: Vec<CacheFact>,
    /// Levels of memory, nearest first, `DRAM` last.
    pub levels: Vec<Level>,
    /// Bytes read and written per second by the triad `a = b + s * c` against the number of cores.
    pub triad_bytes_per_second: Curve,
    /// Nanoseconds of an atomic addition to a line that no other core touches.
    pub atomic_own_line_ns: Measured,
    /// Nanoseconds between two atomic additions to one line that all cores update; `None` with one core.
    pub atomic_shared_line_ns: Option<Measured>,
    /// Microseconds from waking a parked thread until it runs.
    pub wake_us: Measured,
    /// Watts of the package without work; `None` where the system does not let us read them.
    pub idle_w: Option<Measured>,
    /// Watts of the package with all cores reading memory; `None` where the system does not let us read them.
    pub busy_w: Option<Measured>,
    /// The pages behind the arrays: `huge` or `small`.
    pub pages: String,
}

impl CpuSheet {
    /// The level of a name: `L1`, `L2`, `L3` or `DRAM`.
    pub fn level(&self, name: &str) -> Option<&Level> {
        self.levels.iter().find(|level| level.name == name)
    }
}

/// A kind of atomic operation of a device and its rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AtomicRate {
    /// What is done, such as `add u32`.
    pub operation: String,
    /// Where the targets lie: `same address`, `spread L2` or `spread DRAM`.
    pub place: String,
    /// Operations per second of the whole device.
    pub operations_per_second: Measured,
}

/// An operation of an arithmetic unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// Name of the benchmark, such as `fp32 fma`.
    pub name: String,
    /// Class in the catalogue, such as `fp32 simple`.
    pub class: String,
    /// The operation in PTX.
    pub ptx: String,
    /// Results per clock cycle and multiprocessor.
    pub per_cycle_per_sm: Measured,
    /// The rate of the vendor's documentation, in the same unit.
    pub specified_per_cycle_per_sm: Option<f64>,
    /// Cycles from operands to result, by one chain of one warp.
    pub latency_cycles: Option<Measured>,
    /// Nanojoules per operation of one thread, idle power subtracted.
    pub net_nj: Option<Measured>,
    /// Watts of the whole device in the steady state.
    pub watts: Option<Measured>,
    /// Machine instructions of the operation, as a share of all in the timed loop; `None` where nobody looked.
    pub purity: Option<f64>,
    /// Machine instructions that one operation became.
    pub machine_instructions: Option<f64>,
}

/// A memory of a device and its rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryRate {
    /// `shared`, `constant`, `L1`, `L2` or `DRAM`.
    pub memory: String,
    /// `load` or `store`.
    pub access: String,
    /// Requests of a warp per cycle and multiprocessor.
    pub warp_requests_per_cycle_per_sm: Measured,
    /// Bytes per second of the whole device.
    pub bytes_per_second: Measured,
    /// Cycles of one dependent load.
    pub latency_cycles: Option<Measured>,
    /// Nanojoules per warp request, idle power subtracted.
    pub net_nj: Option<Measured>,
    /// Watts of the whole device in the steady state.
    pub watts: Option<Measured>,
    /// Machine instructions of the access, as a share of all in the timed loop.
    pub purity: Option<f64>,
}

/// A benchmark whose intensity is turned by a knob.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dynamic {
    /// Such as `coalescence` or `bank conflicts`.
    pub name: String,
    /// What the knob counts, such as `threads per contiguous group`.
    pub knob: String,
    /// Measured points by rising knob.
    pub points: Vec<DynamicPoint>,
}

/// A point of a [`Dynamic`] benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DynamicPoint {
    /// The setting of the knob.
    pub knob: f64,
    /// Nanoseconds of the whole device per unit of work, which is the same at every setting.
    pub ns_per_unit: Measured,
    /// Rate at this setting as a share of the best setting: the characterisation function `F`, 1 at the ideal point.
    pub share_of_best: f64,
    /// Watts of the whole device.
    pub watts: Option<Measured>,
    /// Nanojoules per unit of work, idle power subtracted.
    pub net_nj: Option<Measured>,
}

/// Copies between host and device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Copies {
    /// Bytes per second to the device against the bytes of a copy.
    pub to_device_bytes_per_second: Curve,
    /// Bytes per second from the device against the bytes of a copy.
    pub from_device_bytes_per_second: Curve,
    /// Bytes per second that copies within the device read and write, counted together.
    pub within_device_bytes_per_second: Measured,
    /// Microseconds of a copy of 4 bytes to the device and the wait for it.
    pub to_device_latency_us: Measured,
    /// Microseconds of a copy of 4 bytes from the device.
    pub from_device_latency_us: Measured,
}

/// What was found out about a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GpuSheet {
    /// Compute capability, such as `9.0`.
    pub capability: String,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Clock of the multiprocessors in GHz while the benchmarks ran.
    pub clock_ghz: Measured,
    /// Bytes of the second-level cache.
    pub l2_bytes: u64,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Bytes per second of the memory by the driver's description of its bus.
    pub specified_bytes_per_second: f64,
    /// Warps that can be resident on one multiprocessor.
    pub resident_warps_per_sm: u32,
    /// Seconds per 32-byte sector that hits in L2, against the sectors requested and not yet answered on the device.
    pub l2_hit_s: Curve,
    /// Seconds per 32-byte sector read from DRAM in rising order of addresses (rows stay open), against those in
    /// flight.
    pub dram_sequential_s: Curve,
    /// Seconds per 32-byte sector read from DRAM at random addresses (each opens a row), against those in flight.
    pub dram_random_s: Curve,
    /// Rates of atomic operations.
    pub atomics: Vec<AtomicRate>,
    /// Microseconds from one launch of an empty kernel to the next in a full queue.
    pub launch_us: Measured,
    /// Microseconds of launching an empty kernel and waiting for its end.
    pub launch_and_wait_us: Measured,
    /// Microseconds of a barrier over a grid that fills the device.
    pub grid_barrier_us: Measured,
    /// Copies.
    pub copies: Copies,
    /// Arithmetic.
    pub arithmetic: Vec<Operation>,
    /// Memories.
    pub memories: Vec<MemoryRate>,
    /// Benchmarks with a knob.
    pub dynamic: Vec<Dynamic>,
    /// Watts without work; `None` where no meter could be read.
    pub idle_w: Option<Measured>,
    /// Where watts and joules come from, such as `NVML energy counter`; `None` where no meter could be read.
    pub power_source: Option<String>,
    /// Driver and compiler, for the record.
    pub software: String,
}

impl GpuSheet {
    /// The rate of an atomic operation at a place, in operations per second.
    pub fn atomic(&self, operation: &str, place: &str) -> Option<f64> {
        let mut rates = self.atomics.iter().filter(|rate| rate.operation == operation && rate.place == place);
        rates.next().map(|rate| rate.operations_per_second.median)
    }

    /// The benchmark with a knob of this name.
    pub fn dynamic(&self, name: &str) -> Option<&Dynamic> {
        self.dynamic.iter().find(|dynamic| dynamic.name == name)
    }
}

impl Sheet {
    /// Reads a sheet.
    pub fn load(path: &Path) -> Result<Sheet> {
        let text =
            std::fs::read_to_string(path).map_err(|source| MeterError::File { path: path.to_path_buf(), source })?;
        Sheet::parse(&text, path)
    }

    /// Reads a sheet about one kind of machine.
    pub fn load_for(path: &Path, wanted: Target) -> Result<Sheet> {
        let sheet = Sheet::load(path)?;
        if sheet.target != wanted {
            return Err(MeterError::WrongTarget { path: path.to_path_buf(), found: sheet.target, wanted });
        }
        Ok(sheet)
    }

    /// Reads a sheet from its text; `path` is named in errors.
    pub fn parse(text: &str, path: &Path) -> Result<Sheet> {
        /// What is looked at before the rest, since another version may have other fields.
        #[derive(Deserialize)]
        struct Head {
            version: u64,
            target: String,
        }
        let no_sheet = |reason: String| MeterError::NoSheet { path: path.to_path_buf(), reason };
        let head: Head = serde_json::from_str(text).map_err(|e| no_sheet(e.to_string()))?;
        if head.version != VERSION {
            let path = path.to_path_buf();
            return Err(MeterError::Version { path, found: head.version, wanted: VERSION, target: head.target });
        }
        let sheet: Sheet = serde_json::from_str(text).map_err(|e| no_sheet(e.to_string()))?;
        match (sheet.target, &sheet.cpu, &sheet.gpu) {
            (Target::Cpu, Some(_), None) | (Target::Cuda, None, Some(_)) => match crate::plausible::problem(&sheet) {
                None => Ok(sheet),
                Some(reason) => Err(no_sheet(format!("{reason}; `gw meter --target {}` makes another", sheet.target))),
            },
            (target, ..) => {
                let part = if target == Target::Cpu { "cpu" } else { "gpu" };
                Err(no_sheet(format!("its target is {target}, so it must have the part `{part}` and no other")))
            }
        }
    }

    /// Writes the sheet, all or nothing, and makes the folder where needed.
    pub fn save(&self, path: &Path) -> Result<()> {
        let failed = |source| MeterError::File { path: path.to_path_buf(), source };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(failed)?;
        let mut text = serde_json::to_string_pretty(self).map_err(|e| failed(e.into()))?;
        text.push('\n');
        match gw_graph::format::write_file(path, text.as_bytes()) {
            Ok(_) => Ok(()),
            Err(gw_graph::GraphError::Io { source, .. }) => Err(failed(source)),
            Err(other) => Err(failed(std::io::Error::other(other.to_string()))),
        }
    }

    /// Where the sheet of this machine for a target is kept: `meter-cpu.json` or `meter-cuda.json` in
    /// [`gw_graph::cache_folder`].
    pub fn kept_at(target: Target) -> Result<PathBuf> {
        Ok(gw_graph::cache_folder().ok_or(MeterError::NoFolder)?.join(format!("meter-{target}.json")))
    }

    /// The sheet that was kept for a target, or [`MeterError::NotMeasured`].
    pub fn find(target: Target) -> Result<Sheet> {
        let path = Sheet::kept_at(target)?;
        match Sheet::load_for(&path, target) {
            Err(MeterError::File { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                Err(MeterError::NotMeasured { target })
            }
            result => result,
        }
    }
}
