//! What there is of GPUs, driver and compiler, and what is missing: for `gw devices`.

use std::path::PathBuf;

use super::cache::Cache;
use super::context::Context;
use super::nvrtc::Nvrtc;
use super::{driver, facts};
use crate::{DeviceError, Facts};

pub use super::driver::Version;

/// Everything found on this computer. Each part that is not there says why.
#[derive(Debug, Clone)]
pub struct Survey {
    /// The driver's version of CUDA, or why there is no driver.
    pub driver: Result<Version, DeviceError>,
    /// The GPUs, by their numbers.
    pub gpus: Vec<Result<Gpu, DeviceError>>,
    /// The compiler, or why there is none.
    pub compiler: Result<CompilerFound, DeviceError>,
    /// Where compiled kernels are kept.
    pub cache: Cache,
}

/// A GPU.
#[derive(Debug, Clone)]
pub struct Gpu {
    /// What the driver tells about it.
    pub facts: Facts,
    /// Bytes of its memory that nobody uses, or why that is not known.
    pub free: Result<u64, DeviceError>,
    /// Why it cannot be used, and what to do about it.
    pub obstacle: Option<String>,
}

/// The compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompilerFound {
    /// Its version.
    pub version: Version,
    /// The file it was loaded from.
    pub path: PathBuf,
}

/// Looks for everything; nothing that is missing is an error.
pub fn survey() -> Survey {
    let compiler = compiler();
    let driver = driver::start();
    let gpus = match &driver {
        Ok(version) => match driver::device_count() {
            Ok(count) => (0..count).map(|index| gpu(index, *version)).collect(),
            Err(error) => vec![Err(error)],
        },
        Err(_) => Vec::new(),
    };
    Survey { driver, gpus, compiler, cache: Cache::of_user() }
}

/// The compiler NVRTC, or why there is none. No GPU is needed.
pub fn compiler() -> Result<CompilerFound, DeviceError> {
    Nvrtc::get().map(|nvrtc| CompilerFound { version: nvrtc.version, path: nvrtc.path.clone() })
}

fn gpu(index: u32, driver: Version) -> Result<Gpu, DeviceError> {
    let device = facts::device(index)?;
    let facts = facts::read(device, driver)?;
    // The driver tells how much is free only to who has a context.
    let free = Context::open(device).and_then(|context| context.memory()).map(|(free, _)| free);
    let obstacle = match (Nvrtc::get(), &free) {
        (Err(_), _) => Some("the compiler NVRTC is missing".to_string()),
        (_, Err(error)) => Some(error.to_string()),
        (Ok(nvrtc), Ok(_)) => facts::obstacle(facts.capability, driver, nvrtc.version, &nvrtc.architectures),
    };
    Ok(Gpu { facts, free, obstacle })
}
