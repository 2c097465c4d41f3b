//! Arguments of a program, by position and by name.

use std::collections::BTreeMap;

use gw_graph::GraphId;
use gw_ir::analysis::columns::{ColumnName, columns};
use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::module::GlobalInit;
use gw_ir::stmt::StmtKind;
use gw_ir::walk;

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::program::Program;
use crate::schedule::Wanted;

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

impl FromIterator<String> for Arguments {
    /// Arguments by position.
    fn from_iter<T: IntoIterator<Item = String>>(texts: T) -> Self {
        Arguments { by_place: texts.into_iter().map(Argument::Text).collect(), by_name: Vec::new() }
    }
}

impl Arguments {
    /// The same behind a graph, the first argument.
    pub(crate) fn behind(&mut self, graph: &Graph) {
        self.by_place.insert(0, Argument::Graph(graph.clone()));
    }

    /// Puts another graph in the place of the first argument, where that is a graph.
    pub(crate) fn replace_graph(&mut self, graph: &Graph) -> bool {
        match self.by_place.first_mut() {
            Some(first @ Argument::Graph(_)) => {
                *first = Argument::Graph(graph.clone());
                true
            }
            _ => false,
        }
    }

    pub(crate) fn push(&mut self, argument: Argument) {
        self.by_place.push(argument);
    }

    pub(crate) fn set(&mut self, name: &str, argument: Argument) {
        self.by_name.retain(|(known, _)| known != name);
        self.by_name.push((name.to_string(), argument));
    }

    /// The arguments as texts, those with a name and those by position. `keep` gets every graph in memory with its
    /// text: the name of the graph, with a number where several graphs have the same name.
    pub(crate) fn texts(&self, mut keep: impl FnMut(&str, &Graph)) -> (Vec<(String, String)>, Vec<String>) {
        let mut graphs: Vec<(GraphId, String)> = Vec::new();
        let mut text = |argument: &Argument| match argument {
            Argument::Text(text) => text.clone(),
            Argument::Graph(graph) => {
                let known = graphs.iter().find(|(id, _)| *id == graph.id());
                let name = known.map(|(_, name)| name.clone()).unwrap_or_else(|| {
                    let is_taken = |name: &str| graphs.iter().any(|(_, other)| other == name);
                    let numbered = (2..).map(|number| format!("{} ({number})", graph.name()));
                    let mut names = std::iter::once(graph.name().to_string()).chain(numbered);
                    names.find(|name| !is_taken(name)).unwrap_or_default()
                });
                graphs.push((graph.id(), name.clone()));
                keep(&name, graph);
                name
            }
        };
        let named = self.by_name.iter().map(|(name, argument)| (name.clone(), text(argument))).collect();
        (named, self.by_place.iter().map(text).collect())
    }
}

/// An argument that a program of one's own reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnArgument {
    /// It is `argv[index]`.
    pub index: usize,
    /// The variable that is set from it, by whose name it can be given to [`Job::arg`](crate::Job::arg).
    pub name: Option<String>,
    /// What the program takes it for.
    pub kind: OwnArgumentKind,
}

/// What a program of one's own takes an argument for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnArgumentKind {
    /// A graph file or spec.
    Graph,
    /// Values of vertices: a list or a file.
    Values,
    /// A whole number, read by `atoi`.
    Integer,
    /// A number, read by `atof`.
    Real,
    /// A number of the program's schedule.
    Schedule,
    /// A text.
    Text,
}

impl OwnArgumentKind {
    /// In words, with an article.
    pub fn in_words(self) -> &'static str {
        match self {
            OwnArgumentKind::Graph => "a graph file or spec",
            OwnArgumentKind::Values => "values of vertices: a list such as `3,17=0.5`, or a file `@FILE`",
            OwnArgumentKind::Integer => "a whole number",
            OwnArgumentKind::Real => "a number",
            OwnArgumentKind::Schedule => "a number of the schedule",
            OwnArgumentKind::Text => "a text",
        }
    }

    /// Whether the program reads all of a text, and not only the number at its start.
    pub fn reads_all(self, text: &str) -> bool {
        let text = text.trim();
        match self {
            OwnArgumentKind::Integer => {
                let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
            }
            // Rust reads words such as `inf` as numbers, `atof` does not.
            OwnArgumentKind::Real => {
                text.parse::<f64>().is_ok() && !text.bytes().any(|byte| byte.is_ascii_alphabetic() && byte | 32 != b'e')
            }
            _ => true,
        }
    }
}

impl Program {
    /// The columns of tables that the program asks for in a run with these arguments.
    pub(crate) fn columns(&self, args: &[String]) -> Vec<String> {
        let named = |name| match name {
            ColumnName::Text(name) => Some(name),
            ColumnName::Argument(place) => place.checked_sub(1).and_then(|at| args.get(at)).cloned(),
        };
        columns(self.module()).into_iter().filter_map(named).collect()
    }

    /// The arguments that the text of a program of one's own reads, by place. An argument whose place the program
    /// computes is not among them.
    pub fn own_arguments(&self) -> Vec<OwnArgument> {
        let module = self.module();
        let mut kinds = BTreeMap::new();
        let mut look = |expr: &Expr| {
            let (read, kind) = match &expr.kind {
                ExprKind::EdgeSetLoad(text) => (&**text, OwnArgumentKind::Graph),
                ExprKind::VectorLoad(text) => (&**text, OwnArgumentKind::Values),
                ExprKind::Builtin(Builtin::Atoi, args) if !args.is_empty() => (&args[0], OwnArgumentKind::Integer),
                ExprKind::Builtin(Builtin::Atof, args) if !args.is_empty() => (&args[0], OwnArgumentKind::Real),
                _ => (expr, OwnArgumentKind::Text),
            };
            let ExprKind::Builtin(Builtin::Argv, args) = &read.kind else { return };
            let Some(ExprKind::Int(index)) = args.first().map(|index| &index.kind) else { return };
            let Ok(index) = usize::try_from(*index) else { return };
            let known = kinds.entry(index).or_insert(kind);
            if *known == OwnArgumentKind::Text {
                *known = kind;
            }
        };
        for global in &module.globals {
            if let Some(GlobalInit::Value(init) | GlobalInit::PerEntry(init)) = &global.init {
                walk::walk_expr(init, &mut look);
            }
        }
        for body in walk::bodies(module) {
            walk::walk_block_exprs(body, &mut look);
        }
        if let Wanted::Fixed(schedule, _) = Wanted::usual(self.front()) {
            // A schedule names arguments as `argv3`.
            for text in schedule.to_string().split("argv").skip(1) {
                let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
                if let Ok(index) = digits.parse() {
                    kinds.entry(index).or_insert(OwnArgumentKind::Schedule);
                }
            }
        }
        let names = names(self);
        let name = |index: usize| names.iter().find(|(_, place)| place + 1 == index).map(|(name, _)| name.clone());
        kinds.into_iter().map(|(index, kind)| OwnArgument { index, name: name(index), kind }).collect()
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

impl Program {
    /// Whether the program has an argument of this name.
    ///
    /// ```
    /// let bfs = graphwright::Program::find("bfs")?;
    /// assert!(bfs.has_argument("source") && !bfs.has_argument("rounds"));
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn has_argument(&self, name: &str) -> bool {
        match self.as_standard() {
            Some(standard) => standard.args.iter().any(|arg| arg.name == name),
            None => names(self).iter().any(|(known, _)| known == name),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_tells_what_it_reads() -> Result<()> {
        let text = "element Vertex end\nelement Edge end\n\
            const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);\n\
            const given : vector{Vertex}(int) = load(argv[3]);\n\
            const limit : double = atof(argv[4]);\n\
            func main()\n var least : int = atoi(argv[2]);\n print least, limit, argv[6];\nend\n";
        let program = Program::parse("mine.gt", text)?;
        let found = program.own_arguments();
        let told: Vec<_> = found.iter().map(|a| (a.index, a.name.as_deref().unwrap_or("-"), a.kind)).collect();
        let expected = [
            (1, "edges", OwnArgumentKind::Graph),
            (2, "least", OwnArgumentKind::Integer),
            (3, "given", OwnArgumentKind::Values),
            (4, "limit", OwnArgumentKind::Real),
            (6, "-", OwnArgumentKind::Text),
        ];
        assert_eq!(told, expected);
        Ok(())
    }

    #[test]
    fn what_is_read_in_part_is_known() {
        let (int, real) = (OwnArgumentKind::Integer, OwnArgumentKind::Real);
        for text in ["7", " -12", "+3", "99999999999999"] {
            assert!(int.reads_all(text) && real.reads_all(text), "{text}");
        }
        for text in ["", "bob", "1e6", "2.5", "0x10", "-"] {
            assert!(!int.reads_all(text), "{text}");
        }
        assert!(real.reads_all("1e-6") && real.reads_all(".5") && OwnArgumentKind::Text.reads_all("bob"));
        for text in ["", "bob", "inf", "nan", "1e", "1.2.3"] {
            assert!(!real.reads_all(text), "{text}");
        }
    }
}
