//! The parts of a change: what stands in a line or in a row of a table.

use std::borrow::Cow;

use gw_graph::format::Row;

use super::has_weights;
use crate::batch::Change;
use crate::weight::{EdgeWeight, kind_name};

/// The parts of a change as they are written.
pub(super) struct Words<'a> {
    pub(super) source: Cow<'a, str>,
    pub(super) target: Cow<'a, str>,
    deletes: bool,
    /// A sign stands before the source, without a blank.
    pub(super) is_sign_close: bool,
    /// Words behind the target but for the time; a table has one at most.
    others: Vec<Cow<'a, str>>,
    time: Option<Cow<'a, str>>,
    /// Whether a word that means nothing is a mistake: columns of a table need not mean anything.
    is_strict: bool,
}

impl<'a> Words<'a> {
    /// The words of a line without blanks around it. `by_tabs`: where the line has tabs, they alone separate words.
    pub(super) fn of_line(line: &'a str, is_timed: bool, by_tabs: bool) -> Result<Words<'a>, String> {
        let sign = line.chars().next().filter(|letter| ['+', '-'].contains(letter));
        let rest = if sign.is_some() { &line[1..] } else { line };
        let is_sign_close = sign.is_some() && !rest.starts_with(char::is_whitespace);
        let rest = rest.trim_start();
        let mut words: Vec<Cow<'a, str>> = match by_tabs && rest.contains('\t') {
            true => rest.split('\t').map(|word| word.trim().into()).collect(),
            false => rest.split_whitespace().map(Cow::from).collect(),
        };
        if words.len() < 2 || words[0].is_empty() || words[1].is_empty() {
            return Err("a line has a source and a target".to_string());
        }
        let mut others = words.split_off(2);
        let time = match is_timed {
            true => Some(others.pop().ok_or("the time is missing")?),
            false => None,
        };
        let [source, target] = <[Cow<'a, str>; 2]>::try_from(words).unwrap_or_default();
        Ok(Words { source, target, deletes: sign == Some('-'), is_sign_close, others, time, is_strict: true })
    }

    /// The fields of a row.
    pub(super) fn of_row(row: Row<'a>) -> Result<Words<'a>, String> {
        let Row { source, target, weight, time, change } = row;
        let change = change.unwrap_or_default();
        let is_any = |words: &[&str]| words.iter().any(|word| change.eq_ignore_ascii_case(word));
        let deletes = is_any(&["-", "delete", "remove"]);
        if !deletes && !is_any(&["", "+", "insert", "add"]) {
            return Err(format!("`{change}` is no change: + or insert, - or delete"));
        }
        let others = weight.into_iter().collect();
        Ok(Words { source, target, deletes, is_sign_close: false, others, time, is_strict: false })
    }

    /// What becomes of the edge.
    pub(super) fn change<W: EdgeWeight>(&self) -> Result<Change<W>, String> {
        let weight = self.others.first().map(|word| &**word).filter(|_| self.is_strict || has_weights::<W>());
        let kind = kind_name(W::KIND);
        let no_weight = |word: &str| format!("`{word}` is no weight of this graph, which has {kind} weights");
        let change = match (self.deletes, weight) {
            (true, None) => Change::Delete,
            (true, Some(word)) => W::parse(Some(word)).map(|_| Change::Delete).ok_or_else(|| no_weight(word))?,
            (false, None) => Change::Insert(W::parse(None).ok_or("the weight is missing")?),
            (false, Some(word)) => Change::Insert(W::parse(Some(word)).ok_or_else(|| no_weight(word))?),
        };
        match self.others.get(usize::from(has_weights::<W>())).filter(|_| self.is_strict) {
            Some(word) => Err(format!("`{word}` is one word too many")),
            None => Ok(change),
        }
    }

    /// Whether the cell of the weight is empty where a weight is needed.
    pub(super) fn lacks_weight<W: EdgeWeight>(&self) -> bool {
        !self.is_strict && !self.deletes && has_weights::<W>() && self.others.is_empty()
    }

    /// The time, 0 without times.
    pub(super) fn time(&self, is_timed: bool) -> Result<f64, String> {
        if !is_timed {
            return Ok(0.0);
        }
        let word = self.time.as_deref().ok_or("the time is missing")?;
        word.parse().ok().filter(|time: &f64| time.is_finite()).ok_or(format!("`{word}` is no time"))
    }
}
