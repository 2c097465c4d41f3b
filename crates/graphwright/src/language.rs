//! What compilers, editors and commands see of a program: its text, what is wrong with it, and what it reads.

pub use gw_exec::{ExternCall, ExternResult, Externs};
pub use gw_ir::Module;
pub use gw_lang::{Diagnostic, Front, SourceFile};

pub use crate::run::{OwnArgument, OwnArgumentKind};
