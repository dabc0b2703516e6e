"""For the reference in vllm.py: the keys of [engine], the groups of the KV cache,
which drafts are right, and the requests of a trace.
"""
import csv
import json
import math
import os
import re
from fractions import Fraction

from vllm_encoders import items_of


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
              num_speculative_tokens=0, num_speculative_tokens_per_batch_size="",
              speculative_method="eagle", speculative_seed=0,
              synthetic_acceptance_rates="", synthetic_acceptance_length=0.0,
              draft_us=0.0, draft_cost_model="", draft_model_config="",
              decode_context_parallel_size=1, enable_lora=False, max_loras=1, max_cpu_loras=0,
              lora_us=0.0, lora_load_us=0.0, lora_activate_us=0.0,
              max_tokens_per_mm_item=0, disable_chunked_mm_input=False, encoder_us=0.0,
              encoder_us_per_token=0.0,
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

    def drafts_after(self, requests):
        """The drafts that a request of a step with that number of requests gets for its next step."""
        drafts = self.num_speculative_tokens
        table = json.loads(self.num_speculative_tokens_per_batch_size or "[]")
        dense = {}
        for (start, _, k), later in zip(table, table[1:] + [[requests + 1, 0, 0]]):
            dense.update({n: min(k, drafts) for n in range(start, later[0])})
        return dense.get(requests, drafts)

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

STATE = "state"  # in place of a window


class Group:
    """Layers that share a block table."""

    def __init__(self, window, layers, block):
        self.state = window == STATE  # of linear attention: a block is a state
        self.window, self.layers, self.block = 0 if self.state else window, layers, block

    def kind(self):
        return "mamba" if self.state else "window" if self.window else "full"

    def __repr__(self):
        return "%s:%dx%d" % (self.kind(), self.layers, self.block)


def group_layers(layers, block, padding):
    """layers: (window or 0, bytes of a token) each, or (STATE, its bytes).  The groups
    in order, and the bytes of a page; ValueError where vLLM refuses."""
    if len(set(layers)) > 1 and not any(window for window, _ in layers):
        return [Group(0, len(layers), block)], sum(b for _, b in layers) * block
    token = max(b for window, b in layers if window != STATE)
    state = max([b for window, b in layers if window == STATE], default=0)
    if state:  # FlashAttention's blocks are of 16 tokens
        unit = max(16, block)
        block = unit * ceil_div(state, unit * token)
    page = token * block
    kinds = {}
    for window, b in layers:
        if window == STATE:
            kinds[(STATE, block)] = kinds.get((STATE, block), 0) + 1
            continue
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


def layers_of(model, tp=1, drafts=0):
    n = int(model["num_hidden_layers"])
    heads = int(model.get("num_key_value_heads") or model["num_attention_heads"])
    dim = int(model.get("head_dim") or int(model["hidden_size"]) // int(model["num_attention_heads"]))
    kinds = []
    for word in model.get("layer_types", "full_attention").split(","):
        name, _, times = word.partition("*")
        kinds += [name] * int(times or 1)
    size = 2 * max(1, heads // tp) * dim * 2

    def keeps(kind):
        if kind == "linear_attention":
            return STATE, state_bytes(model, drafts)
        return int(model["sliding_window"]) if kind == "sliding_attention" else 0, size
    return [keeps(kinds[i % len(kinds)]) for i in range(n)]


def state_bytes(model, drafts):
    """Of a gated delta net on one GPU: inputs of the convolution, and the state."""
    key_heads, value_heads = (int(model["linear_num_%s_heads" % w]) for w in ("key", "value"))
    key, value = (int(model["linear_%s_head_dim" % w]) for w in ("key", "value"))
    channels = 2 * key_heads * key + value_heads * value
    number = {"fp32": 4, "bf16": 2, "auto": 2}[model.get("state_dtype", "auto")]
    return ((int(model["linear_conv_kernel_dim"]) - 1 + drafts) * channels * 2
            + value_heads * value * key * number)


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
    """How many of the drafts for the places from `made` on are right."""
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
    """The drafter's layers, which the cache keeps, too."""
    if not keys.num_speculative_tokens or keys.speculative_method == "ngram":
        return []
    if keys.draft_model_config:
        return layers_of(read_ini(os.path.join(folder, keys.draft_model_config))["model"])
    return layers[-1:] if keys.draft_cost_model and keys.speculative_method == "mtp" else []


def cost_of(ini, keys):
    """The function that prices a batch, drafting included; None: a dummy of one decode."""
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
        most = k if k == 0 or keys.model_runner == "v2" or not batch else keys.drafts_after(len(batch.items))
        passes = min(most, 1) if sampled == 0 else most
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
        self.adapter = None
        self.items, self.left = [], set()
        self.rejected = False
        self.vain, self.vain_known, self.hopeless = 0, 0, False
        self.preemptions = 0
        self.cached = None
        self.scheduled_ns = self.first_ns = self.last_ns = None
        # prefill and decode apart
        self.is_held = False      # its blocks stay until the other side has fetched them
        self.external = False     # its prompt's KV must be fetched from there
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
        items = items_of(line.get("mm_items"))
        for item in items:  # placeholders are alike in all prompts
            prompt[item.offset:item.end] = ["placeholder"] * item.length
        realm = (line.get("adapter") or None, line.get("cache_salt") or None)
        if realm != (None, None):  # the same tokens are others there
            prompt, answer = ([(realm, token) for token in part] for part in (prompt, answer))
        out.append(Request(row, ns(line["arrival_us"]), prompt, answer,
                           int(line.get("priority") or 0)))
        out[-1].adapter, out[-1].items = realm[0], items
    return out
