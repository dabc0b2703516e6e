#!/usr/bin/env python3
"""check-capacity FOLDER [NAME...]: asks `stepcost capacity` the questions of FOLDER/truth.csv, and scores its answers.

truth.csv has a row a question: name, question (rate, fleet, none, ladder), ini, slo, rate, truth, low, high,
gpus_per_unit, gpus, group, dear, trace, options, limited_by, basis.  rate and ladder: the highest rate, and the interval
of the truth itself.  fleet: the least number of units that carry `rate`.  none: no rate meets the bounds, because of
`truth`.  gpus: the most at one time.  trace = SEED:ROWS: make_trace.py of the folder makes trace.csv first.
stepcost is that of the PATH.  Exit code: 0 if every limit holds, else 1."""
import collections
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

COVERED, NARROW, RIGHT, ONE_NUMBER = 0.85, 0.9, 0.95, 0.8
WORST, WIDEST, TRACE_ERROR, TRACE_S = 0.1, 0.03, 0.01, 10


def ask(folder, row, seed):
    """Returns the search of a row's question, and the seconds of user time."""
    argv = ["stepcost", "capacity", os.path.join(folder, row["ini"]), "--slo", row["slo"], "--format", "json",
            "--jobs", "1", "--set", "workload.seed=%d" % seed, "--set", "engine.front_end=none"]
    if row["question"] == "fleet":
        argv += ["--rate", row["rate"]]
    for option in row["options"].split():
        argv.append(option)
    before = os.times().children_user
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        sys.exit("%s: %s" % (row["name"], done.stderr.strip()))
    search = json.loads(done.stdout)["searches"][0]
    if "error" in search:
        sys.exit("%s: %s" % (row["name"], search["error"]))
    return search, os.times().children_user - before


def make_trace(folder, spec):
    seed, rows = spec.split(":")
    subprocess.run([sys.executable, os.path.join(folder, "make_trace.py"), seed, rows,
                    os.path.join(folder, "trace.csv")], check=True)


class Score:
    """Counts of what held."""

    def __init__(self):
        self.n = collections.Counter()
        self.failures = []
        self.ladders = collections.defaultdict(list)
        self.requests, self.fleet_runs = [], []

    def fail(self, name, text):
        self.failures.append("%s: %s" % (name, text))

    def rate(self, row, got, seconds):
        truth, low, high = (float(row[k]) for k in ("truth", "low", "high"))
        if got["verdict"] != "found":
            self.n["rates"] += 1
            self.fail(row["name"], "none: " + got["limited_by"])
            return "none"
        rate, half = got["request_rate"], got["half_width"]
        a, z = got["request_rate_low"], got["request_rate_high"]
        covers = a <= high and low <= z
        error = rate / truth - 1
        self.n["rates"] += 1
        self.n["covered"] += covers
        if not row["dear"] and not row["trace"]:
            self.n["to_be_narrow"] += 1
            self.n["narrow"] += half <= WIDEST
        if abs(error) > WORST:
            self.fail(row["name"], "wrong by %.1f %%" % (100 * error))
        if row["trace"] and (abs(error) > TRACE_ERROR or seconds > TRACE_S):
            self.fail(row["name"], "off by %.2f %% in %.1f s" % (100 * error, seconds))
        if row["gpus"] and got["gpus"] != float(row["gpus"]) and got.get("gpus_peak") != float(row["gpus"]):
            self.fail(row["name"], "%s GPUs for %s" % (got["gpus"], row["gpus"]))
        if row["group"]:
            self.ladders[row["group"]].append((float(row["slo"].split("=")[1]), rate, row["name"]))
        return "%.5g (%.5g to %.5g) for %.5g: %+.1f %%%s, half width %.1f %%" % (
            rate, a, z, truth, 100 * error, "" if covers else ", NOT COVERED", 100 * half)

    def fleet(self, row, got):
        truth, per = float(row["truth"]), float(row["gpus_per_unit"])
        self.n["fleets"] += 1
        if got["verdict"] != "found":
            self.fail(row["name"], "none: " + got["limited_by"])
            return "none"
        low, high = got["gpus_low"] / per, got["gpus_high"] / per
        is_right = low <= truth <= high and high - low <= 1
        self.n["right"] += is_right
        self.n["one_number"] += low == high
        self.fleet_runs.append(got["simulations"])
        return "%g to %g units for %g%s" % (low, high, truth, "" if is_right else ": WRONG")

    def none(self, row, got):
        is_none = got["verdict"] == "none" and row["truth"] in got["limited_by"]
        if not is_none:
            self.fail(row["name"], "%s, limited by %s" % (got["verdict"], got["limited_by"]))
        return "none: %s, %d simulations" % (got["limited_by"], got["simulations"])

    def take(self, row, got, seconds):
        question = row["question"]
        if question == "none":
            text = self.none(row, got)
        elif question == "fleet":
            text = self.fleet(row, got)
        else:
            text = self.rate(row, got, seconds)
        pessimistic = got.get("pessimistic") or {}
        if (pessimistic.get("request_rate") or 0) > (got["request_rate"] or float("inf")):
            self.fail(row["name"], "the pessimistic end is above the middle")
        self.requests.append(got["requests_simulated"])
        print("%-24s %s; %d simulations of %d requests, %.1f s" % (
            row["name"], text, got["simulations"], got["requests_simulated"], seconds), flush=True)

    def share(self, what, of, least):
        if not self.n[of]:
            return
        share = self.n[what] / self.n[of]
        print("%s: %d of %d" % (what.replace("_", " "), self.n[what], self.n[of]))
        if share < least:
            self.fail(what, "less than %g" % least)

    def conclude(self):
        for name, steps in self.ladders.items():
            steps.sort()
            for (_, a, _), (_, b, is_) in zip(steps, steps[1:]):
                if b < a:
                    self.fail(name, "%s: a looser bound lowers the rate, %.5g to %.5g" % (is_, a, b))
        self.share("covered", "rates", COVERED)
        self.share("narrow", "to_be_narrow", NARROW)
        self.share("right", "fleets", RIGHT)
        self.share("one_number", "fleets", ONE_NUMBER)
        if self.requests:
            print("median requests simulated: %d" % sorted(self.requests)[len(self.requests) // 2])
        if self.fleet_runs:
            print("median simulations of a fleet: %d" % sorted(self.fleet_runs)[len(self.fleet_runs) // 2])
        for line in self.failures:
            print("not held: " + line)
        return 1 if self.failures else 0


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    seed = int(os.environ.get("SEED", "42"))
    score = Score()
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "questions")
        shutil.copytree(sys.argv[1], folder)
        with open(os.path.join(folder, "truth.csv"), newline="", encoding="utf-8") as f:
            rows = [r for r in csv.DictReader(f) if len(sys.argv) == 2 or r["name"] in sys.argv[2:]]
        for row in rows:
            if row["trace"]:
                make_trace(folder, row["trace"])
            score.take(row, *ask(folder, row, seed))
    return score.conclude()


if __name__ == "__main__":
    started = time.time()
    code = main()
    print("%.0f s" % (time.time() - started))
    sys.exit(code)
