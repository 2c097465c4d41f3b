//! Parsing modules: headers first, so that functions may be named before they are defined, then bodies.

use super::keys::FunctionMeta;
use super::lexer::Token;
use super::parser::{Parse, ParseProblem, Parser};
use crate::module::{Function, FunctionKind, Global, GlobalInit, Module, Param, VertexOrder};
use crate::source::{Name, Span};
use crate::types::Type;

impl Parser<'_> {
    pub fn module(&mut self) -> Parse<Module> {
        let mut module = Module::default();
        self.headers()?;
        self.at = 0;
        while self.peek().is_some() {
            self.item(&mut module)?;
        }
        Ok(module)
    }

    /// Collects elements, types of globals and result types of functions without looking at code.
    fn headers(&mut self) -> Parse<()> {
        let mut depth = 0usize;
        while let Some(token) = self.peek() {
            match (token, depth) {
                (Token::OpenBrace, _) => depth += 1,
                (Token::CloseBrace, _) => depth = depth.saturating_sub(1),
                (Token::Word, 0) if self.word() == "element" && self.peek_at(2) == Some(Token::Semicolon) => {
                    self.at += 1;
                    let name = self.name("an element")?;
                    if self.elements.contains(&name) {
                        return self.fail(ParseProblem::Type(format!("element `{name}` is declared twice")));
                    }
                    self.elements.push(name);
                    continue;
                }
                (Token::Word, 0)
                    if matches!(self.word(), "global" | "universe") && self.peek_at(2) == Some(Token::Colon) =>
                {
                    self.at += 1;
                    let name = self.name("a global")?;
                    self.at += 1;
                    let ty = self.ty()?;
                    if self.globals.insert(name.clone(), ty).is_some() {
                        return self.fail(ParseProblem::Type(format!("global `{name}` is declared twice")));
                    }
                    continue;
                }
                (Token::Word, 0) if self.word() == "func" => {
                    let head = self.function_head(FunctionKind::User)?;
                    let ty = head.result_type();
                    if self.functions.insert(head.name.clone(), ty).is_some() {
                        return self.fail(ParseProblem::Type(format!("function `{}` is declared twice", head.name)));
                    }
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        Ok(())
    }

    fn item(&mut self, module: &mut Module) -> Parse<()> {
        if self.eat_word("element") {
            let name = self.name("an element")?;
            module.elements.push(name);
            return self.need(Token::Semicolon, "`;`");
        }
        if self.word() == "order" && self.peek_at(2) == Some(Token::Open) {
            self.at += 1;
            if !self.eat_word("degree") {
                return self.expected("`degree`");
            }
            self.need(Token::Open, "`(`")?;
            let mut arguments = Vec::new();
            while !self.eat(Token::Close) {
                let argument = self.int_literal()?;
                let Ok(argument) = u32::try_from(argument) else {
                    return self.fail(ParseProblem::Range(argument.to_string()));
                };
                arguments.push(argument);
                self.eat(Token::Comma);
            }
            module.order = Some(VertexOrder { arguments });
            return self.need(Token::Semicolon, "`;`");
        }
        for (word, universe) in [("global", false), ("universe", true)] {
            if self.eat_word(word) {
                let global = self.global(universe)?;
                module.globals.push(global);
                return Ok(());
            }
        }
        if self.word() == "startup" && self.peek_at(1) == Some(Token::OpenBrace) {
            self.at += 1;
            self.locals.clear();
            let stmts = self.block()?;
            module.startup.extend(stmts);
            return Ok(());
        }
        let kind = match self.word() {
            "func" => FunctionKind::User,
            "extern" => FunctionKind::Extern,
            "export" => FunctionKind::Export,
            "main" => FunctionKind::Main,
            "startup" => FunctionKind::Startup,
            _ => return self.expected("`element`, `global`, `universe`, `startup` or a function"),
        };
        if kind != FunctionKind::User {
            self.at += 1;
        }
        if self.word() != "func" {
            return self.expected("`func`");
        }
        let mut function = self.function_head(kind)?;
        self.locals.clear();
        let all: Vec<Param> =
            function.captures.iter().chain(&function.params).chain(&function.result).cloned().collect();
        for p in all {
            self.declare(&p.name, p.ty)?;
        }
        if kind == FunctionKind::Extern {
            self.need(Token::Semicolon, "`;`")?;
        } else {
            function.body = Some(self.block()?);
        }
        module.functions.push(function);
        Ok(())
    }

    fn global(&mut self, universe: bool) -> Parse<Global> {
        let name = self.name("a global")?;
        self.need(Token::Colon, "`:`")?;
        let ty = self.ty()?;
        let meta = self.meta("a global")?;
        self.locals.clear();
        let per_entry = self.eat_word("each");
        let init = if self.eat(Token::Assign) {
            let value = self.expr()?;
            Some(if per_entry { GlobalInit::PerEntry(value) } else { GlobalInit::Value(value) })
        } else if per_entry {
            return self.expected("`=`");
        } else {
            None
        };
        self.need(Token::Semicolon, "`;`")?;
        Ok(Global { name, ty, universe, init, span: Span::NONE, meta })
    }

    /// `func name<meta>[captures](params) -> result : type`
    fn function_head(&mut self, kind: FunctionKind) -> Parse<Function> {
        self.need_word("func")?;
        let name = self.name("a function name")?;
        let FunctionMeta { context, extra } = self.meta("a function")?;
        let captures = if self.eat(Token::OpenBracket) { self.params(Token::CloseBracket, "`]`")? } else { Vec::new() };
        self.need(Token::Open, "`(`")?;
        let params = self.params(Token::Close, "`)`")?;
        let result = if self.eat(Token::Arrow) { Some(self.param()?) } else { None };
        Ok(Function { name, kind, context, captures, params, result, body: None, span: Span::NONE, extra })
    }

    fn param(&mut self) -> Parse<Param> {
        let name: Name = self.name("a parameter")?;
        self.need(Token::Colon, "`:`")?;
        let ty: Type = self.ty()?;
        Ok(Param { name, ty })
    }

    fn params(&mut self, end: Token, what: &str) -> Parse<Vec<Param>> {
        let mut params = Vec::new();
        if self.eat(end) {
            return Ok(params);
        }
        loop {
            params.push(self.param()?);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.need(end, what)?;
        Ok(params)
    }
}
