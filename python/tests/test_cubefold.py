"""The package against the program and against what the model says."""

import csv
import io
import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow.parquet
import pytest

import cubefold

REPOSITORY = Path(__file__).resolve().parents[2]
SCENARIO = {
    "name": "first comparison",
    "machine": {"kind": "torus", "shape": [8, 8]},
    "program": {"kind": "cc-cube", "compute_cycles": 1},
    "mapping": {"embeddings": ["standard", "xor", "byweight"]},
}


def test_a_dict_and_a_file_give_the_numbers_of_the_program():
    results = cubefold.run(SCENARIO)
    assert [(row["embedding"], row["makespan_cycles"]) for row in results.rows] == [
        ("standard", 20),
        ("xor", 16),
        ("byweight", 24),
    ]
    path = REPOSITORY / "scenarios" / "stages.toml"
    from_file = cubefold.run(path)
    binary = os.environ.get("CUBEFOLD_BINARY")
    if binary:
        document = subprocess.run(
            [binary, "run", "--format", "json", str(path)], check=True, capture_output=True, cwd=REPOSITORY
        )
        assert from_file.rows == json.loads(document.stdout)["runs"]


def test_tables_have_signed_integers_and_doubles():
    results = cubefold.run(SCENARIO)
    frame = results.to_pandas()
    difference = frame.lower_bound_cycles - frame.makespan_cycles
    assert difference.tolist() == [-4, 0, -8]
    assert frame.totals_waiting_cycles.dtype == np.float64
    table = results.to_arrow()
    assert table.schema.field("makespan_cycles").type == "int64"
    assert polars.from_arrow(table)["makespan_cycles"].sum() == 60


def test_overrides_set_keys_of_dicts_and_files():
    small = cubefold.run(SCENARIO, {"machine.shape": [4, 4], "mapping.embeddings": ["xor"]})
    assert [row["machine"]["shape"] for row in small.rows] == [[4, 4]]
    path = REPOSITORY / "scenarios" / "first-comparison.toml"
    rows = cubefold.run(path, {"machine.hop_cycles": np.int64(3)}).rows
    assert {row["machine"]["hop_cycles"] for row in rows} == {3}
    # What is given is not changed.
    assert SCENARIO["machine"]["shape"] == [8, 8]


def test_errors_have_the_text_and_place_of_the_program(tmp_path):
    with pytest.raises(cubefold.ScenarioError, match="scenario.toml.*shape"):
        cubefold.run({**SCENARIO, "machine": {"kind": "torus", "shape": [8, 1]}})
    path = tmp_path / "wrong.toml"
    path.write_text('[machine]\nkind = "torrus"\nshape = [8]\n')
    with pytest.raises(cubefold.ScenarioError, match=r"wrong.toml:2:8: .*torrus"):
        cubefold.run(path)
    with pytest.raises(cubefold.ScenarioError, match="cannot be read"):
        cubefold.run(tmp_path / "none.toml")
    with pytest.raises(cubefold.CubefoldError, match="needs about"):
        cubefold.run(SCENARIO, memory_limit=10)


def test_placements_go_out_and_in_as_arrays():
    nodes = cubefold.place(SCENARIO, "xor")
    assert nodes.shape == (64, 2) and nodes.dtype == np.uint32
    numbers = nodes[:, 0].astype(int) + 8 * nodes[:, 1].astype(int)
    scenario = {**SCENARIO, "mapping": {"embeddings": ["xor"]}}
    own = {"coordinates": nodes, "numbers": numbers, "function": lambda processes: numbers[processes]}
    results = cubefold.run(scenario, embeddings=own)
    assert [row["embedding"] for row in results.rows] == ["xor", "coordinates", "numbers", "function"]
    assert {row["makespan_cycles"] for row in results.rows} == {16}
    assert results.to_pandas().embedding.tolist() == ["xor", "coordinates", "numbers", "function"]
    assert len(cubefold.measure(scenario, embeddings=own)) == 4


def test_comparisons_have_ratios_to_one_embedding():
    frame = cubefold.compare(SCENARIO)
    assert frame.ratio_to_reference.tolist() == [1.0, 0.8, 1.2]
    frame = cubefold.compare(SCENARIO, reference="xor")
    assert frame.ratio_to_reference.tolist() == [1.25, 1.0, 1.5]
    with pytest.raises(cubefold.CubefoldError, match="expected one of standard, xor, byweight"):
        cubefold.compare(SCENARIO, reference="none")


def test_rows_of_processes_are_columns():
    columns = cubefold.run(SCENARIO, processes=True).processes
    assert {len(values) for values in columns.values()} == {3 * 64 * 6}
    finish = columns["finish"].reshape(3, 64, 6)
    assert finish.max(axis=(1, 2)).tolist() == [20, 16, 24]


def test_task_graphs_run(tmp_path):
    (tmp_path / "a.goal").write_text("num_ranks 2\nrank 0 {\nsend 4b to 1\n}\nrank 1 {\nrecv 4b from 0\n}\n")
    scenario = {
        "machine": {"kind": "line", "shape": [2]},
        "program": {"kind": "goal", "file": str(tmp_path / "a.goal")},
    }
    assert cubefold.run(scenario).rows[0]["makespan_cycles"] == 4


LONG = {
    "machine": {"kind": "torus", "shape": [64, 64]},
    "program": {"kind": "cc-cube"},
    "execution": {"engine": "hop"},
    "mapping": {"embeddings": ["byweight"]},
    "sweep": {"program.compute_cycles": list(range(3000))},
}


def test_runs_release_the_interpreter_and_are_interrupted():
    ticks, seen = [], []

    def interrupt():
        for _ in range(5):
            ticks.append(time.monotonic())
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        cubefold.run(LONG, progress=lambda done, total: seen.append((done, total)))
    thread.join()
    assert len(ticks) == 5 and seen and seen[-1][0] < seen[-1][1] == 3000


def test_the_notebook_runs():
    import matplotlib

    matplotlib.use("Agg")
    notebook = json.loads((REPOSITORY / "docs" / "cubefold.ipynb").read_text())
    names = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "cubefold.ipynb", "exec"), names)
    assert len(names["frame"]) == 1000
    assert set(names["frame"].embedding) == {"standard", "xor", "gray", "byweight"}
