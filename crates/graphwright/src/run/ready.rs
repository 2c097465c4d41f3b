//! A program with arguments that it can take and a graph that suits it.

use std::sync::Arc;

use gw_exec::GraphStore;
use gw_graph::VertexId;
use gw_programs::{Unsuitable, weights_of};

use crate::error::{Error, Result};
use crate::program::Program;
use crate::run::argument::own_arguments;
use crate::run::note::Note;

/// A program whose arguments were checked.
pub(crate) struct Ready {
    /// The program: the one asked for, or the standard program that takes over on this kind of graph.
    pub program: Program,
    /// All arguments, `argv[1]` first; vertices are numbers.
    pub args: Vec<String>,
    /// The source that was taken since none was given, by its original id where the graph has some.
    pub chosen_source: Option<String>,
    /// What is not as given.
    pub notes: Vec<Note>,
}

impl Program {
    /// Makes the program ready for a run with arguments by name and by position.
    ///
    /// The arguments of a standard program are checked, those left out get their defaults, its graph is loaded from
    /// `graphs` and seen as the program needs it (kept there under the same name), a sibling takes over where the
    /// weights ask for one, and rows of results get the length that an argument asks for. A program of one's own takes
    /// what it is given; its arguments have the names of the variables that are set from them.
    pub(crate) fn ready(
        &self,
        named: &[(String, String)],
        positional: &[String],
        graphs: &dyn GraphStore,
    ) -> Result<Ready> {
        let mut ready = Ready { program: self.clone(), args: Vec::new(), chosen_source: None, notes: Vec::new() };
        let Some(asked) = self.as_standard() else {
            ready.args = own_arguments(self, named, positional)?;
            graphs.ask(&self.columns(&ready.args));
            if self.leaves_weights(&ready.args) {
                ready.notes.push(Note::UnusedWeights { program: self.name().to_string() });
            }
            // The first argument is the graph of nearly every program.
            if self.front().follows_weights
                && let Some(name) = ready.args.first()
                && let Ok(graph) = graphs.load(name, None)
            {
                ready.program = self.clone().with_weights(weights_of(&graph))?;
            }
            return Ok(ready);
        };
        let bound = asked.bind(named, positional)?;
        graphs.ask(&self.columns(&bound.known()));
        let name = bound.graph();
        let graph = graphs.load(name, None).map_err(|error| Error::Run { error, file: self.file().clone() })?;
        let (standard, weighing) = asked.weighing(&bound.known(), &graph, name)?;
        let suited = standard.suit(Arc::clone(&graph), name);
        let suited = suited.map_err(|reason| match standard == asked {
            true => reason,
            false => Unsuitable::ByWeight { reason: Box::new(reason) },
        })?;
        let settled = bound.settle(&suited.graph)?;
        let id = |vertex: VertexId| match suited.graph.names() {
            Some(names) => names.get(vertex).to_string(),
            None => vertex.to_string(),
        };
        ready.chosen_source = settled.chosen_source.map(id);
        if let (Some(source), Some(id)) = (settled.chosen_source, &ready.chosen_source) {
            ready.notes.push(Note::ChosenSource { id: id.clone(), vertex: suited.graph.shown(source).to_string() });
        }
        let landmark = settled.chosen_landmark.map(|vertex| suited.graph.shown(vertex).to_string());
        ready.notes.extend(landmark.map(|vertex| Note::ChosenLandmark { vertex }));
        ready.notes.extend(settled.chosen_delta.map(Note::ChosenWidth));
        ready.notes.extend(settled.chosen_starts.map(Note::ChosenStarts));
        ready.notes.extend(weighing.map(Note::Weights));
        ready.notes.extend(suited.notes.into_iter().map(Note::View));
        if let Some(source) = suited.program.stranded(&settled.args, &suited.graph) {
            let (vertex, meaning) = (suited.graph.shown(source).to_string(), suited.program.when_stranded());
            ready.notes.push(Note::Stranded { vertex, meaning });
        }
        ready.args = settled.args;
        // A form that counts edges by their weights is not told again to do so.
        ready.args.truncate(suited.program.args.len());
        let weights = suited.program.weights_on(&suited.graph);
        if !Arc::ptr_eq(&graph, &suited.graph) {
            graphs.keep(name, suited.graph);
        }
        if suited.program != asked || *suited.program.text_for(&ready.args) != *self.file().text {
            ready.program = self.form_of(suited.program, &ready.args, weights)?;
        } else {
            ready.program = self.clone().with_weights(weights)?;
        }
        Ok(ready)
    }
}
