#!/usr/bin/env python3
"""Turns published tables of serving runs into rows of bench_data/serving.

usage: serving_rows.py [--only LETTER] [--engine NAME] [--leave-out COLUMN]
                       [--flag FLAG=IDS] PUBLISHED.csv >ROWS.csv

Carries a column over under the name that `stepcost validate` knows it by, except
a column that is empty in every row.  --leave-out drops a column that has the same
words in all rows.  --only keeps the rows with an id that begins with LETTER,
--engine those of one engine; --flag adds a remark to the rows with an id that
matches a pattern.
"""
import argparse
import csv
import fnmatch
import re
import sys

from files import rows_of

# published -> ours, in this order
COLUMNS = {
    "id": "id", "run": "run", "origin": "origin", "mode": "mode", "arrival": "arrival",
    "measured": "measured",
    "model": "model", "gpu": "gpu", "gpu_count": "gpu_count",
    "tp": "tensor_parallel_size", "pp": "pipeline_parallel_size",
    "dp": "data_parallel_size", "ep": "expert_parallel_size",
    "dtype": "dtype", "gemm_dtype": "gemm_dtype", "moe_dtype": "moe_dtype",
    "engine": "engine", "engine_version": "engine_version",
    "max_num_seqs": "max_num_seqs", "max_num_batched_tokens": "max_num_batched_tokens",
    "workload": "workload", "rate_rps": "request_rate", "concurrency": "concurrency",
    "duration_s": "duration_s", "num_requests": "num_requests",
    "input_mean": "input_tokens", "output_mean": "output_tokens",
    "ttft_mean": "mean_ttft_ms", "ttft_p50": "p50_ttft_ms",
    "ttft_p90": "p90_ttft_ms", "ttft_p99": "p99_ttft_ms",
    "tpot_mean": "mean_tpot_ms", "tpot_p50": "p50_tpot_ms",
    "tpot_p90": "p90_tpot_ms", "tpot_p99": "p99_tpot_ms",
    "e2e_mean": "mean_e2el_ms", "e2e_p50": "p50_e2el_ms",
    "e2e_p90": "p90_e2el_ms", "e2e_p99": "p99_e2el_ms",
    "output_tok_s": "output_throughput",
    "submitter": "submitter", "system": "system", "scenario": "scenario",
    "flags": "flags",
}
# validate asks for these, even where they are empty
NEEDED = {"id", "model", "gpu", "e2e_mean"}


def date(rows):
    """Adds the day of the measurement, where the notes tell it."""
    for r in rows:
        day = re.search(r"\bmeasured (\d{4}-\d\d-\d\d)", r.get("notes") or "")
        r["measured"] = day.group(1) if day else r.get("measured") or ""


def state_lengths(rows):
    """Replaces InferenceX's mean lengths by the stated ones, as in its own tables."""
    for r in rows:
        stated = re.fullmatch(r"random-(\d+)x(\d+)", r.get("workload") or "")
        if stated and r.get("origin") == "inferencex":
            r["input_mean"], r["output_mean"] = stated.groups()


def flag(rows, remarks):
    for remark in remarks:
        name, ids = remark.split("=", 1)
        for r in rows:
            if fnmatch.fnmatchcase(r["id"], ids):
                r["flags"] = "|".join(filter(None, [r["flags"], name]))


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--only", default="")
    args.add_argument("--engine")
    args.add_argument("--flag", action="append", default=[])
    args.add_argument("--leave-out", action="append", default=[])
    args.add_argument("published")
    o = args.parse_args()
    rows = [r for r in rows_of(o.published) if r["id"].startswith(o.only)
            and r["engine"] == (o.engine or r["engine"])]
    date(rows)
    state_lengths(rows)
    flag(rows, o.flag)
    kept = [c for c in COLUMNS if c not in o.leave_out and
            (c in NEEDED or any(r.get(c) for r in rows))]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow([COLUMNS[c] for c in kept])
    for r in rows:
        out.writerow([r.get(c) or "" for c in kept])


if __name__ == "__main__":
    main()
