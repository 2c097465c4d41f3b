//! `--out`: one result, or all results, into a file.

use std::io::Write as _;
use std::path::Path;

use graphwright::Program;
use graphwright::results::{NamedResult, ResultTables};
use gw_graph::Graph;
use gw_graph::attributes::{Form, Rows, Table};
use gw_graph::format::write_graph;
use gw_ir::types::Type;
use gw_programs::PARENT;

use super::programs::Programs;
use super::results;
use crate::apart;
use crate::error::CliError;

/// The forms that standard output takes.
const TEXTS: [Form; 5] = [Form::Lines, Form::Csv, Form::Tsv, Form::Json, Form::JsonLines];

/// Where `--out` writes a result, or all.
pub struct OutFile<'a> {
    /// The option as given.
    text: &'a str,
    /// The name of the result; `None` for all.
    result: Option<&'a str>,
    path: &'a Path,
    form: Form,
}

/// A run whose results can be written.
pub trait HasResults {
    /// The name by which the program was asked for.
    fn asked(&self) -> &str;
    /// The program that ran.
    fn program(&self) -> &Program;
    /// The names of the results.
    fn names(&self) -> Vec<&str>;
    /// The result of this name, with what it belongs to; none where the run has no result.
    fn named(&self, name: &str) -> Option<NamedResult<'_>>;
}

impl<'a> OutFile<'a> {
    /// Reads `RESULT=FILE`, or `FILE` for all results. The ending of the file must be known.
    pub fn parse(text: &'a str) -> Result<OutFile<'a>, CliError> {
        let usage = |message: String| Err(CliError::Usage(message));
        let (result, path) = match text.split_once('=') {
            Some((name, path)) if !name.is_empty() && !path.is_empty() => (Some(name), path),
            Some(_) => {
                return usage(format!("--out {text}: write it as RESULT=FILE, or RESULT=- for standard output"));
            }
            None => (None, text),
        };
        let path = Path::new(path);
        let form = Form::of_path(path).map_err(|error| CliError::Usage(format!("--out {error}")))?;
        let output = OutFile { text, result, path, form };
        if output.is_stdout() && !TEXTS.contains(&form) {
            return usage(format!("--out {text}: standard output takes lines and -.csv, -.tsv, -.json and -.jsonl"));
        }
        if result.is_none() && form == Form::Lines {
            return usage(format!(
                "--out {text}: write it as RESULT=FILE, or RESULT=- for standard output; for all results in one file \
                 name one with the ending of a table or graph, such as all.csv, or -.csv for standard output"
            ));
        }
        Ok(output)
    }

    /// Every result goes to a file of its own.
    pub fn check_all(outputs: &[OutFile<'_>]) -> Result<(), CliError> {
        for (at, output) in outputs.iter().enumerate() {
            let is_file = !output.is_stdout() && !output.is_stderr();
            if let Some(other) = outputs[..at].iter().find(|other| is_file && other.path == output.path) {
                let name = |output: &OutFile<'_>| output.result.unwrap_or("all results").to_string();
                let (first, second, path) = (name(other), name(output), output.path.display());
                let message =
                    format!("--out: both `{first}` and `{second}` go to `{path}`; give each a file of its own");
                return Err(CliError::Usage(message));
            }
        }
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// Standard output is asked for.
    pub fn is_stdout(&self) -> bool {
        apart::is_stdout(self.path)
    }

    /// Standard error is asked for.
    fn is_stderr(&self) -> bool {
        ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"].iter().any(|name| self.path == Path::new(name))
    }

    /// Whether a graph is written, with results as attributes.
    pub fn is_graph(&self) -> bool {
        self.form.is_graph()
    }

    /// A program must have a global of this name that can be written in this form; asked before the runs.
    pub fn check(&self, programs: &Programs<'_>) -> Result<(), CliError> {
        let usage = |message: &str| Err(CliError::Usage(format!("--out {}: {message}", self.text)));
        let Some((at, name)) = self.find(programs)? else {
            let vectors = |program: &&Program| results::vectors(program).len();
            let vectors: usize = programs.0.iter().map(|(_, program)| vectors(program)).sum();
            return match self.form {
                Form::Npy if vectors > 1 => usage("a .npy holds one result: write it as RESULT=FILE"),
                _ => Ok(()),
            };
        };
        let is_vector = |global: &gw_ir::module::Global| matches!(global.ty, Type::Vector { .. });
        let global = programs.0[at].1.module().globals.iter().find(|global| &*global.name == name);
        match self.is_graph() && name != PARENT && !global.is_some_and(is_vector) {
            true => usage("the result is one number, and a graph has values of vertices and edges"),
            false => Ok(()),
        }
    }

    fn find(&self, programs: &Programs<'_>) -> Result<Option<(usize, &'a str)>, CliError> {
        let is_written = |ty: &Type| ty.scalar().is_some() || matches!(ty, Type::Vector { .. });
        self.result.map(|name| programs.find("--out", name, "vector or scalar", is_written)).transpose()
    }

    /// Writes the file. `given` is the graph as the command names it.
    pub fn write<R: HasResults>(&self, runs: &[R], given: Option<&Graph>) -> Result<(), CliError> {
        let programs = Programs(runs.iter().map(|run| (run.asked(), run.program())).collect());
        if self.result.is_none() {
            let results: Vec<NamedResult<'_>> = named(runs);
            return self.write_tables(ResultTables::of(&results), given);
        }
        let found = self.find(&programs)?;
        let result = found.and_then(|(at, name)| runs[at].named(name));
        let Some(result) = result else {
            return Err(CliError::Usage(format!(
                "--out: the run left no result `{}`",
                self.result.unwrap_or_default()
            )));
        };
        if self.is_graph() {
            return self.write_tables(ResultTables::of(&[result]), given);
        }
        let Some(table) = result.table() else {
            return Err(CliError::Usage(format!("--out: `{}` is no vector of numbers", result.name)));
        };
        self.write_table(&table)
    }

    fn write_table(&self, table: &Table<'_>) -> Result<(), CliError> {
        // Our own streams may be redirected to a file, which must not be replaced.
        if self.is_stdout() {
            std::io::stdout().lock().write_all(&table.text(self.path, self.form)?)?;
        } else if self.is_stderr() {
            std::io::stderr().lock().write_all(&table.text(self.path, self.form)?)?;
        } else {
            table.write(self.path, self.form)?;
        }
        Ok(())
    }

    fn write_tables(&self, tables: ResultTables<'_>, given: Option<&Graph>) -> Result<(), CliError> {
        if !self.is_graph() {
            let (table, left) = tables.rows();
            let Some(table) = table else {
                return Err(CliError::Usage(format!("--out {}: the run left no result to write", self.text)));
            };
            self.write_table(&table)?;
            self.tell_left(left, rows_in_words(&table));
            return Ok(());
        }
        // The edges of values are those of the graph that the program saw.
        let Some(graph) = graph_of(tables.edges.as_ref()).or(given).or(graph_of(tables.vertices.as_ref())) else {
            let message = "the run left no graph whose vertices or edges the results belong to";
            return Err(CliError::Usage(format!("--out {}: {message}", self.text)));
        };
        write_graph(graph, tables.vertices.as_ref(), tables.edges.as_ref(), self.path, self.form)?;
        let scalars = tables.scalars.into_iter().flat_map(|table| table.columns);
        let left = tables.others.into_iter().chain(scalars.map(|column| (column.name, "is one number")));
        self.tell_left(left.collect(), "a graph with values of vertices and edges");
        Ok(())
    }

    /// Says which results are not in the file.
    fn tell_left(&self, left: Vec<(String, &'static str)>, what: &str) {
        if left.is_empty() {
            return;
        }
        let left: Vec<String> = left.into_iter().map(|(name, kind)| format!("`{name}` {kind}")).collect();
        let path = self.path.display();
        eprintln!("note: {path} is {what}: {}; --out RESULT=FILE writes such a result", left.join(", "));
    }
}

/// All results of the runs, with names that tell them apart.
fn named<R: HasResults>(runs: &[R]) -> Vec<NamedResult<'_>> {
    let results: Vec<Vec<&str>> = runs.iter().map(R::names).collect();
    let programs: Vec<(&str, Vec<&str>)> = runs.iter().map(R::asked).zip(results.clone()).collect();
    let titles = graphwright::results::result_names(&programs);
    let mut named = Vec::new();
    for ((run, names), titles) in runs.iter().zip(results).zip(titles) {
        for (name, title) in names.into_iter().zip(titles) {
            named.extend(run.named(name).map(|result| NamedResult { name: title, ..result }));
        }
    }
    named
}

/// The graph whose vertices or edges a table is about.
fn graph_of<'a>(table: Option<&Table<'a>>) -> Option<&'a Graph> {
    match table?.rows {
        Rows::Edges(graph) | Rows::Vertices(graph) => Some(graph),
        Rows::Places(_) | Rows::One => None,
    }
}

fn rows_in_words(table: &Table<'_>) -> &'static str {
    match table.rows {
        Rows::Vertices(_) => "a table of vertices",
        Rows::Edges(_) => "a table of edges",
        Rows::Places(_) => "a table of places",
        Rows::One => "a table of numbers",
    }
}
