//! Tables of edges: CSV, TSV and Parquet with a header, named columns and ids of any kind.
//!
//! | file | does |
//! |---|---|
//! | `columns` | finds the columns of sources, targets and weights by name |
//! | `record` | cuts text into fields: separators, quotes, line ends |
//! | `blocks` | reads a text on all threads, cut at line ends that are not inside quotes |
//! | `csv` | the header, and the way from a text to edges |
//! | `keep`, `cells` | the columns that are kept beside these, and their cells in a text |
//! | `vertices` | tables of vertices |
//! | `intern` | numbers texts in the order in which they first appear, on all threads |
//! | `ids` | the ids of a block: whole numbers as long as all are, texts otherwise |
//! | `parquet` | Parquet files; behind the feature `parquet` |
//! | `rows` | a table that is read record by record, for who cannot wait for its end |
//! | `write` | a graph as CSV or TSV |
//!
//! Ids that are whole numbers of 64 bits are numbered in ascending order, so that ids `0..n` stay what they are; all
//! other ids are texts and are numbered in the order in which they first appear. Neither depends on the number of
//! threads. Sources and targets share their ids.

mod blocks;
mod cells;
mod columns;
mod csv;
pub(super) mod ids;
pub(super) mod intern;
mod keep;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod positioned;
mod record;
#[cfg(feature = "parquet")]
mod row_groups;
mod rows;
mod vertices;
mod write;

pub use columns::{GuessedColumns, Missing, TableColumns};
pub(super) use csv::{Separator, read_csv};
#[cfg(feature = "parquet")]
pub(super) use parquet::read_parquet;
pub use rows::{Row, RowColumns, RowFault, RowTable};
pub use vertices::VertexTable;
pub(super) use write::plan;

/// Says what is missing to read a Parquet file.
#[cfg(not(feature = "parquet"))]
pub(super) fn read_parquet(
    _: super::input::Input,
    path: &std::path::Path,
    _: &TableColumns,
    _: &crate::columns::Kept,
    _: &dyn crate::progress::Progress,
) -> crate::Result<super::EdgeFile> {
    let message =
        "this program was built without Parquet (the cargo feature `parquet` of gw-graph); write the table as CSV";
    Err(crate::GraphError::file(path, message))
}
