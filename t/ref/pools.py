#!/usr/bin/env python3
"""TAP: prefill and decode apart: random small configurations through the program
and through a loop of two kinds of engines around the reference in vllm.py; every
step, every request and the figures of the pools must agree.

usage: pools.py STEPCOST [CASES [FIRST]]
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
import presets  # noqa: E402
import vllm  # noqa: E402
import vllm_keys  # noqa: E402

POOLS = ["prefill", "decode"]


# --- the two kinds of engines -----------------------------------------------------------

class Pool_engine(vllm.Engine):
    def __init__(self, system, pool, keys, groups, cost):
        super().__init__(keys, groups, cost)
        self.system, self.pool = system, pool
        self.outstanding = 0

    def begin_transfer(self, t):
        """The scheduler has asked for it in this call."""
        self.started = True
        t.done_ns = self.now
        if t.h < t.request.prompt:
            t.done_ns += self.system.lasts_ns(t.request.prompt, t.h)
            self.system.n_transfers += 1
            self.system.bytes += self.system.size_of(t.request.prompt, t.h)
            self.transfers.append(t)
        t.request.source.transfers.append(t)

    def notice(self, t):
        if self.pool == "decode":
            t.noticed = True
            return
        before = t.request.before  # what this side knows it as
        before.tables = before.held
        self.cache.free_request(before)


class System:
    """Replicas for prompts, replicas that generate, and the transfers."""

    def __init__(self, ini, requests):
        self.requests, self.both = requests, []
        given = dict(ini["engine"])
        n_prefill = int(given.pop("prefill_replicas", 0))
        self.keys, self.groups, engines = {}, {}, {}
        for pool in POOLS:
            own = dict(given, **ini.get("engine:" + pool, {}))
            own.pop("hardware.config", None)
            keys, groups, layers = configure(ini["model"], own)
            self.keys[pool], self.groups[pool], self.layers = keys, groups, layers
            n = keys.replicas
            if n_prefill:
                n = n_prefill if pool == "prefill" else n - n_prefill
            cost = cost_of(ini["cost_model"])
            engines[pool] = [Pool_engine(self, pool, keys, groups, cost) for _ in range(n)]
            self.both += engines[pool]
        self.engines, self.turn = engines, {pool: 0 for pool in POOLS}
        self.n_transfers = self.bytes = 0
        for e in self.both:
            e.on_end = lambda q, now, e=e: self.ended(e, q, now)
            e.front = vllm.Front(e.keys)

    # -- transfers

    def size_of(self, prompt, h):
        """Bytes of a prompt's KV after its first h tokens; windows count the tokens
        that they hold.  All layers of these models keep the same bytes of a token."""
        bytes, d = 0, self.engines["decode"][0].cache
        for g, group in enumerate(d.groups):
            first = max(h, d.skip(g, prompt) * group.block)
            bytes += group.layers * self.layers[0][1] * (prompt - first)
        return bytes * self.keys["decode"].tensor_parallel_size

    def lasts_ns(self, prompt, h):
        k = self.keys["decode"]
        rate = k.kv_transfer_bandwidth_gbs * 1e9
        return (vllm_keys.llround(1e9 * self.size_of(prompt, h) / rate)
                + vllm_keys.llround(1000 * k.kv_transfer_latency_us))

    # -- requests

    def pick(self, pool):
        engines, k = self.engines[pool], self.keys[pool]
        if k.routing == "least_outstanding":
            return min(engines, key=lambda e: e.outstanding)
        self.turn[pool] += 1
        return engines[(self.turn[pool] - 1) % len(engines)]

    def moves_on(self, q):
        k = self.keys["prefill"]
        return q.max > 1 or (k.kv_connector == "pull" and k.pd_first_token == "decode")

    def arrive(self, q):
        k = self.keys["prefill"]
        p = self.engines["prefill"][0]
        moves = self.moves_on(q)
        pre = vllm_keys.Request(q.row, q.arrival_ns, q.content[:q.prompt],
                           q.content[q.prompt:][:1 if moves else None], q.priority)
        q.rejected = (moves and vllm.rejected(q, self.keys["decode"],
                                              self.engines["decode"][0].cache)
                      or vllm.rejected(pre, k, p.cache))
        if q.rejected:
            return
        pre.whole, q.before = q, pre
        pre.is_held = moves and k.kv_connector == "pull"
        e = self.pick("prefill")
        e.outstanding += 1
        e.send(e.front.passes(q.arrival_ns), pre)

    def ended(self, e, q, now):
        e.outstanding -= 1
        if e.pool == "prefill" and q.rejected:
            q.whole.rejected = True
        elif e.pool == "prefill" and self.moves_on(q.whole):
            self.move(e, q, now)

    def move(self, e, pre, now):
        k, q = self.keys["prefill"], pre.whole
        seen = now
        if k.kv_connector == "pull":
            seen += vllm_keys.llround(1000 * k.proxy_us)
            if pre.held is not None:
                q.external, q.source = True, e
            q.made = 1 if k.pd_first_token == "prefill" else 0
        else:
            seen += self.lasts_ns(q.prompt, 0)
            self.n_transfers += 1
            self.bytes += self.size_of(q.prompt, 0)
            q.pushed, q.made = True, 1
        if q.made:
            q.first_ns = pre.first_ns
        d = self.pick("decode")
        d.outstanding += 1
        d.send(seen, q)

    def run(self):
        """Results before arrivals before calls of schedulers, then by number."""
        coming = list(self.requests)
        while True:
            due = [(e.due_ns(), 0 if e.next == vllm.RESULTS else 2, i)
                   for i, e in enumerate(self.both) if e.due_ns() is not None]
            if coming:
                due.append((coming[0].arrival_ns, 1, 0))
            if not due:
                return
            _, what, i = min(due)
            if what == 1:
                self.arrive(coming.pop(0))
            else:
                self.both[i].step()


def configure(model, given):
    model = vllm_keys.LLAMA if "config" in model else model
    keys = vllm_keys.Engine_keys(given)
    keys.max_model_len = keys.max_model_len or int(model["max_position_embeddings"])
    layers = vllm_keys.layers_of(model, keys.tensor_parallel_size)
    if keys.disable_hybrid_kv_cache_manager:
        layers = [(0, b) for _, b in layers]
    groups, _ = vllm_keys.group_layers(layers, keys.block_size, keys.group_padding)
    return keys, groups, layers


def cost_of(knobs):
    return lambda batch: (float(knobs["base_us"])
                          + float(knobs["per_token_us"]) * sum(i.n for i in batch.items))


def run(path):
    ini = vllm_keys.read_ini(path)
    trace = os.path.join(os.path.dirname(path), ini["workload"]["trace"])
    system = System(ini, vllm_keys.read_trace(trace))
    system.run()
    return system


# --- random cases ---------------------------------------------------------------------------

def engine_lines(rng, longest, requests):
    """Sections of the two pools, or [engine] alone with prefill_replicas."""
    def engine():
        keys = presets.engine_of(rng, longest, requests)
        if rng.random() < 0.2:
            keys["response_overhead_us"] = 70
        return keys

    between = dict(kv_transfer_bandwidth_gbs=rng.choice([0.05, 1, 20]),
                   kv_transfer_latency_us=rng.choice([0, 20, 3000]),
                   routing=rng.choice(["round_robin", "least_outstanding"]))
    if rng.random() < 0.2:
        between["kv_connector"] = "push"
    else:
        between["proxy_us"] = rng.choice([0, 300, 5000])
        between["pd_first_token"] = rng.choice(["decode", "decode", "prefill"])
    if rng.random() < 0.3:
        replicas = rng.choice([2, 3])
        return {"engine": dict(engine(), **between, replicas=replicas,
                               prefill_replicas=rng.randint(1, replicas - 1))}
    sections = {"engine": between}
    for pool in POOLS:
        sections["engine:" + pool] = dict(engine(), replicas=rng.choice([1, 1, 2]))
    if rng.random() < 0.2:
        sections["engine:decode"]["hardware.config"] = "h200-sxm"
    return sections


def write_case(folder, seed):
    """trace.csv and run.ini: a function of the seed alone."""
    rng = random.Random(seed)
    longest = rng.choice([8, 40, 100, 200])
    requests = presets.requests_of(rng, rng.choice([1, 3, 6, 12, 12]), longest)
    sections = engine_lines(rng, longest, requests)
    presets.write_files(folder, rng, presets.model_of(rng), requests, sections)


# --- comparing ------------------------------------------------------------------------------

def compare_steps(steps, system):
    for i, e in enumerate(system.both):
        got = [s for s in steps if s["replica"] == str(i)]
        for n, (a, b) in enumerate(zip(got, e.steps)):
            for c in vllm.STEP_COLUMNS:
                if a[c] != str(b[c]):
                    return "replica %d (%s), step %d: %s is %s, want %s" % (
                        i, e.pool, n, c, a[c], b[c])
        if len(got) != len(e.steps):
            return "replica %d (%s): got %d steps, want %d" % (i, e.pool, len(got), len(e.steps))
    return None


def sum_up_requests(system):
    """The program reports a request with the figures of both pools together."""
    for q in system.requests:
        if q.rejected:
            continue
        pre = q.before
        q.scheduled_ns, q.cached = pre.scheduled_ns, pre.cached
        if not system.moves_on(q):
            q.first_ns, q.last_ns = pre.first_ns, pre.last_ns
        q.preemptions += pre.preemptions


def compare_figures(result, system):
    arm = json.loads(result)["arms"][0]
    if "error" in arm or not arm["completed"]:
        return None
    for pool in POOLS:
        engines = system.engines[pool]
        want = dict(replicas=len(engines), num_steps=sum(len(e.steps) for e in engines),
                    preemptions=sum(e.scheduler.preemptions for e in engines))
        for key, value in want.items():
            if arm["pools"][pool][key] != value:
                return "%s of %s: %s, want %s" % (key, pool, arm["pools"][pool][key], value)
    want = dict(transfers=system.n_transfers, bytes=system.bytes)
    for key, value in want.items():
        if arm["kv_transfers"][key] != value:
            return "kv_transfers: %s %s, want %s" % (key, arm["kv_transfers"][key], value)
    return None


def compare(program, seed):
    """Returns the first difference as text, or None."""
    with tempfile.TemporaryDirectory() as folder:
        write_case(folder, seed)
        path = lambda name: os.path.join(folder, name)
        done = subprocess.run(
            [program, "run", path("run.ini"), "--set", "engine.front_end=none",
             "--in-process", "--quiet", "--format", "json",
             "--write-steps", path("steps.csv"), "--write-requests", path("requests.csv")],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        system = run(path("run.ini"))
        if done.returncode != all(q.rejected for q in system.requests):
            return "exit %d: %s" % (done.returncode, done.stderr.strip())
        with open(path("steps.csv"), newline="") as f:
            steps = list(csv.DictReader(f))
        with open(path("requests.csv"), newline="") as f:
            rows = list(csv.DictReader(f))
    sum_up_requests(system)
    return (compare_steps(steps, system) or presets.compare_requests(rows, system.requests)
            or compare_figures(done.stdout, system))


if __name__ == "__main__":
    sys.exit(presets.main(compare))
