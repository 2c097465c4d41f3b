//! Writes the one text of a program of several files.

use super::Origin;
use super::load::Loaded;
use super::names::item_span;
use super::resolve::{Decl, Resolved};
use crate::source::Span;
use std::collections::HashMap;

/// The text, and where its bytes come from. The files stand behind those that they use; comments stay with the
/// declaration below them.
pub(super) fn flatten(loaded: &Loaded, resolved: &Resolved) -> (String, Origin) {
    let files = loaded.modules.iter().map(|module| (module.name.clone(), module.text.clone())).collect();
    let mut standing: HashMap<Decl, Vec<Decl>> = HashMap::new();
    for (decl, place) in &resolved.kept {
        standing.entry(*place).or_default().push(*decl);
    }
    // Of several at one place each stands behind those that it needs, as in the files.
    let file = |decl: &Decl| loaded.order.iter().position(|module| *module == decl.0);
    standing.values_mut().for_each(|decls| decls.sort_by_key(|decl| (file(decl), decl.1)));
    let mut writer = Writer { loaded, resolved, text: String::new(), origin: Origin::new(files) };
    for &module in &loaded.order {
        writer.module(module, &standing);
    }
    if let Some(module) = resolved.schedule
        && let Some(section) = loaded.modules[module].ast.schedule
    {
        // The line `schedule:` belongs to the text, too.
        let before = loaded.modules[module].text[..section.start].trim_end_matches('\n');
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        writer.line_end(module, start);
        writer.copy(module, Span::new(start, section.end));
    }
    (writer.text, writer.origin)
}

struct Writer<'a> {
    loaded: &'a Loaded,
    resolved: &'a Resolved,
    text: String,
    origin: Origin,
}

impl Writer<'_> {
    /// The declarations of a module that stand at its places.
    fn module(&mut self, module: usize, standing: &HashMap<Decl, Vec<Decl>>) {
        let file = &self.loaded.modules[module];
        let mut is_first = true;
        let mut end = file.ast.uses.last().map_or(0, |line| line.span.end);
        for (at, item) in file.ast.items.iter().enumerate() {
            let span = item_span(item);
            let before = Span::new(end, span.start);
            end = span.end;
            let Some(decls) = standing.get(&(module, at)) else { continue };
            if is_first && self.loaded.modules.len() > 1 {
                is_first = false;
                self.heading(module, span);
            }
            let gap = file.text[before.start..before.end].trim_start_matches([' ', '\t', ';']);
            let gap = gap.strip_prefix('\n').unwrap_or(gap);
            self.copy(module, Span::new(before.end - gap.len(), before.end));
            for decl in decls {
                self.copy(decl.0, item_span(&self.loaded.modules[decl.0].ast.items[decl.1]));
                self.line_end(module, span.end);
            }
        }
    }

    /// A comment that says which file follows.
    fn heading(&mut self, module: usize, place: Span) {
        let name: String = self.loaded.modules[module].name.chars().filter(|c| !c.is_control()).collect();
        self.origin.replaced(self.text.len(), module, place);
        let blank = if self.text.is_empty() { "" } else { "\n" };
        self.text += &format!("{blank}% ---- {name}\n");
    }

    fn line_end(&mut self, module: usize, at: usize) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.origin.replaced(self.text.len(), module, Span::new(at, at));
            self.text.push('\n');
        }
    }

    /// Copies a part of a file, with the words that are replaced in it.
    fn copy(&mut self, module: usize, part: Span) {
        let words = &self.resolved.words[module];
        let first = words.partition_point(|(word, _)| word.start < part.start);
        let mut at = part.start;
        for (word, new) in words[first..].iter().take_while(|(word, _)| word.end <= part.end) {
            self.plain(module, Span::new(at, word.start));
            self.origin.replaced(self.text.len(), module, *word);
            self.text += new;
            at = word.end;
        }
        self.plain(module, Span::new(at, part.end));
    }

    fn plain(&mut self, module: usize, part: Span) {
        if part.start < part.end {
            self.origin.copied(self.text.len(), module, part.start);
            self.text += &self.loaded.modules[module].text[part.start..part.end];
        }
    }
}
