#!/usr/bin/env python3
"""TAP: under random configurations of every scheduler and of pools, the parts
of `compare --why` add up to the latencies of the requests, to the nanosecond.

usage: parts.py STEPCOST [CASES [FIRST]]
"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from conserve import MODEL, generated, lines, pools, settings

METRICS = {"ttft_ns": "ttft_ms", "tpot_ns": "tpot_ms", "e2el_ns": "e2el_ms"}
ARMS = ("[cost_model:a]\nplugin = const_step\nbase_us = %d\nper_token_us = %d\n"
        "[cost_model:b]\nplugin = const_step\nbase_us = %d\nper_token_us = %d\n%s")


def another_engine(rng, engine):
    """A key that makes another schedule of the second arm."""
    key = {"sglang": "max_running_requests", "tensorrt_llm": "max_batch_size"}.get(
        engine.get("scheduler"), "max_num_seqs")
    # A drafter takes a token of each sequence: fewer of them always fit.
    less = [n for n in (1, 2, 5, 64, 65) if n < engine[key]] if "num_speculative_tokens" in engine else [1, 3, 65]
    return "engine.%s = %d\n" % (key, rng.choice(less or [engine[key]]))


class Case:
    def __init__(self, program, seed):
        self.program, self.seed, self.faults, self.seen = program, seed, [], 0

    def expect(self, holds, what):
        if not holds:
            self.faults.append(what)

    def requests(self, arm):
        with open(os.path.join(self.folder, "r.csv"), newline="") as f:
            return [r for r in csv.DictReader(f) if r["arm"] == arm and r["status"] == "completed"]

    def check_sums(self, arm, sums, apart):
        rows = self.requests(arm)
        self.expect(sums["requests"] == len(rows), "%s: requests" % arm)
        for metric, column in METRICS.items():
            parts = dict(sums[metric])
            total = parts.pop("total")
            want = sum(round(1e6 * float(r[column])) for r in rows if r[column])
            self.expect(total == want, "%s: %s %d, requests have %d" % (arm, metric, total, want))
            self.expect(sum(parts.values()) == total, "%s: parts of %s" % (arm, metric))
            low = [k for k, v in parts.items() if v < 0 and (metric, k) != ("tpot_ns", "front_end")]
            self.expect(not low, "%s: %s below zero: %s" % (arm, metric, low))
        if not apart:
            waits = sum(int(r["scheduled_ns"]) - int(r["arrival_ns"]) for r in rows)
            is_late = sums["e2el_ns"]["queueing_admission"] + sums["e2el_ns"]["queueing_imbalance"]
            front = sums["e2el_ns"]["front_end"]
            self.expect(0 <= waits - is_late <= front, "%s: admission %d of %d" % (arm, is_late, waits))
            self.expect(sums["e2el_ns"]["kv_transfer"] == 0, "%s: a transfer" % arm)
        if not any(int(r["preemptions"]) for r in rows):
            self.expect(sums["e2el_ns"]["queueing_preempted"] == 0, "%s: preempted" % arm)

    def check(self):
        rng = random.Random(self.seed)
        with tempfile.TemporaryDirectory() as self.folder:
            model, engine = settings(rng)
            given, _, _ = generated(rng, self.folder)
            apart = self.seed % 3 == 2 and "scheduler" not in engine
            own = pools(rng, engine) if apart else ""
            with open(os.path.join(self.folder, "c.ini"), "w") as f:
                f.write(MODEL % model + "[engine]\n" + lines(engine) + own + "[workload]\n" + lines(given))
                f.write(ARMS % (rng.randint(10, 5000), rng.choice([0, 7, 90]), rng.randint(10, 5000),
                                rng.choice([0, 7, 90]), another_engine(rng, engine)))
            done = subprocess.run([self.program, "compare", "c.ini", "--why", "--quiet", "--format", "json",
                                   "--write-requests", "r.csv"], cwd=self.folder, timeout=120,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.expect(done.returncode in (0, 1, 2), "exit %d: %s" % (done.returncode, done.stderr[:300]))
            if done.returncode == 2 or not done.stdout:
                return self
            for pair in json.loads(done.stdout).get("attribution", []):
                parts = pair.get("latency_parts")
                if not parts:
                    continue
                self.seen += 1
                self.check_sums(pair["steps_of"], parts["sum_of"], apart)
                self.check_sums(pair["priced_by"], parts["sum_by"], apart)
        return self


def main(program, cases=120, first=0):
    program, bad, seen = os.path.abspath(program), 0, 0
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for case in pool.map(lambda s: Case(program, s).check(), range(first, first + cases)):
            for fault in case.faults[:3]:
                print("# case %d: %s" % (case.seed, fault))
            bad += bool(case.faults)
            seen += case.seen
    print("%s 1 - parts add up in %d configurations" % ("not ok" if bad else "ok", cases))
    print("%s 2 - in %d pairs of arms" % ("ok" if seen > cases / 4 else "not ok", seen))
    print("1..2")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
