//! Matching on an emulated GPU finds what the cores find, match by match, and its kernels compile for real ones.
#![cfg(feature = "cuda")]

use std::sync::Arc;

use gw_device::Device;
use gw_emulator::EmulatedDevice;
use gw_pattern::device::{DeviceTarget, units};
use gw_pattern::plant::{connected_part, random_graph};
use gw_pattern::{LabelledGraph, Matrix, Options, Released, Scoring, Thesis, find_with, perturb};

fn device() -> Option<Arc<dyn Device>> {
    Some(Arc::new(EmulatedDevice::new()?))
}

/// The matches of both under both scorings, which must be the same. Returns how many there are under the released one.
#[track_caller]
fn same(
    device: &Arc<dyn Device>,
    query: &LabelledGraph,
    target: &LabelledGraph,
    matrix: Option<&Matrix>,
    options: &Options,
) -> usize {
    let on_device = DeviceTarget::new(Arc::clone(device), target).unwrap();
    let found =
        [&Thesis { floor: 0.005, ..Thesis::default() } as &dyn Scoring, &Thesis::default(), &Released].map(|by| {
            let expected = find_with(by, query, target, matrix, options).unwrap();
            let found = on_device.find_with(by, query, matrix, options).unwrap();
            assert_eq!(found.matches, expected.matches, "{} {options:?}", by.name());
            found.matches.len()
        });
    found[2]
}

#[test]
fn the_same_matches_for_the_same_seed() {
    let Some(device) = device() else { return };
    for (nodes, labels, depth, rounds, seed) in
        [(4, 3, 2, 0, 1), (9, 5, 1, 0, 2), (17, 2, 2, 2, 3), (8, 40, 3, 1, 4), (70, 4, 2, 1, 5), (1, 3, 2, 0, 6)]
    {
        let target = random_graph(200, 700, labels, seed);
        let query = connected_part(&target, nodes, seed).unwrap();
        let query = perturb(&query, &target, 0.3, seed).unwrap();
        let options = Options { solutions: 11, depth, rounds, seed };
        assert!(same(&device, &query, &target, None, &options) > 0);
    }
}

#[test]
fn hubs_and_similarities_given_by_a_person() {
    let Some(device) = device() else { return };
    // A hub with more neighbours than a warp has lanes, several times over.
    let spokes = (1..150).map(|v| (0, v)).chain((1..149).map(|v| (v, v + 1)));
    let target = LabelledGraph::new((0..150).map(|v| v % 4).collect(), &spokes.collect::<Vec<_>>()).unwrap();
    let query = connected_part(&target, 6, 3).unwrap();
    let values = (0..6 * 150).map(|i| if i % 3 == 0 { 0.25 * (i % 5) as f32 } else { 0.0 }).collect();
    let matrix = Matrix::new(values, 150);
    for matrix in [None, Some(&matrix)] {
        for depth in [1, 2] {
            let options = Options { solutions: 9, depth, rounds: 1, seed: 7 };
            assert!(same(&device, &query, &target, matrix, &options) > 1);
        }
    }
}

/// Several parts, nodes without neighbours, labels that do not occur, and more query nodes than the target has.
#[test]
fn whatever_does_not_fit_is_as_on_the_cores() {
    let Some(device) = device() else { return };
    let target = random_graph(12, 14, 3, 1);
    let parts = LabelledGraph::new(vec![0, 1, 2, 0, 1], &[(0, 1), (2, 3)]).unwrap();
    let strange = LabelledGraph::new(vec![7, 8, 9], &[(0, 1), (1, 2)]).unwrap();
    let large = random_graph(40, 60, 3, 2);
    let alone = LabelledGraph::new(vec![0; 3], &[]).unwrap();
    for query in [parts, strange, large, alone] {
        for rounds in [0, 2] {
            same(&device, &query, &target, None, &Options { solutions: 8, depth: 2, rounds, seed: 9 });
        }
    }
}

/// With room for few warps, solutions follow each other on them, over the marks of those before.
#[test]
fn few_warps_do_all_solutions() {
    let target = random_graph(300, 900, 3, 1);
    let query = connected_part(&target, 10, 3).unwrap();
    let Some(device) = EmulatedDevice::new() else { return };
    let device: Arc<dyn Device> = Arc::new(device.with_memory(200_000).with_processors(8, 2));
    same(&device, &query, &target, None, &Options { solutions: 20, rounds: 1, ..Options::default() });
    let tiny: Arc<dyn Device> = Arc::new(EmulatedDevice::new().unwrap().with_memory(20_000));
    let on_tiny = DeviceTarget::new(tiny, &target).unwrap();
    let error = on_tiny.find(&query, None, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("bytes of device memory are needed"), "{error}");
}

#[test]
fn kernels_compile_for_gpus() {
    if let Err(reason) = gw_device::nvidia::compiler() {
        gw_testing::left_out("NVRTC", reason);
        return;
    }
    for unit in units() {
        for architecture in ["sm_90", "sm_80"] {
            gw_device::nvidia::compile_only(&unit, architecture)
                .unwrap_or_else(|error| panic!("{}: {error}", unit.name));
        }
    }
}
