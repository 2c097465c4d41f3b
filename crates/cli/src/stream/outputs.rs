//! Results of a stream beside the lines of its batches: `--top` and `--out`.

use std::path::{Path, PathBuf};

use graphwright::results::{Meanings, NamedResult};
use graphwright::{Graph, Outcome, Program};

use super::session::Ran;
use crate::error::CliError;
use crate::program::ids::Ids;
use crate::program::out::{HasResults, OutFile};
use crate::program::programs::Programs;
use crate::program::results;
use crate::program::top::{Best, Top};

/// Stands for the number of a batch in the name of a file.
const BATCH: &str = "{batch}";

/// The files that `--out` names. Of those with the number of a batch in their names, the ones that are there.
pub fn files(wanted: &[String]) -> Vec<PathBuf> {
    wanted.iter().flat_map(|text| numbered(Path::new(text.split_once('=').map_or(&**text, |(_, path)| path)))).collect()
}

/// The paths that a path stands for.
fn numbered(path: &Path) -> Vec<PathBuf> {
    path.components().fold(vec![PathBuf::new()], |found, part| {
        match part.as_os_str().to_str().and_then(|name| name.split_once(BATCH)) {
            None => found.into_iter().map(|folder| folder.join(part)).collect(),
            Some((before, behind)) => found.iter().flat_map(|folder| numbered_in(folder, before, behind)).collect(),
        }
    })
}

/// What is in a folder with a number between these parts of its name.
fn numbered_in(folder: &Path, before: &str, behind: &str) -> Vec<PathBuf> {
    let is_one = |name: &str| -> Option<bool> {
        let number = name.strip_prefix(before)?.strip_suffix(behind)?;
        Some(!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let at = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(at).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| is_one(name) == Some(true)).map(|name| folder.join(name)).collect()
}

/// What is wanted of every result.
pub struct Outputs {
    top: Vec<Top>,
    /// `RESULT=FILE` or `FILE`, as given.
    files: Vec<String>,
    program: Program,
    meanings: Meanings,
}

impl Outputs {
    /// Checks that the program, and the update that brings its results up to date, have what is asked for.
    pub fn new(
        top: &[Top],
        files: &[String],
        program: &Program,
        update: Option<&Program>,
    ) -> Result<Outputs, CliError> {
        let parsed: Vec<OutFile<'_>> = files.iter().map(|text| OutFile::parse(text)).collect::<Result<_, _>>()?;
        OutFile::check_all(&parsed)?;
        if let Some(at) = parsed.iter().position(OutFile::is_stdout) {
            let message = "standard output has the lines of the batches; name a file";
            return Err(CliError::Usage(format!("--out {}: {message}", files[at])));
        }
        let mut top = top.to_vec();
        for program in std::iter::once(program).chain(update) {
            let programs = Programs(vec![(program.name(), program)]);
            top.iter_mut().try_for_each(|top| top.settle(&programs))?;
            parsed.iter().try_for_each(|file| file.check(&programs))?;
        }
        let meanings = Meanings::of(program);
        Ok(Outputs { top, files: files.to_vec(), program: program.clone(), meanings })
    }

    /// The best entries of a run, for every `--top`.
    pub fn best(&self, ran: &Ran) -> Result<Vec<Best>, CliError> {
        let Some(shown) = self.shown(ran) else { return Ok(Vec::new()) };
        let ids = Ids::new(Some(&*shown.graph), &self.meanings);
        let programs = Programs(vec![(self.program.name(), &self.program)]);
        let best = |top: &Top| top.best(top.find(&programs)?.1, shown.outcome.globals(), &ids);
        self.top.iter().map(best).collect()
    }

    /// Writes the files that every batch has of its own.
    pub fn write_batch(&self, batch: u64, ran: &Ran) -> Result<(), CliError> {
        for text in self.files.iter().filter(|text| text.contains(BATCH)) {
            let text = text.replace(BATCH, &batch.to_string());
            let path = Path::new(text.split_once('=').map_or(&*text, |(_, path)| path));
            if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                std::fs::create_dir_all(parent).map_err(|e| gw_graph::GraphError::io("make", parent, e))?;
            }
            self.write(&text, ran)?;
        }
        Ok(())
    }

    /// Writes the other files: the results of the last run.
    pub fn write_last(&self, ran: &Ran) -> Result<(), CliError> {
        let mut files = self.files.iter().filter(|text| !text.contains(BATCH)).peekable();
        if let (Some(first), Some(why)) = (files.peek(), &ran.no_result) {
            return Err(CliError::NoResult(format!("--out {first}: the last batch has no result: {why}")));
        }
        files.try_for_each(|text| self.write(text, ran))
    }

    fn write(&self, text: &str, ran: &Ran) -> Result<(), CliError> {
        let Some(shown) = self.shown(ran) else { return Ok(()) };
        let graph = shown.graph.clone();
        OutFile::parse(text)?.write(&[shown], Some(&*graph))
    }

    /// The results of a run, where there are some.
    fn shown<'a>(&'a self, ran: &'a Ran) -> Option<Shown<'a>> {
        let outcome = ran.with_results()?;
        // The graph of the stream names vertices and edges, unless the program saw other edges of it.
        let seen = outcome.graph().filter(|seen| ran.how.is_none() && seen.edges() != ran.graph.edges());
        let graph = seen.unwrap_or(&ran.graph).clone();
        Some(Shown { outputs: self, outcome, graph })
    }
}

/// A run with the graph that its results are about.
struct Shown<'a> {
    outputs: &'a Outputs,
    outcome: &'a Outcome,
    graph: Graph,
}

impl HasResults for Shown<'_> {
    fn asked(&self) -> &str {
        self.outputs.program.name()
    }

    fn program(&self) -> &Program {
        &self.outputs.program
    }

    fn names(&self) -> Vec<&str> {
        let results = results::of_run(&self.outputs.program, self.outcome.globals());
        results.into_iter().map(|(name, _)| name).collect()
    }

    fn named(&self, name: &str) -> Option<NamedResult<'_>> {
        let value = self.outcome.globals().get(name)?;
        Some(NamedResult::new(name.to_string(), name, value, &self.outputs.meanings, Some(&*self.graph)))
    }
}
