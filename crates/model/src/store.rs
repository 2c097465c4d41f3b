//! Models and the lab: measurements to train from, and models kept beside them.

use gw_lab::{Field, Lab, ModelRecord, StepTable, TableQuery};

use crate::error::{ModelError, Result};
use crate::model::Model;

/// Measurements of one program, as models need them.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The steps.
    pub table: StepTable,
    /// The commit that was measured; absent when there are several and none was asked for.
    pub commit: Option<String>,
}

/// Reads the steps of an algorithm from a lab. A run switches between schedules of one program, so implementations of
/// other programs are left out; `program` names the one to keep when there are several.
pub fn measured(lab: &Lab, query: &TableQuery, program: Option<&str>) -> Result<Measured> {
    let mut table = lab.step_table(query)?;
    let of_program = programs(lab, &table)?;
    let mut known: Vec<&str> = table.core().into_iter().filter_map(|i| of_program[i].as_deref()).collect();
    known.sort_unstable();
    known.dedup();
    let refuse = |problem: String| Err(ModelError::Option { option: "--program", problem });
    let program = match (program, &known[..]) {
        (Some(wanted), known) if known.contains(&wanted) => wanted.to_string(),
        (Some(wanted), known) => {
            return refuse(format!("no measured implementation runs `{wanted}`; there are: {}", known.join(", ")));
        }
        (None, [only]) => (*only).to_string(),
        (None, []) => query.algorithm.clone(),
        (None, several) => {
            return refuse(format!(
                "implementations of several programs were measured; name one of: {}",
                several.join(", ")
            ));
        }
    };
    let keep: Vec<bool> = of_program.iter().map(|of| of.as_deref().is_none_or(|of| of == program)).collect();
    table.keep_implementations(&keep);
    table.program = program;
    let commit = commit(lab, query, &table.platform)?;
    Ok(Measured { table, commit })
}

/// The program of each implementation of a table.
fn programs(lab: &Lab, table: &StepTable) -> Result<Vec<Option<String>>> {
    let sheet = lab.query("SELECT id, program FROM Implementation", None)?;
    let program = |id: i64| {
        sheet.rows.iter().find_map(|row| match &row[..] {
            [Field::Integer(found), Field::Text(program)] if *found == id => Some(program.clone()),
            _ => None,
        })
    };
    Ok(table.implementations.iter().map(|implementation| program(implementation.id)).collect())
}

/// The commit of the runs that a query is about.
fn commit(lab: &Lab, query: &TableQuery, platform: &str) -> Result<Option<String>> {
    let sql = "SELECT DISTINCT p.name, a.name, rc.algorithmVersion FROM Run r JOIN RunConfig rc ON rc.id = r.runConfigId \
               JOIN Platform p ON p.id = rc.platformId JOIN Algorithm a ON a.id = rc.algorithmId \
               WHERE r.timestamp <= :as_of";
    let sheet = lab.query(sql, query.as_of.as_deref())?;
    let mut found: Vec<String> = sheet
        .rows
        .iter()
        .filter_map(|row| match &row[..] {
            [Field::Text(on), Field::Text(of), Field::Text(commit)] if on == platform && *of == query.algorithm => {
                Some(commit.clone())
            }
            _ => None,
        })
        .filter(|commit| query.commit.as_deref().is_none_or(|wanted| commit.starts_with(wanted)))
        .collect();
    Ok(if found.len() == 1 { found.pop() } else { None })
}

/// A model as the lab keeps it.
pub fn record(model: &Model, description: Option<String>) -> ModelRecord {
    let learning = &model.learning;
    let implementation = |&class: &u16| model.candidates[usize::from(class)].implementation;
    ModelRecord {
        name: model.name.clone(),
        algorithm: model.algorithm.clone(),
        platform: model.platform.clone(),
        commit: model.commit.clone().unwrap_or_default(),
        description,
        file: model.to_json(),
        seed: learning.seed,
        train_graphs: learning.fractions.graphs,
        train_variants: learning.fractions.variants,
        train_steps: learning.fractions.steps,
        skip_incomplete: learning.skip_incomplete,
        datasets: model.datasets.clone(),
        features: model.features.iter().map(|used| (used.feature, used.importance)).collect(),
        unknown: model
            .ties
            .iter()
            .map(|tie| (tie.candidates.iter().map(implementation).collect(), tie.leaves))
            .collect(),
        created: model.created.clone(),
    }
}

/// A model out of a lab.
pub fn load(lab: &Lab, name: &str) -> Result<Model> {
    let record = lab.model(name)?;
    Model::from_json(&record.file, &format!("the model `{name}` of the lab"))
}
