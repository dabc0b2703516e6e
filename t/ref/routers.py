#!/usr/bin/env python3
"""TAP: the routers with keys in [router], against their rules a second time.

usage: routers.py STEPCOST [CASES [SEED]]

Random small fleets run through the program. Each decision is then looked at with
what the router could know at that time: the decisions before it, and the times of
the engines in --write-requests and --write-steps. Where the rule leaves a choice,
the program's must be among the replicas that it allows, and the reference follows it; over all
cases the draws must be as likely as the rule says, within 5 sigma.

The rules are written from their description alone. Prompts are lists of tokens,
and nothing is indexed.
"""
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import tap  # noqa: E402

CHARS, UNIT = 4, 32  # characters of a token; tokens of a hash id
BLOCKS, SEQS = 120, 4  # of a replica's cache, of a step


class Request:
    def __init__(self, row, line):
        self.row, self.now = row, line["timestamp"] * 1000000
        self.tokens = []
        for h in line["hash_ids"]:
            self.tokens += [(h, k) for k in range(UNIT)]
        self.tokens = tuple(self.tokens[: line["input_length"]])
        # of the run
        self.replica = self.scheduled = self.first = self.last = None

    def blocks(self, size, tail=False):
        n = len(self.tokens)
        ends = list(range(size, n + 1, size))
        if tail and n % size:
            ends.append(n)
        return [self.tokens[:end] for end in ends]


class Fleet:
    """The counts and the metrics that routers decide by, before the next request."""

    def __init__(self, n, keys, steps, seed):
        self.n, self.keys, self.steps = n, keys, steps
        self.sent = []  # requests before, in order
        del seed

    def get(self, key, default):
        return type(default)(self.keys.get(key, default))

    def active(self, i, now):
        return [q for q in self.sent if q.replica == i and q.last > now]

    def load(self, now):
        return [len(self.active(i, now)) for i in range(self.n)]

    def metrics(self, i, now):
        """waiting, running, KV use of the last refresh."""
        every = round(float(self.keys.get("refresh_metrics_interval_ms", 50)) * 1e6)
        at = now // every * every
        last = None
        for s in self.steps[i]:
            if s["schedule"] < at:
                last = s
        if not last or last["end"] < at:
            return 0, 0, 0.0
        return last["waiting"], last["running"], last["kv_blocks"] / BLOCKS


def best(values):
    """Those with the highest value, all equally likely."""
    most = max(values)
    those = [i for i, v in enumerate(values) if v == most]
    return {i: 1 / len(those) for i in those}


# --- SGLang's -----------------------------------------------------------------------------

class Node:
    def __init__(self, text, parent):
        self.text, self.parent = text, parent
        self.children = {}
        self.used = {}  # replica: when; in the order in which they came


class CacheAware:
    def __init__(self, fleet):
        self.f, self.root, self.count = fleet, Node((), None), 0
        self.evicted = 0

    def match(self, tokens):
        node, n = self.root, 0
        while n < len(tokens):
            child = node.children.get(tokens[n])
            if not child:
                break
            k = 0
            while k < len(child.text) and n < len(tokens) and child.text[k] == tokens[n]:
                k, n = k + 1, n + 1
            node = child
            if k < len(child.text):
                break
        return n, node

    def enter(self, tokens, replica):
        number, node, n = self.count, self.root, 0
        self.count += 1
        while n < len(tokens):
            child = node.children.get(tokens[n])
            if not child:
                child = node.children[tokens[n]] = Node(tokens[n:], node)
            k = 0
            while k < len(child.text) and n + k < len(tokens) and child.text[k] == tokens[n + k]:
                k += 1
            if k < len(child.text):  # they part inside it
                upper = Node(child.text[:k], node)
                upper.used = dict(child.used)
                node.children[upper.text[0]] = upper
                child.text, child.parent = child.text[k:], upper
                upper.children[child.text[0]] = child
                child = upper
            child.used[replica] = number
            node, n = child, n + k

    def nodes(self):
        todo = [self.root]
        while todo:
            node = todo.pop()
            todo += node.children.values()
            if node.parent:
                yield node

    def evict(self, replica):
        limit = self.f.get("max_tree_size", 67108864)
        while True:
            has = [x for x in self.nodes() if replica in x.used]
            if CHARS * sum(len(x.text) for x in has) <= limit:
                return
            leaves = [x for x in has if not any(replica in c.used for c in x.children.values())]
            leaf = min(leaves, key=lambda x: x.used[replica])
            del leaf.used[replica]
            if not leaf.used:
                del leaf.parent.children[leaf.text[0]]

    def allowed(self, q):
        every = round(self.f.get("eviction_interval_secs", 120.0) * 1e9)
        if every and q.now // every > self.evicted:
            self.evicted = q.now // every
            for i in range(self.f.n):
                self.evict(i)
        load = self.f.load(q.now)
        least = load.index(min(load))
        far = max(load) - min(load) > self.f.get("balance_abs_threshold", 64)
        if far and max(load) > self.f.get("balance_rel_threshold", 1.5) * min(load):
            return {least: 1}
        n, node = self.match(q.tokens)
        number = self.count
        self.count += 1
        if node is self.root:
            return {least: 1}
        owner = next(iter(node.used))
        if number % 8 == 0:
            node.used[owner] = number
        return {owner if n / len(q.tokens) > self.f.get("cache_threshold", 0.3) else least: 1}

    def take(self, q):
        self.enter(q.tokens, q.replica)


# --- production-stack's --------------------------------------------------------------------

class Fewest:
    def __init__(self, fleet):
        self.f = fleet

    def fewest(self, q):
        window = round(self.f.get("request_stats_window", 60.0) * 1e9)
        times = [[x.now for x in self.f.sent if x.replica == i] for i in range(self.f.n)]
        for i in range(self.f.n):
            if not times[i]:
                return i
        recent = [sum(t >= q.now - window for t in times[i]) for i in range(self.f.n)]
        return recent.index(min(recent))


class PrefixAware(Fewest):
    def allowed(self, q):
        among, length = set(range(self.f.n)), 0
        for chunk in q.blocks(128 // CHARS, tail=True):
            has = {x.replica for x in self.f.sent if chunk in x.blocks(128 // CHARS, tail=True)}
            if not among & has:
                break
            among, length = among & has, length + 128
        if length < self.f.get("prefix_min_match_length", 0):
            return {self.fewest(q): 1}
        return {i: 1 / len(among) for i in among}

    def take(self, q):
        pass


class Session(Fewest):
    def allowed(self, q):
        return {self.fewest(q): 1}  # these traces have no sessions

    def take(self, q):
        pass


class Random:
    def __init__(self, fleet):
        self.f = fleet

    def allowed(self, q):
        return {i: 1 / self.f.n for i in range(self.f.n)}

    def take(self, q):
        pass


# --- llm-d's -------------------------------------------------------------------------------

class EndpointPicker:
    order = ["queue-scorer", "running-requests-size-scorer", "kv-cache-utilization-scorer",
             "load-aware-scorer", "prefix-cache-scorer", "precise-prefix-cache-scorer",
             "no-hit-lru-scorer", "active-request-scorer"]

    def __init__(self, fleet):
        self.f = fleet
        self.lru = [[] for _ in range(fleet.n)]  # blocks, the oldest first
        self.cold = []  # replicas by their last cold prompt, the oldest first

    def blocks(self, q):
        size = int(self.f.keys.get("block_size_tokens", 16))
        if len(q.tokens) < size:
            return []
        return q.blocks(size, tail=True)[: self.f.get("max_prefix_blocks_to_match", 256)]

    def matches(self, q):
        n = [0] * self.f.n
        for b in self.blocks(q):
            who = [i for i in range(self.f.n) if b in self.lru[i]]
            if not who:
                break
            for i in who:
                n[i] += 1
        return n

    def score(self, name, i, q, seen, load, match):
        f = self.f
        if name in ("queue-scorer", "running-requests-size-scorer"):
            v = [s[name != "queue-scorer"] for s in seen]
            return 1.0 if max(v) == min(v) else (max(v) - v[i]) / (max(v) - min(v))
        if name == "kv-cache-utilization-scorer":
            return 1 - seen[i][2]
        if name == "load-aware-scorer":
            return 0.5 * (1 - min(seen[i][0], 128) / 128)
        if name == "active-request-scorer":
            return (max(load) - load[i]) / max(load) if load[i] else 1.0
        if name == "prefix-cache-scorer":
            n = len(self.blocks(q))
            return match[i] / n if n else 0.0
        if name == "precise-prefix-cache-scorer":
            n = len(q.blocks(16))
            return cached(f, q, i, 0) / n if n else 0.0
        if any(match):
            return 0.5
        order = [k for k in range(f.n) if k not in self.cold] + self.cold
        return 1 - order.index(i) / (f.n - 1)

    def allowed(self, q):
        f = self.f
        weight = dict(x.split(":") for x in f.keys["scorers"].split(","))
        seen = [f.metrics(i, q.now) for i in range(f.n)]
        load, match = f.load(q.now), self.matches(q)
        self.is_cold = not any(match)
        total = [0.0] * f.n
        for name in self.order:
            for i in range(f.n):
                if name in weight:
                    total[i] += float(weight[name]) * self.score(name, i, q, seen, load, match)
        picker = f.keys.get("picker", "max-score-picker")
        if picker == "random-picker" or (picker != "max-score-picker" and not any(total)):
            return {i: 1 / f.n for i in range(f.n)}
        if picker == "max-score-picker":
            return best(total)
        return {i: s / sum(total) for i, s in enumerate(total) if s > 0}

    def take(self, q):
        if self.is_cold:
            self.cold = [i for i in self.cold if i != q.replica] + [q.replica]
        lru = self.lru[q.replica]
        for b in self.blocks(q):
            if b in lru:
                lru.remove(b)
            lru.append(b)
        capacity = int(self.f.keys.get("lru_capacity_per_server", 31250))
        del lru[: max(0, len(lru) - capacity)]


def cached(f, q, i, delay):
    """Leading blocks that the replica has and the router has heard of; for caches
    without an end."""
    has = set()
    for x in f.sent:
        if x.replica == i and x.scheduled < q.now and x.scheduled + delay <= q.now:
            has |= set(x.blocks(16))
    n = 0
    for b in q.blocks(16):
        if b not in has:
            break
        n += 1
    return n


# --- Dynamo's ------------------------------------------------------------------------------

class Kv:
    def __init__(self, fleet):
        self.f = fleet
        self.size = int(fleet.keys.get("block_size_tokens", 16))

    def overlap(self, q, i):
        if self.f.keys.get("use_kv_events", "true") == "true":
            return cached(self.f, q, i, round(self.f.get("kv_event_delay_us", 0.0) * 1e3))
        ttl = round(self.f.get("router_ttl_secs", 120.0) * 1e9)
        has = set()
        for x in self.f.sent:
            if x.replica == i and q.now - x.now < ttl:
                has |= set(x.blocks(self.size))
        n = 0
        for b in q.blocks(self.size):
            if b not in has:
                break
            n += 1
        return n

    def allowed(self, q):
        f, cost = self.f, []
        for i in range(f.n):
            now = f.active(i, q.now)
            prefill = sum(x.prefill for x in now if x.first > q.now)
            held = set(q.blocks(self.size))
            for x in now:
                held |= set(x.blocks(self.size))
            o = self.overlap(q, i)
            blocks = (prefill + len(q.tokens)) / self.size
            blocks = max(0.0, blocks - f.get("overlap_score_credit", 1.0) * o)
            cost.append(f.get("prefill_load_scale", 1.0) * blocks + len(held))
        self.had = [self.overlap(q, i) * self.size for i in range(f.n)]
        t = f.get("router_temperature", 0.0)
        if not t:
            return best([-c for c in cost])
        width = (max(cost) - min(cost)) * t
        likely = [math.exp((min(cost) - c) / width) if width else 1 for c in cost]
        return {i: p / sum(likely) for i, p in enumerate(likely)}

    def take(self, q):
        q.prefill = len(q.tokens) - self.had[q.replica]


# --- cases ---------------------------------------------------------------------------------

def some_scorers(r):
    names = r.sample(EndpointPicker.order, r.randint(1, 3))
    if r.random() < 0.4:
        names = ["prefix-cache-scorer", "queue-scorer", "kv-cache-utilization-scorer"]
    return ",".join("%s:%d" % (n, r.randint(1, 4)) for n in names)


def cache_aware(r):
    return {"cache_threshold": r.choice([0.1, 0.3, 0.6]),
            "balance_abs_threshold": r.choice([1, 3, 64]),
            "balance_rel_threshold": r.choice([1.1, 1.5]),
            "eviction_interval_secs": r.choice([0.05, 0.2, 120]),
            "max_tree_size": r.choice([0, 1200, 3000, 67108864])}


def prefixaware(r):
    return {"prefix_min_match_length": r.choice([0, 128, 256]),
            "request_stats_window": r.choice([0.02, 0.1, 60])}


def session(r):
    return {"request_stats_window": r.choice([0.02, 0.1, 60])}


def endpoint_picker(r):
    return {"scorers": some_scorers(r),
            "picker": r.choice(["max-score-picker"] * 4 + ["weighted-random-picker", "random-picker"]),
            "refresh_metrics_interval_ms": r.choice([1, 7, 50, 300]),
            "block_size_tokens": r.choice([16, 20]),
            "max_prefix_blocks_to_match": r.choice([3, 256]),
            "lru_capacity_per_server": r.choice([5, 20, 31250])}


def kv(r):
    keys = {"overlap_score_credit": r.choice([0.5, 1, 2]), "prefill_load_scale": r.choice([0.5, 1, 3]),
            "router_temperature": r.choice([0, 0, 0, 0.5])}
    if r.random() < 0.5:
        return dict(keys, use_kv_events="true", kv_event_delay_us=r.choice([0, 0, 4000, 50000]))
    return dict(keys, use_kv_events="false", router_ttl_secs=r.choice([0.02, 0.2, 120]),
                block_size_tokens=r.choice([16, 24]))


RULES = {"cache_aware": (CacheAware, cache_aware), "prefixaware": (PrefixAware, prefixaware),
         "session": (Session, session), "random": (Random, lambda r: {}),
         "endpoint_picker": (EndpointPicker, endpoint_picker), "kv": (Kv, kv)}


def make_trace(r, path):
    """Prompts that begin alike, as a tree of some depth; in bunches."""
    now, known, lines = 0, [[]], []
    for i in range(60):
        now += r.choice([0, 0, 1, 3, 10, 40]) if i else 0
        ids = list(r.choice(known[-8:]))
        ids += [100 * i + k + 1 for k in range(r.randint(0 if ids else 1, 3))]
        known.append(ids)
        length = max(1, UNIT * len(ids) - r.choice([0, 0, 5, 17]))
        lines.append({"timestamp": now, "input_length": length, "output_length": r.randint(1, 12),
                      "hash_ids": ids})
    with open(path, "w") as f:
        f.writelines(json.dumps(x) + "\n" for x in lines)
    return [Request(i, x) for i, x in enumerate(lines)]


def reads_caches(routing, keys):
    """Then caches have no end, and prompts are computed whole."""
    return (routing == "kv" and keys["use_kv_events"] == "true") or "precise" in keys.get("scorers", "")


def write_ini(path, routing, n, keys, r):
    end = "unlimited" if reads_caches(routing, keys) else str(BLOCKS)
    with open(path, "w") as f:
        f.write("[engine]\nreplicas = %d\nrouting = %s\nmax_num_seqs = %d\n" % (n, routing, SEQS))
        f.write("enable_prefix_caching = true\nnum_gpu_blocks = %s\n" % end)
        f.write("[router]\nties = %s\n" % r.choice(["random", "first"]))
        f.writelines("%s = %s\n" % x for x in keys.items())
        f.write("[cost_model]\nplugin = const_step\nbase_us = %d\n" % r.choice([100, 2000, 9000]))
        f.write("[workload]\ntrace = trace.jsonl\nformat = mooncake\nhash_block_tokens = %d\nseed = %d\n"
                % (UNIT, r.randint(1, 99)))


def run(program, folder, requests, n):
    out = subprocess.run([program, "run", "case.ini", "--write-requests", "requests.csv", "--write-steps",
                          "steps.csv", "--format", "json"], cwd=folder, text=True, capture_output=True,
                         check=False)
    if out.returncode:
        return out.stderr.strip()
    for x in csv.DictReader(open(os.path.join(folder, "requests.csv"))):
        if x["status"] != "completed":
            return "request %s is %s" % (x["request"], x["status"])
        q = requests[int(x["request"])]
        q.replica, q.scheduled = int(x["replica"]), int(x["scheduled_ns"])
        q.first, q.last = int(x["first_token_ns"]), int(x["last_token_ns"])
    steps = [[] for _ in range(n)]
    for x in csv.DictReader(open(os.path.join(folder, "steps.csv"))):
        steps[int(x["replica"])].append(
            {"schedule": int(x["schedule_ns"]), "end": int(x["end_ns"]), "waiting": int(x["waiting"]),
             "running": int(x["running"]), "kv_blocks": int(x["kv_blocks"])})
    return steps


class Draws:
    """How often each replica was drawn, and how often it should have been."""

    def __init__(self):
        self.count, self.mean, self.variance = {}, {}, {}

    def add(self, likely, got):
        for i, p in likely.items():
            self.count[i] = self.count.get(i, 0) + (i == got)
            self.mean[i] = self.mean.get(i, 0) + p
            self.variance[i] = self.variance.get(i, 0) + p * (1 - p)

    def unlikely(self):
        return [i for i in self.count
                if abs(self.count[i] - self.mean[i]) > 5 * math.sqrt(max(1, self.variance[i]))]


def check(program, routing, r, folder, draws):
    """Returns what is wrong, or None; and how many decisions left a choice."""
    n, rule = r.randint(2, 5), RULES[routing]
    keys = {k: str(v) for k, v in rule[1](r).items()}
    requests = make_trace(r, os.path.join(folder, "trace.jsonl"))
    write_ini(os.path.join(folder, "case.ini"), routing, n, keys, r)
    first = "ties = first" in open(os.path.join(folder, "case.ini")).read()
    steps = run(program, folder, requests, n)
    if isinstance(steps, str):
        return steps
    if keys.get("scorers") and reads_caches(routing, keys):
        for x in (x for of in steps for x in of):
            x["kv_blocks"] = 0  # of a cache without an end nothing is used
    fleet = Fleet(n, keys, steps, 0)
    router = rule[0](fleet)
    drawn = routing == "random" or keys.get("router_temperature", "0") != "0"
    drawn |= keys.get("picker", "max-score-picker") != "max-score-picker"
    for q in requests:
        likely = router.allowed(q)
        if first and not drawn:
            likely = {min(likely): 1}
        if q.replica not in likely:
            return "request %d went to %d, not to one of %s: %s" % (q.row, q.replica, sorted(likely), keys)
        if len(likely) > 1:
            draws.add(likely, q.replica)
        router.take(q)
        fleet.sent.append(q)
    return None


def main():
    program = os.path.abspath(sys.argv[1])
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    for routing in RULES:
        draws, bad = Draws(), []
        for case in range(cases):
            with tempfile.TemporaryDirectory() as folder:
                why = check(program, routing, random.Random("%s %d" % (routing, seed + case)), folder, draws)
            if why:
                bad.append("case %d: %s" % (seed + case, why))
        tap.ok(not bad, "%s: %d fleets decide as its rule says" % (routing, cases), *bad)
        tap.ok(not draws.unlikely(), "%s: draws as often as likely" % routing, draws.count, draws.mean)
    tap.done()


if __name__ == "__main__":
    main()
