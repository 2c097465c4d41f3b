//! Reads the files of a program, each once, those that a file uses before the file itself.

use super::files::{File, Files};
use super::{MOST_FILES, MOST_TEXT, Origin, library};
use crate::ast::{Ast, ModuleName, Use};
use crate::diagnostic::{Diagnostic, MOST_FINDINGS};
use crate::parse::parse;
use crate::source::{SourceFile, Span};
use std::path::PathBuf;

/// The files of a program. Until there is one text, spans of findings count the bytes of all files in the order in
/// which they were read.
pub(super) struct Loaded {
    /// In the order in which they were read: the first file of the program comes first.
    pub(super) modules: Vec<Module>,
    /// Numbers of the modules, each behind those that it uses.
    pub(super) order: Vec<usize>,
    pub(super) findings: Vec<Diagnostic>,
}

/// A file of the program.
pub(super) struct Module {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) ast: Ast,
    /// The module behind each `use` of the tree; `None` where that could not be read.
    pub(super) uses: Vec<Option<usize>>,
    /// A module of the standard library.
    pub(super) is_std: bool,
    /// Where its bytes begin among those of all files.
    base: usize,
    key: Key,
}

/// What tells files apart.
#[derive(Clone, PartialEq)]
enum Key {
    First,
    File(PathBuf),
    Std(String),
}

impl Module {
    /// A span of this file among the bytes of all files.
    pub(super) fn global(&self, span: Span) -> Span {
        Span::new(span.start + self.base, span.end + self.base)
    }
}

impl Loaded {
    /// The program as its first file only, with the findings for which there is no more.
    pub(super) fn refused(self, name: String, text: String) -> SourceFile {
        let bases: Vec<usize> = self.modules.iter().map(|module| module.base).collect();
        let mut origin = Origin::new(self.modules.into_iter().map(|module| (module.name, module.text)).collect());
        for (file, base) in bases.into_iter().enumerate() {
            origin.copied(base, file, 0);
        }
        origin.refuse(self.findings);
        SourceFile::assembled(name, text, origin)
    }
}

/// Reads the first file and all that it uses.
pub(super) fn load(name: String, text: String, files: &dyn Files) -> Loaded {
    let loaded = Loaded { modules: Vec::new(), order: Vec::new(), findings: Vec::new() };
    let mut loader = Loader { files, loaded, chain: Vec::new(), bytes: 0, full: false };
    let key = files.first().map_or(Key::First, Key::File);
    loader.module(name, text, key);
    loader.loaded.findings.truncate(MOST_FINDINGS);
    loader.loaded
}

struct Loader<'a> {
    files: &'a dyn Files,
    loaded: Loaded,
    /// The files that are being read, each used by the one before it, with the place of that `use`.
    chain: Vec<(usize, Span)>,
    bytes: usize,
    /// A limit is reached and reported.
    full: bool,
}

impl Loader<'_> {
    fn module(&mut self, name: String, text: String, key: Key) -> usize {
        let at = self.loaded.modules.len();
        let file = SourceFile::single(name, text);
        let (ast, found) = parse(&file);
        let uses = ast.uses.clone();
        let SourceFile { name, text, .. } = file;
        // One byte between files, so that the end of one is not the beginning of the next.
        let base = self.bytes;
        self.bytes += text.len() + 1;
        let is_std = matches!(key, Key::Std(_));
        let module = Module { name, text, ast, uses: vec![None; uses.len()], is_std, base, key };
        // What is odd but no error is said again by the check of the whole text.
        let errors = found.into_iter().filter(Diagnostic::is_error).map(|finding| shifted(finding, base));
        self.loaded.findings.extend(errors);
        self.loaded.modules.push(module);
        for (place, line) in uses.iter().enumerate() {
            if let Some(earlier) = uses[..place].iter().find(|earlier| same_alias(earlier, line)) {
                self.two_of_a_name(at, earlier, line);
            }
            let span = self.loaded.modules[at].global(line.module_span);
            self.chain.push((at, span));
            self.loaded.modules[at].uses[place] = self.used(at, line, span);
            self.chain.pop();
        }
        self.loaded.order.push(at);
        at
    }

    /// The module that a `use` names, read if it was not before.
    fn used(&mut self, user: usize, line: &Use, span: Span) -> Option<usize> {
        let (key, name, text) = match &line.module {
            ModuleName::Std(name) => match library::find(name) {
                Some(text) => (Key::Std(name.clone()), format!("std/{name}.gt"), text.to_string()),
                None => {
                    let message = format!("there is no module `std.{name}`");
                    let help = library::advice(name);
                    self.report(Diagnostic::error(message, span, "unknown module").help(help));
                    return None;
                }
            },
            ModuleName::File(path) => {
                let file = self.read(user, path, span)?;
                (Key::File(file.path), file.name, file.text)
            }
        };
        if let Some(known) = self.loaded.modules.iter().position(|module| module.key == key) {
            return match self.chain.iter().position(|(at, _)| *at == known) {
                Some(from) => self.cycle(from, span),
                None => Some(known),
            };
        }
        let too_much = match (self.loaded.modules.len(), self.bytes + text.len()) {
            (MOST_FILES.., _) => format!("a program has at most {MOST_FILES} files"),
            (_, bytes) if bytes > MOST_TEXT => "the files of a program have at most 16 MiB together".to_string(),
            _ => return Some(self.module(name, text, key)),
        };
        if !self.full {
            self.full = true;
            self.report(Diagnostic::error(too_much, span, "one too many"));
        }
        None
    }

    fn read(&mut self, user: usize, path: &str, span: Span) -> Option<File> {
        let module = &self.loaded.modules[user];
        if module.is_std {
            let message = "a module of the standard library uses no files";
            self.report(Diagnostic::error(message, span, "a file"));
            return None;
        }
        let user = match &module.key {
            Key::File(path) => Some((module.name.as_str(), path.as_path())),
            _ => None,
        };
        match self.files.read(user, path) {
            Ok(file) => Some(file),
            Err(missing) => {
                let message = format!("cannot use \"{path}\": {}", missing.why);
                let mut diagnostic = Diagnostic::error(message, span, "not read");
                diagnostic.help = missing.help;
                self.report(diagnostic);
                None
            }
        }
    }

    /// Files that use each other in a circle, the first of which stands at `from` in the chain.
    fn cycle(&mut self, from: usize, span: Span) -> Option<usize> {
        let name = |at: usize| self.loaded.modules[self.chain[at].0].name.as_str();
        let others: Vec<&str> = (from + 1..self.chain.len()).map(name).collect();
        let message = match others.is_empty() {
            true => format!("{} uses itself", name(from)),
            false => format!("{} uses itself through {}", name(from), others.join(" and ")),
        };
        let mut diagnostic = Diagnostic::error(message, span, "the circle closes here");
        for (_, place) in &self.chain[from..self.chain.len() - 1] {
            diagnostic = diagnostic.also(*place, "by this");
        }
        let help = match others.is_empty() {
            true => "leave the line out",
            false => "put what both files need into a third file",
        };
        self.report(diagnostic.help(help));
        None
    }

    fn two_of_a_name(&mut self, at: usize, earlier: &Use, line: &Use) {
        let module = &self.loaded.modules[at];
        let name = line.alias.as_ref().map_or("", |alias| alias.name.as_str());
        let diagnostic = match earlier.module == line.module {
            true => Diagnostic::error("the same module is used twice", module.global(line.span), "leave this out"),
            false => Diagnostic::error(
                format!("two modules have the name `{name}` here"),
                module.global(line.span),
                "the second one",
            )
            .help(format!("give one another name: `as {name}_2`")),
        };
        let first = module.global(earlier.span);
        self.report(diagnostic.also(first, "the first one"));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.loaded.findings.push(diagnostic);
    }
}

fn same_alias(a: &Use, b: &Use) -> bool {
    a.module == b.module || a.alias.is_some() && a.alias.as_ref().map(|a| &a.name) == b.alias.as_ref().map(|b| &b.name)
}

fn shifted(mut finding: Diagnostic, base: usize) -> Diagnostic {
    let shift = |span: &mut Span| *span = Span::new(span.start + base, span.end + base);
    shift(&mut finding.primary.span);
    finding.secondary.iter_mut().for_each(|label| shift(&mut label.span));
    finding
}
