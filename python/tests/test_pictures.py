"""Pictures, pages and files from Python are those of the program."""

import numpy as np
import pytest

import cubefold
from cubefold import _scenario


@pytest.fixture
def file_of_scenario(scenario, tmp_path):
    """The scenario in a file."""
    path = tmp_path / "first.toml"
    path.write_text(_scenario._document(scenario))
    return path


PICTURES = [
    ("placement", {"embedding": "xor"}, ["--embedding", "xor"]),
    ("links", {"embedding": "xor", "measure": "busy-cycles"}, ["--embedding", "xor", "--measure", "busy-cycles"]),
    ("space-time", {"embedding": "xor", "cycles": range(0, 9)}, ["--embedding", "xor", "--cycles", "0..8"]),
    ("compare", {}, []),
    ("spectrum", {}, []),
]


@pytest.mark.parametrize(("what", "options", "line"), PICTURES)
def test_a_picture_is_that_of_the_program(program, file_of_scenario, tmp_path, what, options, line):
    path, file = file_of_scenario, tmp_path / "picture.svg"
    drawn = program("draw", what, path, *line, "--output", file, "--quiet")
    assert drawn.returncode == 0, drawn.stderr
    picture = cubefold.draw(path, what, **options)
    assert picture.svg == file.read_text()
    assert picture._repr_svg_() == picture.svg and picture._repr_png_() is None
    picture.save(tmp_path / "saved.svg")
    assert (tmp_path / "saved.svg").read_text() == picture.svg


def test_a_picture_of_a_dict_has_its_names_and_both_formats(scenario, tmp_path):
    own = {"mirror": np.arange(64)[::-1]}
    picture = cubefold.draw(scenario, "compare", embeddings=own, format="png")
    assert picture._repr_png_() == picture.png and picture.png.startswith(b"\x89PNG") and picture._repr_svg_() is None
    assert "mirror" in picture.svg and ".npy" not in picture.svg
    assert "mirror on" in cubefold.draw(scenario, "placement", embeddings=own, embedding="mirror").svg
    # What is drawn later is the scenario of then.
    scenario["machine"]["shape"] = [4, 4]
    picture.save(tmp_path / "later.svg")
    assert (tmp_path / "later.svg").read_text() == picture.svg


def test_results_are_drawn(scenario):
    results = cubefold.run(scenario)
    assert results.draw().svg == cubefold.draw(scenario, "compare").svg
    assert results.draw("placement", embedding="xor").svg == cubefold.draw(scenario, "placement", embedding="xor").svg
    scenario["sweep"] = {"machine.shape": [[8, 8], [4, 16]], "machine.hop_cycles": [1, 2]}
    swept = cubefold.run(scenario)
    assert "<svg" in swept.draw("scaling", x="machine_hop_cycles", by=["embedding", "machine_shape"]).svg
    sizes = {
        "name": "sizes of messages",
        "machine": {"kind": "torus", "shape": [4, 4]},
        "program": {"kind": "all-reduce", "algorithm": ["ring", "swing"], "units": 1},
        "sweep": {"program.units": [16, 256]},
    }
    assert "sizes-of-messages" in cubefold.run(sizes).draw("goodput").svg


def test_an_animation_is_a_page_and_one_cycle_of_it_a_picture(program, file_of_scenario, tmp_path):
    path, file = file_of_scenario, tmp_path / "expected.html"
    assert program("draw", "animation", path, "--output", file, "--quiet").returncode == 0
    animation = cubefold.draw(path, "animation")
    assert animation.html == file.read_text() and animation._repr_svg_() is None and animation._repr_png_() is None
    assert animation._repr_html_().startswith("<iframe srcdoc=") and "<html" not in animation._repr_html_()
    animation.save(tmp_path / "saved.html")
    assert (tmp_path / "saved.html").read_text() == animation.html
    with pytest.raises(cubefold.CubefoldError, match="a page of HTML, not a picture"):
        animation.svg
    still = cubefold.draw(path, "animation", embedding=["xor", "standard"], cycle=2)
    assert "cycle 2" in still.svg and still._repr_svg_() == still.svg and still._repr_html_() is None


def test_what_cannot_be_drawn_is_said(scenario):
    with pytest.raises(cubefold.CubefoldError, match="unrecognized subcommand 'link'\n\n.*'links'"):
        cubefold.draw(scenario, "link")
    with pytest.raises(cubefold.CubefoldError, match="invalid value 'load' for '--measure"):
        cubefold.draw(scenario, "links", embedding="xor", measure="load")
    with pytest.raises(cubefold.CubefoldError, match="unexpected argument '--colour'"):
        cubefold.draw(scenario, "compare", colour="red")
    with pytest.raises(cubefold.ScenarioError, match='scenario:3:8: machine.kind is "rong"'):
        cubefold.draw({"machine": {"kind": "rong", "shape": [8]}}, "compare")
    with pytest.raises(ValueError, match="expected svg or png"):
        cubefold.draw(scenario, "compare", format="gif")
    with pytest.raises(ValueError, match="numbers one after another"):
        cubefold.draw(scenario, "space-time", embedding="xor", cycles=range(0, 9, 2))
    with pytest.raises(cubefold.CubefoldError, match="at most the memory limit|expected at most"):
        cubefold.draw(scenario, "compare", memory_limit=10)


def test_a_report_is_that_of_the_program(program, scenarios, tmp_path):
    path, file = scenarios / "first-comparison.toml", tmp_path / "report.html"
    assert program("report", path, "--output", file, "--quiet").returncode == 0
    page = cubefold.report(path)
    assert page.html == file.read_text()
    assert page._repr_html_().startswith("<iframe srcdoc=") and "<html" not in page._repr_html_()
    page.save(tmp_path / "saved.html")
    assert (tmp_path / "saved.html").read_text() == page.html


def test_a_report_names_embeddings_of_ones_own(scenario):
    page = cubefold.report(scenario, embeddings={"mirror": np.arange(64)[::-1]}).html
    assert "mirror" in page and ".npy" not in page


def test_placements_are_written_for_launchers(program, file_of_scenario, scenario, tmp_path):
    path, hosts = file_of_scenario, tmp_path / "hosts.txt"
    names = [f"n{number:02}" for number in range(64)]
    hosts.write_text("\n".join(names) + "\n")
    for format in ["open-mpi-rankfile", "slurm-hostfile"]:
        expected, written = tmp_path / f"{format}.1", tmp_path / f"{format}.2"
        line = ["--embedding", "xor", "--format", format, "--hosts", hosts, "--output", expected, "--quiet"]
        done = program("place", path, *line)
        assert done.returncode == 0, done.stderr
        for own in (hosts, names):
            nodes = cubefold.place(path, "xor", output=written, format=format, hosts=own)
            assert written.read_text() == expected.read_text() and nodes.shape == (64, 2)
    own = {"mirror": np.arange(64)[::-1]}
    nodes = cubefold.place(scenario, "mirror", embeddings=own, output=tmp_path / "mirror.npy")
    assert np.array_equal(np.load(tmp_path / "mirror.npy"), nodes) and nodes[0].tolist() == [7, 7]
    with pytest.raises(ValueError, match="hosts is given without a file"):
        cubefold.place(scenario, "xor", hosts=names)
    with pytest.raises(cubefold.CubefoldError, match="3 hosts"):
        cubefold.place(scenario, "xor", output=written, format="open-mpi-rankfile", hosts=names[:3])


def test_programs_are_exported(program, tmp_path):
    scenario = {
        "machine": {"kind": "ring", "shape": [8]},
        "program": {"kind": "all-reduce", "algorithm": "ring", "units": 8},
        "mapping": {"embeddings": ["standard"]},
    }
    cubefold.export(scenario, tmp_path / "ring.goal")
    text = (tmp_path / "ring.goal").read_text()
    assert "num_ranks 8" in text
    cubefold.export(scenario, tmp_path / "other.txt", "goal")
    assert (tmp_path / "other.txt").read_text() == text
    again = {"machine": scenario["machine"], "program": {"kind": "goal", "file": tmp_path / "ring.goal"}}
    assert cubefold.run(again, {"mapping.embeddings": ["standard"]}).rows[0]["processes"] == 8
    with pytest.raises(cubefold.CubefoldError, match="possible values"):
        cubefold.export(scenario, tmp_path / "x", "goall")
