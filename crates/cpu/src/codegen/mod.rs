//! Code generation: one Cranelift function per operator and shape, with the user's functions inlined.

mod batch;
mod blocks;
mod classes;
mod common;
mod edge;
mod edge_index;
mod entry;
mod expr;
mod group_table;
mod groups;
mod inputs;
mod joined;
mod memory;
mod out_list;
mod output;
mod priority;
mod promote;
mod stmt;
mod sums;
mod translate;
mod update;
mod validate;
mod vertex;
mod words;

use std::sync::Arc;

use cranelift::codegen::ir::UserFuncName;
use cranelift::codegen::settings::{self, Configurable};
use cranelift::prelude::*;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module as _};
use gw_ir::analysis::operator::{EdgeFacts, FunctionFacts};
use gw_ir::expr::FunctionRef;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeOutput, EdgeSetIterator};
use gw_ir::source::{Name, Span};

use crate::abi::Kernel;
use crate::helpers;
pub(crate) use edge::{EdgeShape, Range};
pub(crate) use inputs::{GraphArray, Input, REAL_WEIGHTS, Role, Shape, Side, Source, WIDE_WEIGHTS};
pub(crate) use joined::Follow;
use memory::{Limit, holds};
pub(crate) use translate::{FaultSite, OutputForm, Target, cell_bytes};
use translate::{Finished, Helpers, Translator};

/// Why an operator is not compiled: it runs on the reference machine instead.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) reason: String,
    /// The statement that cannot be compiled.
    pub(crate) span: Span,
}

/// A compiled kernel and what it needs.
#[derive(Debug, Clone)]
pub(crate) struct Compiled {
    pub(crate) kernel: Kernel,
    /// Inputs, in slot order behind the fixed slots.
    pub(crate) inputs: Arc<[Input]>,
    /// Places of faults.
    pub(crate) sites: Arc<[FaultSite]>,
    /// Lengths that must not be below the number of vertices of a call; otherwise a careful kernel is needed.
    limits: Arc<[Limit]>,
}

impl Compiled {
    /// Whether the kernel may run with these inputs, over so many vertices as they say.
    pub(crate) fn fits(&self, words: &[u64]) -> bool {
        holds(&self.limits, words)
    }
}

/// The text forms of a kernel, for people.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Cranelift's intermediate form.
    pub clif: String,
    /// Machine code as assembly.
    pub assembly: String,
}

/// The compiler and owner of machine code.
pub(crate) struct Jit {
    module: JITModule,
    functions: FunctionBuilderContext,
    runtime: Runtime,
    kernels: usize,
    /// Filled when listings are asked for.
    pub(crate) listings: Option<Vec<(String, Listing)>>,
}

/// Declared functions of the runtime.
struct Runtime {
    grow: FuncId,
    push_bucket: FuncId,
    intersect: FuncId,
    fetch_block: FuncId,
    fetch_queued: FuncId,
    random: FuncId,
    begin_draws: FuncId,
    group_reserve: FuncId,
    group_spread: FuncId,
    group_grow: FuncId,
    group_scale: FuncId,
    math: [FuncId; 4],
}

/// An edge operator with what is known about it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EdgeOperator<'a> {
    pub(crate) node: &'a EdgeSetIterator,
    pub(crate) facts: &'a EdgeFacts,
}

impl std::ops::Deref for EdgeOperator<'_> {
    type Target = EdgeSetIterator;

    fn deref(&self) -> &EdgeSetIterator {
        self.node
    }
}

impl EdgeOperator<'_> {
    /// Whether a push may claim a destination by a test and a plain store. Two workers may then claim the same one, by
    /// which it is in the output twice, so the program must bear repeats.
    pub(crate) fn claims_by_store(&self) -> bool {
        let (EdgeOutput::Modified { duplicates, .. } | EdgeOutput::Accepted { duplicates }) = self.node.output else {
            return false;
        };
        // Folded: the claim is all that the function does.
        duplicates && self.node.meta.to_folded
    }
}

/// A part of an operator that becomes a kernel.
#[derive(Clone, Copy)]
pub(crate) enum Body<'a> {
    /// An edge operator.
    Edges(EdgeOperator<'a>, EdgeShape),
    /// A pull over all vertices and what follows for each of them.
    Joined(EdgeOperator<'a>, EdgeShape, &'a Follow),
    /// A function over vertices; true results are kept when `keep`.
    Vertices(&'a FunctionRef, Range, bool),
    /// A function over the numbers of a loop.
    Iterations(&'a Name),
}

impl Jit {
    /// A compiler for the machine at hand.
    pub(crate) fn new() -> Result<Jit, String> {
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ] {
            flags.set(name, value).map_err(|e| e.to_string())?;
        }
        let isa = cranelift_native::builder().map_err(str::to_string)?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())?;
        let mut builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
        for (name, address) in helpers::addresses() {
            builder.symbol(name, address);
        }
        let mut module = JITModule::new(builder);
        let (i32, i64, f64) = (types::I32, types::I64, types::F64);
        let mut declare = |name: &str, params: &[types::Type], result: Option<types::Type>| {
            let mut signature = module.make_signature();
            signature.params.extend(params.iter().map(|&ty| AbiParam::new(ty)));
            signature.returns.extend(result.map(AbiParam::new));
            module.declare_function(name, Linkage::Import, &signature).map_err(|e| e.to_string())
        };
        let runtime = Runtime {
            grow: declare("gw_grow", &[i64], None)?,
            push_bucket: declare("gw_push_bucket", &[i64, i32, i64], None)?,
            intersect: declare("gw_intersect", &[i64, i64, i64, i64, i64, i32, i32, i32], Some(i64))?,
            fetch_block: declare("gw_fetch_block", &[i64, i64, i64, i64, i32], None)?,
            fetch_queued: declare("gw_fetch_queued", &[i64, i64, i64, i64, i64, i32], None)?,
            random: declare("gw_random", &[i64, i64], Some(i64))?,
            begin_draws: declare("gw_begin_draws", &[i64, i64, i32, i32], None)?,
            group_reserve: declare("gw_group_reserve", &[i64, i64], None)?,
            group_spread: declare("gw_group_spread", &[i64, i64], None)?,
            group_grow: declare("gw_group_grow", &[i64, i64], None)?,
            group_scale: declare("gw_group_scale", &[i64, i64], Some(f64))?,
            math: [
                declare("gw_log", &[f64], Some(f64))?,
                declare("gw_exp", &[f64], Some(f64))?,
                declare("gw_pow", &[f64, f64], Some(f64))?,
                declare("gw_fmod", &[f64, f64], Some(f64))?,
            ],
        };
        Ok(Jit { module, functions: FunctionBuilderContext::new(), runtime, kernels: 0, listings: None })
    }

    /// Compiles a kernel.
    pub(crate) fn compile(
        &mut self,
        ir: &Module,
        name: &str,
        body: Body<'_>,
        target: Target,
    ) -> Result<Compiled, Refusal> {
        let internal = |reason: String| Refusal { reason, span: Span::NONE };
        let mut signature = self.module.make_signature();
        signature.params.extend([AbiParam::new(types::I64); 4]);
        let symbol = format!("kernel_{}", self.kernels);
        self.kernels += 1;
        let id = self.module.declare_function(&symbol, Linkage::Local, &signature);
        let id = id.map_err(|e| internal(e.to_string()))?;
        let mut context = self.module.make_context();
        context.func.signature = signature;
        context.func.name = UserFuncName::user(0, id.as_u32());
        context.want_disasm = self.listings.is_some();

        let mut import = |id: FuncId| self.module.declare_func_in_func(id, &mut context.func);
        let helpers = Helpers {
            grow: import(self.runtime.grow),
            push_bucket: import(self.runtime.push_bucket),
            intersect: import(self.runtime.intersect),
            fetch_block: import(self.runtime.fetch_block),
            fetch_queued: import(self.runtime.fetch_queued),
            random: import(self.runtime.random),
            begin_draws: import(self.runtime.begin_draws),
            group_reserve: import(self.runtime.group_reserve),
            group_spread: import(self.runtime.group_spread),
            group_grow: import(self.runtime.group_grow),
            group_scale: import(self.runtime.group_scale),
            math: self.runtime.math.map(&mut import),
        };
        let builder = FunctionBuilder::new(&mut context.func, &mut self.functions);
        let own;
        let facts = match body {
            Body::Edges(op, _) => &op.facts.functions,
            Body::Vertices(FunctionRef { name, .. }, ..)
            | Body::Iterations(name)
            | Body::Joined(_, _, Follow { function: FunctionRef { name, .. }, .. }) => {
                own = FunctionFacts::of(ir, [name.clone()]);
                &own
            }
        };
        let (mut translator, begin, end) = Translator::new(builder, ir, target, helpers, &facts.written_scalars);
        let config = self.module.target_config();
        let begun = translator.begin_sums(facts);
        let translated = begun.and_then(|()| match body {
            Body::Edges(op, shape) => {
                translator.priorities = op.facts.priorities.clone().filter(|_| shape.range == Range::Tagged);
                translator.edge_kernel(op, shape, begin, end)
            }
            Body::Joined(op, shape, follow) => translator.joined_kernel(op, shape, follow, begin, end),
            Body::Vertices(function, range, keep) => translator.vertex_kernel(function, range, keep, begin, end),
            Body::Iterations(function) => translator.iteration_kernel(function, begin, end),
        });
        let translated = translated.and_then(|()| translator.end_sums());
        if let Err(refusal) = translated {
            // A half-built function is thrown away together with the builder's state.
            self.functions = FunctionBuilderContext::new();
            return Err(refusal);
        }
        let Finished { inputs, sites, memory } = translator.finish(config);
        if cfg!(debug_assertions) {
            let problems = validate::problems(&context.func, &memory);
            assert!(problems.is_empty(), "{name}: {}\n{}", problems.join("\n"), context.func.display());
        }
        let clif = self.listings.is_some().then(|| context.func.display().to_string());
        self.module.define_function(id, &mut context).map_err(|e| internal(format!("{e:?}")))?;
        if let (Some(listings), Some(clif)) = (&mut self.listings, clif) {
            let assembly = context.compiled_code().and_then(|code| code.vcode.clone()).unwrap_or_default();
            listings.push((name.to_string(), Listing { clif, assembly }));
        }
        self.module.clear_context(&mut context);
        self.module.finalize_definitions().map_err(|e| internal(e.to_string()))?;
        let address = self.module.get_finalized_function(id);
        // SAFETY: the function was compiled with exactly this signature and calling convention, and its memory lives as
        // long as `self.module`, which the executable keeps for as long as it keeps the kernels.
        let kernel: Kernel = unsafe { std::mem::transmute(address) };
        let inputs = inputs.into_inputs().into();
        Ok(Compiled { kernel, inputs, sites: sites.into(), limits: memory.limits.into() })
    }
}
