//! Graphs of which every process has a share: who owns what, and what is counted in parts.

use std::sync::Arc;

use gw_exec::{ErrorKind, Result, Scalar, Value, Vector, VertexSet};
use gw_graph::{Graph, Share};
use gw_ir::builtin::Builtin;
use gw_ir::expr::ExprKind;
use gw_ir::module::Module;
use gw_ir::source::Span;
use gw_ir::walk;

use crate::cut::Cut;
use crate::message::Writer;
use crate::session::Session;
use crate::sets::sum_until;

/// What is said when somebody looks at the out-degrees of a graph in parts before the first operator.
pub(crate) const TOO_EARLY: &str =
    "out-degrees of a graph in parts are known to `main` after its first operator; give the graph as one file";

/// The first statement that has common neighbours counted or random ones drawn, of any vertices, and what it does.
pub(crate) fn looks_around(module: &Module) -> Option<(&'static str, Span)> {
    let mut found = None;
    for body in walk::bodies(module) {
        walk::walk_stmts(body, &mut |stmt| {
            walk::stmt_exprs(stmt, &mut |expr| {
                walk::walk_expr(expr, &mut |expr| {
                    let does = match expr.kind {
                        ExprKind::IntersectNeighbor { .. } => "counts common neighbours of any two vertices",
                        ExprKind::Builtin(Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor, _) => {
                            "draws random neighbours of any vertex"
                        }
                        _ => return,
                    };
                    found.get_or_insert((does, stmt.span));
                });
            });
        });
    }
    found
}

/// The cut of a graph in parts: every process cuts its own share among its workers and tells the others.
pub(crate) fn agree(session: &mut Session, graph: &Graph) -> Result<Cut> {
    let (worker, workers) = session.among_own();
    let bounds = graph.cuts(workers, true);
    let mut message = Writer::default();
    message.u32(bounds[worker]);
    message.u32(bounds[worker + 1]);
    let messages = session.broadcast(message)?;
    let mut readers = Session::readers(&messages);
    let ranges: Vec<_> = readers.iter_mut().map(|reader| reader.u32()..reader.u32()).collect();
    session.intact(&readers)?;
    Cut::of_ranges(&ranges, graph.vertices()).ok_or_else(|| {
        let reason = "the parts of the graph that the processes have do not fit together: process K loads part K";
        session.end(reason);
        ErrorKind::Elsewhere(reason.to_string()).into()
    })
}

/// The out-degrees of the vertices of a share; those of all others are 0.
pub(crate) fn out_degrees(graph: &Graph, share: &Share, scalar: Scalar) -> Result<Vector> {
    let degrees = Vector::zeros(scalar, &[graph.vertices()])?;
    for v in share.range.clone() {
        let degree = graph.out().degree(v);
        let value = if scalar == Scalar::Uint { Value::Uint(degree as u32) } else { Value::Int(degree as i32) };
        degrees.set(v as usize, &value);
    }
    Ok(degrees)
}

/// The edges that leave a set, all workers together; `enough` or more where there are as many. All workers get the
/// same number, also that which is taken before the run has begun: by the mean degree.
pub(crate) fn frontier_edges(
    session: Option<&mut Session>,
    set: &VertexSet,
    graph: &Arc<Graph>,
    share: &Share,
    enough: u64,
) -> Result<u64> {
    let vertices = graph.vertices();
    let Some(session) = session else {
        return Ok((set.len()? as u64).saturating_mul(share.edges.div_ceil(vertices.max(1) as u64)));
    };
    let (worker, workers) = session.among_own();
    let bounds = graph.cuts(workers, true);
    let own = bounds[worker]..bounds[worker + 1];
    let edges = sum_until(set, own, vertices, |v| graph.out().degree(v) as u64, enough)?;
    session.sum(edges)
}
