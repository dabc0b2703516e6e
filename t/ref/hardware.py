#!/usr/bin/env python3
"""Recomputes the verdicts of the experiments *-hardware from the measured figures,
in Python alone, and compares them with the cells that stepcost prints.

hardware.py HOST BENCH_DATA
"""
import csv
import math
import subprocess
import sys

import tap

HOST, SET = sys.argv[1], sys.argv[2] + "/h200-sxm.own-2026/"


def rows(name):
    with open(SET + name, newline="") as f:
        return list(csv.DictReader(f))


def percentile(values, share):
    """With linear interpolation between neighbours."""
    v = sorted(values)
    at = share * (len(v) - 1)
    low = math.floor(at)
    return v[low] + (v[min(low + 1, len(v) - 1)] - v[low]) * (at - low)


def percent(predicted, measured):
    return (float(predicted) / float(measured) - 1) * 100


def cells(experiment):
    """{(table, row, column): text}; a minus sign has an apostrophe before it."""
    out = subprocess.run([HOST, "experiment", experiment, "--quiet", "--format", "csv"], capture_output=True, text=True,
                         check=True).stdout
    return {(r["table"], int(r["row"]), r["column"]): r["value"].lstrip("'") for r in csv.DictReader(out.splitlines())}


def same(got, want):
    """For cells of one digit behind the point."""
    return abs(float(got) - want) <= 0.0500001


def decodes():
    """An equal batch of the same total, and one of the longest length."""
    got, batch = cells("h33-hardware"), rows("measured/decode_batches.csv")
    for i, kernel in enumerate(("triton_paged", "triton_maxsplit", "fa2_varlen")):
        for column, twin in (("total", "mean_us"), ("longest", "max_us")):
            v = [percent(r[twin], r["us"]) for r in batch if r["backend"] == kernel and r[twin]]
            for suffix, share in (("", 0.5), ("_p10", 0.1), ("_p90", 0.9)):
                have, want = got["kernels", i, column + suffix], percentile(v, share)
                tap.ok(same(have, want), "%s, %s: %s, %.2f" % (kernel, column + suffix, have, want))
        v = [abs(percent(r["again_us"], r["us"])) for r in batch if r["backend"] == kernel and r["again_us"]]
        have, want = got["repeat", i, "p90_abs_pct"], percentile(v, 0.9)
        tap.ok(same(have, want), "%s, second run: %s, %.2f" % (kernel, have, want))


def gemms():
    """A GEMM of the next multiple of rows."""
    shapes = {("4096", "4096"), ("4096", "6144"), ("4096", "28672"), ("14336", "4096")}
    us = {(r["dtype"], r["k"], r["n"], int(r["m"])): float(r["latency_us"]) for r in rows("gemm.csv") if (r["k"], r["n"]) in shapes}
    got, ranges = cells("h29-hardware"), ((1, 64), (65, 256), (257, 512), (513, 1024))
    for i, dtype in enumerate(("bf16", "fp8")):
        for k, (first, last) in enumerate(ranges):
            for tile in (64, 128, 512):
                v = [percent(us[key[:3] + (-(-key[3] // tile) * tile,)], t) for key, t in us.items()
                     if key[0] == dtype and first <= key[3] <= last and key[3] % tile and key[:3] + (-(-key[3] // tile) * tile,) in us]
                have, want = got["gemm_cost", 4 * i + k, "by_%d" % tile], percentile(v, 0.5)
                tap.ok(same(have, want), "%s, %d to %d rows, by %d: %s, %.2f" % (dtype, first, last, tile, have, want))


def mixed_steps():
    """The longer phase, and both phases."""
    step = [r for r in rows("measured/mixed_steps.csv") if r["decode_us"] and r["chunk_us"]]
    got = cells("h27-hardware")
    for i, rule in enumerate((max, lambda a, b: a + b)):
        v = [percent(rule(float(r["decode_us"]), float(r["chunk_us"])), r["two_us"]) for r in step]
        for column, share in (("median", 0.5), ("p10", 0.1), ("p90", 0.9)):
            have, want = got["rules", i, column], percentile(v, share)
            tap.ok(same(have, want), "mixed steps, rule %d, %s: %s, %.2f" % (i, column, have, want))
    ratio = [float(r["single_us"]) / float(r["two_us"]) for r in step if r["single_us"]]
    tap.ok(abs(float(got["launches", 2, "one_launch"]) - percentile(ratio, 0.5)) < 0.006, "one launch, median")


def experts():
    """Popular experts against evenly drawn ones."""
    us = {(r["model"], r["dtype"], r["routing"], r["tokens"]): float(r["latency_us"]) for r in rows("measured/moe.csv")}
    got, i = cells("moe-hardware"), 0
    for model in ("mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v3"):
        for dtype in ("bf16", "fp8"):
            for tokens in ("1", "16", "128", "512", "1024", "4096"):
                want = percent(us[model, dtype, "zipf", tokens], us[model, dtype, "random", tokens])
                tap.ok(same(got["routings", i, "zipf"], want), "%s %s %s tokens" % (model, dtype, tokens))
                i += 1


decodes()
gemms()
mixed_steps()
experts()
tap.done()
