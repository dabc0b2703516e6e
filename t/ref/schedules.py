#!/usr/bin/env python3
"""TAP: schedules of an engine's own scheduler through the program and through
the reference of that engine; each step and request must be the same.

FILE is one of t/golden (README there).  FOLDER has cases as the program reads
and writes them, also in folders below: NAME.ini with its trace, NAME.steps.csv
and NAME.requests.csv with the results to come out.  Engines without a reference
here go through the program alone.

usage: schedules.py STEPCOST FILE|FOLDER
"""
import csv
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import others  # noqa: E402
import presets  # noqa: E402
import trtllm  # noqa: E402
import vllm_keys  # noqa: E402

STEP = ("schedule_ns", "start_ns", "end_ns", "running", "waiting", "kv_blocks", "preempted",
        "scheduled", "emitted")
REQUEST = ("request", "scheduled_ns", "first_token_ns", "last_token_ns", "preemptions",
           "cached_tokens")


class Case:
    def __init__(self, feature, number):
        self.name, self.number = feature, number
        self.keys, self.cost, self.trace, self.steps, self.requests = [], None, [], [], []
        self.path = None  # of its INI, if it has one


def rows_of(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def read_folder(path):
    cases = []
    for folder, _, names in sorted(os.walk(path)):
        for name in sorted(n[:-4] for n in names if n.endswith(".ini")):
            case = Case(os.path.basename(folder), name)
            case.path = os.path.abspath(os.path.join(folder, name + ".ini"))
            case.keys = vllm_keys.read_ini(case.path)["engine"].items()
            case.steps = rows_of(case.path[:-4] + ".steps.csv")
            case.requests = rows_of(case.path[:-4] + ".requests.csv")
            case.requests.sort(key=lambda r: int(r["request"]))
            cases.append(case)
    return cases


def read(path):
    if os.path.isdir(path):
        return read_folder(path)
    cases = []
    for line in open(path):
        kind, _, rest = line.rstrip("\n").partition(" ")
        words = rest.split(" ")
        if kind == "case":
            cases.append(Case(*words))
        elif kind == "engine":
            cases[-1].keys.append(words)
        elif kind == "cost":
            cases[-1].cost = words
        elif kind in ("trace", "row"):
            cases[-1].trace.append(rest)
        elif kind == "step":
            words[-1] = "" if words[-1] == "-" else words[-1]
            cases[-1].steps.append(dict(zip(STEP, words)))
        else:
            cases[-1].requests.append(dict(zip(REQUEST, words)))
    return cases


def write(case, folder):
    if case.path:
        return case.path
    with open(os.path.join(folder, "trace.csv"), "w") as f:
        f.writelines(line + "\n" for line in case.trace)
    path = os.path.join(folder, "run.ini")
    with open(path, "w") as f:
        f.write("[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n[engine]\n")
        f.writelines("%s = %s\n" % tuple(pair) for pair in case.keys)
        f.write("[cost_model]\nplugin = const_step\nbase_us = %s\nper_token_us = %s\n"
                % tuple(case.cost))
        f.write("[workload]\ntrace = trace.csv\nformat = stepcost\n")
    return path


def difference(got, want, columns, what):
    for i, (mine, his) in enumerate(zip(got, want)):
        for c in columns:
            if str(mine[c]) != his[c]:
                return "%s %d: %s is %s, want %s" % (what, i, c, mine[c], his[c])
    return "%d %ss, want %d" % (len(got), what, len(want)) if len(got) != len(want) else None


def of_program(program, path, folder):
    steps, requests = os.path.join(folder, "steps.csv"), os.path.join(folder, "requests.csv")
    done = subprocess.run([program, "run", path, "--set", "engine.front_end=none", "--in-process", "--quiet",
                           "--output", os.devnull,
                           "--write-steps", steps, "--write-requests", requests],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    if done.returncode:
        return None, done.stderr.strip()
    with open(steps, newline="") as f, open(requests, newline="") as g:
        by_row = sorted(csv.DictReader(g), key=lambda r: int(r["request"]))
        return list(csv.DictReader(f)), by_row


def reference_of(case):
    keys = dict(case.keys)
    name = keys.get("preset") or keys.get("scheduler")
    return trtllm if name == "tensorrt_llm" else others if name.startswith("sglang") else None


def of_reference(reference, path):
    steps, requests = reference.run(path)
    rows = [{"request": q.row, **{c: getattr(q, name) for c, name in presets.REQUEST_COLUMNS.items()}}
            for q in sorted(requests, key=lambda q: q.row)]
    return steps.get("0", []), rows


def compare(program, case):
    """Returns the first difference as text, or None."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(case, folder)
        results = [("program", of_program(program, path, folder))]
        if reference_of(case):
            results.append(("reference", of_reference(reference_of(case), path)))
        for who, (steps, requests) in results:
            if steps is None:
                return requests
            found = (difference(steps, case.steps, STEP, "step")
                     or difference(requests, case.requests, REQUEST, "request"))
            if found:
                return "%s, %s" % (who, found)
    return None


def main(program, path):
    cases = read(path)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda case: compare(program, case), cases))
    names = list(dict.fromkeys(case.name for case in cases))
    for number, name in enumerate(names, 1):
        bad = [(c, why) for c, why in zip(cases, found) if c.name == name and why]
        n = sum(c.name == name for c in cases)
        print("%sok %d - %s: %d of %d schedules are the same" % ("not " if bad else "", number, name,
                                                               n - len(bad), n))
        for case, why in bad:
            print("# %s %s: %s" % (case.name, case.number, why))
    print("1..%d" % len(names))
    return any(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
