//! A folder that keeps a graph over the end of its process: a checkpoint and the log of batches since.
//!
//! `checkpoint-N.gwg` is the graph after batch N, `log-N` holds the batches after it. A new pair is complete on disk
//! before the old one goes, so that at every moment one pair is whole. Where vertices have ids, `ids-N` has those of
//! the checkpoint, and is on disk before the pair is; records of the log have the ids that their batches brought. Of a
//! new pair the log is on disk first, empty but for its header: the pair begins to count at the moment at which its
//! checkpoint appears. A process that is killed before leaves ids and a log without batches, and no checkpoint: that is
//! no store, and the next process removes it.
//!
//! Earlier versions wrote the checkpoint first. What such a process left of a store that it was making when it was
//! killed, `checkpoint-0.gwg` alone, is completed by [`Store::complete`].

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gw_graph::format::{self, ReadOptions, WriteOptions};
use gw_graph::partial_file::sync_folder;
use gw_graph::progress::Silent;
use gw_graph::{BuildOptions, Dictionary, Graph, Name, Names, VertexId, with_weight_type};

use crate::batch::Batch;
use crate::graph::{DynamicGraph, Ends};
use crate::log::Tail;
use crate::updates::Place;
use crate::weight::EdgeWeight;
use crate::{DynamicError, Result};
use crate::{ids, log};

/// A graph on disk. A batch that [`Store::append`] returned from is there after any crash.
pub struct Store {
    folder: PathBuf,
    /// Held, so that no other process writes here.
    #[expect(dead_code, reason = "keeps the lock")]
    lock: File,
    log: File,
    log_path: PathBuf,
    /// The number of the checkpoint.
    base: u64,
    /// The number of the last batch.
    last: u64,
    /// How far the source of changes was read.
    place: Place,
    /// The number of ids on disk, where vertices have ids.
    ids: Option<usize>,
}

/// What was found in a store.
pub struct Recovered<W: EdgeWeight> {
    /// The store, ready for more batches.
    pub store: Store,
    /// The graph after the last whole batch.
    pub graph: DynamicGraph<W>,
    /// Batches that were applied again.
    pub batches: u64,
    /// Bytes of a last batch that was not written to its end, and so was never acknowledged. They are left out.
    pub torn: u64,
    /// Bytes of a last batch that has its length but not its checksum: it was damaged later, or a power cut came
    /// before all of it was on disk. Whether it was acknowledged cannot be known. They are left out.
    pub damaged: u64,
}

impl Store {
    /// Begins a store with the graph as it is. The folder is made; one with a store in it is refused.
    pub fn create<W: EdgeWeight>(folder: &Path, graph: &DynamicGraph<W>) -> Result<Store> {
        make_folder(folder)?;
        let lock = locked(folder)?;
        if newest_at_rest(folder)?.is_some() {
            return Err(DynamicError::store(folder, "holds a graph already: open it, or name another folder"));
        }
        // Files of somebody else, or of a store that lost a file: neither may be written over.
        let of_stores = files(folder)?.into_iter().filter(|(_, number)| number.is_some());
        for (path, _) in of_stores {
            let of_unfinished = path == ids_file(folder, 0) || (path == log_file(folder, 0) && log::is_empty(&path));
            if !of_unfinished {
                let problem = format!("holds {}, but not its other half: name another folder", path.display());
                return Err(DynamicError::store(folder, problem));
            }
        }
        let (log, log_path) = begin(folder, 0, Place::default(), graph)?;
        let (folder, place, ids) = (folder.to_path_buf(), Place::default(), ids_of(graph));
        let store = Store { folder, lock, log, log_path, base: 0, last: 0, place, ids };
        store.remove_others();
        Ok(store)
    }

    /// Whether a folder holds a store.
    pub fn is_at(folder: &Path) -> bool {
        newest(folder).is_ok_and(|newest| newest.is_some())
    }

    /// The checkpoints and logs in a folder, which a store may write over or remove.
    pub fn files(folder: &Path) -> Vec<PathBuf> {
        let all = files(folder).unwrap_or_default();
        all.into_iter().filter(|(_, number)| number.is_some()).map(|(path, _)| path).collect()
    }

    /// Completes a store that has the graph it begins with and nothing else, as a process of an older version left it
    /// that was killed while it made the store. `ends` is what the store was to be made with. Returns whether there was
    /// something to complete; a folder in any other state is left alone.
    pub fn complete(folder: &Path, ends: Ends) -> Result<bool> {
        let only_graph = |folder: &Path| -> Result<bool> {
            let of_stores: Vec<_> = files(folder)?.into_iter().filter(|(_, number)| number.is_some()).collect();
            Ok(of_stores == [(checkpoint_file(folder, 0), Some(0))])
        };
        // Stores make their lock first of all: without one, the file is somebody else's.
        if !folder.join("lock").is_file() || !only_graph(folder)? {
            return Ok(false);
        }
        let _lock = locked(folder)?;
        if !only_graph(folder)? {
            return Ok(false);
        }
        let graph = load(&checkpoint_file(folder, 0))?;
        if ends == Ends::Undirected && !graph.is_symmetric() {
            return Err(DynamicError::store(folder, "was begun with a directed graph, not with an undirected one"));
        }
        with_weight_type!(graph.weight_kind(), W => begin_log::<W>(folder, 0, Place::default(), ends, false)?);
        Ok(true)
    }

    /// Opens a store, and applies the batches since its checkpoint.
    pub fn open<W: EdgeWeight>(folder: &Path) -> Result<Recovered<W>> {
        let lock = locked(folder)?;
        let found = newest_at_rest(folder)?.ok_or_else(|| DynamicError::store(folder, "holds no graph"))?;
        let log_path = log_file(folder, found);
        let Replayed { graph, last, place, good, left_out, tail } = replay(folder, found)?;
        let failed = |e| DynamicError::io("open", &log_path, e);
        let log = OpenOptions::new().append(true).open(&log_path).map_err(failed)?;
        // What comes next must follow the last whole record.
        log.set_len(good).and_then(|()| log.sync_all()).map_err(failed)?;
        let (torn, damaged) = match tail {
            Tail::Damaged => (0, left_out),
            Tail::Torn => (left_out, 0),
        };
        let (folder, ids) = (folder.to_path_buf(), ids_of(&graph));
        let store = Store { folder, lock, log, log_path, base: found, last, place, ids };
        store.remove_others();
        Ok(Recovered { store, graph, batches: last - found, torn, damaged })
    }

    /// Keeps a batch, to be applied to a graph of so many vertices, and how far the source of its changes was read
    /// then. When this returns, the disk has both.
    pub fn append<W: EdgeWeight>(&mut self, vertices: usize, batch: &Batch<W>, place: Place) -> Result<()> {
        match self.ids {
            None => self.keep(vertices, batch, place, None),
            Some(_) => Err(DynamicError::store(&self.folder, "holds a graph with ids: give the batch with them")),
        }
    }

    /// The same for a graph whose vertices have ids; those that are new since the last batch are kept with this one.
    pub fn append_with_ids<W: EdgeWeight>(&mut self, names: &Names, batch: &Batch<W>, place: Place) -> Result<()> {
        let Some(known) = self.ids else {
            return Err(DynamicError::store(&self.folder, "holds a graph without ids: give the batch without them"));
        };
        let new = known as VertexId..names.len() as VertexId;
        let new: Vec<Name<'_>> = new.map(|vertex| names.get(vertex)).collect();
        self.keep(names.len(), batch, place, Some(&new))?;
        self.ids = Some(names.len());
        Ok(())
    }

    fn keep<W: EdgeWeight>(
        &mut self,
        vertices: usize,
        batch: &Batch<W>,
        place: Place,
        ids: Option<&[Name<'_>]>,
    ) -> Result<()> {
        // A batch that cannot be applied must not be found at recovery.
        batch.check(vertices)?;
        let record = log::encode(self.last + 1, vertices, place, batch, ids).ok_or_else(|| {
            let problem = format!("takes at most {} bytes per batch: use smaller batches", log::MOST);
            DynamicError::store(&self.folder, problem)
        })?;
        log::append(&mut self.log, &self.log_path, &record)?;
        (self.last, self.place) = (self.last + 1, place);
        Ok(())
    }

    /// Writes the graph as it is after the last batch, and begins a new log.
    pub fn checkpoint<W: EdgeWeight>(&mut self, graph: &DynamicGraph<W>) -> Result<()> {
        if self.last == self.base {
            return Ok(());
        }
        (self.log, self.log_path) = begin(&self.folder, self.last, self.place, graph).inspect_err(|_| {
            // A new pair that is not used must not be found: batches go on to the old log.
            let _ = std::fs::remove_file(checkpoint_file(&self.folder, self.last));
            let _ = std::fs::remove_file(log_file(&self.folder, self.last));
        })?;
        self.base = self.last;
        self.remove_others();
        Ok(())
    }

    /// The number of the last batch.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// How far the source of changes was read: as the last [`Store::append`] said.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Files of other checkpoints: they take room and nothing else, so that failures are passed over.
    fn remove_others(&self) {
        let keep = [checkpoint_file(&self.folder, self.base), ids_file(&self.folder, self.base), self.log_path.clone()];
        for (path, number) in files(&self.folder).unwrap_or_default() {
            // A process that was killed leaves what it was writing; we hold the lock, so nobody writes it now.
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_partial =
                [".checkpoint-", ".log-", ".ids-"].iter().any(|p| name.starts_with(p)) && name.ends_with(".partial");
            if is_partial || (number.is_some() && !keep.contains(&path)) {
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

fn checkpoint_file(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("checkpoint-{number}.gwg"))
}

fn ids_file(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("ids-{number}"))
}

fn log_file(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("log-{number}"))
}

/// A graph read back from a checkpoint and its log.
pub(crate) struct Replayed<W: EdgeWeight> {
    pub(crate) graph: DynamicGraph<W>,
    /// The number of the last batch.
    last: u64,
    place: Place,
    /// Bytes of the log that are in order.
    good: u64,
    /// Bytes behind them, and what they are.
    left_out: u64,
    tail: Tail,
}

/// The graph of checkpoint `found` with the batches of its log.
pub(crate) fn replay<W: EdgeWeight>(folder: &Path, found: u64) -> Result<Replayed<W>> {
    let log_path = log_file(folder, found);
    let contents = log::read::<W>(&log_path, found)?
        .ok_or_else(|| DynamicError::store(folder, format!("has a damaged file {}", log_path.display())))?;
    if contents.kind != W::KIND {
        return Err(DynamicError::WeightKind { found: contents.kind, expected: W::KIND });
    }
    if contents.is_damaged {
        let (good, log) = (contents.good, log_path.display());
        let problem = format!(
            "has a damaged batch at byte {good} of {log}, and whole ones behind it: nothing was changed; \
             `truncate -s {good} {log}` gives all of these up"
        );
        return Err(DynamicError::store(folder, problem));
    }
    let checkpoint = load(&checkpoint_file(folder, found))?;
    let mut graph = DynamicGraph::from_graph(&checkpoint, contents.ends)?;
    let mut ids = match contents.has_ids {
        true => Some(Dictionary::new(Arc::new(ids::read(&ids_file(folder, found))?))),
        false => None,
    };
    if let Some(ids) = &ids {
        graph.name(Arc::clone(ids.names()))?;
    }
    let (mut last, mut place) = (found, contents.place);
    for record in &contents.records {
        if record.number != last + 1 {
            let problem = format!("has batch {} after batch {last}: its log is damaged", record.number);
            return Err(DynamicError::store(folder, problem));
        }
        match &mut ids {
            Some(ids) => {
                for (vertex, id) in (ids.names().len() as VertexId..).zip(&record.ids) {
                    if ids.take(id) != Ok(vertex) {
                        let problem = format!("has the id `{id}` twice in batch {}: its log is damaged", record.number);
                        return Err(DynamicError::store(folder, problem));
                    }
                }
                graph.name(Arc::clone(ids.names()))?;
            }
            None => graph.grow(record.vertices)?,
        }
        graph.apply(&record.batch)?;
        (last, place) = (record.number, record.place);
    }
    Ok(Replayed { graph, last, place, good: contents.good, left_out: contents.left_out, tail: contents.tail })
}

fn ids_of<W: EdgeWeight>(graph: &DynamicGraph<W>) -> Option<usize> {
    graph.names().map(|names| names.len())
}

/// Writes the ids of vertices, the header of a log and its checkpoint; all are on disk afterwards.
fn begin<W: EdgeWeight>(folder: &Path, number: u64, place: Place, graph: &DynamicGraph<W>) -> Result<(File, PathBuf)> {
    let copy = graph.snapshot().to_graph()?;
    if let Some(names) = graph.names() {
        ids::write(&ids_file(folder, number), names)?;
    }
    let (log, path) = begin_log::<W>(folder, number, place, graph.ends(), graph.names().is_some())?;
    let checkpoint = checkpoint_file(folder, number);
    format::write(&copy, &checkpoint, &WriteOptions::default(), &Silent)?;
    sync_folder(folder).map_err(|e| DynamicError::io("write", &checkpoint, e))?;
    Ok((log, path))
}

/// Writes a log without batches; the disk has it and its name afterwards.
fn begin_log<W: EdgeWeight>(
    folder: &Path,
    number: u64,
    place: Place,
    ends: Ends,
    has_ids: bool,
) -> Result<(File, PathBuf)> {
    let path = log_file(folder, number);
    format::write_file(&path, &log::header::<W>(ends, has_ids, place))?;
    let failed = |e| DynamicError::io("write", &path, e);
    let log = OpenOptions::new().append(true).open(&path).map_err(failed)?;
    sync_folder(folder).map_err(failed)?;
    Ok((log, path))
}

/// Makes a folder whose name survives a power cut.
fn make_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    let made = std::fs::create_dir_all(folder).and_then(|()| sync_folder(parent.unwrap_or(Path::new("."))));
    made.map_err(|e| DynamicError::io("make", folder, e))
}

fn load(path: &Path) -> Result<Graph> {
    let options = BuildOptions { keep_loops: true, ..BuildOptions::default() };
    Ok(format::load(path, &ReadOptions::default(), &options, &Silent)?.graph)
}

fn locked(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let failed = |e| DynamicError::io("lock", &path, e);
    let file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            Err(DynamicError::store(folder, "is in use by another process: wait for it, or end it"))
        }
        Err(std::fs::TryLockError::Error(e)) => Err(failed(e)),
    }
}

/// The files of a folder, with the number of a log where they are one.
fn files(folder: &Path) -> Result<Vec<(PathBuf, Option<u64>)>> {
    let failed = |e| DynamicError::io("read", folder, e);
    let number = |path: &Path| {
        let name = path.file_name()?.to_str()?;
        let digits = name.strip_prefix("log-").or_else(|| name.strip_prefix("ids-"));
        let digits = digits.or_else(|| name.strip_prefix("checkpoint-")?.strip_suffix(".gwg"))?;
        digits.parse().ok()
    };
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    entries.map(|entry| entry.map_err(failed).map(|e| (e.path(), number(&e.path())))).collect()
}

/// The newest checkpoint that has its log, in a folder that nobody else writes to.
fn newest_at_rest(folder: &Path) -> Result<Option<u64>> {
    let mut numbers: Vec<u64> = files(folder)?.into_iter().filter_map(|(_, number)| number).collect();
    numbers.sort_unstable();
    let whole = |&&n: &&u64| checkpoint_file(folder, n).is_file() && log_file(folder, n).is_file();
    Ok(numbers.iter().rev().find(whole).copied())
}

/// The newest checkpoint that has its log. Another process may be beginning a new pair meanwhile: a list of the folder
/// then may lack both the new files and the old ones. So a folder with a lock, which every store has, is listed again
/// and again for a tenth of a second before it is said to hold nothing.
pub(crate) fn newest(folder: &Path) -> Result<Option<u64>> {
    const LISTS: usize = 200;
    const PAUSE: Duration = Duration::from_micros(500);
    if !folder.is_dir() {
        return Ok(None);
    }
    for _ in 0..LISTS {
        let found = newest_at_rest(folder)?;
        if found.is_some() || !folder.join("lock").is_file() {
            return Ok(found);
        }
        std::thread::sleep(PAUSE);
    }
    Ok(None)
}
