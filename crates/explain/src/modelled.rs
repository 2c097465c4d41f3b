//! The run modelled: counts and predictions per step.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use graphwright::schedule::Wanted;
use gw_exec::{ErrorKind, GraphVm, Observer, Sites, StepRecord, TracedVm};
use gw_ir::module::Module;
use gw_ir::stmt::StmtKind;
use gw_ir::walk;
use gw_meter::Sheet;
use gw_schedule::Family;
use serde::Serialize;

use crate::counts::StepCounts;
use crate::error::{ExplainError, Result};
use crate::machine::{OperatorMachine, Server};
use crate::predict::{Costs, OperatorFacts, Prediction, StepFacts, predict};
use crate::sink::cpu::CpuSink;
use crate::sink::gpu::GpuSink;
use crate::subject::Subject;
use crate::tracer::{Target, Tracer};

/// How a run is modelled.
#[derive(Debug, Clone, Copy)]
pub struct ModelOptions {
    /// Threads of a processor.
    pub threads: usize,
    /// Edges that may be walked in all. Steps after that are taken to be as the last ones of their operator.
    pub edges: u64,
    /// The model of a run ends as soon as its steps take longer than this together: nothing else is wanted of it.
    pub most_seconds: f64,
    /// Constants beyond the sheet.
    pub costs: Costs,
}

impl Default for ModelOptions {
    fn default() -> Self {
        ModelOptions { threads: 1, edges: 40_000_000, most_seconds: f64::INFINITY, costs: Costs::default() }
    }
}

/// A step as modelled.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ModelledStep {
    /// The kind of operator.
    pub operator: String,
    /// Label path; empty without labels.
    pub path: String,
    /// The variant of a hybrid.
    pub variant: usize,
    /// Members of the input set.
    pub input: Option<u64>,
    /// Members of the output set.
    pub output: Option<u64>,
    /// Edges walked.
    pub edges: Option<u64>,
    /// The schedule it ran with.
    pub schedule: Option<String>,
    /// Which machine of [`ModelledRun::machines`].
    pub machine: Option<usize>,
    /// What was counted.
    pub counts: StepCounts,
    /// What that takes.
    pub prediction: Prediction,
    /// The step was not traced: it is taken to be as an earlier one of its operator.
    pub assumed: bool,
}

/// A run as modelled.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ModelledRun {
    /// Its steps.
    pub steps: Vec<ModelledStep>,
    /// The machines of its operators.
    pub machines: Vec<OperatorMachine>,
    /// The run was cut off after this step, since more edges were walked than allowed.
    pub cut_after: Option<usize>,
    /// The run was cut off since its steps take longer than [`ModelOptions::most_seconds`].
    pub too_slow: bool,
    /// Steps of loops run inside one kernel.
    pub fused: bool,
}

impl ModelledRun {
    /// Seconds of all steps.
    pub fn seconds(&self) -> f64 {
        self.steps.iter().map(|step| step.prediction.seconds).sum()
    }

    /// The prediction of every step once more, with other constants.
    pub fn predict_again(&mut self, sheet: &Sheet, options: &ModelOptions) {
        for i in 0..self.steps.len() {
            let facts = self.facts(&self.steps[i], options.threads);
            let step = &mut self.steps[i];
            step.prediction = predict(&step.counts, sheet, facts, &options.costs);
        }
    }

    /// What a prediction must know of a step beside its counts.
    pub fn facts(&self, step: &ModelledStep, threads: usize) -> StepFacts {
        facts_of(&step.path, step.machine.map(|m| &self.machines[m]), self.fused, threads)
    }
}

fn facts_of(path: &str, machine: Option<&OperatorMachine>, fused: bool, threads: usize) -> StepFacts {
    // Steps of a loop carry its label, those beside loops none.
    let fused = fused && !path.is_empty();
    StepFacts { threads, fused, operator: machine.map(OperatorFacts::of).unwrap_or_default() }
}

/// Ends a step: takes what the tracer counted since the last one.
struct Recorder {
    tracer: Arc<Mutex<Tracer>>,
    steps: Mutex<Vec<(StepRecord, StepCounts, Option<usize>)>>,
    cancel: Arc<AtomicBool>,
    edges: u64,
    bound: Option<Bound>,
}

/// What it takes to know in the midst of a run that it is too slow.
struct Bound {
    sheet: Sheet,
    options: ModelOptions,
    machines: Arc<Vec<OperatorMachine>>,
    fused: bool,
    seconds: Mutex<f64>,
}

impl Bound {
    /// Adds a step; true when the steps take too long by now.
    fn is_exceeded(&self, record: &StepRecord, counts: &StepCounts, machine: Option<usize>) -> bool {
        let facts = facts_of(&record.path, machine.map(|m| &self.machines[m]), self.fused, self.options.threads);
        let counts = with_sets(counts.clone(), record);
        let mut seconds = self.seconds.lock().unwrap_or_else(PoisonError::into_inner);
        *seconds += predict(&counts, &self.sheet, facts, &self.options.costs).seconds;
        *seconds > self.options.most_seconds
    }
}

impl Observer for Recorder {
    fn step(&self, record: &StepRecord) {
        let mut tracer = self.tracer.lock().unwrap_or_else(PoisonError::into_inner);
        let (counts, machine) = tracer.take_step();
        let is_long = tracer.walked > self.edges;
        drop(tracer);
        let is_slow = self.bound.as_ref().is_some_and(|bound| bound.is_exceeded(record, &counts, machine));
        if is_long || is_slow {
            self.cancel.store(true, Ordering::Relaxed);
        }
        self.steps.lock().unwrap_or_else(PoisonError::into_inner).push((record.clone(), counts, machine));
    }
}

/// Runs a program on the traced machine under the schedule that `machine` would run it with, and models every step.
pub fn model(
    subject: &Subject,
    wanted: &Wanted,
    machine: &dyn GraphVm,
    sheet: &Sheet,
    options: &ModelOptions,
) -> Result<ModelledRun> {
    let family = machine.family();
    // The graph and a few vectors. Times are those of repeated runs, so that caches begin with what fits into them.
    let bytes = subject.graph().map_or(0, |graph| graph.bytes() + 16 * graph.vertices()) as u64;
    let target = match (family, &sheet.cpu, &sheet.gpu) {
        (Family::Cpu, Some(cpu), _) => Target::Cpu(Box::new(CpuSink::new(cpu).after_run_on(bytes, cpu))),
        (Family::Gpu, _, Some(gpu)) => Target::Gpu(Box::new(GpuSink::new(gpu).after_run_on(bytes, gpu))),
        (Family::Cpu | Family::Gpu, ..) => {
            return Err(ExplainError::WrongSheet { found: sheet.target, machine: machine.name().to_string() });
        }
        _ => return Err(ExplainError::NoModel(machine.name().to_string())),
    };
    let mut run_options = subject.options();
    let settled = subject.program().settle(wanted, machine, &run_options);
    let refused = settled.refusals(machine);
    if !refused.is_empty() {
        return Err(graphwright::Error::Refused(refused).into());
    }
    let (module, _) = settled.optimised()?;
    let module = Arc::new(module);
    let machines: Vec<OperatorMachine> =
        Sites::of(&module).operators.iter().map(|(_, op)| OperatorMachine::of(&module, op)).collect();
    let fused = family == Family::Gpu && has_fused_loop(&module);
    let shared = Arc::new(machines.clone());
    let bound = options.most_seconds.is_finite().then(|| Bound {
        sheet: sheet.clone(),
        options: *options,
        machines: Arc::clone(&shared),
        fused,
        seconds: Mutex::new(0.0),
    });
    let tracer = Arc::new(Mutex::new(Tracer::new(shared, target)));
    let vm = TracedVm::new(Arc::clone(&tracer) as _, family);
    let mut program = gw_exec::Program::prepare(&vm, module).map_err(ExplainError::Traced)?;
    run_options.cancel = Arc::new(AtomicBool::new(false));
    let recorder = Arc::new(Recorder {
        tracer,
        steps: Mutex::default(),
        cancel: Arc::clone(&run_options.cancel),
        edges: options.edges,
        bound,
    });
    run_options.observer = Some(Arc::clone(&recorder) as _);
    let ran = program.run(&run_options);
    let records = std::mem::take(&mut *recorder.steps.lock().unwrap_or_else(PoisonError::into_inner));
    let cut_after = match ran {
        Ok(_) => None,
        Err(error) if matches!(error.kind(), ErrorKind::Cancelled) && !records.is_empty() => Some(records.len() - 1),
        Err(error) => return Err(ExplainError::Traced(error)),
    };
    let too_slow = recorder
        .bound
        .as_ref()
        .is_some_and(|bound| *bound.seconds.lock().unwrap_or_else(PoisonError::into_inner) > options.most_seconds);
    let mut run = ModelledRun { steps: Vec::new(), machines, cut_after, too_slow, fused };
    run.steps = records
        .into_iter()
        .map(|(record, counts, machine)| (record.clone(), with_sets(counts, &record), machine))
        .map(|(record, counts, machine)| ModelledStep {
            operator: record.operator.to_string(),
            path: record.path,
            variant: record.variant,
            input: record.input,
            output: record.output,
            edges: record.edges,
            schedule: record.schedule,
            machine,
            counts,
            prediction: Prediction::default(),
            assumed: false,
        })
        .collect();
    run.predict_again(sheet, options);
    Ok(run)
}

/// Operators on sets alone (removing repeats, moving vertices between buckets) have no events: they read and write each
/// member once.
fn with_sets(mut counts: StepCounts, record: &StepRecord) -> StepCounts {
    if let (0, Some(members)) = (counts.calls, record.input) {
        (counts.calls, counts.set_calls) = (1, 1);
        counts.completions[Server::Input] = members;
        counts.completions[Server::Atomic] = members;
        counts.completions[Server::Output] = record.output.unwrap_or(members);
    }
    counts
}

/// Whether a loop runs as one kernel.
fn has_fused_loop(module: &Module) -> bool {
    let mut found = false;
    for body in walk::bodies(module) {
        walk::walk_stmts(body, &mut |stmt| {
            if let StmtKind::While { meta, .. } = &stmt.kind {
                found |= meta.needs_fusion;
            }
        });
    }
    found
}
