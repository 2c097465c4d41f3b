//! Kernels that belong to no operator of a program: questions about sets, vectors and queues.

use gw_device::Unit;
use gw_exec::{Reduction, Scalar};

use crate::codegen::Generated;
use crate::codegen::inputs::{Input, Source};
use crate::codegen::region::Outcome;
use crate::queue::{REPORTED, reports, type_of};

/// Threads per block of these kernels.
pub(crate) const BLOCK: u32 = 256;

fn type_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Int => "int",
        Scalar::Uint => "unsigned",
        Scalar::Int64 => "long long",
        Scalar::Uint64 => "unsigned long long",
        Scalar::Float => "float",
        Scalar::Double => "double",
        Scalar::Bool | Scalar::String => "bool",
    }
}

/// A kernel with these inputs and this body, in the shape of generated ones.
fn kernel(name: &str, headers: &[&str], inputs: Vec<Input>, outcomes: Vec<Outcome>, body: &str) -> Generated {
    let includes: String = headers.iter().map(|h| format!("#include \"{h}\"\n")).collect();
    let members: String = inputs.iter().map(|i| format!("    alignas(8) {} {};\n", i.ty, i.name)).collect();
    let source = format!(
        "#define GW_BLOCK {BLOCK}\n{includes}\nstruct Inputs {{\n{members}}};\nstruct Arguments {{\n    gw::Places places;\n    \
         unsigned long long forms;\n    alignas(8) unsigned round;\n    unsigned* counter;\n    \
         unsigned long long* results;\n    Inputs in;\n}};\n\nextern \"C\" __global__ void __launch_bounds__({BLOCK}) {name}(const \
         __grid_constant__ Arguments args)\n{{\n    Inputs in = args.in;\n    gw::Run run(args.places, args.counter, args.forms, \
         args.round);\n{body}}}\n"
    );
    Generated {
        unit: Unit { name: name.to_string(), source, block: BLOCK },
        inputs,
        parts: Vec::new(),
        outcomes,
        places: 0,
        forms: 0,
        unbounded: false,
        rounds: 0,
        cooperative: true,
        cells: Vec::new(),
        single: false,
        loop_form: None,
        flat: false,
        output: 0,
        input: 0,
        counted: false,
        requires: Vec::new(),
        faults: false,
    }
}

fn input(source: Source, ty: &str, name: &str) -> Input {
    Input { source, ty: ty.to_string(), name: name.to_string() }
}

/// How the out-lists of a graph are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ListForm {
    /// Positions are 64 bits wide.
    pub(crate) wide: bool,
    /// Lists stand apart, with a pair each.
    pub(crate) apart: bool,
}

impl ListForm {
    const ALL: [ListForm; 4] = [
        ListForm { wide: false, apart: false },
        ListForm { wide: true, apart: false },
        ListForm { wide: false, apart: true },
        ListForm { wide: true, apart: true },
    ];

    /// The type of the array that says where lists begin.
    fn array(self) -> String {
        let offset = if self.wide { "unsigned long long" } else { "unsigned" };
        if self.apart { format!("const gw::Range<{offset}>*") } else { format!("const {offset}*") }
    }
}

/// Out-edges of a set: the result is their number.
pub(crate) fn frontier_edges(form: ListForm) -> Generated {
    let inputs = vec![
        input(Source::LocalScalar("set".into()), "int", "set"),
        input(Source::LocalVector("offsets".into()), &form.array(), "offsets"),
        input(Source::LocalLength("edges".into()), "unsigned long long", "edges"),
    ];
    let lists = if form.apart { "in.offsets, in.edges" } else { "in.offsets" };
    let body = format!(
        "    const unsigned long long edges = run.edges_of(in.set, {lists}, 0u);\n    \
         if (run.grid.first()) gw::put(args.results, edges);\n    run.forget_edges(in.set);\n"
    );
    kernel(
        "frontier_edges",
        &["run.cuh", "results.cuh"],
        inputs,
        vec![Outcome::Local("edges".into(), Scalar::Uint64)],
        &body,
    )
}

/// A reduction of a vector into the first result.
pub(crate) fn reduce(reduction: Reduction, scalar: Scalar) -> Generated {
    let ty = type_name(scalar);
    let inputs = vec![
        input(Source::LocalVector("cells".into()), &format!("const {ty}*"), "cells"),
        input(Source::LocalLength("cells".into()), "unsigned long long", "length"),
    ];
    let float = scalar.is_float();
    // Whole numbers are added up in 64 bits, others in double precision; counts are ints.
    let (out, start, step, store) = match reduction {
        Reduction::Sum if float => ("double", "0".to_string(), "value + x", "block_add"),
        Reduction::Sum if scalar.is_signed() => {
            ("unsigned long long", "0".to_string(), "value + (unsigned long long)(long long)x", "block_add")
        }
        Reduction::Sum => ("unsigned long long", "0".to_string(), "value + x", "block_add"),
        Reduction::Count => ("int", "0".to_string(), "value + (x != 0)", "block_add"),
        Reduction::Max => (ty, format!("gw::Limits<{ty}>::least()"), "(value < x ? x : value)", "block_max"),
        Reduction::Min => (ty, format!("gw::Limits<{ty}>::greatest()"), "(x < value ? x : value)", "block_min"),
    };
    // Entries that are no numbers are passed over. Where there are no others, the first stands for all.
    let extremum = float && matches!(reduction, Reduction::Max | Reduction::Min);
    let (declare, note, end) = match extremum {
        true => (
            "    unsigned numbers = 0;\n",
            "        numbers |= x == x;\n",
            "    gw::block_add((unsigned*)(args.results + 1), numbers);\n    run.grid.wait();\n    \
             if (run.grid.first() && *(volatile unsigned*)(args.results + 1) == 0) *cell = in.cells[0];\n",
        ),
        false => ("", "", ""),
    };
    let body = format!(
        "    {out}* cell = ({out}*)args.results;\n    if (run.grid.first()) args.results[0] = args.results[1] = 0, *cell = \
         {start};\n    run.grid.wait();\n    {out} value = {start};\n{declare}    for (unsigned long long i = run.grid.rank(); i < \
         in.length; i += run.grid.size()) {{\n        const {ty} x = in.cells[i];\n        value = ({out})({step});\n{note}    \
         }}\n    gw::{store}(cell, value);\n{end}"
    );
    let outcomes = vec![Outcome::Local("value".into(), scalar), Outcome::Local("numbers".into(), Scalar::Uint)];
    kernel("reduce_vector", &["run.cuh", "reduce.cuh"], inputs, outcomes, &body)
}

/// Out-degrees of all vertices.
pub(crate) fn out_degrees(form: ListForm) -> Generated {
    let inputs = vec![
        input(Source::LocalVector("offsets".into()), &form.array(), "offsets"),
        input(Source::LocalVector("degrees".into()), "unsigned*", "degrees"),
    ];
    let length = if form.apart { "in.offsets[v].length()" } else { "in.offsets[v + 1] - in.offsets[v]" };
    let body = format!(
        "    for (unsigned v = run.grid.rank(); v < run.vertices(); v += run.grid.size())\n        \
         in.degrees[v] = (unsigned)({length});\n"
    );
    let mut made = kernel("out_degrees", &["run.cuh"], inputs, Vec::new(), &body);
    made.cooperative = false;
    made
}

/// What is done to a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum QueueTask {
    /// Queue every vertex that has a priority.
    Fill,
    /// Take the best bucket.
    Dequeue,
    /// Move the members of a set.
    Update,
    /// Find the best bucket; the result says whether a vertex is final.
    FinishedNode,
}

/// A kernel for a queue whose priorities are of this type, with a far list or without.
pub(crate) fn queue(task: QueueTask, scalar: Scalar, near_far: bool) -> Generated {
    let inputs = vec![
        input(Source::Queue("queue".into()), &type_of(type_name(scalar), near_far), "queue"),
        input(Source::LocalScalar("set".into()), "int", "set"),
        input(Source::Fault, "gw::Fault*", "fault"),
    ];
    let live = "(gw::Run::bit(set) | gw::Run::bit(near))";
    let work = match task {
        QueueTask::Fill => "    gw::fill(in.queue, run.vertices(), run.grid, in.fault);\n".to_string(),
        QueueTask::Dequeue => format!("    set = gw::dequeue(run, in.queue, near, {live});\n"),
        QueueTask::Update => {
            format!("    gw::update_buckets(run, in.queue, near, set, in.fault, 0, {live});\n")
        }
        QueueTask::FinishedNode => format!(
            "    gw::find_best(run, in.queue, near, {live});\n    \
             set = gw::finished_node(in.queue, set, in.fault, 0);\n"
        ),
    };
    let reported = reports("in.queue", "near").into_iter().chain(["set".to_string(), "run.forms".to_string()]);
    let puts: String =
        reported.enumerate().map(|(i, word)| format!("        gw::put(args.results + {i}, {word});\n")).collect();
    let body =
        format!("    int set = in.set, near = in.queue.near;\n{work}    if (run.grid.first()) {{\n{puts}    }}\n");
    let mut outcomes = vec![Outcome::Queue("queue".into())];
    outcomes.extend(std::iter::repeat_n(Outcome::QueueWord, REPORTED - 1));
    outcomes.extend([Outcome::Set("set".into()), Outcome::Forms]);
    let kernel_name = match task {
        QueueTask::Fill => "queue_fill",
        QueueTask::Dequeue => "queue_dequeue",
        QueueTask::Update => "queue_update",
        QueueTask::FinishedNode => "queue_finished_node",
    };
    let mut made = kernel(kernel_name, &["priority.cuh", "results.cuh"], inputs, outcomes, &body);
    if matches!(task, QueueTask::Dequeue | QueueTask::Update) {
        made.places = 2;
        made.forms = crate::set::QUEUE;
    }
    made
}

/// All kernels of this file, for all types.
pub(crate) fn all() -> Vec<Generated> {
    use QueueTask::{Dequeue, Fill, FinishedNode, Update};
    use Reduction::{Count, Max, Min, Sum};
    let mut all: Vec<Generated> =
        ListForm::ALL.into_iter().flat_map(|form| [frontier_edges(form), out_degrees(form)]).collect();
    for scalar in Scalar::ALL.into_iter().filter(|scalar| scalar.is_numeric()) {
        all.extend([Count, Max, Min, Sum].map(|reduction| reduce(reduction, scalar)));
        for near_far in [false, true] {
            all.extend([Fill, Dequeue, Update, FinishedNode].map(|task| queue(task, scalar, near_far)));
        }
    }
    all
}
