//! Parsing types and expressions.

use super::lexer::Token;
use super::parser::{Parse, ParseProblem, Parser};
use super::value::{from_word, word};
use crate::builtin::Builtin;
use crate::expr::{BinaryOp, Expr, ExprKind, FunctionRef, PriorityOp, PriorityQueueAlloc, ReduceOp, UnaryOp};
use crate::groups::{GroupChoice, NeighbourGroups};
use crate::meta::Access;
use crate::source::Name;
use crate::types::{Domain, Scalar, Type};
use crate::typing::builtin_type;

/// Binding strength, loosest first; the printer puts every nested operator in parentheses, people need not.
fn strength(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Xor => 3,
        BinaryOp::Add | BinaryOp::Sub => 5,
        BinaryOp::Mul | BinaryOp::Div => 6,
        _ => 4,
    }
}

impl Parser<'_> {
    pub fn element_name(&mut self) -> Parse<Name> {
        let start = self.offset();
        let name = self.name("an element")?;
        if self.elements.contains(&name) {
            Ok(name)
        } else {
            Err((start, ParseProblem::Unknown { what: "element", name: name.to_string() }))
        }
    }

    fn scalar(&mut self) -> Parse<Scalar> {
        match Scalar::from_keyword(self.word()) {
            Some(s) => {
                self.at += 1;
                Ok(s)
            }
            None => self.expected("a scalar type"),
        }
    }

    /// `{E}`
    fn braced_element(&mut self) -> Parse<Name> {
        self.need(Token::OpenBrace, "`{`")?;
        let element = self.element_name()?;
        self.need(Token::CloseBrace, "`}`")?;
        Ok(element)
    }

    pub fn ty(&mut self) -> Parse<Type> {
        self.nested(Self::ty_inner)
    }

    fn ty_inner(&mut self) -> Parse<Type> {
        let braced = matches!(self.peek_at(1), Some(Token::OpenBrace | Token::OpenBracket));
        match self.word() {
            "vertexset" if braced => {
                self.at += 1;
                self.braced_element().map(Type::VertexSet)
            }
            "edgeset" if braced => {
                self.at += 1;
                let edge = self.braced_element()?;
                self.need(Token::Open, "`(`")?;
                let source = self.element_name()?;
                self.comma()?;
                let target = self.element_name()?;
                let weight = if self.eat(Token::Comma) { Some(self.scalar()?) } else { None };
                self.close()?;
                Ok(Type::EdgeSet { edge, source, target, weight })
            }
            "vector" if braced => {
                self.at += 1;
                let domain = if self.eat(Token::OpenBracket) {
                    let start = self.offset();
                    let domain = match self.peek() {
                        Some(Token::Word) => Domain::Counted(self.name("a length")?),
                        _ => {
                            let n = self.int_literal()?;
                            Domain::Fixed(u32::try_from(n).map_err(|_| (start, ParseProblem::Range(n.to_string())))?)
                        }
                    };
                    self.need(Token::CloseBracket, "`]`")?;
                    domain
                } else {
                    Domain::Element(self.braced_element()?)
                };
                self.need(Token::Open, "`(`")?;
                let item = Box::new(self.ty()?);
                self.close()?;
                Ok(Type::Vector { domain, item })
            }
            "list" if braced => {
                self.at += 1;
                self.need(Token::OpenBrace, "`{`")?;
                let item = Box::new(self.ty()?);
                self.need(Token::CloseBrace, "`}`")?;
                Ok(Type::List(item))
            }
            "priority_queue" if braced => {
                self.at += 1;
                let element = self.braced_element()?;
                self.need(Token::Open, "`(`")?;
                let priority = self.scalar()?;
                self.close()?;
                Ok(Type::PriorityQueue { element, priority })
            }
            word => match Scalar::from_keyword(word) {
                Some(s) => {
                    self.at += 1;
                    Ok(Type::Scalar(s))
                }
                None => self.element_name().map(Type::Vertex),
            },
        }
    }

    pub fn expr(&mut self) -> Parse<Expr> {
        self.binary(1)
    }

    fn binary_op(&self) -> Option<BinaryOp> {
        match self.peek()? {
            Token::Operator | Token::Minus | Token::Less | Token::Greater | Token::Word => {
                BinaryOp::ALL.iter().find(|(_, s)| *s == self.word()).map(|(op, _)| *op)
            }
            _ => None,
        }
    }

    fn binary(&mut self, weakest: u8) -> Parse<Expr> {
        let mut lhs = self.nested(Self::unary)?;
        while let Some(op) = self.binary_op().filter(|op| strength(*op) >= weakest) {
            self.at += 1;
            let rhs = self.nested(|p| p.binary(strength(op) + 1))?;
            lhs = Expr::binary(op, lhs, rhs);
        }
        Ok(lhs)
    }

    fn unary(&mut self) -> Parse<Expr> {
        if self.eat_word("not") {
            return Ok(Expr::negated(self.nested(Self::unary)?));
        }
        if self.peek() == Some(Token::Minus) {
            if matches!(self.peek_at(1), Some(Token::Int | Token::Float)) {
                self.at += 1;
                return self.number(true);
            }
            self.at += 1;
            let operand = self.nested(Self::unary)?;
            let ty = operand.ty.arithmetic();
            return Ok(Expr::new(ExprKind::Unary(UnaryOp::Neg, Box::new(operand)), ty));
        }
        self.postfix()
    }

    fn number(&mut self, negative: bool) -> Parse<Expr> {
        let word = self.word().to_string();
        let sign = if negative { "-" } else { "" };
        let expr = if self.peek() == Some(Token::Float) {
            let (digits, scalar) = match word.strip_suffix('f') {
                Some(digits) => (digits, Scalar::Float),
                None => (word.as_str(), Scalar::Double),
            };
            let value = format!("{sign}{digits}").parse().ok().filter(|x: &f64| x.is_finite());
            value.map(|v| Expr::new(ExprKind::Float(v), Type::Scalar(scalar)))
        } else {
            let digits = word.trim_end_matches(['u', 'l']);
            let scalar = match &word[digits.len()..] {
                "u" => Scalar::Uint,
                "l" => Scalar::Int64,
                "ul" => Scalar::Uint64,
                _ => Scalar::Int,
            };
            let value = format!("{sign}{digits}").parse().ok();
            value.map(|v| Expr::new(ExprKind::Int(v), Type::Scalar(scalar)))
        };
        match expr {
            Some(expr) => {
                self.at += 1;
                Ok(expr)
            }
            None => self.fail(ParseProblem::Range(word)),
        }
    }

    fn postfix(&mut self) -> Parse<Expr> {
        let mut expr = self.primary()?;
        while self.peek() == Some(Token::OpenBracket) {
            let start = self.offset();
            if expr.ty.item().is_none() {
                return Err((start, ParseProblem::Type(format!("a value of type {} has no entries", expr.ty))));
            }
            self.at += 1;
            let index = self.nested(Self::expr)?;
            self.need(Token::CloseBracket, "`]`")?;
            expr = Expr::element(expr, index);
            if let (ExprKind::Element { access, .. }, true) =
                (&mut expr.kind, self.peek() == Some(Token::Less) && self.touches(0))
            {
                *access = Some(self.access()?);
            }
        }
        Ok(expr)
    }

    /// `<SHARED, WRITE>`
    fn access(&mut self) -> Parse<Access> {
        self.at += 1;
        let Some(sharing) = from_word(self.word()) else { return self.expected("`LOCAL` or `SHARED`") };
        self.at += 1;
        self.comma()?;
        let Some(mode) = from_word(self.word()) else { return self.expected("`READ`, `WRITE` or `READ_WRITE`") };
        self.at += 1;
        self.need(Token::Greater, "`>`")?;
        Ok(Access { sharing, mode })
    }

    /// Whether a node begins here: its name followed by `(`, or directly by metadata.
    pub fn at_node(&self) -> bool {
        self.peek() == Some(Token::Word)
            && (self.peek_at(1) == Some(Token::Open) || (self.peek_at(1) == Some(Token::Less) && self.touches(1)))
    }

    fn primary(&mut self) -> Parse<Expr> {
        match self.peek() {
            Some(Token::Int | Token::Float) => self.number(false),
            Some(Token::Text) => {
                let text = self.text_literal()?;
                Ok(Expr::new(ExprKind::Str(text.as_str().into()), Type::STRING))
            }
            Some(Token::Open) => {
                self.at += 1;
                let inner = self.nested(Self::expr)?;
                self.close()?;
                Ok(inner)
            }
            Some(Token::Word) if self.at_node() => self.nested(Self::node),
            Some(Token::Word) => match self.word() {
                "true" | "false" => self.bool_literal().map(Expr::bool),
                _ => self.variable(),
            },
            _ => self.expected("an expression"),
        }
    }

    pub fn variable(&mut self) -> Parse<Expr> {
        let start = self.offset();
        let name = self.name("a variable")?;
        match self.locals.get(&name).or_else(|| self.globals.get(&name)) {
            Some(ty) => {
                let ty = ty.clone();
                Ok(Expr::var(name, ty))
            }
            None => Err((start, ParseProblem::Unknown { what: "variable", name: name.to_string() })),
        }
    }

    /// Expressions up to the closing parenthesis; `first` when none stands before them.
    fn arguments(&mut self, mut first: bool) -> Parse<Vec<Expr>> {
        let mut args = Vec::new();
        while self.peek() != Some(Token::Close) {
            if !first {
                self.comma()?;
            }
            first = false;
            args.push(self.nested(Self::expr)?);
        }
        self.close()?;
        Ok(args)
    }

    pub fn function_ref(&mut self) -> Parse<FunctionRef> {
        let start = self.offset();
        let name = self.name("a function")?;
        if !self.functions.contains_key(&name) {
            return Err((start, ParseProblem::Unknown { what: "function", name: name.to_string() }));
        }
        let mut captures = Vec::new();
        if self.eat(Token::OpenBracket) {
            captures.push(self.nested(Self::expr)?);
            while self.eat(Token::Comma) {
                captures.push(self.nested(Self::expr)?);
            }
            self.need(Token::CloseBracket, "`]`")?;
        }
        Ok(FunctionRef { name, captures })
    }

    /// `(type, args...)` where the number of arguments must lie in `count`.
    fn typed_arguments(&mut self, count: std::ops::RangeInclusive<usize>) -> Parse<(Type, Vec<Expr>)> {
        self.need(Token::Open, "`(`")?;
        let ty = self.ty()?;
        let start = self.offset();
        let args = self.arguments(false)?;
        if !count.contains(&args.len()) {
            let message = format!("{} arguments after the type, not {}", count.start(), args.len());
            return Err((start, ParseProblem::Expected { expected: message, found: "them".into() }));
        }
        Ok((ty, args))
    }

    fn one_typed(&mut self, make: fn(Box<Expr>) -> ExprKind) -> Parse<Expr> {
        let (ty, args) = self.typed_arguments(1..=1)?;
        Ok(Expr::new(args.into_iter().next().map_or(ExprKind::VectorAlloc, |a| make(Box::new(a))), ty))
    }

    fn node(&mut self) -> Parse<Expr> {
        let start = self.offset();
        let name = self.name("a node")?;
        if let Some(op) = self.operator(&name)? {
            return Ok(op.into_expr());
        }
        if let Some(builtin) = Builtin::from_name(&name) {
            self.need(Token::Open, "`(`")?;
            let args = self.arguments(true)?;
            let ty = builtin_type(builtin, &args).map_err(|m| (start, ParseProblem::Type(m)))?;
            return Ok(Expr::new(ExprKind::Builtin(builtin, args), ty));
        }
        match &*name {
            "Convert" => self.one_typed(ExprKind::Convert),
            "VertexSetAlloc" => self.one_typed(ExprKind::VertexSetAlloc),
            "VectorFill" => self.one_typed(ExprKind::VectorFill),
            "EdgeSetLoad" => self.one_typed(ExprKind::EdgeSetLoad),
            "VectorLoad" => self.one_typed(ExprKind::VectorLoad),
            "Column" => {
                let (ty, args) = self.typed_arguments(2..=3)?;
                Ok(Expr::new(ExprKind::Column(args), ty))
            }
            "Universe" => {
                let (ty, args) = self.typed_arguments(0..=1)?;
                Ok(Expr::new(ExprKind::Universe(args.into_iter().next().map(Box::new)), ty))
            }
            "VectorAlloc" => Ok(Expr::new(ExprKind::VectorAlloc, self.typed_arguments(0..=0)?.0)),
            "ListAlloc" => Ok(Expr::new(ExprKind::ListAlloc, self.typed_arguments(0..=0)?.0)),
            "VectorLiteral" => {
                let (ty, args) = self.typed_arguments(0..=usize::MAX)?;
                Ok(Expr::new(ExprKind::VectorLiteral(args), ty))
            }
            "Call" => {
                self.need(Token::Open, "`(`")?;
                let function = self.function_ref()?;
                let args = self.arguments(false)?;
                let ty = self.functions.get(&function.name).cloned().unwrap_or(Type::Void);
                Ok(Expr::new(ExprKind::Call { function, args }, ty))
            }
            "Reduce" => {
                let meta = self.meta("Reduce")?;
                self.need(Token::Open, "`(`")?;
                let Some(op) = from_word(self.word()) else {
                    return self.expected("`SUM`, `MIN`, `MAX`, `OR` or `AND`");
                };
                self.at += 1;
                self.comma()?;
                let target = self.nested(Self::expr)?.into();
                self.comma()?;
                let value = self.nested(Self::expr)?.into();
                self.close()?;
                Ok(Expr::new(ExprKind::Reduce { op, target, value, meta }, Type::BOOL))
            }
            "CompareAndSwap" => {
                let meta = self.meta("CompareAndSwap")?;
                self.need(Token::Open, "`(`")?;
                let target = self.nested(Self::expr)?.into();
                self.comma()?;
                let expect = self.nested(Self::expr)?.into();
                self.comma()?;
                let value = self.nested(Self::expr)?.into();
                self.close()?;
                Ok(Expr::new(ExprKind::CompareAndSwap { target, expect, value, meta }, Type::BOOL))
            }
            "PriorityUpdateMin" => self.priority_update(PriorityOp::Min),
            "PriorityUpdateMax" => self.priority_update(PriorityOp::Max),
            "PriorityUpdateSum" => self.priority_update(PriorityOp::Sum),
            "EnqueueVertex" => {
                let meta = self.meta("EnqueueVertex")?;
                self.need(Token::Open, "`(`")?;
                let set = self.name("the output set")?;
                self.comma()?;
                let vertex = self.nested(Self::expr)?.into();
                self.close()?;
                Ok(Expr::new(ExprKind::EnqueueVertex { set, vertex, meta }, Type::Void))
            }
            "Intersection" | "IntersectNeighbor" => {
                let meta = self.meta(&name)?;
                self.need(Token::Open, "`(`")?;
                let args = self.arguments(true)?;
                let kind = match &*name {
                    "Intersection" => ExprKind::Intersection { args, meta },
                    _ => ExprKind::IntersectNeighbor { args, meta },
                };
                Ok(Expr::new(kind, Type::INT))
            }
            "Groups" => self.groups(),
            "PriorityQueueAlloc" => self.priority_queue(),
            _ => Err((start, ParseProblem::Unknown { what: "node", name: name.to_string() })),
        }
    }

    fn priority_update(&mut self, op: PriorityOp) -> Parse<Expr> {
        let meta = self.meta("PriorityUpdate")?;
        self.need(Token::Open, "`(`")?;
        let queue = self.nested(Self::expr)?.into();
        self.comma()?;
        let vertex = self.nested(Self::expr)?.into();
        self.comma()?;
        let first = self.optional_expr()?;
        self.comma()?;
        let second = self.optional_expr()?;
        let (bound, value) = if op == PriorityOp::Sum { (second, first) } else { (first, second) };
        let Some(value) = value else { return self.expected("a value instead of `_`") };
        self.close()?;
        Ok(Expr::new(ExprKind::PriorityUpdate { op, queue, vertex, bound, value, meta }, Type::BOOL))
    }

    fn groups(&mut self) -> Parse<Expr> {
        self.need(Token::Open, "`(`")?;
        let graph = self.variable()?;
        self.comma()?;
        let vertex = self.variable()?;
        self.key("key")?;
        let key = self.function_ref()?;
        let (mut value, mut combine) = (None, ReduceOp::Sum);
        for op in [ReduceOp::Sum, ReduceOp::Min, ReduceOp::Max] {
            if self.eat_key(word(&op)) {
                (value, combine) = (Some(self.function_ref()?), op);
                break;
            }
        }
        let choice = if self.eat_key("best") {
            let score = self.function_ref()?;
            let own = if self.eat_key("own") { Some(self.nested(Self::expr)?) } else { None };
            GroupChoice::Best { score, own }
        } else if self.eat_key("each") {
            GroupChoice::Each(self.function_ref()?)
        } else if self.eat_flag("count") {
            GroupChoice::Count
        } else if self.eat_flag("least_absent") {
            GroupChoice::LeastAbsent
        } else {
            return self.expected("`best=`, `each=`, `count` or `least_absent`");
        };
        self.close()?;
        let groups = NeighbourGroups { graph, vertex, key, value, combine, choice };
        Ok(Expr::new(ExprKind::Groups(Box::new(groups)), Type::INT))
    }

    fn optional_expr(&mut self) -> Parse<Option<Box<Expr>>> {
        if self.word() == "_" && matches!(self.peek_at(1), Some(Token::Comma | Token::Close)) {
            self.at += 1;
            return Ok(None);
        }
        Ok(Some(Box::new(self.nested(Self::expr)?)))
    }

    fn priority_queue(&mut self) -> Parse<Expr> {
        let meta = self.meta("PriorityQueueAlloc")?;
        self.need(Token::Open, "`(`")?;
        let ty = self.ty()?;
        self.comma()?;
        let duplicates_within = self.bool_literal()?;
        self.comma()?;
        let duplicates_across = self.bool_literal()?;
        self.comma()?;
        let vector = self.name("the priority vector")?;
        self.comma()?;
        let increasing = self.bool_literal()?;
        self.comma()?;
        let priority_order = self.int_literal()?;
        self.comma()?;
        let all_vertices = self.bool_literal()?;
        self.comma()?;
        let start = self.nested(Self::expr)?;
        self.close()?;
        let alloc = PriorityQueueAlloc {
            duplicates_within,
            duplicates_across,
            vector,
            increasing,
            priority_order,
            all_vertices,
            start,
            meta,
        };
        Ok(Expr::new(ExprKind::PriorityQueueAlloc(Box::new(alloc)), ty))
    }
}
