//! The same program with two of its vectors as one of tuples.

use super::files::with_word;
use crate::dice::Dice;
use gw_lang::ast::{Decl, Init, Item, TypeExprKind};
use gw_lang::{SourceFile, parse};

/// Names and fields that no generated program has.
const TUPLE: &str = "Both";
const VECTOR: &str = "tup";
const FIELDS: [&str; 2] = ["first", "other"];

/// A global vector of numbers with an initial value.
struct Candidate<'a> {
    decl: &'a Decl,
    /// What stands before and behind the type of the entries.
    around: (&'a str, &'a str),
    entry: &'a str,
    init: &'a str,
}

/// Merges two vectors of a program over the same, where there are two that can be merged.
pub(super) fn with_tuples(program: &str, dice: &mut Dice) -> String {
    let (ast, _) = parse(&SourceFile::new("generated.gt", program));
    let found: Vec<Candidate> = ast
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Const(decl) => candidate(decl, program),
            _ => None,
        })
        .collect();
    let pairs: Vec<(&Candidate, &Candidate)> = found
        .iter()
        .enumerate()
        .flat_map(|(at, first)| found[at + 1..].iter().map(move |other| (first, other)))
        .filter(|(first, other)| first.around == other.around)
        .collect();
    let Some(&(first, other)) = dice.maybe(&pairs) else { return program.to_string() };
    let (before, behind) = first.around;
    let declared = format!("const {VECTOR} : {before}{TUPLE}{behind} = {TUPLE}({}, {});", first.init, other.init);
    let text = [
        format!("tuple {TUPLE} ({} : {}, {} : {})\n", FIELDS[0], first.entry, FIELDS[1], other.entry).as_str(),
        &program[..first.decl.span.start],
        &declared,
        &program[first.decl.span.end..other.decl.span.start],
        &program[other.decl.span.end..],
    ]
    .concat();
    let mut text = text;
    for (vector, field) in [first, other].into_iter().zip(FIELDS) {
        text = with_word(&text, &vector.decl.name.name, &format!("{VECTOR}.{field}"));
    }
    text
}

/// A declaration that can become a part of a tuple: its vector is named nowhere but in expressions.
fn candidate<'a>(decl: &'a Decl, program: &'a str) -> Option<Candidate<'a>> {
    let ty = decl.ty.as_ref().filter(|ty| matches!(ty.kind, TypeExprKind::Vector { .. }))?;
    let Some(Init::Expr(value)) = &decl.init else { return None };
    let init = &program[value.span.start..value.span.end];
    let is_literal = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.');
    if !(init.chars().all(is_literal) || matches!(init, "true" | "false")) {
        return None;
    }
    let text = &program[ty.span.start..ty.span.end];
    let open = text.rfind('(')? + 1;
    let close = open + text[open..].find(')')?;
    let name = &decl.name.name;
    let elsewhere = |line: &&str| line.contains("groupBy") || line.contains("priority_queue");
    let named = program.lines().filter(elsewhere).any(|line| with_word(line, name, "") != line);
    (!named).then_some(Candidate { decl, around: (&text[..open], &text[close..]), entry: &text[open..close], init })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_vectors_become_one() {
        let program = "element Vertex end\n\
             const x1 : vector{Vertex}(int) = 7;\n\
             const x2 : vector[3](int) = 0;\n\
             const x12 : vector{Vertex}(double) = -1.5;\n\
             func f(v : Vertex)\n    x12[v] = x1[v];\nend\n";
        let merged = with_tuples(program, &mut Dice::new(1, 1));
        assert!(merged.starts_with("tuple Both (first : int, other : double)\n"), "{merged}");
        assert!(merged.contains("const tup : vector{Vertex}(Both) = Both(7, -1.5);\n"), "{merged}");
        assert!(merged.contains("tup.other[v] = tup.first[v];"), "{merged}");
    }
}
