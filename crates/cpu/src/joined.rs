//! A pull and the vertex operator behind it, carried out in one pass over the vertices.
//!
//! Where [`gw_ir::analysis::joined`] says that nobody sees the difference, the pull is put off until the host hands
//! over the vertex operator. A round of PageRank then reads and writes every vertex once: what arrives at a vertex
//! stays in a register. A vector that the vertex operator overwrites while other vertices still pull from it is kept
//! twice; the pass reads one copy and writes the other, which then becomes the vector of the program.
//!
//! A run whose steps somebody listens to is carried out step by step, so that every step has its own time. So is a run
//! on few threads, which does not wait for memory.

use std::sync::Arc;

use gw_exec::{Captures, EdgeCall, Environment, OperatorOutcome, Result, Selection, Sites, Value, Vector, VertexCall};
use gw_graph::Graph;
use gw_ir::analysis::calls::closure;
use gw_ir::analysis::joined::{Joined, joined};
use gw_ir::expr::{ExprKind, FunctionRef};
use gw_ir::module::{Function, Module};
use gw_ir::source::Name;
use gw_ir::types::Scalar;
use gw_ir::walk;

use crate::codegen::{EdgeShape, Follow, Range};
use crate::edges::weights;
use crate::executable::{CpuExecutable, Key};
use crate::list_form::ListForm;
use crate::sharing::Hands;

/// Two operators that can be one pass.
pub(crate) struct Pair {
    /// The number of the pull.
    pub(crate) edges: usize,
    /// The number of the vertex operator.
    pub(crate) vertices: usize,
    /// What is done with a vertex behind the pull: the vertex function, with other names for the second copies.
    pub(crate) follow: Follow,
    /// All vectors that the two functions touch.
    vectors: Vec<Name>,
    /// Vectors that are kept twice: their names, and those of their second copies.
    exchanged: Vec<(Name, Name)>,
}

/// A pull that was put off until its vertex operator.
pub(crate) struct Waiting {
    pub(crate) pair: usize,
    graph: Arc<Graph>,
}

impl Waiting {
    /// The call of the pull.
    pub(crate) fn call(&self) -> EdgeCall {
        EdgeCall { graph: Arc::clone(&self.graph), from: Selection::All, to: Selection::All, captures: Vec::new() }
    }
}

/// The pairs of a module, and the module that `kernels` are made of with a vertex function for each of them. `module`
/// is the one that the host walks.
pub(crate) fn extract(module: &Module, kernels: Arc<Module>) -> (Arc<Module>, Vec<Pair>) {
    let sites = Sites::of(module);
    let found = joined(module);
    if found.is_empty() {
        return (kernels, Vec::new());
    }
    let mut extended = Module::clone(&kernels);
    let pairs = found.into_iter().filter_map(|pair| {
        let (edges, vertices) = (sites.operator(pair.edges)?.0, sites.operator(pair.vertices)?.0);
        Some(Pair { edges, vertices, ..follow(module, pair, &mut extended)? })
    });
    let pairs = pairs.collect();
    (Arc::new(extended), pairs)
}

/// The vertex function of a pair, which writes to the second copies of exchanged vectors, added to a module.
fn follow(module: &Module, pair: Joined<'_>, extended: &mut Module) -> Option<Pair> {
    let gw_ir::operator::Operator::VertexSetIterator(op) = pair.vertices else { return None };
    let second = |name: &Name| -> Name { format!("{name}@second").into() };
    let renamed = |name: &Name| -> Name { format!("{name}@{}", op.apply.name).into() };
    for name in closure(module, [op.apply.name.clone()]) {
        let mut function = Function::clone(module.function(&name)?);
        function.name = renamed(&function.name);
        walk::walk_block_exprs_mut(function.body.as_mut()?, &mut |e| match &mut e.kind {
            ExprKind::Var(name) if pair.exchanged.contains(name) => *name = second(name),
            ExprKind::Call { function, .. } => function.name = renamed(&function.name),
            _ => {}
        });
        extended.functions.push(function);
    }
    let mut exchanged = Vec::new();
    for name in &pair.exchanged {
        let mut global = module.global(name)?.clone();
        global.name = second(name);
        exchanged.push((name.clone(), global.name.clone()));
        if extended.global(&global.name).is_none() {
            extended.globals.push(global);
        }
    }
    let function = FunctionRef { name: renamed(&op.apply.name), captures: Vec::new() };
    let mut visits = pair.visits;
    for visit in visits.iter_mut().filter(|visit| pair.exchanged.contains(&visit.vector)) {
        visit.vector = second(&visit.vector);
    }
    let follow = Follow { function, resting: pair.resting, visits };
    Some(Pair { edges: 0, vertices: 0, follow, vectors: pair.vectors, exchanged })
}

impl CpuExecutable {
    /// Puts a pull off until its vertex operator, if it has one; `None` when it must be carried out now.
    pub(crate) fn put_off(&mut self, id: usize, call: &EdgeCall, env: &Environment) -> Option<OperatorOutcome> {
        let pair = self.pairs.iter().position(|pair| pair.edges == id)?;
        // Without memory for them, the pull is carried out now, and tells so.
        call.graph.load_incoming().and_then(|incoming| incoming.load()).ok()?;
        if self.operators[id].schedule.segments.is_some() || self.crew.size() < self.sharing.joined_members {
            return None;
        }
        if env.is_observed() {
            // Warm-up runs are observed: the runs that are timed behind them shall not compile.
            self.compile_joined(pair, &call.graph);
            return None;
        }
        self.waiting = Some(Waiting { pair, graph: Arc::clone(&call.graph) });
        Some(OperatorOutcome {
            input_size: Some(call.graph.vertices() as u64),
            edges: Some(call.graph.incoming().edges() as u64),
            ..OperatorOutcome::default()
        })
    }

    /// The pull that was put off and its vertex operator in one pass; `None` when they must be carried out one after
    /// the other.
    pub(crate) fn run_joined(
        &mut self,
        waiting: &Waiting,
        call: &VertexCall,
        env: &mut Environment,
    ) -> Result<Option<OperatorOutcome>> {
        let (graph, pair) = (&*waiting.graph, &self.pairs[waiting.pair]);
        let (edges, span) = (pair.edges, self.operators[pair.vertices].span);
        let Some(seconds) = self.second_copies(pair, graph.vertices(), call, env)? else { return Ok(None) };
        let Some(key) = self.joined_key(waiting.pair, graph) else { return Ok(None) };
        let bound = self.bind(key, graph.vertices(), Captures::default(), &seconds, env)?;
        let Some((compiled, mut slots)) = bound else { return Ok(None) };
        slots.set_adjacency(graph.load_incoming()?, key.target.lists);
        let schedule = self.operators[edges].schedule;
        let grain = schedule.grain.map(|grain| env.amount(grain)).transpose()?.filter(|&g| g > 0).map(|g| g as usize);
        let hands = self.pass_hands(graph).filter(|_| key.target.parallel);
        let driven = {
            let shape = key.shape.unwrap_or_else(|| pass_shape(None));
            let chunks = match hands {
                None => self.chunks_alone(shape, &[], graph.incoming()),
                Some(hands) => self.chunks(&schedule, grain, shape, &[], graph.incoming(), hands.members),
            };
            // SAFETY: the slots were filled from the inputs that this kernel was compiled with, for this graph; the
            // range is that of its vertices.
            unsafe { self.crew.drive(compiled.kernel, &slots.words, &*chunks, hands, &env.stop) }
        };
        let fault = self.crew.fault(&compiled.sites);
        slots.write_back(env);
        self.crew.collect_counts();
        fault.map_err(|e| e.at(span))?;
        driven?;
        // The copies that were written are the vectors from here on; the old ones are written next time.
        for ((name, _), (_, written)) in self.pairs[waiting.pair].exchanged.iter().zip(seconds) {
            let old = env.global(name);
            env.set_global(name, written);
            if let Some(Value::Vector(old)) = old {
                self.second.insert(name.clone(), old);
            }
        }
        Ok(Some(OperatorOutcome { input_size: Some(graph.vertices() as u64), ..OperatorOutcome::default() }))
    }

    /// Compiles the kernel of a pair.
    fn compile_joined(&mut self, pair: usize, graph: &Graph) {
        if let Some(key) = self.joined_key(pair, graph) {
            // Where the kernel is refused, the operators are carried out one after the other.
            let _ = self.kernel(key);
        }
    }

    /// Compiles the kernel that a pair needs most likely.
    pub(crate) fn expected_pass(&mut self, pair: usize) -> std::result::Result<(), String> {
        let prepared = &self.operators[self.pairs[pair].edges];
        let Some(op) = prepared.edges() else { return Ok(()) };
        let shape = pass_shape(op.facts.weight);
        let target = self.edge_target(prepared, &op, shape.direction, self.crew.size() > 1, ListForm::NARROW);
        let operator = self.pairs[pair].edges;
        let key = Key { operator, shape: Some(shape), range: Range::Ids, target, joined: Some(pair) };
        self.kernel(key).map(|_| ())
    }

    /// Which kernel carries out a pair; `None` when the graph lacks the weights.
    fn joined_key(&self, pair: usize, graph: &Graph) -> Option<Key> {
        let operator = self.pairs[pair].edges;
        let prepared = &self.operators[operator];
        let op = prepared.edges()?;
        let weights = weights(op.facts.weight, graph)?;
        let shape = pass_shape(weights);
        let lists = ListForm::of(graph.incoming());
        let mut target = self.edge_target(prepared, &op, shape.direction, self.crew.size() > 1, lists);
        target.parallel &= self.pass_hands(graph).is_some();
        Some(Key { operator, shape: Some(shape), range: Range::Ids, target, joined: Some(pair) })
    }

    /// Whom to ask for help with a pass over all edges and vertices.
    fn pass_hands(&self, graph: &Graph) -> Option<Hands> {
        let work = graph.incoming().edges() + graph.vertices();
        self.sharing.hands_for_edges(work, self.crew.size(), false)
    }

    /// The second copies of exchanged vectors by their names; `None` when a vector is not what the pair needs: of one
    /// entry per vertex, known under no other name.
    fn second_copies(
        &self,
        pair: &Pair,
        vertices: usize,
        call: &VertexCall,
        env: &Environment,
    ) -> Result<Option<Vec<(Name, Value)>>> {
        if call.set.universe() != Some(vertices) {
            return Ok(None);
        }
        let mut seen = Vec::new();
        for name in &pair.vectors {
            match env.global(name) {
                Some(Value::Vector(vector)) if vector.len() == vertices && !seen.contains(&vector.id()) => {
                    seen.push(vector.id());
                }
                _ => return Ok(None),
            }
        }
        let mut copies = Vec::new();
        for (name, second) in &pair.exchanged {
            let Some(Value::Vector(vector)) = env.global(name) else { return Ok(None) };
            // One reference is the program's, one is here.
            if vector.is_shared_beyond(2) {
                return Ok(None);
            }
            let spare = self.second.get(name).filter(|spare| spare.dims() == vector.dims());
            let copy = match spare {
                Some(spare) => spare.clone(),
                None => Vector::zeros(vector.scalar(), vector.dims())?,
            };
            copies.push((second.clone(), Value::Vector(copy)));
        }
        Ok(Some(copies))
    }
}

/// A pull over all vertices.
fn pass_shape(weights: Option<Scalar>) -> EdgeShape {
    EdgeShape {
        direction: gw_ir::meta::Direction::Pull,
        range: Range::Ids,
        weights,
        ordered: false,
        from_all: true,
        clipped: false,
        batched: false,
        fetch_ahead: false,
        marked: false,
        skips_loops: false,
        drops_leaves: false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gw_exec::{GraphVm, Program, ReferenceVm, RunOptions, SpecGraphs, Value};
    use gw_graph::GraphSpec;
    use gw_graph::progress::Silent;
    use gw_ir::module::Module;
    use gw_lang::{SourceFile, compile_front};

    use crate::CpuVm;

    /// A round of something like PageRank; `between` and `update` are parts of it.
    fn source(between: &str, update: &str) -> String {
        format!(
            "element Vertex end
            element Edge end
            const edges : edgeset{{Edge}}(Vertex,Vertex) = load(argv[1]);
            const vertices : vertexset{{Vertex}} = edges.getVertices();
            const degree : vector{{Vertex}}(int) = edges.getOutDegrees();
            const rank : vector{{Vertex}}(float) = 0.5;
            const share : vector{{Vertex}}(float) = 0.25;
            const incoming : vector{{Vertex}}(double) = 0.0;
            const base : double = 0.0;
            const total : double = 0.0;
            func gather(src : Vertex, dst : Vertex)
                incoming[dst] += share[src];
            end
            func give(v : Vertex)
                share[v] = rank[v] / max(degree[v], 1);
                total += share[v];
            end
            func update(v : Vertex)
                {update}
            end
            func main()
                for i in 0:5
                    #s1# edges.apply(gather);
                    {between}
                    vertices.apply(update);
                end
            end
            "
        )
    }

    const UPDATE: &str = "rank[v] = base + 0.5 * incoming[v]; incoming[v] = 0.0; give(v);";
    const BETWEEN: &str = "base = 0.25 * total; total = 0.0;";

    fn module(source: &str) -> Arc<Module> {
        let front = compile_front(&SourceFile::new("test.gt", source)).unwrap();
        let module = gw_ir::lower(&front.typed, source).unwrap();
        Arc::new(gw_ir::run_pipeline(module, &"s1@pull".parse().unwrap(), &gw_ir::Options::default()).unwrap())
    }

    /// The vectors `rank`, `share` and `incoming` and the scalar `total` after a run.
    fn results(vm: &dyn GraphVm, source: &str, graph: &str) -> Vec<Vec<f64>> {
        let mut program = Program::prepare(vm, module(source)).unwrap();
        let graph = GraphSpec::parse(graph).and_then(|s| s.load(&Silent)).unwrap().graph;
        let graphs = SpecGraphs::new();
        graphs.insert("g", Arc::new(graph));
        let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(["g".to_string()]) };
        // The second run must not see what the first left behind.
        program.run(&options).unwrap();
        let ran = program.run(&options).unwrap();
        let mut all: Vec<Vec<f64>> =
            ["rank", "share", "incoming"].iter().map(|name| ran.globals.vector(name).unwrap().to_f64()).collect();
        match ran.globals.get("total") {
            Some(Value::Double(total)) => all.push(vec![*total]),
            other => panic!("{other:?}"),
        }
        all
    }

    fn assert_same(source: &str, pairs: usize) {
        assert_eq!(CpuVm::new(2).executable(module(source)).unwrap().pairs.len(), pairs, "{source}");
        for graph in ["road:20x30", "kron:9", "star:40", "kron:8:8:directed", "path:1"] {
            let expected = results(&ReferenceVm::new(), source, graph);
            for vm in [CpuVm::new(4), CpuVm::with_tiny_chunks(1), CpuVm::with_tiny_chunks(3)] {
                let found = results(&vm, source, graph);
                for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
                    assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1.0), "{found} {expected}\n{source}");
                }
            }
        }
    }

    #[test]
    fn a_pass_computes_what_two_operators_do() {
        assert_same(&source(BETWEEN, UPDATE), 1);
        // What arrived stays.
        assert_same(&source(BETWEEN, "rank[v] = base + 0.5 * incoming[v]; give(v);"), 1);
        // Nothing is overwritten that others pull from.
        assert_same(&source(BETWEEN, "rank[v] = rank[v] + 0.125 * incoming[v]; incoming[v] = 0.0; total += 1.0;"), 1);
    }

    #[test]
    fn what_differs_is_done_by_two_operators() {
        // The old shares are read before they are overwritten.
        assert_same(&source(BETWEEN, "rank[v] = base + 0.5 * incoming[v] + share[v]; incoming[v] = 0.0; give(v);"), 0);
        assert_same(&source("base = 0.001 * incoming[0]; total = 0.0;", UPDATE), 0);
    }
}
