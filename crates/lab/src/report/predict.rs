//! The times that a model's choices would take on measured steps.

use gw_schedule::Tree;

use super::ReportModel;
use crate::{StepTable, StepTimes};

/// A model on the implementations of a table.
pub(super) struct Chooser<'m> {
    tree: &'m Tree,
    /// Places of the candidates among the implementations; none for those that the table does not have.
    places: Vec<Option<usize>>,
}

impl<'m> Chooser<'m> {
    /// Finds the candidates by name, or by the text of their schedule.
    pub fn new(model: &'m ReportModel, table: &StepTable) -> Chooser<'m> {
        let find = |name: &String| {
            let named = table.implementations.iter().position(|one| one.name == *name);
            named.or_else(|| table.implementations.iter().position(|one| one.schedule == *name))
        };
        Chooser { tree: &model.tree, places: model.candidates.iter().map(find).collect() }
    }

    /// The implementation for each step. A leaf that leaves several open keeps the one before; the first candidate,
    /// which is the safe one, when there is none before.
    pub fn choices(&self, steps: &[StepTimes]) -> Vec<Option<usize>> {
        let mut candidate = 0;
        let choose = |step: &StepTimes| {
            candidate = self.tree.decide(|feature| step.features[feature.index()]).candidate.unwrap_or(candidate);
            self.places.get(candidate).copied().flatten()
        };
        steps.iter().map(choose).collect()
    }

    /// The seconds of each step under these choices; NaN where what is chosen was not measured.
    pub fn seconds(choices: &[Option<usize>], steps: &[StepTimes]) -> Vec<f64> {
        let of = |(choice, step): (&Option<usize>, &StepTimes)| {
            choice.and_then(|place| step.seconds.get(place).copied()).unwrap_or(f64::NAN)
        };
        choices.iter().zip(steps).map(of).collect()
    }

    /// The seconds of a variant under the model.
    pub fn total(&self, steps: &[StepTimes]) -> f64 {
        Chooser::seconds(&self.choices(steps), steps).iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Implementation;
    use gw_schedule::Feature;

    #[test]
    fn undecided_leaves_keep_the_choice_before() {
        let implementation = |name: &str| Implementation {
            id: 0,
            name: name.into(),
            schedule: format!("schedule of {name}"),
            target: "cpu".into(),
            is_core: true,
        };
        let table = StepTable { implementations: ["x", "y", "z"].map(implementation).to_vec(), ..Default::default() };
        let model = ReportModel {
            name: "m".into(),
            algorithm: "bfs".into(),
            platform: "p".into(),
            tree: "(frontier<=1?{0,1}:(frontier<=2?1:(frontier<=3?0:2)))".parse().unwrap(),
            candidates: vec!["z".into(), "schedule of x".into(), "elsewhere".into()],
            importance: Vec::new(),
            unseen: None,
        };
        let step = |frontier: f64| {
            let mut features = [0.0; Feature::COUNT];
            features[Feature::Frontier.index()] = frontier;
            StepTimes { features, seconds: vec![1.0, 10.0, 100.0] }
        };
        let chooser = Chooser::new(&model, &table);
        let steps = [1.0, 2.0, 1.0, 3.0].map(step);
        assert_eq!(chooser.choices(&steps), [Some(2), Some(0), Some(0), Some(2)]);
        assert_eq!(chooser.total(&steps), 202.0);
        assert!(chooser.total(&[step(9.0)]).is_nan());
    }
}
