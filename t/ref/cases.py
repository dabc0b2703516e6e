#!/usr/bin/env python3
"""Random steps under random arms, priced by reference.py, in the format of
t/golden/README.   cases.py TABLES SEED STEPS ARMS: STEPS steps, each under
ARMS arms of roofline_v2 and one of roofline_v1."""
import random
import sys

import reference as ref

COLUMNS = ["total_us", "exact_us"] + [
    "%s_%s_us" % (phase, part) for phase in ("prefill", "decode")
    for part in ("gemm", "attention", "compute", "memory")] + ["comm_us", "overhead_us"] + ref.LOOKUPS

# layers, hidden, heads, kv heads, intermediate, vocabulary; of the last two, one
# has a head size that is no integer, one a hidden size with measured GEMMs.
MODELS = [(32, 4096, 32, 8, 14336, 128256), (80, 8192, 64, 8, 28672, 32000),
          (28, 3584, 28, 4, 18944, 152064), (40, 5120, 40, 40, 13824, 32000),
          (62, 7168, 56, 8, 19200, 32256), (22, 2048, 32, 4, 5632, 32000),
          (24, 2048, 16, 0, 0, 50000), (12, 4000, 48, 12, 11008, 6144),
          (16, 4097, 32, 32, 6144, 11008), (36, 6144, 48, 16, 11008, 6144)]

CHOICES = {
    "lookup": ["nearest", "linear", "log_linear"], "missing_tp": ["one", "auto"],
    "zero_mfu": ["nearest", "first", "latency", "v1"], "v1_vector_peak": [.1, .05],
    "v1_mfu_prefill": [.91, .5], "v1_mfu_decode": [.216, .1], "missing_cell": ["zero", "drop"],
    "mfu_digits": ["3", "full"], "prefill_gemm_rows": ["tokens", "requests"],
    "prefill_attention_rows": ["tokens", "requests"],
    "prefill_attention_length": ["actual", "bucket", "hybrid"],
    "prefill_attention_mfu": ["bucket", "length"], "bucket_key": ["total", "new"],
    "bucket_min": [64, 1, 512, 1000, 4096, 65536], "causal_mask": [1.0, .5],
    "prefill_attention_divisor": [1.0, 1.8], "softmax_flops": [True, False],
    "decode_attention_flops": ["sum", "max", "bucket"],
    "decode_attention_mfu": ["max", "weighted", "weighted_single", "per_request", "harmonic",
                             "kv_bucket"],
    "kv_bucket_round": ["up", "nearest"],
    "kv_bucket_edges": ["1024", "2048,8192,32768", "100,700.5,100000"],
    "tp_scaling_exponent": [1.0, 0.0, .68], "decode_tp_scaling_exponent": [1.0, 0.0, 1.78],
    "attention_tp": ["divide", "keep"],
    "gemm_memory_floor": [True, False], "gemm_sum": ["once", "by_layer"],
    "lm_head": [True, False], "mixed": ["max", "sum", "adaptive", "smooth"],
    "bw_efficiency": [0.0, .82], "decode_bw_efficiency": [0.0, .7],
    "prefill_bw_efficiency": [0.0, .6], "memory": ["single", "hybrid"],
    "weight_bw_efficiency": [.9, .8], "kv_bw_efficiency": [.4, .5], "kv_bw_gain": [.3, .1],
    "kv_bw_batch": [64.0, 20.0], "kv_read_discount_decode": [1.0, .5],
    "kv_read_discount_prefill": [1.0, .7], "activation_discount_decode": [1.0, .6],
    "activation_discount_prefill": [1.0, .3], "overhead": ["per_layer", "batch_scaled", "none"],
    "cpu_overhead_per_layer_us": [0.0, 100.0], "t_overhead_us": [500.0, 123.0],
    "allreduce_latency_us": [20.0, 7.5], "prefill_overhead_us": [500.0, 30.0],
    "mixed_prefill_overhead_us": [150.0, 1.0], "min_step_us": [0.0, 1.0, 20000.0]}


def length(r):
    return r.choice([r.randint(1, 600), r.randint(1, 9000), 2 ** r.randint(0, 17),
                     2 ** r.randint(0, 17) + r.choice([-1, 1]), r.randint(1, 200000)]) or 1


def step(r):
    decode, prefill = [], []
    kind = r.choice(["decode", "prefill", "both"])
    if kind != "prefill":
        n = r.choice([1, 2, 3, r.randint(1, 60), r.choice([8, 16, 32, 64, 128]), r.randint(60, 600)])
        spread = r.choice([1, 3, n])
        pool = [length(r) for _ in range(spread)]
        decode = [r.choice(pool) for _ in range(n)]
    if kind != "decode":
        for _ in range(r.choice([1, 1, 2, 5, 40])):
            prefill.append((r.choice([0, 0, length(r)]), r.choice([1, 2, length(r)])))
    return decode, prefill


def run(values, text):
    out, i = [], 0
    while i < len(values):
        j = i
        while j < len(values) and values[j] == values[i]:
            j += 1
        out.append(text(values[i]) + ("x%d" % (j - i) if j - i > 1 else ""))
        i = j
    return ";".join(out)


def knob_text(knobs):
    text = lambda v: str(v).lower() if isinstance(v, bool) else "%.15g" % v if isinstance(v, float) else str(v)
    return "".join(" %s=%s" % (k, text(v).replace(",", "|")) for k, v in knobs.items())


def row(head, arm, tail, out):
    cells = ["" if out.get(c) is None else repr(out[c]) for c in COLUMNS]
    print(",".join(head + [arm] + tail + cells))


# Peak TFLOP/s and TB/s of the GPU that the tables are of.
OWN = (989.5, 3.35)


def of_other_gpu(out):
    """Every answer of tables of another GPU counts as substituted."""
    tables = [c for c in ref.LOOKUPS if c != "lookups_fallback"]
    n = sum(out[c] for c in tables)
    return {**out, **dict.fromkeys(tables, 0), "lookups_substituted": n}


def arm(r, preset):
    """Random knobs that have an effect beside a preset, and that it may have together."""
    names = r.sample(list(CHOICES), r.choice([0, 1, 1, 4, 12]))
    knobs = {k: r.choice(CHOICES[k]) for k in names}
    if knobs.get("decode_attention_flops") == "bucket":
        knobs["decode_attention_mfu"] = "kv_bucket"
    while ref.inert(preset, knobs):
        for name in ref.inert(preset, knobs):
            del knobs[name]
    return knobs


def main(folder, seed, steps, arms):
    r = random.Random(seed)
    tables = ref.Tables(folder)
    print(",".join("model hardware tp arm decode prefill".split() + COLUMNS))
    for _ in range(steps):
        shape, b = r.choice(MODELS), r.choice([2.0, 2.0, 1.0])
        model = ref.Model(*shape, b)
        tflops, tbs = r.choice([OWN, (312.0, 2.039), (1979.0, 4.8)])
        tp = r.choice([1, 1, 2, 3, 4, 6, 8])
        decode, prefill = step(r)
        head = ["/".join(map(str, shape)) + "/%d" % b, "%r/%r" % (tflops, tbs), str(tp)]
        tail = [run(decode, str), run(prefill, lambda p: "%d:%d" % p)]
        v1 = {k: r.choice([v, v * 1.25]) for k, v in ref.V1.items()}
        for k in ("tp_scaling_exponent", "decode_tp_scaling_exponent"):
            v1[k] = r.choice([v1[k], 0.0])
        out = ref.v1(model, tflops, tbs, tp, v1, decode, prefill)
        row(head, "roofline_v1" + knob_text(v1), tail, dict(out, **dict.fromkeys(ref.LOOKUPS, 0)))
        for _ in range(arms):
            preset = r.choice(list(ref.PRESETS))
            knobs = arm(r, preset)
            out = ref.v2(tables, model, tflops, tbs, tp, preset, knobs, decode, prefill)
            if (tflops, tbs) != OWN:
                out = of_other_gpu(out)
            if out["total_us"] > 0:
                row(["^"] * 3, "roofline_v2" + (preset and " preset=" + preset) + knob_text(knobs),
                    ["^"] * 2, out)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
