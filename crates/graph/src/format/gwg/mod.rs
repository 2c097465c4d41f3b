//! `.gwg`, Graphwright's own binary: the arrays of a graph as they lie in memory, used in place by memory map.
//!
//! All numbers are little-endian. The file is
//!
//! | bytes | content |
//! |---|---|
//! | 0..4096 | header: magic, version, flags, counts, table of sections, its own CRC-32 |
//! | 4096..C | sections, each aligned to 4096 bytes: out offsets, targets, weights; in offsets, targets, weights; ids and columns |
//! | C.. | a CRC-32 for every 1 MiB block of 4096..C, padding included |
//!
//! A file has the least version that holds what is in it: 2 with weights of 64 bits, 3 with original ids of vertices or
//! columns of tables (`columns/stored.rs`), else 1.
//!
//! Every byte is covered by a checksum. Opening reads the header and the list of checksums, compares the sections
//! with the counts and looks at the first and last offset: milliseconds at any size. Verifying reads everything once,
//! in parallel, near the speed of memory, and names the block at fault.

mod header;
mod open;
mod save;

pub(super) use header::MAGIC;
pub(super) use open::GwgFile;
pub use open::{GwgCheck, open_gwg, verify_gwg};
pub(super) use save::plan;
