//! Loops in functions over sets whose turns lanes share, on the emulated device: lanes, groups of eight, warps and
//! pieces of long loops come to what the reference machine has.

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::ReferenceVm;
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};

use crate::groups::{bits, run_text};

/// `spread` has turns alone, `gather` a sum and something behind the loop; `bump` makes sets of both forms.
const TEXT: &str = "\
element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
const reached : vector{Vertex}(int) = 0;
const above : vector{Vertex}(int) = 0;
const greatest : vector{Vertex}(int) = -1;
const turns : uint_64 = 0;

func spread(v : Vertex)
    var n : int = edges.getOutDegree(v);
    if n != 3
        for i in 0:n
            reached[getOutNgh(edges, v, i)] += v;
            greatest[getOutNgh(edges, v, i)] max= i;
            turns += 1;
        end
    end
end

func gather(v : Vertex)
    var found : int = 0;
    var n : int = edges.getOutDegree(v) - 1;
    if n >= 0
        for i in -1:n
            if getOutNgh(edges, v, i + 1) > v
                found += 1;
            end
        end
        if found > 1
            above[v] += found;
        end
    end
    above[v] += 1;
end

func some(v : Vertex) -> yes : bool
    yes = v mod 3 != 1;
end

func main()
    #s1# vertices.apply(spread);
    #s2# vertices.apply(gather);
    var few : vertexset{Vertex} = vertices.filter(some);
    few.apply(spread);
    few.apply(gather);
    var round : int = 0;
    #s3# while round < 3
        var one : vertexset{Vertex} = few.filter(some);
        one.apply(spread);
        one.apply(gather);
        one.apply(spread);
        delete one;
        round += 1;
    end
    delete few;
end
";

fn spec(text: &str) -> Arc<Graph> {
    Arc::new(GraphSpec::parse(text).and_then(|s| s.load(&Silent)).unwrap().graph)
}

#[test]
fn lanes_share_loops_of_all_lengths() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    // Loops of no turn, few turns, hundreds and thousands: pieces are put aside from 513 turns on.
    for text in ["path:5", "star:40", "star:1500", "kron:7", "complete:60", "road:6x6"] {
        let graph = spec(text);
        let expected = bits(&run_text(&ReferenceVm::new(), TEXT, &["g"], "", &graph));
        for schedule in ["", "s3@loop=fused", "s3@loop=device-graph"] {
            assert!(bits(&run_text(&vm, TEXT, &["g"], schedule, &graph)) == expected, "{text} under `{schedule}`");
        }
    }
}
