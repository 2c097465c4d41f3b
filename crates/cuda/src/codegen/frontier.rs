//! How large frontiers may grow in loops that one block runs.

/// Members of a set up to which one block goes on: four for each of its threads. A step then takes a block about as
/// long as the host needs to launch it on the whole device and to learn how it ended.
pub(crate) const BLOCK_MEMBERS: u32 = 4 * crate::executable::LOOP_BLOCK;
