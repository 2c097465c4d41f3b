//! Graphs under other numbers, made on an emulated GPU: list by list, weight by weight what the host makes.

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::{GraphVm, ReferenceVm, RunOptions, SpecGraphs};
use gw_graph::{BuildOptions, EdgeList, Graph, build};
use gw_lang::{SourceFile, compile_front};

/// A number per vertex that changes with any exchange of two entries in its list, and one for its weights.
const LISTS: &str = "
element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex,int) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
const order : vector{Vertex}(uint_64) = 0;
const heavy : vector{Vertex}(uint_64) = 0;

func read_list(v : Vertex)
    var hash : uint_64 = 7;
    for i in 0:edges.getOutDegree(v)
        hash = hash * 31 + getOutNgh(edges, v, i);
    end
    order[v] = hash;
end

func weigh(src : Vertex, dst : Vertex, weight : int)
    var key : uint_64 = src + 3;
    heavy[dst] += key * key * weight;
end

func main()
    edges = edges.relabel();
    vertices.apply(read_list);
    #s1# edges.apply(weigh);
    print order.sum();
    print heavy.sum();
end
";

/// A graph with lists of every class: hubs, some dozens of neighbours, few, none. Numbers of the hubs are in its
/// middle.
fn skewed(hub: u32) -> Arc<Graph> {
    let vertices = hub + 400;
    let mut edges: Vec<(u32, u32, i32)> = (0..hub).map(|v| (vertices / 2, v, (v % 13) as i32 + 1)).collect();
    let core = vertices / 2 + 1..vertices / 2 + 120;
    edges.extend(core.clone().flat_map(|a| core.clone().map(move |b| (a, b, (a ^ b) as i32 % 17))));
    edges.extend((0..hub).map(|v| (v, v.wrapping_mul(2654435761) % hub, 5)));
    let options = BuildOptions { symmetrise: true, ..BuildOptions::default() };
    Arc::new(build(EdgeList::from_triples(vertices as usize, edges), &options).unwrap())
}

fn printed(vm: &dyn GraphVm, graph: &Arc<Graph>) -> String {
    let file = SourceFile::new("lists.gt", LISTS);
    let front = compile_front(&file).unwrap_or_else(|e| panic!("{}", gw_lang::diagnostic::render(&e, &file, false)));
    let module = gw_ir::lower(&front.typed, LISTS).unwrap();
    let options = gw_ir::Options { family: Some(vm.family()), ..gw_ir::Options::default() };
    let module = gw_ir::run_pipeline(module, &gw_schedule::ProgramSchedule::default(), &options).unwrap();
    let graphs = SpecGraphs::new();
    graphs.insert("skewed", Arc::clone(graph));
    let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(["skewed"]) };
    gw_exec::Program::prepare(vm, Arc::new(module)).unwrap().run(&options).unwrap().printed
}

#[test]
fn lists_are_those_of_the_host() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    // Two and three digits of 8 bits, so that the last pass ends in either of two arrays.
    for hub in [4500, 70_000] {
        if hub > 10_000 && !gw_testing::is_nightly() {
            continue;
        }
        let graph = skewed(hub);
        let found = printed(&vm, &graph);
        let renumbered = graph.by_falling_degree().unwrap();
        assert!(renumbered.graph.out().renumbering().is_some(), "the host has made no lists");
        assert!(!Arc::ptr_eq(&renumbered.graph, &graph));
        assert_eq!(found, printed(&ReferenceVm::new(), &graph), "hub of {hub}");
    }
}
