#!/usr/bin/env python3
"""Writes the times of ROCm/aiter's tuned kernels as sets of tables.

usage: aiter_tables.py AITER/aiter/configs GPU FOLDER
       GPU: mi300x (gfx942 with 304 compute units) or mi355x (gfx950 with 256)

Of one point the fastest kernel counts.  GEMMs are kept at powers of two of m.  Two
stages of experts add up to `us`; inter_dim is a rank's, so rows have tp 1, except
those of models in WHOLE_INTER.  A time of several
numbers of tokens was measured once: it counts at the end next to another time.
"""
import collections
import csv
import glob
import os
import sys

CHIP = {"mi300x": ("gfx942", "304"), "mi355x": ("gfx950", "256")}
GEMM = [("a8w8_blockscale", "fp8_block"), ("a4w4", "w4a4_mxfp4"), ("a8w8", "fp8"),
        ("bf16", "bf16")]
EXPERTS = {("float8_e4m3", "float8_e4m3", "per_1x128"): "fp8_block",
           ("float4_e2m1", "float4_e2m1", "per_1x32"): "w4a4_mxfp4",
           ("bfloat16", "bfloat16", "No"): "bf16"}
M = [1 << i for i in range(16)]
WHOLE_INTER = {"7168": 2048}  # DeepSeek-V3, Kimi-K2: hidden size, width of an expert


def rows_of(folder, gpu):
    gfx, units = CHIP[gpu]
    for path in sorted(glob.glob(folder + "/*.csv") + glob.glob(folder + "/model_configs/*.csv")):
        name = os.path.basename(path)
        if "untuned" in name or "batched" in name:
            continue
        for row in csv.DictReader(open(path)):
            if row.get("cu_num") != units or row.get("gfx", gfx) != gfx:
                continue
            try:
                row["us"] = float(row["us"])
            except (KeyError, TypeError, ValueError):
                continue
            if 0 < row["us"] < 1e9:
                yield name, row


def gemm_format(name, row):
    word = next((w for part, w in GEMM if part in name), None)
    if word == "fp8" and "float8" not in row["q_dtype_w"]:
        return None
    if word == "bf16" and (row["bias"] == "True" or row["dtype"] != "torch.bfloat16"):
        return None
    return word


def gemms(folder, gpu):
    table = collections.defaultdict(dict)
    for name, row in rows_of(folder, gpu):
        word = gemm_format(name, row) if "gemm" in name else None
        if word is None or int(row["M"]) not in M:
            continue
        at = table[word, int(row["N"]), int(row["K"])]
        at[int(row["M"])] = min(row["us"], at.get(int(row["M"]), row["us"]))
    return table


def expert_format(row):
    for (a, w, q), word in EXPERTS.items():
        if a in row["q_dtype_a"] and w in row["q_dtype_w"] and row["q_type"].endswith(q):
            return word
    return None


def measured_once(times):
    """A run of equal times keeps its end next to another time."""
    ms = sorted(times)
    kept, i = {}, 0
    while i < len(ms):
        j = i
        while j + 1 < len(ms) and times[ms[j + 1]] == times[ms[i]]:
            j += 1
        at = ms[j] if i == 0 and j + 1 < len(ms) else ms[i]
        kept[at] = times[ms[i]]
        i = j + 1
    return kept


def experts(folder, gpu):
    table = collections.defaultdict(dict)
    for name, row in rows_of(folder, gpu):
        word = expert_format(row) if "fmoe" in name else None
        if word is None or row["use_g1u1"] not in ("1", "True") or int(row["token"]) not in M:
            continue
        inter = WHOLE_INTER.get(row["model_dim"], int(row["inter_dim"]))
        key = (word, "aiter", "balanced", row["model_dim"], inter, row["expert"], row["topk"],
               inter // int(row["inter_dim"]), 1)
        m = int(row["token"])
        table[key][m] = min(row["us"], table[key].get(m, row["us"]))
    return {k: measured_once(v) for k, v in table.items()}


def write(path, columns, axis, table):
    ms = sorted({m for v in table.values() for m in v})
    with open(path, "w") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(columns + [f"{axis}={m}" for m in ms])
        for key in sorted(table, key=lambda k: [str(x).zfill(9) for x in k]):
            times = table[key]
            out.writerow(list(key) + [f"{times[m]:.4g}" if m in times else "" for m in ms])


def main():
    folder, gpu, to = sys.argv[1:]
    os.makedirs(to, exist_ok=True)
    write(to + "/gemm.csv", ["dtype", "n", "k"], "m", gemms(folder, gpu))
    write(to + "/moe.csv", "dtype kernel routing hidden inter experts topk tp ep".split(),
          "tokens", experts(folder, gpu))


if __name__ == "__main__":
    main()
