"""What the program reads and writes is what its schemas say, and what it refuses is not."""

import json
import tomllib

import pytest
from jsonschema import Draft202012Validator


def schema_of(program, subject):
    finished = program("schema", subject)
    assert finished.returncode == 0, finished.stderr
    schema = json.loads(finished.stdout)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.fixture(scope="module")
def scenario_schema(program):
    return schema_of(program, "scenario")


@pytest.fixture(scope="module")
def results_schema(program):
    return schema_of(program, "results")


def test_every_scenario_of_the_repository_is_valid(scenario_schema, scenarios):
    files = sorted(scenarios.glob("*.toml"))
    assert len(files) > 50
    for file in files:
        errors = [error.message for error in scenario_schema.iter_errors(tomllib.loads(file.read_text()))]
        assert errors == [], file.name


@pytest.mark.parametrize(
    "text",
    [
        'machine = { kind = "tours", shape = [8] }',
        'machine = { kind = "torus", shape = 8 }',
        'machine = { kind = "torus", shape = [8], hop = 1 }',
        'machine = { kind = "torus", shape = [8], hop_cycles = 0 }',
        'execution.mode = "fast"',
        "name = 1",
        '[sweep]\n"machine.hop_cycles" = 1',
        '[sweep]\n"machine.hop_cycle" = [1]',
        '[sweep]\ncases = [{ "machine.shap" = [8] }]',
        '[[program.steps]]\nkind = "all-reduce"\nalgoritm = "ring"',
        '"$schema" = 1',
    ],
)
def test_slips_are_not_valid(scenario_schema, text):
    assert not scenario_schema.is_valid(tomllib.loads(text))


# Their results have the members of others, and their runs take longer than all others together.
LARGE = {"all-reduce-crossovers-64x64.toml", "four-billion.toml"}


def members(value):
    """The members of a record and their types, of lists those of their first entries."""
    if isinstance(value, dict):
        return tuple((name, members(own)) for name, own in value.items())
    return members(value[0]) if isinstance(value, list) and value else type(value).__name__


def test_the_results_of_every_scenario_are_valid(program, results_schema, scenarios):
    files = {file.name: file for file in scenarios.glob("*.toml")}
    assert LARGE <= set(files)
    for file in (files[name] for name in sorted(set(files) - LARGE)):
        finished = program("run", file, "--format", "json", "--quiet")
        assert finished.returncode == 0, finished.stderr
        results = json.loads(finished.stdout)
        # Of runs with the same members one is enough.
        results["runs"] = list({members(run): run for run in results["runs"]}.values())
        errors = [f"{error.json_path}: {error.message}" for error in results_schema.iter_errors(results)]
        assert errors[:5] == [], file.name


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_placements_lines_and_rows_of_processes_are_valid(program, results_schema, scenarios, tmp_path):
    validator = results_schema
    for name in ["figure-6.toml", "task-graph.toml"]:
        measured = program("measure", scenarios / name, "--format", "json", "--quiet")
        assert measured.returncode == 0, measured.stderr
        results, rows, placements = (tmp_path / f"{kind}.jsonl" for kind in ("results", "rows", "placements"))
        for command in (["run", "--processes", rows, "--output", results], ["measure", "--output", placements]):
            finished = program(command[0], scenarios / name, *command[1:], "--force", "--quiet")
            assert finished.returncode == 0, finished.stderr
        records = [json.loads(measured.stdout), *lines_of(results)[:5], *lines_of(rows)[:50], *lines_of(placements)[:5]]
        assert len(records) > 10
        for record in records:
            assert validator.is_valid(record), record
        assert not validator.is_valid({**lines_of(rows)[0], "waited": 1})
        assert not validator.is_valid({**lines_of(results)[0], "version": 2})
