//! Written types.

use super::{Fail, Parsed, Parser};
use crate::ast::{Ident, TypeExpr, TypeExprKind, VectorIndex};
use crate::diagnostic::Diagnostic;
use crate::token::TokenKind;
use crate::types::Scalar;

impl Parser<'_> {
    pub(super) fn type_expr(&mut self) -> Parsed<TypeExpr> {
        self.nested(|p| p.type_inner())
    }

    fn type_inner(&mut self) -> Parsed<TypeExpr> {
        use TokenKind::*;
        let start = self.span();
        let kind = match self.peek() {
            KwVertexSet => {
                self.advance();
                TypeExprKind::VertexSet(self.braced_element()?)
            }
            // A set of edges is a set of the numbers of edges.
            Ident if self.is_edge_subset() => {
                self.advance();
                TypeExprKind::VertexSet(self.braced_element()?)
            }
            KwEdgeSet => {
                self.advance();
                let edge = self.braced_element()?;
                self.expect(LParen)?;
                let src = self.ident("an element name")?;
                self.expect(Comma)?;
                let dst = self.ident("an element name")?;
                let weight = match self.eat(Comma) {
                    true => Some(self.scalar_type()?),
                    false => None,
                };
                self.expect(RParen)?;
                TypeExprKind::EdgeSet { edge, src, dst, weight }
            }
            KwVector => return self.vector_type(),
            KwList => {
                self.advance();
                self.expect(LBrace)?;
                let item = self.type_expr()?;
                self.expect(RBrace)?;
                TypeExprKind::List(Box::new(item))
            }
            KwPriorityQueue => {
                self.advance();
                let (elem, priority) = self.queue_type()?;
                TypeExprKind::PriorityQueue { elem, priority }
            }
            Ident if self.weight_type().is_some() => TypeExprKind::Scalar(self.scalar_type()?),
            Ident => {
                let name = self.ident("a type")?;
                if matches!(self.peek(), KwInt | Ident) && self.same_line() {
                    let help = crate::advice::type_name(&name.name).unwrap_or("a type is one word");
                    let message = format!("there is no type `{} {}`", name.name, self.text(self.span()));
                    return Err(self.no_such(&message, name.span.to(self.span()), "unknown type", help));
                }
                TypeExprKind::Named(name)
            }
            _ => TypeExprKind::Scalar(self.scalar_type()?),
        };
        let span = start.to(self.previous());
        Ok(TypeExpr { kind, span })
    }

    pub(super) fn vector_type(&mut self) -> Parsed<TypeExpr> {
        let start = self.expect(TokenKind::KwVector)?;
        let index = if self.eat(TokenKind::LBracket) {
            self.vector_length()?
        } else if self.peek() == TokenKind::LBrace {
            VectorIndex::Element(self.braced_element()?)
        } else {
            if self.peek() == TokenKind::Lt {
                let span = self.span();
                let help = "write `vector{Vertex}(int)` for one entry per vertex, `vector[8](int)` for eight";
                return Err(self.no_such("the type of entries stands in parentheses", span, "not like this", help));
            }
            return Err(self.unexpected("`{element}` or `[length]`"));
        };
        self.expect(TokenKind::LParen)?;
        let item = self.type_expr()?;
        self.expect(TokenKind::RParen)?;
        Ok(TypeExpr { kind: TypeExprKind::Vector { index, item: Box::new(item) }, span: start.to(self.previous()) })
    }

    /// The length of a vector, behind its opening bracket: a number, or the name of a constant or variable.
    fn vector_length(&mut self) -> Parsed<VectorIndex> {
        let index = match self.peek() {
            TokenKind::Ident => VectorIndex::Named(self.ident("the vector's length")?),
            _ => VectorIndex::Fixed(self.int_literal("the vector's length")?),
        };
        if self.peek() != TokenKind::RBracket && self.same_line() {
            let help = "give the length a name: `const size : int = ...;` at top level, then `vector[size](int)`";
            return Err(self.no_such("the length of a vector is a number or a name", self.span(), "not here", help));
        }
        self.expect(TokenKind::RBracket)?;
        Ok(index)
    }

    /// `{E}(T)` behind `priority_queue`.
    pub(super) fn queue_type(&mut self) -> Parsed<(Ident, Scalar)> {
        let elem = self.braced_element()?;
        self.expect(TokenKind::LParen)?;
        let priority = self.scalar_type()?;
        self.expect(TokenKind::RParen)?;
        Ok((elem, priority))
    }

    pub(super) fn braced_element(&mut self) -> Parsed<Ident> {
        self.expect(TokenKind::LBrace)?;
        let name = self.ident("an element name")?;
        self.expect(TokenKind::RBrace)?;
        Ok(name)
    }

    /// Whether `edgesubset{..}` comes next.
    pub(super) fn is_edge_subset(&self) -> bool {
        self.peek() == TokenKind::Ident
            && self.peek_at(1) == TokenKind::LBrace
            && self.text(self.span()) == "edgesubset"
    }

    /// The type that comes next, if it follows the weights of the graph at hand: `weight` is theirs, `weight_64` the
    /// one of 64 bits for their sums.
    fn weight_type(&self) -> Option<Scalar> {
        let weights = self.source.weights();
        match (self.peek(), self.text(self.span())) {
            (TokenKind::Ident, "weight") => Some(weights),
            (TokenKind::Ident, "weight_64") => Some(match weights {
                Scalar::Int => Scalar::Int64,
                Scalar::Uint => Scalar::Uint64,
                Scalar::Float => Scalar::Double,
                wide => wide,
            }),
            _ => None,
        }
    }

    fn scalar_type(&mut self) -> Parsed<Scalar> {
        use TokenKind::*;
        let following = self.weight_type();
        self.names_weight |= following.is_some();
        let scalar = match self.peek() {
            Ident if following.is_some() => following.unwrap_or(Scalar::Int),
            KwInt => Scalar::Int,
            KwUint => Scalar::Uint,
            KwInt64 => Scalar::Int64,
            KwUint64 => Scalar::Uint64,
            KwFloat => Scalar::Float,
            KwDouble => Scalar::Double,
            KwBool => Scalar::Bool,
            KwString => Scalar::String,
            kind if kind.is_reserved_only() => {
                let span = self.span();
                let word = self.text(span).to_string();
                self.report(
                    Diagnostic::error(format!("the type `{word}` does not exist"), span, "reserved word")
                        .help(format!("the scalar types are {}", crate::advice::SCALARS)),
                );
                return Err(Fail);
            }
            Ident => {
                let span = self.span();
                let word = self.text(span).to_string();
                let help = match crate::advice::type_name(&word) {
                    Some(advice) => advice.to_string(),
                    None => format!("the scalar types are {}", crate::advice::SCALARS),
                };
                return Err(self.no_such(&format!("there is no scalar type `{word}`"), span, "unknown type", &help));
            }
            _ => return Err(self.unexpected("a type")),
        };
        self.advance();
        if self.peek() == LBracket {
            let span = self.span();
            let word = self.text(self.previous()).to_string();
            let help = format!("write `vector[10]({word})`, or `vector{{Vertex}}({word})` for one entry per vertex");
            return Err(self.no_such("the length of a vector stands before its type", span, "a length", &help));
        }
        Ok(scalar)
    }
}
