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
        self.fresh = set()  # keys of states that were made in this step
        self.full_end = 0
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
            for i in range(min(tokens // group.block, len(table))):
                b = table[i]
                if b is HOLE or b.key is not None or not self.may_be_keyed(g, i):
                    continue
                b.key = self.key_of(request, g, i)
                self.by_key.setdefault(b.key, []).append(b)
                if group.state:
                    self.fresh.add(b.key)

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
        self.begin(request)

    @staticmethod
    def begin(request):
        """It has no state yet, and none before that."""
        request.has_state, request.state_before = False, None

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
            if self.groups[g].state:
                self.drop_states(request, g, c)
                continue
            old = []
            for i in range(min(self.skip(g, c), len(table)) - 1, -1, -1):
                if table[i] is HOLE:
                    break
                old.append(table[i])
                table[i] = HOLE
            self.give_back(old)

    # -- states

    def drop_states(self, request, g, c):
        """Those before the block that c tokens end in, from there down to the first hole;
        and the one before the present one."""
        if not self.keys.enable_prefix_caching:
            return
        table, x = request.tables[g], ceil_div(c, self.groups[g].block) - 1
        old, i = [], min(x, len(table)) - 1
        while i >= 0 and table[i] is not HOLE:
            old.append(i)
            i -= 1
        before = request.state_before
        if before is not None and before < x and table[before] is not HOLE and before not in old:
            old.append(before)
        for i in old:
            self.give_back([table[i]])
            table[i] = HOLE

    def states_needed(self, request, g, own):
        k, group = self.keys.num_speculative_tokens, self.groups[g]
        if not request.has_state:
            return 1 + k
        if not self.keys.enable_prefix_caching:
            return 0
        return 1 if ceil_div(own, group.block) + k > len(request.tables[g]) else 0

    def take_states(self, request, g, own):
        """The state is in the block that the last token of the step is in; those of
        drafts are right behind it.  Returns the place of the state before; -1: none."""
        k, table = self.keys.num_speculative_tokens, request.tables[g]
        place = 0
        if self.keys.enable_prefix_caching:
            place = ceil_div(own, self.groups[g].block) - 1
        old = len(table)
        table += [HOLE] * (place - old)
        for i in range(old - k, old) if request.has_state else []:
            if i < place:
                table.append(table[i])
                table[i] = HOLE
        while len(table) < place + 1 + k:
            table.append(self.take())
        return old - 1 - (k if request.has_state else 0)

    def cap(self, g):
        """Most blocks that the gate asks for in a window group."""
        group, k = self.groups[g], self.keys
        batches = self.depth if k.window_gate == "all_batches" else 1
        most = min(group.window - 1 + batches * k.max_num_batched_tokens, k.max_model_len)
        return ceil_div(most, group.block) + 1

    # -- need

    def need(self, request, tokens, found=None, h=0, gate=False, own=None):
        """Blocks for the first `tokens` tokens.  found: the blocks that a request from
        the queue takes from the cache.  own: tokens without those for later drafts."""
        n = 0
        for g, group in enumerate(self.groups):
            if group.state:
                n += self.states_needed(request, g, own or tokens)
                n += sum(1 for b in found[g] if b is not HOLE and b.users == 0) if found else 0
                continue
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

    def allocate(self, request, tokens, found=None, h=0, own=None):
        if found is not None:
            for g in range(len(self.groups)):
                if self.groups[g].state:
                    request.tables[g] = list(found[g])
                    for b in found[g]:
                        if b is not HOLE:
                            self.share(b)
                    continue
                first = self.skip(g, h)
                for b in found[g][first:]:
                    self.share(b)
                request.tables[g] = [HOLE] * min(first, len(found[g])) + list(found[g][first:])
                request.tables[g] += [HOLE] * (first - len(request.tables[g]))
        before = None
        for g, group in enumerate(self.groups):
            table = request.tables[g]
            if group.state and self.states_needed(request, g, own or tokens):
                before = self.take_states(request, g, own or tokens)
            while not group.state and len(table) < ceil_div(tokens, group.block):
                table.append(self.take())
        if before is not None:
            request.has_state = True
            request.state_before = before if before >= 0 else None

    # -- hits

    def lookup(self, request, whole=False):
        """(tokens found, blocks found by group)"""
        none = [[] for _ in self.groups]
        self.full_end = 0  # of what full attention has
        if not self.keys.enable_prefix_caching:
            return 0, none
        kinds = {}
        for g, group in enumerate(self.groups):
            window = -1 if group.state else group.window
            kinds.setdefault((window, group.block), []).append(g)
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
                drop = eagle and kind[0] >= 0 and not (once and kind in done)
                upto = min(length + kind[1], most) if drop and once else length
                result[kind] = self.look_up_kind(request, kind, kinds[kind], upto, drop)
                n = len(result[kind][0]) * kind[1]
                if kind[0] == 0:
                    self.full_end = n
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
        if window < 0:  # the last state that each group has
            ends = [i for i in range(n) if all(hit(i))]
            return [[HOLE] * ends[-1] + [b] if ends else []
                    for b in (hit(ends[-1]) if ends else groups)]
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
