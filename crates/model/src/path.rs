//! Paths: which candidate runs at each step of a variant when it costs something to switch between them.
//!
//! Going backwards from the last step gives what each candidate costs from its step to the end when everything after
//! is chosen best. With the candidate before, that says what a choice costs now *and* later: what a tree should learn
//! from.

use std::ops::Range;

use gw_lab::{StepTable, Switching};
use gw_schedule::{Feature, Tree};

use crate::data::Data;

/// The rows of a variant, in the order of its steps, and what switching costs between them.
struct Sequence {
    rows: Range<usize>,
    /// By the candidate before and the one after, in the unit of [`Data::costs`].
    switching: Vec<f64>,
}

/// The sequences of all rows.
pub(crate) struct Paths {
    sequences: Vec<Sequence>,
    classes: usize,
}

impl Paths {
    /// Of rows that come variant by variant; `None` when nothing is known of switching.
    pub fn new(
        table: &StepTable,
        costs: &Switching,
        data: &Data,
        candidates: &[usize],
        weights: &[f64],
    ) -> Option<Paths> {
        if !costs.is_known() {
            return None;
        }
        let mut sequences: Vec<Sequence> = Vec::new();
        let mut start = 0;
        for rows in data.places.chunk_by(|a, b| a.0 == b.0) {
            let variant = rows[0].0;
            let vertices = table.graphs[table.variants[variant].graph].vertices;
            let cost = |from: usize, to: usize| weights[variant] * costs.seconds(from, to, vertices);
            let switching =
                candidates.iter().flat_map(|&from| candidates.iter().map(move |&to| cost(from, to))).collect();
            sequences.push(Sequence { rows: start..start + rows.len(), switching });
            start += rows.len();
        }
        Some(Paths { sequences, classes: candidates.len() })
    }

    /// What the best paths through these candidates lose, all variants together.
    pub fn least(&self, data: &Data, candidates: &[usize]) -> f64 {
        let mut all = 0.0;
        let (mut here, mut next) = (vec![0.0; candidates.len()], vec![0.0; candidates.len()]);
        for sequence in &self.sequences {
            for (number, row) in sequence.rows.clone().enumerate() {
                let costs = data.costs(row as u32);
                for (to, next) in candidates.iter().zip(&mut next) {
                    let reach = |(from, before): (&usize, &f64)| before + sequence.switching[from * self.classes + to];
                    let before = candidates.iter().zip(&here).map(reach).fold(f64::INFINITY, f64::min);
                    *next = costs[*to] + if number == 0 { 0.0 } else { before };
                }
                std::mem::swap(&mut here, &mut next);
            }
            all += here.iter().copied().fold(f64::INFINITY, f64::min);
        }
        all
    }

    /// For each row and candidate what it costs from there to the end, switching after it included.
    pub fn to_end(&self, data: &Data) -> Vec<f64> {
        let k = self.classes;
        let mut to_end = vec![0.0; data.len() * k];
        for sequence in &self.sequences {
            for row in sequence.rows.clone().rev() {
                for class in 0..k {
                    let after = (row + 1 < sequence.rows.end).then(|| {
                        let on = |next: usize| sequence.switching[class * k + next] + to_end[(row + 1) * k + next];
                        (0..k).map(on).fold(f64::INFINITY, f64::min)
                    });
                    to_end[row * k + class] = data.costs(row as u32)[class] + after.unwrap_or(0.0);
                }
            }
        }
        to_end
    }

    /// The candidate before each row, on the best paths; none at the first steps.
    pub fn best(&self, to_end: &[f64]) -> Vec<Option<u16>> {
        self.follow(|sequence, row, before| {
            let k = self.classes;
            let cost = |class: usize| {
                to_end[row * k + class] + before.map_or(0.0, |p: u16| sequence.switching[usize::from(p) * k + class])
            };
            (0..k).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).map(|class| class as u16)
        })
    }

    /// The candidate before each row when a tree chooses.
    pub fn of_tree(&self, table: &StepTable, data: &Data, tree: &Tree) -> Vec<Option<u16>> {
        self.follow(|_, row, before| {
            let (variant, step) = data.places[row];
            let features = &table.variants[variant].steps[step].features;
            let answer = tree.decide(|feature: Feature| features[feature.index()]);
            // Without an answer the candidate before stays, at first the safe one.
            answer.candidate.map(|class| class as u16).or(before).or(Some(0))
        })
    }

    fn follow(&self, choose: impl Fn(&Sequence, usize, Option<u16>) -> Option<u16>) -> Vec<Option<u16>> {
        let mut previous = Vec::new();
        for sequence in &self.sequences {
            let mut before = None;
            for row in sequence.rows.clone() {
                previous.push(before);
                before = choose(sequence, row, before);
            }
        }
        previous
    }

    /// What each candidate costs in each row, now and later, when `previous` ran before.
    pub fn charged(&self, to_end: &[f64], previous: &[Option<u16>]) -> Vec<f64> {
        let k = self.classes;
        let mut costs = to_end.to_vec();
        for sequence in &self.sequences {
            for row in sequence.rows.clone() {
                let Some(before) = previous[row] else { continue };
                for class in 0..k {
                    costs[row * k + class] += sequence.switching[usize::from(before) * k + class];
                }
            }
        }
        costs
    }
}
