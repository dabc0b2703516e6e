#!/usr/bin/env python3
"""Tests how accurate `operators` is on mixtures of experts that are not in tables.

For each model of SHAPES: the errors of its served runs, priced once with all
tables, and once without the rows of experts of its shape (hidden size and number
of experts), so that `operators` uses experts of other models.

new_models.py [FILE...]     FILE: what `validate etc/published.ini --arms operators
                            --format csv` wrote; runs that are there are not
                            simulated again with all tables

Run it at the top of the source tree with stepcost on PATH or in $STEPCOST.
"""
import csv
import os
import shutil
import sys
import tempfile

from files import BENCH_DATA, rows_of, serving, stepcost

FILES = ("inferencex-sglang", "inferencex-trtllm", "inferencex-vllm",
         "vllm-closed-loop", "vllm-0.15-open-loop")
SHAPES = {  # model of a measured run: hidden size, number of experts
    "mistralai/Mixtral-8x7B-v0.1": (4096, 8),
    "mistralai/Mixtral-8x22B-Instruct-v0.1": (6144, 8),
    "RedHatAI/Llama-4-Scout-17B-16E-Instruct-FP8-dynamic": (5120, 16),
    "openai/gpt-oss-120b": (2880, 128),
    "Qwen/Qwen3-235B-A22B-FP8": (4096, 128),
    "MiniMaxAI/MiniMax-M2.5": (3072, 256),
    "moonshotai/Kimi-K2.5": (7168, 384)}


def copy_rows(name, to, keep):
    """Returns how many rows were kept and how many were dropped."""
    rows = rows_of(name)
    kept = [r for r in rows if keep(r)]
    with open(to, "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, rows[0] if rows else [])
        out.writeheader()
        out.writerows(kept)
    return len(kept), len(rows) - len(kept)


def tables_without(shape, to):
    """Copies bench_data without the experts of a shape.  Returns how many rows the
    copy lacks."""
    shutil.copytree(BENCH_DATA, to)
    lacks = 0
    for folder, _, files in os.walk(to):
        for name in files:
            if name.startswith("moe") and name.endswith(".csv"):
                path = os.path.join(folder, name)
                lacks += copy_rows(path, path, lambda r: (
                    int(r["hidden"]), int(r["experts"])) != shape)[1]
    return lacks


def predicted(measured, tables):
    """Returns the rows of `validate` about these files."""
    if not measured:
        return []
    return stepcost("validate", "etc/published.ini",
                    "--set", "tables.path=" + os.path.abspath(tables),
                    *(a for name in measured for a in ("--measured", name)))


def with_all_tables(measured, known):
    """Returns the rows about these files; known: rows by their id."""
    rows, others = [], []
    for name in measured:
        there = [known[r["id"]] for r in rows_of(name) if r["id"] in known]
        rows += there
        others += [] if there else [name]
    return rows + predicted(others, BENCH_DATA)


def errors_pct(rows):
    """Returns the errors of mean TPOT."""
    return [float(r["mean_tpot_error_pct"]) for r in rows
            if r["mean_tpot_error_pct"]]


def runs_of(model, folder):
    """Writes the runs of the model to files.  Returns the names of the files."""
    files = []
    for name in FILES:
        to = os.path.join(folder, name + ".csv")
        if copy_rows(serving(name), to, lambda r: r["model"] == model)[0]:
            files.append(to)
    return files


def tell(model, lacks, before, after):
    def told(e):
        return "%5.1f %+5.1f" % (sum(map(abs, e)) / len(e), sum(e) / len(e))
    print("%-34s %4d   %s   %5d   %s" % (model.split("/")[1][:34], len(after),
                                         told(before), lacks, told(after)))


def main(files):
    known = {r["id"]: r for name in files for r in rows_of(name)}
    print("TPOT, percent                             all tables    without   "
          "rows of its shape\n"
          "%-34s %4s   mean  bias      rows    mean  bias" % ("", "runs"))
    for model, shape in SHAPES.items():
        with tempfile.TemporaryDirectory() as tmp:
            tables = tmp + "/bench_data"
            lacks = tables_without(shape, tables)
            measured = runs_of(model, tmp)
            tell(model, lacks, errors_pct(with_all_tables(measured, known)),
                 errors_pct(predicted(measured, tables)))


if __name__ == "__main__":
    main(sys.argv[1:])
