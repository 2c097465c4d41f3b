//! Invariants of Booleans: constants, then equal and opposite ones, then those computed from two others.
//!
//! Constants and classes of equal or opposite variables reduce triples: only triples of different classes are looked
//! at, and what the patterns of a class say is carried over to its members.

use std::collections::{BTreeMap, HashMap};

use crate::Result;
use crate::check::{Candidate, Checker, Question, Rules, survivors};
use crate::classes::Classes;
use crate::findings::Findings;
use crate::invariant::{Basis, Invariant};
use crate::template::{Template, Templates};
use crate::trace::{Block, Trace};

/// Patterns `00` and `11` of two variables.
const SAME: u8 = 0b1001;
/// Patterns `01` and `10`.
const OPPOSITE: u8 = 0b0110;

/// What a variable is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    /// Always the same.
    Constant(bool),
    /// As the leader of a class, or the opposite.
    Of { class: u32, is_opposite: bool, is_leader: bool },
}

/// Mines the Booleans of a trace.
pub fn mine(templates: &Templates, probe: &Trace, checker: &mut dyn Checker) -> Result<Vec<Invariant>> {
    let count = probe.booleans.len() as u32;
    let rules = Rules::new(templates, false);
    let mut found = Findings::new(count);
    // 1. Constants.
    let mut candidates =
        survivors(count, probe, &rules, |v| std::iter::once(Candidate::new(Question::Patterns1, [v, v, v])))?;
    checker.prune(&mut candidates, &rules)?;
    let constants: BTreeMap<u32, bool> =
        candidates.iter().map(|candidate| (candidate.variables[0], candidate.seen == 0b10)).collect();
    for (&v, &value) in &constants {
        let template = if value { Template::True } else { Template::False };
        if templates.booleans.contains(&template) {
            found.push(template, [v, 0, 0], Basis::Checked)?;
        }
    }
    if !templates.has_booleans_of(2) && !templates.has_booleans_of(3) {
        return Ok(found.into_list());
    }
    // 2. Equal and opposite variables.
    let (classes, forms) = classes(count, &constants, probe, checker, &rules)?;
    pairs(templates, &forms, &mut found)?;
    if !templates.has_booleans_of(3) {
        return Ok(found.into_list());
    }
    // 3. Patterns of pairs and triples of classes.
    let patterns = Patterns::find(templates, &classes, &forms, probe, checker)?;
    triples(templates, &forms, &patterns, &mut found)?;
    Ok(found.into_list())
}

/// Classes of variables that are equal or opposite, and the form of every variable.
fn classes(
    count: u32,
    constants: &BTreeMap<u32, bool>,
    probe: &Trace,
    checker: &mut dyn Checker,
    rules: &Rules,
) -> Result<(Classes, Vec<Form>)> {
    let words = |v: u32| &probe.booleans[v as usize];
    let first = |v: u32| words(v).first().is_some_and(|word| word & 1 == 1);
    // Two variables that may be opposite have the same key: the words as if the first bit were 0.
    let last = Block::new(probe, 0..probe.instants).last_word();
    let key = |v: u32| -> Vec<u64> {
        let mut key: Vec<u64> = words(v).iter().map(|&word| if first(v) { !word } else { word }).collect();
        if let Some(word) = key.last_mut() {
            *word &= last;
        }
        key
    };
    let variables = (0..count).filter(|v| !constants.contains_key(v)).map(|v| (key(v), v));
    let is_same = |seen: u8| seen & !SAME == 0 || seen & !OPPOSITE == 0;
    let classes = Classes::find(variables, Question::Patterns2, is_same, checker, rules)?;
    let mut forms: Vec<Form> =
        (0..count).map(|v| Form::Constant(constants.get(&v).copied().unwrap_or_default())).collect();
    for (class, members) in classes.members.iter().enumerate() {
        for &v in members {
            forms[v as usize] = Form::Of {
                class: class as u32,
                is_opposite: first(v) != first(members[0]),
                is_leader: v == members[0],
            };
        }
    }
    Ok((classes, forms))
}

/// Equal and opposite pairs, by the forms of their variables.
fn pairs(templates: &Templates, forms: &[Form], found: &mut Findings) -> Result<()> {
    let relation = |a: Form, b: Form| match (a, b) {
        (Form::Constant(a), Form::Constant(b)) => Some((a == b, Basis::Inferred)),
        (Form::Of { class: a, is_opposite: x, is_leader }, Form::Of { class: b, is_opposite: y, .. }) if a == b => {
            Some((x == y, if is_leader { Basis::Checked } else { Basis::Inferred }))
        }
        _ => None,
    };
    for a in 0..forms.len() {
        for b in a + 1..forms.len() {
            let Some((same, basis)) = relation(forms[a], forms[b]) else { continue };
            let template = if same { Template::Same } else { Template::Opposite };
            if templates.booleans.contains(&template) {
                found.push(template, [a as u32, b as u32, 0], basis)?;
            }
        }
    }
    Ok(())
}

/// The patterns of classes that say something; all others have all patterns, or too many.
struct Patterns {
    pairs: HashMap<(u32, u32), u8>,
    triples: HashMap<(u32, u32, u32), u8>,
}

impl Patterns {
    fn find(
        templates: &Templates,
        classes: &Classes,
        forms: &[Form],
        probe: &Trace,
        checker: &mut dyn Checker,
    ) -> Result<Patterns> {
        let with_opposites = forms.iter().any(|form| matches!(form, Form::Of { is_opposite: true, .. }));
        let rules = Rules::new(templates, with_opposites);
        let leaders = &classes.leaders;
        let count = leaders.len() as u32;
        let class: HashMap<u32, u32> = leaders.iter().enumerate().map(|(at, &v)| (v, at as u32)).collect();
        // Two members of one class and a third variable ask about pairs of classes, and so does a constant with two
        // others.
        let asks_pairs = classes.members.iter().any(|members| members.len() > 1)
            || forms.iter().any(|form| matches!(form, Form::Constant(_)));
        let mut pairs = survivors(if asks_pairs { count } else { 0 }, probe, &rules, |r| {
            let later = leaders[r as usize + 1..].iter();
            later.map(move |&s| Candidate::new(Question::Patterns2, [leaders[r as usize], s, 0]))
        })?;
        checker.prune(&mut pairs, &rules)?;
        let mut triples = survivors(count, probe, &rules, |r| {
            let later = (r + 1..count).flat_map(move |s| (s + 1..count).map(move |t| [r, s, t]));
            later.map(|classes| Candidate::new(Question::Patterns3, classes.map(|class| leaders[class as usize])))
        })?;
        checker.prune(&mut triples, &rules)?;
        let of = |candidate: &Candidate| candidate.variables.map(|v| class.get(&v).copied().unwrap_or(0));
        let pair = |candidate: &Candidate| {
            let [r, s, _] = of(candidate);
            ((r, s), candidate.seen)
        };
        let triple = |candidate: &Candidate| {
            let [r, s, t] = of(candidate);
            ((r, s, t), candidate.seen)
        };
        Ok(Patterns { pairs: pairs.iter().map(pair).collect(), triples: triples.iter().map(triple).collect() })
    }

    /// The patterns of distinct classes, ascending; `None` when they say nothing.
    fn of(&self, classes: &[u32]) -> Option<u8> {
        match *classes {
            [] => Some(0b1),
            [_] => Some(0b11),
            [r, s] => self.pairs.get(&(r, s)).copied(),
            [r, s, t] => self.triples.get(&(r, s, t)).copied(),
            _ => None,
        }
    }
}

/// Variables computed from two others.
fn triples(templates: &Templates, forms: &[Form], patterns: &Patterns, found: &mut Findings) -> Result<()> {
    let wanted: Vec<Template> = templates.booleans.iter().copied().filter(|template| template.arity() == 3).collect();
    let count = forms.len();
    for a in 0..count {
        for b in (0..count).filter(|&b| b != a) {
            for c in (b + 1..count).filter(|&c| c != a) {
                let chosen = [forms[a], forms[b], forms[c]];
                let (classes, distinct) = classes_of(chosen);
                let classes = &classes[..distinct];
                let Some(seen) = patterns.of(classes) else { continue };
                let is_checked =
                    distinct == 3 && chosen.iter().all(|form| matches!(form, Form::Of { is_leader: true, .. }));
                let basis = if is_checked { Basis::Checked } else { Basis::Inferred };
                let value = |form: Form, pattern: u8| match form {
                    Form::Constant(value) => value,
                    Form::Of { class, is_opposite, .. } => {
                        let at = classes.iter().position(|&c| c == class).unwrap_or(0);
                        (pattern >> at & 1 == 1) != is_opposite
                    }
                };
                for &template in &wanted {
                    let holds = (0..8).filter(|pattern| seen >> pattern & 1 == 1).all(|pattern| {
                        let [a, b, c] = chosen.map(|form| value(form, pattern));
                        template.holds_for(a, b, c)
                    });
                    if holds {
                        found.push(template, [a as u32, b as u32, c as u32], basis)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// The classes of three variables, ascending and each once, and how many they are.
fn classes_of(chosen: [Form; 3]) -> ([u32; 3], usize) {
    let (mut classes, mut count) = ([u32::MAX; 3], 0);
    for class in chosen.iter().filter_map(|form| form.class()) {
        if !classes[..count].contains(&class) {
            classes[count] = class;
            count += 1;
        }
    }
    classes[..count].sort_unstable();
    (classes, count)
}

impl Form {
    fn class(self) -> Option<u32> {
        match self {
            Form::Constant(_) => None,
            Form::Of { class, .. } => Some(class),
        }
    }
}
