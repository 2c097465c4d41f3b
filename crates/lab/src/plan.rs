//! A suite with all choices made and all names checked: what will be run, in which order.

use std::collections::BTreeSet;

use gw_graph::generate::WeightRange;
use gw_graph::spec::Source;
use gw_graph::{GraphError, GraphSpec};
use gw_programs::ArgKind;

use crate::error::{LabError, Result};
use crate::program::{DEFAULT, PlannedProgram};
use crate::select::Selection;
use crate::suite::{Entry, GraphEntry, MOST_RUNS, Override, Suite};
use crate::template::{fill, uses};
use graphwright::schedule::Wanted;

/// Start vertices of an entry that does not say how many.
const SOURCES: u32 = 4;

/// Names that get their value when a program runs. `delta` does so only where nothing else gives one.
const RUN_TIME: [&str; 4] = ["graph", "source", "target", "landmark"];

/// Values by name.
type Values = Vec<(String, String)>;

/// What will be run: checked, so that what fails later fails for reasons of running.
pub struct Plan {
    pub(crate) suite: String,
    pub(crate) seed: u64,
    pub(crate) verify: bool,
    pub(crate) warm_ups: u32,
    pub(crate) graphs: Vec<PlannedGraph>,
    pub(crate) programs: Vec<PlannedProgram>,
    pub(crate) schedules: Vec<PlannedSchedule>,
    cells: Vec<Cell>,
    notes: Vec<String>,
}

/// A graph that some cell needs.
pub(crate) struct PlannedGraph {
    pub(crate) name: String,
    pub(crate) spec: GraphSpec,
    pub(crate) weights: Option<WeightRange>,
    pub(crate) sources: Option<Vec<u32>>,
}

/// A program under a schedule: compiled once, run on all graphs; or per graph, where the machine chooses.
pub(crate) struct PlannedSchedule {
    pub(crate) program: usize,
    pub(crate) name: String,
    pub(crate) wanted: Wanted,
}

/// One row of the results: a program on a graph under a schedule.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The words in tables.
    pub name: CellName,
    /// Number of start vertices; `None` for programs without one.
    pub sources: Option<u32>,
    /// Timed runs per source.
    pub trials: u32,
    pub(crate) graph: usize,
    pub(crate) schedule: usize,
    /// Cells of one group share program, arguments and graph, and take turns.
    pub(crate) group: usize,
    /// Templates in which only run-time names are left.
    pub(crate) args: Vec<String>,
}

/// What a row is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellName {
    /// The program.
    pub program: String,
    /// The graph.
    pub graph: String,
    /// The schedule as the suite or the person names it.
    pub schedule: String,
}

impl Plan {
    /// Makes the choices and checks everything that can be checked without loading a graph.
    pub fn new(suite: &Suite, selection: &Selection) -> Result<Plan> {
        Planner::new(suite, selection)?.plan()
    }

    /// The rows, in the order they will come.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The suite's name.
    pub fn suite(&self) -> &str {
        &self.suite
    }

    /// Remarks for the person: what is left out and why.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

struct Planner<'a> {
    suite: &'a Suite,
    selection: &'a Selection,
    /// The graphs of the suite, with what was given put in; then those added, then those only entries name.
    graphs: Vec<GraphEntry>,
    /// How many of them an entry without a list takes.
    common: usize,
}

impl<'a> Planner<'a> {
    fn new(suite: &'a Suite, selection: &'a Selection) -> Result<Self> {
        let fresh = |name: &str, spec: &str| GraphEntry {
            name: name.to_string(),
            spec: Some(spec.to_string()),
            weights: None,
            sources: None,
            values: Default::default(),
        };
        let mut graphs = suite.graphs.clone();
        let mut inline: Vec<GraphEntry> = Vec::new();
        for text in suite.entries.iter().flat_map(|e| e.graphs.iter().flatten()) {
            if !graphs.iter().chain(&inline).any(|g| g.name == *text) {
                inline.push(fresh(text, text));
            }
        }
        for (name, spec) in &selection.given {
            match graphs.iter_mut().chain(&mut inline).find(|g| g.name == *name) {
                Some(graph) => graph.spec = Some(spec.clone()),
                None => graphs.push(fresh(name, spec)),
            }
        }
        let common = graphs.len();
        graphs.append(&mut inline);
        let planner = Planner { suite, selection, graphs, common };
        planner.check_names()?;
        Ok(planner)
    }

    /// Every name that the selection uses must mean something.
    fn check_names(&self) -> Result<()> {
        let known = |kind, wanted: &[String], names: Vec<&str>| {
            let unknown = wanted.iter().find(|name| !names.contains(&name.as_str()));
            unknown.map_or(Ok(()), |name| Err(LabError::unknown(&self.suite.name, kind, name, &names)))
        };
        let entries = &self.suite.entries;
        known("graph", &self.selection.graphs, self.graphs.iter().map(|g| g.name.as_str()).collect())?;
        let programs: BTreeSet<&str> = entries.iter().map(|e| e.program.as_str()).collect();
        known("program", &self.selection.programs, programs.into_iter().collect())?;
        let lists = entries.iter().flat_map(|e| e.on.values().map(|o| &o.schedules).chain([&e.schedules]));
        let schedules: BTreeSet<&str> = lists.flatten().flatten().map(String::as_str).chain([DEFAULT]).collect();
        known("schedule", &self.selection.schedules, schedules.into_iter().collect())?;
        let set: Vec<String> = self.selection.set.iter().map(|(name, _)| name.clone()).collect();
        let names = self.value_names()?;
        known("parameter", &set, names.iter().map(String::as_str).collect())
    }

    /// All names that `--set` can give a value.
    fn value_names(&self) -> Result<BTreeSet<String>> {
        let mut names: BTreeSet<String> = self.suite.parameters.keys().cloned().collect();
        names.extend(self.graphs.iter().flat_map(|g| g.values.keys().cloned()));
        for entry in &self.suite.entries {
            names.extend(entry.values.keys().cloned());
            names.extend(entry.on.values().flat_map(|o| o.values.keys().cloned()));
            let (args, defaults) = arguments(entry)?;
            names.extend(defaults.into_iter().map(|(name, _)| name));
            names.extend(args.iter().any(|arg| uses(arg, "delta")).then(|| "delta".to_string()));
        }
        Ok(names)
    }

    fn plan(self) -> Result<Plan> {
        let (suite, selection) = (self.suite, self.selection);
        let mut plan = Plan {
            suite: suite.name.clone(),
            seed: selection.seed.unwrap_or(suite.seed),
            verify: selection.verify.unwrap_or(suite.verify),
            warm_ups: selection.warm_ups.unwrap_or(suite.warm_ups),
            graphs: Vec::new(),
            programs: Vec::new(),
            schedules: Vec::new(),
            cells: Vec::new(),
            notes: Vec::new(),
        };
        for (index, graph) in self.graphs.iter().enumerate() {
            if !selection.graphs.is_empty() && !selection.graphs.contains(&graph.name) {
                continue;
            }
            let entries: Vec<&Entry> = suite.entries.iter().filter(|e| self.takes(e, index)).collect();
            if entries.is_empty() {
                if selection.given.iter().any(|(name, _)| *name == graph.name) {
                    let message =
                        format!("no chosen entry of the suite {} takes the graph `{}`", suite.name, graph.name);
                    return Err(LabError::Nothing(message));
                }
                continue;
            }
            let Some(spec) = &graph.spec else {
                let mend = format!("give its file with --graph {}=FILE", graph.name);
                if selection.graphs.contains(&graph.name) {
                    return Err(suite.wrong(format!("graph `{}`", graph.name), mend));
                }
                plan.notes.push(format!("graph `{}` is left out: {mend}", graph.name));
                continue;
            };
            let at = plan.graphs.len();
            plan.graphs.push(self.graph(graph, spec)?);
            for entry in entries {
                self.add_cells(&mut plan, entry, graph, at)?;
            }
        }
        match plan.cells.is_empty() {
            true => Err(LabError::Nothing(format!("no row of the suite {} is left by these choices", suite.name))),
            false => Ok(plan),
        }
    }

    /// Whether a chosen entry runs on the graph at `index`.
    fn takes(&self, entry: &Entry, index: usize) -> bool {
        let chosen = self.selection.programs.is_empty() || self.selection.programs.contains(&entry.program);
        chosen
            && match &entry.graphs {
                Some(names) => names.contains(&self.graphs[index].name),
                None => index < self.common,
            }
    }

    fn graph(&self, graph: &GraphEntry, spec: &str) -> Result<PlannedGraph> {
        let suite = self.suite;
        let place = || format!("graph `{}`", graph.name);
        let text = fill(spec, |name| self.parameter(name)).map_err(|name| {
            let known: Vec<&str> = suite.parameters.keys().map(String::as_str).collect();
            suite.wrong(place(), format!("`{name}` has no value; parameters: {}", known.join(", ")))
        })?;
        let wrong = |source| LabError::Graph { name: graph.name.clone(), source };
        let mut spec = GraphSpec::parse_with(&text, |path| suite.path(path).is_file()).map_err(wrong)?;
        if let Source::File(path) = &mut spec.source {
            *path = suite.path(path);
            if let Err(error) = std::fs::metadata(&path) {
                return Err(wrong(GraphError::io("read", path, error)));
            }
        }
        let weights = graph.weights.as_ref().or(suite.weights.as_ref());
        let weights = weights.map(|text| text.parse().map_err(|message: String| suite.wrong(place(), message)));
        let sources = graph.sources.clone().filter(|list| !list.is_empty());
        Ok(PlannedGraph { name: graph.name.clone(), spec, weights: weights.transpose()?, sources })
    }

    /// The value that the selection gives a name; the last one counts.
    fn set(&self, name: &str) -> Option<String> {
        self.selection.set.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.clone())
    }

    /// A parameter of the suite, changed by the selection; from `scale` follow `vertices` and `side`.
    fn parameter(&self, name: &str) -> Option<String> {
        self.set(name).or_else(|| self.suite.parameters.get(name).map(ToString::to_string)).or_else(|| {
            let scale: u32 = match name {
                "vertices" | "side" => self.parameter("scale")?.parse().ok()?,
                _ => return None,
            };
            let vertices = 1u64.checked_shl(scale)?;
            let side = (vertices as f64).sqrt().round() as u64;
            Some(if name == "side" { side } else { vertices }.to_string())
        })
    }

    /// Adds a row per schedule of an entry on a graph.
    fn add_cells(&self, plan: &mut Plan, entry: &Entry, graph: &GraphEntry, at: usize) -> Result<()> {
        let (suite, selection) = (self.suite, self.selection);
        let nothing = Override::default();
        let changes = entry.on.get(&graph.name).unwrap_or(&nothing);
        let own = [DEFAULT.to_string()];
        let listed = changes.schedules.as_deref().or(entry.schedules.as_deref()).unwrap_or(&own);
        let schedules: Vec<&String> = match selection.instead.is_empty() {
            true => {
                listed.iter().filter(|s| selection.schedules.is_empty() || selection.schedules.contains(s)).collect()
            }
            false => selection.instead.iter().collect(),
        };

        // Arguments: everything but run-time names is put in now.
        let (templates, defaults) = arguments(entry)?;
        let lookup = |name: &str| {
            let run_time = |name: &str| format!("{{{name}}}");
            if RUN_TIME.contains(&name) {
                return Some(run_time(name));
            }
            let written = [&changes.values, &graph.values, &entry.values];
            self.set(name)
                .or_else(|| written.into_iter().find_map(|values| values.get(name)).map(ToString::to_string))
                .or_else(|| self.parameter(name))
                .or_else(|| defaults.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone()))
                .or_else(|| (name == "delta").then(|| run_time(name)))
        };
        let place = || format!("entry `{}`", entry.program);
        let filled: Result<Vec<String>, String> = templates.iter().map(|text| fill(text, lookup)).collect();
        let args = filled.map_err(|name| {
            let names = "graph, source, target, landmark, delta, and the values and parameters of the suite";
            suite.wrong(place(), format!("argument `{name}` has no value; there are {names}"))
        })?;

        let starts = args.iter().any(|arg| uses(arg, "source") || uses(arg, "target"));
        let sources = changes.sources.or(entry.sources);
        if sources.is_some() && !starts {
            return Err(suite.wrong(place(), "sources: no argument is {source}"));
        }
        let sources = starts.then(|| selection.sources.or(sources).unwrap_or(SOURCES));
        let trials = selection.trials.or(changes.trials).or(entry.trials).unwrap_or(suite.trials);
        let runs = u64::from(sources.unwrap_or(1)) * u64::from(trials);
        if runs > u64::from(MOST_RUNS) {
            let message = format!("sources x trials are {runs} timed runs: {MOST_RUNS} is the limit of a row");
            return Err(suite.wrong(format!("{} on {}", place(), graph.name), message));
        }
        let group = plan.cells.last().map_or(0, |cell| cell.group + 1);
        for name in schedules {
            let schedule = schedule_index(plan, suite, entry, &args, name)?;
            let program = plan.programs[plan.schedules[schedule].program].name.clone();
            let name = CellName { program, graph: graph.name.clone(), schedule: name.clone() };
            plan.cells.push(Cell { name, sources, trials, graph: at, schedule, group, args: args.clone() });
        }
        Ok(())
    }
}

/// The arguments of an entry as templates, and values for those that are plain numbers.
fn arguments(entry: &Entry) -> Result<(Vec<String>, Values)> {
    let is_file = entry.program.ends_with(".gt") || entry.program.contains(std::path::MAIN_SEPARATOR);
    let standard =
        if is_file { None } else { Some(gw_programs::find(&entry.program).map_err(graphwright::Error::from)?) };
    let known = standard.map_or(&[][..], |p| p.args);
    let defaults = known.iter().filter_map(|arg| match arg.kind {
        ArgKind::Count(count) | ArgKind::Starts(count) | ArgKind::Row { example: count, .. } => {
            Some((arg.name.to_string(), count.to_string()))
        }
        ArgKind::Tolerance(number) | ArgKind::Share(number) | ArgKind::Positive(number) | ArgKind::Time(_, number) => {
            Some((arg.name.to_string(), number.to_string()))
        }
        ArgKind::Weights | ArgKind::Numbers => arg.default.map(|value| (arg.name.to_string(), value.to_string())),
        _ => None,
    });
    let usual = || match standard {
        None => vec!["{graph}".to_string()],
        Some(_) => {
            let word = |kind, name| match kind {
                ArgKind::Graph => "graph",
                ArgKind::Source | ArgKind::Sources => "source",
                ArgKind::Target => "target",
                ArgKind::Landmark => "landmark",
                ArgKind::Delta => "delta",
                ArgKind::Count(_)
                | ArgKind::Starts(_)
                | ArgKind::Row { .. }
                | ArgKind::Tolerance(_)
                | ArgKind::Share(_)
                | ArgKind::Positive(_)
                | ArgKind::Time(..)
                | ArgKind::Numbers
                | ArgKind::Weights => name,
            };
            known.iter().map(|arg| format!("{{{}}}", word(arg.kind, arg.name))).collect()
        }
    };
    Ok((entry.args.clone().unwrap_or_else(usual), defaults.collect()))
}

/// The place of a program under a schedule in the plan, added when it is new.
fn schedule_index(plan: &mut Plan, suite: &Suite, entry: &Entry, args: &[String], name: &str) -> Result<usize> {
    let program = PlannedProgram::find(suite, &entry.program)?.with_rows(args)?;
    let program = match plan.programs.iter().position(|p| p.is_same(&program)) {
        Some(index) => index,
        None => {
            plan.programs.push(program);
            plan.programs.len() - 1
        }
    };
    let same = |s: &PlannedSchedule| s.program == program && s.name == name;
    if let Some(index) = plan.schedules.iter().position(same) {
        return Ok(index);
    }
    let wanted = plan.programs[program].schedule(suite, name)?;
    plan.schedules.push(PlannedSchedule { program, name: name.to_string(), wanted });
    Ok(plan.schedules.len() - 1)
}
