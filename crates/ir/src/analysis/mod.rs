//! Questions that several passes and machines ask about a module, each answered in one place.

pub mod calls;
pub mod changes;
pub mod claims;
pub mod classes;
pub mod closure;
pub mod columns;
pub mod condition;
pub mod device;
pub mod effects;
pub mod joined;
pub mod leaves;
pub mod numbering;
pub mod operator;
pub mod ownership;
pub mod places;
pub mod priority;
pub mod reduction;
pub mod region;
pub mod repeats;
pub mod shared_loop;
pub mod tested;
