//! When kernels ran and what was copied: the input of the two criteria that no counter tells.

use serde::Serialize;

/// From when to when, in seconds of any clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Span {
    /// Beginning.
    pub begin: f64,
    /// End, not before the beginning.
    pub end: f64,
}

/// A copy between host and device.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Copied {
    /// When.
    pub span: Span,
    /// How much.
    pub bytes: f64,
}

/// Kernels and copies of a piece of work.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Timeline {
    /// The kernels.
    pub kernels: Vec<Span>,
    /// The copies.
    pub copies: Vec<Copied>,
    /// Bytes allocated on the device.
    pub allocated: f64,
}

impl Timeline {
    /// HSync: the share of the time between the first start and the last end in which a kernel ran. Kernels that run at
    /// the same time count once.
    pub fn host_sync(&self) -> Option<f64> {
        let merged = union(&self.kernels);
        let (first, last) = (merged.first()?, merged.last()?);
        let span = last.end - first.begin;
        (span > 0.0).then(|| (merged.iter().map(|s| s.end - s.begin).sum::<f64>() / span).clamp(0.0, 1.0))
    }

    /// DT as it is printed: 0.5 for work without copies, never above it.
    pub fn transfer_printed(&self) -> Option<f64> {
        let (copied, overlapped) = (self.copied(), self.overlapped());
        let all = self.allocated + copied;
        (all > 0.0).then(|| (0.5 + overlapped / all - copied / all).clamp(0.0, 1.0))
    }

    /// DT: one less the share of bytes that were copied while no kernel ran.
    pub fn transfer(&self) -> Option<f64> {
        let (copied, overlapped) = (self.copied(), self.overlapped());
        let all = self.allocated + copied;
        (all > 0.0).then(|| (1.0 - (copied - overlapped) / all).clamp(0.0, 1.0))
    }

    fn copied(&self) -> f64 {
        self.copies.iter().map(|copy| copy.bytes).sum()
    }

    /// Bytes copied while a kernel ran, if a copy moves its bytes evenly.
    fn overlapped(&self) -> f64 {
        let kernels = union(&self.kernels);
        let shared = |copy: &Copied| {
            let length = copy.span.end - copy.span.begin;
            let together: f64 =
                kernels.iter().map(|k| (k.end.min(copy.span.end) - k.begin.max(copy.span.begin)).max(0.0)).sum();
            if length > 0.0 { copy.bytes * (together / length).min(1.0) } else { 0.0 }
        };
        self.copies.iter().map(shared).sum()
    }
}

/// The spans in order, those that touch joined.
fn union(spans: &[Span]) -> Vec<Span> {
    let mut sorted: Vec<Span> = spans.iter().copied().filter(|s| s.end >= s.begin).collect();
    sorted.sort_by(|a, b| a.begin.total_cmp(&b.begin));
    let mut merged: Vec<Span> = Vec::new();
    for span in sorted {
        match merged.last_mut() {
            Some(last) if span.begin <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(begin: f64, end: f64) -> Span {
        Span { begin, end }
    }

    #[test]
    fn gaps_count_and_overlaps_count_once() {
        let gaps = Timeline { kernels: vec![span(4.0, 5.0), span(0.0, 2.0)], ..Timeline::default() };
        assert_eq!(gaps.host_sync(), Some(0.6));
        let streams = Timeline { kernels: vec![span(0.0, 3.0), span(1.0, 4.0)], ..Timeline::default() };
        assert_eq!(streams.host_sync(), Some(1.0));
        assert_eq!(Timeline::default().host_sync(), None);
    }

    /// 100 bytes allocated; of 60 copied ones, half while a kernel ran.
    #[test]
    fn copies_under_a_kernel_cost_nothing() {
        let copies = vec![Copied { span: span(1.0, 3.0), bytes: 60.0 }];
        let timeline = Timeline { kernels: vec![span(2.0, 9.0)], copies, allocated: 100.0 };
        assert_eq!(timeline.transfer(), Some(1.0 - 30.0 / 160.0));
        assert_eq!(timeline.transfer_printed(), Some(0.5 + 30.0 / 160.0 - 60.0 / 160.0));
    }
}
