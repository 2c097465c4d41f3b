//! Front end of the Graphwright language: lexer, parser, type checker and diagnostics for `.gt` programs.
//!
//! | step | function | gives |
//! |---|---|---|
//! | files to one text | [`SourceFile::with_files`] | [`SourceFile`] |
//! | text to tokens | [`tokens`] | [`token::Token`] |
//! | tokens to tree | [`parse()`] | [`ast::Ast`] |
//! | tree to typed program | [`check()`] | [`TypedProgram`] |
//! | schedule section | [`parse_schedule`] | [`ParsedSchedule`] |
//! | all of it | [`compile_front`] | [`Front`] |
//!
//! Nothing here panics on bad input: every finding is a [`Diagnostic`] with its place.
//!
//! ```
//! use gw_lang::{SourceFile, compile_front, diagnostic};
//! let file = SourceFile::new("hello.gt", "func main()\n    print 6 * 7;\nend\n");
//! let front = compile_front(&file).unwrap();
//! assert!(front.typed.main.is_some());
//!
//! let file = SourceFile::new("slip.gt", "func main()\n    var total : int = 1;\n    print totl;\nend\n");
//! let errors = compile_front(&file).unwrap_err();
//! assert!(diagnostic::render(&errors, &file, false).contains("did you mean `total`?"));
//! ```

mod advice;
pub mod ast;
pub mod builtin;
pub mod check;
pub mod diagnostic;
pub mod dump;
mod front;
pub mod inlined;
pub mod labels;
pub mod lexer;
mod modules;
pub mod parse;
pub mod schedule;
pub mod source;
pub mod suggest;
pub mod token;
mod tuples;
pub mod typed;
pub mod types;
pub mod visit;

pub use builtin::Builtin;
pub use check::{CheckedProgram, DERIVED, check};
pub use diagnostic::{Diagnostic, Severity};
pub use front::{Front, compile_front};
pub use labels::{fit_schedule, label_paths, unknown_labels};
pub use lexer::tokens;
pub use modules::{File, Files, MOST_FILES, MOST_TEXT, Missing, NoFiles, std_modules};
pub use parse::parse;
pub use schedule::{ParsedSchedule, parse_schedule, read_schedule};
pub use source::{SourceFile, Span};
pub use typed::TypedProgram;
pub use types::{Scalar, Type};
