//! Random graphs of every shape, small ones for the corners and a few larger ones for the parallel paths.

use crate::case::GraphData;
use crate::dice::Dice;

/// A random graph. `like` asks for the same number of vertices as another graph has.
pub fn random(dice: &mut Dice, like: Option<usize>) -> GraphData {
    let vertices = like.unwrap_or_else(|| match dice.weighted(&[3, 22, 55, 17, 3]) {
        0 => 0,
        1 => dice.between(1, 9),
        2 => dice.between(4, 60),
        3 => dice.between(60, 300),
        _ => {
            let most = if dice.percent(20) { 10_000 } else { 3000 };
            dice.between(1000, most)
        }
    });
    let symmetric = dice.percent(40);
    let fractional = dice.percent(15);
    let wide = dice.percent(20);
    let pairs = if vertices == 0 { Vec::new() } else { shape(dice, vertices as u32) };
    let largest = *dice.pick(&[1, 5, 20, 1000]);
    let mut edges = Vec::new();
    for (source, target) in pairs {
        let weight = match fractional {
            // More digits than 32 bits hold, of which sums are still exact.
            true if wide => {
                dice.between(0, 4 * largest) as f64 / 4.0 + dice.below(1 << 10) as f64 / (1u64 << 30) as f64
            }
            true => dice.between(0, 4 * largest) as f64 / 4.0,
            false if wide && dice.percent(10) => (dice.below(1 << 10) as u64 + (1 << 33)) as f64,
            // A weight of 0 is rare, and not special.
            false => {
                let least = usize::from(dice.percent(90));
                dice.between(least, largest) as f64
            }
        };
        edges.push((source, target, weight));
        if symmetric && source != target {
            edges.push((target, source, weight));
        }
    }
    edges.sort_by_key(|&(s, t, _)| (s, t));
    edges.dedup_by_key(|&mut (s, t, _)| (s, t));
    GraphData { vertices, edges, fractional, wide, columns: false }
}

/// The same graph as a table: every third edge is there once more.
pub fn with_columns(mut graph: GraphData) -> GraphData {
    let more: Vec<_> = graph.edges.iter().copied().step_by(3).collect();
    graph.edges.extend(more);
    GraphData { columns: true, ..graph }
}

/// Other graphs in the places of these, for a second run of the same executable; for every second program none. Graphs
/// that had one size have one again, and no vertex is missing that the program may name.
pub fn others(dice: &mut Dice, graphs: &[GraphData]) -> Vec<GraphData> {
    if dice.percent(50) {
        return Vec::new();
    }
    let more = *dice.pick(&[0, 0, 1, 7, 64]);
    let other = |graph: &GraphData| {
        let vertices = if graph.vertices == 0 { 0 } else { graph.vertices + more };
        let drawn = random(dice, Some(vertices));
        // A program reads weights of one kind.
        let weight = |w: f64| match (graph.fractional, graph.wide) {
            (true, true) => w,
            (true, false) => (4.0 * w).trunc() / 4.0,
            (false, true) => w.trunc(),
            (false, false) => w.trunc() % f64::from(1 << 20),
        };
        let edges = drawn.edges.iter().map(|&(s, t, w)| (s, t, weight(w))).collect();
        let other = GraphData { edges, fractional: graph.fractional, wide: graph.wide, ..drawn };
        if graph.columns { with_columns(other) } else { other }
    };
    graphs.iter().map(other).collect()
}

fn shape(dice: &mut Dice, n: u32) -> Vec<(u32, u32)> {
    let vertex = |dice: &mut Dice| dice.below(n as usize) as u32;
    match dice.weighted(&[2, 3, 3, 2, 2, 6, 2, 1]) {
        // No edges at all.
        0 => Vec::new(),
        // A path, which makes many rounds; long ones would make thousands.
        1 => (1..n.min(200)).map(|v| (v - 1, v)).collect(),
        // A star, outwards or inwards.
        2 => {
            let hub = vertex(dice);
            let outwards = dice.percent(50);
            (0..n).filter(|&v| v != hub).map(|v| if outwards { (hub, v) } else { (v, hub) }).collect()
        }
        // A cycle with chords.
        3 => (0..n.min(200)).flat_map(|v| [(v, (v + 1) % n), (v, (v * 7 + 3) % n)]).collect(),
        // A binary tree.
        4 => (1..n).map(|v| ((v - 1) / 2, v)).collect(),
        // Random edges, with loops among them that loading drops.
        5 => {
            let edges = n as usize * dice.between(1, 6);
            (0..edges).map(|_| (vertex(dice), vertex(dice))).collect()
        }
        // Few hubs with most of the edges.
        6 => {
            let hubs = n.min(3) as usize;
            (0..n as usize * 3).map(|_| (dice.below(hubs) as u32, vertex(dice))).collect()
        }
        // Everybody with everybody.
        _ => {
            let n = n.min(24);
            (0..n).flat_map(|s| (0..n).map(move |t| (s, t))).collect()
        }
    }
}
