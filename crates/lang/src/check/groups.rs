//! Grouped neighbourhoods: `edges.from(set).groupBy(key).sum(f).best(g, target, own)` and its kin.
//!
//! Keys, values and scores are read as they were before the operator, on any number of threads: so the functions that
//! give them change nothing, and what the operator writes is none of what they read.

use super::expr::{node, plural};
use super::filter::FilterUse;
use super::operator::{Selected, edge_types, is_vertex};
use super::scope::Meaning;
use super::{Checked, Checker};
use crate::ast::{self, FuncRef};
use crate::builtin::Builtin;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{Combine, EdgeValue, Expr, ExprKind, FuncUse, GroupApply, GroupChoice, TypedProgram, Var};
use crate::types::{EdgeSetType, ElemId, FuncId, GlobalId, IndexKind, Scalar, Type};
use crate::visit;
use std::collections::HashSet;

/// The methods that choose among groups, with their arguments.
const CHOICES: &str = "`best(score, target)`, `best(score, target, own)`, `each(f)`, `groups(target)` or \
                       `leastAbsent(target)`";

impl Checker {
    /// A chain over grouped neighbours.
    pub(super) fn groups(&mut self, groups: &ast::Groups, span: Span) -> Checked<Expr> {
        let Selected { base, from, to } = self.selected(&groups.receiver);
        let graph = self.expr(base, None)?;
        let (graph, conditions) = self.take_view(graph);
        if !conditions.is_empty() {
            return Err(self.report(
                Diagnostic::error("`groupBy` works on a graph, not on a view", graph.span, "a view").help(
                    "leave edges out by a negative key, or build the graph of these edges: `edges.filter(marks)`",
                ),
            ));
        }
        let Type::EdgeSet(graph_type) = graph.ty else {
            let found = self.show(&graph.ty);
            return Err(self.error(
                format!("`groupBy` works on edgesets, not on {found}"),
                graph.span,
                format!("this is {found}"),
            ));
        };
        if !matches!(graph.kind, ExprKind::Var(Var::Global(_))) {
            return Err(self.report(
                Diagnostic::error("the graph of `groupBy` must be a global", graph.span, "not a global edgeset")
                    .help("declare the graph at top level, `const g : edgeset{...}(...);`, and assign it"),
            ));
        }
        let from = self.edge_filter(from, graph_type.src, "from")?;
        let to = match to {
            None => None,
            Some((func, _)) if func.captures.is_none() && self.is_variable(&func.name.name) => {
                return Err(self.report(
                    Diagnostic::error("`to` takes a function before `groupBy`", func.span, "a variable")
                        .help("select neighbours with a function `(n) -> bool`, or give them a negative key"),
                ));
            }
            Some((func, _)) => {
                let used = self.predicate(func, graph_type.dst, "to")?;
                self.unchanging(&used, "to");
                Some(used)
            }
        };
        let key = self.edge_value(&graph, graph_type, &groups.key, "groupBy")?;
        let (combine, value) = self.combined(&graph, graph_type, groups)?;
        let choice = self.group_choice(graph_type.src, groups)?;
        let ty = match choice {
            GroupChoice::Each(_) => Type::Void,
            _ => Type::VertexSet(graph_type.src),
        };
        let apply = GroupApply { graph, graph_type, from, to, key, combine, value, choice };
        Ok(node(ExprKind::Groups(Box::new(apply)), ty, span))
    }

    fn unchanging(&mut self, used: &FuncUse, word: &'static str) {
        self.filters.push(FilterUse { func: used.func, span: used.span, word });
    }

    /// The key or value of an edge: a vector over the neighbours, or a function of the edge.
    fn edge_value(
        &mut self,
        graph: &Expr,
        graph_type: EdgeSetType,
        func: &FuncRef,
        word: &'static str,
    ) -> Checked<EdgeValue> {
        let is_key = word == "groupBy";
        if func.captures.is_none() && self.is_variable(&func.name.name) {
            let vector = self.vertex_vector(func, graph_type.dst, word)?;
            if is_key {
                self.whole_entries(&vector, word)?;
            }
            return Ok(EdgeValue::Vector(vector));
        }
        if !is_key && func.captures.is_none() && func.name.name == "weight" && !self.symbols.contains_key("weight") {
            return match graph_type.weight {
                Some(_) => Ok(EdgeValue::Weight),
                None => Err(self.error("these edges have no weights", func.span, "no weight")),
            };
        }
        let used = self.func_use(func, &edge_types(graph_type))?;
        let signature = self.signatures[used.func.0 as usize].clone();
        let (weighted, takes_edge) = self.edge_params(&signature, graph_type, func)?;
        if takes_edge {
            self.takes_edge(graph, &used, &signature, true)?;
        }
        let fits = match &signature.result {
            Type::Scalar(Scalar::Int) => true,
            Type::Element(_) => is_key,
            Type::Scalar(scalar) => !is_key && scalar.is_numeric(),
            _ => false,
        };
        if !fits {
            let wanted = if is_key { "an int" } else { "a number" };
            return Err(self.report(
                Diagnostic::error(
                    format!("`{}` must give {wanted} to be used in `{word}`", signature.name),
                    func.span,
                    format!("gives {}", self.show(&signature.result)),
                )
                .also(signature.span, "declared here"),
            ));
        }
        self.unchanging(&used, word);
        Ok(EdgeValue::Func { func: used, weighted })
    }

    /// A vector over vertices of this element, by name.
    fn vertex_vector(&mut self, name: &FuncRef, elem: ElemId, word: &str) -> Checked<Expr> {
        let Meaning::Var(var) = self.lookup(&name.name.name, name.span)? else {
            let message = format!("`{word}` needs a vector here, but `{}` is none", name.name.name);
            return Err(self.error(message, name.span, "not a vector"));
        };
        let ty = self.var_type(var).clone();
        let fits = matches!(&ty, Type::Vector { index: IndexKind::Element(of), item }
            if *of == elem && matches!(**item, Type::Scalar(_) | Type::Element(_)));
        if !fits {
            let (found, elem) = (self.show(&ty), self.show(&Type::Element(elem)));
            return Err(self.error(
                format!("`{word}` needs a vector{{{elem}}}(...), but `{}` is {found}", name.name.name),
                name.span,
                format!("this is {found}"),
            ));
        }
        Ok(node(ExprKind::Var(var), ty, name.span))
    }

    /// Refuses a vector whose entries are no ints.
    fn whole_entries(&mut self, vector: &Expr, word: &str) -> Checked<()> {
        match &vector.ty {
            Type::Vector { item, .. } if matches!(**item, Type::Scalar(Scalar::Int) | Type::Element(_)) => Ok(()),
            ty => {
                let found = self.show(ty);
                let message = format!("`{word}` needs a vector of int, but this is {found}");
                Err(self.error(message, vector.span, format!("this is {found}")))
            }
        }
    }

    fn combined(
        &mut self,
        graph: &Expr,
        graph_type: EdgeSetType,
        groups: &ast::Groups,
    ) -> Checked<(Combine, Option<EdgeValue>)> {
        let (combine, word, wanted) = match groups.combine.name.as_str() {
            "count" => (Combine::Sum, "count", 0),
            "sum" => (Combine::Sum, "sum", 1),
            "min" => (Combine::Min, "min", 1),
            "max" => (Combine::Max, "max", 1),
            other => {
                let message = format!("groups have no method `{other}` that combines values");
                return Err(self.report(
                    Diagnostic::error(message, groups.combine.span, "unknown method")
                        .help("write `count()`, `sum(f)`, `min(f)` or `max(f)` behind `groupBy`"),
                ));
            }
        };
        if groups.values.len() != wanted {
            let message = format!("`{word}` takes {}", plural(wanted, "argument"));
            return Err(self.error(message, groups.combine.span, "wrong number of arguments"));
        }
        let value = match groups.values.first() {
            None => None,
            Some(func) => Some(self.edge_value(graph, graph_type, func, word)?),
        };
        Ok((combine, value))
    }

    fn group_choice(&mut self, elem: ElemId, groups: &ast::Groups) -> Checked<GroupChoice> {
        let target = |checker: &mut Self, name: &FuncRef, word: &str| -> Checked<Expr> {
            let vector = checker.vertex_vector(name, elem, word)?;
            checker.whole_entries(&vector, word)?;
            Ok(vector)
        };
        match (groups.choice.name.as_str(), groups.args.as_slice()) {
            ("best", [score, vector, own @ ..]) if own.len() < 2 => {
                let score = self.of_group(elem, score, "best", &Type::Scalar(Scalar::Double))?;
                self.unchanging(&score, "best");
                let vector = target(self, vector, "best")?;
                let own = own.first().map(|own| target(self, own, "best")).transpose()?;
                Ok(GroupChoice::Best { score, target: vector, own })
            }
            ("each", [func]) => Ok(GroupChoice::Each(self.of_group(elem, func, "each", &Type::Void)?)),
            ("groups", [vector]) => Ok(GroupChoice::Groups(target(self, vector, "groups")?)),
            ("leastAbsent", [vector]) => Ok(GroupChoice::LeastAbsent(target(self, vector, "leastAbsent")?)),
            ("best" | "each" | "groups" | "leastAbsent", _) => {
                let message = format!("wrong arguments for `{}`", groups.choice.name);
                Err(self.report(
                    Diagnostic::error(message, groups.choice.span, "wrong number of arguments")
                        .help(format!("the choices are {CHOICES}")),
                ))
            }
            (other, _) => Err(self.report(
                Diagnostic::error(format!("groups have no method `{other}`"), groups.choice.span, "unknown method")
                    .help(format!("the choices are {CHOICES}")),
            )),
        }
    }

    /// A function `(v, key, value)` with this result.
    fn of_group(&mut self, elem: ElemId, func: &FuncRef, word: &str, result: &Type) -> Checked<FuncUse> {
        let used = self.func_use(func, &[Type::Element(elem), Type::Scalar(Scalar::Int)])?;
        let signature = self.signatures[used.func.0 as usize].clone();
        let types: Vec<&Type> = signature.params.iter().map(|(_, ty)| ty).collect();
        let fits = match types.as_slice() {
            [v, key, Type::Scalar(value)] => {
                let is_key = matches!(key, Type::Element(_) | Type::Scalar(Scalar::Int));
                is_vertex(v, elem) && is_key && value.is_numeric() && signature.result == *result
            }
            _ => false,
        };
        if fits {
            return Ok(used);
        }
        let vertex = self.show(&Type::Element(elem));
        let result = if *result == Type::Void { String::new() } else { format!(" -> g : {}", self.show(result)) };
        Err(self.report(
            Diagnostic::error(format!("`{}` does not fit `{word}`", signature.name), func.span, "wrong parameters")
                .also(signature.span, "declared here")
                .help(format!(
                    "declare it as `func {}(v : {vertex}, key : int, value : double){result}`; the value is of any \
                     type of numbers",
                    signature.name
                )),
        ))
    }

    /// Reports operators over groups that write what they read of other vertices.
    pub(super) fn judge_groups(&mut self) {
        let mut found = Vec::new();
        for function in &self.program.functions {
            visit::stmts(&function.body, &mut |stmt| {
                visit::exprs(stmt, &mut |expr| {
                    if let ExprKind::Groups(apply) = &expr.kind {
                        found.extend(problem(&self.program, apply));
                    }
                });
            });
        }
        for diagnostic in found {
            if self.saturated() {
                return;
            }
            self.report(diagnostic);
        }
    }
}

/// What is wrong with an operator, its functions known.
fn problem(program: &TypedProgram, apply: &GroupApply) -> Option<Diagnostic> {
    let of_score = match &apply.choice {
        GroupChoice::Best { score, .. } => Some(score),
        _ => None,
    };
    for func in apply.edge_functions().chain(of_score) {
        if draws(program, func.func) {
            let name = &program.function(func.func).name;
            return Some(
                Diagnostic::error(format!("`{name}` draws a random number"), func.span, "used for groups").help(
                    "draw by counter, `randomBits(seed, v, round)`, which gives the same number when asked again",
                ),
            );
        }
    }
    let mut written: Vec<Var> = Vec::new();
    if let Some(Expr { kind: ExprKind::Var(var), .. }) = apply.choice.target() {
        written.push(*var);
    }
    if let GroupChoice::Each(func) = &apply.choice {
        written.extend(super::finish::effects(program, func.func).globals().map(Var::Global));
    }
    let mut readers: Vec<(Reader<'_>, Span)> = Vec::new();
    for value in [Some(&apply.key), apply.value.as_ref()].into_iter().flatten() {
        if let EdgeValue::Vector(vector) = value {
            readers.push((Reader::Vector(vector), vector.span));
        }
    }
    readers.extend(apply.edge_functions().chain(of_score).map(|func| (Reader::Func(func), func.span)));
    for var in &written {
        for (reader, span) in &readers {
            if reader.reads(program, *var) {
                let name = match var {
                    Var::Global(id) => program.global(*id).name.clone(),
                    Var::Local(_) => "the target".into(),
                };
                return Some(
                    Diagnostic::error(
                        format!("`{name}` is written while groups are made from it"),
                        *span,
                        format!("reads `{name}`"),
                    )
                    .help("write another vector, and copy it with `apply` behind the operator"),
                );
            }
        }
    }
    None
}

/// What an operator over groups reads.
enum Reader<'p> {
    Vector(&'p Expr),
    Func(&'p FuncUse),
}

impl Reader<'_> {
    fn reads(&self, program: &TypedProgram, var: Var) -> bool {
        match (self, var) {
            (Reader::Vector(vector), _) => vector.kind == ExprKind::Var(var),
            (Reader::Func(func), Var::Global(id)) => reached(program, func.func).1.contains(&id),
            (Reader::Func(func), Var::Local(_)) => func.captures.iter().any(|c| c.kind == ExprKind::Var(var)),
        }
    }
}

/// Functions that a function calls, itself included, and globals that they mention.
fn reached(program: &TypedProgram, func: FuncId) -> (Vec<FuncId>, HashSet<GlobalId>) {
    let (mut order, mut globals) = (vec![func], HashSet::new());
    let mut at = 0;
    while at < order.len() {
        let mut called = Vec::new();
        visit::stmts(&program.function(order[at]).body, &mut |stmt| {
            visit::exprs(stmt, &mut |expr| match &expr.kind {
                ExprKind::Var(Var::Global(id)) => {
                    globals.insert(*id);
                }
                ExprKind::Call { func, .. } => called.push(func.func),
                _ => {}
            });
        });
        called.retain(|func| !order.contains(func));
        order.extend(called);
        at += 1;
    }
    (order, globals)
}

fn draws(program: &TypedProgram, func: FuncId) -> bool {
    let mut found = false;
    for func in reached(program, func).0 {
        visit::stmts(&program.function(func).body, &mut |stmt| {
            visit::exprs(stmt, &mut |expr| {
                let drawn = [Builtin::RandomOutNeighbor, Builtin::RandomInNeighbor];
                found |= matches!(&expr.kind, ExprKind::Builtin { builtin, .. } if drawn.contains(builtin));
            });
        });
    }
    found
}
