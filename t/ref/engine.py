#!/usr/bin/env python3
"""A reference of the serving engine, slow and obvious, to test the fast one.

It reads a trace in stepcost's own CSV, serves it step by step under the
engine settings given as key=value, prices a step by a known formula, and
gives the content of each step and the time of each token.  Nothing here is shared
with the C sources; both follow the same written rules:

- Running requests first, in the order they were admitted, then waiting ones;
  one token budget for prefill and decode, a limit on running sequences, and
  chunks capped by long_prefill_token_threshold.
- KV cache in blocks.  A running request that gets no block preempts the last
  of the running (by priority first, where that is the policy), itself too;
  nothing is admitted in a step that preempted.  The victim starts over and
  recomputes prompt and generated tokens.
- Prefix cache: full blocks by chain hash, hit from the moment they are
  scheduled, at most floor((length - 1) / block) of them; free blocks in one
  LRU list, a request gives its blocks back tail first.
- Synchronous: a step starts schedule_us after the results of the one before,
  or when a request comes to an idle engine, and takes in who is there then.
  Asynchronous: two batches in flight.

Time is integer ns.  A step of total_us lasts llround(1000 total_us).

usage: engine.py TRACE.csv [key=value ...] [--steps FILE] [--requests FILE]
"""
import csv
import math
import sys
from collections import deque


def llround(x):
    """As C's llround for x >= 0: half away from zero."""
    whole = math.floor(x)
    return int(whole) + (1 if x - whole >= 0.5 else 0)


# --- settings ----------------------------------------------------------------

DEFAULTS = {
    "max_num_seqs": 256,
    "max_num_batched_tokens": 2048,
    "max_model_len": 131072,
    "long_prefill_token_threshold": 0,
    "block_size": 16,
    "num_gpu_blocks": 0,  # 0: unlimited
    "enable_prefix_caching": False,
    "async_scheduling": False,
    "scheduling_policy": "fcfs",
    "api_overhead_us": 0.0,
    "api_request_us": 0.0,
    "response_overhead_us": 0.0,
    "response_sequence_us": 0.0,
    "schedule_us": 0.0,
    # the cost model: base + token * new tokens + kv * (KV read) + seq * requests
    "base_us": 100.0,
    "token_us": 1.0,
    "kv_us": 0.0,
    "seq_us": 0.0,
}


def settings(**given):
    """The defaults with the given keys; words become the default's type."""
    out = dict(DEFAULTS)
    for key, value in given.items():
        kind = type(DEFAULTS[key])
        if kind is bool and isinstance(value, str):
            value = {"true": True, "false": False}[value]
        elif value in ("unlimited", "auto"):
            value = 0
        out[key] = kind(value)
    return out


# --- requests ----------------------------------------------------------------

class Request:
    def __init__(self, row, arrival_ns, n_input, n_output, priority=0,
                 group=None, shared=0, name=""):
        self.row, self.arrival_ns, self.name = row, arrival_ns, name
        self.n_input, self.n_output = n_input, n_output
        self.priority = priority
        self.group, self.shared = group, min(shared, n_input)
        self.rejected = False
        self.generated = 0   # tokens that came out
        self.in_flight = 0   # tokens that will come out of steps under way
        self.computed = 0    # tokens with KV that is computed or scheduled
        self.target = 0      # tokens to compute before decoding (again)
        self.blocks = []
        self.hashed = 0      # of its blocks, from the front
        self.hashes = []
        self.token_ns = []   # when each output token came out
        self.beside = []     # for each token, the sequences that got one in its step
        self.admitted = False
        self.started_ns = None  # its first step
        self.preemptions = 0
        self.cached_tokens = 0  # found in the prefix cache at first admission

    def known(self):
        return self.n_input + self.generated

    def all_scheduled(self):
        """Its last token is out or under way."""
        return self.generated + self.in_flight == self.n_output

    def rank(self):
        return (self.priority, self.arrival_ns, self.row)

    def token(self, i):
        """The token at place i: equal in two prompts only inside a shared
        prefix."""
        if i < self.shared:
            return ("shared", self.group, i)
        return ("own", self.row, i)


def read_trace(path):
    out = []
    with open(path, newline="") as f:
        for row, line in enumerate(csv.DictReader(f)):
            us = line["arrival_us"]
            ns = (int(us) * 1000 if us.isdigit() else llround(float(us) * 1000))
            out.append(Request(
                row, ns, int(line["input_tokens"]), int(line["output_tokens"]),
                int(line.get("priority") or 0), line.get("prefix_group") or None,
                int(line.get("prefix_tokens") or 0) if line.get("prefix_group") else 0,
                line.get("request_id") or str(row)))
    return out


# --- KV cache ----------------------------------------------------------------

class Block:
    def __init__(self):
        self.users, self.hash = 0, None


class Cache:
    """Blocks, and which of them hold what."""

    def __init__(self, n_blocks, block_size, caching):
        self.size, self.caching = block_size, caching
        self.limit = n_blocks
        self.free = deque(Block() for _ in range(n_blocks))
        self.by_hash = {}  # hash -> blocks, the one cached first in front
        self.chains = {}   # (hash before, tokens) -> hash
        self.in_use = self.peak = 0

    def need(self, tokens):
        return -(-tokens // self.size)

    def hash_of(self, request, i):
        """The chain hash of full block i of a request."""
        while len(request.hashes) <= i:
            k = len(request.hashes)
            key = (request.hashes[-1] if k else 0,
                   tuple(request.token(t) for t in range(k * self.size, (k + 1) * self.size)))
            request.hashes.append(self.chains.setdefault(key, len(self.chains) + 1))
        return request.hashes[i]

    def lookup(self, request):
        """The longest run of blocks that are there already, leaving at least
        one token to compute."""
        found = []
        if self.caching:
            for i in range((request.known() - 1) // self.size):
                same = self.by_hash.get(self.hash_of(request, i))
                if not same:
                    break
                found.append(same[0])
        return found

    def allocate(self, request, found, upto):
        """Blocks for the first `upto` tokens, the found ones in front; False,
        and nothing changed, if there are not enough."""
        more = self.need(upto) - len(request.blocks) - len(found)
        idle = sum(b.users == 0 for b in found)
        if self.limit and max(more, 0) + idle > len(self.free):
            return False
        for b in found:
            if b.users == 0:
                if self.limit:
                    self.free.remove(b)
                self.in_use += 1
            b.users += 1
            request.blocks.append(b)
            request.hashed += 1
        for _ in range(max(more, 0)):
            b = self.free.popleft() if self.limit else Block()
            assert b.users == 0
            if b.hash is not None:
                self.by_hash[b.hash].remove(b)
                if not self.by_hash[b.hash]:
                    del self.by_hash[b.hash]
                b.hash = None
            b.users = 1
            self.in_use += 1
            request.blocks.append(b)
        self.peak = max(self.peak, self.in_use)
        assert not self.limit or self.in_use + len(self.free) == self.limit
        if self.caching:
            while request.hashed < upto // self.size:
                b = request.blocks[request.hashed]
                assert b.hash is None and b.users == 1
                b.hash = self.hash_of(request, request.hashed)
                self.by_hash.setdefault(b.hash, []).append(b)
                request.hashed += 1
        return True

    def release(self, request):
        for b in reversed(request.blocks):
            b.users -= 1
            if b.users == 0:
                self.in_use -= 1
                if self.limit:
                    self.free.append(b)
        request.blocks, request.hashed = [], 0


# --- scheduler ---------------------------------------------------------------

class Item:
    """One request's share of a step."""

    def __init__(self, request, new):
        self.request, self.new, self.before = request, new, request.computed
        self.prefill = request.computed < request.target
        self.target = request.target
        # all tokens known or coming are computed: the step yields one more
        self.yields = (request.computed + new
                       == request.known() + request.in_flight)


class Scheduler:
    def __init__(self, cfg, cache):
        self.cfg, self.cache = cfg, cache
        self.by_priority = cfg["scheduling_policy"] == "priority"
        self.running, self.waiting = [], []
        self.preemptions = self.queried = self.hit = 0

    def enqueue(self, request):
        """A new one to the end, or where its priority puts it."""
        self.waiting.append(request)
        if self.by_priority:
            self.waiting.sort(key=Request.rank)

    def chunk(self, left, budget):
        cap = self.cfg["long_prefill_token_threshold"]
        if 0 < cap < left:
            left = cap
        return min(left, budget)

    def preempt(self, batch):
        """Takes the victim off; returns it and the tokens given back."""
        victim = self.running[-1]
        if self.by_priority:
            worst = max(r.priority for r in self.running)
            victim = [r for r in self.running if r.priority == worst][-1]
        self.running.remove(victim)
        back = 0
        for item in batch:
            if item.request is victim:
                back = item.new
                victim.in_flight -= item.yields
        batch[:] = [i for i in batch if i.request is not victim]
        self.cache.release(victim)
        victim.computed = 0
        victim.preemptions += 1
        self.preemptions += 1
        if self.by_priority:
            self.enqueue(victim)
        else:
            self.waiting.insert(0, victim)
        return victim, back

    def take(self, request, new, batch):
        item = Item(request, new)
        batch.append(item)
        request.computed += new
        request.in_flight += item.yields

    def schedule(self):
        batch, preempted = [], 0
        budget = self.cfg["max_num_batched_tokens"]
        done = []  # running requests seen already
        while budget > 0:
            ahead = [r for r in self.running if r not in done]
            if not ahead:
                break
            r = ahead[0]
            done.append(r)
            if r.all_scheduled():
                continue
            new = self.chunk(r.known() + r.in_flight - r.computed, budget)
            victim = None
            while victim is not r and not self.cache.allocate(r, [], r.computed + new):
                victim, back = self.preempt(batch)
                budget += back
                preempted += 1
            if victim is r:
                break
            self.take(r, new, batch)
            budget -= new
        while (not preempted and self.waiting and budget > 0
               and len(self.running) < self.cfg["max_num_seqs"]):
            r = self.waiting[0]
            assert r.in_flight == 0
            found = self.cache.lookup(r)
            computed = len(found) * self.cache.size
            new = self.chunk(r.known() - computed, budget)
            if not self.cache.allocate(r, found, computed + new):
                break
            if not r.admitted:
                r.admitted = True
                r.cached_tokens = computed
                self.queried += r.known() if self.cache.caching else 0
                self.hit += computed
            self.waiting.pop(0)
            self.running.append(r)
            r.computed, r.target = computed, r.known()
            self.take(r, new, batch)
            budget -= new
        return batch, preempted

    def apply(self, batch, now):
        """The step's tokens are there; returns the requests that ended."""
        ended = []
        made = sum(1 for item in batch if item.yields)
        for item in batch:
            r = item.request
            if not item.yields:
                continue
            r.in_flight -= 1
            r.generated += 1
            r.token_ns.append(now)
            r.beside.append(made)
            assert r.generated <= r.n_output
            if r.generated == r.n_output:
                if r in self.running:
                    self.running.remove(r)
                else:  # preempted while its last token was under way
                    self.waiting.remove(r)
                self.cache.release(r)
                ended.append(r)
        return ended


# --- simulation --------------------------------------------------------------

def cost_us(cfg, batch):
    """base + token * T + kv * K + seq * N; K: the context each item reads."""
    tokens = sum(i.new for i in batch)
    kv = sum(i.before for i in batch)
    return (cfg["base_us"] + cfg["token_us"] * float(tokens)
            + cfg["kv_us"] * float(kv) + cfg["seq_us"] * float(len(batch)))


class Step:
    def __init__(self, start_ns, end_ns, batch, scheduler, preempted):
        self.start_ns, self.end_ns = start_ns, end_ns
        # as scheduling left them; a preempted request with its last token
        # under way waits for nothing
        self.running = len(scheduler.running)
        self.waiting = sum(not r.all_scheduled() for r in scheduler.waiting)
        self.blocks, self.preempted = scheduler.cache.in_use, preempted
        self.members = [(i.request.row, i.prefill, i.before, i.new) for i in batch]
        self.decode = [i.before for i in batch if not i.prefill]
        self.prefill = [(i.before, i.new) for i in batch if i.prefill]
        # a chunk that does not end its prompt names the prompt
        self.chunks = ["%d:%d" % (i.before, i.new)
                       + ("/%d" % i.target if i.before + i.new < i.target else "")
                       for i in batch if i.prefill]
        self.sampled = sum(i.yields for i in batch)


class Run:
    """Serves the requests; results in steps, requests and the counters."""

    def __init__(self, cfg, requests, cost=cost_us):
        self.cfg, self.requests, self.cost = cfg, requests, cost
        self.cache = Cache(cfg["num_gpu_blocks"], cfg["block_size"],
                           cfg["enable_prefix_caching"])
        self.scheduler = Scheduler(cfg, self.cache)
        self.response_ns = llround(cfg["response_overhead_us"] * 1000)
        self.sequence_ns = llround(cfg["response_sequence_us"] * 1000)
        self.schedule_ns = llround(cfg["schedule_us"] * 1000)
        self.steps = []
        order = sorted(requests, key=lambda r: (r.arrival_ns, r.row))
        self.coming = deque(zip(self.pass_front(order), order))
        if cfg["async_scheduling"]:
            self.run_async()
        else:
            self.run_sync()
        assert not self.scheduler.running and not self.scheduler.waiting
        assert self.cache.in_use == 0
        assert all(r.rejected or len(r.token_ns) == r.n_output for r in requests)

    def fits(self, r):
        if r.n_input + r.n_output > self.cfg["max_model_len"]:
            return False
        need = self.cache.need(r.n_input + r.n_output - 1)
        return not self.cache.limit or need <= self.cache.limit

    def pass_front(self, order):
        """When the scheduler sees each of them: a thread takes one after another."""
        now, seen = 0, []
        for r in order:
            r.rejected = not self.fits(r)
            now = max(now, r.arrival_ns + llround(self.cfg["api_overhead_us"] * 1000))
            if not r.rejected:
                now += llround(self.cfg["api_request_us"] * 1000)
            seen.append(now)
        return seen

    def admit(self, now):
        while self.coming and self.coming[0][0] <= now:
            r = self.coming.popleft()[1]
            if not r.rejected:
                self.scheduler.enqueue(r)

    def execute(self, batch, preempted, start):
        end = start + llround(1000.0 * self.cost(self.cfg, batch))
        self.steps.append(Step(start, end, batch, self.scheduler, preempted))
        for item in batch:
            if item.request.started_ns is None:
                item.request.started_ns = start
        return end

    def next_arrival(self, now):
        return max(now, self.coming[0][0])

    def run_sync(self):
        now = 0  # when the next step may start
        while True:
            self.admit(now)
            batch, preempted = self.scheduler.schedule()
            if batch:
                end = self.execute(batch, preempted, now)
                self.scheduler.apply(batch, end)
                now = end + self.schedule_ns
            elif preempted:
                continue
            elif self.coming:
                now = self.next_arrival(now)
            else:
                return

    def run_async(self):
        now = gpu_free = 0
        queue = deque()  # (end, batch)
        self.admit(now)
        while True:
            if len(queue) < 2:
                batch, preempted = self.scheduler.schedule()
                if batch:
                    gpu_free = self.execute(
                        batch, preempted, max(gpu_free, now + self.schedule_ns))
                    queue.append((gpu_free, batch))
                    continue
                if preempted and not queue:
                    continue
            if queue:
                now, batch = queue.popleft()
                self.scheduler.apply(batch, now)
            elif self.coming:
                now = self.next_arrival(now)
            else:
                return
            self.admit(now)

    # results, ns

    def served(self):
        return [r for r in self.requests if not r.rejected]

    def latency_ns(self, r, token):
        return (r.token_ns[token] - r.arrival_ns + self.response_ns
                + self.sequence_ns * r.beside[token])

    def ttft_ns(self, r):
        return self.latency_ns(r, 0)

    def e2e_ns(self, r):
        return max(self.ttft_ns(r), self.latency_ns(r, -1))

    def summary(self):
        served = self.served()
        n = len(served)
        out = {
            "completed": n,
            "rejected": len(self.requests) - n,
            "num_steps": len(self.steps),
            "scheduled_sequences": sum(len(s.members) for s in self.steps),
            "preemptions": self.scheduler.preemptions,
            "total_input_tokens": sum(r.n_input for r in served),
            "total_output_tokens": sum(r.n_output for r in served),
        }
        if n:
            out["duration"] = (max(r.token_ns[-1] for r in served)
                               - min(r.arrival_ns for r in self.requests)) / 1e9
            out["mean_ttft_ms"] = sum(map(self.ttft_ns, served)) / n / 1e6
            out["mean_e2el_ms"] = sum(map(self.e2e_ns, served)) / n / 1e6
        if self.scheduler.queried:
            out["prefix_cache_hit_rate"] = self.scheduler.hit / self.scheduler.queried
        return out


# --- command line --------------------------------------------------------------

def main(argv):
    files, given = {}, {}
    words = iter(argv[1:])
    for word in words:
        if word.startswith("--"):
            files[word[2:]] = next(words)
        else:
            key, value = word.split("=", 1)
            given[key] = value
    run = Run(settings(**given), read_trace(argv[0]))
    if "steps" in files:
        with open(files["steps"], "w") as f:
            f.write("step,start_ns,end_ns,decode,prefill,sampled\n")
            for i, s in enumerate(run.steps):
                f.write("%d,%d,%d,%s,%s,%d\n" % (
                    i, s.start_ns, s.end_ns, ";".join(map(str, s.decode)),
                    ";".join("%d:%d" % p for p in s.prefill), s.sampled))
    if "requests" in files:
        with open(files["requests"], "w") as f:
            f.write("row,rejected,ttft_ns,e2e_ns,token_ns\n")
            for r in run.requests:
                f.write("%d,%d,%s,%s,%s\n" % (
                    r.row, r.rejected, "" if r.rejected else run.ttft_ns(r),
                    "" if r.rejected else run.e2e_ns(r), ";".join(map(str, r.token_ns))))
    for key, value in run.summary().items():
        print("%s=%r" % (key, value))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
