//! The numbers of this machine that were tuned, each with the measurement behind it.

use gw_schedule::Fraction;

/// Below this mean degree frontiers of a search stay small, and lists are too short to be shared out. Not measured.
pub(crate) const FLAT_DEGREE: f64 = 5.0;

/// Above this greatest degree lists are too uneven for a few lanes each, however few edges there are. Graphs with a
/// mean degree below 5 and hubs (as-caida, nell, wordnet): a search with four lanes per vertex takes 2.6 to 7.5 times
/// as long as with edges split over blocks (H200).
pub(crate) const FLAT_GREATEST: usize = 64;

/// Below so many edges a search never changes its direction. On 22 real graphs of up to 3 M edges (H200) pushing
/// alone with `cm` is 1.12 times the best schedule in the geometric mean, a change to pulling 1.9 times; on kron:18
/// with 7.6 M edges the change is ahead by 1.6.
pub(crate) const SMALL_GRAPH: usize = 4 << 20;

/// The share of the edges ahead from which on an operator pulls. Not measured: the customary twentieth.
pub(crate) const PULL_SHARE: Fraction = Fraction::ratio(1, 20);

/// Bucket width in mean weights, for meshes, graphs below [`FLAT_DEGREE`] and all up to [`SURVEYED_GRAPH`] edges. Delta
/// stepping on an H200, against 0.35 mean weights: 0.69 against 1.15 ms on kron:18, 0.41 against 0.68 on a directed
/// kron:17, 0.83 against 0.92 on urand:18, 3.4 against 10.1 on a grid of 64^3 vertices.
pub(crate) const WIDE_BUCKET: f64 = 32.0;

/// Bucket width in mean weights, for other graphs of at least twice as many edges. By counts of work, not by time
/// (`bench/tune.md`): on urand:21 with 67 M edges wide buckets relax 326 M edges in 29 rounds, buckets of one mean
/// weight 85 M in 36, of 0.35 mean weights 81 M in 45; on kron:21 140 M in 10, 134 M in 16, 123 M in 30.
pub(crate) const NARROW_BUCKET: f64 = 1.0;

/// Between the two sizes the width falls with this power of the edges: from [`WIDE_BUCKET`] to [`NARROW_BUCKET`] while
/// they double.
pub(crate) const BUCKET_FALL: i32 = 5;

/// Runs on a graph from which on numbers by degree pay. On kron22 (H200) they cost 80 ms and save 3 ms of a PageRank or
/// 2 ms of shortest paths: 27 and 40 runs.
pub(crate) const RENUMBERS_FROM: u32 = 32;

/// From so many edges on, the pushes of a search that also pulls are shared out by `etwc`, if the greatest degree is
/// not below [`EVEN_DEGREE`]. Searches with `cm` (H200): 5 to 16 % faster on kron and urand of scale 18 to 21, 11 %
/// on urand:22; 7 to 11 % slower on kron:22, and betweenness takes 22 % longer on kron:22 sorted by degree.
pub(crate) const LARGE_GRAPH: usize = 100_000_000;

/// Below this greatest degree no list is long. Not measured apart from [`LARGE_GRAPH`].
pub(crate) const EVEN_DEGREE: usize = 1024;

/// Where the greatest degree is at most so many mean degrees, lists are alike, as in meshes. A random graph of mean
/// degree 64 has 1.6. Not measured between.
pub(crate) const EVEN_LISTS: f64 = 1.25;

/// Below this mean degree lists that are alike are shared by the lanes of a warp. Searches (H200): with a mean of 6
/// `wm` takes 2.1 ms and `etwc` 2.6, with a mean of 80 it is 0.56 and 0.44. Not measured between.
pub(crate) const WARP_DEGREE: f64 = 16.0;

/// Up to so many edges, the rules that are bounded by it were measured: 13 programs on 30 graphs of 2*10^5 to 1.3*10^7
/// edges (H200, `bench/lab/portfolio.lab.gz`). Together they take the time over the best of the portfolio from 1.259 to
/// 1.110 in the mean of 387 cells.
pub(crate) const SURVEYED_GRAPH: usize = 16 << 20;

/// From this greatest degree on, weighted lists are shared out by `etwc`, not by `cm`: shortest paths on kron:18 take
/// 1.16 against 1.52 times the best (greatest degree 25,000), on a power law of greatest degree 1,000 it is 1.55 and 1.
pub(crate) const LONG_LISTS: usize = 1 << 14;

/// Intersections of lists by every edge: from this mean degree on, or below [`SMALL_GRAPH`], edges are shared out one
/// by one. Triangles of 30 graphs take 1.12 times the best so, with lists shared out by length 2.4 times (H200).
pub(crate) const INTERSECTED_DEGREE: f64 = 10.0;

/// Lists are alike for intersections where the greatest degree is at most so many mean degrees.
pub(crate) const ALIKE_LISTS: f64 = 2.0;

/// From this greatest degree on, components of smaller graphs share out edges by `merge-path`: 0.26 against 0.42 ms on
/// a directed kron:17 with `cm` (H200).
pub(crate) const HUB_DEGREE: usize = 1 << 12;

/// Bytes of the tables in which blocks group the neighbours of vertices with long lists. There is one table at least.
pub(crate) const GROUP_TABLE_BYTES: usize = 1 << 28;
/// Blocks that have such a table at most.
pub(crate) const MOST_GROUP_TABLES: usize = 1 << 10;
