//! Schedules with names: they fit every program, and choose by the graph where they say so.

use graphwright::schedule::{Preset, presets};
use graphwright::{Program, programs};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};

fn graph(spec: &str) -> Graph {
    GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap_or_else(|e| panic!("{spec}: {e}")).graph
}

fn chosen(preset: &str, program: &str, spec: &str) -> String {
    let preset = Preset::find(preset).unwrap_or_else(|| panic!("no preset {preset}"));
    let module = Program::find(program).unwrap_or_else(|e| panic!("{program}: {e}")).module().clone();
    let (module, choice) = preset.choose(module, &graph(spec));
    let options = gw_ir::Options::default();
    if let Err(error) = gw_ir::run_pipeline(module, &choice.schedule, &options) {
        panic!("{} on {program}: {error}", preset.name);
    }
    choice.schedule.to_string()
}

#[test]
fn every_preset_fits_every_program() {
    let kron = graph("kron:5:weights=1..9");
    for preset in presets() {
        for program in programs() {
            let module = Program::find(program.name).unwrap().module().clone();
            let (module, choice) = preset.choose(module, &kron);
            assert_eq!(preset.left_out(&module, &choice), [""; 0], "{} on {}", preset.name, program.name);
            chosen(preset.name, program.name, "kron:5:weights=1..9");
        }
        let search = chosen(preset.name, "bfs", "kron:5");
        assert!(search.contains("s0:s1@") && search.contains("s0@loop="), "{}: {search}", preset.name);
    }
}

#[test]
fn the_rules_of_helix_look_at_three_numbers() {
    assert!(chosen("helix", "bfs", "grid:30x30").contains("lb=vw4,"));
    assert!(chosen("helix", "bfs", "star:600").contains("lb=vw1,"));
    assert!(chosen("helix", "bfs", "kron:9").contains("lb=cta-warp-scan,"));
    assert!(chosen("helix", "bfs", "complete:80").contains("lb=vw32-32,"));
    assert!(chosen("helix", "bfs", "grid:30x30").contains("s0@loop=fused"));
    assert!(chosen("helix", "bfs", "complete:80").contains("s0@loop=host"));
}

#[test]
fn exact_outputs_are_not_left_to_a_hash_table() {
    assert!(chosen("bfs-4k", "bfs", "kron:5").contains("dedup-by=hash64"));
    assert!(!chosen("bfs-4k", "sssp", "kron:5:weights=1..9").contains("hash64"));
}

/// A search that allows no repeats, for which destinations cannot be claimed by a plain store.
const UNIQUE: &str = "element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
const parent : vector{Vertex}(int) = -1;
func unvisited(v : Vertex) -> yes : bool
    yes = parent[v] == -1;
end
func visit(src : Vertex, dst : Vertex)
    parent[dst] = src;
end
func main()
    var frontier : vertexset{Vertex} = new vertexset{Vertex}(0);
    frontier.addVertex(0);
    parent[0] = 0;
    #s0# while frontier.getVertexSetSize() != 0
        #s1# var next : vertexset{Vertex} = edges.from(frontier).to(unvisited).applyModified(visit, parent);
        delete frontier;
        frontier = next;
    end
end
";

#[test]
fn every_preset_has_a_schedule_for_searches_without_repeats() {
    let program = Program::parse("unique.gt", UNIQUE).unwrap();
    for preset in presets() {
        let (module, choice) = preset.choose(program.module().clone(), &graph("kron:5"));
        let text = choice.schedule.to_string();
        assert!(text.contains("s0:s1@"), "{}: {text}", preset.name);
        assert_eq!(preset.left_out(&module, &choice), [""; 0], "{}", preset.name);
        // Without its schedule the operator is named.
        let named = preset.left_out(&module, &gw_exec::Choice::default());
        assert!(named.len() == 1 && named[0].contains("of line 17"), "{named:?}");
    }
}
