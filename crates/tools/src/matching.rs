//! `gw match`: where a small labelled graph occurs in a large one, approximately or exactly.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum};
use gw_device::Device;
use gw_graph::GraphSpec;
use gw_pattern::device::DeviceTarget;
use gw_pattern::format::{self, terms::Terms};
use gw_pattern::report::{Report, exact_matches};
use gw_pattern::survey::{Survey, survey_by};
use gw_pattern::{
    ExactOptions, LabelledGraph, Labels, Match as Found, Matrix, Options, PatternError, Scoring, Similarity, exact,
    find_with, perturb, picture, scoring,
};

use crate::error::ToolError;
use crate::output::{json, seconds, text};
use gw_cli::apart::Apart;
use gw_cli::progress::{Bar, phase};

const HELP: &str = "\
Examples:
  gw match triangle.lg network.gfu                the best of 100 solutions
  gw match triangle.lg network.gfu --exact        all exact occurrences, at most 100
  gw match complex.gfu net.gfu --similarity s.txt --svg matches.svg
  gw match queries/ network.gfu --against thesis  every query of a folder; two scorings compared
  gw match q.lg web.mtx --target-labels labels.txt
  gw match queries/ network.gfu --target cuda     on the GPU: the same matches

docs/match.md explains files, costs and scorings.";

/// Where matches grow.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Place {
    /// The cores of the processor
    Cpu,
    /// The NVIDIA GPU
    Cuda,
}

/// Arguments of `gw match`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Match {
    /// The small graph: .gfu, .gfd, .lg, or any graph with --query-labels; a folder of such files gives a table
    query: PathBuf,
    /// The large graph: .gfu, .gfd, .lg, or any graph with --target-labels
    target: String,
    /// Solutions grown, or exact matches that are enough
    #[arg(long, short = 'k', default_value_t = 100, value_name = "K")]
    solutions: usize,
    /// Seed of everything drawn; the same seed gives the same matches [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// Where matches grow; what is found is the same
    #[arg(long = "target", value_enum, default_value = "cpu")]
    place: Place,
    /// How pairs of nodes are judged: released, thesis, or thesis:label+degree+bfs with some of these
    #[arg(long, default_value = "released")]
    scoring: String,
    /// Edges that the neighbourhood of a node reaches
    #[arg(long, default_value_t = 2)]
    depth: usize,
    /// Rounds in which every query node moves to the partner that costs least; the published method has none
    #[arg(long, default_value_t = 0, value_name = "N")]
    rounds: usize,
    /// Similarities of labels: a row per query node, a number from 0 to 1 per target node
    #[arg(long, value_name = "FILE")]
    similarity: Option<PathBuf>,
    /// Only exact occurrences, found by backtracking
    #[arg(long, conflicts_with_all = ["scoring", "depth", "rounds", "similarity", "against", "place"])]
    exact: bool,
    /// Exact occurrences without further edges among their nodes
    #[arg(long, requires = "exact")]
    induced: bool,
    /// Give up an exact search after so many steps per first node
    #[arg(long, requires = "exact", value_name = "N")]
    most_steps: Option<u64>,
    /// Change labels and edges at this share of the query's nodes first, to see what mistakes cost
    #[arg(long, value_name = "SHARE")]
    perturb: Option<f64>,
    /// Compare costs with another scoring: rank-sum tests, corrected for their number (a folder of queries)
    #[arg(long, value_name = "SCORING")]
    against: Option<String>,
    /// Terms of target nodes: tells whether those of a match share more than chance has it; `labels` takes the labels
    #[arg(long, value_name = "FILE")]
    terms: Option<PathBuf>,
    /// Labels of the query's vertices: a line `VERTEX LABEL` each
    #[arg(long, value_name = "FILE")]
    query_labels: Option<PathBuf>,
    /// Labels of the target's vertices
    #[arg(long, value_name = "FILE")]
    target_labels: Option<PathBuf>,
    /// Matches shown and drawn
    #[arg(long, default_value_t = 5, value_name = "N")]
    top: usize,
    /// Draw the query and the best matches into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Match {
    /// Runs the search.
    pub fn run(self) -> Result<(), ToolError> {
        if self.exact && self.seed.is_some() && self.perturb.is_none() {
            let message = "--seed: an exact search draws nothing; leave the seed out, or add --perturb, which draws";
            return Err(ToolError::usage(message.to_owned()));
        }
        let files = [&self.similarity, &self.terms, &self.query_labels, &self.target_labels];
        let apart = Apart::reading([&*self.target]).files([&self.query]).files(files.into_iter().flatten());
        apart.writing("--svg", self.svg.as_deref()).check()?;
        let mut labels = Labels::default();
        let target = read(&self.target, self.target_labels.as_deref(), &mut labels)?;
        match self.query.is_dir() {
            true => self.run_folder(&target, &mut labels),
            false => self.run_one(&target, &mut labels),
        }
    }

    /// The GPU where it was asked for; told before anything is computed.
    fn device(&self) -> Result<Option<Arc<dyn Device>>, ToolError> {
        if self.place == Place::Cpu {
            return Ok(None);
        }
        Ok(Some(gw_cli::devices::open_gpu()?))
    }

    fn options(&self) -> Options {
        Options { solutions: self.solutions, depth: self.depth, rounds: self.rounds, seed: self.seed() }
    }

    fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    fn perturbed(&self, query: LabelledGraph, target: &LabelledGraph, number: u64) -> Result<LabelledGraph, ToolError> {
        match self.perturb {
            Some(share) => Ok(perturb(&query, target, share, self.seed().wrapping_add(number))?),
            None => Ok(query),
        }
    }

    fn run_one(self, target: &LabelledGraph, labels: &mut Labels) -> Result<(), ToolError> {
        if self.against.is_some() {
            return Err(ToolError::usage("--against compares scorings over a folder of queries; give a folder".into()));
        }
        let query = read(&self.query.to_string_lossy(), self.query_labels.as_deref(), labels)?;
        let query = self.perturbed(query, target, 0)?;
        let matrix: Option<Matrix> = match &self.similarity {
            Some(path) => Some(format::matrix::read(path, query.nodes(), target.nodes())?),
            None => None,
        };
        let terms = match &self.terms {
            Some(path) if path == Path::new("labels") => Some(Terms::from_labels(target)),
            Some(path) => Some(format::terms::read(path, target, &mut Labels::default())?),
            None => None,
        };
        let similarity = Similarity::new(&query, target, matrix.as_ref())?;
        let (report, matches): (Report, Vec<Found>) = if self.exact {
            let most_steps = self.most_steps.unwrap_or(u64::MAX);
            let options = ExactOptions { induced: self.induced, limit: self.solutions, most_steps };
            let _bar = phase("looking for matches");
            let start = Instant::now();
            let found = exact(&query, target, &options)?;
            let spent = start.elapsed().as_secs_f64();
            let report = Report::of_exact(&found, self.induced, spent, &similarity, labels, terms.as_ref());
            (report, exact_matches(&found, &similarity))
        } else {
            let scoring = scoring(&self.scoring)?;
            let _bar = phase("looking for matches");
            let found = match self.device()? {
                Some(device) => {
                    let device = DeviceTarget::new(device, target)?;
                    device.find_with(&*scoring, &query, matrix.as_ref(), &self.options())?
                }
                None => find_with(&*scoring, &query, target, matrix.as_ref(), &self.options())?,
            };
            (Report::new(&found, &similarity, labels, terms.as_ref()), found.matches)
        };
        if let Some(path) = &self.svg {
            let drawn = picture(&query, target, labels, &matches[..self.top.min(matches.len())])?;
            gw_graph::format::write_file(path, drawn.as_bytes())?;
        }
        match self.json {
            true => json(&report),
            false => text(&summary(&report, self.top)),
        }
    }

    fn run_folder(self, target: &LabelledGraph, labels: &mut Labels) -> Result<(), ToolError> {
        for (given, name) in [
            (self.exact, "--exact"),
            (self.similarity.is_some(), "--similarity"),
            (self.terms.is_some(), "--terms"),
            (self.query_labels.is_some(), "--query-labels"),
            (self.svg.is_some(), "--svg"),
        ] {
            if given {
                return Err(ToolError::usage(format!("{name} is for one query; a folder of queries was given")));
            }
        }
        let mut queries = Vec::new();
        let folder = format::labelled_files(&self.query)?;
        folder.notes.iter().for_each(|note| eprintln!("gw: {note}"));
        for (number, path) in folder.files.into_iter().enumerate() {
            let query = self.perturbed(format::read(&path, labels)?, target, number as u64)?;
            let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            queries.push((name, query));
        }
        let against = self.against.as_deref().map(scoring).transpose()?;
        let options = self.options();
        let device = match self.device()? {
            Some(device) => Some(DeviceTarget::new(device, target)?),
            None => None,
        };
        let find = |scoring: &dyn Scoring, query: &LabelledGraph| match &device {
            Some(device) => device.find_with(scoring, query, None, &options),
            None => find_with(scoring, query, target, None, &options),
        };
        let bar = phase("looking for matches");
        let found = survey_by(&queries, &*scoring(&self.scoring)?, against.as_deref(), find)?;
        drop(bar);
        match self.json {
            true => json(&found),
            false => text(&table(&found)),
        }
    }
}

/// Reads a file that brings its labels, or any graph with a file of labels.
fn read(graph: &str, node_labels: Option<&Path>, labels: &mut Labels) -> Result<LabelledGraph, ToolError> {
    let path = Path::new(graph);
    match node_labels {
        None => Ok(format::read(path, labels)?),
        Some(file) if format::is_labelled(path) => {
            Err(ToolError::usage(format!("{graph} brings its labels; {} is not needed", file.display())))
        }
        Some(file) => {
            let loaded = GraphSpec::parse(graph)?.load(&Bar::late())?.graph;
            let node_labels = format::node_labels::read(file, &loaded, labels)?;
            Ok(LabelledGraph::from_graph(&loaded, node_labels)?)
        }
    }
}

/// The matches of one query.
fn summary(report: &Report, top: usize) -> String {
    let mut text = String::new();
    let (query, target) = (&report.query, &report.target);
    let _ = writeln!(
        text,
        "{} matches of {} nodes and {} edges in {} nodes and {} edges ({}; {})",
        report.matches.len(),
        query.nodes,
        query.edges,
        target.nodes,
        target.edges,
        report.method,
        seconds(report.seconds.seeds + report.seconds.growing)
    );
    match report.is_complete {
        Some(true) => text += "there are no other exact matches\n",
        Some(false) => text += "there may be more: the search ended at a limit (--solutions, --most-steps)\n",
        None => {
            let costs = &report.costs;
            let _ = writeln!(
                text,
                "cost {:.3} to {:.3}, mean {:.3}, deviation {:.3}; {} distinct of {} solutions",
                costs.least, costs.most, costs.mean, costs.deviation, costs.count, report.solutions
            );
        }
    }
    for (number, found) in report.matches.iter().take(top).enumerate() {
        let cost = &found.cost;
        let _ = writeln!(
            text,
            "\nmatch {}: cost {:.3} (labels {:.2}, unmatched nodes {}, missing edges {})",
            number + 1,
            cost.total,
            cost.labels,
            cost.unmatched,
            cost.missing_edges
        );
        if let Some(coherence) = &found.coherence {
            let _ = writeln!(
                text,
                "  terms: {} with p {:.2e} on average, {:.2e} at least",
                coherence.terms, coherence.mean_p, coherence.least_p
            );
        }
        for pair in &found.pairs {
            let partner = match (&pair.target, &pair.target_label) {
                (Some(target), Some(label)) if *label == pair.label => format!("{target} ({label})"),
                (Some(target), Some(label)) => format!("{target} ({label}, not {})", pair.label),
                _ => "nothing".to_owned(),
            };
            let _ = writeln!(text, "  {} -> {partner}", pair.query);
        }
    }
    if report.matches.len() > top {
        let _ = writeln!(text, "\n{} more: --top N or --json show them", report.matches.len() - top);
    }
    text
}

/// A line per query of a folder, and their means.
fn table(found: &Survey) -> String {
    let mut text = format!(
        "{:<32} {:>5} {:>6} {:>6} {:>6} {:>8} {:>9}",
        "query", "nodes", "mean", "best", "worst", "distinct", "time"
    );
    text += if found.against.is_some() { "  other mean  corrected p\n" } else { "\n" };
    for row in &found.queries {
        let _ = write!(
            text,
            "{:<32} {:>5} {:>6.3} {:>6.3} {:>6.3} {:>8.2} {:>9}",
            row.query,
            row.nodes,
            row.costs.mean,
            row.costs.least,
            row.costs.most,
            row.distinct_ratio,
            seconds(row.seconds)
        );
        if let Some(against) = &row.against {
            let _ = write!(text, "  {:>10.3}  {:>11.2e}", against.costs.mean, against.corrected_p);
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "\n{} queries ({}): mean cost {:.3}, best {:.3}; {} have an exact match; distinct {:.2}; {} each, {} at most",
        found.queries.len(),
        found.scoring,
        found.mean_cost,
        found.best_cost,
        found.exact,
        found.distinct_ratio,
        seconds(found.seconds.mean),
        seconds(found.seconds.most)
    );
    if let (Some(name), Some(cost)) = (&found.against, found.against_cost) {
        let _ = writeln!(text, "{name}: mean cost {cost:.3}");
    }
    text
}

impl From<PatternError> for ToolError {
    fn from(error: PatternError) -> Self {
        match error {
            PatternError::Graph(error) => error.into(),
            PatternError::Argument(message) => ToolError::usage(message),
            other => ToolError::Pattern(other),
        }
    }
}
