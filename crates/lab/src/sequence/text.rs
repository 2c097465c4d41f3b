//! A sequence as one line, which a person can read, change and give back.
//!
//! ```text
//! sssp flow:2 schedule=own undirected weighted n=4 0-1=5 1-2=7 | update | change +2-3=1 -0-1 | update | again@0 3
//! ```

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Change, Edge, Sequence, Start, Step};

/// A text that is no sequence.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{word}` in the sequence is not {expected}")]
pub struct BadSequence {
    /// The word at fault.
    word: String,
    /// What was expected.
    expected: &'static str,
}

fn bad(word: &str, expected: &'static str) -> BadSequence {
    BadSequence { word: word.to_string(), expected }
}

const EDGE: &str = "an edge such as 0-1 or 0-1=5";
const STEP: &str = "a step: change +0-1 -1-2, update, run ARG, again ARG, again@KEPT ARG, keep, stop AFTER ARG, \
                    resume EVERY FROM TO ARG";

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Start { undirected, weighted, vertices, edges } = &self.start;
        let ends = if *undirected { "undirected" } else { "directed" };
        write!(f, "{} {} schedule={} {ends}", self.program, self.on, self.schedule)?;
        if *weighted {
            f.write_str(" weighted")?;
        }
        write!(f, " n={vertices}")?;
        for edge in edges {
            write!(f, " {}", Worded(*edge, *weighted))?;
        }
        for step in &self.steps {
            f.write_str(" | ")?;
            match step {
                Step::Change(changes) => {
                    f.write_str("change")?;
                    for change in changes {
                        match change {
                            Change::Insert(edge) => write!(f, " +{}", Worded(*edge, *weighted))?,
                            Change::Delete(edge) => write!(f, " -{}", Worded(*edge, false))?,
                        }
                    }
                }
                Step::Update => f.write_str("update")?,
                Step::Run { arg } => write!(f, "run {arg}")?,
                Step::Again { on: None, arg } => write!(f, "again {arg}")?,
                Step::Again { on: Some(kept), arg } => write!(f, "again@{kept} {arg}")?,
                Step::Keep => f.write_str("keep")?,
                Step::Stop { after, arg } => write!(f, "stop {after} {arg}")?,
                Step::Resume { every, from, to, arg } => write!(f, "resume {every} {from} {to} {arg}")?,
            }
        }
        Ok(())
    }
}

/// An edge as a word, with or without its weight.
struct Worded(Edge, bool);

impl fmt::Display for Worded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Worded(Edge { source, target, weight }, weighted) = self;
        write!(f, "{source}-{target}")?;
        if *weighted { write!(f, "={weight}") } else { Ok(()) }
    }
}

impl FromStr for Sequence {
    type Err = BadSequence;

    fn from_str(text: &str) -> Result<Sequence, BadSequence> {
        let mut parts = text.split('|');
        let mut words = parts.next().unwrap_or_default().split_whitespace();
        let mut word = |expected| words.next().ok_or_else(|| bad("", expected));
        let program = word("a program")?.to_string();
        let on = word("a machine")?.to_string();
        let schedule = word("schedule=TEXT")?;
        let schedule = schedule.strip_prefix("schedule=").ok_or_else(|| bad(schedule, "schedule=TEXT"))?.to_string();
        let mut start = Start { undirected: false, weighted: false, vertices: 1, edges: Vec::new() };
        for word in words {
            match word {
                "undirected" => start.undirected = true,
                "directed" => start.undirected = false,
                "weighted" => start.weighted = true,
                word => match word.strip_prefix("n=") {
                    Some(number) => start.vertices = parse(number, "a number of vertices")?,
                    None => start.edges.push(edge(word)?),
                },
            }
        }
        let greatest = start.edges.iter().map(|edge| edge.source.max(edge.target) as usize + 1).max();
        start.vertices = start.vertices.max(greatest.unwrap_or(1)).max(1);
        let steps = parts.map(step).collect::<Result<_, _>>()?;
        Ok(Sequence { program, on, schedule, start, steps })
    }
}

fn parse<T: FromStr>(word: &str, expected: &'static str) -> Result<T, BadSequence> {
    word.parse().map_err(|_| bad(word, expected))
}

fn edge(word: &str) -> Result<Edge, BadSequence> {
    let (ends, weight) = word.split_once('=').unwrap_or((word, "1"));
    let (source, target) = ends.split_once('-').ok_or_else(|| bad(word, EDGE))?;
    let known = (source.parse().ok(), target.parse().ok(), weight.parse().ok());
    match known {
        (Some(source), Some(target), Some(weight)) => Ok(Edge { source, target, weight }),
        _ => Err(bad(word, EDGE)),
    }
}

fn step(text: &str) -> Result<Step, BadSequence> {
    let words: Vec<&str> = text.split_whitespace().collect();
    const ARG: &str = "a number for the arguments";
    Ok(match words[..] {
        ["change", ref changes @ ..] => {
            let change = |word: &&str| match (word.strip_prefix('+'), word.strip_prefix('-')) {
                (Some(word), _) => edge(word).map(Change::Insert),
                (_, Some(word)) => edge(word).map(Change::Delete),
                _ => Err(bad(word, "a change such as +0-1 or -0-1")),
            };
            Step::Change(changes.iter().map(change).collect::<Result<_, _>>()?)
        }
        ["update"] => Step::Update,
        ["run", arg] => Step::Run { arg: parse(arg, ARG)? },
        ["again", arg] => Step::Again { on: None, arg: parse(arg, ARG)? },
        [again, arg] if again.starts_with("again@") => {
            let on = Some(parse(&again["again@".len()..], "the number of a graph that is kept")?);
            Step::Again { on, arg: parse(arg, ARG)? }
        }
        ["keep"] => Step::Keep,
        ["stop", after, arg] => Step::Stop { after: parse(after, "a number of operators")?, arg: parse(arg, ARG)? },
        ["resume", every, from, to, arg] => {
            let every = parse(every, "a number of rounds")?;
            Step::Resume { every, from: from.to_string(), to: to.to_string(), arg: parse(arg, ARG)? }
        }
        _ => return Err(bad(text.trim(), STEP)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_read_back() {
        let text = "sssp flow:2 schedule=s0:s1@push undirected weighted n=9 0-1=5 1-2=-7 | update | \
                    change +2-3=1 -0-1 | change | run 4 | again 2 | keep | again@0 3 | stop 5 1 | resume 2 cpu flow:3 0";
        let read: Sequence = text.parse().unwrap();
        assert_eq!(read.to_string(), text);
        assert_eq!((read.start.vertices, read.steps.len()), (9, 9));
        let plain = "bfs cpu schedule=auto directed n=3 0-2 | run 0";
        assert_eq!(plain.parse::<Sequence>().unwrap().to_string(), plain);
    }

    #[test]
    fn what_is_no_sequence_is_named() {
        for (text, message) in [
            ("bfs", "`` in the sequence is not a machine"),
            ("bfs cpu auto", "`auto` in the sequence is not schedule=TEXT"),
            ("bfs cpu schedule=auto 0-x", "`0-x` in the sequence is not an edge such as 0-1 or 0-1=5"),
            ("bfs cpu schedule=auto n=3 | change 0-1", "`0-1` in the sequence is not a change such as +0-1 or -0-1"),
            ("bfs cpu schedule=auto n=3 | runs 0", "`runs 0` in the sequence is not a step: change"),
        ] {
            let error = text.parse::<Sequence>().unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
