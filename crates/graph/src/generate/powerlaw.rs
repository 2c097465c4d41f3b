//! Power-law graphs by the configuration model: the degrees are drawn, the wiring is random.

use super::degrees::{Distribution, pair};
use super::{Generator, Params, Size};
use crate::progress::Progress;
use crate::rng::Rng;
use crate::{EdgeList, Result};

/// A simple graph whose degrees k occur in proportion to k^-exponent for k in `min..=max`.
///
/// A prescribed degree that no simple graph can give (hubs joined twice) falls short by the edges concerned; use
/// [`super::Degrees`] for a tested and connected outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerLaw {
    /// Number of vertices.
    pub vertices: u64,
    /// Exponent, usually between 2 and 3.
    pub exponent: f64,
    /// Least degree, at least 1.
    pub min: u64,
    /// Greatest degree; the square root of the number of vertices by default, the bound below which such graphs are
    /// uncorrelated.
    pub max: u64,
}

impl PowerLaw {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let vertices: u64 = params.required("VERTICES")?;
        let exponent: f64 = params.optional("EXPONENT", 2.5)?;
        let min = params.named("min")?.unwrap_or(1);
        let max = params.named("max")?.unwrap_or(default_max(vertices).max(min));
        params.check(exponent.is_finite() && exponent > 0.0, || "EXPONENT must be above 0".into())?;
        params.check(min >= 1 && min <= max && max < vertices, || {
            format!("degrees {min}..{max} must lie between 1 and the number of vertices less one, in order")
        })?;
        Ok(PowerLaw { vertices, exponent, min, max })
    }

    fn distribution(&self) -> Distribution {
        Distribution::PowerLaw { exponent: self.exponent, low: self.min, high: self.max }
    }
}

fn default_max(vertices: u64) -> u64 {
    vertices.isqrt().max(1)
}

impl Generator for PowerLaw {
    fn spec(&self) -> String {
        let mut spec = format!("powerlaw:{}:{}", self.vertices, self.exponent);
        if self.min != 1 {
            spec += &format!(":min={}", self.min);
        }
        if self.max != default_max(self.vertices).max(self.min) {
            spec += &format!(":max={}", self.max);
        }
        spec
    }

    fn size(&self) -> Size {
        let degrees = self.distribution().mean_bound(self.vertices) * self.vertices as f64;
        Size::new(self.vertices.into(), (degrees / 2.0) as u128)
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        progress.begin("pairing half-edges", None);
        let mut rng = Rng::new(seed, 0);
        let degrees = self.distribution().target(self.vertices, false)?.degrees(self.vertices as usize, &mut rng);
        Ok(EdgeList::from_pairs(self.vertices as usize, pair(&degrees, &mut rng)))
    }
}
