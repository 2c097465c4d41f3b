//! Graphs between labels and positions in order, made on an emulated GPU: what the host makes of them.

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::{GraphVm, ReferenceVm, RunOptions, SpecGraphs};
use gw_graph::{BuildOptions, EdgeList, Graph, build};
use gw_lang::{SourceFile, compile_front};

/// Contracts by `LABEL` and tells numbers that change with any list, weight or position. A second contraction begins
/// with what the first made, and `ranks` with numbers of both signs.
const PROGRAM: &str = "
element Vertex end
element Edge end
element Link end
const edges : edgeset{Edge}(Vertex,Vertex,WEIGHT) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
const links : edgeset{Link}(Vertex,Vertex,int);
const label : vector{Vertex}(int) = 0;
const again : vector{Vertex}(int) = 0;
const order : vector{Vertex}(uint_64) = 0;
const heavy : vector{Vertex}(int) = 0;

func choose(v : Vertex)
    label[v] = LABEL;
    again[v] = v / 2;
end

func read_list(v : Vertex)
    var hash : uint_64 = 7;
    for i in 0:links.getOutDegree(v)
        hash = hash * 31 + getOutNgh(links, v, i);
    end
    order[v] = hash * (v + 1);
end

func weigh(src : Vertex, dst : Vertex, weight : int)
    heavy[dst] += (src + 3) * weight - 40000;
end

func tell(v : Vertex)
    order[v] = order[v] * 31 + label[v];
end

func main()
    vertices.apply(choose);
    links = edges.contract(label);
    vertices.apply(read_list);
    #s1# links.apply(weigh);
    print links.getEdges();
    print order.sum();
    print heavy.sum();
    label = heavy.ranks();
    vertices.apply(tell);
    print order.sum();
    links = links.contract(again);
    vertices.apply(read_list);
    #s2# links.apply(weigh);
    print order.sum();
    print heavy.sum();
end
";

/// Several tiles of keys on few blocks: some dozens of edges at each vertex, a hub, and vertices without edges.
fn graph(vertices: u32, weight: i32) -> Arc<Graph> {
    let draw = |a: u32, b: u32| a.wrapping_mul(2654435761).wrapping_add(b.wrapping_mul(40503)) >> 7;
    let mut edges: Vec<(u32, u32, i32)> = (0..vertices).map(|v| (7, v, weight)).collect();
    edges.extend((0..vertices / 2).flat_map(|v| (0..6).map(move |k| (v, draw(v, k) % vertices, weight + k as i32))));
    let options = BuildOptions { symmetrise: true, ..BuildOptions::default() };
    Arc::new(build(EdgeList::from_triples(vertices as usize + 50, edges), &options).unwrap())
}

fn told(vm: &dyn GraphVm, graph: &Arc<Graph>, label: &str, weight: &str) -> Result<String, String> {
    let text = PROGRAM.replace("LABEL", label).replace(",WEIGHT", weight);
    let file = SourceFile::new("contract.gt", &text);
    let front = compile_front(&file).unwrap_or_else(|e| panic!("{}", gw_lang::diagnostic::render(&e, &file, false)));
    let module = gw_ir::lower(&front.typed, &text).unwrap();
    let options = gw_ir::Options { family: Some(vm.family()), ..gw_ir::Options::default() };
    let module = gw_ir::run_pipeline(module, &gw_schedule::ProgramSchedule::default(), &options).unwrap();
    let graphs = SpecGraphs::new();
    graphs.insert("graph", Arc::clone(graph));
    let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(["graph"]) };
    let run = gw_exec::Program::prepare(vm, Arc::new(module)).unwrap().run(&options);
    run.map(|run| run.printed).map_err(|error| error.to_string())
}

#[test]
fn graphs_between_labels_are_those_of_the_host() {
    let Some(device) = EmulatedDevice::new() else { return };
    let (vm, reference) = (CudaVm::on(Arc::new(device)), ReferenceVm::new());
    // Few labels, one, all, others, numbers that leave gaps.
    let labels = ["v / 7", "0", "v", "edges.getVertices() - 1 - v", "(v & 3) * 150"];
    let graph = graph(500, 3);
    for label in labels {
        for weight in [",int", ""] {
            let expected = told(&reference, &graph, label, weight).unwrap();
            assert_eq!(told(&vm, &graph, label, weight).as_ref(), Ok(&expected), "label {label}, weight {weight:?}");
        }
    }
}

#[test]
fn wrong_labels_and_sums_are_told_as_by_the_host() {
    let Some(device) = EmulatedDevice::new() else { return };
    let (vm, reference) = (CudaVm::on(Arc::new(device)), ReferenceVm::new());
    for (label, weight) in [("v - 1", 3), ("v + 1", 3), ("v / 100", i32::MAX / 2)] {
        let graph = graph(500, weight);
        let expected = told(&reference, &graph, label, ",int").unwrap_err();
        assert_eq!(told(&vm, &graph, label, ",int"), Err(expected), "label {label}");
    }
}
