"""The measurements that refit.py fits the coefficients of smooth_roofline to:
served runs, logged steps and prefill steps.  Each class computes the residuals of
given coefficients: lists of (logarithm of predicted over measured, weight).
refit.py describes them.
"""
import collections
import math
import os
import statistics

from files import BENCH_DATA, is_overloaded, rows_of, serving, stepcost

RUNS = "vllm-0.15-open-loop", "vllm-0.11-replay", "vllm-single-stream"
LOGS = "steps-llama-2-70b-tp4", "steps-codellama-34b-tp2"
WEIGHT = {"mean_tpot_ms": 1, "mean_ttft_ms": 0.7}
WEIGHT_LOG = 30
WEIGHT_STEP = 0.01
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
# Time from the client to the scheduler and back, for the protocols prompts and
# prompts_nominal: host (overhead_us + sequence_us * sequences of a step).
CLIENT = {"overhead_us": 6000, "sequence_us": 50, "host_a100": 1, "host_l40s": 1}
RESPONSE_US = 1500  # the part of overhead_us that comes after the step
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


def kind(model):
    moe = "mixtral" in model or "-a" in model
    return ("MoE" if moe else "dense") + (" FP8" if "fp8" in model else " bf16")


def step_weight(model, gpu, tp, prompt):
    """Weight of a step.  Tables of experts at few tokens, and tables of A100,
    disagree with the served runs, so they get less weight."""
    cached, new = (int(x) for x in prompt.split("x")[0].split(":"))
    few_to_experts = kind(model).startswith("MoE") and new < 1024
    return WEIGHT_STEP * (0.3 if few_to_experts or gpu.startswith("a100") else 1)


# --- arms and their answers ----------------------------------------------------

def distinct(points):
    """Returns the different cost models, and the index of each point's model."""
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
    """Returns how much slower the host of a GPU is than that of an H100 or H200."""
    return point.get("host_" + gpu.lower().split("-")[0], 1)


def client_us(point, gpu):
    """Returns {key of a protocol: us}."""
    times = host(point, gpu)
    return {"api_overhead_us": times * point["overhead_us"] - RESPONSE_US,
            "response_overhead_us": RESPONSE_US,
            "response_sequence_us": times * point["sequence_us"]}


def rule(name, rows, us, gpu=""):
    """Returns a rule of an alias file: the time that HTTP adds for these rows."""
    return ("\n[when:%s]\n%sprotocol = %s\n" % (name, rows,
                                               ", ".join(OVER_HTTP)) +
            (gpu and "gpu = %s*\n" % gpu) +
            "".join("protocol.%s = %.4g\n" % kv for kv in us.items()))


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
            self.row.update((r["id"], r) for r in rows_of(serving(name))
                            if not is_overloaded(r))
        self.keys = [(i, m) for i in self.row for m in WEIGHT
                     if self.row[i][m]]

    def client_ms(self, point, row, e2el_ms):
        """Returns the delay of the client, which simulations do not have.  It delays
        the first token and all later ones equally."""
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
        files = [x for name in RUNS
                 for x in ("--measured", serving(name))]
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


def decodes(cell):
    """The number of sequences in a cell such as 716x23;64."""
    return sum(int(d.split("x")[1]) if "x" in d else 1
               for d in cell.split(";") if d)


class Logged:
    """Logged engine steps, grouped by run, number of decodes, and with or without
    prompts."""

    def __init__(self, folder):
        self.folder = folder
        self.size = {(serving(name), r["step"]): decodes(r["decode"]) // 8
                     for name in LOGS for r in rows_of(serving(name))}
        self.count = {k: len(r) for k, r in self.errors([{}])[0].items()}
        self.keys = list(self.count)
        self.steps = collections.Counter()
        for (run, _, _), n in self.count.items():
            self.steps[run] += n

    def errors(self, points):
        """Returns [point]{key: logarithms}."""
        ini = self.folder + "/logged.ini"
        with open(ini, "w") as f:
            f.write(config(points))
        files = [x for name in LOGS
                 for x in ("--steps", serving(name))]
        out = [collections.defaultdict(list) for _ in points]
        rows = self.folder + "/logged.csv"
        stepcost("score", ini, "--baseline", "none", "--time", "total",
                 "--rows", rows, *files)
        for r in rows_of(rows):
            if not r["predicted_us"]:
                continue
            run, _ = r["step"].rsplit("-", 1)
            key = run, r["regime"] != "decode", self.size[r["file"], r["step"]]
            out[int(r["arm"][1:])][key].append(
                math.log(float(r["predicted_us"]) / float(r["measured_us"])))
        return out

    def residuals(self, points):
        knobs, which = distinct(points)
        errors = self.errors(knobs)
        return [[(statistics.median(errors[arm][k]),
                  WEIGHT_LOG * self.count[k] / self.steps[k[0]])
                 for k in self.keys] for arm in which]


def matters(knob, model, gpu):
    """Returns whether a knob affects the price of a prefill step; if not, its
    derivative is 0."""
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
    """Whole prefill steps, measured as sums of kernels that were timed one by one."""

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
                      os.path.abspath(BENCH_DATA) +
                      "\n[cost_model:p0]\nplugin = operators\n")
        self.us = {}
        for case in self.case:
            self.us.update(self.evaluate(text, case)[0])
        self.keys = list(self.us)

    def evaluate(self, text, case):
        """Returns {arm: {(model, gpu, tp, prompt): us}}."""
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
        """Returns the residuals at each point.  moved[i]: the only knob in which point
        i differs from points[0]."""
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
