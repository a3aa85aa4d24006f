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


def test_every_scenario_of_the_repository_is_valid(program, scenarios):
    validator = schema_of(program, "scenario")
    files = sorted(scenarios.glob("*.toml"))
    assert len(files) > 50
    for file in files:
        errors = [error.message for error in validator.iter_errors(tomllib.loads(file.read_text()))]
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
def test_slips_are_not_valid(program, text):
    assert not schema_of(program, "scenario").is_valid(tomllib.loads(text))


def test_the_results_of_every_scenario_are_valid(program, scenarios):
    validator = schema_of(program, "results")
    for file in sorted(scenarios.glob("*.toml")):
        finished = program("run", file, "--format", "json", "--quiet")
        assert finished.returncode == 0, finished.stderr
        results = json.loads(finished.stdout)
        errors = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(results)]
        assert errors[:5] == [], file.name


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_placements_lines_and_rows_of_processes_are_valid(program, scenarios, tmp_path):
    validator = schema_of(program, "results")
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
