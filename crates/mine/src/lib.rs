//! Likely invariants of traces: what was true of the variables at every instant.
//!
//! The method is Mangrove's (Busato, PhD thesis, chapter 20): templates with all choices of variables are the
//! candidates; the instants of the trace falsify most of them within the first few, and those that are left at the
//! end are likely invariants. Unary templates come first, then binary ones, then ternary ones, and what follows from
//! smaller ones is not looked at again. Booleans take a bit per instant.
//!
//! ```
//! use gw_mine::{InMemory, Numbers, Templates, Trace, Variables, mine};
//! let variables = Variables { booleans: vec![], numbers: vec!["x".into(), "y".into()] };
//! let columns = vec![vec![1.0, 2.0, 3.0], vec![2.0, 4.0, 6.0]];
//! let trace = Trace { instants: 3, booleans: vec![], numbers: Numbers::narrowed(columns) };
//! let mut source = InMemory::new(variables, trace);
//! let mined = mine(&mut source, &Templates::second())?;
//! let texts: Vec<String> = mined.invariants.iter().map(|found| found.text(&mined.variables)).collect();
//! assert!(texts.contains(&"y = 2 * x".to_string()));
//! # Ok::<(), gw_mine::MineError>(())
//! ```

mod assertion;
mod booleans;
pub mod check;
mod classes;
#[cfg(feature = "cuda")]
pub mod device;
mod dominance;
mod error;
mod findings;
pub mod generate;
mod identifiers;
mod invariant;
mod keywords;
mod mine;
mod numbers;
mod ranges;
mod report;
pub mod source;
mod template;
mod trace;

pub use assertion::Language;
pub use error::MineError;
pub use identifiers::Identifiers;
pub use invariant::{Basis, Invariant};
pub use mine::{Mined, Seconds, mine, mine_with};
pub use ranges::Range;
pub use report::{assertions, report, text};
pub use source::{InMemory, ReadOptions, Source, load, open};
pub use template::{Constant, Template, Templates};
pub use trace::{Block, Numbers, Trace, Variables, packed};

/// What functions of this crate return.
pub type Result<T> = std::result::Result<T, MineError>;
