//! What can go wrong when a run is explained.

/// The result of a function of this crate.
pub type Result<T, E = ExplainError> = std::result::Result<T, E>;

/// What can go wrong when a run is explained.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// The program, its arguments or its schedule are wrong, or the run failed.
    #[error(transparent)]
    Run(#[from] graphwright::Error),
    /// The traced run failed.
    #[error("the traced run, from which the model counts, failed: {0}")]
    Traced(gw_exec::ExecError),
    /// The sheet of the machine cannot be read.
    #[error(transparent)]
    Sheet(#[from] gw_meter::MeterError),
    /// The sheet is of another kind of machine.
    #[error("the sheet is of a {found}, the run is on {machine}; give the sheet of that machine with --sheet")]
    WrongSheet {
        /// What the sheet describes.
        found: gw_meter::Target,
        /// The machine of the run.
        machine: String,
    },
    /// No model exists for this machine.
    #[error("there is no operational model of the machine {0}; it knows the machines cpu and cuda")]
    NoModel(String),
}
