//! Exceptions of Python for errors of Graphwright.

use graphwright::Error;
use graphwright::results::PathError;
use gw_graph::GraphError;
use pyo3::exceptions::{
    PyException, PyIndexError, PyMemoryError, PyOSError, PyTimeoutError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;

pyo3::create_exception!(graphwright, GraphwrightError, PyException, "The base of the errors of this package.");
pyo3::create_exception!(
    graphwright,
    ProgramError,
    GraphwrightError,
    "A program or schedule that cannot be compiled, or a program that failed while running; the text shows the line."
);
pyo3::create_exception!(graphwright, DeviceError, GraphwrightError, "A device that cannot be used here.");
pyo3::create_exception!(graphwright, VerificationError, GraphwrightError, "A result that its check found wrong.");
pyo3::create_exception!(
    graphwright,
    InternalError,
    GraphwrightError,
    "A mistake of Graphwright itself. Please report it with the message."
);

/// The exception for an error of a run, a program or an argument.
pub fn raise(error: Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::Graph(error) => raise_graph(error),
        Error::Read { source, .. } => PyOSError::new_err((source.raw_os_error().unwrap_or(0), text)),
        _ if error.is_timeout() => PyTimeoutError::new_err(text),
        _ if error.is_out_of_memory() => PyMemoryError::new_err(text),
        Error::Missing(_) | Error::UnknownMachine { .. } => DeviceError::new_err(text),
        Error::Argument(_) | Error::Unsuitable(_) => PyValueError::new_err(text),
        Error::UnknownArgument { .. } => PyTypeError::new_err(text),
        Error::Path(PathError::NoPaths { .. } | PathError::OtherTarget { .. } | PathError::NoVertex { .. }) => {
            PyValueError::new_err(text)
        }
        Error::Path(PathError::Wrong(_)) => VerificationError::new_err(text),
        Error::Wrong(_) => VerificationError::new_err(text),
        Error::UnknownProgram(_) => PyValueError::new_err(text),
        _ => ProgramError::new_err(text),
    }
}

/// The exception for an error about a graph.
pub fn raise_graph(error: GraphError) -> PyErr {
    let text = error.to_string();
    match error {
        GraphError::Io { source, path, .. } => {
            // Two arguments and a file name let Python pick the subclass, such as FileNotFoundError.
            let reason = source.to_string();
            PyOSError::new_err((source.raw_os_error().unwrap_or(0), reason, path.display().to_string()))
        }
        GraphError::Memory(_) => PyMemoryError::new_err(text),
        GraphError::VertexOutOfRange { .. } => PyIndexError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}
