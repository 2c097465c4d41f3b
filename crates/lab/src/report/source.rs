//! What a lab has for a report: a table for each algorithm and platform with runs, and the models.

use gw_schedule::Tree;
use serde::Deserialize;

use super::{ReportData, ReportModel};
use crate::clock::utc_now;
use crate::{Field, Lab, LabError, ModelRecord, Result, TableQuery};
use gw_learned::adviser::Candidate;

/// Which measurements of a lab a report shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReportQuery {
    /// Only this algorithm.
    pub algorithm: Option<String>,
    /// Only this platform.
    pub platform: Option<String>,
    /// What the lab knew at this moment in UTC.
    pub as_of: Option<String>,
}

/// What was measured, the latest runs last.
const MEASURED: &str = "
    SELECT a.name, p.name, rc.algorithmVersion
    FROM Run r
    JOIN RunConfig rc ON rc.id = r.runConfigId
    JOIN Algorithm a ON a.id = rc.algorithmId
    JOIN Platform p ON p.id = rc.platformId
    WHERE r.validated = 1 AND r.timestamp <= :as_of
    GROUP BY 1, 2, 3
    ORDER BY 1, 2, MAX(r.timestamp)";

/// The part of a model file that a report needs beside what the lab itself knows.
#[derive(Deserialize)]
struct ModelFile {
    candidates: Vec<Candidate>,
    #[serde(with = "gw_learned::adviser::tree_text")]
    tree: Tree,
    /// Graphs that it was not trained with.
    #[serde(default)]
    held_out_graphs: Vec<String>,
}

impl ReportModel {
    /// A model that is stored in a lab.
    fn of_record(record: ModelRecord) -> Result<ReportModel> {
        let wrong =
            |error: serde_json::Error| LabError::Model { file: record.name.clone(), message: error.to_string() };
        let file: ModelFile = serde_json::from_str(&record.file).map_err(wrong)?;
        Ok(ReportModel {
            name: record.name,
            algorithm: record.algorithm,
            platform: record.platform,
            tree: file.tree,
            candidates: file.candidates.into_iter().map(|candidate| candidate.name).collect(),
            importance: record.features.iter().map(|(feature, share)| (feature.to_string(), *share)).collect(),
            unseen: (!file.held_out_graphs.is_empty()).then_some(file.held_out_graphs),
        })
    }
}

impl ReportData {
    /// The measurements and models of a lab. Where a platform has runs of several commits, the one with the
    /// latest runs is shown, and a note says so.
    pub fn of_lab(lab: &Lab, query: &ReportQuery) -> Result<ReportData> {
        let name = lab.path().file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut data = ReportData { title: format!("Lab {name}"), created: utc_now(), ..ReportData::default() };
        let measured = lab.query(MEASURED, query.as_of.as_deref())?;
        let mut found: Vec<[String; 3]> = Vec::new();
        for row in &measured.rows {
            if let [Field::Text(algorithm), Field::Text(platform), Field::Text(commit)] = &row[..]
                && query.algorithm.as_ref().is_none_or(|wanted| wanted == algorithm)
                && query.platform.as_ref().is_none_or(|wanted| wanted == platform)
            {
                // The latest commit takes the place of those before it.
                if let Some(last) = found.pop_if(|last| last[0] == *algorithm && last[1] == *platform) {
                    data.notes
                        .push(format!("{algorithm} on {platform}: older runs, of commit {}, are not shown.", last[2]));
                }
                found.push([algorithm.clone(), platform.clone(), commit.clone()]);
            }
        }
        if found.is_empty() {
            let wanted = [("algorithm", &query.algorithm), ("platform", &query.platform)];
            let wanted: String =
                wanted.iter().filter_map(|(kind, name)| Some(format!(" of the {kind} {}", name.as_ref()?))).collect();
            return Err(LabError::Entry {
                place: format!("lab {}", lab.path().display()),
                message: format!("no validated runs{wanted}; `gw lab run` measures, `gw lab list` shows what there is"),
            });
        }
        for [algorithm, platform, commit] in found {
            let wanted = TableQuery {
                algorithm,
                platform: Some(platform),
                commit: Some(commit),
                as_of: query.as_of.clone(),
                ..TableQuery::default()
            };
            data.tables.push(lab.step_table(&wanted)?);
        }
        for record in lab.models(query.as_of.as_deref())? {
            data.models.push(ReportModel::of_record(record)?);
        }
        Ok(data)
    }
}
