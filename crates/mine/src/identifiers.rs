//! Names of variables as identifiers of programs: each variable has one of its own.

use std::collections::HashSet;

use crate::assertion::Language;
use crate::keywords::is_reserved;
use crate::trace::Variables;

/// An identifier per variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identifiers {
    /// Of Booleans.
    pub booleans: Vec<String>,
    /// Of numbers.
    pub numbers: Vec<String>,
}

impl Identifiers {
    /// Identifiers of variables in a language. A name that is an identifier stays; others give way by a number behind
    /// them.
    pub fn new(variables: &Variables, language: Language) -> Identifiers {
        let identifier = |name: &str| identifier(name, language);
        let names = || variables.booleans.iter().chain(&variables.numbers);
        let mut taken: HashSet<String> = names().filter(|name| identifier(name) == **name).cloned().collect();
        // Names may be repeated, such as those of a Boolean and a number.
        let mut kept: HashSet<&str> = HashSet::new();
        let mut own = |name: &'_ String| -> String {
            let plain = identifier(name);
            if plain == *name && !kept.contains(plain.as_str()) {
                kept.extend(names().find(|other| *other == name).map(String::as_str));
                return plain;
            }
            let further = (2..).map(|number| format!("{plain}_{number}"));
            let mut choices = std::iter::once(plain.clone()).chain(further);
            let chosen = choices.find(|choice| !taken.contains(choice)).unwrap_or_default();
            taken.insert(chosen.clone());
            chosen
        };
        Identifiers {
            booleans: variables.booleans.iter().map(&mut own).collect(),
            numbers: variables.numbers.iter().map(&mut own).collect(),
        }
    }

    /// The variables whose identifier is not their name: identifier and name.
    pub fn renamed<'a>(&'a self, variables: &'a Variables) -> impl Iterator<Item = (&'a str, &'a str)> {
        let identifiers = self.booleans.iter().chain(&self.numbers);
        let names = variables.booleans.iter().chain(&variables.numbers);
        identifiers.map(String::as_str).zip(names.map(String::as_str)).filter(|(identifier, name)| identifier != name)
    }
}

/// A name as an identifier: other characters than letters, digits and `_` become `_`, and `_` stands behind words of
/// the language. Dots stay, since they lead into parts of records and modules.
fn identifier(name: &str, language: Language) -> String {
    let part = |part: &str| {
        let mut text: String = part.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if text.chars().next().is_none_or(|c| c.is_ascii_digit()) {
            text.insert(0, '_');
        }
        if is_reserved(&text, language) {
            text.push('_');
        }
        text
    };
    name.split('.').map(part).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_has_its_own() {
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let variables = Variables {
            booleans: names(&["x-1", "ok", "x 1"]),
            numbers: names(&["x_1", "x_1_2", "ok", "2nd", "top.a"]),
        };
        let own = Identifiers::new(&variables, Language::C);
        assert_eq!(own.booleans, ["x_1_3", "ok", "x_1_4"]);
        assert_eq!(own.numbers, ["x_1", "x_1_2", "ok_2", "_2nd", "top.a"]);
        let renamed: Vec<_> = own.renamed(&variables).collect();
        assert_eq!(renamed, [("x_1_3", "x-1"), ("x_1_4", "x 1"), ("ok_2", "ok"), ("_2nd", "2nd")]);
    }

    #[test]
    fn words_of_a_language_are_no_names() {
        let names = ["class", "class_", "math", "log", "top.wire", "a.2", "ok"].map(str::to_owned).to_vec();
        let variables = Variables { booleans: vec![], numbers: names };
        let of = |language| Identifiers::new(&variables, language).numbers;
        assert_eq!(of(Language::Python), ["class__2", "class_", "math_", "log", "top.wire", "a._2", "ok"]);
        assert_eq!(of(Language::C), ["class", "class_", "math", "log_", "top.wire", "a._2", "ok"]);
        assert_eq!(of(Language::SystemVerilog), ["class__2", "class_", "math", "log", "top.wire_", "a._2", "ok"]);
    }
}
