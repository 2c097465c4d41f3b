"""What ``import graphwright`` offers; the names are loaded when they are first used. Written by stubs.py."""

from . import cluster as cluster
from . import lab as lab
from . import scanpy as scanpy
from ._dynamic import DynamicGraph as DynamicGraph
from ._dynamic import Follower as Follower
from ._graph import Graph as Graph
from ._graph import read as read
from ._native import DeviceError as DeviceError
from ._native import GraphwrightError as GraphwrightError
from ._native import InternalError as InternalError
from ._native import ProgramError as ProgramError
from ._native import VerificationError as VerificationError
from ._native import __version__ as __version__
from ._options import devices as devices
from ._program import Program as Program
from ._result import Result as Result
from .algorithms import astar as astar
from .algorithms import bc as bc
from .algorithms import bc_all as bc_all
from .algorithms import bc_edges as bc_edges
from .algorithms import bc_weighted as bc_weighted
from .algorithms import betweenness as betweenness
from .algorithms import bfs as bfs
from .algorithms import bfs_levels as bfs_levels
from .algorithms import biconnected as biconnected
from .algorithms import bipartite as bipartite
from .algorithms import bridges as bridges
from .algorithms import cc as cc
from .algorithms import cc_fast as cc_fast
from .algorithms import cdlp as cdlp
from .algorithms import cf as cf
from .algorithms import closeness as closeness
from .algorithms import coloring as coloring
from .algorithms import components as components
from .algorithms import earliest_arrival as earliest_arrival
from .algorithms import eccentricity as eccentricity
from .algorithms import eigenvector as eigenvector
from .algorithms import fastrp as fastrp
from .algorithms import harmonic as harmonic
from .algorithms import hits as hits
from .algorithms import k_shortest_paths as k_shortest_paths
from .algorithms import katz as katz
from .algorithms import kcore as kcore
from .algorithms import kcore_unordered as kcore_unordered
from .algorithms import khop as khop
from .algorithms import ktruss as ktruss
from .algorithms import lcc as lcc
from .algorithms import leiden as leiden
from .algorithms import louvain as louvain
from .algorithms import matching as matching
from .algorithms import matching_weighted as matching_weighted
from .algorithms import maxflow as maxflow
from .algorithms import mis as mis
from .algorithms import msbfs as msbfs
from .algorithms import msf as msf
from .algorithms import node2vec as node2vec
from .algorithms import pagerank as pagerank
from .algorithms import pagerank_delta as pagerank_delta
from .algorithms import pagerank_div as pagerank_div
from .algorithms import pagerank_gs as pagerank_gs
from .algorithms import ppr as ppr
from .algorithms import ppsp as ppsp
from .algorithms import programs as programs
from .algorithms import scc as scc
from .algorithms import setcover as setcover
from .algorithms import similar as similar
from .algorithms import similarity as similarity
from .algorithms import similarity_edges as similarity_edges
from .algorithms import spmv as spmv
from .algorithms import sssp as sssp
from .algorithms import sssp_delta as sssp_delta
from .algorithms import sssp_real as sssp_real
from .algorithms import tc as tc
from .algorithms import temporal_reach as temporal_reach
from .algorithms import topo as topo
from .algorithms import triangles as triangles
from .algorithms import walks as walks
from .cluster import Leiden as Leiden
from .cluster import Louvain as Louvain

__all__ = [
    "DeviceError",
    "DynamicGraph",
    "Follower",
    "Graph",
    "GraphwrightError",
    "InternalError",
    "Leiden",
    "Louvain",
    "Program",
    "ProgramError",
    "Result",
    "VerificationError",
    "astar",
    "bc",
    "bc_all",
    "bc_edges",
    "bc_weighted",
    "betweenness",
    "bfs",
    "bfs_levels",
    "biconnected",
    "bipartite",
    "bridges",
    "cc",
    "cc_fast",
    "cdlp",
    "cf",
    "closeness",
    "cluster",
    "coloring",
    "components",
    "devices",
    "earliest_arrival",
    "eccentricity",
    "eigenvector",
    "fastrp",
    "harmonic",
    "hits",
    "k_shortest_paths",
    "katz",
    "kcore",
    "kcore_unordered",
    "khop",
    "ktruss",
    "lab",
    "lcc",
    "leiden",
    "louvain",
    "matching",
    "matching_weighted",
    "maxflow",
    "mis",
    "msbfs",
    "msf",
    "node2vec",
    "pagerank",
    "pagerank_delta",
    "pagerank_div",
    "pagerank_gs",
    "ppr",
    "ppsp",
    "programs",
    "read",
    "scanpy",
    "scc",
    "setcover",
    "similar",
    "similarity",
    "similarity_edges",
    "spmv",
    "sssp",
    "sssp_delta",
    "sssp_real",
    "tc",
    "temporal_reach",
    "topo",
    "triangles",
    "walks",
]
