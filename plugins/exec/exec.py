"""A roofline as a program; protocol: doc/exec-protocol.md, formula: exec.md."""
import json
import sys


def main():
    write, flush = sys.stdout.write, sys.stdout.flush
    setup = json.loads(sys.stdin.readline())
    knobs, model, gpu = setup["knobs"], setup["model"], setup["hardware"]
    base_us = knobs["base_us"]
    weights = weight_bytes = kv_bytes = 0  # kv_bytes: per token of context
    for g in model["group"]:
        heads = 2 * g["n_heads"] + 2 * g["n_kv_heads"]
        layer = model["hidden"] * (heads * g["head_dim"] + 3 * g["ffn_dim"])
        weights += g["n_layers"] * layer
        weight_bytes += g["n_layers"] * layer * g["ffn_bits"] / 8
        kv = 2 * g["n_kv_heads"] * g["head_dim"] * model["kv_bits"] / 8
        kv_bytes += g["n_layers"] * kv
    peak = setup["parallel"]["tp"] * gpu["peak_flops"][model["compute_format"]]
    bandwidth = setup["parallel"]["tp"] * gpu["mem_bandwidth"]
    us_per_token = 2e6 * weights / (peak * knobs["compute_share"])
    us_per_byte = 1e6 / (bandwidth * knobs["bandwidth_share"])
    write('{"ready":1}\n')
    flush()
    for line in sys.stdin:
        step = json.loads(line)
        tokens = len(step["decode_ctx"]) + sum(step["prefill_new"])
        context = sum(step["decode_ctx"]) + sum(step["prefill_ctx"])
        memory_us = (weight_bytes + kv_bytes * context) * us_per_byte
        work_us = max(us_per_token * tokens, memory_us)
        write('{"total_us":%r}\n' % (base_us + work_us))  # in one piece
        flush()


main()
