//! Taking in the lab of another machine. Rows are the same when their natural keys are; keys of the file are given
//! anew.

use std::path::Path;

use rusqlite::{Connection, params};

use super::Lab;
use crate::error::{LabError, Result};

/// What was new in the other lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Merged {
    /// Graphs.
    pub graphs: usize,
    /// Implementations.
    pub implementations: usize,
    /// Runs.
    pub runs: usize,
    /// Timings of other systems.
    pub external: usize,
    /// Models.
    pub models: usize,
    /// Trials of tuners.
    pub trials: usize,
    /// Sheets of machines.
    pub machines: usize,
}

impl Lab {
    /// Takes in everything that another lab has and this one lacks, in one transaction. Nothing is replaced. The
    /// other file keeps its contents; when it is of an older version it is brought to the present one.
    pub fn merge(&mut self, other: &Path) -> Result<Merged> {
        if gw_graph::is_same_file(&self.path, other) {
            return Err(LabError::Entry {
                place: other.display().to_string(),
                message: "this is the same lab; name another one".to_string(),
            });
        }
        drop(Lab::open(other)?);
        self.connection.execute("ATTACH ?1 AS other", [other.to_string_lossy()])?;
        let merged = self.take_in(other);
        self.connection.execute_batch("DETACH other")?;
        merged
    }

    fn take_in(&mut self, other: &Path) -> Result<Merged> {
        let change = self.write()?;
        conflicts(&change, other)?;
        change.execute_batch(NAMED)?;
        let mut merged = Merged {
            graphs: change.execute(GRAPHS, [])?,
            implementations: change.execute(IMPLEMENTATIONS, [])?,
            ..Merged::default()
        };
        change.execute_batch(CONFIGS)?;
        merged.runs = change.execute(RUNS, [])?;
        change.execute_batch(TIMERS)?;
        merged.external = change.execute(EXTERNAL, [])?;
        merged.models = change.execute(MODELS, [])?;
        change.execute_batch(MODEL_PARTS)?;
        change.execute_batch(TUNE_CELLS)?;
        merged.trials = change.execute(TRIALS, [])?;
        merged.machines = change.execute(MACHINES, [])?;
        change.execute_batch(FORGET)?;
        change.commit()?;
        Ok(merged)
    }
}

/// Names that mean different things in the two labs.
fn conflicts(connection: &Connection, other: &Path) -> Result<()> {
    let found = |sql: &str| -> Result<Option<String>> {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query(params![])?;
        Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
    };
    let graph = "SELECT d.name || '/' || g.name FROM other.Graph g JOIN other.Dataset d ON d.id = g.datasetId \
                 JOIN main.Dataset md ON md.name = d.name JOIN main.Graph m ON m.datasetId = md.id AND m.name = g.name \
                 WHERE m.contentHash <> g.contentHash";
    // The same machine may have another name here; its runs are taken in under that.
    let platform = "SELECT p.name FROM other.Platform p JOIN main.Platform m ON m.name = p.name \
                    WHERE m.target <> p.target OR m.hardware <> p.hardware";
    let (what, name) = match (found(graph)?, found(platform)?) {
        (Some(name), _) => ("graph", name),
        (None, Some(name)) => ("platform", name),
        (None, None) => return Ok(()),
    };
    Err(LabError::Entry {
        place: other.display().to_string(),
        message: format!("its {what} {name} is another one than that of this lab; rename one of them"),
    })
}

/// What is known by its name alone.
const NAMED: &str = "
    INSERT OR IGNORE INTO main.GlobalVars SELECT * FROM other.GlobalVars;
    INSERT OR IGNORE INTO main.Dataset(name) SELECT name FROM other.Dataset ORDER BY id;
    CREATE TEMP TABLE datasets AS
        SELECT o.id AS theirs, m.id AS ours FROM other.Dataset o JOIN main.Dataset m USING(name);
    INSERT OR IGNORE INTO main.Algorithm(name, prettyName) SELECT name, prettyName FROM other.Algorithm ORDER BY id;
    CREATE TEMP TABLE algorithms AS
        SELECT o.id AS theirs, m.id AS ours FROM other.Algorithm o JOIN main.Algorithm m USING(name);
    INSERT OR IGNORE INTO main.Platform(name, prettyName, target, hardware, available, isDefault)
        SELECT name, prettyName, target, hardware, available, 0 FROM other.Platform ORDER BY id;
    CREATE TEMP TABLE platforms AS
        SELECT o.id AS theirs, m.id AS ours FROM other.Platform o JOIN main.Platform m USING(target, hardware);
    INSERT OR IGNORE INTO main.PropertyName(property, isStepProp)
        SELECT property, isStepProp FROM other.PropertyName ORDER BY id;
    CREATE TEMP TABLE properties AS
        SELECT o.id AS theirs, m.id AS ours FROM other.PropertyName o JOIN main.PropertyName m USING(property);
    INSERT OR IGNORE INTO main.Environment(cpu, cores, threads, memoryBytes, os, device, deviceCapability,
            deviceMemoryBytes, driver, compiler, version, algorithmVersion)
        SELECT cpu, cores, threads, memoryBytes, os, device, deviceCapability, deviceMemoryBytes, driver, compiler,
            version, algorithmVersion FROM other.Environment ORDER BY id;
    CREATE TEMP TABLE environments AS
        SELECT o.id AS theirs, m.id AS ours FROM other.Environment o JOIN main.Environment m
            USING(cpu, cores, threads, memoryBytes, os, device, deviceCapability, deviceMemoryBytes, driver, compiler,
                version, algorithmVersion);
";

const GRAPHS: &str = "
    INSERT OR IGNORE INTO main.Graph(name, path, prettyName, datasetId, timestamp, class, source, licence, contentHash)
        SELECT g.name, g.path, g.prettyName, d.ours, g.timestamp, g.class, g.source, g.licence, g.contentHash
        FROM other.Graph g JOIN temp.datasets d ON d.theirs = g.datasetId ORDER BY g.id";

/// A name that stands for another schedule here is left out.
const IMPLEMENTATIONS: &str = "
    INSERT OR IGNORE INTO main.Implementation(algorithmId, name, prettyName, program, schedule, target, type, timestamp)
        SELECT a.ours,
            CASE WHEN EXISTS(SELECT 1 FROM main.Implementation m WHERE m.algorithmId = a.ours AND m.name = i.name
                AND m.target = i.target) THEN NULL ELSE i.name END,
            i.prettyName, i.program, i.schedule, i.target, i.type, i.timestamp
        FROM other.Implementation i JOIN temp.algorithms a ON a.theirs = i.algorithmId ORDER BY i.id";

const CONFIGS: &str = "
    CREATE TEMP TABLE graphs AS
        SELECT o.id AS theirs, m.id AS ours FROM other.Graph o JOIN temp.datasets d ON d.theirs = o.datasetId
            JOIN main.Graph m ON m.datasetId = d.ours AND m.name = o.name;
    UPDATE main.Graph SET (class, contentHash) =
        (SELECT COALESCE(main.Graph.class, o.class), COALESCE(main.Graph.contentHash, o.contentHash)
            FROM temp.graphs g JOIN other.Graph o ON o.id = g.theirs WHERE g.ours = main.Graph.id)
        WHERE contentHash IS NULL AND id IN (SELECT ours FROM temp.graphs);
    INSERT OR IGNORE INTO main.GraphPropValue(graphId, propId, value)
        SELECT g.ours, p.ours, v.value FROM other.GraphPropValue v JOIN temp.graphs g ON g.theirs = v.graphId
            JOIN temp.properties p ON p.theirs = v.propId;
    CREATE TEMP TABLE implementations AS
        SELECT o.id AS theirs, m.id AS ours FROM other.Implementation o
            JOIN temp.algorithms a ON a.theirs = o.algorithmId
            JOIN main.Implementation m ON m.algorithmId = a.ours AND m.program = o.program AND m.schedule = o.schedule
                AND m.target = o.target;
    INSERT OR IGNORE INTO main.VariantConfig(algorithmId, name, seed, rootNumber, count, isDefault, timestamp)
        SELECT a.ours, c.name, c.seed, c.rootNumber, c.count,
            c.isDefault AND NOT EXISTS(SELECT 1 FROM main.VariantConfig m WHERE m.algorithmId = a.ours), c.timestamp
        FROM other.VariantConfig c JOIN temp.algorithms a ON a.theirs = c.algorithmId ORDER BY c.id;
    CREATE TEMP TABLE configs AS
        SELECT o.id AS theirs, m.id AS ours FROM other.VariantConfig o
            JOIN temp.algorithms a ON a.theirs = o.algorithmId
            JOIN main.VariantConfig m ON m.algorithmId = a.ours AND m.name = o.name;
    INSERT OR IGNORE INTO main.Variant(graphId, variantConfigId, algorithmId)
        SELECT g.ours, c.ours, a.ours FROM other.Variant v JOIN temp.graphs g ON g.theirs = v.graphId
            JOIN temp.configs c ON c.theirs = v.variantConfigId JOIN temp.algorithms a ON a.theirs = v.algorithmId
            ORDER BY v.id;
    CREATE TEMP TABLE variants AS
        SELECT o.id AS theirs, m.id AS ours, m.propsStored = 0 AND o.propsStored = 1 AS learn FROM other.Variant o
            JOIN temp.graphs g ON g.theirs = o.graphId JOIN temp.configs c ON c.theirs = o.variantConfigId
            JOIN main.Variant m ON m.graphId = g.ours AND m.variantConfigId = c.ours;
    UPDATE main.Variant SET (root, result, maxStepId, propsStored, problem) =
        (SELECT o.root, o.result, o.maxStepId, 1, NULL FROM temp.variants v JOIN other.Variant o ON o.id = v.theirs
            WHERE v.ours = main.Variant.id)
        WHERE id IN (SELECT ours FROM temp.variants WHERE learn);
    INSERT OR IGNORE INTO main.StepProp(propId, algorithmId)
        SELECT p.ours, a.ours FROM other.StepProp s JOIN temp.properties p ON p.theirs = s.propId
            JOIN temp.algorithms a ON a.theirs = s.algorithmId;
    INSERT OR IGNORE INTO main.StepPropValue(variantId, stepId, propId, algorithmId, value)
        SELECT v.ours, s.stepId, p.ours, a.ours, s.value FROM other.StepPropValue s
            JOIN temp.variants v ON v.theirs = s.variantId AND v.learn JOIN temp.properties p ON p.theirs = s.propId
            JOIN temp.algorithms a ON a.theirs = s.algorithmId;
    INSERT OR IGNORE INTO main.RunConfig(algorithmId, platformId, datasetId, algorithmVersion, repeats, timestamp)
        SELECT a.ours, p.ours, d.ours, r.algorithmVersion, r.repeats, r.timestamp FROM other.RunConfig r
            JOIN temp.algorithms a ON a.theirs = r.algorithmId JOIN temp.platforms p ON p.theirs = r.platformId
            JOIN temp.datasets d ON d.theirs = r.datasetId ORDER BY r.id;
    CREATE TEMP TABLE run_configs AS
        SELECT o.id AS theirs, m.id AS ours FROM other.RunConfig o JOIN temp.algorithms a ON a.theirs = o.algorithmId
            JOIN temp.platforms p ON p.theirs = o.platformId JOIN temp.datasets d ON d.theirs = o.datasetId
            JOIN main.RunConfig m ON m.algorithmId = a.ours AND m.platformId = p.ours AND m.datasetId = d.ours
                AND m.algorithmVersion = o.algorithmVersion;
    CREATE TEMP TABLE last_run AS SELECT COALESCE(MAX(id), 0) AS id FROM main.Run;
";

const RUNS: &str = "
    INSERT OR IGNORE INTO main.Run(runConfigId, variantId, implId, algorithmId, timestamp, validated, environmentId,
            samples, result)
        SELECT c.ours, v.ours, i.ours, a.ours, r.timestamp, r.validated, e.ours, r.samples, r.result FROM other.Run r
            JOIN temp.run_configs c ON c.theirs = r.runConfigId JOIN temp.variants v ON v.theirs = r.variantId
            JOIN temp.implementations i ON i.theirs = r.implId JOIN temp.algorithms a ON a.theirs = r.algorithmId
            LEFT JOIN temp.environments e ON e.theirs = r.environmentId ORDER BY r.id";

/// Timers belong to runs that were new.
const TIMERS: &str = "
    CREATE TEMP TABLE runs AS
        SELECT o.id AS theirs, m.id AS ours FROM other.Run o JOIN temp.run_configs c ON c.theirs = o.runConfigId
            JOIN temp.variants v ON v.theirs = o.variantId JOIN temp.implementations i ON i.theirs = o.implId
            JOIN main.Run m ON m.runConfigId = c.ours AND m.variantId = v.ours AND m.implId = i.ours
            WHERE m.id > (SELECT id FROM temp.last_run);
    CREATE UNIQUE INDEX temp.runs_theirs ON runs(theirs);
    INSERT INTO main.TotalTimer
        SELECT r.ours, t.name, t.minTime, t.avgTime, t.maxTime, t.stdDev FROM other.TotalTimer t
            JOIN temp.runs r ON r.theirs = t.runId;
    INSERT INTO main.StepTimer
        SELECT r.ours, m.variantId, t.stepId, t.name, t.minTime, t.avgTime, t.maxTime, t.stdDev FROM other.StepTimer t
            JOIN temp.runs r ON r.theirs = t.runId JOIN main.Run m ON m.id = r.ours;
    INSERT INTO main.RunEnergy(runId, joules, watts, spread, highestWatts, seconds, runs, meter)
        SELECT r.ours, e.joules, e.watts, e.spread, e.highestWatts, e.seconds, e.runs, e.meter FROM other.RunEnergy e
            JOIN temp.runs r ON r.theirs = e.runId;
    INSERT OR IGNORE INTO main.ExternalImpl(algorithmId, name, prettyName)
        SELECT a.ours, x.name, x.prettyName FROM other.ExternalImpl x JOIN temp.algorithms a ON a.theirs = x.algorithmId;
";

const EXTERNAL: &str = "
    INSERT OR IGNORE INTO main.ExternalTimer
        SELECT p.ours, v.ours, m.id, a.ours, t.name, t.minTime, t.avgTime, t.maxTime, t.stdDev FROM other.ExternalTimer t
            JOIN temp.platforms p ON p.theirs = t.platformId JOIN temp.variants v ON v.theirs = t.variantId
            JOIN temp.algorithms a ON a.theirs = t.algorithmId JOIN other.ExternalImpl x ON x.id = t.implId
            JOIN main.ExternalImpl m ON m.algorithmId = a.ours AND m.name = x.name";

const MODELS: &str = "
    INSERT OR IGNORE INTO main.PredictionModel(platformId, algorithmId, algorithmVersion, name, prettyName, description,
            model, skipIncomplete, trainGraphs, trainVariants, trainSteps, trainSeed, totalUnknownCount, timestamp)
        SELECT p.ours, a.ours, m.algorithmVersion, m.name, m.prettyName, m.description, m.model, m.skipIncomplete,
            m.trainGraphs, m.trainVariants, m.trainSteps, m.trainSeed, m.totalUnknownCount, m.timestamp
        FROM other.PredictionModel m JOIN temp.platforms p ON p.theirs = m.platformId
            JOIN temp.algorithms a ON a.theirs = m.algorithmId ORDER BY m.id";

/// Parts belong to models that have none here: those that were new.
const MODEL_PARTS: &str = "
    CREATE TEMP TABLE models AS
        SELECT o.id AS theirs, m.id AS ours, m.algorithmId FROM other.PredictionModel o
            JOIN main.PredictionModel m USING(name, timestamp)
            WHERE NOT EXISTS(SELECT 1 FROM main.ModelProperty p WHERE p.modelId = m.id);
    INSERT OR IGNORE INTO main.ModelTrainDataset
        SELECT m.ours, d.ours FROM other.ModelTrainDataset t JOIN temp.models m ON m.theirs = t.modelId
            JOIN temp.datasets d ON d.theirs = t.datasetId;
    INSERT INTO main.ModelProperty
        SELECT m.ours, p.ours, t.propertyIdx, t.importance FROM other.ModelProperty t
            JOIN temp.models m ON m.theirs = t.modelId JOIN temp.properties p ON p.theirs = t.propId;
    INSERT OR IGNORE INTO main.UnknownPrediction(modelId, algorithmId, unknownSetId, count)
        SELECT m.ours, m.algorithmId, u.unknownSetId, u.count FROM other.UnknownPrediction u
            JOIN temp.models m ON m.theirs = u.modelId;
    INSERT OR IGNORE INTO main.UnknownPredictionSet(unknownPredId, implId, algorithmId)
        SELECT n.id, i.ours, m.algorithmId FROM other.UnknownPredictionSet s
            JOIN other.UnknownPrediction u ON u.id = s.unknownPredId JOIN temp.models m ON m.theirs = u.modelId
            JOIN main.UnknownPrediction n ON n.modelId = m.ours AND n.unknownSetId = u.unknownSetId
            JOIN temp.implementations i ON i.theirs = s.implId;
";

const TUNE_CELLS: &str = "
    INSERT OR IGNORE INTO main.TuneCell(program, programHash, graph, graphName, features, target, hardware,
            algorithmVersion)
        SELECT program, programHash, graph, graphName, features, target, hardware, algorithmVersion
        FROM other.TuneCell ORDER BY id;
    CREATE TEMP TABLE tune_cells AS
        SELECT o.id AS theirs, m.id AS ours FROM other.TuneCell o JOIN main.TuneCell m
            USING(programHash, graph, target, hardware, algorithmVersion);
";

const TRIALS: &str = "
    INSERT OR IGNORE INTO main.TuneTrial(cellId, schedule, input, outcome, seconds, bytes, compileSeconds, timestamp,
            number, joules)
        SELECT c.ours, t.schedule, t.input, t.outcome, t.seconds, t.bytes, t.compileSeconds, t.timestamp, t.number,
            t.joules
        FROM other.TuneTrial t JOIN temp.tune_cells c ON c.theirs = t.cellId ORDER BY t.id";

const MACHINES: &str = "
    INSERT OR IGNORE INTO main.MeterSheet(target, machine, measured, sheet)
        SELECT target, machine, measured, sheet FROM other.MeterSheet ORDER BY id";

const FORGET: &str = "
    DROP TABLE temp.datasets; DROP TABLE temp.algorithms; DROP TABLE temp.platforms; DROP TABLE temp.properties;
    DROP TABLE temp.environments; DROP TABLE temp.graphs; DROP TABLE temp.implementations;
    DROP TABLE temp.configs; DROP TABLE temp.variants; DROP TABLE temp.run_configs; DROP TABLE temp.last_run;
    DROP TABLE temp.runs; DROP TABLE temp.models; DROP TABLE temp.tune_cells;
";
