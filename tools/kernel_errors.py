#!/usr/bin/env python3
"""Makes bench_data/accuracy/kernels.csv and kernel-classes.csv anew: how far
`operators` is from measured kernels that it was not told of, by operator and by the
label of the answer, and by class.

Each shipped set that an engine was measured with is asked for rows that were
left out of it, in ways of their own: a tenth of its points; all points of a tenth
of its shapes; the whole set, so that other engines answer; all sets of its GPU, so
that a relative answers; all tables.  Of several kernels of one question the fastest
counts.  Where a table was thinned, its points are those that lines between others
miss; a tenth of them says nothing of points between, so only tables with a regular
grid are asked in the first way.  Small ones have too few points in a tenth: each of
their points is left out once, in ten runs.

A line of kernels.csv has the factors on a prediction between which 90 % of the
measurements lie, as src/trust/interval.h takes them.  A line of kernel-classes.csv has
the errors of a class: an operator, and one or two of these ways.

usage: tools/kernel_errors.py [SET...]
Run it at the top of the source tree where stepcost is on PATH or in $STEPCOST;
with sets named, both results go to standard output.  $JOBS: processes, 2.
"""
import collections
import csv
import hashlib
import io
import json
import math
import multiprocessing
import os
import subprocess
import sys
import tempfile

DATA = "bench_data"
RESULT = os.path.join(DATA, "accuracy", "kernels.csv")
BY_CLASS = os.path.join(DATA, "accuracy", "kernel-classes.csv")
GPU = {"a100-sxm": "a100-80-sxm"}
PRESET = {"vllm": "vllm-0.24", "sglang": "sglang", "trtllm": "tensorrt_llm"}
COVERAGE = 0.9
ENOUGH = 60  # residuals of a group, as in src/trust/interval.c
LABELS = ["interpolated", "clamped", "substituted", "fallback"]
SMALL = 3000  # points
# The other runs of small tables add to these alone: errors of other labels are those of
# all ways alike.
OF_THE_SHAPE = LABELS[:2]
ATTENTION = ("attention_decode", "attention_prefill")
MODULES = ("mla_decode", "mla_prefill")
MESSAGES = ("all_reduce", "collective", "all_to_all")
# A class: its name, the ways in which its rows were left out, its operators, whether
# in FP8 (None: either), and its GPUs (None: any).
CLASSES = [
    ("GEMM", ("points", "more", "shapes"), ("gemm",), None, None),
    ("experts, common splits", ("points",), ("moe",), None, None),
    ("experts, other splits", ("uncommon",), ("moe",), None, None),
    ("experts, a split without rows", ("shapes",), ("moe",), None, None),
    ("MLA modules", ("points", "more"), MODULES, None, None),
    ("MLA batched GEMMs, 16 bit", ("points", "more"), ("mla_bmm",), False, None),
    ("MLA batched GEMMs, FP8", ("points", "more"), ("mla_bmm",), True, None),
    ("collectives", ("points", "more"), MESSAGES, None, None),
    ("attention, 16 bit, shapes without rows", ("shapes",), ATTENTION, False, None),
    ("attention, FP8, shapes without rows", ("shapes",), ATTENTION, True, None),
    ("attention, 16 bit, twice the gap", ("points", "more"), ATTENTION, False, None),
    ("B200 and GB200 by each other", ("gpu",), ("gemm", "moe") + MODULES, None,
     ("b200-sxm", "gb200")),
    ("their attention, 16 bit", ("gpu",), ATTENTION, False, ("b200-sxm", "gb200")),
]
# Questions that share their time with others: their rows are no columns.
NO_KEY = ("kernel", "latency_us")


def draw(text):
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


def long_rows(path):
    """(cells by column, time) of each point of a table."""
    with open(path) as f:
        for row in csv.DictReader(f):
            key = {c: v for c, v in row.items() if "=" not in c}
            wide = [(c, v) for c, v in row.items() if "=" in c and v]
            for c, us in wide:
                axis, value = c.split("=")
                yield dict(key, **{axis: value}), us
            if not wide and row.get("latency_us"):
                us = key.pop("latency_us")
                yield key, us


def shape_of(row):
    """The key of a table without the columns that times grow with."""
    along = ("m", "batch", "seq_len", "kv_len", "tokens", "message_bytes", "kernel")
    return " ".join("%s=%s" % x for x in sorted(row.items()) if x[0] not in along)


def is_common(row):
    """Whether experts are split as most tables have them."""
    return int(row["tp"] or 1) <= 8 and int(row["ep"] or 1) in (1, 4, 8, 32)


def point_of(row):
    return " ".join("%s=%s" % x for x in sorted(row.items()) if x[0] not in NO_KEY)


def is_regular(rows):
    """Whether the points of most shapes make a full grid of two axes."""
    axes = [a for a in ("batch", "seq_len", "kv_len") if rows and a in rows[0][0]]
    if len(axes) < 2:
        return True
    shapes = collections.defaultdict(set)
    for row, _ in rows:
        shapes[shape_of(row)].add(tuple(row[a] for a in axes))
    points = sum(map(len, shapes.values()))
    cells = sum(len({p[0] for p in s}) * len({p[1] for p in s}) for s in shapes.values())
    return points > 0.6 * cells


def write_set(folder, name, tables):
    os.makedirs(os.path.join(folder, name))
    with open(os.path.join(DATA, name, "MANIFEST")) as f:
        manifest = f.read()
    with open(os.path.join(folder, name, "MANIFEST"), "w") as f:
        f.write(manifest)
    for table, rows in tables.items():
        if not rows:
            continue
        with open(os.path.join(folder, name, table), "w") as f:
            out = csv.writer(f)
            out.writerow(list(rows[0][0]) + ["latency_us"])
            out.writerows(list(r.values()) + [us] for r, us in rows)


def link_sets(folder, but):
    os.makedirs(folder)
    for name in os.listdir(DATA):
        if "." in name and not but(name):
            os.symlink(os.path.abspath(os.path.join(DATA, name)), os.path.join(folder, name))


def split(tables, is_held, is_asked):
    kept = {t: [x for x in rows if not is_held(x[0])] for t, rows in tables.items()}
    held = {t: [x for x in rows if is_held(x[0]) and is_asked(x[0])] for t, rows in tables.items()}
    return kept, held


def stepcost(*arguments):
    return subprocess.run([os.environ.get("STEPCOST", "stepcost"), *arguments],
                          capture_output=True, text=True)


def version():
    """That of the `operators` which answered."""
    out = stepcost("plugins", "describe", "operators", "--format", "json")
    if out.returncode:
        raise RuntimeError(out.stderr)
    return json.loads(out.stdout)["version"]


def ask(folder, name, told):
    """The rows of folder/name priced with the tables of `told`."""
    gpu, software = name.split(".", 1)
    engine = PRESET.get(software.split("-")[0], "vllm-0.24")
    ini = os.path.join(folder, "c.ini")
    with open(ini, "w") as f:
        f.write("[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = %s\n[engine]\npreset = %s\n"
                "[tables]\n%s\n[cost_model:operators]\nplugin = operators\n"
                % (GPU.get(gpu, gpu), engine, told))
    out = stepcost("kernel", ini, "--against", os.path.join(folder, name), "--format", "csv",
                   "--quiet")
    if "no arm prices a kernel" in out.stderr or "no row of it is a kernel" in out.stderr:
        return []
    if out.returncode:
        raise RuntimeError("%s: %s" % (name, out.stderr))
    return csv.DictReader(io.StringIO(out.stdout))


def residuals(rows):
    """(row, ln(measured / predicted)) of each question."""
    asked = {}
    for r in rows:
        question = tuple(v for c, v in r.items()
                         if c not in ("table", "line", "measured_us", "error"))
        if r["latency_us"]:
            best = asked.get(question)
            us = float(r["measured_us"])
            if best is None or us < best[0]:
                asked[question] = (us, r)
    for us, r in asked.values():
        yield r, math.log(us / float(r["latency_us"]))


def score(name):
    """(way, GPU, operator, label, whether FP8, residual) of a set, in all ways."""
    found = []
    tables = {t: list(long_rows(os.path.join(DATA, name, t)))
              for t in sorted(os.listdir(os.path.join(DATA, name))) if t.endswith(".csv")}
    regular = {t: rows for t, rows in tables.items() if is_regular(rows)}
    gpu = name.split(".")[0]
    one_of = lambda n, at: lambda row: draw(point_of(row)) % n == at
    every = lambda row: True
    ways = [("points", regular, one_of(10, 0), every, None),
            ("shapes", tables, lambda row: draw(shape_of(row)) % 10 == 1, one_of(4, 0), None),
            ("set", tables, every, one_of(60, 2), lambda other: other == name),
            ("gpu", tables, every, one_of(60, 3), lambda other: other.split(".")[0] == gpu),
            ("all", tables, every, one_of(60, 4), lambda other: True)]
    small = {t: rows for t, rows in regular.items() if len(rows) < SMALL}
    ways += [("more", small, one_of(10, k), every, None) for k in range(1, 10)]
    for way, asked, is_held, is_asked, but in ways:
        kept, held = split(asked, is_held, is_asked)
        if asked is not small:
            kept = dict(tables, **kept)
        if not any(held.values()):
            continue
        with tempfile.TemporaryDirectory() as folder:
            sets = os.path.join(folder, "sets")
            if but:
                link_sets(sets, but)
            else:
                write_set(sets, name, kept)
            told = "path = %s\nset = %s" % (sets, "auto" if but and os.listdir(sets) else
                                            "" if but else name)
            write_set(folder, name, held)
            for r, residual in residuals(ask(folder, name, told)):
                rare = way == "points" and r["op"] == "moe" and not is_common(r)
                found.append(("uncommon" if rare else way, gpu, r["op"], r["provenance"],
                              r["dtype"].startswith("fp8"), residual))
    return found


def ends(r):
    """The 5 % and the 95 % residual of a list, as src/trust/interval.h says."""
    r.sort()
    n = len(r)
    low = max(1, math.floor((n + 1) * (1 - COVERAGE) / 2))
    high = min(n, math.ceil((n + 1) * (1 + COVERAGE) / 2))
    return r[low - 1], r[high - 1]


def write(into, f):
    f.write("plugin,version,op,provenance,rows,mean_error,low,high\n")
    of = version()
    for (op, label), r in sorted(into.items(), key=lambda x: (x[0][0], LABELS.index(x[0][1]))):
        if len(r) < ENOUGH:
            continue
        low, high = ends(r)
        f.write("operators,%s,%s,%s,%d,%.4g,%.4g,%.4g\n"
                % (of, op, label, len(r), sum(abs(math.exp(-x) - 1) for x in r) / len(r),
                   math.exp(low), math.exp(high)))


def write_classes(found, f):
    f.write("class,rows,mean_error_pct,median_error_pct\n")
    for name, ways, ops, fp8, gpus in CLASSES:
        errors = sorted(abs(math.exp(-x) - 1) for way, gpu, op, label, is_fp8, x in found
                        if way in ways and op in ops and label in LABELS
                        and fp8 in (None, is_fp8) and (not gpus or gpu in gpus))
        if errors:
            f.write("\"%s\",%d,%.1f,%.1f\n" % (name, len(errors), 100 * sum(errors) / len(errors),
                                             100 * errors[len(errors) // 2]))


def main():
    sets = sorted(s for s in os.listdir(DATA) if s.split(".")[-1] != s and "." in s
                  and any(x in s for x in ("vllm-", "sglang-", "trtllm-", "nccl-"))
                  and os.path.exists(os.path.join(DATA, s, "MANIFEST")))
    chosen = sys.argv[1:] or sets
    into, all_found = collections.defaultdict(list), []
    with multiprocessing.Pool(int(os.environ.get("JOBS", "2"))) as pool:
        for found in pool.imap_unordered(score, chosen):
            all_found += found
            for way, _, op, label, _, r in found:
                if label in (OF_THE_SHAPE if way == "more" else LABELS):
                    into[op, label].append(r)
    if sys.argv[1:]:
        write(into, sys.stdout)
        write_classes(all_found, sys.stdout)
        return
    with open(RESULT, "w") as f:
        write(into, f)
    with open(BY_CLASS, "w") as f:
        write_classes(all_found, f)


if __name__ == "__main__":
    main()
