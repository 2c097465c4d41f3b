//! The same program in several files: `use` lines, names that clash, names with their module in front.
//!
//! Declarations never need later ones, apart from `main`, so that any beginning of a program is a module of the rest.

use crate::dice::Dice;
use gw_lang::ast::Item;
use gw_lang::{File, Files, Missing, SourceFile, parse};
use std::path::{Path, PathBuf};

/// A program in several files.
#[derive(Debug, Clone)]
pub struct InFiles {
    /// The first file.
    pub main: String,
    /// The others, by name.
    pub others: Vec<(String, String)>,
    /// The same in one file, with the names that the declarations get.
    pub single: String,
}

impl InFiles {
    /// The program as the compiler reads it.
    pub fn source(&self) -> SourceFile {
        SourceFile::with_files("program.gt", &self.main, self)
    }
}

impl Files for InFiles {
    fn read(&self, _: Option<(&str, &Path)>, path: &str) -> Result<File, Missing> {
        let found = self.others.iter().find(|(name, _)| name == path);
        let (name, text) = found.ok_or_else(|| Missing { why: "it is not there".to_string(), help: None })?;
        Ok(File { name: name.clone(), path: PathBuf::from(path), text: text.clone() })
    }
}

/// Cuts a program into two or three files.
pub fn in_files(program: &str, seed: u64) -> InFiles {
    let mut dice = Dice::new(seed, 7);
    let source = SourceFile::new("program.gt", program);
    let (ast, _) = parse(&source);
    let items: Vec<(&str, &str)> = ast.items.iter().map(|item| named(item, program)).collect();
    let count = items.len().saturating_sub(1);
    let mut cuts = [dice.between(0, count), dice.between(0, count)];
    cuts.sort_unstable();
    let parts = [&items[..cuts[0]], &items[cuts[0]..cuts[1]], &items[cuts[1]..]];
    let text = |items: &[(&str, &str)]| items.iter().map(|(_, text)| format!("{text}\n")).collect::<String>();
    let [mut a, mut b, mut main] = parts.map(text);
    let mut single = program.to_string();
    // A name of the first part becomes one of the last, where it is written with its module.
    let is_plain = |name: &&str| !matches!(*name, "main" | "Vertex" | "Edge" | "Item" | "Both" | "tup");
    let names = |part: usize| -> Vec<&str> { parts[part].iter().map(|(name, _)| *name).filter(is_plain).collect() };
    // A parameter or a variable of that name hides it, and has no module in front.
    let is_hidden = |name: &str| declarations(program, name) > 1;
    if let (Some(theirs), Some(ours)) = (dice.maybe(&names(0)).copied(), dice.maybe(&names(2)).copied())
        && !is_hidden(theirs)
        && dice.percent(60)
    {
        a = with_word(&a, theirs, ours);
        b = with_word(&b, theirs, &format!("part.{ours}"));
        main = with_word(&main, theirs, &format!("first.{ours}"));
        single = with_word(&single, theirs, &format!("part_{ours}"));
    }
    let others = vec![("part.gt".to_string(), a), ("b.gt".to_string(), format!("use \"part.gt\";\n{b}"))];
    InFiles { main: format!("use \"b.gt\";\nuse \"part.gt\" as first;\n{main}"), others, single }
}

/// The name and the text of a declaration.
fn named<'a>(item: &'a Item, program: &'a str) -> (&'a str, &'a str) {
    let (name, span) = match item {
        Item::Element { name, span, .. } | Item::Tuple { name, span, .. } | Item::ExternVar { name, span, .. } => {
            (name, *span)
        }
        Item::Const(decl) => (&decl.name, decl.span),
        Item::Func(func) => (&func.name, func.span),
    };
    (&name.name, &program[span.start..span.end])
}

/// How often a name is declared, in whatever scope.
fn declarations(program: &str, name: &str) -> usize {
    let typed = with_word(program, name, "\0").matches("\0 : ").count();
    typed + program.matches(&format!("func {name}(")).count()
}

/// A text with all uses of one word replaced.
pub(super) fn with_word(text: &str, word: &str, by: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, after) = (&rest[..at], &rest[at + word.len()..]);
        let whole = !before.ends_with(is_part) && !before.ends_with('.') && !after.starts_with(is_part);
        out += before;
        out += if whole { by } else { word };
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_replaced_as_wholes() {
        let program = "const x : int = 1;\nfunc f(x : int, y : int)\nend\nfunc y(v : int)\nend\n";
        assert_eq!(["x", "f", "y", "v"].map(|name| declarations(program, name)), [2, 1, 2, 1]);
        assert_eq!(with_word("x1 = x12 + x1.sum() - y.x1;", "x1", "a.z"), "a.z = x12 + a.z.sum() - y.x1;");
    }
}
