//! The results of a run as a person, a pipe and a file see them.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use graphwright::Program;
use gw_exec::{Globals, Scalar, Value, Vector};
use gw_ir::Module;
use gw_ir::types::Type;
use gw_programs::Values;
use rayon::prelude::*;
use serde_json::{Map, Value as Json, json};

use super::ids::Ids;
use super::tables::Kind;
use crate::error::CliError;

/// Entries of a vector that a person is shown.
const SHOWN: usize = 5;

/// Where `--out` writes a result.
pub struct OutFile<'a> {
    name: &'a str,
    path: &'a Path,
}

impl<'a> OutFile<'a> {
    /// Reads `NAME=FILE`.
    pub fn parse(text: &'a str) -> Result<OutFile<'a>, CliError> {
        match text.split_once('=') {
            Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok(OutFile { name, path: Path::new(path) }),
            _ => {
                Err(CliError::Usage(format!("--out {text}: write it as RESULT=FILE, or RESULT=- for standard output")))
            }
        }
    }

    /// Every result goes to a file of its own.
    pub fn check_all(outputs: &[OutFile<'_>]) -> Result<(), CliError> {
        for (at, output) in outputs.iter().enumerate() {
            let is_file = !output.is_stdout() && !output.is_stderr();
            if let Some(other) = outputs[..at].iter().find(|other| is_file && other.path == output.path) {
                let (first, second, path) = (other.name, output.name, output.path.display());
                let message =
                    format!("--out: both `{first}` and `{second}` go to `{path}`; give each a file of its own");
                return Err(CliError::Usage(message));
            }
        }
        Ok(())
    }

    /// Standard output is asked for.
    pub fn is_stdout(&self) -> bool {
        ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| self.path == Path::new(name))
    }

    /// Standard error is asked for.
    fn is_stderr(&self) -> bool {
        ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"].iter().any(|name| self.path == Path::new(name))
    }

    /// The program must have a global of this name that can be written; asked before the run.
    pub fn check(&self, module: &Module) -> Result<(), CliError> {
        let written = |ty: &Type| ty.scalar().is_some() || matches!(ty, Type::Vector { .. });
        let known: Vec<&str> = module.globals.iter().filter(|g| written(&g.ty)).map(|g| &*g.name).collect();
        match known.contains(&self.name) {
            true => Ok(()),
            false => Err(CliError::Usage(format!(
                "--out: the program has no vector or scalar `{}`; it has {}",
                self.name,
                if known.is_empty() { "none".to_string() } else { known.join(", ") }
            ))),
        }
    }

    /// Writes a vector one entry (or row) per line, a scalar on a line of its own, reals with all digits; as a table
    /// where the name of the file asks for one.
    pub fn write(&self, globals: &Globals, ids: &Ids<'_>) -> Result<(), CliError> {
        let bytes = match globals.get(self.name) {
            Some(value) => match (Kind::of_path(self.path), value.as_vector()) {
                (Some(table), _) => table.bytes(self.name, value, ids)?,
                (None, Some(vector)) => lines(vector)?,
                (None, None) => format!("{}\n", in_full(value)).into_bytes(),
            },
            None => return Err(CliError::Usage(format!("--out: the run left no result `{}`", self.name))),
        };
        // Our own streams may be redirected to a file, which must not be replaced.
        if self.is_stdout() {
            std::io::stdout().lock().write_all(&bytes)?;
        } else if self.is_stderr() {
            std::io::stderr().lock().write_all(&bytes)?;
        } else {
            gw_graph::format::write_file(self.path, &bytes)?;
        }
        Ok(())
    }
}

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

/// One line per result: `triangles = 12345`, `parent: 256 entries from -1 to 255, first 0 3 0 7 7`.
pub fn in_words(results: &[(&str, &Value)]) -> String {
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

fn lines(vector: &Vector) -> Result<Vec<u8>, CliError> {
    let row = vector.stride().max(1);
    let mut bytes = Vec::new();
    for cell in 0..vector.cells() {
        let value = vector.get(cell).unwrap_or(Value::Nothing);
        let end = if (cell + 1) % row == 0 { '\n' } else { ' ' };
        write!(bytes, "{}{end}", in_full(&value))?;
    }
    Ok(bytes)
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
