//! What is known about a standard program, and finding one by name.

use gw_exec::Scalar;
use gw_graph::columns::seconds_of;
use gw_graph::{Graph, WeightKind};
use gw_lang::SourceFile;
use serde::Serialize;

use crate::edges::Reached;
use crate::paths::PathKind;
use crate::table::PROGRAMS;
use crate::validate::{Invalid, Run};

/// A standard program.
#[derive(Debug, Serialize)]
pub struct Program {
    /// The name on the command line.
    pub name: &'static str,
    /// The file in `programs/`.
    pub file: &'static str,
    /// What it computes, in one line.
    pub summary: &'static str,
    /// `argv[1]`, `argv[2]`, ... in order.
    pub args: &'static [Arg],
    /// The global variables that hold the result.
    pub results: &'static [Output],
    /// Edges must carry weights.
    pub needs_weights: bool,
    /// Every edge must have its reverse.
    pub needs_symmetric: bool,
    /// No loops and no parallel edges.
    pub needs_simple: bool,
    /// Weights must not be negative.
    pub needs_nonnegative: bool,
    /// Weights must be greater than 0.
    pub needs_positive: bool,
    /// Weights must be kept as the file has them: some type of weights must hold every one.
    pub needs_exact: bool,
    /// The program that solves the problem where weights are fractions or negative and this one cannot take them.
    pub instead: Option<&'static str>,
    /// The program that solves the problem with edges that count by their weights, where in this one all count alike.
    pub weighted: Option<&'static str>,
    /// How a result shows which vertices were reached; `None` for programs that are no searches.
    pub reached: Option<Reached>,
    /// To which vertices the runs lead; `None` for programs that find no paths.
    pub paths: Option<PathKind>,
    /// The program text with its default schedule.
    #[serde(skip)]
    pub source: &'static str,
    /// What the type `weight` stands for in the text, where that is always the same.
    #[serde(skip)]
    pub weights: Option<Scalar>,
    #[serde(skip)]
    pub(crate) validator: fn(&Run<'_>) -> Result<(), Invalid>,
    #[serde(skip)]
    pub(crate) remark: fn(&Run<'_>) -> Option<Remark>,
}

/// Something about a finished run beside its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// The run has no result: why.
    NoResult(String),
    /// The result is less than a person may expect: in which way.
    Rough(String),
}

/// An argument of a program.
#[derive(Debug, Serialize)]
pub struct Arg {
    /// A short name.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What kind of value it takes.
    pub kind: ArgKind,
    /// The value when it is left out; only the last arguments have one.
    pub default: Option<&'static str>,
}

/// Kinds of arguments; [`crate::example_args`] finds a sensible value for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgKind {
    /// A graph file or spec.
    Graph,
    /// The vertex to start from.
    Source,
    /// The vertices to start from, with or without weights: a vertex, a list such as `3,17=0.5`, or `@FILE`.
    Sources,
    /// A number for every vertex: a list such as `3=1,17=1`, `@FILE`, or `none`.
    Numbers,
    /// The vertex to reach.
    Target,
    /// A vertex that distances are compared with.
    Landmark,
    /// A width of buckets in units of weight.
    Delta,
    /// A whole number from 0 on, with the value that checks and labs use.
    Count(u32),
    /// A number of vertices to search from, with the value that checks and labs use: all of them give exact values.
    Starts(u32),
    /// A number of entries in each row of the results, which are as long as the argument says.
    Row {
        /// The value that checks and labs use.
        example: u32,
        /// The length of rows in the program's text; [`Program::text_for`] makes it that of the argument.
        written: u32,
    },
    /// A real number from 0 to 1, with the value that checks and labs use.
    Tolerance(&'static str),
    /// A real number from 0 to below 1, with the value that checks and labs use.
    Share(&'static str),
    /// A real number from 0.001 to 1000, with the value that checks and labs use.
    Positive(&'static str),
    /// A point in time: a number, a date such as `2026-11-19`, which is taken as seconds since 1970 in UTC, or `any`
    /// for no bound; with the value that checks and labs use.
    Time(TimeBound, &'static str),
    /// Whether edges count by their weights: `auto`, `use` or `ignore`, see [`Program::weighing`].
    Weights,
}

/// Which end of a window of time an argument gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum TimeBound {
    /// The first time.
    Least,
    /// The last time.
    Greatest,
}

impl TimeBound {
    /// The number, as programs read it, that stands for a text: `None` where the text is no time.
    ///
    /// ```
    /// use gw_programs::TimeBound;
    /// assert_eq!(TimeBound::Least.number("2026-11-19").as_deref(), Some("1795046400"));
    /// assert_eq!(TimeBound::Greatest.number("any").as_deref(), Some("1e999"));
    /// assert_eq!(TimeBound::Least.number("soon"), None);
    /// ```
    pub fn number(self, text: &str) -> Option<String> {
        match (self, text) {
            // Beyond all reals, which programs read as infinity.
            (TimeBound::Least, "any") => Some("-1e999".to_string()),
            (TimeBound::Greatest, "any") => Some("1e999".to_string()),
            _ => match text.parse::<f64>() {
                Ok(number) if !number.is_nan() => Some(text.to_string()),
                _ => seconds_of(text).map(|seconds| seconds.to_string()),
            },
        }
    }
}

impl ArgKind {
    /// Where a search begins: the vertex with the most out-edges when it is left out.
    pub fn is_start(self) -> bool {
        matches!(self, ArgKind::Source | ArgKind::Sources)
    }

    /// The graph decides where it is left out: a start, a number of starts, a landmark, a width of buckets.
    pub fn is_chosen(self) -> bool {
        self.is_start() || matches!(self, ArgKind::Starts(_) | ArgKind::Landmark | ArgKind::Delta)
    }
}

/// A result of a program.
#[derive(Debug, Serialize)]
pub struct Output {
    /// The global variable.
    pub name: &'static str,
    /// Its type in the language.
    pub ty: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Its entries are vertices, -1 where there is none.
    pub holds_vertices: bool,
}

impl PartialEq for Program {
    /// Programs are equal when their names are.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Program {}

impl Program {
    /// Checks a result of this program, however it was made.
    pub fn validate(&self, run: &Run<'_>) -> Result<(), Invalid> {
        (self.validator)(&Run { args: &self.with_defaults(run.args), ..*run })
    }

    /// What a person must know about a finished run, beside the values: that there is no result, or that it is rough.
    /// The time is that of a look at some scalars, unless there is something to say.
    pub fn remark(&self, run: &Run<'_>) -> Option<Remark> {
        (self.remark)(&Run { args: &self.with_defaults(run.args), ..*run })
    }

    /// Whether the program can run on a graph as it is: weights, their signs and symmetry are as it needs them.
    pub fn suits(&self, graph: &Graph) -> bool {
        let has_weights = !self.needs_weights || graph.is_weighted();
        let has_reverses = !self.needs_symmetric || graph.is_symmetric();
        let nonnegative = !self.needs_nonnegative || graph.least_weight().is_none_or(|least| least >= 0.0);
        let positive = !self.needs_positive || graph.least_weight().is_none_or(|least| least > 0.0);
        has_weights && has_reverses && nonnegative && positive
    }

    /// What the type `weight` stands for in the text on a graph: the type of its weights, double for all reals.
    pub fn weights_on(&self, graph: &Graph) -> Scalar {
        self.weights.unwrap_or_else(|| weights_of(graph))
    }

    /// Whether the text follows the weights of the graph at hand.
    pub fn follows_weights(&self) -> bool {
        self.weights.is_none() && has_edges_of_weight(self.source)
    }

    /// What the type `weight` stands for where no graph is at hand: what the program says, else int.
    pub fn usual_weights(&self) -> Scalar {
        self.weights.unwrap_or(Scalar::Int)
    }

    /// The text as a source file; the type `weight` is the usual one.
    pub fn file(&self) -> SourceFile {
        SourceFile::new(self.file, self.source).with_weights(self.usual_weights())
    }

    /// The text as a source file for runs on a graph.
    pub fn file_on(&self, graph: &Graph) -> SourceFile {
        SourceFile::new(self.file, self.source).with_weights(self.weights_on(graph))
    }

    /// The comment at the top of the program: what, arguments, results, method, reference.
    pub fn header(&self) -> String {
        let lines = self.source.lines().take_while(|line| line.starts_with('%'));
        lines.map(|line| line.trim_start_matches('%').strip_prefix(' ').unwrap_or("").to_string() + "\n").collect()
    }

    /// How it is called: `pagerank GRAPH [ROUNDS] [TOLERANCE]`.
    pub fn usage(&self) -> String {
        let mut usage = self.name.to_string();
        for (at, arg) in self.args.iter().enumerate() {
            let name = arg.name.to_uppercase();
            let found = |arg: &Arg| arg.default.is_some() || arg.kind.is_chosen();
            // Only the last arguments may be left out by position.
            let may_be_left_out = self.args[at..].iter().all(found);
            usage += &if may_be_left_out { format!(" [{name}]") } else { format!(" {name}") };
        }
        usage
    }
}

/// What the type `weight` of programs stands for on a graph: the type of its weights, double for all reals and int
/// without weights.
pub fn weights_of(graph: &Graph) -> Scalar {
    match graph.weight_kind() {
        WeightKind::None | WeightKind::Int => Scalar::Int,
        WeightKind::Int64 => Scalar::Int64,
        WeightKind::Float | WeightKind::Double => Scalar::Double,
    }
}

/// Whether the edges of a program are of the type `weight`: in its own text, or in a module that it uses.
fn has_edges_of_weight(text: &str) -> bool {
    if text.contains("const edges") {
        return text.contains("(Vertex,Vertex,weight)");
    }
    let used = |name: &str| {
        let uses = format!("use std.{name}");
        text.lines().any(|line| line.strip_prefix(&*uses).is_some_and(|rest| rest.starts_with([';', ' '])))
    };
    gw_lang::std_modules().any(|(name, module)| used(&name) && has_edges_of_weight(module))
}

/// All standard programs, ordered by name.
///
/// ```
/// assert!(gw_programs::programs().iter().any(|p| p.name == "pagerank"));
/// ```
pub fn programs() -> &'static [Program] {
    PROGRAMS
}

/// No standard program has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no standard program `{name}`; {}", known_otherwise(*nearest))]
pub struct UnknownProgram {
    /// The name asked for.
    pub name: String,
    /// A name that is nearly the same.
    pub nearest: Option<&'static str>,
}

fn known_otherwise(nearest: Option<&str>) -> String {
    match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "`gw programs` lists all".to_string(),
    }
}

/// The standard program of this name; `_` and `-` count as the same.
///
/// ```
/// use gw_programs::find;
/// assert_eq!(find("sssp_delta").unwrap().name, "sssp-delta");
/// let refused = find("pagernak").unwrap_err().to_string();
/// assert_eq!(refused, "there is no standard program `pagernak`; did you mean `pagerank`?");
/// ```
pub fn find(name: &str) -> Result<&'static Program, UnknownProgram> {
    let wanted = name.replace('_', "-");
    PROGRAMS.iter().find(|p| p.name == wanted).ok_or_else(|| UnknownProgram {
        name: name.into(),
        nearest: gw_lang::suggest::nearest(name, PROGRAMS.iter().map(|p| p.name)),
    })
}
