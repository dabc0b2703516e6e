"""For the reference in vllm.py: the scheduler, one call after another."""
from vllm_keys import Request, accepted


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
        self.passed = []  # passed over: in front of those that wait
        self.fetching = []  # in front of those that wait: their blocks are taken
        self.queries = self.hits = self.preemptions = 0
        self.finished_lately = False
        self.given_up = None
        self.deferred = self.emptied = False  # prefill_schedule_interval
        self.by_priority = keys.scheduling_policy == "priority"
        self.step = 0
        self.drafts = self.draft_tokens = self.accepted_tokens = 0
        self.encoders = None  # no request has pictures
        self.picked, self.encoder_budget = {}, 0  # of the step: items by request
        self.blocked = False  # a request lacked room for an item

    def enqueue(self, request):
        request.tables = [[] for _ in self.cache.groups]
        self.cache.begin(request)
        self.waiting.append(request)
        if self.by_priority:
            self.waiting.sort(key=Request.rank)

    def push_front(self, request):
        self.waiting.insert(0, request)
        if self.by_priority:
            self.waiting.sort(key=Request.rank)

    def unfinished(self):
        return bool(self.running or self.n_waiting())

    def n_waiting(self):
        return len(self.waiting) + len(self.fetching) + len(self.passed)

    def something_to_do(self):
        return self.unfinished() or self.finished_lately

    def cut(self, n, budget):
        most = self.keys.long_prefill_token_threshold
        if 0 < most < n:
            n = most
        return min(n, budget)

    def end_at_block(self, q, c, n):
        """Where prefix caching keeps states at ends of blocks: how many of n tokens."""
        k, groups = self.keys, self.cache.groups
        if not k.enable_prefix_caching or not any(g.state for g in groups):
            return n
        if c >= max(q.prompt, q.known() - 1):
            return n
        block = groups[0].block
        last = q.known() // block * block
        if k.num_speculative_tokens and k.drafts_by_layers:
            last = max(0, last - block)
        end = c + n
        if c < last:
            if c % block:
                end = min(end, c - c % block + block)
            else:
                end = last if end >= last else end - end % block
        return min(end, q.full_end) - c if c < q.full_end else end - c

    def preempt_one(self, scheduled):
        """(the victim, was it scheduled in this call)"""
        victim = max(self.running, key=Request.rank) if self.by_priority else self.running[-1]
        self.running.remove(victim)
        was = victim in scheduled
        if victim.items:
            self.encoders.leave_all(victim)
            self.encoder_budget += sum(i.length for i in self.picked.pop(victim, []))
        self.cache.free_request(victim)
        victim.tables = [[] for _ in self.cache.groups]
        victim.computed = victim.spec = 0
        victim.preempted = True
        victim.preemptions += 1
        self.preemptions += 1
        self.push_front(victim)
        return victim, was

    def count_vain(self, q, scheduled):
        """Sixteen times in vain, where no other can go on: what vLLM does for ever."""
        alone = not self.running and self.cache.n_free() == self.cache.n_blocks
        if not alone and (scheduled or not self.blocked):
            return
        q.vain = q.vain + 1 if q.vain_known == q.known() else 1
        q.vain_known, q.hopeless = q.known(), q.vain == 16

    def give_up_first(self):
        """The whole cache is too small for it, now that it has made tokens."""
        if (not (self.passed or self.waiting) or self.running or self.fetching or self.deferred
                or self.cache.n_free() < self.cache.n_blocks):
            return
        queue = self.passed or self.waiting
        if not queue[0].flight and queue[0].preemptions:
            self.given_up = queue.pop(0)

    def schedule(self):
        """(batch, preempted)"""
        k = self.keys
        self.finished_lately = False
        self.step += 1
        self.cache.fresh = set()
        budget, preempted = k.tokens_of_a_step(), 0
        scheduled, new = [], {}  # in order; tokens by request
        self.picked, self.blocked = {}, False
        self.encoder_budget = self.encoders.capacity if self.encoders else 0
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
            n, picked, left = self.pick(q, q.computed, n)
            n = self.end_at_block(q, q.computed, n)
            if n == 0:
                i += 1
                continue
            own = min(q.computed + n, k.max_model_len)
            while True:
                self.cache.drop_old(q, q.computed)
                upto = min(q.computed + n + k.lookahead, k.max_model_len)
                if self.cache.need(q, upto, own=own) <= self.cache.n_free():
                    break
                victim, was = self.preempt_one(scheduled)
                preempted += 1
                if was:
                    scheduled.remove(victim)
                    budget += new.pop(victim)
                    i -= 1
                if victim is q:
                    self.count_vain(q, scheduled)
                    stop = True
                    break
            if stop:
                break
            self.enter(q, picked, left)
            self.cache.allocate(q, upto, own=own)
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

    def pick(self, q, c, n):
        if not q.items:
            return n, [], self.encoder_budget
        n, picked, left = self.encoders.pick(q, c, n, self.encoder_budget)
        self.blocked |= n == 0
        return n, picked, left

    def enter(self, q, picked, left):
        if picked:
            self.encoders.enter(q, picked)
            self.picked[q], self.encoder_budget = picked, left

    def waits_for_others(self, q):
        """Stages take turns when batches are scheduled ahead."""
        k = self.keys
        if not k.async_scheduling or k.pipeline_parallel_size == 1:
            return False
        return q.ph > 0 if k.model_runner == "v1" else self.step < q.next_ok

    def reserved(self):
        """Blocks that prefills and transfers under way still need."""
        under_way = [q for q in self.running if q.chunk or q in self.begun] + self.fetching
        return sum(self.cache.need(q, min(q.known(), self.keys.max_model_len), gate=True)
                   for q in under_way)

    def may_admit(self, budget):
        return budget > 0 and len(self.running) < self.keys.max_num_seqs

    def admit(self, scheduled, new, was_admitted, budget, drafts, padded, defers=False):
        k = self.keys
        self.begun = set()  # with a part of the prompt, in this call
        self.pads = (k.num_speculative_tokens > 0 and k.pad_spec_decode and len(scheduled) > 0
                     and not k.num_speculative_tokens_per_batch_size
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
        over = []
        while (self.passed or self.waiting) and self.may_admit(budget):
            queue = self.passed or self.waiting
            q = queue[0]
            if self.has_no_place(q, scheduled):
                over.append(queue.pop(0))
                continue
            if not self.admit_one(q, scheduled, new, was_admitted, budget, defers, drafts, padded):
                break
            queue.pop(0)
            budget -= new.get(q, 0)
        self.passed = over + self.passed
        if self.by_priority:
            self.waiting = sorted(self.waiting + self.passed, key=Request.rank)
            self.passed = []

    def has_no_place(self, q, scheduled):
        """For its adapter, in the step so far."""
        used = {s.adapter for s in scheduled} - {None}
        return (self.keys.enable_lora and q.adapter is not None and q.adapter not in used
                and len(used) == self.keys.max_loras)

    def look_up(self, q):
        h, found = self.cache.lookup(q)
        if not q.preemptions and self.keys.enable_prefix_caching:
            self.queries += q.known()
            self.hits += h
        return h, found

    def room(self):
        """The blocks that an admission may take; vLLM counts one more than it gives out."""
        kept = int(self.keys.watermark * (self.cache.n_blocks + 1)) if self.running else 0
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
        n, picked, left = self.pick(q, h, self.cut(n, budget))
        q.full_end = self.cache.full_end if found is not None else 0
        n = self.end_at_block(q, h, n)
        if n == 0 or self.is_too_fresh(found):
            return False
        upto = min(h + n + (k.lookahead if k.admission_lookahead else 0), k.max_model_len)
        if not self.has_room(q, upto, found, h):
            upto = min(h + n, k.max_model_len)  # where nothing runs: without those for drafts
            if q.transfer is None or self.running or not self.has_room(q, upto, found, h):
                if q.items:
                    self.encoders.leave_all(q)
                return False
        self.enter(q, picked, left)
        self.cache.allocate(q, upto, found, h, min(h + n, k.max_model_len))
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
        if h + n < q.known():
            self.begun.add(q)
        new[q] = n
        if pad:
            drafts[q] = n - 1
            padded.add(q)
        return True

    def is_too_fresh(self, found):
        """A state of this step cannot be read in it."""
        return any(group.state and table and table[-1].key in self.cache.fresh
                   for group, table in zip(self.cache.groups, found or []))

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
                q.spec = self.keys.drafts_after(len(scheduled))
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
            if q.made == q.max or q.rejected:
                continue
            k = self.keys
            if not k.async_scheduling and not q.preempted and (item.makes_token or k.chunk_drafts):
                q.spec = k.drafts_after(len(batch.items))
            if q.items:
                self.encoders.processed(q)
            if not item.makes_token:
                if q.hopeless:
                    q.rejected = True
                    ended.append(q)
                    (self.waiting if q.preempted else self.running).remove(q)
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
                if q.items:
                    self.encoders.leave_all(q)
                next(l for l in (self.running, self.waiting, self.passed) if q in l).remove(q)
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
