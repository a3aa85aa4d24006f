"""Scenarios and embeddings of Python as the compiled half takes them."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _cubefold
from ._cubefold import CubefoldError, ScenarioError

Scenario = Union[Mapping[str, Any], str, "os.PathLike[str]"]
Nodes = Union[npt.NDArray[np.integer[Any]], Sequence[Any]]
Embedding = Union[Nodes, Callable[[npt.NDArray[np.int64]], Nodes]]

# What errors call a scenario that is in no file.
_NAME = "scenario"


@dataclasses.dataclass
class Request:
    """A scenario and what may be used for it."""

    path: str
    text: Optional[str]
    settings: list[str]
    threads: Optional[int] = None
    memory_limit: Optional[int] = None

    def __post_init__(self) -> None:
        _check("threads", self.threads, 1, _MAX_THREADS, "from 1 to 65535")
        _check("memory_limit", self.memory_limit, 0, sys.maxsize, "of bytes")


# As on the command line.
_MAX_THREADS = 65535


def _check(name: str, value: Any, least: int, most: int, expected: str) -> None:
    """Raises if a limit is no integer in its range."""
    if value is not None and not (isinstance(value, int) and least <= value <= most):
        raise ValueError(f"{name} is {value!r}, expected an integer {expected}")


@contextmanager
def requested(
    scenario: Scenario,
    overrides: Optional[Mapping[str, Any]] = None,
    embeddings: Optional[Mapping[str, Embedding]] = None,
    threads: Optional[int] = None,
    memory_limit: Optional[int] = None,
) -> Iterator[tuple[Request, dict[str, str]]]:
    """The request, and the names of embeddings of one's own by what results and errors call them.

    Those are files, which last as long as the request.
    """
    if isinstance(scenario, Mapping):
        path, text = _NAME, _document(scenario)
    else:
        path, text = os.fspath(scenario), None
    settings = [f"{key}={_toml(value, key)}" for key, value in (overrides or {}).items()]
    request = Request(path, text, settings, threads, memory_limit)
    if not embeddings:
        yield request, {}
        return
    with tempfile.TemporaryDirectory(prefix="cubefold-") as folder:
        files = {name: os.path.join(folder, f"{place}.npy") for place, name in enumerate(embeddings)}
        names = {f"file:{file}": name for name, file in files.items()}
        known = _named_embeddings(scenario, overrides)
        for name in embeddings:
            if name in known:
                raise ValueError(f"embedding {name!r} is one of the scenario's own, expected another name")
        for name, embedding in embeddings.items():
            np.save(files[name], _coordinates(name, embedding, request))
        request.settings.append(f"mapping.embeddings={_toml([*known, *names], 'mapping.embeddings')}")
        try:
            yield request, names
        except CubefoldError as error:
            text = str(error)
            for file, name in [*names.items(), *((file, name) for name, file in files.items())]:
                text = text.replace(file, name)
            raise type(error)(text) from None


def _named_embeddings(scenario: Scenario, overrides: Optional[Mapping[str, Any]]) -> list[Any]:
    """The embeddings that a scenario names."""
    key = "mapping.embeddings"
    if overrides and key in overrides:
        return list(overrides[key])
    tables: Any = scenario
    if not isinstance(scenario, Mapping):
        try:
            tables = json.loads(_cubefold.json_of_toml(Path(scenario).read_text(encoding="utf-8")))
        except (OSError, UnicodeError, CubefoldError):
            # What is wrong with the file is said when it is loaded.
            return []
    sweep = tables.get("sweep", {})
    if isinstance(sweep, Mapping) and any(key in part for part in (sweep, *sweep.get("cases", []))):
        raise ValueError(f"embeddings beside a sweep of {key}, expected the scenario's in {key} alone")
    mapping = tables.get("mapping", {})
    return list(mapping.get("embeddings", [])) if isinstance(mapping, Mapping) else []


def _coordinates(name: str, embedding: Embedding, request: Request) -> npt.NDArray[np.int64]:
    """The coordinates of the node of each process, as a file has them."""
    nodes: Optional[npt.NDArray[np.int64]] = None
    if callable(embedding):
        count, nodes = _nodes(name, request)
        embedding = embedding(np.arange(count))
    array = np.asarray(embedding)
    if not np.issubdtype(array.dtype, np.integer):
        raise CubefoldError(f"embedding {name!r} is an array of {array.dtype}, expected whole numbers")
    array = array.astype(np.int64)
    if array.ndim == 1:
        if nodes is None:
            _, nodes = _nodes(name, request)
        wrong = np.flatnonzero((array < 0) | (array >= len(nodes)))
        if len(wrong):
            process = wrong[0]
            raise CubefoldError(
                f"embedding {name!r} puts process {process} on node {array[process]}, "
                f"expected 0 to {len(nodes) - 1}"
            )
        array = nodes[array]
    return np.ascontiguousarray(array)


def _nodes(name: str, request: Request) -> tuple[int, npt.NDArray[np.int64]]:
    """The number of processes, and the coordinates of all nodes."""
    try:
        count, nodes = _cubefold.nodes(request)
    except ScenarioError:
        raise
    except CubefoldError as error:
        raise CubefoldError(f"embedding {name!r}: {error}") from None
    return count, np.asarray(nodes)


def _document(scenario: Mapping[str, Any]) -> str:
    """A scenario as TOML, a key a line."""
    lines, tables = [], []
    for key, value in scenario.items():
        if isinstance(value, Mapping):
            own = [f"{_key(name)} = {_toml(item, f'{key}.{name}')}" for name, item in value.items()]
            tables += ["", f"[{_key(key)}]", *own]
        else:
            lines.append(f"{_key(key)} = {_toml(value, key)}")
    return "\n".join([*lines, *tables, ""])


def _key(name: Any) -> str:
    text = str(name)
    is_bare = text.isascii() and text.replace("_", "a").replace("-", "a").isalnum()
    return text if is_bare else _toml(text, text)


def _toml(value: Any, path: str) -> str:
    """A value as TOML writes it; ``path`` is the key that has it."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else str(float(value))
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for one character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_toml(own, f'{path}.{key}')}" for key, own in value.items()) + "}"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(_toml(own, path) for own in value) + "]"
    expected = "expected a number, a string, a list or a dict" if value is not None else "expected a value or no key"
    raise ScenarioError(f"{_NAME}: {path} is {value!r}, {expected}")
