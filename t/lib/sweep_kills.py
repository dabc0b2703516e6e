"""Kills sweeps at random moments, with readers before and
after each kill.

sweep_kills.py STEPCOST CONFIG N SEED     in a folder of its own

Every reader must end with 0, or say that there is no store yet, and no row that
one reader saw may be missing for a later one.  The last call finishes the
job: its rows, and its answer, must be those of an undisturbed one.
"""
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

stepcost, config, n_kills, seed = sys.argv[1:]
rng = random.Random(int(seed))
AXES = ["--axis", "workload.request_rate=5:24:1",
        "--axis", "engine.tensor_parallel_size=1,2,4"]
# Both kinds of journal, WAL and the rollback journal of a shard.
KIND = {"wal.db": ["sweep", config, *AXES], "shard.db": ["sweep", config, *AXES, "--shard", "0/1"]}
READERS = {
    "show": ["show", "STORE", "--format", "csv"],
    "pareto": ["pareto", "STORE", "--x", "output_throughput", "--y", "p99_ttft_ms"],
    "plot": ["plot", "STORE", "--html", "plot.html"],
    "merge": ["merge", "merged.db", "STORE"],
    "check": ["check", "STORE"],
}
NO_STORE_YET = ("No such file", "is empty, not a store")
faults = []
reads = 0


def call(store):
    return [stepcost, *KIND[store], "--quiet", "--jobs", "1", "--format", "json", "--store", store]


def rows(store):
    db = sqlite3.connect(store)
    return [sorted(db.execute(f"SELECT * FROM {table}")) for table in ("study", "point", "result")]


def whole(store):
    """Runs a call to its end; returns the rows and the answer, without its last
    member, which names the files."""
    answer = subprocess.run(call(store), check=True, stdout=subprocess.PIPE).stdout
    return rows(store), answer[:answer.index(b'\n  "identity": {')]


def read(store, reader, seen):
    """Runs a reader; returns the rows that `show` printed."""
    global reads
    Path("merged.db").unlink(missing_ok=True)
    words = [store if word == "STORE" else word for word in READERS[reader]]
    run = subprocess.run([stepcost, "sweep", *words], capture_output=True, text=True, timeout=100)
    reads += 1
    if run.returncode and not (not seen and any(text in run.stderr for text in NO_STORE_YET)):
        faults.append(f"{store}: {reader}: exit code {run.returncode}: {run.stderr.strip()}")
    if reader != "show" or run.returncode:
        return seen
    lines = set(run.stdout.splitlines())
    if seen - lines:
        faults.append(f"{store}: {len(seen - lines)} rows are gone")
    return lines


def interrupted(store, seen, whole_s):
    """Starts a sweep, reads meanwhile, kills it, and reads again."""
    child = subprocess.Popen(call(store), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(rng.random() * 0.3 * whole_s)
    if rng.random() < 0.3:
        seen = read(store, rng.choice(list(READERS)), seen)
    time.sleep(rng.random() * 0.05 * whole_s)
    child.kill()
    was_killed = child.wait() == -9
    for reader in rng.sample(list(READERS), 2) + ["show"]:
        seen = read(store, reader, seen)
    return seen, was_killed


def main():
    killed = 0
    want, whole_s = {}, {}
    for store in KIND:
        began = time.monotonic()
        want[store] = whole(store)
        whole_s[store] = time.monotonic() - began
        Path(store).unlink()
    seen = {store: set() for store in KIND}
    for i in range(int(n_kills)):
        store = list(KIND)[i % len(KIND)]
        seen[store], was_killed = interrupted(store, seen[store], whole_s[store])
        killed += was_killed
        if not was_killed:  # it is complete: another one
            if rows(store) != want[store][0]:
                faults.append(f"{store}: other rows")
            Path(store).unlink()
            seen[store] = set()
    for store in KIND:
        if whole(store) != want[store]:
            faults.append(f"{store}: other rows, or another answer, after the last kill")
    print(f"{killed} of {n_kills} calls were killed, {reads} readers ran")
    print(*faults[:20], sep="\n")
    sys.exit(bool(faults) or not killed)


main()
