//! Checkpoints: the state of a run at the head of a loop, in a file, and runs that go on from there.
//!
//! A run of `main` can be saved where a `while` loop that stands directly in `main` is about to begin another round:
//! all that the rest of the run depends on is then in globals and in the variables of `main`. A run that resumes loads
//! its graphs and runs the start-up as always, takes the saved values in place of those that it has then, and goes on
//! at the head of the same loop. Graphs that the program made, lists and priority queues are not saved: such programs
//! are refused.
//!
//! The file is a sequence of little-endian numbers between a magic word and a checksum.

use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gw_graph::partial_file::PartialFile;
use gw_graph::{Graph, GraphId};
use gw_ir::expr::ExprKind;
use gw_ir::module::{FunctionKind, Module};
use gw_ir::source::Span;
use gw_ir::stmt::StmtKind;
use gw_ir::types::{Scalar, Type};
use gw_ir::walk::walk_stmts;
use rustc_hash::FxHasher;

use crate::error::{ErrorKind, Result};
use crate::set::VertexSet;
use crate::value::Value;
use crate::vector::Vector;

const MAGIC: u64 = u64::from_le_bytes(*b"gwcheck2");
/// The file in the folder of checkpoints.
const FILE: &str = "checkpoint.gwc";

/// When and where a run is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The folder.
    pub folder: PathBuf,
    /// Rounds of a loop between two checkpoints, at least 1.
    pub every: u64,
    /// Whether the run goes on from the checkpoint in the folder.
    pub resume: Resume,
    /// This run writes the file. Of several that do the same in step, one does.
    pub writes: bool,
}

/// Whether a run goes on from a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resume {
    /// The run begins anew.
    No,
    /// The run goes on from the checkpoint; without one it is refused.
    Yes,
    /// The run goes on from the checkpoint if there is one, and otherwise begins anew.
    IfThere,
}

impl Checkpoint {
    /// The file.
    pub fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// What was saved, where the run goes on from it.
    pub(crate) fn read(&self) -> Result<Option<Saved>> {
        if self.resume == Resume::No {
            return Ok(None);
        }
        let path = self.path();
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && self.resume == Resume::IfThere => {
                return Ok(None);
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let mend = "begin without --resume, or go on with --resume=if-there";
                return Err(bad(&path, format!("is not there: {mend}")));
            }
            Err(error) => return Err(bad(&path, format!("cannot be read: {error}"))),
        };
        let damaged = || bad(&path, "is damaged or of another version".to_string());
        Saved::decode(&bytes).ok_or_else(damaged).map(Some)
    }

    /// Makes the folder and tries a file in it: better a word before the first round than after the tenth.
    pub(crate) fn prepare(&self) -> Result<()> {
        if !self.writes {
            return Ok(());
        }
        std::fs::create_dir_all(&self.folder).map_err(|error| bad(&self.folder, format!("cannot be made: {error}")))?;
        self.remove_old_probes();
        let tried = PartialFile::beside(&self.path());
        tried.map(drop).map_err(|error| bad(&self.folder, format!("cannot be written to: {error}")))
    }

    /// Removes the empty files `checkpoint.gwc.PID` that processes of older versions left, which tried the folder by
    /// them and were killed. A process that is alive keeps its own.
    fn remove_old_probes(&self) {
        if !cfg!(target_os = "linux") {
            return;
        }
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_prefix(FILE)?.strip_prefix('.')?.parse::<u32>().ok());
            let is_dead = id.is_some_and(|id| !Path::new("/proc").join(id.to_string()).exists());
            if is_dead && entry.metadata().is_ok_and(|file| file.is_file() && file.len() == 0) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    pub(crate) fn write(&self, saved: &Saved) -> Result<()> {
        if !self.writes {
            return Ok(());
        }
        gw_graph::format::write_file(&self.path(), &saved.encode()).map_err(ErrorKind::Graph)?;
        Ok(())
    }
}

/// A number for a module: the same for the same text.
pub(crate) fn module_hash(module: &Module) -> u64 {
    let mut hash = FxHasher::default();
    hash.write(gw_ir::print(module).as_bytes());
    hash.finish()
}

/// What a program makes that no checkpoint holds, and where: in `main` all graphs, lists and queues, in other
/// functions those that are put into globals. So a run is refused before it begins.
pub(crate) fn unholdable(module: &Module) -> Option<(&'static str, Span)> {
    let mut found = None;
    for function in &module.functions {
        let is_main = function.kind == FunctionKind::Main;
        let is_global = |name: &str| module.globals.iter().any(|global| &*global.name == name);
        walk_stmts(function.body.as_deref().unwrap_or_default(), &mut |stmt| {
            let made = match &stmt.kind {
                StmtKind::VarDecl { init: Some(value), .. } if is_main => value,
                StmtKind::Assign { target, value } => match &target.kind {
                    ExprKind::Var(name) if is_main || is_global(name) => value,
                    _ => return,
                },
                _ => return,
            };
            let what = match (&made.kind, &made.ty) {
                (ExprKind::Var(_), _) => return,
                (_, Type::EdgeSet { .. }) => "a graph that the program made",
                (ExprKind::ListAlloc, _) => "a list",
                (ExprKind::PriorityQueueAlloc(_), _) => "a priority queue",
                _ => return,
            };
            found = found.or(Some((what, stmt.span)));
        });
    }
    found
}

/// Why a program cannot run with checkpoints.
pub(crate) fn not_held(what: &str) -> ErrorKind {
    ErrorKind::Unsupported(format!("a checkpoint cannot hold {what}: run this program without --checkpoint"))
}

/// An error about a file or folder.
pub(crate) fn bad(path: &Path, problem: String) -> crate::ExecError {
    ErrorKind::Checkpoint { path: path.display().to_string(), problem }.into()
}

/// What a file must agree on with the run that goes on from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    /// A hash of the module and of all arguments behind the first.
    pub(crate) program: u64,
    pub(crate) seed: u64,
    /// Vertices of the graphs that the program has loaded, and hashes of their edges.
    pub(crate) graphs: Vec<(u64, u64)>,
}

/// The state of a run.
#[derive(Debug, Clone)]
pub(crate) struct Saved {
    pub(crate) identity: Identity,
    /// The loop, by its place in `main`.
    pub(crate) line: u64,
    /// Rounds of the loop so far.
    pub(crate) rounds: u64,
    /// Operator calls that draw so far, and draws of the host.
    pub(crate) calls: u64,
    pub(crate) drawn: u64,
    /// Scalars of globals and of `main`.
    pub(crate) scalars: [Vec<u64>; 2],
    /// All other values of globals and of `main`.
    pub(crate) objects: [Vec<Item>; 2],
    pub(crate) vectors: Vec<Vector>,
    pub(crate) sets: Vec<VertexSet>,
    /// The checksum of the file it was read from.
    pub(crate) checksum: u64,
}

/// A value that is not a number. Vectors and sets are shared by whoever held the same before.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Item {
    Nothing,
    Text(Arc<str>),
    Vector(usize),
    Set(usize),
    /// The graph that a global held after the start-up, by its slot.
    Graph(usize),
}

/// Turns values into items and back.
#[derive(Debug, Default)]
pub(crate) struct Items {
    pub(crate) vectors: Vec<Vector>,
    pub(crate) sets: Vec<VertexSet>,
    /// The graphs that globals held after the start-up, by slot.
    graphs: Vec<(usize, GraphId, Arc<Graph>)>,
}

impl Items {
    /// With the graphs among the globals after the start-up.
    pub(crate) fn new(globals: &[Value]) -> Items {
        let graph =
            |(slot, value): (usize, &Value)| value.as_graph().map(|graph| (slot, graph.id(), Arc::clone(graph)));
        Items { graphs: globals.iter().enumerate().filter_map(graph).collect(), ..Items::default() }
    }

    /// Without anything but the graphs of others.
    pub(crate) fn with_graphs_of(others: &Items) -> Items {
        Items { graphs: others.graphs.clone(), ..Items::default() }
    }

    /// Vertices of the graphs, and a hash of all their edges and weights: a graph of the same size may be another.
    pub(crate) fn graph_sizes(&self) -> Vec<(u64, u64)> {
        self.graphs.iter().map(|(_, _, graph)| (graph.vertices() as u64, graph.edges_hash())).collect()
    }

    /// The item of a value, or what cannot be saved.
    pub(crate) fn item(&mut self, value: &Value) -> std::result::Result<Item, &'static str> {
        Ok(match value {
            Value::Nothing => Item::Nothing,
            Value::Str(text) => Item::Text(Arc::clone(text)),
            Value::Vector(vector) => {
                if vector.dims().len() != vector.storage().dims().len() {
                    return Err("a row of a vector");
                }
                let known = self.vectors.iter().position(|known| known.id() == vector.id());
                Item::Vector(known.unwrap_or_else(|| {
                    self.vectors.push(vector.clone());
                    self.vectors.len() - 1
                }))
            }
            Value::Set(set) => {
                let known = self.sets.iter().position(|known| known.is(set));
                Item::Set(known.unwrap_or_else(|| {
                    self.sets.push(set.clone());
                    self.sets.len() - 1
                }))
            }
            Value::Graph(graph) => {
                let known = self.graphs.iter().find(|(_, id, _)| *id == graph.id());
                Item::Graph(known.ok_or("a graph that the program made")?.0)
            }
            Value::List(_) => return Err("a list"),
            Value::Queue(_) => return Err("a priority queue"),
            // Numbers are kept apart from these.
            _ => return Err("a number in an unexpected place"),
        })
    }

    /// The value of an item of a file; `None` for nonsense.
    pub(crate) fn value(&self, item: &Item, saved: &Saved) -> Option<Value> {
        Some(match item {
            Item::Nothing => Value::Nothing,
            Item::Text(text) => Value::Str(Arc::clone(text)),
            Item::Vector(at) => Value::Vector(saved.vectors.get(*at)?.clone()),
            Item::Set(at) => Value::Set(saved.sets.get(*at)?.clone()),
            Item::Graph(slot) => {
                let (_, _, graph) = self.graphs.iter().find(|(known, _, _)| known == slot)?;
                Value::Graph(Arc::clone(graph))
            }
        })
    }
}

/// Bytes that are being written.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn numbers(&mut self, numbers: impl ExactSizeIterator<Item = u64>) {
        self.number(numbers.len() as u64);
        numbers.for_each(|number| self.number(number));
    }
}

/// Bytes that are being read.
struct Source<'b>(&'b [u8]);

impl<'b> Source<'b> {
    fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }

    /// A count of things that take at least a byte each.
    fn count(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|&count| count <= self.0.len())
    }

    fn numbers(&mut self) -> Option<Vec<u64>> {
        let count = self.count()?;
        (0..count).map(|_| self.number()).collect()
    }
}

/// Numbers of files are places in this list: new kinds come at its end.
const KINDS: [Scalar; 7] =
    [Scalar::Int, Scalar::Uint, Scalar::Uint64, Scalar::Float, Scalar::Double, Scalar::Bool, Scalar::Int64];

impl Saved {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Bytes::default();
        bytes.number(MAGIC);
        let Identity { program, seed, graphs } = &self.identity;
        [*program, *seed, self.line, self.rounds, self.calls, self.drawn].into_iter().for_each(|n| bytes.number(n));
        bytes.numbers(graphs.iter().map(|(vertices, _)| *vertices));
        bytes.numbers(graphs.iter().map(|(_, edges)| *edges));
        self.scalars.iter().for_each(|scalars| bytes.numbers(scalars.iter().copied()));
        for items in &self.objects {
            bytes.number(items.len() as u64);
            for item in items {
                let (kind, number) = match item {
                    Item::Nothing => (0, 0),
                    Item::Text(text) => (1, text.len() as u64),
                    Item::Vector(at) => (2, *at as u64),
                    Item::Set(at) => (3, *at as u64),
                    Item::Graph(slot) => (4, *slot as u64),
                };
                bytes.number(kind);
                bytes.number(number);
                if let Item::Text(text) = item {
                    bytes.0.extend(text.as_bytes());
                }
            }
        }
        bytes.number(self.vectors.len() as u64);
        for vector in &self.vectors {
            let kind = KINDS.iter().position(|kind| *kind == vector.scalar()).unwrap_or(KINDS.len());
            bytes.number(kind as u64);
            bytes.numbers(vector.dims().iter().map(|&entries| entries as u64));
            let width = vector.cell_bytes();
            for cell in 0..vector.cells() {
                bytes.0.extend(&vector.load_bits(cell).to_le_bytes()[..width]);
            }
        }
        bytes.number(self.sets.len() as u64);
        for set in &self.sets {
            // A set that cannot be read was refused before.
            let ids = if set.universe().is_some() { Vec::new() } else { set.ids().unwrap_or_default() };
            bytes.number(set.universe().map_or(0, |vertices| vertices as u64 + 1));
            bytes.number(ids.len() as u64);
            ids.iter().for_each(|id| bytes.0.extend(id.to_le_bytes()));
        }
        let checksum = crc32fast::hash(&bytes.0);
        bytes.number(u64::from(checksum));
        bytes.0
    }

    fn decode(bytes: &[u8]) -> Option<Saved> {
        let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
        let checksum = u64::from(crc32fast::hash(content));
        if sum != checksum.to_le_bytes() {
            return None;
        }
        let mut source = Source(content);
        if source.number()? != MAGIC {
            return None;
        }
        let mut number = || source.number();
        let (program, seed, line, rounds, calls, drawn) =
            (number()?, number()?, number()?, number()?, number()?, number()?);
        let (vertices, edges) = (source.numbers()?, source.numbers()?);
        let identity = Identity { program, seed, graphs: vertices.into_iter().zip(edges).collect() };
        let scalars = [source.numbers()?, source.numbers()?];
        let mut objects = [Vec::new(), Vec::new()];
        for items in &mut objects {
            for _ in 0..source.count()? {
                let (kind, number) = (source.number()?, usize::try_from(source.number()?).ok()?);
                items.push(match kind {
                    0 => Item::Nothing,
                    1 => Item::Text(std::str::from_utf8(source.bytes(number)?).ok()?.into()),
                    2 => Item::Vector(number),
                    3 => Item::Set(number),
                    4 => Item::Graph(number),
                    _ => return None,
                });
            }
        }
        let mut vectors = Vec::new();
        for _ in 0..source.count()? {
            let kind = *KINDS.get(usize::try_from(source.number()?).ok()?)?;
            let dims: Vec<usize> =
                source.numbers()?.into_iter().map(|n| usize::try_from(n).ok()).collect::<Option<_>>()?;
            let cells = dims.iter().try_fold(1usize, |all, &entries| all.checked_mul(entries))?;
            // The bytes are there, so that the memory is worth asking for.
            let width = match kind {
                Scalar::Bool => 1,
                Scalar::Int64 | Scalar::Uint64 | Scalar::Double => 8,
                _ => 4,
            };
            let cells = source.bytes(cells.checked_mul(width)?)?;
            let vector = Vector::zeros(kind, &dims).ok()?;
            for (at, cell) in cells.chunks_exact(width).enumerate() {
                let mut bits = [0; 8];
                bits[..width].copy_from_slice(cell);
                vector.store_bits(at, u64::from_le_bytes(bits));
            }
            vectors.push(vector);
        }
        let mut sets = Vec::new();
        for _ in 0..source.count()? {
            let universe = source.number()?.checked_sub(1);
            let count = source.count()?;
            let ids = source.bytes(count.checked_mul(4)?)?.chunks_exact(4);
            let ids = ids.map(|id| id.try_into().ok().map(u32::from_le_bytes)).collect::<Option<Vec<u32>>>()?;
            sets.push(match universe {
                Some(vertices) => VertexSet::all(usize::try_from(vertices).ok()?),
                None => VertexSet::from_ids(ids),
            });
        }
        Some(Saved { identity, line, rounds, calls, drawn, scalars, objects, vectors, sets, checksum })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved() -> Saved {
        Saved {
            identity: Identity { program: 7, seed: 1, graphs: vec![(10, 20)] },
            line: 3,
            rounds: 40,
            calls: 5,
            drawn: 6,
            scalars: [vec![1, u64::MAX], vec![]],
            objects: [vec![Item::Vector(0), Item::Graph(2), Item::Nothing], vec![Item::Set(0), Item::Text("a".into())]],
            vectors: vec![Vector::from_slice(&[1.5f64, -2.0]), Vector::from_slice(&[true, false, true])],
            sets: vec![VertexSet::from_ids(vec![4, 2]), VertexSet::all(9)],
            checksum: 0,
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let (before, after) = (saved(), Saved::decode(&saved().encode()).unwrap());
        assert_eq!(
            (&before.identity, &before.scalars, &before.objects),
            (&after.identity, &after.scalars, &after.objects)
        );
        assert_eq!((before.line, before.rounds, before.calls, before.drawn), (after.line, after.rounds, 5, 6));
        assert_eq!(after.vectors[0].to_vec::<f64>(), Some(vec![1.5, -2.0]));
        assert_eq!(after.vectors[1].to_vec::<bool>(), Some(vec![true, false, true]));
        assert_eq!((after.sets[0].ids().unwrap(), after.sets[1].universe()), (vec![4, 2], Some(9)));
    }

    #[test]
    fn damage_is_noticed_wherever_it_is() {
        let bytes = saved().encode();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert!(Saved::decode(&damaged).is_none(), "byte {at}");
            assert!(Saved::decode(&bytes[..at]).is_none(), "cut at {at}");
        }
    }
}
