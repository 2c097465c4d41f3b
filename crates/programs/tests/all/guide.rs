//! The language guide is true: its programs compile, those that show an output print it, its schedules fit, and its
//! table lists the standard programs.

use crate::machine::{Scheduled, prepare};
use gw_exec::{ReferenceVm, RunOptions};
use gw_lang::schedule::read_schedule;
use gw_lang::{SourceFile, compile_front, diagnostic};
use gw_programs::{find, programs};

const GUIDE: &str = include_str!("../../../../docs/language.md");

/// A fenced block: the line it starts on, the words behind the fence, the text.
struct Block {
    line: usize,
    words: Vec<&'static str>,
    text: String,
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in GUIDE.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => {
                let words = info.split_whitespace().collect();
                open = Some(Block { line: number + 1, words, text: String::new() });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.text.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "the last fence is never closed");
    blocks
}

#[test]
fn every_block_is_of_a_kind_that_is_tested() {
    let blocks = blocks();
    for block in &blocks {
        let kind = block.words.first().copied().unwrap_or("");
        assert!(["gt", "output", "schedule", "text"].contains(&kind), "line {}: what is `{kind}`?", block.line);
    }
    assert!(blocks.iter().filter(|b| b.words[0] == "gt").count() >= 8);
}

#[test]
fn programs_compile_and_print_what_is_shown() {
    let blocks = blocks();
    for (i, block) in blocks.iter().enumerate().filter(|(_, b)| b.words[0] == "gt") {
        let place = format!("docs/language.md:{}", block.line);
        let file = SourceFile::new(&place, &block.text);
        let findings = compile_front(&file).map_or_else(|errors| errors, |front| front.warnings);
        assert!(findings.is_empty(), "{}", diagnostic::render(&findings, &file, false));
        if block.words.get(1) != Some(&"run") {
            continue;
        }
        let shown = blocks.get(i + 1).filter(|b| b.words == ["output"]);
        let shown = shown.unwrap_or_else(|| panic!("{place}: no output is shown"));
        for scheduled in [Scheduled::Own, Scheduled::Nothing] {
            let mut program = prepare(&place, &block.text, scheduled, &ReferenceVm::new()).unwrap();
            // Files are named from the folder of the repository.
            let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/");
            let args: Vec<String> = block.words[2..].iter().map(|arg| arg.replace("docs/examples/", root)).collect();
            let options = RunOptions::with_args(args.iter().map(String::as_str));
            let result = program.run(&options).unwrap_or_else(|e| panic!("{place}: {e}"));
            assert_eq!(result.printed, shown.text, "{place}, {scheduled:?}");
        }
    }
}

#[test]
fn schedules_fit_their_programs() {
    for block in blocks().iter().filter(|b| b.words[0] == "schedule") {
        let place = format!("docs/language.md:{}", block.line);
        let file = SourceFile::new(&place, &block.text);
        let parsed = read_schedule(&file).unwrap_or_else(|e| panic!("{}", diagnostic::render(&e, &file, false)));
        let program = find(block.words[1]).unwrap();
        let front = compile_front(&SourceFile::new(program.file, program.source).with_weights(program.usual_weights()))
            .unwrap();
        let module = gw_ir::lower(&front.typed, program.source).unwrap();
        let bound = gw_ir::run_pipeline(module, &parsed.schedule, &gw_ir::Options::default());
        assert!(bound.is_ok(), "{place}: {}", bound.unwrap_err());
    }
}

#[test]
fn the_table_lists_the_standard_programs() {
    let section = GUIDE.split("## 11.").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let table = section.split("Values beside NetworkX").next().unwrap();
    let rows: Vec<&str> = table.lines().filter_map(|l| l.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(rows, programs().iter().map(|p| p.name).collect::<Vec<_>>());
    for program in programs() {
        let row = table.lines().find(|l| l.starts_with(&format!("| `{}`", program.name))).unwrap();
        for arg in program.args {
            assert!(row.contains(arg.name), "{}: the argument {} is not listed", program.name, arg.name);
        }
        assert_eq!(row.contains("symmetric"), program.needs_symmetric, "{}", program.name);
    }
}
