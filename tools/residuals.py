#!/usr/bin/env python3
"""The evidence of doc/residuals.md: does the law of vLLM's own all-reduce (knobs
arw and art_us of smooth_roofline) hold for kernels that were timed alone
(bench_data/*/all_reduce.csv)?

residuals.py kernels   the law against a ring's

Run it at the top of the source tree.
"""
import csv
import sys

SETS = {"h100-sxm.vllm-0.24": 450e9, "h200-sxm.vllm-0.24": 450e9,
        "a100-sxm.vllm-0.14": 300e9}
ARW, ART_US = 0.64, 3.7    # best for the kernels timed on H100
SHIPPED_ARB = 0.2698264809742962


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


if __name__ == "__main__":
    if sys.argv[1:] != ["kernels"]:
        sys.exit(__doc__)
    kernels()
