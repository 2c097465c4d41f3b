//! Questions that several passes ask about a module.

pub mod calls;
pub mod device;
pub mod effects;
pub mod priority;
pub mod reduction;
pub mod repeats;
