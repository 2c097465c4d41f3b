//! The changes of a stream, batch by batch: from which file, how many vertices they may bring, and lines that are no
//! changes.

use std::io::BufRead;
use std::sync::Arc;

use gw_dynamic::{Batch, DynamicError, DynamicGraph, EdgeWeight, Place, Store, Updates, Vertices};
use gw_graph::{Names, WeightKind};
use serde::Serialize;

use super::Stream;
use super::window::Window;
use crate::error::CliError;
use crate::output::grouped;

/// Lines at fault that are told one by one.
const SHOWN: usize = 5;
/// Without `--max-vertices` a graph has at most this many vertices per edge, as graphs from text files do...
const PER_EDGE: usize = 64;
/// ... or this many, whichever is more: one wild number would otherwise cost gigabytes.
const FEW: usize = 1 << 24;
/// A batch that makes the graph this many times larger is worth a word...
const MUCH: usize = 8;
/// ... if there are this many vertices then.
const MANY: usize = 1 << 20;

/// The changes that are still to come.
pub struct Reading<'a> {
    options: &'a Stream,
    updates: Updates<Box<dyn BufRead>>,
    vertices: Vertices,
    window: Option<Window>,
    /// The greatest vertex of the batch and its line.
    greatest: Option<(u32, u64)>,
    /// Lines left out.
    skipped: u64,
    /// Those since they were last told.
    news: BadLines,
}

/// Lines that are no changes, and were left out.
#[derive(Debug, Clone, Default, Serialize)]
pub struct BadLines {
    count: u64,
    /// The first of them.
    first: Vec<BadLine>,
}

/// A line that is no change.
#[derive(Debug, Clone, Serialize)]
struct BadLine {
    line: u64,
    problem: String,
}

impl<'a> Reading<'a> {
    /// Opens the file. Changes that the store has seen are passed over, if they came from this file; what is no file
    /// (standard input, a pipe) never brings them again.
    pub fn open<W: EdgeWeight>(
        options: &'a Stream,
        graph: &DynamicGraph<W>,
        store: Option<&Store>,
    ) -> Result<Reading<'a>, CliError> {
        let vertices = match graph.names() {
            Some(names) => Vertices::ids(Arc::clone(names)),
            None => Vertices::numbers(),
        };
        if let Some(most) = options.max_vertices.filter(|&most| most < graph.vertices()) {
            let has = grouped(graph.vertices() as u64);
            return Err(CliError::Usage(format!("--max-vertices {most}: the graph has {has} vertices already")));
        }
        if W::KIND == WeightKind::None && options.columns.names_weight() {
            let mend = "begin with a graph that has some, such as empty:names:int";
            return Err(CliError::Usage(format!("--weight-column: the graph has no weights; {mend}")));
        }
        let open = || -> Result<_, CliError> { Ok(Updates::new(options.lines()?, options.source(), options.form()?)) };
        let mut updates = open()?;
        if let Some(seen) = store.map(Store::place).filter(|seen| seen.changes > 0 && options.is_file()) {
            if updates.pass_over::<W>(seen, &vertices)? {
                eprintln!("{} changes are passed over: the store has seen them", grouped(seen.changes));
            } else {
                let source = options.source();
                eprintln!("{source} is another file than the store has seen: all its changes are taken");
                updates = open()?;
            }
        }
        let window = options.window.map(Window::new);
        let news = BadLines::default();
        Ok(Reading { options, updates, vertices, window, greatest: None, skipped: 0, news })
    }

    /// Fills a batch; true where the end of the changes was reached.
    pub fn fill<W: EdgeWeight>(&mut self, batch: &mut Batch<W>, graph: &DynamicGraph<W>) -> Result<bool, CliError> {
        let edges = graph.edges() + self.options.batch as usize;
        let limit = self.options.max_vertices.unwrap_or(FEW.max(PER_EDGE.saturating_mul(edges)));
        self.vertices.set_limit(limit.max(graph.vertices()));
        self.greatest = None;
        let mut taken = 0;
        while taken < self.options.batch {
            let update = match self.updates.next_change::<W>(&mut self.vertices) {
                Ok(Some(update)) => update,
                Ok(None) => return Ok(true),
                Err(error) if self.options.leaves_out(&error) => {
                    self.note(error);
                    continue;
                }
                Err(error) => return Err(explained(error)),
            };
            if let Some(window) = &mut self.window {
                window.pass(&update, self.options.undirected, batch);
            }
            batch.push(update.source, update.target, update.change);
            taken += 1;
            let vertex = update.source.max(update.target);
            if self.greatest.is_none_or(|(greatest, _)| vertex > greatest) {
                self.greatest = Some((vertex, self.updates.line()));
            }
        }
        Ok(false)
    }

    /// Notes a line that is left out.
    fn note(&mut self, error: DynamicError) {
        if self.skipped < SHOWN as u64 {
            eprintln!("gw: left out: {}", explained_text(&error));
        } else if self.skipped == SHOWN as u64 {
            eprintln!("gw: more lines are left out; their number is told at the end");
        }
        self.skipped += 1;
        self.news.count += 1;
        if self.news.first.len() < SHOWN {
            let (line, problem) = match error {
                DynamicError::BadLine { line, problem, .. } => (line, problem),
                DynamicError::BeyondLimit { line, vertex, limit, .. } => {
                    (line, format!("the vertex `{vertex}` is beyond the limit of {limit} vertices"))
                }
                other => (self.updates.line(), other.to_string()),
            };
            self.news.first.push(BadLine { line, problem });
        }
    }

    /// Says that a batch makes the graph much larger, before that costs time.
    pub fn warn_of_growth<W: EdgeWeight>(&self, batch: u64, graph: &DynamicGraph<W>) {
        let before = graph.vertices();
        let Some((vertex, line)) = self.greatest.filter(|_| self.names().is_none()) else { return };
        let after = vertex as usize + 1;
        if after >= MANY && after / MUCH > before {
            let (before, after) = (grouped(before as u64), grouped(after as u64));
            let source = self.options.source();
            eprintln!(
                "gw: batch {batch} makes the graph grow from {before} to {after} vertices, since line {line} of {source} \
                 names vertex {vertex}; every batch takes time and memory for each of them"
            );
        }
    }

    /// The ids of all vertices, with those that the batch brought.
    pub fn names(&self) -> Option<&Arc<Names>> {
        self.vertices.names()
    }

    /// How far the file was read; `None` where it is no file.
    pub fn place(&self) -> Option<Place> {
        self.options.is_file().then(|| self.updates.place())
    }

    /// Whether lines were left out since [`Reading::take_news`].
    pub fn has_news(&self) -> bool {
        self.news.count > 0
    }

    /// The lines that were left out since the last call.
    pub fn take_news(&mut self) -> BadLines {
        std::mem::take(&mut self.news)
    }

    /// Tells how many lines were left out.
    pub fn tell_end(&self) {
        match self.skipped {
            0 => {}
            1 => eprintln!("gw: 1 bad line of {} was left out", self.options.source()),
            skipped => eprintln!("gw: {} bad lines of {} were left out", grouped(skipped), self.options.source()),
        }
    }
}

/// An error with what to do about it on the command line.
fn explained(error: DynamicError) -> CliError {
    match error {
        DynamicError::BeyondLimit { .. } => CliError::Updates(explained_text(&error)),
        DynamicError::BadLine { is_missing: false, .. } => {
            CliError::Updates(format!("{error}; --bad-lines skip leaves such lines out"))
        }
        error => error.into(),
    }
}

fn explained_text(error: &DynamicError) -> String {
    match error {
        DynamicError::BeyondLimit { vertex, .. } => match vertex.parse::<u64>() {
            Ok(number) => format!("{error}; --max-vertices {} allows it", number + 1),
            Err(_) => format!("{error}; --max-vertices sets it"),
        },
        error => error.to_string(),
    }
}
