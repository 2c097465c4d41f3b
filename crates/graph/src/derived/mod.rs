//! Forms of a graph that are built on demand, kept, and accounted for: nothing is hidden from a measurement.

mod blocked;
mod coo;
mod csr_m;
mod marked;
mod segments;

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::parallel::{self, PIECE};
use crate::{Adjacency, ConstantWeight, Graph, Permutation, Result, Weight, WeightKind, memory, with_weights};

pub use blocked::BlockedEdges;
pub use coo::{Coo, CooOrder, CooPairs};
pub use csr_m::CsrM;
pub use marked::Marked;
pub use segments::Segment;

/// What was derived from a graph, what it cost and what it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    /// Name of the form, such as `in-adjacency` or `coo by source`.
    pub name: String,
    /// Time to build it.
    pub time: Duration,
    /// Memory it holds.
    pub bytes: usize,
}

/// The cache of derived forms of one graph.
#[derive(Default)]
pub(crate) struct Forms {
    log: Mutex<Vec<Derived>>,
    out_degrees: OnceLock<Arc<Vec<u32>>>,
    in_degrees: OnceLock<Arc<Vec<u32>>>,
    least_weight: OnceLock<Option<f64>>,
    not_simple: OnceLock<Option<NotSimple>>,
    greatest_out_degree: OnceLock<usize>,
    degree_ordered: OnceLock<bool>,
    by_degree: OnceLock<Arc<Renumbered>>,
    pub(crate) undirected: OnceLock<Arc<Graph>>,
    pub(crate) links: OnceLock<Arc<Graph>>,
    pub(crate) upward: OnceLock<Arc<Graph>>,
    pub(crate) loops: OnceLock<Arc<Graph>>,
    csr_m: OnceLock<Arc<CsrM>>,
    csr_m_in: OnceLock<Arc<CsrM>>,
    marked: OnceLock<Arc<Marked>>,
    coo: Cache<CooOrder, Coo>,
    coo_pairs: Cache<CooOrder, CooPairs>,
    blocked: Cache<(CooOrder, u32), BlockedEdges>,
    segments: Cache<usize, Vec<Segment>>,
    by_number: OnceLock<Arc<Graph>>,
    weighed: Cache<(WeightKind, u64), Graph>,
    /// The undirected graph, as long as somebody has it.
    pub(crate) symmetric: Mutex<Weak<Graph>>,
}

/// Why a graph is not simple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotSimple {
    /// An edge from this vertex to itself.
    Loop(u32),
    /// More than one edge from this vertex to the same neighbour.
    Parallel(u32),
}

/// A graph under other numbers.
#[derive(Debug)]
pub struct Renumbered {
    /// The graph. Its lists are made when they are first read, here or in the memory of a machine.
    pub graph: Arc<Graph>,
    /// The numbers.
    pub permutation: Arc<Permutation>,
}

type Cache<K, T> = Mutex<HashMap<K, Arc<T>>>;

impl Graph {
    /// Out-degree of every vertex.
    pub fn out_degrees(&self) -> Result<Arc<Vec<u32>>> {
        let needed = 4 * self.vertices() as u64;
        let bytes = |degrees: &Vec<u32>| 4 * degrees.len();
        self.forms.once(&self.forms.out_degrees, "out-degrees", needed, bytes, || degrees(self.out()))
    }

    /// In-degree of every vertex.
    pub fn in_degrees(&self) -> Result<Arc<Vec<u32>>> {
        if self.is_symmetric() {
            return self.out_degrees();
        }
        let needed = 4 * self.vertices() as u64;
        let bytes = |degrees: &Vec<u32>| 4 * degrees.len();
        let incoming = self.load_incoming()?;
        self.forms.once(&self.forms.in_degrees, "in-degrees", needed, bytes, || degrees(incoming))
    }

    /// The least weight of an edge; `None` without weights or edges. Found once and kept.
    pub fn least_weight(&self) -> Option<f64> {
        let out = self.out();
        if out.spans().is_some() {
            let least = |v: u32| (0..out.degree(v)).filter_map(|at| out.weight_at(v, at)).reduce(f64::min);
            let piece = |range: Range<usize>| range.filter_map(|v| least(v as u32)).reduce(f64::min);
            let all = || parallel::pieces(self.vertices(), 1 << 12, piece).into_iter().flatten().reduce(f64::min);
            return *self.forms.least_weight.get_or_init(all);
        }
        fn least<W: Weight>(weights: &[W]) -> Option<f64> {
            let lesser = |a: W, b: W| if b < a { b } else { a };
            let least = |range: Range<usize>| weights[range].iter().copied().reduce(lesser);
            parallel::pieces(weights.len(), 1 << 16, least).into_iter().flatten().reduce(lesser).map(W::real)
        }
        *self.forms.least_weight.get_or_init(|| with_weights!(out.weights(), none => None, w => least(w)))
    }

    /// The first vertex with a loop or parallel edges; `None` where the graph is simple. Found once and kept.
    pub fn not_simple(&self) -> Option<NotSimple> {
        let look = |v: u32| {
            let list = self.out().neighbours(v);
            match list.binary_search(&v) {
                Ok(_) => Some(NotSimple::Loop(v)),
                Err(_) => list.windows(2).any(|pair| pair[0] == pair[1]).then_some(NotSimple::Parallel(v)),
            }
        };
        let find = || parallel::first(self.vertices(), 1 << 10, |mut range| range.find_map(|v| look(v as u32)));
        *self.forms.not_simple.get_or_init(find)
    }

    /// The greatest out-degree. Found once and kept.
    pub fn greatest_out_degree(&self) -> usize {
        let degree = |v: usize| self.out().degree(v as u32);
        let greatest = |range: Range<usize>| range.map(degree).max();
        let all = || parallel::pieces(self.vertices(), PIECE, greatest).into_iter().flatten().max().unwrap_or(0);
        *self.forms.greatest_out_degree.get_or_init(|| self.out().greatest_known().unwrap_or_else(all))
    }

    /// Whether vertices are numbered by falling out-degree. Found once and kept.
    pub fn is_degree_ordered(&self) -> bool {
        let rises = |&v: &usize| self.out().degree(v as u32) < self.out().degree(v as u32 + 1);
        let look =
            || parallel::first(self.vertices().saturating_sub(1), PIECE, |mut range| range.find(rises)).is_none();
        *self.forms.degree_ordered.get_or_init(look)
    }

    /// This graph numbered by falling total degree; ties keep their order. Made once and kept. Its lists are not part
    /// of the cost on record: they are made when they are first read, by whoever reads them.
    pub fn by_falling_degree(&self) -> Result<Arc<Renumbered>> {
        let (forms, needed) = (&self.forms, 16 * self.vertices() as u64);
        if !self.is_symmetric() {
            self.load_incoming()?;
        }
        let bytes = |renumbered: &Renumbered| renumbered.permutation.bytes() + renumbered.graph.out().bytes();
        let make = || {
            let permutation = Arc::new(Permutation::of_order(self.by_degree(true)));
            let graph = Arc::new(self.under(&permutation));
            Renumbered { graph, permutation }
        };
        forms.once(&forms.by_degree, "numbers by falling degree", needed, bytes, make)
    }

    /// The same edges, each weighing its number: its position among all edges, by source and then by target.
    pub fn by_number(&self) -> Result<Arc<Graph>> {
        let (forms, needed) = (&self.forms, 4 * self.edges() as u64);
        crate::rows::can_be_numbered(self)?;
        let bytes = |graph: &Graph| graph.out().weights().bytes();
        forms.once(&forms.by_number, "edges by number", needed, bytes, || {
            Graph::new(crate::rows::with_numbers(self), false)
        })
    }

    /// Edge list in separate arrays, in source or destination order.
    pub fn coo(&self, order: CooOrder) -> Result<Arc<Coo>> {
        let (forms, needed) = (&self.forms, self.per_edge(8));
        self.load_ordered(order)?;
        forms.cached(&forms.coo, order, &format!("coo by {order}"), needed, Coo::bytes, || Coo::new(self, order))
    }

    /// Edge list as (source, destination) pairs, in source or destination order.
    pub fn coo_pairs(&self, order: CooOrder) -> Result<Arc<CooPairs>> {
        let (forms, needed) = (&self.forms, self.per_edge(12));
        self.load_ordered(order)?;
        let make = || CooPairs::new(self, order);
        forms.cached(&forms.coo_pairs, order, &format!("coo pairs by {order}"), needed, CooPairs::bytes, make)
    }

    /// CSR with a (begin, end) pair per vertex instead of shared offsets.
    pub fn csr_m(&self) -> Result<Arc<CsrM>> {
        let (forms, needed) = (&self.forms, 2 * self.out().offsets().bytes() as u64);
        forms.once(&forms.csr_m, "csr-m", needed, CsrM::bytes, || CsrM::new(self.out()))
    }

    /// The same for the in-edges.
    pub fn csr_m_in(&self) -> Result<Arc<CsrM>> {
        if self.is_symmetric() {
            return self.csr_m();
        }
        let (forms, incoming, needed) = (&self.forms, self.load_incoming()?, 2 * self.out().offsets().bytes() as u64);
        forms.once(&forms.csr_m_in, "csr-m of in-edges", needed, CsrM::bytes, || CsrM::new(incoming))
    }

    /// The out-neighbours with the classes of their edges; `None` where the numbers of vertices leave no room for them.
    pub fn marked(&self) -> Result<Option<Arc<Marked>>> {
        if self.vertices() > Marked::MOST_VERTICES {
            return Ok(None);
        }
        self.load_ordered(CooOrder::Destination)?;
        let (forms, needed) = (&self.forms, 4 * self.edges() as u64 + self.vertices() as u64);
        forms.once(&forms.marked, "edge classes", needed, Marked::bytes, || Marked::new(self)).map(Some)
    }

    /// Edges grouped by blocks of `block` consecutive ids of the endpoint that `by` names: destination blocks
    /// localise the writes of a push, source blocks the reads of a pull (EdgeBlocking, UGF thesis algorithm 2).
    pub fn blocked(&self, by: CooOrder, block: u32) -> Result<Arc<BlockedEdges>> {
        let block = block.max(1);
        self.load_ordered(by)?;
        // Two edge lists and a permutation.
        let (forms, needed) = (&self.forms, 2 * self.per_edge(12));
        let name = format!("edges in {by} blocks of {block}");
        let make = || BlockedEdges::new(self, by, block);
        forms.cached(&forms.blocked, (by, block), &name, needed, BlockedEdges::bytes, make)
    }

    /// The in-edges in `count` segments of equally many source ids (fewer when there are fewer vertices).
    pub fn segments(&self, count: usize) -> Result<Arc<Vec<Segment>>> {
        self.load_ordered(CooOrder::Destination)?;
        let count = count.clamp(1, self.vertices().max(1));
        let bytes = |segments: &Vec<Segment>| segments.iter().map(Segment::bytes).sum();
        // Every edge once; at most one list per edge, and per vertex and segment.
        let lists = self.edges().min(self.vertices().saturating_mul(count)) as u64;
        let (forms, needed) = (&self.forms, self.per_edge(4) + 24 * lists);
        let make = || segments::cut(self, count);
        forms.cached(&forms.segments, count, &format!("{count} segments"), needed, bytes, make)
    }

    /// Makes the lists that edges in this order are read from.
    fn load_ordered(&self, order: CooOrder) -> Result<()> {
        match order {
            CooOrder::Source => self.out().load(),
            CooOrder::Destination => self.load_incoming()?.load(),
        }
    }

    /// Memory for this many bytes per edge and a copy of the weights.
    fn per_edge(&self, bytes: u64) -> u64 {
        (bytes + self.weight_kind().bytes() as u64) * self.edges() as u64
    }

    /// The forms built so far, in order; then copies in compressed rows of lists that stand elsewhere.
    pub fn derived(&self) -> Vec<Derived> {
        let mut all = self.forms.log();
        let mut copied = |name: &str, adjacency: &Adjacency| {
            let copy = adjacency.copied().map(|(time, bytes)| Derived { name: name.to_owned(), time, bytes });
            all.extend(copy);
        };
        copied("compressed copy", self.out());
        if self.has_incoming() && !self.is_symmetric() {
            copied("compressed copy of in-edges", self.incoming());
        }
        all
    }
}

fn degrees(adjacency: &Adjacency) -> Vec<u32> {
    parallel::list(adjacency.vertices(), |v| adjacency.degree(v as u32) as u32)
}

impl Forms {
    /// What was built.
    pub(crate) fn log(&self) -> Vec<Derived> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Builds a form, and writes down its cost.
    pub(crate) fn timed<T: Send>(
        &self,
        name: &str,
        bytes: impl Fn(&T) -> usize,
        make: impl FnOnce() -> T + Send,
    ) -> Arc<T> {
        let start = Instant::now();
        let form = parallel::once(make);
        let entry = Derived { name: name.to_owned(), time: start.elapsed(), bytes: bytes(&form) };
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
        Arc::new(form)
    }

    /// The form in this place, built where there is none; an error when its peak, `needed`, is more memory than may be
    /// used.
    pub(crate) fn once<T: Send>(
        &self,
        place: &OnceLock<Arc<T>>,
        name: &str,
        needed: u64,
        bytes: impl Fn(&T) -> usize,
        make: impl FnOnce() -> T + Send,
    ) -> Result<Arc<T>> {
        if place.get().is_none() {
            allow(needed, name)?;
        }
        Ok(Arc::clone(place.get_or_init(|| self.timed(name, bytes, make))))
    }

    /// The graph whose edges all have this weight.
    pub(crate) fn weighed(
        &self,
        weight: ConstantWeight,
        needed: u64,
        bytes: impl Fn(&Graph) -> usize,
        make: impl FnOnce() -> Graph + Send,
    ) -> Result<Arc<Graph>> {
        self.cached(&self.weighed, weight.key(), "the same weight on all edges", needed, bytes, make)
    }

    fn cached<K: Eq + Hash, T: Send>(
        &self,
        cache: &Cache<K, T>,
        key: K,
        name: &str,
        needed: u64,
        bytes: impl Fn(&T) -> usize,
        make: impl FnOnce() -> T + Send,
    ) -> Result<Arc<T>> {
        let mut forms = cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(form) = forms.get(&key) {
            return Ok(Arc::clone(form));
        }
        allow(needed, name)?;
        let form = self.timed(name, bytes, make);
        forms.insert(key, Arc::clone(&form));
        Ok(form)
    }
}

fn allow(needed: u64, name: &str) -> Result<()> {
    Ok(memory::allow(needed, format_args!("the form `{name}` of the graph"))?)
}

impl fmt::Debug for Forms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.log.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|d| &d.name)).finish()
    }
}
