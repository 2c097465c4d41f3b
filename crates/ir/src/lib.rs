//! GraphIR: Graphwright's intermediate representation and its hardware-independent passes.

pub mod bound;
pub mod builtin;
pub mod expr;
pub mod meta;
pub mod module;
pub mod operator;
pub mod source;
pub mod stmt;
pub mod types;
