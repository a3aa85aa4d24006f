#!/usr/bin/env python3
"""Repeats the tables of docs/search.md: `cubefold search` on public instances, against their published placements.

The instances are not part of this project. Fetch them first:

    git clone https://github.com/mhahsler/qap && git -C qap checkout 85b2b645
    git clone https://github.com/unibas-dmi-hpc/MapLib && git -C MapLib checkout a8be2e37
    benches/search_instances.py qaplib qap --objective hop-units
    benches/search_instances.py maplib MapLib --objective makespan btmz-torus

Names after the folder choose instances. Every row has the command's figures: the placement published, the one found, the
bound over all placements. `--evaluations`, `--seed` and `--threads` are passed on; found placements do not depend on
threads.
"""

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Instances of QAPLIB (Burkard, Karisch & Rendl 1997) whose distances are those of a mesh or, one more each, of a hypercube.
QAPLIB = {
    **{f"esc16{letter}": [2] * 4 for letter in "abcdeghij"},
    **{f"esc32{letter}": [2] * 5 for letter in "abcdegh"},
    "esc64a": [2] * 6,
    "esc128": [2] * 7,
    **{"nug12": [4, 3], "nug15": [5, 3], "nug16b": [4, 4], "nug20": [5, 4], "nug21": [7, 3], "nug22": [11, 2]},
    **{"nug24": [6, 4], "nug25": [5, 5], "nug27": [9, 3], "nug28": [7, 4], "nug30": [6, 5]},
    **{"scr12": [4, 3], "scr20": [4, 5], "ste36a": [9, 4], "tho30": [10, 3], "tho40": [8, 5], "tho150": [15, 10]},
    **{"wil50": [10, 5], "wil100": [10, 10], "sko42": [7, 6], "sko49": [7, 7], "sko56": [8, 7], "sko64": [8, 8]},
    **{"sko72": [9, 8], "sko81": [9, 9], "sko90": [10, 9]},
    **{f"sko100{letter}": [10, 10] for letter in "abcdef"},
}
# Costs of the best placements known, in QAPLIB's terms, of instances without a solution among its files.
RECORDS = {"esc32a": 130, "esc32b": 168, "esc32c": 642, "esc32d": 200, "esc32h": 438, "esc64a": 116}
# MapLib (Korndoerfer et al. 2020): four applications with 64 processes.
MAPLIB = [f"{application}-{machine}" for application in ("amg", "btmz", "cg", "lulesh") for machine in ("torus", "mesh")]


def qaplib(folder, name):
    """The machine, the program and the placements published of an instance, and its record in hop-units."""
    shape = QAPLIB[name]
    path = next(Path(folder).rglob(f"{name}.dat")).resolve()
    count, *numbers = map(int, path.read_text().split())
    matrices = [[numbers[start : start + count] for start in range(own, own + count**2, count)] for own in (0, count**2)]
    nodes = [tuple(reversed(node)) for node in itertools.product(*(range(length) for length in reversed(shape)))]
    is_cube = name.startswith("esc")
    links = [[sum(abs(a - b) for a, b in zip(one, other)) for other in nodes] for one in nodes]
    less = [[max(own - is_cube, 0) for own in row] for row in links]
    place = matrices.index(less)
    flows = matrices[1 - place]
    cost = lambda at: sum(flows[a][b] * less[at[a]][at[b]] for a in range(count) for b in range(count))
    published, solution = {}, path.with_suffix(".sln")
    if solution.exists():
        _, best, *permutation = map(int, solution.read_text().replace(",", " ").split())
        permutation = [number - 1 for number in permutation]
        inverse = sorted(range(count), key=permutation.__getitem__)
        published["QAPLIB"] = min(permutation, inverse, key=cost)
    record = RECORDS[name] if name in RECORDS else best
    # The original counts one link less of every message on cubes.
    record += is_cube * sum(map(sum, flows))
    machine = {"kind": "hypercube" if is_cube else "mesh", "shape": shape}
    return machine, {"kind": "traffic", "file": str(path), "matrix": 2 - place}, published, record


def maplib(folder, name):
    """The machine, the program and the placements published of an application."""
    application, machine = name.split("-")
    root = Path(folder).resolve()
    matrix = root / "mapping-matters-commMatrices" / f"{application}CMatrices" / "comm_matrix.p2p.size.csv"
    published = {}
    for file in sorted((root / "mapping-matters-Mappings" / "size" / f"{application}MAP{machine}").glob("*.csv")):
        nodes = [0] * 64
        for line in file.read_text().split("\n")[2:]:
            if line.strip():
                x, y, z, _, process = map(int, line.split())
                nodes[process] = x + 4 * y + 16 * z
        published[file.read_text().split("\n")[0].strip()] = nodes
    described = {"kind": machine, "shape": [4, 4, 4], "switching": "cut-through"}
    return described, {"kind": "traffic", "file": str(matrix)}, published, None


def toml(machine, program, embeddings):
    """A scenario."""
    lines = ["[machine]", *(f"{key} = {json.dumps(value)}" for key, value in machine.items())]
    lines += ["[program]", *(f"{key} = {json.dumps(value)}" for key, value in program.items())]
    return "\n".join([*lines, "[mapping]", f"embeddings = {json.dumps(embeddings)}", ""])


def call(options, command, scenario, *line):
    """What the program writes about a scenario."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(scenario)
        file.flush()
        finished = subprocess.run(
            [options.program, command, file.name, "--quiet", "--format", "json", "--threads", str(options.threads), *line],
            capture_output=True,
            text=True,
        )
    if finished.returncode:
        sys.exit(finished.stderr)
    return json.loads(finished.stdout)


def best_published(options, machine, program, published, value_of):
    """The name and the value of the best placement published."""
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for name, nodes in published.items():
            files[name] = Path(folder) / f"{name}.csv"
            rows = []
            for process, node in enumerate(nodes):
                coordinates = []
                for length in machine["shape"]:
                    node, own = divmod(node, length)
                    coordinates.append(own)
                rows.append(",".join(map(str, [process, *coordinates])))
            header = ",".join(["process", *(f"p_{own + 1}" for own in range(len(machine["shape"])))])
            files[name].write_text("\n".join([header, *rows, ""]))
        scenario = toml(machine, program, [f"file:{file}" for file in files.values()])
        runs = call(options, "run", scenario)["runs"]
    return min(zip((value_of(run) for run in runs), files), key=lambda own: own[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=["qaplib", "maplib"])
    parser.add_argument("folder", help="its files")
    parser.add_argument("names", nargs="*", help="instances [default: all]")
    parser.add_argument("--program", default="cubefold", help="the program [default: cubefold]")
    parser.add_argument("--objective", choices=["hop-units", "makespan"], default="hop-units")
    parser.add_argument("--evaluations", help="as of cubefold search")
    parser.add_argument("--seed", default="0", help="as of cubefold search [default: 0]")
    parser.add_argument("--threads", default="1", help="threads [default: 1]")
    options = parser.parse_intermixed_args()
    print("| instance | machine | published | found | % | bound | gap % | evaluations | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in options.names or (QAPLIB if options.library == "qaplib" else MAPLIB):
        read = qaplib if options.library == "qaplib" else maplib
        machine, program, published, record = read(options.folder, name)
        if options.library == "maplib" and options.objective == "makespan":
            # Units of a KiB: cycles are then small enough to read, and sizes are rounded up.
            program = {**program, "scale": 1 / 1024}
        if options.objective == "makespan":
            record = None
        value_of = lambda run: run["makespan_cycles"] if options.objective == "makespan" else run["unit_hops"]
        whose = "record"
        if record is None and published:
            record, whose = best_published(options, machine, program, published, value_of)
        line = ["--objective", options.objective, "--seed", options.seed]
        line += ["--evaluations", options.evaluations] if options.evaluations else []
        began = time.time()
        row = call(options, "search", toml(machine, program, ["standard"]), *line)["searches"][0]
        shape = "x".join(map(str, machine["shape"]))
        found, bound = row["found_value"], row["bound_value"]
        change = "" if record is None else f"{100 * (found / record - 1):+.3f}"
        gap = "proved" if row["proved"] else f"{100 * (found / bound - 1):.1f}" if bound else ""
        against = "" if record is None else f"{record} ({whose})"
        cells = [name, f"{machine['kind']} {shape}", against, found, change, bound, gap, row["evaluations"]]
        print("|", " | ".join(map(str, [*cells, f"{time.time() - began:.0f}"])), "|", flush=True)


if __name__ == "__main__":
    main()
