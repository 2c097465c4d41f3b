//! The options of training, for all commands that train.

use clap::{Args, ValueEnum};
use gw_lab::utc_now;
use gw_model::{Ambiguous, Criterion, Fractions, Learning, Naming};
use gw_schedule::{Feature, Label, Name};

use crate::error::ToolError;

/// What to learn.
#[derive(Args)]
pub struct LearningArguments {
    /// What a split shall reduce
    #[arg(long, value_enum, default_value_t = SplitBy::Spread)]
    criterion: SplitBy,
    /// As published: Gini over all implementations, grown until leaves are pure, not pruned, ties kept
    #[arg(long, conflicts_with_all = ["criterion", "candidates", "total_weight"])]
    plain: bool,
    /// Features the tree may look at [default: all]; `gw model train --help` lists them
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = feature)]
    features: Vec<Feature>,
    /// How many implementations the tree may choose from; 0 for all [default: 6]
    #[arg(long, value_name = "N")]
    candidates: Option<usize>,
    /// How much the Total counts beside the mean ratio [default: 1]
    #[arg(long, value_name = "X")]
    total_weight: Option<f64>,
    /// Longest way from the root to a leaf [default: 12]
    #[arg(long, value_name = "N")]
    max_depth: Option<usize>,
    /// Least number of rows in a leaf [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    min_rows: Option<u32>,
    /// Least gain of a split, as a share of what there is to gain [default: 0]
    #[arg(long, value_name = "X")]
    min_gain: Option<f64>,
    /// Folds of the cross-validation that prunes the tree; 0 prunes nothing [default: 5]
    #[arg(long, value_name = "N")]
    prune_folds: Option<usize>,
    /// What becomes of leaves in which candidates tie [default: ranked]
    #[arg(long, value_enum)]
    ambiguous: Option<Ties>,
    /// Learn from variants too on which some implementation was not measured
    #[arg(long)]
    incomplete: bool,
    /// Learn as if switching cost nothing, also where `gw model alternate` has measured it
    #[arg(long)]
    no_switching: bool,
    /// Seed of the choice of training rows and of folds
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Label of the operator whose calls are the steps
    #[arg(long, default_value = "s0:s1")]
    label: Label,
}

/// What a split shall reduce.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SplitBy {
    /// The spread of what each schedule costs among the rows of a leaf
    Spread,
    /// The time lost by giving all rows of a leaf the same schedule
    Regret,
    /// The impurity of the labels
    Gini,
}

/// What becomes of ties.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Ties {
    /// They stay: a run keeps the schedule it has
    None,
    /// The first of them
    First,
    /// The one that loses least over all training rows
    Ranked,
}

fn feature(word: &str) -> Result<Feature, String> {
    Feature::from_word(word).ok_or_else(|| format!("there is no such feature; there are: {}", words()))
}

/// All features, for help and errors.
pub fn words() -> String {
    Feature::ALL.iter().map(|feature| feature.word()).collect::<Vec<_>>().join(", ")
}

impl LearningArguments {
    /// The options with what was not given as it is by default.
    pub fn learning(&self, fractions: Fractions) -> Learning {
        let base = if self.plain { Learning::plain() } else { Learning::default() };
        Learning {
            criterion: match self.criterion {
                _ if self.plain => Criterion::Gini,
                SplitBy::Spread => Criterion::Spread,
                SplitBy::Regret => Criterion::Regret,
                SplitBy::Gini => Criterion::Gini,
            },
            features: if self.features.is_empty() { base.features } else { self.features.clone() },
            candidates: match self.candidates {
                None => base.candidates,
                Some(0) => None,
                some => some,
            },
            total_weight: self.total_weight.unwrap_or(base.total_weight),
            max_depth: self.max_depth.unwrap_or(base.max_depth),
            min_rows: self.min_rows.map_or(base.min_rows, |rows| rows as usize),
            min_gain: self.min_gain.unwrap_or(base.min_gain),
            folds: self.prune_folds.unwrap_or(base.folds),
            ambiguous: match self.ambiguous {
                None => base.ambiguous,
                Some(Ties::None) => Ambiguous::None,
                Some(Ties::First) => Ambiguous::First,
                Some(Ties::Ranked) => Ambiguous::Ranked,
            },
            skip_incomplete: !self.incomplete,
            fractions,
            seed: self.seed,
            switching: base.switching && !self.no_switching,
        }
    }

    /// What the model is called and what it is for.
    pub fn naming(&self, name: &str, algorithm: &str, commit: Option<String>) -> Result<Naming, ToolError> {
        let name = Name::new(name).map_err(|error| ToolError::usage(format!("--name: {error}")))?;
        let (algorithm, label) = (algorithm.to_string(), self.label.clone());
        Ok(Naming { name, algorithm, label, created: utc_now(), commit })
    }
}
