//! Frontier reuse: when the input set of an operator is deleted before anything else looks at it, the output may take
//! over its storage and the `delete` goes.

use super::{PassContext, PassError};
use crate::module::Module;
use crate::operator::{EdgeOutput, Operator, VertexFilter};
use crate::source::Name;
use crate::stmt::{Block, Stmt, StmtKind};
use crate::walk::{bodies_mut, stmt_mentions};

/// Marks operators whose input set dies right after them.
pub fn frontier_reuse(mut module: Module, _: &PassContext) -> Result<Module, PassError> {
    let globals: Vec<Name> = module.globals.iter().map(|g| g.name.clone()).collect();
    for body in bodies_mut(&mut module) {
        reuse_in(body, &globals);
    }
    Ok(module)
}

fn reuse_in(block: &mut Block, globals: &[Name]) {
    for stmt in block.iter_mut() {
        for inner in stmt.blocks_mut() {
            reuse_in(inner, globals);
        }
    }
    let mut i = 0;
    while i < block.len() {
        if let Some(delete) = input_of(&block[i])
            .filter(|input| !globals.contains(input) && !writes(&block[i], input))
            .and_then(|input| dies(&block[i + 1..], &input).map(|n| i + 1 + n))
        {
            block.remove(delete);
            if let Some(Operator::EdgeSetIterator(e)) = block[i].operator_mut() {
                e.meta.can_reuse_frontier = true;
            }
        }
        i += 1;
    }
}

/// The input set of an edge operator with an output.
fn input_of(stmt: &Stmt) -> Option<Name> {
    match stmt.operator()? {
        Operator::EdgeSetIterator(e) if e.output != EdgeOutput::None => match &e.from {
            VertexFilter::Set(set) => set.as_var().cloned(),
            _ => None,
        },
        _ => None,
    }
}

/// `F = edges.from(F)...`: F names the output afterwards.
fn writes(stmt: &Stmt, name: &str) -> bool {
    matches!(&stmt.kind, StmtKind::Assign { target, .. } if target.place_root().is_some_and(|n| &**n == name))
}

/// Position of the `delete` that is the next mention of the set in this statement list.
fn dies(rest: &[Stmt], set: &str) -> Option<usize> {
    for (i, stmt) in rest.iter().enumerate() {
        if matches!(&stmt.kind, StmtKind::Delete(e) if e.as_var().is_some_and(|n| &**n == set)) {
            return Some(i);
        }
        if stmt_mentions(stmt, set) || stmt.blocks().iter().any(|b| crate::walk::block_mentions(b, set)) || leaves(stmt)
        {
            return None;
        }
    }
    None
}

/// A `break` may skip the delete; the set would then live on without its storage.
fn leaves(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Break) || stmt.blocks().iter().any(|b| b.iter().any(leaves))
}
