#!/usr/bin/env python3
"""Joins the files of two runs of measure.py and moe.py into a set of tables.

join.py FIRST SECOND SET    folders of the runs, and the folder to write
The MANIFEST is written by hand.  Cells of a point that the second run lacks are empty,
and 0 in the tables that cost models read.
"""
import csv
import os
import sys

import grids as G

FIRST, SECOND, SET = sys.argv[1:4]
DTYPE = {"bf16": "bf16", "fp8_e4m3": "fp8"}
TIMED = ["latency_us", "p10_us", "p90_us", "reps", "at_s"]
TWICE = TIMED + ["again_us", "again_p10_us", "again_p90_us", "again_reps", "again_at_s"]
CORE = ("latency_us", "p10_us", "p90_us")


def read(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def write(name, head, rows):
    path = os.path.join(SET, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([head] + rows)


def timed(row, none=""):
    return [row[k] for k in CORE] + [row["reps"], row["t_s"].split(".")[0]] if row else [none] * 5


def core(row, none=""):
    return [row[k] for k in CORE] if row else [none] * 3


def first_by(rows, keys):
    """The first row of each key, in their order."""
    out = {}
    for r in rows:
        out.setdefault(tuple(r[k] for k in keys), r)
    return out


def gemm():
    keys = ("dtype", "k", "n", "m")
    a, b = first_by(read(FIRST, "gemm.csv"), keys), first_by(read(SECOND, "gemm.csv"), keys)
    rows = [[DTYPE[k[0]]] + list(k[1:]) + timed(r) + timed(b.get(k), 0) for k, r in a.items()]
    rows.sort(key=lambda r: (r[0], int(r[1]), int(r[2]), int(r[3])))
    write("gemm.csv", list(keys) + TWICE, rows)


def attention(source, keys, table, columns, is_table, others):
    """The rows of one kernel become a table for cost models, the others a file of their own."""
    a, b = first_by(read(FIRST, source), keys), first_by(read(SECOND, source), keys)
    main, rest = [], []
    for k, r in a.items():
        if is_table(r):
            main.append(["bf16", "bf16"] + list(k[1:6]) + timed(r) + timed(b.get(k), 0))
        else:
            rest.append(list(k) + timed(r) + timed(b.get(k)))
    main.sort(key=lambda r: [int(c) for c in r[2:7]])
    rest.sort(key=lambda r: (r[0], [int(c) for c in r[1:len(keys)]]))
    write(table, ["dtype", "kv_dtype"] + columns + TWICE, main)
    write(others, list(keys) + TWICE, rest)


def kind_of(name):
    word = name.split("_")
    kinds = {"mild": "mild", "mod": "mild", "high": "32x", "extreme": "64x"}
    return word[0] if not word[0].startswith("h") else kinds.get(word[1], "one-long")


def batches():
    """A batch with its two equal twins in one row."""
    where = ("heads", "kv_heads", "backend", "kv_lens")
    rows = read(FIRST, "attention_decode_hetero.csv")
    runs = first_by(rows, where), first_by(read(SECOND, "attention_decode_hetero.csv"), where)
    out = []
    for key, r in first_by([r for r in rows if r["role"] == "self"], where).items():
        lens = G.decode_lens(r["kv_lens"])
        if min(lens) == max(lens):
            continue
        twins = [G.encode_lens([n] * len(lens)) for n in (max(round(sum(lens) / len(lens)), 1), max(lens))]
        row = [kind_of(r["name"]), r["name"], r["heads"], r["kv_heads"], r["head_dim"], r["backend"], len(lens), r["kv_lens"],
               sum(lens), max(lens)]
        for run in runs:
            row += timed(run.get(key))
            for twin in twins:
                row += core(run.get(key[:3] + (twin,)))
        out.append(row)
    one = ["us", "p10_us", "p90_us", "reps", "at_s"] + [a + b for a in ("mean_", "max_") for b in ("us", "p10_us", "p90_us")]
    write("measured/decode_batches.csv", ["class", "name", "heads", "kv_heads", "head_dim", "backend", "batch", "kv_lens", "sum_kv",
                                          "max_kv"] + one + ["again_" + c for c in one], out)


def steps():
    """Steps of one phase, and mixed steps with each phase alone."""
    keys, parts = ("mode", "decode_context", "prefill", "graph"), ("gemm_us", "attn_us", "other_us")
    runs = first_by(read(FIRST, "step.csv"), keys), first_by(read(SECOND, "step.csv"), keys)
    head = ["kind", "name", "mode", "decode_context", "prefill", "n_dec", "n_pre_tokens", "sum_ctx", "max_ctx", "graph"]
    alone, mixed = [], []
    for key, r in runs[0].items():
        mode, decode, prefill, graph = key
        if "-" in (decode, prefill):
            alone.append([r[c] for c in head] + timed(r) + [r[p] for p in parts] + [r["cpu_us"]] + timed(runs[1].get(key)))
        elif graph == "1" and mode == "two":
            keys_of = [("two", decode, "-", "1"), ("two", "-", prefill, "1"), ("single", decode, prefill, "1")]
            row = [decode, prefill, r["n_dec"], r["n_pre_tokens"], r["sum_ctx"]]
            for run in runs:
                row += timed(run.get(key)) + sum((core(run.get(k)) for k in keys_of), [])
            for k in [key] + keys_of:
                row += [runs[0][k][p] for p in parts] if k in runs[0] else [""] * 3
            mixed.append(row)
    one = ["two_us", "two_p10_us", "two_p90_us", "reps", "at_s"] + [a + b for a in ("decode_", "chunk_", "single_")
                                                                    for b in ("us", "p10_us", "p90_us")]
    write("measured/steps.csv", head + TIMED + list(parts) + ["cpu_us"] + TWICE[5:], alone)
    write("measured/mixed_steps.csv", ["decode_context", "prefill", "n_dec", "n_pre_tokens", "sum_ctx"] + one +
          ["again_" + c for c in one] + [a + p for a in ("two_", "decode_", "chunk_", "single_") for p in parts], mixed)


def experts():
    keys = ("model", "dtype", "routing", "tokens")
    b = first_by(read(SECOND, "moe.csv"), keys)
    head = ["model", "experts", "topk", "hidden", "inter", "dtype", "routing", "tokens", "active", "max_rows", "padded_rows", "block_m"]
    rows = [[DTYPE[r[c]] if c == "dtype" else r[c] for c in head] + timed(r) + timed(b.get(k))
            for k, r in first_by(read(FIRST, "moe.csv"), keys).items()]
    write("measured/moe.csv", head + TWICE, rows)


gemm()
SHAPE = ["heads", "kv_heads", "head_dim", "batch"]
attention("attention_decode.csv", ["backend"] + SHAPE + ["kv_len"], "attention_decode.csv", SHAPE + ["kv_len"],
          lambda r: r["backend"] == "triton_paged", "measured/decode_kernels.csv")
attention("attention_prefill.csv", ["backend"] + SHAPE + ["new_tokens", "context"], "attention_prefill.csv", SHAPE + ["seq_len"],
          lambda r: r["backend"] == "sdpa_cudnn" and r["context"] == "0", "measured/prefill_kernels.csv")
batches()
steps()
experts()
