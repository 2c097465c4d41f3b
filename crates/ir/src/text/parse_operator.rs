//! Parsing operators.

use super::keys::DedupMeta;
use super::lexer::Token;
use super::parser::{Parse, Parser};
use crate::meta::EdgeMeta;
use crate::operator::*;

impl Parser<'_> {
    /// The operator of this name, whose name has just been read; `None` when no operator is called so.
    pub fn operator(&mut self, name: &str) -> Parse<Option<Operator>> {
        Ok(Some(match name {
            "EdgeSetIterator" => {
                let edges = self.edges(name)?;
                self.close()?;
                Operator::EdgeSetIterator(edges)
            }
            "UpdatePriorityEdgeSetIterator" => {
                let edges = self.edges(name)?;
                self.key("queue")?;
                let queue = self.variable()?;
                let queue_meta = self.meta(name)?;
                self.close()?;
                Operator::UpdatePriorityEdgeSetIterator(UpdatePriorityEdgeSetIterator { edges, queue, queue_meta })
            }
            "VertexSetIterator" => {
                let meta = self.meta(name)?;
                self.need(Token::Open, "`(`")?;
                let set = self.expr()?;
                self.key("apply")?;
                let apply = self.function_ref()?;
                self.close()?;
                Operator::VertexSetIterator(VertexSetIterator { set, apply, meta })
            }
            "VertexSetFilter" => {
                let meta = self.meta(name)?;
                self.need(Token::Open, "`(`")?;
                let set = self.expr()?;
                self.key("where")?;
                let filter = self.function_ref()?;
                self.close()?;
                Operator::VertexSetFilter(VertexSetFilter { set, filter, meta })
            }
            "VertexSetDedup" => {
                let DedupMeta { perfect, extra } = self.meta(name)?;
                self.need(Token::Open, "`(`")?;
                let set = self.expr()?;
                self.close()?;
                Operator::VertexSetDedup(VertexSetDedup { set, perfect, extra })
            }
            "UpdatePriorityExtern" => {
                let meta = self.meta(name)?;
                self.need(Token::Open, "`(`")?;
                let set = self.expr()?;
                self.key("apply")?;
                let function = self.function_ref()?;
                self.key("queue")?;
                let queue = self.variable()?;
                self.close()?;
                Operator::UpdatePriorityExtern(UpdatePriorityExtern { set, function, queue, meta })
            }
            "UpdateBuckets" => {
                let meta = self.meta(name)?;
                self.need(Token::Open, "`(`")?;
                let queue = self.variable()?;
                self.key("modified")?;
                let modified = self.expr()?;
                self.close()?;
                Operator::UpdateBuckets(UpdateBuckets { queue, modified, meta })
            }
            "OrderedProcessing" => {
                let meta = self.meta(name)?;
                self.need(Token::Open, "`(`")?;
                let queue = self.variable()?;
                self.key("while")?;
                let condition = self.expr()?;
                self.comma()?;
                self.need_word("EdgeSetIterator")?;
                let edges = self.edges("EdgeSetIterator")?;
                self.close()?;
                self.close()?;
                Operator::OrderedProcessing(OrderedProcessing { queue, condition, edges, meta })
            }
            _ => return Ok(None),
        }))
    }

    /// `, key=`
    pub(super) fn key(&mut self, key: &str) -> Parse<()> {
        self.comma()?;
        self.need_word(key)?;
        self.need(Token::Assign, "`=`")
    }

    /// Takes `, key=` if it is there.
    pub(super) fn eat_key(&mut self, key: &str) -> bool {
        let hit = self.peek() == Some(Token::Comma) && self.word_at(1) == key && self.peek_at(2) == Some(Token::Assign);
        self.at += if hit { 3 } else { 0 };
        hit
    }

    /// Takes `, word` if it is there.
    pub(super) fn eat_flag(&mut self, word: &str) -> bool {
        let hit =
            self.peek() == Some(Token::Comma) && self.word_at(1) == word && self.peek_at(2) != Some(Token::Assign);
        self.at += if hit { 2 } else { 0 };
        hit
    }

    fn filter(&mut self, side: &str) -> Parse<VertexFilter> {
        if !self.eat_key(side) {
            return Ok(VertexFilter::All);
        }
        // A set may be called `where`; a function name always follows the keyword.
        if self.word() == "where" && self.peek_at(1) == Some(Token::Word) {
            self.at += 1;
            return self.function_ref().map(VertexFilter::Function);
        }
        self.expr().map(VertexFilter::Set)
    }

    /// `<meta>(graph, from=..., to=..., apply=..., output` up to what follows.
    fn edges(&mut self, name: &str) -> Parse<EdgeSetIterator> {
        let meta: EdgeMeta = self.meta(name)?;
        self.need(Token::Open, "`(`")?;
        let graph = self.expr()?;
        let from = self.filter("from")?;
        let to = self.filter("to")?;
        self.key("apply")?;
        let apply = self.function_ref()?;
        let output = if self.eat_key("modified") {
            let vector = self.name("the tracked vector")?;
            EdgeOutput::Modified { vector, duplicates: self.eat_flag("duplicates") }
        } else if self.eat_flag("accepted") {
            EdgeOutput::Accepted { duplicates: self.eat_flag("duplicates") }
        } else {
            EdgeOutput::None
        };
        Ok(EdgeSetIterator { graph, from, to, apply, output, meta })
    }
}
