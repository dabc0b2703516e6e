#!/usr/bin/env python3
"""TAP: random data-parallel engines through the program and through a slow
reference; every step of every rank and every request must agree.

The reference is written from the rules: each rank is a thread that takes turns
(a generator that yields what it waits for), as vLLM's busy loop does; ranks of
a model with experts meet in every forward pass.

usage: ranks.py STEPCOST [CASES [FIRST]]
"""
import heapq
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import presets  # noqa: E402
import vllm  # noqa: E402
import vllm_cache  # noqa: E402
import vllm_keys  # noqa: E402
import vllm_scheduler  # noqa: E402
from vllm_keys import llround  # noqa: E402

RESULTS, ARRIVAL, SCHEDULE = 0, 1, 2  # in this order at one instant
MODELS = {"llama-3.1-8b": False, "qwen3-30b-a3b": True}  # has it experts?
KV = {"llama-3.1-8b": {}, "qwen3-30b-a3b": dict(num_hidden_layers="48", num_key_value_heads="4")}
OWN = dict(data_parallel_size=1, data_parallel_routing="vllm", prefill_schedule_interval=1,
           enable_expert_parallel=False)


class Pass:
    """One forward pass of all ranks."""

    def __init__(self):
        self.brought, self.start, self.end = {}, None, None


class Group:
    """Data-parallel ranks behind one front end."""

    def __init__(self, keys, layers, cost, has_experts):
        self.keys, self.cost = keys, cost
        self.has_experts = has_experts and keys.data_parallel_size > 1
        self.events, self.n_events = [], 0
        self.gpu_free, self.passes, self.in_wave, self.asked = 0, [], False, []
        groups, _ = vllm_keys.group_layers(layers, keys.block_size, keys.group_padding)
        self.ranks = [Rank(self, i, groups) for i in range(keys.data_parallel_size)]
        # the front end
        self.front = vllm.Front(keys)
        self.start, self.known = 0, [[0, 0] for _ in self.ranks]
        self.history = [(-1, [(0, 0)] * len(self.ranks))]  # what the ranks said, and when
        self.published, self.changes = None, []

    def at(self, when, order, what):
        """Of a rank only its latest event counts."""
        self.n_events += 1
        heapq.heappush(self.events, (when, order, self.n_events, what))
        what.event = self.n_events

    def run(self, requests):
        for q in requests:
            self.at(q.arrival_ns, ARRIVAL, q)
        while self.events:
            when, order, number, what = heapq.heappop(self.events)
            if order == ARRIVAL:
                rank = self.pick(when)
                self.ranks[rank].receive(self.front.passes(when), what)
            elif number == what.event:
                what.resume(when)

    # -- routing

    def tell(self, rank, now):
        """The rank's turn is over: what it has then."""
        said = list(self.history[-1][1])
        said[rank.index] = (len(rank.scheduler.waiting), len(rank.scheduler.running))
        if said != self.history[-1][1]:
            self.history.append((now, said))
            self.changes.append(now)

    def publish(self, now):
        """All publications up to now."""
        while True:
            later = [t for t in self.changes if self.published is None or t > self.published]
            if not later:
                return
            due = later[0] if self.published is None else max(later[0], self.published + 100000000)
            if due > now:
                return
            self.published = due
            self.known = [list(c) for c in [s for t, s in self.history if t <= due][-1]]

    def pick(self, now):
        n = len(self.ranks)
        if self.keys.data_parallel_routing == "round_robin":
            self.start += 1
            return (self.start - 1) % n
        self.publish(now)
        order = [(self.start + i) % n for i in range(n)]
        best = min(order, key=lambda r: 4 * self.known[r][0] + self.known[r][1])
        self.known[best][0] += 1
        self.start += self.keys.preset != "vllm-0.15"
        return best

    # -- lockstep

    def begin_wave(self, by):
        self.in_wave = True
        for r in self.ranks:
            r.turn = 0
            if r is not by and r.is_idle:
                r.wake(max(by.now, r.now))

    def bring(self, rank, batch, ready, tell):
        """The rank's part of its next pass; None: a dummy."""
        p = next((p for p in self.passes if rank not in p.brought), None)
        if not p:
            p = Pass()
            self.passes.append(p)
        p.brought[rank] = (batch, ready, tell)
        if len(p.brought) == len(self.ranks):
            self.meet(p)
        return p

    def meet(self, p):
        self.passes.remove(p)
        p.start = max([self.gpu_free] + [ready for _, ready, _ in p.brought.values()])
        longest = max(self.cost(batch) if batch else self.cost(None)
                      for batch, _, _ in p.brought.values())
        p.end = self.gpu_free = p.start + llround(1000 * longest)
        for rank, (batch, _, tell) in p.brought.items():
            if batch:
                tell(p.start, p.end)
            if rank.waits_for is p or (batch and rank.waits_for is batch):
                rank.unblock(p)

    def ask(self, rank, now):
        """After every 32nd turn; the last one to come answers."""
        self.asked.append(rank.scheduler.unfinished())
        if len(self.asked) < len(self.ranks):
            return
        self.in_wave, self.asked = any(self.asked), []
        for r in self.ranks:
            if not self.in_wave:
                r.turn = 0
            self.at(now, SCHEDULE, r)


class Rank:
    def __init__(self, group, index, groups):
        keys = group.keys
        self.group, self.index, self.keys = group, index, keys
        self.depth = 2 if keys.async_scheduling else 1
        self.cache = vllm_cache.Cache(keys, groups, self.depth)
        self.scheduler = vllm_scheduler.Scheduler(keys, self.cache)
        self.inbox, self.queue, self.steps = [], [], []
        self.now = self.gpu_free = self.turn = 0
        self.waits_for = None
        self.is_idle, self.wakes = True, None
        self.thread = self.turns()
        next(self.thread)

    def receive(self, seen, q):
        self.inbox.append((seen, q))
        self.inbox.sort(key=lambda x: (x[0], x[1].row))
        if self.is_idle:
            self.wake(max(self.inbox[0][0], self.now))

    def wake(self, when):
        if self.wakes is None or when < self.wakes:
            self.wakes = when
            self.group.at(when, SCHEDULE, self)

    def resume(self, when):
        self.now, self.wakes, self.is_idle = when, None, False
        self.thread.send(None)

    def unblock(self, p):
        """The rank waits for p: its end is known now."""
        if self.waits_for is p:
            after = p.start if self.keys.async_scheduling else p.end
            self.group.at(after, SCHEDULE, self)
        else:
            self.group.at(max(self.now, p.end), RESULTS, self)
        self.waits_for = None

    def turns(self):
        g, s, k = self.group, self.scheduler, self.keys
        self.is_idle = True
        yield
        while True:
            while self.inbox and self.inbox[0][0] <= self.now:
                s.enqueue(self.inbox.pop(0)[1])
            if g.has_experts and not g.in_wave and s.unfinished():
                g.begin_wave(self)
            found, waits, event = False, bool(self.queue), self.now
            if s.something_to_do():
                found, waits = self.call()
            elif not self.queue and not g.in_wave:
                self.is_idle = True
                if self.inbox:
                    self.wake(self.inbox[0][0])
                yield
                continue
            if waits:
                if self.queue[0].end is None:
                    self.waits_for = self.queue[0]
                else:
                    g.at(max(self.now, self.queue[0].end), RESULTS, self)
                yield
                event = self.now
                self.process()
            g.tell(self, event)
            busy = s.something_to_do() if k.empty_sleep_while == "any" else s.unfinished()
            if not found and busy:
                self.now += llround(1000 * k.empty_sleep_us)
            if not g.in_wave:
                g.at(self.now, SCHEDULE, self)
                yield
                continue
            self.turn += 1
            if found:
                g.at(self.now, SCHEDULE, self)
                yield
            else:
                self.waits_for = "dummy"
                p = g.bring(self, None, self.now, None)
                self.waits_for = p
                if p.end is not None:
                    self.unblock(p)
                yield
            if self.turn % 32 == 0:
                g.ask(self, self.now)
                yield

    def call(self):
        """(something was scheduled, the turn waits for the oldest batch)"""
        g, s, k, called = self.group, self.scheduler, self.keys, self.now
        s.deferred = g.in_wave and self.turn % k.prefill_schedule_interval != 0
        batch, preempted = s.schedule()
        found = bool(batch.items)
        if found:
            self.now += llround(1000 * k.schedule_us)
            batch.row = dict(schedule_ns=called, running=len(s.running), waiting=len(s.waiting),
                             kv_blocks=self.cache.in_use, preempted=preempted, emitted="",
                             scheduled=vllm_scheduler.scheduled_text(batch))
            self.steps.append(batch.row)
            self.launch(batch)
        else:
            batch.end = self.now
        self.queue.append(batch)
        oldest = self.queue[0]
        if k.queue_empty_batches:
            more = found or s.something_to_do()
        else:
            more = found and oldest.items and (oldest.end is None or oldest.end > self.now)
        return found, not (len(self.queue) < self.depth and more)

    def launch(self, batch):
        def tell(start, end):
            batch.end = end
            batch.row.update(start_ns=start, end_ns=end)
            for item in batch.items:
                if item.request.scheduled_ns is None:
                    item.request.scheduled_ns = start
        if self.group.has_experts:
            self.group.bring(self, batch, self.now, tell)
            return
        start = max(self.now, self.gpu_free)
        self.gpu_free = start + llround(1000 * self.group.cost(batch))
        tell(start, self.gpu_free)

    def process(self):
        batch = self.queue.pop(0)
        emitted, _ = self.scheduler.process(batch)
        for q, _ in emitted:
            if q.first_ns is None:
                q.first_ns = self.now
            q.last_ns = self.now
        if batch.items:
            batch.row["emitted"] = ";".join("%d:%d" % (q.row, n) for q, n in emitted)


def run(path):
    """(the group, the requests)"""
    ini = vllm_keys.read_ini(path)
    given = dict(ini["engine"])
    own = {key: vllm_keys.typed(OWN[key], given.pop(key)) if key in given else OWN[key] for key in OWN}
    keys = vllm_keys.Engine_keys(given)
    keys.__dict__.update(own)
    folder = os.path.dirname(path)
    model = ini["model"]["config"]
    layers = vllm_keys.layers_of(dict(vllm_keys.LLAMA, **KV[model]))
    layers += vllm_keys.drafter_layers(keys, layers, folder)
    group = Group(keys, layers, vllm_keys.cost_of(ini, keys), MODELS[model])
    requests = vllm_keys.read_trace(os.path.join(folder, ini["workload"]["trace"]))
    for q in requests:
        q.rejected = vllm.rejected(q, keys, group.ranks[0].cache)
    group.run([q for q in requests if not q.rejected])
    assert all(r.cache.in_use == 0 for r in group.ranks)
    return group, requests


# --- random cases ----------------------------------------------------------------------

def write_case(folder, seed):
    rng = random.Random(seed)
    longest = rng.choice([8, 40, 100])
    requests = presets.requests_of(rng, rng.choice([3, 8, 16, 30]), longest)
    if rng.random() < 0.4:  # waves end, and begin again
        gap = rng.choice([20000, 100000, 250000])
        for i, r in enumerate(requests):
            r["arrival_us"] += gap * (i * 3 // len(requests))
    keys = presets.engine_of(rng, longest, requests)
    keys["disable_hybrid_kv_cache_manager"] = "false"
    keys["data_parallel_size"] = rng.choice([1, 2, 3, 4])
    if rng.random() < 0.3:
        keys["data_parallel_routing"] = "round_robin"
    interval = rng.choice([1, 2, 3, 4])
    if keys["data_parallel_size"] > 1:
        keys["prefill_schedule_interval"] = interval
        keys.pop("num_speculative_tokens_per_batch_size", None)  # vLLM does not read it there
    model = rng.choice(list(MODELS))
    if MODELS[model]:
        keys["enable_expert_parallel"] = "true"
    presets.write_files(folder, rng, "config = %s\n" % model, requests, {"engine": keys})
    presets.write_drafter(folder, keys, seed)


def compare(program, seed):
    """Returns the first difference as text, or None."""
    def reference(path):
        group, requests = run(path)
        return {str(r.index): r.steps for r in group.ranks if r.steps}, requests
    return presets.compare_with(program, write_case, reference, seed)


if __name__ == "__main__":
    sys.exit(presets.main(compare))
