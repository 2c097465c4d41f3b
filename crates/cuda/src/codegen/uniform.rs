//! Statements outside operators: every thread of the grid runs them alike.
//!
//! Barriers are placed where they are needed and nowhere else: after an operator, before the first thing that depends
//! on it. Writes to memory are done by one thread between two barriers.

use std::collections::{HashMap, HashSet};

use gw_ir::analysis::calls::closure;
use gw_ir::analysis::effects::Effects;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind, ReduceOp};
use gw_ir::operator::Operator;
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::{Scalar, Type};
use gw_ir::walk;
use gw_schedule::LoopForm;

use super::access::Requirement;
use super::function::{Binding, Coder, Refusal, reduction};
use super::inputs::Source;
use super::region::{Outcome, Region};
use super::sets;
use super::text::{Code, TURNS_NAME, c_name, type_name};

/// Turns of a loop on the device after which it asks whether the run is over.
const TURNS: u32 = 64;

/// Writes the statements of a region.
pub(crate) struct Uniform<'r, 'm> {
    pub(crate) region: &'r mut Region<'m>,
    pub(crate) code: Code,
    /// Structs of operators, in order.
    pub(crate) declarations: String,
    /// Functions that uniform code calls.
    pub(crate) host: Code,
    host_written: HashSet<Name>,
    scalars: HashMap<Name, String>,
    /// Set variables, all declared at the top of the kernel.
    pub(crate) sets: Vec<Name>,
    pub(super) lists: Vec<Name>,
    pub(crate) queues: Vec<Name>,
    pub(crate) outcomes: Vec<Outcome>,
    /// Global scalars that uniform code assigns.
    assigned: Vec<(Name, Scalar)>,
    /// An operator or a write may still be going on.
    pub(super) pending: bool,
    /// So may what a dequeue left behind, which only the next dequeue or update looks at.
    dequeued: bool,
    /// Globals that threads may still be reading in uniform code: operators that write them come behind a barrier.
    looked: HashSet<Name>,
    /// What adaptive operators remember, by the place of their statement in memory.
    pub(super) steps: HashMap<usize, String>,
    pub(super) span: Span,
    pub(super) operators: usize,
}

impl<'r, 'm> Uniform<'r, 'm> {
    pub(crate) fn new(region: &'r mut Region<'m>) -> Self {
        Uniform {
            region,
            code: Code::at_depth(1),
            declarations: String::new(),
            host: Code::default(),
            host_written: Default::default(),
            scalars: HashMap::new(),
            sets: Vec::new(),
            lists: Vec::new(),
            queues: Vec::new(),
            outcomes: Vec::new(),
            assigned: Vec::new(),
            pending: false,
            dequeued: false,
            looked: HashSet::new(),
            steps: HashMap::new(),
            span: Span::NONE,
            operators: 0,
        }
    }

    pub(super) fn refuse(&self, reason: impl Into<String>) -> Refusal {
        Refusal { span: self.span, reason: reason.into() }
    }

    /// Declares the parameters of the region, in the order given.
    pub(crate) fn params(&mut self, params: &[(Name, Type)]) -> Result<(), Refusal> {
        for (name, ty) in params {
            let c = c_name(name);
            match ty {
                Type::VertexSet(_) => {
                    let source = Source::LocalScalar(name.clone());
                    let member = self.region.inputs.member(source, "int", &format!("{c}_place"));
                    self.code.line(format!("int {c} = {member};"));
                    self.sets.push(name.clone());
                }
                Type::List(_) => self.list(name)?,
                Type::Vector { .. } | Type::EdgeSet { .. } | Type::PriorityQueue { .. } => {}
                ty => {
                    let scalar = ty.scalar().filter(|s| *s != Scalar::String);
                    let scalar = scalar.ok_or_else(|| self.refuse(format!("`{name}` cannot go to the device")))?;
                    let ty = type_name(scalar);
                    let source = Source::LocalScalar(name.clone());
                    let member = self.region.inputs.member(source, ty, &c);
                    self.code.line(format!("{ty} {c} = {member};"));
                    self.scalars.insert(name.clone(), c);
                }
            }
        }
        Ok(())
    }

    fn list(&mut self, name: &Name) -> Result<(), Refusal> {
        let c = c_name(name);
        let member = self.region.inputs.member(Source::List(name.clone()), "gw::ListState", &c);
        self.code.line(format!("gw::List {c} = {member}.list;"));
        self.code.line(format!("unsigned {c}_depth = {member}.depth, {c}_used = {member}.used;"));
        self.lists.push(name.clone());
        Ok(())
    }

    /// Collects the set variables declared in a block, so that all exist at the top.
    pub(crate) fn declare_sets(&mut self, block: &[Stmt]) {
        let mut found = Vec::new();
        walk::walk_stmts(block, &mut |s| {
            if let StmtKind::VarDecl { name, ty: Type::VertexSet(_), .. } = &s.kind {
                found.push(name.clone());
            }
        });
        for name in found {
            if !self.sets.contains(&name) {
                self.code.line(format!("int {} = gw::EMPTY;", c_name(&name)));
                self.sets.push(name);
            }
        }
    }

    pub(crate) fn block(&mut self, block: &[Stmt]) -> Result<(), Refusal> {
        for (i, stmt) in block.iter().enumerate() {
            if stmt.span.line > 0 {
                self.span = stmt.span;
            }
            // Buckets tell repeats by themselves.
            if let Some(Operator::VertexSetDedup(dedup)) = stmt.operator()
                && let Some(Operator::UpdateBuckets(next)) = block.get(i + 1).and_then(Stmt::operator)
                && next.modified == dedup.set
            {
                continue;
            }
            self.stmt(stmt)?;
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), Refusal> {
        // A barrier in a branch that is not taken, or in a loop that is not entered, settles nothing.
        let dequeued = self.dequeued && !stmt.blocks().is_empty();
        self.one(stmt)?;
        self.dequeued |= dequeued;
        Ok(())
    }

    fn one(&mut self, stmt: &Stmt) -> Result<(), Refusal> {
        match &stmt.kind {
            StmtKind::VarDecl { name, ty: Type::VertexSet(_), init } => match init {
                None => self.code.line(format!("{} = gw::EMPTY;", c_name(name))),
                Some(init) => self.assign_set(name, init)?,
            },
            StmtKind::VarDecl { name, ty, init } => {
                let scalar = ty.scalar().filter(|s| *s != Scalar::String);
                let scalar = scalar.ok_or_else(|| self.refuse(format!("`{ty}` cannot live on the device")))?;
                let value = match init {
                    Some(init) => self.value(init)?,
                    None => "0".into(),
                };
                let c = c_name(name);
                self.code.line(format!("{} {c} = {value};", type_name(scalar)));
                self.scalars.insert(name.clone(), c);
            }
            StmtKind::Assign { target, value } => self.assign(target, value)?,
            StmtKind::Eval(expr) => self.effect(expr)?,
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.value(condition)?;
                self.code.open(format!("if ({condition})"));
                let before = self.pending;
                self.block(then)?;
                let after = self.pending;
                self.pending = before;
                if !otherwise.is_empty() {
                    self.code.close(" else {");
                    self.code.nest();
                    self.block(otherwise)?;
                }
                self.code.close("");
                self.pending |= after;
            }
            StmtKind::While { condition, body, .. } => {
                let turns = self.begin_loop();
                self.pending = true;
                let condition = self.value(condition)?;
                self.code.line(format!("if (!({condition})) break;"));
                let at_exit = self.pending;
                self.ask_if_over(&turns);
                self.block(body)?;
                self.code.close("");
                self.pending = at_exit;
            }
            StmtKind::DoWhile { body, condition } => {
                let turns = self.begin_loop();
                self.pending = true;
                self.ask_if_over(&turns);
                self.block(body)?;
                let condition = self.value(condition)?;
                self.code.line(format!("if (!({condition})) break;"));
                self.code.close("");
            }
            StmtKind::For { var, low, high, body, .. } => {
                let c = c_name(var);
                let low = self.value(low)?;
                self.code.open("");
                self.code.line(format!("int {c} = {low};"));
                self.scalars.insert(var.clone(), c.clone());
                let turns = self.begin_loop();
                self.pending = true;
                let high = self.value(high)?;
                self.code.line(format!("if ({c} >= {high}) break;"));
                self.ask_if_over(&turns);
                self.block(body)?;
                self.code.line(format!("{c} = gw::add({c}, 1);"));
                self.code.close("");
                self.code.close("");
                self.pending = true;
            }
            StmtKind::Break => {
                self.code.line("break;");
            }
            StmtKind::Scope(block) => self.block(block)?,
            StmtKind::Hybrid(hybrid) => self.hybrid(hybrid)?,
            StmtKind::Delete(target) => {
                if let Some(name) = target.as_var()
                    && self.sets.contains(name)
                {
                    self.code.line(format!("{} = gw::EMPTY;", c_name(name)));
                }
            }
            StmtKind::ParFor { .. } => return Err(self.refuse("a par_for runs on the host")),
            StmtKind::Print(_) => return Err(self.refuse("printing happens on the host")),
        }
        Ok(())
    }

    /// Opens a loop; the name of the counter of its turns.
    pub(super) fn begin_loop(&mut self) -> String {
        self.region.loops += 1;
        let turns = format!("{TURNS_NAME}{}", self.region.loops);
        self.code.open(format!("for (unsigned {turns} = 1;; {turns}++)"));
        turns
    }

    /// Leaves a loop when the run is over. All threads must agree, which takes two barriers: so they ask rarely.
    pub(super) fn ask_if_over(&mut self, turns: &str) {
        let fault = self.region.inputs.member(Source::Fault, "gw::Fault*", "fault");
        self.region.cooperative = true;
        self.code.line(format!("if ({turns} % {TURNS} == 0 && run.is_over({fault}, live())) break;"));
    }

    /// A barrier, if something may still be going on.
    pub(super) fn settle(&mut self) {
        if std::mem::replace(&mut self.pending, false) {
            self.dequeued = false;
            self.looked.clear();
            self.region.cooperative = true;
            self.code.line("run.wait(live());");
        }
    }

    /// A barrier before an operator: if something may still be going on, or is read that the operator writes.
    pub(super) fn settle_for(&mut self, op: &Operator) {
        if !self.looked.is_empty() {
            let roots: Vec<Name> =
                walk::function_refs(&op.clone().into_expr()).iter().map(|(_, f)| f.name.clone()).collect();
            let module = self.region.module;
            let written = |name: &Name| {
                module.function(name).and_then(|f| f.body.as_ref()).map(|b| Effects::of(module, b).writes)
            };
            self.pending |=
                closure(module, roots).iter().filter_map(written).flatten().any(|n| self.looked.contains(&n));
        }
        self.settle();
    }

    /// The value of a scalar expression; what it reads from memory is settled first.
    pub(super) fn value(&mut self, expr: &Expr) -> Result<String, Refusal> {
        self.prepare(expr)?;
        let text = {
            let mut coder = Coder::new(self.region);
            coder.span = self.span;
            coder.written = self.host_written.clone();
            for (name, text) in &self.scalars {
                coder.names.insert(name.clone(), Binding::Scalar { text: text.clone(), in_range: false });
            }
            coder.prefix = "Host{in}.";
            let text = expression(&mut coder, expr, &self.lists)?;
            coder.prefix = "";
            coder.write_wanted(&mut self.host)?;
            self.host_written = coder.written;
            text
        };
        Ok(text)
    }

    /// Places a barrier before code that reads what operators write.
    fn prepare(&mut self, expr: &Expr) -> Result<(), Refusal> {
        let mut reads = false;
        let mut looked: Vec<Name> = Vec::new();
        let mut impure = None;
        let (module, cells) = (self.region.module, &self.region.cells);
        walk::walk_expr(expr, &mut |e| match &e.kind {
            ExprKind::Element { vector, .. } => {
                reads = true;
                looked.extend(vector.place_root().cloned());
            }
            ExprKind::Var(name) if cells.contains(name) => {
                reads = true;
                looked.push(name.clone());
            }
            ExprKind::Builtin(Builtin::VertexSetSize | Builtin::QueueFinished | Builtin::QueueFinishedNode, _) => {
                reads = true;
            }
            ExprKind::Call { function, .. } => {
                reads = true;
                for name in closure(module, [function.name.clone()]) {
                    let body = module.function(&name).and_then(|f| f.body.as_ref());
                    if let Some(body) = body {
                        let effects = Effects::of(module, body);
                        looked.extend(effects.reads.iter().cloned());
                        if effects.outside || effects.writes.iter().any(|n| module.global(n).is_some()) {
                            impure = Some(name);
                        }
                    }
                }
            }
            ExprKind::Reduce { .. } | ExprKind::CompareAndSwap { .. } | ExprKind::PriorityUpdate { .. } => {
                impure = Some("this".into());
            }
            _ => {}
        });
        if let Some(name) = impure {
            return Err(self.refuse(format!("`{name}` changes data outside operators")));
        }
        if reads {
            self.settle();
            self.looked.extend(looked);
        }
        // A question about a vertex in a queue needs the best bucket, which all threads find together.
        let mut nodes: Vec<Name> = Vec::new();
        walk::walk_expr(expr, &mut |e| {
            if let ExprKind::Builtin(Builtin::QueueFinishedNode, args) = &e.kind {
                nodes.extend(args[0].as_var().cloned());
            }
        });
        for queue in nodes {
            self.pending |= self.dequeued;
            self.settle();
            let q = self.queue(&queue)?;
            self.region.cooperative = true;
            let near = self.near(&queue);
            self.code.line(format!("gw::find_best(run, {q}, {near}, live());"));
        }
        Ok(())
    }

    fn assign(&mut self, target: &Expr, value: &Expr) -> Result<(), Refusal> {
        if let Some(name) = target.as_var() {
            if self.sets.contains(name) {
                return self.assign_set(name, value);
            }
            if let Some(c) = self.scalars.get(name).cloned() {
                let value = self.value(value)?;
                self.code.line(format!("{c} = {value};"));
                return Ok(());
            }
            let scalar = target.ty.scalar().filter(|s| *s != Scalar::String);
            let scalar = scalar.ok_or_else(|| self.refuse(format!("`{name}` cannot be assigned on the device")))?;
            let value = self.value(value)?;
            let text = self.region.global_scalar(name, scalar).map_err(|reason| self.refuse(reason))?;
            if self.region.cells.contains(name) {
                return self.write_by_one(&format!("*{text} = {value};"));
            }
            self.code.line(format!("{text} = {value};"));
            if !self.assigned.iter().any(|(n, _)| n == name) {
                self.assigned.push((name.clone(), scalar));
            }
            return Ok(());
        }
        let value = self.value(value)?;
        let place = self.place(target)?;
        self.write_by_one(&format!("{place} = {value};"))
    }

    fn place(&mut self, target: &Expr) -> Result<String, Refusal> {
        if let ExprKind::Element { index, .. } = &target.kind {
            self.prepare(index)?;
        }
        let mut coder = Coder::new(self.region);
        coder.span = self.span;
        for (name, text) in &self.scalars {
            coder.names.insert(name.clone(), Binding::Scalar { text: text.clone(), in_range: false });
        }
        coder.place(target)
    }

    /// A write to memory: after everybody has read what was there, by one thread.
    fn write_by_one(&mut self, text: &str) -> Result<(), Refusal> {
        self.pending = true;
        self.settle();
        self.code.line(format!("if (run.grid.first()) {text}"));
        self.pending = true;
        Ok(())
    }

    /// `set = value`.
    fn assign_set(&mut self, name: &Name, value: &Expr) -> Result<(), Refusal> {
        let c = c_name(name);
        match &value.kind {
            ExprKind::Var(other) => {
                let is_universe = self.region.module.global(other).is_some_and(|g| g.universe);
                let text = match is_universe {
                    true => self.all_of(value, "gw::ALL_VERTICES"),
                    false => self.set(value)?,
                };
                self.code.line(format!("{c} = {text};"));
            }
            ExprKind::Universe(None) => {
                let all = self.all_of(value, "gw::ALL_VERTICES");
                self.code.line(format!("{c} = {all};"));
            }
            ExprKind::VertexSetAlloc(size) => {
                self.all_of(value, "");
                let fault = self.region.inputs.member(Source::Fault, "gw::Fault*", "fault");
                let line = self.span.line;
                let size = format!("gw::set_size({fault}, {}, run.vertices(), {line})", self.value(size)?);
                // An empty set has a place of its own: vertices may be added to it.
                self.region.forms |= sets::form::QUEUE;
                self.region.cooperative = true;
                self.code.line(format!("{c} = {size} ? gw::ALL_VERTICES : run.make(gw::QUEUE, live());"));
            }
            ExprKind::Builtin(Builtin::ListPop, args) => {
                self.settle();
                let l = self.list_name(&args[0])?;
                let fault = self.region.inputs.member(Source::Fault, "gw::Fault*", "fault");
                self.code.line(format!("{c} = run.pop({l}, {l}_depth, {l}_used, {fault}, {});", self.span.line));
            }
            ExprKind::Builtin(Builtin::DequeueReadySet, args) => {
                self.pending |= self.dequeued;
                self.settle();
                let name = args[0].as_var().cloned().ok_or_else(|| self.refuse("a queue variable is expected"))?;
                let queue = self.queue(&name)?;
                let near = self.near(&name);
                self.region.cooperative = true;
                self.region.forms |= sets::form::QUEUE;
                self.code.line(format!("{c} = gw::dequeue(run, {queue}, {near}, live());"));
                self.dequeued = true;
            }
            ExprKind::Operator(op) => {
                let made = self.operator(op)?;
                if !made {
                    return Err(self.refuse("this operator has no output"));
                }
                self.code.line(format!("{c} = made;"));
            }
            _ => return Err(self.refuse("sets are not made like this on the device")),
        }
        Ok(())
    }

    fn list_name(&self, list: &Expr) -> Result<String, Refusal> {
        match list.as_var() {
            Some(name) if self.lists.contains(name) => Ok(c_name(name)),
            _ => Err(self.refuse("a list of the host function is expected")),
        }
    }

    pub(super) fn near(&self, queue: &Name) -> String {
        format!("{}_near", c_name(queue))
    }

    /// A queue as code; its near set is a set variable of its own.
    pub(super) fn queue(&mut self, name: &Name) -> Result<String, Refusal> {
        let text = self.region.queue(name).map_err(|reason| self.refuse(reason))?;
        if !self.queues.contains(name) {
            self.queues.push(name.clone());
        }
        self.region.require(Requirement::Queue(name.clone()));
        Ok(text)
    }

    /// The place of a set expression, as a variable.
    pub(super) fn set(&mut self, expr: &Expr) -> Result<String, Refusal> {
        match &expr.kind {
            ExprKind::Var(name) if self.sets.contains(name) => Ok(c_name(name)),
            ExprKind::Var(name) if self.region.module.global(name).is_some_and(|g| g.universe) => {
                Ok(self.all_of(expr, "all"))
            }
            ExprKind::Universe(None) => Ok(self.all_of(expr, "all")),
            _ => Err(self.refuse("a set variable is expected")),
        }
    }

    /// The code of a set of all vertices, which must be as many as the region has: those of a global, or of an element.
    fn all_of(&mut self, set: &Expr, text: &str) -> String {
        match (set.as_var(), &set.ty) {
            (Some(name), _) => self.region.require(Requirement::All(name.clone())),
            (None, Type::VertexSet(element)) => self.region.require(Requirement::Element(element.clone())),
            _ => {}
        }
        text.to_string()
    }

    fn effect(&mut self, expr: &Expr) -> Result<(), Refusal> {
        match &expr.kind {
            ExprKind::Operator(op) => {
                self.operator(op)?;
            }
            ExprKind::Builtin(Builtin::ListAppend | Builtin::ListInsert, args) => {
                // A pop may still be reading where its set lies.
                self.pending = true;
                self.settle();
                let l = self.list_name(&args[0])?;
                let set = self.set(&args[1])?;
                let fault = self.region.inputs.member(Source::Fault, "gw::Fault*", "fault");
                self.region.forms |= sets::form::QUEUE;
                self.region.cooperative = true;
                self.code
                    .line(format!("run.append({l}, {l}_depth, {l}_used, {set}, {fault}, {}, live());", self.span.line));
                // The copy goes on beside what follows: nothing reads it before the next barrier but a pop, which
                // waits.
                self.pending = true;
            }
            ExprKind::Builtin(Builtin::AddVertex, args) => {
                let set = self.set(&args[0])?;
                self.all_of(&Expr::new(ExprKind::Universe(None), args[0].ty.clone()), "");
                // Members are told by a map: a vertex is in a set once.
                self.region.forms |= sets::form::BITS;
                let vertex = self.value(&args[1])?;
                let fault = self.region.inputs.member(Source::Fault, "gw::Fault*", "fault");
                self.region.forms |= sets::form::QUEUE;
                self.region.cooperative = true;
                self.pending = true;
                self.settle();
                self.code.line(format!("gw::add_vertex(run, {set}, {vertex}, {fault}, {}, live());", self.span.line));
                self.region.include("members.cuh");
                self.pending = true;
            }
            ExprKind::Reduce { op, target, value, .. } => self.reduce(*op, target, value)?,
            _ => {
                let text = self.value(expr)?;
                self.code.line(format!("(void)({text});"));
            }
        }
        Ok(())
    }

    fn reduce(&mut self, op: ReduceOp, target: &Expr, value: &Expr) -> Result<(), Refusal> {
        let value = self.value(value)?;
        let scalar = target.ty.scalar().ok_or_else(|| self.refuse("a number is expected"))?;
        let ty = type_name(scalar);
        if let Some(name) = target.as_var()
            && (self.scalars.contains_key(name) || !self.region.cells.contains(name))
        {
            let place = match self.scalars.get(name) {
                Some(c) => c.clone(),
                None => {
                    let text = self.region.global_scalar(name, scalar).map_err(|reason| self.refuse(reason))?;
                    if !self.assigned.iter().any(|(n, _)| n == name) {
                        self.assigned.push((name.clone(), scalar));
                    }
                    text
                }
            };
            self.code.line(format!("gw::{}(&{place}, ({ty})({value}));", reduction(op, false)));
            return Ok(());
        }
        let place = self.place(target)?;
        self.write_by_one(&format!("gw::{}(&{place}, ({ty})({value}));", reduction(op, false)))
    }

    /// Hands back the results: variables of the host function, globals, sets, lists and queues. Returns the lines
    /// that take them up again, for a loop that goes on in another launch.
    pub(crate) fn results(&mut self, params: &[(Name, Type)], form: Option<LoopForm>) -> Vec<String> {
        self.copy_views(params, form);
        let mut lines: Vec<String> = Vec::new();
        let mut loads: Vec<String> = Vec::new();
        let mut hand = |slot: usize, text: &str| {
            lines.push(format!("gw::put(args.results + {slot}, {text});"));
            loads.push(format!("gw::take(args.results + {slot}, {text});"));
        };
        for (name, ty) in params {
            match ty.scalar() {
                Some(scalar) if scalar != Scalar::String => {
                    hand(self.outcomes.len(), &c_name(name));
                    self.outcomes.push(Outcome::Local(name.clone(), scalar));
                }
                _ => {}
            }
        }
        for (name, scalar) in self.assigned.clone() {
            if let Ok(text) = self.region.global_scalar(&name, scalar) {
                hand(self.outcomes.len(), &text);
                self.outcomes.push(Outcome::Global(name, scalar));
            }
        }
        for name in self.sets.clone() {
            hand(self.outcomes.len(), &c_name(&name));
            self.outcomes.push(Outcome::Set(name));
        }
        hand(self.outcomes.len(), "run.forms");
        self.outcomes.push(Outcome::Forms);
        hand(self.outcomes.len(), "run.round");
        self.outcomes.push(Outcome::Round);
        for name in self.lists.clone() {
            let c = c_name(&name);
            let slot = self.outcomes.len();
            lines.push(format!("gw::put(args.results + {slot}, (unsigned long long){c}_depth << 32 | {c}_used);"));
            loads.push(format!("gw::take(args.results + {slot}, {c}_depth, {c}_used);"));
            self.outcomes.push(Outcome::List(name));
        }
        for name in self.queues.clone() {
            if let Ok(text) = self.region.queue(&name) {
                let slot = self.outcomes.len();
                let near = self.near(&name);
                let reported = crate::queue::reports(&text, &near).into_iter().enumerate();
                lines.extend(reported.map(|(i, word)| format!("gw::put(args.results + {}, {word});", slot + i)));
                let taken = crate::queue::taken(&text, &near).into_iter().enumerate();
                loads.extend(taken.map(|(i, places)| format!("gw::take(args.results + {}, {places});", slot + i)));
                self.outcomes.push(Outcome::Queue(name));
                self.outcomes.extend(std::iter::repeat_n(Outcome::QueueWord, crate::queue::REPORTED - 1));
            }
        }
        self.end(form, &mut lines, &mut loads);
        self.code.open("if (run.grid.first())");
        for line in lines {
            self.code.line(line);
        }
        self.code.close("");
        loads
    }
}

/// A scalar expression of uniform code: sizes of sets and questions to queues besides what functions know.
fn expression(coder: &mut Coder<'_, '_>, expr: &Expr, lists: &[Name]) -> Result<String, Refusal> {
    // What only uniform code may ask is replaced by names that are bound to its code.
    let mut replaced = expr.clone();
    let mut failure = None;
    let mut count = 0;
    walk::walk_expr_mut(&mut replaced, &mut |e| {
        let ExprKind::Builtin(builtin, args) = &e.kind else { return };
        let text = match builtin {
            Builtin::VertexSetSize => match &args[0].kind {
                ExprKind::Var(name) if coder.region.module.global(name).is_some_and(|g| g.universe) => {
                    coder.region.require(Requirement::All(name.clone()));
                    "(int)run.vertices()".to_string()
                }
                ExprKind::Var(name) => format!("(int)run.size({})", c_name(name)),
                _ => return,
            },
            Builtin::ListSize => match args[0].as_var() {
                Some(name) if lists.contains(name) => format!("(int){}_depth", c_name(name)),
                _ => return,
            },
            Builtin::QueueFinished | Builtin::QueueFinishedNode => {
                let Some(name) = args[0].as_var().cloned() else { return };
                let queue = match coder.region.queue(&name) {
                    Ok(queue) => queue,
                    Err(reason) => {
                        failure = Some(coder.refuse(reason));
                        return;
                    }
                };
                match builtin {
                    Builtin::QueueFinished => format!("gw::finished({queue})"),
                    _ => match coder.value(&args[1]) {
                        Ok(vertex) => {
                            let (fault, line) = (coder.fault(), coder.span.line);
                            coder.region.require(Requirement::Queue(name));
                            let vertex = format!("gw::checked_vertex({fault}, {vertex}, run.vertices(), {line})");
                            format!("gw::finished_node({queue}, {vertex}, {fault}, {line})")
                        }
                        Err(refusal) => {
                            failure = Some(refusal);
                            return;
                        }
                    },
                }
            }
            _ => return,
        };
        count += 1;
        let name: Name = format!("uniform {count}").as_str().into();
        coder.names.insert(name.clone(), Binding::Scalar { text, in_range: false });
        e.kind = ExprKind::Var(name);
    });
    match failure {
        Some(refusal) => Err(refusal),
        None => coder.value(&replaced),
    }
}
