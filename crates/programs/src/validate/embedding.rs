//! Random projections: the rounds once more in double precision, with a bound of what single precision may change.

use super::{Invalid, Run, ensure, wrong};

const WIDTH: usize = 64;
/// The greatest error of rounding a number to single precision, as a part of it.
const ROUNDING: f64 = 6e-8;

/// Sums of rows that are shorter count as 0.
const SHORTEST: f64 = 1e-3;

/// What single precision changes at most, whatever the bound says that adds up the worst of every step.
const MOST_OFF: f64 = 5e-4;

type Row = [f64; WIDTH];

pub(crate) fn fastrp(run: &Run<'_>) -> Result<(), Invalid> {
    run.needs_symmetric()?;
    let (rounds, seed) = (run.count_arg(2)?, run.count_arg(3)? as u64);
    let found = run.rows("embedding", WIDTH)?;
    let (out, n) = (run.graph.out(), run.graph.vertices());
    let mut rows: Vec<Row> = (0..n as u64).map(|v| std::array::from_fn(|j| start(seed, v, j as u64))).collect();
    let mut right: Vec<Row> = vec![[0.0; WIDTH]; n];
    // How far an entry of a row may be off, and of the sum of rows.
    let (mut off, mut all_off) = (vec![ROUNDING; n], vec![0.0; n]);
    for round in 0..rounds {
        let mut next = (vec![[0.0; WIDTH]; n], vec![0.0; n]);
        for v in 0..n {
            let list = out.neighbours(v as u32);
            let sum = &mut next.0[v];
            for &u in list {
                sum.iter_mut().zip(&rows[u as usize]).for_each(|(sum, part)| *sum += part);
            }
            let length = sum.iter().map(|part| part * part).sum::<f64>().sqrt();
            let parts: f64 = list.iter().map(|&u| off[u as usize]).sum();
            let sum_off = parts + ROUNDING * (list.len() * list.len()) as f64;
            let length_off = sum_off * (WIDTH as f64).sqrt();
            // Sums that are nearly as long as the shortest that counts may become anything.
            next.1[v] = match length {
                _ if length + length_off < SHORTEST => 0.0,
                _ if length - length_off > SHORTEST && length_off <= length / 4.0 => {
                    2.0 * length_off / length + ROUNDING
                }
                _ => 2.0,
            };
            sum.iter_mut().for_each(|part| *part = if length > SHORTEST { *part / length } else { 0.0 });
        }
        (rows, off) = next;
        if round > 0 || rounds == 1 {
            for v in 0..n {
                right[v].iter_mut().zip(&rows[v]).for_each(|(sum, part)| *sum += part);
                all_off[v] += off[v] + ROUNDING * rounds as f64;
            }
        }
    }
    for v in 0..n {
        for (j, right) in right[v].iter().enumerate() {
            let value = f64::from(found[v * WIDTH + j]);
            ensure((value - right).abs() <= all_off[v].min(MOST_OFF) + 1e-6, || {
                wrong!("vertex {v}, entry {j}: {value} instead of {right}", v = run.graph.shown(v))
            })?;
        }
    }
    Ok(())
}

/// An entry of the row that a vertex begins with.
fn start(seed: u64, v: u64, j: u64) -> f64 {
    let size = (3.0 / WIDTH as f64).sqrt();
    match gw_exec::random::bits(seed, v, j) % 6 {
        0 => size,
        1 => -size,
        _ => 0.0,
    }
}
