//! Arguments of a program, by position and by name.

use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::module::GlobalInit;
use gw_ir::stmt::StmtKind;
use gw_ir::walk;

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::program::Program;

/// An argument: a number, a text or a graph.
#[derive(Debug, Clone)]
pub enum Argument {
    /// What the program reads as `argv[k]`: a number, a word, a graph file or spec.
    Text(String),
    /// A graph in memory, where the program loads one.
    Graph(Graph),
}

macro_rules! argument_from {
    ($($t:ty),*) => {$(
        impl From<$t> for Argument {
            fn from(value: $t) -> Self {
                Argument::Text(value.to_string())
            }
        }
    )*};
}

argument_from! { i32, u32, i64, u64, usize, f32, f64, bool, &str, String, &String }

impl From<Graph> for Argument {
    fn from(graph: Graph) -> Self {
        Argument::Graph(graph)
    }
}

impl From<&Graph> for Argument {
    fn from(graph: &Graph) -> Self {
        Argument::Graph(graph.clone())
    }
}

/// The arguments given so far: place 0 is `argv[1]`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arguments {
    by_place: Vec<Argument>,
    by_name: Vec<(String, Argument)>,
}

impl Arguments {
    pub(crate) fn push(&mut self, argument: Argument) {
        self.by_place.push(argument);
    }

    pub(crate) fn set(&mut self, name: &str, argument: Argument) {
        self.by_name.retain(|(known, _)| known != name);
        self.by_name.push((name.to_string(), argument));
    }

    /// The arguments as texts, those with a name and those by position. `name` names a graph in memory.
    pub(crate) fn texts(&self, name: impl Fn(&Graph) -> String) -> (Vec<(String, String)>, Vec<String>) {
        let text = |argument: &Argument| match argument {
            Argument::Text(text) => text.clone(),
            Argument::Graph(graph) => name(graph),
        };
        let named = self.by_name.iter().map(|(name, argument)| (name.clone(), text(argument)));
        (named.collect(), self.by_place.iter().map(text).collect())
    }
}

/// The arguments of a program of one's own by place, from 0: those with a name first, the others in order.
pub(crate) fn own_arguments(
    program: &Program,
    named: &[(String, String)],
    positional: &[String],
) -> Result<Vec<String>> {
    if named.is_empty() {
        return Ok(positional.to_vec());
    }
    let names = names(program);
    let mut bound: Vec<Option<String>> = Vec::new();
    for (name, value) in named {
        let place = names.iter().find(|(known, _)| known == name).map(|(_, place)| *place);
        let place = place.ok_or_else(|| Error::UnknownArgument {
            program: program.name().to_string(),
            name: name.clone(),
            known: match names.is_empty() {
                true => "none that has a name".to_string(),
                false => names.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "),
            },
        })?;
        if bound.len() <= place {
            bound.resize(place + 1, None);
        }
        bound[place] = Some(value.clone());
    }
    let mut given = positional.iter().cloned();
    bound.iter_mut().filter(|value| value.is_none()).for_each(|value| *value = given.next());
    let missing = bound.iter().position(Option::is_none);
    if let Some(place) = missing {
        let name = names.iter().find(|(_, known)| *known == place).map(|(name, _)| format!("{name}, "));
        let name = name.unwrap_or_default();
        let message = format!("{}: the argument {name}argv[{}] is missing", program.name(), place + 1);
        return Err(Error::Result(message));
    }
    Ok(bound.into_iter().flatten().chain(given).collect())
}

/// The names of the arguments of a program of one's own with their places, from 0: the variable that is set from
/// `argv[k]` gives its name to the argument.
fn names(program: &Program) -> Vec<(String, usize)> {
    let mut names: Vec<(String, usize)> = Vec::new();
    let mut note = |name: &str, value: &Expr| {
        if let Some(place) = place_of(value).filter(|place| names.iter().all(|(_, known)| known != place)) {
            names.push((name.to_string(), place));
        }
    };
    let module = program.module();
    for global in &module.globals {
        if let Some(GlobalInit::Value(value)) = &global.init {
            note(&global.name, value);
        }
    }
    for body in walk::bodies(module) {
        walk::walk_stmts(body, &mut |stmt| match &stmt.kind {
            StmtKind::Assign { target, value } => {
                if let ExprKind::Var(name) = &target.kind {
                    note(name, value);
                }
            }
            StmtKind::VarDecl { name, init: Some(value), .. } => note(name, value),
            _ => {}
        });
    }
    names
}

/// The place of the one argument that an expression reads, if it reads one.
fn place_of(value: &Expr) -> Option<usize> {
    let mut places = Vec::new();
    walk::walk_expr(value, &mut |expr| {
        if let ExprKind::Builtin(Builtin::Argv, args) = &expr.kind {
            let place = match args.first().map(|index| &index.kind) {
                Some(ExprKind::Int(k)) => usize::try_from(*k).ok().and_then(|k| k.checked_sub(1)),
                _ => None,
            };
            places.push(place);
        }
    });
    match places[..] {
        [place] => place,
        _ => None,
    }
}
