"""Searches of a placement, and the makespans of one placement after another."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Mapping
from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _cubefold
from ._command import Command, Hosts, Picture, write_placement
from ._progress import Progress, shown
from ._scenario import Embedding, Nodes, Scenario, requested

# What results call the placement found.
_NAME = "search"


class Found:
    """The placement that a search found, its value, and a bound that no placement is below."""

    def __init__(self, row: dict[str, Any], nodes: npt.NDArray[np.int64], command: Command):
        self.row = row
        """All figures, as ``cubefold search --format json`` has them."""
        self.nodes = nodes
        """The coordinates of the node of every process, a row for each: an embedding for ``run`` and ``compare``."""
        self._command = command

    @property
    def value(self) -> int:
        """The value of the placement: cycles, where the objective is a time."""
        return int(self.row["found_value"])

    @property
    def bound(self) -> int:
        """A value that no placement is below."""
        return int(self.row["bound_value"])

    @property
    def is_proved(self) -> bool:
        """Whether no placement is better."""
        return bool(self.row["proved"])

    def write(
        self,
        output: "Union[str, os.PathLike[str]]",
        format: Optional[str] = None,
        *,
        hosts: Optional[Hosts] = None,
        coordinates: "Union[str, os.PathLike[str], None]" = None,
        slots_per_node: Optional[int] = None,
    ) -> None:
        """Writes the placement as a launcher or another tool reads it, as ``place`` does."""
        options = {"embedding": _NAME, "coordinates": coordinates, "slots_per_node": slots_per_node}
        write_placement(self._command, output, format, hosts, options)

    def draw(self, what: str = "placement", *, format: str = "svg", **options: Any) -> Picture:
        """A picture of the placement or its run, as ``cubefold.draw`` makes it."""
        return Picture(self._command, ["draw", what], {"embedding": _NAME, **options}, format)

    def __repr__(self) -> str:
        bound = "proved" if self.is_proved else f"no placement is below {self.bound}"
        return f"<cubefold.Found: {self.row['objective']} {self.value}, {bound}>"

    def _repr_html_(self) -> str:
        names = ["objective", "reference", "reference_value", "named", "named_value", "found_value", "gain_percent"]
        names += ["bound_value", "bound_source", "gap_percent", "evaluations", "proved"]
        cells = [(name, self.row[name]) for name in names]
        head = "".join(f"<th>{name}</th>" for name, _ in cells)
        body = "".join(f"<td>{html.escape(_shown(value))}</td>" for _, value in cells)
        return f"<table><tr>{head}</tr><tr>{body}</tr></table>"


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def search(
    scenario: Scenario,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    objective: str = "makespan",
    evaluations: Optional[int] = None,
    seed: Optional[int] = None,
    start: Union[str, Sequence[str]] = (),
    embeddings: Optional[Mapping[str, Embedding]] = None,
    threads: Optional[int] = None,
    memory_limit: Optional[int] = None,
    progress: Progress = None,
) -> Found:
    """Searches the placement with the smallest ``objective``, as ``cubefold search`` does.

    The objective is ``makespan``, ``predicted``, ``load``, ``hop-units`` or ``dilation``. The result depends on
    ``evaluations`` and ``seed`` only; by default a search takes about half a minute on two cores. ``start`` names
    embeddings to start from, those of your own included.
    """
    with requested(scenario, overrides, embeddings, threads, memory_limit) as (request, names):
        files = {name: file for file, name in names.items()}
        starts = [files.get(name, name) for name in ([start] if isinstance(start, str) else start)]
        with shown(progress) as callback:
            text, column = _cubefold.search(request, objective, evaluations, seed, starts, callback)
    row, nodes = json.loads(text), np.array(column)
    for key in ("reference", "named"):
        row[key] = names.get(row[key], row[key])
    found = {**(embeddings or {}), _NAME: nodes}
    return Found(row, nodes, Command(scenario, overrides, found, threads, memory_limit))


class Evaluator:
    """The makespans of a scenario's program on its machine, one placement after another.

    Its lists are made once, so that an evaluation costs what moves in it: for searches of your own. The embeddings of
    the scenario do not matter. An evaluator answers one thread at a time.
    """

    def __init__(
        self,
        scenario: Scenario,
        overrides: Optional[Mapping[str, Any]] = None,
        *,
        memory_limit: Optional[int] = None,
    ):
        with requested(scenario, overrides, memory_limit=memory_limit) as (request, _):
            self._engine = _cubefold.Evaluator(request)
            _, nodes = _cubefold.nodes(request)
        table = np.asarray(nodes)
        self._base: npt.NDArray[np.int64] = table.min(axis=0)
        self._shape: tuple[int, ...] = tuple((table.max(axis=0) + 1 - self._base).tolist())

    @property
    def processes(self) -> int:
        """The number of processes to place."""
        return self._engine.processes

    def evaluate(self, placement: Nodes, *, below: Optional[int] = None) -> Optional[int]:
        """The makespan in cycles of the processes on these nodes: coordinates, or numbers of nodes.

        With ``below`` it is ``None`` unless the makespan is below that: a run that takes longer ends as soon as this is
        known.
        """
        array = np.asarray(placement)
        if not np.issubdtype(array.dtype, np.integer):
            raise ValueError(f"a placement of {array.dtype}, expected whole numbers")
        if array.ndim == 2 and array.shape[1] == len(self._shape):
            places = tuple((array - self._base).T)
            # The first coordinate changes fastest.
            array = np.ravel_multi_index(places, self._shape, order="F")
        elif array.ndim != 1:
            raise ValueError(f"a placement of shape {array.shape}, expected a row for each process")
        if len(array) and (array.min() < 0 or array.max() >= 2**32):
            raise ValueError("a number of a node is below 0 or at least 2^32")
        return self._engine.evaluate(array.astype("<u4").tobytes(), below)
