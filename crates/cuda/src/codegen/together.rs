//! Edge functions that add up common neighbours, taken apart into a condition and a sum, so that lanes can find parts
//! of the sum together: `if <condition>  x += intersectNeighbor(graph, src, dst)  end`.

use gw_ir::analysis::operator::{EdgeOrder, ScalarReduction};
use gw_ir::expr::{Expr, ExprKind, ReduceOp};
use gw_ir::meta::IntersectionKind;
use gw_ir::module::{Function, Param};
use gw_ir::operator::EdgeSetIterator;
use gw_ir::source::Name;
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::Type;
use gw_ir::walk;

use super::function::{Gathered, function_name};
use super::text::Code;

/// The header with the balancer, and its call.
pub(crate) const HEADER: &str = "intersect_together.cuh";
pub(crate) const CALL: &str = "gw::balance_intersections(op, scratch, run.grid)";

/// An edge function in two.
#[derive(Debug)]
pub(crate) struct Together {
    /// The function's parameters and captures; its result says whether the sum grows.
    pub(crate) wants: Function,
    /// Of the owner and a number: adds the number.
    pub(crate) found: Function,
    /// What the condition says about the numbers of the ends.
    part: Part,
    /// Common neighbours count up to the owner, not up to the other end.
    limit_is_owner: bool,
}

/// The edges of an owner that can be wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    ToAbove,
    ToBelow,
}

/// Takes the function of an operator without output apart, if it is such a function. Sums go where parts of them can
/// go: into scalars that are `summed`, and into entries of the owner that are `gathered`.
pub(crate) fn take_apart(
    apply: &Function,
    op: &EdgeSetIterator,
    incoming: bool,
    order: EdgeOrder,
    gathered: &[Gathered],
    summed: &[ScalarReduction],
) -> Option<Together> {
    let body = apply.body.as_deref()?;
    let [src, dst] = [apply.params.first()?, apply.params.get(1)?];
    let (owner, other) = if incoming { (dst, src) } else { (src, dst) };

    // One sum; around it declarations and branches, and nothing that has an effect.
    let mut sum = None;
    let mut sums = 0;
    let mut pure = apply.result.is_none();
    walk::walk_stmts(body, &mut |s| match &s.kind {
        StmtKind::VarDecl { .. } | StmtKind::If { .. } | StmtKind::Scope(_) => {}
        StmtKind::Eval(Expr { kind: ExprKind::Reduce { op: ReduceOp::Sum, target, value, .. }, .. }) => {
            sums += 1;
            sum = Some((target, value));
        }
        _ => pure = false,
    });
    let mut intersections = 0;
    walk::walk_block_exprs(body, &mut |e| match &e.kind {
        ExprKind::IntersectNeighbor { .. } => intersections += 1,
        ExprKind::Reduce { .. }
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Var(_)
        | ExprKind::Element { .. }
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Convert(_)
        | ExprKind::Builtin(..) => {}
        _ => pure = false,
    });
    let (target, value) = sum?;
    if !pure || sums != 1 || intersections != 1 {
        return None;
    }
    let ExprKind::IntersectNeighbor { args, meta } = &unconverted(value).kind else { return None };
    let [graph, u, v] = args.as_slice() else { return None };
    let [u, v] = [u.as_var()?, v.as_var()?];
    let ends = (*u == owner.name && *v == other.name) || (*u == other.name && *v == owner.name);
    if meta.kind != Some(IntersectionKind::Combined) || graph.as_var() != op.graph.as_var() || !ends {
        return None;
    }
    let known = match &target.kind {
        ExprKind::Var(name) => summed.iter().any(|s| s.name == *name && s.op == ReduceOp::Sum),
        ExprKind::Element { vector, index, .. } => {
            let of = |g: &Gathered| Some(&g.vector) == vector.as_var() && g.op == ReduceOp::Sum;
            index.as_var() == Some(&owner.name) && gathered.iter().any(of)
        }
        _ => false,
    };
    if !known {
        return None;
    }
    let limit_is_owner = *v == owner.name;
    let part = match order {
        EdgeOrder::Any => Part::All,
        EdgeOrder::SourceGreater if incoming => Part::ToAbove,
        EdgeOrder::SourceLess if !incoming => Part::ToAbove,
        EdgeOrder::SourceGreater | EdgeOrder::SourceLess => Part::ToBelow,
    };
    let (target, value) = (target.as_ref().clone(), value.as_ref().clone());
    Some(Together { wants: wants(apply), found: found(apply, owner, target, value), part, limit_is_owner })
}

/// A number without the conversions around it.
fn unconverted(mut value: &Expr) -> &Expr {
    while let ExprKind::Convert(inner) = &value.kind {
        value = inner;
    }
    value
}

/// A name that the function does not use.
fn fresh(function: &Function, like: &str) -> Name {
    let mut name = like.to_string();
    let locals = function.locals();
    let named = || function.params.iter().chain(&function.captures).chain(&locals);
    while named().any(|p| *p.name == *name) || walk::block_mentions(function.body.as_deref().unwrap_or_default(), &name)
    {
        name.push('_');
    }
    name.into()
}

/// Names that no function of a program can have.
const WANTS: &str = "1wants";
const FOUND: &str = "1found";

/// The function with a note in place of the sum.
fn wants(apply: &Function) -> Function {
    let mut function = apply.clone();
    function.name = WANTS.into();
    let wanted = Param { name: fresh(apply, "wanted"), ty: Type::BOOL };
    walk::walk_stmts_mut(function.body.as_mut().map_or(&mut [], Vec::as_mut_slice), &mut |s| {
        if let StmtKind::Eval(Expr { kind: ExprKind::Reduce { .. }, .. }) = &s.kind {
            *s = Stmt::assign(Expr::var(wanted.name.clone(), Type::BOOL), Expr::bool(true)).at(s.span);
        }
    });
    function.result = Some(wanted);
    function
}

/// The sum with a parameter in place of the intersection.
fn found(apply: &Function, owner: &Param, target: Expr, mut value: Expr) -> Function {
    let number = Param { name: fresh(apply, "number"), ty: Type::INT };
    walk::walk_expr_mut(&mut value, &mut |e| {
        if matches!(e.kind, ExprKind::IntersectNeighbor { .. }) {
            *e = Expr::var(number.name.clone(), Type::INT);
        }
    });
    let ty = Type::BOOL;
    let kind = ExprKind::Reduce {
        op: ReduceOp::Sum,
        target: Box::new(target),
        value: Box::new(value),
        meta: Default::default(),
    };
    let mut function = apply.clone();
    function.name = FOUND.into();
    function.captures.clear();
    function.params = vec![owner.clone(), number];
    function.body = Some(vec![Stmt::eval(Expr::new(kind, ty)).at(apply.span)]);
    function
}

impl Together {
    /// The members that the balancer asks for. `test` is the filter of the other end, `weight` the code of the edge's
    /// weight, `captures` are those of the function.
    pub(crate) fn members(
        &self,
        code: &mut Code,
        incoming: bool,
        test: Option<&str>,
        weight: Option<&str>,
        captures: &[String],
        gathers: bool,
    ) {
        let method = "__device__ __forceinline__";
        let part = match self.part {
            Part::All => "gw::ALL_EDGES",
            Part::ToAbove => "gw::TO_ABOVE",
            Part::ToBelow => "gw::TO_BELOW",
        };
        code.line(format!("static constexpr gw::Part PART = {part};"));
        code.line(format!("static constexpr bool LIMIT_IS_OWNER = {};", self.limit_is_owner));
        let (list, ends) = match incoming {
            true => ("in_neighbours", "const int dst = owner, src = other;"),
            false => ("out_neighbours", "const int src = owner, dst = other;"),
        };
        code.line(format!("{method} int other(Offset e) const {{ return gw::edge_value(graph.{list} + e); }}"));
        code.open(format!("{method} bool wants(int owner, int other, Offset e)"));
        code.line(ends);
        if let Some(test) = test {
            code.line(format!("if (!{test}) return false;"));
        }
        let mut arguments = captures.to_vec();
        arguments.extend(["src".to_string(), "dst".to_string()]);
        if let Some(weight) = weight {
            code.line(format!("const auto weight = {weight};"));
            arguments.push("weight".to_string());
        }
        code.line(format!("return {}({});", function_name(WANTS), arguments.join(", ")));
        code.close("");
        let partial = if gathers { ", partial" } else { "" };
        code.line(format!(
            "{method} void found(int owner, int n, Partial& partial) {{ {}(owner, n{partial}); }}",
            function_name(FOUND)
        ));
    }
}
