//! The vertices and edges of a document as they are met, and the way from there to edges between numbered vertices.

use std::ops::Range;
use std::path::Path;

use crate::format::cursor::Cursor;
use crate::format::edge_file::{EdgeFile, SkippedEdges};
use crate::format::edge_lines::{Column, NoWeights};
use crate::format::table::ids::{BlockIds, IdBlock, NumberIds, Numbered, whole_number};
use crate::format::table::intern::LocalNames;
use crate::format::table::{Missing, TableColumns};
use crate::format::weight_column::AnyWeights;
use crate::vertex_limit::checked_vertices;
use crate::{GraphError, Names, Numbering, Result, memory};

/// What was met of a document.
pub(super) struct Edges<'a> {
    bytes: &'a [u8],
    path: &'a Path,
    columns: &'a TableColumns,
    /// All ids that were met.
    ids: LocalNames,
    /// For every id, whether a vertex was declared with it, and else where it was met first.
    declared: Vec<Declared>,
    /// The ids of vertices in the order of their declaration.
    vertices: Vec<u32>,
    edges: Vec<Edge>,
    /// The weight of an edge that has none, where the format says so and others have one.
    default_weight: Option<&'static [u8]>,
    /// Names of attributes of edges that were met, for messages.
    attributes: Vec<String>,
}

#[derive(Clone, Copy)]
enum Declared {
    Here,
    NotYet { met: usize },
}

/// An edge.
struct Edge {
    source: u32,
    target: u32,
    is_directed: bool,
    /// Where it stands in the text.
    at: usize,
    /// The text of its weight; empty where there is none.
    weight: Range<usize>,
}

/// Edges that are collected before memory is looked at.
const MEMORY_STEP: usize = 1 << 20;

impl<'a> Edges<'a> {
    /// Nothing yet, of this text.
    pub(super) fn new(bytes: &'a [u8], path: &'a Path, columns: &'a TableColumns) -> Self {
        Edges {
            bytes,
            path,
            columns,
            ids: LocalNames::default(),
            declared: Vec::new(),
            vertices: Vec::new(),
            edges: Vec::new(),
            default_weight: None,
            attributes: Vec::new(),
        }
    }

    /// The name of the attribute that is the weight.
    pub(super) fn weight_name(&self) -> &'a str {
        self.columns.weight.as_deref().unwrap_or("weight")
    }

    /// Edges without a weight weigh this much where others have a weight.
    pub(super) fn set_default_weight(&mut self, weight: &'static [u8]) {
        self.default_weight = Some(weight);
    }

    /// Gives all edges a direction, or none: for formats that say so for the whole graph, and maybe at its end.
    pub(super) fn set_directed(&mut self, is_directed: bool) {
        self.edges.iter_mut().for_each(|edge| edge.is_directed = is_directed);
    }

    /// Notes an attribute that edges may have.
    pub(super) fn note_attribute(&mut self, name: &str) {
        const MOST: usize = 20;
        if self.attributes.len() < MOST && !self.attributes.iter().any(|known| known == name) {
            self.attributes.push(name.to_string());
        }
    }

    /// An error at a byte of the text.
    pub(super) fn fault(&self, at: usize, message: impl Into<String>) -> GraphError {
        GraphError::document(self.path, self.bytes, at, message)
    }

    fn id(&mut self, text: &str, at: usize) -> Result<u32> {
        let id = self.ids.intern(text.as_bytes()).map_err(|_| self.fault(at, "an id is not UTF-8"))?;
        if id as usize == self.declared.len() {
            self.declared.push(Declared::NotYet { met: at });
        }
        Ok(id)
    }

    /// Declares a vertex.
    pub(super) fn vertex(&mut self, id: Option<&str>, at: usize) -> Result<()> {
        let text = id.filter(|id| !id.is_empty());
        let text = text.ok_or_else(|| self.fault(at, "a node has no `id`; give every node an id of its own"))?;
        let id = self.id(text, at)?;
        if let Declared::Here = self.declared[id as usize] {
            return Err(self.fault(at, format!("a second node has the id `{text}`; give every node an id of its own")));
        }
        self.declared[id as usize] = Declared::Here;
        self.vertices.push(id);
        Ok(())
    }

    /// Adds an edge. A missing end is an error, or the edge is left out; that is known when all is read.
    pub(super) fn edge(
        &mut self,
        ends: [Option<&str>; 2],
        is_directed: bool,
        weight: Option<Range<usize>>,
        at: usize,
    ) -> Result<()> {
        /// Stands for an end that is missing.
        const NONE: u32 = u32::MAX;
        let mut ids = [NONE; 2];
        for ((id, text), name) in ids.iter_mut().zip(ends).zip(["source", "target"]) {
            match text.filter(|text| !text.is_empty()) {
                Some(text) => *id = self.id(text, at)?,
                None if self.columns.missing == Missing::Skip => {}
                None => return Err(self.fault(at, missing(&format!("an edge has no `{name}`")))),
            }
        }
        if self.edges.len() == self.edges.capacity() && self.edges.len() >= MEMORY_STEP {
            let more = (self.edges.len() * size_of::<Edge>()) as u64;
            memory::allow_more(more, format_args!("the edges of {}", self.path.display()))?;
        }
        let [source, target] = ids;
        self.edges.push(Edge { source, target, is_directed, at, weight: weight.unwrap_or(0..0) });
        Ok(())
    }

    /// The edges between numbered vertices.
    pub(super) fn finish(mut self) -> Result<EdgeFile> {
        let undeclared = self.declared.iter().zip(0..).find_map(|(declared, id)| match declared {
            Declared::Here => None,
            Declared::NotYet { met } => Some((*met, id)),
        });
        if let Some((met, id)) = undeclared {
            let text = String::from_utf8_lossy(self.ids.text(id)).into_owned();
            return Err(self.fault(met, format!("an edge ends at `{text}`, but no node has this id")));
        }
        let is_weighted = self.edges.iter().any(|edge| !edge.weight.is_empty());
        if let (Some(name), false) = (&self.columns.weight, is_weighted || self.edges.is_empty()) {
            let known = match self.attributes.is_empty() {
                true => "edges have no attributes".to_string(),
                false => format!("attributes of edges are {}", self.attributes.join(", ")),
            };
            return Err(GraphError::file(self.path, format!("no edge has a weight `{name}`; {known}")));
        }
        let skipped = self.skip_missing(is_weighted)?;
        let (names, numbering, numbers) = self.numbered()?;
        // Where all edges have no direction, they are mirrored as those of other formats are.
        let symmetrise = !self.edges.is_empty() && self.edges.iter().all(|edge| !edge.is_directed);
        let file = match is_weighted {
            true => self.assembled::<AnyWeights>(&numbers, symmetrise)?,
            false => self.assembled::<NoWeights>(&numbers, symmetrise)?,
        };
        Ok(EdgeFile { names, numbering, symmetrise, skipped, ..file })
    }

    /// Leaves out edges of which something is missing, or refuses the first of them.
    fn skip_missing(&mut self, is_weighted: bool) -> Result<Option<SkippedEdges>> {
        let default_weight = self.default_weight.is_some();
        let lacks_weight = |edge: &Edge| is_weighted && !default_weight && edge.weight.is_empty();
        let is_missing = |edge: &Edge| edge.source == u32::MAX || edge.target == u32::MAX || lacks_weight(edge);
        let Some(first) = self.edges.iter().find(|edge| is_missing(edge)).map(|edge| edge.at) else { return Ok(None) };
        if self.columns.missing == Missing::Error {
            let name = self.weight_name();
            return Err(self.fault(first, missing(&format!("an edge has no `{name}`, and others have one"))));
        }
        let before = self.edges.len();
        self.edges.retain(|edge| !is_missing(edge));
        let line = 1 + memchr::memchr_iter(b'\n', &self.bytes[..first]).count() as u64;
        Ok(Some(SkippedEdges { count: (before - self.edges.len()) as u64, first: line, unit: "line" }))
    }

    /// The names of the vertices, how they were numbered, and the vertex of every id.
    fn numbered(&mut self) -> Result<(Option<Names>, Option<Numbering>, Vec<u32>)> {
        let mut numbers = vec![0; self.ids.len()];
        checked_vertices(self.vertices.len() as u64).map_err(|error| self.whole(&error))?;
        if let Some(Numbered { edges, names, numbering, .. }) = self.numbered_by_size()? {
            for (&id, (vertex, _)) in self.vertices.iter().zip(edges.into_iter().flatten()) {
                numbers[id as usize] = vertex;
            }
            return Ok((names, numbering, numbers));
        }
        let (mut text, mut ends) = (String::new(), Vec::with_capacity(self.vertices.len()));
        for (&id, vertex) in self.vertices.iter().zip(0..) {
            numbers[id as usize] = vertex;
            // Every text was found to be UTF-8 when it was interned.
            text += std::str::from_utf8(self.ids.text(id)).unwrap_or_default();
            ends.push(text.len());
        }
        let numbering = Some(Numbering::Texts { ids: self.vertices.len() as u64 });
        Ok((Some(Names::from_text(text, ends)), numbering, numbers))
    }

    /// The vertices as loops, numbered in ascending order of their ids; `None` unless these are whole numbers.
    fn numbered_by_size(&self) -> Result<Option<Numbered>> {
        let mut ids = NumberIds::default();
        let mut loops = Vec::with_capacity(self.vertices.len());
        for &id in &self.vertices {
            let number = whole_number(self.ids.text(id)).and_then(|(negative, size)| ids.take(negative, size));
            let Some(number) = number else { return Ok(None) };
            loops.push((number, number));
        }
        NumberIds::number(vec![IdBlock { ids, edges: loops }]).map_err(|error| self.whole(&error))
    }

    fn whole(&self, error: &GraphError) -> GraphError {
        GraphError::file(self.path, error.to_string())
    }

    /// The edges with their weights; an edge without a direction among others that have one counts twice.
    fn assembled<C: Column>(&self, numbers: &[u32], symmetrise: bool) -> Result<EdgeFile> {
        let mut pairs = Vec::with_capacity(self.edges.len());
        let mut weights = C::with_capacity(self.edges.len());
        for edge in &self.edges {
            let (source, target) = (numbers[edge.source as usize], numbers[edge.target as usize]);
            pairs.push((source, target));
            self.weight(edge, &mut weights)?;
            if !symmetrise && !edge.is_directed && source != target {
                pairs.push((target, source));
                self.weight(edge, &mut weights)?;
            }
        }
        let assembled = C::assemble(self.path, self.vertices.len(), vec![(pairs, weights)], &[1])?;
        let mut file = EdgeFile::directed(assembled);
        // Weights were read one by one, so that no line is known.
        if let Some(rounded) = &mut file.rounded {
            rounded.line = None;
        }
        Ok(file)
    }

    fn weight<C: Column>(&self, edge: &Edge, weights: &mut C) -> Result<()> {
        if !C::PRESENT {
            return Ok(());
        }
        let text = match edge.weight.is_empty() {
            true => self.default_weight.unwrap_or_default(),
            false => &self.bytes[edge.weight.clone()],
        };
        let mut cursor = Cursor::new(text);
        let read = weights.read(&mut cursor).map_err(|fault| fault.message);
        let at = if edge.weight.is_empty() { edge.at } else { edge.weight.start };
        let name = self.weight_name();
        match read {
            Err(message) => Err(self.fault(at, format!("`{name}`: {message}"))),
            Ok(()) if !cursor.is_done() => {
                let shown = String::from_utf8_lossy(&text[..text.len().min(40)]).into_owned();
                Err(self.fault(at, format!("`{name}`: expected a number, found `{shown}`")))
            }
            Ok(()) => Ok(()),
        }
    }
}

/// What is missing, and the mend.
fn missing(what: &str) -> String {
    format!("{what}; add it, or leave such edges out with --missing skip")
}
