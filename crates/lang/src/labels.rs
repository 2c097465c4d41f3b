//! Label paths of a program, and labels in schedules that the program does not have.

use crate::diagnostic::{Diagnostic, Severity};
use crate::schedule::LabelUse;
use crate::suggest::nearest;
use crate::typed::{Stmt, StmtKind, TypedProgram};
use gw_schedule::{ProgramSchedule, Transform};
use std::collections::BTreeSet;

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

/// All label paths of the program, sorted: for every labelled statement the labels of the statements around it
/// (in the same function) and its own, joined by colons. Labels of `if` do not count.
///
/// ```
/// use gw_lang::{SourceFile, check, labels::label_paths, parse};
/// let text = "func main()\n#a# while 1\n#b# print 2;\nend\nend";
/// let (ast, _) = parse(&SourceFile::new("a.gt", text));
/// assert_eq!(label_paths(&check(&ast).unwrap().program), ["a", "a:b"]);
/// ```
pub fn label_paths(program: &TypedProgram) -> Vec<String> {
    let mut paths = BTreeSet::new();
    for function in &program.functions {
        collect(&function.body, "", &mut |path, _| {
            paths.insert(path.to_string());
        });
    }
    paths.into_iter().collect()
}

/// Calls `f` with the path of every labelled statement.
fn collect(body: &[Stmt], around: &str, f: &mut impl FnMut(&str, &Stmt)) {
    for stmt in body {
        let is_if = matches!(stmt.kind, StmtKind::If { .. });
        let path = match &stmt.label {
            Some(label) if !is_if && around.is_empty() => label.name.clone(),
            Some(label) if !is_if => format!("{around}:{}", label.name),
            _ => around.to_string(),
        };
        if stmt.label.is_some() && !is_if {
            f(&path, stmt);
        }
        match &stmt.kind {
            StmtKind::If { arms, otherwise } => {
                for (_, body) in arms {
                    collect(body, &path, f);
                }
                collect(otherwise, &path, f);
            }
            StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } | StmtKind::For { body, .. } => {
                collect(body, &path, f);
            }
            _ => {}
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

/// Reports the labels in a schedule section that the program lacks, with the severity the caller wants: in a
/// program's own section an unknown label may be there only to choose the machine; one asked for by a user is a slip.
pub fn check_labels(
    program: &TypedProgram,
    schedule: &ProgramSchedule,
    uses: &[LabelUse],
    severity: Severity,
) -> Vec<Diagnostic> {
    let known = known_paths(program, schedule);
    let all: Vec<&str> = known.iter().map(String::as_str).collect();
    let mut seen = BTreeSet::new();
    let mut diagnostics = Vec::new();
    for label in uses {
        let whole = known.contains(&label.path);
        let as_bare = label.bare && all.iter().any(|path| path.rsplit(':').next() == Some(&label.path));
        if whole || as_bare || !seen.insert(&label.path) {
            continue;
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
