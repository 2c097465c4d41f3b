//! `gw compile`: what the compiler makes of a program, stage by stage.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use graphwright::Program;
use graphwright::schedule::{AUTO, Origin, Settled};
use gw_cpu::CpuVm;
use gw_exec::{Choice, GraphVm};
use gw_graph::{Graph, GraphSpec};
use gw_ir::Module;
use gw_schedule::{Family, ProgramSchedule};

use super::source;
use crate::error::CliError;
use crate::output::text;
use crate::progress::Bar;

const HELP: &str = "\
Examples:
  gw compile bfs                                     GraphIR after all passes
  gw compile mine.gt --emit source                   a program of several files as one text
  gw compile bfs --after binding                        GraphIR on the way
  gw compile bfs --emit asm --graph kron:16          machine code under the schedule that the CPU chooses for a graph
  gw compile bfs --emit cuda --graph kron:16         CUDA C++ under the schedule that a GPU chooses for it
  gw compile bfs --emit swarm                        C++ with ordered loops, as for the Swarm machine
  gw compile bfs --emit cuda --schedule 's0@loop=fused;s0:s1@push,lb=twc'

Without --schedule and --graph the program's own schedule is taken, else the defaults; for --emit cuda also where the program's
own is for CPUs. No GPU is needed.";

/// Arguments of `gw compile`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Compile {
    /// A standard program (see `gw programs`) or a .gt file
    program: String,
    /// What to print
    #[arg(long, value_enum, default_value_t = Emit::Graphir)]
    emit: Emit,
    /// A schedule: canonical text such as s0:s1@pull, or a file with schedule statements
    #[arg(long, value_name = "FILE|TEXT")]
    schedule: Option<String>,
    /// Let the machine choose the schedule for this graph; with clif, asm and cuda
    #[arg(long, value_name = "FILE|SPEC")]
    graph: Option<String>,
    /// Print GraphIR as it is after this pass [default: the last]
    #[arg(long, value_name = "PASS")]
    after: Option<String>,
}

/// Stages of the compiler.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The program as one text, with the declarations of all files that it uses
    Source,
    /// The words of the program
    Tokens,
    /// The syntax tree
    Ast,
    /// GraphIR after the passes
    Graphir,
    /// The schedule in canonical text
    Schedule,
    /// Cranelift's form of the kernels of the CPU machine
    Clif,
    /// The kernels of the CPU machine as assembly
    Asm,
    /// The kernels of the CUDA machine as CUDA C++
    Cuda,
    /// The program as C++ with ordered loops, as for the Swarm machine
    Swarm,
    /// The task programs of the Swarm machine
    Tasks,
}

impl Compile {
    /// Compiles and prints.
    pub fn run(self) -> Result<(), CliError> {
        if self.after.is_some() && self.emit != Emit::Graphir {
            return Err(CliError::Usage("--after goes with --emit graphir".to_string()));
        }
        if self.graph.is_some() && !matches!(self.emit, Emit::Clif | Emit::Asm | Emit::Cuda) {
            return Err(CliError::Usage("--graph goes with --emit clif, asm and cuda".to_string()));
        }
        if self.graph.is_some() && self.schedule.as_deref().is_some_and(|given| given != AUTO) {
            return Err(CliError::Usage("--graph lets the machine choose: it goes without --schedule".to_string()));
        }
        match self.emit {
            Emit::Source => {
                let program = source::find(&self.program)?;
                let written = program.file().text.trim_end();
                text(&format!("{written}\n"))
            }
            Emit::Tokens => {
                let file = Program::text_of(&self.program)?;
                let (tokens, found) = gw_lang::tokens(&file);
                text(&gw_lang::lexer::dump(&file, &tokens))?;
                match gw_lang::diagnostic::has_errors(&found) {
                    true => Err(CliError::Program { found, file }),
                    false => Ok(()),
                }
            }
            Emit::Ast => {
                let file = Program::text_of(&self.program)?;
                let (ast, found) = gw_lang::parse(&file);
                text(&gw_lang::dump::dump(&file, &ast))?;
                match gw_lang::diagnostic::has_errors(&found) {
                    true => Err(CliError::Program { found, file }),
                    false => Ok(()),
                }
            }
            _ => self.checked(&source::find(&self.program)?),
        }
    }

    /// The stages behind the checks of the language.
    fn checked(&self, program: &Program) -> Result<(), CliError> {
        let fixed = || source::fixed_schedule(program, self.schedule.as_deref());
        match self.emit {
            Emit::Source | Emit::Tokens | Emit::Ast => Ok(()),
            Emit::Graphir => text(&gw_ir::print(&passes(program.module(), fixed()?, self.after.as_deref())?)),
            Emit::Schedule => text(&format!("{}\n", fixed()?)),
            Emit::Clif | Emit::Asm => {
                let vm = CpuVm::new(0);
                let (module, schedule) = match &self.graph {
                    Some(graph) => chosen(program, graph, |module, graph| vm.choose(module, graph))?,
                    None => (program.module().clone(), fixed()?),
                };
                for (kernel, listing) in vm.listings(Arc::new(passes(&module, schedule, None)?))? {
                    let code = if self.emit == Emit::Clif { listing.clif } else { listing.assembly };
                    text(&format!("; {kernel}\n{code}\n"))?;
                }
                Ok(())
            }
            Emit::Cuda => {
                let (module, mut schedule) = match &self.graph {
                    Some(graph) => chosen(program, graph, gw_cuda::choose)?,
                    None => (program.module().clone(), self.for_gpu(program.module(), fixed()?)?),
                };
                schedule.set_family(Some(Family::Gpu));
                let kernels = gw_cuda::listings(&Arc::new(passes(&module, schedule.clone(), None)?))?;
                let kernels: Vec<String> = kernels.into_iter().map(|kernel| kernel.source).collect();
                text(&format!("// {} under {schedule}\n\n{}", program.name(), kernels.join("\n")))
            }
            Emit::Swarm | Emit::Tasks => {
                let mut schedule = self.for_swarm(fixed()?)?;
                schedule.set_family(Some(Family::Swarm));
                let module = Arc::new(passes(program.module(), schedule.clone(), None)?);
                if self.emit == Emit::Swarm {
                    let code = gw_swarm::emit::cpp(&module);
                    return text(&format!("// {} under {schedule}\n\n{code}", program.name()));
                }
                let machine = swarm()?;
                for (title, functions) in machine.listings(&module)? {
                    text(&format!("== {title}\n{}\n", functions.join("\n")))?;
                }
                Ok(())
            }
        }
    }

    /// The given schedule, which must suit the Swarm machine; without one the defaults where the program's own does
    /// not.
    fn for_swarm(&self, schedule: ProgramSchedule) -> Result<ProgramSchedule, CliError> {
        let capabilities = swarm()?.capabilities();
        let places = schedule.labels().map(|(_, schedule)| schedule).chain(schedule.everywhere());
        let refused: Vec<String> =
            places.flat_map(|schedule| capabilities.unsupported(schedule)).map(|reason| reason.to_string()).collect();
        match (refused.is_empty(), self.schedule.is_some()) {
            (true, _) => Ok(schedule),
            (false, true) => Err(CliError::Unsupported(refused.join("; "))),
            (false, false) => Ok(ProgramSchedule::default()),
        }
    }

    /// The given schedule, which must suit GPUs; without one the program's own if it does, else the defaults.
    fn for_gpu(&self, module: &Module, schedule: ProgramSchedule) -> Result<ProgramSchedule, CliError> {
        let refused = refusals(module, &schedule);
        match (refused.first(), self.schedule.is_some()) {
            (None, _) => Ok(schedule),
            (Some(_), true) => Err(CliError::Unsupported(refused.join("; "))),
            (Some(reason), false) => {
                eprintln!("gw: the program's own schedule is not for GPUs ({reason}); the defaults are taken");
                Ok(ProgramSchedule::default())
            }
        }
    }
}

/// The Swarm machine as published.
fn swarm() -> Result<gw_swarm::SwarmVm, CliError> {
    gw_swarm::SwarmVm::new(gw_swarm::Config::default()).map_err(|error| CliError::Unsupported(error.to_string()))
}

/// The module under a schedule, after all passes or after the named one.
fn passes(module: &Module, schedule: ProgramSchedule, after: Option<&str>) -> Result<Module, CliError> {
    Ok(Settled::fixed(module.clone(), schedule, Origin::Given).optimised_after(after)?.0)
}

/// Why a GPU cannot run a schedule; empty when it can.
fn refusals(module: &Module, schedule: &ProgramSchedule) -> Vec<String> {
    let capabilities = gw_cuda::capabilities();
    let places = schedule.labels().map(|(_, schedule)| schedule).chain(schedule.everywhere());
    let mut reasons: Vec<String> =
        places.flat_map(|schedule| capabilities.unsupported(schedule)).map(|reason| reason.to_string()).collect();
    let mut schedule = schedule.clone();
    schedule.set_family(Some(Family::Gpu));
    reasons.extend(passes(module, schedule, None).err().map(|error| error.to_string()));
    reasons
}

/// The program under the schedule that a machine chooses for a graph.
fn chosen(
    program: &Program,
    graph: &str,
    choose: impl Fn(Module, &Graph) -> (Module, Choice),
) -> Result<(Module, ProgramSchedule), CliError> {
    let mut loaded = Arc::new(GraphSpec::parse(graph)?.load(&Bar::new())?.graph);
    if let Some(standard) = program.as_standard() {
        loaded = standard.suit(loaded, graph).map_err(|error| CliError::Unsupported(error.to_string()))?.graph;
    }
    let (module, choice) = choose(program.module().clone(), &loaded);
    Ok((module, choice.schedule))
}
