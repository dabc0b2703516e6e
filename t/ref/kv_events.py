"""A subscriber of a server's KV events: reads them with libzmq, and checks them
against a model of its own.

usage: kv_events.py PORT EVENTS REPLAY REPLICAS FORM
Asks the server for answers, and follows what it says of its blocks: every hash
is SHA-256 of the CBOR that vLLM hashes, only blocks that were there are removed, and a batch
that is asked for again is the same.  Prints what it saw; exit 1 if it is wrong."""
import ctypes
import ctypes.util
import hashlib
import http.client
import json
import struct
import sys
import time
from collections import Counter

PORT, EVENTS, REPLAY, REPLICAS, FORM = *map(int, sys.argv[1:5]), sys.argv[5]
z = ctypes.CDLL("libzmq.so.5")
z.zmq_ctx_new.restype = z.zmq_socket.restype = ctypes.c_void_p
z.zmq_socket.argtypes = [ctypes.c_void_p, ctypes.c_int]
for f in (z.zmq_bind, z.zmq_connect):
    f.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
z.zmq_setsockopt.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
z.zmq_getsockopt.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
z.zmq_recv.argtypes = z.zmq_send.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
context = z.zmq_ctx_new()
SUB, REQ, SUBSCRIBE, RCVTIMEO, RCVMORE = 2, 3, 6, 27, 13


def wrong(what):
    print("wrong:", what)
    sys.exit(1)


def socket(kind, endpoint):
    s = z.zmq_socket(context, kind)
    z.zmq_setsockopt(s, RCVTIMEO, struct.pack("i", 3000), 4)
    if kind == SUB:
        z.zmq_setsockopt(s, SUBSCRIBE, b"kv@", 3)
    if z.zmq_connect(s, endpoint.encode()):
        wrong("no connection to " + endpoint)
    return s


frame = ctypes.create_string_buffer(1 << 22)


def message(s):
    frames, more = [], ctypes.c_int(1)
    while more.value:
        n = z.zmq_recv(s, frame, len(frame), 0)
        if n < 0:
            return None
        frames.append(frame[:n])
        z.zmq_getsockopt(s, RCVMORE, ctypes.byref(more), ctypes.byref(ctypes.c_size_t(4)))
    return frames


def unpack(b, at=0):
    """The msgpack value at that place, and where it ends."""
    c, at = b[at], at + 1
    sized = {0xc4: (1, "b"), 0xc5: (2, "b"), 0xc6: (4, "b"), 0xd9: (1, "s"), 0xda: (2, "s"), 0xdb: (4, "s"),
             0xdc: (2, "a"), 0xdd: (4, "a"), 0xde: (2, "m"), 0xdf: (4, "m")}
    if c < 0x80 or c >= 0xe0:
        return c - (256 if c >= 0xe0 else 0), at
    if c == 0xc0:
        return None, at
    if c == 0xcb:
        return struct.unpack(">d", b[at:at + 8])[0], at + 8
    if 0xcc <= c <= 0xd3:
        n = 1 << (c - 0xcc & 3)
        return int.from_bytes(b[at:at + n], "big", signed=c >= 0xd0), at + n
    if c < 0xc0:
        kind, n = ("m", c & 15) if c < 0x90 else ("a", c & 15) if c < 0xa0 else ("s", c & 31)
    else:
        n, kind = sized[c]
        at, n = at + n, int.from_bytes(b[at:at + n], "big")
    if kind in "bs":
        v = b[at:at + n]
        return (v.decode() if kind == "s" else v), at + n
    values = []
    for _ in range(n * (1 + (kind == "m"))):
        v, at = unpack(b, at)
        values.append(v)
    return (dict(zip(values[::2], values[1::2])) if kind == "m" else values), at


def cbor(v):
    def head(major, n):
        for code, width in ((24, 1), (25, 2), (26, 4), (27, 8)):
            if n < 24:
                return bytes([major << 5 | n])
            if n < 1 << (8 * width):
                return bytes([major << 5 | code]) + n.to_bytes(width, "big")
    if v is None:
        return b"\xf6"
    if isinstance(v, int):
        return head(0, v) if v >= 0 else head(1, -1 - v)
    if isinstance(v, bytes):
        return head(2, len(v)) + v
    if isinstance(v, str):
        return head(3, len(v.encode())) + v.encode()
    return head(4, len(v)) + b"".join(map(cbor, v))


FIELDS = ["type", "block_hashes", "parent_block_hash", "token_ids", "block_size", "lora_id", "medium", "lora_name",
          "extra_keys", "group_idx", "kv_cache_spec_kind", "kv_cache_spec_sliding_window"]
OTHERS = {"BlockRemoved": ["type", "block_hashes", "medium", "group_idx"], "AllBlocksCleared": ["type"]}
full = {}  # hash as in events -> all bytes
root = hashlib.sha256(cbor("seed")).digest()
seen = Counter()


class Replica:
    def __init__(self, i):
        self.rank, self.next, self.blocks, self.batches = i, 0, Counter(), []

    def take(self, frames):
        topic, number, payload = frames
        if topic.decode() != "kv@%d@%d" % (PORT, self.rank) or int.from_bytes(number, "big") != self.next:
            wrong((topic, number, self.next))
        self.next += 1
        self.batches.append((number, payload))
        batch, end = unpack(payload)
        if end != len(payload) or len(batch) != 3 or batch[2] != self.rank or abs(batch[0] - time.time()) > 300:
            wrong(batch)
        for e in batch[1]:
            if FORM == "array":
                e = dict(zip(FIELDS if e[0] == "BlockStored" else OTHERS[e[0]], e))
            seen[e["type"]] += 1
            getattr(self, e["type"])(e)

    def BlockStored(self, e):
        size, n = e["block_size"], len(e["block_hashes"])
        if list(e) != FIELDS[:11] or not n or len(e["token_ids"]) != n * size or len(e["extra_keys"]) != n or \
                e["medium"] != "GPU" or e["kv_cache_spec_kind"] != "full_attention" or e["group_idx"] != 0:
            wrong(e)
        if (e["lora_name"] is None) != (e["lora_id"] is None):
            wrong(e)
        parent = root if e["parent_block_hash"] is None else full[e["parent_block_hash"]]
        for i, h in enumerate(e["block_hashes"]):
            extra = e["extra_keys"][i]
            if e["lora_name"] and (not extra or extra[0] != e["lora_name"]):
                wrong(e)
            seen["extra"] += extra is not None
            seen["items"] += extra is not None and any(isinstance(x, list) for x in extra)
            parent = hashlib.sha256(cbor([parent, e["token_ids"][i * size:(i + 1) * size], extra])).digest()
            if h != (int.from_bytes(parent[-8:], "big") if FORM == "map" else parent):
                wrong((i, e))
            full[h] = parent
            self.blocks[h] += 1

    def BlockRemoved(self, e):
        [h] = e["block_hashes"]
        if list(e) != OTHERS["BlockRemoved"] or not self.blocks[h]:
            wrong(e)
        self.blocks[h] -= 1

    def AllBlocksCleared(self, e):
        if list(e) != ["type"]:
            wrong(e)
        self.blocks.clear()


def ask(path, body):
    c = http.client.HTTPConnection("127.0.0.1", PORT, timeout=200)
    c.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    r = c.getresponse()
    text = r.read().decode()
    if r.status != 200:
        wrong(text)
    return text and json.loads(text)


replica = [Replica(i) for i in range(REPLICAS)]
subs = [socket(SUB, "tcp://127.0.0.1:%d" % (EVENTS + i)) for i in range(REPLICAS)]
for s in subs:  # until the first batch comes, the subscription may be on its way
    z.zmq_setsockopt(s, RCVTIMEO, struct.pack("i", 200), 4)
first = [None] * REPLICAS
while not all(first):
    ask("/v1/completions", {"prompt": ["warm " * 40] * REPLICAS, "max_tokens": 3, "cache_salt": "%f" % time.time()})
    first = [f or message(s) for f, s in zip(first, subs)]
for s in subs:
    z.zmq_setsockopt(s, RCVTIMEO, struct.pack("i", 3000), 4)
picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
for i in range(12):
    text = "a common beginning of all prompts, " * 20 + "number %d " % i * 30
    ask("/v1/completions", {"prompt": [text, text, [7] * 50], "max_tokens": 40})
    ask("/v1/completions", {"prompt": text, "max_tokens": 5, "model": "adapter", "cache_salt": "s"})
    ask("/v1/chat/completions", {"messages": [{"role": "user", "content": [{"type": "text", "text": text}, picture]}],
                                 "max_tokens": 20})
time.sleep(0.5)
ask("/reset_prefix_cache", {})
ask("/v1/completions", {"prompt": ["the end " * 20] * REPLICAS, "max_tokens": 30})
# All batches, from the first one on, come from the ROUTER socket.
for i, r in enumerate(replica):
    s = socket(REQ, "tcp://127.0.0.1:%d" % (REPLAY + i))
    z.zmq_send(s, (0).to_bytes(8, "big"), 8, 0)
    again = message(s)
    # REQ takes one answer for one request; a DEALER would get them all.
    if again is None or again[1] != bytes(8):
        wrong(again)
    d = z.zmq_socket(context, 5)
    z.zmq_setsockopt(d, RCVTIMEO, struct.pack("i", 3000), 4)
    z.zmq_connect(d, b"tcp://127.0.0.1:%d" % (REPLAY + i))
    z.zmq_send(d, b"", 0, 2)
    z.zmq_send(d, (0).to_bytes(8, "big"), 8, 0)
    while True:
        frames = message(d)
        if frames is None or frames[0] != b"":
            wrong(frames)
        if frames[1:] == [b"", b"\xff" * 8, b""]:
            break
        r.take(frames[1:])
    # Those that came by themselves are the same.
    frames = first[i]
    while frames:
        if (frames[1], frames[2]) != r.batches[int.from_bytes(frames[1], "big")]:
            wrong("another batch")
        seen["twice"] += 1
        if int.from_bytes(frames[1], "big") + 1 == r.next:
            break
        frames = message(subs[i])
print(dict(seen))
sys.exit(not (seen["BlockStored"] > 40 and seen["BlockRemoved"] > 10 and seen["AllBlocksCleared"] == REPLICAS and
              seen["extra"] > 10 and seen["items"] > 3 and seen["twice"] > 20))
