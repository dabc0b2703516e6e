"""For the reference in vllm.py: pictures and sound of a prompt, and the cache of
those that were encoded.
"""


class Item:
    """`length` placeholders from `offset` on."""

    def __init__(self, text):
        offset, length, self.name = text.split(":", 2)
        self.offset, self.length = int(offset), int(length)
        self.end = self.offset + self.length


def items_of(cell):
    return [Item(text) for text in (cell or "").split(";") if text]


class Encoders:
    def __init__(self, keys, requests):
        longest = max((i.length for q in requests for i in q.items), default=0)
        self.keys = keys
        self.capacity = max(keys.max_num_batched_tokens, keys.max_tokens_per_mm_item or longest)
        self.users = {}   # requests by name, of all that the cache has
        self.length = {}
        self.unused = []  # names, those left first in front
        # drafting by layers reads one token ahead
        self.ahead = 1 if keys.num_speculative_tokens and keys.drafts_by_layers else 0

    def filled(self):
        return sum(self.length[name] for name in self.users)

    def in_use(self):
        return sum(self.length[name] for name in self.users if self.users[name])

    def use(self, q, name):
        if name in self.unused:
            self.unused.remove(name)
        self.users[name].add(q)

    def uses(self, q, name):
        return q in self.users.get(name, ())

    def leave(self, q, name):
        self.users[name].discard(q)
        if not self.users[name]:
            self.unused.append(name)

    def fits(self, length, picked, left):
        more = length + sum(i.length for i in picked)
        if length > left or more > self.capacity - self.in_use():
            return False
        while more > self.capacity - self.filled():
            del self.users[self.unused.pop(0)]
        return True

    def pick(self, q, c, n, left):
        """Of n tokens from c on: how many are possible, the items to encode for
        them, and the rest of the budget."""
        picked = []
        upto = c + n + self.ahead
        for item in q.items:
            if item.end <= c or item.offset >= upto:
                continue
            if item.name in [i.name for i in picked]:
                continue
            if item.name in self.users:
                self.use(q, item.name)
                continue
            if self.keys.disable_chunked_mm_input and c < item.offset and c + n < item.end:
                return max(0, item.offset - c - self.ahead), picked, left
            if not self.fits(item.length, picked, left):
                return max(0, item.offset - c - self.ahead), picked, left
            if item.offset >= c + n:
                continue
            picked.append(item)
            left -= item.length
        return n, picked, left

    def enter(self, q, picked):
        for item in picked:
            self.users[item.name] = {q}
            self.length[item.name] = item.length
        assert self.filled() <= self.capacity

    def processed(self, q):
        """Its first tokens have been computed."""
        for item in q.items:
            if (item not in q.left and self.uses(q, item.name)
                    and item.end + self.ahead <= q.computed - q.ph):
                q.left.add(item)
                self.leave(q, item.name)

    def leave_all(self, q):
        for item in q.items:
            if self.uses(q, item.name):
                self.leave(q, item.name)
        q.left = set()

    def step_us(self, picked):
        """How much longer a step lasts."""
        tokens = sum(item.length for items in picked.values() for item in items)
        return self.keys.encoder_us + self.keys.encoder_us_per_token * tokens if tokens else 0.0


def encoded_text(picked):
    return ";".join("%d:%d" % (q.row, q.items.index(item))
                    for q, items in picked.items() for item in items)
