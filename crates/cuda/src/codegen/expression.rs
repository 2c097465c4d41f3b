//! Expressions of device functions as C++.

use gw_ir::analysis::priority::priority_vector;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{BinaryOp, Expr, ExprKind, FunctionRef, PriorityOp, ReduceOp, UnaryOp};
use gw_ir::meta::IntersectionKind;
use gw_ir::source::Name;
use gw_ir::types::{Scalar, Type};

use super::function::{Binding, Coder, DRAWS, Text, function_name, reduction, reduction_by_class};
use super::inputs::Source;
use super::refusal::Refusal;
use super::text::{float_literal, int_literal, type_name};
use gw_ir::analysis::calls::draws;

impl Coder<'_, '_> {
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
                Scalar::Int | Scalar::Int64 => format!("gw::neg({})", self.value(e)?),
                _ => format!("(-{})", self.value(e)?),
            },
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b)?,
            ExprKind::Convert(e) => {
                let (from, to, value) = (self.scalar(&e.ty)?, self.scalar(&expr.ty)?, self.value(e)?);
                match to {
                    Scalar::Int if from.is_float() => format!("gw::to_int({value})"),
                    Scalar::Uint if from.is_float() => format!("gw::to_unsigned({value})"),
                    Scalar::Int64 if from.is_float() => format!("gw::to_int_64({value})"),
                    Scalar::Uint64 if from.is_float() => format!("gw::to_unsigned_64({value})"),
                    _ => format!("({}){}", type_name(to), parenthesised(&value)),
                }
            }
            ExprKind::Call { function, args } => self.call(function, args)?,
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, &expr.ty)?,
            ExprKind::Reduce { op, target, value, meta } => {
                let scalar = self.scalar(&target.ty)?;
                let amount = self.value(value)?;
                let local = matches!(&target.kind, ExprKind::Var(n) if self.names.contains_key(n));
                let global = matches!(&target.kind, ExprKind::Var(_)) && !local;
                let place = self.place(target)?;
                let (ty, amount) = (type_name(scalar), parenthesised(&amount));
                if self.by_words.is_some() && target.place_root() == self.by_words.as_ref() {
                    let alone = if self.is_alone_at(target) { "this->only_edge" } else { "false" };
                    let function = if *op == ReduceOp::Max { "max_word" } else { "min_word" };
                    return Ok(format!("gw::{function}({alone}, &{place}, ({ty}){amount}, this->out.round)"));
                }
                if meta.atomic
                    && self.is_alone_at(target)
                    && let Some(function) = reduction_by_class(*op)
                {
                    return Ok(format!("gw::{function}(this->only_edge, &{place}, ({ty}){amount})"));
                }
                // Lanes that share a loop reduce into the same entries, those of the member among them.
                let shared = self.shared.is_some() && !local;
                let function = reduction(*op, meta.atomic || global || shared);
                format!("gw::{function}(&{place}, ({ty}){amount})")
            }
            ExprKind::CompareAndSwap { target, expect, value, .. } => {
                let ty = type_name(self.scalar(&target.ty)?);
                let (expect, value) = (self.value(expect)?, self.value(value)?);
                let place = self.place(target)?;
                // Looking first saves atomics where most fail; short lists rarely meet a vertex twice.
                let swap = match (self.claims_by_store, self.region.flat) {
                    (true, _) => "test_and_store",
                    (false, true) => "swap_at_once",
                    (false, false) => "compare_and_swap",
                };
                let (expect, value) = (parenthesised(&expect), parenthesised(&value));
                let swap = format!("gw::{swap}(&{place}, ({ty}){expect}, ({ty}){value})");
                match (self.remembers_visited, target.place_root().cloned(), self.destination.clone()) {
                    (true, Some(vector), Some(v)) => {
                        let map = self.region.visited(&vector);
                        let other = format!("!(({ty}){value} == ({ty}){expect})");
                        format!("(!gw::is_visited({map}, {v}) && {swap} && gw::note_visited({map}, {v}, {other}))")
                    }
                    _ => swap,
                }
            }
            ExprKind::PriorityUpdate { op, queue, vertex, bound, value, meta } => {
                self.priority_update(*op, queue, vertex, bound.as_deref(), value, meta.atomic)?
            }
            ExprKind::EnqueueVertex { vertex, .. } => {
                if self.owner_enqueues_once && vertex.as_var() == self.owner.as_ref() {
                    return Ok("partial.out = true".to_string());
                }
                format!("insert({})", self.output_vertex(vertex)?)
            }
            ExprKind::IntersectNeighbor { args, meta } => {
                let [graph, u, v] = args.as_slice() else { return Err(self.refuse("three operands are expected")) };
                let code = self.graph(graph)?;
                let (u, u_reason) = self.queried_vertex(graph, &code, u)?;
                let (v, v_reason) = self.queried_vertex(graph, &code, v)?;
                let method = intersection_name(meta.kind);
                self.region.include("intersect.cuh");
                self.graph_query(format!("gw::{method}({code}, {u}, {v}, {v})"), [u_reason, v_reason])
            }
            ExprKind::Intersection { .. } => {
                return Err(self.refuse("sets are not intersected inside operator functions on the device"));
            }
            ExprKind::Operator(_) => return Err(self.refuse("operators do not nest")),
            _ => return Err(self.refuse("objects are not made inside operator functions")),
        })
    }

    /// Whether the edge at hand may be the only writer of an entry: that of its destination, in a vector of which that
    /// is known.
    fn is_alone_at(&self, target: &Expr) -> bool {
        let ExprKind::Element { vector, index, .. } = &target.kind else { return false };
        let (Some(vector), Some(index)) = (vector.as_var(), index.as_var()) else { return false };
        let at_destination = matches!(self.names.get(index),
            Some(Binding::Scalar { text, .. }) if Some(text) == self.destination.as_ref());
        at_destination && !self.names.contains_key(vector) && self.alone.contains(vector)
    }

    /// Where a fault of the program is noted, for code that may be one.
    pub(crate) fn fault(&mut self) -> String {
        self.region.faults = true;
        self.region.inputs.member(Source::Fault, "gw::Fault*", "fault")
    }

    pub(super) fn variable(&mut self, name: &Name, ty: &Type) -> Text {
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
            ExprKind::Element { .. } => self.entry(expr),
            _ => Err(self.refuse("this cannot be written")),
        }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Text {
        let scalar = a.ty.scalar();
        let (x, y) = (self.value(a)?, self.value(b)?);
        let wraps = scalar.is_some_and(Scalar::is_signed);
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
                    texts.push(self.vector(name, &expr.ty)?.argument());
                }
                Type::VertexSet(_) => {
                    let message = "a function that is called writes the vector that `applyModified` watches: write it in \
                                   the function that is applied";
                    return Err(self.refuse(message));
                }
                _ => texts.push(self.value(expr)?),
            }
        }
        if draws(module, &function.name) {
            if !self.draws {
                return Err(self.refuse("random neighbours are drawn in functions that operators apply, not in loops"));
            }
            texts.push(DRAWS.to_string());
        }
        Ok(format!("{}{}({})", self.prefix, function_name(&function.name), texts.join(", ")))
    }

    /// A graph variable as code.
    pub(crate) fn graph(&mut self, graph: &Expr) -> Text {
        let name = graph.as_var().cloned().ok_or_else(|| self.refuse("a graph variable is expected"))?;
        self.region.inputs.need(&name, |parts| parts.out = true);
        self.region.graph(&name).map_err(|reason| self.refuse(reason))
    }

    pub(super) fn builtin(&mut self, builtin: Builtin, args: &[Expr], ty: &Type) -> Text {
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
            Builtin::BitAnd | Builtin::BitOr | Builtin::BitXor => {
                let symbol = match builtin {
                    Builtin::BitAnd => "&",
                    Builtin::BitOr => "|",
                    _ => "^",
                };
                format!("({} {symbol} {})", numbers[0], numbers[1])
            }
            Builtin::BitNot => format!("(~{})", parenthesised(&numbers[0])),
            Builtin::ShiftLeft | Builtin::ShiftRight | Builtin::PopCount | Builtin::RandomBits => {
                self.region.include("words.cuh");
                let function = match builtin {
                    Builtin::ShiftLeft => "shift_left",
                    Builtin::ShiftRight => "shift_right",
                    Builtin::PopCount => "popcount",
                    _ => "random_bits",
                };
                format!("gw::{function}({})", numbers.join(", "))
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
                    // The set of a global counts by itself: its element may have got another graph since.
                    let source = match args[0].as_var() {
                        Some(name) => Source::Members(name.clone()),
                        None => Source::Vertices(element.clone()),
                    };
                    format!("(int){}", self.region.inputs.member(source, "unsigned", &format!("{element}_count")))
                }
                _ => format!("(int){}.vertices", self.graph(&args[0])?),
            },
            Builtin::OutDegree => {
                let graph = self.graph(&args[0])?;
                let (vertex, reason) = self.queried_vertex(&args[0], &graph, &args[1])?;
                self.graph_query(format!("{graph}.out_degree({vertex})"), [reason])
            }
            Builtin::OutNeighbor => {
                let graph = self.graph(&args[0])?;
                let (vertex, reason) = self.queried_vertex(&args[0], &graph, &args[1])?;
                let position = self.value(&args[2])?;
                let (fault, line) = (self.fault(), self.span.line);
                self.graph_query(format!("gw::out_neighbour({fault}, {graph}, {vertex}, {position}, {line})"), [reason])
            }
            Builtin::OutWeight => {
                let graph = self.graph(&args[0])?;
                let (vertex, reason) = self.queried_vertex(&args[0], &graph, &args[1])?;
                let position = self.value(&args[2])?;
                let (fault, line) = (self.fault(), self.span.line);
                if let Some(name) = args[0].as_var() {
                    self.region.inputs.need(name, |parts| parts.weights = true);
                }
                let weight = format!("gw::out_weight({fault}, {graph}, {vertex}, {position}, {line})");
                let weight = self.graph_query(weight, [reason]);
                let declared = args[0].ty.weight().ok_or_else(|| self.refuse("the graph has no weights"))?;
                format!("({}){weight}", type_name(declared))
            }
            Builtin::EdgeIndex => {
                let graph = self.graph(&args[0])?;
                let (source, source_reason) = self.queried_vertex(&args[0], &graph, &args[1])?;
                let (target, target_reason) = self.queried_vertex(&args[0], &graph, &args[2])?;
                self.region.include("edge_index.cuh");
                if let Some(name) = args[0].as_var() {
                    self.region.inputs.need(name, |parts| parts.positions = true);
                }
                self.graph_query(format!("gw::edge_index({graph}, {source}, {target})"), [source_reason, target_reason])
            }
            Builtin::EdgeCount => format!("{}.edges", self.graph(&args[0])?),
            Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor => {
                let graph = self.graph(&args[0])?;
                let (vertex, reason) = self.queried_vertex(&args[0], &graph, &args[1])?;
                let (fault, line) = (self.fault(), self.span.line);
                if !self.draws {
                    return Err(
                        self.refuse("random neighbours are drawn in functions that operators apply, not in loops")
                    );
                }
                let incoming = builtin == Builtin::RandomInNeighbor;
                if incoming && let Some(name) = args[0].as_var() {
                    self.region.inputs.need(name, |parts| parts.incoming = true);
                }
                let text = format!("gw::random_neighbour<{incoming}>({fault}, {graph}, {vertex}, {DRAWS}, {line})");
                self.graph_query(text, [reason])
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

    pub(super) fn priority_update(
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
            PriorityOp::Min if !scalar.is_float() => {
                let fault = self.fault();
                format!("gw::lower_priority({fault}, &{place}, ({ty}){}, {line})", parenthesised(&value))
            }
            PriorityOp::Min => format!("gw::atomic_min(&{place}, ({ty}){})", parenthesised(&value)),
            PriorityOp::Max => format!("gw::atomic_max(&{place}, ({ty}){})", parenthesised(&value)),
            PriorityOp::Sum => {
                let floor = bound.ok_or_else(|| self.refuse("a priority sum needs a floor"))?;
                let floor = self.value(floor)?;
                let fault = self.fault();
                format!("gw::sum_with_floor({fault}, &{place}, {value}, ({ty}){}, {line})", parenthesised(&floor))
            }
        })
    }
}

pub(super) fn parenthesised(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if plain || (text.starts_with('(') && text.ends_with(')')) { text.to_string() } else { format!("({text})") }
}

/// The function of the headers for a way to intersect.
fn intersection_name(kind: Option<IntersectionKind>) -> &'static str {
    match kind {
        Some(IntersectionKind::BinarySearch) => "common_by_search",
        Some(IntersectionKind::Hiroshi) => "common_by_blocks",
        Some(IntersectionKind::Multiskip) => "common_by_skips",
        Some(IntersectionKind::Combined) => "common_by_length",
        Some(IntersectionKind::Naive) | None => "common_by_merge",
    }
}
