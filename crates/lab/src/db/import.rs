//! Timings of other systems, from a CSV table.

use std::path::Path;

use gw_graph::text_file::read_up_to;
use rusqlite::{OptionalExtension, Transaction, params};

use super::Lab;
use super::entry::find;
use crate::error::{LabError, Result};

/// The longest table that is taken.
const MAX_TABLE: u64 = 1 << 30;
/// Columns that a table may have.
const COLUMNS: [&str; 10] =
    ["system", "graph", "seconds", "dataset", "config", "root", "timer", "min", "max", "std_dev"];

/// What was taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Imported {
    /// Systems that were named.
    pub systems: usize,
    /// Timings, those included that replaced others.
    pub timings: usize,
    /// Timings that were there before.
    pub replaced: usize,
}

impl Lab {
    /// Takes in mean times of other systems. The first line names the columns: `system`, `graph` and `seconds` are
    /// needed; `dataset`, `config` or `root`, `timer`, `min`, `max` and `std_dev` are known. All lines or none are
    /// taken.
    pub fn import(&mut self, table: &Path, algorithm: &str, platform: &str) -> Result<Imported> {
        let text =
            read_up_to(table, MAX_TABLE).map_err(|source| LabError::Read { path: table.to_path_buf(), source })?;
        let wrong = |line: u64, message: String| LabError::Entry {
            place: format!("{}, line {line}", table.display()),
            message,
        };
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(&text[..]);
        let header = reader.headers().map_err(|error| wrong(1, error.to_string()))?.clone();
        check_columns(&header).map_err(|message| wrong(1, message))?;
        let change = self.write()?;
        let algorithm_id = find(&change, "Algorithm", "algorithm", algorithm)?;
        let platform_id = find(&change, "Platform", "platform", platform)?;
        let mut imported = Imported::default();
        for record in reader.records() {
            let record = record.map_err(|error| {
                wrong(error.position().map_or(0, csv::Position::line), format!("this is not CSV: {error}"))
            })?;
            let line = record.position().map_or(0, csv::Position::line);
            let field = |name: &str| {
                let at = header.iter().position(|found| found == name)?;
                record.get(at).filter(|text| !text.is_empty())
            };
            let needed = |name: &str| field(name).ok_or_else(|| wrong(line, format!("`{name}` is empty")));
            let number = |name: &str| match field(name).map(|text| (text, text.parse::<f64>())) {
                None => Ok(None),
                Some((_, Ok(number))) if number.is_finite() && number >= 0.0 => Ok(Some(number)),
                Some((text, _)) => Err(wrong(line, format!("`{name}` must be seconds, but it is `{text}`"))),
            };
            let system = needed("system")?;
            let variant = Wanted {
                algorithm: algorithm_id,
                graph: needed("graph")?,
                dataset: field("dataset"),
                config: field("config"),
                root: match field("root") {
                    None => None,
                    Some(text) => Some(
                        text.parse()
                            .map_err(|_| wrong(line, format!("`root` must be a vertex, but it is `{text}`")))?,
                    ),
                },
            };
            let variant = variant.find(&change)?.map_err(|message| wrong(line, message))?;
            let mean = number("seconds")?.ok_or_else(|| wrong(line, "`seconds` is empty".to_string()))?;
            let timed = Timed { platform: platform_id, variant, algorithm: algorithm_id, system };
            let range = (number("min")?.unwrap_or(mean), mean, number("max")?.unwrap_or(mean));
            let timer = field("timer").unwrap_or("computation");
            timed.store(&change, timer, range, number("std_dev")?.unwrap_or(0.0), &mut imported)?;
        }
        change.commit()?;
        Ok(imported)
    }
}

/// Says what is wrong with the names of the columns.
fn check_columns(header: &csv::StringRecord) -> std::result::Result<(), String> {
    if let Some(unknown) = header.iter().find(|name| !COLUMNS.contains(name)) {
        return Err(format!("there is no column `{unknown}`; columns: {}", COLUMNS.join(", ")));
    }
    match COLUMNS[..3].iter().find(|&&name| !header.iter().any(|found| found == name)) {
        Some(missing) => Err(format!("the column `{missing}` is missing")),
        None => Ok(()),
    }
}

/// A system that was timed on a variant, with the keys of the lab.
struct Timed<'a> {
    platform: i64,
    variant: i64,
    algorithm: i64,
    system: &'a str,
}

impl Timed<'_> {
    /// Stores the least, mean and greatest seconds of a timer in place of those that were there before.
    fn store(
        &self,
        change: &Transaction<'_>,
        timer: &str,
        (min, mean, max): (f64, f64, f64),
        std_dev: f64,
        imported: &mut Imported,
    ) -> Result<()> {
        let Timed { platform, variant, algorithm, system } = *self;
        imported.systems += change.execute(
            "INSERT OR IGNORE INTO ExternalImpl(algorithmId, name) VALUES(?1, ?2)",
            params![algorithm, system],
        )?;
        let system: i64 = change.query_row(
            "SELECT id FROM ExternalImpl WHERE algorithmId = ?1 AND name = ?2",
            params![algorithm, system],
            |row| row.get(0),
        )?;
        imported.replaced += change.execute(
            "DELETE FROM ExternalTimer WHERE platformId = ?1 AND variantId = ?2 AND implId = ?3 AND algorithmId = ?4 \
             AND name = ?5",
            params![platform, variant, system, algorithm, timer],
        )?;
        imported.timings += change.execute(
            "INSERT INTO ExternalTimer VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![platform, variant, system, algorithm, timer, min, mean, max, std_dev],
        )?;
        Ok(())
    }
}

/// A variant as a line names it.
struct Wanted<'a> {
    algorithm: i64,
    graph: &'a str,
    dataset: Option<&'a str>,
    config: Option<&'a str>,
    root: Option<u32>,
}

impl Wanted<'_> {
    /// The key of the variant, which is made when the lab has its graph and configuration; else what is wrong.
    fn find(&self, change: &Transaction<'_>) -> Result<std::result::Result<i64, String>> {
        let all = |sql: &str, values: &[&dyn rusqlite::ToSql]| -> Result<Vec<i64>> {
            let mut statement = change.prepare_cached(sql)?;
            Ok(statement.query_map(values, |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
        };
        let graphs = all(
            "SELECT g.id FROM Graph g JOIN Dataset d ON d.id = g.datasetId WHERE g.name = ?1 AND (?2 IS NULL OR d.name = ?2)",
            &[&self.graph, &self.dataset],
        )?;
        let &[graph] = &graphs[..] else {
            return Ok(Err(match graphs.len() {
                0 => format!("the lab has no graph `{}`", self.graph),
                _ => format!("several datasets have a graph `{}`; name one in a column `dataset`", self.graph),
            }));
        };
        if let Some(root) = self.root {
            let variant = change
                .query_row(
                    "SELECT id FROM Variant WHERE graphId = ?1 AND algorithmId = ?2 AND root = ?3",
                    params![graph, self.algorithm, root],
                    |row| row.get(0),
                )
                .optional()?;
            return Ok(variant.ok_or_else(|| format!("no variant of `{}` starts at {root}", self.graph)));
        }
        let configs = all(
            "SELECT id FROM VariantConfig WHERE algorithmId = ?1 AND (?2 IS NULL OR name = ?2)",
            &[&self.algorithm, &self.config],
        )?;
        let &[config] = &configs[..] else {
            return Ok(Err(match (configs.len(), self.config) {
                (0, Some(config)) => format!("the algorithm has no configuration `{config}`"),
                (0, None) => "the algorithm has no configuration; add variants first".to_string(),
                _ => "the algorithm has several configurations; name one in a column `config` or `root`".to_string(),
            }));
        };
        change.execute(
            "INSERT OR IGNORE INTO Variant(graphId, variantConfigId, algorithmId) VALUES(?1, ?2, ?3)",
            params![graph, config, self.algorithm],
        )?;
        Ok(Ok(change.query_row(
            "SELECT id FROM Variant WHERE graphId = ?1 AND variantConfigId = ?2",
            params![graph, config],
            |row| row.get(0),
        )?))
    }
}
