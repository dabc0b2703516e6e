#!/usr/bin/env python3
"""Random configurations through run, compare, sweep, eval, replay, recommend and
capacity, and what must hold for all of them: sums, clocks, the same figures in every format, from
every command and for every --jobs, no difference between two arms that are alike.

usage: property.py STEPCOST [--seconds N] [--cases N] [--seed S] [--first CASE]

STEPCOST_DATA_PATH and STEPCOST_PLUGIN_PATH are those of the program.  Prints TAP.
Into every twelfth case it plants faults, each in a copy of what the program wrote,
and fails if no check finds one.  Exit code: 0 all holds; 1: something does not, and
the command that shows it once more is printed."""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

import property_checks
import property_faults
from property_cases import Configuration

PLANTED_EVERY = 12


class Case:
    """The outputs of the program about one configuration, by name, and checks of them."""

    def __init__(self, program, root, seed, easy=False):
        self.program, self.root, self.seed, self.easy = program, root, seed, easy
        self.written = {}

    def tell(self, name, *arguments):
        """Runs a command; keeps its exit code, its output and its errors."""
        done = subprocess.run([self.program, *arguments], cwd=self.folder, timeout=300, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.written[name] = done.stdout
        self.written[name + ".code"] = done.returncode
        self.written[name + ".errors"] = done.stderr
        return done.returncode

    def keep(self, name, file):
        path = os.path.join(self.folder, file)
        if os.path.exists(path):
            with open(path, newline="") as f:
                self.written[name] = f.read()
            os.unlink(path)

    def configure(self, file, text):
        with open(os.path.join(self.folder, file), "w") as f:
            f.write(text)

    def compare(self, name, *options):
        """compare, with its files of requests and steps."""
        code = self.tell(name, "compare", "c.ini", "--quiet", *options,
                         "--write-requests", "r.csv", "--write-steps", "s.csv")
        self.keep(name + ".requests", "r.csv")
        self.keep(name + ".steps", "s.csv")
        return code

    def gather(self):
        c = self.c = Configuration(self.root, self.seed, self.folder, self.easy)
        rng = c.rng
        self.configure("c.ini", c.text())
        if self.compare("json", "--format", "json", "--jobs", "1") not in (0, 1):
            self.tell("refused", "run", "c.ini", "--quiet", "--format", "json", "--arms",
                      ",".join(name for name, _, _ in c.arms))
            return
        # Two or three of these, so that a case is quick.
        for part in rng.sample([self.other_jobs, self.formats, self.run, self.twins, self.sweep,
                                self.eval, self.replay, self.files], 3):
            part()
        if rng.random() < 0.1:
            rng.choice([self.recommend, self.capacity] if "request_rate" in c.workload else [self.recommend])()

    def other_jobs(self):
        self.compare("jobs", "--format", "json", "--jobs", "2")

    def formats(self):
        self.tell("csv", "compare", "c.ini", "--quiet", "--format", "csv")
        self.tell("text", "compare", "c.ini", "--all", "--quiet")

    def run(self):
        self.tell("run", "run", "c.ini", "--quiet", "--format", "csv", "--arms", self.c.arms[-1][0])

    def twins(self):
        _, plugin, text = self.c.arms[0]
        self.configure("twins.ini", self.c.text([("one", plugin, text), ("two", plugin, text)]))
        self.tell("twins", "compare", "twins.ini", "--quiet", "--why", "--format", "json")
        self.tell("twins.text", "compare", "twins.ini", "--all", "--quiet")

    def sweep(self):
        self.tell("swept", "sweep", "c.ini", "--quiet", "--axis", "workload.seed=%d" % self.c.workload["seed"],
                  "--store", "x.db", "--output", os.devnull)
        self.tell("store", "sweep", "show", "x.db", "--format", "csv")

    def eval(self):
        name = self.c.arms[-1][0]
        rows = property_checks.steps_for_eval(self.written["json.steps"], name)
        if self.c.priced_by_content() and rows:
            self.configure("e.csv", rows)
            self.tell("eval", "eval", "c.ini", "--quiet", "--steps", "e.csv", "--arms", name)

    def replay(self):
        rows = property_checks.trace_of(self.written["json.requests"], self.c.arms[0][0])
        if not self.c.can_replay() or not rows:
            return
        self.configure("own.csv", rows)
        # The clock begins with the first request, so the run's own begins there too.
        self.configure("replay.ini", self.c.text(workload={"trace": "own.csv", "format": "stepcost"}))
        self.tell("replay", "run", "replay.ini", "--quiet", "--format", "csv", "--arms", self.c.arms[0][0],
                  "--write-requests", "r.csv")
        self.keep("replay.requests", "r.csv")

    def files(self):
        """The other files that a run writes."""
        names = ["replicas", "scaling", "transfers"] + ["sessions"] * ("turns" in self.c.workload)
        self.tell("files", "run", "c.ini", "--quiet", "--output", os.devnull, "--arms", self.c.arms[0][0],
                  "--perfetto", "p.json", *(word for name in names for word in ("--write-" + name, name + ".csv")))
        self.keep("files.perfetto", "p.json")
        for name in names:
            self.keep("files." + name, name + ".csv")

    def recommend(self):
        """Twice: with one worker, and with two."""
        wanted = ["recommend", "c.ini", "--quiet", "--gpus", "2", "--slo", "ttft_p90_ms=500,tpot_mean_ms=50",
                  "--budget", "4", "--one-draw", "--format", "json",
                  "--fix", "engine.max_num_seqs,engine.max_num_batched_tokens,workload.num_requests"]
        if self.tell("recommended", *wanted, "--jobs", "1") in (0, 1):
            self.tell("recommended.again", *wanted, "--jobs", "2", "--emit", "launch")

    def capacity(self):
        wanted = ["capacity", "c.ini", "--quiet", "--slo", "ttft_p90_ms=500,tpot_mean_ms=50", "--precision", "0.3",
                  "--format", "json"]
        if self.tell("capacity", *wanted, "--jobs", "1") in (0, 1):
            self.tell("capacity.again", *wanted, "--jobs", "2")

    def faults(self, written):
        try:
            return property_checks.all_faults(self.c, written)
        except (ValueError, KeyError, IndexError, TypeError, ZeroDivisionError) as e:
            return ["its output cannot be read: %r" % e]

    def check(self, plant):
        """The faults, and the planted ones that were not found."""
        with tempfile.TemporaryDirectory() as self.folder:
            try:
                self.gather()
            except subprocess.TimeoutExpired as e:
                return ["no end within 300 s: %s" % " ".join(e.cmd)], []
            found, missed = self.faults(self.written), []
            if plant and not found:
                missed = [what for what, w in property_faults.plants(random.Random(self.seed), self.written)
                          if not self.faults(w)]
            return found, missed


def arguments():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("program")
    p.add_argument("--seconds", type=float, default=0)
    p.add_argument("--cases", type=int, default=0)
    p.add_argument("--seed", type=int, default=None)
    p.add_argument("--first", type=int, default=0)
    return p.parse_args()


def main():
    a = arguments()
    seed = random.randrange(10 ** 6) if a.seed is None else a.seed
    most = a.cases or (10 ** 9 if a.seconds else 100)
    root = os.environ.get("STEPCOST_DATA_PATH") or os.path.join(os.path.dirname(__file__), "..", "..")
    began, bad, n, planted, refused, easy = time.monotonic(), 0, 0, 0, 0, 0
    print("# seed %d" % seed, flush=True)
    for case in range(a.first, a.first + most):
        if a.seconds and time.monotonic() - began > a.seconds:
            break
        plant = case % PLANTED_EVERY == PLANTED_EVERY - 1
        it = Case(os.path.abspath(a.program), root, seed * 1000003 + case)
        found, missed = it.check(plant)
        n, planted = n + 1, planted + plant
        if "refused" in it.written and not found:
            # Once more with cost models that price nearly all.
            it = Case(it.program, root, it.seed, easy=True)
            found, missed_too = it.check(False)
            missed, easy = missed + missed_too, easy + 1
        refused += "refused" in it.written
        if missed:
            found = ["a planted fault was not found: " + ", ".join(missed)]
        for fault in found[:4]:
            print("# %s\n#   again: property.py STEPCOST --seed %d --first %d --cases 1" % (fault, seed, case), flush=True)
        bad += bool(found)
        if n % 100 == 0:
            print("# %d configurations after %.0f s" % (n, time.monotonic() - began), flush=True)
    print("# %d configurations, %d of them refused, also with other cost models than at first (%d tried); "
          "%d with planted faults; %.0f s" % (n, refused, easy, planted, time.monotonic() - began))
    print("%s 1 - what must hold for every configuration holds for %d\n1..1" % ("not ok" if bad else "ok", n - bad))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
