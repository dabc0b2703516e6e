#!/usr/bin/env python3
"""TAP: random small engines under TensorRT-LLM's second KV cache manager, through
the program and through a slow second program; every step and request must agree.

The second program follows the numbered rules of doc/engines.md.  It keeps lists of
pages, and compares tokens one by one.

usage: trtllm_v2.py STEPCOST [CASES [FIRST]]
"""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import presets  # noqa: E402
import trtllm  # noqa: E402
import vllm_keys  # noqa: E402
from trtllm_blocks import Ends, common  # noqa: E402
from vllm_keys import ceil_div  # noqa: E402

GPU, HOST = 0, 1


class Page:
    def __init__(self):
        self.level, self.holders, self.node = GPU, [], None

    def locked(self):
        return any(q.cache_active for q in self.holders)


class Node:
    def __init__(self, parent, key):
        self.parent, self.key, self.children, self.page = parent, key, [], None


class Cache:
    """Pages on two levels, and the tree; q.pages are those of a request."""

    def __init__(self, keys):
        self.b, self.n = keys.tokens_per_block, keys.num_gpu_blocks
        self.reuse, self.parts = keys.enable_block_reuse, keys.enable_partial_reuse
        self.root, self.queue, self.pages = Node(None, ()), [[], []], []

    def on(self, level):
        return sum(p.level == level for p in self.pages)

    def free(self, level):
        return self.n - self.on(level)

    def locked(self):
        return sum(p.locked() for p in self.pages)

    # -- rules 1 to 4

    def gone(self, page):
        for queue in self.queue:
            if page in queue:
                queue.remove(page)
        if page in self.pages:
            self.pages.remove(page)

    def drop(self, node):
        """The node, and all behind it."""
        for child in list(node.children):
            self.drop(child)
        node.parent.children.remove(node)
        page, node.page.node = node.page, None
        if not page.holders:
            self.gone(page)

    def make_room(self, n):
        short = n - self.free(GPU)
        if short <= 0:
            return True
        victims = self.queue[GPU][:short]
        held = [p for p in victims if p.holders]
        if len(victims) < short or len(held) > self.free(HOST) + len(self.queue[HOST]):
            return False
        del self.queue[GPU][:short]
        much = self.queue[HOST][:max(0, short - self.free(HOST))]
        for page in much:
            if page.node:
                self.drop(page.node)
        loose = [p for p in victims if not p.holders and p in self.pages]
        fits = max(0, self.free(HOST) - len(held))
        for page in loose[:max(0, len(loose) - fits)]:
            if page.node:
                self.drop(page.node)
        loose = [p for p in loose if p in self.pages]
        for page in loose + held:
            page.level = HOST
        self.queue[HOST] += loose
        return True

    def let_go(self, q, page):
        """q does not hold it any more."""
        was = page.locked()
        page.holders.remove(q)
        if not page.holders and not page.node:
            self.gone(page)
        elif was and not page.locked():
            self.queue[GPU].append(page)
        elif not page.holders and page.level == HOST:
            self.queue[HOST].append(page)

    # -- rules 5 to 10

    def cut(self, tokens):
        return [tuple(tokens[i:i + self.b]) for i in range(0, len(tokens), self.b)]

    def match(self, q):
        """Pages found, tokens found."""
        node, pages, tokens = self.root, [], 0
        for key in self.cut(q.content[:q.known() - 1]) if self.reuse else []:
            exact = [c for c in node.children if c.key == key]
            if exact:
                node = exact[0]
                pages.append(node.page)
                tokens += len(key)
                continue
            if self.parts and len(node.children) < 32:
                near = [c for c in node.children if common(c.key, key)]
                if near:
                    best = max(near, key=lambda c: common(c.key, key))
                    pages.append(best.page)
                    tokens += common(best.key, key)
            break
        return pages, tokens

    def open(self, q):
        q.pages, q.found = self.match(q)
        q.has_cache, q.cache_active, q.copies = True, False, q.found % self.b > 0
        q.committed, q.stores = q.found, self.reuse
        for page in q.pages:
            page.holders.append(q)
            if page.level == HOST and page in self.queue[HOST]:
                self.queue[HOST].remove(page)

    def resume(self, q):
        if q.cache_active:
            return True
        if self.locked() * 100 > 95 * self.n or (q.copies and not self.make_room(1)):
            return False
        copy = Page() if q.copies else None
        if copy:
            self.pages.append(copy)
        queued = [p for p in q.pages if p in self.queue[GPU]]
        self.queue[GPU] = [p for p in self.queue[GPU] if p not in queued]
        away = [p for p in q.pages if p.level == HOST]
        if not self.make_room(len(away)):
            self.queue[GPU] += queued
            if copy:
                self.pages.remove(copy)
            return False
        for page in away:
            page.level = GPU
        q.cache_active = True
        if copy:
            source, q.pages[-1] = q.pages[-1], copy
            copy.holders.append(q)
            self.let_go(q, source)
        q.copies = False
        return True

    def grow(self, q, tokens):
        n = ceil_div(tokens, self.b) - len(q.pages)
        if n > 0:
            if not self.make_room(n):
                return False
            for _ in range(n):
                page = Page()
                page.holders.append(q)
                self.pages.append(page)
                q.pages.append(page)
        q.T = max(q.T, tokens)
        return True

    def suspend(self, q):
        locked = [p for p in q.pages if p.locked()]
        q.cache_active = False
        self.queue[GPU] += [p for p in locked if not p.locked()]

    def store(self, q, tokens, ends):
        if not q.stores:
            return
        for k, key in enumerate(self.cut(q.content[:tokens])):
            if (k + 1) * self.b <= q.committed // self.b * self.b or (len(key) < self.b and not ends):
                continue
            parent = self.root if k == 0 else q.pages[k - 1].node
            same = [c for c in parent.children if c.key == key]
            if same and len(key) == self.b:
                self.take_over(q, k, same[0].page)
                continue
            if any(c.key[:len(key)] == key for c in parent.children):
                q.stores = False
                return
            for c in [c for c in parent.children if key[:len(c.key)] == c.key]:
                self.drop(c)
            node = Node(parent, key)
            parent.children.append(node)
            node.page, q.pages[k].node = q.pages[k], node
        q.committed = tokens
        q.stores = not ends

    def take_over(self, q, k, page):
        own, q.pages[k] = q.pages[k], page
        if own is page:
            return
        own.holders.remove(q)
        if not own.holders:
            self.gone(own)
        if page.level == HOST:
            self.make_room(1)
            page.level = GPU
        for queue in self.queue:
            if page in queue:
                queue.remove(page)
        page.holders.append(q)

    def close(self, q):
        if q.stores and q.committed % self.b and not q.copies:
            self.store(q, q.committed, True)
        for page in reversed(q.pages):
            self.let_go(q, page)
        q.pages, q.has_cache, q.cache_active, q.T = [], False, False, 0

    def first_new(self, q):
        _, found = self.match(q)
        end = (found // self.b + 1) * self.b
        return tuple(q.content[:end]) if self.reuse and end <= q.known() - 1 else None


class Engine(trtllm.Engine):
    """The front end, the clock and the results are those of the first manager's."""

    def __init__(self, given, model):
        super().__init__(given, model)
        self.cache = self.tree = Cache(self.keys)
        self.cache.in_use = self.cache.locked

    def enqueue(self, q):
        super().enqueue(q)
        q.pages, q.has_cache, q.cache_active, q.begun = [], False, False, False

    def has_blocks(self, q):
        return q.has_cache

    # -- rules 11 to 14

    def decode_fits(self, q):
        return self.cache.resume(q) and self.cache.grow(q, q.T + 1)

    def has_begun(self, q):
        return q.has_cache and q.begun

    def suspend_behind(self, at):
        while True:
            victims = [i for i in range(at + 1, self.end)
                       if self.has_begun(self.active[i]) and self.active[i].cache_active]
            if not victims:
                return False
            self.end = victims[-1]
            self.cache.suspend(self.active[self.end])
            self.suspended.append(self.active[self.end])
            if self.decode_fits(self.active[at]):
                return True

    def may_close(self, q):
        return self.has_begun(q) and q.state != "ending" and q not in self.closed

    def close_behind(self, at):
        while True:
            victims = [q for q in self.active[at + 1:self.front] if self.may_close(q)]
            victims = victims[-1:] or [q for q in self.suspended if self.may_close(q)][:1]
            if not victims:
                return False
            q = victims[0]
            if q in self.suspended:
                self.suspended.remove(q)
            self.cache.close(q)
            self.closed.append(q)
            self.front = min(self.front, self.active.index(q))
            if self.decode_fits(self.active[at]) or self.suspend_behind(at):
                return True

    def choose_decodes(self):
        decodes, at = [], 0
        self.end = self.front = len(self.active)
        while at < self.end and len(decodes) < self.M:
            q = self.active[at]
            if q.state == "decoding" and q not in self.closed:
                if len(decodes) == self.N:
                    break
                was_active = q.cache_active
                if not (self.decode_fits(q) or self.suspend_behind(at) or self.close_behind(at)):
                    if q.cache_active:
                        self.cache.suspend(q)
                    if was_active:
                        self.suspended.append(q)
                    break
                decodes.append(q)
            at += 1
        return decodes, at

    # -- rules 15 to 18

    def prompt_fits(self, q, left):
        """Its chunk; 0: not, None: and no other prompt is looked at."""
        chunks, N = self.keys.enable_chunked_prefill, self.N
        if not q.has_cache:
            self.cache.open(q)
            q.T = q.found
        if not self.cache.resume(q):
            return 0 if chunks else None
        if not q.begun:
            q.pos = q.found
        n = rest = q.P - q.pos
        if chunks:
            n = min(left, rest, N)
            if n < rest:
                n = n // self.b * self.b
        elif rest > left:
            return None
        return n if n and self.cache.grow(q, q.pos + n) else 0

    def choose_prompts(self, looked, taken):
        prompts, left, keys = [], self.N - taken, []
        for q in looked:
            if taken + len(prompts) == self.M:
                break
            if self.keys.enable_chunked_prefill and left < self.b:
                break
            key = self.cache.first_new(q)
            if not q.begun and key is not None and key in keys:
                continue
            n = self.prompt_fits(q, left)
            if not n and not q.begun:
                self.cache.close(q)
                q.pos = 0
            if n is None:
                break
            if not n:
                continue
            q.chunk = n
            left -= n
            prompts.append(q)
            keys.append(key)
        return prompts

    def choose(self):
        self.suspended, self.closed = [], []
        while self.queue and len(self.active) < self.M:
            self.active.append(self.queue.pop(0))
        self.active.sort(key=lambda q: (q.arrival_ns, q.row))
        decodes, at = self.choose_decodes()
        looked = [q for q in self.active[:at] if q.state in ("new", "way") and q not in self.closed]
        prompts = self.choose_prompts(looked, len(decodes))
        if self.batch_waits(prompts, decodes):
            prompts = []
        self.paused = self.suspended + self.closed
        for q in self.paused:
            q.preemptions += 1
        for q in self.closed:
            q.state = "paused"
        return self.ordered(prompts), decodes

    def costs(self, q, n):
        return n

    def prepare(self, prompts, decodes):
        for q in prompts:
            q.state, q.begun = "way", True
            if q.cached is None:
                q.cached = q.pos
        return prompts

    def forget_paused(self):
        for q in self.closed:
            if q.made < q.max:
                q.state, q.P, q.pos, q.begun = "new", q.known(), 0, False

    def advance(self, batch, overlaps):
        super().advance(batch, overlaps)
        for q in batch["prompts"]:
            self.cache.store(q, q.pos, q.pos >= q.P)

    def finish(self, batch):
        for q in [q for q in self.active if q.made == q.max]:
            if q.has_cache:
                self.cache.close(q)
            self.active.remove(q)
            q.state = "over"


def run(path):
    ini = vllm_keys.read_ini(path)
    engine = Engine(ini["engine"], vllm_keys.LLAMA)
    knobs = ini["cost_model"]
    requests = vllm_keys.read_trace(os.path.join(os.path.dirname(path), ini["workload"]["trace"]))
    for q in requests:
        q.rejected = engine.rejects(q)
    steps = trtllm.serve(engine, [q for q in requests if not q.rejected],
                         lambda n: float(knobs["base_us"]) + float(knobs["per_token_us"]) * n)
    return {"0": steps} if steps else {}, requests


def write_case(folder, seed):
    rng = random.Random(seed)
    longest = rng.choice([8, 40, 100, 200])
    requests = trtllm.draw_requests(rng, longest)
    is_tight = rng.random() < 0.5
    for r in requests if is_tight else []:
        r["output_tokens"] = rng.choice([r["output_tokens"], longest, 2 * longest])
        r["arrival_us"] = min(r["arrival_us"], 4000)
    most = max(r["input_tokens"] + r["output_tokens"] for r in requests)
    keys = trtllm.draw_keys(rng, most)
    keys.pop("max_attention_window", None)
    keys["use_kv_cache_manager_v2"] = "true"
    if is_tight:  # many decodes, few places
        keys["num_gpu_blocks"] = ceil_div(most, keys["tokens_per_block"]) * rng.choice([1, 1, 2]) + rng.choice([0, 1])
        keys["max_batch_size"] = 64
    keys["max_model_len"] = rng.choice([512, most])
    if rng.random() < 0.3:
        keys["schedule_us"] = rng.choice([3, 497])
    presets.write_files(folder, rng, "config = llama-3.1-8b\n", requests, {"engine": keys})


def compare(program, seed):
    """Returns the first difference as text, or None."""
    end = []

    def reference(path):
        try:
            return run(path)
        except Ends as e:
            end.append(e)
            return {}, []

    why = presets.compare_with(program, write_case, reference, seed)
    if not end:
        return why
    if why and why.startswith("exit 2") and "request %d " % end[0].row in why:
        return None
    return "%s; the reference ends: %d %s" % (why, end[0].row, end[0].what)


if __name__ == "__main__":
    sys.exit(presets.main(compare))
