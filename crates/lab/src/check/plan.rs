//! What will be run: the example graphs, and for every program its schedules and the graphs that suit it.

use std::collections::HashSet;
use std::sync::Arc;

use graphwright::schedule::{Origin, Wanted};
use gw_exec::{RunOptions, SpecGraphs};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_ir::Module;
use gw_ir::types::Type;
use gw_programs::{ExampleGraph, Program, example_args, example_graphs};
use gw_schedule::{Capabilities, ProgramSchedule};

use super::Check;
use super::cover::{Candidate, Cover, cover};
use crate::error::{LabError, Result};

/// Legal schedules that a short check tries at least per program.
const QUICK: usize = 2;

/// The example graphs, loaded.
pub(super) struct Graphs {
    pub(super) all: Vec<Loaded>,
    /// Hands them out to programs by their specs.
    pub(super) source: Arc<SpecGraphs>,
}

/// A graph in one form.
pub(super) struct Loaded {
    pub(super) example: &'static ExampleGraph,
    pub(super) spec: String,
    pub(super) graph: Arc<Graph>,
}

impl Graphs {
    pub(super) fn load(quick: bool) -> Result<Graphs> {
        let source = Arc::new(SpecGraphs::new());
        let mut all = Vec::new();
        for example in example_graphs().iter().filter(|graph| graph.quick || !quick) {
            let mut specs = vec![example.weighted_spec()];
            if !example.for_weights {
                specs.insert(0, example.spec.to_string());
            }
            for spec in specs {
                let loaded = GraphSpec::parse(&spec).and_then(|parsed| parsed.load(&Silent));
                let loaded = loaded.map_err(|source| LabError::Graph { name: spec.clone(), source })?;
                let graph = Arc::new(loaded.graph);
                source.insert(&spec, Arc::clone(&graph));
                all.push(Loaded { example, spec, graph });
            }
        }
        Ok(Graphs { all, source })
    }

    /// The classes in order.
    pub(super) fn classes(&self) -> Vec<String> {
        let mut classes: Vec<String> = self.all.iter().map(|graph| graph.example.class.to_string()).collect();
        classes.dedup();
        classes
    }
}

/// A program and what will be run of it.
pub(super) struct Plan {
    pub(super) program: &'static Program,
    /// As lowered.
    pub(super) module: Module,
    /// The schedules to try.
    pub(super) trials: Vec<Wanted>,
    pub(super) cells: Vec<Cell>,
}

/// A graph for a program.
pub(super) struct Cell {
    pub(super) graph: usize,
    pub(super) args: Vec<String>,
}

/// What will be run.
pub(super) fn plans(check: &Check<'_>, capabilities: &Capabilities, graphs: &Graphs) -> Result<Vec<Plan>> {
    let mut cover_of = Cover::new(capabilities, check.seed);
    let mut plans = Vec::new();
    let mut candidates: Vec<Vec<Candidate>> = Vec::new();
    for &program in &check.programs {
        let checked = graphwright::Program::standard(program)?.with_rows(&program.example_rows())?;
        let module = checked.module().clone();
        let compiles = |schedule: &ProgramSchedule| {
            let wanted = given(schedule.clone());
            wanted.settle(check.machine, module.clone(), &RunOptions::default()).optimised().is_ok()
        };
        candidates.push(cover_of.program(&gw_ir::program_points(&module), check.schedules, compiles));
        let own = checked.front().schedule.clone().map(|own| Wanted::Fixed(Box::new(own), Origin::Program));
        let trials = own.into_iter().chain([given(ProgramSchedule::new()), Wanted::Chosen]).collect();
        let cells = cells(program, &module, graphs);
        plans.push(Plan { program, module, trials, cells });
    }
    if check.quick && check.schedules.is_none() {
        candidates = essential(candidates);
    }
    for (plan, candidates) in plans.iter_mut().zip(candidates) {
        plan.trials.extend(candidates.into_iter().map(|candidate| given(candidate.schedule)));
        plan.trials.retain(|trial| check.wants(trial));
    }
    Ok(plans)
}

fn given(schedule: ProgramSchedule) -> Wanted {
    Wanted::Fixed(Box::new(schedule), Origin::Given)
}

/// Of all programs' schedules the few that have every value of every axis once, and some for every program.
fn essential(candidates: Vec<Vec<Candidate>>) -> Vec<Vec<Candidate>> {
    let all: Vec<(usize, usize, &Candidate)> = candidates
        .iter()
        .enumerate()
        .flat_map(|(program, list)| list.iter().enumerate().map(move |(i, candidate)| (program, i, candidate)))
        .collect();
    let mut wanted: HashSet<(usize, usize)> =
        cover(all, |(_, _, candidate)| candidate.features.clone()).iter().map(|&(p, i, _)| (p, i)).collect();
    for (program, list) in candidates.iter().enumerate() {
        let have = wanted.iter().filter(|(p, _)| *p == program).count();
        let others: Vec<(usize, usize)> =
            (0..list.len()).map(|i| (program, i)).filter(|at| !wanted.contains(at)).collect();
        wanted.extend(others.into_iter().take(QUICK.saturating_sub(have)));
    }
    let kept = candidates.into_iter().enumerate().map(|(program, list)| {
        let list = list.into_iter().enumerate().filter(|(i, _)| wanted.contains(&(program, *i)));
        list.map(|(_, candidate)| candidate).collect()
    });
    kept.collect()
}

/// The graphs that suit a program, each in one form: with weights where the program reads some.
fn cells(program: &Program, module: &Module, graphs: &Graphs) -> Vec<Cell> {
    let weight = module.globals.iter().find_map(|global| match &global.ty {
        Type::EdgeSet { weight, .. } => *weight,
        _ => None,
    });
    let suits = |graph: &Loaded| {
        let form = graph.spec == graph.example.spec_for(program);
        let fractions = !graph.example.is_fractional() || weight.is_some_and(|scalar| scalar.is_float());
        form && program.suits(&graph.graph) && (fractions || !program.needs_weights)
    };
    let graphs = graphs.all.iter().enumerate().filter(|(_, graph)| suits(graph));
    graphs.map(|(i, graph)| Cell { graph: i, args: example_args(program, &graph.spec, &graph.graph) }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::cover::Feature;
    use super::*;
    use graphwright::schedule::AUTO;
    use gw_exec::ReferenceVm;

    #[test]
    fn schedules_are_left_out_by_their_texts() {
        let machine = ReferenceVm::new();
        let mut check = Check { quick: true, schedules: Some(40), ..Check::new(&machine) };
        check.programs = vec![gw_programs::find("bfs").unwrap()];
        let graphs = Graphs::load(true).unwrap();
        let mut texts = |only: &[&str], skip: &[&str]| -> Vec<String> {
            check.only = only.iter().map(ToString::to_string).collect();
            check.skip = skip.iter().map(ToString::to_string).collect();
            let plans = plans(&check, &Capabilities::everything("any"), &graphs).unwrap();
            let text = |trial: &Wanted| match trial {
                Wanted::Fixed(schedule, _) => schedule.to_string(),
                _ => AUTO.to_string(),
            };
            plans[0].trials.iter().map(text).collect()
        };
        let all = texts(&[], &[]);
        let (with, without) = (texts(&["pull"], &[]), texts(&[], &["pull"]));
        assert!(all.contains(&AUTO.to_string()) && without.contains(&AUTO.to_string()));
        assert!(!with.is_empty() && with.iter().all(|text| text.contains("pull")));
        assert!(without.iter().all(|text| !text.contains("pull")));
        assert_eq!(with.len() + without.len(), all.len());
    }

    #[test]
    fn a_short_check_misses_no_value() {
        let machine = ReferenceVm::new();
        let names = ["bfs", "sssp-delta", "tc"];
        let mut check = Check::new(&machine);
        check.programs = names.map(|name| gw_programs::find(name).unwrap()).into();
        let capabilities = Capabilities::everything("any");
        let mut cover_of = Cover::new(&capabilities, 1);
        let mut all = |program: &Program| {
            let checked = graphwright::Program::find(program.name).unwrap();
            cover_of.program(&gw_ir::program_points(checked.module()), None, |_| true)
        };
        let candidates: Vec<Vec<Candidate>> = check.programs.iter().map(|program| all(program)).collect();
        let features = |lists: &[Vec<Candidate>]| -> HashSet<Feature> {
            lists.iter().flatten().flat_map(|candidate| candidate.features.clone()).collect()
        };
        let (wanted, many) = (features(&candidates), candidates.iter().map(Vec::len).sum::<usize>());
        let short = essential(candidates);
        assert_eq!(features(&short), wanted);
        let few = short.iter().map(Vec::len).sum::<usize>();
        assert!(few * 4 < many && short.iter().all(|list| list.len() >= QUICK), "{few} of {many}");
    }
}
