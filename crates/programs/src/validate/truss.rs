//! k-trusses: edges are removed one at a time, the one with the fewest triangles first, with lists that are merged.

use gw_graph::{Adjacency, VertexId};

use super::{Invalid, Run, ensure, wrong};

pub(crate) fn ktruss(run: &Run<'_>) -> Result<(), Invalid> {
    run.needs_symmetric()?;
    let (found, kmax) = (run.edge_ints("truss")?, run.integer("kmax")?);
    let out = run.graph.out();
    let right = trusses(out);
    // With one k an edge is in its truss, or in none that is asked for.
    let k = run.count_arg(2)?;
    let told = |right: i32| match k {
        0 => right,
        _ if right as usize >= k => k.max(2) as i32,
        _ => 2,
    };
    for (edge, (&found, &greatest)) in found.iter().zip(&right).enumerate() {
        let right = told(greatest);
        ensure(found == right, || {
            let (from, to) = (out.source_of(edge), out.targets()[edge]);
            wrong!(
                "the edge from {from} to {to} is in the {greatest}-truss and no greater one, so that its entry is \
                 {right}, not {found}",
                from = run.graph.shown(from),
                to = run.graph.shown(to)
            )
        })?;
    }
    let greatest = right.iter().map(|&right| told(right)).max().unwrap_or(0);
    ensure(kmax == i128::from(greatest), || wrong!("kmax is {kmax} instead of {greatest}"))
}

/// The greatest k of every edge, by its position.
fn trusses(out: &Adjacency) -> Vec<i32> {
    let twin = |edge: usize| {
        let (from, to) = (out.source_of(edge), out.targets()[edge]);
        out.range(to).start + out.neighbours(to).partition_point(|&v| v < from)
    };
    // The state of an edge and its reverse is kept at the one that goes up.
    let upward: Vec<usize> =
        (0..out.edges()).map(|e| if out.source_of(e) < out.targets()[e] { e } else { twin(e) }).collect();
    let mut triangles = vec![0usize; out.edges()];
    let mut truss = vec![0; out.edges()];
    let mut buckets: Vec<Vec<usize>> = Vec::new();
    for edge in (0..out.edges()).filter(|&e| upward[e] == e) {
        triangles[edge] = common(out, edge).count();
        put(&mut buckets, triangles[edge], edge);
    }
    let mut least = 0;
    while least < buckets.len() {
        let Some(edge) = buckets[least].pop() else {
            least += 1;
            continue;
        };
        // An entry whose count has fallen since is in another bucket too.
        if truss[edge] != 0 || triangles[edge] > least {
            continue;
        }
        truss[edge] = least as i32 + 2;
        for (one, other) in common(out, edge).map(|(a, b)| (upward[a], upward[b])) {
            if truss[one] == 0 && truss[other] == 0 {
                for side in [one, other] {
                    // Parallel edges, which the program refuses, would take one triangle away twice.
                    triangles[side] = triangles[side].saturating_sub(1);
                    put(&mut buckets, triangles[side].max(least), side);
                }
            }
        }
    }
    upward.iter().map(|&edge| truss[edge]).collect()
}

fn put(buckets: &mut Vec<Vec<usize>>, count: usize, edge: usize) {
    if buckets.len() <= count {
        buckets.resize_with(count + 1, Vec::new);
    }
    buckets[count].push(edge);
}

/// The other two sides of the triangles at an edge: the edges from its ends to a common neighbour.
fn common(out: &Adjacency, edge: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let list = |v: VertexId| out.range(v).zip(out.neighbours(v).iter().copied()).peekable();
    let (mut one, mut other) = (list(out.source_of(edge)), list(out.targets()[edge]));
    std::iter::from_fn(move || {
        loop {
            let (&(a, at_one), &(b, at_other)) = (one.peek()?, other.peek()?);
            if at_one <= at_other {
                one.next();
            }
            if at_other <= at_one {
                other.next();
            }
            if at_one == at_other {
                return Some((a, b));
            }
        }
    })
}
