//! What a region hands back when it ends.

use gw_ir::source::Name;
use gw_ir::types::{Scalar, Type};
use gw_schedule::LoopForm;

use super::region::Outcome;
use super::text::c_name;
use super::uniform::Uniform;

impl Uniform<'_, '_> {
    /// Hands back the results: variables of the host function, globals, sets, lists and queues. Returns the lines
    /// that take them up again, for a loop that goes on in another launch.
    pub(crate) fn results(&mut self, params: &[(Name, Type)], form: Option<LoopForm>) -> Vec<String> {
        self.copy_views(params, form);
        let words = self.words(params);
        self.write_rounds(&words);
        let mut lines: Vec<String> = Vec::new();
        let mut loads: Vec<String> = Vec::new();
        for word in words {
            lines.push(word.put(self.outcomes.len()));
            loads.push(word.take(self.outcomes.len()));
            self.outcomes.push(word.outcome);
        }
        self.end(form, &mut lines, &mut loads);
        self.code.open("if (run.grid.first())");
        for line in lines {
            self.code.line(line);
        }
        self.code.close("");
        loads
    }

    /// What uniform code knows: variables of the host function, globals, sets, lists and queues, in the order in which
    /// the host is told.
    fn words(&mut self, params: &[(Name, Type)]) -> Vec<Word> {
        let mut words: Vec<Word> = Vec::new();
        for (name, ty) in params {
            match ty.scalar() {
                Some(scalar) if scalar != Scalar::String => {
                    words.push(Word::of(c_name(name), Outcome::Local(name.clone(), scalar)));
                }
                _ => {}
            }
        }
        for (name, scalar) in self.assigned.clone() {
            if let Ok(text) = self.region.global_scalar(&name, scalar) {
                words.push(Word::of(text, Outcome::Global(name, scalar)));
            }
        }
        words.extend(self.sets.iter().map(|name| Word::of(c_name(name), Outcome::Set(name.clone()))));
        words.push(Word::of("run.forms", Outcome::Forms));
        words.push(Word::of("run.round", Outcome::Round));
        for name in &self.lists {
            let c = c_name(name);
            let value = format!("(unsigned long long){c}_depth << 32 | {c}_used");
            let places = format!("{c}_depth, {c}_used");
            words.push(Word { value, places, outcome: Outcome::List(name.clone()) });
        }
        for name in self.queues.clone() {
            if let Ok(text) = self.region.queue(&name) {
                let near = self.near(&name);
                let reported = crate::queue::reports(&text, &near).into_iter().zip(crate::queue::taken(&text, &near));
                words.extend(reported.enumerate().map(|(i, (value, places))| {
                    let outcome = if i == 0 { Outcome::Queue(name.clone()) } else { Outcome::QueueWord };
                    Word { value, places, outcome }
                }));
            }
        }
        words
    }
}

/// A word that uniform code hands over: to the host, to the next launch of its loop, or to other blocks.
pub(super) struct Word {
    value: String,
    /// Where it is taken up again.
    places: String,
    outcome: Outcome,
}

impl Word {
    /// A variable.
    fn of(name: impl Into<String>, outcome: Outcome) -> Word {
        let name = name.into();
        Word { value: name.clone(), places: name, outcome }
    }

    pub(super) fn put(&self, slot: usize) -> String {
        format!("gw::put(args.results + {slot}, {});", self.value)
    }

    pub(super) fn take(&self, slot: usize) -> String {
        format!("gw::take(args.results + {slot}, {});", self.places)
    }
}
