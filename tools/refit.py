#!/usr/bin/env python3
"""Refits the coefficients of smooth_roofline, and tells what they are worth.

refit.py fit [COLUMN=FILE ...]
                        the coefficients, and those without the served rows and
                        logged steps of each value of COLUMN (model, gpu, run;
                        more values than MOST_FOLDS are dealt into as many
                        groups), into FILE: an alias file for `stepcost validate
                        --aliases`, whose rules give the rows of a fold the
                        coefficients that never saw them
refit.py prefill        the prefill steps against the sums of their kernels

The fit begins from the round numbers of START, which no measurement has seen,
with the prefill steps alone; served runs and logged steps then are added.  Folds
go on from where it ends, without what they leave out, until their own gains are
small: what only that knew gives way to the pull (below) of prefill steps alone.

Prefill steps: `operators` on the measured kernels, 64 to 16,384 tokens, cached
and not, tp 1 to 8, bf16 and FP8.
Served runs: bench_data/serving, as `validate` simulates them, SEEDS seeds;
derivatives from one seed and wide differences: what a simulated queue does is
not smooth.
Logged steps: bench_data/serving/steps-*.csv, without a scheduler; those with
about as many decodes, with prompts and without, are one residual, their median.

Residuals are logarithms of predicted over measured: mean TPOT (weight 1), mean
TTFT (0.7), each log WEIGHT_LOG in all, each prefill step WEIGHT_STEP or less;
soft L1 of scale 0.05.  Levenberg-Marquardt on logarithms of the coefficients
(of p: of p - 1), with a pull to where served runs are added.  With them, what
the client of protocols prompts and prompts_nominal adds to a first token
(CLIENT) is fitted, too.  Folds take residuals at coefficients of their own; they
share derivatives, at the mean of their coefficients: which way to go, not how
far.

Run it at the top of the source tree where stepcost is on PATH or in $STEPCOST.
"""
import collections
import csv
import io
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

STEPCOST = os.environ.get("STEPCOST", "stepcost")
SERVING = "bench_data/serving/"
RUNS = [SERVING + f for f in ("vllm-0.15-open-loop.csv", "vllm-0.11-replay.csv",
                              "vllm-single-stream.csv")]
LOGS = [SERVING + f for f in ("steps-llama-2-70b-tp4.csv",
                              "steps-codellama-34b-tp2.csv")]
WEIGHT = {"mean_tpot_ms": 1, "mean_ttft_ms": 0.7}
WEIGHT_LOG = 30
WEIGHT_STEP = 0.01
SCALE = 0.05
STEP, REACH, RIDGE = 0.1, 0.4, 3e-3
SEEDS = 3
MOST_FOLDS = 12
MOST_ITERATIONS = 24
DAMPING, MOST_DAMPING = 0.03, 30
SMALL = 1e-3    # done: two gains as small, or MOST_DAMPING
SATURATED = "SATURATED", "NEAR_KV_SATURATION", "BURST_"
# hardly any served row depends on these, or (emc_fp8, those of A100) only such as
# are not understood: prefill steps alone tell them
KERNELS_ONLY = ("ec_a100", "ec_fp8", "ec_fp8_l40s", "ep_a100", "emc_a100",
                "emc_l40s", "emc_fp8", "emc_fp8_l40s", "arw_a100", "arw_l40s",
                "arb", "arb_a100", "arb_l40s", "arh", "etile")
START = {
    "ew": .8, "ew_a100": .8, "ew_l40s": .8, "ekv": .8, "ekv_a100": .7,
    "ekv_l40s": .8, "ec": .7, "ec_a100": .7, "ec_l40s": .7, "ec_fp8": .6,
    "ec_fp8_l40s": .6, "ep": .5, "ep_a100": .5, "ep_l40s": .5, "ept_us": 5,
    "edt_us": 8, "edt_us_a100": 15, "edt_us_l40s": 8,
    "kvq": 30, "p": 3, "pel": 3, "ara_us": 5, "arl_us": 2, "art_us": 5,
    "arw": .6, "arw_a100": .5, "arw_l40s": .6, "arb": .6, "arb_a100": .5,
    "arb_l40s": .6, "arh": .25, "moel_us": 50, "emoe": .8, "emc": .7,
    "emc_a100": .7, "emc_l40s": .6, "emc_fp8": .6, "emc_fp8_l40s": .6,
    "etile": 100, "csv": 100, "csq": 10, "cl_us": 10, "c0_us": 1000}
# From the client to the scheduler and back, of protocols prompts and
# prompts_nominal: host (overhead_us + sequence_us * sequences of a step)
CLIENT = {"overhead_us": 6000, "sequence_us": 50, "host_a100": 1, "host_l40s": 1}
RESPONSE_US = 1500  # of overhead_us: behind the step
OVER_HTTP = "prompts", "prompts_nominal"
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

def distinct(points):
    """cost models, and which of them each point has"""
    knobs, which = [], []
    for point in points:
        own = {n: v for n, v in point.items() if n not in CLIENT}
        if own not in knobs:
            knobs.append(own)
        which.append(knobs.index(own))
    return knobs, which


def arms(knobs):
    text = ""
    for i, point in enumerate(knobs):
        text += "[cost_model:p%d]\nplugin = smooth_roofline\n" % i
        text += "".join("%s = %r\n" % kv for kv in point.items())
    return text


def config(knobs, more=""):
    return ("[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n" +
            arms(knobs) + more)


def host(point, gpu):
    """how much slower than that of an H100 or H200"""
    return point.get("host_" + gpu.lower().split("-")[0], 1)


def client_us(point, gpu):
    """{key of a protocol: us}"""
    times = host(point, gpu)
    return {"api_overhead_us": times * point["overhead_us"] - RESPONSE_US,
            "response_overhead_us": RESPONSE_US,
            "response_sequence_us": times * point["sequence_us"]}


def rule(name, rows, us, gpu=""):
    """of an alias file: what HTTP adds for those rows"""
    return ("\n[when:%s]\n%sprotocol = %s\n" % (name, rows,
                                               ", ".join(OVER_HTTP)) +
            (gpu and "gpu = %s*\n" % gpu) +
            "".join("protocol.%s = %.4g\n" % kv for kv in us.items()))


def stepcost(*args):
    done = subprocess.run([STEPCOST, *args, "--quiet", "--format", "csv"],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit("stepcost %s: %d: %s" % (" ".join(args), done.returncode,
                                          done.stderr))
    return list(csv.DictReader(io.StringIO(done.stdout)))


def number(text):
    return float(text) if text else math.nan


class Served:
    """Mean latencies of measured runs, simulated."""

    def __init__(self, folder, name, more):
        self.folder = folder
        self.aliases = folder + "/" + name + ".ini"
        with open(self.aliases, "w") as f:
            for protocol in OVER_HTTP:
                f.write("[protocol:%s]\n%s" % (protocol, more))
            f.write(rule("no-client", "",
                         {k: 0 for k in client_us(CLIENT, "")}))
        self.row = {}
        for name in RUNS:
            with open(name) as f:
                for r in csv.DictReader(f):
                    if not any(s in r["flags"] for s in SATURATED):
                        self.row[r["id"]] = r
        self.keys = [(i, m) for i in self.row for m in WEIGHT
                     if self.row[i][m]]

    def client_ms(self, point, row, e2el_ms):
        """simulations have no client: it delays first tokens, and all others
        as much"""
        is_ = self.row[row]
        if is_["protocol"] not in OVER_HTTP:
            return 0
        us = client_us(point, is_["gpu"])
        each = us.pop("response_sequence_us")
        running = float(is_["request_rate"]) * e2el_ms / 1000
        return (sum(us.values()) + each * running) / 1000

    def residuals(self, points):
        ini = self.folder + "/served.ini"
        knobs, which = distinct(points)
        with open(ini, "w") as f:
            f.write(config(knobs))
        files = [x for name in RUNS for x in ("--measured", name)]
        found = collections.defaultdict(dict)
        for r in stepcost("validate", ini, "--aliases", self.aliases, *files):
            found[int(r["arm"][1:])][r["id"]] = r
        out = []
        for point, arm in zip(points, which):
            out.append([])
            for row, metric in self.keys:
                told = found[arm].get(row, {})
                is_ = number(told.get(metric, ""))
                if metric == "mean_ttft_ms":
                    e2el_ms = number(told.get("mean_e2el_ms", ""))
                    is_ += self.client_ms(point, row, e2el_ms)
                r = math.log(is_ / float(self.row[row][metric]))
                out[-1].append((r, WEIGHT[metric]) if math.isfinite(r)
                               else (0, 0))
        return out


class Logged:
    """Engine steps as logged, by run, number of decodes, and with prompts or
    without."""

    def __init__(self, folder):
        self.folder = folder
        self.count = {k: len(r) for k, r in self.errors([{}])[0].items()}
        self.keys = list(self.count)
        self.steps = collections.Counter()
        for (run, _, _), n in self.count.items():
            self.steps[run] += n

    def errors(self, points):
        """[point]{key: logarithms}"""
        ini = self.folder + "/logged.ini"
        with open(ini, "w") as f:
            f.write(config(points))
        files = [x for name in LOGS for x in ("--measured-steps", name)]
        out = [collections.defaultdict(list) for _ in points]
        for r in stepcost("validate", ini, *files):
            key = r["run"], r["n_prefill"] != "0", int(r["n_decode"]) // 8
            out[int(r["arm"][1:])][key].append(
                math.log(float(r["total_us"]) / float(r["interval_us"])))
        return out

    def residuals(self, points):
        knobs, which = distinct(points)
        errors = self.errors(knobs)
        return [[(statistics.median(errors[arm][k]),
                  WEIGHT_LOG * self.count[k] / self.steps[k[0]])
                 for k in self.keys] for arm in which]


def matters(knob, model, gpu):
    """to the price of a prefill step; where not, its derivative is 0"""
    family = gpu.split("-")[0] if gpu in ("a100-80-sxm", "l40s") else ""
    own = knob.rpartition("_")[2] if knob.endswith(("_a100", "_l40s")) else ""
    shared = knob + "_a100" not in START and not knob.endswith("_fp8")
    if knob in CLIENT or knob in ("kvq", "csv") or knob.startswith("edt"):
        return False
    if own != family and (own or not shared):
        return False
    if knob.startswith(("emc", "emoe", "moel", "etile")):
        return kind(model).startswith("MoE")
    return True


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
        text = config([], "[tables]\nset = auto\npath = " +
                      os.path.abspath("bench_data") +
                      "\n[cost_model:p0]\nplugin = operators\n")
        self.us = {}
        for case in self.case:
            self.us.update(self.evaluate(text, case)[0])
        self.keys = list(self.us)

    def evaluate(self, text, case):
        """{arm: {(model, gpu, tp, prompt): us}}"""
        ini = self.folder + "/steps.ini"
        with open(ini, "w") as f:
            f.write(text)
        found = collections.defaultdict(dict)
        for r in stepcost("eval", ini, "--steps", self.csv, "--in-process",
                          "--set", "model.config=" + case[0],
                          "--set", "hardware.config=" + case[1],
                          "--set", "engine.tensor_parallel_size=%d" % case[2]):
            found[int(r["arm"][1:])][case + (r["step"],)] = float(r["total_us"])
        return found

    def residuals(self, points, moved=None):
        """moved[i]: all that differs from points[0], if that is one knob"""
        out = [[] for _ in points]
        for case in self.case:
            tell = [i for i in range(len(points)) if not i or not moved or
                    matters(moved[i], case[0], case[1])]
            knobs, which = distinct([points[i] for i in tell])
            found = self.evaluate(config(knobs), case)
            of = dict(zip(tell, (found[arm] for arm in which)))
            for i in range(len(points)):
                at = of.get(i, of[0])
                out[i] += [(math.log(at[case + (p,)] / self.us[case + (p,)]),
                            step_weight(*case, p))
                           for p in PROMPTS]
        return out


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
    """Coefficients x, as parameters, and what they are fitted to."""

    def __init__(self, folder):
        knobs = [k for k in described() if k["type"] == "double"]
        self.names = [k["name"] for k in knobs] + list(CLIENT)
        self.range = ([(float(k["min"]), float(k["max"])) for k in knobs] +
                      [(0, 1e6)] * len(CLIENT))
        self.start = self.of({**START, **CLIENT})
        self.steps = Steps(folder)
        self.logged = Logged(folder)
        self.served = Served(folder, "whole", "seeds = %d\n" % SEEDS)
        self.once = Served(folder, "once", "seeds = 1\n")

    def of(self, values):
        return [self.parameter(n, values[n]) for n in self.names]

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

    def residuals(self, xs, kernels_alone):
        """of each x: served rows, logged steps (neither: kernels_alone), then
        prefill steps"""
        points = [self.point(x) for x in xs]
        told = [self.steps] if kernels_alone else [self.served, self.logged,
                                                   self.steps]
        return [sum(of, []) for of in zip(*(t.residuals(points)
                                            for t in told))]

    def measured(self):
        """of each residual of a served row or of logged steps: the row, or one
        of that run"""
        of = {r["run"]: r for r in self.served.row.values()}
        run = {key[0]: next(of[name] for name in of if key[0] in name)
               for key in self.logged.keys}
        return ([self.served.row[row] for row, _ in self.served.keys] +
                [run[key[0]] for key in self.logged.keys])

    def moved(self, x, j):
        up = x[:]
        up[j] += STEP
        if self.clip(up)[j] != up[j]:
            up[j] -= 2 * STEP
        return up

    def derivatives(self, x, kernels_alone):
        """[residual][parameter] at x"""
        points = [x] + [self.moved(x, j) for j in range(len(x))]
        all_ = self.steps.residuals([self.point(p) for p in points],
                                    [None] + self.names)
        if not kernels_alone:
            tell = [j for j, n in enumerate(self.names)
                    if n not in KERNELS_ONLY]
            some = [self.point(points[j]) for j in [0] + [j + 1 for j in tell]]
            run = [a + b for a, b in zip(self.once.residuals(some),
                                         self.logged.residuals(some))]
            of = {j + 1: r for j, r in zip(tell, run[1:])}
            all_ = [of.get(j, run[0]) + r for j, r in enumerate(all_)]
        return [[(all_[j + 1][i][0] - all_[0][i][0]) / (points[j + 1][j] - x[j])
                 for j in range(len(x))] for i in range(len(all_[0]))]

    def improved(self, xs, prior, kernels_alone, left_out):
        """xs, each moved to where its residuals but those left out are least;
        a step that does not help is tried again with more damping"""
        def cost(i, r, x):
            kept = [(v, 0 if k in left_out[i] else w)
                    for k, (v, w) in enumerate(r)]
            return cost_of(kept, x, prior)

        rs = self.residuals(xs, kernels_alone)
        costs = [cost(i, r, x) for i, (r, x) in enumerate(zip(rs, xs))]
        damping, small = [DAMPING] * len(xs), [0] * len(xs)
        going, moved = list(range(len(xs))), True
        for k in range(MOST_ITERATIONS):
            if moved:
                mean = [sum(column) / len(going)
                        for column in zip(*(xs[i] for i in going))]
                jacobian = self.derivatives(mean, kernels_alone)
            tries = [self.solved(xs[i], rs[i], jacobian, prior, damping[i],
                                 left_out[i]) for i in going]
            moved, still = False, []
            for i, x, r in zip(going, tries, self.residuals(tries,
                                                            kernels_alone)):
                now = cost(i, r, x)
                gain = 1 - now / costs[i]
                damping[i] *= 1 / 3 if gain > 0 else 4
                if gain > 0:
                    xs[i], rs[i], costs[i], moved = x, r, now, True
                    small[i] = small[i] + 1 if gain < SMALL else 0
                if damping[i] < MOST_DAMPING and small[i] < 2:
                    still.append(i)
            print("; %s %d: %.5f, %d going on" %
                  ("kernels" if kernels_alone else "all", k,
                   sum(costs) / len(costs), len(still)), flush=True)
            going = still
            if not going:
                break
        return xs, rs

    def solved(self, x0, r0, jacobian, prior, damping, left_out):
        """x, no parameter farther than REACH from x0, where the residuals but
        those left out are met best, on the derivatives; damping holds back
        what is not well known"""
        kept = [(r, 0 if i in left_out else w) for i, (r, w) in enumerate(r0)]
        x, now = x0[:], kept
        for _ in range(20):
            a, b = normal(now, jacobian, x, prior)
            for j in range(len(x)):
                hold = damping * a[j][j]
                a[j][j] += hold
                b[j] -= hold * (x[j] - x0[j])
            move = [max(-REACH, min(REACH, v + max(-.1, min(.1, e)) - o))
                    for v, e, o in zip(x, solve(a, b), x0)]
            x = self.clip([o + m for o, m in zip(x0, move)])
            move = [v - o for v, o in zip(x, x0)]
            now = [(r + sum(g * m for g, m in zip(row, move) if g), w)
                   for (r, w), row in zip(kept, jacobian)]
        return x

    def by_kernels(self):
        """where served runs are added: no more digits than it is good for"""
        xs, _ = self.improved([self.start], self.start, True, [()])
        return self.of({n: float("%.4g" % v)
                        for n, v in self.point(xs[0]).items()})


# --- commands ------------------------------------------------------------------

def described():
    text = subprocess.run([STEPCOST, "plugins", "describe", "smooth_roofline",
                           "--format", "json"], capture_output=True,
                          text=True).stdout
    return json.loads(text)["knobs"]


def percent(r):
    return 100 * (math.exp(r) - 1)


def table(title, groups):
    print("; %-34s %5s %6s %6s" % (title, "rows", "mean", "bias"))
    for name in sorted(groups, key=str):
        e = [percent(r) for r in groups[name]]
        words = name if isinstance(name, str) else ", ".join(map(str, name))
        print("; %-34s %5d %6.2f %+6.2f" % (words, len(e),
              sum(map(abs, e)) / len(e), sum(e) / len(e)))


def kind(model):
    moe = "mixtral" in model or "-a" in model
    return ("MoE" if moe else "dense") + (" FP8" if "fp8" in model else " bf16")


def cached(prompt):
    return "uncached" if prompt.startswith("0:") else "cached"


def tell_steps(steps, residuals):
    for title, key in (("cached or not", lambda k: cached(k[3])),
                       ("GPU", lambda k: (k[1], cached(k[3]))),
                       ("GPU and kind",
                        lambda k: (k[1], kind(k[0]), cached(k[3]))),
                       ("tp", lambda k: "tp %d" % k[2]),
                       ("model", lambda k: k[0]), ("prompt", lambda k: k[3])):
        groups = collections.defaultdict(list)
        for k, (r, _) in zip(steps.keys, residuals):
            groups[key(k)].append(r)
        table("prefill steps by " + title, groups)


def tell_order(steps, residuals):
    """Where kernels say that one GPU is faster by a twentieth or more."""
    us = {k: (steps.us[k], steps.us[k] * math.exp(r))
          for k, (r, _) in zip(steps.keys, residuals)}
    print("; which of two GPUs is faster        pairs reversed")
    for i, one in enumerate(GPUS):
        for other in GPUS[i + 1:]:
            both = [(v, us[k[0], other, k[2], k[3]]) for k, v in us.items()
                    if k[1] == one and (k[0], other, k[2], k[3]) in us]
            told = [(a, b) for a, b in both
                    if abs(math.log(a[0] / b[0])) > math.log(1.05)]
            print("; %-34s %5d %5d" % (one + ", " + other, len(told),
                  sum((a[0] < b[0]) != (a[1] < b[1]) for a, b in told)))


def tell_served(served, residuals):
    groups = collections.defaultdict(list)
    for (row, metric), (r, w) in zip(served.keys, residuals):
        if w:
            groups[metric].append(r)
            groups["%s %s" % (metric, served.row[row]["model"])].append(r)
    table("served runs", groups)


def client_rules(name, rows, point):
    text = rule(name, rows, client_us(point, ""))
    for gpu in (n[len("host_"):] for n in CLIENT if n.startswith("host_")):
        text += rule(name + "-" + gpu, rows, client_us(point, gpu), gpu)
    return text


HEAD_OF_FOLDS = """\
; Coefficients of smooth_roofline fitted without some of the runs each, by %s:
; for errors that are not those of a fit (tools/accuracy.sh).  Made by
; tools/refit.py fit.
"""


def folds_of(fit, column):
    """lists of values; those that follow each other are alike: a fold of runs
    lacks no model that has several"""
    names = sorted({row[column] for row in fit.measured()})
    return [names[k::MOST_FOLDS] for k in range(min(MOST_FOLDS, len(names)))]


def write_folds(fit, prior, begin, file_of):
    folds = [(column, fold) for column in file_of
             for fold in folds_of(fit, column)]
    left_out = [{i for i, row in enumerate(fit.measured())
                 if row[column] in fold} for column, fold in folds]
    xs, _ = fit.improved([begin] * len(folds), prior, False, left_out)
    for column, name in file_of.items():
        mine = [(fold, x) for (c, fold), x in zip(folds, xs) if c == column]
        with open(name, "w") as f:
            f.write(HEAD_OF_FOLDS % column)
            for k, (fold, x) in enumerate(mine, 1):
                rows = "%s = %s\n" % (column, ", ".join(fold))
                point = fit.point(x)
                f.write("\n[when:fold%d]\n%s" % (k, rows))
                f.writelines("arm.%s = %.6g\n" % nv for nv in point.items()
                             if nv[0] not in CLIENT)
                f.write(client_rules("fold%d-client" % k, rows, point))


def do_fit(folder, file_of):
    fit = Fit(folder)
    prior = fit.by_kernels()
    (x,), (r,) = fit.improved([prior], prior, False, [()])
    point = fit.point(x)
    for n, v in point.items():
        if n not in CLIENT:
            print("%s = %.6g" % (n, v))
    print(client_rules("client", "", point))
    tell_served(fit.served, r)
    tell_steps(fit.steps, r[-len(fit.steps.keys):])
    if file_of:
        write_folds(fit, prior, x, file_of)


def do_prefill(folder):
    steps = Steps(folder)
    residuals = steps.residuals([{}])[0]
    tell_steps(steps, residuals)
    tell_order(steps, residuals)


if __name__ == "__main__":
    what = sys.argv[1:]
    with tempfile.TemporaryDirectory() as tmp:
        if what[:1] == ["fit"] and all("=" in w for w in what[1:]):
            do_fit(tmp, dict(w.split("=", 1) for w in what[1:]))
        elif what == ["prefill"]:
            do_prefill(tmp)
        else:
            sys.exit(__doc__)
