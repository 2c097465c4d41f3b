//! The program as C++ with ordered loops, in the manner of the code that UGF hands to the T4 compiler.
//!
//! T4 makes a task of every loop iteration and keeps program order, so the text is sequential C++: no atomics, no
//! barriers. Loops over frontiers and priority queues become `for_each_prio`, whose body gets a timestamp, a vertex and
//! a `push`. The text is for reading; the simulator runs the same lowering in its own code.

use std::fmt::Write;

use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind, FunctionRef, PriorityOp, ReduceOp, UnaryOp};
use gw_ir::module::{Function, FunctionKind, Module};
use gw_ir::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::{Scalar, Type};
use gw_schedule::SwarmQueue;

use crate::lower::loops::{self, Over};
use crate::lower::offer;
use crate::lower::style::{COARSE, Style};

/// The module as C++.
pub fn cpp(module: &Module) -> String {
    let mut text = Text { out: String::new(), depth: 0, module };
    text.line("#include \"swarm/graph.h\"  // Graph, VertexSet, PriorityQueue, for_each_prio, for_each");
    text.line("");
    for global in &module.globals {
        text.line(&format!("static {} {};", type_name(&global.ty), global.name));
    }
    for function in module.functions.iter().filter(|f| f.kind != FunctionKind::Main) {
        text.function(function);
    }
    text.line("");
    text.line("int main(int argc, char** argv) {");
    text.depth += 1;
    text.block(&module.startup);
    if let Some(body) = module.main().and_then(|main| main.body.as_ref()) {
        text.block(body);
    }
    text.depth -= 1;
    text.line("}");
    text.out
}

struct Text<'m> {
    out: String,
    depth: usize,
    module: &'m Module,
}

impl<'m> Text<'m> {
    fn line(&mut self, line: &str) {
        match line {
            "" => self.out.push('\n'),
            line => {
                let _ = writeln!(self.out, "{}{line}", "  ".repeat(self.depth));
            }
        }
    }

    fn nested(&mut self, head: &str, body: impl FnOnce(&mut Self)) {
        self.closed_by("}", head, body);
    }

    fn closed_by(&mut self, end: &str, head: &str, body: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line(end);
    }

    fn function(&mut self, function: &Function) {
        self.line("");
        let params = function.captures.iter().chain(&function.params);
        let params: Vec<String> = params.map(|p| format!("{} {}", parameter_type(&p.ty), p.name)).collect();
        let result = function.result.as_ref().map_or("void".to_string(), |r| type_name(&r.ty));
        let head = format!("inline {result} {}({})", function.name, params.join(", "));
        match &function.body {
            None => self.line(&format!("{head};  // extern")),
            Some(body) => self.nested(&head, |text| {
                if let Some(result) = &function.result {
                    text.line(&format!("{} {} = 0;", type_name(&result.ty), result.name));
                }
                text.block(body);
                if let Some(result) = &function.result {
                    text.line(&format!("return {};", result.name));
                }
            }),
        }
    }

    fn block(&mut self, block: &[Stmt]) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let Some(label) = &stmt.label {
            self.line(&format!("// {label}"));
        }
        match &stmt.kind {
            StmtKind::VarDecl { name, ty, init } => match init {
                Some(Expr { kind: ExprKind::Operator(op), .. }) => {
                    self.line(&format!("{} {name};", type_name(ty)));
                    self.operator(op, Some(name));
                }
                Some(init) => self.line(&format!("{} {name} = {};", type_name(ty), expr(init))),
                None => self.line(&format!("{} {name}{{}};", type_name(ty))),
            },
            StmtKind::Assign { target, value } => match &value.kind {
                ExprKind::Operator(op) => self.operator(op, Some(&expr(target))),
                _ => self.line(&format!("{} = {};", expr(target), expr(value))),
            },
            StmtKind::Eval(Expr { kind: ExprKind::Operator(op), .. }) => self.operator(op, None),
            StmtKind::Eval(value) => self.line(&format!("{};", expr(value))),
            StmtKind::If { condition, then, otherwise } => {
                self.nested(&format!("if ({})", expr(condition)), |text| text.block(then));
                if !otherwise.is_empty() {
                    self.nested("else", |text| text.block(otherwise));
                }
            }
            StmtKind::While { condition, body, .. } => self.while_loop(stmt, condition, body),
            StmtKind::DoWhile { body, condition } => {
                self.nested("do", |text| text.block(body));
                self.line(&format!("while ({});", expr(condition)));
            }
            StmtKind::For { var, low, high, body, .. } | StmtKind::ParFor { var, low, high, body, .. } => {
                let head = format!("for (int {var} = {}; {var} < {}; {var}++)", expr(low), expr(high));
                self.nested(&head, |text| text.block(body));
            }
            StmtKind::Break => self.line("break;"),
            StmtKind::Print(value) => self.line(&format!("print({});", expr(value))),
            StmtKind::Delete(value) => self.line(&format!("release({});", expr(value))),
            StmtKind::Scope(body) => self.nested("", |text| text.block(body)),
            StmtKind::Hybrid(hybrid) => hybrid.variants.first().into_iter().for_each(|block| self.block(block)),
        }
    }

    /// A loop: ordered tasks where it can become tasks and its schedule does not keep it, else a loop of the host.
    fn while_loop(&mut self, stmt: &Stmt, condition: &Expr, body: &[Stmt]) {
        let StmtKind::While { meta, .. } = &stmt.kind else { return };
        let unordered = Style::of(meta.schedule.as_deref()).queue == Some(SwarmQueue::Unordered);
        let lowered = loops::lower(self.module, stmt);
        match lowered {
            Ok(tasks) if !unordered => match &tasks.over {
                Over::Queue { name, offers: true } => self.offers(name, body),
                Over::Queue { name: queue, .. } => {
                    self.line("// timestamp = bucket of the priority; stale entries end at once");
                    let head = format!("for_each_prio({queue}, [&](uint64_t bucket, Vertex src, auto push)");
                    self.ordered(&head, body, queue, "push(bucket_of(dst), dst);");
                }
                Over::Frontier { frontier, carried, stages, .. } => {
                    let carries: String = carried.iter().map(|name| format!(", auto {name}")).collect();
                    let kind = if tasks.round.is_some() { "for_each_prio_bucket" } else { "for_each_prio" };
                    self.line(&format!(
                        "// timestamp = round * {stages} + stage; rounds overlap, no barrier between them"
                    ));
                    let head = format!("{kind}({frontier}, [&](uint64_t time, Vertex src{carries}, auto push)");
                    let values: String = carried.iter().map(|name| format!(", {name}")).collect();
                    self.ordered(&head, body, frontier, &format!("push(time + 1, dst{values});"));
                }
            },
            _ => self.nested(&format!("while ({})", expr(condition)), |text| text.block(body)),
        }
    }

    /// A loop over a queue whose tasks carry offers of priorities.
    fn offers(&mut self, queue: &Name, body: &[Stmt]) {
        let edges = body.iter().filter_map(Stmt::operator).filter_map(Operator::edges);
        for op in edges {
            let (Some(value), Some(function)) = (offer(self.module, op, queue), self.module.function(&op.apply.name))
            else {
                continue;
            };
            let names: Vec<&str> = function.params.iter().map(|param| &*param.name).collect();
            let [src, dst, ..] = names.as_slice() else { continue };
            let pattern = match (op.graph.ty.weight(), names.get(2)) {
                (Some(_), Some(weight)) => format!("[{dst}, {weight}]"),
                _ => (*dst).to_string(),
            };
            self.line("// timestamp = bucket of the offered priority; an offer that is not better ends at once");
            let offered = type_name(&value.ty);
            self.closed_by(
                "});",
                &format!("for_each_prio({queue}, [&](uint64_t bucket, Vertex {src}, {offered} offer, auto push)"),
                |text| {
                    text.line(&format!("if (!{queue}.take({src}, offer)) return;"));
                    text.nested(&format!("for (auto {pattern} : {}.out({src}))", expr(&op.graph)), |text| {
                        if Style::of(op.meta.schedule.as_deref()).hint {
                            text.line(&format!("SPATIAL_HINT(cache_line(&{queue}.priority({dst})));"));
                        }
                        text.line(&format!("{offered} next = {};", expr(value)));
                        text.line(&format!("push(bucket_of(next), {dst}, next);"));
                    });
                },
            );
        }
    }

    /// The body of an ordered loop: each operator is a stage, host statements run once a round.
    fn ordered(&mut self, head: &str, body: &[Stmt], over: &str, push: &str) {
        let operators = body.iter().filter_map(Stmt::operator);
        let stages: Vec<&Operator> =
            operators.filter(|op| !matches!(op, Operator::VertexSetDedup(_) | Operator::UpdateBuckets(_))).collect();
        self.line(&format!("{head} {{"));
        self.depth += 1;
        let many = stages.len() > 1;
        if many {
            self.line(&format!("switch (time % {}) {{", stages.len()));
        }
        for (k, stage) in stages.iter().enumerate() {
            if many {
                self.line(&format!("case {k}:"));
                self.depth += 1;
            }
            match stage {
                Operator::EdgeSetIterator(op) => self.edges_of("src", op, Some(push)),
                Operator::VertexSetIterator(op) => {
                    self.line(&format!("{};", call(&op.apply, &["src".to_string()])));
                    self.line(&push.replace("dst", "src"));
                }
                other => self.line(&format!("// {}", other.name())),
            }
            if many {
                self.line("break;");
                self.depth -= 1;
            }
        }
        if many {
            self.line("}");
        }
        self.depth -= 1;
        let once: Vec<&Stmt> = body
            .iter()
            .filter(|s| s.operator().is_none())
            .filter(|s| match &s.kind {
                StmtKind::Assign { target, value } => {
                    target.as_var().is_none_or(|n| &**n != over) && value.ty.scalar().is_some()
                }
                StmtKind::Eval(_) => true,
                _ => false,
            })
            .collect();
        match once.is_empty() {
            true => self.line("});"),
            false => {
                self.line("}, [&](uint64_t round) {  // once a round");
                self.depth += 1;
                once.into_iter().for_each(|stmt| self.stmt(stmt));
                self.depth -= 1;
                self.line("});");
            }
        }
    }

    /// The edges of one vertex.
    fn edges_of(&mut self, source: &str, op: &EdgeSetIterator, push: Option<&str>) {
        let style = Style::of(op.meta.schedule.as_deref());
        if style.edge_tasks {
            let size = if style.coarsen { format!("{COARSE} edges") } else { "edge".to_string() };
            self.line(&format!("#pragma task  // one per {size}"));
        }
        let weighted = op.graph.ty.weight().is_some();
        let pattern = if weighted { "[dst, weight]" } else { "dst" };
        let head = format!("for (auto {pattern} : {}.out({source}))", expr(&op.graph));
        self.nested(&head, |text| {
            if let EdgeOutput::Modified { vector, .. } = &op.output
                && style.hint
            {
                text.line(&format!("SPATIAL_HINT(cache_line(&{vector}[dst]));"));
            }
            let mut conditions = Vec::new();
            if let VertexFilter::Function(f) = &op.from {
                conditions.push(call(f, &[source.to_string()]));
            }
            match &op.to {
                VertexFilter::Function(f) if !op.meta.to_folded => conditions.push(call(f, &["dst".to_string()])),
                VertexFilter::Set(set) => conditions.push(format!("{}.contains(dst)", expr(set))),
                _ => {}
            }
            if !conditions.is_empty() {
                text.line(&format!("if (!({})) continue;", conditions.join(" && ")));
            }
            let mut args = vec![source.to_string(), "dst".to_string()];
            let params = text.module.function(&op.apply.name).map(|f| f.params.clone()).unwrap_or_default();
            for param in params.iter().skip(2) {
                args.push(match (&param.ty, push) {
                    (Type::VertexSet(_), Some(push)) => format!("[&](Vertex dst) {{ {push} }}"),
                    (Type::VertexSet(_), None) => "output".to_string(),
                    _ => "weight".to_string(),
                });
            }
            text.line(&format!("{};", call(&op.apply, &args)));
        });
    }

    /// An operator of the host: a loop whose iterations are tasks.
    fn operator(&mut self, op: &Operator, output: Option<&str>) {
        match op {
            Operator::EdgeSetIterator(op) => {
                let style = Style::of(op.meta.schedule.as_deref());
                if style.coarsen {
                    self.line(&format!("#pragma coarsen({COARSE})"));
                }
                let order = if style.stride { "strided" } else { "" };
                let set = match &op.from {
                    VertexFilter::Set(set) => expr(set),
                    _ => format!("{}.vertices()", expr(&op.graph)),
                };
                let output = output.map_or(String::new(), |name| format!("auto& output = {name}; "));
                let domain = if order.is_empty() { set } else { format!("{order}({set})") };
                self.closed_by("}); }", &format!("{{ {output}for_each({domain}, [&](Vertex src)"), |text| {
                    text.edges_of("src", op, None);
                });
            }
            Operator::VertexSetIterator(op) => {
                let body = call(&op.apply, &["v".to_string()]);
                self.line(&format!("for_each({}, [&](Vertex v) {{ {body}; }});", set_of(&op.set)));
            }
            Operator::VertexSetFilter(op) => {
                let body = call(&op.filter, &["v".to_string()]);
                let output = output.unwrap_or("output");
                self.line(&format!("{output} = filter({}, [&](Vertex v) {{ return {body}; }});", set_of(&op.set)));
            }
            Operator::VertexSetDedup(op) => self.line(&format!("remove_repeats({});", expr(&op.set))),
            Operator::UpdateBuckets(op) => {
                self.line(&format!("{}.update_buckets({});", expr(&op.queue), expr(&op.modified)));
            }
            other => self.line(&format!("// {} runs on the host", other.name())),
        }
    }
}

fn set_of(set: &Expr) -> String {
    match &set.kind {
        ExprKind::Universe(_) => "all_vertices()".to_string(),
        _ => expr(set),
    }
}

fn call(function: &FunctionRef, args: &[String]) -> String {
    let captures = function.captures.iter().map(expr);
    let all: Vec<String> = captures.chain(args.iter().cloned()).collect();
    format!("{}({})", function.name, all.join(", "))
}

fn type_name(ty: &Type) -> String {
    match ty {
        Type::Void => "void".into(),
        Type::Scalar(Scalar::Int) => "int32_t".into(),
        Type::Scalar(Scalar::Uint) => "uint32_t".into(),
        Type::Scalar(Scalar::Int64) => "int64_t".into(),
        Type::Scalar(Scalar::Uint64) => "uint64_t".into(),
        Type::Scalar(Scalar::Float) => "float".into(),
        Type::Scalar(Scalar::Double) => "double".into(),
        Type::Scalar(Scalar::Bool) => "bool".into(),
        Type::Scalar(Scalar::String) => "std::string".into(),
        Type::Vertex(_) => "Vertex".into(),
        Type::VertexSet(_) => "VertexSet".into(),
        Type::EdgeSet { weight, .. } => if weight.is_some() { "WeightedGraph" } else { "Graph" }.into(),
        Type::Vector { item, .. } => format!("Vector<{}>", type_name(item)),
        Type::List(item) => format!("std::vector<{}>", type_name(item)),
        Type::PriorityQueue { priority, .. } => format!("PriorityQueue<{}>", type_name(&Type::Scalar(*priority))),
    }
}

/// Sets that a function enqueues into are callables.
fn parameter_type(ty: &Type) -> String {
    match ty {
        Type::VertexSet(_) => "auto&&".into(),
        Type::Vector { .. } => format!("{}&", type_name(ty)),
        other => type_name(other),
    }
}

fn exprs(all: &[Expr]) -> String {
    all.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Float(value) => format!("{value:?}"),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Str(text) => format!("{:?}", &**text),
        ExprKind::Var(name) => name.to_string(),
        ExprKind::Element { vector, index, .. } => format!("{}[{}]", expr(vector), expr(index)),
        ExprKind::Unary(UnaryOp::Neg, a) => format!("-{}", expr(a)),
        ExprKind::Unary(UnaryOp::Not, a) => format!("!{}", expr(a)),
        ExprKind::Binary(op, a, b) => {
            let symbol = match op.symbol() {
                "and" => "&&",
                "or" => "||",
                "xor" => "^",
                symbol => symbol,
            };
            format!("({} {symbol} {})", expr(a), expr(b))
        }
        ExprKind::Convert(a) => format!("({})({})", type_name(&e.ty), expr(a)),
        ExprKind::Call { function, args } => call(function, &args.iter().map(expr).collect::<Vec<_>>()),
        ExprKind::Builtin(Builtin::Argv, args) => format!("argv[{}]", exprs(args)),
        ExprKind::Builtin(builtin, args) => format!("{}({})", builtin.name(), exprs(args)),
        ExprKind::Reduce { op, target, value, .. } => match op {
            ReduceOp::Sum => format!("({} += {}, true)", expr(target), expr(value)),
            ReduceOp::Min => format!("write_min({}, {})", expr(target), expr(value)),
            ReduceOp::Max => format!("write_max({}, {})", expr(target), expr(value)),
            ReduceOp::Or => format!("write_or({}, {})", expr(target), expr(value)),
            ReduceOp::And => format!("write_and({}, {})", expr(target), expr(value)),
        },
        ExprKind::CompareAndSwap { target, expect, value, .. } => {
            // Tasks are atomic: a comparison and an assignment are enough.
            format!("({0} == {1} && (({0} = {2}), true))", expr(target), expr(expect), expr(value))
        }
        ExprKind::PriorityUpdate { op, queue, vertex, bound, value, .. } => {
            let name = match op {
                PriorityOp::Min => "update_min",
                PriorityOp::Max => "update_max",
                PriorityOp::Sum => "update_sum",
            };
            let bound = bound.as_ref().filter(|_| *op == PriorityOp::Sum).map(|e| format!(", {}", expr(e)));
            format!("{}.{name}({}, {}{})", expr(queue), expr(vertex), expr(value), bound.unwrap_or_default())
        }
        ExprKind::EnqueueVertex { set, vertex, .. } => format!("{set}({})", expr(vertex)),
        ExprKind::Intersection { args, .. } => format!("intersection({})", exprs(args)),
        ExprKind::IntersectNeighbor { args, .. } => format!("common_neighbours({})", exprs(args)),
        ExprKind::Groups(groups) => format!("groups({}, {})", expr(&groups.graph), expr(&groups.vertex)),
        ExprKind::VertexSetAlloc(size) => format!("VertexSet({})", expr(size)),
        ExprKind::Universe(_) => "all_vertices()".into(),
        ExprKind::VectorAlloc | ExprKind::ListAlloc => format!("{}()", type_name(&e.ty)),
        ExprKind::VectorFill(value) => format!("{}::filled({})", type_name(&e.ty), expr(value)),
        ExprKind::VectorLiteral(values) => format!("{{{}}}", exprs(values)),
        ExprKind::PriorityQueueAlloc(queue) => {
            format!("{}({}, {}, {})", type_name(&e.ty), queue.vector, queue.increasing, expr(&queue.start))
        }
        ExprKind::Column(args) => format!("column({})", exprs(args)),
        ExprKind::EdgeSetLoad(text) | ExprKind::VectorLoad(text) => format!("load({})", expr(text)),
        ExprKind::Operator(op) => op.name().into(),
    }
}
