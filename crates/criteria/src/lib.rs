//! How well does a GPU kernel use the device, and what would help? Pure functions from counters to answers.
//!
//! The eleven criteria and the quality metric are those of Pro++ (Busato: High-Performance and Power-Aware Graph
//! Processing on GPUs, Verona 2018, chapter 12), potential speedups those of its fine-grained model (chapter 13). Where
//! a printed formula contradicts its own text, the corrected form is the default and [`Form::Printed`] has the other.
//!
//! - [`counters`](Counters): what is known of a kernel: device, launch, compiler, events. Every event may be missing.
//! - [`Criteria`]: eleven numbers from 0 (bad) to 1 (good), each of which may be unknown; [`Weights`] join them into
//!   the quality metric.
//! - [`FineGrained`]: the criteria of the fine-grained model, corrected by curves measured on the device.
//! - [`read_ncu`] and [`of_report`]: counters and a finished report from the table that `ncu --csv --page raw` writes.
//! - [`fit`]: weights from measured speeds by non-negative least squares, judged on primitives that were left out.
//!
//! Nothing here needs a GPU, and nothing is measured.
//!
//! ```
//! use gw_criteria::{Compiled, Counters, Criteria, Criterion, Device, Events, Form, Launch};
//! let counters = Counters {
//!     device: Device::h200(),
//!     launch: Launch { block: 256, grid: 1056, dynamic_shared: 0 },
//!     compiled: Compiled { registers: 64, static_shared: 0 },
//!     events: Events { lanes_per_instruction: Some(16.0), ..Events::default() },
//! };
//! let criteria = Criteria::of(&counters, Form::Corrected);
//! assert_eq!(criteria[Criterion::Divergence], Some(0.5));
//! assert_eq!(criteria[Criterion::Occupancy], Some(0.5));
//! assert_eq!(criteria[Criterion::HostSync], None); // that needs a timeline
//! ```

mod counters;
mod criteria;
mod criterion;
mod curve;
mod error;
mod fine;
pub mod fit;
mod ncu;
mod quality;
pub mod rank;
mod report;
mod timeline;

pub use counters::{Compiled, Counters, Device, Events, Launch};
pub use criteria::{Criteria, Form, occupancy, resident_blocks};
pub use criterion::{Criterion, Weights};
pub use curve::{Characterisation, Curve};
pub use error::CriteriaError;
pub use fine::{FineGrained, Latencies, Potential};
pub use ncu::{METRICS, Profiled, read_ncu};
pub use report::{KernelReport, Report, ReportOptions, of_report};
pub use timeline::{Copied, Span, Timeline};
