"""Types of this module; written by stubs.py."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

def devices() -> dict[str, str]: ...

def __getattr__(name: str) -> Any: ...
