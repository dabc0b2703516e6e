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
import vllm_cache  # noqa: E402
import vllm_keys  # noqa: E402
from sglang import Batch, Keys, Part, Sglang  # noqa: E402
from vllm_keys import ceil_div, llround  # noqa: E402


# --- TensorRT-LLM ---------------------------------------------------------------------------

TRTLLM = dict(max_batch_size=2048, max_num_tokens=8192, tokens_per_block=32,
              capacity_scheduler_policy="guaranteed_no_evict", enable_chunked_prefill=False,
              context_chunking_policy="first_come_first_served", enable_block_reuse=True,
              disable_overlap_scheduler=False, max_attention_window="full", num_gpu_blocks=0, max_model_len=512,
              schedule_us=0.0, api_overhead_us=0.0, api_request_us=0.0)


class Trtllm:
    shows_at_end = False

    def __init__(self, given, model):
        self.keys = k = Keys(given, TRTLLM)
        self.overlaps = not k.disable_overlap_scheduler
        cache = Keys({}, dict(vllm_keys.COMMON, **vllm_keys.RULES["vllm-0.15"]))
        cache.num_gpu_blocks, cache.block_size = str(k.num_gpu_blocks), k.tokens_per_block
        cache.enable_prefix_caching = k.enable_block_reuse
        cache.max_num_batched_tokens, cache.max_model_len = k.max_num_tokens, k.max_model_len
        layers = vllm_keys.layers_of(model) if k.max_attention_window == "model" else [(0, 1)]
        self.groups, _ = vllm_keys.group_layers(layers, k.tokens_per_block, 1.25)
        self.cache = vllm_cache.Cache(cache, self.groups, 1)
        self.active, self.flying = [], []

    def rejects(self, q):
        k = self.keys
        return (q.prompt + q.max > k.max_model_len or self.to_the_end(q) > k.num_gpu_blocks
                or (not k.enable_chunked_prefill and q.prompt > k.max_num_tokens))

    def idle(self):
        pass

    def state(self):
        return None

    def enqueue(self, q):
        q.tables, q.started = [[] for _ in self.groups], False
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
        k, n = self.keys, 0
        for group in self.groups:
            blocks = ceil_div(q.prompt + q.max, group.block)
            if group.window:  # and one block more, where it begins within one
                kept = min(group.window, k.max_model_len)
                blocks = min(blocks, ceil_div(kept, group.block) + 1)
            n += blocks
        return n

    def generates(self, q):
        return q.started and not q.chunk

    def form(self):
        self.paused = 0
        fit = self.guarantee() if self.keys.capacity_scheduler_policy == "guaranteed_no_evict" else self.utilize()
        return self.micro(fit), self.paused

    def spent(self, q):
        """Its last token is in flight."""
        return self.generates(q) and q.made + q.ph == q.max

    def looked_at(self):
        return self.active[:self.keys.max_batch_size]

    def new_block(self, q):
        """The tokens up to the end of the first full block that is not cached."""
        if any(g.window for g in self.groups) or not self.keys.enable_block_reuse:
            return None
        end = self.cache.lookup(q, whole=True)[0] + self.keys.tokens_per_block
        return tuple(q.content[:end]) if end <= q.known() else None

    def waits_for_block(self, q, computed):
        block = self.new_block(q)
        if block in computed:
            return True
        if block is not None:
            computed.append(block)
        return False

    def computed_in_chunks(self):
        blocks = [self.new_block(q) for q in self.active if q.started and q.chunk]
        return [block for block in blocks if block is not None]

    def guarantee(self):
        k, computed = self.keys, self.computed_in_chunks()
        kept = [q for q in self.active if q.started]
        fit = [q for q in kept if self.generates(q) and not self.spent(q)]
        left = k.num_gpu_blocks - sum(self.to_the_end(q) for q in kept)
        full = False
        for q in [q for q in self.looked_at() if not self.generates(q)]:
            if not q.started:
                if full or self.waits_for_block(q, computed):
                    continue
                full = self.to_the_end(q) > left
                if full:
                    continue
                left -= self.to_the_end(q)
            fit.append(q)
        return fit

    def needs(self, q):
        if self.generates(q):
            return self.cache.need(q, q.computed + 1)
        if q.started:
            return self.cache.need(q, q.known())
        h, found = self.cache.lookup(q)
        return self.cache.need(q, q.known(), found, q.known())

    def utilize(self):
        fit, computed, looked_at = [], self.computed_in_chunks(), list(self.looked_at())
        at = 0
        while at < len(looked_at):
            q = looked_at[at]
            if self.spent(q) or (not q.started and self.waits_for_block(q, computed)):
                at += 1
                continue
            while sum(self.needs(x) for x in fit) + self.needs(q) > self.cache.n_free():
                victims = [x for x in looked_at[at:] if x.started and not self.spent(x)]
                if not victims:
                    return fit
                self.pause(victims[-1])
                looked_at = looked_at[:looked_at.index(victims[-1])]
                if victims[-1] is q:
                    return fit
            fit.append(q)
            at += 1
        return fit

    def pause(self, q):
        self.cache.free_request(q)
        q.tables = [[] for _ in self.groups]
        q.started, q.chunk, q.computed = False, False, 0
        q.preemptions += 1
        self.paused += 1

    def rest(self, q):
        return q.known() - (q.computed if q.started else self.cache.lookup(q)[0])

    def micro(self, fit):
        k, parts, left, chunks = self.keys, [], self.keys.max_num_tokens, []
        decodes = []
        for q in fit:
            n = 1 if self.generates(q) else self.rest(q)
            if not self.generates(q) and k.enable_chunked_prefill:
                chunks.append([q, n, 0])
                continue
            if n > left and parts + decodes:
                break
            if self.generates(q):
                decodes.append(q)
            else:
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
        chunks.sort(key=lambda c: c[1] == c[2])
        for q, _, n in chunks:
            if n:
                self.add(parts, q, n)
        for q in decodes:
            self.add_decode(parts, q)
        return parts

    def add_decode(self, parts, q):
        self.cache.drop_old(q, q.computed)
        self.cache.allocate(q, q.computed + 1)
        parts.append(Part(q, 1, False))

    def add(self, parts, q, n):
        if not q.started:
            h, found = self.cache.lookup(q)
            # a window takes only what it reaches behind the prompt
            self.cache.allocate(q, q.known(), found, q.known())
            q.started, q.computed, q.chunk = True, h, True
            if q.cached is None:
                q.cached = h
        parts.append(Part(q, min(n, q.known() - q.computed), True))

    def process(self, batch):
        emitted = []
        for p in batch.parts:
            if p.lost or not p.emits:
                continue
            q, tokens = p.q, p.context + p.n
            if p.is_prompt and self.generates(q) and q.computed >= tokens:
                self.cache.key_blocks(q, tokens)
            q.ph -= 1
            q.made += 1
            emitted.append(q)
        for q in [q for q in self.active if q in emitted and q.made == q.max]:
            for b in self.flying:
                for x in b.parts:
                    x.lost |= x.q is q
            if q.started:
                self.cache.key_blocks(q, q.prompt + q.max - 1)
                self.cache.free_request(q)
            self.active.remove(q)
        return emitted


# --- the loop --------------------------------------------------------------------------------

def launch(engine, parts, now, gpu_free, cost):
    """The batch, and its row."""
    batch = Batch(parts)
    batch.is_prompts = parts[0].is_prompt
    batch.chunked = getattr(engine, "chunked", None)
    start = max(now, gpu_free)
    batch.end = start + llround(1000 * cost(sum(p.n for p in parts)))
    batch.row = dict(
        start_ns=start, end_ns=batch.end, running=engine.n_running(),
        waiting=len(engine.waiting), kv_blocks=engine.in_use(),
        scheduled=";".join("%d:%d+%d" % (p.q.row, p.context, p.n) for p in parts), emitted="")
    for p in parts:
        p.q.computed += p.n
        p.q.ph += p.emits
        p.q.chunk = p.q.computed < p.q.known() if p.is_prompt else p.q.chunk
        if p.q.scheduled_ns is None:
            p.q.scheduled_ns = start
    return batch


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
        engine.last, before = last, engine.state()
        parts, preempted = engine.form()
        batch = None
        if parts:
            called, now = now, now + llround(1000 * k.schedule_us)
            batch = launch(engine, parts, now, gpu_free, cost)
            gpu_free = batch.end
            batch.row.update(schedule_ns=called, preempted=preempted)
            steps.append(batch.row)
        over = last if engine.overlaps else batch
        if over:
            engine.flying = [batch] if engine.overlaps and batch else []
            now = max(now, over.end)
            emitted = engine.process(over)
            over.row["emitted"] = ";".join("%d:1" % q.row for q in emitted)
            for q in emitted:
                q.last_ns = over.end if engine.shows_at_end else now
                q.first_ns = q.last_ns if q.first_ns is None else q.first_ns
        engine.flying = [batch] if engine.overlaps and batch else []
        idle = not batch and not (last and engine.overlaps)
        last = batch
        if idle and not preempted:
            engine.idle()
            if engine.state() != before:
                continue
            if not inbox:
                return steps
            now = max(now, inbox[0][0])


def run(path):
    ini = vllm_keys.read_ini(path)
    model = vllm_keys.LLAMA if "config" in ini["model"] else ini["model"]
    name = ini["engine"].get("scheduler") or ini["engine"]["preset"]
    engine = Sglang(ini["engine"]) if name.startswith("sglang") else Trtllm(ini["engine"], model)
    knobs = ini["cost_model"]
    requests = vllm_keys.read_trace(os.path.join(os.path.dirname(path), ini["workload"]["trace"]))
    for q in requests:
        q.rejected = engine.rejects(q)
    steps = serve(engine, [q for q in requests if not q.rejected],
                  lambda n: float(knobs["base_us"]) + float(knobs["per_token_us"]) * n)
    return {"0": steps} if steps else {}, requests


# --- random cases ----------------------------------------------------------------------------

def sglang_keys(rng, most):
    page = rng.choice([1, 1, 1, 4, 16])
    keys = dict(preset=rng.choice(["sglang", "sglang-2026-07", "sglang-0.5.6"]),
                page_size=page, cuda_graph_max_bs=8,
                num_gpu_blocks=-(-most // page) * rng.choice([1, 2, 3, 5]) + rng.choice([1, 2, 5]),
                max_running_requests=rng.choice([1, 2, 3, 5, 64]),
                chunked_prefill_size=rng.choice([-1, page, 8 * page, 16, 33 * page, 64, 2048]))
    for key, values in dict(
            max_prefill_tokens=[16, 40, 100], schedule_conservativeness=[0, 0.1, 0.4, 2],
            schedule_policy=["lpm"], enable_mixed_chunk=["true"], disable_radix_cache=["true"],
            disable_overlap_schedule=["true"], ignore_eos=["false"]).items():
        if rng.random() < 0.4:
            keys[key] = rng.choice(values)
    if keys["preset"] != "sglang-0.5.6" and rng.random() < 0.3:
        keys.update(enable_priority_scheduling="true", schedule_policy="fcfs",
                    priority_scheduling_preemption_threshold=rng.choice([0, 1, 10]),
                    schedule_low_priority_values_first=rng.choice(["true", "false"]),
                    disable_priority_preemption=rng.choice(["true", "false"]))
    return keys


def trtllm_keys(rng, most):
    block = rng.choice([1, 4, 8, 16])
    keys = dict(scheduler="tensorrt_llm", tokens_per_block=block,
                num_gpu_blocks=-(-most // block) * rng.choice([1, 2, 3, 5, 9]) + rng.choice([0, 0, 2]),
                max_batch_size=rng.choice([1, 2, 3, 5, 64]),
                max_num_tokens=rng.choice([16, 33, 64, 200, 2048]))
    for key, values in dict(
            capacity_scheduler_policy=["max_utilization"], enable_chunked_prefill=["true"],
            context_chunking_policy=["equal_progress"], enable_block_reuse=["false"],
            disable_overlap_scheduler=["true"], max_attention_window=["model", "model", "full"]).items():
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
    model = "config = llama-3.1-8b\n"
    if "max_attention_window" in keys:
        model = presets.model_of(rng)
    presets.write_files(folder, rng, model, requests, {"engine": keys})


def compare(program, seed):
    """Returns the first difference as text, or None."""
    return presets.compare_with(program, write_case, run, seed)


if __name__ == "__main__":
    sys.exit(presets.main(compare))
