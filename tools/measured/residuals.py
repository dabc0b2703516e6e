#!/usr/bin/env python3
"""Computes the evidence of doc/residuals.md.

residuals.py kernels   does the law of vLLM's own all-reduce (knobs arw and
                       art_us of smooth_roofline) hold for kernels that were
                       timed alone (bench_data/*/all_reduce.csv)?
residuals.py steps     does an interval in the logs of steps belong to the step
                       before it or to the step behind it?
residuals.py draws     how far is p99 TTFT of one draw of arrivals from that of
                       other draws, simulated with the same model, and from the
                       measured one?

Run it at the top of the source tree; draws needs stepcost on PATH or in $STEPCOST.
"""
import os
import sys
import tempfile
from statistics import mean, median

from files import BENCH_DATA, is_overloaded, rows_of, serving, stepcost

SETS = {"h100-sxm.vllm-0.24": 450e9, "h200-sxm.vllm-0.24": 450e9,
        "a100-sxm.vllm-0.14": 300e9}
ARW, ART_US = 0.64, 3.7    # best for the kernels timed on H100
SHIPPED_ARB = 0.2698264809742962


# --- kernels ---------------------------------------------------------------

def timings(name):
    """Returns [(ranks, bytes, us more than the smallest message, us of the smallest
    message)]."""
    rows = [(int(r["ranks"]), int(r["message_bytes"]), float(r["latency_us"]))
            for r in rows_of(os.path.join(BENCH_DATA, name, "all_reduce.csv"))]
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


# --- steps -----------------------------------------------------------------

LOGS = "steps-llama-2-70b-tp4", "steps-codellama-34b-tp2"
# The step of a prompt computes at most one block that is not cached.  The step
# behind it is logged as a prompt of one token, because the log has not seen its
# request before.
BEHIND, PROMPT = "step behind a prompt", "prompt"


def step_of(row):
    """Returns running sequences, prompts, new prompt tokens, ms."""
    prompts = [p.split(":") for p in row["prefill"].split(";") if p]
    decodes = [d.split("x") for d in row["decode"].split(";") if d]
    count = sum(int(d[1]) if len(d) > 1 else 1 for d in decodes)
    new = [[int(x) for x in p[1].split("x")] for p in prompts]
    n = sum(p[1] if len(p) > 1 else 1 for p in new)
    return (count + n, n, sum(p[0] * (p[1] if len(p) > 1 else 1) for p in new),
            float(row["time_us"]) / 1e3)


def steps():
    print("| log | steps | %s: steps | longer by, ms | %s: steps | longer by, "
          "ms |\n|---|---|---|---|---|---|" % (PROMPT, BEHIND))
    for log in LOGS:
        one = list(map(step_of, rows_of(serving(log))))
        decodes = [(n, ms) for n, prompts, _, ms in one if not prompts]
        longer = {BEHIND: [], PROMPT: []}
        for running, prompts, tokens, ms in one:
            same = [t for n, t in decodes if abs(n - running) <= 2]
            if prompts == 1 and tokens <= 16 and same:
                longer[BEHIND if tokens == 1 else PROMPT].append(
                    ms - median(same))
        cells = ["%d | %+.2f" % (len(v), median(v))
                 for v in (longer[PROMPT], longer[BEHIND])]
        print("| %s.csv | %d | %s |" % (log, len(one), " | ".join(cells)))


# --- draws -----------------------------------------------------------------

OPEN_LOOP = "vllm-0.15-open-loop"
DRAWS = 40


def draw(folder, seed):
    """Returns {row: (p99 TTFT of this draw, measured)}."""
    ini = os.path.join(folder, "draw.ini")
    with open(ini, "w") as f:
        for kind in ("prompts", "prompts_nominal"):
            f.write("[protocol:%s]\nseed = %d\nseeds = 1\n" % (kind, seed))
    rows = stepcost("validate", "etc/validate.ini", "--arms", "smooth_roofline",
                    "--measured", serving(OPEN_LOOP), "--aliases", ini)
    return {r["id"]: (float(r["p99_ttft_ms"]), float(r["measured_p99_ttft_ms"]))
            for r in rows if r["p99_ttft_ms"] and r["measured_p99_ttft_ms"] and
            not is_overloaded(r)}


def off(predicted, measured):
    return 100 * abs(predicted / measured - 1)


def draws():
    with tempfile.TemporaryDirectory() as folder:
        found = [draw(folder, seed + 1) for seed in range(DRAWS)]
    print("| p99 TTFT, ms | measured | draws: least | median | greatest "
          "| error | of a draw |\n|---|---|---|---|---|---|---|")
    rows = []
    for row, (_, measured) in found[0].items():
        v = [d[row][0] for d in found]
        own = mean(off(median(v[:i] + v[i + 1:]), v[i]) for i in range(DRAWS))
        rows.append((off(median(v), measured), own, row, measured, sorted(v)))
    for error, own, row, measured, v in sorted(rows, reverse=True):
        print("| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |" %
              (row, measured, v[0], median(v), v[-1], error, own))
    print("| rows | | error: mean | median | of a draw: mean | median |\n"
          "|---|---|---|---|---|---|")
    for what, of in (("all", rows),
                     ("draws differ by 20 % or more",
                      [r for r in rows if r[1] >= 20]),
                     ("by less", [r for r in rows if r[1] < 20])):
        print("| %s | %d | %.1f | %.1f | %.1f | %.1f |" % (
            (what, len(of)) + tuple(f(r[i] for r in of) for i in (0, 1)
                                    for f in (mean, median))))


if __name__ == "__main__":
    commands = {"kernels": kernels, "steps": steps, "draws": draws}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]]()
