//! A lab for others: measurements and features of graphs, without the graphs and whatever tells whose they are.

use std::collections::HashMap;
use std::path::Path;

use gw_graph::partial_file::{Draft, remove_leftovers};
use rusqlite::{Connection, params};
use xxhash_rust::xxh3::xxh3_64;

use super::{Lab, MODEL, appear};
use crate::error::{LabError, Result};

/// What a contribution holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contributed {
    /// Graphs, by their features.
    pub graphs: i64,
    /// Runs of `gw lab run`.
    pub runs: i64,
    /// Trials of tuners.
    pub trials: i64,
    /// Bytes of the file.
    pub bytes: u64,
}

impl Lab {
    /// Writes a lab file that can be given away, and that [`Lab::merge`] takes. It has features of graphs, schedules,
    /// times, energies and sheets of machines. Names, paths, contents and origins of graphs, names of datasets,
    /// platforms, implementations and models, results, models, messages of failures and the version of the operating
    /// system are left out. The file appears complete or not at all.
    pub fn contribute(&self, to: &Path) -> Result<Contributed> {
        if to.exists() {
            remove_leftovers(to);
            return Err(LabError::LabExists { path: to.to_path_buf() });
        }
        let unwritable = |source| LabError::Write { path: to.to_path_buf(), source };
        let draft = Draft::beside(to).map_err(unwritable)?;
        self.connection.execute("VACUUM INTO ?1", [draft.path().to_string_lossy()])?;
        let connection = Connection::open(draft.path())?;
        anonymise(&connection, "Graph", "COALESCE(contentHash, path)", "datasetId", "graph-")?;
        anonymise(&connection, "Dataset", "name", "0", "contributed-")?;
        anonymise_models(&connection)?;
        connection.execute_batch(ANONYMOUS)?;
        connection.execute_batch("VACUUM")?;
        let count = |table: &str| -> Result<i64> {
            Ok(connection.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0))?)
        };
        let cells: i64 = connection.query_row("SELECT COUNT(DISTINCT graph) FROM TuneCell", [], |row| row.get(0))?;
        let (graphs, runs, trials) = (count("Graph")? + cells, count("Run")?, count("TuneTrial")?);
        connection.close().map_err(|(_, error)| error)?;
        if runs + trials == 0 {
            let message = "the lab has no measurements to contribute; `gw lab run` or `gw tune --lab` makes some";
            return Err(LabError::Entry { place: self.path.display().to_string(), message: message.to_string() });
        }
        let bytes = std::fs::metadata(draft.path()).map_err(unwritable)?.len();
        appear(draft, to)?;
        Ok(Contributed { graphs, runs, trials, bytes })
    }
}

/// Renames the rows of a table by a hash: the same row gets the same name in every contribution, and nobody can read
/// the name back. Rows of a group that are known by the same text (a graph under two names in a dataset) are numbered
/// in the order of their ids, since a name stands for one row of its group.
fn anonymise(connection: &Connection, table: &str, known_by: &str, group: &str, prefix: &str) -> Result<()> {
    let mut statement = connection.prepare(&format!("SELECT id, {known_by}, {group} FROM {table} ORDER BY id"))?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let rows: Vec<(i64, String, i64)> = rows.collect::<std::result::Result<_, _>>()?;
    let mut rename = connection.prepare(&format!("UPDATE {table} SET name = ?2 WHERE id = ?1"))?;
    let mut copies: HashMap<(String, i64), u32> = HashMap::new();
    for (id, text, group) in rows {
        let name = hidden(prefix, &text);
        let before = copies.entry((text, group)).or_insert(0);
        let name = if *before == 0 { name } else { format!("{name}-{before}") };
        *before += 1;
        rename.execute(params![id, name])?;
    }
    Ok(())
}

/// Renames models in the implementations that run under one: a model is known there by the name that its owner gave.
fn anonymise_models(connection: &Connection) -> Result<()> {
    let mut statement = connection.prepare("SELECT id, schedule FROM Implementation WHERE schedule LIKE ?1 || '%'")?;
    let rows = statement.query_map([MODEL], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let rows: Vec<(i64, String)> = rows.collect::<std::result::Result<_, _>>()?;
    let mut rename = connection.prepare("UPDATE Implementation SET schedule = ?2 WHERE id = ?1")?;
    for (id, schedule) in rows {
        rename.execute(params![id, hidden(MODEL, &schedule)])?;
    }
    Ok(())
}

fn hidden(prefix: &str, text: &str) -> String {
    format!("{prefix}{:016x}", xxh3_64(text.as_bytes()))
}

/// Leaves out what may tell whose graphs these are.
const ANONYMOUS: &str = "
    PRAGMA foreign_keys = OFF;
    DELETE FROM UnknownPredictionSet; DELETE FROM UnknownPrediction; DELETE FROM ModelProperty;
    DELETE FROM ModelTrainDataset; DELETE FROM PredictionModel;
    DELETE FROM Failure; DELETE FROM Claim; DELETE FROM GlobalVars;
    DELETE FROM ExternalTimer; DELETE FROM ExternalImpl;
    UPDATE Graph SET prettyName = NULL, source = NULL, licence = NULL, contentHash = name, path = 'contributed';
    UPDATE Run SET result = NULL;
    UPDATE Variant SET result = NULL, problem = NULL;
    UPDATE Environment SET os = 'left out ' || id;
    UPDATE TuneCell SET graphName = NULL;
    UPDATE Platform SET name = CASE WHEN instr(hardware, target) = 1 THEN hardware ELSE target || '-' || hardware END;
    UPDATE Implementation SET name = NULL, prettyName = NULL;
    DELETE FROM Implementation WHERE schedule LIKE 'adaptive:%' AND id NOT IN (SELECT implId FROM Run);
";
