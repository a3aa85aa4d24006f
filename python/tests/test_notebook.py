"""The notebook of the documentation runs, and the types of the package fit."""

from pathlib import Path

import nbclient
import nbformat
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def test_the_notebook_runs():
    notebook = nbformat.read(REPOSITORY / "docs" / "cubefold.ipynb", as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": REPOSITORY / "docs"}})
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    texts = "\n".join(output["data"].get("text/plain", "") for output in outputs if "data" in output)
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert "1000" in texts and "snake" in texts and "swing" in texts
    assert len(pictures) == 2
    assert not [output for output in outputs if output["output_type"] == "stream"]


def test_no_outputs_are_in_the_repository():
    notebook = nbformat.read(REPOSITORY / "docs" / "cubefold.ipynb", as_version=4)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)


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
    assert lines == ["8", "9"], output
