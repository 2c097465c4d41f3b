//! Operators: a struct per operator with the user's functions, and the code that runs it. Here are vertex operators and
//! what edge operators (`edges.rs`) share with them.

use gw_exec::random::Role;
use gw_ir::analysis::calls::draws;
use gw_ir::analysis::operator::{FunctionFacts, ScalarReduction};
use gw_ir::expr::{FunctionRef, ReduceOp};
use gw_ir::groups::NeighbourGroups;
use gw_ir::meta::VertexMeta;
use gw_ir::module::Module;
use gw_ir::source::{Name, Span};
use gw_ir::types::Type;
use gw_schedule::{Append, GroupTable, Schedule};

use super::access::{VectorCode, capture_lengths, vector_members};
use super::function::{Coder, function_name, neutral};
use super::groups::grouped;
use super::inputs::Source;
use super::refusal::Refusal;
use super::region::Region;
use super::sets::{Insert, output_setup, room_name};
use super::shared::Sharing;
use super::text::{Code, c_name, type_name};

/// The operands of an operator as code, made by the statements around it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Operands {
    /// Place of the `from` set.
    pub(crate) from: Option<String>,
    /// Place of the `to` set.
    pub(crate) to: Option<String>,
    /// Place of the input of a vertex operator.
    pub(crate) set: Option<String>,
    /// Captures: code per function role, in order; a vector is two entries joined by a comma.
    pub(crate) apply: Vec<String>,
    pub(crate) from_captures: Vec<String>,
    pub(crate) to_captures: Vec<String>,
    /// Where a vertex operator keeps the groups of neighbours, as its schedule says.
    pub(crate) table: Option<GroupTable>,
}

impl Operands {
    /// What the schedule of a vertex operator says, without operands.
    pub(crate) fn of(meta: &VertexMeta) -> Operands {
        let table = match meta.schedule.as_deref() {
            Some(Schedule::Simple(simple)) => simple.table,
            _ => None,
        };
        Operands { table, ..Operands::default() }
    }
}

/// The code of an operator.
pub(crate) struct OperatorCode {
    /// The struct.
    pub(crate) declaration: String,
    /// What runs it; the output's place is in `made`, if there is an output.
    pub(crate) body: String,
    /// It has an output.
    pub(crate) output: bool,
}

/// The scalars that an operator accumulates in registers: those whose reductions stand as statements of their own.
pub(super) fn summed(facts: &FunctionFacts) -> Vec<ScalarReduction> {
    facts.scalar_reductions.iter().filter(|reduction| !reduction.result_used).cloned().collect()
}

/// Members for the captures of a function, and their values.
pub(super) fn capture_fields(
    region: &Region<'_>,
    function: &FunctionRef,
    role: &str,
    values: &[String],
    code: &mut Code,
    fields: &mut Vec<String>,
    span: Span,
) -> Result<(), Refusal> {
    let callee = region.module.function(&function.name);
    let captures = callee.map(|f| f.captures.as_slice()).unwrap_or_default();
    for (i, (capture, value)) in captures.iter().zip(values).enumerate() {
        let scalar = capture.ty.leaf().scalar();
        let scalar = scalar.ok_or(Refusal { span, reason: format!("`{}` cannot be captured", capture.name) })?;
        match capture.ty {
            Type::Vector { .. } => {
                for member in vector_members(&capture.ty, type_name(scalar), &format!("{role}_{i}")) {
                    code.line(format!("{member};"));
                }
            }
            _ => code.line(format!("{} {role}_{i};", type_name(scalar))),
        }
        fields.push(value.clone());
    }
    Ok(())
}

/// The captures of a function as arguments of its call inside the struct.
pub(super) fn capture_arguments(function: &gw_ir::module::Function, role: &str) -> Vec<String> {
    let argument = |(i, capture): (usize, &gw_ir::module::Param)| match capture.ty {
        Type::Vector { .. } => VectorCode::of_members(&capture.ty, &format!("{role}_{i}"), Vec::new()).argument(),
        _ => format!("{role}_{i}"),
    };
    function.captures.iter().enumerate().map(argument).collect()
}

pub(super) fn sum_fields(summed: &[ScalarReduction], code: &mut Code, fields: &mut Vec<String>) {
    for s in summed {
        code.line(format!("{} sum_{};", type_name(s.scalar), c_name(&s.name)));
        fields.push(neutral(s.op, s.scalar));
    }
}

/// The member that ends an operator: counts of the output, sums of scalars.
pub(super) fn finish_member(
    code: &mut Code,
    insert: Option<Insert>,
    room: Append,
    counts: bool,
    summed: &[ScalarReduction],
    region: &mut Region<'_>,
) -> Result<(), Refusal> {
    code.open("__device__ __forceinline__ void finish()");
    match insert {
        Some(insert @ (Insert::Bits(_) | Insert::Bytes(_) | Insert::Levels(_))) => {
            code.line(format!("out.finish<{}>();", insert.counting()));
        }
        Some(_) => code.line(format!("out.flush<{}>();", room_name(room))),
        None => {}
    }
    if counts {
        code.line("out.add_edges(out_edges);");
    }
    for s in summed {
        let cell = region.global_scalar(&s.name, s.scalar).map_err(|reason| Refusal { span: Span::NONE, reason })?;
        let function = match s.op {
            ReduceOp::Sum => "block_add",
            ReduceOp::Min => "block_min",
            ReduceOp::Max => "block_max",
            ReduceOp::Or => "block_or",
            ReduceOp::And => "block_and",
        };
        code.line(format!("gw::{function}({cell}, sum_{});", c_name(&s.name)));
    }
    code.close("");
    Ok(())
}

/// The member that random draws of a function begin with, by its role, and the draws of one call.
pub(super) fn draw_key(region: &mut Region<'_>, module: &Module, function: &Name, role: Role) {
    if draws(module, function) {
        let name = match role {
            Role::From => "from_key",
            Role::To => "to_key",
            Role::Apply | Role::Host => "apply_key",
        };
        region.inputs.member(Source::DrawKey(role), "unsigned long long", name);
    }
}

pub(super) fn drawn(role: &str, a: &str, b: &str) -> String {
    format!("gw::Draws::of(in.{role}_key, {a}, {b})")
}

/// The call of a filter inside the struct.
pub(super) fn filter_call(module: &Module, filter: &FunctionRef, role: &str, v: &str) -> String {
    let mut arguments = module.function(&filter.name).map(|f| capture_arguments(f, role)).unwrap_or_default();
    arguments.push(v.to_string());
    if draws(module, &filter.name) {
        arguments.push(drawn(role, v, "0"));
    }
    format!("{}({})", function_name(&filter.name), arguments.join(", "))
}

/// Makes the code of a vertex operator or, with `filter`, of a filter.
pub(crate) fn vertices(
    region: &mut Region<'_>,
    function: &FunctionRef,
    operands: &Operands,
    filter: bool,
    name: &str,
    span: Span,
) -> Result<OperatorCode, Refusal> {
    let module = region.module;
    if let Some(groups) = module.function(&function.name).and_then(NeighbourGroups::of) {
        return grouped(region, function, groups, operands, filter, name, span);
    }
    let summed = summed(&FunctionFacts::of(module, [function.name.clone()]));
    draw_key(region, module, &function.name, Role::Apply);
    let sharing = if filter { None } else { Sharing::of(module, function) };
    let pieces = sharing.as_ref().map(Sharing::has_pieces);
    let mut functions = Code::default();
    let mut turns = None;
    let summed = {
        let mut coder = Coder::new(region);
        coder.span = span;
        coder.summed = summed;
        coder.shared = sharing;
        let lengths = capture_lengths(coder.region, function);
        coder.note_captures(&function.name, lengths);
        match module.function(&function.name) {
            Some(applied) if coder.shared.is_some() => {
                coder.written.insert(function.name.clone());
                turns = Some(coder.shared_functions(applied, &mut functions)?);
            }
            _ => coder.function(&function.name, true, &mut functions)?,
        }
        coder.write_wanted(&mut functions)?;
        coder.summed
    };
    let insert = filter.then_some(Insert::Append);
    let mut code = Code::default();
    code.line(format!("// `{}` on vertices; line {}", function.name, span.line));
    code.open(format!("struct {name}"));
    code.line("const Inputs& in;");
    code.line("const unsigned vertex_count;");
    let mut fields: Vec<String> = vec!["in".into(), "run.vertices()".into()];
    capture_fields(region, function, "apply", &operands.apply, &mut code, &mut fields, span)?;
    if filter {
        code.line("gw::Output out;");
        fields.push("output".into());
    }
    sum_fields(&summed, &mut code, &mut fields);
    code.line("__device__ __forceinline__ unsigned vertices() const { return vertex_count; }");
    let mut text = code.into_text();
    text.push_str(functions.text());
    let mut code = Code::at_depth(1);
    let callee = module.function(&function.name).ok_or(Refusal { span, reason: "no such function".into() })?;
    let mut arguments = capture_arguments(callee, "apply");
    arguments.push("v".into());
    if draws(module, &function.name) {
        arguments.push(drawn("apply", "v", "0"));
    }
    let call = format!("{}({})", function_name(&function.name), arguments.join(", "));
    let body = match filter {
        true => format!("if ({call}) out.append(v);"),
        false => format!("{call};"),
    };
    match &turns {
        None => code.line(format!("__device__ __forceinline__ void member(int v) {{ {body} }}")),
        Some(turns) => {
            let called = arguments.join(", ");
            code.line(format!("__device__ __forceinline__ int turns(int v) {{ return {turns}({called}); }}"));
            arguments.push("share".into());
            let (name, called) = (function_name(&function.name), arguments.join(", "));
            code.line("template <class Share>");
            code.line(format!(
                "__device__ __forceinline__ void part(int v, const Share& share) {{ {name}({called}); }}"
            ));
        }
    }
    finish_member(&mut code, insert, Append::Staged, false, &summed, region)?;
    code.close(";");
    text.push_str(code.text());

    let set = operands.set.clone().unwrap_or_else(|| "gw::EMPTY".into());
    let mut run = Code::default();
    output_setup(region, insert, span, &mut run);
    run.line(format!("{name} op{{{}}};", fields.join(", ")));
    match pieces {
        None => {
            region.include("members.cuh");
            run.line(format!("gw::each_member(run, {set}, [&](int v) {{ op.member(v); }});"));
        }
        Some(pieces) => {
            region.include("share.cuh");
            region.scratch = true;
            region.cooperative |= pieces;
            let scratch = region.inputs.member(Source::Scratch, "gw::Scratch", "scratch");
            run.line(format!("gw::share_loops<{pieces}>(run, {set}, op, {scratch});"));
        }
    }
    run.line("op.finish();");
    Ok(OperatorCode { declaration: text, body: run.into_text(), output: filter })
}
