#!/usr/bin/env python3
"""TAP: while replicas come, go and die, every request ends once or is counted,
and a run in the same process and one in another give the same bits.

usage: failures.py STEPCOST [CASES [FIRST]]
"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

import tap

N = 200
ROUTINGS = ("round_robin least_outstanding power_of_two prefix_affinity random session cache_aware "
            "prefixaware endpoint_picker kv").split()
METRICS = "num_requests_waiting num_requests_running kv_cache_usage_perc".split()
ENDINGS = "completed rejected failed unfinished".split()


def engine(rng):
    own = dict(replicas=rng.choice([1, 2, 3, 5]), routing=rng.choice(ROUTINGS), num_gpu_blocks=300)
    kind = rng.random()
    if kind < 0.1:
        own.update(scheduler="sglang", max_running_requests=8)
        return own
    if kind < 0.2:
        own.update(scheduler="tensorrt_llm", max_batch_size=8)
        return own
    own.update(num_gpu_blocks=rng.choice([60, 300, "unlimited"]), max_num_seqs=rng.choice([2, 8, 64]),
               enable_prefix_caching=rng.choice(["true", "false"]))
    if rng.random() < 0.3:
        own["output_token_us"] = 5
    if kind < 0.7:
        own["preset"] = rng.choice(["vllm-0.15", "vllm-0.24", "vllm-2026-07"])
        if rng.random() < 0.3:
            own.update(num_speculative_tokens=3, draft_us=20, synthetic_acceptance_length=2)
    elif rng.random() < 0.4:
        own["async_scheduling"] = "true"
    return own


def failures(rng, replicas):
    deaths = ("%d:%g" % (rng.randrange(replicas), 3 * rng.random()) for _ in range(rng.randint(0, 4)))
    return dict(at=",".join(deaths), mtbf_hours=rng.choice([0, 0, 0.0005, 0.0001]),
                detect_s=rng.choice([0, 0.2, 1]), restart=rng.choice(["true", "true", "false"]),
                max_retries=rng.choice([0, 1, 5]))


def autoscaler(rng):
    own = dict(weights_load_s=rng.choice([0, 0.3, 1]), drain_s=rng.choice([0, 0.1, 2]))
    if rng.random() < 0.5:
        own.update(metric=rng.choice(METRICS), target=rng.choice([0.2, 2, 5]), min_replicas=rng.choice([1, 2]),
                   max_replicas=rng.choice([2, 4, 6]), sync_period_s=rng.choice([0.1, 0.5]),
                   scale_down_stabilization_s=rng.choice([0, 0.5]), policy_period_s=0.1,
                   metric_delay_s=rng.choice([0, 0.3]))
    return own


def workload(rng, seed):
    own = dict(num_requests=N, seed=seed, input_tokens="uniform:1,300", output_tokens="uniform:1,40",
               turns=rng.choice([1, 3]))
    if rng.random() < 0.3:
        own["concurrency"] = rng.randint(1, 20)
    else:
        own["request_rate"] = rng.choice([20, 60, 300])
    return own


def configuration(seed):
    rng = random.Random(seed)
    own = engine(rng)
    sections = dict(model=dict(config="llama-3.1-8b"), hardware=dict(config="h100-sxm"), engine=own,
                    failures=failures(rng, own["replicas"]), autoscaler=autoscaler(rng),
                    cost_model=dict(plugin="const_step", base_us=rng.choice([2000, 20000])),
                    workload=workload(rng, seed))
    if "metric" not in sections["autoscaler"]:  # such keys would be refused
        del sections["autoscaler"]["drain_s"]
    if not sections["failures"]["at"] and not sections["failures"]["mtbf_hours"]:
        del sections["failures"]["detect_s"], sections["failures"]["restart"]
    if own["routing"] == "kv":
        sections["router"] = dict(block_size_tokens="auto")
    return "".join("[%s]\n" % name + "".join("%s = %s\n" % item for item in keys.items() if item[1] != "")
                   for name, keys in sections.items())


def run(program, folder, *options):
    given = ["run", "c.ini", "--set", "engine.front_end=none", "--format", "json", "--quiet",
             "--write-requests", "r.csv", "--write-steps", "s.csv"]
    done = subprocess.run([program, *given, *options], cwd=folder, capture_output=True, text=True)
    return done.stdout, done.stderr


def results(text):
    """A document without its last member, which names the options."""
    return text[:text.index('\n  "identity": {')]


def faults(program, seed):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "c.ini"), "w") as f:
            f.write(configuration(seed))
        text, said = run(program, folder)
        if not text:
            return [said]
        if results(run(program, folder, "--in-process")[0]) != results(text):
            return ["another process gives other bits"]
        with open(os.path.join(folder, "r.csv")) as f:
            rows = list(csv.DictReader(f))
    figure = json.loads(text)["arms"][0]
    figure = figure.get("metrics", figure)
    count = {e: sum(r["status"] == e for r in rows) for e in ENDINGS}
    checks = {
        "each request ends once": len(rows) == N == len({r["request"] for r in rows}),
        "the figures count them": all((figure.get(e) or 0) == count[e] for e in ENDINGS),
        "retries": figure.get("retried", 0) == sum(int(r["retries"]) for r in rows),
        "failures have a reason": all((r["status"] == "failed") == (r["failure"] != "") for r in rows),
    }
    return ["not so: " + what for what, good in checks.items() if not good]


def main(program, cases="60", first="0"):
    program = os.path.abspath(program)
    for seed in range(int(first), int(first) + int(cases)):
        found = faults(program, seed)
        tap.ok(not found, "case %d" % seed, *found)
    tap.done()


if __name__ == "__main__":
    main(*sys.argv[1:])
