//! What a program does that several workers cannot do at once, in the words of the program.

use gw_exec::{ErrorKind, ExecError, Shortfall};
use gw_ir::source::Span;

/// A statement that several workers cannot carry out together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Obstacle {
    /// What the statement does, beginning with a verb: "reads the neighbours of another vertex".
    does: String,
    /// Why several workers cannot do it.
    because: String,
    /// The statement.
    span: Span,
    /// One worker can do it for all. Else the operator does not run on several workers.
    for_one: bool,
}

impl Obstacle {
    /// A statement that one worker can carry out for all.
    pub(crate) fn new(does: impl Into<String>, because: impl Into<String>, span: Span) -> Obstacle {
        Obstacle { does: does.into(), because: because.into(), span, for_one: true }
    }

    /// The same, but nothing that one of several workers can do either.
    #[must_use]
    pub(crate) fn for_none(self) -> Obstacle {
        Obstacle { for_one: false, ..self }
    }

    /// Whether one worker can carry the operator out for all.
    pub(crate) fn is_for_one(&self) -> bool {
        self.for_one
    }

    /// The statement, or the operator at this place where the statement is not known.
    fn place(&self, operator: Span) -> Span {
        if self.span.line > 0 { self.span } else { operator }
    }

    /// The obstacle in words; `operator` is the place of the operator.
    pub(crate) fn words(&self, operator: Span) -> String {
        format!("line {} {}: {}", self.place(operator).line, self.does, self.because)
    }

    /// What a person is told about the operator at this place.
    pub(crate) fn shortfall(&self, operator: Span) -> Shortfall {
        let line = operator.line;
        let text = match self.for_one {
            true => format!("line {line} runs on one of the workers while the others wait: {}", self.words(operator)),
            false => self.refused(operator),
        };
        Shortfall { text, span: self.place(operator), refused: !self.for_one }
    }

    /// The error of an operator that does not run at all.
    pub(crate) fn error(&self, operator: Span) -> ExecError {
        ExecError::new(ErrorKind::Unsupported(self.refused(operator)), self.place(operator))
    }

    fn refused(&self, operator: Span) -> String {
        let (line, words) = (operator.line, self.words(operator));
        format!("several workers cannot run line {line}: {words}; one worker (`--workers 1`) or --target cpu can")
    }

    /// The error of an operator that needs a whole graph and meets one in parts.
    pub(crate) fn on_parts(&self, operator: Span) -> ExecError {
        let words = self.words(operator);
        let message = format!("{words}; this graph is in parts, of which a process has one: give it as one file");
        ExecError::new(ErrorKind::Unsupported(message), self.place(operator))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn obstacles_name_their_lines() {
        let at = |line| Span { start: 0, end: 1, line };
        let swap = Obstacle::new("swaps", "two may win", at(7));
        let told = swap.shortfall(at(12));
        assert_eq!(told.text, "line 12 runs on one of the workers while the others wait: line 7 swaps: two may win");
        assert!(!told.refused && told.span.line == 7);
        let unknown = Obstacle::new("does it", "nobody can", Span::NONE).for_none();
        let told = unknown.shortfall(at(3)).text;
        assert!(
            told.starts_with("several workers cannot run line 3: line 3 does it: nobody can; one worker"),
            "{told}"
        );
    }
}
