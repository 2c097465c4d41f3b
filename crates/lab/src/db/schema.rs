//! Versions of the tables and the way from one to the next.
//!
//! A new file goes the same way as an old one: from nothing through every version. A version that was published is
//! never changed; what is to be different comes as the next one.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::error::{LabError, Result};

/// What makes a file of each version from one of the version before.
const MIGRATIONS: [&str; 4] = [
    include_str!("schema_1.sql"),
    include_str!("schema_2.sql"),
    include_str!("schema_3.sql"),
    include_str!("schema_4.sql"),
];

/// The present version.
pub const VERSION: u32 = MIGRATIONS.len() as u32;

/// Says that an SQLite file is a lab: "GWLB".
const MARK: i32 = 0x4757_4c42;

/// Marks a new file as a lab.
pub(super) fn mark(connection: &Connection) -> Result<()> {
    Ok(connection.pragma_update(None, "application_id", MARK)?)
}

/// Whether the file is a lab that this program understands.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<()> {
    let foreign = |reason: String| LabError::NotALab { path: path.to_path_buf(), reason };
    let mark: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(|error| {
        match super::cannot_write(path, error) {
            LabError::Database(error) => foreign(error.to_string()),
            read_only => read_only,
        }
    })?;
    if mark != MARK {
        return Err(foreign("it is an SQLite file of another program".to_string()));
    }
    let found = version(connection)?;
    if found > VERSION {
        return Err(LabError::NewerLab { path: path.to_path_buf(), found, known: VERSION });
    }
    Ok(())
}

/// Brings the tables to the present version: all steps in one transaction.
pub(super) fn migrate(connection: &mut Connection) -> Result<()> {
    if version(connection)? == VERSION {
        return Ok(());
    }
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    let from = version(&change)?;
    for step in MIGRATIONS.iter().skip(from as usize) {
        change.execute_batch(step)?;
    }
    change.pragma_update(None, "user_version", VERSION)?;
    Ok(change.commit()?)
}

/// Whether the tables have the present version.
pub(super) fn is_present(connection: &Connection) -> Result<bool> {
    Ok(version(connection)? == VERSION)
}

fn version(connection: &Connection) -> Result<u32> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}
