"""Types of the functions of the package; written by stubs.py."""

import os
from collections.abc import Iterable
from typing import Any, TypedDict, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Unpack

from ._graph import Graph
from ._result import Result

GraphLike = Graph | str | os.PathLike[str] | Any

class Options(TypedDict, total=False):
    """The options of every run."""

    device: str
    schedule: str | None
    verify: bool
    timeout: float | None
    threads: int
    trace: bool | None
    progress: bool | None

def programs() -> list[dict[str, Any]]: ...

class AstarResult(Result):
    """What `astar` gives."""

    distance: float
    dist: NDArray[np.float64]
    bound: NDArray[Any]
    too_long: bool

class BcResult(Result):
    """What `bc` gives."""

    dependency: NDArray[np.float64]
    level: NDArray[np.int32]

class BcAllResult(Result):
    """What `bc-all` gives."""

    centrality: NDArray[np.float64]

class BcEdgesResult(Result):
    """What `bc-edges` gives."""

    centrality: NDArray[np.float64]

class BcWeightedResult(Result):
    """What `bc-weighted` gives."""

    centrality: NDArray[np.float64]
    edge_centrality: NDArray[np.float64]
    too_long: bool
    too_short: bool

class BfsResult(Result):
    """What `bfs` gives."""

    parent: NDArray[np.int32]

class BfsLevelsResult(Result):
    """What `bfs-levels` gives."""

    level: NDArray[np.int32]
    depth: int

class BiconnectedResult(Result):
    """What `biconnected` gives."""

    block: NDArray[np.int32]
    cut: NDArray[np.bool_]
    blocks: int

class BipartiteResult(Result):
    """What `bipartite` gives."""

    bipartite: bool
    side: NDArray[np.int32]
    conflicts: int

class BridgesResult(Result):
    """What `bridges` gives."""

    bridge_to: NDArray[np.int32]
    bridges: int
    part: NDArray[np.int32]

class CcResult(Result):
    """What `cc` gives."""

    label: NDArray[np.int32]

class CcFastResult(Result):
    """What `cc-fast` gives."""

    label: NDArray[np.int32]

class CdlpResult(Result):
    """What `cdlp` gives."""

    label: NDArray[np.int32]
    changed: int

class CfResult(Result):
    """What `cf` gives."""

    latent: NDArray[np.float32]
    scale: float
    rmse_before: float
    rmse: float

class ClosenessResult(Result):
    """What `closeness` gives."""

    closeness: NDArray[np.float64]

class ColoringResult(Result):
    """What `coloring` gives."""

    color: NDArray[np.int32]

class ComponentsResult(Result):
    """What `cc-fast` gives."""

    label: NDArray[np.int32]

class EarliestArrivalResult(Result):
    """What `earliest-arrival` gives."""

    arrival: NDArray[Any]
    reached: int

class EccentricityResult(Result):
    """What `eccentricity` gives."""

    eccentricity: NDArray[np.int32]
    upper: NDArray[np.int32]
    diameter: int
    radius: int
    open: int
    searches: int

class EigenvectorResult(Result):
    """What `eigenvector` gives."""

    centrality: NDArray[np.float64]
    change: float

class FastrpResult(Result):
    """What `fastrp` gives."""

    embedding: NDArray[np.float32]

class HarmonicResult(Result):
    """What `harmonic` gives."""

    harmonic: NDArray[np.float64]

class HitsResult(Result):
    """What `hits` gives."""

    hub: NDArray[np.float64]
    authority: NDArray[np.float64]
    rounds: int
    change: float

class KShortestPathsResult(Result):
    """What `k-shortest-paths` gives."""

    found: int
    length: NDArray[Any]
    begin: NDArray[np.int32]
    path: NDArray[np.int32]
    too_long: bool

class KatzResult(Result):
    """What `katz` gives."""

    centrality: NDArray[np.float64]
    alpha: float
    rounds: int
    change: float

class KcoreResult(Result):
    """What `kcore` gives."""

    core: NDArray[np.int32]

class KcoreUnorderedResult(Result):
    """What `kcore-unordered` gives."""

    core: NDArray[np.int32]

class KhopResult(Result):
    """What `khop` gives."""

    level: NDArray[np.int32]
    reached: int

class KtrussResult(Result):
    """What `ktruss` gives."""

    truss: NDArray[np.int32]
    kmax: int

class LccResult(Result):
    """What `lcc` gives."""

    clustering: NDArray[np.float64]

class LeidenResult(Result):
    """What `leiden` gives."""

    label: NDArray[np.int32]
    communities: int
    modularity: float

class LouvainResult(Result):
    """What `louvain` gives."""

    label: NDArray[np.int32]
    communities: int
    modularity: float

class MatchingResult(Result):
    """What `matching` gives."""

    mate: NDArray[np.int32]
    pairs: int

class MatchingWeightedResult(Result):
    """What `matching-weighted` gives."""

    mate: NDArray[np.int32]
    pairs: int
    weight: float
    too_long: bool

class MaxflowResult(Result):
    """What `maxflow` gives."""

    value: float
    flow: NDArray[Any]
    source_side: NDArray[np.bool_]
    too_long: bool

class MisResult(Result):
    """What `mis` gives."""

    state: NDArray[np.int32]

class MsbfsResult(Result):
    """What `msbfs` gives."""

    hops: NDArray[np.int32]

class MsfResult(Result):
    """What `msf` gives."""

    one_end: NDArray[np.int32]
    other_end: NDArray[np.int32]
    length: NDArray[Any]
    weight: float
    trees: int
    too_long: bool

class Node2vecResult(Result):
    """What `node2vec` gives."""

    walk: NDArray[np.int32]
    draws: int

class PagerankResult(Result):
    """What `pagerank` gives."""

    rank: NDArray[np.float32]
    rounds: int
    change: float

class PagerankDeltaResult(Result):
    """What `pagerank-delta` gives."""

    rank: NDArray[np.float32]
    rounds: int

class PagerankDivResult(Result):
    """What `pagerank-div` gives."""

    rank: NDArray[np.float32]
    rounds: int
    change: float

class PagerankGsResult(Result):
    """What `pagerank-gs` gives."""

    rank: NDArray[np.float32]
    rounds: int
    change: float

class PprResult(Result):
    """What `ppr` gives."""

    rank: NDArray[np.float64]
    rounds: int
    change: float

class PpspResult(Result):
    """What `ppsp` gives."""

    distance: float
    dist: NDArray[np.float64]
    too_long: bool

class SccResult(Result):
    """What `scc` gives."""

    component: NDArray[np.int32]
    components: int

class SetcoverResult(Result):
    """What `setcover` gives."""

    chosen: NDArray[np.bool_]
    covered: NDArray[np.bool_]

class SimilarResult(Result):
    """What `similar` gives."""

    similar: NDArray[np.int32]
    jaccard: NDArray[np.float64]

class SimilarityResult(Result):
    """What `similarity` gives."""

    common: NDArray[np.int32]
    jaccard: NDArray[np.float64]
    overlap: NDArray[np.float64]
    cosine: NDArray[np.float64]

class SimilarityEdgesResult(Result):
    """What `similarity-edges` gives."""

    common: NDArray[np.int32]
    jaccard: NDArray[np.float64]
    overlap: NDArray[np.float64]
    cosine: NDArray[np.float64]

class SpmvResult(Result):
    """What `spmv` gives."""

    y: NDArray[np.float64]
    x: NDArray[np.float64]

class SsspResult(Result):
    """What `sssp` gives."""

    dist: NDArray[np.float64]
    negative_cycle: bool
    too_long: bool

class SsspDeltaResult(Result):
    """What `sssp-delta` gives."""

    dist: NDArray[np.float64]
    too_long: bool

class SsspRealResult(Result):
    """What `sssp-real` gives."""

    dist: NDArray[np.float64]
    negative_cycle: bool
    too_long: bool

class TcResult(Result):
    """What `tc` gives."""

    triangles: int

class TemporalReachResult(Result):
    """What `temporal-reach` gives."""

    reached: int

class TopoResult(Result):
    """What `topo` gives."""

    level: NDArray[np.int32]
    levels: int
    acyclic: bool

class TrianglesResult(Result):
    """What `triangles` gives."""

    triangles: NDArray[np.uint64]
    clustering: NDArray[np.float64]
    total: int
    average: float
    transitivity: float

class WalksResult(Result):
    """What `walks` gives."""

    walk: NDArray[np.int32]
    visits: NDArray[np.int32]

def astar(G: GraphLike, source: Any, target: Any, landmark: Any = None, *, delta: float | None = None, **options: Unpack[Options]) -> AstarResult: ...
def bc(G: GraphLike, source: Any, **options: Unpack[Options]) -> BcResult: ...
def bc_all(G: GraphLike, sources: Iterable[Any] | None = None, **options: Unpack[Options]) -> BcAllResult: ...
def bc_edges(G: GraphLike, sources: Iterable[Any] | None = None, **options: Unpack[Options]) -> BcEdgesResult: ...
def bc_weighted(G: GraphLike, sources: Iterable[Any] | None = None, **options: Unpack[Options]) -> BcWeightedResult: ...
def betweenness(G: GraphLike, k: int | None = None, *, normalized: bool = True, sources: Iterable[Any] | None = None, seed: int | None = None, weights: bool | None = False, **options: Unpack[Options]) -> NDArray[np.float64]: ...
@overload
def bfs(G: GraphLike, source: Any, **options: Unpack[Options]) -> BfsResult: ...
@overload
def bfs(G: GraphLike, *, sources: Iterable[Any], **options: Unpack[Options]) -> NDArray[np.int32]: ...
@overload
def bfs_levels(G: GraphLike, source: Any, **options: Unpack[Options]) -> BfsLevelsResult: ...
@overload
def bfs_levels(G: GraphLike, *, sources: Iterable[Any], **options: Unpack[Options]) -> NDArray[np.int32]: ...
def biconnected(G: GraphLike, **options: Unpack[Options]) -> BiconnectedResult: ...
def bipartite(G: GraphLike, **options: Unpack[Options]) -> BipartiteResult: ...
def bridges(G: GraphLike, **options: Unpack[Options]) -> BridgesResult: ...
def cc(G: GraphLike, **options: Unpack[Options]) -> CcResult: ...
def cc_fast(G: GraphLike, **options: Unpack[Options]) -> CcFastResult: ...
def cdlp(G: GraphLike, rounds: int = 10, **options: Unpack[Options]) -> CdlpResult: ...
def cf(G: GraphLike, rounds: int = 10, **options: Unpack[Options]) -> CfResult: ...
def closeness(G: GraphLike, pivots: int | None = None, *, weights: bool | None = False, **options: Unpack[Options]) -> ClosenessResult: ...
def coloring(G: GraphLike, **options: Unpack[Options]) -> ColoringResult: ...
def components(G: GraphLike, **options: Unpack[Options]) -> ComponentsResult: ...
def earliest_arrival(G: GraphLike, source: Any, *, since: Any = None, until: Any = None, duration: Any = 0, **options: Unpack[Options]) -> EarliestArrivalResult: ...
def eccentricity(G: GraphLike, searches: int = 2147483647, **options: Unpack[Options]) -> EccentricityResult: ...
def eigenvector(G: GraphLike, rounds: int = 100, tolerance: float = 1e-06, *, weights: bool | None = False, **options: Unpack[Options]) -> EigenvectorResult: ...
def fastrp(G: GraphLike, rounds: int = 3, seed: int = 1, **options: Unpack[Options]) -> FastrpResult: ...
def harmonic(G: GraphLike, pivots: int | None = None, *, weights: bool | None = False, **options: Unpack[Options]) -> HarmonicResult: ...
def hits(G: GraphLike, rounds: int = 100, tolerance: float = 1e-06, *, weights: bool | None = None, **options: Unpack[Options]) -> HitsResult: ...
def k_shortest_paths(G: GraphLike, source: Any, target: Any, count: int = 3, **options: Unpack[Options]) -> KShortestPathsResult: ...
def katz(G: GraphLike, alpha: float = 0.0, rounds: int = 100, tolerance: float = 1e-06, *, weights: bool | None = False, **options: Unpack[Options]) -> KatzResult: ...
def kcore(G: GraphLike, **options: Unpack[Options]) -> KcoreResult: ...
def kcore_unordered(G: GraphLike, **options: Unpack[Options]) -> KcoreUnorderedResult: ...
def khop(G: GraphLike, source: Any, hops: int, **options: Unpack[Options]) -> KhopResult: ...
def ktruss(G: GraphLike, k: int | None = 0, **options: Unpack[Options]) -> KtrussResult: ...
def lcc(G: GraphLike, **options: Unpack[Options]) -> LccResult: ...
def leiden(G: GraphLike, seed: int = 1, *, resolution: float = 1.0, start: Any = None, **options: Unpack[Options]) -> LeidenResult: ...
def louvain(G: GraphLike, seed: int = 1, *, resolution: float = 1.0, start: Any = None, **options: Unpack[Options]) -> LouvainResult: ...
def matching(G: GraphLike, **options: Unpack[Options]) -> MatchingResult: ...
def matching_weighted(G: GraphLike, **options: Unpack[Options]) -> MatchingWeightedResult: ...
def maxflow(G: GraphLike, source: Any, sink: Any, **options: Unpack[Options]) -> MaxflowResult: ...
def mis(G: GraphLike, **options: Unpack[Options]) -> MisResult: ...
def msbfs(G: GraphLike, pivots: int | None = 64, **options: Unpack[Options]) -> MsbfsResult: ...
def msf(G: GraphLike, **options: Unpack[Options]) -> MsfResult: ...
def node2vec(G: GraphLike, p: float = 1.0, q: float = 1.0, length: int = 80, seed: int = 1, **options: Unpack[Options]) -> Node2vecResult: ...
def pagerank(G: GraphLike, rounds: int = 100, tolerance: float = 1e-06, *, damping: float = 0.85, weights: bool | None = None, **options: Unpack[Options]) -> PagerankResult: ...
def pagerank_delta(G: GraphLike, tolerance: float = 1e-06, *, damping: float = 0.85, **options: Unpack[Options]) -> PagerankDeltaResult: ...
def pagerank_div(G: GraphLike, rounds: int = 100, tolerance: float = 1e-06, *, damping: float = 0.85, **options: Unpack[Options]) -> PagerankDivResult: ...
def pagerank_gs(G: GraphLike, tolerance: float = 1e-06, *, damping: float = 0.85, **options: Unpack[Options]) -> PagerankGsResult: ...
def ppr(G: GraphLike, source: Any, rounds: int = 100, tolerance: float = 1e-06, *, damping: float = 0.85, weights: bool | None = None, **options: Unpack[Options]) -> PprResult: ...
def ppsp(G: GraphLike, source: Any, target: Any, *, delta: float | None = None, **options: Unpack[Options]) -> PpspResult: ...
def scc(G: GraphLike, tail: int | None = None, **options: Unpack[Options]) -> SccResult: ...
def setcover(G: GraphLike, **options: Unpack[Options]) -> SetcoverResult: ...
def similar(G: GraphLike, entries: int = 10, **options: Unpack[Options]) -> SimilarResult: ...
def similarity(G: GraphLike, source: Any, **options: Unpack[Options]) -> SimilarityResult: ...
def similarity_edges(G: GraphLike, **options: Unpack[Options]) -> SimilarityEdgesResult: ...
def spmv(G: GraphLike, **options: Unpack[Options]) -> SpmvResult: ...
@overload
def sssp(G: GraphLike, source: Any, *, delta: float | None = None, **options: Unpack[Options]) -> SsspResult: ...
@overload
def sssp(G: GraphLike, *, sources: Iterable[Any], delta: float | None = None, **options: Unpack[Options]) -> NDArray[np.float64]: ...
def sssp_delta(G: GraphLike, source: Any = None, *, delta: float | None = None, **options: Unpack[Options]) -> SsspDeltaResult: ...
def sssp_real(G: GraphLike, source: Any = None, **options: Unpack[Options]) -> SsspRealResult: ...
def tc(G: GraphLike, **options: Unpack[Options]) -> TcResult: ...
def temporal_reach(G: GraphLike, source: Any, *, since: Any = None, until: Any = None, duration: Any = 0, **options: Unpack[Options]) -> TemporalReachResult: ...
def topo(G: GraphLike, **options: Unpack[Options]) -> TopoResult: ...
def triangles(G: GraphLike, **options: Unpack[Options]) -> TrianglesResult: ...
def walks(G: GraphLike, length: int = 80, seed: int = 1, **options: Unpack[Options]) -> WalksResult: ...
