//! Sequences of runs on all machines, also those that `gw check` does not know: the emulated GPU, and the processor
//! with several threads that share even the smallest work.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use graphwright::Machine;
use gw_cpu::CpuVm;
use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_lab::{Played, SequenceKind, SequenceReport, Sequences, Targets, run_sequences};

/// Threads of the machine `cpu:3`.
const THREADS: usize = 3;

/// What to draw.
pub struct Wanted {
    /// The machines, by names of [`targets`]; `flow` stands for all numbers of workers.
    pub on: Vec<String>,
    /// The programs; all where there is none.
    pub programs: Vec<String>,
    /// The seed of the first sequence.
    pub seed: u64,
    /// The number of sequences.
    pub count: u64,
    /// Of a hundred sequences, those with a random schedule.
    pub random: u64,
    /// The session ends after this time.
    pub time: Option<Duration>,
}

/// The machines by name: the standard ones, `cpu:3`, and `emulator`.
pub fn targets() -> Targets {
    let mut targets = Targets::standard(2);
    targets.add("cpu:3", || Ok(Machine::new(CpuVm::with_tiny_chunks(THREADS), THREADS)));
    targets.add("emulator", || {
        let device = EmulatedDevice::open()?;
        Ok(Machine::new(CudaVm::on(Arc::new(device)), 1))
    });
    targets
}

/// Runs a session; `done` hears of every sequence.
pub fn run(wanted: &Wanted, done: &mut dyn FnMut(&Played)) -> Result<SequenceReport, String> {
    let targets = targets();
    let mut on = Vec::new();
    for name in &wanted.on {
        let found = targets.of(name);
        if found.is_empty() {
            return Err(format!("there is no machine `{name}` for sequences"));
        }
        on.extend(found);
    }
    let programs: Result<Vec<_>, _> = match wanted.programs.is_empty() {
        true => Ok(gw_programs::programs().iter().collect()),
        false => wanted.programs.iter().map(|name| gw_programs::find(name)).collect(),
    };
    let session = Sequences {
        targets: &targets,
        // Runs are saved on every machine for every other one.
        partners: on.clone(),
        on,
        programs: programs.map_err(|error| error.to_string())?,
        kinds: SequenceKind::ALL.into(),
        seed: wanted.seed,
        count: wanted.count,
        random: wanted.random,
        command: "gw-fuzz sequences --play".to_string(),
        cancel: Arc::default(),
    };
    if let Some(time) = wanted.time {
        let cancel = Arc::clone(&session.cancel);
        std::thread::spawn(move || {
            std::thread::sleep(time);
            cancel.store(true, Ordering::Relaxed);
        });
    }
    Ok(run_sequences(&session, done))
}
