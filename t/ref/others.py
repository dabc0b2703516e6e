#!/usr/bin/env python3
"""TAP: random small engines under SGLang's presets through the program and
through a slow reference; every step and request must agree.

The reference is written from the rules in doc/engines.md: tokens are compared
one by one, the radix cache is a tree of lists, and nothing is remembered that
could be counted again.

usage: others.py STEPCOST [CASES [FIRST]]
"""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import presets  # noqa: E402
import vllm  # noqa: E402
import vllm_keys  # noqa: E402
from sglang import Batch, Sglang  # noqa: E402
from vllm_keys import llround  # noqa: E402


# --- the loop --------------------------------------------------------------------------------

def launch(engine, parts, now, gpu_free, cost):
    """The batch, and its row."""
    batch = Batch(parts)
    batch.is_prompts = parts[0].is_prompt
    batch.chunked = getattr(engine, "chunked", None)
    start = max(now, gpu_free)
    batch.end = start + llround(1000 * cost(sum(p.n for p in parts)))
    batch.row = dict(
        start_ns=start, end_ns=batch.end, running=engine.n_running(),
        waiting=len(engine.waiting), kv_blocks=engine.in_use(),
        scheduled=";".join("%d:%d+%d" % (p.q.row, p.context, p.n) for p in parts), emitted="")
    for p in parts:
        p.q.computed += p.n
        p.q.ph += p.emits
        p.q.chunk = p.q.computed < p.q.known() if p.is_prompt else p.q.chunk
        if p.q.scheduled_ns is None:
            p.q.scheduled_ns = start
    return batch


def serve(engine, requests, cost):
    """Receive, form and launch a batch, then process the one before it."""
    k = engine.keys
    front = vllm.Front(k)
    inbox = [(front.passes(q.arrival_ns), q) for q in requests]
    now = gpu_free = 0
    last, steps = None, []
    while True:
        while inbox and inbox[0][0] <= now:
            engine.enqueue(inbox.pop(0)[1])
        engine.last, before = last, engine.state()
        parts, preempted = engine.form()
        batch = None
        if parts:
            called, now = now, now + llround(1000 * k.schedule_us)
            batch = launch(engine, parts, now, gpu_free, cost)
            gpu_free = batch.end
            batch.row.update(schedule_ns=called, preempted=preempted)
            steps.append(batch.row)
        over = last if engine.overlaps else batch
        if over:
            engine.flying = [batch] if engine.overlaps and batch else []
            now = max(now, over.end)
            emitted = engine.process(over)
            over.row["emitted"] = ";".join("%d:1" % q.row for q in emitted)
            for q in emitted:
                q.last_ns = over.end if engine.shows_at_end else now
                q.first_ns = q.last_ns if q.first_ns is None else q.first_ns
        engine.flying = [batch] if engine.overlaps and batch else []
        idle = not batch and not (last and engine.overlaps)
        last = batch
        if idle and not preempted:
            engine.idle()
            if engine.state() != before:
                continue
            if not inbox:
                return steps
            now = max(now, inbox[0][0])


def run(path):
    ini = vllm_keys.read_ini(path)
    engine = Sglang(ini["engine"])
    knobs = ini["cost_model"]
    requests = vllm_keys.read_trace(os.path.join(os.path.dirname(path), ini["workload"]["trace"]))
    for q in requests:
        q.rejected = engine.rejects(q)
    steps = serve(engine, [q for q in requests if not q.rejected],
                  lambda n: float(knobs["base_us"]) + float(knobs["per_token_us"]) * n)
    return {"0": steps} if steps else {}, requests


# --- random cases ----------------------------------------------------------------------------

def sglang_keys(rng, most):
    page = rng.choice([1, 1, 1, 4, 16])
    keys = dict(preset=rng.choice(["sglang", "sglang-2026-07", "sglang-2026-08", "sglang-0.5.6"]),
                page_size=page, cuda_graph_max_bs=8,
                num_gpu_blocks=-(-most // page) * rng.choice([1, 2, 3, 5]) + rng.choice([1, 2, 5]),
                max_running_requests=rng.choice([1, 2, 3, 5, 64]),
                chunked_prefill_size=rng.choice([-1, page, 8 * page, 16, 33 * page, 64, 2048]))
    for key, values in dict(
            max_prefill_tokens=[16, 40, 100], schedule_conservativeness=[0, 0.1, 0.4, 2],
            schedule_policy=["lpm"], enable_mixed_chunk=["true"], disable_radix_cache=["true"],
            disable_overlap_schedule=["true"], ignore_eos=["false"]).items():
        if rng.random() < 0.4:
            keys[key] = rng.choice(values)
    if keys["preset"] != "sglang-0.5.6" and rng.random() < 0.3:
        keys.update(enable_priority_scheduling="true", schedule_policy="fcfs",
                    priority_scheduling_preemption_threshold=rng.choice([0, 1, 10]),
                    schedule_low_priority_values_first=rng.choice(["true", "false"]),
                    disable_priority_preemption=rng.choice(["true", "false"]))
    return keys


def write_case(folder, seed):
    rng = random.Random(seed)
    longest = rng.choice([8, 40, 100, 200])
    requests = presets.requests_of(rng, rng.choice([1, 3, 6, 12, 20]), longest)
    if rng.random() < 0.2:
        for i, r in enumerate(requests):
            r["arrival_us"] += 200000 * (i * 2 // len(requests))
    most = max(r["input_tokens"] + r["output_tokens"] for r in requests)
    keys = sglang_keys(rng, most)
    keys["max_model_len"] = rng.choice([512, 512, most, most - 1])
    if rng.random() < 0.3:
        keys["schedule_us"] = rng.choice([3, 497])
    if rng.random() < 0.2:
        keys["api_overhead_us"] = 250
    if rng.random() < 0.2:
        keys["api_request_us"] = rng.choice([40, 2500])
    presets.write_files(folder, rng, "config = llama-3.1-8b\n", requests, {"engine": keys})


def compare(program, seed):
    """Returns the first difference as text, or None."""
    return presets.compare_with(program, write_case, run, seed)


if __name__ == "__main__":
    sys.exit(presets.main(compare))
