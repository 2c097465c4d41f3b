//! Tokens of the text form.

use logos::Logos;
use std::ops::Range;

/// A token. Comments run from `//` to the end of the line.
#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub(super) enum Token {
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[regex(r"[0-9]+(ul|u|l)?")]
    Int,
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?f?")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+f?")]
    Float,
    #[regex(r#""([^"\\]|\\[^\n])*""#)]
    Text,
    #[token("->")]
    Arrow,
    #[token("==")]
    #[token("!=")]
    #[token("<=")]
    #[token(">=")]
    #[token("+")]
    #[token("*")]
    #[token("/")]
    Operator,
    #[token("-")]
    Minus,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("=")]
    Assign,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    #[token("#")]
    Hash,
    #[token(".")]
    Dot,
}

/// All tokens with their byte ranges, or the offset of the first byte that begins none.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, usize> {
    Token::lexer(text)
        .spanned()
        .map(|(token, range)| token.map(|t| (t, range.clone())).map_err(|()| range.start))
        .collect()
}

/// The contents of a quoted text; `None` for an escape that does not exist.
pub(super) fn unquote(quoted: &str) -> Option<String> {
    let inner = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '"' => '"',
            '\\' => '\\',
            'u' => {
                let rest = chars.as_str().strip_prefix('{')?;
                let (digits, _) = rest.split_once('}')?;
                for _ in 0..digits.len() + 2 {
                    chars.next();
                }
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
            }
            _ => return None,
        });
    }
    Some(out)
}
