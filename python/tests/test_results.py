"""Runs, results and placements, against the program and what the model says."""

import json

import numpy as np
import pandas
import polars
import pyarrow.parquet
import pytest

import cubefold

EMBEDDINGS = ["standard", "xor", "byweight"]


def test_rows_are_those_that_the_program_writes(program, scenarios):
    for name in ["first-comparison", "stages", "all-reduce", "task-graph"]:
        path = scenarios / f"{name}.toml"
        written = program("run", "--quiet", "--format", "json", path)
        assert written.returncode == 0, written.stderr
        assert cubefold.run(path).rows == json.loads(written.stdout)["runs"], name


def test_tables_are_the_files_that_the_program_writes(program, scenarios, tmp_path):
    for command, function in [("run", cubefold.run), ("measure", cubefold.measure), ("compare", cubefold.compare)]:
        file = tmp_path / f"{command}.parquet"
        path = scenarios / "first-comparison.toml"
        assert program(command, "--quiet", "--output", file, path).returncode == 0
        assert function(path).to_arrow().equals(pyarrow.parquet.read_table(file)), command


def test_columns_of_processes_are_those_that_the_program_writes(program, scenarios, tmp_path):
    for name in ["first-comparison", "all-reduce"]:
        file, path = tmp_path / f"{name}.csv", scenarios / f"{name}.toml"
        assert program("run", "--quiet", "--processes", file, path).returncode == 0
        written = pandas.read_csv(file)
        columns = cubefold.run(path, processes=True).processes
        assert [*columns] == [name for name in written.columns if name not in ("scenario", "embedding")]
        for column, values in columns.items():
            assert values.dtype == np.int64
            np.testing.assert_array_equal(values, written[column].fillna(-1), column)


def test_a_dict_has_the_makespans_of_the_paper(scenario):
    results = cubefold.run(scenario)
    assert [(row["embedding"], row["makespan_cycles"]) for row in results.rows] == [
        ("standard", 20),
        ("xor", 16),
        ("byweight", 24),
    ]
    assert len(results) == 3 and "3 rows" in repr(results)
    assert {row["scenario"] for row in results.rows} == {"first comparison"}


def test_a_dict_may_be_of_numpy_and_nested(scenario):
    scenario["machine"]["shape"] = np.array([8, 8])
    scenario["machine"]["hop_cycles"] = np.int32(2)
    scenario["sweep"] = {"cases": [{"program.compute_cycles": 3}, {"program.compute_cycles": np.int64(5)}]}
    rows = cubefold.run(scenario).rows
    assert [row["program"]["compute_cycles"] for row in rows] == [3, 3, 3, 5, 5, 5]
    assert {row["machine"]["hop_cycles"] for row in rows} == {2}


def test_tables_have_signed_integers_and_doubles(scenario):
    results = cubefold.run(scenario)
    frame = results.to_pandas()
    assert (frame.lower_bound_cycles - frame.makespan_cycles).tolist() == [-4, 0, -8]
    assert frame.totals_waiting_cycles.dtype == np.float64
    table = results.to_arrow()
    assert table.schema.field("makespan_cycles").type == "int64"
    assert polars.from_arrow(table)["makespan_cycles"].sum() == 60
    assert "makespan_cycles" in results._repr_html_()


def test_overrides_set_keys_of_dicts_and_files(scenario, scenarios):
    small = cubefold.run(scenario, {"machine.shape": [4, 4], "mapping.embeddings": ["xor"]})
    assert [row["machine"]["shape"] for row in small.rows] == [[4, 4]]
    path = scenarios / "first-comparison.toml"
    rows = cubefold.run(path, {"machine.hop_cycles": np.int64(3)}).rows
    assert {row["machine"]["hop_cycles"] for row in rows} == {3}
    swept = cubefold.run(scenario, {"sweep": {"machine.hop_cycles": range(1, 4)}})
    assert len(swept) == 9
    # A key that is set is swept no more, and what is given is not changed.
    assert len(cubefold.run({**scenario, "sweep": {"seed": [1, 2]}}, {"seed": 3})) == 3
    assert scenario["machine"]["shape"] == [8, 8]


def test_placements_go_out_and_in_as_arrays(scenario, program, tmp_path):
    nodes = cubefold.place(scenario, "xor")
    assert nodes.shape == (64, 2) and nodes.dtype == np.int64
    numbers = nodes[:, 0] + 8 * nodes[:, 1]
    own = {
        "coordinates": nodes,
        "numbers": numbers,
        "lists": nodes.tolist(),
        "function": lambda processes: numbers[processes],
        "function of coordinates": lambda processes: nodes.astype(np.uint8)[processes],
    }
    results = cubefold.run(scenario, {"mapping.embeddings": ["xor"]}, embeddings=own)
    names = ["xor", *own]
    assert [row["embedding"] for row in results.rows] == names
    assert results.to_pandas().embedding.tolist() == names
    assert {row["makespan_cycles"] for row in results.rows} == {16}
    measured = cubefold.measure(scenario, embeddings=own)
    assert [row["embedding"] for row in measured.rows] == EMBEDDINGS + [*own]
    # The placement of the program, and an array that may be changed and is another embedding then.
    file = tmp_path / "xor.npy"
    path = tmp_path / "s.toml"
    path.write_text('[machine]\nkind = "torus"\nshape = [8, 8]\n[mapping]\nembeddings = ["xor"]\n')
    assert program("place", "--format", "npy", "--output", file, path).returncode == 0
    np.testing.assert_array_equal(np.load(file), nodes)
    nodes[[0, 63]] = nodes[[63, 0]]
    swapped = cubefold.run(path, embeddings={"swapped": nodes}).rows
    assert [row["embedding"] for row in swapped] == ["xor", "swapped"]
    assert swapped[1]["makespan_cycles"] > 16


def test_embeddings_of_ones_own_in_partitions_and_with_several_processes_a_node():
    scenario = {
        "machine": {"kind": "torus", "shape": [8, 8], "partition": {"base": [2, 2], "shape": [4, 4]}},
        "program": {"kind": "cc-cube", "dimensions": 4},
        "mapping": {"embeddings": ["standard"]},
    }
    own = {"numbers": np.arange(16), "function": lambda processes: processes}
    makespans = {row["makespan_cycles"] for row in cubefold.run(scenario, embeddings=own).rows}
    assert len(makespans) == 1
    assert cubefold.place(scenario).min(axis=0).tolist() == [2, 2]
    fold = {"machine": {"kind": "ring", "shape": [4]}, "program": {"kind": "cc-cube", "dimensions": 3}}
    rows = cubefold.run(fold, embeddings={"folded": np.arange(8) // 2}).rows
    assert [row["processes"] for row in rows] == [8] and rows[0]["nodes"] == 4


def test_comparisons_have_ratios_to_an_embedding_or_an_algorithm(scenario):
    assert cubefold.compare(scenario).to_pandas().ratio_to_reference.tolist() == [1.0, 0.8, 1.2]
    frame = cubefold.compare(scenario, reference="xor").to_pandas()
    assert frame.ratio_to_reference.tolist() == [1.25, 1.0, 1.5]
    own = {"mine": np.arange(64)}
    mine = cubefold.compare(scenario, reference="mine", embeddings=own).to_pandas()
    assert mine.ratio_to_reference.tolist() == [1.0, 0.8, 1.2, 1.0]
    all_reduce = {
        "machine": {"kind": "torus", "shape": [4, 4]},
        "program": {"kind": "all-reduce", "algorithm": ["ring", "swing"], "units": 1},
    }
    rows = cubefold.compare(all_reduce).rows
    assert rows[0]["ratio_to_reference"] == 1 and rows[1]["ratio_to_reference"] < 1
    assert "ratio_to_reference" not in cubefold.run(scenario).to_pandas()


def test_rows_of_processes_are_columns_that_are_not_copied(scenario):
    results = cubefold.run(scenario, processes=True)
    columns = results.processes
    assert {len(values) for values in columns.values()} == {3 * 64 * 6}
    assert columns["finish"].reshape(3, 64, 6).max(axis=(1, 2)).tolist() == [20, 16, 24]
    assert columns["rank"].tolist() == [-1] * len(columns["rank"])
    # Twice the same memory; it outlives the results.
    assert columns["finish"].ctypes.data == results.processes["finish"].ctypes.data
    finish = columns["finish"]
    expected = finish.copy()
    del results, columns
    np.testing.assert_array_equal(finish, expected)
    assert {len(values) for values in cubefold.run(scenario).processes.values()} == {0}


def test_task_graphs_run(tmp_path, monkeypatch):
    (tmp_path / "a.goal").write_text("num_ranks 2\nrank 0 {\nsend 4b to 1\n}\nrank 1 {\nrecv 4b from 0\n}\n")
    scenario = {"machine": {"kind": "line", "shape": [2]}, "program": {"kind": "goal", "file": tmp_path / "a.goal"}}
    assert cubefold.run(scenario).rows[0]["makespan_cycles"] == 4
    # A file that a dict names is searched in the current folder.
    monkeypatch.chdir(tmp_path)
    scenario["program"]["file"] = "a.goal"
    assert cubefold.run(scenario).rows[0]["makespan_cycles"] == 4


def test_any_text_is_a_name(scenario):
    name = 'ä"\\\n\x7f\x01🂡'
    own = {name: np.arange(64)}
    results = cubefold.run({**scenario, "name": name}, embeddings=own)
    assert {row["scenario"] for row in results.rows} == {name}
    assert results.rows[-1]["embedding"] == name


def test_jobs_have_steps_and_pipelines():
    task = [{"compute_cycles": 10}]
    pipeline = {
        "name": "pass",
        "kind": "pipeline",
        "over": [0],
        "microbatches": 4,
        "schedule": "1f1b",
        "units": 2,
        "forward": task,
        "backward": task,
    }
    results = cubefold.run({
        "machine": {"kind": "ring", "shape": [4]},
        "program": {"shape": [4], "steps": [pipeline, {"name": "update", "compute_cycles": 5}]},
    })
    assert [step["name"] for step in results.steps if "pipeline" not in step] == ["update"]
    assert {step["run"] for step in results.steps} == {0}
    tasks = {own["task"]: own["count"] for own in results.pipelines}
    assert tasks == {"F": 16, "B": 16, "F send": 12, "B send": 12}
    assert results.pipelines[0]["name"] == "pass"
    assert "rank 0 computes" in results.draw("timeline").svg


def test_provenance_is_that_of_the_program(program, scenarios, scenario):
    path = scenarios / "first-comparison.toml"
    for command, function in [("run", cubefold.run), ("compare", cubefold.compare)]:
        written = program(command, "--quiet", "--format", "json", path, "--set", "machine.shape=[4, 4]")
        found = function(path, {"machine.shape": [4, 4]}).provenance
        expected = json.loads(written.stdout)["provenance"]
        assert {**found, "command": "", "commit": "", "dirty": ""} == {
            **expected,
            "command": "",
            "commit": "",
            "dirty": "",
        }
        assert found["command"].split()[:2] == ["cubefold", command]
    swept = {**scenario, "sweep": {"execution.mode": ["asynchronous", "coordinated"]}}
    assert cubefold.run(path).provenance["digest"] == cubefold.run(swept).provenance["digest"]
    assert cubefold.measure(path).provenance is None
