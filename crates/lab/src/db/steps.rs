//! The table of measured steps, read from the lab.

use std::collections::HashMap;

use gw_schedule::{Feature, Features, StepSizes};
use rusqlite::{Row, named_params};

use super::entry::{MODEL, find, names};
use super::{Lab, time};
use crate::error::{LabError, Result};
use crate::switching::Switching;
use crate::table::{Implementation, StepTable, StepTimes, TableGraph, Variant};
use graphwright::schedule::Adviser;

/// Which steps are wanted. Only validated runs count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableQuery {
    /// The algorithm.
    pub algorithm: String,
    /// The platform; the only one with runs when absent.
    pub platform: Option<String>,
    /// Graphs of these datasets; of all when empty.
    pub datasets: Vec<String>,
    /// Implementations for this machine; for any when absent.
    pub target: Option<String>,
    /// Runs of this commit; of the only one when absent.
    pub commit: Option<String>,
    /// What the lab knew at this moment in UTC.
    pub as_of: Option<String>,
    /// Only variants where every core implementation was measured.
    pub complete: bool,
    /// The least time of the repeats instead of their mean: for machines that do other work beside.
    pub least: bool,
}

/// Runs that a query looks at.
const RUNS: &str = "
    FROM Run r
    JOIN RunConfig rc ON rc.id = r.runConfigId
    JOIN Implementation i ON i.id = r.implId
    JOIN Variant v ON v.id = r.variantId
    JOIN VariantConfig c ON c.id = v.variantConfigId
    JOIN Graph g ON g.id = v.graphId
    JOIN Dataset d ON d.id = g.datasetId
    WHERE r.validated = 1 AND rc.algorithmId = :algorithm AND rc.platformId = :platform
        AND rc.algorithmVersion = :commit AND (:target IS NULL OR i.target = :target)
        AND (:datasets = '[]' OR d.name IN (SELECT value FROM json_each(:datasets)))
        AND r.timestamp <= :as_of AND g.timestamp <= :as_of AND c.timestamp <= :as_of AND i.timestamp <= :as_of";

impl Lab {
    /// Step times of all implementations side by side.
    pub fn step_table(&self, query: &TableQuery) -> Result<StepTable> {
        let as_of = time::as_of(query.as_of.as_deref())?;
        let algorithm = find(&self.connection, "Algorithm", "algorithm", &query.algorithm)?;
        for dataset in &query.datasets {
            find(&self.connection, "Dataset", "dataset", dataset)?;
        }
        let platform = self.only_platform(algorithm, query.platform.as_deref(), &as_of)?;
        let commit = self.only_commit(algorithm, platform, query.commit.as_deref(), &as_of)?;
        let read = Read {
            lab: self,
            algorithm,
            platform,
            commit,
            target: query.target.as_deref(),
            datasets: json_names(&query.datasets),
            time: if query.least { "t.minTime" } else { "t.avgTime" },
            as_of,
        };
        let mut table = StepTable {
            program: query.algorithm.clone(),
            platform: self.connection.query_row("SELECT name FROM Platform WHERE id = ?1", [platform], |r| r.get(0))?,
            implementations: read.implementations()?,
            ..StepTable::default()
        };
        read.graphs(&mut table)?;
        let keys = read.variants(&mut table)?;
        read.features(&mut table, &keys)?;
        read.times(&mut table, &keys)?;
        table.switching = Switching::measured(&table, &read.models(&table));
        if query.complete {
            keep_complete(&mut table);
        }
        Ok(table)
    }

    /// The platform asked for, else the only one with runs.
    fn only_platform(&self, algorithm: i64, name: Option<&str>, as_of: &str) -> Result<i64> {
        if let Some(name) = name {
            return find(&self.connection, "Platform", "platform", name);
        }
        let mut statement = self.connection.prepare(
            "SELECT DISTINCT p.id, p.name FROM Run r JOIN RunConfig rc ON rc.id = r.runConfigId \
             JOIN Platform p ON p.id = rc.platformId WHERE rc.algorithmId = ?1 AND r.timestamp <= ?2 ORDER BY p.id",
        )?;
        let rows = statement.query_map((algorithm, as_of), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let found: Vec<(i64, String)> = rows.collect::<rusqlite::Result<_>>()?;
        match &found[..] {
            [(id, _)] => Ok(*id),
            [] => Err(LabError::Entry {
                place: format!("lab {}", self.path.display()),
                message: format!(
                    "no runs of this algorithm; `gw lab run` measures (platforms: {})",
                    names(&self.connection, "Platform")?.join(", ")
                ),
            }),
            many => Err(LabError::Entry {
                place: "--platform".to_string(),
                message: format!("the lab has runs of several platforms; name one of: {}", listed(many)),
            }),
        }
    }

    /// The commit asked for, else the only one with runs.
    fn only_commit(&self, algorithm: i64, platform: i64, given: Option<&str>, as_of: &str) -> Result<String> {
        let mut statement = self.connection.prepare(
            "SELECT MIN(rc.id), rc.algorithmVersion FROM Run r JOIN RunConfig rc ON rc.id = r.runConfigId \
             WHERE rc.algorithmId = ?1 AND rc.platformId = ?2 AND r.timestamp <= ?3 GROUP BY 2 ORDER BY 1",
        )?;
        let rows = statement.query_map((algorithm, platform, as_of), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let found: Vec<(i64, String)> = rows.collect::<rusqlite::Result<_>>()?;
        let place = "--commit".to_string();
        match (given, &found[..]) {
            (Some(given), found) => {
                match found.iter().filter(|(_, commit)| commit.starts_with(given)).collect::<Vec<_>>()[..] {
                    [(_, commit)] => Ok(commit.clone()),
                    _ => Err(LabError::Entry {
                        place: format!("--commit {given}"),
                        message: format!("it names no single commit with runs; there are: {}", listed(found)),
                    }),
                }
            }
            (None, [(_, commit)]) => Ok(commit.clone()),
            (None, []) => {
                Err(LabError::Entry { place, message: "this platform has no runs of the algorithm".to_string() })
            }
            (None, many) => Err(LabError::Entry {
                place,
                message: format!("the lab has runs of several commits; name one of: {}", listed(many)),
            }),
        }
    }
}

fn listed(found: &[(i64, String)]) -> String {
    if found.is_empty() {
        return "none".to_string();
    }
    found.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Names as a JSON array, for `json_each`.
fn json_names(names: &[String]) -> String {
    let quoted: Vec<String> = names
        .iter()
        .map(|name| {
            let escaped: String = name
                .chars()
                .flat_map(|c| match c {
                    '"' | '\\' => vec!['\\', c],
                    c if c.is_control() => format!("\\u{:04x}", c as u32).chars().collect(),
                    c => vec![c],
                })
                .collect();
            format!("\"{escaped}\"")
        })
        .collect();
    format!("[{}]", quoted.join(","))
}

/// One reading of the lab.
struct Read<'a> {
    lab: &'a Lab,
    algorithm: i64,
    platform: i64,
    commit: String,
    target: Option<&'a str>,
    datasets: String,
    /// The column of timers that counts.
    time: &'static str,
    as_of: String,
}

/// Places of rows in the table by their keys in the lab.
struct Keys {
    implementations: HashMap<i64, usize>,
    variants: HashMap<i64, usize>,
}

impl Read<'_> {
    /// Visits the rows of a query over the runs.
    fn each(&self, select: &str, rest: &str, mut visit: impl FnMut(&Row<'_>) -> Result<()>) -> Result<()> {
        let mut statement = self.lab.connection.prepare_cached(&format!("{select} {rest}"))?;
        let mut rows = statement.query(named_params! {
            ":algorithm": self.algorithm, ":platform": self.platform, ":commit": self.commit,
            ":target": self.target, ":datasets": self.datasets, ":as_of": self.as_of,
        })?;
        while let Some(row) = rows.next()? {
            visit(row)?;
        }
        Ok(())
    }

    fn implementations(&self) -> Result<Vec<Implementation>> {
        let mut found = Vec::new();
        let rest = format!("{RUNS} ORDER BY i.id");
        self.each("SELECT DISTINCT i.id, COALESCE(i.name, i.schedule), i.schedule, i.target, i.type", &rest, |row| {
            found.push(Implementation {
                id: row.get(0)?,
                name: row.get(1)?,
                schedule: row.get(2)?,
                target: row.get(3)?,
                is_core: row.get::<_, String>(4)? == "core",
            });
            Ok(())
        })?;
        Ok(found)
    }

    fn graphs(&self, table: &mut StepTable) -> Result<()> {
        let value = |feature: Feature| {
            format!(
                "(SELECT value FROM GraphPropValue pv JOIN PropertyName n ON n.id = pv.propId \
                 WHERE pv.graphId = g.id AND n.property = '{}')",
                feature.word()
            )
        };
        let select = format!(
            "SELECT DISTINCT g.id, g.name, d.name, COALESCE(g.class, ''), {}, {}",
            value(Feature::Vertices),
            value(Feature::Edges)
        );
        self.each(&select, &format!("{RUNS} ORDER BY g.id"), |row| {
            table.graphs.push(TableGraph {
                id: row.get(0)?,
                name: row.get(1)?,
                dataset: row.get(2)?,
                class: row.get(3)?,
                vertices: row.get::<_, Option<f64>>(4)?.unwrap_or(0.0) as u64,
                edges: row.get::<_, Option<f64>>(5)?.unwrap_or(0.0) as u64,
            });
            Ok(())
        })
    }

    /// The variants, with room for their steps; features of the graph are filled in.
    fn variants(&self, table: &mut StepTable) -> Result<Keys> {
        let of_graph = self.graph_features()?;
        let graphs: HashMap<i64, usize> = table.graphs.iter().enumerate().map(|(at, g)| (g.id, at)).collect();
        let count = table.implementations.len();
        let select = "SELECT DISTINCT v.id, v.graphId, CASE WHEN v.root IS NULL THEN c.name ELSE 'root ' || v.root END, \
                      v.maxStepId";
        self.each(select, &format!("{RUNS} ORDER BY v.id"), |row| {
            let graph: i64 = row.get(1)?;
            let features = of_graph.get(&graph).copied().unwrap_or([0.0; Feature::COUNT]);
            let steps = (row.get::<_, i64>(3)? + 1).max(0) as usize;
            table.variants.push(Variant {
                id: row.get(0)?,
                graph: graphs.get(&graph).copied().unwrap_or(0),
                config: row.get(2)?,
                totals: vec![f64::NAN; count],
                steps: vec![StepTimes { features, seconds: vec![f64::NAN; count] }; steps],
            });
            Ok(())
        })?;
        Ok(Keys {
            implementations: table.implementations.iter().enumerate().map(|(at, i)| (i.id, at)).collect(),
            variants: table.variants.iter().enumerate().map(|(at, v)| (v.id, at)).collect(),
        })
    }

    fn graph_features(&self) -> Result<HashMap<i64, Features>> {
        let mut all: HashMap<i64, Features> = HashMap::new();
        let mut statement = self.lab.connection.prepare_cached(
            "SELECT pv.graphId, n.property, pv.value FROM GraphPropValue pv JOIN PropertyName n ON n.id = pv.propId",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let word: String = row.get(1)?;
            // A property that a later Graphwright knows is no feature here.
            if let Some(feature) = Feature::from_word(&word) {
                all.entry(row.get(0)?).or_insert([0.0; Feature::COUNT])[feature.index()] = row.get(2)?;
            }
        }
        Ok(all)
    }

    /// Features of steps: the sizes of the frontiers are stored, the others follow from them.
    fn features(&self, table: &mut StepTable, keys: &Keys) -> Result<()> {
        let mut sizes: Vec<Vec<(u64, u64)>> = table.variants.iter().map(|v| vec![(0, 0); v.steps.len()]).collect();
        let mut statement = self.lab.connection.prepare_cached(
            "SELECT s.variantId, s.stepId, n.property, s.value FROM StepPropValue s \
             JOIN PropertyName n ON n.id = s.propId WHERE s.algorithmId = ?1",
        )?;
        let mut rows = statement.query([self.algorithm])?;
        while let Some(row) = rows.next()? {
            let Some(&variant) = keys.variants.get(&row.get::<_, i64>(0)?) else { continue };
            let step: i64 = row.get(1)?;
            let Some(size) = sizes[variant].get_mut(step as usize) else { continue };
            let value = row.get::<_, f64>(3)? as u64;
            match Feature::from_word(row.get_ref(2)?.as_str().unwrap_or("")) {
                Some(Feature::Frontier) => size.0 = value,
                Some(Feature::FrontierEdges) => size.1 = value,
                _ => {}
            }
        }
        for (variant, sizes) in table.variants.iter_mut().zip(sizes) {
            let graph = &table.graphs[variant.graph];
            let mut step = StepSizes::first(graph.vertices, graph.edges);
            for (times, (frontier, frontier_edges)) in variant.steps.iter_mut().zip(sizes) {
                (step.frontier, step.frontier_edges) = (frontier, frontier_edges);
                step.fill(&mut times.features);
                step = step.next();
            }
        }
        Ok(())
    }

    /// The model of each implementation that is one. One that was removed, or that a later Graphwright wrote, tells
    /// nothing.
    fn models(&self, table: &StepTable) -> Vec<Option<Adviser>> {
        let model = |implementation: &Implementation| {
            let name = implementation.schedule.strip_prefix(MODEL)?;
            Adviser::parse(name, &self.lab.model(name).ok()?.file).ok()
        };
        table.implementations.iter().map(model).collect()
    }

    fn times(&self, table: &mut StepTable, keys: &Keys) -> Result<()> {
        let place = |row: &Row<'_>| -> Result<Option<(usize, usize)>> {
            Ok(keys
                .variants
                .get(&row.get::<_, i64>(0)?)
                .copied()
                .zip(keys.implementations.get(&row.get::<_, i64>(1)?).copied()))
        };
        let joined = |timer: &str| RUNS.replacen("WHERE", &format!("JOIN {timer} t ON t.runId = r.id WHERE"), 1);
        let totals = format!("{} AND t.name = 'computation'", joined("TotalTimer"));
        let time = self.time;
        self.each(&format!("SELECT r.variantId, r.implId, {time}"), &totals, |row| {
            if let Some((variant, implementation)) = place(row)? {
                table.variants[variant].totals[implementation] = row.get(2)?;
            }
            Ok(())
        })?;
        let steps = format!("{} AND t.name = 'step'", joined("StepTimer"));
        self.each(&format!("SELECT r.variantId, r.implId, {time}, t.stepId"), &steps, |row| {
            if let Some((variant, implementation)) = place(row)? {
                let step: i64 = row.get(3)?;
                if let Some(step) = table.variants[variant].steps.get_mut(step as usize) {
                    step.seconds[implementation] = row.get(2)?;
                }
            }
            Ok(())
        })
    }
}

/// Leaves out variants that a core implementation has no total of, and graphs without variants.
fn keep_complete(table: &mut StepTable) {
    let core: Vec<usize> =
        table.implementations.iter().enumerate().filter(|(_, i)| i.is_core).map(|(at, _)| at).collect();
    table.variants.retain(|variant| core.iter().all(|&at| !variant.totals[at].is_nan()));
    let used: Vec<bool> =
        (0..table.graphs.len()).map(|at| table.variants.iter().any(|variant| variant.graph == at)).collect();
    let places: Vec<usize> = used
        .iter()
        .scan(0, |next, &used| {
            let place = *next;
            *next += usize::from(used);
            Some(place)
        })
        .collect();
    table.variants.iter_mut().for_each(|variant| variant.graph = places[variant.graph]);
    let mut at = 0;
    table.graphs.retain(|_| {
        at += 1;
        used[at - 1]
    });
}
