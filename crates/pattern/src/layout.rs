//! Places for the nodes of a small graph in the unit square: springs along edges, repulsion between all nodes
//! (Fruchterman and Reingold, 1991), from a circle, without anything random.

use crate::LabelledGraph;

/// Rounds in which nodes move.
const ROUNDS: usize = 300;

/// Nodes of which all pairs repel each other in reasonable time; larger graphs stay on the circle.
const MOST_NODES: usize = 400;

/// A place in the unit square for every node.
pub fn places(graph: &LabelledGraph) -> Vec<(f64, f64)> {
    let nodes = graph.nodes();
    let on_circle = |node: usize| {
        let angle = node as f64 / nodes as f64 * std::f64::consts::TAU;
        (0.5 + 0.5 * angle.cos(), 0.5 + 0.5 * angle.sin())
    };
    let mut places: Vec<(f64, f64)> = (0..nodes).map(on_circle).collect();
    if !(3..=MOST_NODES).contains(&nodes) {
        return places;
    }
    let spread = (1.0 / nodes as f64).sqrt();
    for round in 0..ROUNDS {
        let mut moves = vec![(0.0, 0.0); nodes];
        let mut push = |u: usize, v: usize, force: &dyn Fn(f64) -> f64| {
            let (dx, dy) = (places[u].0 - places[v].0, places[u].1 - places[v].1);
            let distance = (dx * dx + dy * dy).sqrt().max(1e-6);
            let strength = force(distance) / distance;
            moves[u].0 += dx * strength;
            moves[u].1 += dy * strength;
            moves[v].0 -= dx * strength;
            moves[v].1 -= dy * strength;
        };
        for u in 0..nodes {
            (0..u).for_each(|v| push(u, v, &|distance| spread * spread / distance));
        }
        graph.edge_list().for_each(|(u, v)| push(u as usize, v as usize, &|distance| -distance * distance / spread));
        let heat = 0.1 * (1.0 - round as f64 / ROUNDS as f64);
        for (place, (dx, dy)) in places.iter_mut().zip(moves) {
            let length = (dx * dx + dy * dy).sqrt().max(1e-9);
            let step = length.min(heat) / length;
            *place = (place.0 + dx * step, place.1 + dy * step);
        }
    }
    fit(&mut places);
    places
}

/// Stretches the places to the unit square.
fn fit(places: &mut [(f64, f64)]) {
    let bounds = |values: Vec<f64>| {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (least, (most - least).max(1e-9))
    };
    let (left, width) = bounds(places.iter().map(|place| place.0).collect());
    let (top, height) = bounds(places.iter().map(|place| place.1).collect());
    places.iter_mut().for_each(|place| *place = ((place.0 - left) / width, (place.1 - top) / height));
}
