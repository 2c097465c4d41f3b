//! From GraphIR functions to Cranelift code: the state of a translation, names, inputs and faults.
//!
//! A kernel is one Cranelift function. User functions are inlined where they are called; scalars become SSA variables;
//! vectors are known by the address of their first cell, loaded once at the entry of the kernel.

use std::collections::{BTreeSet, HashMap};

use cranelift::codegen::ir::FuncRef;
use cranelift::codegen::isa::TargetFrontendConfig;
use cranelift::prelude::*;
use gw_ir::analysis::operator::Priorities;
use gw_ir::expr::{ExprKind, FunctionRef};
use gw_ir::module::{Function, Module};
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::{Domain, Scalar, Type as IrType};

use super::Refusal;
use super::classes::Classes;
use super::inputs::{GraphArray, Inputs, Role, Source};
use super::memory::{Length, Memory, Place, Reason};
use super::sums::Sum;
use crate::abi::{Fault, Worker};
use crate::list_form::ListForm;

/// Functions of the runtime that generated code calls.
#[derive(Clone, Copy)]
pub(crate) struct Helpers {
    pub(crate) grow: FuncRef,
    pub(crate) push_bucket: FuncRef,
    pub(crate) intersect: FuncRef,
    pub(crate) fetch_block: FuncRef,
    pub(crate) fetch_queued: FuncRef,
    pub(crate) random: FuncRef,
    pub(crate) begin_draws: FuncRef,
    pub(crate) group_reserve: FuncRef,
    pub(crate) group_spread: FuncRef,
    pub(crate) group_grow: FuncRef,
    pub(crate) group_scale: FuncRef,
    pub(crate) math: [FuncRef; 4],
}

/// What a kernel is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    /// How lists are found.
    pub(crate) lists: ListForm,
    /// Other workers run at the same time.
    pub(crate) parallel: bool,
    /// Where `EnqueueVertex` writes.
    pub(crate) output: OutputForm,
    /// The input map, when membership is tested, is a bitmap rather than bytes.
    pub(crate) from_bitmap: bool,
    /// No other worker marks the same output vertices.
    pub(crate) owns_output: bool,
    /// Vertices of the operator are checked like any other index: some vector or graph has fewer entries.
    pub(crate) careful: bool,
}

/// Where an operator's output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum OutputForm {
    /// Nowhere.
    None,
    /// Into the worker's queue; with `unique`, only vertices not seen before.
    Queue {
        /// Test and set the byte of the vertex first.
        unique: bool,
    },
    /// Into a map of 64-bit words.
    Bitmap,
    /// Into a map of bytes.
    Bytemap,
    /// Into the buckets of an eager priority queue.
    Buckets,
    /// Into the worker's queue when the count of the vertex becomes 1: sums are counted first and added afterwards.
    Counts,
}

/// What a name means inside a function.
#[derive(Clone)]
pub(crate) enum Binding {
    /// A scalar in a variable.
    Scalar(Variable),
    /// A vertex of the operator that the function never assigns: known to be in range.
    Vertex(Value),
    /// A vector.
    Vector(VectorRef),
    /// The output set.
    Output,
}

/// A vector or a row of one: the address of its first cell.
#[derive(Clone)]
pub(crate) struct VectorRef {
    pub(crate) base: Value,
    /// Number of entries; a cell has none.
    pub(crate) length: Option<Length>,
    /// Number of entries of its rows, where the type does not tell.
    pub(crate) row: Option<Source>,
    pub(crate) ty: IrType,
    /// Why the indices that led here are in range.
    pub(crate) reasons: Vec<Reason>,
    /// The name in the program, for messages.
    pub(crate) name: Name,
}

/// Functions are inlined up to so many instructions and bodies: where each calls the next one twice, a short program
/// would become larger than memory.
const MOST_INSTRUCTIONS: usize = 50_000;
const MOST_BODIES: usize = 10_000;

/// The translation of one kernel.
pub(crate) struct Translator<'a, 'f> {
    pub(crate) b: FunctionBuilder<'f>,
    pub(crate) module: &'a Module,
    pub(crate) inputs: Inputs,
    pub(crate) target: Target,
    pub(crate) helpers: Helpers,
    pub(crate) entry: Block,
    pub(crate) env: Value,
    pub(crate) worker: Value,
    /// Where a kernel ends.
    pub(crate) exit: Block,
    /// Names of the function being inlined.
    pub(crate) names: HashMap<Name, Binding>,
    /// Where `break` goes, innermost last.
    pub(crate) loops: Vec<Block>,
    /// Functions being inlined, outermost first.
    pub(crate) inlining: Vec<Name>,
    /// How many were inlined so far.
    inlined: usize,
    /// The vertices of the operator at hand: the endpoints of the edge or the vertex.
    pub(crate) vertices: Vec<Value>,
    /// The accesses of the kernel.
    pub(crate) memory: Memory,
    /// Places of faults.
    pub(crate) sites: Vec<FaultSite>,
    pub(crate) span: Span,
    /// Loop variables that are positions in the list of a vertex at present.
    pub(crate) counted: Vec<CountedList>,
    /// Compare-and-swap becomes a test and a plain store: what two workers claim is in the output twice, which the
    /// program bears.
    pub(crate) claims_by_store: bool,
    /// The kernel runs over the vertices from 0 on, so that those of a graph with as many are vertices of the operator.
    pub(crate) takes_all: bool,
    /// Vectors whose owned entry is in a register at present.
    pub(crate) registers: Vec<(Name, Variable)>,
    /// The priorities of the queue of an ordered loop.
    pub(crate) priorities: Option<Priorities>,
    /// Global scalars that the kernel adds up in registers.
    pub(crate) sums: HashMap<Name, Sum>,
    /// What is known of the classes of edges.
    pub(super) classes: Classes,
    /// The edge that is visited at present, where it stands in the list of its source.
    pub(super) at_edge: Option<AtEdge>,
    hoisted: HashMap<usize, Value>,
    /// Scalars that the kernel writes somewhere.
    written: &'a BTreeSet<Name>,
}

/// A loop variable that is never assigned and runs over positions of the out-list of a vertex.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CountedList {
    /// The loop variable.
    pub(crate) position: Name,
    /// The graph.
    pub(crate) graph: Name,
    /// The vertex.
    pub(crate) vertex: Value,
}

/// An edge of the lists that a kernel walks: its ends, and its place among the targets.
#[derive(Debug, Clone, Copy)]
pub(super) struct AtEdge {
    pub(super) source: Value,
    pub(super) target: Value,
    pub(super) place: Value,
}

/// The place of a fault in the program.
#[derive(Debug, Clone)]
pub(crate) struct FaultSite {
    pub(crate) span: Span,
    /// The vector as the program names it.
    pub(crate) vector: String,
}

/// A kernel in Cranelift's form and what belongs to it.
pub(crate) struct Finished {
    pub(crate) inputs: Inputs,
    pub(crate) sites: Vec<FaultSite>,
    pub(crate) memory: Memory,
}

impl<'a, 'f> Translator<'a, 'f> {
    /// Starts a kernel: entry block with the parameters, position in a body block behind it.
    pub(crate) fn new(
        mut b: FunctionBuilder<'f>,
        module: &'a Module,
        target: Target,
        helpers: Helpers,
        written: &'a BTreeSet<Name>,
    ) -> (Self, Value, Value) {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        let body = b.create_block();
        let exit = b.create_block();
        b.switch_to_block(entry);
        b.ins().jump(body, &[]);
        b.seal_block(entry);
        b.switch_to_block(body);
        b.seal_block(body);
        let params = b.block_params(entry).to_vec();
        let translator = Translator {
            b,
            module,
            inputs: Inputs::default(),
            target,
            helpers,
            entry,
            env: params[0],
            worker: params[3],
            exit,
            names: HashMap::new(),
            loops: Vec::new(),
            inlining: Vec::new(),
            inlined: 0,
            vertices: Vec::new(),
            memory: Memory::default(),
            sites: Vec::new(),
            span: Span::NONE,
            counted: Vec::new(),
            claims_by_store: false,
            takes_all: false,
            registers: Vec::new(),
            priorities: None,
            sums: HashMap::new(),
            classes: Classes::default(),
            at_edge: None,
            hoisted: HashMap::new(),
            written,
        };
        (translator, params[1], params[2])
    }

    /// Ends the kernel.
    pub(crate) fn finish(mut self, config: TargetFrontendConfig) -> Finished {
        self.b.ins().jump(self.exit, &[]);
        self.b.switch_to_block(self.exit);
        self.b.seal_block(self.exit);
        self.b.ins().return_(&[]);
        self.b.seal_all_blocks();
        self.b.finalize(config);
        Finished { inputs: self.inputs, sites: self.sites, memory: self.memory }
    }

    /// A slot of the environment, loaded once at the entry of the kernel.
    pub(crate) fn slot(&mut self, slot: usize, ty: types::Type) -> Value {
        if let Some(&value) = self.hoisted.get(&slot) {
            return value;
        }
        let value = self.load_slot(slot, ty);
        self.hoisted.insert(slot, value);
        value
    }

    /// An input as a value of a Cranelift type, loaded once at the entry.
    pub(crate) fn input(&mut self, source: Source, ty: types::Type) -> Value {
        let slot = self.inputs.slot(source);
        self.slot(slot, ty)
    }

    /// The first cell of a vector of this type; the runtime looks whether the vector is of it.
    pub(crate) fn vector_input(&mut self, source: Source, ty: &IrType) -> Value {
        self.inputs.expect(&source, ty);
        self.input(source, types::I64)
    }

    /// A fresh SSA variable with a value.
    pub(crate) fn variable(&mut self, ty: types::Type, value: Value) -> Variable {
        let variable = self.b.declare_var(ty);
        self.b.def_var(variable, value);
        variable
    }

    /// The meaning of a name: local first, then global vector. Global scalars are handled by the callers.
    pub(crate) fn vector_named(&mut self, name: &Name, ty: &IrType) -> Result<VectorRef, Refusal> {
        match self.names.get(name) {
            Some(Binding::Vector(vector)) => return Ok(vector.clone()),
            Some(_) => return Err(self.refuse(format!("`{name}` is not a vector"))),
            None => {}
        }
        if self.module.global(name).is_none() {
            return Err(self.refuse(format!("`{name}` is not visible in operator functions")));
        }
        let base = self.vector_input(Source::GlobalVector(name.clone()), ty);
        let length = Some(Length::Input(Source::GlobalLength(name.clone())));
        let row = has_rows(ty).then(|| Source::GlobalRow(name.clone()));
        Ok(VectorRef { base, length, row, ty: ty.clone(), reasons: Vec::new(), name: name.clone() })
    }

    /// True when the kernel writes this global scalar, so that its value must stay in memory.
    pub(crate) fn is_written(&self, name: &str) -> bool {
        self.written.contains(name)
    }

    /// An array of a graph, which must be a global.
    pub(crate) fn graph_array(&mut self, graph: &gw_ir::expr::Expr, array: GraphArray) -> Result<Value, Refusal> {
        let ty = if array == GraphArray::VertexCount { types::I32 } else { types::I64 };
        let source = self.graph_source(graph, array)?;
        Ok(self.input(source, ty))
    }

    /// Where an array of a graph comes from.
    pub(super) fn graph_source(&self, graph: &gw_ir::expr::Expr, array: GraphArray) -> Result<Source, Refusal> {
        let name = graph.as_var().filter(|n| self.module.global(n).is_some()).cloned();
        let name = name.ok_or_else(|| self.refuse("only global graphs can be used inside operator functions"))?;
        Ok(Source::Graph(name, array))
    }

    /// The edge positions of a vertex in an offsets array; the reason says why the vertex has a list there.
    pub(crate) fn edge_range(&mut self, offsets: Value, vertex: Value, reason: Reason) -> (Value, Value) {
        let index = self.b.ins().uextend(types::I64, vertex);
        self.list_range(offsets, index, reason)
    }

    /// The edge positions of a list, by its 64-bit index, in an offsets array, which has one entry more than lists, or
    /// in one of pairs.
    pub(crate) fn list_range(&mut self, offsets: Value, index: Value, reason: Reason) -> (Value, Value) {
        let at = self.b.ins().ishl_imm_s(index, i64::from(self.target.lists.shift()));
        let at = Place::new(self.b.ins().iadd(offsets, at), reason);
        if self.target.lists.wide {
            let begin = self.load_constant(types::I64, &at, 0);
            let end = self.load_constant(types::I64, &at, 8);
            (begin, end)
        } else {
            let begin = self.load_constant_u32(&at, 0);
            let end = self.load_constant_u32(&at, 4);
            (begin, end)
        }
    }

    /// `base + index * bytes` for a 64-bit index.
    pub(crate) fn address(&mut self, base: Value, index: Value, bytes: u32) -> Value {
        let offset = match bytes {
            1 => index,
            b if b.is_power_of_two() => self.b.ins().ishl_imm_s(index, i64::from(b.trailing_zeros())),
            b => self.b.ins().imul_imm_s(index, i64::from(b)),
        };
        self.b.ins().iadd(base, offset)
    }

    /// Binds the captures of a function of the operator.
    pub(crate) fn bind_captures(&mut self, function: &Function, role: Role) -> Result<(), Refusal> {
        for (i, capture) in function.captures.iter().enumerate() {
            let binding = match &capture.ty {
                IrType::Vector { .. } => {
                    let base = self.vector_input(Source::CapturedVector(role, i), &capture.ty);
                    let length = Some(Length::Input(Source::CapturedLength(role, i)));
                    let row = has_rows(&capture.ty).then_some(Source::CapturedRow(role, i));
                    let (ty, name) = (capture.ty.clone(), capture.name.clone());
                    Binding::Vector(VectorRef { base, length, row, ty, reasons: Vec::new(), name })
                }
                ty => {
                    let scalar = self.scalar_of(ty)?;
                    let ty = clif_type(scalar);
                    let value = self.input(Source::CapturedScalar(role, i), ty);
                    Binding::Scalar(self.variable(ty, value))
                }
            };
            self.names.insert(capture.name.clone(), binding);
        }
        Ok(())
    }

    /// Inlines a function of the operator (not one called by a function): captures come from the environment.
    pub(crate) fn apply(
        &mut self,
        function: &FunctionRef,
        role: Role,
        args: &[Value],
    ) -> Result<Option<Value>, Refusal> {
        let callee = self.function(&function.name)?;
        let outer = std::mem::take(&mut self.names);
        if gw_ir::analysis::calls::draws(self.module, &callee.name) {
            let key = self.slot(role.draws_slot(), types::I64);
            let zero = self.b.ins().iconst(types::I32, 0);
            // Source and destination of an edge, whose weight does not matter; or a vertex.
            let (a, b) = (args.first().copied().unwrap_or(zero), args.get(1).copied().unwrap_or(zero));
            self.b.ins().call(self.helpers.begin_draws, &[self.worker, key, a, b]);
        }
        self.bind_captures(callee, role)?;
        let result = self.inline(callee, args)?;
        self.names = outer;
        Ok(result)
    }

    /// A function of the module with a body.
    pub(crate) fn function(&self, name: &Name) -> Result<&'a Function, Refusal> {
        match self.module.function(name) {
            Some(function) if function.body.is_some() => Ok(function),
            Some(_) => Err(self.refuse(format!("`{name}` is an extern function"))),
            None => Err(self.refuse(format!("there is no function `{name}`"))),
        }
    }

    /// Translates the body of a function whose captures are bound already.
    pub(crate) fn inline(&mut self, function: &'a Function, args: &[Value]) -> Result<Option<Value>, Refusal> {
        if self.inlining.contains(&function.name) {
            return Err(self.refuse(format!("`{}` calls itself", function.name)));
        }
        self.inlined += 1;
        if self.inlined > MOST_BODIES || self.b.func.dfg.num_insts() > MOST_INSTRUCTIONS {
            let name = &function.name;
            return Err(self.refuse(format!("with `{name}` and all it calls inlined, the code grows too large")));
        }
        self.inlining.push(function.name.clone());
        let mut args = args.iter();
        for param in &function.params {
            let binding = match &param.ty {
                IrType::VertexSet(_) => Binding::Output,
                ty => {
                    let ty = clif_type(self.scalar_of(ty)?);
                    let value = *args.next().ok_or_else(|| self.refuse("a parameter has no argument"))?;
                    match self.vertices.contains(&value) && !assigns(function, &param.name) {
                        true => Binding::Vertex(value),
                        false => Binding::Scalar(self.variable(ty, value)),
                    }
                }
            };
            self.names.insert(param.name.clone(), binding);
        }
        let result = match &function.result {
            Some(result) => {
                let ty = clif_type(self.scalar_of(&result.ty)?);
                let zero = self.zero(ty);
                let variable = self.variable(ty, zero);
                self.names.insert(result.name.clone(), Binding::Scalar(variable));
                Some(variable)
            }
            None => None,
        };
        let loops = std::mem::take(&mut self.loops);
        let span = self.span;
        self.block(function.body.as_deref().unwrap_or_default())?;
        self.span = span;
        self.loops = loops;
        self.inlining.pop();
        Ok(result.map(|variable| self.b.use_var(variable)))
    }

    /// Zero of a type.
    pub(crate) fn zero(&mut self, ty: types::Type) -> Value {
        match ty {
            types::F32 => self.b.ins().f32const(0.0),
            types::F64 => self.b.ins().f64const(0.0),
            ty => self.b.ins().iconst(ty, 0),
        }
    }

    /// The scalar that represents a type.
    pub(crate) fn scalar_of(&self, ty: &IrType) -> Result<Scalar, Refusal> {
        match ty.scalar() {
            Some(Scalar::String) | None => Err(self.refuse(format!("values of type `{ty}` stay on the host"))),
            Some(scalar) => Ok(scalar),
        }
    }

    /// A reason not to compile the operator.
    pub(crate) fn refuse(&self, reason: impl Into<String>) -> Refusal {
        Refusal { reason: reason.into(), span: self.span }
    }

    /// Leaves the kernel with a fault unless `fine`. Returns the block that is reached when it is.
    pub(crate) fn check(
        &mut self,
        fine: Value,
        fault: Fault,
        value: Option<Value>,
        limit: Option<Value>,
        vector: &str,
    ) -> Block {
        let site = self.sites.len() as i64;
        self.sites.push(FaultSite { span: self.span, vector: vector.to_string() });
        let good = self.b.create_block();
        let bad = self.b.create_block();
        self.b.set_cold_block(bad);
        self.b.ins().brif(fine, good, &[], bad, &[]);
        self.b.switch_to_block(bad);
        self.b.seal_block(bad);
        let worker = self.worker_fields();
        let store = |t: &mut Self, offset: usize, value: Value| t.store_at(value, &worker, offset as i32);
        let code = self.b.ins().iconst(types::I64, fault as i64);
        let site = self.b.ins().iconst(types::I64, site);
        store(self, std::mem::offset_of!(Worker, fault), code);
        store(self, std::mem::offset_of!(Worker, fault_site), site);
        if let Some(value) = value {
            store(self, std::mem::offset_of!(Worker, fault_value), value);
        }
        if let Some(limit) = limit {
            store(self, std::mem::offset_of!(Worker, fault_limit), limit);
        }
        self.b.ins().jump(self.exit, &[]);
        self.b.switch_to_block(good);
        self.b.seal_block(good);
        good
    }
}

/// Whether the entries of a vector are rows whose length the type does not tell.
fn has_rows(ty: &IrType) -> bool {
    let is_row = |item: &IrType| matches!(item, IrType::Vector { domain: Domain::Element(_) | Domain::Counted(_), .. });
    ty.item().is_some_and(is_row)
}

/// Whether a function assigns or reduces into a variable of its own.
fn assigns(function: &Function, name: &Name) -> bool {
    assigns_in(function.body.as_deref().unwrap_or_default(), name)
}

/// Whether a block assigns or reduces into a variable.
pub(crate) fn assigns_in(block: &[Stmt], name: &Name) -> bool {
    let mut found = false;
    gw_ir::walk::walk_stmts(block, &mut |stmt| {
        if let StmtKind::Assign { target, .. } = &stmt.kind {
            found |= target.as_var() == Some(name);
        }
        gw_ir::walk::stmt_exprs(stmt, &mut |expr| {
            gw_ir::walk::walk_expr(expr, &mut |e| {
                if let ExprKind::Reduce { target, .. } = &e.kind {
                    found |= target.as_var() == Some(name);
                }
            });
        });
    });
    found
}

/// The Cranelift type of a scalar.
pub(crate) fn clif_type(scalar: Scalar) -> types::Type {
    match scalar {
        Scalar::Int | Scalar::Uint => types::I32,
        Scalar::Int64 | Scalar::Uint64 => types::I64,
        Scalar::Float => types::F32,
        Scalar::Double => types::F64,
        Scalar::Bool | Scalar::String => types::I8,
    }
}

/// Bytes of a cell.
pub(crate) fn cell_bytes(scalar: Scalar) -> u32 {
    clif_type(scalar).bytes()
}
