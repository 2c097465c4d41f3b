//! What every name of a program means in its file, and what it is called in the one text.
//!
//! A file sees its own declarations, and those of the modules that it uses itself; its own come first. Elements of one
//! name are one element in all files. A name stays as it is unless another file's declaration has it.

use super::load::Loaded;
use super::names::{Mention, declared, mentions};
use crate::ast::{FuncKind, Ident, Item, Use};
use crate::check::is_function;
use crate::diagnostic::{Diagnostic, MOST_FINDINGS, has_errors};
use crate::source::Span;
use crate::suggest::nearest;
use std::collections::{HashMap, HashSet};

/// A declaration: number of the module and of the item.
pub(super) type Decl = (usize, usize);

/// What becomes of the files.
pub(super) struct Resolved {
    /// The declarations that the text has, each with the place where it stands: its own, or that of one that it
    /// replaces.
    pub(super) kept: HashMap<Decl, Decl>,
    /// Words of each module that are replaced, in the order of its text.
    pub(super) words: Vec<Vec<(Span, String)>>,
    /// The module whose schedule counts.
    pub(super) schedule: Option<usize>,
}

/// Finds the meaning of all names, or why there is none.
pub(super) fn resolve(loaded: &Loaded) -> Result<Resolved, Vec<Diagnostic>> {
    let mut resolver = Resolver::new(loaded);
    resolver.collect();
    resolver.replace();
    let main = resolver.main_of(0);
    let meanings = resolver.meanings();
    if has_errors(&resolver.findings) {
        resolver.findings.truncate(MOST_FINDINGS);
        return Err(resolver.findings);
    }
    Ok(resolver.finish(main, &meanings))
}

struct Resolver<'a> {
    loaded: &'a Loaded,
    /// The top-level names of each module.
    own: Vec<HashMap<&'a str, usize>>,
    /// The one declaration of each element.
    elements: HashMap<&'a str, Decl>,
    /// Declarations that a using file replaces by its own.
    replaced: HashMap<Decl, (Decl, Span)>,
    findings: Vec<Diagnostic>,
}

/// What an item mentions, with the declarations meant; `None` for built-in names.
struct Meaning {
    at: Decl,
    mentions: Vec<(Mention, Option<Decl>)>,
    locals: Vec<Ident>,
}

impl<'a> Resolver<'a> {
    fn new(loaded: &'a Loaded) -> Self {
        let own = loaded.modules.iter().map(|_| HashMap::new()).collect();
        let (elements, replaced) = (HashMap::new(), HashMap::new());
        Resolver { loaded, own, elements, replaced, findings: Vec::new() }
    }

    fn item(&self, (module, item): Decl) -> &'a Item {
        &self.loaded.modules[module].ast.items[item]
    }

    fn items(&self, module: usize) -> impl Iterator<Item = (Decl, &'a Item)> + use<'a> {
        self.loaded.modules[module].ast.items.iter().enumerate().map(move |(at, item)| ((module, at), item))
    }

    fn name_of(&self, module: usize) -> &'a str {
        &self.loaded.modules[module].name
    }

    fn span(&self, module: usize, span: Span) -> Span {
        self.loaded.modules[module].global(span)
    }

    fn place_of(&self, decl: Decl) -> Span {
        self.span(decl.0, declared(self.item(decl)).span)
    }

    /// The `use` lines of a module whose modules were read.
    fn uses(&self, module: usize) -> impl Iterator<Item = (&'a Use, usize)> + use<'a> {
        let module = &self.loaded.modules[module];
        module.ast.uses.iter().zip(&module.uses).filter_map(|(line, used)| used.map(|used| (line, used)))
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.findings.push(diagnostic);
    }

    /// Gathers the names that the files declare. A name declared twice in a file is the checker's business.
    fn collect(&mut self) {
        for &module in &self.loaded.order {
            for (at, item) in self.items(module) {
                let name = declared(item);
                if let Some((qualifier, bare)) = name.name.split_once('.') {
                    let message = format!("`{qualifier}` is a module: a declaration has a name of its own");
                    let place = self.span(module, name.span);
                    self.report(Diagnostic::error(message, place, "declared here").help(format!("write `{bare}`")));
                    continue;
                }
                self.own[module].entry(&name.name).or_insert(at.1);
                if matches!(item, Item::Element { .. }) {
                    self.elements.insert(&name.name, at);
                }
            }
        }
    }

    /// Notes what the files replace in those that they use.
    fn replace(&mut self) {
        for &user in &self.loaded.order {
            for (line, used) in self.uses(user) {
                for (theirs, ours) in &line.with {
                    self.replace_one(user, used, theirs, ours);
                }
            }
        }
    }

    fn replace_one(&mut self, user: usize, used: usize, theirs: &Ident, ours: &Ident) {
        let place = self.span(user, theirs.span);
        let word = theirs.name.as_str();
        let Some(&item) = self.own[used].get(word) else {
            let near = nearest(word, self.own[used].keys().copied());
            let message = format!("{} has no `{word}` to replace", self.name_of(used));
            return self.report(Diagnostic::error(message, place, "not there").did_you_mean(near));
        };
        let Some(own) = self.replacement(user, used, &ours.name) else {
            let name = &ours.name;
            let message =
                format!("`{name}` is to replace `{word}` of {}, but is not declared here", self.name_of(used));
            let help = match theirs == ours {
                true => format!("declare `{name}` in this file, or leave it out behind `with`"),
                false => format!("declare `{name}` in this file"),
            };
            return self.report(
                Diagnostic::error(message, self.span(user, ours.span), "no such declaration")
                    .also(self.place_of((used, item)), "what is to be replaced")
                    .help(help),
            );
        };
        if matches!(self.item((used, item)), Item::Element { .. }) {
            let message = format!("elements of the same name are one: `{word}` needs no `with`");
            return self.report(Diagnostic::error(message, place, "leave this out"));
        }
        let chain = std::iter::successors(Some(own), |decl| self.replaced.get(decl).map(|(by, _)| *by));
        if chain.into_iter().any(|decl| decl == (used, item)) {
            let message = format!("`{word}` would replace itself");
            return self.report(Diagnostic::error(message, place, "the circle closes here"));
        }
        if let Some((_, first)) = self.replaced.insert((used, item), (own, place)) {
            let message = format!("`{word}` of {} is replaced twice", self.name_of(used));
            self.report(Diagnostic::error(message, place, "the second time").also(first, "the first time"));
        }
    }

    /// What a name behind `with` means: a declaration of the file itself, else that of another module that it uses.
    fn replacement(&self, user: usize, used: usize, name: &str) -> Option<Decl> {
        let own = |module: usize| self.own[module].get(name).map(|&item| (module, item));
        own(user).or_else(|| self.uses(user).filter(|(_, other)| *other != used).find_map(|(_, other)| own(other)))
    }

    /// The declaration that stands for this one: an element's only one, or what replaces it.
    fn whole(&self, decl: Decl) -> Decl {
        let mut decl = decl;
        // A replacement may be replaced in turn, but never by what it replaces.
        while let Some((by, _)) = self.replaced.get(&decl) {
            decl = *by;
        }
        let item = self.item(decl);
        match item {
            Item::Element { name, .. } => self.elements.get(name.name.as_str()).copied().unwrap_or(decl),
            _ => decl,
        }
    }

    /// The `main` of a module: its own, else that of the modules that it uses.
    fn main_of(&mut self, module: usize) -> Option<Decl> {
        if let Some(&own) = self.own[module].get("main") {
            return Some((module, own));
        }
        let exports = |(_, item): (Decl, &Item)| matches!(item, Item::Func(func) if func.kind == FuncKind::Export);
        if self.items(module).any(exports) {
            return None;
        }
        let mut found: Option<(Decl, &Use)> = None;
        for (line, used) in self.uses(module) {
            let Some(main) = self.main_of(used) else { continue };
            match found {
                Some((first, earlier)) if first != main => {
                    let places = [line, earlier].map(|line| self.span(module, line.span));
                    let message = format!("{} has no `main`, and two modules that it uses have", self.name_of(module));
                    self.report(
                        Diagnostic::error(message, places[0], "this module has a `main`")
                            .also(places[1], "and so has this")
                            .help("write `func main() ... end` in this file"),
                    );
                    return None;
                }
                Some(_) => {}
                None => found = Some((main, line)),
            }
        }
        found.map(|(main, _)| main)
    }

    /// The meaning of every name in every item.
    fn meanings(&mut self) -> Vec<Meaning> {
        let mut meanings = Vec::new();
        for &module in &self.loaded.order {
            for (at, item) in self.items(module) {
                let (found, locals) = mentions(item);
                let mut known = Vec::with_capacity(found.len());
                for mention in found {
                    if !self.is_capture(module, &mention)
                        && let Ok(meant) = self.meaning(module, &mention)
                    {
                        known.push((mention, meant));
                    }
                }
                meanings.push(Meaning { at, mentions: known, locals });
            }
        }
        meanings
    }

    /// Whether the vector that `applyModified` tracks is a capture of the edge function.
    fn is_capture(&mut self, module: usize, mention: &Mention) -> bool {
        let Some(func) = &mention.tracked_by else { return false };
        let name = match func.split_once('.') {
            Some((alias, name)) => self.in_module(module, alias, name),
            None => self.visible(module, func).first().copied(),
        };
        match name.map(|decl| self.item(decl)) {
            Some(Item::Func(func)) => func.captures.iter().any(|capture| capture.name.name == mention.name),
            _ => false,
        }
    }

    /// The declarations that a bare name may mean in a file; more than one where modules clash.
    fn visible(&self, module: usize, name: &str) -> Vec<Decl> {
        if let Some(&own) = self.own[module].get(name) {
            return vec![self.whole((module, own))];
        }
        let mut found = Vec::new();
        for (_, used) in self.uses(module) {
            if let Some(&item) = self.own[used].get(name).filter(|_| name != "main") {
                let decl = self.whole((used, item));
                if !found.contains(&decl) {
                    found.push(decl);
                }
            }
        }
        found
    }

    fn in_module(&self, module: usize, alias: &str, name: &str) -> Option<Decl> {
        let is_it = |line: &Use| line.alias.as_ref().is_some_and(|known| known.name == alias);
        let (_, used) = self.uses(module).find(|(line, _)| is_it(line))?;
        self.own[used].get(name).filter(|_| name != "main").map(|item| self.whole((used, *item)))
    }

    /// The declaration that a name means; `None` for what no file declares.
    fn meaning(&mut self, module: usize, mention: &Mention) -> Result<Option<Decl>, ()> {
        let place = self.span(module, mention.span);
        if let Some((alias, name)) = mention.name.split_once('.') {
            return self.qualified(module, alias, name, mention.hidden_module, place).map(Some);
        }
        let name = mention.name.as_str();
        let found = self.visible(module, name);
        match found.as_slice() {
            [] => match self.elsewhere(name) {
                Some(decl) if !is_function(name) => {
                    let file = self.name_of(decl.0);
                    let message =
                        format!("`{name}` is declared in {file}, which {} does not use", self.name_of(module));
                    let help = format!("use that file here too: {}", self.use_line(decl.0));
                    let declared = self.place_of(decl);
                    self.report(
                        Diagnostic::error(message, place, "not declared in this file")
                            .also(declared, "declared here")
                            .help(help),
                    );
                    Err(())
                }
                _ => Ok(None),
            },
            [one] => Ok(Some(*one)),
            [first, second, ..] => {
                let [a, b] = [first, second].map(|decl| self.place_of(*decl));
                let names: Vec<String> = self
                    .uses(module)
                    .filter(|(_, used)| self.own[*used].contains_key(name))
                    .map(|(line, used)| match &line.alias {
                        Some(alias) => format!("`{}.{name}`", alias.name),
                        None => format!("`{name}` of {}, once it is used `as` a name", self.name_of(used)),
                    })
                    .collect();
                let message = format!("`{name}` is declared in two modules");
                self.report(
                    Diagnostic::error(message, place, "which one?")
                        .also(a, "one of them")
                        .also(b, "the other")
                        .help(format!("write {}", names.join(" or "))),
                );
                Err(())
            }
        }
    }

    fn qualified(&mut self, module: usize, alias: &str, name: &str, hidden: bool, place: Span) -> Result<Decl, ()> {
        if hidden {
            let message = format!("`{alias}` is a variable here, and a module above");
            let help = format!("give one another name: `use ... as {alias}_module;`");
            self.report(Diagnostic::error(message, place, "which one?").help(help));
            return Err(());
        }
        if let Some(decl) = self.in_module(module, alias, name) {
            return Ok(decl);
        }
        let is_it = |line: &Use| line.alias.as_ref().is_some_and(|known| known.name == alias);
        if let Some((_, used)) = self.uses(module).find(|(line, _)| is_it(line)) {
            let near = nearest(name, self.own[used].keys().copied().filter(|name| *name != "main"));
            let message = format!("{} declares no `{name}`", self.name_of(used));
            self.report(Diagnostic::error(message, place, "unknown name").did_you_mean(near));
        }
        Err(())
    }

    /// A declaration of a file that is not used where it is mentioned.
    fn elsewhere(&self, name: &str) -> Option<Decl> {
        let own = |module: usize| Some((module, *self.own[module].get(name).filter(|_| name != "main")?));
        self.loaded.order.iter().find_map(|&module| own(module)).filter(|decl| decl.0 != 0)
    }

    /// How a file is used, as another file of the program does it.
    fn use_line(&self, module: usize) -> String {
        match self.loaded.modules[module].name.strip_prefix("std/").and_then(|name| name.strip_suffix(".gt")) {
            Some(name) if self.loaded.modules[module].is_std => format!("`use std.{name};`"),
            _ => {
                let file = self.name_of(module).rsplit(['/', '\\']).next().unwrap_or_default();
                format!("`use \"{file}\";`")
            }
        }
    }

    /// Decides what the text has and what everything in it is called.
    fn finish(self, main: Option<Decl>, meanings: &[Meaning]) -> Resolved {
        let kept = self.kept(main, meanings);
        let meanings: Vec<&Meaning> = meanings.iter().filter(|m| kept.contains_key(&m.at)).collect();
        let called = self.called(&kept, &meanings);
        let mut words = vec![Vec::new(); self.loaded.modules.len()];
        for meaning in meanings {
            let name = declared(self.item(meaning.at));
            let own = called.get(&meaning.at).map(|called| (name.span, called)).filter(|(_, c)| **c != name.name);
            let renamed = meaning.mentions.iter().filter_map(|(mention, meant)| {
                let called = called.get(meant.as_ref()?)?;
                (*called != mention.name).then_some((mention.span, called))
            });
            words[meaning.at.0].extend(renamed.chain(own).map(|(span, called)| (span, called.clone())));
        }
        words.iter_mut().for_each(|words| words.sort_by_key(|(span, _)| span.start));
        Resolved { kept, words, schedule: self.schedule_of(0) }
    }

    /// The module whose schedule counts: this one, or the first that it uses and that has one.
    fn schedule_of(&self, module: usize) -> Option<usize> {
        match self.loaded.modules[module].ast.schedule {
            Some(_) => Some(module),
            None => self.uses(module).find_map(|(_, used)| self.schedule_of(used)),
        }
    }

    /// The declarations that the text has: all of the program's own files, and what these need of the standard library.
    fn kept(&self, main: Option<Decl>, meanings: &[Meaning]) -> HashMap<Decl, Decl> {
        let by_place: HashMap<Decl, &Meaning> = meanings.iter().map(|meaning| (meaning.at, meaning)).collect();
        let is_std = |decl: &Decl| self.loaded.modules[decl.0].is_std;
        let is_main = |decl: &Decl| self.own[decl.0].get("main") == Some(&decl.1);
        let counts = |decl: &Decl| self.whole(*decl) == *decl && (!is_main(decl) || Some(*decl) == main);
        let mut reached: HashSet<Decl> = HashSet::new();
        let mut next: Vec<Decl> = meanings.iter().map(|m| m.at).filter(|decl| !is_std(decl)).chain(main).collect();
        while let Some(decl) = next.pop() {
            if counts(&decl) && reached.insert(decl) {
                let mentions = by_place.get(&decl).map_or(&[][..], |meaning| &meaning.mentions);
                next.extend(mentions.iter().filter_map(|(_, meant)| *meant));
            }
        }
        let mut places: HashMap<Decl, Decl> = reached.iter().map(|decl| (*decl, *decl)).collect();
        for theirs in self.replaced.keys() {
            // The first of all places: what is declared there, the files in between may need.
            if let Some(place) = places.get_mut(&self.whole(*theirs))
                && self.position(*theirs) < self.position(*place)
            {
                *place = *theirs;
            }
        }
        // What a variable that was moved up begins with must be declared before it.
        let is_const = |decl: &Decl| matches!(self.item(*decl), Item::Const(_));
        let mut moved: Vec<Decl> = places.iter().filter(|(decl, place)| decl != place).map(|(decl, _)| *decl).collect();
        moved.retain(is_const);
        while let Some(decl) = moved.pop() {
            let Some(&place) = places.get(&decl) else { continue };
            let mentions = by_place.get(&decl).map_or(&[][..], |meaning| &meaning.mentions);
            for needed in mentions.iter().filter_map(|(_, meant)| *meant).filter(is_const) {
                if let Some(known) = places.get_mut(&needed)
                    && self.position(*known) > self.position(place)
                {
                    *known = place;
                    moved.push(needed);
                }
            }
        }
        places
    }

    /// Where a declaration stands among all files.
    fn position(&self, decl: Decl) -> (usize, usize) {
        (self.loaded.order.iter().position(|module| *module == decl.0).unwrap_or(0), decl.1)
    }

    /// What the declarations are called in the text.
    fn called(&self, kept: &HashMap<Decl, Decl>, meanings: &[&Meaning]) -> HashMap<Decl, String> {
        // All words of the program: a new name is none of them.
        let mut words: HashSet<&str> = HashSet::new();
        // Names that a file uses as built-in ones.
        let mut builtin: HashMap<&str, usize> = HashMap::new();
        // Declarations that a file mentions where a local has their name.
        let mut hidden: HashSet<Decl> = HashSet::new();
        for meaning in meanings {
            words.insert(&declared(self.item(meaning.at)).name);
            words.extend(meaning.locals.iter().map(|local| local.name.as_str()));
            for (mention, meant) in &meaning.mentions {
                let bare = mention.name.split_once('.').map_or(mention.name.as_str(), |(_, name)| name);
                words.insert(bare);
                match meant {
                    None => _ = builtin.insert(bare, meaning.at.0),
                    Some(decl) if bare != mention.name && meaning.locals.iter().any(|l| l.name == bare) => {
                        hidden.insert(*decl);
                    }
                    Some(_) => {}
                }
            }
        }
        let mut order: Vec<Decl> = kept.keys().copied().collect();
        // The first file's names are what its results are called.
        order.sort_by_key(|decl| (decl.0 != 0, self.position(*decl)));
        let mut called: HashMap<Decl, String> = HashMap::new();
        let mut taken: HashSet<String> = HashSet::new();
        for decl in order {
            let name = declared(self.item(decl)).name.as_str();
            let is_variable = matches!(self.item(decl), Item::Const(_));
            let twice = self.own[decl.0].get(name) != Some(&decl.1);
            let stays = twice
                || !taken.contains(name) && !hidden.contains(&decl) && !builtin.contains_key(name)
                || decl.0 == 0 && (is_variable || name == "main");
            let called_so = match stays {
                true => name.to_string(),
                false => {
                    let stem = self.stem(decl.0);
                    let tries = (1..).map(|n| match n {
                        1 => format!("{stem}_{name}"),
                        n => format!("{stem}_{name}_{n}"),
                    });
                    let free = |new: &String| !words.contains(new.as_str()) && !taken.contains(new);
                    tries.into_iter().find(free).unwrap_or_default()
                }
            };
            taken.insert(called_so.clone());
            called.insert(decl, called_so);
        }
        called
    }

    /// The name of a module as the beginning of a name.
    fn stem(&self, module: usize) -> String {
        let file = self.name_of(module).rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = file.strip_suffix(".gt").unwrap_or(file);
        let word: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if word.starts_with(|c: char| c.is_ascii_alphabetic()) { word } else { format!("m_{word}") }
    }
}
