"""A line, or in notebooks a bar, with the share of the work that is done."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, Union

Progress = Union[bool, Callable[[int, int], object], None]


@contextmanager
def shown(progress: Progress) -> Iterator[Optional[Callable[[int, int], object]]]:
    """The function that is to be called with what is done and all that there is to do, if any."""
    in_notebook = _is_notebook()
    if callable(progress):
        yield progress
    elif progress is False or (progress is None and not in_notebook):
        yield None
    elif in_notebook:
        yield from _bar()
    else:
        yield _line
        print("\r\x1b[2K" if sys.stderr.isatty() else "", end="" if sys.stderr.isatty() else "\n", file=sys.stderr)


def _is_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def _line(done: int, total: int) -> None:
    print(f"\rcubefold: {_percent(done, total)}", end="", file=sys.stderr, flush=True)


def _percent(done: int, total: int) -> str:
    return f"{min(done / total, 1):4.0%}"


def _bar() -> Iterator[Callable[[int, int], object]]:
    """A bar in the output of the cell, which goes when the work is over."""
    from IPython.display import HTML, display

    handle: Any = None

    def show(done: int, total: int) -> None:
        nonlocal handle
        text = f'<progress value="{done}" max="{total}"></progress> {_percent(done, total)}'
        if handle is None:
            handle = display(HTML(text), display_id=True)
        else:
            handle.update(HTML(text))

    try:
        yield show
    finally:
        if handle is not None:
            handle.update(HTML(""))
