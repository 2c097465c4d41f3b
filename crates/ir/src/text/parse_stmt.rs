//! Parsing statements.

use super::keys::HybridMeta;
use super::lexer::Token;
use super::parser::{Parse, ParseProblem, Parser};
use crate::source::Name;
use crate::stmt::{Block, HybridStmt, Stmt, StmtKind};
use crate::types::Type;

impl Parser<'_> {
    pub fn block(&mut self) -> Parse<Block> {
        self.need(Token::OpenBrace, "`{`")?;
        let mut stmts = Vec::new();
        while !self.eat(Token::CloseBrace) {
            stmts.push(self.nested(Self::stmt)?);
        }
        Ok(stmts)
    }

    /// Declares a local; a name may be declared once per function.
    pub fn declare(&mut self, name: &Name, ty: Type) -> Parse<()> {
        if self.globals.contains_key(name) || self.locals.insert(name.clone(), ty).is_some() {
            return self.fail(ParseProblem::Type(format!("`{name}` is declared twice")));
        }
        Ok(())
    }

    fn semicolon(&mut self) -> Parse<()> {
        self.need(Token::Semicolon, "`;`")
    }

    fn stmt(&mut self) -> Parse<Stmt> {
        let mut label = None;
        if self.eat(Token::Hash) {
            let mut path = self.name("a label")?.to_string();
            while self.eat(Token::Colon) {
                path = format!("{path}:{}", self.name("a label")?);
            }
            label = Some(path.as_str().into());
            self.need(Token::Hash, "`#`")?;
        }
        Ok(Stmt::new(self.stmt_kind()?).labelled(label))
    }

    fn stmt_kind(&mut self) -> Parse<StmtKind> {
        // Statement words are reserved in the language, except those of nodes, which are known by what follows them.
        match self.word() {
            "var" => {
                self.at += 1;
                let name = self.name("a variable")?;
                self.need(Token::Colon, "`:`")?;
                let ty = self.ty()?;
                let init = if self.eat(Token::Assign) { Some(self.expr()?) } else { None };
                self.declare(&name, ty.clone())?;
                self.semicolon()?;
                Ok(StmtKind::VarDecl { name, ty, init })
            }
            "if" => {
                self.at += 1;
                let condition = self.condition()?;
                let then = self.block()?;
                let otherwise = if self.eat_word("else") { self.block()? } else { Block::new() };
                Ok(StmtKind::If { condition, then, otherwise })
            }
            "while" => {
                self.at += 1;
                let meta = self.meta("while")?;
                let condition = self.condition()?;
                let body = self.block()?;
                Ok(StmtKind::While { condition, body, meta })
            }
            "do" => {
                self.at += 1;
                let body = self.block()?;
                self.need_word("while")?;
                let condition = self.condition()?;
                self.semicolon()?;
                Ok(StmtKind::DoWhile { body, condition })
            }
            word @ ("for" | "par_for") => {
                let parallel = word == "par_for";
                self.at += 1;
                let meta = self.meta("for")?;
                let var = self.name("the loop variable")?;
                self.need_word("in")?;
                self.need(Token::Open, "`(`")?;
                let low = self.expr()?;
                self.need(Token::Colon, "`:`")?;
                let high = self.expr()?;
                self.close()?;
                self.declare(&var, Type::INT)?;
                let body = self.block()?;
                Ok(match parallel {
                    false => StmtKind::For { var, low, high, body, meta },
                    true => StmtKind::ParFor { var, low, high, body, meta },
                })
            }
            "break" => {
                self.at += 1;
                self.semicolon()?;
                Ok(StmtKind::Break)
            }
            "print" => {
                self.at += 1;
                let value = self.expr()?;
                self.semicolon()?;
                Ok(StmtKind::Print(value))
            }
            "delete" => {
                self.at += 1;
                let value = self.expr()?;
                self.semicolon()?;
                Ok(StmtKind::Delete(value))
            }
            "Scope" if self.peek_at(1) == Some(Token::OpenBrace) => {
                self.at += 1;
                Ok(StmtKind::Scope(self.block()?))
            }
            "HybridStmt" if self.at_node() => self.hybrid(),
            _ => {
                let first = self.expr()?;
                let kind = if self.eat(Token::Assign) {
                    StmtKind::Assign { target: first, value: self.expr()? }
                } else {
                    StmtKind::Eval(first)
                };
                self.semicolon()?;
                Ok(kind)
            }
        }
    }

    fn condition(&mut self) -> Parse<crate::expr::Expr> {
        self.need(Token::Open, "`(`")?;
        let condition = self.expr()?;
        self.close()?;
        Ok(condition)
    }

    fn hybrid(&mut self) -> Parse<StmtKind> {
        let start = self.offset();
        self.at += 1;
        let meta: HybridMeta = self.meta("HybridStmt")?;
        let Some((decision, extra)) = meta.decision() else {
            let message = "HybridStmt needs a criterion and a threshold, or an adaptive schedule".to_string();
            return Err((start, ParseProblem::Type(message)));
        };
        self.need(Token::Open, "`(`")?;
        let graph = self.expr()?;
        let mut frontier = None;
        if self.eat(Token::Comma) {
            self.need_word("from")?;
            self.need(Token::Assign, "`=`")?;
            frontier = Some(self.expr()?);
        }
        self.close()?;
        let mut variants = vec![self.block()?];
        while self.eat_word("or") {
            variants.push(self.block()?);
        }
        Ok(StmtKind::Hybrid(HybridStmt { decision, frontier, graph, variants, extra }))
    }
}
