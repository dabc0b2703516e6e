"""TensorRT-LLM's first KV cache manager, slowly: the tree of blocks is a tree of
lists, and the free list is searched.  trtllm.py runs an engine with it.
"""
from vllm_keys import ceil_div


class Ends(Exception):
    """The engine dies, or hangs."""

    def __init__(self, row, what):
        super().__init__(what)
        self.row, self.what = row, what


class Node:
    def __init__(self, parent, key):
        self.parent, self.key, self.children, self.block = parent, key, [], None

    def child(self, key):
        for c in self.children:
            if c.key == key:
                return c
        return None


class Block:
    def __init__(self):
        self.holders, self.node = 0, None


def common(a, b):
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n


class Tree:
    """KV cache manager V1; q.blocks are those of a request."""

    def __init__(self, keys):
        self.b, self.reuse, self.parts = (keys.tokens_per_block, keys.enable_block_reuse,
                                          keys.enable_partial_reuse)
        self.n = keys.num_gpu_blocks
        self.free = [Block() for _ in range(self.n)]
        self.root = Node(None, None)

    def in_use(self):
        return self.n - len(self.free)

    def cut(self, tokens):
        return [tuple(tokens[i:i + self.b]) for i in range(0, len(tokens), self.b)]

    # -- looking

    def look(self, q):
        """Keys found, how many of them are in use, the next key."""
        keys, node, found, used = self.cut(q.content[:q.known()]), self.root, 0, 0
        keys = [k for k in keys if len(k) == self.b]
        for key in keys:
            node = node.child(key)
            if node is None or node.block is None:
                break
            found, used = found + 1, used + (node.block.holders > 0)
        return found, used, keys[found] if found < len(keys) else None

    # -- taking

    def drop(self, node):
        while node is not self.root and node.block is None and not node.children:
            node.parent.children.remove(node)
            node = node.parent

    def leave_node(self, block):
        node, block.node = block.node, None
        if node:
            node.block = None
            self.drop(node)

    def take(self, q):
        if not self.free:
            raise Ends(q.row, "needs a block")
        block = self.free.pop(0)
        self.leave_node(block)
        self.hold(q, block)

    def hold(self, q, block):
        block.holders += 1
        q.blocks.append(block)

    def borrow(self, block):
        if block in self.free:
            self.free.remove(block)

    def begin(self, requests):
        """The new ones of a step, in order."""
        claims = [self.claim(q) for q in requests] if self.reuse else [([], None, 0)] * len(requests)
        for i, (q, (whole, part, tokens)) in enumerate(zip(requests, claims)):
            for block in whole:
                q.blocks.append(block)
            q.found = len(whole) * self.b + tokens
            if part:
                self.use_part(q, part, [c[1] for c in claims[i + 1:]], claims)
            while len(q.blocks) < ceil_div(q.known(), self.b):
                self.take(q)

    def claim(self, q):
        whole, node = [], self.root
        for key in self.cut(q.content[:q.known() - 1]):
            exact = node.child(key)
            if exact and exact.block is None:
                break
            if exact and len(key) == self.b:
                whole.append(exact.block)
                self.borrow(exact.block)
                node = exact
                exact.block.holders += 1
                exact.block.by_pass = getattr(exact.block, "by_pass", 0) + 1
                continue
            near = exact
            if not exact and self.parts:
                have = [c for c in node.children if c.block and common(c.key, key)]
                near = max(have, key=lambda c: common(c.key, key)) if have else None
            if not near:
                break
            block = near.block
            held = block.holders - getattr(block, "by_pass", 0) > 0
            part = (block, held, bool(near.children))
            self.borrow(block)
            return self.passed(whole), part, common(near.key, key)
        return self.passed(whole), None, 0

    @staticmethod
    def passed(whole):
        return whole

    def use_part(self, q, part, later, claims):
        block, held, has_children = part
        is_last = all(p is None or p[0] is not block for p in later)
        is_whole = any(block in whole for whole, _, _ in claims)
        if not held and not is_whole and not has_children and is_last:
            self.leave_node(block)
            self.hold(q, block)
            return
        self.take(q)
        if not held and not is_whole and has_children and is_last and not block.holders:
            self.free.append(block)

    def end_of_pass(self):
        for block in self.all_blocks():
            block.by_pass = 0

    def all_blocks(self):
        out, todo = [], [self.root]
        while todo:
            node = todo.pop()
            todo += node.children
            if node.block:
                out.append(node.block)
        return out

    # -- giving back

    def store(self, q, tokens, ends):
        node = self.root
        for key, block in zip(self.cut(q.content[:tokens]), q.blocks):
            if len(key) < self.b and not ends:
                break
            child = node.child(key)
            if child is None:
                child = Node(node, key)
                node.children.append(child)
            if child.block is None:
                former, block.node, child.block = block.node, child, block
                if former:
                    former.block = None
                    self.drop(former)
            node = child

    def give_back(self, q):
        for block in reversed(q.blocks):
            block.holders -= 1
            if block.holders == 0:
                self.free.append(block)
        q.blocks = []
