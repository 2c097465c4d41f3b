//! Adding what shall be measured: graphs, variants, implementations, run configurations. What is there already stays.

use gw_schedule::{ProgramSchedule, Schedule};
use rusqlite::{OptionalExtension, Transaction, params};

use super::platform::PlatformRow;
use super::{Lab, time};
use crate::error::{LabError, Result};

/// How many entries were new, and how many the lab had already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Added {
    /// New ones.
    pub new: usize,
    /// Those that were there.
    pub known: usize,
}

impl Added {
    fn count(&mut self, changed: usize) {
        match changed {
            0 => self.known += 1,
            _ => self.new += 1,
        }
    }
}

/// A graph to be added.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewGraph {
    /// Short name, unique in its dataset.
    pub name: String,
    /// File or spec.
    pub path: String,
    /// What kind of graph people say it is; worked out from its numbers when nobody says.
    pub class: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Licence, or the address of one.
    pub licence: Option<String>,
}

impl NewGraph {
    /// A graph by its file or spec, named after it: `data/web.mtx.gz` is `web`.
    pub fn of(path: &str) -> NewGraph {
        let file = path.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or(path);
        let is_file = std::path::Path::new(path).is_file();
        let name = if is_file { file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(file) } else { path };
        NewGraph { name: name.to_string(), path: path.to_string(), ..NewGraph::default() }
    }
}

/// Ways to run an algorithm on any graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariantPlan {
    /// The first `count` vertices that `seed` draws from those with out-edges, a configuration for each.
    Roots {
        /// How many.
        count: u32,
        /// The seed.
        seed: u32,
    },
    /// One configuration with this number of rounds.
    Rounds(u32),
    /// One configuration without anything to choose.
    Once,
}

/// Whether an implementation may be a label of training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One schedule from the first step to the last.
    Core,
    /// It switches between schedules.
    Derived,
}

impl Kind {
    /// The kind of a schedule: one that has a hybrid or adaptive part is derived.
    pub fn of(schedule: &ProgramSchedule) -> Kind {
        let all = schedule.labels().map(|(_, schedule)| schedule).chain(schedule.everywhere());
        match all.into_iter().all(|schedule| matches!(schedule, Schedule::Simple(_))) {
            true => Kind::Core,
            false => Kind::Derived,
        }
    }

    /// Its word in the lab.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Core => "core",
            Kind::Derived => "derived",
        }
    }
}

/// Before the name of a model of the lab, in place of a schedule: the model picks at every step.
pub(crate) const MODEL: &str = "adaptive:";

/// An implementation to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewImplementation {
    /// Short name.
    pub name: Option<String>,
    /// The program.
    pub program: String,
    /// Its schedule.
    pub schedule: ProgramSchedule,
    /// The machine.
    pub target: String,
    /// Its kind.
    pub kind: Kind,
}

impl Lab {
    /// Adds graphs to a dataset, which is made when there is none of this name.
    pub fn add_graphs(&mut self, dataset: &str, graphs: &[NewGraph]) -> Result<Added> {
        let change = self.write()?;
        change.execute("INSERT OR IGNORE INTO Dataset(name) VALUES(?1)", [dataset])?;
        let dataset_id: i64 =
            change.query_row("SELECT id FROM Dataset WHERE name = ?1", [dataset], |row| row.get(0))?;
        let mut added = Added::default();
        for graph in graphs {
            let known: Option<String> = change
                .query_row(
                    "SELECT path FROM Graph WHERE name = ?1 AND datasetId = ?2",
                    params![graph.name, dataset_id],
                    |row| row.get(0),
                )
                .optional()?;
            if let Some(path) = known.filter(|path| *path != graph.path) {
                return Err(LabError::Entry {
                    place: format!("graph {} ({})", graph.name, graph.path),
                    message: format!("the dataset {dataset} has another graph of this name: {path}"),
                });
            }
            added.count(change.execute(
                "INSERT OR IGNORE INTO Graph(name, path, datasetId, timestamp, class, source, licence) \
                 VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![graph.name, graph.path, dataset_id, time::now(), graph.class, graph.source, graph.licence],
            )?);
        }
        change.commit()?;
        Ok(added)
    }

    /// Adds ways to run an algorithm, which is made when there is none of this name.
    pub fn add_variants(&mut self, algorithm: &str, plan: VariantPlan) -> Result<Added> {
        let change = self.write()?;
        let algorithm_id = add_algorithm(&change, algorithm)?;
        let mut added = Added::default();
        let mut add = |name: String, seed: Option<u32>, root: Option<u32>, count: Option<u32>| -> Result<()> {
            added.count(change.execute(
                "INSERT OR IGNORE INTO VariantConfig(algorithmId, name, seed, rootNumber, count, isDefault, timestamp) \
                 VALUES(?1, ?2, ?3, ?4, ?5, NOT EXISTS(SELECT 1 FROM VariantConfig WHERE algorithmId = ?1), ?6)",
                params![algorithm_id, name, seed, root, count, time::now()],
            )?);
            Ok(())
        };
        match plan {
            VariantPlan::Roots { count, seed } => {
                for number in 0..count {
                    add(format!("root #{number} of seed {seed}"), Some(seed), Some(number), None)?;
                }
            }
            VariantPlan::Rounds(rounds) => add(format!("{rounds} rounds"), None, None, Some(rounds))?,
            VariantPlan::Once => add("once".to_string(), None, None, None)?,
        }
        change.commit()?;
        Ok(added)
    }

    /// Adds implementations of an algorithm, which is made when there is none of this name.
    pub fn add_implementations(&mut self, algorithm: &str, all: &[NewImplementation]) -> Result<Added> {
        let change = self.write()?;
        let algorithm_id = add_algorithm(&change, algorithm)?;
        let mut added = Added::default();
        for one in all {
            let schedule = one.schedule.to_string();
            let taken: Option<String> = change
                .query_row(
                    "SELECT program || ' ' || schedule FROM Implementation \
                     WHERE algorithmId = ?1 AND name = ?2 AND target = ?3 AND NOT (program = ?4 AND schedule = ?5)",
                    params![algorithm_id, one.name, one.target, one.program, schedule],
                    |row| row.get(0),
                )
                .optional()?;
            if let Some(taken) = taken {
                return Err(LabError::Entry {
                    place: format!("implementation {}", one.name.as_deref().unwrap_or(&schedule)),
                    message: format!("the name stands for another one: {taken}; choose another name"),
                });
            }
            added.count(change.execute(
                "INSERT OR IGNORE INTO Implementation(algorithmId, name, program, schedule, target, type, timestamp) \
                 VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![algorithm_id, one.name, one.program, schedule, one.target, one.kind.word(), time::now()],
            )?);
        }
        change.commit()?;
        Ok(added)
    }

    /// Adds a model of the lab as a derived implementation of its algorithm: the model picks at every step.
    pub fn add_model_implementation(
        &mut self,
        algorithm: &str,
        name: &str,
        program: &str,
        target: &str,
    ) -> Result<Added> {
        let trained = self.model(name)?.algorithm;
        if trained != algorithm {
            return Err(LabError::Entry {
                place: format!("model {name}"),
                message: format!("it is a model of {trained}, not of {algorithm}"),
            });
        }
        let change = self.write()?;
        let algorithm_id = add_algorithm(&change, algorithm)?;
        let mut added = Added::default();
        added.count(change.execute(
            "INSERT OR IGNORE INTO Implementation(algorithmId, name, program, schedule, target, type, timestamp) \
             VALUES(?1, ?2, ?3, ?4, ?5, 'derived', ?6)",
            params![algorithm_id, name, program, format!("{MODEL}{name}"), target, time::now()],
        )?);
        change.commit()?;
        Ok(added)
    }

    /// Adds a batch of experiments: all implementations of an algorithm for the platform's machine, on all graphs of a
    /// dataset, timed `repeats` times by the program of this commit.
    pub fn add_run_config(
        &mut self,
        algorithm: &str,
        platform: &PlatformRow,
        dataset: &str,
        commit: &str,
        repeats: u32,
    ) -> Result<Added> {
        let change = self.write()?;
        let algorithm_id = find(&change, "Algorithm", "algorithm", algorithm)?;
        let dataset_id = find(&change, "Dataset", "dataset", dataset)?;
        let key = params![algorithm_id, platform.id, dataset_id, commit];
        let known: Option<u32> = change
            .query_row(
                "SELECT repeats FROM RunConfig \
                 WHERE algorithmId = ?1 AND platformId = ?2 AND datasetId = ?3 AND algorithmVersion = ?4",
                key,
                |row| row.get(0),
            )
            .optional()?;
        if let Some(known) = known {
            return match known == repeats {
                true => Ok(Added { new: 0, known: 1 }),
                false => Err(LabError::Entry {
                    place: format!("--repeats {repeats}"),
                    message: format!("the lab has this run configuration with {known} repeats; they cannot be mixed"),
                }),
            };
        }
        change.execute(
            "INSERT INTO RunConfig(algorithmId, platformId, datasetId, algorithmVersion, repeats, timestamp) \
             VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
            params![algorithm_id, platform.id, dataset_id, commit, repeats, time::now()],
        )?;
        change.commit()?;
        Ok(Added { new: 1, known: 0 })
    }
}

fn add_algorithm(change: &Transaction<'_>, name: &str) -> Result<i64> {
    change.execute("INSERT OR IGNORE INTO Algorithm(name) VALUES(?1)", [name])?;
    Ok(change.query_row("SELECT id FROM Algorithm WHERE name = ?1", [name], |row| row.get(0))?)
}

/// The key of a row with this name; the error tells the names there are.
pub(super) fn find(connection: &rusqlite::Connection, table: &str, word: &'static str, name: &str) -> Result<i64> {
    let found = connection
        .query_row(&format!("SELECT id FROM {table} WHERE name = ?1"), [name], |row| row.get(0))
        .optional()?;
    match found {
        Some(id) => Ok(id),
        None => {
            let known = names(connection, table)?;
            let nearest = gw_lang::suggest::nearest(name, known.iter().map(String::as_str));
            let hint = nearest.map(|nearest| format!(" (did you mean `{nearest}`?)")).unwrap_or_default();
            let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            Err(LabError::Entry {
                place: format!("{word} {name}"),
                message: format!("the lab has no {word} of this name{hint}; it has {known}"),
            })
        }
    }
}

/// All names of a table.
pub(super) fn names(connection: &rusqlite::Connection, table: &str) -> Result<Vec<String>> {
    let mut all = connection.prepare(&format!("SELECT name FROM {table} ORDER BY id"))?;
    let names = all.query_map([], |row| row.get(0))?;
    Ok(names.collect::<std::result::Result<_, _>>()?)
}
