#!/usr/bin/env python3
"""TAP: random small engines under scheduler = sglang and tensorrt_llm through
the program and through slow references; every step and request must agree.

The references are written from the rules in doc/engine.md: tokens are compared
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
from vllm import ceil_div, llround  # noqa: E402

MOST = 4096
INF = 10 ** 15


class Keys:
    def __init__(self, given, defaults):
        self.__dict__.update(defaults)
        for key, value in given.items():
            if key not in ("scheduler", "preset"):
                self.__dict__[key] = vllm.typed(defaults[key], value)


class Part:
    """One request's share of a step."""

    def __init__(self, q, n, is_prompt):
        self.q, self.n, self.is_prompt, self.context = q, n, is_prompt, q.computed
        whole = not is_prompt or q.computed + n >= q.known()
        self.emits = whole and q.made + q.ph < q.max
        self.lost = False


class Batch:
    def __init__(self, parts):
        self.parts, self.end, self.kept = parts, None, 0


# --- SGLang ------------------------------------------------------------------------------

class Node:
    def __init__(self, parent, pages):
        self.parent, self.pages, self.children, self.locks, self.used = parent, pages, [], 0, 0


class Tree:
    def __init__(self):
        self.root, self.clock = Node(None, []), 0

    def nodes(self):
        out, more = [], [self.root]
        while more:
            node = more.pop()
            out.append(node)
            more += node.children
        return out[1:]

    def size(self):
        return sum(len(n.pages) for n in self.nodes())

    def locked(self):
        return sum(len(n.pages) for n in self.nodes() if n.locks)

    def find(self, pages):
        node, n = self.root, 0
        while n < len(pages):
            child = next((c for c in node.children if c.pages[0] == pages[n]), None)
            if not child:
                break
            same = 0
            while same < len(child.pages) and n + same < len(pages) and child.pages[same] == pages[n + same]:
                same += 1
            if same < len(child.pages):
                front = Node(node, child.pages[:same])
                front.locks, front.children = child.locks, [child]
                node.children[node.children.index(child)] = front
                child.parent, child.pages = front, child.pages[same:]
                child = front
            node, n = child, n + same
            self.touch(node)
        return node, n

    def touch(self, node):
        self.clock += 1
        node.used = self.clock

    def insert(self, pages):
        node, had = self.find(pages)
        if had < len(pages):
            leaf = Node(node, pages[had:])
            node.children.append(leaf)
            self.touch(leaf)
            node = leaf
        return node

    def lock(self, node, by=1):
        while node is not self.root:
            node.locks += by
            node = node.parent

    def evict(self, n):
        while n > 0:
            leaves = [x for x in self.nodes() if not x.children and not x.locks]
            if not leaves:
                return
            x = min(leaves, key=lambda x: x.used)
            x.parent.children.remove(x)
            n -= len(x.pages)


SGLANG = dict(chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=4096,
              schedule_conservativeness=1.0, page_size=1, schedule_policy="fcfs",
              enable_mixed_chunk=False, disable_radix_cache=False, disable_overlap_schedule=False,
              num_gpu_blocks=0, max_model_len=512, schedule_us=0.0, api_overhead_us=0.0,
              api_request_us=0.0, cuda_graph_max_bs=0)


class Sglang:
    def __init__(self, given):
        self.keys = k = Keys(given, SGLANG)
        self.overlaps = not k.disable_overlap_schedule
        self.waiting, self.running, self.chunked, self.full = [], [], None, False
        self.tree, self.own = Tree(), 0
        self.flying = []
        self.start_ppb = llround(1e9 * min(1, 0.7 * k.schedule_conservativeness))
        self.least_ppb = self.start_ppb * 14 // 100
        self.ppb = self.start_ppb

    def rejects(self, q):
        k = self.keys
        return (q.prompt + q.max > k.max_model_len
                or q.prompt + q.max + 2 * k.page_size - 1 >= k.num_gpu_blocks * k.page_size)

    def idle(self):
        self.ppb = self.start_ppb

    def enqueue(self, q):
        q.node, q.in_tree, q.pages = self.tree.root, 0, 0
        self.waiting.append(q)

    def left(self):
        return self.keys.num_gpu_blocks - self.own - self.tree.locked()

    def in_use(self):
        return self.own + self.tree.locked()

    def n_running(self):
        return len(self.running) + (self.chunked is not None)

    def paged(self, q, n):
        size = self.keys.page_size
        return [tuple(q.content[i * size:(i + 1) * size]) for i in range(n)]

    def take(self, q, n):
        over = self.own + self.tree.size() + n - self.keys.num_gpu_blocks
        if over > 0:
            self.tree.evict(over)
        q.pages += n
        self.own += n

    def find(self, q):
        if self.keys.disable_radix_cache:
            return self.tree.root, 0
        return self.tree.find(self.paged(q, (q.known() - 1) // self.keys.page_size))

    def form(self):
        """(the parts of a step, requests that were retracted)"""
        self.parts, self.retracted = [], 0
        before = list(self.running)
        self.add_prompts()
        if self.parts:
            for p in self.parts:
                self.take(p.q, ceil_div(p.context + p.n, self.keys.page_size) - p.q.pages)
            self.running += [p.q for p in self.parts if p.q is not self.chunked]
            if self.keys.enable_mixed_chunk and self.begun(before) <= self.left():
                self.decode_all(before)
        elif self.running:
            self.decode()
        else:
            self.full = False
        return self.parts, self.retracted

    # -- prompts

    def add_prompts(self):
        k = self.keys
        if (self.full or not self.waiting) and not self.chunked:
            return
        beside = len(self.running) if k.enable_mixed_chunk else 0
        self.rem_input = k.max_prefill_tokens - beside
        self.rem_chunk = k.chunked_prefill_size - beside if k.chunked_prefill_size > 0 else INF
        self.now_offset = 0
        self.offset = sum(min(q.max - q.made, MOST) for q in self.running) * self.ppb // 10 ** 9
        if self.chunked:
            q = self.chunked
            rest = q.known() - q.computed
            n = min(rest, self.rem_chunk, self.total())
            if n < rest:
                n = n // k.page_size * k.page_size
            if n > 0:
                self.parts.append(Part(q, n, True))
                self.charge(n, min(q.max, MOST) if n == rest else 0)
                if n == rest:
                    self.chunked = None
        if self.full:
            return
        order = self.order()
        for q in order:
            if len(self.running) + len(self.parts) >= k.max_running_requests:
                self.full = True
                return
            if not self.add(q):
                return

    def total(self):
        return self.left() * self.keys.page_size - self.offset

    def charge(self, n, future):
        size = self.keys.page_size
        n = ceil_div(n, size) * size
        self.offset += n + future + size
        self.now_offset += n + size
        self.rem_input -= n
        self.rem_chunk -= n

    def order(self):
        k = self.keys
        if k.schedule_policy != "lpm" or k.disable_radix_cache or len(self.waiting) > 128:
            return list(self.waiting)
        late, found, seen = set(), {}, []
        for q in self.waiting:
            found[q] = self.find(q)[1] * k.page_size
            if found[q] > 32:
                continue
            n = (32 // k.page_size + 1) * k.page_size
            prefix = q.content[:n] if q.known() >= n else None
            if prefix and prefix in seen:
                late.add(q)
            elif prefix:
                seen.append(prefix)
        return sorted(self.waiting, key=lambda q: (q in late, 0 if q in late else -found[q]))

    def add(self, q):
        """False: the step is complete."""
        k, size = self.keys, self.keys.page_size
        node, found = self.find(q)
        self.tree.lock(node)
        x = q.known() - found * size
        if ceil_div(x, size) * size + min(q.max - q.made, MOST) + size >= self.total():
            self.tree.lock(node, -1)
            self.full = True
            return False
        n, chunked = x, x > self.rem_chunk
        if chunked:
            n = self.rem_chunk // size * size
        if (self.parts and x >= self.rem_input) or n <= 0:
            self.tree.lock(node, -1)
            return False
        q.node, q.in_tree, q.pages, q.computed = node, found, found, found * size
        if q.cached is None:
            q.cached = 0 if k.disable_radix_cache else q.computed
        self.waiting.remove(q)
        self.parts.append(Part(q, n, True))
        self.charge(n, 0 if chunked else min(q.max, MOST))
        if chunked:
            self.chunked = q
            return False
        if self.total() <= 0 or self.left() * size - self.now_offset <= 0:
            self.full = True
        return not self.full and self.rem_input > 0 and self.rem_chunk > 0

    # -- decodes

    def begun(self, requests):
        return sum(q.computed == q.pages * self.keys.page_size for q in requests)

    def decode_all(self, requests):
        for q in requests:
            if q.computed == q.pages * self.keys.page_size:
                self.take(q, 1)
            self.parts.append(Part(q, 1, False))

    def decode(self):
        short = lambda: self.begun(self.running) > self.left()
        others = lambda: len(self.running) > (0 if self.chunked else 1)
        if short():
            if not others():
                return
            order = sorted(self.running, key=lambda q: (q.made, -q.prompt), reverse=True)
            self.retract(order.pop())
            while others() and short():
                self.retract(order.pop())
            if self.running:
                made = sum(q.made for q in self.running) + 20 * len(self.running)
                self.ppb = min(10 ** 9, made * 10 ** 9 // (sum(q.max for q in self.running) + 1))
        else:
            self.ppb = max(self.least_ppb, self.ppb - (self.start_ppb - self.least_ppb) // 600)
        self.decode_all(self.running)

    def release(self, q, kept=0):
        self.tree.lock(q.node, -1)
        self.own -= q.pages - q.in_tree - kept
        q.node, q.in_tree, q.pages = self.tree.root, 0, 0

    def retract(self, q):
        self.running.remove(q)
        self.release(q)
        for b in self.flying:
            for p in b.parts:
                p.lost |= p.q is q
        q.computed = q.ph = 0
        q.preemptions += 1
        self.retracted += 1
        self.full = False
        self.waiting.append(q)

    # -- results

    def keep(self, q, tokens):
        n = tokens // self.keys.page_size
        if self.keys.disable_radix_cache or n <= q.in_tree:
            return
        node = self.tree.insert(self.paged(q, n))
        self.tree.lock(node)
        self.tree.lock(q.node, -1)
        self.own -= n - q.in_tree
        q.node, q.in_tree = node, n

    def process(self, batch):
        self.own -= batch.kept
        emitted = []
        for p in batch.parts:
            if p.lost:
                continue
            if p.is_prompt:
                self.keep(p.q, p.context + p.n)
            if p.emits:
                p.q.ph -= 1
                p.q.made += 1
                emitted.append(p.q)
                if p.q.made == p.q.max:
                    self.end(p.q)
        return emitted

    def end(self, q):
        size, kept = self.keys.page_size, 0
        begun = size == 1 or q.computed % size == 1
        self.keep(q, q.prompt + q.max - 1)
        self.running.remove(q)
        self.full = False
        for b in self.flying:
            for p in b.parts:
                if p.q is q:
                    p.lost = True
                    if begun:
                        kept = 1
                        b.kept += 1
        self.release(q, kept)


# --- TensorRT-LLM ---------------------------------------------------------------------------

TRTLLM = dict(max_batch_size=2048, max_num_tokens=8192, tokens_per_block=32,
              capacity_scheduler_policy="guaranteed_no_evict", enable_chunked_prefill=False,
              context_chunking_policy="first_come_first_served", enable_block_reuse=True,
              disable_overlap_scheduler=False, num_gpu_blocks=0, max_model_len=512,
              schedule_us=0.0, api_overhead_us=0.0, api_request_us=0.0)


class Trtllm:
    def __init__(self, given):
        self.keys = k = Keys(given, TRTLLM)
        self.overlaps = not k.disable_overlap_scheduler
        cache = Keys({}, dict(vllm.COMMON, **vllm.RULES["vllm-0.15"]))
        cache.num_gpu_blocks, cache.block_size = str(k.num_gpu_blocks), k.tokens_per_block
        cache.enable_prefix_caching = k.enable_block_reuse
        cache.max_num_batched_tokens, cache.max_model_len = k.max_num_tokens, k.max_model_len
        self.cache = vllm.Cache(cache, [vllm.Group(0, 1, k.tokens_per_block)], 1)
        self.active, self.flying = [], []

    def rejects(self, q):
        k = self.keys
        return (q.prompt + q.max > k.max_model_len or self.to_the_end(q) > k.num_gpu_blocks
                or (not k.enable_chunked_prefill and q.prompt > k.max_num_tokens))

    def idle(self):
        pass

    def enqueue(self, q):
        q.tables, q.started = [[]], False
        self.active.append(q)
        self.active.sort(key=lambda q: (q.arrival_ns, q.row))

    @property
    def waiting(self):
        return [q for q in self.active if not q.started]

    def in_use(self):
        return self.cache.in_use

    def n_running(self):
        return sum(q.started for q in self.active)

    def to_the_end(self, q):
        return ceil_div(q.prompt + q.max, self.keys.tokens_per_block)

    def generates(self, q):
        return q.started and not q.chunk

    def form(self):
        self.paused = 0
        fit = self.guarantee() if self.keys.capacity_scheduler_policy == "guaranteed_no_evict" else self.utilize()
        return self.micro(fit), self.paused

    def guarantee(self):
        k, tokens = self.keys, 0
        first = [q for q in self.active if self.generates(q)]
        fit = first[:k.max_batch_size]
        left = k.num_gpu_blocks - sum(self.to_the_end(q) for q in fit)
        for q in [q for q in self.active if not self.generates(q)]:
            if len(fit) == k.max_batch_size or self.to_the_end(q) > left:
                break
            left -= self.to_the_end(q)
            fit.append(q)
        return fit

    def needs(self, q):
        if self.generates(q):
            return self.cache.need(q, q.computed + 1)
        if q.started:
            return self.cache.need(q, q.known())
        h, found = self.cache.lookup(q)
        return self.cache.need(q, q.known(), found, h)

    def utilize(self):
        fit = []
        for q in list(self.active):
            if len(fit) == self.keys.max_batch_size:
                break
            while sum(self.needs(x) for x in fit) + self.needs(q) > self.cache.n_free():
                running = [x for x in fit if self.generates(x)]
                if not running:
                    break
                fit.remove(running[-1])
                self.pause(running[-1])
            else:
                fit.append(q)
                continue
            break
        started = [q for q in self.active if q.started]
        for q in started[::-1]:
            if q not in fit and self.generates(q):
                self.pause(q)
        if not fit and started and not self.paused:
            self.pause(started[-1])
        return fit

    def pause(self, q):
        self.cache.free_request(q)
        q.tables, q.started, q.chunk, q.computed = [[]], False, False, 0
        q.preemptions += 1
        self.paused += 1

    def rest(self, q):
        return q.known() - (q.computed if q.started else self.cache.lookup(q)[0])

    def micro(self, fit):
        k, parts, left, chunks = self.keys, [], self.keys.max_num_tokens, []
        for q in fit:
            n = 1 if self.generates(q) else self.rest(q)
            if not self.generates(q) and k.enable_chunked_prefill:
                chunks.append([q, n, 0])
                continue
            if n > left and parts:
                break
            self.add(parts, q, n)
            left = max(0, left - n)
        unit = k.tokens_per_block
        if sum(n for _, n, _ in chunks) <= left:
            for c in chunks:
                c[2] = c[1]
        elif k.context_chunking_policy == "first_come_first_served":
            for c in chunks:
                c[2] = c[1] if c[1] <= left else left // unit * unit
                left -= c[2]
        else:
            grown = True
            while grown:
                grown = False
                for c in chunks:
                    n = min(unit, c[1] - c[2])
                    if 0 < n <= left:
                        c[2] += n
                        left -= n
                        grown = True
        for q, _, n in chunks:
            if n:
                self.add(parts, q, n)
        return parts

    def add(self, parts, q, n):
        if self.generates(q):
            self.cache.allocate(q, q.computed + 1)
            parts.append(Part(q, 1, False))
            return
        if not q.started:
            h, found = self.cache.lookup(q)
            self.cache.allocate(q, q.known(), found, h)
            q.started, q.computed, q.chunk = True, h, True
            if q.cached is None:
                q.cached = h
        parts.append(Part(q, min(n, q.known() - q.computed), True))

    def process(self, batch):
        emitted = []
        for p in batch.parts:
            if p.lost or not p.emits:
                continue
            q = p.q
            q.ph -= 1
            q.made += 1
            emitted.append(q)
            if q.made < q.max:
                continue
            for b in self.flying:
                for x in b.parts:
                    x.lost |= x.q is q
            if q.started:
                self.cache.key_blocks(q, q.prompt + q.max - 1)
                self.cache.free_request(q)
            self.active.remove(q)
        return emitted


# --- the loop --------------------------------------------------------------------------------

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
        parts, preempted = engine.form()
        batch = None
        if parts:
            batch = Batch(parts)
            called, now = now, now + llround(1000 * k.schedule_us)
            start = max(now, gpu_free)
            gpu_free = batch.end = start + llround(1000 * cost(sum(p.n for p in parts)))
            steps.append(dict(
                schedule_ns=called, start_ns=start, end_ns=batch.end, running=engine.n_running(),
                waiting=len(engine.waiting), kv_blocks=engine.in_use(), preempted=preempted,
                scheduled=";".join("%d:%d+%d" % (p.q.row, p.context, p.n) for p in parts),
                emitted=";".join("%d:1" % p.q.row for p in parts if p.emits)))
            for p in parts:
                p.q.computed += p.n
                p.q.ph += p.emits
                p.q.chunk = p.q.computed < p.q.known() if p.is_prompt else p.q.chunk
                if p.q.scheduled_ns is None:
                    p.q.scheduled_ns = start
        over = last if engine.overlaps else batch
        if over:
            engine.flying = [batch] if engine.overlaps and batch else []
            now = max(now, over.end)
            for q in engine.process(over):
                q.first_ns = now if q.first_ns is None else q.first_ns
                q.last_ns = now
        engine.flying = [batch] if engine.overlaps and batch else []
        idle = not batch and not last
        last = batch if engine.overlaps else None
        if idle and not preempted:
            engine.idle()
            if not inbox:
                return steps
            now = max(now, inbox[0][0])


def run(path):
    ini = vllm.read_ini(path)
    engine = {"sglang": Sglang, "tensorrt_llm": Trtllm}[ini["engine"]["scheduler"]](ini["engine"])
    knobs = ini["cost_model"]
    requests = vllm.read_trace(os.path.join(os.path.dirname(path), ini["workload"]["trace"]))
    for q in requests:
        q.rejected = engine.rejects(q)
    steps = serve(engine, [q for q in requests if not q.rejected],
                  lambda n: float(knobs["base_us"]) + float(knobs["per_token_us"]) * n)
    return {"0": steps} if steps else {}, requests


# --- random cases ----------------------------------------------------------------------------

def sglang_keys(rng, most):
    page = rng.choice([1, 1, 1, 4, 16])
    keys = dict(scheduler="sglang", page_size=page, cuda_graph_max_bs=8,
                num_gpu_blocks=-(-most // page) * rng.choice([1, 2, 3, 5]) + rng.choice([1, 2, 5]),
                max_running_requests=rng.choice([1, 2, 3, 5, 64]),
                chunked_prefill_size=rng.choice([-1, page, 8 * page, 16, 33 * page, 64, 2048]))
    for key, values in dict(
            max_prefill_tokens=[16, 40, 100], schedule_conservativeness=[0, 0.1, 0.4, 2],
            schedule_policy=["lpm"], enable_mixed_chunk=["true"], disable_radix_cache=["true"],
            disable_overlap_schedule=["true"]).items():
        if rng.random() < 0.4:
            keys[key] = rng.choice(values)
    return keys


def trtllm_keys(rng, most):
    block = rng.choice([1, 4, 8, 16])
    keys = dict(scheduler="tensorrt_llm", tokens_per_block=block,
                num_gpu_blocks=-(-most // block) * rng.choice([1, 2, 3, 5]) + rng.choice([0, 0, 2]),
                max_batch_size=rng.choice([1, 2, 3, 5, 64]),
                max_num_tokens=rng.choice([16, 33, 64, 200, 2048]))
    for key, values in dict(
            capacity_scheduler_policy=["max_utilization"], enable_chunked_prefill=["true"],
            context_chunking_policy=["equal_progress"], enable_block_reuse=["false"],
            disable_overlap_scheduler=["true"]).items():
        if rng.random() < 0.4:
            keys[key] = rng.choice(values)
    return keys


def write_case(folder, seed):
    rng = random.Random(seed)
    longest = rng.choice([8, 40, 100, 200])
    requests = presets.requests_of(rng, rng.choice([1, 3, 6, 12, 20]), longest)
    if rng.random() < 0.2:
        for i, r in enumerate(requests):
            r["arrival_us"] += 200000 * (i * 2 // len(requests))
    most = max(r["input_tokens"] + r["output_tokens"] for r in requests)
    keys = rng.choice([sglang_keys, trtllm_keys])(rng, most)
    keys["max_model_len"] = rng.choice([512, 512, most, most - 1])
    if rng.random() < 0.3:
        keys["schedule_us"] = rng.choice([3, 497])
    if rng.random() < 0.2:
        keys["api_overhead_us"] = 250
    if rng.random() < 0.2:
        keys["api_request_us"] = rng.choice([40, 2500])
    presets.write_files(folder, rng, "config = llama-3.1-8b\n", requests, {"engine": keys})


def compare(program, seed):
    """What differs, or None."""
    return presets.compare_with(program, write_case, run, seed)


if __name__ == "__main__":
    sys.exit(presets.main(compare))
