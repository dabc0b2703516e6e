#!/usr/bin/env python3
"""A reference of the engine under a preset, slow and obvious: vLLM's scheduler,
its KV-cache manager and the loop around them, as doc/engine.md tells them.

It reads the same INI and the same trace (stepcost's own CSV) as the program and
says what was in each step and when each token came out.  It was written from
the rules and shares nothing with the C sources: tokens are compared one by one,
the free list is a list, and nothing is remembered that could be counted again.

usage: vllm.py CONFIG.ini [--write-steps FILE] [--write-requests FILE]
"""
import csv
import heapq
import math
import os
import re
import sys
from fractions import Fraction


def llround(x):
    """As C's llround for x >= 0: half away from zero."""
    whole = math.floor(x)
    return int(whole) + (1 if x - whole >= 0.5 else 0)


def ceil_div(a, b):
    return -(-a // b)


# --- configuration -------------------------------------------------------------

def read_ini(path):
    """{section: {key: value}}"""
    out, section = {}, None
    for line in open(path):
        line = re.split(r"\s;", line)[0].strip()
        if not line or line[0] in ";#":
            continue
        if line[0] == "[":
            section = out.setdefault(line[1:-1], {})
        else:
            key, value = line.split("=", 1)
            section[key.strip()] = value.strip()
    return out


RULES = {
    "vllm-0.15": dict(scheduler_reserve_full_isl=False, free_list="lru", queue_empty_batches=False,
                      empty_sleep_while="unfinished", window_free="scheduled", window_gate="none",
                      group_padding=1.25, gpu_memory_utilization=0.9, eagle_hit_drop="each",
                      pad_spec_decode=False, admission_lookahead=False, chunk_drafts=True),
    "vllm-0.24": dict(scheduler_reserve_full_isl=True, free_list="unkeyed_first",
                      queue_empty_batches=True, empty_sleep_while="any",
                      window_free="scheduled", window_gate="one_batch", group_padding=1.5,
                      gpu_memory_utilization=0.92, eagle_hit_drop="once",
                      pad_spec_decode=True, admission_lookahead=True, chunk_drafts=False),
}
RULES["vllm-2026-07"] = dict(RULES["vllm-0.24"], window_free="processed",
                             window_gate="all_batches")

COMMON = dict(max_num_seqs=None, max_num_batched_tokens=None, max_model_len=0,
              long_prefill_token_threshold=0, block_size=16, num_gpu_blocks="unlimited",
              enable_prefix_caching=True, async_scheduling=True, scheduling_policy="fcfs",
              watermark=0.0, empty_sleep_us=1000.0, api_overhead_us=0.0,
              api_request_us=0.0,
              response_overhead_us=0.0, schedule_us=0.0, usage_context="openai_api_server",
              disable_hybrid_kv_cache_manager=False, tensor_parallel_size=1, preset="",
              replicas=1, kv_connector="pull", proxy_us=0.0, pd_first_token="decode",
              kv_transfer_bandwidth_gbs=0.0, kv_transfer_latency_us=0.0, routing="round_robin",
              num_speculative_tokens=0, speculative_method="eagle", speculative_seed=0,
              synthetic_acceptance_rates="", synthetic_acceptance_length=0.0,
              draft_us=0.0, draft_cost_model="", draft_model_config="",
              pipeline_parallel_size=1, pipeline_stages="cost_model", model_runner="auto")


def typed(default, text):
    if isinstance(default, bool):
        return {"true": True, "false": False}[text]
    if isinstance(default, float):
        return float(text)
    if isinstance(default, str):
        return text
    return int(text)


class Engine_keys:
    """The keys of [engine] as they come out under a preset."""

    def __init__(self, given, memory_gib=80, is_a100=False):
        keys = dict(COMMON, **RULES[given["preset"]])
        for key, value in given.items():
            keys[key] = typed(keys[key], value)
        self.__dict__.update(keys)
        big = memory_gib >= 70 and not is_a100
        tokens, seqs = (8192, 1024) if big else (2048, 256)
        if self.usage_context == "llm_class":
            tokens, seqs = (16384, 1024) if big else (8192, 256)
        if self.max_num_seqs is None:
            self.max_num_seqs = seqs
            seqs_given = False
        else:
            seqs_given = True
        if self.max_num_batched_tokens is None:
            self.max_num_batched_tokens = min(tokens, self.max_num_seqs * self.max_model_len)
        if not seqs_given:
            self.max_num_seqs = min(self.max_num_seqs, self.max_num_batched_tokens)
        self.complete_speculation("async_scheduling" in given)
        if self.model_runner == "auto":  # of a dense model
            self.model_runner = "v1" if self.preset == "vllm-0.15" else "v2"

    def complete_speculation(self, async_given):
        k = self.num_speculative_tokens
        self.drafts_by_layers = self.speculative_method in ("eagle", "mtp")
        self.lookahead = 0 if self.speculative_method == "ngram" else k
        self.rates = []
        if k == 0:
            return
        if self.speculative_method == "ngram":
            self.async_scheduling = False
        elif not self.drafts_by_layers and not async_given:
            self.async_scheduling = False
        if self.synthetic_acceptance_rates:
            self.rates = [float(r) for r in self.synthetic_acceptance_rates.split(",")][:k]
        else:
            drafts = self.synthetic_acceptance_length - 1
            self.rates = [min(1.0, max(0.0, drafts - i)) for i in range(k)]

    def tokens_of_a_step(self):
        """A draft model's own come off."""
        if (self.num_speculative_tokens and self.pad_spec_decode
                and self.speculative_method == "draft_model"):
            return self.max_num_batched_tokens - self.max_num_seqs
        return self.max_num_batched_tokens

    def batches(self):
        """In the queue, at most."""
        stages = self.pipeline_parallel_size
        if stages == 1:
            return 2 if self.async_scheduling else 1
        return stages + (1 if self.async_scheduling and self.model_runner == "v2" else 0)


# --- KV-cache groups -------------------------------------------------------------

class Group:
    """Layers that share a block table."""

    def __init__(self, window, layers, block):
        self.window, self.layers, self.block = window, layers, block

    def kind(self):
        return "window" if self.window else "full"

    def __repr__(self):
        return "%s:%dx%d" % (self.kind(), self.layers, self.block)


def group_layers(layers, block, padding):
    """layers: (window or 0, bytes of a token) each.  The groups in order, and the
    bytes of a page; ValueError where vLLM refuses."""
    page = max(b * block for _, b in layers)
    kinds = {}
    for window, b in layers:
        if page % (b * block):
            raise ValueError("pages of different sizes")
        kinds.setdefault((window, page // b), 0)
        kinds[(window, page // b)] += 1
    counts = list(kinds.values())
    size = min(counts)
    if len(kinds) == 1 or max(counts) < Fraction(str(padding)) * size:
        size = max(counts)
    out = []
    for (window, size_of_block), count in kinds.items():
        n = ceil_div(count, size)
        for i in range(n):
            out.append(Group(window, len(range(i, count, n)), size_of_block))
    return out, page


def layers_of(model, tp=1):
    n = int(model["num_hidden_layers"])
    heads = int(model.get("num_key_value_heads") or model["num_attention_heads"])
    dim = int(model.get("head_dim") or int(model["hidden_size"]) // int(model["num_attention_heads"]))
    kinds = []
    for word in model.get("layer_types", "full_attention").split(","):
        name, _, times = word.partition("*")
        kinds += [name] * int(times or 1)
    size = 2 * max(1, heads // tp) * dim * 2
    return [(int(model["sliding_window"]) if kinds[i % len(kinds)] == "sliding_attention" else 0, size)
            for i in range(n)]


LLAMA = dict(num_hidden_layers="32", num_attention_heads="32", num_key_value_heads="8",
             head_dim="128", hidden_size="4096", max_position_embeddings="131072")


# --- which drafts are right ---------------------------------------------------------

ALL = (1 << 64) - 1


def uniform(seed, row, place):
    z = (seed + ((row << 32) + place + 1) * 0x9E3779B97F4A7C15) & ALL
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & ALL
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & ALL
    z ^= z >> 31
    return (z >> 11) * 2.0 ** -53


def accepted(keys, row, made, drafts):
    """Of so many drafts for the places from `made` on."""
    before = 1.0
    for i in range(drafts):
        rate = keys.rates[i]
        conditional = rate / before if before else 0.0
        if uniform(keys.speculative_seed, row, made + i) >= conditional:
            return i
        before = rate
    return drafts


# --- who drafts ---------------------------------------------------------------------

def drafter_layers(keys, layers, folder):
    """Layers whose KV the cache keeps, too."""
    if not keys.num_speculative_tokens or keys.speculative_method == "ngram":
        return []
    if keys.draft_model_config:
        return layers_of(read_ini(os.path.join(folder, keys.draft_model_config))["model"])
    return layers[-1:] if keys.draft_cost_model and keys.speculative_method == "mtp" else []


def cost_of(ini, keys):
    """What a batch takes, drafting included; None: a dummy of one decode."""
    def const_step(section):
        knobs = ini[section]
        return lambda n: (float(knobs.get("base_us", 100))
                          + float(knobs.get("per_token_us", 0.5)) * n)

    k, target = keys.num_speculative_tokens, const_step("cost_model")
    if keys.speculative_method == "ngram":
        k = 0
    drafter = lambda n: keys.draft_us
    if keys.draft_cost_model:
        drafter = const_step("cost_model:" + keys.draft_cost_model)

    def tokens(batch):
        return sum(i.n for i in batch.items) if batch else 1 + keys.num_speculative_tokens

    def drafting(batch):
        sampled = sum(i.makes_token for i in batch.items) if batch else 1
        passes = min(k, 1) if sampled == 0 else k
        return drafter(tokens(batch)) + (passes - 1) * drafter(sampled) if passes else 0

    def cost(batch):
        return target(tokens(batch)) + drafting(batch)
    cost.drafting = drafting
    return cost


# --- requests ---------------------------------------------------------------------

class Request:
    def __init__(self, row, arrival_ns, prompt, answer, priority):
        self.row, self.arrival_ns, self.priority = row, arrival_ns, priority
        self.content = prompt + answer  # tokens: what no other has is told by its row
        self.prompt, self.max = len(prompt), len(answer)
        self.made = 0        # output tokens processed
        self.computed = 0    # given to the GPU
        self.ph = 0          # tokens of batches in flight, asynchronously
        self.flight = 0      # scheduled and not processed
        self.chunk = False
        self.spec = 0        # drafts to be verified
        self.next_ok = 0     # the call in which it may be scheduled again
        self.preempted = False  # and not admitted again
        self.tables = None
        self.rejected = False
        self.vain, self.vain_known, self.hopeless = 0, 0, False
        self.preemptions = 0
        self.cached = None
        self.scheduled_ns = self.first_ns = self.last_ns = None
        # prefill and decode apart
        self.is_held = False      # its blocks stay until the other side has fetched them
        self.external = False     # its prompt's KV is to be fetched from there
        self.pushed = False       # or has been sent along
        self.transfer = None
        self.held = None

    def known(self):
        return self.prompt + self.made

    def rank(self):
        return (self.priority, self.arrival_ns, self.row)


def read_trace(path):
    rows = list(csv.DictReader(open(path, newline="")))
    sessions, out = {}, []

    def ns(text):
        return llround(Fraction(text) * 1000)

    order = sorted(range(len(rows)), key=lambda i: (ns(rows[i]["arrival_us"]), i))
    for row in order:
        line = rows[row]
        row = len(out)
        p, o = int(line["input_tokens"]), int(line["output_tokens"])
        group, session = line.get("prefix_group") or None, line.get("session_id") or None
        shared = int(line.get("prefix_tokens") or 0) if group else 0
        prompt = [("group", group, i) for i in range(min(shared, p))]
        answer = [("answer", row, i) for i in range(o)]
        if session:
            said = sessions.get(session)
            if said is not None:
                prompt = said[:p]
        prompt = prompt + [("own", row, i) for i in range(len(prompt), p)]
        if session:
            sessions[session] = prompt + answer
        out.append(Request(row, ns(line["arrival_us"]), prompt, answer,
                           int(line.get("priority") or 0)))
    return out


# --- blocks ---------------------------------------------------------------------------

class Block:
    def __init__(self):
        self.users, self.key = 0, None


HOLE = None


class Cache:
    """The pool of blocks, and a table for each group and request."""

    def __init__(self, keys, groups, depth):
        self.keys, self.groups = keys, groups
        n = keys.num_gpu_blocks
        self.n_blocks = 10 ** 7 if n == "unlimited" else int(n)
        self.unlimited = n == "unlimited"
        self.free = [] if self.unlimited else [Block() for _ in range(self.n_blocks)]
        self.in_use = 0
        self.by_key = {}
        self.chains = {}
        self.depth = depth
        blocks = [g.block for g in groups]
        self.hit_unit = math.lcm(*blocks)
        self.key_unit = math.gcd(*blocks)

    # -- keys

    def key_of(self, request, g, i):
        """Of block i in group g: the group and all tokens up to its end."""
        if not hasattr(request, "chain"):
            request.chain = []
        end = (i + 1) * self.groups[g].block // self.key_unit
        while len(request.chain) < end:
            k = len(request.chain)
            before = request.chain[-1] if k else 0
            tokens = tuple(request.content[k * self.key_unit:(k + 1) * self.key_unit])
            assert len(tokens) == self.key_unit
            request.chain.append(self.chains.setdefault((before, tokens), len(self.chains) + 1))
        return (g, request.chain[end - 1])

    def may_be_keyed(self, g, i):
        """With blocks of different sizes: only those that a hit can end in."""
        group = self.groups[g]
        if not group.window or group.block == self.hit_unit:
            return True
        run = max(1, ceil_div(group.window - 1, group.block))
        per_unit = self.hit_unit // group.block
        end = (i // per_unit + 1) * per_unit  # blocks up to the next such length
        while end - run <= i:
            if i < end:
                return True
            end += per_unit
        return any(e - run <= i < e for e in range(end, end + run + per_unit, per_unit))

    def key_blocks(self, request, tokens):
        """Blocks that are full with `tokens` tokens can be found from now on."""
        if not self.keys.enable_prefix_caching:
            return
        for g, group in enumerate(self.groups):
            table = request.tables[g]
            for i in range(tokens // group.block):
                b = table[i]
                if b is HOLE or b.key is not None or not self.may_be_keyed(g, i):
                    continue
                b.key = self.key_of(request, g, i)
                self.by_key.setdefault(b.key, []).append(b)

    def find(self, request, g, i):
        same = self.by_key.get(self.key_of(request, g, i))
        return same[0] if same else None

    # -- the pool

    def n_free(self):
        return self.n_blocks - self.in_use

    def take(self):
        if self.free:
            b = self.free.pop(0)
        else:
            assert self.unlimited
            b = Block()
        assert b.users == 0
        if b.key is not None:
            self.by_key[b.key].remove(b)
            if not self.by_key[b.key]:
                del self.by_key[b.key]
            b.key = None
        b.users = 1
        self.in_use += 1
        return b

    def share(self, b):
        if b.users == 0:
            if not self.unlimited:
                self.free.remove(b)
            self.in_use += 1
        b.users += 1

    def give_back(self, blocks):
        """In this order."""
        idle = []
        for b in blocks:
            b.users -= 1
            if b.users == 0:
                self.in_use -= 1
                idle.append(b)
        if self.unlimited:
            return
        if self.keys.free_list == "lru":
            self.free += idle
        else:
            self.free += [b for b in idle if b.key is not None]
            self.free[:0] = [b for b in idle if b.key is None]

    def free_request(self, request):
        for table in request.tables:
            self.give_back([b for b in reversed(table) if b is not HOLE])
        request.tables = None

    # -- windows

    def skip(self, g, c):
        """Blocks of the group that nobody needs after c tokens."""
        group = self.groups[g]
        return max(0, c - group.window + 1) // group.block if group.window else 0

    def drop_old(self, request, computed):
        c = computed
        if self.keys.window_free == "processed":
            c = max(0, computed - request.flight)
        for g in range(len(self.groups)):
            table = request.tables[g]
            old = []
            for i in range(min(self.skip(g, c), len(table)) - 1, -1, -1):
                if table[i] is HOLE:
                    break
                old.append(table[i])
                table[i] = HOLE
            self.give_back(old)

    def cap(self, g):
        """Most blocks that the gate asks for in a window group."""
        group, k = self.groups[g], self.keys
        batches = self.depth if k.window_gate == "all_batches" else 1
        most = min(group.window - 1 + batches * k.max_num_batched_tokens, k.max_model_len)
        return ceil_div(most, group.block) + 1

    # -- need

    def need(self, request, tokens, found=None, h=0, gate=False):
        """Blocks for the first `tokens` tokens; of one from the queue with what was
        found for it."""
        n = 0
        for g, group in enumerate(self.groups):
            blocks = ceil_div(tokens, group.block)
            if gate and group.window and self.keys.window_gate != "none":
                blocks = min(blocks, self.cap(g))
            if found is None:
                n += max(0, blocks - len(request.tables[g]))
                continue
            first = self.skip(g, h)
            n += max(0, blocks - max(first, len(found[g])))
            n += sum(1 for b in found[g][first:] if b is not HOLE and b.users == 0)
        return n

    def allocate(self, request, tokens, found=None, h=0):
        if found is not None:
            for g in range(len(self.groups)):
                first = self.skip(g, h)
                for b in found[g][first:]:
                    self.share(b)
                request.tables[g] = [HOLE] * min(first, len(found[g])) + list(found[g][first:])
                request.tables[g] += [HOLE] * (first - len(request.tables[g]))
        for g, group in enumerate(self.groups):
            table = request.tables[g]
            while len(table) < ceil_div(tokens, group.block):
                table.append(self.take())

    # -- hits

    def lookup(self, request):
        """(tokens found, blocks found by group)"""
        none = [[] for _ in self.groups]
        if not self.keys.enable_prefix_caching:
            return 0, none
        kinds = {}
        for g, group in enumerate(self.groups):
            kinds.setdefault((group.window, group.block), []).append(g)
        order = sorted(kinds, key=lambda k: k[0] != 0)  # full attention first
        length = request.known() - 1
        result = {}
        eagle = self.keys.num_speculative_tokens > 0 and self.keys.drafts_by_layers
        once = eagle and self.keys.eagle_hit_drop == "once"
        simple = (len(order) == 2 and order[0][0] == 0 and order[1][0] != 0
                  and not (eagle and not once))
        most, done = length, set()  # done: kinds whose last block went, for this length
        while True:
            before = length
            for kind in order:
                if kind[0] == 0 and kind in result:
                    n = length // kind[1]
                    result[kind] = [t[:n] for t in result[kind]]
                    length = n * kind[1]
                    continue
                drop = eagle and not (once and kind in done)
                upto = min(length + kind[1], most) if drop and once else length
                result[kind] = self.look_up_kind(request, kind, kinds[kind], upto, drop)
                n = len(result[kind][0]) * kind[1]
                if drop:
                    done.add(kind)
                elif n < length:
                    done.clear()
                length = n
            if simple or length == before or len(order) == 1:
                break
        found = [None] * len(self.groups)
        for kind in order:
            for g, table in zip(kinds[kind], result[kind]):
                found[g] = table[:length // kind[1]]
        return length, found

    def look_up_kind(self, request, kind, groups, most, drop):
        """drop: the last found block is not used."""
        window, block = kind
        n = most // block
        hit = lambda i: [self.find(request, g, i) for g in groups]
        if not window:
            i = 0
            while i < n and all(hit(i)):
                i += 1
            if drop and i:
                i -= 1
            while i * block % self.hit_unit:
                i -= 1
            return [[hit(k)[j] for k in range(i)] for j in range(len(groups))]
        extra = 1 if drop else 0
        run = max(1, ceil_div(window - 1, block))
        length = 0
        for i in range(n - 1, -1, -1):
            if not all(hit(i)):
                length = 0
                continue
            if length == 0 and (i + 1 - extra) * block % self.hit_unit:
                continue
            length += 1
            if length == run + extra:
                return [[HOLE] * i + [hit(k)[j] for k in range(i, i + run)]
                        for j in range(len(groups))]
        if drop and length:
            length -= 1
        while length * block % self.hit_unit:
            length -= 1
        return [[hit(k)[j] for k in range(length)] for j in range(len(groups))]


# --- scheduler ----------------------------------------------------------------------------

class Item:
    """One request's share of a batch."""

    def __init__(self, request, context, n, makes_token, prefill, drafts, padded):
        self.request, self.context, self.n = request, context, n
        self.makes_token, self.prefill = makes_token, prefill
        self.drafts, self.padded = drafts, padded


class Batch:
    def __init__(self):
        self.items, self.end = [], None


def scheduled_text(batch):
    return ";".join("%d:%d+%d" % (i.request.row, i.context, i.n)
                    + ("/%d" % i.drafts if i.drafts else "") for i in batch.items)


class Scheduler:
    def __init__(self, keys, cache):
        self.keys, self.cache = keys, cache
        self.running, self.waiting = [], []
        self.fetching = []  # in front of those that wait: their blocks are taken
        self.queries = self.hits = self.preemptions = 0
        self.finished_lately = False
        self.deferred = self.emptied = False  # prefill_schedule_interval
        self.by_priority = keys.scheduling_policy == "priority"
        self.step = 0
        self.drafts = self.draft_tokens = self.accepted_tokens = 0

    def enqueue(self, request):
        request.tables = [[] for _ in self.cache.groups]
        self.waiting.append(request)
        if self.by_priority:
            self.waiting.sort(key=Request.rank)

    def push_front(self, request):
        self.waiting.insert(0, request)
        if self.by_priority:
            self.waiting.sort(key=Request.rank)

    def unfinished(self):
        return bool(self.running or self.waiting or self.fetching)

    def something_to_do(self):
        return self.unfinished() or self.finished_lately

    def cut(self, n, budget):
        most = self.keys.long_prefill_token_threshold
        if 0 < most < n:
            n = most
        return min(n, budget)

    def preempt_one(self, scheduled):
        """(the victim, was it scheduled in this call)"""
        victim = max(self.running, key=Request.rank) if self.by_priority else self.running[-1]
        self.running.remove(victim)
        was = victim in scheduled
        self.cache.free_request(victim)
        victim.tables = [[] for _ in self.cache.groups]
        victim.computed = victim.spec = 0
        victim.preempted = True
        victim.preemptions += 1
        self.preemptions += 1
        self.push_front(victim)
        return victim, was

    def count_vain(self, q):
        """Sixteen times in vain, with all blocks free: what vLLM does for ever."""
        if self.running or self.cache.n_free() < self.cache.n_blocks:
            return
        q.vain = q.vain + 1 if q.vain_known == q.known() else 1
        q.vain_known, q.hopeless = q.known(), q.vain == 16

    def schedule(self):
        """(batch, preempted)"""
        k = self.keys
        self.finished_lately = False
        self.step += 1
        budget, preempted = k.tokens_of_a_step(), 0
        scheduled, new = [], {}  # in order; tokens by request
        drafts = {}  # by request
        defers = self.deferred and self.emptied and any(not q.chunk for q in self.running)
        i = 0
        stop = False
        while i < len(self.running) and budget > 0 and not stop:
            q = self.running[i]
            if q.ph > 0 and q.computed + 2 - q.ph >= q.prompt + q.max:
                i += 1
                continue
            if self.waits_for_others(q):
                i += 1
                continue
            n = self.cut(q.known() + q.spec + q.ph - q.computed, budget)
            n = min(n, k.max_model_len - q.computed - 1)
            if n <= 0 or (defers and q.chunk):
                i += 1
                continue
            while True:
                self.cache.drop_old(q, q.computed)
                upto = min(q.computed + n + k.lookahead, k.max_model_len)
                if self.cache.need(q, upto) <= self.cache.n_free():
                    break
                victim, was = self.preempt_one(scheduled)
                preempted += 1
                if was:
                    scheduled.remove(victim)
                    budget += new.pop(victim)
                    i -= 1
                if victim is q:
                    self.count_vain(q)
                    stop = True
                    break
            if stop:
                break
            self.cache.allocate(q, upto)
            self.cache.key_blocks(q, min(q.computed + n, q.known()))
            scheduled.append(q)
            new[q] = n
            drafts[q] = max(0, min(q.spec, n + q.computed - q.known() - q.ph))
            q.spec = 0
            budget -= n
            i += 1
        was_admitted, padded = set(), set()
        if not preempted:
            self.admit(scheduled, new, was_admitted, budget, drafts, padded, defers)
            if not defers:
                self.emptied = not self.waiting
        return self.make_batch(scheduled, new, was_admitted, drafts, padded), preempted

    def waits_for_others(self, q):
        """Stages take turns when batches are scheduled ahead."""
        k = self.keys
        if not k.async_scheduling or k.pipeline_parallel_size == 1:
            return False
        return q.ph > 0 if k.model_runner == "v1" else self.step < q.next_ok

    def reserved(self):
        """Blocks that prefills and transfers under way still need."""
        under_way = [q for q in self.running if q.chunk] + self.fetching
        return sum(self.cache.need(q, min(q.known(), self.keys.max_model_len), gate=True)
                   for q in under_way)

    def may_admit(self, budget):
        return budget > 0 and len(self.running) < self.keys.max_num_seqs

    def admit(self, scheduled, new, was_admitted, budget, drafts, padded, defers=False):
        k = self.keys
        self.pads = (k.num_speculative_tokens > 0 and k.pad_spec_decode and len(scheduled) > 0
                     and not any(q.chunk for q in scheduled))
        for q in list(self.fetching):
            if not self.may_admit(budget):
                return
            if not q.transfer.noticed:
                continue
            if not self.admit_one(q, scheduled, new, was_admitted, budget, defers, drafts, padded):
                return
            self.fetching.remove(q)
            budget -= new[q]
        while self.waiting and self.may_admit(budget):
            q = self.waiting[0]
            if not self.admit_one(q, scheduled, new, was_admitted, budget, defers, drafts, padded):
                return
            self.waiting.pop(0)
            budget -= new.get(q, 0)

    def look_up(self, q):
        h, found = self.cache.lookup(q)
        if not q.preemptions and self.keys.enable_prefix_caching:
            self.queries += q.known()
            self.hits += h
        return h, found

    def room(self):
        """Of which an admission may take blocks."""
        kept = int(self.keys.watermark * self.cache.n_blocks) if self.running else 0
        return self.cache.n_free() - kept

    def admit_one(self, q, scheduled, new, was_admitted, budget, defers, drafts, padded):
        """False: there is no room for it."""
        k = self.keys
        found, decodes = None, False
        if q.transfer is not None:
            h = min(q.prompt, q.known() - 1)
            decodes = h == q.prompt
            self.cache.key_blocks(q, h)
        elif q.pushed and not q.preemptions:
            h, decodes = q.prompt, True
            found = [[] for _ in self.cache.groups]
        else:
            h, found = self.look_up(q)
            if q.external and not q.preemptions:
                decodes = h == q.prompt
                if h < q.prompt:
                    return self.start_transfer(q, h, found)
        n = q.known() - h
        if defers and n > 1:
            return False
        pad = self.pads and n == 1
        if pad:
            n = 1 + k.num_speculative_tokens
            if n > budget or h + n > k.max_model_len:
                return False
        n = self.cut(n, budget)
        upto = min(h + n + (k.lookahead if k.admission_lookahead else 0), k.max_model_len)
        if not self.has_room(q, upto, found, h):
            upto = min(h + n, k.max_model_len)  # where nothing runs: without those for drafts
            if q.transfer is None or self.running or not self.has_room(q, upto, found, h):
                return False
        self.cache.allocate(q, upto, found, h)
        self.cache.key_blocks(q, min(h + n, q.known()))
        if q.external and not q.preemptions and q.transfer is None:
            self.begin_transfer(Transfer(q, h))  # of nothing
        self.running.append(q)
        q.computed, q.transfer, q.preempted = h, None, False
        if q.cached is None:
            q.cached = h
        scheduled.append(q)
        if not decodes:
            was_admitted.add(q)
        new[q] = n
        if pad:
            drafts[q] = n - 1
            padded.add(q)
        return True

    def has_room(self, q, upto, found, h):
        k = self.keys
        need = self.cache.need(q, upto, found, h)
        if k.scheduler_reserve_full_isl:
            need = max(need, self.cache.need(q, min(q.known(), k.max_model_len), found, h, True))
        return need <= self.room()

    def start_transfer(self, q, h, found):
        """Its blocks are taken at once, of windows those that the whole prompt needs."""
        k = self.keys
        upto = min(q.prompt, k.max_model_len)
        need = self.cache.need(q, upto, found, q.prompt) + self.reserved()
        if k.scheduler_reserve_full_isl:
            known = min(q.known(), k.max_model_len)
            need = max(need, self.cache.need(q, known, found, q.prompt, True))
        if need > self.room():
            return False
        self.cache.allocate(q, upto, found, q.prompt)
        q.transfer = Transfer(q, h)
        self.fetching.append(q)
        self.begin_transfer(q.transfer)
        return True

    def make_batch(self, scheduled, new, was_admitted, drafts, padded):
        batch = Batch()
        for q in scheduled:
            n, context = new[q], q.computed
            prefill = q in was_admitted or q.chunk
            q.computed += n
            q.flight += n
            q.chunk = q.computed < q.known() + q.ph
            if not q.chunk and self.keys.async_scheduling:
                q.ph += 1 + drafts.get(q, 0)
                q.spec = self.keys.num_speculative_tokens
                q.next_ok = self.step + self.keys.pipeline_parallel_size
            batch.items.append(Item(q, context, n, not q.chunk, prefill, drafts.get(q, 0),
                                    q in padded))
        return batch

    def process(self, batch):
        """The tokens that came out, and the requests that are over."""
        emitted, ended = [], []
        for item in batch.items:
            q = item.request
            q.flight -= item.n
            if q.made == q.max:
                continue
            k = self.keys
            if not k.async_scheduling and not q.preempted and (item.makes_token or k.chunk_drafts):
                q.spec = k.num_speculative_tokens
            if not item.makes_token:
                if q.hopeless:
                    q.rejected = True
                    ended.append(q)
                    self.running.remove(q)
                    self.finished_lately = True
                    self.cache.free_request(q)
                continue
            right = 0 if item.padded else accepted(k, q.row, q.made, item.drafts)
            if item.drafts:
                self.drafts += 1
                self.draft_tokens += item.drafts
                self.accepted_tokens += right
                if q.computed > 0:
                    q.computed = max(0, q.computed - (item.drafts - right))
                if q.ph > 0:
                    q.ph = max(0, q.ph - (item.drafts - right))
            tokens = min(1 + right, q.max - q.made)
            q.made += tokens
            emitted.append((q, tokens))
            if self.keys.async_scheduling:
                q.ph = max(0, q.ph - tokens)
                if not q.preempted:
                    self.cache.key_blocks(q, q.computed - q.ph)
            if q.made == q.max:
                ended.append(q)
                (self.waiting if q.preempted else self.running).remove(q)
                self.finished_lately = True
                if q.is_held and not q.preempted:
                    self.cache.drop_old(q, q.known())
                    q.held = q.tables
                else:
                    self.cache.free_request(q)
        return emitted, ended


class Transfer:
    """Of the KV of a prompt, behind the first h tokens."""

    def __init__(self, request, h):
        self.request, self.h, self.noticed, self.done_ns = request, h, False, None


# --- the engine's thread -------------------------------------------------------------------

class Front:
    """The thread in front of a scheduler: one request after another."""

    def __init__(self, keys):
        self.overhead_ns = llround(1000 * keys.api_overhead_us)
        self.request_ns = llround(1000 * keys.api_request_us)
        self.free_ns = 0

    def passes(self, arrival_ns):
        """When the scheduler sees it."""
        self.free_ns = max(self.free_ns, arrival_ns + self.overhead_ns) + self.request_ns
        return self.free_ns


SCHEDULE, RESULTS = 1, 0  # in this order at one instant: results first


class Engine:
    def __init__(self, keys, groups, cost):
        self.keys, self.cost = keys, cost
        self.depth = keys.batches()
        self.free_at = [0] * keys.pipeline_parallel_size  # each stage
        self.cache = Cache(keys, groups, self.depth)
        self.scheduler = Scheduler(keys, self.cache)
        self.scheduler.begin_transfer = self.begin_transfer
        self.inbox = []  # (seen, rank in order of coming, request)
        self.now, self.next_ns, self.next = 0, None, None
        self.asleep = True    # until somebody comes, or a transfer has ended
        self.queue = []
        self.steps = []
        self.found = False
        self.transfers = []   # that end here, or that fetch from here
        self.on_end = lambda request, now: None
        self.schedule_ns = llround(keys.schedule_us * 1000)
        self.sleep_ns = llround(keys.empty_sleep_us * 1000)

    def begin_transfer(self, transfer):
        raise AssertionError("one pool only")

    def send(self, seen_ns, request):
        heapq.heappush(self.inbox, (seen_ns, request.arrival_ns, request.row, request))

    def due_ns(self):
        """When it does something next; None: nobody has come."""
        if self.next == RESULTS or (self.next == SCHEDULE and not self.asleep):
            return self.next_ns
        soonest = [self.inbox[0][0]] if self.inbox else []
        if not self.is_idle():
            soonest += [t.done_ns for t in self.transfers]
        return max(self.now, min(soonest)) if soonest else None

    def is_idle(self):
        return not self.scheduler.something_to_do() and not self.queue

    def step(self):
        self.next_ns = self.due_ns()
        if self.next != RESULTS:
            self.top()
        else:
            self.results()

    def top(self):
        self.now = self.next_ns
        self.asleep = self.noticed = self.started = self.preempted = False
        while self.inbox and self.inbox[0][0] <= self.now:
            self.scheduler.enqueue(heapq.heappop(self.inbox)[3])
        self.found = False
        if self.is_idle():
            self.asleep = True
            return
        if self.scheduler.something_to_do():
            called_ns = self.now
            self.started = False
            batch, preempted = self.scheduler.schedule()
            self.preempted = bool(preempted)
            self.found = bool(batch.items)
            if batch.items:
                self.execute(batch, preempted, called_ns)
            else:
                batch.end = self.now
            self.queue.append(batch)
            oldest = self.queue[0]
            if self.keys.queue_empty_batches:
                more = self.found or self.scheduler.something_to_do()
            else:
                more = self.found and oldest.items and oldest.end > self.now
            if len(self.queue) < self.depth and more:
                self.end_turn()
                return
        self.next = RESULTS
        self.next_ns = max(self.now, self.queue[0].end)

    def execute(self, batch, preempted, called_ns):
        s = self.scheduler
        self.now += self.schedule_ns
        start = max(self.now, self.free_at[0])
        total_ns = llround(1000 * self.cost(batch))
        stages = len(self.free_at)
        draft_ns = llround(1000 * self.cost.drafting(batch)) if stages > 1 else 0
        stage_ns = total_ns - draft_ns
        if self.keys.pipeline_stages == "equal":
            stage_ns //= stages
        at = start
        for stage, free in enumerate(self.free_at):  # the last one drafts
            at = max(at, free) + stage_ns + (draft_ns if stage + 1 == stages else 0)
            self.free_at[stage] = at
        batch.end = max(at, start + total_ns)
        for item in batch.items:
            if item.request.scheduled_ns is None:
                item.request.scheduled_ns = start
        batch.row = dict(schedule_ns=called_ns, start_ns=start, end_ns=batch.end,
                         running=len(s.running), waiting=len(s.waiting) + len(s.fetching),
                         kv_blocks=self.cache.in_use, preempted=preempted,
                         scheduled=scheduled_text(batch), emitted="")
        self.steps.append(batch.row)

    def results(self):
        batch = self.queue.pop(0)
        self.now = self.next_ns
        emitted, ended = self.scheduler.process(batch)
        for q, _ in emitted:
            if q.first_ns is None:
                q.first_ns = self.now
            q.last_ns = self.now
        if batch.items:
            batch.row["emitted"] = ";".join("%d:%d" % (q.row, n) for q, n in emitted)
        for q in ended:
            self.on_end(q, self.now)
        self.noticed = bool(batch.items)  # those may go on
        self.notice_transfers()
        self.end_turn()

    def notice_transfers(self):
        ended = [t for t in self.transfers if t.done_ns <= self.now]
        for t in sorted(ended, key=lambda t: (t.done_ns, t.request.row)):
            self.transfers.remove(t)
            self.noticed = True
            self.notice(t)

    def end_turn(self):
        s = self.scheduler
        busy = s.something_to_do() if self.keys.empty_sleep_while == "any" else s.unfinished()
        if not self.found and busy:
            self.now += self.sleep_ns
        self.next, self.next_ns = SCHEDULE, self.now
        # Without a sleep the thread would look again and again.
        self.asleep = (self.sleep_ns == 0 and s.unfinished() and not s.finished_lately
                       and self.lacks_all())

    def lacks_all(self):
        """Nothing is in flight and this turn has changed nothing."""
        return not (self.found or self.noticed or self.preempted or self.started
                    or any(b.items for b in self.queue)
                    or any(self.scheduler.waits_for_others(q) for q in self.scheduler.running))


def rejected(q, keys, cache):
    """It is too long, or there is a moment when it needs more blocks than there are."""
    if q.prompt + q.max > keys.max_model_len:
        return True
    tokens = min(q.prompt + q.max - 1 + keys.lookahead, keys.max_model_len)
    gated = keys.scheduler_reserve_full_isl
    step = keys.max_num_batched_tokens
    held = step * (cache.depth if keys.window_free == "processed" else 1) + keys.lookahead
    asked = step * (cache.depth if keys.window_gate == "all_batches" else 1) if gated else 0
    n = 0
    for group in cache.groups:
        blocks = ceil_div(tokens, group.block)
        if group.window and not (gated and keys.window_gate == "none"):
            most = min(group.window - 1 + max(held, asked), keys.max_model_len)
            blocks = min(blocks, ceil_div(most, group.block) + 1)
        n += blocks
    return n > cache.n_blocks


def run(path):
    ini = read_ini(path)
    model = dict(ini["model"])
    if "config" in model:
        model = LLAMA
    keys = Engine_keys(ini["engine"])
    keys.max_model_len = keys.max_model_len or int(model["max_position_embeddings"])
    folder = os.path.dirname(path)
    layers = layers_of(model, keys.tensor_parallel_size)
    layers += drafter_layers(keys, layers, folder)
    if keys.disable_hybrid_kv_cache_manager:
        layers = [(0, b) for _, b in layers]
    groups, _ = group_layers(layers, keys.block_size, keys.group_padding)
    engine = Engine(keys, groups, cost_of(ini, keys))
    requests = read_trace(os.path.join(folder, ini["workload"]["trace"]))
    front = Front(keys)
    for q in requests:
        if rejected(q, keys, engine.cache):
            q.rejected = True
        else:
            engine.send(front.passes(q.arrival_ns), q)
    while engine.due_ns() is not None:
        engine.step()
    assert engine.cache.in_use == 0
    return engine, requests


STEP_COLUMNS = ["schedule_ns", "start_ns", "end_ns", "running", "waiting", "kv_blocks",
                "preempted", "scheduled", "emitted"]


def main(argv):
    files = dict(zip(argv[1::2], argv[2::2]))
    engine, requests = run(argv[0])
    with open(files.get("--write-steps", os.devnull), "w") as f:
        f.write("step,rank," + ",".join(STEP_COLUMNS) + "\n")
        for i, row in enumerate(engine.steps):
            f.write("%d,0,%s\n" % (i, ",".join(str(row[c]) for c in STEP_COLUMNS)))
    with open(files.get("--write-requests", os.devnull), "w") as f:
        f.write("request,scheduled_ns,first_token_ns,last_token_ns,preemptions,cached_tokens\n")
        for q in requests:
            if not q.rejected:
                f.write("%d,%d,%d,%d,%d,%d\n" % (q.row, q.scheduled_ns, q.first_ns, q.last_ns,
                                                q.preemptions, q.cached))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
