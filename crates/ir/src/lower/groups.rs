//! Lowering operators over grouped neighbours: filters over vertices whose functions begin with
//! [`Groups`](crate::expr::ExprKind::Groups).
//!
//! The function is made here: it gets the chosen key and assigns it where it differs from what the target holds.
//! Vectors that are named in place of functions become functions, so that machines know functions alone. What functions
//! capture at the operator, the made function captures and hands on.

use super::{Lower, Lowering};
use crate::expr::{BinaryOp, Expr, ExprKind, FunctionRef, ReduceOp};
use crate::groups::{GroupChoice, NeighbourGroups};
use crate::meta::{Extra, VertexMeta};
use crate::module::{Context, Function, FunctionKind, Param};
use crate::operator::{Operator, VertexSetFilter, VertexSetIterator};
use crate::source::{Name, Span};
use crate::stmt::{Block, Stmt, StmtKind};
use crate::types::{Scalar, Type};
use gw_lang::typed::{self, Combine, EdgeValue, Filter, GroupApply};

/// A function in the making, with what it captures at the operator.
#[derive(Default)]
struct Made {
    captures: Vec<Param>,
    given: Vec<Expr>,
}

impl Made {
    /// A value of the place of the operator, as a variable of the function: globals by their names, all else by a
    /// capture.
    fn capture(&mut self, value: Expr, base: &str, is_global: bool) -> Expr {
        if is_global {
            return value;
        }
        let name: Name = format!("{base}_{}", self.captures.len()).as_str().into();
        let ty = value.ty.clone();
        self.captures.push(Param { name: name.clone(), ty: ty.clone() });
        self.given.push(value);
        Expr::var(name, ty)
    }

    /// The function with its parameters and body.
    fn function(self, name: Name, params: Vec<Param>, result: Param, body: Block, span: Span) -> (Function, Vec<Expr>) {
        let function = Function {
            name,
            kind: FunctionKind::User,
            context: Context::None,
            captures: self.captures,
            params,
            result: Some(result),
            body: Some(body),
            span,
            extra: Extra::default(),
        };
        (function, self.given)
    }
}

fn var(param: &Param) -> Expr {
    Expr::var(param.name.clone(), param.ty.clone())
}

impl<'p> Lowering<'p> {
    /// An operator over groups: the members of the set whose target changed.
    pub(super) fn group_apply(
        &mut self,
        apply: &'p GroupApply,
        span: gw_lang::Span,
        pre: &mut Block,
    ) -> Lower<Operator> {
        let line = self.span(span);
        let (set, is_all) = self.grouped_set(apply, span, pre)?;
        let graph = self.variable(&apply.graph, "graph", pre)?;
        let vertex = self.param("v", Type::Vertex(self.element(apply.graph_type.src)));
        let mut made = Made::default();
        let key = self.edge_number(apply, &apply.key, &mut made, line, pre)?;
        let value = match &apply.value {
            None => None,
            Some(value) => Some(self.edge_number(apply, value, &mut made, line, pre)?),
        };
        let combine = match apply.combine {
            Combine::Sum => ReduceOp::Sum,
            Combine::Min => ReduceOp::Min,
            Combine::Max => ReduceOp::Max,
        };
        let at = |vector: Expr| Expr::element(vector, var(&vertex));
        let choice = match &apply.choice {
            typed::GroupChoice::Best { score, own, .. } => {
                let score = self.handed(score, &mut made, pre)?;
                let own = match own {
                    None => None,
                    Some(own) => Some(at(self.reached(own, &mut made, pre)?)),
                };
                GroupChoice::Best { score, own }
            }
            typed::GroupChoice::Each(func) => GroupChoice::Each(self.handed(func, &mut made, pre)?),
            typed::GroupChoice::Groups(_) => GroupChoice::Count,
            typed::GroupChoice::LeastAbsent(_) => GroupChoice::LeastAbsent,
        };
        let target = match apply.choice.target() {
            None => None,
            Some(target) => Some(at(self.reached(target, &mut made, pre)?)),
        };
        let groups = NeighbourGroups { graph, vertex: var(&vertex), key, value, combine, choice };
        let chosen = self.param("chosen", Type::INT);
        let changed = self.param("changed", Type::BOOL);
        let init = Some(Expr::new(ExprKind::Groups(Box::new(groups)), Type::INT));
        let mut body = vec![Stmt::new(StmtKind::VarDecl { name: chosen.name.clone(), ty: Type::INT, init }).at(line)];
        let Some(target) = target else {
            let (function, given) = made.function(self.made_name("groups"), vec![vertex], changed, body, line);
            let apply = FunctionRef { name: function.name.clone(), captures: given };
            self.made.push(Function { result: None, ..function });
            let meta = VertexMeta { is_all_vertices: is_all, ..VertexMeta::default() };
            return Ok(Operator::VertexSetIterator(VertexSetIterator { set, apply, meta }));
        };
        let differs = Expr::binary(BinaryOp::Ne, target.clone(), var(&chosen));
        let is_key = Expr::binary(BinaryOp::Ge, var(&chosen), Expr::int(0));
        let assign = |target: Expr, value: Expr| Stmt::new(StmtKind::Assign { target, value }).at(line);
        let then = vec![assign(target, var(&chosen)), assign(var(&changed), Expr::bool(true))];
        let condition = Expr::binary(BinaryOp::And, is_key, differs);
        body.push(Stmt::new(StmtKind::If { condition, then, otherwise: Vec::new() }).at(line));
        let (function, captures) = made.function(self.made_name("groups"), vec![vertex], changed, body, line);
        let filter = FunctionRef { name: function.name.clone(), captures };
        self.made.push(function);
        let meta = VertexMeta { is_all_vertices: is_all, ..VertexMeta::default() };
        Ok(Operator::VertexSetFilter(VertexSetFilter { set, filter, meta }))
    }

    /// The vertices whose neighbours are grouped, and whether these are all.
    fn grouped_set(&mut self, apply: &'p GroupApply, span: gw_lang::Span, pre: &mut Block) -> Lower<(Expr, bool)> {
        let ty = Type::VertexSet(self.element(apply.graph_type.src));
        let all = || Expr::new(ExprKind::Universe(None), ty.clone());
        Ok(match &apply.from {
            None => (all(), true),
            Some(Filter::Set(set)) if self.is_universe(set) => (all(), true),
            Some(Filter::Set(set)) => (self.variable(set, "members", pre)?, false),
            Some(Filter::Func(func)) => {
                let filter = self.function_ref(func, pre)?;
                let meta = VertexMeta { is_all_vertices: true, ..VertexMeta::default() };
                let selected = Operator::VertexSetFilter(VertexSetFilter { set: all(), filter, meta });
                (self.temporary(selected.into_expr(), "members", span, pre), false)
            }
        })
    }

    /// A name in a made function that hides no global, nor does it with a number behind it.
    fn local(&self, base: &str) -> String {
        let mut name = base.to_string();
        let clashes = |name: &str| {
            let mut globals = self.program.globals.iter();
            globals.any(|g| g.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('_')))
        };
        while clashes(&name) {
            name.push('_');
        }
        name
    }

    fn param(&self, name: &str, ty: Type) -> Param {
        Param { name: self.local(name).as_str().into(), ty }
    }

    /// A name that no global, function or local has.
    fn made_name(&mut self, base: &str) -> Name {
        let mut n = 1;
        loop {
            let name: Name = format!("{base}_{n}").as_str().into();
            let local = |f: &typed::Function| f.locals.iter().any(|l| *l.name == *name);
            if !self.program.functions.iter().any(local) && self.reserved.insert(name.clone()) {
                return name;
            }
            n += 1;
        }
    }

    /// A function that the made function calls, with its captures handed on.
    fn handed(&mut self, func: &'p typed::FuncUse, made: &mut Made, pre: &mut Block) -> Lower<FunctionRef> {
        let FunctionRef { name, captures } = self.function_ref(func, pre)?;
        let captured = &self.program.function(func.func).captures;
        let wanted: Vec<Type> =
            captured.iter().map(|id| self.ty(&self.program.function(func.func).local(*id).ty)).collect();
        let hand = |(value, ty): (Expr, Type)| {
            let is_global = value.ty.is_reference() && value.as_var().is_some_and(|name| self.is_global(name));
            made.capture(Expr { ty, ..value }, &self.local("captured"), is_global)
        };
        Ok(FunctionRef { name, captures: captures.into_iter().zip(wanted).map(hand).collect() })
    }

    /// A vector as the made function sees it.
    fn reached(&mut self, vector: &'p typed::Expr, made: &mut Made, pre: &mut Block) -> Lower<Expr> {
        let vector = self.variable(vector, "vector", pre)?;
        let is_global = vector.as_var().is_some_and(|name| self.is_global(name));
        Ok(made.capture(vector, &self.local("vector"), is_global))
    }

    fn is_global(&self, name: &Name) -> bool {
        self.program.globals.iter().any(|global| *global.name == **name)
    }

    /// The function `(v, n)` or `(v, n, weight)` that gives a number of an edge. The key of neighbours that the `to`
    /// function does not select is -1.
    fn edge_number(
        &mut self,
        apply: &'p GroupApply,
        number: &'p EdgeValue,
        made: &mut Made,
        span: Span,
        pre: &mut Block,
    ) -> Lower<FunctionRef> {
        let selected = apply.to.as_ref().filter(|_| std::ptr::eq(number, &apply.key));
        if let (EdgeValue::Func { func, .. }, None) = (number, selected) {
            return self.handed(func, made, pre);
        }
        let (source, target) = (self.element(apply.graph_type.src), self.element(apply.graph_type.dst));
        let mut params = vec![self.param("v", Type::Vertex(source)), self.param("n", Type::Vertex(target))];
        let weighted = match number {
            EdgeValue::Weight => true,
            EdgeValue::Func { weighted, .. } => *weighted,
            EdgeValue::Vector(_) => false,
        };
        let weight = apply.graph_type.weight.filter(|_| weighted);
        params.extend(weight.map(|scalar| self.param("weight", Type::Scalar(scalar))));
        let mut inner = Made::default();
        let value = match number {
            EdgeValue::Weight => params.last().map(var).unwrap_or_else(|| Expr::int(0)),
            EdgeValue::Vector(vector) => {
                let vector = self.variable(vector, "vector", pre)?;
                let is_global = vector.as_var().is_some_and(|name| self.is_global(name));
                let vector = inner.capture(vector, &self.local("vector"), is_global);
                Expr::element(vector, var(&params[1]))
            }
            EdgeValue::Func { func, .. } => {
                let function = self.handed(func, &mut inner, pre)?;
                let ty = self.ty(&self.program.function(func.func).result_type());
                Expr::new(ExprKind::Call { function, args: params.iter().map(var).collect() }, ty)
            }
        };
        let ty = match &value.ty {
            Type::Vertex(_) => Type::INT,
            ty => Type::Scalar(ty.scalar().unwrap_or(Scalar::Int)),
        };
        let result = self.param("number", ty);
        let assign = |value: Expr| Stmt::new(StmtKind::Assign { target: var(&result), value }).at(span);
        let mut body = vec![assign(value)];
        if let Some(selected) = selected {
            let function = self.handed(selected, &mut inner, pre)?;
            let condition = Expr::new(ExprKind::Call { function, args: vec![var(&params[1])] }, Type::BOOL);
            let left_out = assign(Expr::int(-1));
            body = vec![Stmt::new(StmtKind::If { condition, then: body, otherwise: vec![left_out] }).at(span)];
        }
        let (function, given) = inner.function(self.made_name("of_edge"), params, result, body, span);
        let name = function.name.clone();
        self.made.push(function);
        // What this function captures, the function over vertices captures for it.
        let hand = |value: Expr| made.capture(value, &self.local("captured"), false);
        Ok(FunctionRef { name, captures: given.into_iter().map(hand).collect() })
    }
}
