//! Which columns of a table are kept, and the table of them.

use std::sync::Arc;

use super::columns::named;
use crate::columns::{Cells, Kept, Kind, Table};

/// The places of the columns that are kept, with the names under which they are asked for. `used` are the columns that
/// make the graph: they are kept where they are named.
pub(super) fn wanted(kept: &Kept, header: &[String], used: &[usize]) -> Result<Vec<(usize, String)>, String> {
    match kept {
        Kept::None => Ok(Vec::new()),
        Kept::Named(names) => {
            let mut wanted: Vec<(usize, String)> = Vec::new();
            for name in names {
                let is_there = header.contains(name) || name.parse().is_ok_and(|at| (1..=header.len()).contains(&at));
                if is_there
                    && !wanted.iter().any(|(_, known)| known == name)
                    && let Some(at) = named(header, "column", Some(name), &[])?
                {
                    wanted.push((at, name.clone()));
                }
            }
            Ok(wanted)
        }
        Kept::All => {
            let is_single = |name: &String| header.iter().filter(|other| *other == name).count() == 1;
            let name = |at: usize| if is_single(&header[at]) { header[at].clone() } else { (at + 1).to_string() };
            Ok((0..header.len()).filter(|at| !used.contains(at)).map(|at| (at, name(at))).collect())
        }
    }
}

/// The table of the columns that are kept.
pub(super) fn table(
    header: &[String],
    wanted: Vec<(usize, String)>,
    cells: Vec<Vec<Cells>>,
    rows: usize,
) -> Arc<Table> {
    let others = (0..header.len()).filter(|at| !wanted.iter().any(|(kept, _)| kept == at));
    let others = others.map(|at| header[at].clone()).collect();
    let columns = wanted.iter().zip(cells).map(|((_, name), parts)| Cells::column(name, parts)).collect();
    Arc::new(Table { rows, columns, others })
}

/// Columns that are to be read, of no kind so far.
pub(super) fn unread(wanted: &[(usize, String)]) -> Vec<(usize, Kind)> {
    wanted.iter().map(|&(at, _)| (at, Kind::Empty)).collect()
}
