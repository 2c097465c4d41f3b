//! `--path`, and the paths of programs that are about paths: by the ids of vertices.

use graphwright::{Program, StandardProgram};
use gw_exec::{GraphSource, Value};
use gw_graph::{Graph, VertexId};
use gw_programs::{ArgumentError, Number, PARENT, Path, PathError, PathKind, Run as FinishedRun, find_vertex};
use serde::Serialize;
use serde_json::Value as Json;

use super::graphs::Graphs;
use super::ids;
use super::results;
use super::run::Run;
use super::top::{self, printable};
use crate::error::CliError;
use crate::output::grouped;

/// More weights than these are left to `--json`.
const WEIGHTS_SHOWN: usize = 12;

/// The paths that a run shall tell.
#[derive(Default)]
pub struct Asked {
    /// Vertices named by `--path`; none where the program says by itself to which vertices its paths lead.
    targets: Vec<VertexId>,
    is_asked: bool,
    kind: Option<PathKind>,
    wants_parents: bool,
}

/// What is the same for all paths of a run.
struct About<'g> {
    graph: &'g Graph,
    source: VertexId,
    counts_hops: bool,
    /// ` within 2 hops`, where the program looked at no longer paths; else empty.
    limit: String,
}

/// A path as it is told; without vertices where there is none.
#[derive(Serialize)]
pub struct Shown {
    source: Json,
    target: Json,
    length: Json,
    vertices: Vec<Json>,
    weights: Vec<Json>,
    #[serde(skip)]
    path: Option<Path>,
    #[serde(skip)]
    words: String,
    #[serde(skip)]
    limit: String,
}

fn kind_of(program: &Program) -> Option<PathKind> {
    program.as_standard().and_then(|standard| standard.paths)
}

/// Says before anything runs whether one of the programs finds paths to vertices.
pub fn check_programs(programs: &[(String, Program)], texts: &[String]) -> Result<(), CliError> {
    let finds = |program: &Program| matches!(kind_of(program), Some(PathKind::ToAll | PathKind::ToTarget));
    let Some((_, first)) = programs.first().filter(|_| !texts.is_empty()) else { return Ok(()) };
    if programs.iter().any(|(_, program)| finds(program)) {
        return Ok(());
    }
    let name = first.name().to_string();
    match kind_of(first) {
        Some(_) => Err(CliError::Usage(format!("--path: {name} lists its paths by itself; leave the option out"))),
        None => Err(PathError::NoPaths { program: name }.into()),
    }
}

impl Asked {
    /// The paths that the options ask of a program, before its run. Of several programs, those that find paths tell
    /// them.
    pub fn of(program: &Program, run: &Run, args: &[String], graphs: &Graphs) -> Result<Asked, CliError> {
        let kind = kind_of(program);
        let Some(standard) = program.as_standard().filter(|_| kind.is_some()) else { return Ok(Asked::default()) };
        let names = run.out.iter().filter_map(|text| text.split_once('=')).map(|(name, _)| name);
        let wants_parents = names.chain(run.top.iter().map(top::Top::name)).any(is_parent);
        let mut asked = Asked { targets: Vec::new(), is_asked: !run.path.is_empty(), kind, wants_parents };
        let is_none = |(arg, text): (&gw_programs::Arg, &String)| arg.name == "count" && text == "0";
        let asks_for_none = standard.args.iter().zip(args).any(is_none);
        let only = standard.only_target(args).filter(|_| !asks_for_none);
        if kind == Some(PathKind::Listed) || run.path.is_empty() {
            (asked.is_asked, asked.targets) = (false, only.into_iter().collect());
            return Ok(asked);
        }
        let text = args.first().map(String::as_str).unwrap_or_default();
        let graph = graphs.load(text, None);
        let graph = graph.map_err(|error| CliError::Run { error, file: program.file().clone() })?;
        if graph.share().is_some() {
            return Err(PathError::InParts.into());
        }
        for text in &run.path {
            let target = find_vertex(text, &graph).map_err(|error| match error {
                ArgumentError::Bad { expected, .. } => CliError::Usage(format!("--path: `{text}` is not {expected}")),
                error => CliError::Usage(format!("--path: {error}")),
            })?;
            if let Some(only) = only.filter(|&only| only != target) {
                let target = ids::text(&ids::id(&graph, only));
                return Err(PathError::OtherTarget { program: standard.name, target, asked: text.clone() }.into());
            }
            asked.targets.push(target);
        }
        Ok(asked)
    }

    /// The paths of a finished run that has a result.
    pub fn shown(&self, standard: &StandardProgram, run: &FinishedRun<'_>) -> Result<Vec<Shown>, CliError> {
        let is_list = self.kind == Some(PathKind::Listed);
        let found = match is_list {
            true => {
                let listed: Vec<Option<Path>> = standard.listed_paths(run)?.into_iter().map(Some).collect();
                // That there is none is told once.
                if listed.is_empty() && !self.targets.is_empty() { vec![None] } else { listed }
            }
            false if self.targets.is_empty() => return Ok(Vec::new()),
            false => standard.shortest_paths(run, &self.targets)?,
        };
        let limit = match standard.most_hops(run) {
            None => String::new(),
            Some(1) => " within 1 hop".to_string(),
            Some(hops) => format!(" within {} hops", grouped(hops as u64)),
        };
        let (source, counts_hops) = (standard.source_of(run)?, standard.counts_hops());
        let about = About { graph: run.graph, source, counts_hops, limit };
        let tell = |(at, path): (usize, Option<Path>)| {
            let heading = if is_list && path.is_some() { format!("path {}", at + 1) } else { "path".to_string() };
            let end = path.as_ref().and_then(|path| path.vertices.last());
            let target = *end.or(self.targets.get(at))?;
            Some(shown(&about, &heading, target, path))
        };
        Ok(found.into_iter().enumerate().filter_map(tell).collect())
    }

    /// What is said where `--path` asked for a path that does not exist.
    pub fn missing(&self, shown: &[Shown]) -> Option<String> {
        let missing = shown.iter().find(|shown| shown.path.is_none()).filter(|_| self.is_asked)?;
        let (source, target) = (plain(&missing.source), plain(&missing.target));
        Some(format!("there is no path from {source} to {target}{}", missing.limit))
    }

    /// Whether an option asks for the vertex before each on a shortest path.
    pub fn wants_parents(&self) -> bool {
        self.wants_parents
    }
}

/// Whether a name means the parents, with or without the name of a program before it.
fn is_parent(name: &str) -> bool {
    name.rsplit('.').next() == Some(PARENT)
}

/// Checks the paths that were found.
pub fn verify(standard: &StandardProgram, run: &FinishedRun<'_>, shown: &[Shown]) -> Result<(), String> {
    let mut paths = shown.iter().filter_map(|shown| shown.path.as_ref());
    paths.try_for_each(|path| standard.check_path(run, path).map_err(|error| error.to_string()))
}

impl Shown {
    /// A line.
    pub fn in_words(&self) -> String {
        self.words.clone() + "\n"
    }
}

/// A path, or that there is none.
fn shown(about: &About<'_>, heading: &str, target: VertexId, path: Option<Path>) -> Shown {
    let About { graph, source, counts_hops, ref limit } = *about;
    let field = |v: VertexId| ids::id(graph, v);
    let name = |v: VertexId| printable(&ids::text(&field(v)));
    let json = |v: VertexId| top::as_json(&field(v));
    let mut shown = Shown {
        source: json(source),
        target: json(target),
        length: Json::Null,
        vertices: Vec::new(),
        weights: Vec::new(),
        path: None,
        words: format!("{heading}: none from {} to {}{limit}", name(source), name(target)),
        limit: limit.clone(),
    };
    if let Some(path) = path {
        shown.length = results::number(&value(path.length));
        shown.vertices = path.vertices.iter().map(|&v| json(v)).collect();
        shown.weights = path.weights.iter().map(|&weight| results::number(&value(weight))).collect();
        let vertices: Vec<String> = path.vertices.iter().map(|&v| name(v)).collect();
        let weights: Vec<String> = path.weights.iter().map(|&weight| results::readable(&value(weight))).collect();
        let hops = match path.hops() {
            1 => "1 hop".to_string(),
            hops if counts_hops || !(2..=WEIGHTS_SHOWN).contains(&hops) => format!("{} hops", grouped(hops as u64)),
            hops => format!("{hops} hops: {}", weights.join(" + ")),
        };
        let length = results::readable(&value(path.length));
        shown.words = format!("{heading}: {}, length {length} ({hops})", vertices.join(" -> "));
        shown.path = Some(path);
    }
    shown
}

/// An id in a sentence.
fn plain(id: &Json) -> String {
    id.as_str().map_or_else(|| id.to_string(), printable)
}

fn value(number: Number) -> Value {
    match number {
        Number::Integer(whole) => Value::Int64(i64::try_from(whole).unwrap_or(i64::MAX)),
        Number::Real(real) => Value::Double(real),
    }
}
