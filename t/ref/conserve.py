#!/usr/bin/env python3
"""TAP: under random configurations every request ends once, or is counted: of
run, compare, validate and capacity, in open and closed loops that reject many
requests.

usage: conserve.py STEPCOST [CASES [FIRST]]
"""
import csv
import io
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

MODEL = "[model]\nconfig = %s\n[hardware]\nconfig = h100-sxm\n"
ARMS = "[cost_model:a]\nplugin = const_step\nbase_us = %d\n[cost_model:b]\nplugin = const_step\nbase_us = %d\n"


def settings(rng):
    """Engine: small caches and short models, so that requests are rejected."""
    blocks = rng.choice([0, rng.randint(1, 8), rng.randint(4, 60), rng.randint(50, 400)])
    given = dict(
        max_num_seqs=rng.choice([1, 2, 5, 64]),
        max_num_batched_tokens=rng.choice([1, 7, 64, 512]),
        max_model_len=rng.choice([131072, 131072, 150, 20]),
        block_size=rng.choice([1, 4, 16]),
        num_gpu_blocks=blocks or "unlimited",
        enable_prefix_caching=rng.choice(["true", "false"]),
        async_scheduling=rng.choice(["true", "false"]),
        scheduling_policy=rng.choice(["fcfs", "fcfs", "priority"]),
    )
    if rng.random() < 0.3:
        given["replicas"] = rng.choice([2, 3])
    model = "llama-3.1-8b"
    if rng.random() < 0.3:
        given["preset"] = rng.choice(["vllm-0.15", "vllm-0.24", "vllm-2026-07"])
        given["data_parallel_size"] = rng.choice([1, 2, 3])
        if rng.random() < 0.5:
            model = "qwen3-30b-a3b"
            given["max_model_len"] = min(given["max_model_len"], 40960)
            interval = rng.choice([1, 2, 5])
            if given["data_parallel_size"] > 1:
                given["prefill_schedule_interval"] = interval
        elif rng.random() < 0.4:
            given.update(pipeline_parallel_size=rng.choice([2, 4]), model_runner="v2",
                         pipeline_stages=rng.choice(["equal", "cost_model"]))
        if rng.random() < 0.5:
            drafts(rng, given)
    elif rng.random() < 0.3:
        return model, other_engine(rng, given)
    return model, given


def drafts(rng, given):
    k = rng.choice([1, 3, 7])
    given.update(num_speculative_tokens=k, draft_us=rng.choice([0, 50]),
                 speculative_method=rng.choice(["eagle", "mtp", "draft_model", "ngram"]),
                 synthetic_acceptance_length=rng.choice([1, 1 + k / 2, 1 + k]))
    if given["speculative_method"] == "ngram":
        given["async_scheduling"] = "false"
    if given["speculative_method"] == "draft_model":  # which takes some of a step itself
        given["max_num_batched_tokens"] += given["max_num_seqs"]


def other_engine(rng, given):
    """The same small sizes in the words of another scheduler."""
    own = {k: given[k] for k in ("max_model_len", "num_gpu_blocks", "replicas") if k in given}
    own["data_parallel_size"] = rng.choice([1, 1, 2])
    if rng.random() < 0.5:
        own.update(scheduler="sglang", max_running_requests=given["max_num_seqs"],
                   page_size=given["block_size"], cuda_graph_max_bs=8,
                   chunked_prefill_size=rng.choice([-1, 16, 64, 512]),
                   schedule_policy=rng.choice(["fcfs", "lpm"]),
                   enable_mixed_chunk=rng.choice(["true", "false"]))
    else:
        own.update(scheduler="tensorrt_llm", max_batch_size=given["max_num_seqs"],
                   tokens_per_block=given["block_size"], max_num_tokens=rng.choice([16, 64, 512]),
                   enable_chunked_prefill=rng.choice(["true", "false"]),
                   capacity_scheduler_policy=rng.choice(["guaranteed_no_evict", "max_utilization"]))
    return own


def pools(rng, engine):
    """Prefill and decode apart: keys of [engine], and the sections behind it."""
    engine["kv_transfer_bandwidth_gbs"] = rng.choice([0.1, 50])
    if "preset" in engine or rng.random() < 0.6:
        engine.setdefault("preset", rng.choice(["vllm-0.15", "vllm-0.24", "vllm-2026-07"]))
        engine["kv_connector"] = rng.choice(["pull", "pull", "push"])
        engine["pd_first_token"] = rng.choice(["decode", "prefill"])
        engine["empty_sleep_us"] = rng.choice([0, 1000])
    if rng.random() < 0.5:
        engine["replicas"] = rng.choice([2, 3])
        engine["prefill_replicas"] = rng.randint(1, engine["replicas"] - 1)
        return ""
    engine.pop("replicas", None)
    own = "[engine:%s]\nreplicas = %d\nblock_size = %d\nmax_num_seqs = %d\n"
    return "".join(own % (pool, rng.choice([1, 2]), rng.choice([1, 4, 16]), rng.choice([1, 5, 64]))
                   for pool in ("prefill", "decode"))


def lines(given):
    return "".join("%s = %s\n" % item for item in given.items())


def load(rng):
    """Of [workload]: how requests come.  Returns it, and whether as a loop."""
    kind = rng.choice(["rate", "closed", "closed", "stages"])
    if kind == "closed":
        return dict(concurrency=rng.randint(1, 30)), True
    if kind == "stages":
        return dict(stages="%d:%g,%g:%d" % (rng.randint(1, 40), rng.random(), 5, 1)), False
    return dict(request_rate=rng.choice([1, 20, 500])), False


def generated(rng, folder):
    """[workload], how many requests it promises (None: the stages say), loop."""
    given, loop = load(rng)
    longest = rng.choice([10, 100, 300])
    n = rng.randint(1, 60)
    if rng.random() < 0.4 and "stages" not in given:
        with open(os.path.join(folder, "trace.csv"), "w") as f:
            f.write("arrival_us,input_tokens,output_tokens\n")
            for row in range(n):
                f.write("%d,%d,%d\n" % (row * 1000, rng.randint(1, longest), rng.randint(1, 20)))
        given["trace"] = "trace.csv"
        given.setdefault("format", "stepcost")
        if not loop:
            del given["request_rate"]
        if rng.random() < 0.5:
            given["num_requests"] = n = rng.randint(1, n)
        return given, n, loop
    given["input_tokens"] = "uniform:1,%d" % longest
    given["output_tokens"] = rng.choice([1, 5, "uniform:1,20"])
    if "stages" in given:
        return given, None, loop
    given["num_requests"] = n
    return given, n, loop


class Case:
    def __init__(self, program, seed):
        self.program, self.seed, self.faults = program, seed, []

    def expect(self, holds, what):
        if not holds:
            self.faults.append(what)

    def tell(self, *arguments):
        # A minute of CPU time: how long that takes is the machine's affair.
        done = subprocess.run(["sh", "-c", 'ulimit -t 60; exec "$@"', "sh", self.program, *arguments,
                               "--quiet"], cwd=self.folder, timeout=1200,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.last = "%s: exit %d: %s" % (arguments[0], done.returncode, done.stderr[:300])
        self.expect(done.returncode in (0, 1, 2), self.last)
        return done.returncode, list(csv.DictReader(io.StringIO(done.stdout)))

    def written(self):
        with open(os.path.join(self.folder, "r.csv"), newline="") as f:
            return list(csv.DictReader(f))

    def check_requests(self, command, rows, n):
        """Of one arm: request 0 to n - 1, each once, completed or rejected."""
        seen = sorted(int(r["request"]) for r in rows)
        self.expect(seen == list(range(n)), "%s: %d requests of %d" % (command, len(seen), n))
        self.expect(all(r["status"] in ("completed", "rejected") for r in rows), command + ": unfinished")
        for r in rows:
            if r["status"] == "completed":
                self.expect(r["generated_tokens"] == r["output_tokens"] and int(r["last_token_ns"]) >= 0,
                            command + ": completed in part")

    def check_run(self, command, n):
        code, arms = self.tell(command, "c.ini", "--format", "csv", "--write-requests", "r.csv")
        self.expect(code != 2, self.last)
        if code == 2:
            return
        requests = self.written()
        for arm in arms:
            mine = [r for r in requests if r["arm"] == arm["arm"]]
            done = sum(r["status"] == "completed" for r in mine)
            self.check_requests(command, mine, len(mine) if n is None else n)
            self.expect(int(arm["completed"]) == done and int(arm["rejected"]) == len(mine) - done
                        and int(arm["unfinished"]) == 0, command + ": its totals")
            self.expect((done == 0) == (arm["saturation"] == "nothing completed"), command + ": verdict")
            self.expect((done == 0) == (arm["mean_ttft_ms"] == ""), command + ": a mean over nothing")
            if not done:
                self.expect(code == 1, command + ": nothing completed, exit %d" % code)

    def check_validate(self, rng, engine):
        protocol = rng.choice(["closed", "benchmark", "single"])
        n, clients = rng.randint(1, 50), rng.randint(1, 40)
        engine = {k: engine.get(k, v) for k, v in dict(
            max_num_seqs=5, max_num_batched_tokens=64, max_model_len=150, block_size=4).items()}
        engine["num_gpu_blocks"] = rng.choice(["", rng.randint(1, 30)])
        row = dict(id="x", protocol=protocol, model="llama-3.1-8b", gpu="h100-sxm", concurrency=clients,
                   num_requests=n, input_tokens=rng.randint(1, 200), output_tokens=rng.randint(1, 20),
                   mean_e2el_ms=5, **engine)
        with open(os.path.join(self.folder, "m.csv"), "w", newline="") as f:
            out = csv.DictWriter(f, list(row))
            out.writeheader()
            out.writerow(row)
        code, arms = self.tell("validate", "c.ini", "--measured", "m.csv", "--format", "csv", "--write-requests", "r.csv")
        self.expect(code == 0, self.last)
        requests = self.written() if code == 0 else []
        for arm in arms:
            mine = [r for r in requests if r["arm"] == arm["arm"]]
            n = n if protocol == "benchmark" else 23 if protocol == "single" else max(24, 4 * clients)
            self.check_requests("validate", mine, n)
            self.expect(int(arm["rejected"]) == sum(r["status"] == "rejected" for r in mine), "validate: rejected")

    def check_capacity(self, loop, given, engine):
        # A search for a number of clients takes too many requests for a case, and one for
        # bursts of stages too many steps of a token.
        if loop or "stages" in given and engine.get("max_num_batched_tokens") == 1:
            return
        _, arms = self.tell("capacity", "c.ini", "--slo", "ttft_mean_ms=1000,tpot_mean_ms=100", "--precision", "0.3",
                            "--format", "csv")
        for arm in arms:
            if arm["error"] or not arm["requests"]:
                continue
            total = int(arm["completed"]) + int(arm["rejected"])
            self.expect(int(arm["requests"]) == total, "capacity: %s requests, %d ended" % (arm["requests"], total))

    def check(self):
        rng = random.Random(self.seed)
        with tempfile.TemporaryDirectory() as self.folder:
            model, engine = settings(rng)
            given, n, loop = generated(rng, self.folder)
            with open(os.path.join(self.folder, "c.ini"), "w") as f:
                apart = pools(rng, engine) if self.seed % 3 == 2 and "scheduler" not in engine else ""
                f.write(MODEL % model + "[engine]\n" + lines(engine) + apart + "[workload]\n" + lines(given))
                f.write(ARMS % (rng.randint(10, 5000), rng.randint(10, 5000)))
            self.check_run("compare", n)
            if self.seed % 4 == 0:
                self.check_run("run", n)
            if self.seed % 4 == 0 and "scheduler" not in engine:
                self.check_validate(rng, engine)
            if self.seed % 8 == 1:
                self.check_capacity(loop, given, engine)
        return self.faults


def main(program, cases=400, first=0):
    program, bad = os.path.abspath(program), 0
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for seed, faults in zip(range(first, first + cases),
                                pool.map(lambda s: Case(program, s).check(), range(first, first + cases))):
            for fault in faults[:3]:
                print("# case %d: %s" % (seed, fault))
            bad += bool(faults)
    print("%s 1 - requests of %d configurations end once or are counted" % ("not ok" if bad else "ok", cases))
    print("1..1")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
