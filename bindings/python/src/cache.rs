//! Compiled programs, kept for the next call: choosing a schedule and compiling cost milliseconds, a run on a small
//! graph costs microseconds.
//!
//! A large graph keeps its own programs, compiled under the schedule that suits it. All small graphs share what was
//! compiled for any of them: there the schedule hardly matters, and compiling would be all that a call does.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use graphwright::language::{ExternCall, Externs};
use graphwright::machine::Target;
use graphwright::{Argument, Graph, Prepared, Program, Value};
use gw_graph::{GraphId, WeightKind};
use rustc_hash::FxHashMap;

/// Compiled programs that a graph keeps before it forgets them all.
const MOST: usize = 64;

/// Stored edges and vertices up to which a graph is small.
const SMALL: usize = 20_000;

/// What was compiled for small graphs.
static OF_SMALL: LazyLock<Arc<Cache>> = LazyLock::new(Arc::default);

/// Seconds of a run below which handing it to another thread would cost as much as the run.
const QUICK: f64 = 1e-3;

/// Arguments that say where a run begins and ends, but hardly how long it takes.
const PLACES: [&str; 4] = ["source", "target", "landmark", "delta"];

/// What a program was compiled for, beside its graph.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// The program.
    pub serial: u64,
    /// The machine.
    pub machine: Target,
    /// The schedule asked for.
    pub schedule: Option<String>,
    /// The names of arguments that are given.
    pub names: Vec<String>,
    /// The graphs among the arguments.
    pub graphs: Vec<String>,
    /// The seed of random choices.
    pub seed: u64,
    /// The weights of a graph that shares programs with others, and whether it is symmetric.
    pub form: Option<(WeightKind, bool)>,
}

/// A compiled program with the things that change from run to run.
pub struct Entry {
    /// The program.
    pub prepared: Prepared,
    /// Ends a run when raised.
    pub cancel: Arc<AtomicBool>,
    /// Arrays of the caller, by the names of the vectors they fill.
    pub inputs: Inputs,
    /// The last run was so short, and the program is so well known, that the next one need not be watched.
    pub quick: bool,
    /// The arguments as they were last given.
    texts: Vec<(String, String)>,
    /// The graph of the last run.
    graph: GraphId,
}

/// Arrays that fill the vectors of a program when it calls the extern function `receive`.
pub type Inputs = Arc<Mutex<HashMap<String, Vec<f64>>>>;

/// Compiled programs that nobody uses at the moment.
#[derive(Default)]
pub struct Cache(Mutex<FxHashMap<Key, Vec<Entry>>>);

/// An argument of a run: a text, or a graph.
pub type Given = (String, Argument);

impl Cache {
    /// The cache for a graph: its own, or that of all small graphs.
    pub fn of(graph: &Graph) -> Arc<Cache> {
        if Cache::is_shared(graph) { Arc::clone(&OF_SMALL) } else { Arc::default() }
    }

    /// Whether the graph shares compiled programs with others.
    pub fn is_shared(graph: &Graph) -> bool {
        graph.edges().max(graph.vertices()) <= SMALL
    }

    /// A program that was kept, ready for a run on this graph with these arguments.
    pub fn kept(&self, key: &Key, graph: &Graph, arguments: &[Given]) -> Option<graphwright::Result<Entry>> {
        let mut entry = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let entries = all.get_mut(key)?;
            match entries.iter().rposition(|entry| entry.graph == graph.id()) {
                Some(at) => entries.swap_remove(at),
                None => entries.pop()?,
            }
        };
        entry.cancel.store(false, Ordering::Relaxed);
        if entry.graph == graph.id() {
            return Some(entry.set(arguments).map(|()| entry));
        }
        match entry.prepared.move_to(graph, arguments) {
            Ok(true) => {
                (entry.graph, entry.texts) = (graph.id(), texts(arguments));
                Some(Ok(entry))
            }
            // Another form of the program, which is compiled anew.
            Ok(false) => None,
            Err(error) => {
                // What was compiled is as good as before.
                self.put(key.clone(), entry);
                Some(Err(error))
            }
        }
    }

    /// A program ready for a run with these arguments: one that was kept, or a new one.
    pub fn take(&self, key: &Key, program: &Program, graph: &Graph, arguments: &[Given]) -> graphwright::Result<Entry> {
        self.kept(key, graph, arguments).unwrap_or_else(|| Entry::new(key, program, graph, arguments))
    }

    /// Keeps a program for the next run.
    pub fn put(&self, key: Key, entry: Entry) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST && !kept.contains_key(&key) {
            kept.clear();
        }
        kept.entry(key).or_default().push(entry);
    }

    /// Number of compiled programs whose last run was on this graph.
    pub fn count(&self, graph: &Graph) -> usize {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.values().flatten().filter(|entry| entry.graph == graph.id()).count()
    }
}

impl Entry {
    fn new(key: &Key, program: &Program, graph: &Graph, arguments: &[Given]) -> graphwright::Result<Entry> {
        let cancel = Arc::new(AtomicBool::new(false));
        let inputs = Inputs::default();
        let mut externs = Externs::new();
        let source = Arc::clone(&inputs);
        externs.register("receive", move |call| receive(&source, call));
        let mut job =
            program.on(graph).target_with(key.machine.clone()).cancel(&cancel).seed(key.seed).externs(externs);
        if let Some(schedule) = &key.schedule {
            job = job.schedule(schedule);
        }
        for (name, value) in arguments {
            job = job.arg(name, value.clone());
        }
        Ok(Entry { prepared: job.prepare()?, cancel, inputs, quick: false, texts: texts(arguments), graph: graph.id() })
    }

    /// Notes how long a run took. Only standard programs whose length depends on the graph alone can be quick: a
    /// program of the user may go on for ever with its next argument, and must hear Ctrl-C.
    pub fn ran(&mut self, program: &Program, seconds: f64) {
        let bounded = self.texts.iter().all(|(name, _)| PLACES.contains(&name.as_str()));
        self.quick = program.as_standard().is_some() && bounded && seconds < QUICK;
    }

    /// Changes the arguments that differ from those of the last run.
    fn set(&mut self, arguments: &[Given]) -> graphwright::Result<()> {
        let wanted = texts(arguments);
        for (name, text) in &wanted {
            if !self.texts.iter().any(|(known, value)| known == name && value == text) {
                self.prepared.arg(name, text)?;
            }
        }
        self.texts = wanted;
        Ok(())
    }
}

fn texts(arguments: &[Given]) -> Vec<(String, String)> {
    let text = |(name, value): &Given| match value {
        Argument::Text(text) => Some((name.clone(), text.clone())),
        Argument::Graph(_) => None,
    };
    arguments.iter().filter_map(text).collect()
}

/// The extern function `receive()`: fills global vectors with the arrays of the caller.
fn receive(inputs: &Inputs, call: &ExternCall<'_>) -> Result<Value, String> {
    for (name, values) in inputs.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let global = call.global(name).ok_or_else(|| format!("the program has no vector `{name}`"))?;
        let vector = global.as_vector().ok_or_else(|| format!("`{name}` is no vector"))?;
        if vector.cells() != values.len() {
            return Err(format!("the array for `{name}` has {} entries, not {}", values.len(), vector.cells()));
        }
        let fits = vector.copy_from_slice(values)
            || vector.copy_from_slice(&values.iter().map(|&x| x as f32).collect::<Vec<_>>())
            || vector.copy_from_slice(&values.iter().map(|&x| x as i32).collect::<Vec<_>>())
            || vector.copy_from_slice(&values.iter().map(|&x| x as u32).collect::<Vec<_>>())
            || vector.copy_from_slice(&values.iter().map(|&x| x as u64).collect::<Vec<_>>())
            || vector.copy_from_slice(&values.iter().map(|&x| x != 0.0).collect::<Vec<_>>());
        if !fits {
            return Err(format!("the vector `{name}` holds no numbers"));
        }
    }
    Ok(Value::Nothing)
}
