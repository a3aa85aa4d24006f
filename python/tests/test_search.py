"""Searches from Python are those of the program, and evaluators give the makespans of runs."""

import itertools
import json

import numpy as np
import pytest

import cubefold

SCENARIOS = ["task-graph", "halving-sizes", "solver-iteration", "traffic", "stages", "sized-messages"]


@pytest.fixture
def halves():
    """A cube of 16 whose messages halve on a half-duplex torus."""
    return {
        "machine": {"kind": "torus", "shape": [4, 4], "links": "half-duplex"},
        "program": {"kind": "cc-cube", "dimensions": 4, "units": [8, 4, 2, 1]},
        "mapping": {"embeddings": ["standard", "xor"]},
    }


def test_a_search_is_that_of_the_program(program, halves, tmp_path):
    found = cubefold.search(halves, evaluations=3000, seed=7)
    file = tmp_path / "halves.toml"
    file.write_text(cubefold._scenario._document(halves))
    said = program("search", file, "--evaluations", 3000, "--seed", 7, "--format", "json", "--quiet")
    assert said.returncode == 0, said.stderr
    expected = json.loads(said.stdout)["searches"][0]
    assert found.row == {**expected, "scenario": "scenario"}
    assert (found.value, found.bound, found.is_proved) == tuple(
        expected[key] for key in ("found_value", "bound_value", "proved")
    )
    assert f"{found.value}" in repr(found) and "<td>makespan</td>" in found._repr_html_()
    # The same placement, as the program writes it, and its time in a run.
    written = tmp_path / "found.csv"
    program("search", file, "--evaluations", 3000, "--seed", 7, "--output", written, "--quiet")
    assert np.loadtxt(written, delimiter=",", skiprows=1, dtype=int)[:, 1:].tolist() == found.nodes.tolist()
    rows = cubefold.run(halves, embeddings={"found": found.nodes}).rows
    assert rows[-1]["makespan_cycles"] == found.value <= min(row["makespan_cycles"] for row in rows)


def test_results_of_a_search_do_not_depend_on_threads(halves):
    one, four = (cubefold.search(halves, evaluations=2000, threads=threads) for threads in (1, 4))
    assert one.row == four.row and np.array_equal(one.nodes, four.nodes)


def test_a_search_starts_from_embeddings_of_ones_own(halves):
    own = {"mine": np.arange(16)[::-1]}
    found = cubefold.search(halves, evaluations=500, start=["mine"], embeddings=own, objective="hop-units")
    assert found.row["named"] in ("mine", "standard") and found.row["objective"] == "hop-units"
    with pytest.raises(cubefold.CubefoldError, match="--start none: the scenario has no such embedding"):
        cubefold.search(halves, start=["none"])
    with pytest.raises(cubefold.CubefoldError, match='objective "time", expected one of makespan, predicted'):
        cubefold.search(halves, objective="time")
    with pytest.raises(cubefold.CubefoldError, match="has a sweep, expected one combination"):
        cubefold.search({**halves, "sweep": {"seed": [1, 2]}})


def test_a_search_reports_its_progress(scenarios):
    seen = []
    full_duplex = {"machine.links": "full-duplex"}
    cubefold.search(scenarios / "halving-sizes.toml", full_duplex, evaluations=2000, progress=lambda done, total: seen.append((done, total)))
    assert seen and all(done <= total == 2000 for done, total in seen)


def test_the_placement_found_is_drawn_and_written(halves, tmp_path):
    found = cubefold.search(halves, evaluations=500)
    assert "search on torus 4x4" in found.draw().svg
    hosts = [f"node{number}" for number in range(16)]
    found.write(tmp_path / "ranks.txt", "open-mpi-rankfile", hosts=hosts)
    lines = (tmp_path / "ranks.txt").read_text().splitlines()
    numbers = (found.nodes * [1, 4]).sum(axis=1)
    assert lines == [f"rank {rank}={hosts[number]} slot=0" for rank, number in enumerate(numbers)]


@pytest.mark.parametrize("name", SCENARIOS)
def test_an_evaluation_is_the_makespan_of_a_run(scenarios, name):
    path = scenarios / f"{name}.toml"
    evaluator = cubefold.Evaluator(path)
    for row in cubefold.run(path).rows:
        nodes = cubefold.place(path, row["embedding"])
        assert len(nodes) == evaluator.processes
        makespan = evaluator.evaluate(nodes)
        assert makespan == row["makespan_cycles"], row["embedding"]
        assert evaluator.evaluate(nodes, below=makespan) is None
        assert evaluator.evaluate(nodes, below=makespan + 1) == makespan


def test_an_evaluator_finds_what_brute_force_finds():
    scenario = {
        "machine": {"kind": "ring", "shape": [4]},
        "program": {"kind": "cc-cube", "dimensions": 2, "units": [4, 1]},
        "mapping": {"embeddings": ["standard"]},
    }
    evaluator = cubefold.Evaluator(scenario)
    best = min(evaluator.evaluate(own) for own in itertools.permutations(range(4)))
    found = cubefold.search(scenario)
    assert found.is_proved and found.value == best


def test_an_evaluator_takes_coordinates_of_partitions_and_numbers():
    scenario = {
        "machine": {"kind": "torus", "shape": [8, 8], "partition": {"base": [2, 3], "shape": [4, 4]}},
        "program": {"kind": "cc-cube", "dimensions": 4},
        "mapping": {"embeddings": ["xor"]},
    }
    evaluator = cubefold.Evaluator(scenario)
    nodes = cubefold.place(scenario)
    numbers = ((nodes - [2, 3]) * [1, 4]).sum(axis=1)
    expected = cubefold.run(scenario).rows[0]["makespan_cycles"]
    assert evaluator.evaluate(nodes) == evaluator.evaluate(numbers) == evaluator.evaluate(list(numbers)) == expected
    for wrong, message in [
        (numbers[:3], "a placement of 3 processes, expected 16"),
        (numbers + 1, "process .* on node 16, which takes no processes"),
        (nodes[:, :1], r"shape \(16, 1\)"),
        (numbers / 2, "float64"),
        (-numbers, "below 0"),
        (nodes - 1, "invalid entry"),
    ]:
        with pytest.raises((ValueError, cubefold.CubefoldError), match=message):
            evaluator.evaluate(wrong)
    assert evaluator.evaluate(nodes) == expected


def test_what_cannot_be_evaluated_is_said(scenario):
    with pytest.raises(cubefold.CubefoldError, match="coordinated run"):
        cubefold.Evaluator(scenario, {"execution.mode": "coordinated"})
    with pytest.raises(cubefold.CubefoldError, match="expected at most 10 bytes"):
        cubefold.Evaluator(scenario, memory_limit=10)
    with pytest.raises(cubefold.ScenarioError, match="machine.kind"):
        cubefold.Evaluator({"machine": {"kind": "torrus", "shape": [2]}})


def test_ranks_of_collectives_are_placed_as_a_whole():
    """A program with several shares of each rank has a row for each rank, as files of placements have."""
    scenario = {
        "machine": {"kind": "torus", "shape": [4, 4]},
        "program": {"kind": "all-reduce", "algorithm": "swing", "units": 64},
        "mapping": {"embeddings": ["standard"]},
    }
    nodes = cubefold.place(scenario)
    assert nodes.shape == (16, 2)
    rows = cubefold.run(scenario, embeddings={"same": nodes, "all": lambda ranks: ranks}).rows
    assert len({row["makespan_cycles"] for row in rows}) == 1
    assert cubefold.Evaluator(scenario).evaluate(nodes) == rows[0]["makespan_cycles"]
