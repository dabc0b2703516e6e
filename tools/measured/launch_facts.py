#!/usr/bin/env python3
"""Turns a table of launches of prefill and decode apart into facts that
`stepcost validate --facts` reads.

usage: launch_facts.py LAUNCHES.csv >FACTS.csv

A row has the id of a measured row, how certain it is that it had this launch, the
commits and the file that tell it, and the launch itself.
"""
import csv
import sys

from files import rows_of

POOL = ["workers", "tp", "attention_dp", "ep", "max_batch", "max_tokens"]
COLUMNS = (["id", "certainty", "source", "gpu_count"] +
           [f"prefill_{c}" for c in POOL] + [f"decode_{c}" for c in POOL] +
           ["kv_cache_dtype", "moe_kernels", "all_to_all", "redundant_experts",
            "memory_fraction", "draft_tokens"])


def source(row):
    """The launch, and its recipe: a file of its own, or part of the launch."""
    if not row["launch_commit"]:
        return ""
    launch = f"SemiAnalysisAI/InferenceX@{row['launch_commit'][:8]}"
    if row["recipe_commit"]:
        return f"{launch} NVIDIA/srt-slurm@{row['recipe_commit'][:8]}:{row['recipe_path']}"
    return f"{launch}:{row['recipe_path']}"


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS)
    for row in rows_of(sys.argv[1]):
        row["source"] = source(row)
        out.writerow([row[c] for c in COLUMNS])


if __name__ == "__main__":
    main()
