//! What can be wrong in the text of a schedule, with the place and the nearest valid word.

use std::fmt;

/// The text is not a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The offending word.
    pub word: String,
    /// Where it starts, in bytes from the start of the text.
    pub position: usize,
    /// What is wrong with it.
    pub problem: Problem,
    /// The nearest text that would be valid there.
    pub suggestion: Option<String>,
}

/// What is wrong with a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A word is missing here.
    Empty,
    /// Neither a direction nor `key=value`.
    UnknownWord,
    /// No axis or option has this key.
    UnknownKey,
    /// The key is known, the value is not one of its values.
    BadValue {
        /// The key.
        key: String,
        /// The values it has, as words or patterns; empty where any name will do.
        values: Vec<&'static str>,
    },
    /// Something is said a second time.
    Repeated {
        /// What was said already.
        what: String,
    },
    /// A hybrid or adaptive schedule with the wrong number of parts.
    WrongParts {
        /// What is expected.
        expected: &'static str,
    },
    /// A required option is missing.
    Missing {
        /// The option.
        option: &'static str,
    },
    /// An option of the whole program stands in the schedule of an operator.
    OfWholeProgram,
    /// An option of one schedule stands in the head of a hybrid or adaptive one.
    OfPart,
    /// A schedule stands behind an option of the whole program with only a comma between them.
    AfterWholeProgram,
    /// The label before `@` is not a label path.
    BadLabel,
    /// A transform with wrong arguments.
    BadTransform {
        /// How it is written.
        usage: &'static str,
    },
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = &self.word;
        match &self.problem {
            Problem::Empty => write!(f, "a word is missing")?,
            Problem::UnknownWord => write!(f, "`{word}` is not a word of a schedule")?,
            Problem::UnknownKey => write!(f, "`{word}` is not an option of a schedule")?,
            Problem::BadValue { key, .. } => write!(f, "`{word}` is not a value of `{key}`")?,
            Problem::Repeated { what } => write!(f, "`{word}` comes second: {what} is set already")?,
            Problem::WrongParts { expected } => write!(f, "`{word}` needs {expected}")?,
            Problem::Missing { option } => write!(f, "`{word}` needs the option `{option}`")?,
            Problem::OfWholeProgram => write!(f, "`{word}=` is said once for the whole program, set apart by `;`")?,
            Problem::OfPart => write!(f, "`{word}=` belongs to one of the parts, as in `hybrid+push,{word}=...+pull`")?,
            Problem::AfterWholeProgram => {
                write!(f, "`{word}` stands behind an option of the whole program: a `;` goes between them, not a `,`")?
            }
            Problem::BadLabel => write!(f, "`{word}` is not a label path such as `s0:s1`")?,
            Problem::BadTransform { usage } => write!(f, "`{word}` is written `{usage}`")?,
        }
        write!(f, " (at character {})", self.position + 1)?;
        match (&self.suggestion, &self.problem) {
            (Some(s), _) => write!(f, "; did you mean `{s}`?"),
            (None, Problem::BadValue { values, .. }) if !values.is_empty() => {
                write!(f, "; its values are {}", values.join(", "))
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

/// The candidate with the fewest edits from `word` (insertions, deletions, replacements, swaps of neighbours), when
/// it is near enough to be a slip.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|c| (strsim::osa_distance(word, c), c))
        .filter(|&(d, _)| d <= limit)
        .min_by_key(|&(d, _)| d)
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_words() {
        assert_eq!(nearest("psuh", ["push", "pull"]), Some("push"));
        assert_eq!(nearest("bitmp", ["boolmap", "bitmap"]), Some("bitmap"));
        assert_eq!(nearest("zzzz", ["push", "pull"]), None);
    }
}
