"""Commands of the program about a scenario: pictures, pages, and files of launchers and other tools."""

from __future__ import annotations

import copy
import html
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

from . import _cubefold
from ._scenario import Embedding, Scenario, requested

if TYPE_CHECKING:
    import pyarrow

Hosts = Union[Sequence[str], str, "os.PathLike[str]"]



class Command:
    """What a command reads, kept as it is now."""

    def __init__(
        self,
        scenario: Scenario,
        overrides: Optional[Mapping[str, Any]] = None,
        embeddings: Optional[Mapping[str, Embedding]] = None,
        threads: Optional[int] = None,
        memory_limit: Optional[int] = None,
    ):
        self._scenario = copy.deepcopy(scenario) if isinstance(scenario, Mapping) else scenario
        self._overrides = copy.deepcopy(overrides)
        self._embeddings = copy.deepcopy(embeddings)
        self._limits = (threads, memory_limit)

    def write(self, command: Sequence[str], output: "Union[str, os.PathLike[str]]", options: Mapping[str, Any]) -> None:
        """Executes the command, with its results in this file or folder, which it replaces."""
        line = [own for name, value in options.items() for own in _option(name, value)]
        line += ["--force", f"--output={os.fspath(output)}"]
        with requested(self._scenario, self._overrides, self._embeddings, *self._limits) as (request, names):
            _cubefold.call(list(command), request, line, list(names.items()))

    def read(self, command: Sequence[str], extension: str, options: Mapping[str, Any]) -> bytes:
        """The file that the command writes."""
        with tempfile.TemporaryDirectory(prefix="cubefold-") as folder:
            file = Path(folder) / f"written.{extension}"
            self.write(command, file, options)
            return file.read_bytes()


class TableCommand(Command):
    """A command that reads results, which it takes from a file with the name of their scenario."""

    def __init__(self, scenario: str, table: pyarrow.Table):
        self._name = "".join(letter if letter.isalnum() else "-" for letter in scenario)[:80] or "results"
        self._table = table

    def write(self, command: Sequence[str], output: "Union[str, os.PathLike[str]]", options: Mapping[str, Any]) -> None:
        import pyarrow.parquet

        with tempfile.TemporaryDirectory(prefix="cubefold-") as folder:
            file = Path(folder) / f"{self._name}.parquet"
            pyarrow.parquet.write_table(self._table, file, compression="none")
            Command(file).write(command, output, options)


def _option(name: str, value: Any) -> list[str]:
    """An option of the command line: a range is written ``0..31``, a list repeats the option."""
    option = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    if isinstance(value, range):
        if value.step != 1 or not value:
            raise ValueError(f"{name} is {value}, expected a range of numbers one after another")
        return [f"{option}={value.start}..{value.stop - 1}"]
    if isinstance(value, (list, tuple)):
        return [f"{option}={item}" for item in value]
    return [f"{option}={os.fspath(value) if isinstance(value, os.PathLike) else value}"]


class Picture:
    """A picture, which notebooks show.

    ``svg`` and ``png`` are its files, ``html`` that of an animation; ``save`` writes it in the format of the file's name.
    """

    def __init__(self, command: Command, words: Sequence[str], options: Mapping[str, Any], format: str):
        if list(words) == ["draw", "animation"] and options.get("cycle") is None:
            format = "html"
        self._command, self._words, self._options, self._format = command, list(words), dict(options), format
        self._files: dict[str, bytes] = {}
        self._file(format)

    def _file(self, format: str) -> bytes:
        if format not in self._files:
            self._files[format] = self._command.read(self._words, format, self._options)
        return self._files[format]

    @property
    def svg(self) -> str:
        """The picture as an SVG document."""
        return self._file("svg").decode()

    @property
    def png(self) -> bytes:
        """The picture as a PNG file."""
        return self._file("png")

    @property
    def html(self) -> str:
        """The page of an animation."""
        return self._file("html").decode()

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes the picture in the format of the file's name, such as ``links.png``."""
        self._command.write(self._words, path, self._options)

    def __repr__(self) -> str:
        return f"<cubefold.Picture: {' '.join(self._words[1:])}>"

    def _repr_svg_(self) -> Optional[str]:
        return self.svg if self._format == "svg" else None

    def _repr_png_(self) -> Optional[bytes]:
        return self.png if self._format == "png" else None

    def _repr_html_(self) -> Optional[str]:
        return _frame(self.html) if self._format == "html" else None


def _frame(page: str) -> str:
    """A page inside of another."""
    return f'<iframe srcdoc="{html.escape(page)}" width="100%" height="640" style="border: 0"></iframe>'


class Page:
    """A page with everything in it, which notebooks show in a frame. ``html`` is its text; ``save`` writes it."""

    def __init__(self, text: str):
        self.html = text

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes the page, which ends in ``.html`` as from the command line, or in no extension."""
        if Path(path).suffix.lower() not in ("", ".html", ".htm"):
            raise ValueError(f"a page is written as .html, not as {Path(path).suffix}")
        Path(path).write_text(self.html, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<cubefold.Page: {len(self.html)} letters>"

    def _repr_html_(self) -> str:
        return _frame(self.html)


def draw(
    scenario: Scenario,
    what: str,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    embeddings: Optional[Mapping[str, Embedding]] = None,
    format: str = "svg",
    threads: Optional[int] = None,
    memory_limit: Optional[int] = None,
    **options: Any,
) -> Picture:
    """One picture of a scenario, as ``cubefold draw`` draws it.

    ``what`` is the picture: ``space-time``, ``timeline``, ``placement``, ``links``, ``animation``, ``spectrum``,
    ``compare``, ``histogram``, ``goodput``, ``latency`` or ``scaling``. ``options`` are those of the command, such as
    ``embedding="xor"``, ``measure="busy-cycles"`` or ``cycles=range(0, 100)``. ``format`` is what notebooks show: ``svg``
    or ``png``; an animation without a ``cycle`` is a page.
    """
    if format not in ("svg", "png"):
        raise ValueError(f"format is {format!r}, expected svg or png")
    command = Command(scenario, overrides, embeddings, threads, memory_limit)
    return Picture(command, ["draw", what], options, format)


def report(
    scenario: Scenario,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    embeddings: Optional[Mapping[str, Embedding]] = None,
    threads: Optional[int] = None,
    memory_limit: Optional[int] = None,
) -> Page:
    """One page that shows a scenario's runs, as ``cubefold report`` writes it."""
    command = Command(scenario, overrides, embeddings, threads, memory_limit)
    return Page(command.read(["report"], "html", {}).decode())


def export(
    scenario: Scenario,
    output: "Union[str, os.PathLike[str]]",
    format: Optional[str] = None,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    embedding: Optional[str] = None,
    runtime: Optional[str] = None,
    memory_limit: Optional[int] = None,
) -> None:
    """Writes the program of a scenario in a format of another tool, as ``cubefold export`` does.

    ``format`` is by default that of the file's name; a format with a file for each process writes a folder.
    """
    options = {"format": format, "embedding": embedding, "runtime": runtime}
    Command(scenario, overrides, memory_limit=memory_limit).write(["export"], output, options)


def write_placement(
    command: Command,
    output: "Union[str, os.PathLike[str]]",
    format: Optional[str],
    hosts: Optional[Hosts],
    options: Mapping[str, Any],
) -> None:
    """Writes a placement; hosts are a file or their names."""
    options = {"format": format, **options}
    if hosts is None or isinstance(hosts, (str, os.PathLike)):
        command.write(["place"], output, {**options, "hosts": hosts})
        return
    with tempfile.TemporaryDirectory(prefix="cubefold-") as folder:
        file = Path(folder) / "hosts.txt"
        file.write_text("".join(f"{host}\n" for host in hosts), encoding="utf-8")
        command.write(["place"], output, {**options, "hosts": file})
