//! Columns of tables as vectors over edges or vertices.

use std::hash::Hasher;
use std::time::Instant;

use gw_graph::Graph;
use gw_graph::columns::{Column, Columns, NO_ROW, Values};
use gw_graph::derived::NotSimple;
use gw_ir::types::{Scalar, Type};
use rustc_hash::FxHasher;

use crate::env::Environment;
use crate::error::{ErrorKind, Result};
use crate::scalar::Register;
use crate::vector::Vector;

impl Environment {
    /// The values of a column as a vector of this type. `missing` is what stands for a missing value, as register bits.
    pub(crate) fn column(
        &mut self,
        graph: &Graph,
        name: &str,
        of_edges: bool,
        ty: &Type,
        missing: Option<u64>,
    ) -> Result<Vector> {
        let start = Instant::now();
        let (scalar, dims) = self.shape(ty)?;
        // Vertices have the numbers of the graph as it was loaded.
        let renumbered = self.renumbered.as_ref().filter(|_| !of_edges);
        let columns = columns_of(renumbered.map_or(graph, |(loaded, _)| loaded), name, of_edges)?;
        let column = columns.table.column(name).map_err(|missing| ErrorKind::Column(missing.to_string()))?;
        let fit = Fit { name, scalar, of_edges };
        let cell = fit.cell(column)?;
        let vector = self.vector(ty, 0)?;
        let (cells, old_ids) = (vector.touched(), renumbered.map(|(_, renumbered)| renumbered.permutation.old_ids()));
        let mut without = None::<(u32, usize)>;
        for at in 0..dims[0].min(columns.row_of.len()) {
            let row = columns.row_of[old_ids.map_or(at, |ids| ids[at] as usize)];
            match (column.is_missing(row), missing) {
                (false, _) => cells.store(at, cell(row)?),
                (true, Some(value)) => cells.store(at, value),
                (true, None) => without.get_or_insert((row, 0)).1 += 1,
            }
        }
        if let Some((row, count)) = without {
            return Err(fit.missing(row, count).into());
        }
        let mut hash = FxHasher::default();
        hash.write_u64(self.loaded_values);
        (0..vector.cells()).for_each(|at| hash.write_u64(cells.load(at)));
        self.loaded_values = hash.finish();
        self.load_seconds += start.elapsed().as_secs_f64();
        Ok(vector)
    }
}

/// The number of a text in a column of texts; -1 where it does not stand there.
pub(crate) fn code(graph: &Graph, name: &str, text: &str, of_edges: bool) -> Result<i32> {
    let columns = columns_of(graph, name, of_edges)?;
    let column = columns.table.column(name).map_err(|missing| ErrorKind::Column(missing.to_string()))?;
    match &column.values {
        Values::Text(_, texts) => Ok(texts.find(text).map_or(-1, |code| code as i32)),
        other => {
            let message =
                format!("the column `{name}` holds {}, not texts: compare its values themselves", other.what());
            Err(ErrorKind::Column(message).into())
        }
    }
}

/// Refuses parallel edges: a search by the ends of an edge finds the first of them only.
pub(crate) fn are_told_apart(graph: &Graph) -> Result<()> {
    let Some(NotSimple::Parallel(vertex)) = graph.not_simple() else { return Ok(()) };
    let message = format!(
        "the graph has parallel edges (at vertex {}), and the program looks for edges by their ends, which finds the \
         first of them only: `edgeIndex` does so, and a function that takes weight and edge of a graph that the program \
         assigns; merge parallel edges with `:parallel=first`, `min`, `max` or `sum`",
        graph.shown(vertex)
    );
    Err(ErrorKind::Column(message).into())
}

fn columns_of<'g>(graph: &'g Graph, name: &str, of_edges: bool) -> Result<&'g Columns> {
    let (columns, what, mend) = match of_edges {
        true => (graph.edge_columns(), "edges", "load a table of edges: CSV, TSV or Parquet"),
        false => (graph.vertex_columns(), "vertices", "give a table of vertices: `--vertices people.csv`"),
    };
    let found = columns.map(|columns| &**columns);
    found.ok_or_else(|| {
        let why = match graph.share() {
            Some(_) => "is there in parts, which have no columns",
            None => "has none",
        };
        let message = format!("the column `{name}` is one of {what}, and the graph {why}; {mend}");
        ErrorKind::Column(message).into()
    })
}

/// How a column becomes a vector.
#[derive(Clone, Copy)]
struct Fit<'a> {
    name: &'a str,
    scalar: Scalar,
    of_edges: bool,
}

/// A value of a row as register bits.
type CellOfRow<'a> = Box<dyn Fn(u32) -> Result<u64> + 'a>;

impl Fit<'_> {
    /// How a row's value becomes a cell, or why the column is none of this type.
    fn cell<'a>(self, column: &'a Column) -> Result<CellOfRow<'a>>
    where
        Self: 'a,
    {
        let scalar = self.scalar;
        Ok(match &column.values {
            Values::Bool(values) => match scalar {
                Scalar::String => return Err(self.unfit(&column.values)),
                _ => Box::new(move |row| Ok(whole(scalar, values[row as usize].into()).unwrap_or_default())),
            },
            Values::Int(values) | Values::Time(values) => match scalar {
                Scalar::Bool | Scalar::String => return Err(self.unfit(&column.values)),
                _ => Box::new(move |row| {
                    let value = values[row as usize];
                    whole(scalar, value).ok_or_else(|| self.too_large(value, row))
                }),
            },
            // Of a column that holds no texts but by a slip, numbers of texts would be wrong without a word.
            Values::Text(..) if column.stranger().is_some_and(|stranger| stranger.share >= self.least_share()) => {
                return Err(self.unfit_for(column));
            }
            Values::Text(codes, _) => match scalar {
                Scalar::Int | Scalar::Uint | Scalar::Int64 | Scalar::Uint64 => Box::new(move |row| {
                    let code = codes[row as usize].into();
                    whole(scalar, code).ok_or_else(|| self.too_large(code, row))
                }),
                _ => return Err(self.unfit_for(column)),
            },
            Values::Double(values) => match scalar {
                Scalar::Double => Box::new(move |row| Ok(values[row as usize].bits())),
                Scalar::Float => Box::new(move |row| Ok((values[row as usize] as f32).bits())),
                _ => return Err(self.unfit(&column.values)),
            },
        })
    }

    /// From which share of other values on a column of texts is taken for one with slips: an `int` is what texts are
    /// numbered by, wider types are not.
    fn least_share(self) -> f64 {
        if matches!(self.scalar, Scalar::Int | Scalar::Uint) { 0.9 } else { 0.5 }
    }

    /// Why a column of texts does not fit, with the text that makes it one where most values are none.
    fn unfit_for(self, column: &Column) -> crate::error::ExecError {
        let Some(stranger) = column.stranger() else { return self.unfit(&column.values) };
        let message = format!(
            "the column `{}` holds {}, but `{}` in row {}: correct it, or leave the cell empty and say what stands for a \
             missing value",
            self.name,
            stranger.others,
            stranger.text,
            stranger.row + 1
        );
        ErrorKind::Column(message).into()
    }

    fn unfit(self, values: &Values) -> crate::error::ExecError {
        let Fit { name, scalar, of_edges } = self;
        let of = if of_edges { "Edge" } else { "Vertex" };
        let fitting = match values {
            Values::Bool(_) => "bool",
            Values::Int(_) | Values::Time(_) => "int_64",
            Values::Double(_) => "double",
            Values::Text(..) => "int",
        };
        let numbered = if matches!(values, Values::Text(..)) { ", which numbers the texts in their order" } else { "" };
        let message = format!(
            "the column `{name}` holds {}, and the program wants values of the type {scalar}: declare it \
             `vector{{{of}}}({fitting})`{numbered}",
            values.what()
        );
        ErrorKind::Column(message).into()
    }

    fn too_large(self, value: i64, row: u32) -> crate::error::ExecError {
        let Fit { name, scalar, .. } = self;
        let mend = if value < 0 { "declare it `int_64`" } else { "declare it `int_64` or `uint_64`" };
        let message = format!(
            "the value {value} in row {} of the column `{name}` does not fit the type {scalar}: {mend}",
            row + 1
        );
        ErrorKind::Column(message).into()
    }

    fn missing(self, row: u32, count: usize) -> ErrorKind {
        let Fit { name, of_edges, .. } = self;
        let what = if of_edges { "edges" } else { "vertices" };
        let place = match row {
            NO_ROW => "the first has no row".to_string(),
            row => format!("the first in row {}", row + 1),
        };
        ErrorKind::Column(format!(
            "the column `{name}` has no value for {count} of the {what}, {place}; say what stands for a missing value: \
             `column(\"{name}\", 0)`"
        ))
    }
}

/// A whole number as a cell of this type; `None` where the type does not hold it.
fn whole(scalar: Scalar, value: i64) -> Option<u64> {
    Some(match scalar {
        Scalar::Bool => u64::from(value != 0),
        Scalar::Int => i32::try_from(value).ok()?.bits(),
        Scalar::Uint => u32::try_from(value).ok()?.bits(),
        Scalar::Int64 => value.bits(),
        Scalar::Uint64 => u64::try_from(value).ok()?.bits(),
        Scalar::Float => (value as f32).bits(),
        Scalar::Double => (value as f64).bits(),
        Scalar::String => return None,
    })
}
