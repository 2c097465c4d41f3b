//! What is missing, and who works on it.
//!
//! A process claims a batch, one implementation on one graph, before it runs it. A claim names the process; when that
//! is gone, as after a kill, the claim is void and the next process takes it over.

use std::collections::HashSet;

use rusqlite::{OptionalExtension, Row, params};

use super::{Lab, time};
use crate::collect::Problem;
use crate::error::Result;

/// What a runner on this platform may work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ours {
    pub(crate) platform: i64,
    pub(crate) commit: String,
    /// A run that failed more often than this is left alone.
    pub(crate) retries: u32,
}

/// A graph with missing runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GraphWork {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) content_hash: Option<String>,
    pub(crate) missing: u64,
}

/// Missing runs of one implementation on one graph.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Batch {
    pub(crate) run_config: i64,
    pub(crate) algorithm: i64,
    pub(crate) repeats: u32,
    pub(crate) implementation: i64,
    pub(crate) name: Option<String>,
    pub(crate) program: String,
    pub(crate) schedule: String,
    pub(crate) variants: Vec<WorkVariant>,
}

/// A variant to be run.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct WorkVariant {
    pub(crate) id: i64,
    pub(crate) config: String,
    pub(crate) algorithm: i64,
    pub(crate) seed: Option<u32>,
    pub(crate) root_number: Option<u32>,
    pub(crate) count: Option<u32>,
    pub(crate) root: Option<u32>,
    pub(crate) result: Option<Vec<u8>>,
}

const VARIANT_COLUMNS: &str = "v.id, c.name, v.algorithmId, c.seed, c.rootNumber, c.count, v.root, v.result";

fn variant(row: &Row<'_>, from: usize) -> rusqlite::Result<WorkVariant> {
    Ok(WorkVariant {
        id: row.get(from)?,
        config: row.get(from + 1)?,
        algorithm: row.get(from + 2)?,
        seed: row.get(from + 3)?,
        root_number: row.get(from + 4)?,
        count: row.get(from + 5)?,
        root: row.get(from + 6)?,
        result: row.get(from + 7)?,
    })
}

/// A batch without variants, from the first columns of a row.
fn batch(row: &Row<'_>) -> rusqlite::Result<Batch> {
    Ok(Batch {
        run_config: row.get(0)?,
        algorithm: row.get(1)?,
        repeats: row.get(2)?,
        implementation: row.get(3)?,
        name: row.get(4)?,
        program: row.get(5)?,
        schedule: row.get(6)?,
        variants: Vec::new(),
    })
}

/// All triples of run configuration, variant and implementation of a platform and commit that have no run yet.
const MISSING: &str = "
    FROM RunConfig rc
    JOIN Platform p ON p.id = rc.platformId
    JOIN Graph g ON g.datasetId = rc.datasetId
    JOIN Variant v ON v.graphId = g.id AND v.algorithmId = rc.algorithmId
    JOIN VariantConfig c ON c.id = v.variantConfigId
    JOIN Implementation i ON i.algorithmId = rc.algorithmId AND i.target = p.target
    LEFT JOIN Run r ON r.runConfigId = rc.id AND r.variantId = v.id AND r.implId = i.id AND r.algorithmId = rc.algorithmId
    LEFT JOIN Failure f ON f.runConfigId = rc.id AND f.variantId = v.id AND f.implId = i.id
    WHERE rc.platformId = ?1 AND rc.algorithmVersion = ?2 AND r.id IS NULL
        AND COALESCE(f.count, 0) <= ?3 AND v.retryCount <= ?3";

impl Lab {
    /// Makes the variants that the run configurations imply.
    pub(crate) fn make_variants(&mut self, ours: &Ours) -> Result<()> {
        let change = self.write()?;
        change.execute(
            "INSERT OR IGNORE INTO Variant(graphId, variantConfigId, algorithmId) \
             SELECT g.id, c.id, c.algorithmId FROM RunConfig rc \
             JOIN Graph g ON g.datasetId = rc.datasetId JOIN VariantConfig c ON c.algorithmId = rc.algorithmId \
             WHERE rc.platformId = ?1 AND rc.algorithmVersion = ?2 ORDER BY g.id, c.id",
            params![ours.platform, ours.commit],
        )?;
        Ok(change.commit()?)
    }

    /// Graphs with missing runs.
    pub(crate) fn graphs_with_work(&self, ours: &Ours) -> Result<Vec<GraphWork>> {
        let sql = format!("SELECT g.id, g.name, g.path, g.contentHash, COUNT(*) {MISSING} GROUP BY g.id ORDER BY g.id");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params![ours.platform, ours.commit, ours.retries], |row| {
            Ok(GraphWork {
                id: row.get(0)?,
                name: row.get(1)?,
                path: row.get(2)?,
                content_hash: row.get(3)?,
                missing: row.get::<_, i64>(4)? as u64,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Missing runs on a graph, implementation by implementation. Their order differs from graph to graph: whoever
    /// comes first on a graph finds clocks and caches cold, and that shall not always be the same one.
    pub(crate) fn batches(&self, ours: &Ours, graph: i64) -> Result<Vec<Batch>> {
        let sql = format!(
            "SELECT rc.id, rc.algorithmId, rc.repeats, i.id, i.name, i.program, i.schedule, {VARIANT_COLUMNS} {MISSING} \
             AND g.id = ?4 AND v.propsStored = 1 \
             ORDER BY rc.id, (i.id * 7919 + g.id * 104729) % 10007, i.id, v.id"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![ours.platform, ours.commit, ours.retries, graph])?;
        let mut batches: Vec<Batch> = Vec::new();
        while let Some(row) = rows.next()? {
            let (run_config, implementation): (i64, i64) = (row.get(0)?, row.get(3)?);
            let same = |b: &Batch| (b.run_config, b.implementation) == (run_config, implementation);
            if !batches.last().is_some_and(same) {
                batches.push(batch(row)?);
            }
            if let Some(batch) = batches.last_mut() {
                batch.variants.push(variant(row, 7)?);
            }
        }
        Ok(batches)
    }

    /// Variants of a graph whose properties are not known yet.
    pub(crate) fn variants_without_properties(&self, ours: &Ours, graph: i64) -> Result<Vec<WorkVariant>> {
        let sql = format!(
            "SELECT {VARIANT_COLUMNS} FROM Variant v JOIN VariantConfig c ON c.id = v.variantConfigId \
             WHERE v.graphId = ?1 AND v.propsStored = 0 AND v.retryCount <= ?2 ORDER BY v.algorithmId, v.id"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params![graph, ours.retries], |row| variant(row, 0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The program that tells the steps of an algorithm: that of its first implementation.
    pub(crate) fn program_of(&self, algorithm: i64) -> Result<Option<String>> {
        let mut find = self.connection.prepare_cached(
            "SELECT program FROM Implementation WHERE algorithmId = ?1 ORDER BY type = 'derived', id LIMIT 1",
        )?;
        Ok(find.query_row([algorithm], |row| row.get(0)).optional()?)
    }

    /// Run configurations of this platform that other commits of the program are to carry out.
    pub(crate) fn commits_of_platform(&self, platform: i64) -> Result<Vec<String>> {
        let mut find = self
            .connection
            .prepare_cached("SELECT DISTINCT algorithmVersion FROM RunConfig WHERE platformId = ?1 ORDER BY id")?;
        let rows = find.query_map([platform], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Variants that a batch has runs of by now.
    pub(crate) fn variants_done(&self, batch: &Batch) -> Result<HashSet<i64>> {
        let mut find =
            self.connection.prepare_cached("SELECT variantId FROM Run WHERE runConfigId = ?1 AND implId = ?2")?;
        let rows = find.query_map(params![batch.run_config, batch.implementation], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Runs of this platform whose results were not found right, each as a batch of its own, graph by graph.
    pub(crate) fn runs_not_validated(&self, ours: &Ours) -> Result<Vec<(i64, GraphWork, Batch)>> {
        let sql = format!(
            "SELECT rc.id, rc.algorithmId, rc.repeats, i.id, i.name, i.program, i.schedule, {VARIANT_COLUMNS}, r.id, \
             g.id, g.name, g.path, g.contentHash FROM Run r JOIN RunConfig rc ON rc.id = r.runConfigId \
             JOIN Implementation i ON i.id = r.implId JOIN Variant v ON v.id = r.variantId \
             JOIN VariantConfig c ON c.id = v.variantConfigId JOIN Graph g ON g.id = v.graphId \
             WHERE r.validated = 0 AND rc.platformId = ?1 AND rc.algorithmVersion = ?2 ORDER BY g.id, i.id, v.id"
        );
        let mut statement = self.connection.prepare(&sql)?;
        let rows = statement.query_map(params![ours.platform, ours.commit], |row| {
            let mut batch = batch(row)?;
            batch.variants.push(variant(row, 7)?);
            let graph = GraphWork {
                id: row.get(16)?,
                name: row.get(17)?,
                path: row.get(18)?,
                content_hash: row.get(19)?,
                missing: 0,
            };
            Ok((row.get(15)?, graph, batch))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// What fails on this platform.
    pub(crate) fn problems(&self, ours: &Ours) -> Result<Vec<Problem>> {
        let mut statement = self.connection.prepare(
            "SELECT g.name, c.name, COALESCE(i.name, i.schedule), f.count, f.message FROM Failure f \
             JOIN RunConfig rc ON rc.id = f.runConfigId JOIN Variant v ON v.id = f.variantId \
             JOIN Graph g ON g.id = v.graphId JOIN VariantConfig c ON c.id = v.variantConfigId \
             JOIN Implementation i ON i.id = f.implId WHERE rc.platformId = ?1 AND rc.algorithmVersion = ?2 \
             UNION ALL \
             SELECT g.name, c.name, NULL, v.retryCount, COALESCE(v.problem, '') FROM Variant v \
             JOIN Graph g ON g.id = v.graphId JOIN VariantConfig c ON c.id = v.variantConfigId \
             WHERE v.propsStored = 0 AND v.retryCount > 0 AND EXISTS(SELECT 1 FROM RunConfig rc \
             WHERE rc.datasetId = g.datasetId AND rc.algorithmId = v.algorithmId AND rc.platformId = ?1 \
             AND rc.algorithmVersion = ?2)",
        )?;
        let rows = statement.query_map(params![ours.platform, ours.commit], |row| {
            Ok(Problem {
                graph: row.get(0)?,
                config: row.get(1)?,
                implementation: row.get(2)?,
                times: row.get(3)?,
                message: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Claims a batch for this process; false when another one that is alive has it.
    pub(crate) fn claim(&mut self, graph: i64, run_config: i64, implementation: i64) -> Result<bool> {
        let me = this_process();
        let key = params![graph, run_config, implementation];
        let change = self.write()?;
        let owner: Option<String> = change
            .prepare_cached("SELECT process FROM Claim WHERE graphId = ?1 AND runConfigId = ?2 AND implId = ?3")?
            .query_row(key, |row| row.get(0))
            .optional()?;
        if owner.is_some_and(|owner| owner != me && is_alive(&owner)) {
            return Ok(false);
        }
        change.prepare_cached("INSERT OR REPLACE INTO Claim VALUES(?1, ?2, ?3, ?4, ?5)")?.execute(params![
            graph,
            run_config,
            implementation,
            me,
            time::now()
        ])?;
        change.commit()?;
        Ok(true)
    }

    /// Forgets the claims of processes that are gone.
    pub(crate) fn forget_void_claims(&mut self) -> Result<()> {
        let change = self.write()?;
        let processes: Vec<String> = {
            let mut all = change.prepare("SELECT DISTINCT process FROM Claim")?;
            all.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?
        };
        for process in processes.iter().filter(|process| !is_alive(process)) {
            change.execute("DELETE FROM Claim WHERE process = ?1", [process])?;
        }
        Ok(change.commit()?)
    }

    /// Gives a claim back.
    pub(crate) fn release(&mut self, graph: i64, run_config: i64, implementation: i64) -> Result<()> {
        self.connection
            .prepare_cached(
                "DELETE FROM Claim WHERE graphId = ?1 AND runConfigId = ?2 AND implId = ?3 AND process = ?4",
            )?
            .execute(params![graph, run_config, implementation, this_process()])?;
        Ok(())
    }
}

/// This process: the computer, its number and the time of its start, since numbers are used again.
fn this_process() -> String {
    let id = std::process::id();
    format!("{} {id} {}", host(), started(id).unwrap_or_default())
}

/// Whether a process still runs. One of another computer counts as gone: a lab file is not shared between computers.
fn is_alive(process: &str) -> bool {
    let mut parts = process.split(' ');
    let (Some(its_host), Some(id), start) = (parts.next(), parts.next(), parts.next().unwrap_or("")) else {
        return false;
    };
    its_host == host() && id.parse().ok().and_then(started).is_some_and(|found| found == start)
}

fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "here".to_string() } else { name.to_string() }
}

/// When a process was started, in ticks since the computer was; nothing when it does not run, or is dead and not
/// buried.
fn started(id: u32) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name of the program, in brackets, may hold anything.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let is_dead = matches!(*fields.first()?, "Z" | "X");
    (!is_dead).then(|| fields.get(19).map(ToString::to_string)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_others_are_not() {
        assert!(is_alive(&this_process()));
        let (host, id) = (host(), std::process::id());
        assert!(!is_alive(&format!("{host} {id} 1")), "another process had this number");
        assert!(!is_alive(&format!("elsewhere {id} {}", started(id).unwrap())));
        assert!(!is_alive(""));
    }
}
