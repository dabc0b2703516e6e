"""The frozen schedule, computed a second time: from --write-steps,
--write-requests and `eval` alone, and compared with what --why says.

    why.py STEPCOST SOURCE FOLDER     writes TAP; files go to FOLDER
"""
import bisect
import csv
import json
import os
import random
import subprocess
import sys

from tap import done, ok

csv.field_size_limit(10**9)
HOST, SOURCE, FOLDER = sys.argv[1:4]
METRICS = ("mean_ttft_ms", "mean_tpot_ms", "mean_e2el_ms")


def near(a, b, rel=1e-6, floor=0.0):
    return abs(a - b) <= rel * max(abs(a), abs(b)) + floor


def run(*args):
    done = subprocess.run([HOST, *args, "--quiet"], cwd=FOLDER,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise SystemExit("Bail out! %s: %s" % (" ".join(args),
                                               done.stderr.decode()))
    return done.stdout.decode()


# ---- the reference ----------------------------------------------------------

class Clock:
    """Moments of a replica's recorded time under other step times."""

    def __init__(self):
        self.start, self.end, self.slope, self.shift = [], [], [], [0.0]

    def add(self, start, end, lasts):
        """Steps in order; lasts: ns under the other prices."""
        begin = max(start, self.end[-1]) if self.end else start
        if begin >= end:
            return
        self.start.append(begin)
        self.end.append(end)
        self.slope.append(lasts / (end - start))
        self.shift.append(self.shift[-1] +
                          (end - begin) * (self.slope[-1] - 1))

    def shift_at(self, t):
        i = bisect.bisect_right(self.start, t) - 1
        if i < 0:
            return 0.0
        inside = min(t, self.end[i]) - self.start[i]
        return self.shift[i] + inside * (self.slope[i] - 1)


class Run:
    """One arm's own run."""

    def __init__(self, arm):
        self.arm = arm
        self.steps, self.requests = [], []

    def frozen(self, lasts):
        """Means in ms when step i lasts lasts[i] ns."""
        clock = {}
        for row, ns in zip(self.steps, lasts):
            clock.setdefault(row["replica"], Clock()).add(
                int(row["start_ns"]), int(row["end_ns"]), ns)
        sums, n, several = [0.0, 0.0, 0.0], 0, 0
        for q in self.requests:
            first, more = int(q["first_token_ns"]), [0.0, 0.0]
            for stay in q["stays"].split(";"):
                replica, span = stay.split(":")
                begin, end = map(int, span.split("-"))
                cut = min(max(first, begin), end)
                shift = clock.setdefault(replica, Clock()).shift_at
                more[0] += shift(cut) - shift(begin)
                more[1] += shift(end) - shift(cut)
            tokens = int(q["output_tokens"])
            n += 1
            sums[0] += float(q["ttft_ms"]) + more[0] / 1e6
            sums[2] += float(q["e2el_ms"]) + sum(more) / 1e6
            if tokens > 1:
                several += 1
                sums[1] += (float(q["tpot_ms"]) +
                            more[1] / (tokens - 1) / 1e6)
        return sums[0] / n, sums[1] / max(several, 1), sums[2] / n

    def lasted(self):
        return [int(s["end_ns"]) - int(s["start_ns"]) for s in self.steps]


def read(name):
    with open(os.path.join(FOLDER, name), newline="") as f:
        return list(csv.DictReader(f))


def compare(config, *options):
    """The document of `compare --why`, and the runs of its arms."""
    text = run("compare", config, "--why", "--format", "json",
               "--write-steps", "steps.csv", "--write-requests",
               "requests.csv", *options)
    runs = {}
    for name, to in (("steps.csv", "steps"), ("requests.csv", "requests")):
        for row in read(name):
            of = runs.setdefault(row["arm"], Run(row["arm"]))
            if row.get("status", "completed") == "completed":
                getattr(of, to).append(row)
    return json.loads(text), runs


def prices(config, of, by, *options):
    """The prices of arm `by` for the steps of run `of`: rows of eval."""
    with open(os.path.join(FOLDER, "given.csv"), "w") as f:
        f.write("step,decode,prefill,sampled\n")
        for i, s in enumerate(of.steps):
            f.write("%d,%s,%s,%s\n" % (i, s["decode"], s["prefill"],
                                       s["sampled"]))
    run("eval", config, "--arms", by, "--steps", "given.csv", "--format",
        "csv", "--output", "priced.csv", *options)
    return read("priced.csv")


def half_up(us):
    return int(us * 1000 + 0.5)


# ---- the checks of a pair ---------------------------------------------------

def own(document, arm):
    for a in document["arms"]:
        if a["name"] == arm:
            return a
    raise KeyError(arm)


def check_identity(document, pair):
    """recorded + frozen difference + feedback = own run, to the ns."""
    wrong = []
    for m in METRICS:
        x = pair["metrics"][m]
        a, b = own(document, pair["steps_of"]), own(document,
                                                    pair["priced_by"])
        total = x["recorded"] + x["frozen_difference"] + x["feedback"]
        for what, is_, want in (("recorded", x["recorded"], a[m]),
                                ("own run", total, b[m]),
                                ("frozen", x["frozen"], x["recorded"] +
                                 x["frozen_difference"])):
            if abs(is_ - want) > 1e-6:
                wrong.append("%s, %s: %r, %r" % (m, what, is_, want))
    return wrong


def check_sums(pair):
    """Components and the bins of each regime add up."""
    wrong = []
    for m in METRICS + ("step_time_ms",):
        parts, all_ = pair["components"][m], pair["metrics"][m]
        size = 1e-9 * sum(abs(v) for v in parts.values()) + 1e-9
        if abs(sum(parts.values()) - all_["frozen_difference"]) > size:
            wrong.append("%s: components" % m)
        for kind, of in pair["regimes"][m].items():
            for name, bins in of.items():
                if abs(sum(bins.values()) - parts[name]) > size:
                    wrong.append("%s: %s of %s" % (m, kind, name))
    return wrong


def check_both(document, pair, back):
    """Mean and half the difference of both directions."""
    wrong = []
    for m in METRICS:
        there = pair["metrics"][m]["frozen_difference"]
        again = -back["metrics"][m]["frozen_difference"]
        real = (own(document, pair["priced_by"])[m] -
                own(document, pair["steps_of"])[m])
        for key, want in (("cost_model_ms", (there + again) / 2),
                          ("cost_model_uncertainty_ms",
                           abs(there - again) / 2),
                          ("feedback_ms", real - (there + again) / 2)):
            if abs(pair[key][m] - want) > 1e-9 * abs(real) + 1e-9:
                wrong.append("%s of %s: %r, %r" % (key, m, pair[key][m],
                                                   want))
    return wrong


PARTS = {
    "prefill_gemm": "prefill_gemm_us",
    "prefill_attention": "prefill_attention_us",
    "decode_gemm": "decode_gemm_us",
    "decode_attention": "decode_attention_us",
    "communication": "comm_us",
    "overhead": "overhead_us",
}


def check_pair(what, config, document, runs, pair, back, *options):
    of, by = runs[pair["steps_of"]], pair["priced_by"]
    priced = prices(config, of, by, *options)
    ns = [half_up(float(r["total_us"])) for r in priced]
    want = of.frozen(ns)
    bad = ["%s: %r, %r" % (m, pair["metrics"][m]["frozen"], w)
           for m, w in zip(METRICS, want)
           if not near(pair["metrics"][m]["frozen"], w, 1e-9, 2e-6)]
    ok(not bad, "%s: %s's steps at %s's prices" % (what, of.arm, by), *bad)
    bad = (check_identity(document, pair) + check_sums(pair) +
           check_both(document, pair, back))
    ok(not bad, "%s: identity, sums, both directions" % what, *bad)
    return priced


def check_components(what, runs, pair, priced):
    """Of additive models: each part alone, on the clock."""
    of = runs[pair["steps_of"]]
    was, bad = of.lasted(), []
    zero = of.frozen(was)
    for name, column in PARTS.items():
        more = [1000 * (float(b[column] or 0) - float(a[column] or 0))
                for a, b in zip(of.steps, priced)]
        want = of.frozen([x + y for x, y in zip(was, more)])
        for m, w, z in zip(METRICS, want, zero):
            if not near(pair["components"][m][name], w - z, 1e-6, 1e-6):
                bad.append("%s of %s: %r, %r" % (
                    name, m, pair["components"][m][name], w - z))
    ok(not bad, "%s: each component by itself" % what, *bad)


# ---- configurations ---------------------------------------------------------

HEAD = """[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
"""


def write(name, engine, workload, arms):
    with open(os.path.join(FOLDER, name), "w") as f:
        f.write(HEAD)
        for section, keys in (("engine", engine), ("workload", workload)):
            f.write("[%s]\n" % section)
            for key, value in keys.items():
                f.write("%s = %s\n" % (key, value))
        for arm, keys in arms.items():
            f.write("[cost_model:%s]\n" % arm)
            for key, value in keys.items():
                f.write("%s = %s\n" % (key, value))
    return name


PLAIN = {"num_requests": 150, "request_rate": 40,
         "input_tokens": "lognormal:mean=700,p50=400",
         "output_tokens": "uniform:1,80", "seed": 1}


def a_case(dice):
    """An engine and a workload at random."""
    workload = dict(PLAIN, num_requests=dice.randint(60, 200),
                    request_rate=dice.choice((3, 20, 60, 300)),
                    seed=dice.randint(1, 10**6))
    engine = {"async_scheduling": dice.choice(("true", "false")),
              "max_num_batched_tokens": dice.choice((256, 2048)),
              "max_num_seqs": dice.choice((8, 256))}
    names = [k for k, v in engine.items() if v == "true"]
    if dice.random() < 0.5:
        engine["schedule_us"] = dice.randint(1, 2000)
    if dice.random() < 0.5:
        engine["api_overhead_us"] = dice.randint(1, 9000)
        engine["api_request_us"] = dice.choice([dice.randint(1, 100), 4000])
        engine["response_overhead_us"] = dice.randint(1, 3000)
        engine["response_sequence_us"] = dice.choice([dice.randint(1, 100), 4000])
    if dice.random() < 0.4:
        engine["num_gpu_blocks"] = dice.randint(420, 700)
        names.append("few blocks")
    if dice.random() < 0.4:
        engine["enable_prefix_caching"] = "true"
        names.append("prefix cache")
    if dice.random() < 0.3:
        workload.update(turns=3, think_time_s=0.3, num_requests=120)
        names.append("sessions")
    elif "prefix cache" in names:
        workload["prompts"] = 20
    split = dice.random()
    if split < 0.4:
        engine["replicas"] = dice.randint(2, 4)
        engine["routing"] = dice.choice(("round_robin", "least_outstanding"))
        names.append("%d replicas" % engine["replicas"])
    if split < 0.25:
        engine["prefill_replicas"] = 1
        engine["kv_transfer_bandwidth_gbs"] = 20
        engine["kv_transfer_latency_us"] = 50
        names.append("P/D")
    return engine, workload, ", ".join(names) or "plain"


def a_term(dice):
    """A planted term at random, and where --why is to find it."""
    regime = dice.choice(("all", "prefill", "decode", "mixed", "mean_kv"))
    component = dice.choice(("prefill_gemm", "prefill_attention", "decode_gemm",
                             "decode_attention", "communication", "overhead"))
    edge = (7, 11) if regime == "mean_kv" else (0, 0)
    from_ = 2 ** dice.randint(*edge)
    times = dice.choice((0.5, 1.07, 1.5, 4))
    return regime, component, from_, times


# ---- the tests --------------------------------------------------------------

PUBLISHED = """[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
tensor_parallel_size = 1
max_num_seqs = 256
max_num_batched_tokens = 2048
[tables]
path = SOURCE/bench_data
set = h100-sxm.infersim
[cost_model:v2_fixed]
plugin = roofline_v2
preset = fixed
[cost_model:roofline_v1]
plugin = roofline_v1
[cost_model:mfu_interp]
plugin = mfu_interp
[workload]
num_requests = 4000
arrival = gamma
cv = 1.094
request_rate = 5.53
input_tokens = empirical:SOURCE/etc/workloads/azure-2023-conversation.input.csv
output_tokens = empirical:SOURCE/etc/workloads/azure-2023-conversation.output.csv
seed = 42
"""


def published():
    """Figures that another program computed for etc/quickstart.ini of
    2026-11-21, which is written down here."""
    config = "published.ini"
    with open(os.path.join(FOLDER, config), "w") as f:
        f.write(PUBLISHED.replace("SOURCE", SOURCE))
    document = json.loads(run("compare", config, "--why", "--format", "json"))
    pair = {(p["steps_of"], p["priced_by"]): p
            for p in document["attribution"]}
    of = "v2_fixed"
    for by, frozen, both in (
            ("roofline_v1", (34.542854, 8.692927, 1819.660879),
             ((-10.797179, .433607, -2.328777),
              (-.377953, .010433, -.085177),
              (-84.860534, 2.159309, -17.729437))),
            ("mfu_interp", (48.476802, 9.838663, 2064.913194),
             ((2.750619, .047457, .643721), (.786680, .008464, .256636),
              (164.266988, 1.715897, 54.350510)))):
        x, bad = pair[of, by], []
        for m, f, (share, about, rest) in zip(METRICS, frozen, both):
            for is_, want in ((x["metrics"][m]["frozen"], f),
                              (x["cost_model_ms"][m], share),
                              (x["cost_model_uncertainty_ms"][m], about),
                              (x["feedback_ms"][m], rest)):
                if not near(is_, want, 1e-6, 6e-7):
                    bad.append("%s: %r, %r" % (m, is_, want))
        ok(not bad, "the published figures of %s" % by, *bad)
    x = pair[of, "mfu_interp"]
    ok(x["summary"] ==
       "mfu_interp predicts 3.39 ms more TTFT than v2_fixed (49.17 against "
       "45.77, +7.4 %): 2.75 \u00b1 0.05 ms because the same steps take longer "
       "(decode attention +1.9, prefill attention +0.4, prefill GEMM +0.4, "
       "...), 0.64 ms because the slower engine then has fuller batches.",
       "and the sentence", x["summary"])


def at_random(dice, n):
    for i in range(n):
        engine, workload, name = a_case(dice)
        other = dice.choice(("planted", "planted_bound"))
        config = write("c.ini", engine, workload, {
            "one": {"plugin": "planted"},
            "two": {"plugin": other, "component": "decode_attention",
                    "times": dice.choice((0.3, 3)),
                    "all": dice.choice((0.8, 1.1, 1.4))}})
        document, runs = compare(config)
        there, back = document["attribution"]
        what = "case %d (%s)" % (i, name)
        priced = check_pair(what, config, document, runs, there, back)
        check_pair(what, config, document, runs, back, there)
        if other == "planted":
            check_components(what, runs, there, priced)


def uniform(dice, n):
    """c times as long everywhere, and no gaps: c times the latency."""
    for i in range(n):
        engine, workload, name = a_case(dice)
        for key in ("schedule_us", "api_overhead_us", "api_request_us", "response_overhead_us",
                    "response_sequence_us",
                    "replicas", "prefill_replicas"):
            engine.pop(key, None)
        # All at once: the engine is never idle.
        workload.update(request_rate=1e6)
        for key in ("turns", "think_time_s"):
            workload.pop(key, None)
        c = dice.choice((0.5, 1.25, 3))
        config = write("c.ini", engine, workload, {
            "one": {"plugin": "planted"},
            "two": {"plugin": "planted", "all": c}})
        document, runs = compare(config)
        x, bad = document["attribution"][0], []
        gaps = sum(int(b["start_ns"]) - int(a["end_ns"]) for a, b in
                   zip(runs["one"].steps, runs["one"].steps[1:]))
        for m in METRICS:
            is_ = x["metrics"][m]["frozen"] / x["metrics"][m]["recorded"]
            # To the rounding of steps to whole ns.
            if not near(is_, c, 1e-6):
                bad.append("%s: %r" % (m, is_))
        ok(not bad and gaps == 0, "case %d (%s): %g times everything" % (
            i, name, c), *bad)


def equal():
    config = write("c.ini", {"async_scheduling": "true"}, PLAIN, {
        "one": {"plugin": "planted"}, "two": {"plugin": "planted"}})
    document, runs = compare(config)
    x = document["equality"]
    # Each arm's steps, priced by both.
    steps = sum(len(r.steps) for r in runs.values())
    zero = not document["attribution"] and x == [{
        "a": "one", "b": "two", "verdict": "identical", "largest": 0,
        "steps": steps, "differing": 0}]
    ok(zero, "equal arms: no difference to explain")


def planted(dice, n):
    found = 0
    for i in range(3 * n):
        if found == n:
            break
        engine, workload, name = a_case(dice)
        regime, component, from_, times = a_term(dice)
        config = write("c.ini", engine, workload, {
            "one": {"plugin": "planted"},
            "two": {"plugin": "planted", "component": component,
                    "regime": regime, "from": from_, "times": times}})
        document, _ = compare(config)
        if (document.get("equality") or [{}])[0].get("verdict") == "identical":
            continue  # no step is of that regime
        x = document["attribution"][0]
        bad = []
        if abs(x["metrics"]["step_time_ms"]["frozen_difference"]) < 1e-3:
            continue  # all of it is rounding
        found += 1
        for m in METRICS + ("step_time_ms",):
            all_ = x["metrics"][m]["frozen_difference"]
            if abs(all_) < 1e-9:
                continue
            kind, edge = regime, str(from_)
            if regime in ("all", "prefill", "decode", "mixed"):
                kind, edge = "phase", regime
            bins = x["regimes"][m][kind].get(component, {})
            there = (x["components"][m][component] if regime == "all"
                     else bins.get(edge, 0))
            # Steps are of whole ns: of a mean over requests, that is up to 1e-4 ns.
            if not abs(there - all_) <= max(0.01 * abs(all_), 1e-10):
                bad.append("%s: %r of %r" % (m, there, all_))
        cause = x["largest_cause"]
        if cause != component:
            bad.append("called " + cause)
        ok(not bad, "%s x %g where %s from %d (%s)" % (
            component, times, regime, from_, name), *bad)
    ok(found == n, "%d terms were planted" % n)


def named():
    """Parts that plugins name."""
    config = write("c.ini", {}, PLAIN, {
        "one": {"plugin": "planted"},
        "two": {"plugin": "planted", "component": "moe", "times": 2},
        "bound": {"plugin": "planted_bound"}})
    document, runs = compare(config)
    x = document["attribution"][0]
    bad = []
    for m in METRICS:
        parts, of = x["parts"][m], x["components"][m]
        for phase in ("prefill", "decode"):
            if not near(parts[phase + "_gemm.moe"], of[phase + "_gemm"],
                        1e-9, 1e-12):
                bad.append("%s: %s" % (m, phase))
            if parts[phase + "_attention.mla"] != 0:
                bad.append("%s: mla" % m)
    ok(not bad and "overhead.graph" in x["parts"][METRICS[0]],
       "what both plugins name is split by name", *bad)
    bound = [p for p in document["attribution"] if p["priced_by"] == "bound"]
    ok("parts" not in bound[0], "but not if one of them does not add up")
    decodes = sum(int((c.split("x") + ["1"])[1])
                  for row in runs["one"].steps if row["decode"]
                  for c in row["decode"].split(";"))
    step = document["arms"][0]["step_time"]
    ok(near(step["parts"]["decode_gemm.moe_us"] * len(runs["one"].steps),
            0.5 * decodes, 1e-9), "and stands in the step time")


def main():
    dice = random.Random(20261121)
    published()
    equal()
    named()
    at_random(dice, 14)
    uniform(dice, 4)
    planted(dice, 40)
    done()


main()
