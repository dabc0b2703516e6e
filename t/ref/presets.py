#!/usr/bin/env python3
"""TAP: random small configurations under presets through the program and
through the reference in vllm.py; every step and every request must agree.

usage: presets.py STEPCOST [CASES [FIRST]]
"""
import csv
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import vllm  # noqa: E402

PRESETS = ["vllm-0.15", "vllm-0.24", "vllm-2026-07"]


def model_of(rng, states=False):
    """Layers of full attention, or some of a sliding window, or of linear attention."""
    if rng.random() < 0.5:
        return "config = llama-3.1-8b\n"
    kinds = ["full_attention", "sliding_attention"]
    types = [rng.choice(kinds) for _ in range(rng.randint(1, 7))]
    if states and rng.random() < 0.3:  # states instead of windows
        types = [t.replace("sliding", "linear") for t in types] + ["full_attention"]
    return ("num_hidden_layers = %d\nhidden_size = 256\nnum_attention_heads = 4\n"
            "num_key_value_heads = 1\nhead_dim = 64\nintermediate_size = 512\n"
            "vocab_size = 1000\nmax_position_embeddings = 8192\nlayer_types = %s\n"
            "%s" % (len(types), ",".join(types), window_of(rng, types))
            + ("linear_attention = gated_delta\nlinear_num_key_heads = 1\n"
               "linear_key_head_dim = 8\nlinear_num_value_heads = 2\nlinear_value_head_dim = %d\n"
               "linear_conv_kernel_dim = 4\nstate_dtype = %s\n"
               % (rng.choice([8, 8, 64]), rng.choice(["bf16", "fp32"]))
               if "linear_attention" in types else ""))


def window_of(rng, types):
    window = rng.choice([1, 4, 9, 33, 64])
    return "sliding_window = %d\n" % window if "sliding_attention" in types else ""


def requests_of(rng, n, longest):
    out, at = [], 0
    for row in range(n):
        at += rng.choice([0, 0, 1, 100, 1000, rng.randint(0, 3000)]) if row else 0
        prompt = rng.randint(1, longest)
        shared = min(prompt, rng.randint(1, longest)) if rng.random() < 0.6 else 0
        out.append(dict(arrival_us=at, input_tokens=prompt,
                        output_tokens=rng.choice([1, rng.randint(1, 12), rng.randint(1, 40)]),
                        priority=rng.choice([0, 0, 1, -1, 5]),
                        prefix_group=rng.choice("ab") if shared else "",
                        prefix_tokens=shared))
    if rng.random() < 0.3:  # turns that follow each other
        for i, r in enumerate(out):
            r["session_id"] = "s%d" % (i % 2)
            r["prefix_group"], r["prefix_tokens"] = "", 0
    return out


def engine_of(rng, longest, requests):
    block = rng.choice([1, 2, 4, 8, 16])
    most = max(r["input_tokens"] + r["output_tokens"] for r in requests)
    pool = -(-most // block) * rng.choice([1, 2, 3, 3, 7]) + rng.choice([0, 0, 1, 3])
    keys = dict(preset=rng.choice(PRESETS), block_size=block, num_gpu_blocks=pool,
                max_model_len=rng.choice([512, 512, most, most, most - 1]),
                max_num_seqs=rng.choice([1, 2, 3, 5, 64]),
                max_num_batched_tokens=rng.choice([4, 7, 16, 33, 64, 2048]))
    for key, values in dict(
            async_scheduling=["false", "true"], enable_prefix_caching=["false", "true"],
            scheduling_policy=["priority"], long_prefill_token_threshold=[5, 20],
            schedule_us=[3, 497], empty_sleep_us=[0, 100], api_overhead_us=[250],
            api_request_us=[40, 2500],
            watermark=[0.1, 0.3], scheduler_reserve_full_isl=["false", "true"],
            free_list=["lru", "unkeyed_first"], queue_empty_batches=["false", "true"],
            empty_sleep_while=["unfinished", "any"], window_free=["scheduled", "processed"],
            window_gate=["none", "one_batch", "all_batches"], group_padding=[1.25, 1.5, 3],
            disable_hybrid_kv_cache_manager=["true"]).items():
        if rng.random() < (0.7 if key in ("async_scheduling", "enable_prefix_caching") else 0.15):
            keys[key] = rng.choice(values)
    draw_speculation(rng, keys)
    reserves = keys.get("scheduler_reserve_full_isl", "false" if keys["preset"] == "vllm-0.15" else "true")
    if reserves == "false":  # or the other key is refused: it has no effect
        keys.pop("window_gate", None)
    if keys.get("empty_sleep_us") == 0:
        keys.pop("empty_sleep_while", None)
    return keys


def draw_pipeline(rng, keys, layers):
    if rng.random() < 0.25:
        keys["pipeline_parallel_size"] = min(layers, rng.choice([2, 3, 4]))
        keys["pipeline_stages"] = rng.choice(["equal", "cost_model"])
        keys["model_runner"] = rng.choice(["v2", "auto"])
        if keys["pipeline_parallel_size"] == 1:  # they are refused: they have no effect
            del keys["pipeline_stages"], keys["model_runner"]
    if "num_speculative_tokens_per_batch_size" in keys and rng.random() < 0.5:
        keys["model_runner"] = "v2" if keys.get("pipeline_parallel_size", 1) > 1 else "v1"


def draw_speculation(rng, keys):
    if rng.random() < 0.6:
        return
    k = rng.choice([1, 2, 3, 5, 7])
    rate, rates = 1.0, []
    for _ in range(k):
        rate *= rng.choice([0, 0.3, 0.8, 0.9, 1])
        rates.append("%.4f" % rate)
    keys.update(num_speculative_tokens=k, speculative_seed=rng.randint(0, 999),
                speculative_method=rng.choice(["eagle", "mtp", "draft_model", "ngram"]))
    if rng.random() < 0.7:
        keys["synthetic_acceptance_rates"] = ",".join(rates)
    else:
        keys["synthetic_acceptance_length"] = 1 + rng.choice([0, k, k / 2, k / 3])
    for key, values in dict(eagle_hit_drop=["each", "once"], pad_spec_decode=["true", "false"],
                            admission_lookahead=["true", "false"],
                            chunk_drafts=["true", "false"]).items():
        if rng.random() < 0.15:
            keys[key] = rng.choice(values)
    if keys["preset"] != "vllm-0.15" and rng.random() < 0.4:
        bound = rng.choice([1, 2, 3, 5])
        keys["num_speculative_tokens_per_batch_size"] = json.dumps(
            [[1, bound, rng.randint(0, 8)], [bound + rng.choice([1, 3]), 99, rng.randint(0, k)]])
    if keys["speculative_method"] == "draft_model":  # which takes some of a step itself
        keys["max_num_batched_tokens"] += keys["max_num_seqs"]


def write_files(folder, rng, model, requests, sections):
    """trace.csv and run.ini: with these lines of [model], the keys of an engine by section."""
    with open(os.path.join(folder, "trace.csv"), "w", newline="") as f:
        out = csv.DictWriter(f, list(requests[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(requests)
    with open(os.path.join(folder, "run.ini"), "w") as f:
        f.write("[model]\n%s[hardware]\nconfig = h100-sxm\n" % model)
        for name, keys in sections.items():
            f.write("[%s]\n" % name)
            f.writelines("%s = %s\n" % item for item in keys.items())
        f.write("[cost_model]\nplugin = const_step\nbase_us = %s\nper_token_us = %s\n"
                % (rng.choice([100, 500, 2500]), rng.choice([0, 1, 31])))
        f.write("[workload]\ntrace = trace.csv\nformat = stepcost\n")


def write_case(folder, seed):
    """trace.csv and run.ini: a function of the seed alone."""
    rng = random.Random(seed)
    longest = rng.choice([8, 40, 100, 200])
    requests = requests_of(rng, rng.choice([1, 3, 6, 12, 12]), longest)
    model = model_of(rng, states=True)
    keys = engine_of(rng, longest, requests)
    if "linear_attention" in model:  # a chunk is at least a block of a state
        keys["max_num_batched_tokens"] = max(64, keys["max_num_batched_tokens"])
        keys.pop("long_prefill_token_threshold", None)
    layers = re.search(r"num_hidden_layers = (\d+)", model)
    draw_pipeline(rng, keys, int(layers[1]) if layers else 32)
    write_files(folder, rng, model, requests, {"engine": keys})
    write_drafter(folder, keys, seed)


def write_drafter(folder, keys, seed):
    """The rest of run.ini: a price for drafting, and a model for who drafts."""
    rng = random.Random(-1 - seed)
    if "num_speculative_tokens" not in keys or rng.random() < 0.3:
        return
    with open(os.path.join(folder, "run.ini"), "a") as f:
        f.write("[engine]\n")
        if rng.random() < 0.3:
            f.write("draft_us = %d\n" % rng.choice([1, 70, 400]))
        else:
            f.write("draft_cost_model = small\n[cost_model:small]\nplugin = const_step\n"
                    "base_us = %d\nper_token_us = %d\n" % (rng.choice([7, 90]), rng.choice([0, 3])))
        if keys["speculative_method"] != "mtp" and rng.random() < 0.5:
            f.write("[engine]\ndraft_model_config = draft.ini\n")
            with open(os.path.join(folder, "draft.ini"), "w") as d:
                d.write("[model]\nnum_hidden_layers = %d\nhidden_size = 256\n"
                        "num_attention_heads = 4\nnum_key_value_heads = 1\nhead_dim = 64\n"
                        "intermediate_size = 512\nvocab_size = 1000\n" % rng.choice([1, 1, 3]))


REQUEST_COLUMNS = dict(scheduled_ns="scheduled_ns", first_token_ns="first_ns",
                       last_token_ns="last_ns", preemptions="preemptions", cached_tokens="cached")


def compare_requests(rows, requests):
    by_row = {int(r["request"]): r for r in rows}
    for q in requests:
        got = by_row.pop(q.row)
        if q.rejected != (got["status"] == "rejected"):
            return "request %d: %s" % (q.row, got["status"])
        for column, name in REQUEST_COLUMNS.items():
            if not q.rejected and int(got[column]) != getattr(q, name):
                return "request %d: %s is %s, want %s" % (q.row, column, got[column],
                                                         getattr(q, name))
    return "requests from nowhere" if by_row else None


def compare_ranks(steps, want):
    """Rows of --write-steps, {rank: rows}."""
    got = {}
    for row in steps:
        got.setdefault(row["rank"], []).append(row)
    if set(got) != set(want):
        return "steps of ranks %s, want %s" % (sorted(got), sorted(want))
    for rank in want:
        for i, (mine, step) in enumerate(zip(got[rank], want[rank])):
            for c in vllm.STEP_COLUMNS:
                if mine[c] != str(step[c]):
                    return "rank %s, step %d: %s is %s, want %s" % (rank, i, c, mine[c], step[c])
        if len(got[rank]) != len(want[rank]):
            return "rank %s: %d steps, want %d" % (rank, len(got[rank]), len(want[rank]))
    return None


def compare_with(program, write, reference, seed):
    """Returns the first difference as text, or None.
    reference(path of the INI) returns ({rank: steps}, requests)."""
    with tempfile.TemporaryDirectory() as folder:
        write(folder, seed)
        path = lambda name: os.path.join(folder, name)
        done = subprocess.run(
            [program, "run", path("run.ini"), "--set", "engine.front_end=none",
             "--in-process", "--quiet", "--output", os.devnull,
             "--write-steps", path("steps.csv"), "--write-requests", path("requests.csv")],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        want, requests = reference(path("run.ini"))
        if done.returncode != all(q.rejected for q in requests):
            return "exit %d: %s" % (done.returncode, done.stderr.strip())
        with open(path("steps.csv"), newline="") as f:
            steps = list(csv.DictReader(f))
        with open(path("requests.csv"), newline="") as f:
            rows = list(csv.DictReader(f))
    return compare_ranks(steps, want) or compare_requests(rows, requests)


def compare(program, seed):
    def reference(path):
        engine, requests = vllm.run(path)
        return {"0": engine.steps} if engine.steps else {}, requests
    return compare_with(program, write_case, reference, seed)


def main(compare):
    program = sys.argv[1]
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda seed: compare(program, seed), range(first, first + n)))
    bad = [(first + i, why) for i, why in enumerate(found) if why]
    print("%sok 1 - %d of %d cases agree in every step" % ("not " if bad else "", n - len(bad), n))
    for seed, why in bad[:20]:
        print("# case %d: %s" % (seed, why))
    print("1..1")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(compare))
