//! Messages for what people write out of habit from other languages: braces, `i++`, `=` in conditions, `range(10)`.

use super::{Fail, Parsed, Parser};
use crate::advice;
use crate::ast::{Expr, ExprKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Reports something that the language does not have.
    pub(super) fn no_such(&mut self, message: &str, span: Span, label: &str, help: &str) -> Fail {
        self.report(Diagnostic::error(message, span, label).help(help));
        Fail
    }

    /// True if the token `ahead` of the cursor follows the one before it without a space.
    pub(super) fn adjacent(&self, ahead: usize) -> bool {
        let at = (self.at + ahead).min(self.tokens.len() - 1);
        at > 0 && self.tokens[at - 1].span.end == self.tokens[at].span.start
    }

    /// True if nothing but blanks lies between the token before the cursor and the cursor, all on one line.
    pub(super) fn same_line(&self) -> bool {
        let (from, to) = (self.previous().end, self.span().start);
        !self.source.text[from.min(to)..to].contains('\n')
    }

    /// A comment right before the cursor that begins where a remainder could stand, as in `7 % 3`.
    fn swallowed_remainder(&self) -> Option<Span> {
        let (from, to) = (self.previous().end, self.span().start);
        let between = &self.source.text[from.min(to)..to];
        let percent = between.find('%').filter(|at| !between[..*at].contains('\n'))?;
        let line = between[percent..].find('\n').map_or(between.len(), |end| percent + end);
        let comment = &between[percent..line];
        looks_like_operand(comment).then(|| Span::new(from + percent, from + line))
    }

    /// A better message than "expected ... but found ..." for the token at the cursor, if there is one.
    pub(super) fn habit(&mut self, expected: &str) -> Option<Fail> {
        use TokenKind::*;
        let span = self.span();
        if let Some(comment) = self.swallowed_remainder() {
            return Some(self.no_such(
                "`%` starts a comment, so the rest of this line is not read",
                comment,
                "a comment",
                "write `a mod b` for the remainder of a division",
            ));
        }
        let symbol = |p: &Self| p.text(span).to_string();
        let previous = self.tokens[self.at.saturating_sub(1)].kind;
        let fail = match self.peek() {
            Assign if ["an expression", "`)`", "`;`"].contains(&expected) => self.no_such(
                "`=` assigns and is not part of an expression",
                span,
                "an assignment",
                "write `==` to compare",
            ),
            Colon if self.peek_at(1) == Assign && self.adjacent(1) => {
                self.no_such("there is no `:=`", span, "unknown operator", "write `=` to assign")
            }
            Quote => self.no_such("strings are written in double quotes", span, "a single quote", "write `\"...\"`"),
            Amp | Pipe if previous == self.peek() && self.adjacent(0) => {
                let message = format!("there is no `{0}{0}`", symbol(self));
                let help = match self.peek() {
                    Amp => "write `and`; `&` combines the bits of whole numbers",
                    _ => "write `or`; `|` combines the bits of whole numbers",
                };
                self.no_such(&message, span, "unknown operator", help)
            }
            Star if previous == Star && self.adjacent(0) => {
                self.no_such("there is no `**`", span, "unknown operator", "write `pow(x, y)`")
            }
            Slash if previous == Slash && self.adjacent(0) => self.no_such(
                "there is no `//`",
                span,
                "unknown operator",
                "comments start with `%`; `/` between integers drops the fraction",
            ),
            KwInt | KwUint | KwInt64 | KwUint64 | KwFloat | KwDouble | KwBool | KwString => {
                let word = symbol(self);
                let message = format!("`{word}` is a type and not a value");
                let help = "a value is converted by assigning it to a variable of the type: `var y : int = x;`";
                self.no_such(&message, span, "a type", help)
            }
            Comma if expected == "`)`" => {
                let help = "a tuple is written with its name: `Best(x, y)`";
                self.no_such("parentheses hold one value", span, "a second value", help)
            }
            Ident => {
                let word = symbol(self);
                let help = match word.as_str() {
                    "AND" | "And" => "write `and`",
                    "OR" | "Or" => "write `or`",
                    "MOD" | "Mod" => "write `a mod b`",
                    "div" | "DIV" => "write `/`; between integers it drops the fraction",
                    _ => return None,
                };
                self.no_such(&format!("there is no operator `{word}`"), span, "unknown operator", help)
            }
            _ => return None,
        };
        Some(fail)
    }

    /// Reports statements that begin as in other languages; `None` if the statement at the cursor does not.
    pub(super) fn foreign_statement(&mut self) -> Option<Fail> {
        use TokenKind::*;
        let span = self.span();
        let next = self.peek_at(1);
        Some(match self.peek() {
            LBrace | RBrace => {
                let fail = self.no_such(
                    "blocks have no braces",
                    span,
                    "a brace",
                    "write the statements after the condition and close the block with `end`",
                );
                // Every other brace would be reported as well.
                self.give_up();
                fail
            }
            Colon => {
                let fail = self.no_such("no colon opens a block", span, "a colon", "leave it out");
                self.advance();
                fail
            }
            Slash if matches!(next, Slash | Star) && self.adjacent(1) => {
                let block = next == Star;
                let (message, help) = match block {
                    true => ("there is no `/*`", "write `%{ ... %}` around a comment of several lines"),
                    false => ("there is no `//`", "a comment starts with `%`"),
                };
                let fail = self.no_such(message, span.to(self.tokens[self.at + 1].span), "not a comment", help);
                self.skip_line();
                fail
            }
            KwInt | KwUint | KwInt64 | KwUint64 | KwFloat | KwDouble | KwBool | KwString if next == Ident => {
                let ty = self.text(span).to_string();
                let name = self.text(self.tokens[self.at + 1].span).to_string();
                let help = format!("write `var {name} : {ty} = ...;`");
                self.no_such("a variable is declared with `var`", span, "a type", &help)
            }
            Plus | Minus if next == self.peek() && self.adjacent(1) => {
                let end = self.tokens[self.at + 1].span;
                self.no_steps(span.to(end))
            }
            // `let x`, `then print`: a word followed by what cannot follow a name.
            Ident if matches!(next, Ident | Int | LParen | KwPrint | KwVar | KwIf | KwFor | KwWhile | Semi) => {
                let word = self.text(span).to_string();
                let help = advice::statement(&word)?;
                if next == LParen && !matches!(word.as_str(), "elseif" | "elsif" | "foreach" | "forall" | "parfor") {
                    return None;
                }
                let message = format!("there is no `{word}`");
                self.no_such(&message, span, "not a statement", help)
            }
            _ => return None,
        })
    }

    /// `i++` and `i--`.
    pub(super) fn no_steps(&mut self, span: Span) -> Fail {
        let symbol = self.text(span).to_string();
        let help = match symbol.starts_with('+') {
            true => "write `i += 1;`",
            false => "write `i = i - 1;`",
        };
        self.no_such(&format!("there is no `{symbol}`"), span, "unknown operator", help)
    }

    /// A type keyword where a name should stand: `func f(int x)` or `-> int`.
    pub(super) fn type_before_name(&mut self, result: bool) -> Parsed<()> {
        use TokenKind::*;
        if !matches!(self.peek(), KwInt | KwUint | KwInt64 | KwUint64 | KwFloat | KwDouble | KwBool | KwString) {
            return Ok(());
        }
        let span = self.span();
        let ty = self.text(span).to_string();
        let name = match self.peek_at(1) {
            Ident => self.text(self.tokens[self.at + 1].span).to_string(),
            _ if result => "result".into(),
            _ => "x".into(),
        };
        let (message, help) = match result {
            true => ("a result has a name", format!("write `-> {name} : {ty}` and assign to `{name}`")),
            false => ("the type follows the name", format!("write `{name} : {ty}`")),
        };
        Err(self.no_such(message, span, "a type", &help))
    }

    /// What stands in place of the `:` between the bounds of a loop.
    pub(super) fn no_range(&mut self, low: &Expr) -> Fail {
        let help = match &low.kind {
            ExprKind::Call { callee, args } if callee.name.name == "range" => match args.as_slice() {
                [high] => format!("write `0:{}`", self.text(high.span)),
                [low, high, ..] => format!("write `{}:{}`", self.text(low.span), self.text(high.span)),
                [] => "write `0:10`".into(),
            },
            ExprKind::Name(name) => {
                format!("write `0:{name}` if it is a number; to visit the members of a set write `{name}.apply(f)`")
            }
            _ => "write `low:high`; the loop ends before `high`".into(),
        };
        self.no_such("a loop runs over numbers from `low` to below `high`", low.span, "no `:` follows", &help)
    }
}

/// Whether a comment reads like the right side of a remainder: an operand, then the end of an expression.
///
/// `% 3;`, `% n == 0`, `% (n + 1))` do; `% the count`, `%{ block %}` and `%%%%` do not.
pub(super) fn looks_like_operand(comment: &str) -> bool {
    let rest = comment.trim_start_matches('%').trim();
    if comment.starts_with("%%") || rest.starts_with('{') {
        return false;
    }
    let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if digits.len() < rest.len() && digits.is_empty() {
        return true;
    }
    let operand = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | ']' | '(' | ')' | '.');
    let after = rest.trim_start_matches(operand);
    if after.len() == rest.len() {
        return false;
    }
    let after = after.trim_start();
    ["==", "!=", "<", ">", ";", ")", "+", "*", "/"].iter().any(|sign| after.starts_with(sign))
}

#[cfg(test)]
mod tests {
    use super::looks_like_operand;

    #[test]
    fn remainders_are_told_from_comments() {
        for yes in ["% 3;", "%3", "% n == 0", "% 2 == 1)", "% size[v] < 3", "% (n + 1);"] {
            assert!(looks_like_operand(yes), "{yes}");
        }
        for no in ["% the count", "%", "%%% 3;", "%{ 3; %}", "% done", "% -- 3;", "% see [1]", "% next, then last"] {
            assert!(!looks_like_operand(no), "{no}");
        }
    }
}
