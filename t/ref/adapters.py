#!/usr/bin/env python3
"""TAP: random small configurations with adapters (LoRA), salts of the prefix
cache and context parallelism, as presets.py compares those without.

usage: adapters.py STEPCOST [CASES [FIRST]]
"""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import presets  # noqa: E402
import vllm  # noqa: E402


def draw_adapters(rng, keys, requests):
    """Adapters for some requests, often more than a step has places for."""
    names = [""] * rng.choice([0, 1, 2]) + ["a%d" % i for i in range(rng.randint(1, 6))]
    for r in requests:
        r["adapter"] = rng.choice(names)
    keys.update(enable_lora="true", max_loras=rng.choice([1, 1, 2, 3]))
    for key, values in dict(max_cpu_loras=[keys["max_loras"], keys["max_loras"] + 2],
                            lora_us=[0, 13], lora_load_us=[0, 900],
                            lora_activate_us=[0, 70.5]).items():
        if rng.random() < 0.5:
            keys[key] = rng.choice(values)


def write_case(folder, seed):
    rng = random.Random(seed)
    longest = rng.choice([8, 40, 100])
    requests = presets.requests_of(rng, rng.choice([3, 6, 12, 18]), longest)
    model = presets.model_of(rng)
    keys = presets.engine_of(rng, longest, requests)
    keys["preset"] = "vllm-2026-07"
    if rng.random() < 0.8:
        draw_adapters(rng, keys, requests)
    if rng.random() < 0.3:
        for r in requests:
            r["cache_salt"] = rng.choice(["", "s", "t"])
    if model.startswith("config") and rng.random() < 0.3:
        n = rng.choice([2, 4])
        keys.update(decode_context_parallel_size=n, tensor_parallel_size=8 * n)
        keys.pop("draft_model_config", None)
    presets.write_files(folder, rng, model, requests, {"engine": keys})


def compare(program, seed):
    def reference(path):
        engine, requests = vllm.run(path)
        return {"0": engine.steps} if engine.steps else {}, requests
    return presets.compare_with(program, write_case, reference, seed)


if __name__ == "__main__":
    sys.exit(presets.main(compare))
