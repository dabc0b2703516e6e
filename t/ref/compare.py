#!/usr/bin/env python3
"""TAP: random small configurations through the program and through the
reference in engine.py; every step, every request and the totals must agree.

usage: compare.py STEPCOST [CASES [FIRST]]
"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import engine  # noqa: E402

WORDS = {True: "true", False: "false"}


def requests_of(rng, n, longest, groups):
    """Requests in order of arrival: bursts, gaps, equal times."""
    out, at = [], 0
    for row in range(n):
        at += rng.choice([0, 0, 1, 100, 1000, rng.randint(0, 3000)]) if row else 0
        group = rng.choice(groups)
        shared = rng.randint(1, longest) if group else 0
        out.append(dict(arrival_us=at, input_tokens=rng.randint(1, longest),
                        output_tokens=rng.choice([1, rng.randint(1, 12), rng.randint(1, 30)]),
                        prefix_group=group or "", prefix_tokens=shared,
                        priority=rng.choice([0, 0, 0, 1, -1, 5])))
        out[-1]["prefix_tokens"] = min(shared, out[-1]["input_tokens"])
    return out


def case_of(seed):
    """Settings and requests, a function of the seed alone."""
    rng = random.Random(seed)
    block = rng.choice([1, 2, 4, 8, 16])
    longest = rng.choice([8, 40, 100])
    blocks = rng.choice([0, 0, rng.randint(1, 4 + 300 // block), rng.randint(1, 4 + 100 // block)])
    given = dict(
        max_num_seqs=rng.choice([1, 2, 3, 5, 256]),
        max_num_batched_tokens=rng.choice([1, 2, 3, 7, 16, 33, 64, 2048]),
        long_prefill_token_threshold=rng.choice([0, 0, 0, 1, 5, 20]),
        max_model_len=rng.choice([131072, 131072, 131072, 60]),
        block_size=block,
        num_gpu_blocks=blocks,
        enable_prefix_caching=rng.random() < 0.5,
        async_scheduling=rng.random() < 0.5,
        scheduling_policy=rng.choice(["fcfs", "fcfs", "priority"]),
        api_overhead_us=rng.choice([0, 0, 250, 0.5]),
        api_request_us=rng.choice([0, 0, 40, 2500]),
        response_overhead_us=rng.choice([0, 0, 1500]),
        response_sequence_us=rng.choice([0, 0, 55, 4000]),
        schedule_us=rng.choice([0, 0, 3, 497]),
        # whole us, so that no rounding is in doubt, and fractions, where
        # llround must do as the reference does
        base_us=rng.choice([100, 1, 500, 77.7, 100.0625]),
        token_us=rng.choice([1, 10, 0, 0.37]),
        kv_us=rng.choice([0, 1, 0.013]),
        seq_us=rng.choice([0, 2, 1 / 3]),
    )
    kind = rng.random()
    if kind < 0.25:  # the idealised engine
        given.update(num_gpu_blocks=0, enable_prefix_caching=False, async_scheduling=False)
    groups = [None, "a", "b", "c"] if given["enable_prefix_caching"] else [None]
    requests = requests_of(rng, rng.choice([1, 2, 6, 12, 25]), longest, groups)
    if kind > 0.5:  # a cache that holds any one request, and not much more
        most = max(r["input_tokens"] + r["output_tokens"] - 1 for r in requests)
        given.update(num_gpu_blocks=-(-most // block) + rng.choice([0, 1, 3, 8]),
                     max_num_seqs=rng.choice([3, 5, 256]), max_model_len=131072,
                     max_num_batched_tokens=rng.choice([7, 33, 64, 2048]))
    return given, requests


KNOBS = ("base_us", "token_us", "kv_us", "seq_us")


def write_case(folder, given, requests):
    """trace.csv and run.ini."""
    with open(os.path.join(folder, "trace.csv"), "w", newline="") as f:
        columns = list(requests[0])
        if not any(r["prefix_group"] for r in requests):
            columns = [c for c in columns if not c.startswith("prefix")]
        if not any(r["priority"] for r in requests):
            columns.remove("priority")
        out = csv.DictWriter(f, columns, extrasaction="ignore", lineterminator="\n")
        out.writeheader()
        out.writerows(requests)
    with open(os.path.join(folder, "run.ini"), "w") as f:
        f.write("[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n[engine]\n")
        for key, value in given.items():
            if key in KNOBS:
                continue
            if key == "num_gpu_blocks" and not value:
                value = "unlimited"
            f.write("%s = %s\n" % (key, WORDS[value] if isinstance(value, bool) else value))
        f.write("[cost_model]\nplugin = known_cost\n")
        for key in KNOBS:
            f.write("%s = %r\n" % (key, given[key]))
        f.write("[workload]\ntrace = trace.csv\nformat = stepcost\n")


STEP_COLUMNS = ("start_ns", "end_ns", "sampled", "running", "waiting", "kv_blocks", "preempted")
REQUEST_COLUMNS = ("arrival_ns", "scheduled_ns", "first_token_ns", "last_token_ns",
                   "cached_tokens", "preemptions")


def expand(cell):
    """`4096;64x15` as a list of words."""
    out = []
    for word in cell.split(";") if cell else []:
        what, _, times = word.partition("x")
        out += [what] * int(times or 1)
    return out


def compare(program, seed):
    """Returns the first difference as text, or None."""
    given, requests = case_of(seed)
    with tempfile.TemporaryDirectory() as folder:
        write_case(folder, given, requests)
        path = lambda name: os.path.join(folder, name)
        done = subprocess.run(
            [program, "run", path("run.ini"), "--format", "json", "--quiet",
             "--output", path("out.json"), "--write-steps", path("steps.csv"),
             "--write-requests", path("requests.csv")],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        want = engine.Run(engine.settings(**given), engine.read_trace(path("trace.csv")))
        if done.returncode != all(r.rejected for r in want.requests):
            return "exit %d: %s" % (done.returncode, done.stderr.strip())
        with open(path("steps.csv"), newline="") as f:
            steps = list(csv.DictReader(f))
        with open(path("requests.csv"), newline="") as f:
            rows = list(csv.DictReader(f))
        with open(path("out.json")) as f:
            arm = json.load(f)["arms"][0]
    for i, (got, step) in enumerate(zip(steps, want.steps)):
        its = [int(got[c]) for c in STEP_COLUMNS] + [expand(got["decode"]), expand(got["prefill"])]
        mine = [step.start_ns, step.end_ns, step.sampled, step.running, step.waiting, step.blocks,
                step.preempted, list(map(str, step.decode)), step.chunks]
        if mine != its:
            return "step %d: got %s, want %s" % (i, its, mine)
    if len(steps) != len(want.steps):
        return "got %d steps, want %d" % (len(steps), len(want.steps))
    by_row = {int(r["request"]): r for r in rows}
    for r in want.requests:
        got = by_row.pop(r.row, None)
        if got is None:
            return "request %d is missing" % r.row
        if r.rejected:
            its, mine = got["status"], "rejected"
        else:
            its = [got["status"]] + [int(got[c]) for c in REQUEST_COLUMNS] + [
                float(got["ttft_ms"]), float(got["e2el_ms"])]
            mine = ["completed", r.arrival_ns, r.started_ns, r.token_ns[0], r.token_ns[-1],
                    r.cached_tokens, r.preemptions, want.ttft_ns(r) / 1e6, want.e2e_ns(r) / 1e6]
        if mine != its:
            return "request %d: got %s, want %s" % (r.row, its, mine)
    if by_row:
        return "requests from nowhere: %s" % sorted(by_row)
    for key, value in want.summary().items():
        if key == "duration":
            value = value if not given["response_overhead_us"] else arm[key]
        if arm[key] != value:
            return "%s: got %r, want %r" % (key, arm[key], value)
    return None


def main(argv):
    program = argv[0]
    cases = int(argv[1]) if len(argv) > 1 else 2000
    first = int(argv[2]) if len(argv) > 2 else 0
    batch, n, bad = 100, 0, 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for start in range(first, first + cases, batch):
            seeds = range(start, min(start + batch, first + cases))
            wrong = [(s, w) for s, w in zip(seeds, pool.map(lambda s: compare(program, s), seeds)) if w]
            n += 1
            bad += bool(wrong)
            print("%sok %d - cases %d to %d" % ("not " if wrong else "", n, seeds[0], seeds[-1]), flush=True)
            for seed, what in wrong[:5]:
                print("# case %d (compare.py %s 1 %d): %s" % (seed, program, seed, what))
    print("1..%d" % n)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
