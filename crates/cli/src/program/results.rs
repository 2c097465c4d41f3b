//! The results of a run as a person, a pipe and a file see them.

use std::fmt::Write as _;

use graphwright::Program;
use gw_exec::{Globals, Scalar, Value, Vector};
use gw_ir::types::Type;
use gw_programs::Values;
use rayon::prelude::*;
use serde_json::{Map, Value as Json, json};

/// Entries of a vector that a person is shown.
const SHOWN: usize = 5;

/// The results of a run: those that a standard program lists, all global scalars and vectors of another program.
pub fn of_run<'a>(program: &Program, globals: &'a Globals) -> Vec<(&'a str, &'a Value)> {
    let is_result = |value: &Value| value.as_vector().is_some() || value.scalar().is_some();
    match program.as_standard() {
        Some(standard) => {
            let listed = standard.results.iter().filter_map(|r| globals.iter().find(|(name, _)| *name == r.name));
            listed.filter(|(_, value)| is_result(value)).collect()
        }
        None => globals.iter().filter(|(_, value)| is_result(value)).collect(),
    }
}

/// The names of the vectors among the results of a program, known before it runs.
pub fn vectors(program: &Program) -> Vec<&str> {
    let globals = program.module().globals.iter();
    let vectors = globals.filter(|global| matches!(global.ty, Type::Vector { .. })).map(|global| &*global.name);
    match program.as_standard() {
        Some(standard) => vectors.filter(|name| standard.results.iter().any(|result| result.name == *name)).collect(),
        None => vectors.filter(|name| !name.starts_with(gw_lang::DERIVED)).collect(),
    }
}

/// One line per result: `triangles = 12345`, `parent: 256 entries from -1 to 255, first 0 3 0 7 7`.
pub fn in_words<S: std::fmt::Display>(results: &[(S, &Value)]) -> String {
    let mut text = String::new();
    for (name, value) in results {
        let _ = match value.as_vector() {
            Some(vector) => writeln!(text, "{name}: {}", summary(vector)),
            None => writeln!(text, "{name} = {}", readable(value)),
        };
    }
    text
}

/// Scalars with their values; of vectors the number of entries, the least and the greatest. A real that JSON cannot
/// hold (inf, NaN) is a string.
pub fn as_json(results: &[(&str, &Value)]) -> Map<String, Json> {
    let entry = |value: &Value| match value.as_vector() {
        Some(vector) => {
            let (least, greatest) =
                extremes(vector).map_or((Json::Null, Json::Null), |(a, b)| (number(&a), number(&b)));
            json!({ "length": vector.len(), "min": least, "max": greatest })
        }
        None => number(value),
    };
    results.iter().map(|(name, value)| (name.to_string(), entry(value))).collect()
}

/// A number; a real that JSON cannot hold (inf, NaN) is a string.
pub fn number(value: &Value) -> Json {
    match value {
        Value::Int(v) => json!(v),
        Value::Uint(v) => json!(v),
        Value::Int64(v) => json!(v),
        Value::Uint64(v) => json!(v),
        Value::Bool(v) => json!(v),
        Value::Float(v) if v.is_finite() => json!(v),
        Value::Double(v) if v.is_finite() => json!(v),
        other => json!(in_full(other)),
    }
}

fn summary(vector: &Vector) -> String {
    let mut text = format!("{} entries", crate::output::grouped(vector.len() as u64));
    if vector.scalar() == Scalar::Bool {
        let set = match Values::of(vector) {
            Some(Values::Bool(entries)) => entries.iter().filter(|entry| **entry).count(),
            _ => 0,
        };
        let _ = write!(text, ", {} of them true", crate::output::grouped(set as u64));
    } else if let Some((least, greatest)) = extremes(vector) {
        let _ = write!(text, " from {} to {}", shortened(&least), shortened(&greatest));
    }
    let first: Vec<String> =
        (0..vector.cells().min(SHOWN)).filter_map(|i| vector.get(i)).map(|v| shortened(&v)).collect();
    if !first.is_empty() {
        let dots = if vector.cells() > SHOWN { " ..." } else { "" };
        let _ = write!(text, ", first {}{dots}", first.join(" "));
    }
    text
}

/// The least and the greatest entry; `None` without entries, or where all are NaN. All threads look: a vector may have
/// an entry per vertex of a large graph.
fn extremes(vector: &Vector) -> Option<(Value, Value)> {
    match Values::of(vector)? {
        Values::Int(entries) => range(&entries, Value::Int),
        Values::Uint(entries) => range(&entries, Value::Uint),
        Values::Int64(entries) => range(&entries, Value::Int64),
        Values::Uint64(entries) => range(&entries, Value::Uint64),
        Values::Float(entries) => range(&entries, Value::Float),
        Values::Double(entries) => range(&entries, Value::Double),
        Values::Bool(entries) => range(&entries, Value::Bool),
    }
}

/// The least and the greatest of entries that can be compared with themselves, which NaN cannot.
fn range<T: Copy + PartialOrd + Send + Sync>(entries: &[T], value: fn(T) -> Value) -> Option<(Value, Value)> {
    const PIECE: usize = 1 << 16;
    let wider = |(a, b): (T, T), (c, d): (T, T)| (if c < a { c } else { a }, if d > b { d } else { b });
    let of_piece = |piece: &[T]| {
        let numbers = piece.iter().filter(|entry| entry.partial_cmp(entry).is_some());
        numbers.map(|&entry| (entry, entry)).reduce(wider)
    };
    let (least, greatest) = entries.par_chunks(PIECE).filter_map(of_piece).reduce_with(wider)?;
    Some((value(least), value(greatest)))
}

/// A value as `print` shows it: reals with six digits.
fn shortened(value: &Value) -> String {
    value.printed().unwrap_or_default()
}

/// A value with all its digits, very small and very large ones with an exponent.
pub fn readable(value: &Value) -> String {
    match value.as_f64() {
        Some(v)
            if v != 0.0
                && v.is_finite()
                && !(1e-4..1e15).contains(&v.abs())
                && value.scalar().is_some_and(Scalar::is_float) =>
        {
            format!("{v:e}")
        }
        _ => in_full(value),
    }
}

/// A value with all its digits, unlike `print`; `true` and `false` as 1 and 0.
pub fn in_full(value: &Value) -> String {
    match value {
        Value::Float(v) => v.to_string(),
        Value::Double(v) => v.to_string(),
        other => other.printed().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_pass_over_what_is_no_number() {
        let keys = |range: Option<(Value, Value)>| range.map(|(a, b)| (a.as_f64().unwrap(), b.as_f64().unwrap()));
        let of = |entries: &[f32]| keys(extremes(&Vector::from_slice(entries)));
        let long: Vec<f32> = (0..200_000).map(|i| if i % 3 == 0 { f32::NAN } else { (i as f32 - 1e5).abs() }).collect();
        assert_eq!(of(&long), Some((0.0, 99_999.0)));
        assert_eq!(of(&[f32::NAN, -1.5, f32::INFINITY]), Some((-1.5, f64::INFINITY)));
        assert_eq!((of(&[f32::NAN]), of(&[])), (None, None));
        assert_eq!(keys(extremes(&Vector::from_slice(&[3, -7, 5]))), Some((-7.0, 5.0)));
    }
}
