"""The compiled part of the package; not for direct use."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__version__: str

class GraphwrightError(Exception): ...
class ProgramError(GraphwrightError): ...
class DeviceError(GraphwrightError): ...
class VerificationError(GraphwrightError): ...
class InternalError(GraphwrightError): ...

class NativeGraph:
    vertices: int
    edges: int
    is_symmetric: bool
    weight_kind: str
    least_weight: float | None
    bytes: int
    kept_programs: int
    @staticmethod
    def from_csr(
        indptr: NDArray[Any], indices: NDArray[Any], weights: NDArray[Any] | None = None, directed: bool | None = None
    ) -> NativeGraph: ...
    @staticmethod
    def from_edges(
        source: NDArray[np.uint32],
        target: NDArray[np.uint32],
        weights: NDArray[Any] | None,
        vertices: int,
        directed: bool,
        keep_loops: bool,
        parallel: str,
        columns: list[tuple[str, str, NDArray[Any], NDArray[np.uint32], list[str] | None]],
    ) -> NativeGraph: ...
    def with_vertex_columns(
        self, columns: list[tuple[str, str, NDArray[Any], NDArray[np.uint32], list[str] | None]], rows: NDArray[np.uint32]
    ) -> NativeGraph: ...
    def columns(self) -> tuple[list[str], list[str]]: ...
    @staticmethod
    def read(text: str) -> tuple[NativeGraph, NDArray[Any] | list[str] | None]: ...
    def write(self, path: str) -> None: ...
    def out_arrays(self) -> tuple[NDArray[Any], NDArray[np.uint32], NDArray[Any] | None]: ...
    def in_arrays(self) -> tuple[NDArray[Any], NDArray[np.uint32], NDArray[Any] | None]: ...
    def transposed(self) -> NativeGraph: ...
    def symmetrised(self) -> NativeGraph: ...
    def loops(self) -> int: ...
    def named(self, name: str) -> NativeGraph: ...
    def weighs_one(self) -> bool: ...
    def run(
        self,
        program: NativeProgram,
        arguments: list[tuple[str, str | NativeGraph]],
        inputs: dict[str, NDArray[np.float64]],
        device: str,
        schedule: str | None,
        timeout: float | None,
        threads: int,
        seed: int,
        trace: bool,
        verify: bool,
        tick: Callable[[float], None] | None,
    ) -> NativeOutcome: ...

class NativeDynamic:
    vertices: int
    edges: tuple[int, int]
    version: int
    bytes: int
    weight_kind: str
    def __init__(self, vertices: int, directed: bool, weights: str) -> None: ...
    @staticmethod
    def from_graph(graph: NativeGraph, directed: bool) -> NativeDynamic: ...
    def insert(
        self, source: NDArray[np.uint32], target: NDArray[np.uint32], weights: NDArray[Any] | None, on_repeat: str
    ) -> tuple[int, int, int]: ...
    def delete(self, source: NDArray[np.uint32], target: NDArray[np.uint32]) -> tuple[int, int, int]: ...
    def isolate(self, vertex: int) -> tuple[int, int, int]: ...
    def grow(self, vertices: int) -> None: ...
    def snapshot(self) -> NativeGraph: ...

class NativeFollower:
    def __init__(
        self,
        graph: NativeDynamic,
        program: NativeProgram,
        update: NativeProgram | None,
        arguments: list[str],
        device: str,
        threads: int,
        schedule: str | None,
    ) -> None: ...
    def update(
        self, timeout: float | None, verify: bool, tick: Callable[[float], None] | None
    ) -> tuple[NativeOutcome, str, NativeGraph]: ...

class NativeProgram:
    name: str
    text: str
    results: list[tuple[str, str, str, bool]] | None
    is_standard: bool
    edge_valued: list[str]
    @staticmethod
    def parse(name: str, text: str, folder: str | None = None) -> NativeProgram: ...
    @staticmethod
    def open(name: str, path: str) -> NativeProgram: ...
    @staticmethod
    def find(name: str) -> NativeProgram: ...

class NativeOutcome:
    names: list[tuple[str, str]]
    program: str
    machine: str
    schedule: str
    reasons: list[str]
    steps: int
    notes: list[str]
    printed: str
    times: dict[str, float | None]
    trace: list[tuple[str, str, int | None, int | None, int | None, str | None, float]]
    def get(self, name: str) -> Any: ...
    def path(self, target: int) -> tuple[int | float, list[int]] | None: ...
    def parents(self) -> NDArray[np.int32]: ...
    def paths(self) -> list[tuple[int | float, list[int]]]: ...
    def verify(self) -> None: ...

def arrow_stream(table: tuple[Any, ...]) -> Any: ...
def devices() -> list[tuple[str, str, str | None]]: ...
def standard_programs() -> list[dict[str, Any]]: ...
def number_integers(
    source: NDArray[np.int64], target: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.int64]]: ...
def number_texts(
    source: list[Any], target: list[Any]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], list[str]] | None: ...
def number_objects(objects: Iterable[Any], known: dict[Any, int]) -> NDArray[np.uint32]: ...
def walk_adjacency(
    nodes: dict[Any, int],
    adjacency: dict[Any, Any],
    weight: Any,
    default: float,
    parallel: bool,
    sum: bool,
    order: bool = False,
) -> tuple[NativeGraph, bool, NDArray[np.uint32] | None]: ...
def ordered_bfs(
    graph: NativeGraph, targets: NDArray[np.uint32] | None, sources: NDArray[np.uint32], depth: int | None
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint64]]: ...
def ordered_dijkstra(
    graph: NativeGraph,
    targets: NDArray[np.uint32] | None,
    sources: NDArray[np.uint32],
    target: int | None,
    cutoff: float | None,
    whole: bool,
) -> tuple[NDArray[np.uint32], NDArray[Any], NDArray[np.uint32]]: ...
def with_long_weights(graph: NativeGraph) -> NativeGraph: ...
def common_neighbours(
    graph: NativeGraph,
    sources: NDArray[np.uint32],
    targets: NDArray[np.uint32],
    values: NDArray[np.float64] | None,
) -> NDArray[np.float64]: ...
def squares(graph: NativeGraph) -> NDArray[np.int64]: ...
def propagate_labels(graph: NativeGraph, colors: NDArray[np.int32]) -> NDArray[np.uint32]: ...
def sweep(
    graph: NativeGraph,
    program: NativeProgram,
    sources: NDArray[np.uint32],
    output: str,
    form: str,
    arguments: list[tuple[str, str]],
    device: str,
    timeout: float | None,
    threads: int,
    tick: Callable[[float], None] | None,
) -> NDArray[Any]: ...
