//! The learned choice for the graphs of tables: the model that comes along, and models that never saw the graph.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use gw_exec::Choice;
use gw_lab::Lab;
use gw_learned::model::ChoiceModel;
use gw_model::choice::{Learning, LeaveOut, Rows, judge, proven, rows, train};
use gw_schedule::{Capabilities, ProgramSchedule};

use crate::cells::{Cell, machine};
use crate::{Failure, Options};

/// Models for one machine.
pub struct Learned {
    target: String,
    capabilities: Capabilities,
    shipped: Option<Arc<ChoiceModel>>,
    rows: Rows,
    /// Models by the graph that was left out.
    known: RefCell<HashMap<String, Option<Arc<ChoiceModel>>>>,
}

impl Learned {
    pub fn new(options: &Options) -> Result<Learned, Failure> {
        let labs = options.learn.iter().chain(&options.labs).map(Lab::open).collect::<Result<Vec<_>, _>>()?;
        Ok(Learned {
            target: options.target.clone(),
            capabilities: machine(&options.target)?.capabilities(),
            shipped: ChoiceModel::of(&options.target).transpose()?,
            // Tables alone are few graphs: nothing is learned from them.
            rows: if options.learn.is_empty() { Rows::default() } else { rows(&labs, &options.target)? },
            known: RefCell::default(),
        })
    }

    /// The regret of the model that comes along.
    pub fn shipped(&self, cell: &Cell) -> Option<f64> {
        self.regret(cell, self.shipped.as_deref()?)
    }

    /// The regret of a model that never saw the graph of the cell, on whatever machine; without surveys to learn from
    /// nothing is known.
    pub fn without_graph(&self, cell: &Cell) -> Result<Option<f64>, Failure> {
        if self.rows.cases.is_empty() {
            return Ok(None);
        }
        let name = cell.cell.graph_name.as_deref().unwrap_or(&cell.cell.graph).to_string();
        let name = name.rsplit('/').next().unwrap_or(&name).to_string();
        if !self.known.borrow().contains_key(&name) {
            let model = self.train_without(&name)?;
            self.known.borrow_mut().insert(name.clone(), model);
        }
        let known = self.known.borrow();
        Ok(known.get(&name).cloned().flatten().and_then(|model| self.regret(cell, &model)))
    }

    /// As `gw model choice --judge` makes models, but without a graph.
    fn train_without(&self, graph: &str) -> Result<Option<Arc<ChoiceModel>>, Failure> {
        let mut left = Rows::default();
        let mut places = HashMap::new();
        for (at, case) in self.rows.cases.iter().enumerate().filter(|(_, case)| case.graph != graph) {
            places.insert(at, left.cases.len());
            left.cases.push(case.clone());
        }
        for row in &self.rows.rows {
            if let Some(&case) = places.get(&row.case) {
                let mut row = row.clone();
                row.case = case;
                left.rows.push(row);
            }
        }
        let learning = Learning::default();
        let judged = judge(&left, &self.target, &learning, LeaveOut::Graph)?;
        let proven = proven(&left, &judged);
        let mut model = train(&left, &self.target, &learning, |_| true)?;
        model.retain(|kind, class| proven.contains(&(kind, class.to_string())));
        Ok(Some(Arc::new(model)))
    }

    /// The regret of a model's choice. Where the table lacks a choice that changes several places, the ratios of the
    /// places are multiplied.
    fn regret(&self, cell: &Cell, model: &ChoiceModel) -> Option<f64> {
        let rule = cell.rule().clone();
        let mut choice = Choice { schedule: rule.clone(), ..Choice::default() };
        let numbers = || {
            let mut numbers = cell.cell.features.clone();
            // A device has no threads behind its name: those of the host say nothing about it.
            if !cell.cell.hardware.contains("threads: ") {
                numbers.insert("threads".to_string(), 0.0);
            }
            numbers
        };
        model.improve_by(&self.capabilities, &cell.module, numbers, &mut choice);
        if let Some(regret) = cell.regret(&choice.schedule) {
            return Some(regret);
        }
        let base = cell.regret(&rule)?;
        let mut product = base;
        for (label, schedule) in choice.schedule.labels() {
            if rule.get(label.as_str()) != Some(schedule) {
                let mut alone: ProgramSchedule = rule.clone();
                alone.insert(label.clone(), schedule.clone());
                product *= cell.regret(&alone)? / base;
            }
        }
        Some(product.max(1.0))
    }
}
