//! Label paths of a program, and what a schedule says about places that the program does not have.

use crate::diagnostic::{Diagnostic, Severity};
use crate::inlined::{Allowance, Inlined};
use crate::schedule::{LabelUse, ParsedSchedule};
use crate::suggest::nearest;
use crate::typed::{Expr, ExprKind, FuncKind, FuncUse, Init, Stmt, StmtKind, TypedProgram};
use crate::types::FuncId;
use crate::visit;
use gw_schedule::{Axis, PointKind, ProgramSchedule, Schedule, Transform};
use std::collections::{BTreeMap, BTreeSet};

/// A label path that a schedule names and the program lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program has no label `{path}`{}", suggestion(.nearest))]
pub struct UnknownLabel {
    /// The path in the schedule.
    pub path: String,
    /// The nearest path that exists.
    pub nearest: Option<String>,
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}

/// All label paths of the program, sorted: for every labelled statement the labels of the statements around it and its
/// own, joined by colons; as written in its function, and through the calls that stand for the body of a function
/// ([`inlined`](crate::inlined)). Labels of `if` do not count.
///
/// ```
/// use gw_lang::{SourceFile, check, labels::label_paths, parse};
/// let text = "func main()\n#a# while 1\n#b# print 2;\nend\nend";
/// let (ast, _) = parse(&SourceFile::new("a.gt", text));
/// assert_eq!(label_paths(&check(&ast).unwrap().program), ["a", "a:b"]);
/// ```
pub fn label_paths(program: &TypedProgram) -> Vec<String> {
    let mut paths = BTreeSet::new();
    each_place(program, &mut |path, _| _ = paths.insert(path.to_string()));
    paths.into_iter().collect()
}

/// Calls `f` with the paths of every labelled statement.
fn each_place(program: &TypedProgram, f: &mut impl FnMut(&str, &Stmt)) {
    let inlined = Inlined::of(program);
    let mut places =
        Places { program, inlined: &inlined, function: FuncId(0), through_calls: false, left: Allowance::default() };
    for (id, function) in program.functions.iter().enumerate() {
        places.function = FuncId(id as u32);
        places.through_calls = program.main == Some(places.function) || function.kind == FuncKind::Export;
        places.collect(&function.body, "", f);
    }
}

/// The statements of a function, and of those whose bodies its calls stand for.
struct Places<'p> {
    program: &'p TypedProgram,
    inlined: &'p Inlined,
    function: FuncId,
    through_calls: bool,
    left: Allowance,
}

impl Places<'_> {
    /// Calls `f` with the path of every labelled statement.
    fn collect(&mut self, body: &[Stmt], around: &str, f: &mut impl FnMut(&str, &Stmt)) {
        let join = |label: &str| if around.is_empty() { label.to_string() } else { format!("{around}:{label}") };
        for stmt in body {
            let label = stmt.label.as_ref().filter(|_| !matches!(stmt.kind, StmtKind::If { .. }));
            let path = label.map_or_else(|| around.to_string(), |label| join(&label.name));
            if label.is_some() {
                f(&path, stmt);
            }
            let mut calls = Vec::new();
            if self.through_calls {
                visit::exprs(stmt, &mut |e| {
                    if let ExprKind::Call { func, .. } = &e.kind {
                        calls.push(FuncUse { func: func.func, captures: Vec::new(), span: func.span });
                    }
                });
            }
            for call in calls {
                let inlined = self.inlined;
                let Some(site) = inlined.take(self.function, &call, &mut self.left) else { continue };
                let around = site.scope.as_ref().map_or_else(|| around.to_string(), |scope| join(scope));
                let (program, caller) = (self.program, std::mem::replace(&mut self.function, call.func));
                self.left.nested -= 1;
                self.collect(&program.function(call.func).body, &around, f);
                self.left.nested += 1;
                self.function = caller;
            }
            for inner in visit::blocks(stmt) {
                self.collect(inner, &path, f);
            }
        }
    }
}

/// The labels that exist for a schedule: those of the program and those its transforms make.
fn known_paths(program: &TypedProgram, schedule: &ProgramSchedule) -> BTreeSet<String> {
    let mut known: BTreeSet<String> = label_paths(program).into_iter().collect();
    for transform in schedule.transforms() {
        let mut renamed: Vec<String> = Vec::new();
        match transform {
            Transform::SplitForLoop { target, first, second, .. } => {
                for path in &known {
                    for new in [first, second] {
                        renamed.extend(replace(path, target.as_str(), new.as_str()));
                    }
                }
            }
            Transform::FuseForLoop { first, second, fused } => {
                for suffix in ["", "_prologue", "_epilogue"] {
                    let scope = format!("{fused}{suffix}");
                    for path in &known {
                        for old in [first, second] {
                            renamed.extend(replace(path, old.as_str(), &format!("{scope}:{old}")));
                        }
                    }
                    renamed.push(scope);
                }
            }
            _ => {}
        }
        known.extend(renamed);
    }
    known
}

/// The path with its beginning `old` replaced, if it begins so.
fn replace(path: &str, old: &str, new: &str) -> Option<String> {
    let rest = path.strip_prefix(old)?;
    (rest.is_empty() || rest.starts_with(':')).then(|| format!("{new}{rest}"))
}

/// Labels of a schedule that the program lacks; for schedules without places, such as those in canonical text.
pub fn unknown_labels(program: &TypedProgram, schedule: &ProgramSchedule) -> Vec<UnknownLabel> {
    let known = known_paths(program, schedule);
    let paths = schedule.labels().map(|(label, _)| label.as_str());
    paths.filter_map(|path| judge(path, &known)).collect()
}

fn judge(path: &str, known: &BTreeSet<String>) -> Option<UnknownLabel> {
    // `configParForGrainSize` names the bare label, whatever is around it.
    let bare = |known: &String| known.rsplit(':').next() == Some(path);
    if known.contains(path) || known.iter().any(bare) && !path.contains(':') {
        return None;
    }
    Some(UnknownLabel {
        path: path.to_string(),
        nearest: nearest(path, known.iter().map(String::as_str)).map(str::to_string),
    })
}

/// Fits a schedule that a person gave to a program, and says what does not fit.
///
/// A one-line schedule is written for one program: a label that the program lacks is an error. A file of statements
/// serves several programs: such a label is a warning as long as the program has another one of the file, and
/// settings about edges on a vertex operator are dropped with a warning.
pub fn fit_schedule(program: &TypedProgram, parsed: &mut ParsedSchedule) -> Vec<Diagnostic> {
    let known = known_paths(program, &parsed.schedule);
    if parsed.one_line {
        return unknown(&known, &parsed.labels, Severity::Error);
    }
    let strange = parsed.labels.iter().all(|label| !is_known(&known, label));
    let severity = if strange { Severity::Error } else { Severity::Warning };
    let mut found = unknown(&known, &parsed.labels, severity);
    found.extend(drop_edge_settings(program, parsed));
    found
}

/// Fits the schedule section of a program to the program: as for a file of statements, but a section whose labels are
/// all unknown is accepted, since labels may be there only to choose the machine.
pub(crate) fn fit_own_section(program: &TypedProgram, parsed: &mut ParsedSchedule) -> Vec<Diagnostic> {
    let known = known_paths(program, &parsed.schedule);
    let mut found = unknown(&known, &parsed.labels, Severity::Warning);
    found.extend(drop_edge_settings(program, parsed));
    found
}

fn is_known(known: &BTreeSet<String>, label: &LabelUse) -> bool {
    known.contains(&label.path)
        || label.bare && known.iter().any(|path| path.rsplit(':').next() == Some(label.path.as_str()))
}

/// Reports the labels that the program lacks, each once.
fn unknown(known: &BTreeSet<String>, uses: &[LabelUse], severity: Severity) -> Vec<Diagnostic> {
    let all: Vec<&str> = known.iter().map(String::as_str).collect();
    let mut seen = BTreeSet::new();
    let mut diagnostics = Vec::new();
    for label in uses {
        if is_known(known, label) || !seen.insert(&label.path) {
            continue;
        }
        // After this many the rest is noise.
        if diagnostics.len() == crate::diagnostic::MOST_FINDINGS {
            break;
        }
        let mut diagnostic =
            Diagnostic::error(format!("the program has no label `{}`", label.path), label.span, "unknown label");
        diagnostic.severity = severity;
        let near = nearest(&label.path, all.iter().copied())
            // A path given without what is around it is the usual slip.
            .or_else(|| all.iter().copied().find(|path| path.rsplit(':').next() == Some(&label.path)));
        diagnostic = match (near, all.is_empty()) {
            (Some(near), _) => diagnostic.help(format!("did you mean `{near}`? The labels are {}", all.join(", "))),
            (None, true) => diagnostic.help("the program has no labels; write `#name#` before a statement"),
            (None, false) => diagnostic.help(format!("the labels are {}", all.join(", "))),
        };
        diagnostics.push(diagnostic);
    }
    diagnostics
}

/// Takes settings about edges away from labels of vertex operators, where GraphIt passes them over, and says so.
fn drop_edge_settings(program: &TypedProgram, parsed: &mut ParsedSchedule) -> Vec<Diagnostic> {
    // A path may stand in several functions; all its statements must be vertex operators.
    let mut vertex: BTreeMap<String, bool> = BTreeMap::new();
    each_place(program, &mut |path, stmt| {
        *vertex.entry(path.to_string()).or_insert(true) &= is_vertex_operator(stmt);
    });
    let mut diagnostics = Vec::new();
    let paths: Vec<String> = vertex.into_iter().filter_map(|(path, is)| is.then_some(path)).collect();
    for path in paths {
        let Some(schedule) = parsed.schedule.get_mut(&path) else { continue };
        let mut kept = *schedule.parts()[0];
        let mut dropped = Vec::new();
        for axis in kept.set_axes().collect::<Vec<Axis>>() {
            if !axis.applies_to().contains(&PointKind::VertexOperator) {
                dropped.push(axis.key());
                kept.clear(axis);
            }
        }
        if dropped.is_empty() {
            continue;
        }
        *schedule = Schedule::Simple(kept);
        let Some(place) = parsed.labels.iter().find(|label| label.path == path) else { continue };
        let message = format!("`{path}` is a vertex operator, so `{}` has no effect", dropped.join("`, `"));
        diagnostics.push(
            Diagnostic::warning(message, place.span, "visits no edges")
                .help("drop the setting; only `par` and `grain` have a meaning on a vertex operator"),
        );
    }
    diagnostics
}

fn is_vertex_operator(stmt: &Stmt) -> bool {
    let operator = |e: &Expr| matches!(e.kind, ExprKind::VertexApply { .. } | ExprKind::VertexFilter { .. });
    match &stmt.kind {
        StmtKind::Expr(value)
        | StmtKind::Assign { value, .. }
        | StmtKind::Let { init: Some(Init::Value(value)), .. } => operator(value),
        _ => false,
    }
}
