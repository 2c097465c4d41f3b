"""Types of this module; written by stubs.py."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

def leiden(adata: Any, resolution: float = 1, *, restrict_to: Any = None, random_state: Any = 0, key_added: str = 'leiden', adjacency: Any = None, directed: Any = None, use_weights: bool = True, n_iterations: int = -1, neighbors_key: Any = None, obsp: Any = None, copy: bool = False, **options: Any) -> Any: ...
def louvain(adata: Any, resolution: float = 1, *, restrict_to: Any = None, random_state: Any = 0, key_added: str = 'louvain', adjacency: Any = None, directed: Any = None, use_weights: bool = True, neighbors_key: Any = None, obsp: Any = None, copy: bool = False, **options: Any) -> Any: ...

def __getattr__(name: str) -> Any: ...
