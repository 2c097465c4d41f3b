//! The same graph with weights of another type, and what is lost by that.

use crate::parallel::{self, PIECE};
use crate::{Adjacency, Graph, GraphError, Result, RoundedWeight, Weight, WeightKind, Weights, memory, with_weights};

/// A weight type that other weights can become.
trait Target: Weight {
    /// The nearest value; `None` where the weight lies out of range.
    fn of_whole(whole: i64) -> Option<Self>;
    /// The nearest value; `None` where the weight lies out of range.
    fn of_real(real: f64) -> Option<Self>;
    /// The exact value, which any weight has as one of these two.
    fn exact(self) -> Exact;
}

/// A weight without its type.
#[derive(Clone, Copy, PartialEq)]
enum Exact {
    Whole(i64),
    Real(f64),
}

macro_rules! whole_target {
    ($type:ty) => {
        impl Target for $type {
            fn of_whole(whole: i64) -> Option<Self> {
                <$type>::try_from(whole).ok()
            }
            fn of_real(real: f64) -> Option<Self> {
                // The bounds are powers of two, which reals hold exactly; the upper one is excluded.
                let bound = -(<$type>::MIN as f64);
                let near = real.round_ties_even();
                (-bound <= near && near < bound).then_some(near as $type)
            }
            fn exact(self) -> Exact {
                Exact::Whole(self.into())
            }
        }
    };
}

macro_rules! real_target {
    ($type:ty) => {
        impl Target for $type {
            fn of_whole(whole: i64) -> Option<Self> {
                Some(whole as $type)
            }
            fn of_real(real: f64) -> Option<Self> {
                let near = real as $type;
                Weight::is_finite(near).then_some(near)
            }
            fn exact(self) -> Exact {
                Exact::Real(self.into())
            }
        }
    };
}

whole_target!(i32);
whole_target!(i64);
real_target!(f32);
real_target!(f64);

impl Exact {
    fn to<T: Target>(self) -> Option<T> {
        match self {
            Exact::Whole(whole) => T::of_whole(whole),
            Exact::Real(real) => T::of_real(real),
        }
    }

    /// Whether two weights are the same number.
    fn is(self, other: Exact) -> bool {
        match (self, other) {
            (Exact::Whole(a), Exact::Whole(b)) => a == b,
            (Exact::Real(a), Exact::Real(b)) => a == b,
            (Exact::Whole(whole), Exact::Real(real)) | (Exact::Real(real), Exact::Whole(whole)) => {
                real.fract() == 0.0 && real.abs() < 1e19 && real as i128 == i128::from(whole)
            }
        }
    }

    fn text(self) -> String {
        match self {
            Exact::Whole(whole) => whole.to_string(),
            Exact::Real(real) => real.to_string(),
        }
    }
}

/// Weights of another type, and the first that became another number.
struct Converted {
    weights: Weights,
    rounded: Option<usize>,
}

impl Weights {
    /// These weights as those of another kind; the position of the first that lies out of its range where there is one.
    fn converted(&self, kind: WeightKind) -> std::result::Result<Converted, usize> {
        fn of<F: Target, T: Target>(from: &[F]) -> std::result::Result<Converted, usize> {
            let convert = |at: usize| from[at].exact().to::<T>();
            if let Some(at) = parallel::first(from.len(), PIECE, |mut range| range.find(|&at| convert(at).is_none())) {
                return Err(at);
            }
            let weights: Vec<T> = parallel::list(from.len(), |at| convert(at).unwrap_or_default());
            let differs = |&at: &usize| !from[at].exact().is(weights[at].exact());
            let rounded = parallel::first(from.len(), PIECE, |mut range| range.find(differs));
            Ok(Converted { weights: T::wrap(weights), rounded })
        }
        with_weights!(self, none => Err(0), from => match kind {
            WeightKind::None => Ok(Converted { weights: Weights::None, rounded: None }),
            WeightKind::Int => of::<_, i32>(from),
            WeightKind::Float => of::<_, f32>(from),
            WeightKind::Int64 => of::<_, i64>(from),
            WeightKind::Double => of::<_, f64>(from),
        })
    }

    fn exact_text(&self, edge: usize) -> String {
        with_weights!(self, none => String::new(), weights => weights[edge].exact().text())
    }
}

impl Graph {
    /// The same graph with weights of this type, rounded to the nearest where it holds them not exactly; the first of
    /// those is what [`Graph::rounded_weight`] tells. A weight out of its range is an error. A graph without weights
    /// is returned as it is.
    ///
    /// ```
    /// use gw_graph::{BuildOptions, EdgeList, WeightKind, build};
    /// let cents = EdgeList::from_triples(2, [(0, 1, 0.1f64)]);
    /// let graph = build(cents, &BuildOptions::default()).unwrap().with_weight_kind(WeightKind::Float).unwrap();
    /// let lost = graph.rounded_weight().unwrap().to_string();
    /// assert_eq!(lost, "the weight 0.1 is kept as 0.10000000149011612: weights are reals of 32 bits");
    /// ```
    pub fn with_weight_kind(self, kind: WeightKind) -> Result<Graph> {
        if !self.is_weighted() {
            return Ok(self);
        }
        if self.weight_kind() == kind {
            let rounded = self.asked_rounding();
            return Ok(self.with_rounded_weight(rounded));
        }
        let out = self.out();
        out.load()?;
        let bytes = kind.bytes() * out.edges() * if self.has_incoming() && !self.is_symmetric() { 2 } else { 1 };
        memory::allow(bytes as u64, "the graph with weights of another type")?;
        let failed = |edge: usize| self.out_of_range(edge, kind);
        let Converted { weights, rounded } = out.weights().converted(kind).map_err(failed)?;
        let rounded = rounded.map(|edge| RoundedWeight {
            line: None,
            written: out.weights().exact_text(edge),
            kept: weights.real(edge).unwrap_or_default(),
            kind,
            asked: true,
        });
        let rounded = rounded.or_else(|| self.asked_rounding());
        // Weights that were told apart may be equal now: whether the graph is symmetric is not asked again.
        let graph = Graph::new(self.shared_out().with_weights(weights), self.is_symmetric());
        let (names, numbering, notes) = (self.names().cloned(), self.numbering().cloned(), self.notes().clone());
        Ok(graph
            .with_rounded_weight(rounded)
            .with_names(names)
            .with_numbering(numbering)
            .with_notes(notes)
            .with_columns_of(&self))
    }

    /// A sentence about weights of 64 bits; `None` where they have 32 or there are none.
    pub fn wide_weights(&self) -> Option<String> {
        let (what, narrow) = match self.weight_kind() {
            WeightKind::Int64 => ("integers", "int"),
            WeightKind::Double => ("reals", "float"),
            WeightKind::None | WeightKind::Int | WeightKind::Float => return None,
        };
        Some(format!("weights are kept as {what} of 64 bits; `:as={narrow}` keeps them in 32"))
    }

    /// What reading the file lost, as something that was asked for.
    fn asked_rounding(&self) -> Option<RoundedWeight> {
        self.rounded_weight().cloned().map(|rounded| RoundedWeight { asked: true, ..rounded })
    }

    fn out_of_range(&self, edge: usize, kind: WeightKind) -> GraphError {
        let out = self.out();
        let (source, target) = (out.source_of(edge), out.targets()[edge]);
        let weight = out.weights().exact_text(edge);
        GraphError::Malformed(format!(
            "the weight {weight} of the edge from vertex {source} to vertex {target} is out of range for weights of \
             the type {kind}"
        ))
    }
}

impl Adjacency {
    /// The first weight that a type of weights does not hold exactly, as text.
    pub fn first_inexact(&self, kind: WeightKind) -> Option<String> {
        fn of<F: Target, T: Target>(list: &[F]) -> Option<F> {
            list.iter().copied().find(|from| from.exact().to::<T>().is_none_or(|to: T| !from.exact().is(to.exact())))
        }
        fn among<F: Target, T: Target>(out: &Adjacency) -> Option<String> {
            let list = |v: u32| of::<F, T>(out.weights_of::<F>(v));
            let found = parallel::first(out.vertices(), PIECE, |mut range| range.find_map(|v| list(v as u32)));
            found.map(|weight| weight.exact().text())
        }
        fn from<F: Target>(out: &Adjacency, kind: WeightKind) -> Option<String> {
            match kind {
                WeightKind::None => None,
                WeightKind::Int => among::<F, i32>(out),
                WeightKind::Float => among::<F, f32>(out),
                WeightKind::Int64 => among::<F, i64>(out),
                WeightKind::Double => among::<F, f64>(out),
            }
        }
        match self.weight_kind() {
            WeightKind::None => None,
            WeightKind::Int => from::<i32>(self, kind),
            WeightKind::Float => from::<f32>(self, kind),
            WeightKind::Int64 => from::<i64>(self, kind),
            WeightKind::Double => from::<f64>(self, kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildOptions, EdgeList, build};

    fn graph<W: Weight>(weights: [W; 2]) -> Graph {
        let triples = [(0, 1, weights[0]), (1, 2, weights[1])];
        build(EdgeList::from_triples(3, triples), &BuildOptions::default()).unwrap()
    }

    #[test]
    fn what_is_lost_is_told() {
        let told = |graph: Graph, kind| graph.with_weight_kind(kind).unwrap().rounded_weight().map(|r| r.to_string());
        assert_eq!(told(graph([1, 2]), WeightKind::Double), None);
        assert_eq!(told(graph([0.5, 2.0f64]), WeightKind::Float), None);
        assert_eq!(told(graph([1i64 << 40, 2]), WeightKind::Float), None);
        let half = "the weight 2.5 is kept as 2: weights are whole numbers";
        assert_eq!(told(graph([1.0, 2.5f64]), WeightKind::Int).as_deref(), Some(half));
        let wide = "the weight 16777217 is kept as 16777216: weights are reals of 32 bits";
        assert_eq!(told(graph([1, 16_777_217]), WeightKind::Float).as_deref(), Some(wide));
        let wide = "the weight 9007199254740993 is kept as 9007199254740992: weights are reals of 64 bits";
        assert_eq!(told(graph([1, (1i64 << 53) + 1]), WeightKind::Double).as_deref(), Some(wide));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_edge() {
        let error = graph([1, 3_000_000_000i64]).with_weight_kind(WeightKind::Int).unwrap_err().to_string();
        let told =
            "the weight 3000000000 of the edge from vertex 1 to vertex 2 is out of range for weights of the type int";
        assert!(error.contains(told), "{error}");
        for graph in [graph([1.0, 1e300f64]), graph([-1e300, 1.0])] {
            assert!(graph.with_weight_kind(WeightKind::Float).is_err());
        }
        assert!(graph([9.3e18f64, 1.0]).with_weight_kind(WeightKind::Int64).is_err());
        assert!(graph([-9_223_372_036_854_775_808.0f64, 1.0]).with_weight_kind(WeightKind::Int64).is_ok());
    }

    #[test]
    fn the_first_weight_that_a_type_does_not_hold_is_found() {
        assert_eq!(graph([0.5f64, 0.1]).out().first_inexact(WeightKind::Float).as_deref(), Some("0.1"));
        assert_eq!(graph([3.0f32, 0.5]).out().first_inexact(WeightKind::Int).as_deref(), Some("0.5"));
        assert_eq!(graph([3i64, 1 << 40]).out().first_inexact(WeightKind::Double), None);
    }
}
