//! A cell of a study: what is measured, how long its steps took, and what was counted in them.

use gw_exec::GraphVm;
use gw_ir::program_points;
use gw_meter::Sheet;
use gw_schedule::{PointKind, Space};
use serde::{Deserialize, Serialize};

use crate::counts::StepCounts;
use crate::error::Result;
use crate::measured::{MeasuredRun, MeasuredStep, Repeat, measure};
use crate::modelled::{ModelOptions, model};
use crate::pairing::pairs;
use crate::predict::StepFacts;
use crate::subject::Subject;

/// What is measured: a program with arguments on a graph under a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The name in tables, such as `bfs queue`.
    pub name: String,
    /// The program.
    pub program: String,
    /// The name of the graph in tables.
    pub graph: String,
    /// The graph and further arguments.
    pub arguments: Vec<String>,
    /// The schedule; the program's own, or the machine's choice, without one.
    pub schedule: Option<String>,
}

/// A cell as measured, and as traced once that was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyCell {
    /// The cell.
    pub cell: Cell,
    /// The machine.
    pub machine: String,
    /// Threads of the host.
    pub threads: usize,
    /// Seconds of the fastest run.
    pub seconds: f64,
    /// The steps as measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<MeasuredStep>,
    /// The caches that accesses were counted for ([`counted_for`]); absent before the cell is traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_for: Option<String>,
    /// The steps with what was counted in them; empty before the cell is traced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traced: Vec<TracedStep>,
}

/// A measured step with its counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TracedStep {
    /// The kind of operator.
    pub operator: String,
    /// Label path; empty without labels.
    pub path: String,
    /// Seconds measured.
    pub seconds: f64,
    /// The step was not traced: an earlier one of its operator stands for it.
    pub assumed: bool,
    /// The step is a loop that ran as one kernel.
    pub whole_loop: bool,
    /// The steps of the program in it.
    pub rounds: Vec<TracedRound>,
}

/// What was counted in a step of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TracedRound {
    /// How it is carried out.
    pub facts: StepFacts,
    /// The counts.
    pub counts: StepCounts,
}

/// What of a sheet decides which accesses meet which cache: counts hold for sheets with the same text.
pub fn counted_for(sheet: &Sheet) -> String {
    match (&sheet.cpu, &sheet.gpu) {
        (Some(cpu), _) => {
            let caches: Vec<String> = cpu.caches.iter().map(|c| format!("L{} {}", c.level, c.bytes)).collect();
            format!("a processor with caches of bytes: {}", caches.join(", "))
        }
        (None, Some(gpu)) => format!(
            "a GPU with {} multiprocessors of {} warps and {} bytes of L2",
            gpu.multiprocessors, gpu.resident_warps_per_sm, gpu.l2_bytes
        ),
        (None, None) => "no machine".to_string(),
    }
}

/// Measures a cell.
pub fn measure_cell(
    cell: &Cell,
    subject: &Subject,
    machine: &dyn GraphVm,
    threads: usize,
    repeat: Repeat,
) -> Result<StudyCell> {
    let wanted = subject.wanted(cell.schedule.as_deref())?;
    let run = measure(subject, &wanted, machine, repeat)?;
    Ok(StudyCell {
        cell: cell.clone(),
        machine: machine.name().to_string(),
        threads,
        seconds: run.seconds,
        steps: run.steps,
        counted_for: None,
        traced: Vec::new(),
    })
}

/// Traces a cell that was measured on a machine of this family. Of steps that were not traced, for lack of time or as
/// part of another one, nothing is kept.
pub fn trace_cell(
    measured: &StudyCell,
    subject: &Subject,
    machine: &dyn GraphVm,
    sheet: &Sheet,
    options: &ModelOptions,
) -> Result<StudyCell> {
    let wanted = subject.wanted(measured.cell.schedule.as_deref())?;
    let options = ModelOptions { threads: measured.threads, ..*options };
    let modelled = model(subject, &wanted, machine, sheet, &options)?;
    let run = MeasuredRun { steps: measured.steps.clone(), seconds: measured.seconds, runs: 1, decision: None };
    let round = |&i: &usize| {
        let step = &modelled.steps[i];
        TracedRound { facts: modelled.facts(step, measured.threads), counts: step.counts.clone() }
    };
    // A loop that is one kernel cannot be cut off: without all its rounds it cannot be compared.
    let whole = |step: &MeasuredStep| step.operator != "While" || modelled.cut_after.is_none();
    let traced = pairs(&run, &modelled)
        .into_iter()
        .map(|pair| (&run.steps[pair.measured], pair))
        .filter(|(step, _)| whole(step))
        .map(|(step, pair)| TracedStep {
            operator: step.operator.clone(),
            path: step.path.clone(),
            seconds: step.seconds,
            assumed: pair.assumed,
            whole_loop: pair.whole_loop,
            rounds: if pair.assumed { Vec::new() } else { pair.modelled.iter().map(round).collect() },
        })
        .collect();
    Ok(StudyCell { steps: Vec::new(), counted_for: Some(counted_for(sheet)), traced, ..measured.clone() })
}

/// Schedules drawn from the space of the first edge operator of a program, as texts.
pub fn random_schedules(subject: &Subject, machine: &dyn GraphVm, seed: u64, count: usize) -> Vec<String> {
    let points = program_points(subject.program().module());
    let Some(place) = points.iter().find(|p| p.point.kind == PointKind::EdgeOperator && p.path.is_some()) else {
        return Vec::new();
    };
    let space = Space::new(&place.point, &machine.capabilities());
    let path = place.path.as_deref().unwrap_or_default();
    space.sample(seed, count).into_iter().map(|schedule| format!("{path}@{schedule}")).collect()
}
