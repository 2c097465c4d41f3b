//! The parser's state, its errors and its small steps; what is parsed is in the sibling files.

use super::keys::Meta;
use super::lexer::{Token, tokens, unquote};
use super::value::MetaValue;
use crate::module::Module;
use crate::source::Name;
use crate::types::Type;
use std::collections::HashMap;
use std::ops::Range;

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{line}:{column}: {problem}")]
pub struct ParseError {
    /// 1-based line.
    pub line: usize,
    /// 1-based column in characters.
    pub column: usize,
    /// What is wrong.
    pub problem: ParseProblem,
}

/// The kinds of problems.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParseProblem {
    /// A byte that begins no token.
    #[error("this begins no token")]
    Character,
    /// Something else was expected.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What would fit.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A variable, function or element that is not declared.
    #[error("unknown {what} `{name}`")]
    Unknown {
        /// Kind of name.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A metadata key that the node does not have, or a value that does not fit the key.
    #[error("`{key}={value}` is no metadata of {node}")]
    Metadata {
        /// Node.
        node: String,
        /// Key.
        key: String,
        /// Value.
        value: String,
    },
    /// Types that do not fit.
    #[error("{0}")]
    Type(String),
    /// A number that does not fit.
    #[error("the number `{0}` is out of range")]
    Range(String),
    /// Nesting beyond what the parser follows.
    #[error("nested too deeply")]
    Depth,
}

/// Nesting that the parser follows; programs stay far below, and the stack stays small.
const MAX_DEPTH: usize = 100;

/// Parses the text form.
///
/// Names are resolved and types derived; call the validator for the remaining rules.
///
/// ```
/// let module = gw_ir::parse("element Node; global hops : vector{Node}(int);").unwrap();
/// assert_eq!(module.globals[0].ty.to_string(), "vector{Node}(int)");
/// let error = gw_ir::parse("global x : intt;").unwrap_err();
/// assert_eq!(error.to_string(), "1:12: unknown element `intt`");
/// ```
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let tokens = match tokens(text) {
        Ok(tokens) => tokens,
        Err(at) => return Err(located(text, at, ParseProblem::Character)),
    };
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        depth: 0,
        elements: Vec::new(),
        globals: HashMap::new(),
        functions: HashMap::new(),
        locals: HashMap::new(),
    };
    parser.module().map_err(|(at, problem)| located(text, at, problem))
}

fn located(text: &str, offset: usize, problem: ParseProblem) -> ParseError {
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    ParseError { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1, problem }
}

/// A problem at a byte offset.
pub(super) type Failure = (usize, ParseProblem);
/// What parsing steps return.
pub(super) type Parse<T> = Result<T, Failure>;

/// The parser.
pub(super) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<(Token, Range<usize>)>,
    pub at: usize,
    depth: usize,
    pub elements: Vec<Name>,
    pub globals: HashMap<Name, Type>,
    /// Result types.
    pub functions: HashMap<Name, Type>,
    pub locals: HashMap<Name, Type>,
}

impl Parser<'_> {
    /// The token `ahead` places further on.
    pub fn peek_at(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.at + ahead).map(|(t, _)| *t)
    }

    pub fn peek(&self) -> Option<Token> {
        self.peek_at(0)
    }

    /// The text of the present token, empty at the end.
    pub fn word(&self) -> &str {
        self.word_at(0)
    }

    pub fn word_at(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |(_, r)| &self.text[r.clone()])
    }

    /// Byte offset of the present token.
    pub fn offset(&self) -> usize {
        self.tokens.get(self.at).map_or(self.text.len(), |(_, r)| r.start)
    }

    /// Whether the token `ahead` places further on touches the one before it.
    pub fn touches(&self, ahead: usize) -> bool {
        let here = self.at + ahead;
        here > 0
            && matches!((self.tokens.get(here - 1), self.tokens.get(here)), (Some((_, a)), Some((_, b))) if a.end == b.start)
    }

    pub fn fail<T>(&self, problem: ParseProblem) -> Parse<T> {
        Err((self.offset(), problem))
    }

    pub fn expected<T>(&self, expected: &str) -> Parse<T> {
        let found = match self.peek() {
            None => "the end of the text".to_string(),
            Some(_) => format!("`{}`", self.word()),
        };
        self.fail(ParseProblem::Expected { expected: expected.to_string(), found })
    }

    /// Takes the present token if it is this one.
    pub fn eat(&mut self, token: Token) -> bool {
        let hit = self.peek() == Some(token);
        self.at += usize::from(hit);
        hit
    }

    pub fn need(&mut self, token: Token, what: &str) -> Parse<()> {
        if self.eat(token) { Ok(()) } else { self.expected(what) }
    }

    /// Takes the present word if it is this one.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let hit = self.peek() == Some(Token::Word) && self.word() == word;
        self.at += usize::from(hit);
        hit
    }

    pub fn need_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    pub fn name(&mut self, what: &str) -> Parse<Name> {
        if self.peek() != Some(Token::Word) {
            return self.expected(what);
        }
        let name = self.word().into();
        self.at += 1;
        Ok(name)
    }

    pub fn comma(&mut self) -> Parse<()> {
        self.need(Token::Comma, "`,`")
    }

    pub fn close(&mut self) -> Parse<()> {
        self.need(Token::Close, "`)`")
    }

    /// Runs a step one level deeper.
    pub fn nested<T>(&mut self, step: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return self.fail(ParseProblem::Depth);
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    pub fn bool_literal(&mut self) -> Parse<bool> {
        if self.eat_word("true") {
            Ok(true)
        } else if self.eat_word("false") {
            Ok(false)
        } else {
            self.expected("`true` or `false`")
        }
    }

    /// An optionally negative whole number without suffix.
    pub fn int_literal(&mut self) -> Parse<i64> {
        let negative = self.eat(Token::Minus);
        if self.peek() != Some(Token::Int) {
            return self.expected("a whole number");
        }
        let written = format!("{}{}", if negative { "-" } else { "" }, self.word());
        match written.parse() {
            Ok(value) => {
                self.at += 1;
                Ok(value)
            }
            Err(_) => self.fail(ParseProblem::Range(written)),
        }
    }

    pub fn text_literal(&mut self) -> Parse<String> {
        if self.peek() != Some(Token::Text) {
            return self.expected("a quoted text");
        }
        match unquote(self.word()) {
            Some(text) => {
                self.at += 1;
                Ok(text)
            }
            None => self.expected("a text with known escapes"),
        }
    }

    /// Reads `<key=value, ...>` if it directly follows the token before.
    pub fn meta<M: Meta + Default>(&mut self, node: &str) -> Parse<M> {
        let mut meta = M::default();
        if self.peek() != Some(Token::Less) || !self.touches(0) {
            return Ok(meta);
        }
        self.at += 1;
        loop {
            let start = self.offset();
            let mut key = self.name("a metadata key")?.to_string();
            if self.eat(Token::Dot) {
                key = format!("{key}.{}", self.name("a metadata key")?);
            }
            self.need(Token::Assign, "`=`")?;
            let value = self.meta_value()?;
            let shown = value.to_string();
            if !meta.put(&key, value) {
                return Err((start, ParseProblem::Metadata { node: node.to_string(), key, value: shown }));
            }
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.need(Token::Greater, "`>`")?;
        Ok(meta)
    }

    fn meta_value(&mut self) -> Parse<MetaValue> {
        match self.peek() {
            Some(Token::Word) => Ok(MetaValue::Word(self.name("a word")?.to_string())),
            Some(Token::Text) => self.text_literal().map(MetaValue::Text),
            Some(Token::OpenBracket) => {
                self.at += 1;
                let mut items = vec![self.name("a name")?.to_string()];
                while self.eat(Token::Comma) {
                    items.push(self.name("a name")?.to_string());
                }
                self.need(Token::CloseBracket, "`]`")?;
                Ok(MetaValue::List(items))
            }
            Some(Token::Float) => self.meta_float(1.0),
            Some(Token::Minus) if self.peek_at(1) == Some(Token::Float) => {
                self.at += 1;
                self.meta_float(-1.0)
            }
            Some(Token::Int | Token::Minus) => self.int_literal().map(MetaValue::Int),
            _ => self.expected("a metadata value"),
        }
    }

    fn meta_float(&mut self, sign: f64) -> Parse<MetaValue> {
        match self.word().parse::<f64>() {
            Ok(x) if x.is_finite() => {
                self.at += 1;
                Ok(MetaValue::Float(sign * x))
            }
            _ => self.fail(ParseProblem::Range(self.word().to_string())),
        }
    }
}
