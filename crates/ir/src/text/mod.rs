//! The text form of GraphIR: `parse(&print(&module)) == module`.
//!
//! Arguments stand in `( )`, metadata in `< >` directly behind the name of the node. See the crate documentation for an
//! example.

mod keys;
mod lexer;
mod parse_expr;
mod parse_module;
mod parse_operator;
mod parse_stmt;
mod parser;
mod print_expr;
mod print_module;
mod value;

pub use parser::{ParseError, ParseProblem, parse};
pub use print_module::{print, print_expr, print_stmt};
