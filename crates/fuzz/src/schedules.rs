//! Random legal schedules for a program, from the space of every place in it.

use std::collections::HashMap;

use gw_exec::GraphVm;
use gw_ir::module::Module;
use gw_schedule::{Capabilities, Family, ProgramPoint, ProgramSchedule, Space};

use crate::case::{Machine, Trial};
use crate::dice::Dice;

/// Which machines to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Targets {
    /// The CPU machine.
    pub cpu: bool,
    /// The CUDA machine on the emulated device.
    pub emulator: bool,
    /// The CUDA machine on the GPU of this computer.
    pub cuda: bool,
}

/// Draws schedules; what was worked out for a place serves all that look the same.
pub struct Schedules {
    cpu: Capabilities,
    cuda: Capabilities,
    spaces: HashMap<(bool, ProgramPoint), (Space, Space)>,
}

/// Attempts at a schedule that the passes accept, before the default is taken.
const ATTEMPTS: usize = 4;

impl Schedules {
    /// Nothing worked out yet.
    pub fn new() -> Schedules {
        let cpu = gw_cpu::CpuVm::new(1).capabilities();
        Schedules { cpu, cuda: gw_cuda::capabilities(), spaces: HashMap::new() }
    }

    /// What to run for a program: the machine's own choice, the defaults, then random schedules.
    pub fn trials(&mut self, seed: u64, module: &Module, count: usize, targets: Targets) -> Vec<Trial> {
        let mut dice = Dice::new(seed, 2);
        let mut kinds = Vec::new();
        kinds.extend(targets.cpu.then_some(Machine::Cpu(1)));
        kinds.extend(targets.emulator.then_some(Machine::Emulator(0)));
        kinds.extend(targets.cuda.then_some(Machine::Cuda));
        let mut trials = Vec::new();
        for kind in kinds {
            for number in 0..count {
                let machine = match kind {
                    Machine::Cpu(_) => Machine::Cpu(*dice.pick(&[1, 2, 3, 3, 4])),
                    Machine::Emulator(_) => Machine::Emulator(dice.below(4) as u64),
                    other => other,
                };
                let schedule = match number {
                    0 => None,
                    1 => Some("default".to_string()),
                    _ => Some(self.draw(&mut dice, module, machine)),
                };
                trials.push(Trial { machine, schedule });
            }
        }
        trials
    }

    /// A random schedule that the passes accept.
    fn draw(&mut self, dice: &mut Dice, module: &Module, machine: Machine) -> String {
        let gpu = !matches!(machine, Machine::Cpu(_));
        let points = gw_ir::program_points(module);
        let family = if gpu { Family::Gpu } else { Family::Cpu };
        let options = gw_ir::Options { family: Some(family), ..gw_ir::Options::default() };
        for _ in 0..ATTEMPTS {
            let mut schedule = ProgramSchedule::new();
            for point in &points {
                let Some(path) = &point.path else { continue };
                if dice.percent(15) {
                    continue;
                }
                let machine = if gpu { &self.cuda } else { &self.cpu };
                let key = (gpu, point.point.clone());
                let (all, simple) = self
                    .spaces
                    .entry(key)
                    .or_insert_with(|| (Space::new(&point.point, machine), Space::simple_only(&point.point, machine)));
                let space = if dice.percent(65) { simple } else { all };
                if let Some(picked) = space.sample(dice.bits(), 1).pop() {
                    // A path that two places share keeps the last schedule.
                    drop(schedule.set(path, picked));
                }
            }
            if gw_ir::run_pipeline(module.clone(), &schedule, &options).is_ok() {
                return schedule.to_string();
            }
        }
        "default".to_string()
    }
}

impl Default for Schedules {
    fn default() -> Self {
        Schedules::new()
    }
}
