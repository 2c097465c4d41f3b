//! A trained model as it is kept: in a file of JSON text, or in the lab.

use std::path::Path;

use gw_graph::GraphError;
use gw_graph::text_file::read_text;
use gw_lab::{Field, Sheet};
use gw_schedule::{Feature, Tree};
use serde::{Deserialize, Serialize};

use crate::error::{ModelError, Result};
use crate::train::Learning;

/// The version of the file format.
const FORMAT: u32 = 1;

/// A decision tree over schedules with all that is needed to use it, judge it and train it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The version of this format.
    pub format: u32,
    /// Its name.
    pub name: String,
    /// The algorithm it was trained for, such as `bfs`.
    pub algorithm: String,
    /// The program whose steps were measured.
    pub program: String,
    /// The machine, such as `cpu`.
    pub target: String,
    /// The platform whose times were used.
    pub platform: String,
    /// The label of the operator whose calls are the steps.
    pub label: String,
    /// What the tree chooses from, by number; the first is the safe one.
    pub candidates: Vec<Candidate>,
    /// The tree, as text.
    #[serde(with = "gw_learned::adviser::tree_text")]
    pub tree: Tree,
    /// What it could look at, with the share of the gain that splits by it brought; the most important first.
    pub features: Vec<FeatureUse>,
    /// The sets of candidates that tied in leaves, whatever was made of them.
    pub ties: Vec<Tie>,
    /// How it was trained.
    pub learning: Learning,
    /// The datasets that its graphs belong to.
    pub datasets: Vec<String>,
    /// The graphs it learned from.
    pub training_graphs: Vec<String>,
    /// The graphs that were there and not drawn.
    pub held_out_graphs: Vec<String>,
    /// Rows it learned from.
    pub training_rows: usize,
    /// Rows there were.
    pub all_rows: usize,
    /// How its choices compare with the optimum on the rows it learned from; absent when no variant was measured
    /// completely.
    pub training: Option<Figures>,
    /// When it was trained, in UTC.
    pub created: String,
    /// The commit whose timings were used, where that is known.
    pub commit: Option<String>,
}

/// A schedule that a tree can choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// Its name in the lab.
    pub name: String,
    /// Canonical text of the program's schedule.
    pub schedule: String,
    /// Its key in the lab that it was trained from.
    pub implementation: i64,
}

/// A feature and its importance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureUse {
    /// The feature.
    pub feature: Feature,
    /// Share of the gain of all splits; the shares sum to 1 when there is a split.
    pub importance: f64,
}

/// Candidates that tied in leaves of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tie {
    /// The candidates, by number.
    pub candidates: Vec<u16>,
    /// How many leaves they tied in.
    pub leaves: u64,
}

/// The main columns of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Summed seconds by the summed optimum.
    pub total: f64,
    /// Mean ratio.
    pub avg: f64,
    /// Greatest ratio.
    pub worst: f64,
}

impl Model {
    /// The present version of the format.
    pub const FORMAT: u32 = FORMAT;

    /// Reads a model file.
    pub fn read(path: &Path) -> Result<Model> {
        let text = read_text(path).map_err(|source| ModelError::Read { path: path.to_path_buf(), source })?;
        Model::from_json(&text, &path.display().to_string())
    }

    /// Reads the text of a model; `place` says in errors where it stands.
    pub fn from_json(text: &str, place: &str) -> Result<Model> {
        let wrong = |problem: String| ModelError::Format { place: place.to_string(), problem };
        // A later version may have other keys: say so rather than complain about one of them.
        #[derive(Deserialize)]
        struct Head {
            format: u32,
        }
        let head: Head = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if head.format != FORMAT {
            return Err(wrong(format!("its format is {}, this program knows {FORMAT}", head.format)));
        }
        let model: Model = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        model.check().map_err(wrong)?;
        Ok(model)
    }

    /// What a file cannot say by its form alone.
    fn check(&self) -> Result<(), String> {
        gw_schedule::Name::new(self.name.as_str()).map_err(|error| error.to_string())?;
        gw_schedule::Label::new(self.label.as_str()).map_err(|error| error.to_string())?;
        if self.candidates.is_empty() {
            return Err("it has no candidates".to_string());
        }
        if let Some(&most) = self.tree.candidates().last().filter(|&&most| usize::from(most) >= self.candidates.len()) {
            return Err(format!("its tree answers {most}, but there are only {} candidates", self.candidates.len()));
        }
        if !self.tree.costs().is_empty() && self.tree.costs().len() != self.candidates.len() {
            return Err(format!("it has {} costs for {} candidates", self.tree.costs().len(), self.candidates.len()));
        }
        for candidate in &self.candidates {
            if let Err(error) = candidate.schedule.parse::<gw_schedule::ProgramSchedule>() {
                return Err(format!("the schedule of `{}`: {error}", candidate.name));
            }
        }
        Ok(())
    }

    /// The text of a model file.
    pub fn to_json(&self) -> String {
        // Every field is plain data with text keys: this cannot fail.
        serde_json::to_string_pretty(self).map(|text| text + "\n").unwrap_or_default()
    }

    /// Writes a model file: complete, or not at all.
    pub fn write(&self, path: &Path) -> Result<()> {
        let failed = |source| ModelError::Write { path: path.to_path_buf(), source };
        match gw_graph::format::write_file(path, self.to_json().as_bytes()) {
            Ok(_) => Ok(()),
            Err(GraphError::Io { source, .. }) => Err(failed(source)),
            Err(other) => Err(failed(std::io::Error::other(other.to_string()))),
        }
    }

    /// Calls a candidate by another name: by that of its like on another machine, to judge the model there.
    pub fn rename(&mut self, candidate: &str, name: &str) -> Result<()> {
        match self.candidates.iter_mut().find(|known| known.name == candidate) {
            Some(known) => known.name = name.to_string(),
            None => {
                let known: Vec<&str> = self.candidates.iter().map(|candidate| candidate.name.as_str()).collect();
                let problem = format!("it has no candidate `{candidate}`; it has {}", known.join(", "));
                return Err(ModelError::Unfit { model: self.name.clone(), problem });
            }
        }
        Ok(())
    }

    /// The features and their importances.
    pub fn importance_sheet(&self) -> Sheet {
        let mut sheet = Sheet::new(["Feature", "Importance %", "Meaning"]);
        let lines = <Feature as gw_schedule::AxisValue>::rows();
        for used in &self.features {
            let meaning = lines[used.feature.index()].line.to_string();
            sheet.rows.push(vec![
                Field::Text(used.feature.word().to_string()),
                Field::Real(100.0 * used.importance),
                Field::Text(meaning),
            ]);
        }
        sheet
    }
}
