//! What all processes must agree on before they compute together: program, schedule, arguments and graphs.
//!
//! A disagreement would show as nonsense or never, so every process tells what it has, in a few bytes.

use std::hash::Hasher;

use gw_exec::{Environment, ErrorKind, Result};
use gw_graph::{Graph, WeightKind};
use gw_ir::module::Module;
use rustc_hash::FxHasher;

use crate::cluster::Manners;
use crate::message::{Reader, Writer};
use crate::session::Session;

/// The kinds of weights, which processes tell each other by their places here.
const KINDS: [WeightKind; 5] =
    [WeightKind::None, WeightKind::Int, WeightKind::Float, WeightKind::Int64, WeightKind::Double];
/// The bit of an undirected graph beside them.
const SYMMETRIC: u64 = 8;

/// The facts about a graph that a person can compare, and a number for all its edges and weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fingerprint {
    vertices: u64,
    edges: u64,
    kind: u64,
    lists: u64,
}

impl Fingerprint {
    /// What is told of a graph whose lists have this number.
    fn of(graph: &Graph, lists: u64) -> Fingerprint {
        let out = graph.out();
        let kind = KINDS.iter().position(|&kind| kind == out.weight_kind()).unwrap_or(0) as u64;
        let symmetric = if graph.is_symmetric() { SYMMETRIC } else { 0 };
        Fingerprint { vertices: graph.vertices() as u64, edges: graph.edges() as u64, kind: kind + symmetric, lists }
    }

    fn write(&self, message: &mut Writer) {
        [self.vertices, self.edges, self.kind, self.lists].into_iter().for_each(|word| message.u64(word));
    }

    fn read(reader: &mut Reader<'_>) -> Fingerprint {
        let [vertices, edges, kind, lists] = [(); 4].map(|()| reader.u64());
        Fingerprint { vertices, edges, kind, lists }
    }

    fn in_words(&self) -> String {
        let direction = if self.kind & SYMMETRIC == 0 { "directed" } else { "undirected" };
        let weights = match KINDS.get((self.kind & !SYMMETRIC) as usize) {
            None | Some(WeightKind::None) => "no weights".to_string(),
            Some(kind) => format!("weights of the type {kind}"),
        };
        format!("{} vertices, {} edges, {direction}, {weights}", self.vertices, self.edges)
    }
}

/// An error unless all processes run this module with the same arguments. The first argument may differ: it names a
/// graph, which may be elsewhere on another host.
pub(crate) fn on_program(session: &mut Session, module: u64, manners: Manners, env: &Environment) -> Result<()> {
    // Workers of one process differ in nothing but the time at which they read a checkpoint: none may go on, and write
    // the next one, before all have read this one.
    if !session.is_spread() && env.resumed_from() == 0 {
        return Ok(());
    }
    let mut message = Writer::default();
    message.u64(module);
    let mut hash = FxHasher::default();
    hash.write_u8(u8::from(manners.to_mirrors) + 2 * u8::from(manners.drains));
    hash.write_u64(env.seed());
    hash.write_u64(env.resumed_from());
    for index in (2..).map_while(|index| env.argument(index).ok()) {
        hash.write(index.as_bytes());
        hash.write_u8(0);
    }
    message.u64(hash.finish());
    message.u64(env.loaded_values());
    let messages = session.broadcast(message)?;
    let mut readers = Session::readers(&messages);
    let said: Vec<[u64; 3]> = readers.iter_mut().map(|reader| [(); 3].map(|()| reader.u64())).collect();
    let differs = said.iter().position(|words| *words != said[0]);
    let Some(worker) = differs else { return session.intact(&readers) };
    let what = match said[worker] {
        [module, ..] if module != said[0][0] => "another program or schedule",
        [_, arguments, _] if arguments != said[0][1] => "with other arguments, another seed or another checkpoint",
        _ => "with other values of vertices in the files that the program loads",
    };
    let other = session.process_of(worker);
    let mend = "start all with the same arguments and files";
    disagree(session, &format!("process {other} runs {what} than process 0; {mend}"))
}

/// Whether all workers tell the same of their graphs.
pub(crate) fn is_same(session: &mut Session, told: impl Iterator<Item = (u64, bool)>) -> Result<bool> {
    let mut message = Writer::default();
    told.for_each(|(number, yes)| message.u64(2 * number + u64::from(yes)));
    let messages = session.broadcast(message)?;
    Ok(messages.iter().all(|message| **message == *messages[0]))
}

/// An error unless all processes have this graph.
pub(crate) fn on_graph(session: &mut Session, graph: &Graph) -> Result<()> {
    if !session.is_spread() {
        return Ok(());
    }
    let tell = |session: &mut Session, lists: u64| -> Result<Vec<Fingerprint>> {
        let mut message = Writer::default();
        Fingerprint::of(graph, lists).write(&mut message);
        let messages = session.broadcast(message)?;
        let mut readers = Session::readers(&messages);
        let said = readers.iter_mut().map(Fingerprint::read).collect();
        session.intact(&readers)?;
        Ok(said)
    };
    let differs = |said: &[Fingerprint]| said.iter().position(|graph| *graph != said[0]);
    // Of a graph in parts, its folder knows the hash of all edges. Copies of one file have one checksum. Only where
    // processes have the graph from different places, all edges are hashed.
    let known = graph.share().map(|share| share.hash).or(graph.checksum());
    let mut said = tell(session, known.unwrap_or(0))?;
    if graph.share().is_none() && (differs(&said).is_some() || said[0].lists == 0) {
        said = tell(session, graph.edges_hash())?;
    }
    let Some(worker) = differs(&said) else { return Ok(()) };
    let (other, own) = (said[worker].in_words(), said[0].in_words());
    let process = session.process_of(worker);
    let what = match other == own {
        true => format!("process {process} has another graph than process 0, though both have {own}"),
        false => format!("process {process} has another graph than process 0: {other} there, {own} here"),
    };
    disagree(session, &what)
}

fn disagree(session: &mut Session, reason: &str) -> Result<()> {
    session.end(reason);
    Err(ErrorKind::Elsewhere(reason.to_string()).into())
}

/// A number for a module that is the same in all processes.
pub(crate) fn module_hash(module: &Module) -> u64 {
    let mut hash = FxHasher::default();
    hash.write(gw_ir::print(module).as_bytes());
    hash.finish()
}
