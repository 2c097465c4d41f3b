//! An adviser: the part of a model that a run needs. It turns the machine's choice of a schedule into an adaptive one.

use std::path::Path;
use std::sync::Arc;

use gw_exec::{Choice, GraphVm, Reason};
use gw_graph::text_file::read_text;
use gw_ir::{Module, program_points};
use gw_schedule::{
    Adaptive, Chooser, Label, LoopForm, Name, PointKind, ProgramSchedule, Schedule, SimpleSchedule, Sources, Tree,
};
use serde::{Deserialize, Serialize};

use crate::model::{ModelError, Result};

/// The model files that come with Graphwright, as names and texts.
const BUILTIN: &[(&str, &str)] = &[
    ("bfs-cpu", include_str!("../../../models/bfs-cpu.json")),
    ("bfs-cuda", include_str!("../../../models/bfs-cuda.json")),
];

/// A decision tree with the schedules that it picks from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Adviser {
    /// The name of the model.
    pub name: Name,
    /// The program that it was trained with. It serves other programs too, at operators with a frontier.
    pub program: String,
    /// The machine that it was trained on.
    pub target: String,
    /// Label path of the operator that it was trained with.
    pub label: Label,
    /// What the tree picks from, by place; the first is the safe one.
    pub candidates: Vec<Candidate>,
    /// The tree.
    #[serde(with = "tree_text")]
    pub tree: Tree,
}

/// A schedule that an adviser may pick.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its name, such as `vertex-pull`.
    pub name: String,
    /// Canonical text of the schedule of the program.
    pub schedule: String,
}

/// Trees travel as their one-line text.
pub mod tree_text {
    use gw_schedule::Tree;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes a tree.
    pub fn serialize<S: Serializer>(tree: &Tree, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(tree)
    }

    /// Reads a tree.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Tree, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

impl Adviser {
    /// Reads a model file; what a run does not need is passed over.
    pub fn read(path: &Path) -> Result<Adviser> {
        let text = read_text(path).map_err(|source| ModelError::Read { path: path.to_path_buf(), source })?;
        Adviser::parse(&path.display().to_string(), &text)
    }

    /// Reads the text of a model file; `file` stands in messages.
    pub fn parse(file: &str, text: &str) -> Result<Adviser> {
        let wrong = |message: String| ModelError::Model { file: file.to_string(), message };
        let adviser: Adviser = serde_json::from_str(text).map_err(|e| wrong(e.to_string()))?;
        if adviser.candidates.is_empty() {
            return Err(wrong("it has no candidates".to_string()));
        }
        if let Some(most) = adviser.tree.candidates().last()
            && usize::from(*most) >= adviser.candidates.len()
        {
            let count = adviser.candidates.len();
            return Err(wrong(format!("its tree names candidate {most}, and there are {count} (from 0)")));
        }
        for i in 0..adviser.candidates.len() {
            adviser.simple(i).map_err(|problem| wrong(format!("candidate {i}: {problem}")))?;
        }
        Ok(adviser)
    }

    /// The default of a machine for a program: one trained with it, else one trained with breadth-first search.
    pub fn default_for(machine: &str, program: &str) -> Option<Result<Adviser>> {
        let find = |name: &str| BUILTIN.iter().find(|(known, _)| *known == name);
        let (name, text) = find(&format!("{program}-{machine}")).or_else(|| find(&format!("bfs-{machine}")))?;
        Some(Adviser::parse(name, text))
    }

    /// What a candidate says about the operator.
    fn simple(&self, candidate: usize) -> Result<SimpleSchedule, String> {
        let text = &self.candidates[candidate].schedule;
        let schedule: ProgramSchedule = text.parse().map_err(|e| format!("`{text}`: {e}"))?;
        let here = schedule.get(self.label.as_str()).or_else(|| schedule.everywhere());
        match here {
            None => Ok(SimpleSchedule::default()),
            Some(Schedule::Simple(simple)) => Ok(*simple),
            Some(_) => Err(format!("`{text}` is not a simple schedule")),
        }
    }

    /// Puts adaptive schedules where the candidates are possible: at every edge operator with a frontier, and at the
    /// operator that the model was trained with. `choice` is what the machine chose for the module.
    ///
    /// With `keeps_rule`, places stay as they are where the rule has one schedule for all steps inside a loop that is
    /// one kernel: there every step would pay for counting what the tree looks at. Searches on eleven graphs for which
    /// the rule pushes alone (H200) take 1.08 times as long with the model in the geometric mean, on roads 1.3 times.
    pub fn advise(
        &self,
        machine: &dyn GraphVm,
        module: &Module,
        program: &str,
        choice: &mut Choice,
        keeps_rule: bool,
    ) -> Advised {
        let (places, capabilities) = (program_points(module), machine.capabilities());
        let mut advised = Advised::default();
        for place in places.iter().filter(|place| place.point.kind == PointKind::EdgeOperator) {
            let Some(path) = place.path.as_deref() else { continue };
            let trained_here = program == self.program && path == self.label.as_str();
            if place.point.from != Sources::Set && !trained_here {
                continue;
            }
            let possible = |simple: &SimpleSchedule| {
                let schedule = Schedule::from(*simple);
                places.iter().filter(|p| p.path == place.path).all(|p| schedule.legal(&p.point).is_ok())
                    && capabilities.unsupported(&schedule).is_empty()
            };
            let Some((adaptive, tree)) = self.adaptive(possible) else { continue };
            let simple = |schedule: Option<&Schedule>| matches!(schedule, Some(Schedule::Simple(_)));
            if keeps_rule && simple(choice.schedule.get(path)) && is_in_one_kernel(path, &choice.schedule) {
                advised.kept += 1;
                continue;
            }
            let schedule = Schedule::from(adaptive);
            let legal = places.iter().filter(|p| p.path == place.path).all(|p| schedule.legal(&p.point).is_ok());
            if !legal || !capabilities.unsupported(&schedule).is_empty() {
                continue;
            }
            let text = schedule.to_string();
            let because = format!(
                "the model {} picks among {} candidates at every step, by {}",
                self.name,
                schedule.parts().len(),
                words(&tree)
            );
            if choice.schedule.set(path, schedule).is_err() {
                continue;
            }
            choice.schedule.set_tree(self.name.clone(), Arc::new(tree));
            choice.reasons.retain(|reason| reason.path != path);
            choice.reasons.push(Reason {
                path: path.to_string(),
                line: place.span.line,
                what: place.point.kind.phrase(),
                schedule: text,
                because,
            });
            advised.places += 1;
        }
        advised
    }

    /// The adaptive schedule of the candidates that are possible and that the tree can ask for; the safe one stays
    /// first.
    fn adaptive(&self, possible: impl Fn(&SimpleSchedule) -> bool) -> Option<(Adaptive, Tree)> {
        let known = self.tree.candidates();
        let mut numbers = vec![None; self.candidates.len()];
        let mut candidates: Vec<SimpleSchedule> = Vec::new();
        for (i, number) in numbers.iter_mut().enumerate() {
            let wanted = i == 0 || known.iter().any(|&c| usize::from(c) == i);
            let Ok(simple) = self.simple(i) else { continue };
            if wanted && possible(&simple) {
                *number = Some(candidates.len() as u16);
                candidates.push(simple);
            }
        }
        if candidates.is_empty() {
            return None;
        }
        let tree = self.tree.renumbered(|old| numbers.get(usize::from(old)).copied().flatten());
        Some((Adaptive { candidates, chooser: Chooser::Tree(self.name.clone()) }, tree))
    }
}

/// What became of the places of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Advised {
    /// Places with an adaptive schedule.
    pub places: usize,
    /// Places where the rule stays because choosing would cost more than it brings.
    pub kept: usize,
}

/// Whether the loop around a place is one kernel.
fn is_in_one_kernel(path: &str, schedule: &ProgramSchedule) -> bool {
    let around = path.rsplit_once(':').and_then(|(around, _)| schedule.get(around));
    matches!(around, Some(Schedule::Simple(simple)) if simple.loop_form == Some(LoopForm::Fused))
}

/// What a tree looks at, in words.
fn words(tree: &Tree) -> String {
    let features: Vec<&str> = tree.features().iter().map(|f| f.word()).collect();
    if features.is_empty() { "nothing: it always answers the same".to_string() } else { features.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = r#"{
        "name": "test-model", "program": "bfs-levels", "target": "cpu", "label": "s0:s1", "more": [1, 2],
        "candidates": [
            {"name": "queue-push", "schedule": "s0:s1@push,par=dynamic"},
            {"name": "edge-list", "schedule": "s0:s1@push,lb=edge-only"},
            {"name": "vertex-pull", "schedule": "s0:s1@pull,par=dynamic,frontier=bitmap"}
        ],
        "tree": "(frontier-edges-share<=0.05?0:(frontier<=3?1:2))"
    }"#;

    #[test]
    fn what_a_machine_cannot_run_falls_out() {
        let adviser = Adviser::parse("model", MODEL).unwrap();
        let (adaptive, tree) = adviser.adaptive(|simple| simple.load_balance.is_none()).unwrap();
        assert_eq!(
            adaptive.to_string(),
            "adaptive,by=tree.test-model+push,par=dynamic+pull,par=dynamic,frontier=bitmap"
        );
        assert_eq!(tree.to_string(), "(frontier-edges-share<=0.05?0:(frontier<=3?0!:1))");
        assert!(adviser.adaptive(|_| false).is_none());
    }

    #[test]
    fn models_that_come_along_can_be_used() {
        for (name, text) in BUILTIN {
            let adviser = Adviser::parse(name, text).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(adviser.name.as_str(), *name);
            assert!(name.ends_with(&adviser.target), "{name} is for {}", adviser.target);
            assert!(adviser.adaptive(|_| true).is_some_and(|(adaptive, _)| adaptive.candidates.len() > 1));
        }
        assert!(Adviser::default_for("cpu", "bc").is_some_and(|found| found.is_ok()));
        assert!(Adviser::default_for("abacus", "bfs").is_none());
    }

    #[test]
    fn bad_files_say_what_is_wrong() {
        for (from, to, message) in [
            ("?1:2", "?1:7", "its tree names candidate 7, and there are 3 (from 0)"),
            ("s0:s1@push,par=dynamic", "s0:s1@hybrid", "candidate 0: `s0:s1@hybrid` is not a simple schedule"),
            ("s0:s1@push,lb", "s0:s1@push,bl", "candidate 1: `s0:s1@push,bl=edge-only`: "),
            ("frontier<=3", "frontiers<=3", "not a decision tree: `frontiers` is not a feature"),
            ("\"label\"", "\"place\"", "missing field `label`"),
        ] {
            let error = Adviser::parse("my.json", &MODEL.replace(from, to)).unwrap_err().to_string();
            assert!(error.starts_with("model my.json: ") && error.contains(message), "{error}");
        }
    }
}
