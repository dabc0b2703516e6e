#!/usr/bin/env python3
"""TAP: prefill and decode apart under the scheduler of TensorRT-LLM: random
small deployments through the program and through a loop of two kinds of workers; the
times of every request and the bytes sent must agree.

usage: apart.py STEPCOST [CASES [FIRST]]
"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import tap  # noqa: E402

NEVER = float("inf")
KV_BYTES = 2 * 2 * 4 * 32 * 2  # two layers, K and V of four heads of 32, two bytes


class Request:
    def __init__(self, row, at, prompt, output):
        self.row, self.at, self.prompt, self.output = row, at, prompt, output
        self.first, self.last = None, None


class Worker:
    """Ranks that take their steps together; requests wait for the worker."""

    def __init__(self, case, pool):
        self.case, self.pool, self.keys = case, pool, case[pool]
        self.ranks = [[] for _ in range(self.keys["ranks"])]
        self.waiting, self.n_requests, self.ends = [], 0, NEVER

    def tokens(self, rank):
        if self.pool == "decode":
            return len(rank)
        return sum(r.prompt for r in rank)

    def fits(self, rank, r):
        if len(rank) >= self.keys["seats"]:
            return False
        if self.pool == "prefill":
            return not rank or self.tokens(rank) + r.prompt <= self.keys["tokens"]
        unit = self.case["block"]
        held = sum(-(-(x.prompt + x.output) // unit) for x in rank + [r])
        return held <= self.keys["blocks"]

    def begin(self, now):
        """Deals requests out, and begins a step if there is one."""
        self.waiting.sort(key=lambda x: x[0])  # by the time they are seen
        while self.waiting and self.waiting[0][0] <= now:
            rank = min(self.ranks, key=self.tokens)
            if not self.fits(rank, self.waiting[0][1]):
                break
            rank.append(self.waiting.pop(0)[1])
        most = max(self.tokens(rank) for rank in self.ranks)
        if most:
            lasts = self.case["base"] + self.case["token"] * most
            self.ends = now + 1000 * (self.keys["host"] + lasts)

    def end(self, now):
        """Returns the requests that leave, rank by rank in order of arrival."""
        gone, self.ends = [], NEVER
        for rank in self.ranks:
            for r in list(rank):
                if self.pool == "decode":
                    r.made += 1
                    r.first = r.first or now
                    r.last = now
                if self.pool == "prefill" or r.made == r.output:
                    rank.remove(r)
                    gone.append(r)
        self.n_requests -= len(gone)
        return gone

    def next(self):
        if self.ends < NEVER:
            return self.ends
        return min((x[0] for x in self.waiting), default=NEVER)


def send(workers, r, seen):
    to = min(workers, key=lambda w: w.n_requests)
    to.n_requests += 1
    to.waiting.append((seen, r))


def simulate(case, requests):
    pools = {p: [Worker(case, p) for _ in range(case[p]["workers"])] for p in ("prefill", "decode")}
    every, coming = pools["prefill"] + pools["decode"], list(requests)
    half = 1000 * case["fixed"] // 2
    while True:
        now = min([w.next() for w in every] + [r.at for r in coming[:1]])
        if now == NEVER:
            return
        for w in every:
            if w.ends != now:
                continue
            for r in w.end(now):
                if w.pool == "decode":
                    continue
                r.made = 0
                bytes_ns = r.prompt * KV_BYTES / case["gbs"]
                send(pools["decode"], r, now + round(bytes_ns) + 1000 * case["fixed"] - half)
        while coming and coming[0].at == now:
            r = coming.pop(0)
            send(pools["prefill"], r, now + half)
        for w in every:
            if w.ends == NEVER:
                w.begin(now)


# --- the program ----------------------------------------------------------------------------

def pool_of(rng, ranks, name):
    pool = {"workers": rng.choice([1, 1, 2, 3]), "ranks": ranks, "seats": rng.randint(1, 6),
            "host": rng.choice([0, 0, 30]), "tokens": rng.randint(200, 500)}
    # Memory is short for a rank alone: the requests of others are not looked at.
    pool["blocks"] = rng.randint(54, 90) if ranks == 1 else 100000
    if name == "prefill":
        pool["blocks"] = 100000
    return pool


def case_of(seed):
    rng = random.Random(seed)
    case = {"base": rng.randint(40, 400), "token": rng.randint(1, 4), "block": rng.choice([4, 8]),
            "gbs": rng.choice([1, 0.02]), "fixed": rng.choice([0, 0, 300])}
    moe = rng.random() < 0.5
    for name in ("prefill", "decode"):
        case[name] = pool_of(rng, rng.choice([2, 4]) if moe else 1, name)
    case["moe"], at, requests = moe, 0, []
    for row in range(rng.choice([3, 12, 30])):
        at += rng.choice([0, 1, 1]) * rng.randint(1, 900) if row else 0
        # arrivals that do not meet the ends of steps
        requests.append(Request(row, 1000 * at + 7 * row, rng.randint(1, 200), rng.randint(1, 12)))
    return case, requests


def write_case(folder, case, requests):
    with open(folder + "/trace.csv", "w", encoding="ascii") as f:
        f.write("at,in,out\n")
        for r in requests:
            f.write("%.9f,%d,%d\n" % (r.at / 1e9, r.prompt, r.output))
    experts = "num_experts = 8\nnum_experts_per_tok = 2\nmoe_intermediate_size = 128\n"
    with open(folder + "/run.ini", "w", encoding="ascii") as f:
        f.write("[model]\nnum_hidden_layers = 2\nhidden_size = 256\nnum_attention_heads = 8\n"
                "num_key_value_heads = 4\nhead_dim = 32\nintermediate_size = 512\n"
                "vocab_size = 1000\nmax_position_embeddings = 10000\n")
        f.write((experts if case["moe"] else "") + "[hardware]\nconfig = h100-sxm\n[engine]\n"
                "scheduler = tensorrt_llm\nrouting = least_outstanding\n"
                "data_parallel_routing = fewest_tokens\ndisable_overlap_scheduler = true\n"
                "enable_block_reuse = false\nmemory_check = off\n")
        f.write("kv_transfer_bandwidth_gbs = %g\npd_fixed_us = %d\ntokens_per_block = %d\n"
                % (case["gbs"], case["fixed"], case["block"]))
        for name in ("prefill", "decode"):
            k = case[name]
            f.write("[engine:%s]\nreplicas = %d\ndata_parallel_size = %d\nmax_batch_size = %d\n"
                    "max_num_tokens = %d\nschedule_us = %d\nnum_gpu_blocks = %d\n"
                    % (name, k["workers"], k["ranks"], k["seats"], k["tokens"], k["host"],
                       k["blocks"]))
        f.write("[cost_model]\nplugin = const_step\nbase_us = %d\nper_token_us = %d\n"
                % (case["base"], case["token"]))
        f.write("[workload]\ntrace = trace.csv\nformat = columns\n"
                "columns = time:at@s, input:in, output:out\n")


def run(program, folder):
    ran = subprocess.run([program, "run", folder + "/run.ini", "--in-process", "--quiet",
                          "--format", "json", "--write-requests", folder + "/requests.csv"],
                         capture_output=True, text=True, check=False)
    if ran.returncode:
        return None, ran.stderr
    with open(folder + "/requests.csv", newline="", encoding="ascii") as f:
        return list(csv.DictReader(f)), json.loads(ran.stdout)


def differences(rows, requests):
    found = []
    by_row = {int(x["request"]): x for x in rows}
    for r in requests:
        x = by_row[r.row]
        is_ = int(x["first_token_ns"]), int(x["last_token_ns"])
        if is_ != (r.first, r.last):
            found.append("request %d: first and last token %s, want %s"
                         % (r.row, is_, (r.first, r.last)))
    return found


def transfers_of(out):
    if isinstance(out, dict):
        if "kv_transfers" in out:
            return out["kv_transfers"]
        out = out.values()
    elif not isinstance(out, list):
        return None
    return next((t for t in map(transfers_of, out) if t), None)


def main():
    program, n = sys.argv[1], int((sys.argv[2:3] or ["60"])[0])
    first, good, sent, said = int((sys.argv[3:4] or ["1"])[0]), 0, 0, []
    for seed in range(first, first + n):
        case, requests = case_of(seed)
        with tempfile.TemporaryDirectory() as folder:
            write_case(folder, case, requests)
            rows, out = run(program, folder)
        if rows is None:
            said.append("%d: %s" % (seed, out))
            continue
        simulate(case, requests)
        bad = differences(rows, requests)
        good += not bad
        said += ["%d: %s" % (seed, line) for line in bad[:2]]
        t = transfers_of(out)
        sent += (t["transfers"] == len(requests)
                 and t["bytes"] == KV_BYTES * sum(r.prompt for r in requests))
    tap.ok(good == n, "%d of %d deployments, request by request" % (good, n), *said)
    tap.ok(sent == n, "%d of %d: every prompt is sent once" % (sent, n))
    tap.done()


if __name__ == "__main__":
    main()
