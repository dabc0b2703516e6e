"""For the reference in others.py: the scheduler of SGLang and its radix cache, and
the parts of a step that both engines of others.py have.
"""
import vllm_keys
from vllm_keys import ceil_div, llround


MOST = 4096
INF = 10 ** 15


class Keys:
    def __init__(self, given, defaults):
        self.__dict__.update(defaults)
        for key, value in given.items():
            if key not in ("scheduler", "preset"):
                self.__dict__[key] = vllm_keys.typed(defaults[key], value)


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
