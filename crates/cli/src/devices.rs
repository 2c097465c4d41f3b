//! `gw devices`: what programs can run on here, and what is missing for more.

use std::fmt::Write;
use std::sync::Arc;

use clap::Args;
use gw_device::nvidia::{self, Gpu, NvidiaDevice, Survey};
use gw_device::{Device, DeviceError};
use gw_meter::MachineFacts;
use serde::Serialize;

use crate::error::CliError;
use crate::output::{bytes, json, rate, text};

const HELP: &str = "\
The exit code is 0 whatever is found. GW_DEVICE chooses a GPU, GW_NVRTC names the file of the compiler, GW_CACHE the folder of
compiled kernels; docs/gpu.md explains them.";

/// Arguments of `gw devices`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Devices {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Devices {
    /// Looks and prints.
    pub fn run(self) -> Result<(), CliError> {
        let found = Found::new(MachineFacts::read(), nvidia::survey());
        match self.json {
            true => json(&found),
            false => text(&found.summary()),
        }
    }
}

/// The GPU that `--target cuda` asks for in commands that are not about programs, or why there is none.
pub fn open_gpu() -> Result<Arc<dyn Device>, CliError> {
    let refused = |error| CliError::NoResult(format!("--target cuda: {error}; --target cpu needs no GPU"));
    Ok(Arc::new(NvidiaDevice::open().map_err(refused)?))
}

/// Everything found, as printed.
#[derive(Serialize)]
struct Found {
    cpu: Cpu,
    gpus: Vec<GpuFound>,
    /// Why there are no GPUs.
    no_gpu: Option<String>,
    driver: Option<String>,
    compiler: Option<Compiler>,
    no_compiler: Option<String>,
    cache: Cache,
}

#[derive(Serialize)]
struct Cpu {
    name: Option<String>,
    cores: usize,
    memory_bytes: Option<u64>,
}

#[derive(Serialize)]
struct GpuFound {
    index: usize,
    #[serde(flatten)]
    facts: Option<GpuFacts>,
    usable: bool,
    problem: Option<String>,
}

#[derive(Serialize)]
struct GpuFacts {
    name: String,
    capability: String,
    memory_bytes: u64,
    free_bytes: Option<u64>,
    multiprocessors: u32,
    l2_bytes: u64,
    bytes_per_second: f64,
    cooperative: bool,
}

#[derive(Serialize)]
struct Compiler {
    version: String,
    path: String,
}

#[derive(Serialize)]
struct Cache {
    folder: Option<String>,
    kernels: u64,
    bytes: u64,
    problem: Option<String>,
}

impl Found {
    fn new(machine: MachineFacts, survey: Survey) -> Found {
        let version = |(major, minor): nvidia::Version| format!("{major}.{minor}");
        let (kernels, size) = survey.cache.size();
        let no_gpu = match &survey.driver {
            Err(error) => Some(error.to_string()),
            Ok(_) if survey.gpus.is_empty() => Some("the CUDA driver finds none".to_string()),
            Ok(_) => None,
        };
        let (compiler, no_compiler) = match survey.compiler {
            Ok(found) => {
                (Some(Compiler { version: version(found.version), path: found.path.display().to_string() }), None)
            }
            Err(error) => (None, Some(error.to_string())),
        };
        Found {
            cpu: Cpu { name: machine.cpu, cores: machine.cores, memory_bytes: machine.memory_bytes },
            gpus: survey.gpus.into_iter().enumerate().map(gpu).collect(),
            no_gpu,
            driver: survey.driver.ok().map(version),
            compiler,
            no_compiler,
            cache: Cache {
                folder: survey.cache.folder().map(|folder| folder.display().to_string()),
                kernels,
                bytes: size,
                problem: survey.cache.obstacle(),
            },
        }
    }

    fn summary(&self) -> String {
        let mut lines = Vec::new();
        let cores = if self.cpu.cores == 1 { "core" } else { "cores" };
        let name = self.cpu.name.as_deref().unwrap_or("unknown");
        let memory = self.cpu.memory_bytes.map(|size| format!(", {} of memory", bytes(size))).unwrap_or_default();
        lines.push(("CPU".to_string(), format!("{name}, {} {cores}{memory}", self.cpu.cores)));
        for gpu in &self.gpus {
            let summary = gpu
                .facts
                .as_ref()
                .map(GpuFacts::summary)
                .into_iter()
                .chain(gpu.problem.as_ref().map(|problem| format!("cannot be used: {problem}")));
            lines.push((format!("GPU {}", gpu.index), summary.collect::<Vec<_>>().join("\n")));
        }
        if let Some(reason) = &self.no_gpu {
            lines.push(("GPU".to_string(), format!("none: {reason}")));
        }
        if let Some(driver) = &self.driver {
            lines.push(("driver".to_string(), format!("CUDA {driver}")));
        }
        lines.push((
            "compiler".to_string(),
            match (&self.compiler, &self.no_compiler) {
                (Some(found), _) => format!("NVRTC {}, {}", found.version, found.path),
                (None, reason) => format!("none: {}", reason.as_deref().unwrap_or("not found")),
            },
        ));
        lines.push(("cache".to_string(), self.cache.summary()));
        lines.iter().fold(String::new(), |mut text, (head, told)| {
            for (number, line) in told.lines().enumerate() {
                let head = if number == 0 { head } else { "" };
                let _ = writeln!(text, "{head:<10}{line}");
            }
            text
        })
    }
}

impl GpuFacts {
    fn summary(&self) -> String {
        let free = self.free_bytes.map(|free| format!(" ({} free)", bytes(free))).unwrap_or_default();
        let cooperative = if self.cooperative { "" } else { ", no cooperative launches" };
        format!(
            "{}, compute capability {}, {} of memory{free}, {} multiprocessors, {} of L2 cache, {} peak{cooperative}",
            self.name,
            self.capability,
            bytes(self.memory_bytes),
            self.multiprocessors,
            bytes(self.l2_bytes),
            rate(self.bytes_per_second, "B/s")
        )
    }
}

impl Cache {
    fn summary(&self) -> String {
        let Some(folder) = &self.folder else { return "none: kernels are compiled in every process".to_string() };
        let kernels = if self.kernels == 1 { "kernel" } else { "kernels" };
        let problem =
            self.problem.as_ref().map(|problem| format!("; cannot be written: {problem}")).unwrap_or_default();
        format!("{folder}, {} {kernels}, {}{problem}", self.kernels, bytes(self.bytes))
    }
}

fn gpu((index, found): (usize, Result<Gpu, DeviceError>)) -> GpuFound {
    match found {
        Ok(Gpu { facts, free, obstacle }) => GpuFound {
            index,
            facts: Some(GpuFacts {
                name: facts.name,
                capability: format!("{}.{}", facts.capability.0, facts.capability.1),
                memory_bytes: facts.memory,
                free_bytes: free.ok(),
                multiprocessors: facts.processors,
                l2_bytes: facts.cache,
                bytes_per_second: facts.bandwidth,
                cooperative: facts.cooperative,
            }),
            usable: obstacle.is_none(),
            problem: obstacle,
        },
        Err(error) => GpuFound { index, facts: None, usable: false, problem: Some(error.to_string()) },
    }
}
