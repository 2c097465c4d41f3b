//! Lists that change, on an emulated GPU: batches against a map of edges, blocks that are used again, the memory bound.

use std::collections::BTreeMap;
use std::sync::Arc;

use gw_cuda::{AppliedChanges, DeviceLists, EdgeChanges};
use gw_device::{Buffer, Device};
use gw_emulator::{EmulatedDevice, Races};
use gw_graph::progress::Silent;
use gw_graph::rng::Rng;
use gw_graph::{Graph, GraphSpec};

/// Edges and their weights.
type Model = Vec<BTreeMap<u32, u32>>;

/// What a change of the model did.
fn change(model: &mut Model, source: u32, target: u32, weight: Option<u32>) -> AppliedChanges {
    let list = &mut model[source as usize];
    let old = match weight {
        Some(weight) => list.insert(target, weight),
        None => list.remove(&target),
    };
    AppliedChanges {
        inserted: u64::from(old.is_none() && weight.is_some()),
        deleted: u64::from(old.is_some() && weight.is_none()),
        reweighted: u64::from(old.is_some() && weight.is_some() && old != weight),
        unknown: 0,
    }
}

/// The lists are those of the model, their memory fits together, and blocks in use have at most twice as many slots as
/// there are edges, and three per list besides.
fn compare(lists: &DeviceLists, model: &Model, what: &str) {
    let found = lists.checked_lists().unwrap_or_else(|problem| panic!("{what}: {problem}"));
    assert_eq!(found.len(), model.len(), "{what}");
    for (v, (found, expected)) in found.iter().zip(model).enumerate() {
        let expected: Vec<(u32, u32)> = expected.iter().map(|(&target, &weight)| (target, weight)).collect();
        assert_eq!(*found, expected, "{what}: list {v}");
    }
    let (edges, lists_in_use) = (lists.edges(), model.iter().filter(|list| !list.is_empty()).count() as u64);
    let slots = lists.occupancy().slots;
    assert!(slots <= 2 * edges + 3 * lists_in_use, "{what}: {slots} slots for {edges} edges");
}

fn device() -> Option<Arc<dyn Device>> {
    Some(Arc::new(EmulatedDevice::new()?))
}

/// Random batches with changes of one kind or of both, with repeats, of lists that grow long and become empty.
fn random_batches(device: &Arc<dyn Device>, seed: u64, weighted: bool, wide: bool, batches: usize) {
    let mut random = Rng::new(seed, 0);
    let vertices = [1, 2, 40, 300, 5000][random.below(5) as usize];
    let mut lists = DeviceLists::new(device, vertices as usize, weighted, wide).unwrap();
    let mut model: Model = vec![BTreeMap::new(); vertices as usize];
    for number in 0..batches {
        let count = [1, 7, 300, 2000, 9000][random.below(5) as usize];
        // A few sources get most changes, so that lists of every length come up.
        let hubs = 1 + random.below(vertices.min(4));
        let deletes = random.below(4);
        let mut changes = EdgeChanges::default();
        let mut expected = BTreeMap::new();
        for _ in 0..count {
            let source = if random.below(2) == 0 { random.below(hubs) } else { random.below(vertices) } as u32;
            let target = random.below(vertices) as u32;
            let weight = if weighted { random.below(5) as u32 } else { 0 };
            // None, some, or all but none are deletions; those of edges that are there as likely as of others.
            match random.below(3) < deletes {
                true => {
                    let list = &model[source as usize];
                    let near = list.range(target..).next().map(|(&target, _)| target);
                    let target = near.filter(|_| random.below(2) == 0).unwrap_or(target);
                    changes.delete(source, target);
                    expected.insert((source, target), None);
                }
                false => {
                    changes.insert(source, target, weight);
                    expected.insert((source, target), Some(weight));
                }
            }
        }
        let mut did = AppliedChanges::default();
        for (&(source, target), &weight) in &expected {
            let one = change(&mut model, source, target, weight);
            did.inserted += one.inserted;
            did.deleted += one.deleted;
            did.reweighted += one.reweighted;
        }
        let what = format!("seed {seed}, batch {number} of {count} changes, {vertices} vertices");
        assert_eq!(lists.apply(&changes).unwrap(), did, "{what}");
        compare(&lists, &model, &what);
    }
}

#[test]
fn batches_do_what_a_map_of_edges_does() {
    let seeds = gw_testing::usually(6, 60);
    for seed in 0..seeds {
        // Grids of one to six blocks, threads in other orders; the kernels race nowhere.
        let Some(device) = EmulatedDevice::new() else { return };
        let device = device.with_processors(1 + seed as u32 % 3, 1 + seed as u32 % 2).with_seed(seed);
        let device: Arc<dyn Device> = Arc::new(device.with_races(Races::Global));
        random_batches(&device, seed, seed % 2 == 1, seed % 3 == 2, 6);
    }
}

fn load(spec: &str) -> Graph {
    GraphSpec::parse(spec).and_then(|spec| spec.load(&Silent)).unwrap().graph
}

fn model_of(graph: &Graph) -> Model {
    let list = |v: u32| {
        let weights = graph.out().weights_of::<i32>(v);
        let entries = graph.out().neighbours(v).iter().enumerate();
        entries.map(|(at, &target)| (target, weights.get(at).map_or(0, |&weight| weight as u32))).collect()
    };
    (0..graph.vertices() as u32).map(list).collect()
}

#[test]
fn lists_of_a_graph_are_taken_over() {
    let Some(device) = device() else { return };
    for spec in ["kron:7", "star:50", "road:6x6", "kron:6:weights=1..9"] {
        let graph = load(spec);
        for wide in [false, true] {
            let lists = DeviceLists::from_adjacency(&device, graph.out(), wide).unwrap();
            compare(&lists, &model_of(&graph), spec);
        }
    }
}

/// Lists of thousands of entries, which warps, blocks and the whole grid merge, in place and into other blocks.
#[test]
fn long_lists_are_merged() {
    let Some(device) = device() else { return };
    let vertices = 70_000;
    let mut lists = DeviceLists::new(&device, vertices, true, false).unwrap();
    let mut model: Model = vec![BTreeMap::new(); vertices];
    let mut random = Rng::new(11, 0);
    // Lengths in the middle of a block, at its end, and behind it; every third list is changed in each way.
    let lengths = [900, 1024, 3000, 5000, 17_000, 40_000];
    let mut fill = |model: &mut Model, share: [u64; 2]| {
        let mut changes = EdgeChanges::default();
        for (source, &length) in lengths.iter().enumerate() {
            let source = source as u32;
            for target in 0..length {
                match random.below(100) {
                    draw if draw < share[0] => {
                        changes.insert(source, target, draw as u32);
                        change(model, source, target, Some(draw as u32));
                    }
                    draw if draw >= 100 - share[1] => {
                        changes.delete(source, target);
                        change(model, source, target, None);
                    }
                    _ => {}
                }
            }
        }
        changes
    };
    for (step, share) in [[60, 0], [2, 0], [0, 2], [1, 1], [0, 60], [50, 0], [0, 100]].into_iter().enumerate() {
        let changes = fill(&mut model, share);
        lists.apply(&changes).unwrap();
        compare(&lists, &model, &format!("step {step}"));
    }
    assert_eq!((lists.edges(), lists.occupancy().slots), (0, 0));
}

#[test]
fn freed_blocks_are_used_again() {
    let Some(device) = device() else { return };
    let graph = load("kron:7");
    let mut lists = DeviceLists::from_adjacency(&device, graph.out(), false).unwrap();
    let model = model_of(&graph);
    let empty: Model = vec![BTreeMap::new(); model.len()];
    let mut touched = Vec::new();
    for round in 0..4 {
        let (mut away, mut back) = (EdgeChanges::default(), EdgeChanges::default());
        for (source, list) in model.iter().enumerate() {
            for &target in list.keys() {
                away.delete(source as u32, target);
                back.insert(source as u32, target, 0);
            }
        }
        assert_eq!(lists.apply(&away).unwrap().deleted, graph.edges() as u64);
        compare(&lists, &empty, "all edges are gone");
        assert_eq!(lists.apply(&back).unwrap().inserted, graph.edges() as u64);
        compare(&lists, &model, &format!("round {round}"));
        touched.push(lists.occupancy().touched);
    }
    assert!(touched.iter().all(|&slots| slots == touched[0]), "the pool grows: {touched:?}");
}

#[test]
fn batches_on_the_device_and_sorted_ones_do_the_same() {
    let Some(device) = device() else { return };
    let graph = load("kron:7");
    let mut random = Rng::new(3, 0);
    let (mut changes, mut model) = (EdgeChanges::default(), model_of(&graph));
    let mut edges = BTreeMap::new();
    for _ in 0..5000 {
        let [source, target] = [0; 2].map(|_| random.below(graph.vertices() as u64) as u32);
        let deletes = random.below(2) == 0;
        if deletes {
            changes.delete(source, target)
        } else {
            changes.insert(source, target, 0)
        };
        edges.insert((source, target), (!deletes).then_some(0));
        change(&mut model, source, target, (!deletes).then_some(0));
    }
    let mut sorted = EdgeChanges::default();
    for (&(source, target), &weight) in &edges {
        match weight {
            Some(weight) => sorted.insert(source, target, weight),
            None => sorted.delete(source, target),
        };
    }
    let made = || DeviceLists::from_adjacency(&device, graph.out(), false).unwrap();
    let (mut one, mut two) = (made(), made());
    let keys: Vec<u8> = changes.keys().iter().flat_map(|key| key.to_ne_bytes()).collect();
    let resident = Buffer::with(&device, &keys).unwrap();
    let did = one.apply_resident(&resident, None, changes.len()).unwrap();
    assert_eq!(two.apply_sorted(&sorted).unwrap(), did);
    compare(&one, &model, "on the device");
    compare(&two, &model, "sorted");
    // More changes than the memory has are an error, and nothing happens.
    let error = one.apply_resident(&resident, None, changes.len() + 1).unwrap_err().to_string();
    assert!(error.contains("5001 changes were announced, the device has 5000"), "{error}");
    compare(&one, &model, "after an error");
}

#[test]
fn graphs_grow_and_unknown_vertices_are_left_out() {
    let Some(device) = device() else { return };
    let mut lists = DeviceLists::new(&device, 3, false, false).unwrap();
    let mut changes = EdgeChanges::default();
    changes.insert(0, 2, 0).insert(0, 3, 0).insert(5, 1, 0).insert(2, 2, 0);
    let did = lists.apply(&changes).unwrap();
    assert_eq!(did, AppliedChanges { inserted: 2, unknown: 2, ..AppliedChanges::default() });
    lists.grow(6).unwrap();
    let did = lists.apply(&changes).unwrap();
    assert_eq!(did, AppliedChanges { inserted: 2, ..AppliedChanges::default() });
    let lists: Vec<usize> = lists.checked_lists().unwrap().iter().map(Vec::len).collect();
    assert_eq!(lists, [2, 0, 1, 0, 0, 1]);
}

/// A pool that cannot grow leaves lists as they were.
#[test]
fn a_batch_without_memory_changes_nothing() {
    let Some(device) = EmulatedDevice::new() else { return };
    let device: Arc<dyn Device> = Arc::new(device.with_memory(3 << 19));
    let mut lists = DeviceLists::new(&device, 2000, false, false).unwrap();
    let (mut model, mut refused) = (vec![BTreeMap::new(); 2000], false);
    let room: Vec<u32> = (0..2000).collect();
    for batch in 0..40 {
        let mut changes = EdgeChanges::default();
        let mut later = model.clone();
        for &source in &room {
            let target = (source * 7 + batch * 31) % 2000;
            changes.insert(source, target, 0);
            change(&mut later, source, target, Some(0));
        }
        match lists.apply(&changes) {
            Ok(_) => model = later,
            Err(error) => {
                assert!(error.to_string().contains("device memory"), "{error}");
                refused = true;
            }
        }
        compare(&lists, &model, &format!("batch {batch}"));
    }
    assert!(refused && lists.edges() > 0, "memory never ran out, or at once: {} edges", lists.edges());
}
