//! Parameters of a spec, taken one by one by the generator they belong to; what nobody takes is an error.

use std::str::FromStr;

use crate::{GraphError, Result};

/// The parts of a spec after the generator's name: positional values, `key=value` pairs and bare flags.
#[derive(Debug, Clone)]
pub struct Params {
    spec: String,
    positional: Vec<String>,
    named: Vec<(String, String)>,
    known: Vec<&'static str>,
}

impl Params {
    /// Sorts `parts` of the whole text `spec`.
    pub fn new(spec: &str, parts: &[&str]) -> Self {
        let mut params = Params { spec: spec.to_owned(), positional: Vec::new(), named: Vec::new(), known: Vec::new() };
        for part in parts {
            match part.split_once('=') {
                Some((key, value)) => params.named.push((key.to_owned(), value.to_owned())),
                None => params.positional.push((*part).to_owned()),
            }
        }
        params
    }

    /// An error about this spec.
    pub fn error(&self, message: impl Into<String>) -> GraphError {
        GraphError::Spec { spec: self.spec.clone(), message: message.into() }
    }

    /// The next positional value as text, if there is one.
    pub fn next_text(&mut self) -> Option<String> {
        (!self.positional.is_empty()).then(|| self.positional.remove(0))
    }

    /// The next positional value, which must be there.
    pub fn required<T: FromStr>(&mut self, what: &str) -> Result<T> {
        match self.next_text() {
            Some(text) => self.value(what, &text),
            None => Err(self.error(format!("{what} is missing"))),
        }
    }

    /// The next positional value, or `default` when there is none.
    pub fn optional<T: FromStr>(&mut self, what: &str, default: T) -> Result<T> {
        match self.next_text() {
            Some(text) => self.value(what, &text),
            None => Ok(default),
        }
    }

    /// The value of `key=...`, if given.
    pub fn named<T: FromStr>(&mut self, key: &'static str) -> Result<Option<T>> {
        self.known.push(key);
        match self.named.iter().position(|(k, _)| k == key) {
            Some(at) => {
                let (_, text) = self.named.remove(at);
                self.value(key, &text).map(Some)
            }
            None => Ok(None),
        }
    }

    /// True when the bare word `name` is there. Ask for flags before positional values.
    pub fn flag(&mut self, name: &'static str) -> bool {
        self.known.push(name);
        match self.positional.iter().position(|p| p == name) {
            Some(at) => {
                self.positional.remove(at);
                true
            }
            None => false,
        }
    }

    /// Parses one value.
    pub fn value<T: FromStr>(&self, what: &str, text: &str) -> Result<T> {
        text.parse().map_err(|_| {
            // A misspelt option stands where the next parameter is expected.
            let hint = suggestion(text, crate::spec::OPTION_NAMES.iter().copied());
            self.error(format!("`{text}` is no valid {what}{hint}"))
        })
    }

    /// Checks a condition on the values taken.
    pub fn check(&self, holds: bool, message: impl FnOnce() -> String) -> Result<()> {
        if holds { Ok(()) } else { Err(self.error(message())) }
    }

    /// Checks that a probability lies in `0..=1`.
    pub fn probability(&self, what: &str, value: f64) -> Result<f64> {
        self.check((0.0..=1.0).contains(&value), || format!("{what} is {value} but must lie between 0 and 1"))?;
        Ok(value)
    }

    /// Fails when something was not taken. `usage` is shown then.
    pub(super) fn finish(&self, usage: &str) -> Result<()> {
        let stray = self.named.first().map(|(key, _)| key).or(self.positional.first());
        match stray {
            None => Ok(()),
            Some(word) => {
                let options = crate::spec::OPTION_NAMES.iter().chain(&self.known).copied();
                let hint = suggestion(word, options);
                Err(self.error(format!(
                    "`{word}` is not understood here{hint}; parameters: {usage}; options: {}",
                    crate::spec::OPTIONS
                )))
            }
        }
    }
}

/// `; did you mean ...?` when a candidate is near, else nothing.
pub(crate) fn suggestion<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    nearest(word, candidates).map_or_else(String::new, |best| format!("; did you mean `{best}`?"))
}

/// The candidate closest to `word` by edit distance, if close enough to be meant.
fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let reach = (word.chars().count() / 3).clamp(1, 3);
    candidates
        .map(|c| (strsim::levenshtein(word, c), c))
        .filter(|&(d, _)| d <= reach)
        .min_by_key(|&(d, _)| d)
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_ignores_the_far() {
        assert_eq!(nearest("kronn", ["grid", "kron"].into_iter()), Some("kron"));
        assert_eq!(nearest("banana", ["grid", "kron"].into_iter()), None);
    }
}
