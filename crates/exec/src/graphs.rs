//! Where `load` finds graphs, and how a graph is fitted to the weights a program asks for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gw_graph::format::Format;
use gw_graph::progress::{Progress, Silent};
use gw_graph::spec::Source;
use gw_graph::{ConstantWeight, Graph, GraphError, GraphSpec, WeightKind};
use gw_ir::types::Scalar;

use crate::error::{ErrorKind, Result};
use crate::scalar::to_f64;

/// Finds the graph that a program asks for by a text: a file name or a graph spec.
///
/// `weight` is the weight type the program wants, `None` for an unweighted edgeset. A source may use it to choose or to
/// cache; the executor checks the result with [`fit_weights`] in any case.
pub trait GraphSource: Send + Sync {
    /// The graph named `text`.
    fn load(&self, text: &str, weight: Option<Scalar>) -> Result<Arc<Graph>>;
}

/// A source that keeps graphs under names.
pub trait GraphStore: GraphSource {
    /// Makes `text` name this graph.
    fn keep(&self, text: &str, graph: Arc<Graph>);

    /// From now on, tables are loaded with these columns beside those that make the graph.
    fn ask(&self, columns: &[String]);
}

/// Loads files and specs, and keeps what it loaded: runs that share the source share the graphs.
#[derive(Default)]
pub struct SpecGraphs {
    cache: Mutex<HashMap<(String, bool), Cached>>,
    /// The columns of tables that were asked for.
    asked: Mutex<Vec<String>>,
}

struct Cached {
    graph: Arc<Graph>,
    /// How many columns had been asked for when the graph was loaded; `None` for a graph that was given.
    asked: Option<usize>,
}

impl SpecGraphs {
    /// A source with an empty cache.
    pub fn new() -> Self {
        SpecGraphs::default()
    }

    /// Makes `text` name this graph: for tests, and for graphs that are in memory already.
    pub fn insert(&self, text: impl Into<String>, graph: Arc<Graph>) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let text = text.into();
        cache.remove(&(text.clone(), true));
        cache.insert((text, false), Cached { graph, asked: None });
    }

    /// The columns that were asked for.
    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether a graph is kept under this name.
    pub fn has(&self, text: &str) -> bool {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.contains_key(&(text.to_string(), false))
    }

    fn cached(&self, key: &(String, bool), make: impl FnOnce() -> Result<Arc<Graph>>) -> Result<Arc<Graph>> {
        let asked = self.asked().len();
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = cache.get(key)
            && cached.asked.is_none_or(|before| before == asked)
        {
            return Ok(Arc::clone(&cached.graph));
        }
        let graph = make()?;
        cache.insert(key.clone(), Cached { graph: Arc::clone(&graph), asked: Some(asked) });
        Ok(graph)
    }
}

impl GraphStore for SpecGraphs {
    fn keep(&self, text: &str, graph: Arc<Graph>) {
        self.insert(text, graph);
    }

    fn ask(&self, columns: &[String]) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        for column in columns {
            if !asked.contains(column) {
                asked.push(column.clone());
            }
        }
    }
}

impl SpecGraphs {
    /// As [`GraphSource::load`]; `progress` hears of the work where the graph is not kept yet.
    pub fn load_with(&self, text: &str, weight: Option<Scalar>, progress: &dyn Progress) -> Result<Arc<Graph>> {
        let load = || {
            know_stores();
            let asked = self.asked();
            let spec = GraphSpec::parse(text)?.keeping(asked.iter().map(String::as_str));
            Ok(Arc::new(spec.load(progress)?.graph))
        };
        let graph = self.cached(&(text.to_string(), false), load)?;
        let fitted = fit_weights(&graph, weight, text)?;
        if Arc::ptr_eq(&fitted, &graph) {
            return Ok(graph);
        }
        self.cached(&(text.to_string(), true), || Ok(fitted))
    }
}

impl GraphSource for SpecGraphs {
    fn load(&self, text: &str, weight: Option<Scalar>) -> Result<Arc<Graph>> {
        self.load_with(text, weight, &Silent)
    }
}

/// Whether a graph is called by a description, as in "the graph after batch 3 of mails.txt", and not by the text that a
/// person gave for it.
fn is_described(name: &str) -> bool {
    name == "the graph" || name.starts_with("the graph ")
}

/// A graph in a message: what a person typed stands in backticks, a description does not.
pub fn shown_graph(name: &str) -> String {
    if is_described(name) { name.to_string() } else { format!("`{name}`") }
}

/// How a graph without weights gets some.
pub(crate) fn how_to_weigh(name: &str) -> String {
    if is_described(name) {
        return "make it of edges with weights".to_string();
    }
    let random = format!("add random weights, for example `{name}:weights=1..1000`");
    match GraphSpec::parse(name) {
        Ok(GraphSpec { source: Source::File(path), options, .. })
            if options.format.or_else(|| Format::of_path(&path)).is_some_and(|format| format.is_table()) =>
        {
            format!("name their column with --weight-column, or {random}")
        }
        _ => format!("use a weighted file or {random}"),
    }
}

/// From now on graph specs also name folders that keep a graph that changes ([`gw_dynamic::Store`]). Whoever loads
/// graphs past [`SpecGraphs`] calls this once before.
pub fn know_stores() {
    gw_dynamic::know_stores();
}

/// The type of the weights that a graph stores; `None` without weights.
pub fn stored_weights(graph: &Graph) -> Option<Scalar> {
    match graph.weight_kind() {
        WeightKind::None => None,
        WeightKind::Int => Some(Scalar::Int),
        WeightKind::Float => Some(Scalar::Float),
        WeightKind::Int64 => Some(Scalar::Int64),
        WeightKind::Double => Some(Scalar::Double),
    }
}

/// The graph as a program with this weight type can use it. `name` stands in messages.
///
/// An unweighted edgeset ignores weights. A weighted one needs them: integers where integers are wanted, of 32 bits
/// where these are wanted (a graph of other weights is converted where these hold all of them); any where reals are
/// wanted. Each weight becomes one of the type that is wanted when it is used.
pub fn fit_weights(graph: &Arc<Graph>, weight: Option<Scalar>, name: &str) -> Result<Arc<Graph>> {
    let Some(wanted) = weight else { return Ok(Arc::clone(graph)) };
    if wanted != Scalar::Float
        && let Some(rounded) = graph.rounded_weight().filter(|rounded| !rounded.asked)
    {
        let declared = if wanted.is_float() { "`double`" } else { "integers" };
        let message = format!(
            "{rounded}, and the program declares them {declared}; scale the weights, or take them as they are kept \
             with `:as=double`"
        );
        return Err(GraphError::file(name.as_ref(), message).into());
    }
    let kind = graph.weight_kind();
    let (needed, words) = match wanted {
        Scalar::Int | Scalar::Uint if kind != WeightKind::Int => (WeightKind::Int, "32-bit integer"),
        Scalar::Int64 | Scalar::Uint64 if kind.is_real() => (WeightKind::Int64, "integer"),
        Scalar::Double if kind == WeightKind::Int64 => (WeightKind::Double, "64-bit real"),
        _ => (kind, ""),
    };
    match kind {
        WeightKind::None => return Err(ErrorKind::Unweighted { graph: name.to_string() }.into()),
        _ if needed == kind => return Ok(Arc::clone(graph)),
        _ => {}
    }
    if graph.share().is_some() {
        let message = format!(
            "the program needs {words} weights, but the parts hold weights of the type {kind}; write the parts of a \
             graph with such weights"
        );
        return Err(GraphError::file(name.as_ref(), message).into());
    }
    if let Some(weight) = graph.out().first_inexact(needed) {
        return Err(ErrorKind::UnfitWeight { graph: name.to_string(), wanted: words, weight }.into());
    }
    Ok(Arc::new(graph.anew().with_weight_kind(needed)?))
}

/// The graph with its own weights, as a program with this weight type can use it; where it has none, all edges weigh
/// `weight`.
pub(crate) fn weigh(graph: &Arc<Graph>, scalar: Scalar, weight: u64) -> Result<Arc<Graph>> {
    if graph.is_weighted() {
        return fit_weights(graph, Some(scalar), "the graph");
    }
    let real = to_f64(scalar, weight);
    let constant = match scalar {
        // Whole weights stay whole, so that contractions add them up exactly.
        Scalar::Float | Scalar::Double if f64::from(real as i32) == real => ConstantWeight::Int(real as i32),
        Scalar::Float => ConstantWeight::Float(real as f32),
        Scalar::Double => ConstantWeight::Double(real),
        Scalar::Int64 | Scalar::Uint64 => ConstantWeight::Int64(weight as i64),
        _ => ConstantWeight::Int(weight as i32),
    };
    Ok(graph.weighing(constant)?)
}

#[cfg(test)]
mod tests {
    use gw_graph::{BuildOptions, EdgeList, build};

    use super::*;

    fn weighted(weights: [f32; 2]) -> Result<Arc<Graph>> {
        let triples = [(0, 1, weights[0]), (1, 2, weights[1])];
        Ok(Arc::new(build(EdgeList::from_triples(3, triples), &BuildOptions::default())?))
    }

    #[test]
    fn whole_floats_become_integers_and_fractions_do_not() -> Result<()> {
        let fitted = fit_weights(&weighted([2.0, -3.0])?, Some(Scalar::Int), "g")?;
        assert!(matches!(fitted.out().weights(), gw_graph::Weights::Int(w) if **w == [2, -3]));
        let error = fit_weights(&weighted([2.0, 0.5])?, Some(Scalar::Int), "g").map(|_| ());
        let message = error.err().map(|e| e.to_string());
        assert_eq!(message.as_deref(), Some("the program needs 32-bit integer weights, but `g` has the weight 0.5"));
        let error = fit_weights(&weighted([2.0, 0.5])?, Some(Scalar::Int64), "g").map(|_| ());
        assert!(
            error.err().is_some_and(|e| e.to_string().contains("needs integer weights, but `g` has the weight 0.5"))
        );
        let same = weighted([0.5, 0.5])?;
        assert!(Arc::ptr_eq(&same, &fit_weights(&same, Some(Scalar::Double), "g")?));
        Ok(())
    }

    #[test]
    fn weights_that_were_rounded_are_refused_where_every_digit_counts() -> Result<()> {
        let path = std::env::temp_dir().join(format!("gw-rounded-{}.wel", std::process::id()));
        let load = |text: &str, weight| {
            std::fs::write(&path, text).ok();
            let loaded = SpecGraphs::new().load(&path.display().to_string(), Some(weight));
            std::fs::remove_file(&path).ok();
            loaded.map(|_| ()).map_err(|e| e.to_string())
        };
        let lossy = "0 1 0.1\n1 2 9007199254740993.0\n";
        let refused = load(lossy, Scalar::Double).err().unwrap_or_default();
        assert!(refused.contains("the weight 9007199254740993.0 in line 2 is kept as 9007199254740992"), "{refused}");
        assert!(
            refused.contains("declares them `double`; scale the weights, or take them as they are kept"),
            "{refused}"
        );
        assert_eq!(load("0 1 1.0\n1 2 16777217\n", Scalar::Int), Ok(()));
        assert!(load("0 1 1\n1 2 3000000000\n", Scalar::Int).is_err_and(|error| error.contains("weight 3000000000")));
        assert_eq!(load("0 1 1\n1 2 3000000000\n", Scalar::Int64), Ok(()));
        assert_eq!(load("0 1 1\n1 2 3000000000\n", Scalar::Double), Ok(()));
        assert!(load("0 1 1\n1 2 9007199254740993\n", Scalar::Double).is_err());
        assert_eq!(load(lossy, Scalar::Float), Ok(()));
        assert_eq!(load("0 1 0.1\n1 2 16777216.5\n", Scalar::Float), Ok(()));
        assert_eq!(load("0 1 0.1\n1 2 0.3\n", Scalar::Double), Ok(()));
        Ok(())
    }

    #[test]
    fn missing_weights_suggest_the_option() -> Result<()> {
        let graph = Arc::new(build(EdgeList::from_pairs(2, vec![(0, 1)]), &BuildOptions::default())?);
        let error = fit_weights(&graph, Some(Scalar::Int), "kron:4").map(|_| ());
        assert!(error.err().is_some_and(|e| e.to_string().contains("`kron:4:weights=1..1000`")));
        Ok(())
    }

    #[test]
    fn runs_share_graphs() -> Result<()> {
        let source = SpecGraphs::new();
        source.insert("float", weighted([1.0, 2.0])?);
        let first = source.load("float", Some(Scalar::Int))?;
        assert!(Arc::ptr_eq(&first, &source.load("float", Some(Scalar::Int))?));
        assert!(!Arc::ptr_eq(&first, &source.load("float", None)?));
        Ok(())
    }
}
