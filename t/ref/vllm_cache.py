"""For the reference in vllm.py: the KV cache, block by block."""
import math

from vllm_keys import ceil_div


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
            seen = tuple((i.name, i.offset) for i in request.items
                         if i.end > k * self.key_unit and i.offset < (k + 1) * self.key_unit)
            key = (before, tokens, seen)
            request.chain.append(self.chains.setdefault(key, len(self.chains) + 1))
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
        """Blocks of the group that no layer needs after c tokens."""
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
        """Blocks for the first `tokens` tokens.  found: the blocks that a request from
        the queue takes from the cache."""
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

    def lookup(self, request, whole=False):
        """(tokens found, blocks found by group)"""
        none = [[] for _ in self.groups]
        if not self.keys.enable_prefix_caching:
            return 0, none
        kinds = {}
        for g, group in enumerate(self.groups):
            kinds.setdefault((group.window, group.block), []).append(g)
        order = sorted(kinds, key=lambda k: k[0] != 0)  # full attention first
        length = request.known() - (not whole)
        result = {}
        eagle = self.keys.num_speculative_tokens > 0 and self.keys.drafts_by_layers
        once = eagle and self.keys.eagle_hit_drop == "once"
        simple = (len(order) == 2 and order[0][0] == 0 and order[1][0] != 0
                  and not (eagle and not once))
        most, done = length, set()  # done: kinds that lost their last block, for this length
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
