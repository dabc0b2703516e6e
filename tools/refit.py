#!/usr/bin/env python3
"""Refits the coefficients of smooth_roofline, and tells what they are worth.

refit.py fit [ITERATIONS]   to served runs and to whole prefill steps at once
refit.py folds COLUMN       refitted without the served rows of each value of
                            COLUMN (model, gpu, run): an alias file for
                            `stepcost validate --aliases`, whose rules give the
                            rows of a fold the coefficients that never saw them
refit.py prefill            the prefill steps against the sums of their kernels

Served runs: bench_data/serving, as `validate` simulates them; derivatives from
stages cut to 80 s and one seed.  Prefill steps:
`operators` on the measured kernels, 64 to 16,384 tokens, cached and not, tp 1
to 8, bf16 and FP8.  Residuals are logarithms of predicted over measured: mean
TPOT (weight 1), mean TTFT (0.7), each step 0.01 or less; soft L1 of scale 0.05; Gauss-Newton on
logarithms of the coefficients (of p: of p - 1), with a pull to those that it
starts from.  `folds` makes the one step from the fit's optimum that the
remaining rows ask for, on the derivatives there.

Run it at the top of the source tree where stepcost is on PATH or in $STEPCOST.
It starts from the plugin's defaults, or from those in $START (lines of `fit`).
"""
import collections
import csv
import io
import math
import os
import subprocess
import sys
import tempfile

STEPCOST = os.environ.get("STEPCOST", "stepcost")
SERVING = "bench_data/serving/"
RUNS = [SERVING + f for f in ("vllm-0.15-open-loop.csv", "vllm-0.11-replay.csv",
                              "vllm-single-stream.csv")]
WEIGHT = {"mean_tpot_ms": 1, "mean_ttft_ms": 0.7}
WEIGHT_STEP = 0.01
SCALE = 0.05
STEP, RIDGE = 0.03, 3e-3
SATURATED = "SATURATED", "NEAR_KV_SATURATION", "BURST_"
# hardly any served row depends on these: prefill steps alone tell them
KERNELS_ONLY = ("ec_fp8", "ec_fp8_l40s", "emc_a100", "emc_l40s", "emc_fp8_l40s",
                "arw_l40s", "arb_l40s", "arh", "arw_a100", "arb", "arb_a100",
                "etile")
MODELS = {
    "llama-3.1-8b": (1, 2, 4, 8), "llama-2-7b": (1, 2), "qwen3-14b": (1, 2, 4),
    "qwen3-32b": (1, 4, 8), "codellama-34b": (2, 4), "llama-2-70b": (4, 8),
    "llama-3.1-70b": (2, 4), "mistral-nemo-12b": (1, 2),
    "mixtral-8x7b": (2, 4), "mixtral-8x22b": (4, 8),
    "qwen3-30b-a3b": (1, 2, 4), "qwen3-235b-a22b": (4, 8),
    "llama-3.1-8b-fp8": (1, 2, 4), "llama-3.1-70b-fp8": (1, 4, 8),
    "qwen3-32b-fp8": (1, 2), "mixtral-8x7b-fp8": (1, 4),
    "qwen3-235b-a22b-fp8": (4, 8)}
GPUS = "h100-sxm", "h200-sxm", "a100-80-sxm", "l40s"
PROMPTS = ["0:%d" % n for n in (128, 256, 512, 1024, 2048, 4096, 8192, 16384)] + [
    "960:64", "3840:256", "512:512", "3072:1024", "6144:2048", "0:512x4",
    "0:256x8"]


def step_weight(model, gpu, tp, prompt):
    """Tables of experts at few tokens, and those of A100, disagree with what
    was served: they have less to say."""
    cached, new = (int(x) for x in prompt.split("x")[0].split(":"))
    few_to_experts = kind(model).startswith("MoE") and new < 1024
    return WEIGHT_STEP * (0.3 if few_to_experts or gpu.startswith("a100") else 1)


# --- arms and what they answer -------------------------------------------------

def arms(points):
    text = ""
    for i, point in enumerate(points):
        text += "[cost_model:p%d]\nplugin = smooth_roofline\n" % i
        text += "".join("%s = %r\n" % kv for kv in point.items())
    return text


def config(points, more=""):
    return ("[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n" +
            arms(points) + more)


def stepcost(*args):
    done = subprocess.run([STEPCOST, *args, "--quiet", "--format", "csv"],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def number(text):
    return float(text) if text else math.nan


class Served:
    """Mean latencies of measured runs, simulated."""

    def __init__(self, folder, name="short", seconds=80, seeds=1):
        self.folder = folder
        self.aliases = folder + "/" + name + ".ini"
        with open(self.aliases, "w") as f:
            for kind_ in ("prompts", "prompts_nominal"):
                f.write("[protocol:%s]\nkind = prompts\nseeds = %d\n"
                        "max_stage_s = %g\n" % (kind_, seeds, seconds))
                if kind_ != "prompts":
                    f.write("input_scale = 1.05\n")
        self.row = {}
        for name in RUNS:
            with open(name) as f:
                for r in csv.DictReader(f):
                    if not any(s in r["flags"] for s in SATURATED):
                        self.row[r["id"]] = r
        self.keys = [(i, m) for i in self.row for m in WEIGHT
                     if self.row[i][m]]

    def residuals(self, points):
        ini = self.folder + "/served.ini"
        with open(ini, "w") as f:
            f.write(config(points))
        files = [x for name in RUNS for x in ("--measured", name)]
        found = collections.defaultdict(dict)
        for r in stepcost("validate", ini, "--aliases", self.aliases, *files):
            found[int(r["arm"][1:])][r["id"]] = r
        out = []
        for i in range(len(points)):
            out.append([])
            for row, metric in self.keys:
                is_ = number(found[i].get(row, {}).get(metric, ""))
                r = math.log(is_ / float(self.row[row][metric]))
                out[-1].append((r, WEIGHT[metric]) if math.isfinite(r)
                               else (0, 0))
        return out


class Steps:
    """Whole prefill steps, as kernels measured one by one add up."""

    def __init__(self, folder):
        self.folder = folder
        self.csv = folder + "/steps.csv"
        with open(self.csv, "w") as f:
            f.write("step,decode,prefill\n")
            f.writelines("%s,,%s\n" % (p, p) for p in PROMPTS)
        self.case = [(m, g, tp) for m in MODELS for g in GPUS
                     for tp in MODELS[m]
                     if not (m.endswith("fp8") and g.startswith("a100"))]
        kernels = self.evaluate(config([], "[tables]\nset = auto\npath = " +
                                       os.path.abspath("bench_data") +
                                       "\n[cost_model:p0]\nplugin = operators\n"))
        self.us = kernels[0]
        self.keys = list(self.us)

    def evaluate(self, text):
        ini = self.folder + "/steps.ini"
        with open(ini, "w") as f:
            f.write(text)
        found = collections.defaultdict(dict)
        for m, g, tp in self.case:
            for r in stepcost("eval", ini, "--steps", self.csv,
                              "--set", "model.config=" + m,
                              "--set", "hardware.config=" + g,
                              "--set", "engine.tensor_parallel_size=%d" % tp):
                found[int(r["arm"][1:])][m, g, tp, r["step"]] = float(r["total_us"])
        return found

    def residuals(self, points):
        found = self.evaluate(config(points))
        return [[(math.log(found[i][k] / self.us[k]), step_weight(*k))
                 for k in self.keys] for i in range(len(points))]


# --- least squares -------------------------------------------------------------

def solve(a, b):
    n = len(b)
    m = [a[i][:] + [b[i]] for i in range(n)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(m[r][i]))
        m[i], m[p] = m[p], m[i]
        for r in range(i + 1, n):
            f = m[r][i] / m[i][i]
            for c in range(i, n + 1):
                m[r][c] -= f * m[i][c]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (m[i][n] - sum(m[i][c] * x[c] for c in range(i + 1, n))) / m[i][i]
    return x


def cost_of(residuals, x, prior):
    robust = sum(w * 2 * SCALE ** 2 * (math.sqrt(1 + (r / SCALE) ** 2) - 1)
                 for r, w in residuals)
    return robust + RIDGE * sum((a - b) ** 2 for a, b in zip(x, prior))


def normal(residuals, jacobian, x, prior):
    n = len(x)
    a = [[0.0] * n for _ in range(n)]
    b = [0.0] * n
    for (r, w), row in zip(residuals, jacobian):
        w /= math.sqrt(1 + (r / SCALE) ** 2)
        some = [j for j in range(n) if row[j]] if w else []
        for j in some:
            b[j] -= w * row[j] * r
            for k in some:
                a[j][k] += w * row[j] * row[k]
    for j in range(n):
        a[j][j] += RIDGE
        b[j] -= RIDGE * (x[j] - prior[j])
    return a, b


class Fit:
    def __init__(self, folder, start):
        self.names = [n for n, _, _ in start]
        self.range = [(lo, hi) for _, _, (lo, hi) in start]
        self.x = [self.parameter(n, v) for n, v, _ in start]
        self.prior = self.x[:]
        self.served, self.steps = Served(folder), Steps(folder)
        self.whole = Served(folder, "whole", 600, 3)

    @staticmethod
    def parameter(name, v):
        return math.log(v - 1 if name == "p" else v)

    def point(self, x):
        return {n: 1 + math.exp(v) if n == "p" else math.exp(v)
                for n, v in zip(self.names, x)}

    def clip(self, x):
        out = []
        for n, v, (lo, hi) in zip(self.names, x, self.range):
            least = self.parameter(n, lo) if lo > (n == "p") else -12
            out.append(min(self.parameter(n, hi), max(least, v)))
        return out

    def residuals(self, xs):
        points = [self.point(x) for x in xs]
        return [a + b for a, b in zip(self.whole.residuals(points),
                                      self.steps.residuals(points))]

    def moved(self, j):
        up = self.x[:]
        up[j] += STEP
        if self.clip(up)[j] != up[j]:
            up[j] -= 2 * STEP
        return up

    def derivatives(self):
        """residuals at x, and their derivatives [residual][parameter]"""
        n = len(self.x)
        points = [self.x] + [self.moved(j) for j in range(n)]
        served = self.served.residuals(
            [self.point(p) for j, p in enumerate(points)
             if not j or self.names[j - 1] not in KERNELS_ONLY])
        of = iter(served)
        served = [next(of) if not j or self.names[j - 1] not in KERNELS_ONLY
                  else None for j in range(n + 1)]
        steps = self.steps.residuals([self.point(p) for p in points])
        all_ = [(served[j] or served[0]) + steps[j] for j in range(n + 1)]
        jacobian = [[(all_[j + 1][i][0] - all_[0][i][0]) /
                     (points[j + 1][j] - self.x[j]) for j in range(n)]
                    for i in range(len(all_[0]))]
        return self.residuals([self.x])[0], jacobian

    def improve(self, iterations):
        for k in range(iterations):
            r0, jacobian = self.derivatives()
            before = cost_of(r0, self.x, self.prior)
            goal = self.solved(r0, jacobian, self.prior, 0.4)
            tries = [[v + share * (g - v) for v, g in zip(self.x, goal)]
                     for share in (1, 0.4)]
            after = [cost_of(r, x, self.prior)
                     for x, r in zip(tries, self.residuals(tries))]
            best = min((0, 1), key=lambda i: after[i])
            if after[best] < before:
                self.x = tries[best]
            for n, v in self.point(self.x).items():
                print("%s = %.6g" % (n, v))
            print("; %d: %.5f to %.5f" % (k, before, after[best]), flush=True)
            if after[best] > before * (1 - 5e-3):
                break

    def solved(self, r0, jacobian, prior, reach, left_out=()):
        """x, no parameter farther than `reach` from self.x, where the residuals
        but those left out are met best, on the derivatives at self.x"""
        kept = [(r, 0 if i in left_out else w) for i, (r, w) in enumerate(r0)]
        x, now = self.x[:], kept
        for _ in range(20):
            a, b = normal(now, jacobian, x, prior)
            move = [max(-reach, min(reach, v + max(-.1, min(.1, e)) - o))
                    for v, e, o in zip(x, solve(a, b), self.x)]
            x = self.clip([o + m for o, m in zip(self.x, move)])
            move = [v - o for v, o in zip(x, self.x)]
            now = [(r + sum(g * m for g, m in zip(row, move) if g), w)
                   for (r, w), row in zip(kept, jacobian)]
        return x


# --- commands ------------------------------------------------------------------

def start():
    """[(knob, value, (least, greatest))] of all coefficients"""
    text = subprocess.run([STEPCOST, "plugins", "describe", "smooth_roofline",
                           "--format", "json"], capture_output=True,
                          text=True).stdout
    import json
    own = {}
    if os.environ.get("START"):
        with open(os.environ["START"]) as f:
            own = dict(line.split(" = ") for line in f if " = " in line)
    return [(k["name"], float(own.get(k["name"], k["default"])),
             (float(k["min"]), float(k["max"])))
            for k in json.loads(text)["knobs"] if k["type"] == "double"]


def percent(r):
    return 100 * (math.exp(r) - 1)


def table(title, groups):
    print("; %-34s %5s %6s %6s" % (title, "rows", "mean", "bias"))
    for name in sorted(groups, key=str):
        e = [percent(r) for r in groups[name]]
        print("; %-34s %5d %6.2f %+6.2f" % (name, len(e),
              sum(map(abs, e)) / len(e), sum(e) / len(e)))


def kind(model):
    moe = "mixtral" in model or "-a" in model
    return ("MoE" if moe else "dense") + (" FP8" if "fp8" in model else " bf16")


def tell_steps(steps, residuals):
    for title, key in (("GPU", lambda k: k[1]),
                       ("GPU and kind", lambda k: (k[1], kind(k[0]))),
                       ("tp", lambda k: k[2]),
                       ("model", lambda k: k[0]), ("prompt", lambda k: k[3])):
        groups = collections.defaultdict(list)
        for k, (r, _) in zip(steps.keys, residuals):
            groups[key(k)].append(r)
        table("prefill steps by " + title, groups)


def tell_served(served, residuals):
    groups = collections.defaultdict(list)
    for (row, metric), (r, w) in zip(served.keys, residuals):
        if w:
            groups[metric].append(r)
            groups["%s %s" % (metric, served.row[row]["model"])].append(r)
    table("served runs", groups)


def do_fit(folder, iterations):
    fit = Fit(folder, start())
    fit.improve(iterations)
    r = fit.residuals([fit.x])[0]
    n = len(fit.served.keys)
    tell_served(fit.served, r[:n])
    tell_steps(fit.steps, r[n:])


def do_folds(folder, column):
    fit = Fit(folder, start())
    r0, jacobian = fit.derivatives()
    value = {row: r[column] for row, r in fit.served.row.items()}
    for number, fold in enumerate(sorted(set(value.values())), 1):
        left_out = {i for i, (row, _) in enumerate(fit.served.keys)
                    if value[row] == fold}
        x = fit.solved(r0, jacobian, fit.x, 0.4, left_out)
        print("\n[when:fold%d]\n%s = %s" % (number, column, fold))
        for n, v in fit.point(x).items():
            print("arm.%s = %.6g" % (n, v))


def do_prefill(folder):
    steps = Steps(folder)
    tell_steps(steps, steps.residuals([{}])[0])


if __name__ == "__main__":
    what = sys.argv[1:]
    with tempfile.TemporaryDirectory() as tmp:
        if what[:1] == ["fit"] and len(what) <= 2:
            do_fit(tmp, int((what + ["12"])[1]))
        elif what[:1] == ["folds"] and len(what) == 2:
            do_folds(tmp, what[1])
        elif what == ["prefill"]:
            do_prefill(tmp)
        else:
            sys.exit(__doc__)
