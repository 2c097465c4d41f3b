//! Whether edges count by their weights, in programs that have a form for either.

use gw_exec::shown_graph;
use gw_graph::format::Format;
use gw_graph::spec::Source;
use gw_graph::{Graph, GraphSpec};

use crate::registry::{ArgKind, Program, find};
use crate::suit::Unsuitable;

/// What the argument `weights` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weighing {
    /// Weights count where the graph's file has some. Those made at random do not.
    Auto,
    /// Weights count.
    Use,
    /// All edges count alike.
    Ignore,
}

impl Weighing {
    pub(crate) fn of(text: &str) -> Option<Weighing> {
        match text {
            "auto" => Some(Weighing::Auto),
            "use" => Some(Weighing::Use),
            "ignore" => Some(Weighing::Ignore),
            _ => None,
        }
    }
}

impl Program {
    /// The program that runs with these arguments on a graph loaded under a name: this one, or its form in which edges
    /// count by their weights; with a sentence about weights where there is something to say.
    ///
    /// Weights count where the argument `weights` is `use`, or is `auto` and the weights come from the graph's file. A
    /// program without such a form tells that it does not use the weights of a table or a document.
    pub fn weighing(
        &'static self,
        args: &[String],
        graph: &Graph,
        name: &str,
    ) -> Result<(&'static Program, Option<String>), Unsuitable> {
        let at = self.args.iter().position(|arg| arg.kind == ArgKind::Weights);
        let wanted = at.and_then(|at| Weighing::of(args.get(at)?)).unwrap_or(Weighing::Ignore);
        let weighted = at.and(self.weighted).and_then(|name| find(name).ok());
        if !graph.is_weighted() {
            return match (weighted, wanted) {
                (Some(_), Weighing::Use) => Err(Unsuitable::NoWeights { program: self.name, graph: name.to_string() }),
                _ => Ok((self, None)),
            };
        }
        match (weighted, wanted) {
            (Some(weighted), Weighing::Use) => Ok((weighted, None)),
            (Some(weighted), Weighing::Auto) if Origin::of(name) != Origin::Other => {
                Ok((weighted, Some(self.told_by_weight())))
            }
            (None, _) if !self.uses_weights() && Origin::of(name) == Origin::Column => {
                let other = self.weighted.map_or(String::new(), |other| format!("; `{other}` does"));
                Ok((self, Some(format!("{} does not use the weights{other}", self.name))))
            }
            _ => Ok((self, None)),
        }
    }

    /// The sentence about edges that count by their weights without having been asked to.
    pub fn told_by_weight(&self) -> String {
        format!("{} counts edges by their weights; `--weights ignore` counts all alike", self.name)
    }

    /// The weights of edges matter to the result, at least where there are some.
    pub fn uses_weights(&self) -> bool {
        self.needs_weights || self.needs_nonnegative
    }
}

/// Where the weights of a graph come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A column of a table, or an attribute of a document.
    Column,
    /// Another file.
    File,
    /// Made at random, or unknown: a graph in memory.
    Other,
}

impl Origin {
    fn of(name: &str) -> Origin {
        // A graph in memory may be called by a description that reads like the name of a file.
        if shown_graph(name) == name {
            return Origin::Other;
        }
        match GraphSpec::parse(name) {
            Ok(spec) if spec.options.weights.is_some() => Origin::Other,
            Ok(spec) if spec.options.columns.weight.is_some() => Origin::Column,
            Ok(GraphSpec { source: Source::File(path), options, .. }) => {
                let format = options.format.or_else(|| Format::of_path(&path));
                let has_columns = format.is_some_and(|format| format.is_table() || format.is_document());
                if has_columns { Origin::Column } else { Origin::File }
            }
            _ => Origin::Other,
        }
    }
}
