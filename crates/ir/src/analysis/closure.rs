//! Loops that visit what was modified until nothing is: the closure of a set under an operator.

use crate::builtin::Builtin;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::module::Module;
use crate::operator::{Operator, VertexFilter};
use crate::source::Name;
use crate::stmt::{Block, Stmt, StmtKind};
use crate::walk;

/// The edge operators that are the whole work of a `while` loop directly in a function: each round visits the edges of
/// the set that the last one returned, and the loop ends when that set is empty, or after as many rounds as there are
/// vertices, which nobody counts otherwise. What such a loop leaves behind does not depend on how many rounds it takes,
/// if what the operator does to a vertex twice is as good as once.
pub fn closing_operators(module: &Module) -> Vec<&Operator> {
    let mut found = Vec::new();
    for body in walk::bodies(module) {
        for stmt in body {
            if let StmtKind::While { condition, body: round, .. } = &stmt.kind
                && let Some(operators) = closes(condition, round, body, stmt)
            {
                found.extend(operators);
            }
        }
    }
    found
}

/// What a round of a loop may consist of.
struct Round<'m> {
    frontier: &'m Name,
    counters: Vec<&'m Name>,
    /// The set that the operators return.
    next: Option<&'m Name>,
    operators: Vec<&'m Operator>,
    /// The next frontier is what the operators returned.
    goes_on: bool,
}

fn closes<'m>(condition: &'m Expr, round: &'m Block, around: &[Stmt], this: &Stmt) -> Option<Vec<&'m Operator>> {
    let (mut frontier, mut counters) = (None, Vec::new());
    for part in conjuncts(condition) {
        let ExprKind::Binary(op, left, right) = &part.kind else { return None };
        match (&left.kind, &right.kind, op) {
            (ExprKind::Builtin(Builtin::VertexSetSize, args), ExprKind::Int(0), BinaryOp::Ne | BinaryOp::Gt) => {
                let [set] = &args[..] else { return None };
                if frontier.replace(variable(set)?).is_some() {
                    return None;
                }
            }
            // No chain of modifications that matters is longer than there are vertices; any other bound cuts some off.
            (ExprKind::Var(counter), ExprKind::Builtin(Builtin::VertexCount, _), BinaryOp::Lt) => {
                counters.push(counter)
            }
            _ => return None,
        }
    }
    let mut known = Round { frontier: frontier?, counters, next: None, operators: Vec::new(), goes_on: false };
    round.iter().try_for_each(|stmt| known.take(stmt))?;
    let elsewhere = |name: &&Name| {
        let others = around.iter().filter(|stmt| !std::ptr::eq(*stmt, this));
        others.into_iter().any(|stmt| walk::block_mentions(std::slice::from_ref(stmt), name))
    };
    let is_whole = known.goes_on && !known.operators.is_empty() && !known.counters.iter().any(elsewhere);
    is_whole.then_some(known.operators)
}

impl<'m> Round<'m> {
    /// Takes a statement for what it is in such a round; `None` when it is something else.
    fn take(&mut self, stmt: &'m Stmt) -> Option<()> {
        match &stmt.kind {
            StmtKind::VarDecl { name, init: None, .. } => self.returns(name),
            StmtKind::VarDecl { name, init: Some(value), .. } => self.operator(name, value),
            StmtKind::Assign { target, value } => {
                let target = variable(target)?;
                if target == self.frontier {
                    self.goes_on = Some(variable(value)?) == self.next;
                    return self.goes_on.then_some(());
                }
                if self.counters.contains(&target) {
                    let ExprKind::Binary(BinaryOp::Add, left, right) = &value.kind else { return None };
                    return (variable(left)? == target && right.kind == ExprKind::Int(1)).then_some(());
                }
                self.operator(target, value)
            }
            StmtKind::Eval(expr) => match &expr.kind {
                ExprKind::Operator(operator) => match &**operator {
                    Operator::VertexSetDedup(dedup) if Some(variable(&dedup.set)?) == self.next => Some(()),
                    _ => None,
                },
                _ => None,
            },
            StmtKind::Delete(expr) => (variable(expr)? == self.frontier).then_some(()),
            StmtKind::Hybrid(hybrid) => hybrid.variants.iter().flatten().try_for_each(|stmt| self.take(stmt)),
            _ => None,
        }
    }

    fn returns(&mut self, name: &'m Name) -> Option<()> {
        (*self.next.get_or_insert(name) == name && name != self.frontier).then_some(())
    }

    fn operator(&mut self, returned: &'m Name, value: &'m Expr) -> Option<()> {
        self.returns(returned)?;
        let ExprKind::Operator(operator) = &value.kind else { return None };
        let Operator::EdgeSetIterator(edges) = &**operator else { return None };
        let VertexFilter::Set(from) = &edges.from else { return None };
        let mentioned = walk::variables(value);
        let counts = self.counters.iter().any(|counter| mentioned.contains(counter));
        (variable(from)? == self.frontier && !counts).then(|| self.operators.push(operator))
    }
}

fn conjuncts(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => [conjuncts(left), conjuncts(right)].concat(),
        _ => vec![expr],
    }
}

fn variable(expr: &Expr) -> Option<&Name> {
    match &expr.kind {
        ExprKind::Var(name) => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many operators of `main` close a loop.
    fn closing(body: &str) -> usize {
        let text = format!(
            "element Vertex end
element Edge end
const edges : edgeset{{Edge}}(Vertex,Vertex) = load(argv[1]);
const vertices : vertexset{{Vertex}} = edges.getVertices();
const label : vector{{Vertex}}(int) = 0;
const depth : int = 0;
func spread(src : Vertex, dst : Vertex)
    label[dst] min= label[src];
end
func offset[by : int](src : Vertex, dst : Vertex)
    label[dst] min= label[src] + by;
end
func main()
    var frontier : vertexset{{Vertex}} = new vertexset{{Vertex}}(vertices.size());
    var rounds : int = 0;
{body}
end
"
        );
        let front = gw_lang::compile_front(&gw_lang::SourceFile::new("closure.gt", &text)).unwrap();
        let module = crate::lower(&front.typed, &text).unwrap();
        closing_operators(&module).len()
    }

    #[test]
    fn only_loops_that_count_nothing_close() {
        let while_loop = |condition: &str, apply: &str, more: &str| {
            format!(
                "    while {condition}
        var next : vertexset{{Vertex}} = edges.from(frontier).applyModified({apply}, label);
        delete frontier;
        frontier = next;
        {more}
    end
"
            )
        };
        let (full, counted) = ("frontier.getVertexSetSize() != 0", "rounds = rounds + 1;");
        let bounded = format!("{full} and rounds < vertices.size()");
        assert_eq!(closing(&while_loop(full, "spread", "")), 1);
        assert_eq!(closing(&while_loop(&bounded, "spread", counted)), 1);
        // Hops are limited, counted for somebody else, used, or something else is done beside.
        assert_eq!(closing(&while_loop(full, "spread", counted)), 0);
        assert_eq!(closing(&format!("{}    depth = rounds;\n", while_loop(&bounded, "spread", counted))), 0);
        assert_eq!(closing(&while_loop(&bounded, "offset[rounds]", counted)), 0);
        assert_eq!(closing(&while_loop(&bounded, "spread", "depth = depth + 1;")), 0);
        assert_eq!(closing(&while_loop("rounds < 3", "spread", counted)), 0);
        assert_eq!(closing(&while_loop(&format!("{full} and rounds < 3"), "spread", counted)), 0);
        assert_eq!(closing(&format!("    if depth == 0\n{}    end\n", while_loop(full, "spread", ""))), 0);
    }
}
