//! What a person chooses from a suite on the command line.

/// Choices. Empty lists and `None` keep what the suite says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    /// Only these graphs, by name.
    pub graphs: Vec<String>,
    /// A file or spec for a graph by name; a new name adds a graph to every entry that takes all graphs.
    pub given: Vec<(String, String)>,
    /// Only these programs.
    pub programs: Vec<String>,
    /// Only these schedules, by the names the suite uses.
    pub schedules: Vec<String>,
    /// These schedules, texts or files, in place of those of the suite.
    pub instead: Vec<String>,
    /// Timed runs per source.
    pub trials: Option<u32>,
    /// Runs before the first timed one.
    pub warm_ups: Option<u32>,
    /// Number of start vertices, for programs that have one.
    pub sources: Option<u32>,
    /// Values of `{name}` that win over all in the suite.
    pub set: Vec<(String, String)>,
    /// Seed of the choice of sources.
    pub seed: Option<u64>,
    /// Whether results are validated.
    pub verify: Option<bool>,
}
