"""The notebooks of the documentation run, and the types of the package fit."""

from pathlib import Path

import nbclient
import nbformat
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


NOTEBOOKS = REPOSITORY / "docs"


def outputs_of(name):
    """What the cells of a notebook show."""
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": NOTEBOOKS}})
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output["output_type"] == "stream"]
    return [output["data"] for output in outputs if "data" in output]


def test_the_notebook_runs():
    outputs = outputs_of("cubefold.ipynb")
    texts = "\n".join(data.get("text/plain", "") for data in outputs)
    assert "1000" in texts and "snake" in texts and "swing" in texts
    assert len([data for data in outputs if "image/png" in data]) == 2


def test_the_notebook_of_xor_runs():
    outputs = outputs_of("xor.ipynb")
    pictures = [data["image/svg+xml"] for data in outputs if "image/svg+xml" in data]
    assert len(pictures) == 6 and all("<svg" in picture for picture in pictures)
    animations = [data["text/html"] for data in outputs if "<iframe" in data.get("text/html", "")]
    assert len(animations) == 1 and "cubefold animation" in animations[0]
    texts = "\n".join(data.get("text/plain", "") for data in outputs)
    assert "cubefold.Found: makespan" in texts
    # The makespans that the text has.
    assert all(f"{embedding}               {cycles}" in texts for embedding, cycles in [("standard", 15), ("xor", 11)])


def test_no_outputs_are_in_the_repository():
    for path in NOTEBOOKS.glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells), path


def test_types_fit(tmp_path):
    mypy = pytest.importorskip("mypy.api")
    user = tmp_path / "user.py"
    user.write_text(
        "from pathlib import Path\n"
        "import numpy as np\n"
        "import cubefold\n"
        "results = cubefold.run(Path('a.toml'), {'seed': 1}, embeddings={'mine': lambda own: own}, threads=2)\n"
        "finish = results.processes['finish'].max()\n"
        "nodes = cubefold.place({'machine': {'kind': 'ring'}}, 'xor')\n"
        "cubefold.compare('a.toml', embeddings={'mine': nodes, 'other': np.arange(8)}, reference='mine').rows\n"
        "found = cubefold.search('a.toml', evaluations=100, embeddings={'mine': nodes})\n"
        "found.write('ranks.txt', 'open-mpi-rankfile', hosts=['a', 'b'])\n"
        "makespan = cubefold.Evaluator('a.toml').evaluate(found.nodes, below=found.value)\n"
        "cubefold.draw('a.toml', 'links', measure='congestion').save(Path('links.png'))\n"
        "text = results.draw().svg + cubefold.report('a.toml').html\n"
        "cubefold.run(3)\n"
        "cubefold.run('a.toml', threads='two')\n"
    )
    # The types of other packages are their own affair, and take half a minute.
    config = tmp_path / "mypy.ini"
    others = ("numpy", "pandas", "pyarrow", "IPython")
    skipped = "".join(f"[mypy-{name}.*]\nfollow_imports = skip\nfollow_imports_for_stubs = true\n" for name in others)
    config.write_text(f"[mypy]\nstrict = true\ndisallow_any_unimported = false\n{skipped}")
    output, _, _ = mypy.run(["--config-file", str(config), "--cache-dir", str(tmp_path), str(user)])
    lines = [line.split(": ", 2)[0].rsplit(":", 1)[-1] for line in output.splitlines() if ": error: " in line]
    assert lines == ["13", "14"], output
