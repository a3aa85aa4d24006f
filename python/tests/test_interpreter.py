"""Other threads go on while runs are at work, and a run can be interrupted."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import cubefold

# Far longer than anybody waits, in one run: 2^16 processes whose messages go 2^14 links on average.
LONG = """
import cubefold, sys, threading
scenario = {
    "machine": {"kind": "ring", "shape": [65536]},
    "program": {"kind": "cc-cube", "compute_cycles": 1},
    "execution": {"engine": "hop"},
    "mapping": {"embeddings": ["standard"]},
}
def begun(done, total):
    print(done < total, flush=True)
"""


def begin(script):
    """A process that runs the script, after it has written its first line."""
    process = subprocess.Popen([sys.executable, "-c", LONG + script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "True\n"
    return process


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("sweep", ["{}", "{'sweep': {'program.compute_cycles': range(1000)}}"])
def test_ctrl_c_ends_a_long_run(sweep):
    process = begin(f"""
try:
    cubefold.run({{**scenario, **{sweep}}}, progress=begun, memory_limit=1 << 40)
except KeyboardInterrupt:
    print("interrupted", flush=True)
""")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out.splitlines()[-1] == "interrupted" and process.returncode == 0


def test_a_callback_that_raises_ends_the_run():
    process = begin("""
def stop(done, total):
    begun(done, total)
    raise RuntimeError("enough")
try:
    cubefold.run(scenario, progress=stop, memory_limit=1 << 40)
except RuntimeError as error:
    print(error, flush=True)
""")
    out, _ = process.communicate(timeout=60)
    assert out.splitlines()[-1] == "enough" and process.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="needs pipes")
def test_another_thread_counts_while_a_scenario_is_at_work():
    # The scenario comes from a pipe: its reading can end only if the other thread counts and then writes.
    script = """
import os
reader, writer = os.pipe()
count = 0
def other():
    global count
    while count < 1_000_000:
        count += 1
    with os.fdopen(writer, "w") as file:
        file.write('[machine]\\nkind = "ring"\\nshape = [8]\\n')
thread = threading.Thread(target=other)
thread.start()
rows = cubefold.run(f"/dev/fd/{reader}").rows
print(count, len(rows))
"""
    done = subprocess.run([sys.executable, "-c", LONG + script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "1000000 3\n", done.stderr


def test_two_threads_run_at_once(scenario):
    def makespans(hop_cycles):
        rows = cubefold.run(scenario, {"machine.hop_cycles": hop_cycles}, threads=1).rows
        return [row["makespan_cycles"] for row in rows]

    alone = [makespans(cycles) for cycles in range(1, 9)]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(makespans, range(1, 9))) == alone
    # Both are at work at the same time: each callback waits for the other's.
    barrier = threading.Barrier(2, timeout=60)
    met = []

    def meet(done, total):
        if len(met) < 2:
            barrier.wait()
            met.append(total)

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(cubefold.run, scenario, progress=meet) for _ in range(2)]
        assert [len(future.result(timeout=60)) for future in both] == [3, 3]
    assert len(met) == 2


def test_results_do_not_depend_on_threads(scenario):
    scenario["sweep"] = {"program.compute_cycles": range(40)}
    assert cubefold.run(scenario, threads=1).rows == cubefold.run(scenario, threads=4).rows


def test_progress_ends_with_all_of_the_work(scenario, capfd):
    seen = []
    cubefold.run(scenario, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3 * 64 * 6, 3 * 64 * 6) and seen == sorted(seen)
    cubefold.measure(scenario, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3, 3)
    cubefold.run(scenario)
    cubefold.run(scenario, progress=False)
    assert capfd.readouterr() == ("", "")
    cubefold.run(scenario, progress=True)
    assert "cubefold: 100%" in capfd.readouterr().err
