//! What tuners measured: every trial of a schedule, and the best schedules of other graphs to begin with.

use std::collections::BTreeMap;

use rusqlite::params;

use super::{Lab, time};
use crate::error::{LabError, Result};

/// A program on a graph and a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct TuneCell {
    /// The name of the program.
    pub program: String,
    /// Hash of its text.
    pub program_hash: String,
    /// Signature of the graph.
    pub graph: String,
    /// What the owner of the lab calls the graph.
    pub graph_name: Option<String>,
    /// Numbers about the graph by name.
    pub features: BTreeMap<String, f64>,
    /// The machine: `cpu`, `cuda`.
    pub target: String,
    /// Processor and threads, or device.
    pub hardware: String,
    /// The commit that measured.
    pub commit: String,
}

/// How a trial ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialOutcome {
    /// The run came to its end.
    Done,
    /// The run was ended: it could not win.
    Slow,
    /// The schedule cannot be run.
    Failed,
}

impl TrialOutcome {
    /// Its word in the lab.
    pub fn word(self) -> &'static str {
        match self {
            TrialOutcome::Done => "done",
            TrialOutcome::Slow => "slow",
            TrialOutcome::Failed => "failed",
        }
    }

    fn from_word(word: &str) -> TrialOutcome {
        match word {
            "done" => TrialOutcome::Done,
            "slow" => TrialOutcome::Slow,
            _ => TrialOutcome::Failed,
        }
    }
}

/// One run of a schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialRow {
    /// Canonical text of the schedule.
    pub schedule: String,
    /// Which input of the cell, from 0.
    pub input: usize,
    /// How it ended.
    pub outcome: TrialOutcome,
    /// Seconds; those of the limit where the run was ended.
    pub seconds: f64,
    /// Bytes that were estimated; 0 where nobody asked.
    pub bytes: u64,
    /// Joules of a run, idle power included; `None` where nobody metered.
    pub joules: Option<f64>,
    /// Seconds for compiling before the run.
    pub compile_seconds: f64,
}

impl Lab {
    /// Stores trials in one transaction. The cell is added when it is new.
    pub fn store_trials(&mut self, cell: &TuneCell, trials: &[TrialRow]) -> Result<()> {
        let features = serde_json::to_string(&cell.features)
            .map_err(|error| LabError::Entry { place: "features".to_string(), message: error.to_string() })?;
        let change = self.write()?;
        let key = params![cell.program_hash, cell.graph, cell.target, cell.hardware, cell.commit];
        change.execute(
            "INSERT OR IGNORE INTO TuneCell(programHash, graph, target, hardware, algorithmVersion, program, \
             graphName, features) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                cell.program_hash,
                cell.graph,
                cell.target,
                cell.hardware,
                cell.commit,
                cell.program,
                cell.graph_name,
                features
            ],
        )?;
        let id: i64 = change.query_row(
            "SELECT id FROM TuneCell WHERE programHash = ?1 AND graph = ?2 AND target = ?3 AND hardware = ?4 AND \
             algorithmVersion = ?5",
            key,
            |row| row.get(0),
        )?;
        let now = time::now();
        let first: i64 = change.query_row(
            "SELECT COALESCE(MAX(number), -1) + 1 FROM TuneTrial WHERE cellId = ?1 AND timestamp = ?2",
            params![id, now],
            |row| row.get(0),
        )?;
        {
            let mut insert = change.prepare_cached(
                "INSERT INTO TuneTrial(cellId, schedule, input, outcome, seconds, bytes, compileSeconds, timestamp, \
                 number, joules) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?;
            for (number, trial) in (first..).zip(trials) {
                insert.execute(params![
                    id,
                    trial.schedule,
                    trial.input as i64,
                    trial.outcome.word(),
                    trial.seconds,
                    trial.bytes as i64,
                    trial.compile_seconds,
                    now,
                    number,
                    trial.joules
                ])?;
            }
        }
        Ok(change.commit()?)
    }

    /// The cells of a machine, those of one program or all.
    pub fn tune_cells(&self, program: Option<&str>, target: &str) -> Result<Vec<(i64, TuneCell)>> {
        let mut statement = self.connection.prepare(
            "SELECT id, program, programHash, graph, graphName, features, target, hardware, algorithmVersion \
             FROM TuneCell WHERE target = ?1 AND (?2 IS NULL OR program = ?2) ORDER BY id",
        )?;
        let rows = statement.query_map(params![target, program], |row| {
            let features: String = row.get(5)?;
            let cell = TuneCell {
                program: row.get(1)?,
                program_hash: row.get(2)?,
                graph: row.get(3)?,
                graph_name: row.get(4)?,
                // Features that cannot be read make a graph that is like no other.
                features: serde_json::from_str(&features).unwrap_or_default(),
                target: row.get(6)?,
                hardware: row.get(7)?,
                commit: row.get(8)?,
            };
            Ok((row.get(0)?, cell))
        })?;
        Ok(rows.collect::<std::result::Result<_, _>>()?)
    }

    /// The trials of a cell, in the order in which they were made.
    pub fn trials(&self, cell: i64) -> Result<Vec<TrialRow>> {
        let mut statement = self.connection.prepare(
            "SELECT schedule, input, outcome, seconds, bytes, compileSeconds, joules FROM TuneTrial \
             WHERE cellId = ?1 ORDER BY id",
        )?;
        let rows = statement.query_map([cell], |row| {
            let outcome: String = row.get(2)?;
            Ok(TrialRow {
                schedule: row.get(0)?,
                input: row.get::<_, i64>(1)? as usize,
                outcome: TrialOutcome::from_word(&outcome),
                seconds: row.get(3)?,
                bytes: row.get::<_, i64>(4)? as u64,
                compile_seconds: row.get(5)?,
                joules: row.get(6)?,
            })
        })?;
        Ok(rows.collect::<std::result::Result<_, _>>()?)
    }

    /// The schedules that `gw lab run` timed for a program on a machine: for every graph (its features) the schedules
    /// with their least seconds, over all configurations that all of them were run with.
    pub fn timed_schedules(&self, program: &str, target: &str) -> Result<Vec<TimedGraph>> {
        let mut features: BTreeMap<i64, BTreeMap<String, f64>> = BTreeMap::new();
        let mut statement = self.connection.prepare(
            "SELECT v.graphId, n.property, v.value FROM GraphPropValue v JOIN PropertyName n ON n.id = v.propId",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        for row in rows {
            let (graph, name, value): (i64, String, f64) = row?;
            features.entry(graph).or_default().insert(name, value);
        }
        let mut statement = self.connection.prepare(
            "SELECT v.graphId, i.schedule, AVG(t.minTime) FROM Run r JOIN TotalTimer t ON t.runId = r.id \
             JOIN Variant v ON v.id = r.variantId JOIN Implementation i ON i.id = r.implId \
             WHERE i.program = ?1 AND i.target = ?2 AND t.name = 'computation' GROUP BY v.graphId, i.schedule \
             ORDER BY v.graphId, AVG(t.minTime)",
        )?;
        let mut found: Vec<(i64, TimedGraph)> = Vec::new();
        let rows = statement.query_map(params![program, target], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        for row in rows {
            let (graph, schedule, seconds): (i64, String, f64) = row?;
            if found.last().is_none_or(|(last, _)| *last != graph) {
                let features = features.get(&graph).cloned().unwrap_or_default();
                found.push((graph, TimedGraph { features, schedules: Vec::new() }));
            }
            if let Some((_, graph)) = found.last_mut() {
                graph.schedules.push((schedule, seconds));
            }
        }
        Ok(found.into_iter().map(|(_, graph)| graph).collect())
    }
}

/// A graph of a lab with the schedules that were timed on it, the fastest first.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedGraph {
    /// Numbers about the graph by name.
    pub features: BTreeMap<String, f64>,
    /// Canonical texts with seconds.
    pub schedules: Vec<(String, f64)>,
}
