#!/usr/bin/env bash
# Making, reading and opening graphs, beside peers in the same run.
#
#   bench/graph-io.sh [SCALE]
#
# GAPBS=DIR          a built copy of the GAP Benchmark Suite (its `converter`): its builder on a Kronecker graph of the
#                    same scale
# GRAPH_BUILDER=DIR  a scratch folder outside this repository; a small program using the crate graph_builder is put
#                    there, built, and loads the same .el file
#
# Without them only Graphwright is measured.
set -euo pipefail
cd "$(dirname "$0")/.."
scale=${1:-20}
threads=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "## Graphwright"
cargo run --release --quiet -p gw-graph --example graph_io -- "$scale" "$work"

if [ -n "${GAPBS:-}" ]; then
    echo "## GAPBS, $threads threads: seconds, three runs"
    for _ in 1 2 3; do
        OMP_NUM_THREADS=$threads "$GAPBS/converter" -g "$scale" -k 16 -b "$work/gapbs.sg" | grep -E 'Generate|Build'
    done
fi

if [ -n "${GRAPH_BUILDER:-}" ]; then
    mkdir -p "$GRAPH_BUILDER/src"
    cat > "$GRAPH_BUILDER/Cargo.toml" <<'PEER'
[package]
name = "peer-graph-builder"
version = "0.1.0"
edition = "2021"
[dependencies]
graph_builder = "*"
[workspace]
PEER
    cat > "$GRAPH_BUILDER/src/main.rs" <<'PEER'
use graph_builder::prelude::*;
fn main() {
    let path = std::env::args().nth(1).expect("a .el file");
    let bytes = std::fs::metadata(&path).expect("readable").len() as f64;
    for _ in 0..3 {
        let start = std::time::Instant::now();
        let graph: DirectedCsrGraph<u32> = GraphBuilder::new()
            .csr_layout(CsrLayout::Sorted)
            .file_format(EdgeListInput::default())
            .path(&path)
            .build()
            .expect("a graph");
        let seconds = start.elapsed().as_secs_f64();
        println!("load .el\t{:.1}\tMB/s\t{seconds:.3} s\t{} edges", bytes / 1e6 / seconds, graph.edge_count());
    }
}
PEER
    cargo build --quiet --release --bin gw
    target/release/gw graph generate "kron:$scale" -o "$work/peer.el" >/dev/null
    echo "## graph_builder, three runs"
    (cd "$GRAPH_BUILDER" && CARGO_TARGET_DIR="$GRAPH_BUILDER/target" cargo run --quiet --release -- "$work/peer.el")
    echo "## Graphwright on the same file, three runs"
    for _ in 1 2 3; do
        target/release/gw graph info --quick --json "$work/peer.el" | grep -A12 '"seconds"' | tr -d ' \n'
        echo
    done
fi
