//! Programs of several files: what `use` names is read, and all files become one text.
//!
//! Steps: (1) [`load`](load::load) reads and parses the files, each once, those that a file uses before it; (2)
//! [`resolve`](resolve::resolve) finds what every name means in its file; (3) [`flatten`](flatten::flatten) writes the
//! text, in which every name means one thing, and keeps where each byte comes from. The compiler knows one text only;
//! what it finds there is shown in the file that it comes from.

mod files;
mod flatten;
mod library;
mod load;
mod names;
mod origin;
mod resolve;

pub use files::{File, Files, Missing, NoFiles};
pub use library::std_modules;
pub(crate) use origin::Origin;

use crate::diagnostic::has_errors;
use crate::source::SourceFile;
use crate::token::TokenKind;
use logos::Logos;

pub(crate) use names::{all_names, declared};

/// Most files of a program.
pub const MOST_FILES: usize = 100;

/// Most bytes of all files of a program together: 16 MiB.
pub const MOST_TEXT: usize = 16 << 20;

/// Whether the first words of a text are `use` and the name of a module.
pub(crate) fn begins_with_use(text: &str) -> bool {
    let mut words = TokenKind::lexer(text);
    loop {
        match words.next() {
            Some(Ok(TokenKind::Comment)) => {}
            Some(Ok(TokenKind::Ident)) if words.slice() == "use" => break,
            _ => return false,
        }
    }
    matches!(words.next(), Some(Ok(TokenKind::Str | TokenKind::Ident)))
}

/// One text of a program's first file and all files that it uses, directly or not.
pub(crate) fn assemble(first: SourceFile, files: &dyn Files) -> SourceFile {
    let SourceFile { name, text, .. } = first;
    let loaded = load::load(name.clone(), text.clone(), files);
    if has_errors(&loaded.findings) {
        return loaded.refused(name, text);
    }
    match resolve::resolve(&loaded) {
        Ok(resolved) => {
            let (text, origin) = flatten::flatten(&loaded, &resolved);
            SourceFile::assembled(name, text, origin)
        }
        Err(findings) => load::Loaded { findings, ..loaded }.refused(name, text),
    }
}
