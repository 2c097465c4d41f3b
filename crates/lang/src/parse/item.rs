//! Top-level declarations: elements, externs, globals and functions.

use super::{Fail, Parsed, Parser};
use crate::ast::{Decl, Func, FuncKind, Ident, Init, Item, Param};
use crate::diagnostic::Diagnostic;
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.peek() != TokenKind::Eof {
            let before = self.at;
            match self.item() {
                Ok(Some(item)) => items.push(item),
                Ok(None) => {}
                Err(Fail) => self.skip_to_item(before),
            }
        }
        items
    }

    fn item(&mut self) -> Parsed<Option<Item>> {
        use TokenKind::*;
        let item = match self.peek() {
            KwElement => self.element()?,
            KwExtern if self.peek_at(1) == KwFunc => {
                self.advance();
                Item::Func(self.func(FuncKind::Extern)?)
            }
            KwExtern => self.extern_var()?,
            KwExport => {
                self.advance();
                Item::Func(self.func(FuncKind::Export)?)
            }
            KwFunc => Item::Func(self.func(FuncKind::Plain)?),
            KwConst => Item::Const(self.decl()?),
            Semi => {
                self.advance();
                return Ok(None);
            }
            KwVar => {
                let span = self.span();
                self.report(
                    Diagnostic::error("a global variable is declared with `const`", span, "not at top level")
                        .help("write `const` here; globals stay assignable"),
                );
                Item::Const(self.decl()?)
            }
            KwEnd => {
                let span = self.span();
                self.report(
                    Diagnostic::error("this `end` closes nothing", span, "no open block")
                        .help("remove it, or look for an extra `end` above"),
                );
                self.advance();
                return Ok(None);
            }
            Ident if self.text(self.span()) == "tuple" && self.peek_at(1) == Ident => self.tuple()?,
            _ => return Err(self.foreign_item()),
        };
        Ok(Some(item))
    }

    /// Something at top level that declares nothing.
    fn foreign_item(&mut self) -> Fail {
        use TokenKind::*;
        let span = self.span();
        let word = self.text(span).to_string();
        match (self.peek(), self.peek_at(1)) {
            (Ident, Colon) if word != "schedule" => {
                let help = format!("write `const {word} : ...`; globals stay assignable");
                self.no_such("a global variable is declared with `const`", span, "no `const` before it", &help)
            }
            (KwInt | KwUint | KwInt64 | KwUint64 | KwFloat | KwDouble | KwBool | KwString, Ident) => {
                let name = self.text(self.tokens[self.at + 1].span).to_string();
                let help = match self.peek_at(2) {
                    LParen => format!("write `func {name}() -> result : {word}`"),
                    _ => format!("write `const {name} : {word} = ...;`"),
                };
                self.no_such("a declaration starts with `const` or `func`", span, "a type", &help)
            }
            (Slash, Slash) => self.no_such("there is no `//`", span, "not a comment", "a comment starts with `%`"),
            (Slash, Star) => {
                self.no_such("there is no `/*`", span, "not a comment", "write `%{ ... %}` around a comment")
            }
            (Hash, _) => {
                self.no_such("a label stands before a statement", span, "a label", "a comment starts with `%`")
            }
            (Ident, Str | Ident) if word == "use" => {
                let help = "move the line up";
                self.no_such("`use` stands before all declarations of a file", span, "after a declaration", help)
            }
            (kind, _) => match crate::advice::top_level(&word).filter(|_| kind == Ident) {
                Some(help) => {
                    self.no_such(&format!("there is no `{word}` at top level"), span, "not a declaration", help)
                }
                None => self.unexpected("`element`, `const`, `func`, `extern` or `export`"),
            },
        }
    }

    /// Skips to the next declaration; `before` is where the failed one began.
    fn skip_to_item(&mut self, before: usize) {
        use TokenKind::*;
        if self.at == before {
            self.advance();
        }
        while !matches!(self.peek(), Eof | KwElement | KwExtern | KwExport | KwFunc | KwConst) {
            self.advance();
        }
    }

    fn element(&mut self) -> Parsed<Item> {
        let start = self.advance().span;
        let name = self.ident("an element name")?;
        let mut fields = Vec::new();
        while self.peek() == TokenKind::Ident {
            let field = self.param()?;
            self.expect_semi()?;
            fields.push(field);
        }
        let end = self.expect(TokenKind::KwEnd)?;
        let span = start.to(end);
        Ok(Item::Element { name, fields, span })
    }

    /// `tuple Best (gain : double, target : int)`, with or without `;` behind it.
    fn tuple(&mut self) -> Parsed<Item> {
        let start = self.advance().span;
        let name = self.ident("a name for the tuple")?;
        if self.peek() != TokenKind::LParen {
            let help = format!("write `tuple {} (first : int, second : double)`", name.name);
            return Err(self.no_such("the fields of a tuple stand in parentheses", self.span(), "not here", &help));
        }
        self.advance();
        let fields = self.comma_list(TokenKind::RParen, |p| p.param())?;
        let span = start.to(self.previous());
        self.eat(TokenKind::Semi);
        Ok(Item::Tuple { name, fields, span })
    }

    fn extern_var(&mut self) -> Parsed<Item> {
        let start = self.advance().span;
        let Param { name, ty } = self.param()?;
        self.expect_semi()?;
        let span = start.to(self.previous());
        Ok(Item::ExternVar { name, ty, span })
    }

    /// `const` or `var` declaration up to its `;`.
    pub(super) fn decl(&mut self) -> Parsed<Decl> {
        let keyword = self.advance();
        self.operators = 0;
        let is_var = keyword.kind == TokenKind::KwVar;
        let name = self.variable_name()?;
        let ty = match self.eat(TokenKind::Colon) {
            true => Some(self.type_expr()?),
            false => None,
        };
        let init = match self.eat(TokenKind::Assign) {
            true => Some(self.init()?),
            false if ty.is_none() => return Err(self.unexpected("`:` and a type, or `=`")),
            false => None,
        };
        self.expect_semi()?;
        Ok(Decl { is_var, name, ty, init, span: keyword.span.to(self.previous()) })
    }

    /// A declared name; `max=3` there was lexed as a reduction and gets its own message.
    fn variable_name(&mut self) -> Parsed<Ident> {
        use TokenKind::*;
        if matches!(self.peek(), MinEq | MaxEq | AsyncMinEq | AsyncMaxEq) {
            let span = self.span();
            let word = self.text(span).trim_end_matches('=').to_string();
            self.report(
                Diagnostic::error(format!("`{word}=` is read as a reduction"), span, "one token")
                    .help(format!("put a space before `=`: `{word} =`")),
            );
            return Err(Fail);
        }
        self.ident("a variable name")
    }

    fn init(&mut self) -> Parsed<Init> {
        let start = self.span();
        if !self.eat(TokenKind::LBrace) {
            return Ok(Init::Expr(self.expr()?));
        }
        let items = self.comma_list(TokenKind::RBrace, |p| {
            p.operators = 0;
            p.expr()
        })?;
        Ok(Init::List(items, start.to(self.previous())))
    }

    fn func(&mut self, kind: FuncKind) -> Parsed<Func> {
        let start = self.expect(TokenKind::KwFunc)?;
        self.suspect = None;
        self.else_if = None;
        let name = self.ident("a function name")?;
        let generics = match self.eat(TokenKind::Lt) {
            true => self.comma_list(TokenKind::Gt, |p| p.generic())?,
            false => Vec::new(),
        };
        let captures = match self.eat(TokenKind::LBracket) {
            true => self.comma_list(TokenKind::RBracket, |p| p.param())?,
            false => Vec::new(),
        };
        self.expect(TokenKind::LParen)?;
        let params = self.comma_list(TokenKind::RParen, |p| p.param())?;
        if self.peek() == TokenKind::Colon {
            let span = self.span();
            let help = "write `-> result : int` and assign to `result`";
            return Err(self.no_such("a result follows `->` and has a name", span, "a colon", help));
        }
        let results = match self.eat(TokenKind::Arrow) {
            true => self.results()?,
            false => Vec::new(),
        };
        let body = if kind == FuncKind::Extern {
            self.expect_semi()?;
            Vec::new()
        } else {
            let body = self.block();
            self.close_block("func", start)?;
            body
        };
        Ok(Func { kind, name, generics, captures, params, results, body, span: start.to(self.previous()) })
    }

    fn generic(&mut self) -> Parsed<Ident> {
        if self.peek() == TokenKind::Int {
            self.advance();
            self.expect(TokenKind::Colon)?;
        }
        self.ident("a generic parameter")
    }

    fn results(&mut self) -> Parsed<Vec<Param>> {
        self.type_before_name(true)?;
        if !self.eat(TokenKind::LParen) {
            return Ok(vec![self.param()?]);
        }
        self.comma_list(TokenKind::RParen, |p| p.param())
    }

    fn param(&mut self) -> Parsed<Param> {
        if self.peek() == TokenKind::KwInout {
            let span = self.advance().span;
            self.report(
                Diagnostic::warning("`inout` has no effect", span, "ignored")
                    .help("scalars are passed by value; vectors, sets, lists and graphs by reference"),
            );
        }
        self.type_before_name(false)?;
        let name = self.ident("a parameter name")?;
        if matches!(self.peek(), TokenKind::Comma | TokenKind::RParen | TokenKind::RBracket) {
            let help = format!("write `{0} : int`, or `{0} : Vertex` for a vertex", name.name);
            return Err(self.no_such("a parameter has a type", name.span, "no type", &help));
        }
        self.expect(TokenKind::Colon)?;
        let ty = self.type_expr()?;
        Ok(Param { name, ty })
    }
}
