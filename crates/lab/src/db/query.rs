//! Answers as sheets: named lists of what is in the lab, and SQL of one's own.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Statement};

use super::{Lab, time};
use crate::error::{LabError, Result};
use crate::sheet::{Field, Sheet};

/// A list that the lab can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entity {
    /// Its name.
    pub name: &'static str,
    /// What it holds, in one line.
    pub summary: &'static str,
    sql: &'static str,
}

/// Everything that can be listed.
pub fn entities() -> &'static [Entity] {
    ENTITIES
}

const ENTITIES: &[Entity] = &[
    Entity {
        name: "platforms",
        summary: "machines that timings belong to",
        sql: "SELECT id, name, prettyName AS hardware, target FROM Platform ORDER BY id",
    },
    Entity {
        name: "environments",
        summary: "with what runs were taken: computer, device, driver, version",
        sql: "SELECT * FROM Environment ORDER BY id",
    },
    Entity {
        name: "datasets",
        summary: "datasets and their graphs",
        sql: "SELECT d.id, d.name, COUNT(g.id) AS graphs FROM Dataset d \
              LEFT JOIN Graph g ON g.datasetId = d.id AND g.timestamp <= :as_of GROUP BY d.id ORDER BY d.id",
    },
    Entity {
        name: "graphs",
        summary: "graphs with their sizes, classes and sources",
        sql: "SELECT g.id, g.name, d.name AS dataset, g.class, \
              (SELECT CAST(value AS INTEGER) FROM GraphPropValue pv JOIN PropertyName n ON n.id = pv.propId \
               WHERE pv.graphId = g.id AND n.property = 'vertices') AS vertices, \
              (SELECT CAST(value AS INTEGER) FROM GraphPropValue pv JOIN PropertyName n ON n.id = pv.propId \
               WHERE pv.graphId = g.id AND n.property = 'edges') AS edges, \
              g.path, g.source, g.licence, g.contentHash, g.timestamp \
              FROM Graph g JOIN Dataset d ON d.id = g.datasetId WHERE g.timestamp <= :as_of ORDER BY g.id",
    },
    Entity {
        name: "algorithms",
        summary: "algorithms with the numbers of their implementations and configurations",
        sql: "SELECT a.id, a.name, \
              (SELECT COUNT(*) FROM Implementation i WHERE i.algorithmId = a.id AND i.timestamp <= :as_of) AS implementations, \
              (SELECT COUNT(*) FROM VariantConfig c WHERE c.algorithmId = a.id AND c.timestamp <= :as_of) AS configs \
              FROM Algorithm a ORDER BY a.id",
    },
    Entity {
        name: "implementations",
        summary: "programs with their schedules and targets",
        sql: "SELECT i.id, a.name AS algorithm, i.name, i.program, i.target, i.type AS kind, i.schedule, i.timestamp \
              FROM Implementation i JOIN Algorithm a ON a.id = i.algorithmId WHERE i.timestamp <= :as_of ORDER BY i.id",
    },
    Entity {
        name: "configs",
        summary: "ways to run an algorithm: roots, rounds",
        sql: "SELECT c.id, a.name AS algorithm, c.name, c.seed, c.rootNumber AS root_number, c.count AS rounds, c.timestamp \
              FROM VariantConfig c JOIN Algorithm a ON a.id = c.algorithmId WHERE c.timestamp <= :as_of ORDER BY c.id",
    },
    Entity {
        name: "variants",
        summary: "graphs with a way to run an algorithm on them",
        sql: "SELECT v.id, a.name AS algorithm, g.name AS graph, c.name AS config, v.root, v.maxStepId + 1 AS steps, \
              v.propsStored AS known, v.retryCount AS failures, v.problem FROM Variant v \
              JOIN Algorithm a ON a.id = v.algorithmId JOIN Graph g ON g.id = v.graphId \
              JOIN VariantConfig c ON c.id = v.variantConfigId \
              WHERE g.timestamp <= :as_of AND c.timestamp <= :as_of ORDER BY v.id",
    },
    Entity {
        name: "run-configs",
        summary: "batches of experiments, with how many runs are done",
        sql: "SELECT rc.id, a.name AS algorithm, p.name AS platform, d.name AS dataset, rc.repeats, \
              (SELECT COUNT(*) FROM Run r WHERE r.runConfigId = rc.id AND r.timestamp <= :as_of) AS runs, \
              (SELECT COUNT(*) FROM Graph g WHERE g.datasetId = d.id AND g.timestamp <= :as_of) * \
              (SELECT COUNT(*) FROM VariantConfig c WHERE c.algorithmId = a.id AND c.timestamp <= :as_of) * \
              (SELECT COUNT(*) FROM Implementation i WHERE i.algorithmId = a.id AND i.target = p.target \
               AND i.timestamp <= :as_of) AS wanted, rc.algorithmVersion AS version, rc.timestamp \
              FROM RunConfig rc JOIN Algorithm a ON a.id = rc.algorithmId JOIN Platform p ON p.id = rc.platformId \
              JOIN Dataset d ON d.id = rc.datasetId WHERE rc.timestamp <= :as_of ORDER BY rc.id",
    },
    Entity {
        name: "runs",
        summary: "finished runs with their mean seconds",
        sql: "SELECT r.id, a.name AS algorithm, p.name AS platform, g.name AS graph, c.name AS config, \
              COALESCE(i.name, i.schedule) AS implementation, r.samples, t.avgTime AS seconds, r.validated, r.timestamp \
              FROM Run r JOIN RunConfig rc ON rc.id = r.runConfigId JOIN Platform p ON p.id = rc.platformId \
              JOIN Algorithm a ON a.id = r.algorithmId JOIN Variant v ON v.id = r.variantId \
              JOIN Graph g ON g.id = v.graphId JOIN VariantConfig c ON c.id = v.variantConfigId \
              JOIN Implementation i ON i.id = r.implId \
              LEFT JOIN TotalTimer t ON t.runId = r.id AND t.name = 'computation' \
              WHERE r.timestamp <= :as_of ORDER BY r.id",
    },
    Entity {
        name: "totals",
        summary: "every timer of every run: seconds of whole runs",
        sql: "SELECT a.name AS algorithm, p.name AS platform, rc.algorithmVersion AS version, d.name AS dataset, \
              g.name AS graph, c.name AS config, v.root, COALESCE(i.name, i.schedule) AS implementation, i.program, \
              i.schedule, i.type AS kind, t.name AS timer, r.samples, t.minTime AS min, t.avgTime AS mean, \
              t.maxTime AS max, t.stdDev AS std_dev, r.validated, r.timestamp \
              FROM TotalTimer t JOIN Run r ON r.id = t.runId JOIN RunConfig rc ON rc.id = r.runConfigId \
              JOIN Platform p ON p.id = rc.platformId JOIN Algorithm a ON a.id = r.algorithmId \
              JOIN Variant v ON v.id = r.variantId JOIN Graph g ON g.id = v.graphId \
              JOIN Dataset d ON d.id = g.datasetId JOIN VariantConfig c ON c.id = v.variantConfigId \
              JOIN Implementation i ON i.id = r.implId WHERE r.timestamp <= :as_of ORDER BY r.id, t.name",
    },
    Entity {
        name: "steps",
        summary: "every step of every run: seconds, frontier and its edges",
        sql: "SELECT a.name AS algorithm, p.name AS platform, rc.algorithmVersion AS version, d.name AS dataset, \
              g.name AS graph, c.name AS config, v.root, COALESCE(i.name, i.schedule) AS implementation, \
              t.stepId AS step, CAST(f.value AS INTEGER) AS frontier, CAST(e.value AS INTEGER) AS frontier_edges, \
              t.minTime AS min, t.avgTime AS mean, t.maxTime AS max, t.stdDev AS std_dev, r.validated \
              FROM StepTimer t JOIN Run r ON r.id = t.runId JOIN RunConfig rc ON rc.id = r.runConfigId \
              JOIN Platform p ON p.id = rc.platformId JOIN Algorithm a ON a.id = r.algorithmId \
              JOIN Variant v ON v.id = r.variantId JOIN Graph g ON g.id = v.graphId \
              JOIN Dataset d ON d.id = g.datasetId JOIN VariantConfig c ON c.id = v.variantConfigId \
              JOIN Implementation i ON i.id = r.implId \
              LEFT JOIN StepPropValue f ON f.variantId = v.id AND f.stepId = t.stepId \
              AND f.propId = (SELECT id FROM PropertyName WHERE property = 'frontier') \
              LEFT JOIN StepPropValue e ON e.variantId = v.id AND e.stepId = t.stepId \
              AND e.propId = (SELECT id FROM PropertyName WHERE property = 'frontier-edges') \
              WHERE r.timestamp <= :as_of ORDER BY r.id, t.stepId",
    },
    Entity {
        name: "properties",
        summary: "properties of graphs",
        sql: "SELECT d.name AS dataset, g.name AS graph, n.property, pv.value FROM GraphPropValue pv \
              JOIN PropertyName n ON n.id = pv.propId JOIN Graph g ON g.id = pv.graphId \
              JOIN Dataset d ON d.id = g.datasetId WHERE g.timestamp <= :as_of ORDER BY g.id, n.id",
    },
    Entity {
        name: "failures",
        summary: "runs that failed, how often and why",
        sql: "SELECT a.name AS algorithm, g.name AS graph, c.name AS config, COALESCE(i.name, i.schedule) AS implementation, \
              f.count AS times, f.message, f.timestamp FROM Failure f JOIN Variant v ON v.id = f.variantId \
              JOIN Algorithm a ON a.id = v.algorithmId JOIN Graph g ON g.id = v.graphId \
              JOIN VariantConfig c ON c.id = v.variantConfigId JOIN Implementation i ON i.id = f.implId \
              WHERE f.timestamp <= :as_of ORDER BY f.runConfigId, f.variantId, f.implId",
    },
    Entity {
        name: "external",
        summary: "timings of other systems",
        sql: "SELECT a.name AS algorithm, p.name AS platform, g.name AS graph, c.name AS config, x.name AS system, \
              t.name AS timer, t.minTime AS min, t.avgTime AS mean, t.maxTime AS max, t.stdDev AS std_dev \
              FROM ExternalTimer t JOIN ExternalImpl x ON x.id = t.implId JOIN Platform p ON p.id = t.platformId \
              JOIN Variant v ON v.id = t.variantId JOIN Algorithm a ON a.id = v.algorithmId \
              JOIN Graph g ON g.id = v.graphId JOIN VariantConfig c ON c.id = v.variantConfigId \
              WHERE g.timestamp <= :as_of AND c.timestamp <= :as_of \
              ORDER BY x.id, v.id, t.name",
    },
    Entity {
        name: "energy",
        summary: "joules and watts of runs that were metered (`gw lab run --energy`)",
        sql: "SELECT a.name AS algorithm, p.name AS platform, g.name AS graph, c.name AS config, \
              COALESCE(i.name, i.schedule) AS implementation, e.joules, e.watts, e.highestWatts AS highest_watts, \
              e.spread, e.seconds, e.joules * e.seconds AS joule_seconds, e.runs, e.meter, r.timestamp \
              FROM RunEnergy e JOIN Run r ON r.id = e.runId JOIN RunConfig rc ON rc.id = r.runConfigId \
              JOIN Platform p ON p.id = rc.platformId JOIN Algorithm a ON a.id = r.algorithmId \
              JOIN Variant v ON v.id = r.variantId JOIN Graph g ON g.id = v.graphId \
              JOIN VariantConfig c ON c.id = v.variantConfigId JOIN Implementation i ON i.id = r.implId \
              WHERE r.timestamp <= :as_of ORDER BY r.id",
    },
    Entity {
        name: "trials",
        summary: "what tuners measured: schedules with seconds, bytes and joules",
        sql: "SELECT c.program, c.graphName AS graph, c.target, c.hardware, t.schedule, t.input, t.outcome, t.seconds, \
              t.joules, t.bytes, t.compileSeconds AS compile_seconds, t.timestamp FROM TuneTrial t \
              JOIN TuneCell c ON c.id = t.cellId WHERE t.timestamp <= :as_of ORDER BY t.id",
    },
    Entity {
        name: "machines",
        summary: "sheets of `gw meter`: what machines reach at best",
        sql: "SELECT id, target, machine, measured, json_extract(sheet, '$.quick') AS quick, \
              COALESCE(json_extract(sheet, '$.cpu.idle_w.median'), json_extract(sheet, '$.gpu.idle_w.median')) \
              AS idle_watts FROM MeterSheet WHERE measured <= :as_of ORDER BY id",
    },
    Entity {
        name: "models",
        summary: "trained models",
        sql: "SELECT m.id, m.name, a.name AS algorithm, p.name AS platform, m.trainGraphs AS graphs, \
              m.trainVariants AS variants, m.trainSteps AS steps, m.trainSeed AS seed, \
              m.totalUnknownCount AS unknown_leaves, m.algorithmVersion AS version, m.timestamp, m.description \
              FROM PredictionModel m JOIN Algorithm a ON a.id = m.algorithmId JOIN Platform p ON p.id = m.platformId \
              WHERE m.timestamp <= :as_of ORDER BY m.id",
    },
];

impl Lab {
    /// A list by its name, see [`entities`]; as it was at a moment in UTC.
    pub fn list(&self, entity: &str, as_of: Option<&str>) -> Result<Sheet> {
        let Some(found) = ENTITIES.iter().find(|e| e.name == entity) else {
            let known: Vec<&str> = ENTITIES.iter().map(|e| e.name).collect();
            let nearest = gw_lang::suggest::nearest(entity, known.iter().copied());
            let hint = nearest.map(|nearest| format!(" (did you mean `{nearest}`?)")).unwrap_or_default();
            return Err(LabError::Entry {
                place: format!("list {entity}"),
                message: format!("there is no such list{hint}; lists: {}", known.join(", ")),
            });
        };
        answer(&self.connection, found.sql, as_of)
    }

    /// The answer to a list's name or to one statement of SQL, in which `:as_of` stands for the moment asked about.
    /// What writes is refused.
    pub fn query(&self, text: &str, as_of: Option<&str>) -> Result<Sheet> {
        if ENTITIES.iter().any(|entity| entity.name == text) {
            return self.list(text, as_of);
        }
        let wrong = |message: String| LabError::Entry { place: format!("query `{text}`"), message };
        if !text.contains(char::is_whitespace) {
            return self.list(text, as_of);
        }
        let statement = self.connection.prepare(text).map_err(|error| wrong(error.to_string()))?;
        if !statement.readonly() {
            return Err(wrong("it would change the lab; queries only look".to_string()));
        }
        if as_of.is_some() && statement.parameter_index(":as_of")?.is_none() {
            return Err(wrong("--as-of has no effect on it; compare timestamps with :as_of in the SQL".to_string()));
        }
        drop(statement);
        answer(&self.connection, text, as_of).map_err(|error| match error {
            LabError::Database(error) => wrong(error.to_string()),
            other => other,
        })
    }
}

fn answer(connection: &Connection, sql: &str, as_of: Option<&str>) -> Result<Sheet> {
    let mut statement = connection.prepare(sql)?;
    let as_of = time::as_of(as_of)?;
    if let Some(place) = statement.parameter_index(":as_of")? {
        statement.raw_bind_parameter(place, as_of)?;
    }
    read(&mut statement)
}

fn read(statement: &mut Statement<'_>) -> Result<Sheet> {
    let mut sheet = Sheet::new(statement.column_names());
    let columns = sheet.columns.len();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        let field = |at: usize| -> Result<Field> {
            Ok(match row.get_ref(at)? {
                ValueRef::Null => Field::Nothing,
                ValueRef::Integer(number) => Field::Integer(number),
                ValueRef::Real(number) => Field::Real(number),
                ValueRef::Text(text) => Field::Text(String::from_utf8_lossy(text).into_owned()),
                ValueRef::Blob(bytes) => Field::Text(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
            })
        };
        sheet.rows.push((0..columns).map(field).collect::<Result<_>>()?);
    }
    Ok(sheet)
}
