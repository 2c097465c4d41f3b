//! Front end of the Graphwright language: lexer, parser, type checker and diagnostics for `.gt` programs.

pub mod ast;
pub mod builtin;
pub mod check;
pub mod diagnostic;
pub mod lexer;
pub mod parse;
pub mod source;
pub mod suggest;
pub mod token;
pub mod typed;
pub mod types;
pub mod visit;

pub use check::check;
pub use parse::parse;
pub use source::{SourceFile, Span};
pub use typed::TypedProgram;
pub use types::{Scalar, Type};
