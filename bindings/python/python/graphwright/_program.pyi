"""Types of this module; written by stubs.py."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ._result import Result

class Program:
    def __init__(self, text: str | None = None, *, path: Any = None, name: str = 'program', folder: Any = None) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str: ...
    def run(self, graph: Any, *, seed: int = 1, **arguments: Any) -> Result: ...


def __getattr__(name: str) -> Any: ...
