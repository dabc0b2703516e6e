#!/usr/bin/env python3
"""A reference of the engine under a preset, slow and obvious: vLLM's scheduler,
its KV-cache manager and the loop around them, as doc/engine.md tells them.

It reads the same INI and the same trace (stepcost's own CSV) as the program, and
writes the requests of each step and the time of each token.  It was written from
the rules and shares nothing with the C sources: tokens are compared one by one,
the free list is a list, and nothing is remembered that could be counted again.

usage: vllm.py CONFIG.ini [--write-steps FILE] [--write-requests FILE]
"""
import heapq
import os
import sys

from vllm_keys import (LLAMA, STATE, Engine_keys, ceil_div, cost_of, drafter_layers, group_layers,
                       layers_of, llround, read_ini, read_trace)
from vllm_cache import Cache
from vllm_encoders import Encoders, encoded_text
from vllm_scheduler import Scheduler, scheduled_text


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


class Slots:
    """For adapters: of the GPU and of its host, those used last at the end."""

    def __init__(self, keys):
        self.keys, self.host, self.gpu = keys, [], []
        self.step_us = keys.lora_us if keys.enable_lora else 0.0

    def wait_ns(self, batch):
        k, us = self.keys, 0.0
        seen = []
        for item in batch.items:
            if k.enable_lora and item.request.adapter and item.request.adapter not in seen:
                seen.append(item.request.adapter)
        for adapter in seen:
            us += k.lora_load_us * self.use(self.host, k.max_cpu_loras or k.max_loras, adapter)
            us += k.lora_activate_us * self.use(self.gpu, k.max_loras, adapter)
        return llround(1000 * us)

    @staticmethod
    def use(slots, most, adapter):
        is_new = adapter not in slots
        if not is_new:
            slots.remove(adapter)
        slots.append(adapter)
        del slots[:-most]
        return is_new


class Hang(Exception):
    """vLLM waits without end."""


SCHEDULE, RESULTS = 1, 0  # in this order at one instant: results first


class Engine:
    def __init__(self, keys, groups, cost):
        self.keys, self.cost = keys, cost
        self.depth = keys.batches()
        self.slots = Slots(keys)
        self.free_at = [0] * keys.pipeline_parallel_size  # each stage
        self.cache = Cache(keys, groups, self.depth)
        self.scheduler = Scheduler(keys, self.cache)
        self.scheduler.begin_transfer = self.begin_transfer
        self.inbox = []  # (seen, rank in order of coming, request)
        self.now, self.next_ns, self.next = 0, None, None
        self.asleep = True    # until a request comes, or a transfer has ended
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
        """When it does something next; None: no request has come."""
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
                if not preempted:
                    self.scheduler.give_up_first()
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
        start = max(self.now, self.free_at[0]) + self.slots.wait_ns(batch)
        encoding_us = s.encoders.step_us(s.picked) if s.encoders else 0.0
        total_ns = llround(1000 * (self.cost(batch) + self.slots.step_us + encoding_us))
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
                         running=len(s.running), waiting=s.n_waiting(),
                         kv_blocks=self.cache.in_use, preempted=preempted,
                         scheduled=scheduled_text(batch), emitted="",
                         encoded=encoded_text(s.picked),
                         encoder_cache=s.encoders.filled() if s.encoders else 0)
        self.steps.append(batch.row)

    def results(self):
        batch = self.queue.pop(0)
        self.now = self.next_ns
        emitted, ended = self.scheduler.process(batch)
        for q, _ in emitted:
            if q.first_ns is None:
                q.first_ns = self.now
            q.last_ns = self.now
        if not batch.items and self.scheduler.given_up:
            self.scheduler.given_up.rejected = self.scheduler.finished_lately = True
            self.scheduler.given_up = None
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
        if s.blocked and len(self.steps) > 3000:  # preempted again and again
            raise Hang
        if s.blocked and s.unfinished() and not s.finished_lately and self.lacks_all():
            raise Hang
        # Without a sleep the thread would look again and again.
        self.asleep = (self.sleep_ns == 0 and s.unfinished() and not s.finished_lately
                       and self.lacks_all())

    def lacks_all(self):
        """Nothing is in flight and this turn has changed nothing."""
        return not (self.found or self.noticed or self.preempted or self.started
                    or any(b.items for b in self.queue)
                    or any(self.scheduler.waits_for_others(q) for q in self.scheduler.running))


def rejected(q, keys, cache):
    """It is too long, cannot end, or would not be admitted to an empty cache."""
    if q.prompt + q.max > keys.max_model_len:
        return True
    tokens = min(q.prompt + q.max - 1 + keys.lookahead, keys.max_model_len)
    least = gate = 0
    known = min(q.prompt, keys.max_model_len)
    step = keys.max_num_batched_tokens
    first = min(q.prompt, keys.tokens_of_a_step())
    if keys.long_prefill_token_threshold:
        first = min(first, keys.long_prefill_token_threshold)
    if keys.admission_lookahead:
        first += keys.lookahead
    first = min(first, keys.max_model_len)
    begun = 0
    for group in cache.groups:
        if group.state:
            states = 1 + keys.num_speculative_tokens
            least, gate, begun = least + states, gate + states, begun + states
            continue
        reached = min(tokens, group.window + keys.lookahead) if group.window else tokens
        least += ceil_div(reached, group.block)
        if keys.scheduler_reserve_full_isl:
            blocks = ceil_div(known, group.block)
            if group.window and keys.window_gate != "none":
                flight = step * (cache.depth if keys.window_gate == "all_batches" else 1)
                most = min(group.window - 1 + flight, keys.max_model_len)
                blocks = min(blocks, ceil_div(most, group.block) + 1)
            gate += blocks
        begun += ceil_div(first, group.block)
    return max(least, gate, begun) > cache.n_blocks


def run(path):
    ini = read_ini(path)
    model = dict(ini["model"])
    if "config" in model:
        model = LLAMA
    keys = Engine_keys(ini["engine"])
    keys.max_model_len = keys.max_model_len or int(model["max_position_embeddings"])
    folder = os.path.dirname(path)
    layers = layers_of(model, keys.tensor_parallel_size, keys.num_speculative_tokens)
    layers += drafter_layers(keys, layers, folder)
    if STATE in (w for w, _ in layers) and "enable_prefix_caching" not in ini["engine"]:
        keys.enable_prefix_caching = False  # vLLM asks for it to be said
    if keys.disable_hybrid_kv_cache_manager:
        layers = [(w if w == STATE else 0, b) for w, b in layers]
    groups, _ = group_layers(layers, keys.block_size * keys.decode_context_parallel_size,
                             keys.group_padding)
    engine = Engine(keys, groups, cost_of(ini, keys))
    requests = read_trace(os.path.join(folder, ini["workload"]["trace"]))
    if any(q.items for q in requests):
        engine.scheduler.encoders = Encoders(keys, requests)
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
