"""For the reference in others.py: the scheduler of SGLang and its radix cache, and
the parts of a step that both engines of others.py have.

Written from the rules in doc/engines.md: the tree is made of lists of pages,
memory is counted in pages, and nothing is remembered that could be counted again.
"""
import vllm_keys
from vllm_keys import ceil_div


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
        self.parts, self.end, self.row = parts, None, None


# --- SGLang's radix cache ------------------------------------------------------------------

class Node:
    def __init__(self, parent, pages, used):
        self.parent, self.pages, self.children, self.locks, self.used = parent, pages, [], 0, used


class Tree:
    def __init__(self):
        self.root, self.clock = Node(None, [], 0), 0

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

    def tick(self):
        self.clock += 1
        return self.clock

    def find(self, pages):
        """(the node where they end, how many there are)"""
        node, n = self.root, 0
        if not pages:
            return node, n
        now = self.tick()
        while n < len(pages):
            child = next((c for c in node.children if c.pages[0] == pages[n]), None)
            if not child:
                break
            child.used = now
            same = 0
            while same < len(child.pages) and n + same < len(pages) and child.pages[same] == pages[n + same]:
                same += 1
            if same < len(child.pages):
                front = Node(node, child.pages[:same], self.tick())
                front.locks, front.children = child.locks, [child]
                node.children[node.children.index(child)] = front
                child.parent, child.pages = front, child.pages[same:]
                child = front
            node, n = child, n + same
        return node, n

    def insert(self, pages):
        """How many were there."""
        node, had = self.find(pages)
        if had < len(pages):
            node.children.append(Node(node, pages[had:], self.tick()))
        return had

    def lock(self, node, by=1):
        while node is not self.root:
            node.locks += by
            node = node.parent

    def evict(self, n):
        """Pages that went."""
        gone = 0
        while gone < n:
            leaves = [x for x in self.nodes() if not x.children and not x.locks]
            if not leaves:
                break
            x = min(leaves, key=lambda x: x.used)
            x.parent.children.remove(x)
            gone += len(x.pages)
        return gone


# --- its scheduler ----------------------------------------------------------------------

SGLANG = dict(chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=2048,
              schedule_conservativeness=1.0, page_size=1, schedule_policy="fcfs",
              enable_mixed_chunk=False, disable_radix_cache=False, disable_overlap_schedule=False,
              ignore_eos=True, enable_priority_scheduling=False,
              schedule_low_priority_values_first=False, disable_priority_preemption=False,
              priority_scheduling_preemption_threshold=10,
              num_gpu_blocks=0, max_model_len=512, schedule_us=0.0, api_overhead_us=0.0,
              api_request_us=0.0, cuda_graph_max_bs=0)

GO_ON, NO_TOKEN, STOP = "go on", "no token", "stop"


class Sglang:
    shows_at_end = True

    def __init__(self, given):
        self.keys = k = Keys(given, SGLANG)
        self.old = given.get("preset") == "sglang-0.5.6"
        self.evicts_shortfall = given.get("preset") == "sglang-2026-08"
        self.overlaps = not k.disable_overlap_schedule
        self.page = k.page_size
        self.pool = k.num_gpu_blocks * k.page_size
        self.most = k.max_running_requests
        if not self.old:
            self.most = min(self.most, self.pool // 2)
        self.waiting, self.running, self.full = [], [], False
        self.chunked, self.last, self.holders = None, None, set()
        self.tree, self.free, self.entries = Tree(), k.num_gpu_blocks, 0
        self.first = min(0.7 * k.schedule_conservativeness, 1.0)
        self.least = min(self.first * 0.14, 1.0)
        self.ratio = self.first
        self.flying, self.aborted = [], []
        self.preempts = (k.enable_priority_scheduling and not k.disable_priority_preemption
                         and not self.old)

    # -- requests

    def rejects(self, q):
        k = self.keys
        most = k.max_model_len - q.prompt - 1
        if not self.old:
            most = min(most, self.pool - self.up(q.prompt) - self.page - 1)
        elif q.prompt + q.max >= self.pool or k.disable_radix_cache and k.ignore_eos and (
                self.up(q.prompt) + q.max + 2 > self.pool):
            return True
        return q.max > most

    def enqueue(self, q):
        q.node, q.own, q.held, q.end, q.middle, q.over = self.tree.root, 0, 0, 0, 0, False
        q.looked, q.prefix = 0, 0
        self.wait(q)

    def wait(self, q):
        self.entries += 1
        q.entry = self.entries
        self.waiting.append(q)

    def idle(self):
        if self.old or not (self.waiting or self.running or self.chunked):
            self.ratio = self.first

    def state(self):
        return (self.ratio, self.full, len(self.running), len(self.waiting), self.free,
                self.chunked is not None)

    def in_use(self):
        return self.keys.num_gpu_blocks - self.free - (self.tree.size() - self.tree.locked())

    def n_running(self):
        return len(self.holders)

    # -- memory, in tokens

    def up(self, n):
        return ceil_div(n, self.page) * self.page

    def left(self):
        return (self.free + self.tree.size() - self.tree.locked()) * self.page

    def make_room(self, tokens):
        if self.free * self.page < tokens:
            has = self.free * self.page if self.evicts_shortfall else 0
            self.free += self.tree.evict(ceil_div(tokens - has, self.page))

    def take(self, q, held):
        self.free -= ceil_div(held, self.page) - ceil_div(q.held, self.page)
        q.held = held
        if self.free < 0:
            raise RuntimeError("no memory")

    def paged(self, q, tokens):
        if self.keys.disable_radix_cache:
            return []
        return [tuple(q.content[i * self.page:(i + 1) * self.page]) for i in range(tokens // self.page)]

    def keep(self, q):
        pages = self.paged(q, q.end)
        q.prefix = q.end
        if not pages:
            return
        had = self.tree.insert(pages)
        self.free += had - q.own
        node = self.tree.find(pages)[0]
        self.tree.lock(node)
        self.tree.lock(q.node, -1)
        q.node, q.own = node, len(pages)

    def release(self, q, own):
        """Gives everything back behind the first `own` pages."""
        self.free += ceil_div(q.held, self.page) - own
        self.tree.lock(q.node, -1)
        q.node, q.own, q.held = self.tree.root, 0, 0
        self.holders.discard(q)

    # -- one call

    def form(self):
        """(the parts of a step, requests that were retracted)"""
        self.parts, self.preempted, self.retracted = [], [], 0
        self.merge()
        self.add_prompts()
        if not self.parts and self.running:
            self.decode()
        for p in self.parts:
            self.holders.add(p.q)
        return self.parts, self.retracted

    def merge(self):
        if self.chunked:
            self.keep(self.chunked)
        if not self.last or not self.last.is_prompts:
            return
        stay = [p.q for p in self.last.parts
                if p.q not in (self.chunked, self.last.chunked) and not p.q.over]
        if len(stay) < len(self.last.parts):
            self.full = False
        if not self.running:
            self.full = False
        self.running += stay

    # -- prompts

    def add_prompts(self):
        k = self.keys
        if self.preempts:
            self.full = False
        if (self.full or not self.waiting) and not self.chunked:
            return
        if self.allocatable() <= 0 and not self.chunked and not self.preempts:
            self.full = True
            return
        self.sort()
        self.has_chunks = k.chunked_prefill_size > 0
        self.mixes = k.enable_mixed_chunk and self.has_chunks
        beside = len(self.running) if self.mixes else 0
        self.rem_input = k.max_prefill_tokens - beside
        self.rem_chunk = k.chunked_prefill_size - beside if self.has_chunks else INF
        shares = 0.0
        for q in self.running:
            shares += self.share(q)
        self.total, self.now, self.states = beside + shares, beside, None
        if self.chunked and not self.go_on():
            return
        for q in list(self.waiting):
            if len(self.parts) >= self.allocatable():
                self.full = True
            if self.full and not (self.preempts and self.preempt(q)):
                break
            is_ = self.add(q)
            if is_ == NO_TOKEN:
                self.full = True
            if is_ != GO_ON:
                break
        for q in self.preempted:
            self.wait(q)
        if self.parts:
            self.compute()

    def allocatable(self):
        seats = self.most - len(self.running)
        return seats if self.old else min(seats, self.most - len(self.holders))

    def share(self, q):
        return min(q.max - q.made, MOST) * self.ratio

    def charge(self, n, future):
        n = self.up(n)
        page = 0 if self.old else self.page
        self.total += n + future + page
        self.now += n + page
        self.rem_input -= n
        self.rem_chunk -= n

    def rem_total(self):
        return self.left() - self.total

    def rem_now(self):
        return self.left() - self.now

    def go_on(self):
        """With the prompt under way; False: it waits."""
        q = self.chunked
        n = min(self.rem_chunk, int(self.rem_total()))
        if n <= 0 and not self.old:
            n = self.rem_chunk
        n = min(q.known() - q.prefix, n)
        if n <= 0 or ceil_div(q.prefix + n, self.page) - ceil_div(q.held, self.page) > self.left() // self.page:
            return False  # SGLang would form a step that it cannot compute
        ends = q.prefix + n == q.known()
        self.add_part(q, n)
        self.charge(n, min(q.max, MOST) if ends else 0)
        if ends:
            self.chunked = None
        return True

    def add_part(self, q, n):
        q.computed = q.prefix
        if q.cached is None:
            q.cached = q.prefix
        self.parts.append(Part(q, n, True))
        q.end = q.prefix + n

    def add(self, q):
        pages = self.paged(q, q.known() - 1)
        node, found = self.tree.find(pages)
        q.looked, q.prefix = q.known(), found * self.page
        if self.keys.disable_radix_cache and self.keys.ignore_eos:
            return self.add_certain(q)
        x = q.known() - q.prefix
        need = x + min(max(q.max - q.made, 0), MOST) + (0 if self.old else self.page)
        if need >= self.rem_total():
            return NO_TOKEN
        if (self.old or not self.has_chunks) and self.parts and self.up(x) >= self.rem_input:
            return STOP
        self.tree.lock(node)
        q.node, q.own = node, found
        if need >= self.rem_total():
            self.unlock(q)
            return NO_TOKEN
        n, future = x, min(q.max, MOST)
        if self.up(x) > self.rem_chunk:
            n, future = self.rem_chunk // self.page * self.page, 0
            if n <= 0:
                self.unlock(q)
                return STOP
            self.chunked = q
        return self.begin(q, n, future)

    def unlock(self, q):
        self.tree.lock(q.node, -1)
        q.node, q.own = self.tree.root, 0

    def begin(self, q, n, future):
        q.held = q.prefix
        self.waiting.remove(q)
        self.add_part(q, n)
        self.charge(n, future)
        if self.rem_total() <= 0 or self.rem_now() <= 0:
            return NO_TOKEN
        return STOP if self.rem_input <= 0 or self.rem_chunk <= 0 else GO_ON

    def add_certain(self, q):
        """Without a tree, where lengths are certain."""
        if self.up(q.known()) > min(self.rem_now(), self.rem_total()):
            return NO_TOKEN
        state = lambda q: (q.max - q.made, q.known())
        if self.states is None:
            self.states = sorted((state(x) for x in [q] + self.running + [p.q for p in self.parts]
                                  if x.max > x.made), key=lambda s: s[0])
        else:
            at = 0
            for at in range(len(self.states)):
                if q.max - q.made <= self.states[at][0]:
                    break
            self.states.insert(at, state(q))
        free, freed = self.rem_now() - self.up(q.known()), 0
        for i, (left, known) in enumerate(self.states):
            n = len(self.states) - i
            if free + freed - left * n <= n:
                return NO_TOKEN
            freed += known
        n, future = q.known(), min(q.max, MOST)
        if n > self.rem_chunk:
            n, future = self.rem_chunk, 0
            if n <= 0:
                return STOP
            self.chunked = q
        return self.begin(q, n, future)

    def compute(self):
        """Takes memory, and the decodes along."""
        if self.chunked:
            self.chunked.middle += 1
        self.make_room(sum(p.n for p in self.parts)
                       + (len(self.parts) * self.page if self.page > 1 else 0))
        for p in self.parts:
            self.take(p.q, p.q.end)
        if not self.mixes:
            return
        beside = [q for q in self.running if not q.over]
        if sum(q.held % self.page == 0 for q in beside) > self.left() // self.page:
            return  # SGLang does not ask, and dies
        self.decode_all(beside)
        for q in beside:
            q.end = q.known()
        self.running = []

    # -- the order of the queue

    def sort(self):
        k = self.keys
        if k.enable_priority_scheduling:
            sign = 1 if k.schedule_low_priority_values_first else -1
            self.waiting.sort(key=lambda q: (sign * q.priority, q.entry))
        if k.schedule_policy != "lpm" or k.disable_radix_cache or len(self.waiting) > 128:
            return
        late, found, seen = set(), {}, []
        for q in self.waiting:
            found[q] = self.tree.find(self.paged(q, q.known()))[1] * self.page
            if found[q] > 32:
                continue
            own = q.content[:q.known()]
            if len(own) >= 32 and any(own[:32] == s[:32] for s in seen):
                late.add(q)
            else:
                seen.append(own)
        most = lambda q: found[q] if self.old else min(found[q], q.known() - 1)
        self.waiting.sort(key=lambda q: (q in late, 0 if q in late else -most(q)))

    def preempt(self, q):
        """Makes a seat for it, if others are that much less important."""
        k = self.keys
        sign = 1 if k.schedule_low_priority_values_first else -1
        short = q.looked - q.prefix + min(q.max, MOST) - self.rem_total()
        victims = []
        for x in sorted((x for x in self.running if not x.over),
                        key=lambda x: (-sign * x.priority, -x.entry)):
            if sign * (x.priority - q.priority) <= k.priority_scheduling_preemption_threshold:
                break
            victims.append(x)
            short -= self.share(x)
            if short <= 0:
                break
        if not victims or short > 0:
            return False
        n = len(self.running)
        for x in [x for x in self.running if x in victims]:
            self.total -= self.share(x)
            n -= 1
            self.running.remove(x)
            self.retract(x, n)
            self.preempted.append(x)
        return True

    # -- decodes

    def suffices(self, requests):
        if self.old and self.page > 1:
            known = lambda q: q.known() - (0 if self.overlaps else 1)
            begun = [q for q in requests if known(q) % self.page == 0]
        else:
            begun = [q for q in requests if q.held % self.page == 0]
        self.make_room(len(begun) * self.page)
        really = sum(q.held % self.page == 0 for q in requests)  # where 0.5.6 would die
        return self.free >= len(begun) and really <= self.left() // self.page

    def decode_all(self, requests):
        self.make_room(len(requests) * self.page)
        for q in requests:
            q.computed = q.held
            self.parts.append(Part(q, 1, False))
            self.take(q, q.held + 1)

    def decode(self):
        before = len(self.running)
        self.running = [q for q in self.running if not q.over]
        if not self.running:
            self.full = False
            return
        if self.suffices(self.running):
            self.ratio = max(self.ratio - (self.first - self.least) / 600, self.least)
        else:
            self.give_way()
        if len(self.running) < before:
            self.full = False
        self.decode_all(self.running)

    def give_way(self):
        order = sorted(self.running, key=lambda q: (q.made, -q.prompt), reverse=True)
        gone = []
        while len(order) > 1 and (not gone or not self.suffices(order)):
            gone.append(order.pop())
            self.retract(gone[-1], len(order))
        if len(order) == 1 and not self.suffices(order):
            self.abort(order.pop())
        self.running = order
        made = sum(q.made for q in order) + 20 * len(order)
        self.ratio = min(1.0, made / (sum(q.max for q in order) + 1))
        for q in gone:
            self.wait(q)

    def retract(self, q, others):
        self.release(q, q.own)
        self.make_room(20 * others)
        for b in self.flying:
            for p in b.parts:
                p.lost |= p.q is q
        q.ph = q.prefix = 0
        q.preemptions += 1
        self.retracted += 1

    def abort(self, q):
        self.release(q, q.own)
        for b in self.flying:
            for p in b.parts:
                p.lost |= p.q is q
        q.over = q.rejected = True
        self.aborted.append(q)

    # -- results

    def process(self, batch):
        emitted = []
        for p in batch.parts:
            q = p.q
            if p.lost or q.over:
                continue
            if batch.is_prompts and q.middle > 0:
                q.middle -= 1
                continue
            q.ph -= 1
            q.made += 1
            emitted.append(q)
            if q.made == q.max:
                self.end(q)
            elif p.is_prompt:
                self.keep(q)
        return emitted

    def end(self, q):
        q.over = True
        pages = self.paged(q, q.end if self.old else q.held)
        had = self.tree.insert(pages) if pages else 0
        self.free += had - q.own
        self.release(q, len(pages))
