//! Running a case on one machine, and what came out.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gw_cpu::CpuVm;
use gw_exec::{ErrorKind, ExecError, GraphVm, Output, Program, ReferenceVm, RunOptions, SpecGraphs, Value};
use gw_graph::Graph;
use gw_ir::module::Module;
use gw_ir::types::Scalar;
use gw_lang::{SourceFile, compile_front};
use gw_schedule::ProgramSchedule;

use crate::case::{Case, Machine, Trial};
use crate::guard;

/// What a run left behind.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It came to its end.
    Done {
        /// Printed lines.
        printed: Vec<String>,
        /// Vectors and numbers, by name.
        globals: Vec<(String, Data)>,
    },
    /// It ended with a run-time error.
    Fault(Fault),
    /// The schedule or the program is refused, with the reason.
    Refused(String),
    /// It took too long.
    Stopped,
    /// The machine panicked.
    Panicked(String),
}

/// A run-time error.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The name of the kind.
    pub kind: String,
    /// The message.
    pub message: String,
    /// The line of the program; 0 when unknown.
    pub line: u32,
    /// Printed before.
    pub printed: Vec<String>,
}

/// The value of a global.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Integers and truth values.
    Whole(Vec<i64>),
    /// Reals.
    Real(Vec<f64>),
}

/// A compiled front end and the machines used so far.
pub struct Machines {
    cpu: HashMap<usize, CpuVm>,
    emulators: HashMap<u64, Box<dyn GraphVm>>,
    cuda: Option<Box<dyn GraphVm>>,
}

/// A writer that several owners share.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn lines(&self) -> Vec<String> {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).lines().map(str::to_string).collect()
    }
}

/// The module of a program as lowered, before any pass.
pub fn lower(program: &str) -> Result<Module, String> {
    let file = SourceFile::new("program.gt", program);
    let front = compile_front(&file).map_err(|found| gw_lang::diagnostic::render(&found, &file, false))?;
    gw_ir::lower(&front.typed, program).map_err(|error| error.to_string())
}

/// An error unless a program in several files, cut as `seed` says, is the same program as in one.
pub fn same_in_files(program: &str, seed: u64) -> Result<(), String> {
    let files = crate::generate::in_files(program, seed);
    let source = files.source();
    let front = compile_front(&source)
        .map_err(|found| format!("in several files:\n{}", gw_lang::diagnostic::render(&found, &source, false)))?;
    let module = gw_ir::lower(&front.typed, &source.text).map_err(|error| error.to_string())?;
    match module == lower(&files.single)? {
        true => Ok(()),
        false => Err(format!("a program in several files is another one:\n{}", source.text)),
    }
}

impl Machines {
    /// None so far.
    pub fn new() -> Machines {
        Machines { cpu: HashMap::new(), emulators: HashMap::new(), cuda: None }
    }

    fn get(&mut self, machine: Machine) -> Result<&dyn GraphVm, String> {
        match machine {
            Machine::Cpu(threads) => Ok(self.cpu.entry(threads).or_insert_with(|| match threads {
                0 | 1 => CpuVm::new(1),
                many => CpuVm::with_tiny_chunks(many),
            })),
            Machine::Emulator(seed) => Ok(&**match self.emulators.entry(seed) {
                Entry::Occupied(made) => made.into_mut(),
                Entry::Vacant(place) => place.insert(crate::device::emulator(seed)?),
            }),
            Machine::Cuda => {
                if self.cuda.is_none() {
                    self.cuda = Some(crate::device::nvidia()?);
                }
                self.cuda.as_deref().ok_or_else(|| "no GPU".to_string())
            }
            Machine::Shuffled(_) => Err("made anew for every run".into()),
        }
    }

    /// The outcomes of a trial: one executable runs on the graphs of each round in turn. A round that did not come to
    /// its end is the last one. `limit` is the time for one run.
    pub fn run(
        &mut self,
        case: &Case,
        module: &Module,
        rounds: &[&[Arc<Graph>]],
        trial: &Trial,
        limit: Duration,
    ) -> Vec<Outcome> {
        if let Machine::Shuffled(seed) = trial.machine {
            return run_on(&ReferenceVm::shuffled(seed), case, module.clone(), rounds, trial, limit);
        }
        match self.get(trial.machine) {
            Ok(vm) => run_on(vm, case, module.clone(), rounds, trial, limit),
            Err(reason) => vec![Outcome::Refused(reason)],
        }
    }
}

impl Default for Machines {
    fn default() -> Self {
        Machines::new()
    }
}

/// The outcome on the reference machine, which all others are compared with.
pub fn reference(case: &Case, module: &Module, graphs: &[Arc<Graph>], limit: Duration) -> Outcome {
    let trial = Trial { machine: Machine::Cpu(0), schedule: Some("default".to_string()) };
    let outcome = run_on(&ReferenceVm::new(), case, module.clone(), &[graphs], &trial, limit).pop();
    outcome.unwrap_or_else(|| Outcome::Refused("nothing ran".to_string()))
}

fn run_on(
    vm: &dyn GraphVm,
    case: &Case,
    module: Module,
    rounds: &[&[Arc<Graph>]],
    trial: &Trial,
    limit: Duration,
) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let attempt = catch_unwind(AssertUnwindSafe(|| attempt(vm, case, module, rounds, trial, limit, &mut outcomes)));
    match attempt {
        Ok(None) => {}
        Ok(Some(end)) => outcomes.push(end),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            outcomes.push(Outcome::Panicked(text.unwrap_or("without a message").to_string()));
        }
    }
    outcomes
}

/// Compiles the program for the first round and runs it in all; gives the outcome that no later one follows, where
/// there is one.
fn attempt(
    vm: &dyn GraphVm,
    case: &Case,
    module: Module,
    rounds: &[&[Arc<Graph>]],
    trial: &Trial,
    limit: Duration,
    outcomes: &mut Vec<Outcome>,
) -> Option<Outcome> {
    let first = rounds.first().and_then(|graphs| graphs.first());
    let (module, schedule) = match (&trial.schedule, first) {
        (Some(text), _) => match text.parse::<ProgramSchedule>() {
            Ok(schedule) => (module, schedule),
            Err(error) => return Some(Outcome::Refused(error.to_string())),
        },
        (None, Some(graph)) => {
            let (module, choice) = vm.choose(module, graph);
            (module, choice.schedule)
        }
        (None, None) => (module, ProgramSchedule::new()),
    };
    let options = gw_ir::Options { family: Some(vm.family()), ..gw_ir::Options::default() };
    let module = match gw_ir::run_pipeline(module, &schedule, &options) {
        Ok(module) => module,
        Err(error) => return Some(Outcome::Refused(error.to_string())),
    };
    let mut program = match Program::prepare(vm, Arc::new(module)) {
        Ok(program) => program,
        Err(error) => return Some(failed(&error, Vec::new())),
    };
    for graphs in rounds {
        match round(&mut program, case, graphs, trial, limit) {
            // What hangs once hangs again, and what is refused is refused again.
            last @ (Outcome::Stopped | Outcome::Refused(_) | Outcome::Panicked(_)) => return Some(last),
            outcome => outcomes.push(outcome),
        }
    }
    None
}

/// One run of an executable.
fn round(program: &mut Program, case: &Case, graphs: &[Arc<Graph>], trial: &Trial, limit: Duration) -> Outcome {
    let source = SpecGraphs::new();
    let args = case.args();
    for (name, graph) in args.iter().zip(graphs) {
        source.insert(name, Arc::clone(graph));
    }
    let output = Shared::default();
    let options = RunOptions {
        graphs: Arc::new(source),
        timeout: Some(limit),
        output: Output::Writer(Arc::new(Mutex::new(output.clone()))),
        ..RunOptions::with_args(args)
    };
    // The stray accesses of compiled code meet a guard page.
    let ran = match trial.machine {
        Machine::Shuffled(_) | Machine::Cpu(0) => program.run(&options),
        _ => guard::guarded(|| program.run(&options)),
    };
    match ran {
        Ok(result) => {
            let globals = result.globals.iter().filter_map(|(name, value)| Some((name.to_string(), data(value)?)));
            Outcome::Done { printed: output.lines(), globals: globals.collect() }
        }
        Err(error) => failed(&error, output.lines()),
    }
}

fn failed(error: &ExecError, printed: Vec<String>) -> Outcome {
    match error.kind() {
        ErrorKind::Unsupported(reason) => Outcome::Refused(reason.clone()),
        ErrorKind::TimedOut { .. } | ErrorKind::Cancelled => Outcome::Stopped,
        kind => {
            let kind = format!("{kind:?}");
            let name = kind.split([' ', '(', '{']).next().unwrap_or_default();
            let (message, line) = (error.to_string(), error.span().line);
            Outcome::Fault(Fault { kind: name.to_string(), message, line, printed })
        }
    }
}

/// The data of a number or a vector of numbers.
fn data(value: &Value) -> Option<Data> {
    Some(match value {
        Value::Vector(vector) => match vector.scalar() {
            Scalar::Int => Data::Whole(vector.to_vec::<i32>()?.into_iter().map(i64::from).collect()),
            Scalar::Uint => Data::Whole(vector.to_vec::<u32>()?.into_iter().map(i64::from).collect()),
            Scalar::Int64 => Data::Whole(vector.to_vec::<i64>()?),
            Scalar::Uint64 => Data::Whole(vector.to_vec::<u64>()?.into_iter().map(|v| v as i64).collect()),
            _ => Data::Real(vector.to_f64()),
        },
        Value::Int(v) => Data::Whole(vec![i64::from(*v)]),
        Value::Uint(v) => Data::Whole(vec![i64::from(*v)]),
        Value::Int64(v) => Data::Whole(vec![*v]),
        Value::Uint64(v) => Data::Whole(vec![*v as i64]),
        Value::Bool(v) => Data::Whole(vec![i64::from(*v)]),
        Value::Float(v) => Data::Real(vec![f64::from(*v)]),
        Value::Double(v) => Data::Real(vec![*v]),
        _ => return None,
    })
}
