//! The members of an edge operator that balancers call: which vertices are walked, one edge, the end of a vertex.

use gw_ir::analysis::calls::draws;
use gw_ir::expr::ReduceOp;
use gw_ir::meta::Direction;
use gw_ir::module::{Function, Module};
use gw_ir::operator::{EdgeOutput, EdgeSetIterator, VertexFilter};
use gw_ir::types::Scalar;

use super::edge_plan::Plan;
use super::function::{Gathered, function_name, neutral, reduction};
use super::operator::{capture_arguments, drawn, filter_call};
use super::text::{Code, c_name, type_name};
use super::together::Together;

const METHOD: &str = "__device__ __forceinline__";

/// What the members are made from.
pub(super) struct Members<'a> {
    pub(super) module: &'a Module,
    pub(super) op: &'a EdgeSetIterator,
    pub(super) plan: &'a Plan,
    /// The function in two, where lanes find common neighbours together.
    pub(super) together: Option<&'a Together>,
    /// What is gathered for the owner before it is stored.
    pub(super) gathered: &'a [Gathered],
    /// The owner is enqueued at most once, when all its edges were visited.
    pub(super) owner_enqueues_once: bool,
    pub(super) apply: &'a Function,
}

impl Members<'_> {
    /// The test of a vertex as a source; `None` where all pass.
    fn source_test(&self, v: &str) -> Option<String> {
        match &self.op.from {
            VertexFilter::All => None,
            VertexFilter::Set(_) => Some(format!("(from_all || from.{}({v}))", self.plan.input.test())),
            VertexFilter::Function(f) => Some(filter_call(self.module, f, "from", v)),
        }
    }

    /// The test of a vertex as a destination; `None` where all pass.
    fn to_test(&self, v: &str) -> Option<String> {
        match &self.op.to {
            VertexFilter::All => None,
            VertexFilter::Set(_) => Some(format!("(to_all || to.has_bit({v}))")),
            VertexFilter::Function(f) => Some(filter_call(self.module, f, "to", v)),
        }
    }

    /// Something is gathered.
    fn gathers(&self) -> bool {
        !self.gathered.is_empty() || self.owner_enqueues_once
    }

    /// The weight of the edge `e` in an array of the graph; empty without weights.
    fn weight(&self, array: &str) -> Option<String> {
        let scalar = self.plan.weight?;
        Some(format!("({})gw::edge_value(graph.{array} + e)", type_name(scalar)))
    }

    /// The call of the user's function for one edge, and what becomes of its answer.
    fn visit(&self) -> String {
        let mut arguments = capture_arguments(self.apply, "apply");
        arguments.extend(["src".to_string(), "dst".to_string()]);
        if self.plan.weight.is_some() {
            arguments.push("weight".to_string());
        }
        if self.gathers() {
            arguments.push("partial".to_string());
        }
        if draws(self.module, &self.op.apply.name) {
            arguments.push(drawn("apply", "src", "dst"));
        }
        let call = format!("{}({})", function_name(&self.op.apply.name), arguments.join(", "));
        let accepted = matches!(self.op.output, EdgeOutput::Accepted { .. }) && !self.op.meta.udf_enqueues;
        match accepted {
            true => format!("if ({call}) insert(dst);"),
            false => format!("{call};"),
        }
    }

    /// The tests of an edge that were not made for its owner, in their order: sets first, then the `from` and the `to`
    /// function.
    fn edge_tests(&self) -> Vec<String> {
        let (op, plan) = (self.op, self.plan);
        let by_function = |filter: &VertexFilter| matches!(filter, VertexFilter::Function(_));
        // A test is late, of the other end, or both ends are the edge's own.
        let from =
            self.source_test("src").filter(|_| plan.edge_only || plan.incoming || (plan.late && by_function(&op.from)));
        let to = self.to_test("dst").filter(|_| plan.edge_only || !plan.incoming || (plan.late && by_function(&op.to)));
        // The function itself makes the test of a push.
        let to = to.filter(|_| plan.edge_only || plan.incoming || !op.meta.to_folded);
        match plan.late && by_function(&op.from) && !by_function(&op.to) {
            true => to.into_iter().chain(from).collect(),
            false => from.into_iter().chain(to).collect(),
        }
    }
}

/// Which vertices are walked, and where their lists lie.
pub(super) fn vertex_members(code: &mut Code, members: &Members<'_>) {
    let Members { op, plan, .. } = *members;
    if plan.edge_only {
        return;
    }
    let queue = plan.direction == Direction::Push && matches!(op.from, VertexFilter::Set(_));
    let count = if queue { "from_size" } else { "graph.vertices" };
    code.line(format!("{METHOD} unsigned active() const {{ return {count}; }}"));
    code.open(format!("{METHOD} int vertex(unsigned i)"));
    code.line(if queue { "const int v = from_all ? (int)i : from.queue[i];" } else { "const int v = (int)i;" });
    if let Some(repeat) = plan.input_repeat.filter(|_| queue) {
        code.line(format!("if (!from_all && {repeat}) return -1;"));
    }
    let test = match plan.direction {
        Direction::Push => match op.from {
            VertexFilter::Function(_) => members.source_test("v"),
            _ => None,
        },
        Direction::DensePush => members.source_test("v"),
        Direction::Pull => members.to_test("v"),
    };
    let by_function = matches!(if plan.incoming { &op.to } else { &op.from }, VertexFilter::Function(_));
    match test.filter(|_| !(by_function && plan.late)) {
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
    code.line(format!("{METHOD} Offset first(int v) const {{ return {first}; }}"));
    code.line(format!("{METHOD} gw::Range<Offset> range(int v) const {{ return {range}; }}"));
    let begin: Vec<String> = members
        .gathered
        .iter()
        .map(|g| neutral(g.op, g.scalar))
        .chain(members.owner_enqueues_once.then(|| "false".to_string()))
        .collect();
    code.line(format!("{METHOD} Partial begin(int) const {{ return Partial{{{}}}; }}", begin.join(", ")));
}

/// One edge.
pub(super) fn edge_member(code: &mut Code, members: &Members<'_>) {
    if members.plan.edge_only {
        return edge_of_list(code, members);
    }
    let Members { plan, .. } = *members;
    let array = if plan.incoming { "in_weights" } else { "out_weights" };
    let weight = members.weight(array);
    let tests = members.edge_tests();
    if let Some(together) = members.together {
        together.members(
            code,
            plan.incoming,
            tests.first().map(String::as_str),
            weight.as_deref(),
            &capture_arguments(members.apply, "apply"),
            members.gathers(),
        );
    }
    code.open(format!("{METHOD} bool edge(int owner, Offset e, Partial& partial)"));
    ends(code, plan);
    for test in &tests {
        code.line(format!("if (!{test}) return true;"));
    }
    if let Some(weight) = weight {
        code.line(format!("const auto weight = {weight};"));
    }
    code.line(members.visit());
    match (plan.early_exit, members.to_test("dst")) {
        (true, Some(test)) => code.line(format!("return {test};")),
        _ => code.line("return true;"),
    }
    code.close("");
}

/// One edge of a list of edges, which has no owner.
fn edge_of_list(code: &mut Code, members: &Members<'_>) {
    code.line(format!("{METHOD} Offset active() const {{ return (Offset)graph.list_edges; }}"));
    code.open(format!("{METHOD} void edge(Offset e)"));
    code.line("const int src = graph.list_source(e), dst = graph.list_destination(e);");
    for test in members.edge_tests() {
        code.line(format!("if (!{test}) return;"));
    }
    if let Some(weight) = members.weight("list_weights") {
        code.line(format!("const auto weight = {weight};"));
    }
    code.line(members.visit());
    code.close("");
}

/// The ends of the edge `e` of an owner.
fn ends(code: &mut Code, plan: &Plan) {
    if plan.incoming {
        code.line("const int dst = owner, src = gw::edge_value(graph.in_neighbours + e);");
        return;
    }
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

/// The end of a vertex: what was gathered is stored.
pub(super) fn end_member(code: &mut Code, members: &Members<'_>) {
    let Members { plan, owner_enqueues_once, .. } = *members;
    if plan.edge_only {
        return;
    }
    code.open(format!("template <int LANES, bool WHOLE> {METHOD} void end(int v, Partial& partial)"));
    if members.gathers() {
        for g in members.gathered {
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
        for g in members.gathered {
            code.line(store(g, if plan.repeats { "false" } else { "WHOLE" }));
        }
        if owner_enqueues_once {
            code.line("if (partial.out) insert(v);");
        }
    }
    code.close("");
}

/// Stores what was gathered of an entry. `whole`: the group has seen all edges of the vertex.
fn store(g: &Gathered, whole: &str) -> String {
    let member = format!("partial.{}", c_name(&g.vector));
    let cell = format!("&{}", g.cell);
    let (plain, atomic) = (reduction(g.op, false), reduction(g.op, true));
    let test = match g.op {
        ReduceOp::Sum if g.scalar != Scalar::Bool => format!("if ({member} != 0) "),
        _ => String::new(),
    };
    format!("{test}{{ if ({whole}) gw::{plain}({cell}, {member}); else gw::{atomic}({cell}, {member}); }}")
}
