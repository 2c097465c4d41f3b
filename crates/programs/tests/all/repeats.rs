//! No program stands twice: what programs share is a module of `programs/std/`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Lines of a run that counts as repeated.
const RUN: usize = 8;

/// The lines of a program that say something: no blank ones, no comments.
fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('%'));
    lines.map(str::to_string).collect()
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => programs(&path, found),
            false if path.extension().is_some_and(|extension| extension == "gt") => found.push(path),
            false => {}
        }
    }
}

/// The lines of every program, and for each line whether it is in a run that stands somewhere else, too.
fn repeated(programs: &[Vec<String>]) -> Vec<Vec<bool>> {
    let mut places: HashMap<&[String], Vec<(usize, usize)>> = HashMap::new();
    for (program, lines) in programs.iter().enumerate() {
        for (at, run) in lines.windows(RUN).enumerate() {
            places.entry(run).or_default().push((program, at));
        }
    }
    let mut marks: Vec<Vec<bool>> = programs.iter().map(|lines| vec![false; lines.len()]).collect();
    for (program, at) in places.into_values().filter(|places| places.len() > 1).flatten() {
        marks[program][at..at + RUN].fill(true);
    }
    marks
}

#[test]
fn few_lines_stand_in_repeated_runs() {
    let mut files = Vec::new();
    programs(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs")), &mut files);
    files.sort();
    let texts: Vec<Vec<String>> = files.iter().map(|path| lines(path)).collect();
    let marks = repeated(&texts);
    let count = |marks: &[bool]| marks.iter().filter(|mark| **mark).count();
    let all: usize = texts.iter().map(Vec::len).sum();
    let twice: usize = marks.iter().map(|marks| count(marks)).sum();
    let worst = files.iter().zip(&marks).map(|(path, marks)| (count(marks), path.display().to_string()));
    let mut worst: Vec<(usize, String)> = worst.filter(|(count, _)| *count > 0).collect();
    worst.sort();
    assert!(all > 3000, "{all} lines in {} files", files.len());
    assert!(twice * 100 < all * 3, "{twice} of {all} lines are repeated: {worst:#?}");
}

#[test]
fn repeated_runs_are_found() {
    let text = |range: std::ops::Range<usize>| range.map(|n| n.to_string()).collect::<Vec<_>>();
    let marks = repeated(&[text(0..20), text(5..13), text(6..13)]);
    let counts: Vec<usize> = marks.iter().map(|marks| marks.iter().filter(|mark| **mark).count()).collect();
    assert_eq!(counts, [8, 8, 0]);
}
