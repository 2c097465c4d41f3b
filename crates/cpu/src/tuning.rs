//! The numbers of this machine that were tuned, each with the measurement behind it.

use gw_schedule::Fraction;

/// From this mean degree on, cache segments save more than their extra lists cost. Not measured.
pub(crate) const DENSE_DEGREE: f64 = 8.0;

/// The share of the edges ahead from which on a search pulls. Lists are fetched ahead, which makes pushing cheaper than
/// the customary twentieth assumes. Measured: `bench/cpu-choice.md`.
pub(crate) const PULL_SHARE: Fraction = Fraction::ratio(1, 10);

/// The bucket width is the mean weight times this, divided by the square of the mean degree. Measured:
/// `bench/cpu-choice.md`.
pub(crate) const BUCKET_WIDTH_FACTOR: f64 = 22.0;

/// The bucket width is at least this part of the mean weight. Measured: `bench/cpu-choice.md`.
pub(crate) const LEAST_BUCKET_WIDTH_FACTOR: f64 = 1.0 / 40.0;

/// The same where the distances of all vertices fit the second-level cache: work that is done twice is cheap there,
/// and rounds are so short that to begin and end them counts. Measured: `bench/cpu-choice.md`.
pub(crate) const LEAST_BUCKET_WIDTH_FACTOR_IN_CACHE: f64 = 1.0 / 16.0;

/// Chunks per member when a queue is cut: the first lists of a chunk are not fetched ahead, so there are few.
/// Not measured.
pub(crate) const QUEUE_CHUNKS: usize = 8;

/// Queued vertices of a chunk that nobody shares. Not measured.
pub(crate) const ALONE_GRAIN: usize = 1 << 14;

/// Edges and vertices of a chunk that nobody shares: some hundredths of a second. Not measured.
pub(crate) const ALONE_EDGES: usize = 1 << 22;

/// Chunks per member when a range is cut. Not measured.
pub(crate) const CHUNKS_PER_MEMBER: usize = 32;

/// The largest chunk of vertices that an idle member takes, unless the schedule says otherwise. Not measured.
pub(crate) const DYNAMIC_GRAIN: usize = 1024;

/// Entries of a local bucket that are still drained without waiting, unless the schedule says otherwise. Not measured.
pub(crate) const MERGE_THRESHOLD: u64 = 1000;

/// Of a graph with hubs, a bucket with more entries than this is cut by entries, a smaller one by edges. Not measured.
pub(crate) const MANY_ENTRIES: usize = 1 << 12;

/// Entries of a piece of a large bucket. Not measured.
pub(crate) const BUCKET_PIECE: usize = 256;

/// A vertex with more edges than this can keep a worker busy for long. Not measured.
pub(crate) const HUB_EDGES: usize = 1 << 10;

/// Fewer entries than this are visited at once; fetching ahead would cost more than it saves. Not measured.
pub(crate) const FEW_ENTRIES: usize = 8;

/// Buckets this far ahead of the current one are kept apart; farther ones wait in one list. Not measured.
pub(crate) const NEAR_BUCKETS: u64 = 1 << 14;

/// Lists whose lengths differ by more than this factor are searched rather than merged. Not measured.
pub(crate) const UNEVEN_LISTS: usize = 32;

/// Probing costs a small part of a search per entry: only much longer lists are searched instead. Not measured.
pub(crate) const MUCH_LONGER_LIST: usize = 128;

/// Both lists of a blockwise comparison have at least this many entries. Not measured.
pub(crate) const LONG_LIST: usize = 1000;

/// Two lists with fewer entries than this together are merged on the spot. Not measured.
pub(crate) const SHORT_LISTS: i64 = 32;

/// Fewer vertices than this are summed by one thread. Not measured.
pub(crate) const FEW_SUMS: usize = 1 << 13;

/// Vertices per block: enough to cover a miss of all caches (some 100 ns), few enough to stay in the first cache.
/// Not measured.
pub(crate) const FETCH_BLOCK: usize = 32;

/// Edges per batch: the gathered positions stay in the nearest cache. Not measured.
pub(crate) const BATCH: i64 = 128;

/// How many vertices ahead the list of a vertex is asked for. Not measured.
pub(crate) const LISTS_AHEAD: i64 = 32;

/// The least number of members whose degrees are added up for an estimate. Not measured.
pub(crate) const DEGREE_SAMPLE: usize = 1 << 8;

/// A map with fewer than one member among so many vertices is sparse. Not measured.
pub(crate) const SPARSE_MAP: usize = 32;

/// Edges that are worth a member of the team. To push along 512 edges takes 3 to 5 us. An empty task for two members
/// took 0.5 us while the other was awake and 65 us when it slept, on two cores that others used as well
/// (`team::tests::what_a_task_costs`); for more members not measured.
pub(crate) const MEMBER_EDGES: usize = 1 << 9;

/// Vertices that are worth a member of the team: 2 to 5 us of a function that touches a few entries. See
/// [`MEMBER_EDGES`].
pub(crate) const MEMBER_VERTICES: usize = 1 << 10;

/// Where two members share edges and write to the same entries, fewer edges than this are done alone: on two cores
/// atomics cost as much as the second core brings. Measured: `bench/lab/claims.md`.
pub(crate) const ALONE_ATOMIC: usize = 1 << 15;

/// Iterations of a `par_for` that are worth a member of the team: nobody knows how long one takes. Not measured.
pub(crate) const LOOP_ITERATIONS: usize = 8;

/// A team of at least this size carries out a pull and the vertex operator behind it in one pass. One or two threads
/// are bound by instructions, and a round of PageRank on `road:1000x1000` took 1.08 times as long in one pass; more
/// threads are bound by memory, of which one pass moves 43 instead of 75 bytes per vertex. Measured with one and two
/// threads only.
pub(crate) const JOINED_MEMBERS: usize = 4;

/// Runs on a graph from which on numbers by degree pay. On kron:20 with 2 threads they cost 0.8 s and save 0.6 s of ten
/// rounds of PageRank and 0.7 s of core numbers; searches gain less.
pub(crate) const RENUMBERS_FROM: u32 = 8;
