//! From GraphIR to CUDA C++: one translation unit per region.

pub(crate) mod access;
mod adaptive;
mod alone;
mod balancer;
mod blocks;
mod calls;
mod edge_members;
mod edge_plan;
mod edges;
mod expression;
mod function;
mod groups;
pub(crate) mod inputs;
mod loops;
mod operator;
mod pending;
mod refusal;
pub(crate) mod region;
mod sets;
mod shared;
mod text;
mod together;
mod uniform;
mod uniform_results;
mod uniform_sets;
mod uniform_values;
mod validate;

use std::collections::HashMap;

use gw_device::Unit;
use gw_ir::module::Module;
use gw_ir::source::Name;
use gw_ir::stmt::Block;
use gw_ir::types::Type;
use gw_schedule::LoopForm;

use access::Requirement;
pub(crate) use alone::ALONE_AT;
pub(crate) use blocks::{BLOCK, BLOCK_MEMBERS, LOOP_BLOCK};
pub(crate) use edge_plan::schedule_of;
pub(crate) use groups::grouped_graph;
use inputs::{GraphParts, Input, Source};
pub(crate) use loops::STATE_WORDS;
pub(crate) use refusal::Refusal;
use region::{GraphShape, Outcome, Region};
use text::{Code, c_name};
use uniform::Uniform;

/// A region as code, with what the host must know to launch it.
#[derive(Debug, Clone)]
pub(crate) struct Generated {
    pub(crate) unit: Unit,
    pub(crate) inputs: Vec<Input>,
    pub(crate) parts: Vec<(Name, GraphParts)>,
    pub(crate) outcomes: Vec<Outcome>,
    /// Places of its own that the kernel needs.
    pub(crate) places: u32,
    /// Forms of sets that places must have room for.
    pub(crate) forms: u32,
    /// A queue may hold more than |V| ids.
    pub(crate) unbounded: bool,
    /// Rounds that a single operator uses up.
    pub(crate) rounds: u32,
    pub(crate) cooperative: bool,
    /// Global scalars that its operators write.
    pub(crate) cells: Vec<Name>,
    /// One operator, no loop.
    pub(crate) single: bool,
    /// How a loop is carried out.
    pub(crate) loop_form: Option<LoopForm>,
    /// A loop of small steps over short lists.
    pub(crate) flat: bool,
    /// The form of the output of a single operator.
    pub(crate) output: u32,
    /// The form that its input is brought into.
    pub(crate) input: u32,
    /// Whether the output of a single operator knows how many edges leave it.
    pub(crate) counted: bool,
    /// What the host must compare before it launches the kernel.
    pub(crate) requires: Vec<Requirement>,
    /// Functions of the program may fault in it.
    pub(crate) faults: bool,
}

impl Generated {
    pub(crate) fn output_form(&self) -> u32 {
        self.output
    }

    /// A loop over sets or queues, whose steps may be small.
    pub(crate) fn takes_steps(&self) -> bool {
        self.outcomes.iter().any(|o| matches!(o, Outcome::Set(_) | Outcome::List(_) | Outcome::Queue(_)))
    }

    /// Forms that a set of this form has after the kernel used it.
    pub(crate) fn converted_forms(&self, form: u32) -> u32 {
        form | self.input
    }
}

/// What a region is made of.
pub(crate) struct Task<'a> {
    pub(crate) module: &'a Module,
    /// Name of the kernel.
    pub(crate) name: &'a str,
    /// A comment: the label path and the line.
    pub(crate) title: &'a str,
    pub(crate) params: Vec<(Name, Type)>,
    pub(crate) shapes: HashMap<Name, GraphShape>,
    pub(crate) body: &'a Block,
    /// Threads per block.
    pub(crate) block: u32,
    /// One operator, no loop: its output is in the first place.
    pub(crate) single: bool,
    /// How the loop is carried out; none for an operator.
    pub(crate) loop_form: Option<LoopForm>,
    /// The graph whose edges choices of the host look at, for an operator that one of them chose.
    pub(crate) counted: Option<Name>,
    /// Every access carries its check: for calls whose lengths do not meet what the code would otherwise require.
    pub(crate) careful: bool,
}

/// Makes the code of a region.
pub(crate) fn generate(task: &Task<'_>) -> Result<Generated, Refusal> {
    let params: HashMap<Name, Type> = task.params.iter().cloned().collect();
    let mut region = Region::new(task.module, params, task.shapes.clone(), task.body);
    region.counted = region.counted.or_else(|| task.counted.clone());
    region.careful = task.careful;
    let mut uniform = Uniform::new(&mut region);
    uniform.params(&task.params)?;
    uniform.declare_sets(task.body);
    uniform.declare_steps(task.body, task.loop_form)?;
    let opening = std::mem::replace(&mut uniform.code, Code::at_depth(1));
    match task.loop_form {
        Some(form) => uniform.looping(task.body, form)?,
        None => uniform.block(task.body)?,
    }
    let loads = uniform.results(&task.params, task.loop_form);
    let alone = uniform.alone.is_some();
    let Uniform { code, declarations, definitions, host, sets, queues, outcomes, .. } = uniform;

    let mut text = head(task, &region, alone);
    text.push_str(&declarations);
    text.push_str(&host_struct(&host));
    let body = code.into_text();
    // Set variables are declared by the body; the places in use are asked for by name.
    if body.contains("live()") {
        let mut live: Vec<String> = sets.iter().map(|s| format!("gw::Run::bit({})", c_name(s))).collect();
        live.extend(queues.iter().map(|q| format!("gw::Run::bit({}_near)", c_name(q))));
        let live = if live.is_empty() { "0u".to_string() } else { format!("({})", live.join(" | ")) };
        text.push_str(&format!("// The places that variables name.\n#define live() {live}\n\n"));
    }
    text.push_str(&kernel_head(task, &queues));
    if alone {
        text.push_str("    gw::begin_together();\n");
    }
    text.push_str(opening.text());
    text.push_str(&definitions);
    if task.loop_form == Some(LoopForm::DeviceGraph) {
        // The first launch begins with what the host hands over, the others where the one before ended.
        let mut again = Code::at_depth(1);
        again.open(format!("if (args.results[{}])", outcomes.len()));
        loads.iter().for_each(|load| again.line(load));
        again.close("");
        text.push_str(again.text());
    }
    let (before, after) = conversions(&region);
    text.push_str(before.text());
    text.push_str(&body);
    text.push_str(after.text());
    text.push_str("}\n");

    if cfg!(debug_assertions)
        && let Some(problem) = validate::problem(&text, &region.accesses, &region.requires)
    {
        panic!("{}: {problem}\n{text}", task.title);
    }

    // One per variable, one being made, one being cleared.
    let places = match (region.forms, task.single) {
        (0, _) => 0,
        (_, true) => 2,
        _ => (sets.len() + queues.len() + 3).min(8) as u32,
    };
    let mut cells: Vec<Name> = region.cells.iter().cloned().collect();
    cells.sort();
    Ok(Generated {
        unit: Unit { name: task.name.to_string(), source: text, block: task.block },
        inputs: region.inputs.members,
        parts: region.inputs.parts,
        outcomes,
        places,
        forms: region.forms,
        unbounded: region.unbounded,
        rounds: region.rounds,
        // One block waits for nobody.
        cooperative: region.cooperative && task.loop_form != Some(LoopForm::SingleBlock),
        cells,
        single: task.single,
        loop_form: task.loop_form,
        // A loop over sets has small steps; one without walks all vertices.
        flat: region.flat && (!sets.is_empty() || !queues.is_empty()),
        output: region.output,
        input: region.input,
        counted: region.output_counted,
        requires: region.requires,
        faults: region.faults,
    })
}

/// The top of a unit: headers, names of vectors, and what the host hands over. `alone`: one block may run rounds alone.
fn head(task: &Task<'_>, region: &Region<'_>, alone: bool) -> String {
    let mut head = Code::default();
    head.line(format!("// {}", task.title));
    head.line(format!("#define GW_BLOCK {}", task.block));
    if alone {
        head.line("#define GW_ALONE");
    }
    for header in ["run.cuh", "output.cuh", "results.cuh"].iter().chain(&region.headers) {
        head.line(format!("#include \"{header}\""));
    }
    head.blank();
    if !region.vector_numbers.is_empty() {
        head.line("// Vectors as faults name them.");
        for (name, number) in &region.vector_numbers {
            head.line(format!("constexpr unsigned {} = {number};", region::vector_constant(name)));
        }
        head.blank();
    }
    head.line("// What the host hands over.");
    head.open("struct Inputs");
    for input in &region.inputs.members {
        head.line(format!("alignas(8) {} {};", input.ty, input.name));
    }
    if region.inputs.members.is_empty() {
        head.line("alignas(8) int nothing;");
    }
    head.close(";");
    head.blank();
    head.open("struct Arguments");
    head.line("gw::Places places;");
    head.line("unsigned long long forms;");
    head.line("alignas(8) unsigned round;");
    head.line("unsigned* counter;");
    head.line("unsigned long long* results;");
    head.line("Inputs in;");
    if task.loop_form == Some(LoopForm::DeviceGraph) {
        head.line("unsigned long long condition;");
    }
    head.close(";");
    head.blank();
    head.into_text()
}

/// The functions that uniform code calls, which are written for the inside of a struct.
fn host_struct(host: &Code) -> String {
    if host.text().is_empty() {
        return String::new();
    }
    let mut wrapper = Code::default();
    wrapper.open("struct Host");
    wrapper.line("const Inputs& in;");
    format!("{}{}}};\n\n", wrapper.text(), host.text())
}

/// The head of the kernel function and what all kernels begin with.
fn kernel_head(task: &Task<'_>, queues: &[Name]) -> String {
    let mut kernel = Code::default();
    kernel.line(format!(
        "extern \"C\" __global__ void __launch_bounds__({}) {}(const __grid_constant__ Arguments args)",
        task.block, task.name
    ));
    kernel.line("{");
    kernel.nest();
    kernel.line("Inputs in = args.in;");
    kernel.line("gw::Run run(args.places, args.counter, args.forms, args.round);");
    kernel.line("int all = gw::ALL_VERTICES, made = gw::EMPTY;");
    for queue in queues {
        kernel.line(format!("int {0}_near = in.{0}.near;", c_name(queue)));
    }
    kernel.into_text()
}

/// What vectors and maps are made into before the body, and back behind it.
fn conversions(region: &Region<'_>) -> (Code, Code) {
    let (mut before, mut after) = (Code::at_depth(1), Code::at_depth(1));
    for map in region.inputs.members.iter().filter(|input| matches!(input.source, Source::VisitedMap(_))) {
        before.line(format!("gw::clear_visited(in.{}, run.vertices(), run.grid);", map.name));
    }
    // Entries in words: `vector` and `vector_length` stand beside `vector_words`.
    for input in &region.inputs.members {
        let Source::GlobalWords(name) = &input.source else { continue };
        let of =
            |source: Source| region.inputs.members.iter().find(|m| m.source == source).map_or("", |m| m.name.as_str());
        let (vector, length) = (of(Source::GlobalVector(name.clone())), of(Source::GlobalLength(name.clone())));
        before.line(format!("gw::to_words(in.{vector}, in.{}, in.{length}, run.grid);", input.name));
        after.line(format!("gw::of_words(in.{vector}, in.{}, in.{length}, run.grid);", input.name));
    }
    (before, after)
}
