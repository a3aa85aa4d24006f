#!/usr/bin/env python3
"""Repeats the table of forty programs and machines in docs/search.md: `cubefold search` by makespan, with the default effort.

    benches/search_forty.py
    benches/search_forty.py --seed 1 cube-8x8 fat-tree

Names choose instances. Every row has the command's figures: the placement that the job has first (`standard`), the best
with a name, the one found, and the bound over all placements.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

from search_instances import call

CUT_THROUGH = {"switching": "cut-through"}
HALF_DUPLEX = {"links": "half-duplex"}


def cube(kind, shape, dimensions, units=1, each=1, **machine):
    """A cube whose dimensions are used one after another."""
    program = {"kind": "cc-cube", "dimensions": dimensions, "units": units}
    if each > 1:
        program["processes_per_node"] = each
        machine["processors_per_node"] = each
    return {"kind": kind, "shape": shape, **machine}, program


def halving(dimensions):
    """Sizes of messages that are halved with each stage."""
    return [2 ** (dimensions - 1 - stage) for stage in range(dimensions)]


def axes(kind, shape, logical, *steps, **machine):
    """Collectives over axes of a mesh of processes, one after another."""
    return {"kind": kind, "shape": shape, "latency_cycles": 4, **CUT_THROUGH, **machine}, {"shape": logical, "steps": list(steps)}


def step(axis, units=4096, algorithm="ring", kind="all-reduce", **more):
    """A collective over an axis."""
    return {"kind": kind, "algorithm": algorithm, "over": [axis], "units": units, **more}


def everybody(axis, units=1024):
    return step(axis, units, "direct", "all-to-all")


def grid(kind, shape, **more):
    return {"kind": kind, "shape": shape, **CUT_THROUGH, **more}


def halo(shape, kind="torus", **more):
    """Messages to all neighbours: faces, edges and corners."""
    stencil = {"communication": "stencil", "neighbours": "all", "units": [256, 16, 1][: len(shape)]}
    return {"kind": "neighbour-exchange", "guest": {"kind": kind, "shape": shape}, **stencil, **more}


def collective(kind, algorithm, units, **more):
    return {"kind": kind, "algorithm": algorithm, "units": units, **more}


def pipeline(ranks=16, blocks=8):
    """A GOAL schedule in which each rank computes block after block and hands it on to the next rank."""
    lines = [f"num_ranks {ranks}"]
    for rank in range(ranks):
        lines.append(f"rank {rank} {{")
        for block in range(blocks):
            lines.append(f"c{block}: calc 100")
            lines += [f"c{block} requires c{block - 1}"] if block else []
            if rank > 0:
                lines += [f"r{block}: recv 512b from {rank - 1} tag {block}", f"c{block} requires r{block}"]
            if rank < ranks - 1:
                lines += [f"s{block}: send 512b to {rank + 1} tag {block}", f"s{block} requires c{block}"]
        lines.append("}")
    return "\n".join(lines) + "\n"


def wavefront(side=4, sweeps=4):
    """A GOAL schedule in which each rank of a square waits for the ones to the left and above."""
    lines = [f"num_ranks {side * side}"]
    for rank in range(side * side):
        lines.append(f"rank {rank} {{")
        neighbours = [(rank % side, side - 1, 1), (rank // side, side - 1, side)]
        for sweep in range(sweeps):
            lines.append(f"c{sweep}: calc 50")
            lines += [f"c{sweep} requires c{sweep - 1}"] if sweep else []
            for name, (place, last, stride) in zip("ab", neighbours):
                own = f"{name}{sweep}"
                if place > 0:
                    lines += [f"r{own}: recv 256b from {rank - stride} tag {sweep}", f"c{sweep} requires r{own}"]
                if place < last:
                    lines += [f"s{own}: send 256b to {rank + stride} tag {sweep}", f"s{own} requires c{sweep}"]
        lines.append("}")
    return "\n".join(lines) + "\n"


SCHEDULES = {"pipeline.goal": pipeline, "wavefront.goal": wavefront}


def goal(name):
    return grid("mesh", [4, 4], latency_cycles=4), {"kind": "goal", "file": name}


INSIDE = {"kind": "switch", "planes": 1, "link": {"bandwidth": "450 GB/s", "latency": "500 ns"}}
OUTSIDE = {
    "link": {"bandwidth": "50 GB/s", "latency": "1 us"},
    "rails": True,
    "leaves": {"nodes": 4},
    "spines": 2,
    "uplinks": 1,
    "spine_link": {"bandwidth": "100 GB/s", "latency": "1 us"},
}
CLUSTER = {"kind": "cluster", "nodes": 4, "devices_per_node": 4, "nics_per_node": 4, "inside": INSIDE, "outside": OUTSIDE}
HALO_STEP = {key: value for key, value in halo([4, 4, 2]).items() if key != "guest"}

INSTANCES = {
    # Cubes: half-duplex links, or sizes by stage.
    "cube-16x16": cube("torus", [16, 16], 8, **HALF_DUPLEX),
    "cube-16x16-halving": cube("torus", [16, 16], 8, halving(8), **HALF_DUPLEX),
    "cube-8x8": cube("torus", [8, 8], 6, **HALF_DUPLEX),
    "cube-8x8-halving": cube("torus", [8, 8], 6, halving(6), **HALF_DUPLEX),
    "cube-8x8-doubling": cube("torus", [8, 8], 6, halving(6)[::-1]),
    "cube-4x4": cube("torus", [4, 4], 4, **HALF_DUPLEX),
    "cube-8x4-mesh": cube("mesh", [8, 4], 5, halving(5), **HALF_DUPLEX),
    "cube-4x4x4": cube("torus", [4, 4, 4], 6, **HALF_DUPLEX),
    "cube-8x8-mesh": cube("mesh", [8, 8], 6, **HALF_DUPLEX),
    "cube-16x8": cube("torus", [16, 8], 7, halving(7)[::-1], **HALF_DUPLEX),
    "cube-ring": cube("ring", [64], 6, halving(6), **HALF_DUPLEX),
    "cube-16x4-mesh": cube("mesh", [16, 4], 6, halving(6)),
    # Device orders. The first two are the machines of jax's issue 20305 and of maxtext's issue 4911.
    "ring-of-4": axes("mesh", [2, 2], [4], step(0, algorithm="bidirectional-ring")),
    "axis-of-8": axes("torus", [8, 16], [8, 16], step(0, algorithm="bidirectional-ring"), wrap=[False, True]),
    "axes-4x8": axes("torus", [8, 4], [4, 8], step(0), step(1, 512)),
    "axes-16x4": axes("mesh", [8, 8], [16, 4], step(0), everybody(1)),
    "axes-8x8": axes("torus", [8, 8], [8, 8], everybody(0), step(1)),
    "axes-4x4x4": axes("torus", [8, 8], [4, 4, 4], step(0), step(1), step(2, 256)),
    "axes-2x8x4": axes("torus", [4, 4, 4], [2, 8, 4], step(1), everybody(2, 256), step(0, 8192)),
    "axes-8x4x2": axes("mesh", [4, 4, 4], [8, 4, 2], step(0, kind="all-gather"), step(1), step(0, kind="reduce-scatter")),
    # Several processes a node.
    "halo-8x8-by-4": (grid("torus", [4, 4]), halo([8, 8], processes_per_node=4)),
    "halo-8x4x4-by-2": (grid("torus", [4, 4, 4]), halo([8, 4, 4], processes_per_node=2)),
    "halo-6x6-by-4": (grid("mesh", [3, 3]), halo([6, 6], "mesh", processes_per_node=4)),
    "cube-4x4-by-4": cube("torus", [4, 4], 6, halving(6), each=4, **CUT_THROUGH),
    "all-reduce-by-2": (
        grid("torus", [4, 4], processors_per_node=2),
        collective("all-reduce", "recursive-doubling", 64, processes=32, processes_per_node=2),
    ),
    "all-to-all-by-4": (
        grid("mesh", [4, 4], processors_per_node=4),
        collective("all-to-all", "bruck", 256, processes=64, processes_per_node=4),
    ),
    # Failed links.
    "ring-mesh-failed": (grid("mesh", [4, 4], failed_links=[[[1, 1], [2, 1]]]), collective("all-reduce", "ring", 1024, processes=16)),
    "ring-torus-failed": (
        grid("torus", [8, 4], failed_links=[[[0, 0], [1, 0]], [[4, 2], [4, 3]]]),
        collective("all-reduce", "ring", 1024, processes=32),
    ),
    "cube-failed": cube("torus", [4, 4], 4, halving(4), failed_links=[[[0, 0], [1, 0]], [[2, 2], [2, 3]]], **HALF_DUPLEX),
    "halo-failed": (grid("torus", [8, 8], failed_links=[[[0, 0], [1, 0]], [[3, 4], [3, 5]]]), halo([8, 8])),
    "doubling-failed": (
        grid("torus", [8, 4], failed_links=[[[2, 1], [3, 1]]]),
        collective("all-reduce", "recursive-doubling", 128, processes=32),
    ),
    "swing-failed": (grid("torus", [8, 8], failed_links=[[[1, 0], [2, 0]]]), collective("all-reduce", "swing", 4096, shape=[8, 8])),
    # Task graphs and jobs.
    "pipeline": goal("pipeline.goal"),
    "wavefront": goal("wavefront.goal"),
    "solver": (
        grid("torus", [4, 4, 2], latency_cycles=8),
        {
            "shape": [4, 4, 2],
            "steps": [
                {"name": "halo", **HALO_STEP},
                {"name": "interior", "compute_cycles": 2000, "after": []},
                {"name": "dot", **collective("all-reduce", "recursive-doubling", 1), "after": ["halo", "interior"]},
            ],
        },
    ),
    "overlap": (
        grid("torus", [8, 4], latency_cycles=8),
        {
            "shape": [4, 8],
            "steps": [
                {"name": "backward", "compute_cycles": 20000},
                {"name": "data", **step(1), "after": ["backward"]},
                {"name": "forward", "compute_cycles": 20000, "after": ["backward"]},
                {"name": "model", **step(0, 8192), "after": ["backward"]},
            ],
        },
    ),
    # Networks and clusters.
    "fat-tree": ({"kind": "fat-tree", "arity": 4, "levels": 3, **CUT_THROUGH}, collective("all-to-all", "pairwise", 1024, processes=16)),
    "dragonfly": (
        {"kind": "dragonfly", "hosts_per_switch": 2, "switches_per_group": 4, "global_links": 2, **CUT_THROUGH},
        halo([9, 8]),
    ),
    "hyperx": ({"kind": "hyperx", "shape": [4, 4], "hosts_per_switch": 2, **CUT_THROUGH}, halo([8, 4])),
    "cluster": (CLUSTER, {"kind": "all-reduce", "algorithm": "ring", "processes": 16, "bytes": "4 MiB"}),
}


def value(own):
    """A value as TOML writes it on one line."""
    if isinstance(own, dict):
        return "{ " + ", ".join(f"{key} = {value(inner)}" for key, inner in own.items()) + " }"
    if isinstance(own, list):
        return "[" + ", ".join(map(value, own)) + "]"
    return json.dumps(own)


def toml(machine, program):
    """A scenario with `standard` first."""
    keys = lambda table: [f"{key} = {value(own)}" for key, own in table.items() if key != "steps"]
    lines = ["[machine]", *keys(machine), "[program]", *keys(program)]
    for own in program.get("steps", []):
        lines += ["[[program.steps]]", *keys(own)]
    return "\n".join([*lines, "[mapping]", 'embeddings = ["standard"]', ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="instances [default: all]")
    parser.add_argument("--program", default="cubefold", help="the program [default: cubefold]")
    parser.add_argument("--evaluations", help="as of cubefold search")
    parser.add_argument("--seed", default="0", help="as of cubefold search [default: 0]")
    parser.add_argument("--threads", default="1", help="threads [default: 1]")
    options = parser.parse_args()
    print("| instance | first | best named | found | bound | gap % | evaluations | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    line = ["--seed", options.seed, *(["--evaluations", options.evaluations] if options.evaluations else [])]
    with tempfile.TemporaryDirectory() as folder:
        for name, schedule in SCHEDULES.items():
            (Path(folder) / name).write_text(schedule())
        for name in options.names or INSTANCES:
            machine, program = INSTANCES[name]
            if "file" in program:
                program = {**program, "file": str(Path(folder) / program["file"])}
            began = time.time()
            row = call(options, "search", toml(machine, program), *line)["searches"][0]
            found, bound = row["found_value"], row["bound_value"]
            gap = "proved" if row["proved"] else f"{100 * (found / bound - 1):.1f}"
            cells = [name, row["reference_value"], row["named_value"], found, bound, gap, row["evaluations"]]
            print("|", " | ".join(map(str, [*cells, f"{time.time() - began:.0f}"])), "|", flush=True)


if __name__ == "__main__":
    main()
