//! A folder that keeps a graph over the end of its process: a checkpoint and the log of batches since.
//!
//! `checkpoint-N.gwg` is the graph after batch N, `log-N` holds the batches after it. A new pair is complete on disk
//! before the old one goes, so that at every moment one pair is whole.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use gw_graph::format::{self, ReadOptions, WriteOptions};
use gw_graph::progress::Silent;
use gw_graph::{BuildOptions, Graph};

use crate::batch::Batch;
use crate::graph::DynamicGraph;
use crate::log;
use crate::updates::Place;
use crate::weight::{EdgeWeight, kind_name};
use crate::{DynamicError, Result};

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
}

/// What was found in a store.
pub struct Recovered<W: EdgeWeight> {
    /// The store, ready for more batches.
    pub store: Store,
    /// The graph after the last whole batch.
    pub graph: DynamicGraph<W>,
    /// Batches that were applied again.
    pub batches: u64,
    /// Bytes of a batch that was not written to its end, and was never acknowledged.
    pub torn: u64,
}

impl Store {
    /// Begins a store with the graph as it is. The folder is made; one with a store in it is refused.
    pub fn create<W: EdgeWeight>(folder: &Path, graph: &DynamicGraph<W>) -> Result<Store> {
        std::fs::create_dir_all(folder).map_err(|e| DynamicError::io("make", folder, e))?;
        let lock = locked(folder)?;
        if newest(folder)?.is_some() {
            return Err(DynamicError::store(folder, "holds a graph already: open it, or name another folder"));
        }
        // Files of somebody else, or of a store that lost a file: neither may be written over.
        if let Some((path, _)) = files(folder)?.into_iter().find(|(_, number)| number.is_some()) {
            let problem = format!("holds {}, but not its other half: name another folder", path.display());
            return Err(DynamicError::store(folder, problem));
        }
        let (log, log_path) = begin(folder, 0, Place::default(), graph)?;
        Ok(Store { folder: folder.to_path_buf(), lock, log, log_path, base: 0, last: 0, place: Place::default() })
    }

    /// Whether a folder holds a store.
    pub fn is_at(folder: &Path) -> bool {
        newest(folder).is_ok_and(|newest| newest.is_some())
    }

    /// Opens a store, and applies the batches since its checkpoint.
    pub fn open<W: EdgeWeight>(folder: &Path) -> Result<Recovered<W>> {
        let lock = locked(folder)?;
        let found = newest(folder)?.ok_or_else(|| DynamicError::store(folder, "holds no graph"))?;
        let log_path = log_file(folder, found);
        let contents = log::read::<W>(&log_path, found)?
            .ok_or_else(|| DynamicError::store(folder, format!("has a damaged file {}", log_path.display())))?;
        if contents.kind != W::KIND {
            return Err(DynamicError::WeightKind { found: kind_name(contents.kind), expected: kind_name(W::KIND) });
        }
        if contents.is_damaged {
            let problem = format!(
                "has a damaged batch at byte {} of {}, and whole ones behind it: nothing was changed",
                contents.good,
                log_path.display()
            );
            return Err(DynamicError::store(folder, problem));
        }
        let checkpoint = load(&checkpoint_file(folder, found))?;
        let mut graph = DynamicGraph::from_graph(&checkpoint, contents.ends)?;
        let (mut last, mut place) = (found, contents.place);
        for record in &contents.records {
            if record.number != last + 1 {
                let problem = format!("has batch {} after batch {last}: its log is damaged", record.number);
                return Err(DynamicError::store(folder, problem));
            }
            graph.grow(record.vertices)?;
            graph.apply(&record.batch)?;
            (last, place) = (record.number, record.place);
        }
        let failed = |e| DynamicError::io("open", &log_path, e);
        let log = OpenOptions::new().append(true).open(&log_path).map_err(failed)?;
        // What comes next must follow the last whole record.
        log.set_len(contents.good).and_then(|()| log.sync_all()).map_err(failed)?;
        let (batches, torn) = (last - found, contents.torn);
        let store = Store { folder: folder.to_path_buf(), lock, log, log_path, base: found, last, place };
        store.remove_others();
        Ok(Recovered { store, graph, batches, torn })
    }

    /// Keeps a batch, to be applied to a graph of so many vertices, and how far the source of its changes was read
    /// then. When this returns, the disk has both.
    pub fn append<W: EdgeWeight>(&mut self, vertices: usize, batch: &Batch<W>, place: Place) -> Result<()> {
        // A batch that cannot be applied must not be found at recovery.
        batch.check(vertices)?;
        if batch.len() > log::MOST {
            let problem = format!("takes at most {} changes per batch, not {}", log::MOST, batch.len());
            return Err(DynamicError::store(&self.folder, problem));
        }
        log::append(&mut self.log, &self.log_path, self.last + 1, vertices, place, batch)?;
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
        let keep = [checkpoint_file(&self.folder, self.base), self.log_path.clone()];
        for (path, number) in files(&self.folder).unwrap_or_default() {
            // A process that was killed leaves what it was writing; we hold the lock, so nobody writes it now.
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_partial =
                [".checkpoint-", ".log-"].iter().any(|p| name.starts_with(p)) && name.ends_with(".partial");
            if is_partial || (number.is_some() && !keep.contains(&path)) {
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

fn checkpoint_file(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("checkpoint-{number}.gwg"))
}

fn log_file(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("log-{number}"))
}

/// Writes a checkpoint and the header of its log; both are on disk afterwards.
fn begin<W: EdgeWeight>(folder: &Path, number: u64, place: Place, graph: &DynamicGraph<W>) -> Result<(File, PathBuf)> {
    let copy = graph.snapshot().to_graph()?;
    format::write(&copy, &checkpoint_file(folder, number), &WriteOptions::default(), &Silent)?;
    let path = log_file(folder, number);
    format::write_file(&path, &log::header::<W>(graph.ends(), place))?;
    let failed = |e| DynamicError::io("write", &path, e);
    let log = OpenOptions::new().append(true).open(&path).map_err(failed)?;
    // The names of both files.
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    Ok((log, path))
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
        let digits = name.strip_prefix("log-").or_else(|| name.strip_prefix("checkpoint-")?.strip_suffix(".gwg"))?;
        digits.parse().ok()
    };
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    entries.map(|entry| entry.map_err(failed).map(|e| (e.path(), number(&e.path())))).collect()
}

/// The newest checkpoint that has its log.
fn newest(folder: &Path) -> Result<Option<u64>> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let numbers = files(folder)?.into_iter().filter_map(|(_, number)| number);
    let whole = |&n: &u64| checkpoint_file(folder, n).is_file() && log_file(folder, n).is_file();
    Ok(numbers.filter(whole).max())
}
