"""Hostile clients of `stepcost serve`: broken HTTP and JSON, slow and half-closed
connections, giant bodies, floods, resets at every state.

usage: hostile.py PORT N SEED [SECONDS [PID]]    N attacks one after another; with SECONDS
       eight attackers for so long; from 120 s on, the memory of PID and of its children
       must stay flat (sooner, one giant body more is most of it)
Exit 0 if the server still answers, and no request is left."""
import json
import os
import random
import socket
import struct
import sys
import threading
import time
import urllib.request

PORT, N, SEED = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
SECONDS = float(sys.argv[4]) if len(sys.argv) > 4 else 0
PID = int(sys.argv[5]) if len(sys.argv) > 5 else 0
MIB = 1 << 20
GROWS_MIB = 64  # 2 KiB left behind by each attack of 20 minutes are more; the highest load of a run may be late
BODY = json.dumps({"prompt": "x " * 50, "max_tokens": 50, "stream": True}).encode()
HEAD = b"POST /v1/%s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n"
GOOD = HEAD % (b"completions", len(BODY), b"") + BODY
PATHS = b"/ /health /v1/models /v1/completions /metrics /load /stepcost/state /stepcost/record /stepcost/faults " \
        b"/v1/completions/render /tokenize /detokenize /sleeping /v1/../etc/passwd /%00 * http://x/ //".split()
METHODS = b"GET HEAD POST PUT DELETE OPTIONS PATCH TRACE CONNECT BREW get \x00\x01 AAAAAAAAAAAAAAAAAAAAAAAAAAAAA".split()
JSON = [b"", b"null", b"[]", b"{", b'{"prompt":', b'"x"', b"1e999", b"NaN", b'{"prompt": "\\ud800"}', b'{"prompt": "\\u0000"}',
        b'{"prompt": [1, -1]}', b'{"prompt": [9223372036854775808]}', b'{"prompt": [1e5, 2.5]}', b'{"prompt": [[], [1]]}',
        b'{"prompt": "a", "n": 100000}', b'{"prompt": "a", "n": -1}', b'{"prompt": "a", "max_tokens": 99999999999999999999}',
        b'{"prompt": "a", "stop": ["", null]}', b'{"prompt": "a", "prompt": 3}', b'{"messages": [{"role": 1}]}',
        b'{"messages": [{"content": [{"type": "text"}]}]}', b'{"messages": [{"role": "tool", "tool_calls": [{}]}]}',
        b'{"prompt": "a", "cache_salt": ""}', b'{"prompt": "a", "stream_options": {"include_usage": true}}',
        b'{"prompt": "a", "logprobs": 3}', b'{"tokens": [2147483647, 2147483648]}', b'{"model": "\xc3\x28"}']


def head(path, n, more=b""):
    return HEAD % (path, n, more)


def post(s, body, path=b"completions", more=b""):
    s.sendall(head(path, len(body), more) + body)


def read(s, seconds=0.3):
    s.settimeout(seconds)
    try:
        return s.recv(4000)
    except OSError:
        return b""


def reset(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def half_request(s, r):
    s.sendall(GOOD[:r.randrange(len(GOOD))])


def cancelled(s, r):
    s.sendall(GOOD)
    time.sleep(r.random() * 0.03)


def half_closed(s, r):
    s.sendall(GOOD)
    s.shutdown(socket.SHUT_WR)
    read(s)


def pipelined(s, r):
    s.sendall(GOOD * 3)
    time.sleep(r.random() * 0.05)


def noise(s, r):
    s.sendall(bytes(r.randrange(256) for _ in range(r.randrange(2000))))


def long_line(s, r):
    s.sendall(b"GET /" + b"a" * r.randrange(60000) + b" HTTP/1.1\r\nHost: x\r\n\r\n")
    read(s)


def changed_body(s, r):
    b = bytearray(BODY)
    for _ in range(r.randint(1, 6)):
        b[r.randrange(len(b))] = r.randrange(256)
    post(s, bytes(b))
    read(s)


def deep(s, r):
    post(s, b'{"messages":' + b"[" * r.randrange(3000) + b"}", b"chat/completions")
    read(s)


def stalled(s, r):
    post(s, BODY, more=b"X-Stepcost-Fault: stall:0.05\r\n")
    read(s)


def reset_after_some(s, r):
    s.sendall(GOOD)
    read(s)
    reset(s)


def reset_at_once(s, r):
    s.sendall(GOOD)
    reset(s)


def faults(s, r):
    fault = r.choice([b"429", b"500", b"503", b"reset", b"cut:0", b"cut:3", b"stall:1e9", b"stall:-1", b"cut:x", b"", b"\xff"])
    post(s, BODY, more=b"X-Stepcost-Fault: " + fault + b"\r\n")
    read(s)


def changed_head(s, r):
    name = r.choice([b"a", b'"', b"\\", b"a,b", b'\\u0022'])
    b = bytearray(head(b"completions", len(BODY), b"X-Request-Id: %s\r\nX-data-parallel-rank: 0\r\n" % name))
    for _ in range(r.randint(1, 4)):
        b[r.randrange(len(b))] = r.randrange(256)
    s.sendall(bytes(b) + BODY)
    read(s)


def many_headers(s, r):
    s.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n" + b"".join(b"A%d: b\r\n" % i for i in range(r.randrange(6000))) + b"\r\n")
    read(s)


def methods(s, r):
    s.sendall(r.choice(METHODS) + b" " + r.choice(PATHS) + b" HTTP/" + r.choice([b"1.1", b"1.0", b"2.0", b"9"]) +
              b"\r\nHost: x\r\n\r\n")
    read(s)


def bad_json(s, r):
    post(s, r.choice(JSON), r.choice([b"completions", b"chat/completions", b"completions/render"]))
    read(s)


def two_lengths(s, r):
    s.sendall(head(b"completions", 5, r.choice([b"Content-Length: %d\r\n" % len(BODY), b"Transfer-Encoding: chunked\r\n",
                                                b"Transfer-Encoding: gzip, chunked\r\n"])) + GOOD)
    read(s)


def bad_chunks(s, r):
    s.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
              r.choice([b"zz\r\n", b"-1\r\nab", b"ffffffffffffffff\r\nab", b"5;x=\"\r\n12345\r\n0\r\n\r\n", b"0\r\nA: b\r\n\r\n"]))
    read(s)


def slow(s, r):
    """A byte now and then."""
    for i in range(0, r.randrange(20, 60)):
        s.sendall(GOOD[i:i + 1])
        time.sleep(0.05)


def giant(s, r):
    """A body beyond the limit, or a long prompt within it."""
    n = r.choice([2, 8, 31, 33, 100, 1 << 33]) * MIB
    s.sendall(head(b"completions", n))
    sent = 0
    while sent < min(n, 34 * MIB):
        piece = b'{"prompt": "' if not sent else b"x " * (MIB // 8)
        s.sendall(piece)
        sent += len(piece)
    read(s)


def flood(s, r):
    """Connections that say nothing, and go at once."""
    held = [socket.create_connection(("127.0.0.1", PORT), timeout=100) for _ in range(r.randrange(300))]
    for k in held[::3]:
        k.sendall(GOOD)
    for k in held:
        reset(k)
        k.close()


def many_prompts(s, r):
    post(s, json.dumps({"prompt": ["a"] * r.choice([100, 1024, 1025]), "n": r.choice([1, 3]), "max_tokens": 4}).encode())
    time.sleep(r.random() * 0.2)


def never_reads(s, r):
    post(s, json.dumps({"prompt": "a", "max_tokens": 20000, "n": 8, "ignore_eos": True, "stream": True}).encode())
    time.sleep(r.random())


KINDS = [half_request, cancelled, half_closed, pipelined, noise, long_line, changed_body, deep, stalled, reset_after_some,
         reset_at_once, faults, changed_head, many_headers, methods, bad_json, two_lengths, bad_chunks]
COSTLY = [slow, giant, flood, many_prompts, never_reads]
done = dict.fromkeys((k.__name__ for k in KINDS + COSTLY), 0)


def one(r):
    kind = r.choice(COSTLY if SECONDS and r.random() < 0.01 else KINDS)
    try:
        with socket.create_connection(("127.0.0.1", PORT), timeout=100) as s:
            kind(s, r)
    except OSError:
        pass
    done[kind.__name__] += 1


def attacker(seed):
    r = random.Random(seed)
    while time.monotonic() < END:
        one(r)
        time.sleep(r.random() * 0.1)


def get(path):
    return urllib.request.urlopen("http://127.0.0.1:%d%s" % (PORT, path), timeout=200).read()


def memory_mib():
    """Of the server, and of each of its children, in the order of their ids."""
    children = open("/proc/%d/task/%d/children" % (PID, PID)).read().split()
    pages = [int(open("/proc/%s/statm" % p).read().split()[1]) for p in [PID, *children]]
    return [n * os.sysconf("SC_PAGE_SIZE") / MIB for n in pages]


END = time.monotonic() + SECONDS
memory = []
if not SECONDS:
    r = random.Random(SEED)
    for _ in range(N):
        one(r)
else:
    attackers = [threading.Thread(target=attacker, args=(SEED * 1000 + i,), daemon=True) for i in range(8)]
    for a in attackers:
        a.start()
    while any(a.is_alive() for a in attackers):
        time.sleep(min(10, SECONDS / 10))
        get("/health")
        if PID:
            memory.append(memory_mib())
            if len(memory) % 30 == 0:
                print("memory, MiB:", [round(m, 1) for m in memory[-1]], "attacks:", sum(done.values()), flush=True)
left = []
for _ in range(1000):
    replicas = json.loads(get("/stepcost/state"))["arms"][0]["replicas"]
    left = [json.loads(get("/load"))["server_load"], replicas[0]["running"], replicas[0]["waiting"], replicas[0]["kv_use"]]
    if not any(left):
        break
    time.sleep(0.1)
print("left:", left, "attacks:", done)
grown = 0.0
if SECONDS >= 120 and len(memory) > 5:  # the least of the last quarter against the most of the first
    n = len(memory) // 4
    grown = max(min(m[i] for m in memory[-n:]) - max(m[i] for m in memory[:n]) for i in range(len(memory[0])))
    print("memory, MiB: first", memory[0], "most", [max(m) for m in zip(*memory)], "last", memory[-1], "grown by", grown)
sys.exit(any(left) or grown > GROWS_MIB)
