//! What a run has to say beside its results: what is not as given, and what could not be used.

use std::fmt;

use gw_lang::{Diagnostic, SourceFile};

use crate::machine::Missing;

/// Something that a person may want to know about a run. `to_string` is a sentence without a full stop.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Note {
    /// No source was given.
    ChosenSource {
        /// The vertex, by its original id where the graph has ids.
        id: String,
        /// The vertex as messages name it.
        vertex: String,
    },
    /// No landmark was given; this vertex was taken.
    ChosenLandmark {
        /// The vertex as messages name it.
        vertex: String,
    },
    /// No width of buckets was given; one was worked out.
    ChosenWidth(String),
    /// From how many vertices a program searches, since no number is given.
    ChosenStarts(String),
    /// Edges count by their weights, or do not, since the graph or an argument says so.
    Weights(String),
    /// The program sees the graph in another way than it was given, such as a directed graph as an undirected one.
    View(String),
    /// No edge leaves the vertex that a search begins at.
    Stranded {
        /// The vertex as messages name it.
        vertex: String,
        /// What the result looks like then.
        meaning: &'static str,
    },
    /// A column of weights was named, but the program loads no weights.
    UnusedWeights {
        /// The program.
        program: String,
    },
    /// Findings in a schedule that are not errors.
    Findings {
        /// The findings.
        found: Vec<Diagnostic>,
        /// The text that they are about.
        file: SourceFile,
    },
    /// A machine that would have been chosen is there but fails.
    MachineFailed {
        /// What it lacks.
        missing: Missing,
        /// The machine that was taken.
        instead: String,
    },
    /// The program's own schedule gave way to the choice of the machine.
    OwnRefused {
        /// The machine.
        machine: String,
        /// The end of a sentence that begins with "since".
        because: String,
    },
    /// The machine runs operators with less than all that it has: each operator with the reason.
    Shortfalls(Vec<String>),
    /// The schedule, place by place, where [`Job::explain`](crate::Job::explain) asks for it.
    Schedule(String),
    /// The schedule is a tuned one.
    Tuned {
        /// When it was found, and what it saved then.
        because: String,
    },
    /// No model picks at every step, though that was asked for.
    NotAdaptive(String),
    /// A schedule that was tuned for this program and graph cannot be used.
    TunedIgnored(String),
    /// The model of the learned choice cannot be used.
    ModelIgnored(String),
    /// A preset has nothing that is legal for an operator.
    LeftToDefaults(String),
    /// A setting of the schedule does nothing on the machine.
    WithoutEffect(String),
    /// Vectors that the schedule wants side by side are stored apart.
    FieldsApart {
        /// The vectors.
        vectors: Vec<String>,
        /// The machine.
        machine: String,
    },
    /// The machine that was chosen had too little memory, and the CPU ran the program.
    RanOnCpu {
        /// The machine that was chosen.
        machine: String,
        /// Why the machine could not run the program.
        error: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::ChosenSource { vertex, .. } => {
                write!(f, "no source is given: taken is {vertex}, the vertex with the most out-edges")
            }
            Note::ChosenLandmark { vertex } => {
                let place = "which lies behind the source as seen from the target";
                write!(f, "no landmark is given: taken is {vertex}, {place}")
            }
            Note::ChosenWidth(text)
            | Note::ChosenStarts(text)
            | Note::Weights(text)
            | Note::View(text)
            | Note::LeftToDefaults(text) => f.write_str(text),
            Note::Stranded { vertex, meaning } => {
                write!(f, "warning: no edge leaves the vertex {vertex}, {meaning}")
            }
            Note::UnusedWeights { program } => write!(f, "{program} does not use the weights"),
            Note::Findings { found, file } => f.write_str(gw_lang::diagnostic::render(found, file, false).trim_end()),
            Note::MachineFailed { missing, instead } => {
                write!(f, "{}: {}; running on {instead}", missing.machine, missing.lacks)
            }
            Note::OwnRefused { machine, because } => {
                write!(f, "{machine} chooses the schedule, since {because}")
            }
            Note::Shortfalls(places) => f.write_str(&places.join("\n")),
            Note::Schedule(text) => f.write_str(text.trim_end()),
            Note::Tuned { because } => write!(f, "the schedule is tuned: {because}"),
            Note::NotAdaptive(reason) => write!(f, "the schedule is not adaptive: {reason}"),
            Note::TunedIgnored(reason) => {
                write!(f, "the rule of the machine chooses, since what was tuned cannot be used: {reason}")
            }
            Note::ModelIgnored(reason) => write!(
                f,
                "the rule of the machine chooses, since the model of the learned choice cannot be used: {reason}"
            ),
            Note::WithoutEffect(text) => write!(f, "warning: {text}"),
            Note::FieldsApart { vectors, machine } => {
                let vectors = vectors.join(", ");
                write!(f, "warning: fuseFields({vectors}) changes nothing on {machine}: vectors are stored apart")
            }
            Note::RanOnCpu { machine, error } => write!(f, "{machine}: {error}; running on the CPU"),
        }
    }
}
