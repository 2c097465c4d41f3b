//! Notes on standard error: `eprint!` and `eprintln!` in place of those of the standard library, which
//! panic where whoever reads has gone. A run goes on without a reader of its notes.

/// Writes to standard error, and ignores a reader that is gone.
#[macro_export]
macro_rules! eprint {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let _ = write!(std::io::stderr(), $($part)*);
    }};
}

/// Writes a line to standard error, and ignores a reader that is gone.
#[macro_export]
macro_rules! eprintln {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($part)*);
    }};
}
