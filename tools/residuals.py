#!/usr/bin/env python3
"""The evidence of doc/residuals.md: does vLLM's own all-reduce (knobs arw and
art_us of smooth_roofline) explain what a ring's law leaves over?

residuals.py kernels   the law against timed kernels (bench_data/*/all_reduce.csv)
residuals.py runs      against served runs: each run predicted without the term,
                       with arw and art_us as the kernels say, and with arl_us
                       and art_us fitted to the TPOT of all other runs;
                       `models` leaves a whole model out instead

Run it at the top of the source tree where stepcost is on PATH or in $STEPCOST.
"""
import csv
import io
import math
import os
import re
import subprocess
import sys
import tempfile

SETS = {"h100-sxm.vllm-0.24": 450e9, "h200-sxm.vllm-0.24": 450e9,
        "a100-sxm.vllm-0.14": 300e9}
ARW, ART_US = 0.64, 3.7    # best for the kernels timed on H100
SHIPPED_ARL_US, SHIPPED_ARB = 5.165118298492943, 0.2698264809742962
TIMED = (SHIPPED_ARL_US, ART_US)
RUNS = ("bench_data/serving/vllm-0.15-open-loop.csv",
        "bench_data/serving/vllm-single-stream.csv")
GRID = [(arl, art) for arl in (0, 1, 2, 3, 4, SHIPPED_ARL_US)
        for art in (0, ART_US, 6, 7, 8, 9, 10, 12)]
MODELS = "llama-2-7b", "llama-2-70b", "llama-3-1-70b", "codellama", "llama-3-1-8b", \
    "qwen3-14b", "mixtral-8x7b", "mixtral-8x22b", "scout"


def mean(values):
    values = list(values)
    return sum(values) / len(values)


# --- kernels ---------------------------------------------------------------

def timings(name):
    """[(ranks, bytes, us above that of the smallest message, that one's us)]"""
    with open("bench_data/%s/all_reduce.csv" % name) as f:
        rows = [(int(r["ranks"]), int(r["message_bytes"]),
                 float(r["latency_us"])) for r in csv.DictReader(f)]
    least = {n: min((s, t) for m, s, t in rows if m == n)[1] for n, _, _ in rows}
    return [(n, s, t, least[n]) for n, s, t in rows
            if n in (2, 4, 8) and s <= 4 << 20]


def two_stages(ranks, size):
    return ranks > 2 and size >= (1 << 19 if ranks <= 4 else 1 << 18)


def stages(ranks, size, link, arw, art_us):
    two = two_stages(ranks, size)
    read = (2 / ranks if two else 1) * (ranks - 1) * size
    return (art_us if two else 0) + read / (link * arw) * 1e6


def ring(ranks, size, link, arb):
    return 2 * (ranks - 1) / ranks * size / (link * arb) * 1e6


def kernel_errors(name, law):
    return [100 * abs((t0 + law(n, s)) / t - 1) for n, s, t, t0 in timings(name)]


def kernels():
    share = [i / 100 for i in range(20, 101)]
    us = [i / 10 for i in range(0, 91)]
    print("| timed kernels | ring, arb 0.27 | ring, best arb "
          "| stages, H100's | stages, best arw, art_us |\n|---|---|---|---|---|")
    for name, link in SETS.items():
        def of_ring(arb):
            return kernel_errors(name, lambda n, s: ring(n, s, link, arb))

        def of_stages(arw, art_us):
            return kernel_errors(
                name, lambda n, s: stages(n, s, link, arw, art_us))
        arb = min(share, key=lambda b: mean(of_ring(b)))
        best = min(((w, a) for w in share[::2] for a in us[::2]),
                   key=lambda x: mean(of_stages(*x)))
        cells = [of_ring(SHIPPED_ARB), of_ring(arb), of_stages(ARW, ART_US),
                 of_stages(*best)]
        text = ["%.1f, at most %.0f" % (mean(e), max(e)) for e in cells]
        text[1] += " (%.2f)" % arb
        text[3] += " (%.2f, %.1f)" % best
        print("| %s | %s |" % (name, " | ".join(text)))


# --- served runs -----------------------------------------------------------

def measured_split():
    """rows on several GPUs, as dictionaries, by id"""
    found = {}
    for name in RUNS:
        with open(name) as f:
            for r in csv.DictReader(f):
                if int(r["tensor_parallel_size"]) > 1:
                    found[r["id"].replace("llama2", "llama-2")] = r
    return found


def simulate(points, rows):
    """{point: {row: {metric: log(predicted / measured)}}}; None: no term"""
    config = "[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n"
    for i, point in enumerate(points):
        config += "[cost_model:p%d]\nplugin = smooth_roofline\n" % i
        if point:
            config += "arw = %r\narl_us = %r\nart_us = %r\n" % (ARW, *point)
    with tempfile.TemporaryDirectory() as folder:
        ini, measured = folder + "/arms.ini", folder + "/rows.csv"
        with open(ini, "w") as f:
            f.write(config)
        with open(measured, "w") as f:
            out = csv.DictWriter(f, next(iter(rows.values())).keys())
            out.writeheader()
            for name, r in rows.items():
                out.writerow({**r, "id": name})
        text = subprocess.run(
            [os.environ.get("STEPCOST", "stepcost"), "validate", ini,
             "--measured", measured, "--quiet", "--format", "csv"],
            check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    found = {p: {} for p in points}
    for r in csv.DictReader(io.StringIO(text)):
        found[points[int(r["arm"][1:])]][r["id"]] = {
            m: math.log(float(r["mean_%s_ms" % m]) /
                        float(r["measured_mean_%s_ms" % m]))
            for m in ("tpot", "ttft")}
    return found


def loss(errors, rows):
    """soft-L1 of TPOT, as calibrate has it"""
    return sum(math.sqrt(1 + (errors[i]["tpot"] / 0.05) ** 2) for i in rows)


def percent(x):
    return 100 * (math.exp(x) - 1)


def short(row):
    return re.sub(r"^(.-)(?:\d{8}-)?(\d+-)", r"\1\2", row)


def runs(whole_models):
    info = measured_split()
    found = simulate([None] + GRID, info)
    split = list(info)

    def group(i):
        if not whole_models:
            return info[i]["run"]
        return next(m for m in MODELS if m + "-" in i)
    fitted = {}
    for g in sorted({group(i) for i in split}):
        others = [i for i in split if group(i) != g]
        fitted[g] = min(GRID, key=lambda p: loss(found[p], others))
    best = min(GRID, key=lambda p: loss(found[p], split))
    print("fitted to all %d: arl_us %g, art_us %g\n" % (len(split), *best))
    cases = (lambda i: None, lambda i: TIMED, lambda i: fitted[group(i)])

    def cells(metric, rows, form):
        return " | ".join(form(mean(f(found[case(i)][i][metric]) for i in rows))
                          for case in cases)
    for f, form, keys in (
            (percent, lambda x: "%+.1f" % x, [(short(i), [i]) for i in split]),
            (lambda x: abs(percent(x)), lambda x: "%.2f" % x,
             [(m, [i for i in split if m + "-" in i]) for m in MODELS] +
             [("tp " + n, [i for i in split
                           if info[i]["tensor_parallel_size"] == n])
              for n in ("2", "4", "8")] + [("all", split)])):
        print("| | fitted without it | TPOT without | timed | left out "
              "| TTFT without | timed | left out |\n" + "|---" * 8 + "|")
        for name, rows in keys:
            values = "%g, %g" % fitted[group(rows[0])] if len(rows) == 1 else ""
            print("| %s | %s | %s | %s |" % (name, values,
                                             cells("tpot", rows, form),
                                             cells("ttft", rows, form)))
        print()


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) == 2 else ""
    if what == "kernels":
        kernels()
    elif what in ("runs", "models"):
        runs(what == "models")
    else:
        sys.exit(__doc__)
