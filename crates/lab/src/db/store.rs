//! Writing down what was found out: properties, finished runs, failures. Each is one transaction.

use gw_schedule::Feature;
use rusqlite::{Transaction, params};

use super::platform::Environment;
use super::work::Batch;
use super::{Lab, time};
use crate::energy::RowEnergy;
use crate::error::Result;

/// A time over several runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Timing {
    pub(crate) min: f64,
    pub(crate) mean: f64,
    pub(crate) max: f64,
    /// Of the sample; 0 for one run.
    pub(crate) std_dev: f64,
}

impl Timing {
    /// Of these times; `None` without any.
    pub(crate) fn of(times: impl Iterator<Item = f64> + Clone) -> Option<Timing> {
        let count = times.clone().count();
        if count == 0 {
            return None;
        }
        let mean = times.clone().sum::<f64>() / count as f64;
        let square = times.clone().map(|time| (time - mean).powi(2)).sum::<f64>();
        let (min, max) = times.fold((f64::MAX, f64::MIN), |(min, max), time| (min.min(time), max.max(time)));
        Some(Timing { min, mean, max, std_dev: (square / (count - 1).max(1) as f64).sqrt() })
    }
}

/// What does not depend on the implementation.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct VariantProperties {
    pub(crate) root: Option<u32>,
    pub(crate) result: Vec<u8>,
    /// Vertices and out-edges of the frontier, step by step.
    pub(crate) steps: Vec<(u64, u64)>,
}

/// A run that came to its end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FinishedRun {
    pub(crate) variant: i64,
    pub(crate) validated: bool,
    pub(crate) result: Vec<u8>,
    pub(crate) samples: usize,
    pub(crate) totals: Vec<(&'static str, Timing)>,
    pub(crate) steps: Vec<Timing>,
    /// Its energy, where it was metered.
    pub(crate) energy: Option<RowEnergy>,
}

impl Lab {
    /// What a graph turned out to be.
    pub(crate) fn store_graph(
        &mut self,
        graph: i64,
        content_hash: &str,
        class: &str,
        properties: &[(Feature, f64)],
    ) -> Result<()> {
        let change = self.write()?;
        change.execute(
            "UPDATE Graph SET contentHash = ?2, class = COALESCE(class, ?3) WHERE id = ?1",
            params![graph, content_hash, class],
        )?;
        for &(feature, value) in properties {
            let property = property(&change, feature)?;
            change
                .prepare_cached("INSERT OR REPLACE INTO GraphPropValue(graphId, propId, value) VALUES(?1, ?2, ?3)")?
                .execute(params![graph, property, value])?;
        }
        Ok(change.commit()?)
    }

    /// What a variant turned out to be.
    pub(crate) fn store_properties(&mut self, variant: i64, algorithm: i64, found: &VariantProperties) -> Result<()> {
        let change = self.write()?;
        for (feature, of) in [(Feature::Frontier, 0), (Feature::FrontierEdges, 1)] {
            let property = property(&change, feature)?;
            change
                .prepare_cached("INSERT OR IGNORE INTO StepProp(propId, algorithmId) VALUES(?1, ?2)")?
                .execute(params![property, algorithm])?;
            let mut insert = change.prepare_cached(
                "INSERT OR REPLACE INTO StepPropValue(variantId, stepId, propId, algorithmId, value) \
                 VALUES(?1, ?2, ?3, ?4, ?5)",
            )?;
            for (step, &(frontier, edges)) in found.steps.iter().enumerate() {
                let value = if of == 0 { frontier } else { edges };
                insert.execute(params![variant, step as i64, property, algorithm, value as f64])?;
            }
        }
        change.execute(
            "UPDATE Variant SET root = ?2, result = ?3, maxStepId = ?4, propsStored = 1, problem = NULL WHERE id = ?1",
            params![variant, found.root, found.result, found.steps.len() as i64 - 1],
        )?;
        Ok(change.commit()?)
    }

    /// The properties of a variant could not be worked out.
    pub(crate) fn store_property_failure(&mut self, variant: i64, problem: &str) -> Result<()> {
        let change = self.write()?;
        change.execute(
            "UPDATE Variant SET retryCount = retryCount + 1, problem = ?2 WHERE id = ?1",
            params![variant, problem],
        )?;
        Ok(change.commit()?)
    }

    /// A run came to its end. False when another process was faster; nothing is changed then.
    pub(crate) fn store_run(&mut self, environment: &Environment, batch: &Batch, run: &FinishedRun) -> Result<bool> {
        let change = self.write()?;
        let environment = environment.key(&change)?;
        let added = change
            .prepare_cached(
                "INSERT OR IGNORE INTO Run(runConfigId, variantId, implId, algorithmId, timestamp, validated, \
                 environmentId, samples, result) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                batch.run_config,
                run.variant,
                batch.implementation,
                batch.algorithm,
                time::now(),
                run.validated,
                environment,
                run.samples as i64,
                run.result,
            ])?;
        if added == 0 {
            return Ok(false);
        }
        let id = change.last_insert_rowid();
        {
            let mut insert = change.prepare_cached("INSERT INTO TotalTimer VALUES(?1, ?2, ?3, ?4, ?5, ?6)")?;
            for (name, timing) in &run.totals {
                insert.execute(params![id, name, timing.min, timing.mean, timing.max, timing.std_dev])?;
            }
            let mut insert =
                change.prepare_cached("INSERT INTO StepTimer VALUES(?1, ?2, ?3, 'step', ?4, ?5, ?6, ?7)")?;
            for (step, timing) in run.steps.iter().enumerate() {
                let step = step as i64;
                insert.execute(params![id, run.variant, step, timing.min, timing.mean, timing.max, timing.std_dev])?;
            }
            if let Some(energy) = &run.energy {
                change.execute(
                    "INSERT INTO RunEnergy(runId, joules, watts, spread, highestWatts, seconds, runs, meter) \
                     VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    params![
                        id,
                        energy.joules,
                        energy.watts,
                        energy.spread,
                        energy.highest_watts,
                        energy.seconds,
                        energy.runs as i64,
                        energy.meter
                    ],
                )?;
            }
            change
                .prepare_cached("DELETE FROM Failure WHERE runConfigId = ?1 AND variantId = ?2 AND implId = ?3")?
                .execute(params![batch.run_config, run.variant, batch.implementation])?;
        }
        change.commit()?;
        Ok(true)
    }

    /// A run failed: the count goes up.
    pub(crate) fn store_failure(&mut self, batch: &Batch, variant: i64, message: &str) -> Result<()> {
        let change = self.write()?;
        change
            .prepare_cached(
                "INSERT INTO Failure(runConfigId, variantId, implId, count, message, timestamp) \
                 VALUES(?1, ?2, ?3, 1, ?4, ?5) \
                 ON CONFLICT DO UPDATE SET count = count + 1, message = excluded.message, timestamp = excluded.timestamp",
            )?
            .execute(params![batch.run_config, variant, batch.implementation, message, time::now()])?;
        Ok(change.commit()?)
    }

    /// Results of runs that were looked at again.
    pub(crate) fn store_validated(&mut self, run: i64) -> Result<()> {
        self.connection.prepare_cached("UPDATE Run SET validated = 1 WHERE id = ?1")?.execute([run])?;
        Ok(())
    }

    /// Forgets failures, so that what failed is tried again.
    pub fn forget_failures(&mut self) -> Result<usize> {
        let change = self.write()?;
        let runs = change.execute("DELETE FROM Failure", [])?;
        let variants = change.execute("UPDATE Variant SET retryCount = 0, problem = NULL WHERE retryCount > 0", [])?;
        change.commit()?;
        Ok(runs + variants)
    }
}

/// The key of a feature, which is added when it is new.
pub(super) fn property(change: &Transaction<'_>, feature: Feature) -> Result<i64> {
    change
        .prepare_cached("INSERT OR IGNORE INTO PropertyName(property, isStepProp) VALUES(?1, ?2)")?
        .execute(params![feature.word(), !feature.is_of_graph()])?;
    let mut find = change.prepare_cached("SELECT id FROM PropertyName WHERE property = ?1")?;
    Ok(find.query_row([feature.word()], |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::Timing;

    #[test]
    fn times_are_summed_up() {
        let timing = Timing::of([3.0, 1.0, 2.0].into_iter()).unwrap();
        assert_eq!(timing, Timing { min: 1.0, mean: 2.0, max: 3.0, std_dev: 1.0 });
        assert_eq!(Timing::of([5.0].into_iter()).unwrap().std_dev, 0.0);
        assert_eq!(Timing::of([].into_iter()), None);
    }
}
