//! The lab file: an SQLite database of what to run, what was measured, with what, and which models were made of it.
//!
//! One file holds everything. Its tables and columns follow section 1.9 of the Mix-and-Match notes, except that an
//! implementation is a triple of program, schedule and target. Every change is one transaction; write-ahead logging
//! lets other processes read and write meanwhile, and a process that is killed leaves the file as it was before its
//! last transaction.
//!
//! | file | concept |
//! |---|---|
//! | `schema` | versions of the tables, and the way from one to the next |
//! | `entry` | adding graphs, variants, implementations, run configurations |
//! | `index` | how people write graphs and implementations down |
//! | `platform` | the computer and its device: which timings belong together |
//! | `work` | what is missing, who works on it |
//! | `store` | finished and failed runs, properties |
//! | `steps` | the table of measured steps |
//! | `models` | trained models |
//! | `query` | answers as sheets |
//! | `trials` | what tuners measured |
//! | `machines` | sheets of machines |
//! | `import`, `merge` | timings of other systems, lab files of other machines |
//! | `contribute` | a lab without names, for others |

mod contribute;
mod entry;
mod import;
mod index;
mod machines;
mod merge;
mod models;
mod platform;
mod query;
mod schema;
mod steps;
mod store;
mod time;
mod trials;
mod work;

use std::path::{Path, PathBuf};
use std::time::Duration;

use gw_graph::partial_file::{Draft, remove_leftovers};
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::error::{LabError, Result};

pub use contribute::Contributed;
pub(crate) use entry::MODEL;
pub use entry::{Added, Kind, NewGraph, NewImplementation, VariantPlan};
pub use import::Imported;
pub use index::{GraphIndex, read_implementation};
pub use merge::Merged;
pub use models::ModelRecord;
pub use platform::{Environment, PlatformRow, build_commit};
pub use query::{Entity, entities};
pub use schema::VERSION;
pub use steps::TableQuery;
pub(crate) use store::{FinishedRun, Timing, VariantProperties};
pub use trials::{TimedGraph, TrialOutcome, TrialRow, TuneCell};
pub(crate) use work::{Batch, GraphWork, Ours, WorkVariant};

/// How long a process waits for another that writes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A lab file.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("my.lab");
/// let lab = gw_lab::Lab::create(&path).unwrap();
/// assert_eq!(lab.list("graphs", None).unwrap().rows.len(), 0);
/// assert!(gw_lab::Lab::create(&path).is_err(), "nothing is overwritten");
/// ```
#[derive(Debug)]
pub struct Lab {
    connection: Connection,
    path: PathBuf,
}

impl Lab {
    /// A new file. It appears complete or not at all; one that is there already is left alone.
    pub fn create(path: impl AsRef<Path>) -> Result<Lab> {
        let path = path.as_ref();
        if path.exists() {
            remove_leftovers(path);
            return Err(LabError::LabExists { path: path.to_path_buf() });
        }
        let unwritable = |source| LabError::Write { path: path.to_path_buf(), source };
        let draft = Draft::beside(path).map_err(unwritable)?;
        let mut connection = Connection::open(draft.path())?;
        schema::mark(&connection)?;
        schema::migrate(&mut connection)?;
        connection.close().map_err(|(_, error)| error)?;
        appear(draft, path)?;
        Lab::open(path)
    }

    /// An existing file; one of an older version is brought to the present one.
    pub fn open(path: impl AsRef<Path>) -> Result<Lab> {
        let path = path.as_ref();
        let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.pragma_update(None, "journal_mode", "wal").map_err(|error| cannot_write(path, error))?;
        // In a write-ahead log this loses no consistency: after a power failure the last transactions may be missing.
        connection.pragma_update(None, "synchronous", "normal")?;
        schema::migrate(&mut connection)?;
        if connection.is_readonly(rusqlite::MAIN_DB)? {
            return Err(LabError::ReadOnly { path: path.to_path_buf() });
        }
        connection.pragma_update(None, "foreign_keys", true)?;
        Ok(Lab { connection, path: path.to_path_buf() })
    }

    /// An existing file of the present version, for looking only: every statement that writes is refused.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Lab> {
        let path = path.as_ref();
        // An older file is brought to the present version first.
        match Lab::open(path) {
            Ok(lab) => drop(lab),
            Err(LabError::ReadOnly { .. }) => return Lab::open_unwritable(path),
            Err(error) => return Err(error),
        }
        let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(Lab { connection, path: path.to_path_buf() })
    }

    /// A file of the present version that this process may not write, as it is on disk. What another process has in
    /// its log and not yet in the file cannot be read without writing.
    fn open_unwritable(path: &Path) -> Result<Lab> {
        let read_only = || LabError::ReadOnly { path: path.to_path_buf() };
        let log = path.with_file_name({
            let mut name = path.file_name().unwrap_or_default().to_os_string();
            name.push("-wal");
            name
        });
        if std::fs::metadata(log).is_ok_and(|log| log.len() > 0) {
            return Err(read_only());
        }
        let escaped: String = path.to_string_lossy().chars().flat_map(escape).collect();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags)?;
        schema::check(&connection, path)?;
        match schema::is_present(&connection)? {
            true => Ok(Lab { connection, path: path.to_path_buf() }),
            false => Err(read_only()),
        }
    }

    /// How long a change waits for another process that writes; at first half a minute.
    pub fn wait_for_others(&self, patience: Duration) -> Result<()> {
        Ok(self.connection.busy_timeout(patience)?)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives back unused space. Returns the bytes of the file before and after.
    pub fn vacuum(&mut self) -> Result<(u64, u64)> {
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |data| data.len());
        let log = |connection: &Connection| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(LabError::from)
        };
        log(&self.connection)?;
        let before = size(&self.path);
        self.connection.execute_batch("VACUUM; ANALYZE;")?;
        log(&self.connection)?;
        Ok((before, size(&self.path)))
    }

    /// What is wrong with the file by SQLite's own checks and by its foreign keys; empty when all is well.
    pub fn check_integrity(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        let mut statement = self.connection.prepare("PRAGMA integrity_check")?;
        for line in statement.query_map([], |row| row.get::<_, String>(0))? {
            found.push(line?);
        }
        found.retain(|line| line != "ok");
        let mut statement = self.connection.prepare("PRAGMA foreign_key_check")?;
        for table in statement.query_map([], |row| row.get::<_, String>(0))? {
            found.push(format!("a row of {} refers to nothing", table?));
        }
        Ok(found)
    }

    /// A transaction that writes. It waits for other writers at its start, never in its middle.
    fn write(&mut self) -> Result<Transaction<'_>> {
        Ok(self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }
}

/// A character of a path in an address of SQLite.
fn escape(c: char) -> impl Iterator<Item = char> {
    let escaped = match c {
        '?' => "%3f".to_string(),
        '#' => "%23".to_string(),
        '%' => "%25".to_string(),
        c => c.to_string(),
    };
    escaped.chars().collect::<Vec<_>>().into_iter()
}

/// A new file takes its name, but never the place of a file that came up meanwhile.
fn appear(draft: Draft, path: &Path) -> Result<()> {
    draft.appear().map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => LabError::LabExists { path: path.to_path_buf() },
        _ => LabError::Write { path: path.to_path_buf(), source: error },
    })
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection> {
    if !path.exists() {
        return Err(LabError::NoLab { path: path.to_path_buf() });
    }
    let foreign = |reason: String| LabError::NotALab { path: path.to_path_buf(), reason };
    // SQLite would wait for a pipe without end.
    if !path.is_file() {
        return Err(foreign("it is no regular file".to_string()));
    }
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| foreign(error.to_string()))?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(64);
    schema::check(&connection, path)?;
    Ok(connection)
}

/// Tells a file that may not be written from other troubles of SQLite.
fn cannot_write(path: &Path, error: rusqlite::Error) -> LabError {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::ReadOnly) => LabError::ReadOnly { path: path.to_path_buf() },
        // The file can be read, so it is the log beside it that cannot be made.
        Some(rusqlite::ErrorCode::CannotOpen) if std::fs::File::open(path).is_ok() => {
            LabError::ReadOnly { path: path.to_path_buf() }
        }
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lab_that_may_not_be_written_can_be_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("what? 100 %#1.lab");
        drop(Lab::create(&path).unwrap());
        let mut lab = Lab::open_unwritable(&path).unwrap();
        assert_eq!(lab.list("graphs", None).unwrap().rows.len(), 0);
        // What SQLite calls an attempt to write a readonly database.
        let refused = lab.write().and_then(|change| Ok(change.execute("DELETE FROM Graph", [])?)).unwrap_err();
        let LabError::Database(refused) = refused else { panic!("{refused}") };
        let told = cannot_write(&path, refused).to_string();
        assert!(told.contains("cannot be written") && told.contains("copy it"), "{told}");
        // What SQLite says where it cannot make its log beside the file.
        let no_log = || rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN), None);
        assert!(matches!(cannot_write(&path, no_log()), LabError::ReadOnly { .. }));
        assert!(matches!(cannot_write(&folder.path().join("gone.lab"), no_log()), LabError::Database(_)));
        // Measurements that are only in the log would be missing.
        std::fs::write(folder.path().join("what? 100 %#1.lab-wal"), "not empty").unwrap();
        assert!(matches!(Lab::open_unwritable(&path), Err(LabError::ReadOnly { .. })));
    }
}
