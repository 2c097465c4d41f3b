//! The parser of the text form survives damaged texts: it answers with an error or a module, never with a panic.
use crate::common::*;
use gw_ir::{parse, validate};

/// A small deterministic generator of numbers.
struct Dice(u64);
impl Dice {
    fn roll(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

fn damage(text: &str, dice: &mut Dice) -> String {
    let mut bytes = text.as_bytes().to_vec();
    const TOKENS: [&str; 24] = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        ",",
        ";",
        ":",
        "=",
        "#",
        "->",
        "-",
        "not",
        "while",
        "EdgeSetIterator",
        "Call",
        "999999999999999999999",
        "1e999",
        "\"",
        "vector[",
        "func",
    ];
    for _ in 0..1 + dice.roll(4) {
        let at = dice.roll(bytes.len().max(1));
        match dice.roll(6) {
            0 => {
                let end = (at + 1 + dice.roll(12)).min(bytes.len());
                bytes.drain(at..end);
            }
            1 => {
                let token = TOKENS[dice.roll(TOKENS.len())];
                bytes.splice(at..at, token.bytes());
            }
            2 => bytes[at] = 32 + dice.roll(95) as u8,
            3 => {
                let end = (at + dice.roll(40)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = dice.roll(bytes.len());
                bytes.splice(to..to, piece);
            }
            4 => bytes.truncate(at.max(1)),
            _ => {
                let token = TOKENS[dice.roll(TOKENS.len())].repeat(1 + dice.roll(300));
                bytes.splice(at..at, token.bytes());
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_modules_never_panic() {
    let seeds: Vec<String> = [BFS, SSSP, RANK, LABELS, MIXED, PEEL]
        .iter()
        .flat_map(|p| [lowered(p).to_string(), after(&lowered(p), "on=gpu;push", "context").to_string()])
        .collect();
    let mut dice = Dice(2024);
    let (mut tried, mut accepted, mut valid) = (0, 0, 0);
    for seed in &seeds {
        for _ in 0..1000 {
            let text = damage(seed, &mut dice);
            if let Ok(module) = parse(&text) {
                accepted += 1;
                valid += usize::from(validate(&module).is_ok());
            }
            tried += 1;
        }
    }
    println!("{tried} damaged modules tried: {accepted} parsed, {valid} of them well formed");
    assert_eq!(tried, 1000 * seeds.len());
    assert!(accepted < tried, "damage must be noticed");
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("(", ")"), ("not ", ""), ("-", ""), ("hops[", "]")] {
        let text = format!(
            "element V; global hops : vector{{V}}(int); main func main() {{ print {}1{}; }}",
            open.repeat(100_000),
            close.repeat(100_000)
        );
        assert!(parse(&text).is_err());
    }
    let text = format!("main func main() {}", "{ Scope ".repeat(100_000));
    assert!(parse(&text).is_err());
}
