"""Leiden's method for scanpy: the arguments of ``scanpy.tl.leiden``, and the same places in the AnnData.

>>> import scanpy as sc                                       # doctest: +SKIP
>>> import graphwright.scanpy as gws                          # doctest: +SKIP
>>> sc.pp.neighbors(adata)                                    # doctest: +SKIP
>>> gws.leiden(adata, resolution=0.8, random_state=0)         # doctest: +SKIP
>>> adata.obs["leiden"]                                       # doctest: +SKIP
"""

from __future__ import annotations

import re
import warnings

import numpy as np

from .cluster import by_size, find

__all__ = ["leiden", "louvain"]


def leiden(
    adata, resolution: float = 1, *, restrict_to=None, random_state=0, key_added: str = "leiden", adjacency=None, directed=None,
    use_weights: bool = True, n_iterations: int = -1, neighbors_key=None, obsp=None, copy: bool = False, **options,
):  # fmt: skip
    """Clusters cells into communities of their graph of neighbours, as ``scanpy.tl.leiden`` does; the groups go to
    ``adata.obs[key_added]``, the parameters and the modularity to ``adata.uns[key_added]``.

    The graph is taken as undirected: weights of the two directions of an edge are added up, as ``directed=False`` does in scanpy;
    ``directed=True`` is refused. The method goes on until passes gain next to nothing; a number of ``n_iterations`` is no limit here,
    which a warning says. ``partition_type`` and ``flavor`` have no meaning here and are refused. ``options`` are those of
    every run: ``device``, ``threads``, ``timeout``. One seed gives the same groups on every machine."""
    given = {"restrict_to": restrict_to, "random_state": random_state, "key_added": key_added, "adjacency": adjacency}
    given |= {"directed": directed, "use_weights": use_weights, "n_iterations": n_iterations, "neighbors_key": neighbors_key}
    return _cluster("leiden", adata, resolution, obsp=obsp, copy=copy, options=options, **given)


def louvain(
    adata, resolution: float = 1, *, restrict_to=None, random_state=0, key_added: str = "louvain", adjacency=None, directed=None,
    use_weights: bool = True, neighbors_key=None, obsp=None, copy: bool = False, **options,
):  # fmt: skip
    """As :func:`leiden`, by Louvain's method."""
    given = {"restrict_to": restrict_to, "random_state": random_state, "key_added": key_added, "adjacency": adjacency}
    given |= {"directed": directed, "use_weights": use_weights, "n_iterations": -1, "neighbors_key": neighbors_key}
    return _cluster("louvain", adata, resolution, obsp=obsp, copy=copy, options=options, **given)


def _cluster(
    method, adata, resolution, *, restrict_to, random_state, key_added, adjacency, directed, use_weights, n_iterations, neighbors_key,
    obsp, copy, options,
):  # fmt: skip
    import pandas

    if directed:
        raise ValueError("directed=True: communities are those of the undirected graph here")
    for name in ("flavor", "partition_type"):
        if options.pop(name, None) is not None:
            raise TypeError(f"{name}= has no meaning here: leave it out")
    if n_iterations is not None and n_iterations >= 0:
        warnings.warn(f"n_iterations={n_iterations} is no limit here: passes go on while they gain", stacklevel=3)
    adata = adata.copy() if copy else adata
    matrix = _graph_of(adata, obsp, neighbors_key) if adjacency is None else adjacency
    inside = None
    if restrict_to is not None:
        key, categories = restrict_to
        known = adata.obs[key].cat.categories
        wrong = [name for name in categories if not isinstance(name, str) or name not in known]
        if wrong:
            raise ValueError(f"restrict_to: {wrong[0]!r} is no category of {key!r}; categories are texts")
        inside = adata.obs[key].isin(categories).to_numpy()
        matrix = matrix[inside, :][:, inside]
    matrix = matrix.tocsr()
    if not use_weights:
        matrix = matrix.astype(bool).astype(np.int32)
    result = find(matrix, method, 1 if resolution is None else resolution, random_state, **options)
    groups = by_size(result.label).astype("U")
    if inside is not None:
        if key_added == method:
            key_added += "_R"
        everyone = adata.obs[key].astype("U").to_numpy().astype(object)
        everyone[inside] = [f"{'-'.join(categories)},{group}" for group in groups]
        groups = everyone.astype("U")
    adata.obs[key_added] = pandas.Categorical(groups, categories=sorted(set(groups.tolist()), key=_natural))
    told = {"resolution": resolution, "random_state": random_state, "n_iterations": n_iterations}
    adata.uns[key_added] = {"params": told, "modularity": float(result.modularity)}
    return adata if copy else None


def _graph_of(adata, obsp, neighbors_key):
    """The graph of neighbours that scanpy would take."""
    if obsp is not None:
        if neighbors_key is not None:
            raise ValueError("obsp and neighbors_key are both given")
        return adata.obsp[obsp]
    key = neighbors_key or "neighbors"
    if key not in adata.uns:
        raise ValueError("there is no graph of neighbours: call scanpy.pp.neighbors first")
    return adata.obsp[adata.uns[key].get("connectivities_key", "connectivities")]


def _natural(text: str):
    """Numbers within texts by their value: 2 before 10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]
