//! Rules of grouped neighbourhoods.

use super::{Checker, Problem};
use crate::expr::{FunctionRef, ReduceOp};
use crate::groups::{GroupChoice, NeighbourGroups};
use crate::module::{Function, FunctionKind};
use crate::stmt::Stmt;
use crate::types::{Scalar, Type};

impl<'m> Checker<'m> {
    /// Groups as the value of the variable that `stmt` declares.
    pub(super) fn groups(&mut self, groups: &'m NeighbourGroups, stmt: &Stmt) {
        self.expr(&groups.graph);
        self.expr(&groups.vertex);
        let function = self.function.filter(|f| f.kind == FunctionKind::User);
        let is_first = function.and_then(|f| f.body.as_ref()?.first()).is_some_and(|first| std::ptr::eq(first, stmt));
        let of_vertex = function.is_some_and(|f| {
            let [vertex] = f.params.as_slice() else { return false };
            groups.vertex.as_var() == Some(&vertex.name)
        });
        if !is_first || !of_vertex {
            let message = "Groups of the parameter are the value of the first variable of a function over vertices";
            self.report(Problem::Placement(message.into()));
        }
        let is_global = groups.graph.as_var().is_some_and(|name| self.globals.contains_key(&**name));
        if !matches!(groups.graph.ty, Type::EdgeSet { .. }) || !is_global {
            self.type_error("the graph of Groups", "a global edgeset", &groups.graph.ty);
        }
        self.of_edge(&groups.key, groups, "(vertex, neighbour[, weight]) -> int", &|ty| {
            ty.scalar() == Some(Scalar::Int)
        });
        if let Some(value) = &groups.value {
            self.of_edge(value, groups, "(vertex, neighbour[, weight]) -> number", &Type::is_numeric);
        }
        if !matches!(groups.combine, ReduceOp::Sum | ReduceOp::Min | ReduceOp::Max) {
            self.report(Problem::Signature("groups are combined by SUM, MIN or MAX".into()));
        }
        match &groups.choice {
            GroupChoice::Best { score, own } => {
                self.of_group(score, "(vertex, key, value) -> double", &Type::Scalar(Scalar::Double));
                if let Some(own) = own {
                    self.expr(own);
                    self.need_same("the key `own`", &Type::INT, &own.ty);
                }
            }
            GroupChoice::Each(visit) => self.of_group(visit, "(vertex, key, value)", &Type::Void),
            GroupChoice::Count | GroupChoice::LeastAbsent => {}
        }
    }

    fn of_edge(&mut self, f: &'m FunctionRef, groups: &NeighbourGroups, wanted: &str, gives: &dyn Fn(&Type) -> bool) {
        let Some(f) = self.function_ref(f) else { return };
        let weight = groups.graph.ty.weight();
        let fits = match f.params.as_slice() {
            [v, n] => is_vertex(&v.ty) && is_vertex(&n.ty),
            [v, n, w] => is_vertex(&v.ty) && is_vertex(&n.ty) && weight.is_some_and(|s| w.ty == Type::Scalar(s)),
            _ => false,
        };
        self.need_signature(f, wanted, fits && gives(&f.result_type()));
    }

    fn of_group(&mut self, f: &'m FunctionRef, wanted: &str, result: &Type) {
        let Some(f) = self.function_ref(f) else { return };
        let fits = match f.params.as_slice() {
            [v, key, value] => is_vertex(&v.ty) && is_vertex(&key.ty) && value.ty.is_numeric(),
            _ => false,
        };
        self.need_signature(f, wanted, fits && f.result_type() == *result);
    }

    fn need_signature(&mut self, f: &Function, wanted: &str, fits: bool) {
        if !fits {
            self.report(Problem::Signature(format!("`{}` must be a function {wanted}", f.name)));
        }
    }
}

fn is_vertex(ty: &Type) -> bool {
    ty.scalar() == Some(Scalar::Int)
}
