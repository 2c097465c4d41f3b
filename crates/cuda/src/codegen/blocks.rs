//! How many threads a block has, and how large frontiers may grow in loops that one block runs.

/// Threads per block of generated kernels.
pub(crate) const BLOCK: u32 = 256;

/// Threads per block of loops over graphs with long lists: fewer blocks make barriers cheaper.
pub(crate) const LOOP_BLOCK: u32 = 512;

/// Members of a set up to which one block goes on: four for each of its threads. A step then takes a block about as
/// long as the host needs to launch it on the whole device and to learn how it ended.
pub(crate) const BLOCK_MEMBERS: u32 = 4 * LOOP_BLOCK;
