//! Graph files, read and written, plain, `.gz` or `.zst`.
//!
//! [`load`] is the whole way from a path to a [`Graph`](crate::Graph); [`read`] stops at what the file says, before
//! anything is built; [`write()`] is the way back. A file is written beside its target and renamed when complete.
//!
//! After reading anything but `.sg`, `.wsg` and `.gwg`, self-loops are dropped, parallel edges merged to the least
//! weight and adjacency sorted; [`BuildOptions`](crate::BuildOptions) can say otherwise. Nothing is symmetrised
//! unless the file says that it lists each undirected edge once.
//!
//! No header is believed: memory is set aside for what a file holds, not for what it announces. Text formats take at
//! most 2^24 vertices or 64 per edge, whichever is more, because one wild id would otherwise cost gigabytes.

mod adjacency_graph;
mod astar;
mod cursor;
mod densify;
mod dimacs;
mod document;
mod edge_file;
mod edge_lines;
mod edge_list;
mod gapbs;
mod gwg;
mod input;
mod kind;
mod konect;
mod load;
mod matrix_market;
mod metis;
mod output;
mod parts;
mod plan;
mod rounded;
mod snap;
mod table;
mod text;
mod weight_column;
mod write;

pub use edge_file::{EdgeFile, SkippedEdges};
pub use gwg::{GwgCheck, open_gwg, verify_gwg};
pub use kind::{Compression, Format};
pub use load::{Content, Loaded, LoadedGraph, ReadOptions, load, read};
pub(crate) use load::{adjusted, is_standard_input};
pub(crate) use output::Output;
pub use output::write_file;
pub use parts::{PartFile, PartedGraph, is_parted, part_files, write_parts};
pub(crate) use plan::Plan;
pub use rounded::keeps_every_digit;
pub use table::{GuessedColumns, Missing, Row, RowColumns, RowFault, RowTable, TableColumns, VertexTable};
pub use write::{WriteOptions, Written, write, write_graph};
