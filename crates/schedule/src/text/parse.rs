//! Reading schedules: the canonical text, its aliases, and spaces around words.

use super::error::{ParseError, Problem, nearest};
use super::print::DEFAULT;
use crate::axis::Direction;
use crate::name::{Label, Name};
use crate::param::Param;
use crate::program::{Family, ProgramSchedule, SetForm, Transform, VertexOrder};
use crate::schedule::{Adaptive, Chooser, Criterion, Hybrid, Schedule};
use crate::simple::{Axis, SimpleSchedule};
use std::str::FromStr;

/// A piece of the text and where it starts.
#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Piece<'a> {
    fn whole(text: &'a str) -> Piece<'a> {
        Piece { text, at: 0 }.trim()
    }

    fn trim(self) -> Piece<'a> {
        let start = self.text.len() - self.text.trim_start().len();
        Piece { text: self.text.trim(), at: self.at + start }
    }

    fn from(self, start: usize) -> Piece<'a> {
        Piece { text: &self.text[start..], at: self.at + start }
    }

    /// The pieces between separators, with spaces around them dropped.
    fn split(self, separator: char) -> impl Iterator<Item = Piece<'a>> {
        let mut start = 0;
        self.text.split(separator).map(move |text| {
            let piece = Piece { text, at: self.at + start };
            start += text.len() + separator.len_utf8();
            piece.trim()
        })
    }

    /// The pieces before and after the first separator.
    fn split_once(self, separator: char) -> Option<(Piece<'a>, Piece<'a>)> {
        let i = self.text.find(separator)?;
        let before = Piece { text: &self.text[..i], at: self.at };
        Some((before.trim(), self.from(i + separator.len_utf8()).trim()))
    }

    fn error(self, problem: Problem) -> ParseError {
        ParseError { word: self.text.to_string(), position: self.at, problem, suggestion: None }
    }

    /// Not one of the words a key takes; `usage` says what it takes when no word is near.
    fn bad_value(self, key: &str, words: &[&'static str], usage: &[&'static str]) -> ParseError {
        if self.text.is_empty() {
            return self.error(Problem::Empty);
        }
        let suggestion = nearest(self.text, words.iter().copied()).map(str::to_string);
        let problem = Problem::BadValue { key: key.into(), values: usage.to_vec() };
        ParseError { suggestion, ..self.error(problem) }
    }

    fn repeated(self, what: impl Into<String>) -> ParseError {
        self.error(Problem::Repeated { what: what.into() })
    }
}

fn unknown_word(piece: Piece) -> ParseError {
    if piece.text.is_empty() {
        return piece.error(Problem::Empty);
    }
    if let Some(suggestion) = colon_for_at(piece) {
        return ParseError { suggestion: Some(suggestion), ..piece.error(Problem::UnknownWord) };
    }
    // A value without its key is the common slip: `etwc` for `lb=etwc`. Numbers could be anything.
    let word_axes = || Axis::ALL.iter().copied().filter(|axis| axis.rows().iter().all(|row| row.word != "<n>"));
    let fitting = word_axes().find(|&axis| SimpleSchedule::default().set_text(axis, piece.text));
    let suggestion = fitting.map(|axis| format!("{}={}", axis.key(), piece.text)).or_else(|| {
        let mut near: Vec<(&str, String)> = Direction::ALL.iter().map(|d| (d.word(), d.to_string())).collect();
        near.extend(["hybrid", "adaptive", DEFAULT].map(|w| (w, w.to_string())));
        for axis in word_axes() {
            near.extend(axis.rows().into_iter().map(|row| (row.word, format!("{}={}", axis.key(), row.word))));
        }
        let word = nearest(piece.text, near.iter().map(|(word, _)| *word))?;
        near.into_iter().find(|(near, _)| *near == word).map(|(_, full)| full)
    });
    ParseError { suggestion, ..piece.error(Problem::UnknownWord) }
}

/// `s1: push` for `s1@push`: what is said, or the key of it, behind a label and a colon.
fn colon_for_at(piece: Piece) -> Option<String> {
    let colon = piece.text.rfind(':')?;
    let (label, rest) = (Piece { text: &piece.text[..colon], at: piece.at }.trim(), piece.from(colon + 1).trim());
    let known = Direction::from_word(rest.text).is_some() || Axis::from_key(rest.text).is_some();
    (known && Label::new(label.text).is_ok()).then(|| format!("{}@{}", label.text, rest.text))
}

fn unknown_key(key: Piece, keys: &[&str]) -> ParseError {
    if ["on", "order", "do"].contains(&key.text) {
        return key.error(Problem::OfWholeProgram);
    }
    if let Some(suggestion) = colon_for_at(key) {
        return ParseError { suggestion: Some(suggestion), ..key.error(Problem::UnknownKey) };
    }
    let all = Axis::ALL.iter().map(|a| a.key());
    ParseError {
        suggestion: nearest(key.text, keys.iter().copied().chain(all)).map(str::to_string),
        ..key.error(Problem::UnknownKey)
    }
}

fn simple(piece: Piece) -> Result<SimpleSchedule, ParseError> {
    let mut schedule = SimpleSchedule::default();
    if piece.text == DEFAULT {
        return Ok(schedule);
    }
    for item in piece.split(',') {
        let (axis, name, value) = match item.split_once('=') {
            None if Direction::from_word(item.text).is_some() => (Axis::Direction, item, item),
            None => return Err(unknown_word(item)),
            Some((key, value)) => {
                let axis = Axis::from_key(key.text).ok_or_else(|| unknown_key(key, &[]))?;
                (axis, key, value)
            }
        };
        if schedule.is_set(axis) {
            return Err(name.repeated(format!("`{}`", axis.key())));
        }
        if !schedule.set_text(axis, value.text) {
            let rows = axis.rows();
            let usage: Vec<_> = rows.iter().map(|r| r.word).collect();
            let words: Vec<_> = rows.iter().flat_map(|r| r.aliases).chain(&usage).copied().collect();
            return Err(value.bad_value(axis.key(), &words, &usage));
        }
    }
    Ok(schedule)
}

/// The options `by=` and `at=` in the head of a hybrid or adaptive schedule.
fn head_options<'a>(head: Piece<'a>) -> Result<(Option<Piece<'a>>, Option<Piece<'a>>), ParseError> {
    let (mut by, mut at) = (None, None);
    for item in head.split(',').skip(1) {
        let Some((key, value)) = item.split_once('=') else {
            return Err(match item.text {
                "" => item.error(Problem::Empty),
                _ => item.error(Problem::UnknownWord),
            });
        };
        let slot = match key.text {
            "by" => &mut by,
            "at" => &mut at,
            word if Axis::from_key(word).is_some() => return Err(key.error(Problem::OfPart)),
            _ => return Err(unknown_key(key, &["by", "at"])),
        };
        if slot.replace(value).is_some() {
            return Err(key.repeated(format!("`{}`", key.text)));
        }
    }
    Ok((by, at))
}

fn criterion(piece: Piece) -> Result<Criterion, ParseError> {
    let words: Vec<_> = Criterion::ALL.iter().map(|c| c.word()).collect();
    Criterion::from_word(piece.text).ok_or_else(|| piece.bad_value("by", &words, &words))
}

fn hybrid(head: Piece, parts: &[Piece]) -> Result<Hybrid, ParseError> {
    // What is left out is the CPU rule: push while |F| + outdegree(F) <= |E|/20, else pull.
    let mut hybrid = Hybrid::push_pull();
    let (by, at) = head_options(head)?;
    if let Some(by) = by {
        hybrid.criterion = criterion(by)?;
    }
    if let Some(at) = at {
        hybrid.threshold =
            at.text.parse().map_err(|_| at.bad_value("at", &[], &["a fraction such as 0.05", "argv<k>"]))?;
    }
    match *parts {
        [] => {}
        [first, second] => {
            hybrid.first = simple(first)?;
            hybrid.second = simple(second)?;
        }
        _ => {
            let expected = "two schedules, `hybrid,...+FIRST+SECOND`";
            return Err(head.error(Problem::WrongParts { expected }));
        }
    }
    Ok(hybrid)
}

fn chooser(head: Piece) -> Result<Chooser, ParseError> {
    let (by, at) = head_options(head)?;
    let option = "by=tree.NAME, by=oracle.NAME or by=CRITERION,at=T";
    let by = by.ok_or_else(|| head.error(Problem::Missing { option }))?;
    if let Some((kind @ ("tree" | "oracle"), _)) = by.text.split_once('.') {
        let name = by.from(kind.len() + 1);
        let checked = Name::new(name.text)
            .map_err(|_| name.bad_value("by", &[], &["names of letters, digits, `_`, `-` and `.`"]))?;
        if let Some(at) = at {
            return Err(at.bad_value("at", &[], &["for choosers by a criterion only"]));
        }
        return Ok(match kind {
            "tree" => Chooser::Tree(checked),
            _ => Chooser::Oracle(checked),
        });
    }
    let criterion = criterion(by)?;
    let mut thresholds = Vec::new();
    for piece in at.iter().flat_map(|at| at.split('_')) {
        match piece.text.parse() {
            Ok(Param::Value(t)) => thresholds.push(t),
            _ => return Err(piece.bad_value("at", &[], &["fractions joined by `_`, such as 0.05_0.2"])),
        }
    }
    Ok(Chooser::Threshold { criterion, thresholds })
}

fn schedule(piece: Piece) -> Result<Schedule, ParseError> {
    let mut pieces = piece.split('+');
    let Some(head) = pieces.next() else {
        return Err(piece.error(Problem::Empty));
    };
    let parts: Vec<Piece> = pieces.collect();
    let kind = head.split(',').next().map_or("", |p| p.text);
    match kind {
        "hybrid" => hybrid(head, &parts).map(Schedule::Hybrid),
        "adaptive" => {
            let chooser = chooser(head)?;
            if parts.is_empty() {
                let expected = "at least one schedule, `adaptive,...+FIRST+...`";
                return Err(head.error(Problem::WrongParts { expected }));
            }
            let candidates = parts.into_iter().map(simple).collect::<Result<_, _>>()?;
            Ok(Schedule::Adaptive(Adaptive { candidates, chooser }))
        }
        _ if parts.is_empty() => simple(head).map(Schedule::Simple),
        _ => {
            let expected = "to start with `hybrid` or `adaptive` when it joins schedules by `+`";
            Err(piece.error(Problem::WrongParts { expected }))
        }
    }
}

fn transform(piece: Piece) -> Result<Transform, ParseError> {
    let words: Vec<Piece> = piece.split(',').collect();
    let (kind, args) = (words[0], &words[1..]);
    let label = |i: usize| -> Result<Label, ParseError> {
        Label::new(args[i].text).map_err(|_| args[i].error(Problem::BadLabel))
    };
    let name = |p: Piece| -> Result<Name, ParseError> {
        Name::new(p.text).map_err(|_| p.bad_value(kind.text, &[], &["names of letters, digits, `_`, `-` and `.`"]))
    };
    let number = |i: usize| -> Result<u64, ParseError> {
        match args[i].text.parse() {
            Ok(Param::Value(n)) => Ok(n),
            _ => Err(args[i].bad_value(kind.text, &[], &["<n>"])),
        }
    };
    let usage = match (kind.text, args.len()) {
        ("fuse-fields", 2..) => {
            let names = args.iter().map(|&p| name(p)).collect::<Result<_, _>>()?;
            return Ok(Transform::FuseFields(names));
        }
        ("split-for-loop", 5) => {
            return Ok(Transform::SplitForLoop {
                target: label(0)?,
                first: label(1)?,
                second: label(2)?,
                first_count: number(3)?,
                second_count: number(4)?,
            });
        }
        ("fuse-for-loop", 3) => {
            return Ok(Transform::FuseForLoop { first: label(0)?, second: label(1)?, fused: label(2)? });
        }
        ("fuse-apply-functions", 3) => {
            return Ok(Transform::FuseApplyFunctions { first: label(0)?, second: label(1)?, name: name(args[2])? });
        }
        ("set-vertex-set", 2) => {
            let form = SetForm::from_word(args[1].text);
            let words: Vec<_> = SetForm::ALL.iter().map(|f| f.word()).collect();
            return Ok(Transform::SetVertexSet {
                name: name(args[0])?,
                form: form.ok_or_else(|| args[1].bad_value(kind.text, &words, &words))?,
            });
        }
        ("fuse-fields", _) => "fuse-fields,VECTOR,VECTOR,...",
        ("split-for-loop", _) => "split-for-loop,LOOP,LABEL1,LABEL2,COUNT1,COUNT2",
        ("fuse-for-loop", _) => "fuse-for-loop,LOOP1,LOOP2,LABEL",
        ("fuse-apply-functions", _) => "fuse-apply-functions,LABEL1,LABEL2,NAME",
        ("set-vertex-set", _) => "set-vertex-set,NAME,sparse|dense",
        _ => {
            let words = ["fuse-fields", "split-for-loop", "fuse-for-loop", "fuse-apply-functions", "set-vertex-set"];
            return Err(kind.bad_value("do", &words, &words));
        }
    };
    Err(kind.error(Problem::BadTransform { usage }))
}

fn program(piece: Piece) -> Result<ProgramSchedule, ParseError> {
    let mut program = ProgramSchedule::new();
    if piece.text == DEFAULT {
        return Ok(program);
    }
    let mut saw_everywhere = false;
    for entry in piece.split(';') {
        if let Some((label, text)) = entry.split_once('@') {
            let checked = Label::new(label.text).map_err(|_| match label.text.rfind(',') {
                Some(comma) if label.text.contains('=') => {
                    label.from(comma + 1).trim().error(Problem::AfterWholeProgram)
                }
                _ => label.error(Problem::BadLabel),
            })?;
            if program.insert(checked, schedule(text)?).is_some() {
                return Err(label.repeated(format!("the schedule of `{}`", label.text)));
            }
            continue;
        }
        match entry.split_once('=') {
            Some((key, value)) if key.text == "on" => {
                if program.family().is_some() {
                    return Err(key.repeated("the machine family"));
                }
                let words: Vec<_> = Family::ALL.iter().map(|m| m.word()).collect();
                let family = Family::from_word(value.text);
                program.set_family(Some(family.ok_or_else(|| value.bad_value("on", &words, &words))?));
            }
            Some((key, value)) if key.text == "order" => {
                if program.order().is_some() {
                    return Err(key.repeated("the order of vertices"));
                }
                let words: Vec<_> = VertexOrder::ALL.iter().map(|order| order.word()).collect();
                if let Some((_, rest)) = value.split_once(',') {
                    return Err(rest.error(Problem::AfterWholeProgram));
                }
                let order = VertexOrder::ALL.into_iter().find(|order| order.word() == value.text);
                program.set_order(Some(order.ok_or_else(|| value.bad_value("order", &words, &words))?));
            }
            Some((key, value)) if key.text == "do" => program.push_transform(transform(value)?),
            _ => {
                let everywhere = schedule(entry)?;
                if std::mem::replace(&mut saw_everywhere, true) {
                    return Err(entry.repeated("the schedule without a label"));
                }
                program.set_everywhere(Some(everywhere));
            }
        }
    }
    Ok(program)
}

macro_rules! from_str {
    ($($name:ty = $read:ident),+) => { $(
        impl FromStr for $name {
            type Err = ParseError;
            fn from_str(text: &str) -> Result<Self, ParseError> {
                $read(Piece::whole(text))
            }
        }
    )+ };
}
from_str!(SimpleSchedule = simple, Schedule = schedule, Transform = transform, ProgramSchedule = program);
