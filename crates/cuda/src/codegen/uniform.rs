//! Statements outside operators: every thread of the grid runs them alike.
//!
//! Barriers are placed where they are needed and nowhere else: after an operator, before the first thing that depends
//! on it. A write to memory is done by one thread, behind a barrier where another thread may still read or write there.

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

use super::function::reduction;
use super::inputs::Source;
use super::pending::Pending;
use super::refusal::Refusal;
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
    pub(super) host_written: HashSet<Name>,
    pub(super) scalars: HashMap<Name, String>,
    /// Set variables, all declared at the top of the kernel.
    pub(crate) sets: Vec<Name>,
    pub(super) lists: Vec<Name>,
    pub(crate) queues: Vec<Name>,
    pub(crate) outcomes: Vec<Outcome>,
    /// Global scalars that uniform code assigns.
    pub(super) assigned: Vec<(Name, Scalar)>,
    /// Operators and writes that may still be going on.
    pub(super) pending: Pending,
    /// So may what a dequeue left behind, which only the next dequeue or update looks at.
    pub(super) dequeued: bool,
    /// Globals that threads may still be reading in uniform code: operators that write them come behind a barrier.
    pub(super) looked: HashSet<Name>,
    /// What adaptive operators remember, by the place of their statement in memory.
    pub(super) steps: HashMap<usize, String>,
    /// The counter of the loop whose rounds one block may run alone.
    pub(super) alone: Option<String>,
    /// Functions that the kernel defines before its loop.
    pub(crate) definitions: String,
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
            pending: Pending::Nothing,
            dequeued: false,
            looked: HashSet::new(),
            steps: HashMap::new(),
            alone: None,
            definitions: String::new(),
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
            StmtKind::VarDecl { name, ty, init } => self.declare(name, ty, init.as_ref())?,
            StmtKind::Assign { target, value } => self.assign(target, value)?,
            StmtKind::Eval(expr) => self.effect(expr)?,
            StmtKind::If { condition, then, otherwise } => self.branch(condition, then, otherwise)?,
            StmtKind::While { condition, body, .. } => self.while_loop(condition, body, None)?,
            StmtKind::DoWhile { body, condition } => self.do_while_loop(body, condition)?,
            StmtKind::For { var, low, high, body, .. } => self.for_loop(var, low, high, body)?,
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

    /// Declares a scalar.
    fn declare(&mut self, name: &Name, ty: &Type, init: Option<&Expr>) -> Result<(), Refusal> {
        let scalar = ty.scalar().filter(|s| *s != Scalar::String);
        let scalar = scalar.ok_or_else(|| self.refuse(format!("`{ty}` cannot live on the device")))?;
        let value = match init {
            Some(init) => self.value(init)?,
            None => "0".into(),
        };
        let c = c_name(name);
        self.code.line(format!("{} {c} = {value};", type_name(scalar)));
        self.scalars.insert(name.clone(), c);
        Ok(())
    }

    fn branch(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) -> Result<(), Refusal> {
        let condition = self.value(condition)?;
        self.code.open(format!("if ({condition})"));
        let before = self.pending.clone();
        self.block(then)?;
        let after = std::mem::replace(&mut self.pending, before);
        if !otherwise.is_empty() {
            self.code.close(" else {");
            self.code.nest();
            self.block(otherwise)?;
        }
        self.code.close("");
        self.expect(after);
        Ok(())
    }

    /// A loop with its test at the beginning. `little` says of a round that one block may run it alone.
    pub(super) fn while_loop(&mut self, condition: &Expr, body: &[Stmt], little: Option<&str>) -> Result<(), Refusal> {
        let turns = self.begin_loop();
        self.pending = Pending::Anything;
        let condition = self.value(condition)?;
        match little {
            None => self.code.line(format!("if (!({condition})) break;")),
            Some(little) => {
                self.settle();
                self.code.line(format!("bool more = {condition};"));
                self.choose_blocks(&turns, little, TURNS);
                self.code.line("if (!more) break;");
            }
        }
        let at_exit = self.pending.clone();
        self.ask_if_over(&turns);
        self.block(body)?;
        self.code.close("");
        self.pending = at_exit;
        Ok(())
    }

    fn do_while_loop(&mut self, body: &[Stmt], condition: &Expr) -> Result<(), Refusal> {
        let turns = self.begin_loop();
        self.pending = Pending::Anything;
        self.ask_if_over(&turns);
        self.block(body)?;
        let condition = self.value(condition)?;
        self.code.line(format!("if (!({condition})) break;"));
        self.code.close("");
        Ok(())
    }

    fn for_loop(&mut self, var: &Name, low: &Expr, high: &Expr, body: &[Stmt]) -> Result<(), Refusal> {
        let c = c_name(var);
        let low = self.value(low)?;
        self.code.open("");
        self.code.line(format!("int {c} = {low};"));
        self.scalars.insert(var.clone(), c.clone());
        let turns = self.begin_loop();
        self.pending = Pending::Anything;
        let high = self.value(high)?;
        self.code.line(format!("if ({c} >= {high}) break;"));
        self.ask_if_over(&turns);
        self.block(body)?;
        self.code.line(format!("{c} = gw::add({c}, 1);"));
        self.code.close("");
        self.code.close("");
        self.pending = Pending::Anything;
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

    /// Something more may be going on from here.
    pub(super) fn expect(&mut self, more: Pending) {
        self.pending = std::mem::take(&mut self.pending).and(more);
    }

    /// A barrier, if something may still be going on.
    pub(super) fn settle(&mut self) {
        if std::mem::take(&mut self.pending).is_any() {
            self.dequeued = false;
            self.looked.clear();
            self.region.cooperative = true;
            self.code.line("run.wait(live());");
        }
    }

    /// A barrier before a queue is asked for its best bucket, which looks at what the last dequeue left behind.
    pub(super) fn settle_dequeued(&mut self) {
        if self.dequeued {
            self.pending = Pending::Anything;
        }
        self.settle();
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
            if closure(module, roots).iter().filter_map(written).flatten().any(|n| self.looked.contains(&n)) {
                self.pending = Pending::Anything;
            }
        }
        self.settle();
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
                return self.write_by_one(Some(name), &format!("*{text} = {value};"));
            }
            self.code.line(format!("{text} = {value};"));
            if !self.assigned.iter().any(|(n, _)| n == name) {
                self.assigned.push((name.clone(), scalar));
            }
            return Ok(());
        }
        let value = self.value(value)?;
        let place = self.place(target)?;
        self.write_by_one(target.place_root(), &format!("{place} = {value};"))
    }

    fn effect(&mut self, expr: &Expr) -> Result<(), Refusal> {
        match &expr.kind {
            ExprKind::Operator(op) => {
                self.operator(op)?;
            }
            ExprKind::Builtin(Builtin::ListAppend | Builtin::ListInsert, args) => {
                // A pop may still be reading where its set lies.
                self.pending = Pending::Anything;
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
                self.pending = Pending::Anything;
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
                self.pending = Pending::Anything;
                self.settle();
                self.code.line(format!("gw::add_vertex(run, {set}, {vertex}, {fault}, {}, live());", self.span.line));
                self.region.include("members.cuh");
                self.pending = Pending::Anything;
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
        self.write_by_one(target.place_root(), &format!("gw::{}(&{place}, ({ty})({value}));", reduction(op, false)))
    }
}
