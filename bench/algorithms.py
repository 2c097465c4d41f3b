"""Standard programs beside igraph, NetworKit, NetworkX and SciPy: do they agree, and how long does each take?

    python bench/algorithms.py agree --gw GW --graphs FOLDER [--count 50] [--only scc msf] [--out FILE]
    python bench/algorithms.py speed --gw GW [--graphs FOLDER] [--out FILE]

`agree` runs every program on real graphs (Matrix Market files listed in FOLDER/INDEX.tsv) and compares the results with a library, or
with the definition written down in NumPy where no library has it. `speed` measures larger graphs in processor time on one thread, which
other work on the machine does not change much: for gw that of the whole process, reading and compiling included, beside it that less the
time of a program that does nothing with the same graph; for a library that of the call without building its graph; least of three. Needs igraph, networkx, networkit, scipy.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter

import igraph
import networkit
import networkx
import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg

warnings.filterwarnings("ignore", message="More than")

# Work of an exact all-pairs method, |V| times |E|, up to which it is compared.
ALL_PAIRS = 2e7


class Graph:
    """One graph: a file for gw, and the same edges as arrays."""

    def __init__(self, gw, spec, folder, name):
        self.file = os.path.join(folder, name + ".gwg")
        text = os.path.join(folder, name + ".wel")
        for target in (self.file, text):
            subprocess.run([gw, "graph", "convert", spec, target], check=True, capture_output=True)
        info = subprocess.run([gw, "graph", "info", self.file, "--json"], check=True, capture_output=True, text=True)
        info = json.loads(info.stdout)
        self.n = info["vertices"]
        rows = np.loadtxt(text, ndmin=2) if os.path.getsize(text) else np.zeros((0, 3))
        self.source, self.target = rows[:, 0].astype(int), rows[:, 1].astype(int)
        self.weight = rows[:, 2] if rows.shape[1] > 2 else np.ones(len(rows))
        self.m = len(rows)
        degree = np.bincount(self.source, minlength=self.n)
        self.hub = int(degree.argmax())
        self._igraph = {}

    def igraph(self, directed):
        if directed not in self._igraph:
            keep = slice(None) if directed else self.source < self.target
            pairs = np.column_stack([self.source[keep], self.target[keep]])
            graph = igraph.Graph(n=self.n, edges=pairs, directed=directed)
            graph.es["weight"] = self.weight[keep]
            self._igraph[directed] = graph
        return self._igraph[directed]

    def networkit(self, directed, weighted=False):
        keep = slice(None) if directed else self.source < self.target
        graph = networkit.Graph(self.n, weighted=weighted, directed=directed)
        for u, v, w in zip(self.source[keep], self.target[keep], self.weight[keep]):
            graph.addEdge(int(u), int(v), float(w)) if weighted else graph.addEdge(int(u), int(v))
        return graph

    def matrix(self):
        return sparse.csr_array((np.ones(self.m), (self.source, self.target)), shape=(self.n, self.n))


class Job:
    """What a comparison of one program needs."""

    def __init__(self, gw, folder, options=()):
        self.gw, self.folder, self.options = gw, folder, options

    def run(self, program, graph, args, results):
        """The results of a run, and its time without reading the graph in ms."""
        command = [self.gw, "run", program, graph.file, *map(str, args), "--json", *self.options]
        for name in results:
            command += ["--out", f"{name}={os.path.join(self.folder, name)}"]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {ran.stderr.strip()}")
        found = {name: np.loadtxt(os.path.join(self.folder, name), ndmin=1) for name in results}
        return found, json.loads(ran.stdout)["seconds"] * 1e3


def near(a, b, tolerance=1e-6):
    return len(a) == len(b) and bool(np.all(np.abs(a - b) <= tolerance * (1 + np.abs(b))))


def same_partition(a, b):
    """Two labellings that put the same vertices together."""
    pairs = len(set(zip(a, b)))
    return pairs == len(set(a)) == len(set(b))


# ---- one function per program: (job, graph) -> agrees, and what it was compared with -------------------------------------------------


def scc(job, g):
    found, _ = job.run("scc", g, [], ["component", "components"])
    right = g.igraph(True).connected_components(mode="strong")
    return same_partition(found["component"], right.membership) and found["components"][0] == len(right), "igraph"


def msf(job, g):
    found, _ = job.run("msf", g, [], ["one_end", "other_end", "length", "weight", "trees"])
    graph = g.igraph(False)
    tree = graph.spanning_tree(weights="weight", return_tree=False)
    held = found["one_end"] >= 0
    ends = np.column_stack([found["one_end"][held], found["other_end"][held]]).astype(int)
    pieces = igraph.Graph(n=g.n, edges=ends)
    spans = pieces.is_tree() or len(pieces.connected_components()) == g.n - len(ends) == found["trees"][0]
    spans = spans and same_partition(pieces.connected_components().membership, graph.connected_components().membership)
    return spans and near(found["weight"], [sum(graph.es[tree]["weight"])]), "igraph"


def ppr(job, g):
    found, _ = job.run("ppr", g, [g.hub, 300, 1e-10], ["rank"])
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(g.n))
    graph.add_edges_from(zip(g.source.tolist(), g.target.tolist()))
    right = networkx.pagerank(graph, personalization={g.hub: 1}, weight=None, tol=1e-12 / g.n, max_iter=1000)
    return np.abs(found["rank"] - np.array([right[v] for v in range(g.n)])).sum() < 1e-6, "NetworkX"


def hits(job, g):
    found, _ = job.run("hits", g, [2000, 1e-12], ["hub", "authority", "change"])
    graph = g.igraph(True)
    hub, authority = np.array(graph.hub_score(scale=False)), np.array(graph.authority_score(scale=False))
    # Where the two differ, several vectors have the greatest singular value, or the rounds ended early, as on meshes: one more round
    # must then change the hubs by no more than the last one did.
    for name, right in (("hub", hub), ("authority", authority)):
        if not np.abs(found[name] - right / right.sum()).sum() < 1e-4:
            matrix = g.matrix()
            back = matrix @ (matrix.T @ found["hub"])
            return np.abs(back / back.sum() - found["hub"]).sum() <= found["change"][0] + 1e-10, "equation"
    return True, "igraph"


def katz(job, g):
    found, _ = job.run("katz", g, [0, 500, 1e-12], ["centrality", "alpha"])
    matrix = sparse.eye_array(g.n, format="csc") - found["alpha"][0] * g.matrix().T.tocsc()
    right, code = sparse.linalg.gmres(matrix, np.ones(g.n), rtol=1e-12, maxiter=2000)
    return code == 0 and near(found["centrality"], right / np.linalg.norm(right), 1e-8), "SciPy"


def triangles(job, g):
    found, _ = job.run("triangles", g, [], ["triangles", "clustering", "transitivity", "total"])
    graph = g.igraph(False)
    local = np.array(graph.transitivity_local_undirected(mode="zero"))
    degree = np.array(graph.degree())
    agrees = near(found["clustering"], local, 1e-9)
    agrees = agrees and near(found["triangles"], np.rint(local * degree * (degree - 1) / 2), 0)
    whole = graph.transitivity_undirected(mode="zero")
    return agrees and near(found["transitivity"], [whole], 1e-9), "igraph"


def lcc(job, g):
    found, _ = job.run("lcc", g, [], ["clustering"])
    return near(found["clustering"], local_clustering(g), 1e-9), "definition (SciPy)"


def local_clustering(g):
    """Edges between neighbours, by products of matrices."""
    edges = g.matrix()
    either = ((edges + edges.T) > 0).astype(float)
    links = np.asarray(((either @ edges) * either).sum(axis=1)).ravel()
    around = np.asarray(either.sum(axis=1)).ravel()
    return np.divide(links, around * (around - 1), out=np.zeros(g.n), where=around > 1)


def cdlp(job, g):
    found, _ = job.run("cdlp", g, [10], ["label"])
    return near(found["label"], propagate(g, 10), 0), "definition (Python)"


def propagate(g, rounds):
    around = [[] for _ in range(g.n)]
    for u, v in zip(g.source.tolist(), g.target.tolist()):
        around[u].append(v)
        around[v].append(u)
    label = list(range(g.n))
    for _ in range(rounds):
        fresh = []
        for v in range(g.n):
            counts = Counter(label[u] for u in around[v])
            fresh.append(min(counts, key=lambda l: (-counts[l], l)) if counts else label[v])
        label = fresh
    return label


def spread_sources(g, count):
    count = min(count, g.n)
    return [i * g.n // count for i in range(count)]


def bc_all(job, g):
    exact = g.n * g.m < ALL_PAIRS
    count = g.n if exact else 16
    found, _ = job.run("bc-all", g, [count], ["centrality"])
    sources = None if exact else spread_sources(g, count)
    right = np.array(g.igraph(True).betweenness(sources=sources)) * (g.n / count)
    return near(found["centrality"], right, 1e-6), "igraph, exact" if exact else "igraph, 16 sources"


def sources_of(g):
    """How many sources, their vertices for igraph, and the name of the comparison."""
    exact = g.n * g.m < ALL_PAIRS
    count = g.n if exact else 16
    return count, None if exact else spread_sources(g, count), "igraph, exact" if exact else "igraph, 16 sources"


def bc_edges(job, g):
    count, sources, peer = sources_of(g)
    found, _ = job.run("bc-edges", g, [count], ["centrality"])
    right = np.array(g.igraph(True).edge_betweenness(sources=sources)) * (g.n / count)
    return near(found["centrality"], right, 1e-6), peer


def bc_weighted(job, g):
    count, sources, peer = sources_of(g)
    found, _ = job.run("bc-weighted", g, [count], ["centrality", "edge_centrality"])
    graph = g.igraph(True)
    vertices = np.array(graph.betweenness(sources=sources, weights="weight")) * (g.n / count)
    edges = np.array(graph.edge_betweenness(sources=sources, weights="weight")) * (g.n / count)
    return near(found["centrality"], vertices, 1e-6) and near(found["edge_centrality"], edges, 1e-6), peer


def maxflow(job, g):
    """From the vertex with the most edges to the one that is farthest away."""
    graph = g.igraph(True)
    hops = np.array(graph.distances(source=[g.hub], mode="out")[0])
    sink = int(np.where(np.isfinite(hops), hops, -1).argmax())
    if sink == g.hub:
        return None, ""
    found, _ = job.run("maxflow", g, [g.hub, sink], ["value", "flow", "source_side"])
    flow, side, value = found["flow"], found["source_side"].astype(bool), found["value"][0]
    gain = np.bincount(g.target, flow, g.n) - np.bincount(g.source, flow, g.n)
    gain[g.hub] += value
    gain[sink] -= value
    good = np.all(gain == 0) and np.all((0 <= flow) & (flow <= g.weight)) and side[g.hub] and not side[sink]
    cut = g.weight[side[g.source] & ~side[g.target]].sum()
    return bool(good) and cut == value == graph.maxflow_value(g.hub, sink, capacity="weight"), "igraph"


def pivot_hops(g):
    """Hops from the pivots (rows) to all vertices, and the number of pivots: all vertices where that is little work."""
    count = g.n if g.n * g.m < ALL_PAIRS else 16
    return np.array(g.igraph(True).distances(source=spread_sources(g, count), mode="out"), dtype=float), count


def kind_of(g, count):
    return "igraph, exact" if count == g.n else "igraph, 16 pivots"


def harmonic(job, g):
    hops, count = pivot_hops(g)
    found, _ = job.run("harmonic", g, [count], ["harmonic"])
    parts = np.divide(1.0, hops, out=np.zeros_like(hops), where=(hops > 0) & np.isfinite(hops))
    return near(found["harmonic"], parts.sum(axis=0) * (g.n / count), 1e-9), kind_of(g, count)


def closeness(job, g):
    hops, count = pivot_hops(g)
    found, _ = job.run("closeness", g, [count], ["closeness"])
    # Wasserman and Faust's form out of hops and counts.
    reached = np.isfinite(hops) & (hops > 0)
    others = np.full(g.n, count)
    others[spread_sources(g, count)] -= 1
    reach, total = reached.sum(axis=0), np.where(reached, hops, 0).sum(axis=0)
    right = np.divide(reach * reach, total * others, out=np.zeros(g.n), where=total > 0)
    return near(found["closeness"], right, 1e-9), kind_of(g, count)


def eccentricity(job, g):
    found, _ = job.run("eccentricity", g, [2**31 - 1], ["eccentricity", "diameter"])
    exact = g.n * g.m < ALL_PAIRS
    looked_at = list(range(g.n)) if exact else spread_sources(g, 100)
    right = np.array(g.igraph(False).eccentricity(looked_at))
    agrees = near(found["eccentricity"][looked_at], right, 0) and found["diameter"][0] == found["eccentricity"].max()
    return agrees, "igraph, all vertices" if exact else "igraph, 100 vertices"


def bipartite(job, g):
    found, _ = job.run("bipartite", g, [], ["bipartite", "side"])
    right = g.igraph(False).is_bipartite()
    side = found["side"]
    return bool(found["bipartite"][0]) == right and (not right or bool(np.all(side[g.source] != side[g.target]))), "igraph"


def topo(job, g):
    found, _ = job.run("topo", g, [], ["level", "acyclic"])
    graph = g.igraph(True)
    if bool(found["acyclic"][0]) != graph.is_dag():
        return False, "igraph"
    level, waits = np.full(g.n, -1), np.bincount(g.target, minlength=g.n)
    turn, number = [v for v in range(g.n) if waits[v] == 0], 0
    while turn:
        freed = []
        for v in turn:
            level[v] = number
            for u in graph.successors(v):
                waits[u] -= 1
                if waits[u] == 0:
                    freed.append(u)
        turn, number = freed, number + 1
    return near(found["level"], level, 0), "igraph (is_dag), Kahn in Python"


def khop(job, g):
    found, _ = job.run("khop", g, [g.hub, 2], ["level", "reached"])
    right = g.igraph(True).neighborhood(g.hub, order=2, mode="out")
    return found["reached"][0] == len(right) and set(np.flatnonzero(found["level"] >= 0)) == set(right), "igraph"


def check_matching(g, mate, weighted):
    """A matching, and every edge has an end with a pair at least as heavy (of weight 1 where weights do not count)."""
    weight = dict(zip(zip(g.source.tolist(), g.target.tolist()), g.weight.tolist() if weighted else [1.0] * g.m))
    held = np.zeros(g.n)
    for v, u in enumerate(mate):
        if u >= 0:
            if (v, u) not in weight or mate[u] != v:
                return False
            held[v] = weight[v, u]
    value = g.weight if weighted else np.ones(g.m)
    free = mate < 0
    return bool(np.all((~free[g.source] & (held[g.source] >= value)) | (~free[g.target] & (held[g.target] >= value))))


def matching(job, g):
    found, _ = job.run("matching", g, [], ["mate", "pairs"])
    mate = found["mate"].astype(int)
    return check_matching(g, mate, False) and found["pairs"][0] * 2 == (mate >= 0).sum(), "definition (maximal)"


def matching_weighted(job, g):
    found, _ = job.run("matching-weighted", g, [], ["mate", "weight"])
    suitor = networkit.matching.SuitorMatcher(g.networkit(False, weighted=True), False)
    suitor.run()
    peer = suitor.getMatching().weight(g.networkit(False, weighted=True))
    # Equal weights let both methods choose; the sums then differ by a little.
    mate = found["mate"].astype(int)
    return check_matching(g, mate, True) and abs(found["weight"][0] - peer) <= 0.02 * peer, "NetworKit Suitor (2 %)"


def bridges(job, g):
    found, _ = job.run("bridges", g, [], ["bridge_to", "part", "bridges"])
    graph = g.igraph(False)
    right = graph.bridges()
    ends = {frozenset(graph.es[e].tuple) for e in right}
    held = {frozenset((v, int(u))) for v, u in enumerate(found["bridge_to"]) if u >= 0}
    rest = graph.copy()
    rest.delete_edges(right)
    return ends == held and same_partition(found["part"], rest.connected_components().membership), "igraph"


def biconnected(job, g):
    found, _ = job.run("biconnected", g, [], ["block", "cut", "blocks"])
    graph = g.igraph(False)
    parts = graph.biconnected_components()
    cut = {v for v, yes in enumerate(found["cut"]) if yes}
    return cut == set(graph.articulation_points()) and int(found["blocks"][0]) == len(parts), "igraph"


def similarity_edges(job, g):
    found, _ = job.run("similarity-edges", g, [], ["common", "jaccard", "overlap", "cosine"])
    edges = g.matrix()
    common = np.asarray(edges[g.source].multiply(edges[g.target]).sum(axis=1)).ravel()
    degree = np.asarray(edges.sum(axis=1)).ravel()
    one, other = degree[g.source], degree[g.target]
    divisors = {"jaccard": one + other - common, "overlap": np.minimum(one, other), "cosine": np.sqrt(one * other)}
    right = {name: np.divide(common, by, out=np.zeros(g.m), where=common > 0) for name, by in divisors.items()}
    return near(found["common"], common, 0) and all(near(found[name], right[name], 1e-9) for name in right), "SciPy"


def similarity(job, g):
    found, _ = job.run("similarity", g, [g.hub], ["common", "jaccard", "overlap", "cosine"])
    graph = g.igraph(True)
    right = np.array(graph.similarity_jaccard(pairs=[(g.hub, v) for v in range(g.n)], mode="out", loops=False))
    right[np.isnan(right)] = 0
    edges = g.matrix()
    common = edges @ edges[[g.hub], :].toarray().ravel()
    degree = np.asarray(edges.sum(axis=1)).ravel()
    cosine = np.divide(common, np.sqrt(degree * degree[g.hub]), out=np.zeros(g.n), where=common > 0)
    overlap = np.divide(common, np.minimum(degree, degree[g.hub]), out=np.zeros(g.n), where=common > 0)
    agrees = near(found["common"], common, 0) and near(found["cosine"], cosine, 1e-9) and near(found["overlap"], overlap, 1e-9)
    jaccard = np.where(common > 0, right, 0)
    return agrees and near(found["jaccard"], jaccard, 1e-9), "igraph, SciPy"


def ktruss(job, g):
    found, _ = job.run("ktruss", g, [], ["truss", "kmax"])
    graph = networkx.Graph()
    graph.add_nodes_from(range(g.n))
    graph.add_edges_from(zip(g.source.tolist(), g.target.tolist()))
    kmax = int(found["kmax"][0])
    if kmax != max(found["truss"], default=0):
        return False, "NetworkX"
    # The trusses of a small, a middle and the greatest k, and the next one, which is empty.
    for k in sorted({3, (kmax + 3) // 2, kmax, kmax + 1}):
        held = found["truss"] >= k
        ours = set(zip(g.source[held].tolist(), g.target[held].tolist()))
        theirs = networkx.k_truss(graph, k).edges
        if ours != {(u, v) for u, v in theirs} | {(v, u) for u, v in theirs}:
            return False, "NetworkX"
    return True, "NetworkX, four k"


# Program, mean modularity, that of each peer: a row per graph.
QUALITY = []


def quality_of(job, g, program, peers):
    """The mean modularity of three seeds must not be more than 2 % below the mean of three runs of each peer."""
    graph, ours = g.igraph(False), []
    if g.m == 0:
        return None, ""
    for seed in (1, 2, 3):
        found, _ = job.run(program, g, [seed], ["label", "modularity", "communities"])
        label = found["label"].astype(int)
        if not near(found["modularity"], [graph.modularity(label.tolist())], 1e-9) or len(set(label)) != found["communities"][0]:
            return False, "igraph's modularity"
        if program == "leiden":
            inner = np.flatnonzero(label[g.source] == label[g.target])
            pieces = igraph.Graph(n=g.n, edges=np.column_stack([g.source[inner], g.target[inner]])).connected_components()
            if not same_partition(label, pieces.membership):
                return False, "connected communities"
        ours.append(found["modularity"][0])
    theirs = {name: np.mean([peer(seed) for seed in (1, 2, 3)]) for name, peer in peers.items()}
    QUALITY.append((program, np.mean(ours), theirs))
    return all(np.mean(ours) >= 0.98 * value - 1e-9 for value in theirs.values()), ", ".join(theirs)


def of_networkit(g, algorithm):
    """The modularity of NetworKit's communities, for a seed."""
    graph = g.networkit(False)

    def value(seed):
        networkit.setSeed(seed, False)
        found = algorithm(graph)
        found.run()
        return networkit.community.Modularity().getQuality(found.getPartition(), graph)

    return value


def louvain(job, g):
    graph = g.igraph(False)
    return quality_of(job, g, "louvain", {
        "igraph multilevel": lambda seed: graph.community_multilevel().modularity,
        "NetworKit PLM": of_networkit(g, lambda graph: networkit.community.PLM(graph, True)),
    })  # fmt: skip


def leiden(job, g):
    graph = g.igraph(False)
    return quality_of(job, g, "leiden", {
        "igraph Leiden": lambda seed: graph.community_leiden(objective_function="modularity", n_iterations=2).modularity,
        "NetworKit Leiden": of_networkit(g, lambda graph: networkit.community.ParallelLeiden(graph)),
    })  # fmt: skip


def check_walks(g, walk, length):
    """Walks start at their vertices, follow edges and end where no edge leaves."""
    edges, degree = g.matrix(), np.bincount(g.source, minlength=g.n)
    here, there = walk[:, : length - 1].ravel(), walk[:, 1:length].ravel()
    steps = there >= 0
    good = bool(np.all(walk[:, 0] == np.arange(g.n))) and bool(np.all(walk[:, length:] == -1))
    good = good and bool(np.all(np.asarray(edges[here[steps], there[steps]]).ravel() == 1))
    return good and bool(np.all(degree[here[~steps & (here >= 0)]] == 0))


def walks(job, g):
    found, _ = job.run("walks", g, [20, 5], ["walk", "visits"])
    walk = found["walk"].astype(int)
    visits = np.bincount(walk[walk >= 0], minlength=g.n)
    return check_walks(g, walk, 20) and near(found["visits"], visits, 0), "definition"


def node2vec(job, g):
    found, _ = job.run("node2vec", g, [0.25, 4, 20, 5], ["walk"])
    walk = found["walk"].astype(int)
    if not check_walks(g, walk, 20):
        return False, "definition"
    # Over the third vertices of walks, about 2,000: the number of steps back must be as likely as their weights say, within five deviations.
    first, second, third = walk[:, 0], walk[:, 1], walk[:, 2]
    held = third >= 0
    lists, expected, variance = g.igraph(True).get_adjlist(mode="out"), 0.0, 0.0
    looked_at = np.flatnonzero(held)[:: max(1, int(held.sum()) // 2000)]
    for before, here in zip(first[looked_at], second[looked_at]):
        near_before = set(lists[before])
        weights = [4.0 if u == before else 1.0 if u in near_before else 0.25 for u in lists[here]]
        share = sum(w for u, w in zip(lists[here], weights) if u == before) / sum(weights)
        expected, variance = expected + share, variance + share * (1 - share)
    back = int((third[looked_at] == first[looked_at]).sum())
    return abs(back - expected) <= 5 * np.sqrt(variance) + 1e-6, "definition, expected steps back"


UNDIRECTED = [msf, triangles, eccentricity, bipartite, matching, matching_weighted, bridges, biconnected, ktruss, louvain, leiden]
DIRECTED = [scc, ppr, hits, katz, lcc, cdlp, bc_all, bc_edges, bc_weighted, maxflow, similarity_edges, closeness, harmonic, topo, khop, similarity, walks, node2vec]


def name_of(work):
    return work.__name__.replace("_", "-")


def selection(folder, count):
    """`count` graphs of the index with at most 60,000 edges, evenly over its classes."""
    with open(os.path.join(folder, "INDEX.tsv"), encoding="utf-8") as index:
        rows = [row for row in csv.DictReader(index, delimiter="\t") if int(row["edges"]) <= 60000]
    if len(rows) <= count:
        return rows
    return [rows[i * len(rows) // count] for i in range(count)]


def agree(options):
    tally, against, wrong = {}, {}, []
    jobs = [(work, kind) for kind, works in (("", DIRECTED), (":sym", UNDIRECTED)) for work in works]
    jobs = [(work, kind) for work, kind in jobs if not options.only or name_of(work) in options.only]
    for row in selection(options.graphs, options.count):
        with tempfile.TemporaryDirectory() as folder:
            job, loaded = Job(options.gw, folder, ["--threads", str(options.threads)]), {}
            path = os.path.join(options.graphs, row["file"])
            for work, kind in jobs:
                if kind not in loaded:
                    loaded[kind] = Graph(options.gw, f"{path}{kind}:weights=1..1000", folder, "g" + kind[1:])
                start = time.perf_counter()
                try:
                    agrees, peer = work(job, loaded[kind])
                except RuntimeError as error:
                    agrees, peer = False, str(error)
                if agrees is None:
                    continue
                counts = tally.setdefault(name_of(work), [0, 0])
                counts[0 if agrees else 1] += 1
                against.setdefault(name_of(work), Counter())[peer if agrees else "-"] += 1
                if not agrees:
                    wrong.append(f"{name_of(work)} {row['name']}: {peer}")
                taken = time.perf_counter() - start
                if taken > 20:
                    print(f"  {name_of(work)} on {row['name']} took {taken:.0f} s", file=sys.stderr)
        print(row["name"], "ok" if not wrong else wrong[-3:], file=sys.stderr, flush=True)
    lines = ["| program | graphs that agree | that differ | compared with |", "|---|---|---|---|"]
    for name in sorted(tally):
        good, bad = tally[name]
        peers = ", ".join(f"{peer} ({n})" for peer, n in against[name].most_common() if peer != "-")
        lines.append(f"| `{name}` | {good} | {bad} | {peers} |")
    for program in sorted({row[0] for row in QUALITY}):
        rows = [row for row in QUALITY if row[0] == program]
        for peer in rows[0][2]:
            ratios = [ours / theirs[peer] for _, ours, theirs in rows if theirs[peer] > 0.01]
            ahead = sum(ratio >= 1 for ratio in ratios)
            lines.append(f"\n{program} beside {peer}: modularity {np.mean(ratios):.4f} of it in the mean, at worst "
                         f"{min(ratios):.4f}, not below on {ahead} of {len(ratios)} graphs")
    lines.append("")
    lines += wrong
    write("\n".join(lines), options.out)
    return 1 if wrong else 0


# ---- speed ----------------------------------------------------------------------------------------------------------------------------


def least(work, runs=3):
    """The least processor time of some runs in ms, of one where one takes long."""
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        work()
        taken = (time.process_time() - start) * 1e3
        best = min(best, taken)
        if taken > 5000:
            break
    return best


def least_of_children(work, runs=3):
    """The same for a command that `work` runs."""
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    best = float("inf")
    for _ in range(runs):
        start = used()
        work()
        best = min(best, (used() - start) * 1e3)
    return best


def rows_of_speed():
    """Program, its arguments, the kind of graph, igraph's call, NetworKit's call (a function of its graph that returns a runnable)."""
    nk = networkit
    ran = lambda algorithm: algorithm.run()
    return [
        ("scc", [], "directed", lambda g: g.igraph(True).connected_components(mode="strong"),
         lambda g: ran(nk.components.StronglyConnectedComponents(g))),
        ("msf", [], "weighted", lambda g: g.igraph(False).spanning_tree(weights="weight", return_tree=False),
         lambda g: ran(nk.graph.KruskalMSF(g))),
        ("ppr", ["{hub}", 100, 1e-6], "directed", lambda g: g.igraph(True).personalized_pagerank(reset_vertices=[g.hub]), None),
        ("hits", [100, 1e-6], "directed", lambda g: g.igraph(True).hub_score(), None),
        ("katz", [0, 100, 1e-6], "directed", None, lambda g: ran(nk.centrality.KatzCentrality(g, 1e-4, 1.0, 1e-6))),
        ("triangles", [], "plain", lambda g: g.igraph(False).transitivity_local_undirected(mode="zero"),
         lambda g: ran(nk.centrality.LocalClusteringCoefficient(g, False))),
        ("lcc", [], "plain", lambda g: g.igraph(False).transitivity_local_undirected(mode="zero"),
         lambda g: ran(nk.centrality.LocalClusteringCoefficient(g, False))),
        ("cdlp", [10], "plain", lambda g: g.igraph(False).community_label_propagation(), lambda g: ran(nk.community.PLP(g))),
        ("louvain", [1], "plain", lambda g: g.igraph(False).community_multilevel(), lambda g: ran(nk.community.PLM(g, True))),
        ("leiden", [1], "plain", lambda g: g.igraph(False).community_leiden(objective_function="modularity", n_iterations=2),
         lambda g: ran(nk.community.ParallelLeiden(g))),
        ("ktruss", [], "plain", None, None),
        ("walks", [80, 1], "plain", lambda g: [g.igraph(False).random_walk(v, 79) for v in range(g.n)], None),
        ("harmonic", [1024], "plain", lambda g: g.igraph(False).distances(spread_sources(g, 1024)), None),
        ("bc-all", [16], "plain", lambda g: g.igraph(False).betweenness(sources=spread_sources(g, 16)), None),
        ("eccentricity", [2**31 - 1], "plain", None,
         lambda g: ran(nk.distance.Diameter(g, nk.distance.DiameterAlgo.EXACT))),
        ("bipartite", [], "plain", lambda g: g.igraph(False).is_bipartite(), None),
        ("khop", ["{hub}", 3], "plain", lambda g: g.igraph(False).neighborhood_size(g.hub, order=3), None),
        ("matching", [], "plain", None, None),
        ("matching-weighted", [], "weighted", None, lambda g: ran(nk.matching.SuitorMatcher(g, False))),
        ("bridges", [], "plain", lambda g: g.igraph(False).bridges(), lambda g: ran(nk.components.BiconnectedComponents(g))),
        ("biconnected", [], "plain", lambda g: g.igraph(False).biconnected_components(),
         lambda g: ran(nk.components.BiconnectedComponents(g))),
        ("similarity", ["{hub}"], "plain",
         lambda g: g.igraph(False).similarity_jaccard(pairs=[(g.hub, v) for v in range(g.n)], loops=False), None),
    ]


# Reads its graph, and ends.
IDLE = """element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
func main()
    print edges.getEdges();
end
"""


def speed(options):
    networkit.setNumberOfThreads(1)
    lines = ["| graph | program | Graphwright ms | without start | igraph ms | NetworKit ms |", "|---|---|---|---|---|---|"]
    for spec in options.specs:
        with tempfile.TemporaryDirectory() as folder:
            job, loaded, peers, start = Job(options.gw, folder, ["--threads", "1"]), {}, {}, {}
            idle = os.path.join(folder, "idle.gt")
            write(IDLE, idle)
            suffix = {"plain": "", "weighted": ":weights=1..1000", "directed": ":directed" if spec.startswith("kron") else ""}
            for program, args, kind, of_igraph, of_networkit in rows_of_speed():
                if options.only and program not in options.only:
                    continue
                if kind not in loaded:
                    loaded[kind] = Graph(options.gw, spec + suffix[kind], folder, kind)
                    loaded[kind].igraph(kind == "directed")
                    peers[kind] = loaded[kind].networkit(kind == "directed", kind == "weighted")
                    start[kind] = least_of_children(lambda: job.run(idle, loaded[kind], [], []), 5)
                g = loaded[kind]
                words = [g.hub if word == "{hub}" else word for word in args]
                ours = least_of_children(lambda: job.run(program, g, words, []))
                cells = [f"{ours:.1f}", f"{ours - start[kind]:.1f}"]
                cells.append(f"{least(lambda: of_igraph(g)):.1f}" if of_igraph else "-")
                cells.append(f"{least(lambda: of_networkit(peers[kind])):.1f}" if of_networkit else "-")
                lines.append(f"| {spec} | `{program}` | {' | '.join(cells)} |")
                print(lines[-1], file=sys.stderr, flush=True)
    write("\n".join(lines), options.out)
    return 0


def write(text, place):
    if place:
        with open(place, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    else:
        print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, work in (("agree", agree), ("speed", speed)):
        command = commands.add_parser(name)
        command.set_defaults(work=work)
        command.add_argument("--gw", default="gw", help="the command to run")
        command.add_argument("--only", nargs="*", default=[], help="only these programs")
        command.add_argument("--out", help="the file to write the table to")
    commands.choices["agree"].add_argument("--graphs", required=True, help="folder with Matrix Market files and INDEX.tsv")
    commands.choices["agree"].add_argument("--count", type=int, default=50, help="number of graphs")
    commands.choices["agree"].add_argument("--threads", type=int, default=2, help="threads of every run")
    commands.choices["speed"].add_argument("--specs", nargs="*", default=["kron:16", "road:400x400"], help="graphs to measure on")
    options = parser.parse_args()
    return options.work(options)


if __name__ == "__main__":
    sys.exit(main())
