import os
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt
import pandas
import pyarrow

__version__: str

Scenario = Union[Mapping[str, Any], str, os.PathLike[str]]
Embedding = Union[npt.NDArray[np.integer[Any]], Sequence[Any], Callable[[npt.NDArray[np.int64]], Any]]

class CubefoldError(Exception): ...
class ScenarioError(CubefoldError): ...

class Results:
    @property
    def rows(self) -> list[dict[str, Any]]: ...
    @property
    def processes(self) -> dict[str, npt.NDArray[np.int64]]: ...
    def to_arrow(self) -> pyarrow.Table: ...
    def to_pandas(self) -> pandas.DataFrame: ...
    def __len__(self) -> int: ...

def run(
    scenario: Scenario,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    embeddings: Optional[Mapping[str, Embedding]] = None,
    processes: bool = False,
    threads: Optional[int] = None,
    memory_limit: Optional[int] = None,
    progress: Union[bool, Callable[[int, int], None], None] = None,
) -> Results: ...
def compare(
    scenario: Scenario,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    reference: Optional[str] = None,
    embeddings: Optional[Mapping[str, Embedding]] = None,
    processes: bool = False,
    threads: Optional[int] = None,
    memory_limit: Optional[int] = None,
    progress: Union[bool, Callable[[int, int], None], None] = None,
) -> pandas.DataFrame: ...
def measure(
    scenario: Scenario,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    embeddings: Optional[Mapping[str, Embedding]] = None,
    threads: Optional[int] = None,
    memory_limit: Optional[int] = None,
) -> Results: ...
def place(
    scenario: Scenario,
    embedding: Optional[str] = None,
    overrides: Optional[Mapping[str, Any]] = None,
) -> npt.NDArray[np.uint32]: ...
