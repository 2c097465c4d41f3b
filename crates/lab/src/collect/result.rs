//! Results of runs: hashes that tell them apart, and equality within tolerance.

use gw_exec::Globals;
use gw_programs::{Number, Program, Results, Values};
use xxhash_rust::xxh3::Xxh3;

/// Largest difference of two floats that count as equal, as a share of the greater one.
const TOLERANCE: f64 = 1e-3;
/// Differences below this share of the greatest entry are rounding.
const NOISE: f64 = 1e-6;

/// The names of what a program computes; for a program of one's own all its globals.
fn names<'a>(standard: Option<&'static Program>, globals: &'a Globals) -> Vec<&'a str> {
    match standard {
        Some(program) => program.results.iter().map(|output| output.name).collect(),
        None => globals.iter().map(|(name, _)| name).collect(),
    }
}

/// 16 bytes that tell results apart.
pub(super) fn hash(standard: Option<&'static Program>, globals: &Globals) -> Vec<u8> {
    let mut hash = Xxh3::new();
    for name in names(standard, globals) {
        hash.update(name.as_bytes());
        hash.update(&[0]);
        if let Some(values) = Results::vector(globals, name) {
            match &values {
                Values::Int(v) => hash.update(bytemuck::cast_slice(v)),
                Values::Uint(v) => hash.update(bytemuck::cast_slice(v)),
                Values::Int64(v) => hash.update(bytemuck::cast_slice(v)),
                Values::Uint64(v) => hash.update(bytemuck::cast_slice(v)),
                Values::Float(v) => hash.update(bytemuck::cast_slice(v)),
                Values::Double(v) => hash.update(bytemuck::cast_slice(v)),
                Values::Bool(v) => v.iter().for_each(|&yes| hash.update(&[u8::from(yes)])),
            }
        }
        match globals.scalar(name) {
            Some(Number::Integer(number)) => hash.update(&number.to_le_bytes()),
            Some(Number::Real(number)) => hash.update(&number.to_bits().to_le_bytes()),
            None => {}
        }
    }
    hash.digest128().to_le_bytes().to_vec()
}

/// The first difference between two results that is more than rounding; integers must be equal. Scalars that are
/// floats, such as the change of the last round, depend on the order of adding and are not looked at.
pub(super) fn difference(standard: Option<&'static Program>, found: &Globals, reference: &Globals) -> Option<String> {
    for name in names(standard, reference) {
        let pair = (Results::vector(found, name), Results::vector(reference, name));
        let (found, reference) = match &pair {
            (None, None) => continue,
            (Some(found), Some(reference)) if found.len() == reference.len() => (found, reference),
            _ => return Some(format!("{name} is not the same vector")),
        };
        let differs = match (found, reference) {
            (Values::Float(a), Values::Float(b)) => far(a.iter().map(|&x| x.into()), b.iter().map(|&x| x.into())),
            (Values::Double(a), Values::Double(b)) => far(a.iter().copied(), b.iter().copied()),
            (a, b) if a == b => None,
            _ => return Some(format!("{name} differs")),
        };
        if let Some((at, a, b)) = differs {
            return Some(format!("{name}[{at}] is {a}, not {b}"));
        }
    }
    None
}

fn far(found: impl Iterator<Item = f64>, reference: impl Iterator<Item = f64> + Clone) -> Option<(usize, f64, f64)> {
    let greatest = reference.clone().filter(|x| x.is_finite()).fold(0.0, |max: f64, x| max.max(x.abs()));
    let equal = |a: f64, b: f64| {
        a == b
            || (a.is_nan() && b.is_nan())
            || (a - b).abs() <= (TOLERANCE * a.abs().max(b.abs())).max(NOISE * greatest)
    };
    found.zip(reference).enumerate().find(|&(_, (a, b))| !equal(a, b)).map(|(at, (a, b))| (at, a, b))
}

#[cfg(test)]
mod tests {
    use super::far;

    #[test]
    fn rounding_is_no_difference() {
        let pair = |a: &[f64], b: &[f64]| far(a.iter().copied(), b.iter().copied());
        assert_eq!(pair(&[1.0, 1e-9], &[1.000_1, 2e-9]), None);
        assert_eq!(pair(&[1.0, 0.5], &[1.0, 0.502]), Some((1, 0.5, 0.502)));
        assert_eq!(pair(&[f64::INFINITY], &[f64::INFINITY]), None);
        assert!(pair(&[f64::NAN], &[1.0]).is_some());
    }
}
