//! Device functions: the user's functions as C++, one thread each.

use std::collections::{BTreeSet, HashMap, HashSet};

use gw_ir::analysis::calls::draws_in;
use gw_ir::analysis::operator::{EntryReduction, ScalarReduction};
use gw_ir::expr::{Expr, ExprKind, ReduceOp};
use gw_ir::module::Function;
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::{Scalar, Type};
use gw_ir::walk;

use super::access::{VectorCode, vector_members};
use super::expression::parenthesised;
use super::inputs::Source;
use super::refusal::Refusal;
use super::region::Region;
use super::shared::{SHARE, Sharing};
use super::text::{Code, TURNS_NAME, c_name, type_name};

/// What a name means inside a function.
#[derive(Debug, Clone)]
pub(crate) enum Binding {
    /// A number; `in_range` says that it is a vertex of the operator, below the number of vertices of its region.
    Scalar { text: String, in_range: bool },
    /// A vector: first cell and number of entries.
    Vector(VectorCode),
    /// The output set of the operator.
    Output,
}

/// A reduction into the entry of the vertex that a thread or group of lanes owns: gathered first, stored once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gathered {
    pub(crate) vector: Name,
    pub(crate) op: ReduceOp,
    pub(crate) scalar: Scalar,
    /// Code of the cell of the vertex `v`.
    pub(crate) cell: String,
}

impl Gathered {
    /// The reduction, whose vector is not yet known as code.
    pub(crate) fn of(EntryReduction { vector, op, scalar }: EntryReduction) -> Gathered {
        Gathered { vector, op, scalar, cell: String::new() }
    }
}

/// Translates functions, expressions and statements that one thread runs by itself.
pub(crate) struct Coder<'r, 'm> {
    pub(crate) region: &'r mut Region<'m>,
    pub(crate) names: HashMap<Name, Binding>,
    pub(crate) span: Span,
    /// Functions that are named and not yet written, and those that are written.
    pub(crate) wanted: Vec<Name>,
    pub(crate) written: HashSet<Name>,
    pub(crate) gathered: Vec<Gathered>,
    pub(crate) summed: Vec<ScalarReduction>,
    /// The parameter whose entry is gathered, while the applied function is written.
    pub(crate) owner: Option<Name>,
    /// Enqueues of the owner are noted in the partial result and done once.
    pub(crate) owner_enqueues_once: bool,
    /// Compare-and-swap becomes a test and a plain store: the schedule takes repeats into account.
    pub(crate) claims_by_store: bool,
    /// A map remembers the destinations that compare-and-swap got.
    pub(crate) remembers_visited: bool,
    /// Vectors that only the edges to a vertex write at that vertex, where classes of edges are looked at.
    pub(crate) alone: BTreeSet<Name>,
    /// The vector whose changes keep repeats out of the output by themselves.
    pub(crate) by_words: Option<Name>,
    /// The name of the destination of an edge in code.
    pub(crate) destination: Option<String>,
    /// Vectors that must be read from memory at every access: loops of the function watch others write them.
    pub(super) watched: HashSet<Name>,
    /// Loops around the code being written.
    pub(super) loops: usize,
    /// The function being written has draws to pass on.
    pub(super) draws: bool,
    /// What stands before the names of functions where they are called.
    pub(crate) prefix: &'static str,
    /// The function whose loop lanes share, while an operator over a set is written (`shared.rs`).
    pub(super) shared: Option<Sharing>,
    /// Where the lengths of captured vectors come from, by function and capture: of the functions that an operator
    /// names.
    pub(super) captured: HashMap<Name, Vec<Vec<Source>>>,
}

pub(super) type Text = Result<String, Refusal>;

impl<'r, 'm> Coder<'r, 'm> {
    pub(crate) fn new(region: &'r mut Region<'m>) -> Self {
        Coder {
            region,
            names: HashMap::new(),
            span: Span::NONE,
            wanted: Vec::new(),
            written: HashSet::new(),
            gathered: Vec::new(),
            summed: Vec::new(),
            owner: None,
            owner_enqueues_once: false,
            claims_by_store: false,
            remembers_visited: false,
            alone: BTreeSet::new(),
            by_words: None,
            destination: None,
            watched: HashSet::new(),
            loops: 0,
            draws: false,
            prefix: "",
            shared: None,
            captured: HashMap::new(),
        }
    }

    /// Notes where the lengths of captured vectors of a function come from. A function may be named twice by an
    /// operator.
    pub(crate) fn note_captures(&mut self, function: &Name, lengths: Vec<Vec<Source>>) {
        let known = self.captured.entry(function.clone()).or_default();
        known.resize(known.len().max(lengths.len()), Vec::new());
        known.iter_mut().zip(lengths).for_each(|(known, new)| known.extend(new));
    }

    pub(crate) fn refuse(&self, reason: impl Into<String>) -> Refusal {
        Refusal { span: self.span, reason: reason.into() }
    }

    /// Writes every function that was named so far and those that they name. `vertices` of the first ones are in range.
    pub(crate) fn write_wanted(&mut self, code: &mut Code) -> Result<(), Refusal> {
        while let Some(name) = self.wanted.pop() {
            if self.written.insert(name.clone()) {
                self.function(&name, false, code)?;
            }
        }
        Ok(())
    }

    /// Writes a function as a member of the operator's struct. `root`: applied or filtering directly, so that its
    /// vertices are vertices of the graph at hand.
    pub(crate) fn function(&mut self, name: &Name, root: bool, code: &mut Code) -> Result<(), Refusal> {
        self.written.insert(name.clone());
        let module = self.region.module;
        match module.function(name) {
            Some(f) if f.body.is_some() => self.define(f, root, code),
            Some(f) => Err(Refusal {
                span: self.span,
                reason: format!("`{}` is an extern function, which runs on the host only", f.name),
            }),
            None => Err(self.refuse(format!("there is no function `{name}`"))),
        }
    }

    /// Writes a function of the module or one made of such a function.
    pub(crate) fn define(&mut self, function: &Function, root: bool, code: &mut Code) -> Result<(), Refusal> {
        let name = &function.name;
        let outer_names = std::mem::take(&mut self.names);
        let outer_span = std::mem::replace(&mut self.span, function.span);
        let outer_watched = std::mem::take(&mut self.watched);
        self.watched = loop_writes(function);
        let mut params = Vec::new();
        let captured = self.captured.get(name).cloned().unwrap_or_default();
        for (i, capture) in function.captures.iter().enumerate() {
            let c = c_name(&capture.name);
            match &capture.ty {
                Type::Vector { .. } => {
                    let scalar = self.leaf(&capture.ty)?;
                    params.extend(vector_members(&capture.ty, type_name(scalar), &c));
                    let lengths = captured.get(i).cloned().unwrap_or_default();
                    let code = VectorCode::of_members(&capture.ty, &c, lengths);
                    self.names.insert(capture.name.clone(), Binding::Vector(code));
                }
                ty => {
                    params.push(format!("{} {c}", type_name(self.scalar(ty)?)));
                    self.names.insert(capture.name.clone(), Binding::Scalar { text: c, in_range: false });
                }
            }
        }
        let assigned = assigned_names(function);
        for param in &function.params {
            if matches!(param.ty, Type::VertexSet(_)) {
                self.names.insert(param.name.clone(), Binding::Output);
                continue;
            }
            let c = c_name(&param.name);
            match &param.ty {
                Type::Vector { .. } => {
                    let scalar = self.leaf(&param.ty)?;
                    params.extend(vector_members(&param.ty, type_name(scalar), &c));
                    let code = VectorCode::of_members(&param.ty, &c, Vec::new());
                    self.names.insert(param.name.clone(), Binding::Vector(code));
                }
                ty => {
                    params.push(format!("{} {c}", type_name(self.scalar(ty)?)));
                    let in_range = root && matches!(ty, Type::Vertex(_)) && !assigned.contains(&param.name);
                    self.names.insert(param.name.clone(), Binding::Scalar { text: c, in_range });
                }
            }
        }
        let gathers = self.owner.is_some() && root && (!self.gathered.is_empty() || self.owner_enqueues_once);
        if gathers {
            params.push("Partial& partial".to_string());
        }
        let outer_draws = std::mem::replace(&mut self.draws, draws_in(self.region.module, function));
        if self.draws {
            self.region.include("graph.cuh");
            params.push(format!("const gw::Draws& {DRAWS}"));
        }
        let template = match root && self.shares(name) {
            true => {
                params.push(format!("const Share& {SHARE}"));
                "template <class Share> "
            }
            false => "",
        };
        let result = match &function.result {
            Some(result) => {
                let ty = type_name(self.scalar(&result.ty)?);
                let c = c_name(&result.name);
                self.names.insert(result.name.clone(), Binding::Scalar { text: c.clone(), in_range: false });
                Some((ty, c))
            }
            None => None,
        };
        let ty = result.as_ref().map_or("void", |(ty, _)| ty);
        let mut body = Code::at_depth(1);
        let name = function_name(name);
        body.open(format!("{template}__device__ __forceinline__ {ty} {name}({})", params.join(", ")));
        if let Some((ty, c)) = &result {
            body.line(format!("{ty} {c} = {};", if *ty == "bool" { "false" } else { "0" }));
        }
        self.block(function.body.as_deref().unwrap_or_default(), &mut body)?;
        if let Some((_, c)) = &result {
            body.line(format!("return {c};"));
        }
        body.close("");
        self.names = outer_names;
        self.draws = outer_draws;
        self.span = outer_span;
        self.watched = outer_watched;
        // Members may be used before they are declared inside a struct, so the order does not matter.
        code.line(body.text());
        Ok(())
    }

    pub(crate) fn scalar(&self, ty: &Type) -> Result<Scalar, Refusal> {
        match ty.scalar() {
            Some(Scalar::String) => Err(self.refuse("strings do not exist on the device")),
            Some(scalar) => Ok(scalar),
            None => Err(self.refuse(format!("`{ty}` cannot be used inside operator functions"))),
        }
    }

    pub(crate) fn leaf(&self, ty: &Type) -> Result<Scalar, Refusal> {
        self.scalar(ty.leaf())
    }

    pub(crate) fn block(&mut self, block: &[Stmt], code: &mut Code) -> Result<(), Refusal> {
        for (i, stmt) in block.iter().enumerate() {
            self.stmt(stmt, code)?;
            if i + 1 < block.len() && self.has_just_shared() {
                return self.behind_shared(&block[i + 1..], code);
            }
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt, code: &mut Code) -> Result<(), Refusal> {
        if stmt.span.line > 0 {
            self.span = stmt.span;
        }
        match &stmt.kind {
            StmtKind::VarDecl { name, ty, init } => {
                let c = c_name(name);
                let scalar = self.scalar(ty)?;
                let value = match init {
                    Some(init) => self.value(init)?,
                    None => "0".to_string(),
                };
                code.line(format!("{} {c} = {value};", type_name(scalar)));
                self.names.insert(name.clone(), Binding::Scalar { text: c, in_range: false });
            }
            StmtKind::Assign { target, value } => {
                let value = self.value(value)?;
                let place = self.place(target)?;
                code.line(format!("{place} = {value};"));
            }
            StmtKind::Eval(expr) => {
                if let ExprKind::Reduce { op, target, value, .. } = &expr.kind
                    && let Some(text) = self.gathered_or_summed(*op, target, value)?
                {
                    code.line(text);
                    return Ok(());
                }
                let text = self.value(expr)?;
                code.line(format!("{text};"));
            }
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.value(condition)?;
                code.open(format!("if ({condition})"));
                self.block(then, code)?;
                if !otherwise.is_empty() {
                    code.close(" else {");
                    code.nest();
                    self.block(otherwise, code)?;
                }
                code.close("");
            }
            StmtKind::While { condition, body, .. } => {
                self.loops += 1;
                let condition = self.value(condition)?;
                let turns = self.turns();
                code.open(format!("for (unsigned {turns} = 1; {condition}; {turns}++)"));
                self.ask_if_over(&turns, code);
                self.block(body, code)?;
                code.close("");
                self.loops -= 1;
            }
            StmtKind::DoWhile { body, condition } => {
                self.loops += 1;
                let turns = self.turns();
                code.open(format!("for (unsigned {turns} = 1;; {turns}++)"));
                self.ask_if_over(&turns, code);
                self.block(body, code)?;
                let condition = self.value(condition)?;
                code.line(format!("if (!({condition})) break;"));
                code.close("");
                self.loops -= 1;
            }
            StmtKind::For { var, low, high, body, .. } | StmtKind::ParFor { var, low, high, body, .. } => {
                let c = c_name(var);
                let short = matches!((&low.kind, &high.kind), (ExprKind::Int(a), ExprKind::Int(b)) if b - a <= TURNS);
                let (low, high) = (self.value(low)?, self.value(high)?);
                self.names.insert(var.clone(), Binding::Scalar { text: c.clone(), in_range: false });
                if self.is_shared_loop(var) {
                    return self.shared_turns(&c, &low, &high, body, code);
                }
                code.open(format!("for (int {c} = {low}; {c} < {high}; {c}++)"));
                if !short {
                    self.ask_if_over(&format!("(unsigned){c}"), code);
                }
                self.block(body, code)?;
                code.close("");
            }
            StmtKind::Break => code.line("break;"),
            StmtKind::Scope(block) => {
                code.open("");
                self.block(block, code)?;
                code.close("");
            }
            StmtKind::Print(_) => return Err(self.refuse("printing happens on the host, not inside operators")),
            StmtKind::Delete(_) => return Err(self.refuse("objects are not freed inside operator functions")),
            StmtKind::Hybrid(_) => return Err(self.refuse("operators do not nest")),
        }
        Ok(())
    }

    /// A name for the turns of a loop that no variable of the program has.
    fn turns(&mut self) -> String {
        self.region.loops += 1;
        format!("{TURNS_NAME}{}", self.region.loops)
    }

    /// Leaves a loop when the run is over: a fault lets another entry stand in, which may keep a loop going, and the
    /// host may want to stop.
    pub(super) fn ask_if_over(&mut self, turns: &str, code: &mut Code) {
        let fault = self.region.inputs.member(Source::Fault, "gw::Fault*", "fault");
        code.line(format!("if ({turns} % {TURNS} == 0 && gw::is_over({fault})) break;"));
    }

    /// A reduction that goes into a register first.
    fn gathered_or_summed(&mut self, op: ReduceOp, target: &Expr, value: &Expr) -> Result<Option<String>, Refusal> {
        let member = match &target.kind {
            ExprKind::Var(name) => match self.summed.iter().find(|s| s.name == *name && s.op == op) {
                Some(summed) => format!("sum_{}", c_name(&summed.name)),
                None => return Ok(None),
            },
            ExprKind::Element { vector, index, .. } => {
                let owned = self.owner.is_some() && index.as_var() == self.owner.as_ref();
                let known = self.gathered.iter().find(|g| Some(&g.vector) == vector.as_var() && g.op == op);
                match known.filter(|_| owned) {
                    Some(gathered) => format!("partial.{}", c_name(&gathered.vector)),
                    None => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        let scalar = self.scalar(&target.ty)?;
        let value = self.value(value)?;
        Ok(Some(format!("{member} = {};", combine(op, scalar, &member, &value))))
    }
}

/// The random draws of a call, as its functions hand them on.
pub(crate) const DRAWS: &str = "draws";

/// Turns of a loop in a function after which it asks whether the run is over.
const TURNS: i64 = 1024;

/// The C++ name of a user function.
pub(crate) fn function_name(name: &str) -> String {
    format!("fn_{name}")
}

/// `a op b` as code, by the rules of the language.
pub(crate) fn combine(op: ReduceOp, scalar: Scalar, a: &str, b: &str) -> String {
    let ty = type_name(scalar);
    match op {
        ReduceOp::Sum if scalar.is_signed() => format!("gw::add({a}, {b})"),
        ReduceOp::Sum if scalar == Scalar::Bool => format!("({a} | {b})"),
        ReduceOp::Sum => format!("({ty})({a} + {b})"),
        ReduceOp::Min => format!("gw::least_of({a}, ({ty}){})", parenthesised(b)),
        ReduceOp::Max => format!("gw::largest_of({a}, ({ty}){})", parenthesised(b)),
        ReduceOp::Or => format!("({ty})({a} | ({ty}){})", parenthesised(b)),
        ReduceOp::And => format!("({ty})({a} & ({ty}){})", parenthesised(b)),
    }
}

/// The function of the headers for a reduction into a cell.
pub(crate) fn reduction(op: ReduceOp, atomic: bool) -> &'static str {
    match (op, atomic) {
        (ReduceOp::Sum, false) => "sum",
        (ReduceOp::Sum, true) => "atomic_sum",
        (ReduceOp::Min, false) => "min_into",
        (ReduceOp::Min, true) => "atomic_min",
        (ReduceOp::Max, false) => "max_into",
        (ReduceOp::Max, true) => "atomic_max",
        (ReduceOp::Or, false) => "or_into",
        (ReduceOp::Or, true) => "atomic_or",
        (ReduceOp::And, false) => "and_into",
        (ReduceOp::And, true) => "atomic_and",
    }
}

/// The same for a cell that the only edge to its vertex writes without an atomic, for the reductions that have it.
pub(crate) fn reduction_by_class(op: ReduceOp) -> Option<&'static str> {
    match op {
        ReduceOp::Sum => Some("sum_if"),
        ReduceOp::Min => Some("min_into_if"),
        ReduceOp::Max => Some("max_into_if"),
        ReduceOp::Or | ReduceOp::And => None,
    }
}

/// What a reduction begins with.
pub(crate) fn neutral(op: ReduceOp, scalar: Scalar) -> String {
    let ty = type_name(scalar);
    match op {
        ReduceOp::Sum | ReduceOp::Or => format!("({ty})0"),
        ReduceOp::And => format!("({ty})~({ty})0"),
        ReduceOp::Min => format!("gw::Limits<{ty}>::greatest()"),
        ReduceOp::Max => format!("gw::Limits<{ty}>::least()"),
    }
}

/// Names that a function assigns.
fn assigned_names(function: &Function) -> HashSet<Name> {
    let mut names = HashSet::new();
    let body = function.body.as_deref().unwrap_or_default();
    walk::walk_stmts(body, &mut |s| {
        if let StmtKind::Assign { target, .. } = &s.kind
            && let Some(name) = target.as_var()
        {
            names.insert(name.clone());
        }
    });
    walk::walk_block_exprs(body, &mut |e| {
        if let ExprKind::Reduce { target, .. } = &e.kind
            && let Some(name) = target.as_var()
        {
            names.insert(name.clone());
        }
    });
    names
}

/// Vectors that a function with a loop updates by atomics: it tries again until what others wrote lets it through, so
/// it must see that. A loop of plain reads and writes goes on by what it writes itself, and may read from the nearest
/// cache.
fn loop_writes(function: &Function) -> HashSet<Name> {
    let body = function.body.as_deref().unwrap_or_default();
    let mut loops = false;
    let mut written = HashSet::new();
    walk::walk_stmts(body, &mut |s| loops |= matches!(s.kind, StmtKind::While { .. } | StmtKind::DoWhile { .. }));
    walk::walk_block_exprs(body, &mut |e| match &e.kind {
        ExprKind::Reduce { target, .. } | ExprKind::CompareAndSwap { target, .. } => {
            written.extend(target.place_root().cloned());
        }
        _ => {}
    });
    if loops { written } else { HashSet::new() }
}
