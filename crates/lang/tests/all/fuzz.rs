//! The front end never panics: mutated programs go through lexer, parser, checker, schedule parser and renderer.
//!
//! The mutations are seeded, so a failure is the same on every machine.

use gw_lang::token::TokenKind;
use gw_lang::{SourceFile, compile_front, diagnostic, dump, lexer, parse, parse_schedule, tokens};

const SEEDS: &[&str] = &[
    include_str!("../seeds/reach.gt"),
    include_str!("../seeds/nearest.gt"),
    include_str!("../seeds/influence.gt"),
    include_str!("../seeds/triangles.gt"),
    include_str!("../seeds/library.gt"),
];

/// Mutated programs per run.
const PROGRAMS: usize = 12_000;

/// A small generator with good bits (xorshift), so that the inputs do not depend on any library version.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// The text in words, numbers, strings, single symbols and white space.
fn pieces(text: &str) -> Vec<String> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut out: Vec<String> = Vec::new();
    let mut last = 2;
    for c in text.chars() {
        match out.last_mut() {
            Some(word) if class(c) == last && last != 2 => word.push(c),
            _ => out.push(c.to_string()),
        }
        last = class(c);
    }
    out
}

/// A seed in pieces, with the places of its names and numbers.
fn seeds() -> Vec<(Vec<String>, Vec<usize>)> {
    let is_word = |word: &String| {
        let (list, _) = tokens(&SourceFile::new("word", word.as_str()));
        matches!(list[0].kind, TokenKind::Ident | TokenKind::Int)
    };
    let split = |text: &&str| {
        let words = pieces(text);
        let places = (0..words.len()).filter(|at| is_word(&words[*at])).collect();
        (words, places)
    };
    SEEDS.iter().map(split).collect()
}

/// Exchanges a few names and numbers for others of the same program: mostly parses, so the checker gets to see it.
fn exchange_words(random: &mut Random, seeds: &[(Vec<String>, Vec<usize>)]) -> String {
    let (words, places) = &seeds[random.below(seeds.len())];
    let mut words = words.clone();
    for _ in 0..1 + random.below(3) {
        let (at, from) = (places[random.below(places.len())], places[random.below(places.len())]);
        words[at] = words[from].clone();
    }
    words.concat()
}

/// Deletes, repeats, swaps and borrows pieces, then maybe flips bytes or cuts the text.
fn mutate(random: &mut Random) -> String {
    let mut words = pieces(SEEDS[random.below(SEEDS.len())]);
    let other = pieces(SEEDS[random.below(SEEDS.len())]);
    for _ in 0..1 + random.below(6) {
        let (at, to) = (random.below(words.len()), random.below(words.len()));
        match random.below(6) {
            0 => {
                words.remove(at);
            }
            1 => words.insert(at, words[to].clone()),
            2 => words.swap(at, to),
            3 => words[at] = other[random.below(other.len())].clone(),
            4 => {
                let end = (at + random.below(20)).min(words.len());
                words.drain(at..end);
            }
            _ => {
                let end = (at + random.below(40)).min(words.len());
                let copy: Vec<String> = words[at..end].to_vec();
                for (offset, word) in copy.into_iter().enumerate() {
                    words.insert((to + offset).min(words.len()), word);
                }
            }
        }
        if words.is_empty() {
            words.push(" ".into());
        }
    }
    let mut bytes = words.concat().into_bytes();
    for _ in 0..random.below(3) {
        let at = random.below(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte = random.next() as u8;
        }
    }
    if random.below(8) == 0 {
        bytes.truncate(random.below(bytes.len() + 1));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn mutated_programs_never_panic() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let seeds = seeds();
    let (mut accepted, mut rejected, mut checked, mut findings) = (0, 0, 0, 0);
    for round in 0..PROGRAMS {
        let text = match round % 2 {
            0 => mutate(&mut random),
            _ => exchange_words(&mut random, &seeds),
        };
        let source = SourceFile::new("mutant.gt", text);
        let guard = OnPanic(&source.text);
        let (list, _) = tokens(&source);
        assert!(!list.is_empty());
        let (ast, syntax) = parse(&source);
        checked += usize::from(!diagnostic::has_errors(&syntax));
        let result = compile_front(&source);
        match &result {
            Ok(front) => {
                accepted += 1;
                let paths = gw_lang::label_paths(&front.typed);
                assert!(paths.iter().all(|path| !path.is_empty()));
            }
            Err(list) => {
                rejected += 1;
                findings += list.len();
                assert!(diagnostic::has_errors(list), "rejected without an error");
                for finding in list {
                    let span = finding.primary.span;
                    assert!(span.start <= span.end && span.end <= source.text.len());
                }
                // Rendering is the slow part, and needs no more than a sample.
                if rejected % 8 == 0 {
                    assert!(diagnostic::render(list, &source, false).contains("Error"));
                }
            }
        }
        if round % 16 == 0 {
            dump::dump(&source, &ast);
            lexer::dump(&source, &list);
        }
        // The whole text as a schedule: mostly nonsense, which is the point.
        let _ = parse_schedule(&source);
        std::mem::forget(guard);
    }
    println!(
        "{PROGRAMS} mutated programs: {checked} reached the checker, {accepted} accepted, {rejected} rejected with \
         {findings} findings"
    );
    // All stages must be exercised for the test to mean anything.
    assert!(checked > PROGRAMS / 5 && accepted > PROGRAMS / 50 && rejected > PROGRAMS / 2);
}

#[test]
fn mutated_schedules_never_panic() {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    let (mut tried, mut accepted) = (0, 0);
    while tried < PROGRAMS {
        let text = mutate(&mut random);
        let Some(span) = lexer::split(&text).schedule else {
            continue;
        };
        tried += 1;
        let section = text[span.start..].to_string();
        let guard = OnPanic(&section);
        let source = SourceFile::new("mutant.schedule", section.as_str());
        match parse_schedule(&source) {
            Ok(parsed) => {
                accepted += 1;
                // What is accepted has a canonical text that reads back.
                let text = parsed.schedule.to_string();
                let again: gw_schedule::ProgramSchedule = text.parse().expect("canonical text parses");
                assert_eq!(again, parsed.schedule);
            }
            Err(findings) => assert!(diagnostic::has_errors(&findings)),
        }
        std::mem::forget(guard);
    }
    println!("{tried} mutated schedules: {accepted} accepted");
    assert!(accepted > tried / 50 && accepted < tried);
}

/// Prints the input when the test unwinds past it.
struct OnPanic<'a>(&'a str);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        eprintln!("--- the input at fault ---\n{}\n---", self.0);
    }
}
