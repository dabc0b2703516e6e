#!/usr/bin/env python3
"""TAP: random small configurations with pictures in prompts, as presets.py
compares those without; also the pictures that each step encodes, and the cache
of encoded ones.

usage: encoders.py STEPCOST [CASES [FIRST]]
"""
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import adapters  # noqa: E402
import presets  # noqa: E402
import vllm  # noqa: E402

vllm.STEP_COLUMNS = vllm.STEP_COLUMNS + ["encoded", "encoder_cache"]


def items_of(rng, prompt, lengths):
    """Pictures one after the other, some side by side, some again."""
    out, at = [], 0
    while True:
        at += rng.choice([0, 0, 1, 4, rng.randint(0, 20)])
        name = rng.choice(sorted(lengths))
        if at + lengths[name] > prompt or rng.random() < 0.15:
            return ";".join(out)
        out.append("%d:%d:%s" % (at, lengths[name], name))
        at += lengths[name]


def draw_items(rng, keys, requests):
    lengths = {"m%d" % i: rng.choice([1, 3, 7, rng.randint(1, 30)])
               for i in range(rng.choice([1, 2, 4, 8]))}
    seen = {}
    for r in requests:  # a prompt often begins with the pictures of one before it
        cell = items_of(rng, r["input_tokens"], lengths)
        if rng.random() < 0.5:
            cell = seen.setdefault(r["prefix_group"], cell)
            cell = ";".join(i for i in cell.split(";")
                            if i and sum(map(int, i.split(":")[:2])) <= r["input_tokens"])
        r["mm_items"] = cell
    longest = max(lengths.values())
    if rng.random() < 0.6:
        keys["max_tokens_per_mm_item"] = longest + rng.choice([0, 0, 5, 40])
    if rng.random() < 0.3:
        least = max(longest, keys.get("max_tokens_per_mm_item", 0))
        keys["disable_chunked_mm_input"] = "true"
        keys["max_num_batched_tokens"] = max(least, keys["max_num_batched_tokens"])
    for key, values in dict(encoder_us=[0, 13, 250], encoder_us_per_token=[0, 1, 2.5]).items():
        if rng.random() < 0.5:
            keys[key] = rng.choice(values)


def write_case(folder, seed):
    rng = random.Random(seed)
    longest = rng.choice([8, 40, 100])
    requests = presets.requests_of(rng, rng.choice([3, 6, 12, 18]), longest)
    model = presets.model_of(rng)
    keys = presets.engine_of(rng, longest, requests)
    keys["preset"] = "vllm-2026-07"
    draw_items(rng, keys, requests)
    if rng.random() < 0.2 and "num_speculative_tokens" not in keys:
        adapters.draw_adapters(rng, keys, requests)
    presets.write_files(folder, rng, model, requests, {"engine": keys})


def hangs(program, seed):
    """Both do: the difference, or None."""
    with tempfile.TemporaryDirectory() as folder:
        write_case(folder, seed)
        done = subprocess.run([program, "run", os.path.join(folder, "run.ini"), "--quiet"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60)
        if done.returncode == 2 and "vLLM hangs, too" in done.stderr:
            return None
        return "exit %d, want a hang: %s" % (done.returncode, done.stderr.strip())


def compare(program, seed):
    def reference(path):
        engine, requests = vllm.run(path)
        return {"0": engine.steps} if engine.steps else {}, requests
    try:
        return presets.compare_with(program, write_case, reference, seed)
    except vllm.Hang:
        return hangs(program, seed)


if __name__ == "__main__":
    sys.exit(presets.main(compare))
