"""What is wrong is said as the program says it."""

import numpy as np
import pytest

import cubefold

WRONG = """\
[machine]
kind = "torrus"
shape = [8, 8]
[program]
compute_cycles = -4
"""


def test_every_error_of_a_file_has_its_place(tmp_path, program):
    path = tmp_path / "wrong.toml"
    path.write_text(WRONG)
    with pytest.raises(cubefold.ScenarioError) as caught:
        cubefold.run(path)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith(f'{path}:2:8: machine.kind is "torrus", expected line, ring')
    assert lines[1] == '  help: did you mean "torus"?'
    assert lines[2] == f"{path}:5:18: program.compute_cycles is -4, expected an integer from 0 to 2^63 - 1"
    said = "".join(program("run", path).stderr.replace("│", "").split())
    for line in lines:
        assert "".join(line.split()) in said


def test_places_of_files_stay_with_overrides(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text(WRONG)
    for function in (cubefold.run, cubefold.measure, cubefold.compare):
        with pytest.raises(cubefold.ScenarioError, match=r"wrong.toml:5:18: program.compute_cycles is -4"):
            function(path, {"machine.kind": "torus"}, embeddings={"mine": np.zeros((64, 2), int)})
    with pytest.raises(cubefold.ScenarioError, match=r'--set:1:14: machine.kind is "torrus"'):
        cubefold.run(path, {"machine.kind": "torrus"})


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"machine": {"kind": "torus", "shape": [8, 1]}}, r"^scenario:5:13: length of dimension 2 is 1, expected at least 2"),
        ({"machine": {"kind": "torus", "shape": [8, None]}}, "machine.shape is None, expected a value or no key"),
        ({"machine": {"kind": "torus", "shape": object()}}, "machine.shape is <object.*expected a number, a string"),
        ({"program": {"kind": "cc-cube", "compute_cycle": 1}}, 'unknown key "compute_cycle".*\n.*"compute_cycles"'),
        ({"program": {"kind": "goal", "file": "none.goal"}}, r"^scenario:9:8: .*none.goal"),
        ({"mapping": {"embeddings": ["xr"]}}, r'^scenario:12:15: embedding is "xr"'),
    ],
)
def test_a_dict_is_checked_as_a_file_is(scenario, change, expected):
    with pytest.raises(cubefold.ScenarioError, match=expected):
        cubefold.run({**scenario, **change})


def test_what_cannot_be_read_or_set_is_said(scenario, tmp_path):
    with pytest.raises(cubefold.ScenarioError, match="none.toml: scenario file cannot be read"):
        cubefold.run(tmp_path / "none.toml", embeddings={"mine": [[0, 0]]})
    with pytest.raises(cubefold.ScenarioError, match="expected KEY=VALUE"):
        cubefold.run(scenario, {"": 1})


def test_runs_that_need_too_much_are_refused(scenario):
    with pytest.raises(cubefold.CubefoldError, match="needs about .* expected at most 10 bytes"):
        cubefold.run(scenario, memory_limit=10)
    for wrong in ({"threads": 0}, {"memory_limit": -1}):
        with pytest.raises(ValueError, match="expected"):
            cubefold.run(scenario, **wrong)


@pytest.mark.parametrize(
    ("embedding", "expected"),
    [
        ([[0, 0]] * 3, r"^mine: an array of shape \[3, 2\], expected \[64, 2\]"),
        ([[0, 9]] * 64, r"^mine: p_2 of process 0 is 9, expected an integer from 0 to 7"),
        ([[0, -1]] * 64, r"^mine: p_2 of process 0 is -1"),
        (range(1, 65), "^embedding 'mine' puts process 63 on node 64, expected 0 to 63"),
        (lambda processes: processes - 1, "^embedding 'mine' puts process 0 on node -1"),
        ([[0.5, 1]] * 64, "^embedding 'mine' is an array of float64, expected whole numbers"),
    ],
)
def test_what_is_wrong_with_an_embedding_has_its_name(scenario, embedding, expected):
    with pytest.raises(cubefold.CubefoldError, match=expected):
        cubefold.run(scenario, embeddings={"mine": embedding})


def test_numbers_of_nodes_need_one_machine(scenario):
    scenario["sweep"] = {"machine.shape": [[8, 8], [4, 16]]}
    with pytest.raises(cubefold.CubefoldError, match="^embedding 'mine': the sweep changes the machine"):
        cubefold.run(scenario, embeddings={"mine": np.arange(64)})


def test_errors_of_functions_are_their_own(scenario):
    with pytest.raises(ZeroDivisionError):
        cubefold.run(scenario, embeddings={"mine": lambda processes: 1 // 0})


def test_one_placement_and_one_reference_are_named(scenario):
    with pytest.raises(cubefold.CubefoldError, match="3 embeddings, expected one: name one of standard, xor, byw"):
        cubefold.place(scenario)
    with pytest.raises(cubefold.CubefoldError, match="'?\"gray\"'? is none of the scenario's"):
        cubefold.place(scenario, "gray")
    with pytest.raises(cubefold.CubefoldError, match="has a sweep"):
        cubefold.place({**scenario, "sweep": {"seed": [1, 2]}}, "xor")
    with pytest.raises(cubefold.CubefoldError, match='"none" is none of .*expected one of standard, xor, byweight'):
        cubefold.compare(scenario, reference="none")


def test_an_own_embedding_has_a_name_of_its_own(scenario):
    own = {"xor": lambda processes: processes}
    with pytest.raises(ValueError, match="embedding 'xor' is one of the scenario's own, expected another name"):
        cubefold.run(scenario, embeddings=own)
    with pytest.raises(ValueError, match="embedding 'mine'"):
        cubefold.run(scenario, {"mapping.embeddings": ["mine"]}, embeddings={"mine": lambda processes: processes})


def test_seeds_are_integers_of_tables(scenario):
    with pytest.raises(cubefold.ScenarioError, match=r"seed is 9223372036854775808, expected an integer from 0 to 2\^63 - 1"):
        cubefold.run({**scenario, "seed": 2**63})
    results = cubefold.run({"$schema": "scenario.schema.json", **scenario, "seed": 2**63 - 1})
    assert results.rows[0]["seed"] == 2**63 - 1
