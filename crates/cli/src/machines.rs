//! The machines that `--target` names, and which of them `auto` is.

use clap::ValueEnum;
use gw_cpu::CpuVm;
use gw_cuda::device::DeviceError;
use gw_exec::{ErrorKind, ExecError, GraphVm, ReferenceVm};
use gw_schedule::Family;

use crate::error::CliError;

/// Machines.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Single-threaded and simple: defines what programs mean
    Reference,
    /// Machine code for this computer's processor, on several threads
    Cpu,
    /// Machine code for an NVIDIA GPU (see `gw devices`)
    Cuda,
    /// The GPU where there is one and the graph fits, else the processor
    Auto,
}

/// A machine ready for use.
pub struct Machine {
    /// It.
    pub vm: Box<dyn GraphVm>,
    /// Threads of the host that it computes with.
    pub threads: usize,
    /// It was chosen and not asked for: the CPU may take over from it.
    pub replaceable: bool,
}

impl Target {
    /// Its name in records and its family, without opening it.
    pub fn name_and_family(self) -> Result<(&'static str, Family), CliError> {
        match self {
            Target::Reference => Ok(("reference", Family::Cpu)),
            Target::Cpu => Ok(("cpu", Family::Cpu)),
            Target::Cuda => Ok(("cuda", Family::Gpu)),
            Target::Auto => {
                Err(CliError::Usage("--target auto: name the machine here: cpu, cuda or reference".to_string()))
            }
        }
    }

    /// Opens the machine; `threads` is 0 for all cores.
    pub fn open(self, threads: usize) -> Result<Machine, CliError> {
        match self {
            Target::Reference => Ok(Machine { vm: Box::new(ReferenceVm::new()), threads: 1, replaceable: false }),
            Target::Cpu => Ok(cpu(threads)),
            Target::Cuda => Ok(Machine { vm: cuda()?, threads: 1, replaceable: false }),
            Target::Auto => match cuda() {
                Ok(vm) => Ok(Machine { vm, threads: 1, replaceable: true }),
                // No GPU is nothing to talk about; one that is there and fails is.
                Err(DeviceError::Missing(_)) => Ok(cpu(threads)),
                Err(error) => {
                    eprintln!("gw: the GPU cannot be used: {error}; running on the CPU");
                    Ok(cpu(threads))
                }
            },
        }
    }
}

/// The CPU; `threads` is 0 for all cores.
pub fn cpu(threads: usize) -> Machine {
    let count = match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    Machine { vm: Box::new(CpuVm::new(threads)), threads: count, replaceable: false }
}

fn cuda() -> Result<Box<dyn GraphVm>, DeviceError> {
    gw_cuda::CudaVm::open().map(|vm| Box::new(vm) as Box<dyn GraphVm>)
}

/// The error by which a run says that its graph or vectors are too large for the memory of the machine.
pub fn out_of_memory(error: &CliError) -> Option<&ExecError> {
    match error {
        CliError::Prepare(error) | CliError::Run { error, .. } => {
            matches!(error.kind(), ErrorKind::OutOfMemory { .. }).then_some(error)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lack_of_memory_is_a_reason_for_another_machine() {
        let file = gw_lang::SourceFile::new("p.gt", "");
        let run = |kind: ErrorKind| CliError::Run { error: kind.into(), file: file.clone() };
        let memory = || ErrorKind::OutOfMemory { what: "the graph".into() };
        assert!(out_of_memory(&run(memory())).is_some());
        assert!(out_of_memory(&CliError::Prepare(memory().into())).is_some());
        assert!(out_of_memory(&run(ErrorKind::Cancelled)).is_none());
        assert!(out_of_memory(&CliError::Usage(String::new())).is_none());
    }
}
