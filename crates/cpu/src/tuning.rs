//! The numbers of this machine that were tuned, each with the measurement behind it.

use gw_schedule::Fraction;

/// Below this mean degree frontiers of a search stay small. Not measured on its own.
pub(crate) const FLAT_DEGREE: f64 = 4.0;

/// From this mean degree on, cache segments save more than their extra lists cost. Not measured on its own.
pub(crate) const DENSE_DEGREE: f64 = 8.0;

/// The share of the edges ahead from which on a search pulls. Lists are fetched ahead, which makes pushing cheaper than
/// the customary twentieth assumes. Measured: `bench/cpu-choice.md`.
pub(crate) const PULL_SHARE: Fraction = Fraction::ratio(1, 10);

/// The bucket width is the mean weight times this, divided by the square of the mean degree. Measured:
/// `bench/cpu-choice.md`.
pub(crate) const BUCKET_WIDTH_FACTOR: f64 = 22.0;

/// The bucket width is at least this part of the mean weight. Measured: `bench/cpu-choice.md`.
pub(crate) const LEAST_BUCKET_WIDTH_FACTOR: f64 = 1.0 / 40.0;
