//! Exported code is compiled and asked; it must answer as the tree does.

use std::path::Path;
use std::process::Command;

use gw_model::{Ambiguous, Export, Learning, Model, export, train};
use gw_schedule::Feature;

use crate::learning::naming;
use crate::made_up::{Random, searches};

/// Random features, and what the tree says to them: candidate or -1, and 1 when weak.
fn questions(model: &Model) -> Vec<(Vec<f64>, i64, u8)> {
    let used = model.tree.features();
    let mut random = Random::new(21);
    let mut questions = Vec::new();
    for _ in 0..300 {
        let mut values = [0.0; Feature::COUNT];
        values.iter_mut().for_each(|value| *value = 10f64.powf(random.between(-4.0, 7.0)));
        let answer = model.tree.decide(|feature| values[feature.index()]);
        let asked = used.iter().map(|feature| values[feature.index()]).collect();
        questions.push((asked, answer.candidate.map_or(-1, |c| c as i64), u8::from(answer.weak)));
    }
    // The test would be idle if all answers were the same.
    assert!(questions.iter().any(|q| (q.1, q.2) != (questions[0].1, questions[0].2)));
    questions
}

fn model() -> Model {
    let learning = Learning { ambiguous: Ambiguous::None, folds: 0, max_depth: 8, ..Learning::default() };
    train(&searches(10, 3, 6), &naming(), &learning).unwrap()
}

/// Compiles a source file, runs it and compares a line per question: candidate and weak.
fn check(model: &Model, folder: &Path, compiler: &mut Command) {
    let built = compiler.arg("-o").arg(folder.join("asked")).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new(folder.join("asked")).output().unwrap();
    let expected: String =
        questions(model).iter().map(|(_, candidate, weak)| format!("{candidate} {weak}\n")).collect();
    assert_eq!(String::from_utf8(run.stdout).unwrap(), expected);
}

fn rows(model: &Model, open: &str, close: &str) -> String {
    let row = |(values, ..): &(Vec<f64>, i64, u8)| {
        let values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
        format!("    {open}{}{close},\n", values.join(", "))
    };
    questions(model).iter().map(row).collect()
}

#[test]
fn rust_source_answers_as_the_tree() {
    let (model, folder) = (model(), tempfile::tempdir().unwrap());
    let main = format!(
        "{}\nfn main() {{\n    for row in [\n{}    ] {{\n        let (candidate, weak) = decide(&row);\n        \
         println!(\"{{}} {{}}\", candidate.map_or(-1, |c| c as i64), u8::from(weak));\n    }}\n    \
         assert!(CANDIDATES.len() > 1);\n}}\n",
        export(&model, Export::Rust),
        rows(&model, "[", "]")
    );
    let source = folder.path().join("asked.rs");
    std::fs::write(&source, main).unwrap();
    check(&model, folder.path(), Command::new("rustc").args(["--edition", "2021", "-D", "warnings"]).arg(&source));
}

#[test]
fn cuda_source_answers_as_the_tree() {
    let (model, folder) = (model(), tempfile::tempdir().unwrap());
    let main = format!(
        "#include <cstdio>\n#define __device__\n{}\nstatic const double rows[][GW_FEATURES] = {{\n{}}};\n\
         int main() {{\n    for (auto &row : rows) {{\n        int weak;\n        int candidate = gw_decide(row, &weak);\n        \
         std::printf(\"%d %d\\n\", candidate, weak);\n    }}\n    return GW_CANDIDATES > 1 ? 0 : 1;\n}}\n",
        export(&model, Export::Cuda).replace("#pragma once\n", ""),
        rows(&model, "{", "}")
    );
    let source = folder.path().join("asked.cpp");
    std::fs::write(&source, main).unwrap();
    check(&model, folder.path(), Command::new("g++").args(["-std=c++17", "-Wall", "-Werror"]).arg(&source));
}
