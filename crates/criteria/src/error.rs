//! What can be wrong with a table of counters or of curves.

use thiserror::Error;

/// An error of this crate; every one says what to do about it.
#[derive(Debug, Error)]
pub enum CriteriaError {
    /// The text has no header of a profiler's table.
    #[error(
        "no table of Nsight Compute is in this text: a line with \"Kernel Name\" is missing; write one with \
         `ncu --csv --page raw --metrics ... --log-file FILE PROGRAM`"
    )]
    NoTable,
    /// The profiler ran, but profiled nothing.
    #[error("the table holds no kernel: the program launched none, or the profiler was not allowed to read counters")]
    NoKernels,
    /// No kernel has the wanted name.
    #[error("no kernel has `{wanted}` in its name; there are {names}")]
    NoSuchKernel {
        /// What was asked for.
        wanted: String,
        /// The names that there are, some of them.
        names: String,
    },
    /// A column is needed and not there.
    #[error("kernel {kernel}: the column `{metric}` is missing; give it to --metrics of ncu")]
    Missing {
        /// Number of the kernel in the table.
        kernel: usize,
        /// The metric.
        metric: &'static str,
    },
    /// A value is no number.
    #[error("line {line}, column `{column}`: `{value}` is no number")]
    Value {
        /// Line in the text.
        line: u64,
        /// Name of the column.
        column: String,
        /// What stands there.
        value: String,
    },
    /// The table cannot be read as CSV.
    #[error("line {line}: {message}")]
    Csv {
        /// Line in the text.
        line: u64,
        /// What is wrong.
        message: String,
    },
    /// A curve is unusable.
    #[error("the curve `{name}`: {message}")]
    Curve {
        /// Which one.
        name: String,
        /// What is wrong.
        message: String,
    },
}
