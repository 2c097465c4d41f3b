//! From the events of a traced run to memory accesses with servers and addresses.

use std::sync::Arc;

use gw_exec::{Trace, TraceAccess, TraceFilter, TracedCall, VectorId};
use gw_graph::Graph;
use gw_ir::meta::{Direction, IntersectionKind};

use crate::counts::StepCounts;
use crate::layout::{Array, Layout};
use crate::machine::{EdgeLists, InputForm, OperatorMachine, PerServer, Server};
use crate::sink::gpu::GpuSink;
use crate::sink::{Mapping, Sink, Use};

/// Whose accesses come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Filter(Server),
    Function,
}

/// The sink of a run.
pub(crate) enum Target {
    /// A processor.
    Cpu(Box<crate::sink::cpu::CpuSink>),
    /// A GPU.
    Gpu(Box<GpuSink>),
}

impl Target {
    fn sink(&mut self) -> &mut dyn Sink {
        match self {
            Target::Cpu(sink) => &mut **sink,
            Target::Gpu(sink) => &mut **sink,
        }
    }
}

/// The listener of a traced run: counts completions, and gives every access to the sink.
pub(crate) struct Tracer {
    machines: Arc<Vec<OperatorMachine>>,
    target: Target,
    layout: Layout,
    graph: Option<Arc<Graph>>,
    operator: usize,
    pull: bool,
    context: Context,
    /// The vertex at hand, the position of its edge and the vertex at the other end.
    vertex: u32,
    edge: usize,
    /// A test whose outcome the next event tells, and how many events of edges that takes.
    asked: Option<Server>,
    /// Entries of the vertex at hand that are in registers by now.
    kept: Vec<VectorId>,
    in_list: bool,
    input_read: u64,
    output_written: u64,
    completions: PerServer<u64>,
    applied: u64,
    /// The form of the set that the last operator made.
    made: InputForm,
    /// The list that is marked, for intersections that meet it many times.
    marked: Option<u32>,
    /// Counts of the calls since the last step record.
    pub(crate) step: StepCounts,
    /// The operator of the last call of the step.
    pub(crate) last: Option<usize>,
    /// Edges walked in all, and how many may be.
    pub(crate) walked: u64,
}

impl Tracer {
    pub(crate) fn new(machines: Arc<Vec<OperatorMachine>>, target: Target) -> Tracer {
        Tracer {
            machines,
            target,
            layout: Layout::default(),
            graph: None,
            operator: 0,
            pull: false,
            context: Context::Function,
            vertex: 0,
            edge: 0,
            asked: None,
            kept: Vec::new(),
            in_list: false,
            input_read: 0,
            output_written: 0,
            completions: PerServer::default(),
            applied: 0,
            made: InputForm::List,
            marked: None,
            step: StepCounts::default(),
            last: None,
            walked: 0,
        }
    }

    /// The counts since the last call, with the operator that made them.
    pub(crate) fn take_step(&mut self) -> (StepCounts, Option<usize>) {
        (std::mem::take(&mut self.step), self.last.take())
    }

    fn machine(&self) -> &OperatorMachine {
        &self.machines[self.operator]
    }

    fn read(&mut self, server: Server, array: Array, index: u64, bytes: u32) {
        let address = self.layout.array(array) + index * u64::from(bytes);
        self.target.sink().access(server, address, bytes, Use::Read);
    }

    /// Asks a map with so many bits per vertex.
    fn look_up(&mut self, server: Server, array: Array, vertex: u32, bits: u32, kind: Use) {
        let base = self.layout.array(array);
        let (address, bytes) = match bits {
            // Bits are read in words.
            1 => (base + u64::from(vertex / 64) * 8, 8),
            8 => (base + u64::from(vertex), 1),
            _ => (base + u64::from(vertex) * 4, 4),
        };
        self.target.sink().access(server, address, bytes, kind);
    }

    /// Tells the outcome of the test that was asked last.
    fn answer(&mut self, passed: bool) {
        if let Some(server) = self.asked.take() {
            self.target.sink().branch(server, passed);
        }
    }

    /// Brings the input set from the form in which it was made into the one that the operator takes.
    fn convert(&mut self, wanted: InputForm, members: &[u32], vertices: usize) {
        let made = std::mem::replace(&mut self.made, wanted);
        if made == wanted {
            return;
        }
        self.step.conversions += 1;
        match made {
            InputForm::Map { bits } => {
                let (each, base) = (u64::from(64 / bits.clamp(1, 64)), self.layout.array(Array::InputMap));
                let words = (vertices as u64).div_ceil(each);
                self.step.scanned_words += words;
                for word in 0..words {
                    self.target.sink().vertex();
                    self.target.sink().access(Server::Input, base + word * 8, 8, Use::Read);
                }
            }
            _ => {
                for i in 0..members.len() as u64 {
                    self.target.sink().vertex();
                    self.read(Server::Input, Array::Input, i, 4);
                }
            }
        }
        self.step.converted += members.len() as u64;
        for (i, &member) in (0u64..).zip(members) {
            self.target.sink().vertex();
            match wanted {
                InputForm::Map { bits } => self.look_up(Server::Input, Array::InputMap, member, bits, Use::Write),
                _ => {
                    let address = self.layout.array(Array::Input) + i * 4;
                    self.target.sink().access(Server::Input, address, 4, Use::Write);
                }
            }
        }
    }

    fn side(&self) -> u8 {
        u8::from(self.pull)
    }
}

impl Trace for Tracer {
    fn begin(&mut self, call: &TracedCall<'_>) {
        self.operator = call.operator.0;
        self.last = Some(self.operator);
        self.pull = call.direction == Direction::Pull;
        self.graph = call.graph.cloned();
        (self.input_read, self.output_written, self.marked, self.asked) = (0, 0, None, None);
        let machines = Arc::clone(&self.machines);
        let machine = &machines[self.operator];
        let vertices = self.graph.as_ref().map_or(0, |graph| graph.vertices());
        self.target.sink().begin(machine, vertices);
        self.step.universe += vertices as u64;
        if let Some(members) = call.input.filter(|_| machine.input != InputForm::All) {
            self.convert(machine.input, members, vertices);
        }
        if let Target::Gpu(sink) = &mut self.target {
            let all = self.graph.as_ref().map_or(1, |graph| graph.vertices());
            let active = if call.direction == Direction::Push { call.input.map_or(all, <[u32]>::len) } else { all };
            sink.set_mapping(Mapping::of(machine.load_balance, active, sink.threads()));
        }
    }

    fn vertex(&mut self, vertex: u32) {
        self.answer(false);
        (self.vertex, self.in_list) = (vertex, false);
        self.kept.clear();
        self.completions[Server::Input] += 1;
        if self.machine().segments > 1
            && let Some(graph) = &self.graph
        {
            // Every segment asks all destinations that it has edges of, found ones too.
            let degree = graph.incoming().degree(vertex);
            self.step.segment_lists += self.machine().lists_of(degree);
        }
        self.target.sink().vertex();
        if self.machine().input == InputForm::List {
            self.read(Server::Input, Array::Input, self.input_read, 4);
            self.input_read += 1;
        }
    }

    fn list(&mut self, vertex: u32) {
        self.answer(true);
        self.completions[Server::EdgeRange] += 1;
        let side = self.side();
        let Some(graph) = &self.graph else { return };
        let adjacency = if self.pull { graph.incoming() } else { graph.out() };
        let degree = adjacency.degree(vertex);
        let wide = u32::from(graph.edges() > u32::MAX as usize) * 4 + 4;
        match self.machine().lists {
            EdgeLists::Csr => {
                self.read(Server::EdgeRange, Array::Offsets(side), u64::from(vertex), wide);
                self.read(Server::EdgeRange, Array::Offsets(side), u64::from(vertex) + 1, wide);
            }
            EdgeLists::CsrPairs => {
                self.read(Server::EdgeRange, Array::Offsets(side), u64::from(vertex), wide * 2);
            }
            EdgeLists::EdgeList => {}
        }
        self.in_list = true;
        self.target.sink().list(degree);
    }

    fn edge(&mut self, position: usize, _: u32) {
        self.answer(false);
        self.walked += 1;
        self.edge = position;
        self.completions[Server::Neighbour] += 1;
        self.target.sink().edge();
        let side = self.side();
        self.read(Server::Neighbour, Array::Neighbours(side), position as u64, 4);
        if self.machine().lists == EdgeLists::EdgeList {
            self.read(Server::Neighbour, Array::Owners(side), position as u64, 4);
        }
    }

    fn filter(&mut self, side: TraceFilter, vertex: u32, function: bool) {
        self.answer(true);
        let own = (side == TraceFilter::To) == self.pull;
        let server = if own { Server::OwnFilter } else { Server::NeighbourFilter };
        self.completions[server] += 1;
        self.context = Context::Filter(server);
        if !function {
            let bits = match self.machine().input {
                InputForm::Map { bits } => bits,
                InputForm::All | InputForm::List => 8,
            };
            self.look_up(server, Array::InputMap, vertex, bits, Use::Read);
        }
        self.asked = Some(server);
    }

    fn apply(&mut self, weighted: bool) {
        self.answer(true);
        self.context = Context::Function;
        self.applied += 1;
        if weighted {
            self.completions[Server::Weight] += 1;
            let side = self.side();
            self.read(Server::Weight, Array::Weights(side), self.edge as u64, 4);
        }
    }

    fn access(&mut self, vector: VectorId, cell: usize, bytes: usize, traced: TraceAccess) {
        let atomic = self.machine().atomic;
        let (server, kind) = match (self.context, traced) {
            (Context::Filter(server), _) => (server, Use::Read),
            (Context::Function, TraceAccess::Read | TraceAccess::Attempt) => (Server::Read, Use::Read),
            (Context::Function, TraceAccess::Update) if atomic => (Server::Atomic, Use::Atomic),
            (Context::Function, TraceAccess::Write | TraceAccess::Update) => (Server::Write, Use::Write),
        };
        if self.context == Context::Function {
            self.completions[server] += 1;
            if let TraceAccess::Update | TraceAccess::Attempt = traced {
                // Whether a value is stored is a test, too.
                self.target.sink().branch(Server::Atomic, traced == TraceAccess::Update);
            }
        }
        // The entry of the vertex whose edges are walked stays in a register after its first use. What a pull gathers
        // is stored once per list, though others may gather for the same vertex.
        if self.in_list && cell == self.vertex as usize && (kind != Use::Atomic || self.pull) {
            if self.kept.contains(&vector) {
                return;
            }
            self.kept.push(vector);
        }
        let address = self.layout.vector(vector) + (cell * bytes) as u64;
        self.target.sink().access(server, address, bytes as u32, kind);
    }

    fn intersect(&mut self, a: u32, b: u32) {
        self.completions[Server::Intersect] += 1;
        let Some(graph) = self.graph.clone() else { return };
        let out = graph.out();
        let kind = self.machine().intersection.unwrap_or(IntersectionKind::Naive);
        let base = self.layout.array(Array::Neighbours(0));
        // Common neighbours not above b are wanted: lists are read as far as that.
        let part = |v: u32| (out.range(v).start, out.neighbours(v).partition_point(|&n| n <= b));
        let (list_a, list_b) = (part(a), part(b));
        // A sector of eight entries is as much to model as an edge.
        self.walked += (list_a.1 + list_b.1) as u64 / 8;
        let sink_stream = |tracer: &mut Tracer, (start, len): (usize, usize)| {
            let (start, len) = (start as u64, len as u64);
            tracer.target.sink().stream(Server::Intersect, base + start * 4, len * 4, len);
        };
        // Whether the next element is common, or which list goes on, is a test that is hard to guess.
        let (first, second) = (&out.neighbours(a)[..list_a.1], &out.neighbours(b)[..list_b.1]);
        let marks_one = kind == IntersectionKind::Combined && self.pull;
        let (mut i, mut j) = (0, 0);
        while i < first.len() && j < second.len() {
            let order = first[i].cmp(&second[j]);
            if !marks_one || order.is_le() {
                self.target.sink().branch(Server::Intersect, if marks_one { order.is_eq() } else { order.is_lt() });
            }
            (i, j) = (i + usize::from(order.is_le()), j + usize::from(order.is_ge()));
        }
        match kind {
            IntersectionKind::Combined if self.pull && out.degree(b) >= 4 => {
                // The list of the destination is marked once, the other lists ask the marks.
                let marks = self.layout.array(Array::Marks);
                if self.marked != Some(b) {
                    self.marked = Some(b);
                    sink_stream(self, list_b);
                }
                sink_stream(self, list_a);
                let asked = out.neighbours(a)[..list_a.1].to_vec();
                for n in asked {
                    let address = marks + u64::from(n / 64) * 8;
                    self.target.sink().access(Server::Intersect, address, 8, Use::Read);
                }
            }
            IntersectionKind::BinarySearch => {
                let (short, long) = if list_a.1 <= list_b.1 { (list_a, list_b) } else { (list_b, list_a) };
                sink_stream(self, short);
                let steps = (long.1.max(1) as f64).log2().ceil() as u64;
                for i in 0..short.1 as u64 {
                    for step in 0..steps {
                        // The probes of a search halve the rest of the list; where they end differs by element.
                        let at = (long.1 as u64 >> (step + 1)) * (1 + (i & 1)) % long.1.max(1) as u64;
                        let address = base + (long.0 as u64 + at) * 4;
                        self.target.sink().access(Server::Intersect, address, 4, Use::Read);
                    }
                }
            }
            _ => {
                sink_stream(self, list_a);
                sink_stream(self, list_b);
            }
        }
    }

    fn enqueue(&mut self, vertex: u32) {
        self.completions[Server::Output] += 1;
        let (bits, dedup) = (self.machine().output_map_bits, self.machine().dedup);
        match bits {
            Some(bits) => self.look_up(Server::Output, Array::OutputMap, vertex, bits, Use::Write),
            None => {
                if dedup {
                    self.look_up(Server::Output, Array::Dedup, vertex, 8, Use::Write);
                }
                let address = self.layout.array(Array::Output) + self.output_written * 4;
                self.output_written += 1;
                self.target.sink().access(Server::Output, address, 4, Use::Write);
            }
        }
    }

    fn end(&mut self, output: Option<usize>) {
        self.answer(false);
        let mut counts = StepCounts { applied: std::mem::take(&mut self.applied), calls: 1, ..StepCounts::default() };
        counts.completions = std::mem::take(&mut self.completions);
        self.target.sink().end(&mut counts);
        self.step.add(&counts);
        if output.is_some() {
            self.layout.swap_frontiers();
            self.made = self.machine().output_map_bits.map_or(InputForm::List, |bits| InputForm::Map { bits });
        }
    }
}
