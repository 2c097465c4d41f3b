//! The canonical text of schedules: one line, no spaces, safe in file names.
//!
//! ```text
//! program  = entry { ";" entry } | "default"
//! entry    = "on=" family | "order=" order | "do=" transform | label "@" schedule | schedule
//! schedule = simple
//!          | "hybrid" [ ",by=" criterion ] [ ",at=" threshold ] [ "+" simple "+" simple ]
//!          | "adaptive,by=" chooser "+" simple { "+" simple }
//! chooser  = criterion ",at=" threshold { "_" threshold } | "tree.NAME" | "oracle.NAME"
//! simple   = "default" | item { "," item }
//! item     = direction | key "=" value
//! ```

mod error;
mod parse;
mod print;
mod serial;

pub use error::{ParseError, Problem};
