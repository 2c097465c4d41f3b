//! `gw lab add`: graphs, variants, schedules, run configurations.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use gw_lab::{
    Added, Environment, GraphIndex, Kind, Lab, NamedSchedule, NewGraph, NewImplementation, VariantPlan, build_commit,
    named_schedules, read_implementation,
};

use crate::error::ToolError;
use crate::output::text;
use gw_cli::machines::{self, Target};

#[derive(Subcommand)]
pub enum Add {
    /// Add graphs to a dataset
    Graphs(Graphs),
    /// Add ways to run an algorithm: roots or rounds
    Variants(Variants),
    /// Add implementations: a program under schedules on a machine
    Schedules(Schedules),
    /// Add a batch of experiments for this machine and this version of Graphwright
    RunConfig(RunConfig),
}

#[derive(Args)]
pub struct Graphs {
    /// The lab
    lab: PathBuf,
    /// Files or specs such as kron:14:seed=3; NAME=FILE gives a name
    #[arg(value_name = "[NAME=]FILE|SPEC", required_unless_present = "index")]
    graphs: Vec<String>,
    /// A table with tabs between its columns, of which `name` and `file` are needed; `class`, `source`, `licence`,
    /// `vertices` and `edges` are used. Files are beside the table
    #[arg(long, value_name = "FILE")]
    index: Option<PathBuf>,
    /// Only graphs of the index with at most so many vertices
    #[arg(long, value_name = "N", requires = "index")]
    max_vertices: Option<u64>,
    /// Only graphs of the index with at most so many edges
    #[arg(long, value_name = "N", requires = "index")]
    max_edges: Option<u64>,
    /// The dataset they belong to
    #[arg(long, value_name = "NAME", default_value = "default")]
    dataset: String,
    /// Where they come from
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,
    /// Their licence, or its address
    #[arg(long, value_name = "TEXT")]
    licence: Option<String>,
}

#[derive(Args)]
#[command(group = ArgGroup::new("plan").required(true).args(["roots", "rounds", "once"]))]
pub struct Variants {
    /// The lab
    lab: PathBuf,
    /// The algorithm
    #[arg(long, value_name = "NAME")]
    algorithm: String,
    /// So many roots per graph, drawn from its vertices with out-edges
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    roots: Option<u32>,
    /// The seed of roots
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with_all = ["rounds", "once"])]
    seed: u32,
    /// So many rounds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// One way to run it, without anything to choose
    #[arg(long)]
    once: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum KindChoice {
    /// One schedule for all steps: a label of training
    Core,
    /// Switches between schedules: never a label
    Derived,
}

#[derive(Args)]
pub struct Schedules {
    /// The lab
    lab: PathBuf,
    /// The schedules; NAME=TEXT gives a name. A name alone is that of a schedule that `--named` would add
    #[arg(value_name = "[NAME=]SCHEDULE", required_unless_present_any = ["named", "model"])]
    schedules: Vec<String>,
    /// The algorithm
    #[arg(long, value_name = "NAME")]
    algorithm: String,
    /// The program, a standard one or a file [default: that of the named schedules, else the algorithm's name]
    #[arg(long, value_name = "NAME")]
    program: Option<String>,
    /// The machine
    #[arg(long, value_parser = machines::target())]
    target: Target,
    /// All schedules of the algorithm that have names
    #[arg(long)]
    named: bool,
    /// A model of the lab, which picks at every step; may be repeated
    #[arg(long, value_name = "NAME")]
    model: Vec<String>,
    /// Whether schedules are labels of training [default: core unless a schedule is hybrid or adaptive]
    #[arg(long, value_enum)]
    kind: Option<KindChoice>,
}

#[derive(Args)]
pub struct RunConfig {
    /// The lab
    lab: PathBuf,
    /// The algorithm
    #[arg(long, value_name = "NAME")]
    algorithm: String,
    /// The machine
    #[arg(long, value_parser = machines::target())]
    target: Target,
    /// The dataset
    #[arg(long, value_name = "NAME", default_value = "default")]
    dataset: String,
    /// Timed runs per measurement
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repeats: u32,
    /// What to call this machine [default: the words of its hardware]
    #[arg(long, value_name = "NAME")]
    platform: Option<String>,
}

impl Add {
    /// Adds; `threads` is 0 for all cores.
    pub fn run(self, threads: usize) -> Result<(), ToolError> {
        match self {
            Add::Graphs(graphs) => graphs.run(),
            Add::Variants(variants) => variants.run(),
            Add::Schedules(schedules) => schedules.run(),
            Add::RunConfig(config) => config.run(threads),
        }
    }
}

impl Graphs {
    fn run(self) -> Result<(), ToolError> {
        let mut lab = Lab::open(&self.lab)?;
        let mut graphs = Vec::new();
        if let Some(index) = &self.index {
            let index =
                GraphIndex { max_vertices: self.max_vertices, max_edges: self.max_edges, ..GraphIndex::at(index) };
            let listed = index.read()?;
            listed.iter().try_for_each(NewGraph::check)?;
            graphs.extend(listed);
        }
        for given in &self.graphs {
            graphs.push(NewGraph::read(given)?);
        }
        for graph in &mut graphs {
            graph.source = graph.source.take().or(self.source.clone());
            graph.licence = graph.licence.take().or(self.licence.clone());
        }
        let added = lab.add_graphs(&self.dataset, &graphs)?;
        said(added, "graph", &format!(" to dataset {}", self.dataset))
    }
}

impl Variants {
    fn run(self) -> Result<(), ToolError> {
        let plan = match (self.roots, self.rounds) {
            (Some(count), _) => VariantPlan::Roots { count, seed: self.seed },
            (_, Some(rounds)) => VariantPlan::Rounds(rounds),
            _ => VariantPlan::Once,
        };
        let added = Lab::open(&self.lab)?.add_variants(&self.algorithm, plan)?;
        said(added, "configuration", &format!(" of {}", self.algorithm))
    }
}

impl Schedules {
    fn run(self) -> Result<(), ToolError> {
        let mut lab = Lab::open(&self.lab)?;
        let (target, family) = self.target.name_and_family()?;
        let mut all = Vec::new();
        let named = named_schedules(&self.algorithm, family);
        let implementation = |named: NamedSchedule| NewImplementation {
            kind: Kind::of(&named.schedule),
            name: Some(named.name),
            program: named.program,
            schedule: named.schedule,
            target: target.to_string(),
        };
        if self.named {
            if named.is_empty() {
                let message =
                    format!("--named: {} has no named schedules for {target}; give schedules", self.algorithm);
                return Err(ToolError::usage(message));
            }
            let wanted = |program: &str| self.program.as_deref().is_none_or(|only| only == program);
            all.extend(named.iter().filter(|named| wanted(&named.program)).cloned().map(implementation));
        }
        let program = self.program.as_deref().unwrap_or(&self.algorithm);
        for given in &self.schedules {
            all.push(match named.iter().find(|named| named.name == *given) {
                Some(named) => implementation(named.clone()),
                None => read_implementation(given, program, target)?,
            });
        }
        if let Some(kind) = self.kind {
            let kind = match kind {
                KindChoice::Core => Kind::Core,
                KindChoice::Derived => Kind::Derived,
            };
            all.iter_mut().for_each(|one| one.kind = kind);
        }
        let mut added = lab.add_implementations(&self.algorithm, &all)?;
        for model in &self.model {
            let more = lab.add_model_implementation(&self.algorithm, model, program, target)?;
            added = Added { new: added.new + more.new, known: added.known + more.known };
        }
        said(added, "implementation", &format!(" of {}", self.algorithm))
    }
}

impl RunConfig {
    fn run(self, threads: usize) -> Result<(), ToolError> {
        let mut lab = Lab::open(&self.lab)?;
        let machine = self.target.open(threads)?;
        let environment = Environment::of(machine.vm(), machine.threads());
        let platform = lab.add_platform(&environment, self.platform.as_deref())?;
        let added = lab.add_run_config(&self.algorithm, &platform, &self.dataset, &build_commit(), self.repeats)?;
        said(added, "run configuration", &format!(" for platform {}", platform.name))
    }
}

fn said(added: Added, what: &str, rest: &str) -> Result<(), ToolError> {
    let plural = |count: usize| if count == 1 { what.to_string() } else { format!("{what}s") };
    let known = match added.known {
        0 => String::new(),
        known => format!("; {known} known already"),
    };
    text(&format!("added {} {}{rest}{known}\n", added.new, plural(added.new)))
}
