//! The programs of a command, and which of them a result belongs to.

use graphwright::Program;
use gw_ir::types::Type;
use gw_programs::PARENT;

use super::source;
use crate::error::CliError;

/// The programs of a command with the names by which they were asked for.
pub struct Programs<'p>(pub Vec<(&'p str, &'p Program)>);

/// Finds the programs of `pagerank,cc`: standard programs by name, or `.gt` files by path. The name of a file that is
/// there is one program, whatever is in it.
pub fn find(text: &str) -> Result<Vec<(String, Program)>, CliError> {
    let names: Vec<&str> = match std::path::Path::new(text).exists() {
        true => vec![text],
        false => text.split(',').collect(),
    };
    for (at, name) in names.iter().enumerate() {
        if name.is_empty() && names.len() > 1 {
            return Err(CliError::Usage(format!("`{text}`: between two commas stands the name of a program")));
        }
        if names[..at].contains(name) {
            return Err(CliError::Usage(format!("`{text}`: {name} is named twice; name every program once")));
        }
    }
    names.into_iter().map(|name| Ok((name.to_string(), source::find(name)?))).collect()
}

impl<'p> Programs<'p> {
    /// The program that has a global of this name and type, and the name of the global there: `label`, or `cc.label`
    /// where several programs have one. `option` and `kind` stand in messages.
    pub fn find<'t>(
        &self,
        option: &str,
        text: &'t str,
        kind: &str,
        is_wanted: impl Fn(&Type) -> bool,
    ) -> Result<(usize, &'t str), CliError> {
        let known = |program: &'p Program| known(program, &is_wanted);
        let list = |program: &'p Program| {
            let names: Vec<&str> = known(program).into_iter().filter(|name| is_listed(program, name)).collect();
            if names.is_empty() { "none".to_string() } else { names.join(", ") }
        };
        // 1. With the name of a program in front.
        let named = self.0.iter().enumerate().find_map(|(at, (name, program))| {
            let rest = text.strip_prefix(name)?.strip_prefix('.')?;
            known(program).contains(&rest).then_some((at, rest))
        });
        if let Some(found) = named {
            return Ok(found);
        }
        // 2. The one program that has it.
        let having: Vec<usize> = (0..self.0.len()).filter(|&at| known(self.0[at].1).contains(&text)).collect();
        match (&having[..], &self.0[..]) {
            (&[at], _) => Ok((at, text)),
            ([], [(_, program)]) => {
                Err(CliError::Usage(format!("{option}: the program has no {kind} `{text}`; it has {}", list(program))))
            }
            ([], programs) => {
                let lists: Vec<String> =
                    programs.iter().map(|(name, program)| format!("{name} has {}", list(program))).collect();
                Err(CliError::Usage(format!("{option}: no program has a {kind} `{text}`; {}", lists.join("; "))))
            }
            (several, programs) => {
                let names: Vec<String> = several.iter().map(|&at| format!("{}.{text}", programs[at].0)).collect();
                Err(CliError::Usage(format!(
                    "{option}: several programs have `{text}`: name the program too, as {}",
                    names.join(" or ")
                )))
            }
        }
    }

    /// The first result of this type of the first program, as [`Programs::find`] takes it; `None` if it has none.
    /// The name of the program stands in front where others have a result of the same name.
    pub fn first(&self, is_wanted: impl Fn(&Type) -> bool) -> Option<String> {
        let (name, program) = self.0.first()?;
        let known: Vec<&str> =
            self::known(program, &is_wanted).into_iter().filter(|name| is_listed(program, name)).collect();
        let in_order = program.as_standard().and_then(|standard| {
            let mut names = standard.results.iter().map(|result| result.name);
            names.find(|name| known.contains(name))
        });
        let result = in_order.or(known.first().copied())?;
        let is_alone = self.0[1..].iter().all(|(_, program)| !self::known(program, &is_wanted).contains(&result));
        Some(if is_alone { result.to_string() } else { format!("{name}.{result}") })
    }
}

/// The globals of a program that are of a type that is wanted, and the parents of a search, which are worked out where
/// they are asked for.
fn known<'p>(program: &'p Program, is_wanted: &impl Fn(&Type) -> bool) -> Vec<&'p str> {
    let globals = program.module().globals.iter();
    let globals = globals.filter(|global| !global.name.starts_with(gw_lang::DERIVED));
    let mut names: Vec<&str> =
        globals.clone().filter(|global| is_wanted(&global.ty)).map(|global| &*global.name).collect();
    let standard = program.as_standard().filter(|standard| standard.has_parents() && !names.contains(&PARENT));
    let distances = standard.and_then(|standard| standard.reached).map(|reached| reached.vector);
    if globals.clone().any(|global| distances == Some(&*global.name) && is_wanted(&global.ty)) {
        names.push(PARENT);
    }
    names
}

/// Whether a global is a result: of a standard program the others are its own business.
fn is_listed(program: &Program, name: &str) -> bool {
    let results = program.as_standard().map(|standard| standard.results);
    name == PARENT || results.is_none_or(|results| results.iter().any(|result| result.name == name))
}
