//! A program ready to run: the module, its host code and the machine's executable.

use std::sync::Arc;
use std::time::Instant;

use gw_graph::Graph;
use gw_ir::analysis::columns::ColumnName;
use gw_ir::module::{FunctionKind, Module};
use gw_ir::types::{Domain, Type};

use crate::code::{Code, Function, Init, InitStep, LineKind, Target};
use crate::env::Environment;
use crate::error::{ErrorKind, ExecError, Result};
use crate::graphs::fit_weights;
use crate::interp::Interp;
use crate::options::RunOptions;
use crate::value::Value;
use crate::vector::Vector;
use crate::vm::{Executable, GraphVm};

/// A prepared program. Compiled once, run any number of times with different arguments and graphs.
pub struct Program {
    module: Arc<Module>,
    code: Arc<Code>,
    executable: Box<dyn Executable>,
    machine: String,
    threads: u64,
    compile_seconds: f64,
}

/// What a run leaves behind.
#[derive(Debug)]
pub struct RunResult {
    /// The globals at the end.
    pub globals: Globals,
    /// The result of the export function that was called; nothing for `main`.
    pub value: Value,
    /// What was printed, unless it went to a writer.
    pub printed: String,
    /// Operator calls of `main` or of the export function; those of the start-up are observed but not counted here.
    pub steps: u64,
    /// Wall-clock time of `main` or of the export function.
    pub seconds: f64,
    /// Time by the clock of the device, for machines that have one
    /// ([`AsyncWork::device_seconds`](crate::AsyncWork::device_seconds)).
    pub device_seconds: Option<f64>,
    /// The other times.
    pub timings: Timings,
}

/// Times outside of `main`, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Timings {
    /// Preparing the module, once per program.
    pub compile: f64,
    /// Loading graphs, wherever it happens.
    pub load: f64,
    /// The start-up statements, loading included.
    pub startup: f64,
    /// Bringing the results to the host, after `main`.
    pub fetch: f64,
}

/// The globals of a finished run, in order of declaration.
#[derive(Debug, Default)]
pub struct Globals(Vec<(String, Value)>);

impl Globals {
    /// The value of a global; `None` when there is none of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }

    /// The vector `name`.
    pub fn vector(&self, name: &str) -> Option<&crate::Vector> {
        self.get(name)?.as_vector()
    }

    /// Adds a value that was worked out from the others, in place of one of the same name.
    pub fn set(&mut self, name: &str, value: Value) {
        match self.0.iter_mut().find(|(n, _)| n == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_string(), value)),
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl Program {
    /// Compiles a module for a machine.
    pub fn prepare(vm: &dyn GraphVm, module: Arc<Module>) -> Result<Program> {
        Program::prepare_for(vm, module, None)
    }

    /// Compiles a module for a machine and for runs that are expected to be on graphs like this one, if one is known
    /// ([`GraphVm::prepare_for`]).
    pub fn prepare_for(vm: &dyn GraphVm, module: Arc<Module>, graph: Option<&Graph>) -> Result<Program> {
        let start = Instant::now();
        let code = Arc::new(Code::compile(&module)?);
        let executable = match graph {
            Some(graph) => vm.prepare_for(Arc::clone(&module), graph)?,
            None => vm.prepare(Arc::clone(&module))?,
        };
        let compile_seconds = start.elapsed().as_secs_f64();
        Ok(Program { module, code, executable, machine: vm.name().to_string(), threads: vm.threads(), compile_seconds })
    }

    /// The module.
    pub fn module(&self) -> &Arc<Module> {
        &self.module
    }

    /// The name of the machine.
    pub fn machine(&self) -> &str {
        &self.machine
    }

    /// Time it took to prepare the module.
    pub fn compile_seconds(&self) -> f64 {
        self.compile_seconds
    }

    /// The names of the export functions.
    pub fn exports(&self) -> Vec<String> {
        let exports = self.code.functions.iter().filter(|f| f.kind == FunctionKind::Export);
        exports.map(|f| f.name.to_string()).collect()
    }

    /// Runs the start-up statements and `main`.
    pub fn run(&mut self, options: &RunOptions) -> Result<RunResult> {
        let code = Arc::clone(&self.code);
        let main = code.functions.iter().find(|f| f.kind == FunctionKind::Main).ok_or(ErrorKind::NoMain)?;
        let mut env = Environment::new(Arc::clone(&code.globals), options, &*self.executable, self.threads);
        env.order = self.module.order.clone();
        if env.order.is_some() && !options.given.is_empty() {
            let message = "given values are by the numbers of the graph: leave `order=degree` out of the schedule";
            return Err(ErrorKind::Unsupported(message.into()).into());
        }
        env.of_main = true;
        if let Some(checkpoint) = &options.checkpoint {
            env.checkpoint = Some((checkpoint.clone(), checkpoint.read()?));
        }
        let column = |name: &ColumnName| match name {
            ColumnName::Text(name) => Some(name.clone()),
            ColumnName::Argument(place) => options.argv.get(*place).cloned(),
        };
        options.graphs.ask(&code.columns.iter().filter_map(column).collect::<Vec<_>>());
        self.executable.begin_run();
        let start = Instant::now();
        let alone = !self.executable.has_replicas();
        options.given.assign_first(&mut env)?;
        let mut interp = Interp::new(&code, &mut env, &mut *self.executable);
        let started = initialise(&mut interp, &code.inits, |_| true)
            .and_then(|()| interp.run_function(&code.startup, Vec::new(), Vec::new()))
            .and_then(|_| options.given.assign_vectors(interp.env, alone))
            .and_then(|()| zero_vectors(&mut interp, &code.inits));
        started.map_err(|error| first_fault(&mut *self.executable, error).with_vertex_known(|v| env.known_as(v)))?;
        let startup = start.elapsed().as_secs_f64();
        self.finish(main, Vec::new(), env, startup, options.fetch_results)
    }

    /// Calls an export function. Of the start-up only the initialisers of scalars run; the sizes of elements follow
    /// from the graphs and vectors among the arguments. Vectors and sets are shared with the caller.
    pub fn call(&mut self, export: &str, args: Vec<Value>, options: &RunOptions) -> Result<RunResult> {
        let code = Arc::clone(&self.code);
        let unknown = || ErrorKind::UnknownFunction { name: export.to_string(), exports: self.exports() };
        let mut functions = code.functions.iter();
        let function = functions.find(|f| f.kind == FunctionKind::Export && &*f.name == export).ok_or_else(unknown)?;
        let mut env = Environment::new(Arc::clone(&code.globals), options, &*self.executable, self.threads);
        self.executable.begin_run();
        let start = Instant::now();
        let args = bind_arguments(function, args, &mut env)?;
        let mut interp = Interp::new(&code, &mut env, &mut *self.executable);
        let is_scalar = |init: &Init| init.ty.scalar().is_some() || matches!(init.step, InitStep::Zero(_));
        initialise(&mut interp, &code.inits, is_scalar)?;
        let lines = code.startup.body.iter().flatten();
        for line in lines.filter(|line| matches!(line.kind, LineKind::SetNum(Target::Global(_), _))) {
            interp.line(line).map_err(|e| e.at(line.span))?;
        }
        zero_vectors(&mut interp, &code.inits)?;
        let startup = start.elapsed().as_secs_f64();
        self.finish(function, args, env, startup, options.fetch_results)
    }

    fn finish(
        &mut self,
        function: &Function,
        args: Vec<Value>,
        mut env: Environment,
        startup: f64,
        fetch: bool,
    ) -> Result<RunResult> {
        let code = Arc::clone(&self.code);
        // The same function, borrowed from this reference to the code.
        let function = code.by_name.get(&function.name).map_or(&code.startup, |&i| &code.functions[i]);
        let before = env.steps();
        let shared = args.clone();
        let start = Instant::now();
        let checkpoint = env.checkpoint.clone();
        let mut interp = Interp::new(&code, &mut env, &mut *self.executable);
        let returned = match &checkpoint {
            Some((checkpoint, saved)) => {
                let run = interp.run_main_with_checkpoints(function, checkpoint, saved.as_ref(), &self.module);
                run.map(|()| Value::Nothing)
            }
            None => interp.run_function(function, Vec::new(), args),
        };
        let known = |error: ExecError| error.with_vertex_known(|vertex| env.known_as(vertex));
        let mut value = returned.map_err(|error| known(first_fault(&mut *self.executable, error)))?;
        self.executable.finish_run().map_err(known)?;
        let seconds = start.elapsed().as_secs_f64();
        let device_seconds = self.executable.device_seconds()?;
        let start = Instant::now();
        let mut globals: Vec<(String, Value)> = named(&env).map(|(name, _, value)| (name.to_string(), value)).collect();
        if !fetch {
            for value in globals.iter_mut().map(|(_, value)| value).chain([&mut value]) {
                if value.as_vector().is_some_and(Vector::is_watched) {
                    *value = Value::Nothing;
                }
            }
        }
        // The caller shares the vectors among the arguments: these are fetched in any case.
        let mut watched = Vec::new();
        globals
            .iter()
            .map(|(_, value)| value)
            .chain(&shared)
            .chain([&value])
            .for_each(|v| v.collect_watched(&mut watched));
        for vector in watched {
            self.executable.host_will_read(&vector)?;
            // No machine stands behind a result.
            vector.set_watched(false);
        }
        for graph in globals.iter().filter_map(|(_, value)| value.as_graph()).filter(|_| fetch) {
            if graph.out().is_elsewhere() {
                graph.out().load()?;
            }
        }
        if let Some((loaded, renumbered)) = &env.renumbered {
            let types: Vec<Type> = named(&env).map(|(_, ty, _)| ty.clone()).collect();
            for ((_, value), ty) in globals.iter_mut().zip(&types) {
                match (&*value, ty) {
                    (Value::Vector(vector), Type::Vector { domain: Domain::Element(_), .. }) => {
                        *value = Value::Vector(vector.by_old_numbers(&renumbered.permutation)?);
                    }
                    (Value::Graph(graph), _) if Arc::ptr_eq(graph, &renumbered.graph) => {
                        *value = Value::Graph(Arc::clone(loaded));
                    }
                    _ => {}
                }
            }
        }
        let fetch = start.elapsed().as_secs_f64();
        let timings = Timings { compile: self.compile_seconds, load: env.load_seconds, startup, fetch };
        let steps = env.steps() - before;
        let printed = env.printer.finish()?;
        Ok(RunResult { globals: Globals(globals), value, printed, steps, seconds, device_seconds, timings })
    }
}

/// The globals that the program names: those that operators stand for are no results.
fn named(env: &Environment) -> impl Iterator<Item = (&str, &Type, Value)> {
    env.global_values().filter(|(name, ..)| !name.starts_with(gw_lang::DERIVED))
}

/// The fault that came first: one that the machine has not told of yet was before what the host found.
fn first_fault(executable: &mut dyn Executable, found: ExecError) -> ExecError {
    match executable.faults() {
        Err(earlier) if !found.is_stop() => earlier,
        _ => found,
    }
}

/// Runs the initialisers that no pass has lowered, in the order of the language: graphs and universes; then vectors are
/// allocated and scalars assigned; then vectors allocated whose lengths are scalars, and vectors filled; then queues
/// made.
fn initialise<'a>(interp: &mut Interp<'a>, inits: &'a [Init], wanted: impl Fn(&Init) -> bool) -> Result<()> {
    let is_graph = |ty: &Type| matches!(ty, Type::EdgeSet { .. } | Type::VertexSet(_));
    let is_vector = |ty: &Type| matches!(ty, Type::Vector { .. });
    let is_queue = |ty: &Type| matches!(ty, Type::PriorityQueue { .. });
    let phases: [&dyn Fn(&Type) -> bool; 4] =
        [&is_graph, &|ty| !is_graph(ty) && !is_vector(ty) && !is_queue(ty), &is_vector, &is_queue];
    for (phase, belongs) in phases.into_iter().enumerate() {
        // Numbers may be lengths of vectors.
        let allocated = |init: &&Init| match phase {
            1 => !init.ty.is_counted(),
            2 => init.ty.is_counted(),
            _ => false,
        };
        for init in inits.iter().filter(|init| wanted(init)).filter(allocated) {
            interp.allocate(init).map_err(|e| e.at(init.span))?;
        }
        for init in inits.iter().filter(|init| wanted(init) && belongs(&init.ty)) {
            interp.initialise(init).map_err(|e| e.at(init.span))?;
        }
    }
    Ok(())
}

/// Vectors that nothing has assigned are zero, where their size is known by now.
fn zero_vectors<'a>(interp: &mut Interp<'a>, inits: &'a [Init]) -> Result<()> {
    inits.iter().filter(|init| matches!(init.step, InitStep::Zero(_))).try_for_each(|init| interp.allocate(init))
}

impl<'a> Interp<'a> {
    /// Gives a global without a value the one that a fresh variable has; vectors only when their size is known.
    fn allocate(&mut self, init: &Init) -> Result<()> {
        let (slot, needed) = match init.step {
            InitStep::PerEntry(slot, _) => (slot, true),
            InitStep::Zero(slot) => (slot, false),
            InitStep::Assign(_) => return Ok(()),
        };
        if !matches!(self.env.objects[slot as usize], Value::Nothing) {
            return Ok(());
        }
        let value = match (&init.ty, needed) {
            (Type::Vector { .. }, true) => Value::Vector(self.env.vector(&init.ty, 0)?),
            (ty, _) => self.default_value(ty)?,
        };
        self.env.objects[slot as usize] = value;
        Ok(())
    }

    fn initialise(&mut self, init: &'a Init) -> Result<()> {
        match &init.step {
            InitStep::Zero(_) => Ok(()),
            InitStep::Assign(line) => self.line(line).map(|_| ()),
            InitStep::PerEntry(slot, e) => {
                let Value::Vector(vector) = self.env.objects[*slot as usize].clone() else { return Ok(()) };
                if vector.is_watched() {
                    self.machine.host_will_write(&vector)?;
                }
                for cell in 0..vector.cells() {
                    self.tick()?;
                    let bits = self.num(e)?;
                    vector.touched().store(cell, bits);
                }
                Ok(())
            }
        }
    }
}

/// Checks the arguments of an export function and learns the sizes of elements from them.
fn bind_arguments(function: &Function, mut args: Vec<Value>, env: &mut Environment) -> Result<Vec<Value>> {
    let bad = |message: String| ErrorKind::BadCall { function: function.name.to_string(), message };
    if args.len() != function.params.len() {
        let counts = format!("{} arguments are needed, {} given", function.params.len(), args.len());
        return Err(bad(counts).into());
    }
    for (i, (arg, ty)) in args.iter_mut().zip(&function.param_types).enumerate() {
        if let (Value::Graph(graph), Type::EdgeSet { edge, source, target, weight }) = (&*arg, ty) {
            let fitted = fit_weights(graph, *weight, "the graph")?;
            env.set_vertices_of(edge, fitted.edges());
            env.set_vertices_of(source, fitted.vertices());
            env.set_vertices_of(target, fitted.vertices());
            *arg = Value::Graph(fitted);
        }
        if !arg.fits(ty) {
            return Err(bad(format!("argument {i} is a {}, a {ty} is needed", arg.kind())).into());
        }
    }
    for (i, (arg, ty)) in args.iter().zip(&function.param_types).enumerate() {
        if let (Value::Vector(vector), Type::Vector { domain: Domain::Element(element), .. }) = (arg, ty) {
            match env.vertices_of(element) {
                Ok(vertices) if vertices != vector.len() => {
                    let message =
                        format!("argument {i} has {} entries, but there are {vertices} vertices", vector.len());
                    return Err(bad(message).into());
                }
                Ok(_) => {}
                Err(_) => env.set_vertices_of(element, vector.len()),
            }
        }
    }
    Ok(args)
}
