//! Tokens of the schedule section.

use logos::Logos;

/// Token kinds of the schedule section.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0B\x0C]+")]
pub(super) enum Kind {
    #[regex(r"//[^\n]*", allow_greedy = true)]
    LineComment,
    #[token("/*", block_comment)]
    BlockComment,
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Name,
    #[regex("[0-9]+|0[xX][0-9a-fA-F]+")]
    Int,
    #[regex(r"([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fF]?|[0-9]+[eE][+-]?[0-9]+[fF]?")]
    Float,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Str,
    #[token("->")]
    Arrow,
    #[token(".")]
    Dot,
    #[token(",")]
    Comma,
    #[token(";")]
    Semi,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token("=")]
    Assign,
    #[token("::")]
    Scope,
    Eof,
}

/// Skips to the end of a C comment; false if there is none.
fn block_comment(lexer: &mut logos::Lexer<Kind>) -> bool {
    let rest = lexer.remainder();
    let end = rest.find("*/").map(|at| at + 2);
    lexer.bump(end.unwrap_or(rest.len()));
    end.is_some()
}

impl Kind {
    /// The kind in words, for messages.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Kind::LineComment | Kind::BlockComment => "a comment",
            Kind::Name => "a name",
            Kind::Int | Kind::Float => "a number",
            Kind::Str => "a string",
            Kind::Arrow => "`->`",
            Kind::Dot => "`.`",
            Kind::Comma => "`,`",
            Kind::Semi => "`;`",
            Kind::LParen => "`(`",
            Kind::RParen => "`)`",
            Kind::LBrace => "`{`",
            Kind::RBrace => "`}`",
            Kind::Assign => "`=`",
            Kind::Scope => "`::`",
            Kind::Eof => "the end of the schedule",
        }
    }
}
