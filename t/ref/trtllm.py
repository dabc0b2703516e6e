#!/usr/bin/env python3
"""TAP: random small engines under preset = tensorrt_llm through the program and
through a slow second program; every step and request must agree, and so must
the message where the engine dies or hangs.

The second program counts everything anew in each call: tokens are compared one
by one, and the tree of blocks is a tree of lists.

usage: trtllm.py STEPCOST [CASES [FIRST]]
"""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import presets  # noqa: E402
import vllm  # noqa: E402
import vllm_cache  # noqa: E402
import vllm_keys  # noqa: E402
from sglang import Keys  # noqa: E402
from trtllm_blocks import Ends, Tree  # noqa: E402
from vllm_keys import ceil_div, llround  # noqa: E402

KEYS = dict(max_batch_size=2048, max_num_tokens=8192, tokens_per_block=32,
            capacity_scheduler_policy="guaranteed_no_evict", enable_chunked_prefill=False,
            context_chunking_policy="first_come_first_served", enable_block_reuse=True,
            enable_partial_reuse=True, disable_overlap_scheduler=False, max_attention_window="full",
            batch_wait_timeout_iters=0, batch_wait_max_tokens_ratio=0.0, num_gpu_blocks=0,
            use_kv_cache_manager_v2="auto",
            max_model_len=512, schedule_us=0.0, api_overhead_us=0.0, api_request_us=0.0)


# --- layers with windows: whole blocks alone ----------------------------------------------------

class Windows:
    """Tables of blocks by window, of vllm_cache; a request reserves all it will hold."""

    def __init__(self, keys, groups):
        rules = Keys({}, dict(vllm_keys.COMMON, **vllm_keys.RULES["vllm-0.15"]))
        rules.num_gpu_blocks, rules.block_size = str(keys.num_gpu_blocks), keys.tokens_per_block
        rules.enable_prefix_caching = keys.enable_block_reuse
        rules.max_num_batched_tokens, rules.max_model_len = keys.max_num_tokens, keys.max_model_len
        self.cache, self.groups = vllm_cache.Cache(rules, groups, 1), groups

    def in_use(self):
        return self.cache.in_use


# --- the engine ------------------------------------------------------------------------------

class Engine:
    def __init__(self, given, model):
        self.keys = k = Keys(given, KEYS)
        self.b, self.N, self.M = k.tokens_per_block, k.max_num_tokens, k.max_batch_size
        layers = vllm_keys.layers_of(model) if k.max_attention_window == "model" else [(0, 1)]
        self.groups, _ = vllm_keys.group_layers(layers, self.b, 1.25)
        self.windows = any(g.window for g in self.groups)
        short = any(g.window and g.window < k.max_model_len for g in self.groups)
        self.unit = max(256, self.b) if short else self.b  # of chunks
        self.tree = Windows(k, self.groups) if self.windows else Tree(k)
        self.queue, self.active, self.waited = [], [], 0

    # -- requests

    def to_the_end(self, q):
        n = 0
        for group in self.groups:
            blocks = ceil_div(q.prompt + q.max, group.block)
            if group.window:  # and one block more, where it begins within one
                kept = min(group.window, self.keys.max_model_len)
                blocks = min(blocks, ceil_div(kept, group.block) + 1)
            n += blocks
        return n

    def rejects(self, q):
        k = self.keys
        return (q.prompt + q.max > k.max_model_len or self.to_the_end(q) > k.num_gpu_blocks
                or (not k.enable_chunked_prefill and q.prompt > k.max_num_tokens))

    def enqueue(self, q):
        q.state, q.blocks, q.pos, q.P, q.chunk, q.T = "new", [], 0, q.prompt, q.prompt, 0
        q.tables = [[] for _ in self.groups]
        self.queue.append(q)
        self.queue.sort(key=lambda q: (q.arrival_ns, q.row))

    def held(self, q):
        return len(q.blocks)

    def has_blocks(self, q):
        return q.state in ("way", "decoding", "ending")

    # -- section 3

    def look(self, q):
        q.est, q.shared, q.next = 0, 0, None
        if self.windows:
            if q.state == "new":
                q.est, q.hits = self.tree.cache.lookup(q)
            return
        if self.keys.enable_block_reuse:
            found, used, q.next = self.tree.look(q)
            if q.state == "new":
                q.shared = min(used, (q.P - 1) // self.b)
                q.est = min(self.b * found, q.P - 1)

    def waits(self, q):
        if q.next is None:
            return False
        if q.next in self.computed:
            return True
        self.computed.append(q.next)
        return False

    def note_chunks(self):
        self.computed = []
        for q in self.active:
            if q.state == "way":
                self.look(q)
                if q.next is not None:
                    self.computed.append(q.next)

    def rest(self, q):
        if self.windows:
            return 0 if self.has_blocks(q) else self.to_the_end(q)
        return ceil_div(q.prompt + q.max, self.b) - (q.shared if q.state == "new" else 0) - self.held(q)

    def guarantee(self, static):
        free = self.keys.num_gpu_blocks - self.tree.in_use()
        if self.windows:
            free = self.keys.num_gpu_blocks - sum(self.to_the_end(q) for q in self.active
                                                  if self.has_blocks(q))
        fit = [q for q in self.active if q.state in ("decoding", "ending")]
        free -= sum(self.rest(q) for q in fit)
        if static and fit:
            return fit
        self.note_chunks()
        for q in [q for q in self.active if q.state in ("new", "way")]:
            if q.state == "new":
                self.look(q)
                if not static and self.waits(q):
                    continue
            if self.rest(q) > free:
                break
            free -= self.rest(q)
            fit.append(q)
        return fit

    def need(self, q):
        if self.windows:
            cache = self.tree.cache
            if q.state == "new":
                return cache.need(q, q.known(), q.hits, q.known())
            return cache.need(q, q.P if q.state == "way" else q.T + 1)
        if q.state == "new":
            return ceil_div(q.P, self.b) - q.shared
        return int(q.state != "way" and q.T % self.b == 0)

    def freed_by(self, q):
        """The blocks that pausing q frees, after those that are paused already."""
        if self.windows:
            before = self.tree.cache.n_free()
            self.give_back(q)
            return self.tree.cache.n_free() - before
        others = [b for x in self.active if x is not q and x not in self.paused for b in x.blocks]
        gone = [b for x in self.paused for b in x.blocks]
        return sum(b not in others and b not in gone for b in q.blocks)

    def utilize(self):
        free = self.keys.num_gpu_blocks - self.tree.in_use()
        fit, total, end, at = [], 0, len(self.active), 0
        self.note_chunks()
        while at < end:
            q = self.active[at]
            if q.state == "new":
                self.look(q)
                if self.waits(q):
                    at += 1
                    continue
            if total + self.need(q) <= free:
                total += self.need(q)
                fit.append(q)
                at += 1
                continue
            begun = [i for i in range(at, end) if self.has_blocks(self.active[i])]
            if not begun:
                break
            victim = self.active[begun[-1]]
            free += self.freed_by(victim)
            self.paused.append(victim)
            end = begun[-1]
        return fit

    # -- section 4

    @staticmethod
    def cost(n, e, rest):
        return n if e <= 0 or e + n < rest else rest - e

    def costs(self, q, n):
        return self.cost(n, q.est if q.state == "new" else 0, q.P - q.pos)

    def micro(self, fit):
        k, t, decodes, prompts, aside, apart, all_fit = self.keys, 0, [], [], [], 0, True
        for q in fit:
            if q.state == "ending":
                continue
            rest = q.P - q.pos
            if q.state == "decoding":
                if t + 1 > self.N:
                    break
                t += 1
                decodes.append(q)
            elif k.enable_chunked_prefill:
                q.chunk = rest
                all_fit &= self.costs(q, rest) <= self.N
                apart += min(self.costs(q, rest), self.N)
                aside.append(q)
            else:
                c = max(1, self.costs(q, rest))
                if c > self.N:
                    raise Ends(q.row, "was paused")
                if t + c > self.N:
                    break
                t += c
                prompts.append(q)
            if len(decodes) + len(prompts) + len(aside) >= self.M:
                break
        if apart > self.N - t or not all_fit:
            self.cut(aside, self.N - t)
        prompts += [q for q in aside if q.chunk]
        return self.ordered(prompts), decodes

    def cut(self, aside, cap):
        if self.keys.context_chunking_policy == "first_come_first_served":
            for q in aside:
                n = rest = q.P - q.pos
                if cap < self.costs(q, rest):
                    n = cap
                if n < rest:
                    n = n // self.unit * self.unit
                cap -= self.costs(q, n)
                q.chunk = n
            return
        used, added = 0, 1
        for q in aside:
            q.chunk = 0
        while used < cap and added:
            added = 0
            for q in aside:
                n = min(q.chunk + self.unit, q.P - q.pos)
                i = self.costs(q, n) - self.costs(q, q.chunk)
                if used + i <= cap and n <= self.N:
                    used += i
                    added += n - q.chunk
                    q.chunk = n

    @staticmethod
    def ordered(prompts):
        return sorted(prompts, key=lambda q: q.pos + q.chunk >= q.P)

    # -- section 5

    def batch_waits(self, prompts, decodes):
        k = self.keys
        if not prompts or not decodes:
            return False
        n = len(decodes) + sum(self.costs(q, q.chunk) for q in prompts)
        if self.waited < k.batch_wait_timeout_iters and n < k.batch_wait_max_tokens_ratio * self.N:
            self.waited += 1
            return True
        self.waited = 0
        return False

    # -- section 6

    def prepare(self, prompts, decodes):
        new = [q for q in prompts if q.state == "new"]
        if self.windows:
            for q in new:
                q.found, hits = self.tree.cache.lookup(q)
                self.tree.cache.allocate(q, q.known(), hits, q.known())
        else:
            self.tree.begin(new)
            self.tree.end_of_pass()
        for q in new:
            f, q.state, q.T = q.found, "way", q.P
            q.pos = f
            if f and f + q.chunk < q.P:
                q.chunk = (f + q.chunk) // self.b * self.b - f
            q.chunk = min(q.chunk, q.P - f)
            if q.cached is None:
                q.cached = f
        for q in decodes:
            if self.windows:
                self.tree.cache.drop_old(q, q.T)
                self.tree.cache.allocate(q, q.T + 1)
            elif q.T % self.b == 0:
                self.tree.take(q)
            q.T += 1
        prompts = self.ordered(prompts)
        total = len(decodes) + sum(q.chunk for q in prompts)
        if total > self.N and self.keys.enable_chunked_prefill:
            for q in reversed(prompts):
                least, excess = self.b - q.pos % self.b, total - self.N
                n = max(least, (q.pos + q.chunk - excess) // self.b * self.b - q.pos)
                if excess > 0 and n < q.chunk:
                    total -= q.chunk - n
                    q.chunk = n
            prompts = self.ordered(prompts)
        if total > self.N:
            raise Ends(prompts[0].row, "found less")
        return prompts

    # -- section 8

    def stored(self, q):
        return (q.pos if q.pos < q.P else q.known()) - 1

    def give_back(self, q):
        if self.windows:
            self.tree.cache.key_blocks(q, self.stored(q))
            self.tree.cache.free_request(q)
            q.tables = [[] for _ in self.groups]
            return
        if self.keys.enable_block_reuse:
            self.tree.store(q, self.stored(q), True)
        self.tree.give_back(q)

    def store_prompts(self, prompts):
        for q in prompts:
            if self.windows and self.has_blocks(q):
                self.tree.cache.key_blocks(q, self.stored(q))
            elif self.keys.enable_block_reuse and q.blocks:
                self.tree.store(q, self.stored(q), False)

    # -- section 2

    def choose(self):
        k, self.paused = self.keys, []
        while self.queue and len(self.active) < self.M:
            self.active.append(self.queue.pop(0))
        self.active.sort(key=lambda q: (q.arrival_ns, q.row))
        if k.capacity_scheduler_policy == "max_utilization":
            fit = self.utilize()
        else:
            fit = self.guarantee(k.capacity_scheduler_policy == "static_batch")
        prompts, decodes = self.micro(fit)
        if self.batch_waits(prompts, decodes):
            prompts = []
        for q in self.paused:
            q.preemptions += 1
            if not self.windows:
                self.give_back(q)
            q.state = "paused"
        return prompts, decodes

    def launch(self, prompts, decodes, called, now, gpu_free, cost):
        parts = [(q, q.pos, q.chunk) for q in prompts] + [(q, q.T - 1, 1) for q in decodes]
        start = max(now, gpu_free)
        end = start + llround(1000 * cost(sum(n for _, _, n in parts)))
        for q, _, _ in parts:
            q.scheduled_ns = start if q.scheduled_ns is None else q.scheduled_ns
        row = dict(
            schedule_ns=called, start_ns=start, end_ns=end, preempted=len(self.paused),
            running=sum(self.has_blocks(q) for q in self.active),
            waiting=len(self.queue) + sum(not self.has_blocks(q) for q in self.active),
            kv_blocks=self.tree.in_use(), emitted="",
            scheduled=";".join("%d:%d+%d" % (q.row, context, n) for q, context, n in parts))
        last = [q for q in prompts if q.pos + q.chunk >= q.P]
        return dict(row=row, end=end, prompts=prompts, decodes=decodes, samples=last + decodes)

    def forget_paused(self):
        for q in self.paused:
            if q.made < q.max:
                q.state, q.P, q.pos, q.chunk = "new", q.known(), 0, q.known()

    def advance(self, batch, overlaps):
        for q in batch["prompts"]:
            q.pos += q.chunk
            if q.pos >= q.P:
                q.state = "decoding"
        for q in batch["prompts"] + batch["decodes"]:
            if overlaps and q.state == "decoding" and q.made + 1 >= q.max:
                q.state = "ending"

    @staticmethod
    def sample(batch, now):
        batch["row"]["emitted"] = ";".join("%d:1" % q.row for q in batch["samples"])
        for q in batch["samples"]:
            q.made += 1
            q.last_ns = now
            q.first_ns = now if q.first_ns is None else q.first_ns

    def finish(self, batch):
        for q in [q for q in self.active if q.made == q.max]:
            if q.state != "paused":
                self.give_back(q)
            self.active.remove(q)
            q.state = "over"
        self.store_prompts([q for q in batch["prompts"] if self.has_blocks(q)])


def serve(engine, requests, cost):
    k, steps, now, gpu_free, flying = engine.keys, [], 0, 0, None
    front = vllm.Front(k)
    inbox = [(front.passes(q.arrival_ns), q) for q in requests]
    overlaps = not k.disable_overlap_scheduler
    while True:
        while inbox and inbox[0][0] <= now:
            engine.enqueue(inbox.pop(0)[1])
        prompts, decodes = engine.choose()
        if not overlaps:
            engine.forget_paused()
        batch = None
        if prompts or decodes:
            prompts = engine.prepare(prompts, decodes)
            called, now = now, now + llround(1000 * k.schedule_us)
            batch = engine.launch(prompts, decodes, called, now, gpu_free, cost)
            gpu_free = batch["end"]
            steps.append(batch["row"])
        over = flying if overlaps else batch
        if over:
            now = max(now, over["end"])
        if over and overlaps:
            engine.sample(over, now)
        if overlaps:
            engine.forget_paused()
        if batch:
            engine.advance(batch, overlaps)
        if over and not overlaps:
            engine.sample(over, now)
        if over:
            engine.finish(over)
        if not batch and not (flying and overlaps) and not engine.paused:
            if not inbox and not (engine.active or engine.queue):
                return steps
            if not inbox:
                raise Ends(engine.active[0].row, "hangs")
            now = max(now, inbox[0][0])
        flying = batch


def run(path):
    """The steps and requests; how it ends before that, or None."""
    ini = vllm_keys.read_ini(path)
    model = vllm_keys.LLAMA if "config" in ini["model"] else ini["model"]
    engine = Engine(ini["engine"], model)
    knobs = ini["cost_model"]
    requests = vllm_keys.read_trace(os.path.join(os.path.dirname(path), ini["workload"]["trace"]))
    for q in requests:
        q.rejected = engine.rejects(q)
    steps = serve(engine, [q for q in requests if not q.rejected],
                  lambda n: float(knobs["base_us"]) + float(knobs["per_token_us"]) * n)
    return {"0": steps} if steps else {}, requests


# --- random cases ----------------------------------------------------------------------------

def draw_keys(rng, most):
    block = rng.choice([1, 2, 4, 8, 16])
    keys = dict(preset="tensorrt_llm", tokens_per_block=block,
                num_gpu_blocks=-(-most // block) * rng.choice([1, 1, 2, 3, 5, 9]) + rng.choice([0, 0, 1, 2]),
                max_batch_size=rng.choice([1, 2, 3, 5, 64]),
                max_num_tokens=rng.choice([16, 33, 64, 200, 2048]))
    for key, values in dict(
            capacity_scheduler_policy=["max_utilization", "max_utilization", "static_batch"],
            enable_chunked_prefill=["true"], context_chunking_policy=["equal_progress"],
            disable_overlap_scheduler=["true"]).items():
        if rng.random() < 0.4:
            keys[key] = rng.choice(values)
    for key, value in dict(enable_block_reuse="false", enable_partial_reuse="false",
                           max_attention_window="model").items():
        if rng.random() < 0.15:
            keys[key] = value
    if rng.random() < 0.25:
        keys.update(batch_wait_timeout_iters=rng.choice([1, 3, 20]),
                    batch_wait_max_tokens_ratio=rng.choice([0.1, 0.5, 1]))
    return keys


def draw_requests(rng, longest):
    """Prompts that begin alike, and with parts of what others begin with."""
    requests = presets.requests_of(rng, rng.choice([1, 3, 6, 12, 20]), longest)
    if rng.random() < 0.4:
        shared = rng.randint(1, longest)
        for r in requests:
            r["prefix_group"], r["session_id"] = rng.choice("aab"), ""
            r["prefix_tokens"] = min(shared, r["input_tokens"])
    if rng.random() < 0.2:
        for i, r in enumerate(requests):
            r["arrival_us"] += 200000 * (i * 2 // len(requests))
    return requests


def write_case(folder, seed):
    rng = random.Random(seed)
    longest = rng.choice([8, 40, 100, 200])
    requests = draw_requests(rng, longest)
    most = max(r["input_tokens"] + r["output_tokens"] for r in requests)
    keys = draw_keys(rng, most)
    keys["max_model_len"] = rng.choice([512, 512, most, most - 1])
    if rng.random() < 0.3:
        keys["schedule_us"] = rng.choice([3, 497])
    if rng.random() < 0.2:
        keys["api_request_us"] = rng.choice([40, 2500])
    model = "config = llama-3.1-8b\n"
    if "max_attention_window" in keys:
        model = presets.model_of(rng)
        keys["max_num_tokens"] = max(keys["max_num_tokens"], rng.choice([256, 300, 500]))
    presets.write_files(folder, rng, model, requests, {"engine": keys})


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
    text = "request %d " % end[0].row
    if why and why.startswith("exit 2") and text in why and end[0].what in why.replace("hangs there", "hangs"):
        return None
    return "%s; the reference ends: %s%s" % (why, text, end[0].what)


if __name__ == "__main__":
    sys.exit(presets.main(compare))
