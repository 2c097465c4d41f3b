//! The arguments of a run: those left out get their defaults, and all are checked before anything runs.
//!
//! A program reads its arguments with `atoi`, which takes what it can and calls everything else 0. So a text that is no
//! number must not come that far.

use gw_graph::vertex_values::NONE;
use gw_graph::{Graph, VertexId};

use crate::registry::{Arg, ArgKind, Program};
use crate::rows::LONGEST_ROW;
use crate::sources;
use crate::weighing::Weighing;

/// An argument that a program cannot take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// One is missing.
    #[error("missing argument {name}: {meaning}\nusage: gw run {usage}")]
    Missing {
        /// The argument.
        name: String,
        /// What it means.
        meaning: &'static str,
        /// How the program is called.
        usage: String,
    },
    /// The program has no argument of this name.
    #[error("{program} has no argument `{name}`; its arguments are {}", known.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// The program.
        program: &'static str,
        /// The names it has.
        known: Vec<&'static str>,
    },
    /// One name is given twice.
    #[error("argument {name} is given twice")]
    Twice {
        /// The argument.
        name: String,
    },
    /// There are more than the program takes.
    #[error("surplus argument `{text}`: {program} takes no more than {most}\nusage: gw run {usage}")]
    Surplus {
        /// The first argument in excess.
        text: String,
        /// The program.
        program: &'static str,
        /// The number of arguments it takes.
        most: usize,
        /// How the program is called.
        usage: String,
    },
    /// A whole number that is no vertex of any graph. [`Program::check_vertices`] says which vertices the graph has.
    #[error("argument {name}: `{text}` is not a vertex: vertices are numbered from 0 to {} at most", MOST - 1)]
    Beyond {
        /// The argument.
        name: String,
        /// What it holds.
        text: String,
    },
    /// Vertices to start from that the graph does not have, or weights of them that make no sense.
    #[error("argument {name}: {problem}")]
    Sources {
        /// The argument.
        name: String,
        /// What is wrong, with the place.
        problem: String,
    },
    /// One is not of its kind.
    #[error("argument {name}: `{text}` is not {expected}")]
    Bad {
        /// The argument.
        name: String,
        /// What it holds.
        text: String,
        /// What is needed.
        expected: String,
    },
}

impl Program {
    /// These arguments, followed by the defaults of those left out.
    ///
    /// ```
    /// let pagerank = gw_programs::find("pagerank").unwrap();
    /// assert_eq!(pagerank.with_defaults(&["web.mtx".into()]), ["web.mtx", "100", "0.000001", "0.85", "auto"]);
    /// ```
    pub fn with_defaults(&self, given: &[String]) -> Vec<String> {
        let missing = self.args.iter().skip(given.len());
        let defaults = missing.map_while(|arg| Some(arg.read(arg.default?)));
        given.iter().cloned().chain(defaults).collect()
    }

    /// The arguments of a run, checked as far as that is possible without the graph.
    ///
    /// ```
    /// let bfs = gw_programs::find("bfs").unwrap();
    /// let error = bfs.arguments(&["path:5".into(), "abc".into()]).unwrap_err();
    /// assert_eq!(error.to_string(), "argument SOURCE: `abc` is not a vertex, a whole number from 0 on");
    /// ```
    pub fn arguments(&self, given: &[String]) -> Result<Vec<String>, ArgumentError> {
        if let Some(text) = given.get(self.args.len()) {
            let (text, program, most) = (text.clone(), self.name, self.args.len());
            return Err(ArgumentError::Surplus { text, program, most, usage: self.usage() });
        }
        let mut args = self.with_defaults(given);
        if let Some(missing) = self.args.get(args.len()) {
            let (name, meaning) = (missing.name.to_uppercase(), missing.meaning);
            return Err(ArgumentError::Missing { name, meaning, usage: self.usage() });
        }
        self.args.iter().zip(&args).try_for_each(|(arg, text)| arg.check(text))?;
        self.args.iter().zip(&mut args).for_each(|(arg, text)| *text = arg.read(text));
        Ok(args)
    }

    /// Whether the vertices among checked arguments are vertices of the graph.
    pub fn check_vertices(&self, args: &[String], graph: &Graph) -> Result<(), ArgumentError> {
        let vertices = graph.vertices();
        for (arg, text) in self.args.iter().zip(args) {
            if arg.kind == ArgKind::Sources {
                sources::check(arg, text, graph)?;
                continue;
            }
            if !matches!(arg.kind, ArgKind::Source | ArgKind::Target | ArgKind::Landmark) {
                continue;
            }
            if text.parse().is_ok_and(|vertex: usize| vertex < vertices) {
                continue;
            }
            let expected = match vertices {
                0 => "a vertex: the graph has none".to_string(),
                n => format!("a vertex: the graph has {n}, numbered from 0 to {}", n - 1),
            };
            return Err(ArgumentError::Bad { name: arg.name.to_uppercase(), text: text.clone(), expected });
        }
        Ok(())
    }

    /// What a start that no edge leaves means for the result.
    pub fn when_stranded(&self) -> &'static str {
        match self.name {
            "similarity" => "so it has no neighbours in common with any vertex, and all values are 0",
            _ => "so the run ends where it starts",
        }
    }

    /// The vertex to start from when no edge leaves it, so that the run goes nowhere.
    pub fn stranded(&self, args: &[String], graph: &Graph) -> Option<VertexId> {
        let at = self.args.iter().position(|arg| arg.kind.is_start())?;
        let source: VertexId = args.get(at)?.parse().ok()?;
        // Of a graph that is there in part, the list of the source may be elsewhere.
        let known = graph.share().is_none() && (source as usize) < graph.vertices();
        (known && graph.out().degree(source) == 0).then_some(source)
    }
}

/// The greatest number that programs can read.
const MOST: u32 = i32::MAX as u32;

impl Arg {
    /// Whether a text is of the kind of this argument, as far as that shows without the graph.
    pub(crate) fn check(&self, text: &str) -> Result<(), ArgumentError> {
        check(self, text)
    }

    /// What a program reads where this text is given: the number of a point in time, else the text.
    pub(crate) fn read(&self, text: &str) -> String {
        match self.kind {
            ArgKind::Time(bound, _) => bound.number(text).unwrap_or_else(|| text.to_string()),
            _ => text.to_string(),
        }
    }
}

fn check(arg: &Arg, text: &str) -> Result<(), ArgumentError> {
    let is_vertex = matches!(arg.kind, ArgKind::Source | ArgKind::Target | ArgKind::Landmark);
    if is_vertex && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return match text.parse::<u32>() {
            Ok(number) if number < MOST => Ok(()),
            _ => Err(ArgumentError::Beyond { name: arg.name.to_uppercase(), text: text.to_string() }),
        };
    }
    let whole = |least: u32| text.parse::<u32>().is_ok_and(|number| (least..=MOST).contains(&number));
    let (good, expected) = match arg.kind {
        ArgKind::Graph => (!text.is_empty(), "a graph file or spec".to_string()),
        ArgKind::Source | ArgKind::Target | ArgKind::Landmark => {
            (whole(0), "a vertex, a whole number from 0 on".to_string())
        }
        ArgKind::Sources => {
            let expected = "a vertex, a list of vertices such as `3,17=0.5`, or a file `@FILE`".to_string();
            (sources::may_be(text), expected)
        }
        ArgKind::Numbers => {
            let expected = "a list of vertices with numbers such as `3=1,17=1`, a file `@FILE`, or `none`".to_string();
            (text == NONE || sources::may_be(text), expected)
        }
        // Where priorities are whole numbers, so must their widths be, which the run looks at.
        ArgKind::Delta => {
            let good = text.parse::<f64>().is_ok_and(|width| width > 0.0 && width <= f64::MAX);
            (good, "a number greater than 0".to_string())
        }
        ArgKind::Count(_) | ArgKind::Starts(_) => (whole(0), format!("a whole number from 0 to {MOST}")),
        ArgKind::Row { .. } => {
            let good = text.parse::<u32>().is_ok_and(|number| number <= LONGEST_ROW);
            (good, format!("a whole number from 0 to {LONGEST_ROW}, the most entries that a row can have"))
        }
        ArgKind::Tolerance(_) => {
            let good = text.parse::<f64>().is_ok_and(|number| (0.0..=1.0).contains(&number));
            (good, "a number from 0 to 1".to_string())
        }
        ArgKind::Share(_) => {
            let good = text.parse::<f64>().is_ok_and(|number| (0.0..1.0).contains(&number));
            (good, "a number from 0 to below 1".to_string())
        }
        ArgKind::Time(bound, _) => {
            let expected = "a number, a date such as 2026-11-19 or 2026-11-19T12:30, or `any`".to_string();
            (bound.number(text).is_some(), expected)
        }
        ArgKind::Weights => {
            let good = Weighing::of(text).is_some();
            (good, "`auto` (weights that the graph's file has count), `use` or `ignore`".to_string())
        }
        ArgKind::Positive(_) => {
            let good = text.parse::<f64>().is_ok_and(|number| (0.001..=1000.0).contains(&number));
            (good, "a number from 0.001 to 1000".to_string())
        }
    };
    match good {
        true => Ok(()),
        false => Err(ArgumentError::Bad { name: arg.name.to_uppercase(), text: text.to_string(), expected }),
    }
}
