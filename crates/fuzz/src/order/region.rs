//! One region: an operator with its functions, or the body of a `par_for`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind, FunctionRef, ReduceOp};
use gw_ir::module::Module;
use gw_ir::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::stmt::{Stmt, StmtKind};

/// What a value depends on besides things that are the same for the whole region.
pub(super) type Deps = u8;
/// The source of the edge.
pub(super) const SRC: Deps = 1;
/// The destination, or the one element that a function runs for.
pub(super) const DST: Deps = 2;
/// Anything else that may differ between calls, or between rounds of a loop inside one.
const OTHER: Deps = 4;
/// Who came first.
const RACE: Deps = 8;

/// One access to a variable or an entry of a vector.
#[derive(Clone)]
pub(super) struct Access {
    pub(super) root: Name,
    pub(super) how: How,
    /// The entry is exactly the one of this end; 0 for all other indices and for plain variables.
    pub(super) end: Deps,
    /// What the indices depend on.
    index: Deps,
    /// In a filter of the operator.
    filter: bool,
}

#[derive(Clone)]
pub(super) enum How {
    Read,
    Assign(Expr, Deps),
    Reduce { op: ReduceOp, used: bool, real: bool },
    Swap(Expr, Expr),
}

/// A region as far as it was walked.
pub(super) struct Region<'m> {
    module: &'m Module,
    /// Each element runs once and owns its entries; false for edges.
    each: bool,
    pub(super) accesses: Vec<Access>,
    pub(super) updates: Vec<Update>,
    problems: Vec<String>,
    /// Draws random neighbours.
    random: bool,
    filter: bool,
    depth: usize,
}

/// A priority update.
pub(super) struct Update {
    pub(super) op: gw_ir::expr::PriorityOp,
    pub(super) end: Deps,
    pub(super) value: Expr,
}

/// What a walk found out.
pub(super) struct Verdict {
    pub(super) problem: Option<String>,
    pub(super) inexact: BTreeSet<Name>,
    pub(super) read: BTreeSet<Name>,
    pub(super) random: bool,
}

/// Names inside one function.
#[derive(Default)]
struct Frame {
    /// Vertices that are ends of the edge.
    ends: HashMap<Name, Deps>,
    /// Vectors and outer variables under the names of the caller.
    roots: HashMap<Name, Name>,
    /// What locals depend on.
    locals: BTreeMap<Name, Deps>,
    control: Deps,
    /// Inside the branch of a swap: all that values may depend on.
    limit: Option<Deps>,
    looping: bool,
}

impl<'m> Region<'m> {
    fn new(module: &'m Module, each: bool) -> Self {
        Region {
            module,
            each,
            accesses: Vec::new(),
            updates: Vec::new(),
            problems: Vec::new(),
            random: false,
            filter: false,
            depth: 0,
        }
    }

    pub(super) fn of_operator(module: &'m Module, operator: &Operator) -> Self {
        match operator {
            Operator::VertexSetIterator(v) => {
                let mut region = Region::new(module, true);
                region.function(&v.apply, &[DST]);
                region
            }
            Operator::VertexSetFilter(v) => {
                let mut region = Region::new(module, true);
                region.function(&v.filter, &[DST]);
                region
            }
            Operator::EdgeSetIterator(edges) => Region::of_edges(module, edges),
            other => {
                let mut region = Region::new(module, false);
                region.problems.push(format!("a {} outside a loop that drains its queue", other.name()));
                region
            }
        }
    }

    pub(super) fn of_edges(module: &'m Module, edges: &EdgeSetIterator) -> Self {
        let mut region = Region::new(module, false);
        let result = region.function(&edges.apply, &[SRC, DST, OTHER]);
        if matches!(edges.output, EdgeOutput::Accepted { .. }) && result & RACE != 0 {
            region.problems.push("who comes first decides about the result".into());
        }
        region.filter = true;
        for (filter, end) in [(&edges.from, SRC), (&edges.to, DST)] {
            if let VertexFilter::Function(function) = filter {
                region.function(function, &[end]);
            }
        }
        region
    }

    pub(super) fn of_par_for(module: &'m Module, var: &Name, body: &[Stmt]) -> Self {
        let mut region = Region::new(module, true);
        let mut frame = Frame { ends: HashMap::from([(var.clone(), DST)]), ..Frame::default() };
        region.settle(&mut frame, body);
        region
    }

    /// Walks a function of the operator; returns what its result depends on.
    fn function(&mut self, function: &FunctionRef, ends: &[Deps]) -> Deps {
        let Some(callee) = self.module.function(&function.name) else { return OTHER };
        let mut frame = Frame::default();
        for (param, &end) in callee.params.iter().zip(ends) {
            match end {
                OTHER => drop(frame.locals.insert(param.name.clone(), OTHER)),
                end => drop(frame.ends.insert(param.name.clone(), end)),
            }
        }
        for (capture, value) in callee.captures.iter().zip(&function.captures) {
            match value.as_var().filter(|_| capture.ty.is_reference()) {
                Some(root) => drop(frame.roots.insert(capture.name.clone(), root.clone())),
                None => drop(frame.locals.insert(capture.name.clone(), 0)),
            }
        }
        self.run(callee, frame)
    }

    fn run(&mut self, callee: &'m gw_ir::module::Function, mut frame: Frame) -> Deps {
        let Some(body) = &callee.body else {
            self.problems.push("an extern function".into());
            return OTHER;
        };
        if self.depth > 12 {
            self.problems.push("functions call each other deeply".into());
            return OTHER;
        }
        if let Some(result) = &callee.result {
            frame.locals.insert(result.name.clone(), 0);
        }
        self.depth += 1;
        self.settle(&mut frame, body);
        self.depth -= 1;
        callee.result.as_ref().map_or(0, |result| frame.locals[&result.name])
    }

    /// Walks a body until what its locals depend on changes no more.
    fn settle(&mut self, frame: &mut Frame, body: &[Stmt]) {
        loop {
            let (before, accesses, updates) = (frame.locals.clone(), self.accesses.len(), self.updates.len());
            self.block(frame, body);
            if frame.locals == before {
                return;
            }
            self.accesses.truncate(accesses);
            self.updates.truncate(updates);
        }
    }

    fn block(&mut self, frame: &mut Frame, block: &[Stmt]) {
        for stmt in block {
            self.stmt(frame, stmt);
        }
    }

    fn stmt(&mut self, frame: &mut Frame, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::VarDecl { name, init, .. } => {
                let deps = init.as_ref().map_or(0, |value| self.expr(frame, value)) | frame.control;
                *frame.locals.entry(name.clone()).or_default() |= deps;
            }
            StmtKind::Assign { target, value } => {
                let deps = self.expr(frame, value);
                self.write(frame, target, How::Assign(value.clone(), deps), deps);
            }
            StmtKind::Eval(expr) => match &expr.kind {
                ExprKind::Reduce { op, target, value, .. } => {
                    let deps = self.expr(frame, value);
                    let real = target.ty.scalar().is_some_and(|scalar| scalar.is_float());
                    self.write(frame, target, How::Reduce { op: *op, used: false, real }, deps);
                }
                _ => drop(self.expr(frame, expr)),
            },
            StmtKind::If { condition, then, otherwise } => {
                let deps = self.expr(frame, condition);
                let (control, limit) = (frame.control, frame.limit);
                if deps & RACE != 0 {
                    match &condition.kind {
                        ExprKind::CompareAndSwap { target, .. } if limit.is_none() => {
                            frame.limit = Some(self.place(frame, target).2);
                        }
                        _ => self.problems.push("who comes first decides about what is done".into()),
                    }
                }
                frame.control |= deps;
                self.block(frame, then);
                self.block(frame, otherwise);
                (frame.control, frame.limit) = (control, limit);
            }
            StmtKind::While { condition, body, .. } | StmtKind::DoWhile { condition, body } => {
                let control = frame.control;
                frame.control |= self.expr(frame, condition);
                self.looped(frame, body);
                frame.control = control;
            }
            StmtKind::For { var, low, high, body, .. } | StmtKind::ParFor { var, low, high, body, .. } => {
                let control = frame.control;
                let bounds = self.expr(frame, low) | self.expr(frame, high);
                frame.control |= bounds;
                *frame.locals.entry(var.clone()).or_default() |= bounds | OTHER;
                self.looped(frame, body);
                frame.control = control;
            }
            StmtKind::Break => {}
            StmtKind::Print(_) => self.problems.push("prints inside an operator".into()),
            StmtKind::Delete(_) => self.problems.push("deletes inside an operator".into()),
            StmtKind::Scope(body) => self.block(frame, body),
            StmtKind::Hybrid(_) => self.problems.push("a hybrid statement".into()),
        }
    }

    fn looped(&mut self, frame: &mut Frame, body: &[Stmt]) {
        let looping = std::mem::replace(&mut frame.looping, true);
        self.block(frame, body);
        frame.looping = looping;
    }

    /// The variable at the root of a place, what its index depends on, and the end that the index is exactly.
    fn place(&mut self, frame: &mut Frame, place: &Expr) -> (Name, Deps, Deps) {
        match &place.kind {
            ExprKind::Element { vector, index, .. } => {
                let deps = self.expr(frame, index);
                let (root, more, inner_end) = self.place(frame, vector);
                let exact = index.as_var().and_then(|name| frame.ends.get(name)).copied().unwrap_or(0);
                let nested = matches!(vector.kind, ExprKind::Element { .. });
                (root, deps | more, if nested { inner_end } else { exact })
            }
            ExprKind::Var(name) => (frame.roots.get(name).unwrap_or(name).clone(), 0, 0),
            _ => {
                self.problems.push("a place that is no variable".into());
                ("?".into(), OTHER, 0)
            }
        }
    }

    fn write(&mut self, frame: &mut Frame, target: &Expr, how: How, deps: Deps) {
        if let ExprKind::Var(name) = &target.kind
            && frame.locals.contains_key(name)
        {
            // A local that changes may differ from round to round of a loop.
            let more = if frame.looping { OTHER } else { 0 };
            *frame.locals.entry(name.clone()).or_default() |= deps | frame.control | more;
            return;
        }
        let (root, index, end) = self.place(frame, target);
        let all = deps | index;
        if all & RACE != 0 || frame.limit.is_some_and(|limit| all & !limit != 0) {
            self.problems.push(format!("what is written to `{root}` depends on who comes first"));
        }
        self.accesses.push(Access { root, how, end, index, filter: self.filter });
    }

    fn expr(&mut self, frame: &mut Frame, expr: &Expr) -> Deps {
        match &expr.kind {
            ExprKind::Var(name) => {
                if let Some(&end) = frame.ends.get(name) {
                    return end;
                }
                if let Some(&deps) = frame.locals.get(name) {
                    return deps;
                }
                if !expr.ty.is_reference() {
                    self.read(name.clone(), 0, 0);
                }
                0
            }
            ExprKind::Element { .. } => {
                let (root, index, end) = self.place(frame, expr);
                self.read(root, index, end);
                index
            }
            ExprKind::Reduce { op, target, value, .. } => {
                let deps = self.expr(frame, value);
                let real = target.ty.scalar().is_some_and(|scalar| scalar.is_float());
                self.write(frame, target, How::Reduce { op: *op, used: true, real }, deps);
                // Its own entry is nobody else's business.
                let (_, index, end) = self.place(frame, target);
                if self.each && end == DST { deps | index | OTHER } else { RACE }
            }
            ExprKind::CompareAndSwap { target, expect, value, .. } => {
                let deps = self.expr(frame, expect) | self.expr(frame, value);
                let (root, index, end) = self.place(frame, target);
                if deps != 0 {
                    self.problems.push("a swap with values that vary".into());
                }
                let how = How::Swap((**expect).clone(), (**value).clone());
                self.accesses.push(Access { root, how, end, index, filter: self.filter });
                RACE
            }
            ExprKind::PriorityUpdate { op, vertex, bound, value, .. } => {
                let end = vertex.as_var().and_then(|name| frame.ends.get(name)).copied().unwrap_or(0);
                // The old priority that a program hands over is informational; the index in it is still evaluated.
                if *op == gw_ir::expr::PriorityOp::Sum
                    && let Some(floor) = bound
                {
                    self.expr(frame, floor);
                }
                self.expr(frame, value);
                self.updates.push(Update { op: *op, end, value: (**value).clone() });
                RACE
            }
            ExprKind::Call { function, args } => self.call(frame, function, args),
            // Drawn by the element that the function runs for, not by an order.
            ExprKind::Builtin(Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor, args) => {
                self.random = true;
                self.all(frame, args) | OTHER
            }
            ExprKind::Operator(_) => {
                self.problems.push("an operator inside".into());
                OTHER
            }
            ExprKind::Builtin(builtin, args) if builtin.has_effect() => {
                self.problems.push("a change that no variable shows".into());
                self.all(frame, args) | OTHER
            }
            _ => {
                let mut deps = 0;
                gw_ir::walk::children(expr, &mut |child| deps |= self.expr(frame, child));
                deps
            }
        }
    }

    fn all(&mut self, frame: &mut Frame, args: &[Expr]) -> Deps {
        args.iter().fold(0, |deps, arg| deps | self.expr(frame, arg))
    }

    fn read(&mut self, root: Name, index: Deps, end: Deps) {
        self.accesses.push(Access { root, how: How::Read, end, index, filter: self.filter });
    }

    fn call(&mut self, frame: &mut Frame, function: &FunctionRef, args: &[Expr]) -> Deps {
        let Some(callee) = self.module.function(&function.name) else { return OTHER };
        let mut inner =
            Frame { control: frame.control, limit: frame.limit, looping: frame.looping, ..Frame::default() };
        let given = function.captures.iter().chain(args);
        let mut all = 0;
        for (param, value) in callee.captures.iter().chain(&callee.params).zip(given) {
            if param.ty.is_reference() {
                if let Some(name) = value.as_var() {
                    let root = frame.roots.get(name).unwrap_or(name).clone();
                    inner.roots.insert(param.name.clone(), root);
                }
                continue;
            }
            let deps = self.expr(frame, value);
            all |= deps;
            match value.as_var().and_then(|name| frame.ends.get(name)) {
                Some(&end) => drop(inner.ends.insert(param.name.clone(), end)),
                None => drop(inner.locals.insert(param.name.clone(), deps)),
            }
        }
        self.run(callee, inner) | all
    }

    /// Applies the rule.
    pub(super) fn verdict(&self) -> Verdict {
        let mut verdict = Verdict {
            problem: self.problems.first().cloned(),
            inexact: BTreeSet::new(),
            read: BTreeSet::new(),
            random: self.random,
        };
        if !self.updates.is_empty() {
            verdict.problem.get_or_insert("priority updates outside a loop that drains their queue".into());
        }
        let mut by_root: BTreeMap<&Name, Vec<&Access>> = BTreeMap::new();
        for access in &self.accesses {
            by_root.entry(&access.root).or_default().push(access);
        }
        let written = |list: &[&Access]| list.iter().any(|access| !matches!(access.how, How::Read));
        let writes = by_root.values().filter(|list| written(list)).count();
        for (root, list) in by_root {
            if list.iter().any(|access| matches!(access.how, How::Read)) {
                verdict.read.insert(root.clone());
            }
            if !written(&list) || (self.each && list.iter().all(|access| access.end == DST)) {
                continue;
            }
            if !self.commutes(&list, writes == 1) {
                verdict.problem.get_or_insert(format!("the order of writes to `{root}` may show"));
            }
            let sums = |access: &&&Access| matches!(access.how, How::Reduce { op: ReduceOp::Sum, real: true, .. });
            if list.iter().any(|access| sums(&access)) {
                verdict.inexact.insert(root.clone());
            }
        }
        verdict
    }

    /// Whether the writes to one variable or vector give the same in any order.
    fn commutes(&self, list: &[&Access], only: bool) -> bool {
        let (reads, writes): (Vec<&Access>, Vec<&Access>) =
            list.iter().copied().partition(|access| matches!(access.how, How::Read));
        let constant = |access: &&Access, value: &Expr| matches!(&access.how, How::Assign(other, 0) if other == value);
        match &writes[0].how {
            How::Read => true,
            How::Reduce { op, .. } => {
                reads.is_empty()
                    && writes.iter().all(|w| matches!(w.how, How::Reduce { op: o, used: false, .. } if o == *op))
            }
            // A filter may ask for the vector when nothing else is written: it sees either the old value or the new
            // one.
            How::Assign(value, 0) if writes.iter().all(|w| constant(w, value)) => {
                reads.is_empty() || (only && reads.iter().all(|r| r.filter) && writes.iter().all(|w| w.end == DST))
            }
            How::Assign(_, deps) => {
                let write = writes[0];
                let alone = deps & !write.end == 0 && write.index & !write.end == 0;
                reads.is_empty() && writes.len() == 1 && write.end != 0 && alone && !self.each
            }
            How::Swap(expect, value) => {
                let literals = |e: &Expr| matches!(e.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_));
                let fixed = literals(expect) && literals(value) && expect != value;
                // Of two swaps the one that comes first has its way, and what follows them may differ.
                reads.is_empty() && fixed && writes.len() == 1 && writes[0].end != 0
            }
        }
    }
}
