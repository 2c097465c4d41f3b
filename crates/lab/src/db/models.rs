//! Trained models in the lab, with what they were trained from.

use gw_schedule::Feature;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::entry::find;
use super::store::property;
use super::{Lab, time};
use crate::error::{LabError, Result};

/// A model and how it was trained.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRecord {
    /// Its name, unique in the lab.
    pub name: String,
    /// The algorithm.
    pub algorithm: String,
    /// The platform of the timings.
    pub platform: String,
    /// The commit of the timings.
    pub commit: String,
    /// What a person says about it.
    pub description: Option<String>,
    /// The model file, JSON text.
    pub file: String,
    /// Seed of the choice of training rows.
    pub seed: u64,
    /// Share of graphs that were trained with.
    pub train_graphs: f64,
    /// Share of their variants.
    pub train_variants: f64,
    /// Share of their steps.
    pub train_steps: f64,
    /// Whether variants without all timings were left out.
    pub skip_incomplete: bool,
    /// Datasets of the graphs.
    pub datasets: Vec<String>,
    /// Features in the order of the model, with their importance.
    pub features: Vec<(Feature, f64)>,
    /// Sets of implementations that tie in leaves, and in how many leaves.
    pub unknown: Vec<(Vec<i64>, u64)>,
    /// When it was stored, in UTC; [`Lab::store_model`] sets it.
    pub created: String,
}

impl Lab {
    /// Stores a model under a new name; its `created` is the present moment, whatever it says. Returns its key.
    pub fn store_model(&mut self, model: &ModelRecord) -> Result<i64> {
        let change = self.write()?;
        let algorithm = find(&change, "Algorithm", "algorithm", &model.algorithm)?;
        let platform = find(&change, "Platform", "platform", &model.platform)?;
        let taken: bool =
            change.query_row("SELECT EXISTS(SELECT 1 FROM PredictionModel WHERE name = ?1)", [&model.name], |row| {
                row.get(0)
            })?;
        if taken {
            return Err(LabError::Entry {
                place: format!("model {}", model.name),
                message: "the lab has a model of this name; choose another name".to_string(),
            });
        }
        let unknown: u64 = model.unknown.iter().map(|(_, leaves)| leaves).sum();
        change.execute(
            "INSERT INTO PredictionModel(platformId, algorithmId, algorithmVersion, name, description, model, \
             skipIncomplete, trainGraphs, trainVariants, trainSteps, trainSeed, totalUnknownCount, timestamp) \
             VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            params![
                platform,
                algorithm,
                model.commit,
                model.name,
                model.description,
                model.file.as_bytes(),
                model.skip_incomplete,
                model.train_graphs,
                model.train_variants,
                model.train_steps,
                // All bits are kept.
                model.seed as i64,
                unknown as i64,
                time::now(),
            ],
        )?;
        let id = change.last_insert_rowid();
        for dataset in &model.datasets {
            let dataset = find(&change, "Dataset", "dataset", dataset)?;
            change.execute("INSERT INTO ModelTrainDataset VALUES(?1, ?2)", params![id, dataset])?;
        }
        for (at, &(feature, importance)) in model.features.iter().enumerate() {
            let property = property(&change, feature)?;
            change.execute(
                "INSERT INTO ModelProperty VALUES(?1, ?2, ?3, ?4)",
                params![id, property, at as i64, importance],
            )?;
        }
        for (at, (implementations, leaves)) in model.unknown.iter().enumerate() {
            change.execute(
                "INSERT INTO UnknownPrediction(modelId, algorithmId, unknownSetId, count) VALUES(?1, ?2, ?3, ?4)",
                params![id, algorithm, at as i64, *leaves as i64],
            )?;
            let set = change.last_insert_rowid();
            for implementation in implementations {
                change.execute(
                    "INSERT INTO UnknownPredictionSet VALUES(?1, ?2, ?3)",
                    params![set, implementation, algorithm],
                )?;
            }
        }
        change.commit()?;
        Ok(id)
    }

    /// The model of this name.
    pub fn model(&self, name: &str) -> Result<ModelRecord> {
        let id = find(&self.connection, "PredictionModel", "model", name)?;
        read(&self.connection, id)
    }

    /// All models, oldest first; those that there were at a moment in UTC.
    pub fn models(&self, as_of: Option<&str>) -> Result<Vec<ModelRecord>> {
        let as_of = time::as_of(as_of)?;
        let mut statement =
            self.connection.prepare("SELECT id FROM PredictionModel WHERE timestamp <= ?1 ORDER BY timestamp, id")?;
        let ids: Vec<i64> = statement.query_map([as_of], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        ids.into_iter().map(|id| read(&self.connection, id)).collect()
    }

    /// Removes a model. False when there is none of this name.
    pub fn remove_model(&mut self, name: &str) -> Result<bool> {
        let change = self.write()?;
        let id: Option<i64> =
            change.query_row("SELECT id FROM PredictionModel WHERE name = ?1", [name], |row| row.get(0)).optional()?;
        let Some(id) = id else { return Ok(false) };
        for sql in [
            "DELETE FROM UnknownPredictionSet WHERE unknownPredId IN (SELECT id FROM UnknownPrediction WHERE modelId = ?1)",
            "DELETE FROM UnknownPrediction WHERE modelId = ?1",
            "DELETE FROM ModelProperty WHERE modelId = ?1",
            "DELETE FROM ModelTrainDataset WHERE modelId = ?1",
            "DELETE FROM PredictionModel WHERE id = ?1",
        ] {
            change.execute(sql, [id])?;
        }
        change.commit()?;
        Ok(true)
    }
}

fn read(connection: &Connection, id: i64) -> Result<ModelRecord> {
    let mut model = connection.query_row(
        "SELECT m.name, a.name, p.name, m.algorithmVersion, m.description, m.model, m.trainSeed, m.trainGraphs, \
         m.trainVariants, m.trainSteps, m.skipIncomplete, m.timestamp FROM PredictionModel m \
         JOIN Algorithm a ON a.id = m.algorithmId JOIN Platform p ON p.id = m.platformId WHERE m.id = ?1",
        [id],
        |row| {
            Ok(ModelRecord {
                name: row.get(0)?,
                algorithm: row.get(1)?,
                platform: row.get(2)?,
                commit: row.get(3)?,
                description: row.get(4)?,
                file: String::from_utf8_lossy(&row.get::<_, Vec<u8>>(5)?).into_owned(),
                seed: row.get::<_, i64>(6)? as u64,
                train_graphs: row.get(7)?,
                train_variants: row.get(8)?,
                train_steps: row.get(9)?,
                skip_incomplete: row.get(10)?,
                datasets: Vec::new(),
                features: Vec::new(),
                unknown: Vec::new(),
                created: row.get(11)?,
            })
        },
    )?;
    fn all<T>(
        connection: &Connection,
        sql: &str,
        id: i64,
        of: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = connection.prepare(sql)?;
        Ok(statement.query_map([id], of)?.collect::<rusqlite::Result<_>>()?)
    }
    let datasets = "SELECT d.name FROM ModelTrainDataset t JOIN Dataset d ON d.id = t.datasetId WHERE t.modelId = ?1 \
                    ORDER BY d.id";
    model.datasets = all(connection, datasets, id, |row| row.get(0))?;
    let features = "SELECT n.property, p.importance FROM ModelProperty p JOIN PropertyName n ON n.id = p.propId \
                    WHERE p.modelId = ?1 ORDER BY p.propertyIdx";
    for (word, importance) in all(connection, features, id, |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))? {
        let feature = Feature::from_word(&word).ok_or_else(|| LabError::Entry {
            place: format!("model {}", model.name),
            message: format!("it looks at `{word}`, which this Graphwright does not know; use a newer one"),
        })?;
        model.features.push((feature, importance));
    }
    let sets = "SELECT id, count FROM UnknownPrediction WHERE modelId = ?1 ORDER BY unknownSetId";
    for (set, leaves) in all(connection, sets, id, |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))? {
        let members = "SELECT implId FROM UnknownPredictionSet WHERE unknownPredId = ?1 ORDER BY implId";
        model.unknown.push((all(connection, members, set, |row| row.get(0))?, leaves as u64));
    }
    Ok(model)
}
