//! Operators over grouped neighbours: the struct that `groups.cuh` drives.
//!
//! A function over vertices that begins with [`Groups`](gw_ir::expr::ExprKind::Groups) is taken apart: the functions of
//! edges and groups, which see what the function captured, and the rest of the body, which gets what was chosen.

use gw_ir::expr::{Expr, ExprKind, FunctionRef, ReduceOp};
use gw_ir::groups::{Encoding, GroupChoice, NeighbourGroups};
use gw_ir::module::{Function, Module, Param};
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::{Scalar, Type};

use super::access::{Requirement, capture_lengths};
use super::function::{Coder, function_name};
use super::inputs::Source;
use super::operator::{Operands, OperatorCode, capture_arguments, capture_fields, finish_member};
use super::refusal::Refusal;
use super::region::{Region, graph_type, offset_type};
use super::sets::{Insert, output_setup};
use super::text::{Code, type_name};
use gw_schedule::{Append, GroupTable};

/// Names that no function of a program can have.
const KEY: &str = "1key";
const VALUE: &str = "1value";
const GROUP: &str = "1group";
const OWN: &str = "1own";
const REST: &str = "1rest";

/// A function with the captures of the function over vertices.
fn inside(outer: &Function, name: &str, params: Vec<Param>, result: Option<Type>, value: Expr) -> Function {
    let result = result.map(|ty| Param { name: "number".into(), ty });
    let body = match &result {
        Some(result) => Stmt::assign(Expr::var(result.name.clone(), result.ty.clone()), value),
        None => Stmt::eval(value),
    };
    Function { name: name.into(), params, result, body: Some(vec![body.at(outer.span)]), ..outer.clone() }
}

/// A function that hands its parameters and captures on to another one.
fn handing(outer: &Function, name: &str, callee: &Function, to: &FunctionRef) -> Function {
    let params: Vec<Param> = callee
        .params
        .iter()
        .enumerate()
        .map(|(i, p)| Param { name: format!("given_{i}").as_str().into(), ty: p.ty.clone() })
        .collect();
    let args = params.iter().map(|p| Expr::var(p.name.clone(), p.ty.clone())).collect();
    let call = Expr::new(ExprKind::Call { function: to.clone(), args }, callee.result_type());
    let result = callee.result.as_ref().map(|r| r.ty.clone());
    inside(outer, name, params, result, call)
}

/// The code of a word made of a value of this type, with 0 as the neutral word, and of the value of a word.
struct Words {
    encoding: Encoding,
    combine: ReduceOp,
    scalar: Scalar,
}

impl Words {
    /// Whole numbers in the order of words without sign.
    fn turned(&self, word: String) -> String {
        match self.combine {
            ReduceOp::Min => format!("~({word})"),
            _ => word,
        }
    }

    fn encode(&self, value: &str) -> String {
        match self.encoding {
            Encoding::Fixed => format!("gw::fixed_word((double)({value}), scale)"),
            Encoding::Ordered => self.turned(format!("gw::ordered_word((double)({value}))")),
            Encoding::Flipped => self.turned(format!("(unsigned long long)({value})")),
            Encoding::Unsigned => format!("(unsigned long long)({value})"),
            Encoding::Signed if self.combine == ReduceOp::Sum => format!("(unsigned long long)(long long)({value})"),
            Encoding::Signed => self.turned(format!("((unsigned long long)(long long)({value}) ^ 1ull << 63)")),
        }
    }

    fn decode(&self, wanted: Scalar) -> String {
        let word = self.turned("word".into());
        let value = match self.encoding {
            Encoding::Fixed => "gw::fixed_value(word, scale)".to_string(),
            Encoding::Ordered => format!("gw::ordered_value({word})"),
            Encoding::Flipped | Encoding::Unsigned => format!("({word})"),
            Encoding::Signed if self.combine == ReduceOp::Sum => "(long long)word".to_string(),
            Encoding::Signed => format!("(long long)(({word}) ^ 1ull << 63)"),
        };
        match (self.encoding.scalar().is_float(), wanted) {
            (true, Scalar::Int) => format!("gw::to_int({value})"),
            (true, Scalar::Uint) => format!("gw::to_unsigned({value})"),
            (true, Scalar::Int64) => format!("gw::to_int_64({value})"),
            (true, Scalar::Uint64) => format!("gw::to_unsigned_64({value})"),
            _ => format!("({})({value})", type_name(wanted)),
        }
    }
}

/// A function of the program by its name.
fn named<'m>(module: &'m Module, function: &FunctionRef, span: Span) -> Result<&'m Function, Refusal> {
    let reason = || format!("there is no function `{}`", function.name);
    module.function(&function.name).ok_or_else(|| Refusal { span, reason: reason() })
}

/// The functions that the members of the struct call.
struct Made {
    functions: Vec<Function>,
    /// The type of the values that the function of a group takes.
    group_takes: Scalar,
    /// The key of the vertex itself is offered where no neighbour has it.
    offers: bool,
}

impl Made {
    /// The functions for a function `outer` over vertices that begins with these groups.
    fn of(module: &Module, outer: &Function, groups: &NeighbourGroups, span: Span) -> Result<Made, Refusal> {
        let fail = |reason: &str| Refusal { span, reason: reason.into() };
        let vertex = outer.params.first().cloned().ok_or_else(|| fail("a function without a vertex"))?;
        let (chosen, rest) = match outer.body.as_deref() {
            Some([Stmt { kind: StmtKind::VarDecl { name, .. }, .. }, rest @ ..]) => (name.clone(), rest.to_vec()),
            _ => return Err(fail("a function over vertices without groups")),
        };
        let rest = Function {
            name: REST.into(),
            params: vec![vertex.clone(), Param { name: chosen, ty: Type::INT }],
            body: Some(rest),
            ..outer.clone()
        };
        let mut functions = vec![handing(outer, KEY, named(module, &groups.key, span)?, &groups.key), rest];
        if let Some(value) = &groups.value {
            functions.push(handing(outer, VALUE, named(module, value, span)?, value));
        }
        let mut made = Made { functions, group_takes: Scalar::Double, offers: false };
        if let GroupChoice::Best { score: of_group, .. } | GroupChoice::Each(of_group) = &groups.choice {
            let callee = named(module, of_group, span)?;
            made.group_takes = callee.params.get(2).and_then(|p| p.ty.scalar()).unwrap_or(Scalar::Double);
            made.functions.push(handing(outer, GROUP, callee, of_group));
        }
        if let GroupChoice::Best { own: Some(own), .. } = &groups.choice {
            made.offers = true;
            made.functions.push(inside(outer, OWN, vec![vertex], Some(Type::INT), own.clone()));
        }
        Ok(made)
    }
}

/// The code of the functions that the members of the struct call.
fn definitions(
    region: &mut Region<'_>,
    function: &FunctionRef,
    made: &[Function],
    span: Span,
) -> Result<Code, Refusal> {
    let mut code = Code::default();
    let mut coder = Coder::new(region);
    coder.span = span;
    let lengths = capture_lengths(coder.region, function);
    for function in made {
        coder.note_captures(&function.name, lengths.clone());
    }
    for function in made {
        // Keys may be any number, so only vertices of edges are known to be in range.
        let root = [KEY, VALUE, OWN, REST].contains(&&*function.name);
        coder.define(function, root, &mut code)?;
    }
    coder.write_wanted(&mut code)?;
    Ok(code)
}

/// The constants of the struct, by which `groups.cuh` chooses its code.
fn constants(code: &mut Code, groups: &NeighbourGroups, operands: &Operands, encoding: Encoding, offers: bool) {
    let choice = match groups.choice {
        GroupChoice::Best { .. } => "BEST_GROUP",
        GroupChoice::Each(_) => "EACH_GROUP",
        GroupChoice::Count => "COUNT_GROUPS",
        GroupChoice::LeastAbsent => "LEAST_ABSENT",
    };
    code.line(format!("static constexpr gw::GroupChoice CHOICE = gw::{choice};"));
    let unit = match operands.table {
        Some(GroupTable::Warp) => "BY_WARP",
        Some(GroupTable::Shared) => "IN_SHARED",
        Some(GroupTable::Memory) => "IN_MEMORY",
        Some(GroupTable::Hash | GroupTable::Dense) | None => "BY_LANE",
    };
    code.line(format!("static constexpr gw::GroupUnit LEAST_UNIT = gw::{unit};"));
    code.line(format!("static constexpr bool ADDS = {};", groups.combine == ReduceOp::Sum));
    code.line(format!("static constexpr bool FIXED = {};", encoding == Encoding::Fixed));
    code.line(format!("static constexpr bool OFFERS = {offers};"));
}

/// Makes the code of an operator whose function begins with groups; with `filter`, of a filter.
pub(super) fn grouped(
    region: &mut Region<'_>,
    function: &FunctionRef,
    groups: &NeighbourGroups,
    operands: &Operands,
    filter: bool,
    name: &str,
    span: Span,
) -> Result<OperatorCode, Refusal> {
    let module = region.module;
    let fail = |reason: String| Refusal { span, reason };
    let outer = module.function(&function.name).ok_or_else(|| fail("no such function".into()))?;
    let of = |f: &FunctionRef| named(module, f, span);
    let graph_name = groups.graph.as_var().cloned().ok_or_else(|| fail("a graph variable is expected".into()))?;
    let shape = region.shape(&graph_name).map_err(fail)?;
    let (key, value) = (of(&groups.key)?, groups.value.as_ref().map(&of).transpose()?);
    let is_weighted = |f: &Function| f.params.len() > 2;
    let weighted = is_weighted(key) || value.is_some_and(is_weighted);
    if weighted && shape.weight.is_none() {
        return Err(fail("the graph has no weights".into()));
    }
    let graph = region.graph(&graph_name).map_err(fail)?;
    region.require(Requirement::Walked(graph_name.clone()));
    region.inputs.need(&graph_name, |parts| {
        parts.out = true;
        parts.weights |= weighted;
    });
    let gives = value.map(Function::result_type);
    let scalar = gives.as_ref().and_then(Type::scalar).unwrap_or(Scalar::Int);
    let words = Words { encoding: groups.encoding(gives.as_ref()), combine: groups.combine, scalar };

    // 1. The functions.
    let made = Made::of(module, outer, groups, span)?;
    let functions = definitions(region, function, &made.functions, span)?;

    // 2. The struct.
    let insert = filter.then_some(Insert::Append);
    let mut code = Code::default();
    code.line(format!("// `{}` on groups of neighbours; line {}", groups.key.name, span.line));
    code.open(format!("struct {name}"));
    code.line(format!("typedef {} Offset;", offset_type(shape)));
    constants(&mut code, groups, operands, words.encoding, made.offers);
    code.line("const Inputs& in;");
    code.line("const unsigned vertex_count;");
    code.line(format!("const {}& graph;", graph_type("Offset", shape)));
    let mut fields: Vec<String> = vec!["in".into(), "run.vertices()".into(), graph];
    capture_fields(region, function, "apply", &operands.apply, &mut code, &mut fields, span)?;
    if filter {
        code.line("gw::Output out;");
        fields.push("output".into());
    }
    code.line("__device__ __forceinline__ unsigned vertices() const { return vertex_count; }");
    let mut text = code.into_text();
    text.push_str(functions.text());
    let mut code = Code::at_depth(1);
    // A set of the element may hold what is no vertex of the graph.
    let vertex = match region.careful {
        true => {
            region.faults = true;
            let fault = region.inputs.member(Source::Fault, "gw::Fault*", "fault");
            format!("gw::checked_vertex({fault}, v, graph.vertices, {})", span.line)
        }
        false => "v".to_string(),
    };
    code.line(format!(
        "__device__ __forceinline__ gw::Range<Offset> range(int v) const {{ return graph.out_range({vertex}); }}"
    ));
    members(&mut code, outer, groups, &words, &made, filter);
    finish_member(&mut code, insert, Append::Staged, false, &[], region)?;
    code.close(";");
    text.push_str(code.text());

    // 3. What runs it.
    region.include("groups.cuh");
    region.scratch = true;
    region.cooperative = true;
    let set = operands.set.clone().unwrap_or_else(|| "gw::EMPTY".into());
    let mut run = Code::default();
    output_setup(region, insert, span, &mut run);
    let scratch = region.inputs.member(Source::Scratch, "gw::Scratch", "scratch");
    let tables = region.inputs.member(Source::GroupTables(graph_name), "gw::GroupTables", "group_tables");
    run.line(format!("gw::Scratch scratch = {scratch};"));
    run.line(format!("{name} op{{{}}};", fields.join(", ")));
    run.line(format!("gw::group_neighbours(run, {set}, op, scratch, run.grid, {tables});"));
    run.line("op.finish();");
    Ok(OperatorCode { declaration: text, body: run.into_text(), output: filter })
}

/// The other members that `groups.cuh` calls.
fn members(code: &mut Code, outer: &Function, groups: &NeighbourGroups, words: &Words, made: &Made, filter: bool) {
    let method = "__device__ __forceinline__";
    let captures = capture_arguments(outer, "apply");
    let call = |name: &str, arguments: &[&str]| {
        let all: Vec<String> = captures.iter().cloned().chain(arguments.iter().map(ToString::to_string)).collect();
        format!("{}({})", function_name(name), all.join(", "))
    };
    let find = |name: &str| made.functions.iter().find(|f: &&Function| *f.name == *name);
    let of_edge = |name: &str| {
        let weight = find(name).and_then(|f| f.params.get(2)).and_then(|p| p.ty.scalar());
        let weight = weight.map(|scalar| format!("({})gw::edge_value(graph.out_weights + e)", type_name(scalar)));
        let mut arguments = vec!["v", "n"];
        arguments.extend(weight.as_deref());
        call(name, &arguments)
    };
    let neighbour = "const int n = gw::edge_value(graph.out_neighbours + e);";
    let value = if groups.value.is_some() { of_edge(VALUE) } else { "1".to_string() };
    code.line(format!("{method} int key(int v, Offset e) {{ {neighbour} return {}; }}", of_edge(KEY)));
    code.line(format!("{method} double real(int v, Offset e) {{ {neighbour} return (double){value}; }}"));
    let word = words.encode(&value);
    code.line(format!(
        "{method} unsigned long long word(int v, Offset e, double scale) {{ {neighbour} return {word}; }}"
    ));
    let nothing = Words { encoding: words.encoding, combine: words.combine, scalar: words.scalar }.encode("0");
    code.line(format!(
        "{method} unsigned long long nothing() {{ const double scale = 1.0; (void)scale; return {nothing}; }}"
    ));
    let own = find(OWN).map_or("-1".to_string(), |_| call(OWN, &["v"]));
    code.line(format!("{method} int own(int v) {{ return {own}; }}"));
    let group = find(GROUP).map(|_| call(GROUP, &["v", "key", &words.decode(made.group_takes)]));
    let arguments = "int v, int key, unsigned long long word, double scale";
    let (score, visit) = match (&groups.choice, group) {
        (GroupChoice::Best { .. }, Some(group)) => (format!("return {group};"), String::new()),
        (GroupChoice::Each(_), Some(group)) => ("return 0.0;".to_string(), format!("{group};")),
        _ => ("return 0.0;".to_string(), String::new()),
    };
    code.line(format!("{method} double score({arguments}) {{ {score} }}"));
    code.line(format!("{method} void visit({arguments}) {{ {visit} }}"));
    let rest = call(REST, &["v", "key"]);
    let rest = if filter { format!("if ({rest}) out.append(v);") } else { format!("{rest};") };
    code.line(format!("{method} void chosen(int v, int key) {{ {rest} }}"));
}

/// The name of a graph whose neighbours operators of this function group.
pub(crate) fn grouped_graph(function: &Function) -> Option<Name> {
    NeighbourGroups::of(function)?.graph.as_var().cloned()
}
