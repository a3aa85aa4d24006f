"""The compiled half of the package."""

from typing import Any, Callable, Optional

from ._scenario import Request

__version__: str

class CubefoldError(Exception):
    """What cubefold refuses, or a run that failed."""

class ScenarioError(CubefoldError):
    """What is wrong in a scenario, with its place."""

class Column:
    """An array of signed 64-bit integers, which numpy reads without a copy."""

    @property
    def __array_interface__(self) -> dict[str, Any]: ...

class Records:
    """Records of runs or placements."""

    @property
    def json(self) -> str: ...
    @property
    def parquet(self) -> bytes: ...
    @property
    def processes(self) -> dict[str, Column]: ...
    @property
    def provenance(self) -> Optional[str]: ...

class Evaluator:
    """The makespans of a scenario's program, one placement after another."""

    def __init__(self, request: Request) -> None: ...
    @property
    def processes(self) -> int: ...
    def evaluate(self, nodes: bytes, below: Optional[int]) -> Optional[int]: ...

_Progress = Optional[Callable[[int, int], object]]

def run(
    request: Request, processes: bool, compared: bool, reference: Optional[str], progress: _Progress
) -> Records: ...
def measure(request: Request, progress: _Progress) -> Records: ...
def place(request: Request, embedding: Optional[str]) -> Column: ...
def nodes(request: Request) -> tuple[int, Column]: ...
def search(
    request: Request,
    objective: str,
    evaluations: Optional[int],
    seed: Optional[int],
    starts: list[str],
    progress: _Progress,
) -> tuple[str, Column]: ...
def call(command: list[str], request: Request, options: list[str], names: list[tuple[str, str]]) -> None: ...
def json_of_toml(text: str) -> str: ...
