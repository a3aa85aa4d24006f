"""What the tests share: a scenario, the repository, and the program to compare with."""

import os
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def scenario():
    """Three embeddings whose makespans are known: 20, 16 and 24 cycles."""
    return {
        "name": "first comparison",
        "machine": {"kind": "torus", "shape": [8, 8]},
        "program": {"kind": "cc-cube", "compute_cycles": 1},
        "mapping": {"embeddings": ["standard", "xor", "byweight"]},
    }


@pytest.fixture(scope="session")
def scenarios():
    """The folder with the scenarios of the repository."""
    return REPOSITORY / "scenarios"


@pytest.fixture(scope="session")
def program():
    """Runs the program ``CUBEFOLD_BINARY``, and returns what came of it."""
    binary = os.environ.get("CUBEFOLD_BINARY")
    if not binary:
        pytest.skip("CUBEFOLD_BINARY names no program to compare with")

    def run(*arguments):
        return subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True)

    return run
