//! Matrix times vector: every row in double precision, with an error bound from the size of its terms.

use super::{Invalid, Run, ensure, every_vertex, real_weight, wrong};

pub(crate) fn spmv(run: &Run<'_>) -> Result<(), Invalid> {
    let (x, y) = (run.doubles("x")?, run.doubles("y")?);
    let out = run.graph.out();
    every_vertex(run.graph, |v| {
        let factor = 1.0 / (1.0 + f64::from(v % 16));
        let found = x[v as usize];
        ensure(found == factor, || wrong!("vertex {v}: x is {found} instead of {factor}", v = run.graph.shown(v)))?;
        let (mut sum, mut size) = (0.0, 0.0);
        for (&n, edge) in out.neighbours(v).iter().zip(out.range(v)) {
            let term = real_weight(out.weights(), edge) / (1.0 + f64::from(n % 16));
            sum += term;
            size += f64::abs(term);
        }
        let found = y[v as usize];
        ensure((found - sum).abs() <= 1e-11 * size, || {
            wrong!("vertex {v}: y is {found} instead of {sum}", v = run.graph.shown(v))
        })
    })
}
