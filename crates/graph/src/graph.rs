//! `Graph`: the owner of both adjacencies and of every form derived from them.

use std::sync::{Arc, OnceLock};

use crate::build::allow_csr;
use crate::columns::Columns;
use crate::derived::Forms;
use crate::format::{GuessedColumns, SkippedEdges};
use crate::graph_id::GraphId;
use crate::spans::Spans;
use crate::{Adjacency, Names, Numbering, RoundedWeight, Share, VertexId, WeightKind};

/// The name of the in-neighbours among the derived forms.
const IN_ADJACENCY: &str = "in-adjacency";

/// A directed graph over vertices `0..vertices`, stored by out-neighbours.
///
/// A symmetric graph (every edge has its reverse, with the same weight) shares one adjacency for both directions.
/// In-neighbours and the other forms are built when first asked for and kept; [`Graph::derived`] tells what was
/// built and how long it took.
#[derive(Debug)]
pub struct Graph {
    id: GraphId,
    out: Arc<Adjacency>,
    incoming: OnceLock<Arc<Adjacency>>,
    symmetric: bool,
    rounded: Option<RoundedWeight>,
    numbering: Option<Numbering>,
    notes: FileNotes,
    names: Option<Arc<Names>>,
    share: Option<Share>,
    checksum: Option<u64>,
    edge_columns: Option<Arc<Columns>>,
    vertex_columns: Option<Arc<Columns>>,
    pub(crate) forms: Forms,
}

/// What reading a graph's file decided without being asked.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileNotes {
    /// Edges that were left out.
    pub(crate) skipped: Option<SkippedEdges>,
    /// Columns that were guessed.
    pub(crate) guessed: Option<GuessedColumns>,
    /// Rows of the table of vertices that were left out, in words.
    pub(crate) vertices: Option<String>,
}

impl Graph {
    /// A graph stored by `out`. `symmetric` promises that every edge has its reverse with the same weight.
    pub(crate) fn new(out: Adjacency, symmetric: bool) -> Self {
        let out = Arc::new(out);
        let incoming = OnceLock::new();
        if symmetric {
            let _ = incoming.set(Arc::clone(&out));
        }
        let id = GraphId::fresh();
        Graph {
            id,
            out,
            incoming,
            symmetric,
            rounded: None,
            numbering: None,
            notes: FileNotes::default(),
            names: None,
            share: None,
            checksum: None,
            edge_columns: None,
            vertex_columns: None,
            forms: Forms::default(),
        }
    }

    /// The same graph, whose file holds this weight in a form that 32 bits cannot keep.
    pub(crate) fn with_rounded_weight(self, rounded: Option<RoundedWeight>) -> Self {
        Graph { rounded, ..self }
    }

    /// The same graph, whose file has this checksum.
    pub(crate) fn with_checksum(self, checksum: u64) -> Self {
        Graph { checksum: Some(checksum), ..self }
    }

    /// The checksum of the `.gwg` that the graph was read from. Graphs with equal checksums are equal; of two equal
    /// graphs one may have none, or another one.
    pub fn checksum(&self) -> Option<u64> {
        self.checksum
    }

    /// The same graph, whose file has other ids than these vertices have numbers.
    pub(crate) fn with_numbering(self, numbering: Option<Numbering>) -> Self {
        Graph { numbering, ..self }
    }

    /// The same graph, with what reading its file decided.
    pub(crate) fn with_notes(self, notes: FileNotes) -> Self {
        Graph { notes, ..self }
    }

    /// What reading the graph's file decided.
    pub(crate) fn notes(&self) -> &FileNotes {
        &self.notes
    }

    /// The same graph with these original ids of its vertices; `None` takes them away. Panics when their number is not
    /// that of the vertices.
    pub fn with_names(self, names: Option<Arc<Names>>) -> Self {
        if let Some(names) = &names {
            assert_eq!(names.len(), self.vertices(), "a graph has one original id per vertex");
        }
        Graph { names, ..self }
    }

    /// The same graph with the columns of its edges; `None` takes them away. Panics when there is not a row per edge.
    pub(crate) fn with_edge_columns(self, columns: Option<Arc<Columns>>) -> Self {
        let fit = columns.as_ref().is_none_or(|columns| columns.row_of.len() == self.edges());
        assert!(fit, "a graph has one row per edge");
        Graph { edge_columns: columns, ..self }
    }

    /// The same graph with the columns of its vertices; `None` takes them away. Panics when there is not a row per
    /// vertex.
    pub fn with_vertex_columns(self, columns: Option<Arc<Columns>>) -> Self {
        let fit = columns.as_ref().is_none_or(|columns| columns.row_of.len() == self.vertices());
        assert!(fit, "a graph has one row per vertex");
        Graph { vertex_columns: columns, ..self }
    }

    /// The same graph with the columns of another one that has the same edges in the same places.
    pub(crate) fn with_columns_of(self, other: &Graph) -> Self {
        let (edges, vertices) = (other.edge_columns.clone(), other.vertex_columns.clone());
        self.with_edge_columns(edges).with_vertex_columns(vertices)
    }

    /// The columns of the table that the edges come from, where they are kept. A graph that a program makes of this one
    /// has none.
    pub fn edge_columns(&self) -> Option<&Arc<Columns>> {
        self.edge_columns.as_ref()
    }

    /// The columns of the table of vertices, where there is one.
    pub fn vertex_columns(&self) -> Option<&Arc<Columns>> {
        self.vertex_columns.as_ref()
    }

    /// A directed graph whose in-adjacency is at hand too.
    pub(crate) fn with_incoming(out: Adjacency, incoming: Adjacency) -> Self {
        let graph = Graph::new(out, false);
        let _ = graph.incoming.set(Arc::new(incoming));
        graph
    }

    /// A part of a graph: its lists, and its lists in the other direction where they are known.
    pub(crate) fn of_parts(out: Arc<Adjacency>, incoming: Option<Arc<Adjacency>>) -> Self {
        Graph {
            id: GraphId::fresh(),
            out,
            incoming: incoming.map_or_else(OnceLock::new, OnceLock::from),
            symmetric: false,
            rounded: None,
            numbering: None,
            notes: FileNotes::default(),
            names: None,
            share: None,
            checksum: None,
            edge_columns: None,
            vertex_columns: None,
            forms: Forms::default(),
        }
    }

    /// A graph of which the lists of some vertices are there; `incoming` is `None` for a symmetric one.
    pub(crate) fn of_share(out: Adjacency, incoming: Option<Adjacency>, share: Share) -> Self {
        let graph = match incoming {
            Some(incoming) => Graph::with_incoming(out, incoming),
            None => Graph::new(out, true),
        };
        Graph { share: Some(share), ..graph }
    }

    /// What a graph that is there in part knows of the whole; `None` for a graph that is there as a whole.
    pub fn share(&self) -> Option<&Share> {
        self.share.as_ref()
    }

    /// A graph whose lists stand in memory of somebody else, where kernels of the CPU machine and all readers of single
    /// lists read them. `incoming` are the lists of in-neighbours of the same edges where they are at hand; `symmetric`
    /// promises that every edge has its reverse with the same weight. Panics when the directions have different
    /// numbers of vertices or edges.
    pub fn from_spans(out: Spans, incoming: Option<Spans>, symmetric: bool) -> Self {
        let out = Adjacency::of_spans(out);
        match incoming.filter(|_| !symmetric).map(Adjacency::of_spans) {
            Some(incoming) => {
                let sizes = |adjacency: &Adjacency| (adjacency.vertices(), adjacency.edges());
                assert_eq!(sizes(&out), sizes(&incoming), "both directions have the same vertices and edges");
                Graph::with_incoming(out, incoming)
            }
            None => Graph::new(out, symmetric),
        }
    }

    /// The same edges under a new identity, and without any form that was derived from them: what a first run meets.
    /// The arrays are shared.
    ///
    /// ```
    /// let graph = gw_graph::GraphSpec::parse("kron:6").unwrap().load(&gw_graph::progress::Silent).unwrap().graph;
    /// let first = graph.anew();
    /// assert_ne!(first.id(), graph.id());
    /// assert_eq!(first.out().targets(), graph.out().targets());
    /// assert!(first.derived().is_empty());
    /// ```
    pub fn anew(&self) -> Graph {
        let out = Arc::new(self.out.anew());
        let incoming = OnceLock::new();
        let was_derived = self.derived().iter().any(|form| form.name == IN_ADJACENCY);
        if self.symmetric {
            let _ = incoming.set(Arc::clone(&out));
        } else if let Some(own) = self.incoming.get().filter(|_| !was_derived) {
            let _ = incoming.set(Arc::new(own.anew()));
        }
        Graph {
            id: GraphId::fresh(),
            out,
            incoming,
            symmetric: self.symmetric,
            rounded: self.rounded.clone(),
            numbering: self.numbering.clone(),
            notes: self.notes.clone(),
            names: self.names.clone(),
            share: self.share.clone(),
            checksum: self.checksum,
            edge_columns: self.edge_columns.clone(),
            vertex_columns: self.vertex_columns.clone(),
            forms: Forms::default(),
        }
    }

    /// What caches of anything worked out from this graph use as their key.
    pub fn id(&self) -> GraphId {
        self.id
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.out.vertices()
    }

    /// Number of directed edges as stored, wherever they are: an undirected edge counts twice.
    pub fn edges(&self) -> usize {
        self.share.as_ref().map_or(self.out.edges(), |share| share.edges as usize)
    }

    /// True when every edge has its reverse with the same weight.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// The kind of weights on edges.
    pub fn weight_kind(&self) -> WeightKind {
        self.out.weight_kind()
    }

    /// What reading the graph's file decided and what was lost by what was asked for, a sentence each.
    pub fn reading_notes(&self) -> Vec<String> {
        let guessed = self.guessed_columns().map(ToString::to_string);
        let skipped = self.skipped_edges().map(ToString::to_string);
        let rounded = self.rounded_weight().filter(|rounded| rounded.asked).map(ToString::to_string);
        let vertices = self.notes.vertices.clone();
        guessed.into_iter().chain(skipped).chain(rounded).chain(vertices).collect()
    }

    /// The first weight of the graph's text file that 32 bits hold as quite another number. Files of Graphwright and
    /// GAPBS hold 32 bits themselves: there is none.
    pub fn rounded_weight(&self) -> Option<&RoundedWeight> {
        self.rounded.as_ref()
    }

    /// How the numbers of the vertices differ from the ids in the graph's text file; `None` when they are the usual
    /// ones of the format. A graph made of this one (reordered, symmetrised) does not tell.
    pub fn numbering(&self) -> Option<&Numbering> {
        self.numbering.as_ref()
    }

    /// The edges of the graph's file that were left out because something was missing. A graph made of this one
    /// (symmetrised) does not tell.
    pub fn skipped_edges(&self) -> Option<&SkippedEdges> {
        self.notes.skipped.as_ref()
    }

    /// The columns of the graph's table that were taken for the ends of edges only because they stand first. A graph
    /// made of this one (symmetrised) does not tell.
    pub fn guessed_columns(&self) -> Option<&GuessedColumns> {
        self.notes.guessed.as_ref()
    }

    /// The ids of the vertices in the graph's file, where these are other than the numbers `0..vertices`.
    pub fn names(&self) -> Option<&Arc<Names>> {
        self.names.as_ref()
    }

    /// True when edges carry weights.
    pub fn is_weighted(&self) -> bool {
        self.weight_kind() != WeightKind::None
    }

    /// Out-neighbours (CSR).
    pub fn out(&self) -> &Adjacency {
        &self.out
    }

    /// Out-neighbours, for somebody who keeps them.
    pub(crate) fn shared_out(&self) -> &Arc<Adjacency> {
        &self.out
    }

    /// Out-neighbours, taken out of the graph.
    pub(crate) fn into_out(self) -> Arc<Adjacency> {
        self.out
    }

    /// In-neighbours (CSC); the same arrays as [`Graph::out`] when the graph is symmetric, otherwise built at the
    /// first call, as any list is that grows: [`Graph::load_incoming`] asks for memory first.
    pub fn incoming(&self) -> &Adjacency {
        self.shared_incoming()
    }

    /// In-neighbours, for somebody who keeps them.
    pub(crate) fn shared_incoming(&self) -> &Arc<Adjacency> {
        let make = || self.out.reversed();
        self.incoming.get_or_init(|| self.forms.timed(IN_ADJACENCY, Adjacency::bytes, make))
    }

    /// In-neighbours, as [`Graph::incoming`]; an error when they have to be built and need more memory than may be
    /// used.
    pub fn load_incoming(&self) -> crate::Result<&Adjacency> {
        if !self.has_incoming() {
            self.out.load()?;
            allow_csr(self.weight_kind(), self.vertices(), self.edges())?;
        }
        Ok(self.incoming())
    }

    /// True when [`Graph::incoming`] costs nothing.
    pub fn has_incoming(&self) -> bool {
        self.incoming.get().is_some()
    }

    /// The graph with all edges reversed. Shares the arrays of this one.
    pub fn transpose(&self) -> Graph {
        self.incoming();
        let incoming = self.incoming.get().map_or_else(|| Arc::clone(&self.out), Arc::clone);
        let transposed = Graph {
            id: GraphId::fresh(),
            out: incoming,
            incoming: OnceLock::new(),
            symmetric: self.symmetric,
            rounded: self.rounded.clone(),
            numbering: self.numbering.clone(),
            notes: self.notes.clone(),
            names: self.names.clone(),
            share: self.share.clone(),
            checksum: self.checksum,
            edge_columns: None,
            vertex_columns: self.vertex_columns.clone(),
            forms: Forms::default(),
        };
        let _ = transposed.incoming.set(Arc::clone(&self.out));
        transposed
    }

    /// Checks that `vertex` is one of this graph's.
    pub fn vertex(&self, vertex: u64) -> crate::Result<VertexId> {
        if vertex < self.vertices() as u64 {
            Ok(vertex as VertexId)
        } else {
            Err(crate::GraphError::VertexOutOfRange { vertex, vertices: self.vertices() })
        }
    }

    /// Bytes held by the adjacencies (shared arrays count once), all derived forms, columns and original ids.
    pub fn bytes(&self) -> usize {
        let own = self.out.bytes();
        let incoming = match self.incoming.get() {
            Some(incoming) if !Arc::ptr_eq(incoming, &self.out) => incoming.bytes(),
            _ => 0,
        };
        let derived: usize = self.forms.log().iter().filter(|d| d.name != IN_ADJACENCY).map(|d| d.bytes).sum();
        let columns = [&self.edge_columns, &self.vertex_columns].into_iter().flatten();
        let columns: usize = columns.map(|columns| columns.bytes()).sum();
        own + incoming + derived + columns + self.names.as_ref().map_or(0, |names| names.bytes())
    }
}

impl PartialEq for Graph {
    /// Same vertices, edges and weights.
    fn eq(&self, other: &Self) -> bool {
        self.out == other.out && self.symmetric == other.symmetric
    }
}
