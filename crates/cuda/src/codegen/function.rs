//! Device functions: the user's functions as C++, one thread each.

use std::collections::{HashMap, HashSet};

use gw_ir::analysis::priority::priority_vector;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{BinaryOp, Expr, ExprKind, FunctionRef, PriorityOp, ReduceOp, UnaryOp};
use gw_ir::module::Function;
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::{Domain, Scalar, Type};
use gw_ir::walk;

use super::inputs::Source;
use super::region::Region;
use super::text::{Code, c_name, float_literal, int_literal, type_name};

/// Why something cannot be generated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) span: Span,
    pub(crate) reason: String,
}

/// What a name means inside a function.
#[derive(Debug, Clone)]
pub(crate) enum Binding {
    /// A number; `in_range` says that it is a vertex of the operator and so needs no check as an index.
    Scalar { text: String, in_range: bool },
    /// A vector: first cell and number of entries.
    Vector { base: String, length: String },
    /// The output set of the operator.
    Output,
}

/// A reduction into the entry of the vertex that a thread or group of lanes owns: gathered first, stored once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gathered {
    pub(crate) vector: Name,
    pub(crate) op: ReduceOp,
    pub(crate) scalar: Scalar,
    /// Code of the base of the vector.
    pub(crate) base: String,
}

/// A global scalar that an operator reduces into and does not read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Summed {
    pub(crate) name: Name,
    pub(crate) op: ReduceOp,
    pub(crate) scalar: Scalar,
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
    pub(crate) summed: Vec<Summed>,
    /// The parameter whose entry is gathered, while the applied function is written.
    pub(crate) owner: Option<Name>,
    /// Enqueues of the owner are noted in the partial result and done once.
    pub(crate) owner_enqueues_once: bool,
    /// Vectors that must be read from memory at every access: loops of the function watch others write them.
    watched: HashSet<Name>,
    /// Loops around the code being written.
    loops: usize,
    /// What stands before the names of functions where they are called.
    pub(crate) prefix: &'static str,
}

type Text = Result<String, Refusal>;

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
            watched: HashSet::new(),
            loops: 0,
            prefix: "",
        }
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
        for capture in &function.captures {
            let c = c_name(&capture.name);
            match &capture.ty {
                Type::Vector { .. } => {
                    let scalar = self.leaf(&capture.ty)?;
                    params.push(format!("{}* {c}, unsigned long long {c}_length", type_name(scalar)));
                    let binding = Binding::Vector { base: c.clone(), length: format!("{c}_length") };
                    self.names.insert(capture.name.clone(), binding);
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
                    params.push(format!("{}* {c}, unsigned long long {c}_length", type_name(scalar)));
                    let binding = Binding::Vector { base: c.clone(), length: format!("{c}_length") };
                    self.names.insert(param.name.clone(), binding);
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
        body.open(format!("__device__ __forceinline__ {ty} {}({})", function_name(name), params.join(", ")));
        if let Some((ty, c)) = &result {
            body.line(format!("{ty} {c} = {};", if *ty == "bool" { "false" } else { "0" }));
        }
        self.block(function.body.as_deref().unwrap_or_default(), &mut body)?;
        if let Some((_, c)) = &result {
            body.line(format!("return {c};"));
        }
        body.close("");
        self.names = outer_names;
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
        for stmt in block {
            self.stmt(stmt, code)?;
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
                code.open(format!("while ({condition})"));
                self.block(body, code)?;
                code.close("");
                self.loops -= 1;
            }
            StmtKind::DoWhile { body, condition } => {
                self.loops += 1;
                code.open("do");
                self.block(body, code)?;
                let condition = self.value(condition)?;
                code.close(&format!(" while ({condition});"));
                self.loops -= 1;
            }
            StmtKind::For { var, low, high, body, .. } | StmtKind::ParFor { var, low, high, body, .. } => {
                let c = c_name(var);
                let (low, high) = (self.value(low)?, self.value(high)?);
                self.names.insert(var.clone(), Binding::Scalar { text: c.clone(), in_range: false });
                code.open(format!("for (int {c} = {low}; {c} < {high}; {c}++)"));
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

    /// The code of an expression as a value.
    pub(crate) fn value(&mut self, expr: &Expr) -> Text {
        Ok(match &expr.kind {
            ExprKind::Int(v) => int_literal(*v, self.scalar(&expr.ty)?),
            ExprKind::Float(v) => float_literal(*v, self.scalar(&expr.ty)?),
            ExprKind::Bool(v) => v.to_string(),
            ExprKind::Str(_) => return Err(self.refuse("strings do not exist on the device")),
            ExprKind::Var(name) => self.variable(name, &expr.ty)?,
            ExprKind::Element { vector, .. } => {
                let place = self.place(expr)?;
                match self.loops > 0 && vector.place_root().is_some_and(|root| self.watched.contains(root)) {
                    true => format!("gw::load(&{place})"),
                    false => place,
                }
            }
            ExprKind::Unary(UnaryOp::Not, e) => format!("!{}", self.value(e)?),
            ExprKind::Unary(UnaryOp::Neg, e) => match self.scalar(&e.ty)? {
                Scalar::Int => format!("gw::neg({})", self.value(e)?),
                _ => format!("(-{})", self.value(e)?),
            },
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b)?,
            ExprKind::Convert(e) => {
                format!("({}){}", type_name(self.scalar(&expr.ty)?), parenthesised(&self.value(e)?))
            }
            ExprKind::Call { function, args } => self.call(function, args)?,
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, &expr.ty)?,
            ExprKind::Reduce { op, target, value, meta } => {
                let scalar = self.scalar(&target.ty)?;
                let amount = self.value(value)?;
                let local = matches!(&target.kind, ExprKind::Var(n) if self.names.contains_key(n));
                let global = matches!(&target.kind, ExprKind::Var(_)) && !local;
                let place = self.place(target)?;
                let function = reduction(*op, meta.atomic || global);
                format!("gw::{function}(&{place}, ({}){})", type_name(scalar), parenthesised(&amount))
            }
            ExprKind::CompareAndSwap { target, expect, value, .. } => {
                let ty = type_name(self.scalar(&target.ty)?);
                let (expect, value) = (self.value(expect)?, self.value(value)?);
                let place = self.place(target)?;
                // Looking first saves atomics where most fail; short lists rarely meet a vertex twice.
                let swap = if self.region.flat { "swap_at_once" } else { "compare_and_swap" };
                format!("gw::{swap}(&{place}, ({ty}){}, ({ty}){})", parenthesised(&expect), parenthesised(&value))
            }
            ExprKind::PriorityUpdate { op, queue, vertex, bound, value, meta } => {
                self.priority_update(*op, queue, vertex, bound.as_deref(), value, meta.atomic)?
            }
            ExprKind::EnqueueVertex { vertex, .. } => {
                if self.owner_enqueues_once && vertex.as_var() == self.owner.as_ref() {
                    return Ok("partial.out = true".to_string());
                }
                let in_range = self.is_in_range(vertex);
                let mut id = self.value(vertex)?;
                if !in_range {
                    let fault = self.fault();
                    id = format!("gw::checked({fault}, {id}, vertices(), {})", self.span.line);
                }
                format!("insert({id})")
            }
            ExprKind::IntersectNeighbor { args, meta } => {
                let [graph, u, v] = args.as_slice() else { return Err(self.refuse("three operands are expected")) };
                let graph = self.graph(graph)?;
                let (u, v) = (self.checked_vertex(&graph, u)?, self.checked_vertex(&graph, v)?);
                let method = super::intersection_name(meta.kind);
                self.region.include("intersect.cuh");
                format!("gw::{method}({graph}, {u}, {v}, {v})")
            }
            ExprKind::Intersection { .. } => {
                return Err(self.refuse("sets are not intersected inside operator functions on the device"));
            }
            ExprKind::Operator(_) => return Err(self.refuse("operators do not nest")),
            _ => return Err(self.refuse("objects are not made inside operator functions")),
        })
    }

    fn is_in_range(&self, index: &Expr) -> bool {
        let binding = index.as_var().and_then(|name| self.names.get(name));
        matches!(binding, Some(Binding::Scalar { in_range: true, .. }))
    }

    pub(crate) fn fault(&mut self) -> String {
        self.region.inputs.member(Source::Fault, "gw::Fault*", "fault")
    }

    fn variable(&mut self, name: &Name, ty: &Type) -> Text {
        match self.names.get(name) {
            Some(Binding::Scalar { text, .. }) => return Ok(text.clone()),
            Some(_) => return Err(self.refuse(format!("`{name}` is not a number"))),
            None => {}
        }
        let scalar = self.scalar(ty)?;
        let text = self.region.global_scalar(name, scalar).map_err(|reason| self.refuse(reason))?;
        // A cell that operators write is read from memory every time.
        Ok(match self.region.cells.contains(name) {
            true => format!("gw::load({text})"),
            false => text,
        })
    }

    /// The code of a place that can be written.
    pub(crate) fn place(&mut self, expr: &Expr) -> Text {
        match &expr.kind {
            ExprKind::Var(name) => {
                match self.names.get(name) {
                    Some(Binding::Scalar { text, .. }) => return Ok(text.clone()),
                    Some(_) => return Err(self.refuse(format!("`{name}` is not a number"))),
                    None => {}
                }
                let scalar = self.scalar(&expr.ty)?;
                let text = self.region.global_scalar(name, scalar).map_err(|reason| self.refuse(reason))?;
                Ok(match self.region.cells.contains(name) {
                    true => format!("(*{text})"),
                    false => text,
                })
            }
            ExprKind::Element { .. } => {
                let (base, offset) = self.element(expr)?;
                Ok(format!("{base}[{offset}]"))
            }
            _ => Err(self.refuse("this cannot be written")),
        }
    }

    /// First cell of the vector, and the position of the cell that is meant.
    fn element(&mut self, expr: &Expr) -> Result<(String, String), Refusal> {
        let ExprKind::Element { vector, index, .. } = &expr.kind else {
            return Err(self.refuse("an entry of a vector is expected"));
        };
        let cells = cells(&expr.ty).ok_or_else(|| self.refuse("only rows of fixed length lie inside vectors"))?;
        match &vector.kind {
            ExprKind::Var(name) => {
                let (base, length) = self.vector(name, &vector.ty)?;
                let at = self.index(index, &vector.ty, &length)?;
                Ok((base, scaled(&at, cells)))
            }
            ExprKind::Element { .. } => {
                let (base, row) = self.element(vector)?;
                let at = self.index(index, &vector.ty, "0")?;
                Ok((base, format!("{row} + {}", scaled(&at, cells))))
            }
            _ => Err(self.refuse("a vector is expected")),
        }
    }

    fn index(&mut self, index: &Expr, vector: &Type, length: &str) -> Text {
        let limit = match vector {
            Type::Vector { domain: Domain::Fixed(n), .. } => {
                if let ExprKind::Int(i) = index.kind
                    && (0..i64::from(*n)).contains(&i)
                {
                    return Ok(i.to_string());
                }
                n.to_string()
            }
            _ if self.is_in_range(index) => return self.value(index),
            _ => length.to_string(),
        };
        let value = self.value(index)?;
        let fault = self.fault();
        Ok(format!("gw::checked({fault}, {value}, {limit}, {})", self.span.line))
    }

    /// Base and length of a vector variable.
    pub(crate) fn vector(&mut self, name: &Name, ty: &Type) -> Result<(String, String), Refusal> {
        match self.names.get(name) {
            Some(Binding::Vector { base, length }) => return Ok((base.clone(), length.clone())),
            Some(_) => return Err(self.refuse(format!("`{name}` is not a vector"))),
            None => {}
        }
        let scalar = self.leaf(ty)?;
        self.region.vector(name, scalar).map_err(|reason| self.refuse(reason))
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Text {
        let scalar = a.ty.scalar();
        let (x, y) = (self.value(a)?, self.value(b)?);
        let wraps = scalar == Some(Scalar::Int);
        Ok(match op {
            BinaryOp::Add if wraps => format!("gw::add({x}, {y})"),
            BinaryOp::Sub if wraps => format!("gw::sub({x}, {y})"),
            BinaryOp::Mul if wraps => format!("gw::mul({x}, {y})"),
            BinaryOp::Div if !scalar.is_some_and(Scalar::is_float) => {
                let fault = self.fault();
                format!("gw::divide({fault}, {x}, {y}, {})", self.span.line)
            }
            BinaryOp::And => format!("({x} && {y})"),
            BinaryOp::Or => format!("({x} || {y})"),
            BinaryOp::Xor => format!("({x} != {y})"),
            op => format!("({x} {} {y})", op.symbol()),
        })
    }

    pub(crate) fn call(&mut self, function: &FunctionRef, args: &[Expr]) -> Text {
        let module = self.region.module;
        let callee = module.function(&function.name).ok_or_else(|| self.refuse("there is no such function"))?;
        self.wanted.push(function.name.clone());
        let mut texts = Vec::new();
        for (expr, param) in function.captures.iter().zip(&callee.captures).chain(args.iter().zip(&callee.params)) {
            match &param.ty {
                Type::Vector { .. } => {
                    let Some(name) = expr.as_var() else {
                        return Err(self.refuse("rows of vectors cannot be passed to functions on the device"));
                    };
                    let (base, length) = self.vector(name, &expr.ty)?;
                    texts.push(format!("{base}, {length}"));
                }
                _ => texts.push(self.value(expr)?),
            }
        }
        Ok(format!("{}{}({})", self.prefix, function_name(&function.name), texts.join(", ")))
    }

    /// A graph variable as code.
    pub(crate) fn graph(&mut self, graph: &Expr) -> Text {
        let name = graph.as_var().cloned().ok_or_else(|| self.refuse("a graph variable is expected"))?;
        self.region.inputs.need(&name, |parts| parts.out = true);
        self.region.graph(&name).map_err(|reason| self.refuse(reason))
    }

    fn checked_vertex(&mut self, graph: &str, vertex: &Expr) -> Text {
        let value = self.value(vertex)?;
        if self.is_in_range(vertex) {
            return Ok(value);
        }
        let fault = self.fault();
        Ok(format!("gw::checked({fault}, {value}, {graph}.vertices, {})", self.span.line))
    }

    fn builtin(&mut self, builtin: Builtin, args: &[Expr], ty: &Type) -> Text {
        let numbers = match args.iter().all(|a| a.ty.scalar().is_some()) {
            true => args.iter().map(|a| self.value(a)).collect::<Result<Vec<String>, Refusal>>()?,
            false => Vec::new(),
        };
        Ok(match builtin {
            Builtin::Max => format!("gw::largest_of({})", numbers.join(", ")),
            Builtin::Min => format!("gw::least_of({})", numbers.join(", ")),
            Builtin::Abs => format!("gw::absolute({})", numbers.join(", ")),
            Builtin::Floor | Builtin::Log | Builtin::Exp | Builtin::Sqrt | Builtin::Pow => {
                let name = match builtin {
                    Builtin::Floor => "floor",
                    Builtin::Log => "log",
                    Builtin::Exp => "exp",
                    Builtin::Sqrt => "sqrt",
                    _ => "pow",
                };
                let values: Vec<String> = numbers.iter().map(|v| format!("(double){}", parenthesised(v))).collect();
                format!("({}){name}({})", type_name(self.scalar(ty)?), values.join(", "))
            }
            Builtin::Mod => {
                let scalar = self.scalar(&args[0].ty)?;
                let values = numbers;
                match scalar.is_float() {
                    true => format!(
                        "({})fmod((double){}, (double){})",
                        type_name(scalar),
                        parenthesised(&values[0]),
                        parenthesised(&values[1])
                    ),
                    false => {
                        let fault = self.fault();
                        format!("gw::remainder({fault}, {}, {})", values.join(", "), self.span.line)
                    }
                }
            }
            Builtin::VertexCount => match &args[0].ty {
                Type::VertexSet(element) => {
                    let source = Source::Vertices(element.clone());
                    format!("(int){}", self.region.inputs.member(source, "unsigned", &format!("{element}_count")))
                }
                _ => format!("(int){}.vertices", self.graph(&args[0])?),
            },
            Builtin::OutDegree => {
                let graph = self.graph(&args[0])?;
                let vertex = self.checked_vertex(&graph, &args[1])?;
                format!("{graph}.out_degree({vertex})")
            }
            Builtin::OutNeighbor => {
                let graph = self.graph(&args[0])?;
                let vertex = self.checked_vertex(&graph, &args[1])?;
                let position = self.value(&args[2])?;
                let fault = self.fault();
                format!("gw::out_neighbour({fault}, {graph}, {vertex}, {position}, {})", self.span.line)
            }
            Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor => {
                let graph = self.graph(&args[0])?;
                let vertex = self.checked_vertex(&graph, &args[1])?;
                let (fault, line) = (self.fault(), self.span.line);
                let seed = self.region.inputs.member(Source::Seed, "unsigned long long", "seed");
                let incoming = builtin == Builtin::RandomInNeighbor;
                if incoming && let Some(name) = args[0].as_var() {
                    self.region.inputs.need(name, |parts| parts.incoming = true);
                }
                format!("gw::random_neighbour<{incoming}>({fault}, {graph}, {vertex}, {seed}, {line})")
            }
            Builtin::CurrentPriority => {
                let name = args[0].as_var().cloned().ok_or_else(|| self.refuse("a queue variable is expected"))?;
                let queue = self.region.queue(&name).map_err(|reason| self.refuse(reason))?;
                format!("({}){queue}.current", type_name(self.scalar(ty)?))
            }
            other => {
                return Err(self.refuse(format!("`{}` is not available inside operator functions", other.name())));
            }
        })
    }

    fn priority_update(
        &mut self,
        op: PriorityOp,
        queue: &Expr,
        vertex: &Expr,
        bound: Option<&Expr>,
        value: &Expr,
        atomic: bool,
    ) -> Text {
        let queue_name = queue.as_var().cloned().ok_or_else(|| self.refuse("a queue variable is expected"))?;
        let vector = priority_vector(self.region.module, &queue_name)
            .ok_or_else(|| self.refuse("the queue's priorities are not one vector"))?;
        let global = self.region.module.global(&vector).ok_or_else(|| self.refuse("priorities must be global"))?;
        let scalar = self.leaf(&global.ty)?;
        let target = Expr::element(Expr::var(vector, global.ty.clone()), vertex.clone());
        self.region.include("priority.cuh");
        let place = self.place(&target)?;
        let ty = type_name(scalar);
        let value = self.value(value)?;
        let line = self.span.line;
        // Owned or not, the update is atomic: a queue is shared by its nature.
        let _ = atomic;
        Ok(match op {
            PriorityOp::Min if scalar == Scalar::Int => {
                let fault = self.fault();
                format!("gw::lower_priority({fault}, &{place}, {value}, {line})")
            }
            PriorityOp::Min => format!("gw::atomic_min(&{place}, ({ty}){})", parenthesised(&value)),
            PriorityOp::Max => format!("gw::atomic_max(&{place}, ({ty}){})", parenthesised(&value)),
            PriorityOp::Sum => {
                let floor = bound.ok_or_else(|| self.refuse("a priority sum needs a floor"))?;
                let floor = self.value(floor)?;
                format!(
                    "gw::sum_with_floor(&{place}, ({ty}){}, ({ty}){})",
                    parenthesised(&value),
                    parenthesised(&floor)
                )
            }
        })
    }
}

/// The C++ name of a user function.
pub(crate) fn function_name(name: &str) -> String {
    format!("fn_{name}")
}

/// `a op b` as code, by the rules of the language.
pub(crate) fn combine(op: ReduceOp, scalar: Scalar, a: &str, b: &str) -> String {
    let ty = type_name(scalar);
    match op {
        ReduceOp::Sum if scalar == Scalar::Int => format!("gw::add({a}, {b})"),
        ReduceOp::Sum if scalar == Scalar::Bool => format!("({a} | {b})"),
        ReduceOp::Sum => format!("({ty})({a} + {b})"),
        ReduceOp::Min => format!("gw::least_of({a}, ({ty}){})", parenthesised(b)),
        ReduceOp::Max => format!("gw::largest_of({a}, ({ty}){})", parenthesised(b)),
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
    }
}

/// What a reduction begins with.
pub(crate) fn neutral(op: ReduceOp, scalar: Scalar) -> String {
    let ty = type_name(scalar);
    match op {
        ReduceOp::Sum => format!("({ty})0"),
        ReduceOp::Min => format!("gw::Limits<{ty}>::greatest()"),
        ReduceOp::Max => format!("gw::Limits<{ty}>::least()"),
    }
}

fn parenthesised(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if plain || (text.starts_with('(') && text.ends_with(')')) { text.to_string() } else { format!("({text})") }
}

fn scaled(index: &str, cells: u32) -> String {
    if cells == 1 { index.to_string() } else { format!("{cells} * (unsigned long long)({index})") }
}

/// Scalar cells of an entry.
fn cells(ty: &Type) -> Option<u32> {
    match ty {
        Type::Vector { domain: Domain::Fixed(n), item } => Some(n * cells(item)?),
        Type::Vector { .. } => None,
        _ => Some(1),
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

/// Vectors that a function with a loop updates by atomics: it tries again until what others wrote lets it through, so it must
/// see that. A loop of plain reads and writes goes on by what it writes itself, and may read from the nearest cache.
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
