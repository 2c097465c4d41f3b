//! Calls that stand for the body of the function: those of functions that run operators.
//!
//! Lowering puts the body of such a function in place of the call, so that every machine sees one `main` with all
//! operators and the loops around them. Functions that call themselves, directly or not, stay functions, and so do
//! those called where no statement can stand before: in the condition of a loop, in its bounds, on the right side of
//! `and` and `or`.
//!
//! **Labels.** A label path goes through calls. Where a function is called once, from a place without labels around it,
//! its labels are as they are written. Else a scope comes before them: the label of the calling statement, or the name
//! of the function (`search`, and `search_2` for the second such call in a function). So every place has a path of its
//! own, and a path as written in its function means the place in all copies.

use crate::source::Span;
use crate::typed::{Expr, ExprKind, FuncKind, FuncUse, Function, Stmt, StmtKind, TypedProgram};
use crate::types::{FuncId, Type};
use crate::visit;
use std::collections::{HashMap, HashSet};

/// Most statements that copies of functions may have together; calls beyond that stay calls.
pub const MOST_COPIED: usize = 20_000;

/// Most calls inside one another whose functions are copied; calls inside them stay calls.
pub const MOST_NESTED: usize = 32;

/// The calls that stand for bodies.
pub struct Inlined {
    /// By the calling function and the place of the name.
    sites: HashMap<(FuncId, Span), Site>,
    /// Statements of each function, those inside others included.
    sizes: Vec<usize>,
}

/// A call that stands for a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// What comes before the labels of the function.
    pub scope: Option<String>,
}

/// What copies may still cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Statements.
    pub statements: usize,
    /// Calls inside one another.
    pub nested: usize,
}

impl Default for Allowance {
    fn default() -> Self {
        Allowance { statements: MOST_COPIED, nested: MOST_NESTED }
    }
}

/// A call in a function.
struct Call {
    callee: usize,
    span: Span,
    /// The label of the statement that calls.
    label: Option<String>,
    /// Whether a labelled statement stands around that statement.
    in_labelled: bool,
}

impl Inlined {
    /// The calls of a program that stand for bodies.
    pub fn of(program: &TypedProgram) -> Inlined {
        let calls: Vec<Vec<Call>> = program.functions.iter().map(calls_of).collect();
        let wanted = wanted(program, &calls);
        let many = many(&calls);
        let mut sites = HashMap::new();
        for (caller, calls) in calls.iter().enumerate() {
            let mut scopes = labels_of(&program.functions[caller]);
            for call in calls.iter().filter(|call| wanted[call.callee]) {
                let scope = match &call.label {
                    Some(label) => Some(label.clone()),
                    None if many[call.callee] || call.in_labelled => {
                        let name = &program.functions[call.callee].name;
                        let mut names = (1..).map(|n| if n == 1 { name.clone() } else { format!("{name}_{n}") });
                        names.find(|name| scopes.insert(name.clone()))
                    }
                    None => None,
                };
                sites.insert((FuncId(caller as u32), call.span), Site { scope });
            }
        }
        let size = |function: &Function| {
            let mut size = 0;
            visit::stmts(&function.body, &mut |_| size += 1);
            size
        };
        Inlined { sites, sizes: program.functions.iter().map(size).collect() }
    }

    /// The call of `func` in `caller`, if it stands for the body; takes the body from the allowance.
    pub fn take(&self, caller: FuncId, func: &FuncUse, left: &mut Allowance) -> Option<&Site> {
        let site = self.sites.get(&(caller, func.span))?;
        let size = self.sizes.get(func.func.0 as usize)?;
        left.statements = left.statements.checked_sub(size + 1)?;
        (left.nested > 0).then_some(site)
    }

    /// Whether any call in `caller` stands for a body.
    pub fn is_in(&self, caller: FuncId, expr: &Expr) -> bool {
        let mut found = false;
        visit::expr(expr, &mut |e| {
            found |= matches!(&e.kind, ExprKind::Call { func, .. } if self.sites.contains_key(&(caller, func.span)));
        });
        found
    }
}

/// The calls of a function, in the order of its text.
fn calls_of(function: &Function) -> Vec<Call> {
    fn walk(body: &[Stmt], in_labelled: bool, out: &mut Vec<Call>) {
        for stmt in body {
            let is_if = matches!(stmt.kind, StmtKind::If { .. });
            let label = stmt.label.as_ref().filter(|_| !is_if).map(|label| label.name.clone());
            let holds = !visit::blocks(stmt).is_empty();
            visit::exprs(stmt, &mut |e| {
                if let ExprKind::Call { func, .. } = &e.kind {
                    let label = label.clone().filter(|_| !holds);
                    out.push(Call { callee: func.func.0 as usize, span: func.span, label, in_labelled });
                }
            });
            for inner in visit::blocks(stmt) {
                walk(inner, in_labelled || label.is_some(), out);
            }
        }
    }
    let mut out = Vec::new();
    walk(&function.body, false, &mut out);
    out
}

fn labels_of(function: &Function) -> HashSet<String> {
    let mut labels = HashSet::new();
    visit::stmts(&function.body, &mut |stmt| labels.extend(stmt.label.as_ref().map(|label| label.name.clone())));
    labels
}

/// The functions whose calls stand for their bodies.
fn wanted(program: &TypedProgram, calls: &[Vec<Call>]) -> Vec<bool> {
    let count = calls.len();
    let mut callers = vec![Vec::new(); count];
    for (caller, calls) in calls.iter().enumerate() {
        calls.iter().for_each(|call| callers[call.callee].push(caller));
    }
    let callees: Vec<Vec<usize>> = calls.iter().map(|calls| calls.iter().map(|call| call.callee).collect()).collect();
    // What runs operators, and whatever calls that.
    let mut runs: Vec<bool> = program.functions.iter().map(runs_operators).collect();
    let mut open: Vec<usize> = (0..count).filter(|&f| runs[f]).collect();
    while let Some(function) = open.pop() {
        for &caller in &callers[function] {
            if !std::mem::replace(&mut runs[caller], true) {
                open.push(caller);
            }
        }
    }
    let mut left = vec![true; count];
    peel(&callees, &callers, &mut left);
    peel(&callers, &callees, &mut left);
    let is_main = |f: usize| program.main == Some(FuncId(f as u32));
    (0..count).map(|f| runs[f] && !left[f] && program.functions[f].kind == FuncKind::Plain && !is_main(f)).collect()
}

/// Takes away functions without an arrow to one that is left, again and again: circles stay.
fn peel(to: &[Vec<usize>], from: &[Vec<usize>], left: &mut [bool]) {
    let mut arrows: Vec<usize> = to.iter().map(|to| to.iter().filter(|&&f| left[f]).count()).collect();
    let mut open: Vec<usize> = (0..to.len()).filter(|&f| left[f] && arrows[f] == 0).collect();
    while let Some(function) = open.pop() {
        left[function] = false;
        for &other in from[function].iter().filter(|&&other| left[other]) {
            arrows[other] -= 1;
            if arrows[other] == 0 {
                open.push(other);
            }
        }
    }
}

/// Whether the body of a function has an operator, loads something or is empty, or the function works on sets, lists or
/// queues that are given to it.
fn runs_operators(function: &Function) -> bool {
    let given = function.captures.iter().chain(&function.params).map(|id| &function.local(*id).ty);
    let mut found = given.into_iter().any(is_for_hosts) || function.body.is_empty();
    visit::stmts(&function.body, &mut |stmt| {
        visit::exprs(stmt, &mut |e| {
            found |= matches!(
                e.kind,
                ExprKind::EdgeApply(_)
                    | ExprKind::Groups(_)
                    | ExprKind::VertexApply { .. }
                    | ExprKind::VertexFilter { .. }
                    | ExprKind::VertexApplyExtern { .. }
                    | ExprKind::Load { .. }
            );
        });
    });
    found
}

/// Whether only functions that run operators can work on values of this type.
fn is_for_hosts(ty: &Type) -> bool {
    matches!(ty, Type::VertexSet(_) | Type::List(_) | Type::PriorityQueue { .. })
}

/// The functions that are called at more than one place, or by one of these.
fn many(calls: &[Vec<Call>]) -> Vec<bool> {
    let mut sites = vec![0usize; calls.len()];
    calls.iter().flatten().for_each(|call| sites[call.callee] += 1);
    let mut many: Vec<bool> = sites.iter().map(|&sites| sites > 1).collect();
    let mut open: Vec<usize> = (0..calls.len()).filter(|&f| many[f]).collect();
    while let Some(function) = open.pop() {
        for call in &calls[function] {
            if !std::mem::replace(&mut many[call.callee], true) {
                open.push(call.callee);
            }
        }
    }
    many
}

#[cfg(test)]
mod tests {
    use crate::{SourceFile, check, label_paths, parse};

    /// The label paths of a program with a function `search`, called by `main`.
    fn paths(functions: &str, main: &str) -> Vec<String> {
        let text = format!(
            "element V end element E end const g : edgeset{{E}}(V,V) = load(argv[1]);
             const a : vector{{V}}(int) = 0;
             func f(s : V, d : V) a[d] += 1; end
             func search() #s0# while a.sum() < 9 #s1# g.apply(f); end end
             {functions} func main() {main} end"
        );
        let (ast, findings) = parse(&SourceFile::new("a.gt", &text));
        assert!(findings.is_empty(), "{findings:?}");
        label_paths(&check(&ast).unwrap().program)
    }

    #[test]
    fn a_function_that_is_called_once_keeps_its_labels() {
        assert_eq!(paths("", "search();"), ["s0", "s0:s1"]);
        assert_eq!(paths("func twice() search(); end", "twice();"), ["s0", "s0:s1"]);
    }

    #[test]
    fn copies_have_paths_of_their_own() {
        let both = ["s0", "s0:s1", "search:s0", "search:s0:s1", "search_2:s0", "search_2:s0:s1"];
        assert_eq!(paths("", "search(); search();"), both);
        let labelled = ["a", "a:s0", "a:s0:s1", "s0", "s0:s1"];
        assert_eq!(paths("", "#a# search();"), labelled);
        let inside = ["l", "l:search:s0", "l:search:s0:s1", "s0", "s0:s1"];
        assert_eq!(paths("", "#l# while a.sum() < 90 search(); end"), inside);
        let deep = paths("func both() search(); end", "both(); both();");
        let copy = |n: &str| format!("both{n}:search:s0:s1");
        assert!(deep.contains(&copy("")) && deep.contains(&copy("_2")), "{deep:?}");
    }

    #[test]
    fn circles_and_towers_end() {
        let circle = "func up(n : int) #u# search(); if n > 0 down(n); end end func down(n : int) up(n - 1); end";
        assert_eq!(paths(circle, "up(3);"), ["s0", "s0:s1", "u"]);
        let floor = |n: usize| match n {
            0 => "func f0() search(); end ".to_string(),
            n => format!("func f{n}() f{}(); f{}(); end ", n - 1, n - 1),
        };
        let tower: String = (0..60).map(floor).collect();
        assert!(paths(&tower, "f59();").len() < 100_000);
    }
}
