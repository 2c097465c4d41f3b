//! Graph specifications: one text that names a file or a generator, with options after colons.
//!
//! `kron:20:16:seed=7:weights=1..1000`, `grid:1000x1000`, `star:1000:directed`, `web.mtx:sym:reorder=degree`. A text
//! is a file when one of that name exists (the longest prefix that does), otherwise a generator when its first part
//! names one; `./kron` is always a file. `-` is standard input.
//!
//! `follows.csv:source=a:target=b:weight=w` names the columns of a table. In such a name `%3A` stands for a colon and
//! `%25` for a percent sign.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::columns::Kept;
use crate::folders;
use crate::format::{self, Format, Missing, ReadOptions, TableColumns, VertexTable, is_standard_input};
use crate::generate::{Generator, Params, WeightRange, generators, suggestion};
use crate::progress::Progress;
use crate::{BuildOptions, Graph, GraphError, Names, Parallel, Reorder, Result, Symmetry, WeightKind, build};

/// A parsed specification.
///
/// ```
/// use gw_graph::{progress::Silent, GraphSpec};
/// let spec = GraphSpec::parse("grid:3x2:weights=1..9").unwrap();
/// let loaded = spec.load(&Silent).unwrap();
/// assert_eq!((loaded.graph.vertices(), loaded.graph.edges()), (6, 14));
/// assert_eq!(spec.to_string(), "grid:3x2:weights=1..9");
/// ```
#[derive(Debug, Clone)]
pub struct GraphSpec {
    /// Where the edges come from.
    pub source: Source,
    /// What is done with them.
    pub options: SpecOptions,
    /// Columns that are kept since a program asks for them.
    pub asked: Vec<String>,
}

/// Where a graph comes from.
#[derive(Debug, Clone)]
pub enum Source {
    /// A file, or a folder that holds a graph ([`folders`]).
    File(PathBuf),
    /// A generator.
    Generator(Arc<dyn Generator>),
}

/// Options of any source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpecOptions {
    /// `directed`: a generator's edges are not mirrored; a file's graph is taken as directed without
    /// looking whether each edge has its reverse.
    pub directed: bool,
    /// `sym`: the reverse of every edge is added (generators do so unless `directed`).
    pub symmetrise: bool,
    /// `seed=N`: seed of generators, weights and random order.
    pub seed: Option<u64>,
    /// `weights=A..B`: random weights instead of those the source has.
    pub weights: Option<WeightRange>,
    /// `as=TYPE`: the type of weights, in place of the narrowest that holds all of them exactly.
    pub weight_kind: Option<WeightKind>,
    /// `reorder=ORDER`: vertices are renumbered at the end.
    pub reorder: Option<Order>,
    /// `loops`: edges from a vertex to itself are kept.
    pub loops: bool,
    /// `parallel=keep|first|min|max|sum`: what becomes of parallel edges; `parallel` alone keeps them.
    pub parallel: Option<Parallel>,
    /// `format=NAME`: the format of a file whose name does not tell it.
    pub format: Option<Format>,
    /// `source=NAME`, `target=NAME`, `weight=NAME`, `noheader`, `missing=skip`: the columns of a table.
    pub columns: TableColumns,
    /// `columns=A,B` or `columns=all`: further columns of tables that are kept for programs.
    pub kept: Kept,
    /// `vertices=FILE`: a table of vertices, with its ids in the column `vertex=COLUMN`.
    pub vertices: Option<VertexTable>,
}

/// A vertex order by name; `random` uses the seed of the spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Highest degree first.
    Degree,
    /// Lowest degree first.
    DegreeAscending,
    /// At random.
    Random,
    /// Mixed degrees in every warp, see [`Reorder::Pessimal`].
    Pessimal,
}

/// A graph with the story of its making.
#[derive(Debug)]
pub struct LoadedSpec {
    /// The graph.
    pub graph: Graph,
    /// The canonical text of the spec.
    pub description: String,
    /// What was done, in order, and the seconds it took.
    pub phases: Vec<Phase>,
}

/// One step of making a graph.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Phase {
    /// `generate` or `read`, `verify`, `build`, `weigh`, `convert`, `reorder`.
    pub name: &'static str,
    /// Time it took.
    pub seconds: f64,
}

/// The seed when a spec names none.
pub const DEFAULT_SEED: u64 = 1;

/// Names of the options, for suggestions.
pub(crate) const OPTION_NAMES: &[&str] = &[
    "directed", "sym", "seed", "weights", "as", "reorder", "loops", "parallel", "format", "source", "target", "weight",
    "noheader", "missing", "columns", "vertices", "vertex",
];

/// The options as shown to people.
pub const OPTIONS: &str = "directed, sym, seed=N, weights=LOW..HIGH, as=int|int64|float|double, \
                           reorder=degree|degree-asc|random|pessimal, loops, parallel=keep|first|min|max|sum, format=NAME; of tables source=COLUMN, target=COLUMN, weight=COLUMN, noheader, \
                           missing=skip|error, columns=NAME,NAME|all, vertices=FILE, vertex=COLUMN";

impl GraphSpec {
    /// Parses a specification. Looks at the file system to tell files from generators, but opens nothing.
    pub fn parse(text: &str) -> Result<Self> {
        Self::parse_with(text, |path| path.exists() && !path.is_dir())
    }

    /// [`GraphSpec::parse`] with a way to ask whether a file exists.
    pub fn parse_with(text: &str, exists: impl Fn(&Path) -> bool) -> Result<Self> {
        // 0. Standard input.
        if let Some(options) = text.strip_prefix('-')
            && (options.is_empty() || options.starts_with(':'))
        {
            let parts: Vec<&str> = options.split(':').skip(1).collect();
            return Self::file(text, "/dev/stdin".to_string(), &parts);
        }
        let parts: Vec<&str> = text.split(':').collect();
        // 1. The longest prefix that is a file.
        let is_graph = |path: &Path| exists(path) || folders::reader(path).is_some();
        if let Some((count, path)) = longest_file(&parts, is_graph) {
            return Self::file(text, path, &parts[count..]);
        }
        // 2. A generator.
        if let Some(info) = generators().iter().find(|g| g.name == parts[0]) {
            let mut options = SpecOptions::default();
            let mut own = Vec::new();
            for part in &parts[1..] {
                if !options.take(text, part)? {
                    own.push(*part);
                }
            }
            let generator = info.make(&mut Params::new(text, &own))?;
            return GraphSpec { source: Source::Generator(generator), options, asked: Vec::new() }.checked(text);
        }
        // 3. A file that is not there, unless the text looks like the name of a generator.
        if !parts[0].contains(['/', '\\', '.']) {
            return Err(unknown(text, parts[0]));
        }
        let is_option = |part: &&&str| matches!(SpecOptions::default().take(text, part), Ok(true));
        let count = parts.len() - parts[1..].iter().rev().take_while(is_option).count();
        Self::file(text, parts[..count].join(":"), &parts[count..])
    }

    fn file(text: &str, path: String, parts: &[&str]) -> Result<Self> {
        let mut options = SpecOptions::default();
        for part in parts {
            if !options.take(text, part)? {
                let name = part.split('=').next().unwrap_or(part);
                let hint = suggestion(name, OPTION_NAMES.iter().copied());
                return Err(error(text, format!("`{part}` is no option{hint}; options: {OPTIONS}")));
            }
        }
        GraphSpec { source: Source::File(path.into()), options, asked: Vec::new() }.checked(text)
    }

    /// The file that a text names, if it names one that is there, whatever follows its name.
    pub fn file_of(text: &str) -> Option<PathBuf> {
        let parts: Vec<&str> = text.split(':').collect();
        longest_file(&parts, |path| path.exists() && !path.is_dir()).map(|(_, path)| path.into())
    }

    /// Whether a text names standard input, by `-` or by the names that systems give it.
    pub fn is_standard_input(text: &str) -> bool {
        let is_dash = text.strip_prefix('-').is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
        is_dash || Self::file_of(text).is_some_and(|path| is_standard_input(&path))
    }

    /// Refuses options that contradict each other or mean nothing for the source.
    fn checked(self, text: &str) -> Result<Self> {
        if self.options.directed && self.options.symmetrise {
            return Err(error(text, "`directed` and `sym` contradict each other"));
        }
        if let (Source::Generator(_), Some(format)) = (&self.source, &self.options.format) {
            return Err(error(text, format!("`format={format}` is for files; this is a generator")));
        }
        if self.options.vertices.as_ref().is_some_and(|table| table.path.as_os_str().is_empty()) {
            return Err(error(text, "`vertex=COLUMN` names the ids of a table of vertices: give `vertices=FILE`, too"));
        }
        if !self.options.columns.is_default() {
            if let Source::Generator(_) = &self.source {
                let message =
                    "`source`, `target`, `weight`, `noheader` and `missing` are for tables; this is a generator";
                return Err(error(text, message));
            }
            if self.options.columns.weight.is_some() && self.options.weights.is_some() {
                let message = "`weight=COLUMN` and the random weights of `weights=LOW..HIGH` contradict each other";
                return Err(error(text, message));
            }
        }
        Ok(self)
    }

    /// The same spec with these columns, each of which takes the place of one that the spec names.
    pub fn with_columns(mut self, columns: TableColumns) -> Result<Self> {
        let own = &mut self.options.columns;
        own.source = columns.source.or(own.source.take());
        own.target = columns.target.or(own.target.take());
        own.weight = columns.weight.or(own.weight.take());
        own.no_header |= columns.no_header;
        if columns.missing != Missing::default() {
            own.missing = columns.missing;
        }
        let text = self.to_string();
        self.checked(&text)
    }

    /// The same spec with weights of this type, in place of the one that the spec names.
    pub fn with_weight_kind(mut self, kind: Option<WeightKind>) -> Self {
        self.options.weight_kind = kind.or(self.options.weight_kind);
        self
    }

    /// The same spec that keeps these columns of tables, too, for a program that asks for them. They are no part of its
    /// text: what is kept does not change the graph.
    pub fn keeping<'a>(mut self, columns: impl IntoIterator<Item = &'a str>) -> Self {
        self.asked.extend(columns.into_iter().map(str::to_string));
        self
    }

    /// The columns that are kept.
    fn kept(&self) -> Kept {
        match &self.options.kept {
            kept if self.asked.is_empty() => kept.clone(),
            Kept::All => Kept::All,
            Kept::None => Kept::Named(self.asked.clone()),
            Kept::Named(names) => Kept::Named(names.iter().chain(&self.asked).cloned().collect()),
        }
    }

    /// The same spec with a table of vertices, in place of the one that the spec names.
    pub fn with_vertices(mut self, table: Option<VertexTable>) -> Self {
        self.options.vertices = table.or(self.options.vertices);
        self
    }

    /// The seed in force.
    pub fn seed(&self) -> u64 {
        self.options.seed.unwrap_or(DEFAULT_SEED)
    }

    /// Makes or reads the graph. Random weights are given before vertices are renumbered, so that every order of a
    /// graph has the same weights.
    pub fn load(&self, progress: &dyn Progress) -> Result<LoadedSpec> {
        let options = &self.options;
        let description = self.to_string();
        let mut clock = Clock { phases: Vec::new() };
        let mut building = BuildOptions {
            symmetrise: options.symmetrise,
            keep_loops: options.loops,
            parallel: options.parallel.unwrap_or_default(),
            reorder: None,
            symmetry: if options.directed { Symmetry::Directed } else { Symmetry::Unknown },
        };
        let mut graph = match &self.source {
            Source::File(path) => {
                let graph = self.read(path, &building, &mut clock, progress)?;
                if options.directed && graph.is_symmetric() {
                    return Err(error(&description, "`directed` does not apply: the file stores an undirected graph"));
                }
                graph
            }
            Source::Generator(generator) => {
                let weights = options.weights.map_or(WeightKind::None, |range| range.kind(options.weight_kind));
                generator.size().check(&description, options.directed, weights)?;
                let edges = clock.time("generate", || generator.edges(self.seed(), progress))?;
                progress.begin("building", None);
                building.symmetrise = !options.directed;
                clock.time("build", || build(edges, &building))?
            }
        };
        let mut notes = graph.notes().clone();
        if let Some(vertices) = &options.vertices {
            let (columns, note) = clock.time("read", || vertices.read(&graph, &self.kept()))?;
            notes.vertices = note;
            graph = graph.with_vertex_columns(Some(Arc::new(columns)));
        }
        if let Some(range) = &options.weights {
            progress.begin("weighing edges", None);
            let (numbering, names) = (graph.numbering().cloned(), graph.names().cloned());
            let weighed = clock.time("weigh", || range.try_apply(&graph, self.seed(), options.weight_kind))?;
            graph = weighed.with_columns_of(&graph).with_numbering(numbering).with_names(names);
        }
        if let Some(kind) = options.weight_kind {
            if !graph.is_weighted() {
                return Err(error(&description, format!("`as={kind}` is about weights, and the graph has none")));
            }
            graph = clock.time("convert", || graph.with_weight_kind(kind))?;
        }
        if let Some(order) = options.reorder {
            progress.begin("reordering", None);
            // The numbers of a file are its ids, which a person uses whatever the order of the vertices is.
            if matches!(self.source, Source::File(_)) && graph.names().is_none() {
                let ids = Names::from_unsigned((0..graph.vertices() as u64).collect());
                graph = graph.with_names(Some(Arc::new(ids)));
            }
            graph = clock.time("reorder", || graph.try_reordered(&order.reorder(self.seed())))?;
        }
        let graph = graph.with_notes(notes);
        Ok(LoadedSpec { graph, description, phases: clock.phases })
    }

    /// Reads a file, or a folder that holds a graph.
    fn read(&self, path: &Path, building: &BuildOptions, clock: &mut Clock, progress: &dyn Progress) -> Result<Graph> {
        let (format, columns) = (self.options.format, self.options.columns.clone());
        if let Some(reader) = folders::reader(path) {
            if format.is_some() || !columns.is_default() {
                let message = "a folder with a graph has neither a format nor columns to choose from";
                return Err(error(&self.to_string(), message));
            }
            progress.begin("reading", None);
            let graph = clock.time("read", || (reader.read)(path))?;
            return format::adjusted(graph, building);
        }
        let reading = ReadOptions { format, columns, kept: self.kept(), ..Default::default() };
        let loaded = format::load(path, &reading, building, progress)?;
        clock.note("read", loaded.read_time);
        clock.note("verify", loaded.verify_time);
        clock.note("build", loaded.build_time);
        Ok(loaded.graph)
    }
}

/// The longest prefix that is a file, and how many parts it has.
fn longest_file(parts: &[&str], exists: impl Fn(&Path) -> bool) -> Option<(usize, String)> {
    let mut prefixes = (1..=parts.len()).rev().map(|count| (count, parts[..count].join(":")));
    prefixes.find(|(_, path)| !path.is_empty() && exists(Path::new(path)))
}

impl PartialEq for GraphSpec {
    /// Specs are equal when their canonical texts are.
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl fmt::Display for GraphSpec {
    /// The canonical text: parameters with their default left out, options in a fixed order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Generator(generator) => f.write_str(&generator.spec())?,
            Source::File(path) => {
                let path = path.display().to_string();
                let first = path.split(':').next().unwrap_or(&path);
                if generators().iter().any(|g| g.name == first) {
                    f.write_str("./")?;
                }
                f.write_str(&path)?;
            }
        }
        self.options.fmt(f)
    }
}

impl SpecOptions {
    /// Takes `part` if it is an option; false if it is not one.
    fn take(&mut self, spec: &str, part: &str) -> Result<bool> {
        let (key, value) = match part.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (part, None),
        };
        match (key, value) {
            ("directed", None) => set_flag(spec, part, &mut self.directed)?,
            ("sym", None) => set_flag(spec, part, &mut self.symmetrise)?,
            ("loops", None) => set_flag(spec, part, &mut self.loops)?,
            ("parallel", None) => set(spec, key, &mut self.parallel, Parallel::Keep)?,
            ("parallel", Some(text)) => {
                let choice = text.parse().map_err(|message: String| error(spec, message))?;
                set(spec, key, &mut self.parallel, choice)?;
            }
            ("columns", Some(text)) => {
                let kept = match text {
                    "all" => Kept::All,
                    names => Kept::Named(names.split(',').map(|name| column(name).replace("%2C", ",")).collect()),
                };
                if std::mem::replace(&mut self.kept, kept) != Kept::None {
                    return Err(error(spec, "`columns` is given twice"));
                }
            }
            ("vertices", Some(file)) => {
                let id = self.vertices.take().and_then(|table| table.id);
                self.vertices = Some(VertexTable { path: column(file).into(), id });
            }
            ("vertex", Some(name)) => {
                let table = self.vertices.get_or_insert_with(|| VertexTable { path: PathBuf::new(), id: None });
                table.id = Some(column(name));
            }
            ("noheader", None) => set_flag(spec, part, &mut self.columns.no_header)?,
            ("source", Some(name)) => set(spec, key, &mut self.columns.source, column(name))?,
            ("target", Some(name)) => set(spec, key, &mut self.columns.target, column(name))?,
            ("weight", Some(name)) => set(spec, key, &mut self.columns.weight, column(name))?,
            ("missing", Some(text)) => {
                let missing = Missing::parse(text).map_err(|message| error(spec, message))?;
                if std::mem::replace(&mut self.columns.missing, missing) != Missing::default() {
                    return Err(error(spec, "`missing` is given twice"));
                }
            }
            ("seed", Some(text)) => {
                let seed = text.parse().map_err(|_| error(spec, format!("`{text}` is no seed: a whole number")))?;
                set(spec, key, &mut self.seed, seed)?;
            }
            ("weights", Some(text)) => {
                let range = text.parse().map_err(|message: String| error(spec, message))?;
                set(spec, key, &mut self.weights, range)?;
            }
            ("as", Some(text)) => {
                let kind = text.parse().map_err(|message: String| error(spec, message))?;
                set(spec, key, &mut self.weight_kind, kind)?;
            }
            ("reorder", Some(text)) => set(spec, key, &mut self.reorder, Order::parse(spec, text)?)?,
            ("format", Some(text)) => {
                let format = text.parse().map_err(|e: GraphError| error(spec, e.to_string()))?;
                set(spec, key, &mut self.format, format)?;
            }
            (
                "seed" | "weights" | "as" | "reorder" | "format" | "source" | "target" | "weight" | "missing"
                | "columns" | "vertices" | "vertex",
                None,
            ) => {
                return Err(error(spec, format!("`{key}` needs a value; options: {OPTIONS}")));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl fmt::Display for SpecOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = [(self.directed, "directed"), (self.symmetrise, "sym"), (self.loops, "loops")];
        for (_, name) in flags.iter().filter(|(set, _)| *set) {
            write!(f, ":{name}")?;
        }
        match self.parallel {
            Some(Parallel::Keep) => f.write_str(":parallel")?,
            Some(choice) => write!(f, ":parallel={}", choice.word())?,
            None => {}
        }
        if let Some(format) = &self.format {
            write!(f, ":format={format}")?;
        }
        let TableColumns { source, target, weight, no_header, missing } = &self.columns;
        for (key, name) in [("source", source), ("target", target), ("weight", weight)] {
            if let Some(name) = name {
                write!(f, ":{key}={}", written(name))?;
            }
        }
        match &self.kept {
            Kept::None => {}
            Kept::All => f.write_str(":columns=all")?,
            Kept::Named(names) => {
                let names: Vec<String> = names.iter().map(|name| written(name).replace(',', "%2C")).collect();
                write!(f, ":columns={}", names.join(","))?;
            }
        }
        if let Some(VertexTable { path, id }) = &self.vertices {
            write!(f, ":vertices={}", written(&path.display().to_string()))?;
            if let Some(id) = id {
                write!(f, ":vertex={}", written(id))?;
            }
        }
        if *no_header {
            f.write_str(":noheader")?;
        }
        if *missing == Missing::Skip {
            f.write_str(":missing=skip")?;
        }
        if let Some(seed) = self.seed.filter(|&seed| seed != DEFAULT_SEED) {
            write!(f, ":seed={seed}")?;
        }
        if let Some(weights) = &self.weights {
            write!(f, ":weights={weights}")?;
        }
        if let Some(kind) = &self.weight_kind {
            write!(f, ":as={kind}")?;
        }
        if let Some(order) = &self.reorder {
            write!(f, ":reorder={}", order.name())?;
        }
        Ok(())
    }
}

impl Order {
    const ALL: [Order; 4] = [Order::Degree, Order::DegreeAscending, Order::Random, Order::Pessimal];

    fn name(self) -> &'static str {
        match self {
            Order::Degree => "degree",
            Order::DegreeAscending => "degree-asc",
            Order::Random => "random",
            Order::Pessimal => "pessimal",
        }
    }

    fn parse(spec: &str, text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|order| order.name() == text).ok_or_else(|| {
            let hint = suggestion(text, Self::ALL.iter().map(|order| order.name()));
            error(spec, format!("`{text}` is no order{hint}; orders: degree, degree-asc, random, pessimal"))
        })
    }

    /// The order with a seed where it needs one.
    pub fn reorder(self, seed: u64) -> Reorder {
        match self {
            Order::Degree => Reorder::DegreeDescending,
            Order::DegreeAscending => Reorder::DegreeAscending,
            Order::Random => Reorder::Random { seed },
            Order::Pessimal => Reorder::Pessimal,
        }
    }
}

/// Writes down how long each phase takes.
struct Clock {
    phases: Vec<Phase>,
}

impl Clock {
    fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let result = work()?;
        self.note(name, start.elapsed());
        Ok(result)
    }

    fn note(&mut self, name: &'static str, time: Duration) {
        if !time.is_zero() {
            self.phases.push(Phase { name, seconds: time.as_secs_f64() });
        }
    }
}

/// The name of a column as it is in the table: colons separate the parts of a spec, so they are written `%3A` in it.
fn column(text: &str) -> String {
    text.replace("%3A", ":").replace("%3a", ":").replace("%25", "%")
}

/// The inverse of [`column`].
fn written(name: &str) -> String {
    name.replace('%', "%25").replace(':', "%3A")
}

fn error(spec: &str, message: impl Into<String>) -> GraphError {
    GraphError::Spec { spec: spec.to_owned(), message: message.into() }
}

fn unknown(spec: &str, name: &str) -> GraphError {
    let names: Vec<_> = generators().iter().map(|g| g.name).collect();
    let hint = suggestion(name, names.iter().copied());
    error(spec, format!("there is no file and no generator `{name}`{hint}; generators: {}", names.join(", ")))
}

fn set<T>(spec: &str, name: &str, slot: &mut Option<T>, value: T) -> Result<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(error(spec, format!("`{name}` is given twice"))),
    }
}

fn set_flag(spec: &str, name: &str, flag: &mut bool) -> Result<()> {
    match std::mem::replace(flag, true) {
        false => Ok(()),
        true => Err(error(spec, format!("`{name}` is given twice"))),
    }
}
