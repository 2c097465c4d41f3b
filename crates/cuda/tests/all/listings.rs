//! The CUDA C++ that a reader of `gw compile --emit cuda` sees.

use std::sync::Arc;

use gw_graph::GraphSpec;
use gw_graph::progress::Silent;
use gw_lang::{SourceFile, compile_front};
use gw_schedule::{Family, ProgramSchedule};

/// The kernels of a standard program under a schedule, one after the other; `auto` is the machine's choice.
fn listing(program: &str, schedule: &str) -> String {
    let program = gw_programs::find(program).unwrap();
    let front = compile_front(&SourceFile::new(program.file, program.source).with_weights(program.usual_weights()))
        .unwrap_or_else(|_| panic!("no front"));
    let module = gw_ir::lower(&front.typed, program.source).unwrap();
    let (module, schedule) = match schedule {
        "auto" => {
            let graph = GraphSpec::parse("kron:6:weights=1..9").and_then(|spec| spec.load(&Silent)).unwrap().graph;
            let (module, choice) = gw_cuda::choose(module, &graph);
            (module, choice.schedule)
        }
        text => (module, text.parse::<ProgramSchedule>().unwrap()),
    };
    let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
    let module = gw_ir::run_pipeline(module, &schedule, &options).unwrap();
    let kernels = gw_cuda::listings(&Arc::new(module)).unwrap();
    kernels.into_iter().map(|kernel| kernel.source).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_fused_search_that_changes_direction() {
    let hybrid = "s0:s1@hybrid,by=input-work,at=0.05+push,lb=etwc\
                  +pull,lb=vertex-based,frontier=bitmap,create=unfused-bitmap";
    insta::assert_snapshot!(listing("bfs", &format!("s0@loop=fused;{hybrid}")));
}

/// Loops whose rounds are as small as a set that is known when they begin, and no others.
#[test]
fn loops_whose_rounds_one_block_may_run_alone() {
    let loops = |program: &str| listing(program, "auto").matches("gw::begin_alone(run)").count();
    assert_eq!(["bfs", "kcore", "sssp-delta", "mis", "bc"].map(loops), [1, 1, 1, 1, 2]);
    assert_eq!(["pagerank", "cc-fast", "louvain"].map(loops), [0; 3]);
}

#[test]
fn pagerank_from_the_host() {
    insta::assert_snapshot!(listing("pagerank", "s0:s1@pull,lb=etwc"));
}

/// Operators before and behind a loop on the device are kernels of their own; those inside are not, unless all are
/// asked for.
#[test]
fn operators_outside_of_loops_are_listed() {
    let source = "element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
const x : vector{Vertex}(int) = 0;
func before(v : Vertex)
    x[v] = 1;
end
func inside(src : Vertex, dst : Vertex)
    x[dst] += 1;
end
func after(v : Vertex)
    x[v] = x[v] + 2;
end
func main()
    vertices.apply(before);
    var i : int = 0;
    #s0# while i < 3
        edges.apply(inside);
        i = i + 1;
    end
    vertices.apply(after);
end
";
    let front = compile_front(&SourceFile::new("test.gt", source)).unwrap_or_else(|_| panic!("no front"));
    let module = gw_ir::lower(&front.typed, source).unwrap();
    let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
    let module = Arc::new(gw_ir::run_pipeline(module, &"s0@loop=fused".parse().unwrap(), &options).unwrap());
    let applied = |units: Vec<gw_device::Unit>, function: &str| {
        let names = units.into_iter().filter(|unit| unit.source.contains(&format!("fn_{function}(")));
        names.map(|unit| unit.name).collect::<Vec<_>>()
    };
    for (function, listed, all) in [("before", 1, 2), ("inside", 1, 3), ("after", 1, 2)] {
        assert_eq!(applied(gw_cuda::listings(&module).unwrap(), function).len(), listed, "{function}");
        assert_eq!(applied(gw_cuda::all_kernels(&module).unwrap(), function).len(), all, "{function}");
    }
    assert_eq!(applied(gw_cuda::listings(&module).unwrap(), "inside"), ["loop_0"]);
}

/// What holds for every listing: indentation follows the braces, no line ends in blanks, no two empty lines in a row.
#[test]
fn the_text_is_well_set() {
    let programs = gw_programs::programs().iter();
    for (program, schedule) in programs.flat_map(|program| [(program, "default"), (program, "auto")]) {
        let text = listing(program.name, schedule);
        let mut depth = 0usize;
        for (number, line) in text.lines().enumerate() {
            let place = format!("{}, line {}: {line:?}", program.name, number + 1);
            assert_eq!(line, line.trim_end(), "{place}");
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let closing = line.trim_start().starts_with('}') as usize;
            let indent = line.len() - line.trim_start().len();
            assert_eq!(indent, 4 * depth.saturating_sub(closing), "{place}");
            depth = (depth + line.matches('{').count()) - line.matches('}').count();
        }
        assert_eq!(depth, 0, "{}", program.name);
        assert!(!text.contains("\n\n\n"), "{}", program.name);
    }
}

/// The choices on graphs of several kinds, for all standard programs, as they were when the rules were measured. A
/// rule that changes one of them needs a measurement; `GW_BLESS=1` then writes the file anew.
#[test]
fn choices_stay_as_they_were_measured() {
    let mut text = String::new();
    for spec in [
        "kron:8:weights=1..64",
        "kron:7:directed:weights=1..64",
        "road:12x12:weights=1..50",
        "complete:14:weights=1..20",
        "path:1:weights=1..2",
    ] {
        let graph = GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph;
        for program in gw_programs::programs() {
            let file = SourceFile::new(program.file, program.source).with_weights(program.usual_weights());
            let front = compile_front(&file).unwrap_or_else(|_| panic!("no front"));
            let module = gw_ir::lower(&front.typed, &file.text).unwrap();
            let (_, choice) = gw_cuda::choose(module, &graph);
            text.push_str(&format!("{} {spec}\n", program.name));
            choice.reasons.iter().for_each(|reason| text.push_str(&format!("  {reason}\n")));
        }
    }
    gw_testing::assert_recorded(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/choices.txt"), &text);
}
