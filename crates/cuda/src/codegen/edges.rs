//! Edge operators: the struct that a load balancer drives, and the statements that run it.

use gw_exec::random::Role;
use gw_ir::analysis::classes::{destination_vectors, tracked_extreme};
use gw_ir::analysis::operator::{End, Enqueued, ScalarReduction, filter_functions};
use gw_ir::expr::FunctionRef;
use gw_ir::meta::Direction;
use gw_ir::module::Function;
use gw_ir::operator::{EdgeSetIterator, VertexFilter};
use gw_ir::source::{Name, Span};
use gw_ir::types::Type;
use gw_schedule::{LoadBalance, Visited};

use super::access::{Access, Requirement, capture_lengths};
use super::balancer::{balancer, hubs_apart};
use super::edge_members::{Members, edge_member, end_member, vertex_members};
use super::edge_plan::Plan;
use super::function::{Coder, Gathered};
use super::inputs::Source;
use super::operator::{Operands, OperatorCode, capture_fields, draw_key, finish_member, sum_fields, summed};
use super::refusal::Refusal;
use super::region::{Region, graph_type, offset_type};
use super::sets::{Insert, form, output_setup};
use super::text::{Code, c_name, type_name};
use super::together::{self, Together, take_apart};

/// How the edges are walked.
struct Walk {
    /// The call of the balancer.
    call: String,
    /// The header with the balancer.
    header: &'static str,
    /// The balancer needs scratch memory.
    scratch: bool,
}

/// What one vertex and one thread gather before it is stored.
struct Gathering {
    /// The owner's entries.
    entries: Vec<Gathered>,
    /// The scalars of the program.
    summed: Vec<ScalarReduction>,
    /// The owner is enqueued at most once, when all its edges were visited.
    owner_enqueues_once: bool,
    /// The parameter of the function that is the owner.
    owner: Option<Name>,
}

/// Makes the code of an edge operator named `name`.
pub(super) fn edges(
    region: &mut Region<'_>,
    op: &EdgeSetIterator,
    operands: &Operands,
    name: &str,
    span: Span,
) -> Result<OperatorCode, Refusal> {
    let module = region.module;
    let fail = |reason: String| Refusal { span, reason };
    let plan = Plan::of(region, op, span)?;
    let apply = module.function(&op.apply.name).ok_or_else(|| fail("the function is missing".into()))?;
    note_output(region, op, &plan);

    let graph = region.graph(&plan.graph).map_err(fail)?;
    region.require(Requirement::Walked(plan.graph.clone()));
    region.inputs.need(&plan.graph, |parts| plan.note_parts(parts));
    let mut walk = walk(region, &plan)?;
    if plan.drops_leaves {
        region.inputs.need(&plan.graph, |parts| parts.out = true);
    }
    let mut gathering = gathering(region, &plan, apply);
    let together = found_together(op, &plan, apply, &gathering);
    if together.is_some() {
        (walk.call, walk.header) = (together::CALL.to_string(), together::HEADER);
    }
    region.include(walk.header);
    if walk.scratch {
        region.scratch = true;
        region.cooperative = true;
    }

    draw_key(region, module, &op.apply.name, Role::Apply);
    for (filter, role) in [(&op.from, Role::From), (&op.to, Role::To)] {
        if let VertexFilter::Function(f) = filter {
            draw_key(region, module, &f.name, role);
        }
    }
    // Written before the struct around them so that all inputs are known.
    let functions = functions(region, op, apply, &plan, together.as_ref(), &mut gathering)?;

    let mut code = Code::default();
    let way = if plan.incoming { "pull" } else { "push" };
    code.line(format!("// `{}` on edges, {way}, {}; line {}", op.apply.name, plan.load_balance, span.line));
    code.open(format!("struct {name}"));
    let fields = fields(region, op, operands, &plan, &gathering, graph, &mut code)?;
    let counts = region.output_counted;
    partial(&mut code, &gathering);
    code.line("__device__ __forceinline__ unsigned vertices() const { return graph.vertices; }");
    if let Some(insert) = plan.insert {
        insert_member(&mut code, &plan, insert, counts);
    }
    code.blank();
    let mut text = code.into_text();
    text.push_str(functions.text());
    let mut code = Code::at_depth(1);
    let members = Members {
        module,
        op,
        plan: &plan,
        together: together.as_ref(),
        gathered: &gathering.entries,
        owner_enqueues_once: gathering.owner_enqueues_once,
        apply,
    };
    vertex_members(&mut code, &members);
    edge_member(&mut code, &members);
    end_member(&mut code, &members);
    text.push_str(code.text());
    let mut end = Code::at_depth(1);
    finish_member(&mut end, plan.insert, plan.room, counts, &gathering.summed, region)?;
    end.close(";");
    text.push_str(end.text());

    let construction = format!("{name} op{{{}}};", fields.join(", "));
    let mut body = edge_body(region, &plan, operands, &construction, &walk);
    if counts {
        body.push_str("run.set_form(made, run.form(made) | gw::COUNTED);\n");
    }
    Ok(OperatorCode { declaration: text, body, output: plan.insert.is_some() })
}

/// Notes the form of the output, and whether it may hold more entries than there are vertices.
fn note_output(region: &mut Region<'_>, op: &EdgeSetIterator, plan: &Plan) {
    let Some(insert) = plan.insert else { return };
    let by_queue = matches!(insert, Insert::Append | Insert::Hash | Insert::Hash64 | Insert::Match);
    if by_queue && !plan.appends_once(op) {
        region.unbounded = true;
    }
    region.forms |= insert.form().0;
}

/// The balancer of the schedule.
fn walk(region: &mut Region<'_>, plan: &Plan) -> Result<Walk, Refusal> {
    let Plan { load_balance, incoming, .. } = *plan;
    let (mut call, header, mut scratch) = balancer(load_balance, incoming, plan.walks_all && !plan.early_exit)
        .ok_or_else(|| Refusal { span: plan.span, reason: format!("`lb={load_balance}` is for other machines") })?;
    if let Some(hubs) = plan.schedule.hubs {
        call = hubs_apart(region, &call, hubs, incoming);
        region.include("balance_hubs.cuh");
        scratch = true;
    }
    Ok(Walk { call, header, scratch })
}

/// What is gathered instead of being stored edge by edge.
fn gathering(region: &Region<'_>, plan: &Plan, apply: &Function) -> Gathering {
    let owner_end = End::walked(plan.direction);
    // What is gathered is stored without a check, which careful code does not do.
    let entries = match plan.edge_only || region.careful {
        true => Vec::new(),
        false => plan.facts.entry_reductions.at(owner_end).iter().cloned().map(Gathered::of).collect(),
    };
    let of_end = if plan.incoming { Enqueued::Destination } else { Enqueued::Source };
    Gathering {
        entries,
        summed: summed(&plan.facts.functions),
        owner_enqueues_once: !plan.edge_only && plan.insert.is_some() && plan.facts.enqueues.vertices == of_end,
        owner: apply.params.get(owner_end.parameter()).map(|p| p.name.clone()),
    }
}

/// The function in two, where it adds up common neighbours, which lanes find together.
fn found_together(op: &EdgeSetIterator, plan: &Plan, apply: &Function, gathering: &Gathering) -> Option<Together> {
    let by_length = plan.load_balance == LoadBalance::Etwc;
    if !by_length || plan.insert.is_some() || plan.early_exit || plan.late || plan.facts.draws {
        return None;
    }
    take_apart(apply, op, plan.incoming, plan.facts.order, &gathering.entries, &gathering.summed)
}

/// The user's functions. Finds out where the gathered entries are stored.
fn functions(
    region: &mut Region<'_>,
    op: &EdgeSetIterator,
    apply: &Function,
    plan: &Plan,
    together: Option<&Together>,
    gathering: &mut Gathering,
) -> Result<Code, Refusal> {
    let module = region.module;
    let mut functions = Code::default();
    let mut coder = Coder::new(region);
    coder.span = plan.span;
    coder.gathered = std::mem::take(&mut gathering.entries);
    coder.summed = std::mem::take(&mut gathering.summed);
    coder.owner = gathering.owner.clone();
    coder.owner_enqueues_once = gathering.owner_enqueues_once;
    coder.claims_by_store = plan.claims_by_store;
    coder.remembers_visited = op.meta.to_folded && plan.schedule.visited == Some(Visited::Bits);
    if plan.marked && op.meta.visits_once {
        coder.alone = destination_vectors(module, op);
    }
    if plan.insert == Some(Insert::Words) {
        coder.by_words = tracked_extreme(module, op).cloned();
    }
    coder.destination = apply.params.get(1).map(|p| c_name(&p.name));
    let lengths = capture_lengths(coder.region, &op.apply);
    find_cells(&mut coder, apply, &lengths)?;
    coder.note_captures(&op.apply.name, lengths.clone());
    for filter in [&op.from, &op.to] {
        if let VertexFilter::Function(f) = filter {
            let lengths = capture_lengths(coder.region, f);
            coder.note_captures(&f.name, lengths);
        }
    }
    if let Some(together) = together {
        coder.note_captures(&together.wants.name, lengths);
    }
    coder.function(&op.apply.name, true, &mut functions)?;
    if let Some(together) = together {
        coder.define(&together.found, true, &mut functions)?;
    }
    coder.owner = None;
    if let Some(together) = together {
        coder.define(&together.wants, true, &mut functions)?;
    }
    for FunctionRef { name: filter, .. } in filter_functions(op) {
        if !coder.written.contains(filter) {
            coder.function(filter, true, &mut functions)?;
        }
    }
    coder.write_wanted(&mut functions)?;
    (gathering.entries, gathering.summed) = (coder.gathered, coder.summed);
    Ok(functions)
}

/// Finds the cells in which gathered entries are stored.
fn find_cells(coder: &mut Coder<'_, '_>, apply: &Function, lengths: &[Vec<Source>]) -> Result<(), Refusal> {
    let module = coder.region.module;
    for g in &mut coder.gathered.clone() {
        let ty = module.global(&g.vector).map(|v| v.ty.clone());
        let ty = ty.or_else(|| capture_type(apply, &g.vector)).ok_or_else(|| coder.refuse("no such vector"))?;
        let (cell, lengths) = match apply.captures.iter().position(|c| c.name == g.vector) {
            Some(at) => (format!("apply_{at}[v]"), lengths.get(at).cloned().unwrap_or_default()),
            None => {
                let code = coder.vector(&g.vector, &ty)?;
                (code.cell("v"), code.lengths)
            }
        };
        // A row of fixed length would have a length of its own; entries of one number each are all that is gathered.
        let required = lengths.into_iter().map(Requirement::Entries).collect();
        let reason = coder.region.required(required);
        coder.region.record(Access { text: cell.clone(), reasons: vec![reason] });
        if let Some(slot) = coder.gathered.iter_mut().find(|x| x.vector == g.vector) {
            slot.cell = cell;
        }
    }
    Ok(())
}

fn capture_type(function: &gw_ir::module::Function, name: &Name) -> Option<Type> {
    function.captures.iter().find(|c| c.name == *name).map(|c| c.ty.clone())
}

/// The members with data. Returns their values.
fn fields(
    region: &mut Region<'_>,
    op: &EdgeSetIterator,
    operands: &Operands,
    plan: &Plan,
    gathering: &Gathering,
    graph: String,
    code: &mut Code,
) -> Result<Vec<String>, Refusal> {
    let span = plan.span;
    code.line(format!("typedef {} Offset;", offset_type(plan.shape)));
    code.line(format!("static constexpr bool EARLY_EXIT = {};", plan.early_exit));
    code.line("const Inputs& in;");
    code.line(format!("const {}& graph;", graph_type("Offset", plan.shape)));
    let mut fields: Vec<String> = vec!["in".into(), graph];
    if let Some(from) = &operands.from {
        code.line("const gw::Set from;");
        code.line("const bool from_all;");
        code.line("const unsigned from_size;");
        fields.push(format!("run.at({from})"));
        fields.push(format!("{from} == gw::ALL_VERTICES"));
        fields.push(format!("run.size({from})"));
    }
    if let Some(to) = &operands.to {
        code.line("const gw::Set to;");
        code.line("const bool to_all;");
        fields.push(format!("run.at({to})"));
        fields.push(format!("{to} == gw::ALL_VERTICES"));
    }
    capture_fields(region, &op.apply, "apply", &operands.apply, code, &mut fields, span)?;
    if let VertexFilter::Function(f) = &op.from {
        capture_fields(region, f, "from", &operands.from_captures, code, &mut fields, span)?;
    }
    if let VertexFilter::Function(f) = &op.to {
        capture_fields(region, f, "to", &operands.to_captures, code, &mut fields, span)?;
    }
    region.output_counted = plan.insert.is_some() && region.counted.as_ref() == Some(&plan.graph);
    if plan.insert.is_some() {
        code.line("gw::Output out;");
        fields.push("output".into());
    }
    if region.output_counted {
        region.inputs.need(&plan.graph, |parts| parts.out = true);
        code.line("unsigned long long out_edges;");
        fields.push("0ull".into());
    }
    sum_fields(&gathering.summed, code, &mut fields);
    if plan.insert == Some(Insert::Hash) {
        code.line("static constexpr unsigned HASH = 1024;");
        code.line("volatile int* hash;");
        fields.push("hash".into());
    }
    if plan.marked {
        code.line("bool only_edge, to_leaf;");
        fields.extend(["false".to_string(), "false".to_string()]);
    }
    Ok(fields)
}

/// The type of what is gathered for one owner.
fn partial(code: &mut Code, gathering: &Gathering) {
    code.open("struct Partial");
    for g in &gathering.entries {
        code.line(format!("{} {};", type_name(g.scalar), c_name(&g.vector)));
    }
    if gathering.owner_enqueues_once {
        code.line("bool out;");
    }
    code.close(";");
    code.blank();
}

/// The member that adds a vertex to the output, and its edges where they are counted.
fn insert_member(code: &mut Code, plan: &Plan, insert: Insert, counts: bool) {
    let out_apart = plan.shape.apart.out;
    let call = insert.call(plan.room);
    let call = match counts {
        true if out_apart => format!("if ({call}) out_edges += graph.out_ranges[v].length()"),
        true => format!("if ({call}) out_edges += graph.out_offsets[v + 1] - graph.out_offsets[v]"),
        false => call,
    };
    let by_mark = plan.marked && plan.facts.enqueues.vertices == Enqueued::Destination;
    let leaf = match (plan.drops_leaves, by_mark) {
        (true, true) => "if (to_leaf && out.has_leaf()) return; ",
        (true, false) if out_apart => "if (graph.out_ranges[v].length() == 0 && out.has_leaf()) return; ",
        (true, false) => "if (graph.out_offsets[v + 1] == graph.out_offsets[v] && out.has_leaf()) return; ",
        (false, _) => "",
    };
    code.line(format!("__device__ __forceinline__ void insert(int v) {{ {leaf}{call}; }}"));
}

/// The statements that run an edge operator.
fn edge_body(region: &mut Region<'_>, plan: &Plan, operands: &Operands, construction: &str, walk: &Walk) -> String {
    let mut code = Code::default();
    if let Some(from) = &operands.from {
        // The form in which the input is wanted.
        let (needed, needed_form) = match (plan.direction, plan.edge_only) {
            (Direction::Push, false) => ("need_queue", form::QUEUE),
            _ => plan.input.need(),
        };
        region.rounds += u32::from(needed_form == form::LEVELS);
        region.forms |= needed_form;
        region.input |= needed_form;
        code.line(format!("run.{needed}({from}, live());"));
    }
    if let Some(to) = &operands.to {
        region.forms |= form::BITS;
        code.line(format!("run.need_bits({to}, live());"));
    }
    output_setup(region, plan.insert, plan.span, &mut code);
    let guard = match &operands.from {
        Some(from) => format!("{from} != gw::EMPTY"),
        None => String::new(),
    };
    let guard = match (&operands.to, guard.is_empty()) {
        (Some(to), true) => format!("{to} != gw::EMPTY"),
        (Some(to), false) => format!("{guard} && {to} != gw::EMPTY"),
        (None, _) => guard,
    };
    if !guard.is_empty() {
        code.open(format!("if ({guard})"));
    }
    if walk.scratch {
        let scratch = region.inputs.member(Source::Scratch, "gw::Scratch", "scratch");
        code.line(format!("gw::Scratch scratch = {scratch};"));
    }
    code.line(construction);
    code.line(format!("{};", walk.call));
    code.line("op.finish();");
    if !guard.is_empty() {
        code.close("");
    }
    code.into_text()
}
