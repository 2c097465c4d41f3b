//! Operators: a struct per operator with the user's functions and what a load balancer asks for, and the code that
//! runs it.

use gw_exec::random::Role;
use gw_ir::analysis::calls::draws;
use gw_ir::analysis::classes::{destination_vectors, idle_loops, tracked_extreme};
use gw_ir::analysis::operator::{EdgeFacts, End, Enqueued, FunctionFacts, ScalarReduction, filter_functions};
use gw_ir::expr::{FunctionRef, ReduceOp};
use gw_ir::meta::Direction;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeOutput, EdgeSetIterator, VertexFilter};
use gw_ir::source::{Name, Span};
use gw_ir::types::{Scalar, Type};
use gw_schedule::{Append, Claim, Classes, EdgeForm, Hubs, Leaves, LoadBalance, SimpleSchedule, Visited};

use super::access::{Access, Requirement, capture_lengths};
use super::function::{Coder, Gathered, Refusal, function_name, neutral, reduction};
use super::inputs::{EdgeList, Source};
use super::region::{Region, graph_type, offset_type};
use super::sets::{InputMap, Insert, form, input_repeat, insert_of, output_setup, room_name};
use super::text::{Code, c_name, type_name};
use super::together::{self, Together, take_apart};

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

/// How a function of the headers is called for a balancer, and whether it needs scratch memory. `all`: every vertex
/// is looked at, so that there is work enough to let the whole grid share long lists.
fn balancer(load_balance: LoadBalance, incoming: bool, all: bool) -> Option<(String, &'static str, bool)> {
    Some(match load_balance {
        LoadBalance::VertexBased => ("gw::balance_vertex_based(op)".into(), "balance_vertex_based.cuh", false),
        LoadBalance::VirtualWarp { lanes, chunk } => {
            (format!("gw::balance_virtual_warp<{}>(op, {chunk})", lanes.get()), "balance_virtual_warp.cuh", false)
        }
        LoadBalance::DynamicVirtualWarp { min } => {
            (format!("gw::balance_dynamic_virtual_warp<{}>(op)", min.get()), "balance_dynamic_virtual_warp.cuh", false)
        }
        LoadBalance::Twc => ("gw::balance_twc(op, scratch, run.grid)".into(), "balance_twc.cuh", true),
        LoadBalance::Etwc => {
            let greatest = if incoming { "in_greatest" } else { "out_greatest" };
            let (name, header) = match all {
                true => ("balance_etwc_all", "balance_etwc_all.cuh"),
                false => ("balance_etwc", "balance_etwc.cuh"),
            };
            (format!("gw::{name}(op, scratch, run.grid, op.graph.{greatest})"), header, true)
        }
        LoadBalance::Wm => ("gw::balance_warp_mapping(op)".into(), "balance_warp_mapping.cuh", false),
        LoadBalance::Cm => ("gw::balance_block_mapping(op)".into(), "balance_block_mapping.cuh", false),
        LoadBalance::Strict => ("gw::balance_strict(op, scratch, run.grid)".into(), "balance_strict.cuh", true),
        LoadBalance::CtaWarpScan => ("gw::balance_cta_warp_scan(op)".into(), "balance_cta_warp_scan.cuh", false),
        LoadBalance::LocalWarpSearch => {
            ("gw::balance_local_warp_search(op)".into(), "balance_local_warp_search.cuh", false)
        }
        LoadBalance::MergePath => {
            ("gw::balance_merge_path(op, scratch, run.grid)".into(), "balance_merge_path.cuh", true)
        }
        LoadBalance::MultiPhase => {
            ("gw::balance_multi_phase(op, scratch, run.grid)".into(), "balance_multi_phase.cuh", true)
        }
        LoadBalance::EdgeOnly => ("gw::balance_edge_only(op)".into(), "balance_edge_only.cuh", false),
        LoadBalance::EdgeBased | LoadBalance::Aligned | LoadBalance::Blocking => return None,
    })
}

/// The call of a balancer around which the lists of hubs are put aside.
fn hubs_apart(region: &mut Region<'_>, balance: &str, hubs: Hubs, incoming: bool) -> String {
    let least = match hubs {
        Hubs::Degree(degree) => format!("{degree}u"),
        Hubs::Resident => {
            let threads = region.inputs.member(Source::ResidentThreads, "unsigned long long", "threads");
            format!("(unsigned)({threads} / 2)")
        }
    };
    let greatest = if incoming { "in_greatest" } else { "out_greatest" };
    // The balancer walks what the wrapper leaves to it, under the same name.
    format!("gw::balance_hubs(op, scratch, run.grid, {least}, op.graph.{greatest}, [&](auto& op) {{ {balance}; }})")
}

/// The schedule of an edge operator as it was given; unset axes are the machine's defaults.
pub(crate) fn schedule_of(op: &EdgeSetIterator) -> SimpleSchedule {
    op.meta.schedule.as_ref().and_then(|s| s.as_simple().copied()).unwrap_or_default()
}

/// The scalars that an operator accumulates in registers: those whose reductions stand as statements of their own.
fn summed(facts: &FunctionFacts) -> Vec<ScalarReduction> {
    facts.scalar_reductions.iter().filter(|reduction| !reduction.result_used).cloned().collect()
}

/// Everything that is decided about an edge operator before its code is written.
struct Plan {
    direction: Direction,
    edge_only: bool,
    /// The adjacency that is walked is that of in-edges.
    incoming: bool,
    /// Its offsets are read as pairs.
    pairs: bool,
    /// Neighbours are read with the classes of their edges.
    marked: bool,
    /// Self-loops are passed over.
    skips_loops: bool,
    insert: Option<Insert>,
    /// How threads get room in an output queue.
    room: Append,
    /// Destinations are got by a test and a plain store.
    claims_by_store: bool,
    /// Vertices without out-edges stay out of the output.
    drops_leaves: bool,
    /// The test by which a repeat in the input queue is passed over.
    input_repeat: Option<&'static str>,
    early_exit: bool,
    weight: Option<Scalar>,
    /// The map in which the input is tested, where it is.
    input: InputMap,
    /// Ask for the lists of destinations ahead of time.
    fetch_ahead: bool,
    /// A vertex may be met twice as the owner: its entries need atomics even when a group sees all its edges.
    repeats: bool,
    /// The function adds up common neighbours, which lanes find together.
    together: Option<Together>,
    /// Filters may fault: they are called for the ends of edges that sets select, the `from` filter first, and not
    /// for other vertices.
    late: bool,
    /// The one filter may fault and is of the owner: it is called once per vertex that has edges.
    guarded: bool,
}

/// Makes the code of an edge operator named `name`.
pub(crate) fn edges(
    region: &mut Region<'_>,
    op: &EdgeSetIterator,
    operands: &Operands,
    name: &str,
    span: Span,
) -> Result<OperatorCode, Refusal> {
    let module = region.module;
    let fail = |reason: String| Refusal { span, reason };
    let schedule = schedule_of(op);
    let graph_name = op.graph.as_var().cloned().ok_or_else(|| fail("a graph variable is expected".into()))?;
    let shape = region.shape(&graph_name).map_err(fail)?;
    let apply = module.function(&op.apply.name).ok_or_else(|| fail("the function is missing".into()))?;
    let direction = op.meta.direction.unwrap_or(Direction::Push);
    let load_balance = schedule.load_balance.unwrap_or(LoadBalance::VertexBased);
    let edge_only = load_balance == LoadBalance::EdgeOnly;
    let facts = EdgeFacts::of(module, op);
    let weight = facts.weight;
    if weight.is_some() && shape.weight.is_none() {
        return Err(fail("the graph has no weights".into()));
    }
    let has_output = op.output != EdgeOutput::None;
    let insert = has_output.then(|| match insert_of(op, &schedule, facts.enqueues.several) {
        Insert::Words if tracked_extreme(module, op).is_none() => Insert::Counters,
        insert => insert,
    });
    let incoming = direction == Direction::Pull;
    // To ask once more whether a destination wants more edges may be a fault that no edge is to blame for.
    let faulty = facts.filters_may_fault.in_code(region.careful);
    let early_exit = incoming && !edge_only && !faulty && facts.early_exit;
    let of_owner = match (&op.from, &op.to) {
        (VertexFilter::Function(_), VertexFilter::All) => !incoming && !edge_only,
        (VertexFilter::All, VertexFilter::Function(_)) => incoming && !edge_only,
        _ => false,
    };
    let (late, guarded) = (faulty && !of_owner, faulty && of_owner);
    let repeats = direction == Direction::Push && matches!(op.from, VertexFilter::Set(_));
    let walks_all = !(direction == Direction::Push && matches!(op.from, VertexFilter::Set(_)));
    let fetch_ahead = shape.flat && has_output && direction == Direction::Push;
    let apart = if incoming { shape.apart.incoming } else { shape.apart.out };
    let pairs = schedule.edges == Some(EdgeForm::CsrM) || (apart && !edge_only);
    let marked = schedule.classes == Some(Classes::Marked) && !incoming && !edge_only;
    let mut plan = Plan {
        direction,
        edge_only,
        incoming,
        pairs,
        marked,
        skips_loops: marked && idle_loops(module, op),
        insert,
        room: schedule.append.unwrap_or(Append::Staged),
        claims_by_store: op.meta.to_folded && schedule.claim == Some(Claim::Store),
        drops_leaves: has_output && schedule.leaves == Some(Leaves::Drop),
        input_repeat: input_repeat(&schedule),
        early_exit,
        weight,
        input: InputMap::of(op, &schedule),
        fetch_ahead,
        repeats,
        together: None,
        late,
        guarded,
    };
    if matches!(insert, Some(Insert::Append | Insert::Hash | Insert::Hash64 | Insert::Match))
        && !appends_once(op, &plan)
    {
        region.unbounded = true;
    }
    if let Some(insert) = insert {
        region.forms |= insert.form().0;
    }

    let graph = region.graph(&graph_name).map_err(fail)?;
    region.require(Requirement::Walked(graph_name.clone()));
    region.inputs.need(&graph_name, |parts| {
        if edge_only {
            let form = schedule.edges.unwrap_or(match incoming {
                true => EdgeForm::CooDestination,
                false => EdgeForm::CooSource,
            });
            parts.list = Some(EdgeList {
                by_destination: matches!(form, EdgeForm::CooDestination | EdgeForm::CooDestinationPairs),
                pairs: matches!(form, EdgeForm::CooSourcePairs | EdgeForm::CooDestinationPairs),
                block: schedule.block,
            });
        } else if incoming {
            parts.incoming = true;
            parts.in_ranges |= pairs;
        } else {
            parts.out = true;
            parts.out_ranges |= pairs;
            parts.marked |= marked;
        }
        parts.weights |= weight.is_some();
    });
    let (mut call, mut header, mut scratch) = balancer(load_balance, incoming, walks_all && !early_exit)
        .ok_or_else(|| fail(format!("`lb={load_balance}` is for other machines")))?;
    if let Some(hubs) = schedule.hubs {
        call = hubs_apart(region, &call, hubs, incoming);
        region.include("balance_hubs.cuh");
        scratch = true;
    }
    if plan.drops_leaves {
        region.inputs.need(&graph_name, |parts| parts.out = true);
    }

    let owner_end = End::walked(direction);
    let owner = apply.params.get(owner_end.parameter()).map(|p| p.name.clone());
    // What is gathered is stored without a check, which careful code does not do.
    let gathered = match plan.edge_only || region.careful {
        true => Vec::new(),
        false => facts.entry_reductions.at(owner_end).iter().cloned().map(Gathered::of).collect(),
    };
    let of_end = if incoming { Enqueued::Destination } else { Enqueued::Source };
    let owner_enqueues_once = !edge_only && has_output && facts.enqueues.vertices == of_end;
    let summed = summed(&facts.functions);
    if load_balance == LoadBalance::Etwc && !has_output && !early_exit && !plan.late && !facts.draws {
        plan.together = take_apart(apply, op, incoming, facts.order, &gathered, &summed);
    }
    if plan.together.is_some() {
        (call, header) = (together::CALL.to_string(), together::HEADER);
    }
    region.include(header);
    if scratch {
        region.scratch = true;
        region.cooperative = true;
    }

    draw_key(region, module, &op.apply.name, Role::Apply);
    for (filter, role) in [(&op.from, Role::From), (&op.to, Role::To)] {
        if let VertexFilter::Function(f) = filter {
            draw_key(region, module, &f.name, role);
        }
    }
    // The functions, written before the struct around them so that all inputs are known.
    let mut functions = Code::default();
    let (gathered, summed) = {
        let mut coder = Coder::new(region);
        coder.span = span;
        coder.gathered = gathered;
        coder.summed = summed;
        coder.owner = owner;
        coder.owner_enqueues_once = owner_enqueues_once;
        coder.claims_by_store = plan.claims_by_store;
        coder.remembers_visited = op.meta.to_folded && schedule.visited == Some(Visited::Bits);
        if marked && op.meta.visits_once {
            coder.alone = destination_vectors(module, op);
        }
        if plan.insert == Some(Insert::Words) {
            coder.by_words = tracked_extreme(module, op).cloned();
        }
        coder.destination = apply.params.get(1).map(|p| c_name(&p.name));
        let lengths = capture_lengths(coder.region, &op.apply);
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
            // A row of fixed length would have a length of its own; entries of one number each are all that is
            // gathered.
            let required = lengths.into_iter().map(Requirement::Entries).collect();
            let reason = coder.region.required(required);
            coder.region.record(Access { text: cell.clone(), reasons: vec![reason] });
            if let Some(slot) = coder.gathered.iter_mut().find(|x| x.vector == g.vector) {
                slot.cell = cell;
            }
        }
        coder.note_captures(&op.apply.name, lengths.clone());
        for filter in [&op.from, &op.to] {
            if let VertexFilter::Function(f) = filter {
                let lengths = capture_lengths(coder.region, f);
                coder.note_captures(&f.name, lengths);
            }
        }
        if let Some(together) = &plan.together {
            coder.note_captures(&together.wants.name, lengths);
        }
        coder.function(&op.apply.name, true, &mut functions)?;
        if let Some(together) = &plan.together {
            coder.define(&together.found, true, &mut functions)?;
        }
        coder.owner = None;
        if let Some(together) = &plan.together {
            coder.define(&together.wants, true, &mut functions)?;
        }
        for FunctionRef { name: filter, .. } in filter_functions(op) {
            if !coder.written.contains(filter) {
                coder.function(filter, true, &mut functions)?;
            }
        }
        coder.write_wanted(&mut functions)?;
        (coder.gathered, coder.summed)
    };

    let mut code = Code::default();
    let way = if incoming { "pull" } else { "push" };
    code.line(format!("// `{}` on edges, {way}, {load_balance}; line {}", op.apply.name, span.line));
    code.open(format!("struct {name}"));
    code.line(format!("typedef {} Offset;", offset_type(shape)));
    code.line(format!("static constexpr bool EARLY_EXIT = {};", plan.early_exit));
    code.line("const Inputs& in;");
    code.line(format!("const {}& graph;", graph_type("Offset", shape)));
    let mut fields: Vec<String> = vec!["in".into(), graph.clone()];
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
    capture_fields(region, &op.apply, "apply", &operands.apply, &mut code, &mut fields, span)?;
    if let VertexFilter::Function(f) = &op.from {
        capture_fields(region, f, "from", &operands.from_captures, &mut code, &mut fields, span)?;
    }
    if let VertexFilter::Function(f) = &op.to {
        capture_fields(region, f, "to", &operands.to_captures, &mut code, &mut fields, span)?;
    }
    let counts = plan.insert.is_some() && region.counted.as_ref() == Some(&graph_name);
    let out_apart = shape.apart.out;
    region.output_counted = counts;
    if plan.insert.is_some() {
        code.line("gw::Output out;");
        fields.push("output".into());
    }
    if counts {
        region.inputs.need(&graph_name, |parts| parts.out = true);
        code.line("unsigned long long out_edges;");
        fields.push("0ull".into());
    }
    sum_fields(&summed, &mut code, &mut fields);
    if plan.insert == Some(Insert::Hash) {
        code.line("static constexpr unsigned HASH = 1024;");
        code.line("volatile int* hash;");
        fields.push("hash".into());
    }
    if plan.marked {
        code.line("bool only_edge, to_leaf;");
        fields.extend(["false".to_string(), "false".to_string()]);
    }
    code.open("struct Partial");
    for g in &gathered {
        code.line(format!("{} {};", type_name(g.scalar), c_name(&g.vector)));
    }
    if owner_enqueues_once {
        code.line("bool out;");
    }
    code.close(";");
    code.blank();
    code.line("__device__ __forceinline__ unsigned vertices() const { return graph.vertices; }");
    if let Some(insert) = plan.insert {
        let call = insert.call(plan.room);
        let call = match counts {
            true if out_apart => format!("if ({call}) out_edges += graph.out_ranges[v].length()"),
            true => format!("if ({call}) out_edges += graph.out_offsets[v + 1] - graph.out_offsets[v]"),
            false => call,
        };
        let by_mark = plan.marked && facts.enqueues.vertices == Enqueued::Destination;
        let leaf = match (plan.drops_leaves, by_mark) {
            (true, true) => "if (to_leaf && out.has_leaf()) return; ",
            (true, false) if out_apart => "if (graph.out_ranges[v].length() == 0 && out.has_leaf()) return; ",
            (true, false) => "if (graph.out_offsets[v + 1] == graph.out_offsets[v] && out.has_leaf()) return; ",
            (false, _) => "",
        };
        code.line(format!("__device__ __forceinline__ void insert(int v) {{ {leaf}{call}; }}"));
    }
    code.blank();
    let mut text = code.into_text();
    text.push_str(functions.text());
    let mut code = Code::at_depth(1);
    walk_members(&mut code, module, op, &plan, &gathered, owner_enqueues_once, apply);
    text.push_str(code.text());
    let mut end = Code::at_depth(1);
    finish_member(&mut end, plan.insert, plan.room, counts, &summed, region)?;
    end.close(";");
    text.push_str(end.text());

    let mut body = edge_body(region, &plan, operands, name, &fields, &call, scratch, span);
    if counts {
        body.push_str("run.set_form(made, run.form(made) | gw::COUNTED);\n");
    }
    Ok(OperatorCode { declaration: text, body, output: plan.insert.is_some() })
}

fn capture_type(function: &gw_ir::module::Function, name: &Name) -> Option<Type> {
    function.captures.iter().find(|c| c.name == *name).map(|c| c.ty.clone())
}

/// Members for the captures of a function, and their values.
fn capture_fields(
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
                code.line(format!("{}* apply_{i};", type_name(scalar)).replace("apply", role));
                code.line(format!("unsigned long long {role}_{i}_length;"));
            }
            _ => code.line(format!("{} {role}_{i};", type_name(scalar))),
        }
        fields.push(value.clone());
    }
    Ok(())
}

/// The captures of a function as arguments of its call inside the struct.
fn capture_arguments(function: &gw_ir::module::Function, role: &str) -> Vec<String> {
    let argument = |(i, capture): (usize, &gw_ir::module::Param)| match capture.ty {
        Type::Vector { .. } => format!("{role}_{i}, {role}_{i}_length"),
        _ => format!("{role}_{i}"),
    };
    function.captures.iter().enumerate().map(argument).collect()
}

fn sum_fields(summed: &[ScalarReduction], code: &mut Code, fields: &mut Vec<String>) {
    for s in summed {
        code.line(format!("{} sum_{};", type_name(s.scalar), c_name(&s.name)));
        fields.push(neutral(s.op, s.scalar));
    }
}

/// The member that ends an operator: counts of the output, sums of scalars.
fn finish_member(
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

/// The members that balancers call.
fn walk_members(
    code: &mut Code,
    module: &Module,
    op: &EdgeSetIterator,
    plan: &Plan,
    gathered: &[Gathered],
    owner_enqueues_once: bool,
    apply: &gw_ir::module::Function,
) {
    let method = "__device__ __forceinline__";
    let from_test = |v: &str| -> Option<String> {
        match &op.from {
            VertexFilter::All => None,
            VertexFilter::Set(_) => Some(format!("(from_all || from.{}({v}))", plan.input.test())),
            VertexFilter::Function(f) => Some(filter_call(module, f, "from", v)),
        }
    };
    let to_test = |v: &str| -> Option<String> {
        match &op.to {
            VertexFilter::All => None,
            VertexFilter::Set(_) => Some(format!("(to_all || to.has_bit({v}))")),
            VertexFilter::Function(f) => Some(filter_call(module, f, "to", v)),
        }
    };
    // Which vertices are walked.
    let from_set = matches!(op.from, VertexFilter::Set(_));
    let queue = plan.direction == Direction::Push && from_set && !plan.edge_only;
    if !plan.edge_only {
        let count = if queue { "from_size" } else { "graph.vertices" };
        code.line(format!("{method} unsigned active() const {{ return {count}; }}"));
        code.open(format!("{method} int vertex(unsigned i)"));
        code.line(if queue { "const int v = from_all ? (int)i : from.queue[i];" } else { "const int v = (int)i;" });
        if let Some(repeat) = plan.input_repeat.filter(|_| queue) {
            code.line(format!("if (!from_all && {repeat}) return -1;"));
        }
        let test = match plan.direction {
            Direction::Push => match op.from {
                VertexFilter::Function(_) => from_test("v"),
                _ => None,
            },
            Direction::DensePush => from_test("v"),
            Direction::Pull => to_test("v"),
        };
        let by_function = matches!(if plan.incoming { &op.to } else { &op.from }, VertexFilter::Function(_));
        let test = test.filter(|_| !(by_function && plan.late));
        match test {
            Some(test) if plan.guarded => code.line(format!("return range(v).length() != 0 && {test} ? v : -1;")),
            Some(test) => code.line(format!("return {test} ? v : -1;")),
            None => code.line("return v;"),
        }
        code.close("");
        let way = if plan.incoming { "in" } else { "out" };
        let (first, range) = match plan.pairs {
            true => (format!("graph.{way}_ranges[v].first"), format!("graph.{way}_ranges[v]")),
            false => {
                let offsets = format!("graph.{way}_offsets");
                (format!("{offsets}[v]"), format!("{{{offsets}[v], {offsets}[v + 1]}}"))
            }
        };
        code.line(format!("{method} Offset first(int v) const {{ return {first}; }}"));
        code.line(format!("{method} gw::Range<Offset> range(int v) const {{ return {range}; }}"));
        let begin: Vec<String> = gathered
            .iter()
            .map(|g| neutral(g.op, g.scalar))
            .chain(owner_enqueues_once.then(|| "false".to_string()))
            .collect();
        code.line(format!("{method} Partial begin(int) const {{ return Partial{{{}}}; }}", begin.join(", ")));
    }

    // One edge.
    let weight = |array: &str| match plan.weight {
        Some(scalar) => format!("({})gw::edge_value(graph.{array} + e)", type_name(scalar)),
        None => String::new(),
    };
    let mut arguments = capture_arguments(apply, "apply");
    arguments.extend(["src".to_string(), "dst".to_string()]);
    if plan.weight.is_some() {
        arguments.push("weight".to_string());
    }
    let gathers = !gathered.is_empty() || owner_enqueues_once;
    if gathers {
        arguments.push("partial".to_string());
    }
    if draws(module, &op.apply.name) {
        arguments.push(drawn("apply", "src", "dst"));
    }
    let call = format!("{}({})", function_name(&op.apply.name), arguments.join(", "));
    let accepted = matches!(op.output, EdgeOutput::Accepted { .. }) && !op.meta.udf_enqueues;
    let visit = match accepted {
        true => format!("if ({call}) insert(dst);"),
        false => format!("{call};"),
    };
    if plan.edge_only {
        code.line(format!("{method} Offset active() const {{ return (Offset)graph.list_edges; }}"));
        code.open(format!("{method} void edge(Offset e)"));
        code.line("const int src = graph.list_source(e), dst = graph.list_destination(e);");
        for test in edge_tests(op, plan, from_test("src"), to_test("dst")) {
            code.line(format!("if (!{test}) return;"));
        }
        if plan.weight.is_some() {
            code.line(format!("const auto weight = {};", weight("list_weights")));
        }
        code.line(visit);
        code.close("");
        return;
    }
    let tests = edge_tests(op, plan, from_test("src"), to_test("dst"));
    let test = tests.first();
    if let Some(together) = &plan.together {
        let array = if plan.incoming { "in_weights" } else { "out_weights" };
        let weight = plan.weight.map(|_| weight(array));
        together.members(
            code,
            plan.incoming,
            test.map(String::as_str),
            weight.as_deref(),
            &capture_arguments(apply, "apply"),
            gathers,
        );
    }
    code.open(format!("{method} bool edge(int owner, Offset e, Partial& partial)"));
    match plan.incoming {
        true => code.line("const int dst = owner, src = gw::edge_value(graph.in_neighbours + e);"),
        false => {
            match plan.marked {
                true => {
                    code.line("const int mark = gw::edge_value(graph.out_marked + e);");
                    code.line("const int src = owner, dst = mark & gw::VERTEX;");
                    code.line("only_edge = mark < 0, to_leaf = (mark & gw::LEAF) != 0;");
                }
                false => code.line("const int src = owner, dst = gw::edge_value(graph.out_neighbours + e);"),
            }
            if plan.skips_loops {
                code.line("if (src == dst) return true;");
            }
            // The next step will ask where the list of the destination lies; by then it is near.
            if plan.fetch_ahead {
                let array = if plan.pairs { "out_ranges" } else { "out_offsets" };
                code.line(format!("gw::fetch_ahead(graph.{array} + dst);"));
            }
        }
    }
    for test in &tests {
        code.line(format!("if (!{test}) return true;"));
    }
    if plan.weight.is_some() {
        let array = if plan.incoming { "in_weights" } else { "out_weights" };
        code.line(format!("const auto weight = {};", weight(array)));
    }
    code.line(visit);
    match (plan.early_exit, to_test("dst")) {
        (true, Some(test)) => code.line(format!("return {test};")),
        _ => code.line("return true;"),
    }
    code.close("");

    // The end of a vertex.
    code.open(format!("template <int LANES, bool WHOLE> {method} void end(int v, Partial& partial)"));
    if gathers {
        let whole = if plan.repeats { "false" } else { "WHOLE" };
        for g in gathered {
            let member = format!("partial.{}", c_name(&g.vector));
            let functor = match g.op {
                ReduceOp::Sum => "gw::Plus()",
                ReduceOp::Min => "gw::Least()",
                ReduceOp::Max => "gw::Greatest()",
                ReduceOp::Or => "gw::Either()",
                ReduceOp::And => "gw::Both()",
            };
            code.line(format!("if (LANES > 1) {member} = gw::group_reduce<LANES>({member}, {functor});"));
        }
        if owner_enqueues_once {
            code.line("if (LANES > 1) partial.out = __any_sync(gw::group_mask<LANES>(), partial.out);");
        }
        code.line("if (LANES > 1 && gw::lane() % LANES != 0) return;");
        for g in gathered {
            let member = format!("partial.{}", c_name(&g.vector));
            let cell = format!("&{}", g.cell);
            let (plain, atomic) = (reduction(g.op, false), reduction(g.op, true));
            let test = match g.op {
                ReduceOp::Sum if g.scalar != Scalar::Bool => format!("if ({member} != 0) "),
                _ => String::new(),
            };
            code.line(format!(
                "{test}{{ if ({whole}) gw::{plain}({cell}, {member}); else gw::{atomic}({cell}, {member}); }}"
            ));
        }
        if owner_enqueues_once {
            code.line("if (partial.out) insert(v);");
        }
    }
    code.close("");
}

/// The tests of an edge that were not made for its owner, in their order: sets first, then the `from` and the `to`
/// function.
fn edge_tests(op: &EdgeSetIterator, plan: &Plan, from: Option<String>, to: Option<String>) -> Vec<String> {
    let by_function = |filter: &VertexFilter| matches!(filter, VertexFilter::Function(_));
    // A test is late, of the other end, or both ends are the edge's own.
    let from = from.filter(|_| plan.edge_only || plan.incoming || (plan.late && by_function(&op.from)));
    let to = to.filter(|_| plan.edge_only || !plan.incoming || (plan.late && by_function(&op.to)));
    // The function itself makes the test of a push.
    let to = to.filter(|_| plan.edge_only || plan.incoming || !op.meta.to_folded);
    match plan.late && by_function(&op.from) && !by_function(&op.to) {
        true => to.into_iter().chain(from).collect(),
        false => from.into_iter().chain(to).collect(),
    }
}

/// The member that random draws of a function begin with, by its role, and the draws of one call.
fn draw_key(region: &mut Region<'_>, module: &Module, function: &Name, role: Role) {
    if draws(module, function) {
        let name = match role {
            Role::From => "from_key",
            Role::To => "to_key",
            Role::Apply | Role::Host => "apply_key",
        };
        region.inputs.member(Source::DrawKey(role), "unsigned long long", name);
    }
}

fn drawn(role: &str, a: &str, b: &str) -> String {
    format!("gw::Draws::of(in.{role}_key, {a}, {b})")
}

/// The call of a filter inside the struct.
fn filter_call(module: &Module, filter: &FunctionRef, role: &str, v: &str) -> String {
    let mut arguments = module.function(&filter.name).map(|f| capture_arguments(f, role)).unwrap_or_default();
    arguments.push(v.to_string());
    if draws(module, &filter.name) {
        arguments.push(drawn(role, v, "0"));
    }
    format!("{}({})", function_name(&filter.name), arguments.join(", "))
}

/// The statements that run an edge operator.
#[allow(clippy::too_many_arguments)]
fn edge_body(
    region: &mut Region<'_>,
    plan: &Plan,
    operands: &Operands,
    name: &str,
    fields: &[String],
    call: &str,
    scratch: bool,
    span: Span,
) -> String {
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
    output_setup(region, plan.insert, span, &mut code);
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
    if scratch {
        let scratch = region.inputs.member(Source::Scratch, "gw::Scratch", "scratch");
        code.line(format!("gw::Scratch scratch = {scratch};"));
    }
    code.line(format!("{name} op{{{}}};", fields.join(", ")));
    code.line(format!("{call};"));
    code.line("op.finish();");
    if !guard.is_empty() {
        code.close("");
    }
    code.into_text()
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
    let summed = summed(&FunctionFacts::of(module, [function.name.clone()]));
    draw_key(region, module, &function.name, Role::Apply);
    let mut functions = Code::default();
    let summed = {
        let mut coder = Coder::new(region);
        coder.span = span;
        coder.summed = summed;
        let lengths = capture_lengths(coder.region, function);
        coder.note_captures(&function.name, lengths);
        coder.function(&function.name, true, &mut functions)?;
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
    code.line(format!("__device__ __forceinline__ void member(int v) {{ {body} }}"));
    finish_member(&mut code, insert, Append::Staged, false, &summed, region)?;
    code.close(";");
    text.push_str(code.text());

    let set = operands.set.clone().unwrap_or_else(|| "gw::EMPTY".into());
    let mut run = Code::default();
    output_setup(region, insert, span, &mut run);
    run.line(format!("{name} op{{{}}};", fields.join(", ")));
    region.include("members.cuh");
    run.line(format!("gw::each_member(run, {set}, [&](int v) {{ op.member(v); }});"));
    run.line("op.finish();");
    Ok(OperatorCode { declaration: text, body: run.into_text(), output: filter })
}

/// Whether each vertex is appended at most once, so that a queue of |V| entries is enough.
fn appends_once(op: &EdgeSetIterator, plan: &Plan) -> bool {
    // A compare-and-swap that the `to` test was folded into succeeds once per vertex.
    op.meta.to_folded && plan.direction != Direction::Pull && !plan.claims_by_store
}
