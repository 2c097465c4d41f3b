//! Mines traces of the shape of T1 to T4 of the thesis and prints a line each, as for the table in `bench/mine.md`.
//!
//! `cargo run --release -p gw-mine --example traces -- INSTANTS REPEATS`

use std::time::Instant;

use gw_mine::{Basis, Templates, generate, mine};

fn main() -> Result<(), gw_mine::MineError> {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let (instants, repeats) = match numbers[..] {
        [instants, repeats] => (instants, repeats.max(1)),
        _ => return Err(gw_mine::MineError::Argument("INSTANTS and REPEATS are needed".into())),
    };
    println!("trace | templates | best ms | numbers ms | Booleans ms | invariants | checked");
    for shape in generate::Shape::ALL {
        let name = shape.name();
        let mut source = shape.make(instants, 1)?;
        for (set, templates) in [("I", Templates::first()), ("II", Templates::second())] {
            let mut best: Option<(f64, gw_mine::Mined)> = None;
            for _ in 0..repeats {
                let start = Instant::now();
                let found = mine(&mut source, &templates)?;
                let seconds = start.elapsed().as_secs_f64();
                if best.as_ref().is_none_or(|(least, _)| seconds < *least) {
                    best = Some((seconds, found));
                }
            }
            let Some((seconds, found)) = best else { continue };
            let checked = found.invariants.iter().filter(|found| found.basis == Basis::Checked).count();
            println!(
                "{name} | {set} | {:.2} | {:.2} | {:.2} | {} | {checked}",
                seconds * 1e3,
                found.seconds.numbers * 1e3,
                found.seconds.booleans * 1e3,
                found.invariants.len(),
            );
        }
    }
    Ok(())
}
