//! The tables of labs, each with what is known about its program and graph.

use std::path::{Path, PathBuf};

use graphwright::Program;
use gw_exec::{GraphFacts, GraphVm, label_operators};
use gw_ir::Module;
use gw_lab::{Lab, TrialOutcome, TrialRow, TuneCell};
use gw_schedule::ProgramSchedule;
use gw_tune::{Entry, ProgramSpace, Table, starts};

use crate::Failure;

/// Graphs that schedules are taken from, and schedules of each.
const PORTFOLIO: usize = 3;

/// A program on a graph.
pub struct Cell {
    pub cell: TuneCell,
    /// As lowered, every operator with a label.
    pub module: Module,
    pub space: ProgramSpace,
    pub table: Table,
    /// What a search begins with, the rule first.
    pub starts: Vec<(String, ProgramSchedule)>,
    /// The regret of the schedule that a model picks from at every step.
    pub adaptive: Option<f64>,
    /// The least regret of the schedules by hand.
    pub experts: Option<f64>,
}

impl Cell {
    pub fn name(&self) -> String {
        let graph = self.cell.graph_name.as_deref().unwrap_or(&self.cell.graph);
        let graph = graph.rsplit('/').next().unwrap_or(graph).trim_end_matches(".gwg");
        format!("{} {graph}", self.cell.program)
    }

    pub fn rule(&self) -> &ProgramSchedule {
        &self.starts[0].1
    }

    /// The time of a schedule over the best; `None` where the table does not have it.
    pub fn regret(&self, schedule: &ProgramSchedule) -> Option<f64> {
        self.table.find(&self.space, schedule).map(|entry| entry.seconds / self.table.best())
    }
}

/// A machine that knows its schedules; it need not be able to run them.
pub fn machine(target: &str) -> Result<Box<dyn GraphVm>, Failure> {
    match target {
        "cpu" => Ok(Box::new(gw_cpu::CpuVm::new(1))),
        "cuda" => Ok(Box::new(gw_cuda::PlanVm)),
        other => Err(format!("--target {other}: cpu or cuda").into()),
    }
}

/// The tables of a machine.
pub fn read_cells(labs: &[PathBuf], target: &str, experts: Option<&Path>, today: bool) -> Result<Vec<Cell>, Failure> {
    let machine = machine(target)?;
    let by_hand = match experts {
        Some(path) => read_experts(path)?,
        None => Vec::new(),
    };
    let mut cells = Vec::new();
    for path in labs {
        let lab = Lab::open(path)?;
        for (id, cell) in lab.tune_cells(None, target)? {
            let program = Program::find(&cell.program)?;
            let mut module = program.module().clone();
            label_operators(&mut module);
            let space = ProgramSpace::new(&module, &machine.capabilities(), machine.family());
            let trials = lab.trials(id)?;
            // A survey begins with the rule.
            let Some(mut rule) = trials.first().and_then(|trial| trial.schedule.parse::<ProgramSchedule>().ok()) else {
                continue;
            };
            let adaptive = least(&trials, |trial| trial.schedule.contains("@adaptive"));
            let fixed: Vec<TrialRow> =
                trials.iter().filter(|trial| !trial.schedule.contains("@adaptive")).cloned().collect();
            let table = Table::new(&fixed, &space);
            if today && target == "cuda" {
                let now = rule_of_today(&module, &cell);
                let kept = with_widths_of(&now, &rule);
                match [now, kept].into_iter().find(|now| table.find(&space, now).is_some_and(|entry| entry.done)) {
                    Some(now) => rule = now,
                    None => eprintln!("{} {:?}: today's rule is not in the table", cell.program, cell.graph_name),
                }
            }
            if !table.find(&space, &rule).is_some_and(|entry| entry.done) {
                continue;
            }
            let starts = starts(&program, machine.as_ref(), &space, &rule);
            let of_program = by_hand.iter().filter(|(name, _)| *name == cell.program).map(|(_, schedule)| schedule);
            let best = table.best();
            let seconds = |schedule: &ProgramSchedule| {
                table.find(&space, schedule).filter(|entry| entry.done).map(|entry| entry.seconds / best)
            };
            let experts = program.front().schedule.iter().chain(of_program).filter_map(seconds).min_by(f64::total_cmp);
            // Without a model the adaptive schedule is the rule.
            let adaptive = adaptive.map(|seconds| seconds / best).or_else(|| seconds(&rule));
            cells.push(Cell { cell, module, space, starts, adaptive, experts, table });
        }
    }
    Ok(cells)
}

/// What the GPU's rule says today about the graph of a cell. Weights of surveys are 1 to 100.
fn rule_of_today(module: &Module, cell: &TuneCell) -> ProgramSchedule {
    let number = |name: &str| cell.features.get(name).copied().unwrap_or(0.0) as usize;
    let graph = GraphFacts {
        vertices: number("vertices"),
        edges: number("edges"),
        greatest_degree: number("out-degree-max"),
        symmetric: true,
        mean_weight: Some(50.0),
        gini: None,
    };
    gw_cuda::choose_by_facts(module.clone(), &graph).1.schedule
}

/// The same schedule with the bucket widths of an earlier one, whose mean weight was a sample's.
fn with_widths_of(schedule: &ProgramSchedule, earlier: &ProgramSchedule) -> ProgramSchedule {
    let mut schedule = schedule.clone();
    for (label, part) in earlier.labels() {
        let width = part.parts().first().and_then(|simple| simple.delta);
        let places = schedule.get_mut(label.as_str()).into_iter().flat_map(|part| part.parts_mut());
        places.filter(|simple| simple.delta.is_some()).for_each(|simple| simple.delta = width);
    }
    schedule
}

/// The least time of the trials that came to their end.
fn least(trials: &[TrialRow], is: impl Fn(&TrialRow) -> bool) -> Option<f64> {
    let done = trials.iter().filter(|trial| trial.outcome == TrialOutcome::Done && is(trial));
    done.map(|trial| trial.seconds).min_by(f64::total_cmp)
}

fn read_experts(path: &Path) -> Result<Vec<(String, ProgramSchedule)>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut all = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let (program, schedule) = line.split_once('\t').ok_or(format!("`{line}` has no tab"))?;
        all.push((program.to_string(), schedule.parse::<ProgramSchedule>()?));
    }
    Ok(all)
}

/// The best schedules of the other graphs for the program of a cell, as far as its table has them.
pub fn taught(cells: &[Cell], at: usize) -> Vec<(String, ProgramSchedule)> {
    let cell = &cells[at];
    let mut found = Vec::new();
    for (other, known) in cells.iter().enumerate() {
        if other == at || known.cell.program != cell.cell.program {
            continue;
        }
        let mut ranked: Vec<&Entry> = known.table.entries.iter().filter(|entry| entry.done).collect();
        ranked.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let here = ranked.into_iter().filter(|entry| cell.table.find(&cell.space, &entry.schedule).is_some());
        found.extend(here.take(PORTFOLIO).map(|entry| ("lab".to_string(), entry.schedule.clone())));
    }
    found
}

/// A line per schedule: its settings, seconds, whether it came to its end, seconds for compiling. The rule is first.
pub fn write_csv(cell: &Cell, folder: &Path) -> std::io::Result<()> {
    let path = folder.join(format!("{}.csv", cell.name().replace(['/', ':', ' '], "_")));
    let mut text = cell.space.columns().join(",") + ",seconds,done,compile\n";
    let rule = cell.table.find(&cell.space, cell.rule());
    let others = cell.table.entries.iter().filter(|entry| !rule.is_some_and(|rule| std::ptr::eq(rule, *entry)));
    for entry in rule.into_iter().chain(others) {
        let settings = cell.space.settings(&entry.schedule);
        let values: Vec<&str> = settings.iter().map(|setting| setting.value.as_str()).collect();
        text += &format!("{},{},{},{}\n", values.join(","), entry.seconds, u8::from(entry.done), entry.compile_seconds);
    }
    std::fs::write(path, text)
}
