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
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _cubefold
from ._cubefold import CubefoldError, ScenarioError, __version__
from ._command import Command, Hosts, Page, Picture, TableCommand, draw, export, report, write_placement
from ._progress import Progress, shown
from ._search import Evaluator, Found, search
from ._scenario import Embedding, Nodes, Scenario, requested

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = [
    "CubefoldError",
    "Embedding",
    "Evaluator",
    "Found",
    "Hosts",
    "Nodes",
    "Page",
    "Picture",
    "Progress",
    "Results",
    "Scenario",
    "ScenarioError",
    "compare",
    "draw",
    "export",
    "measure",
    "place",
    "report",
    "run",
    "search",
    "__version__",
]


class Results:
    """Records of runs or placements, as rows and as tables of other libraries."""

    def __init__(self, records: _cubefold.Records, names: Mapping[str, str], command: Command):
        self._records = records
        self._names = names
        self._command = command
        self._rows: Optional[list[dict[str, Any]]] = None

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The records as JSON has them, one dict a run."""
        if self._rows is None:
            rows = json.loads(self._records.json)
            # Open-loop traffic is not placed.
            for row in rows:
                if "embedding" in row:
                    row["embedding"] = self._names.get(row["embedding"], row["embedding"])
            self._rows = rows
        return self._rows

    def to_arrow(self) -> pyarrow.Table:
        """The columns of Parquet files."""
        import pyarrow
        import pyarrow.parquet

        # A thread of Arrow that releases the bytes while Python ends aborts it.
        source = pyarrow.BufferReader(self._records.parquet)
        table = pyarrow.parquet.read_table(source, use_threads=False, pre_buffer=False)
        if self._names and len(table) > 0:
            place = table.schema.get_field_index("embedding")
            if place < 0:
                return table
            column = [self._names.get(name, name) for name in table["embedding"].to_pylist()]
            table = table.set_column(place, "embedding", pyarrow.array(column, pyarrow.string()))
        return table

    def to_pandas(self) -> pandas.DataFrame:
        """The columns of Parquet files."""
        return self.to_arrow().to_pandas()

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The steps of jobs, a dict for each run, iteration and step; ``run`` is the place in ``rows``."""
        return [{"run": run, **step} for run, row in enumerate(self.rows) for step in row.get("steps") or []]

    @property
    def pipelines(self) -> list[dict[str, Any]]:
        """The tasks of pipelines, a dict for each run, iteration, pipeline and kind of task."""
        found = []
        for run, row in enumerate(self.rows):
            for pipeline in row.get("pipelines") or []:
                own = {key: value for key, value in pipeline.items() if key != "tasks"}
                found += [{"run": run, **own, **task} for task in pipeline["tasks"]]
        return found

    @property
    def processes(self) -> dict[str, npt.NDArray[np.int64]]:
        """The rows of processes and stages as columns, of ``run(..., processes=True)``; else they are empty.

        The arrays are read-only. The column ``run`` is the place in ``rows``; ``iteration``, ``step`` (its place in
        the job), ``rank`` and ``share`` are -1 where there are none.
        """
        return {name: np.asarray(column) for name, column in self._records.processes.items()}

    @property
    def provenance(self) -> Optional[dict[str, Any]]:
        """The origin of the results of ``run`` and ``compare``, as JSON has it: version, command, digest and files."""
        text = self._records.provenance
        return None if text is None else json.loads(text)

    def draw(self, what: str = "compare", *, format: str = "svg", **options: Any) -> Picture:
        """A picture of the scenario of these results, as ``cubefold.draw`` makes it.

        ``goodput`` and ``scaling`` are drawn from the results themselves.
        """
        if what not in ("goodput", "scaling"):
            return Picture(self._command, ["draw", what], options, format)
        return Picture(TableCommand(self.rows[0]["scenario"], self.to_arrow()), ["draw", what], options, format)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<cubefold.Results: {len(self)} rows>"

    def _repr_html_(self) -> Optional[str]:
        try:
            return self.to_pandas()._repr_html_()  # type: ignore[operator, no-any-return]
        except ImportError:
            return None


def run(
    scenario: Scenario,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    embeddings: Optional[Mapping[str, Embedding]] = None,
    processes: bool = False,
    threads: Optional[int] = None,
    memory_limit: Optional[int] = None,
    progress: Progress = None,
) -> Results:
    """Runs every run of a scenario.

    ``overrides`` sets keys by their paths, such as ``{"machine.shape": [4, 4]}``. ``embeddings`` adds embeddings of
    your own by name: coordinates or numbers of nodes, an array with an entry for each process, or a function that makes
    it from the array of process numbers. ``progress`` is called with what is done and all that there is to do, in stages
    of processes; ``True`` shows it, ``None`` shows it in notebooks.
    """
    with requested(scenario, overrides, embeddings, threads, memory_limit) as (request, names):
        with shown(progress) as callback:
            records = _cubefold.run(request, processes, False, None, callback)
    return Results(records, names, Command(scenario, overrides, embeddings, threads, memory_limit))


def compare(
    scenario: Scenario,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    reference: Optional[str] = None,
    embeddings: Optional[Mapping[str, Embedding]] = None,
    processes: bool = False,
    threads: Optional[int] = None,
    memory_limit: Optional[int] = None,
    progress: Progress = None,
) -> Results:
    """Runs every run of a scenario as ``run`` does; rows have ``ratio_to_reference`` too.

    The reference is the embedding or algorithm of that name, else the first, of the same combination of everything
    else.
    """
    with requested(scenario, overrides, embeddings, threads, memory_limit) as (request, names):
        known = {name: file for file, name in names.items()}
        with shown(progress) as callback:
            reference = known.get(reference, reference) if reference is not None else None
            records = _cubefold.run(request, processes, True, reference, callback)
    return Results(records, names, Command(scenario, overrides, embeddings, threads, memory_limit))


def measure(
    scenario: Scenario,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    embeddings: Optional[Mapping[str, Embedding]] = None,
    threads: Optional[int] = None,
    memory_limit: Optional[int] = None,
    progress: Progress = None,
) -> Results:
    """Measures dilation, congestion and load of every placement, without running anything."""
    with requested(scenario, overrides, embeddings, threads, memory_limit) as (request, names):
        with shown(progress) as callback:
            records = _cubefold.measure(request, callback)
    return Results(records, names, Command(scenario, overrides, embeddings, threads, memory_limit))


def place(
    scenario: Scenario,
    embedding: Optional[str] = None,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    embeddings: Optional[Mapping[str, Embedding]] = None,
    output: "Union[str, os.PathLike[str], None]" = None,
    format: Optional[str] = None,
    hosts: Optional[Hosts] = None,
    coordinates: "Union[str, os.PathLike[str], None]" = None,
    slots_per_node: Optional[int] = None,
) -> npt.NDArray[np.int64]:
    """The coordinates of the node of every process, a row for each; ``embedding`` names one of several.

    With ``output`` the placement is also written to that file, as ``cubefold place`` does: ``format`` is by default
    that of the file's name, else a launcher's, such as ``open-mpi-rankfile``; ``hosts`` are the names of the hosts, or
    a file with them.
    """
    given = {"format": format, "hosts": hosts, "coordinates": coordinates, "slots_per_node": slots_per_node}
    alone = [name for name, value in given.items() if value is not None and output is None]
    if alone:
        raise ValueError(f"{alone[0]} is given without a file to write, expected output too")
    with requested(scenario, overrides, embeddings) as (request, names):
        files = {name: file for file, name in names.items()}
        nodes = np.array(_cubefold.place(request, files.get(embedding, embedding) if embedding is not None else None))
    if output is not None:
        options = {"embedding": embedding, "coordinates": coordinates, "slots_per_node": slots_per_node}
        write_placement(Command(scenario, overrides, embeddings), output, format, hosts, options)
    return nodes
