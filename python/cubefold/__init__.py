"""Places parallel programs on toruses and other machines, and simulates them to the cycle.

A scenario is a dict of the tables of a scenario file, or the path of one::

    import cubefold
    results = cubefold.run({
        "machine": {"kind": "torus", "shape": [8, 8]},
        "program": {"kind": "cc-cube", "compute_cycles": 1},
        "mapping": {"embeddings": ["standard", "xor"]},
    })
    results.to_pandas()[["embedding", "makespan_cycles"]]

Names of keys and columns are those of the program's documentation.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _cubefold
from ._cubefold import CubefoldError, ScenarioError, __version__

__all__ = ["CubefoldError", "Results", "ScenarioError", "compare", "measure", "place", "run", "__version__"]

Scenario = Union[Mapping[str, Any], str, "os.PathLike[str]"]
Embedding = Union[np.ndarray, Sequence[Any], Callable[[np.ndarray], Any]]


class Results:
    """Records of runs or placements: rows, and tables of other libraries."""

    def __init__(self, records: Any, names: Mapping[str, str]):
        self._records = records
        self._names = names
        self._rows: Optional[list[dict[str, Any]]] = None

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The records as JSON has them, one dict a run."""
        if self._rows is None:
            rows = json.loads(self._records.json)
            for row in rows:
                row["embedding"] = self._names.get(row["embedding"], row["embedding"])
            self._rows = rows
        return self._rows

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table`` with the columns of Parquet files."""
        import pyarrow
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(pyarrow.BufferReader(self._records.parquet))
        if self._names:
            place = table.schema.get_field_index("embedding")
            column = [self._names.get(name, name) for name in table["embedding"].to_pylist()]
            table = table.set_column(place, "embedding", pyarrow.array(column, pyarrow.string()))
        return table

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` with the columns of Parquet files."""
        return self.to_arrow().to_pandas()

    @property
    def processes(self) -> dict[str, np.ndarray]:
        """The rows of processes and stages as columns of integers, of ``run(..., processes=True)``.

        The column ``run`` is the place of the run; ``rank`` and ``share`` are -1 where there are none.
        """
        columns = self._records.processes()
        return {name: np.frombuffer(values, np.int64) for name, values in columns.items()}

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<cubefold.Results: {len(self)} rows>"

    def _repr_html_(self) -> str:
        try:
            return self.to_pandas()._repr_html_()
        except ImportError:
            return repr(self)


def run(
    scenario: Scenario,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    embeddings: Optional[Mapping[str, Embedding]] = None,
    processes: bool = False,
    threads: Optional[int] = None,
    memory_limit: Optional[int] = None,
    progress: Union[bool, Callable[[int, int], None], None] = None,
) -> Results:
    """Runs every run of a scenario.

    ``overrides`` sets keys by their paths, such as ``{"machine.shape": [4, 4]}``. ``embeddings`` adds embeddings of
    your own by name: coordinates or numbers of nodes, an array with a row for each process, or a function that makes it from
    the array of process numbers. ``progress`` is called with the runs that are over and all runs; ``True`` shows a
    line.
    """
    with _Text(scenario, overrides, embeddings) as text:
        callback = _show if progress is True else progress or None
        records = _cubefold.run(text.text, text.path, processes, threads, memory_limit, callback)
        if progress is True:
            print(file=sys.stderr)
        return Results(records, text.names)


def compare(
    scenario: Scenario,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    reference: Optional[str] = None,
    **options: Any,
) -> Any:
    """Runs a scenario and returns a ``pandas.DataFrame`` with ``ratio_to_reference``.

    The reference is the embedding of that name, else the first, of the same combination of everything else.
    """
    results = run(scenario, overrides, **options)
    frame = results.to_pandas()
    name = reference if reference is not None else frame["embedding"].iloc[0]
    if name not in set(frame["embedding"]):
        raise CubefoldError(f"reference {name!r}, expected one of {', '.join(dict.fromkeys(frame['embedding']))}")
    prefixes = ("machine_", "program_", "execution_")
    keys = ["scenario", "seed"] + [column for column in frame.columns if column.startswith(prefixes)]
    combination = frame[keys].astype(str).agg("\0".join, axis=1)
    base = dict(zip(combination[frame["embedding"] == name], frame["makespan_cycles"][frame["embedding"] == name]))
    frame["ratio_to_reference"] = frame["makespan_cycles"] / combination.map(base)
    return frame


def measure(
    scenario: Scenario,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    embeddings: Optional[Mapping[str, Embedding]] = None,
    threads: Optional[int] = None,
    memory_limit: Optional[int] = None,
) -> Results:
    """Measures dilation, congestion and load of every placement, without running anything."""
    with _Text(scenario, overrides, embeddings) as text:
        return Results(_cubefold.measure(text.text, text.path, threads, memory_limit), text.names)


def place(
    scenario: Scenario,
    embedding: Optional[str] = None,
    overrides: Optional[Mapping[str, Any]] = None,
) -> np.ndarray:
    """The coordinates of the node of every process: an array of unsigned integers with a row for each process."""
    with _Text(scenario, overrides, None) as text:
        values, dimensions = _cubefold.place(text.text, text.path, embedding)
        return np.frombuffer(values, np.uint32).reshape(-1, dimensions)


def _show(done: int, total: int) -> None:
    print(f"\rcubefold: {done} of {total} runs", end="", file=sys.stderr, flush=True)


class _Text:
    """A scenario as TOML, and the files of embeddings that it names while it is used."""

    def __init__(
        self,
        scenario: Scenario,
        overrides: Optional[Mapping[str, Any]],
        embeddings: Optional[Mapping[str, Embedding]],
    ):
        self.names: dict[str, str] = {}
        self._folder: Optional[tempfile.TemporaryDirectory[str]] = None
        if isinstance(scenario, Mapping):
            self.path, tables = os.path.join(os.getcwd(), "scenario.toml"), _plain(scenario)
            self.text = None
        else:
            self.path = os.fspath(scenario)
            try:
                self.text = Path(self.path).read_text(encoding="utf-8")
            except OSError as error:
                raise ScenarioError(f"{self.path}: scenario file cannot be read: {error.strerror}") from None
            if not overrides and not embeddings:
                return
            tables = json.loads(_cubefold.json_of_toml(self.text))
        for path, value in (overrides or {}).items():
            *names, last = path.split(".")
            table = tables
            for name in names:
                table = table.setdefault(name, {})
            table[last] = _plain(value)
        if embeddings:
            self._add_embeddings(tables, embeddings)
        self.text = _cubefold.toml_of_json(json.dumps(tables))

    def _add_embeddings(self, tables: dict[str, Any], embeddings: Mapping[str, Embedding]) -> None:
        machine = tables.get("machine", {})
        shape = machine.get("shape")
        if shape is None and "dimensions" in machine:
            shape = [2] * machine["dimensions"]
        self._folder = tempfile.TemporaryDirectory(prefix="cubefold-")
        mapping = tables.setdefault("mapping", {})
        known = mapping.setdefault("embeddings", [])
        for number, (name, embedding) in enumerate(embeddings.items()):
            nodes = int(np.prod(shape)) if shape is not None else 0
            array = np.asarray(embedding(np.arange(nodes)) if callable(embedding) else embedding)
            if array.ndim == 1:
                if shape is None:
                    raise CubefoldError(f"embedding {name!r} numbers nodes of a machine without machine.shape")
                # The first coordinate changes fastest.
                array = np.stack(np.unravel_index(array.astype(np.int64), shape, order="F"), axis=1)
            path = os.path.join(self._folder.name, f"{number}.npy")
            np.save(path, np.ascontiguousarray(array, np.int64))
            known.append(f"file:{path}")
            self.names[f"file:{path}"] = name

    def __enter__(self) -> "_Text":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def _plain(value: Any) -> Any:
    """The value with numbers and arrays of numpy as Python's own."""
    if isinstance(value, Mapping):
        return {key: _plain(own) for key, own in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(own) for own in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value
