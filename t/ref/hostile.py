"""Hostile clients of `stepcost serve`: broken HTTP and JSON, slow and half-closed
connections, resets at every state.

usage: hostile.py PORT N SEED    exit 0 if it still answers, and no request is left"""
import json
import random
import socket
import struct
import sys
import time
import urllib.request

PORT, N = int(sys.argv[1]), int(sys.argv[2])
r = random.Random(int(sys.argv[3]))
BODY = json.dumps({"prompt": "x " * 50, "max_tokens": 50, "stream": True}).encode()
HEAD = b"POST /v1/%s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n"
GOOD = HEAD % (b"completions", len(BODY), b"") + BODY


def read(s, seconds=0.3):
    s.settimeout(seconds)
    try:
        return s.recv(4000)
    except OSError:
        return b""


def changed():
    b = bytearray(BODY)
    for _ in range(r.randint(1, 6)):
        b[r.randrange(len(b))] = r.randrange(256)
    return HEAD % (b"completions", len(b), b"") + bytes(b)


def deep():
    b = b'{"messages":' + b"[" * r.randrange(3000) + b"}"
    return HEAD % (b"chat/completions", len(b), b"") + b


def one(s):
    kind = r.randrange(10)
    if kind == 0:
        s.sendall(GOOD[:r.randrange(len(GOOD))])
    elif kind == 1:
        s.sendall(GOOD)
        time.sleep(r.random() * 0.03)
    elif kind == 2:
        s.sendall(GOOD)
        s.shutdown(socket.SHUT_WR)
        read(s)
    elif kind == 3:
        s.sendall(GOOD * 3)
        time.sleep(r.random() * 0.05)
    elif kind == 4:
        s.sendall(bytes(r.randrange(256) for _ in range(r.randrange(2000))))
    elif kind == 5:
        s.sendall(b"GET /" + b"a" * r.randrange(60000) + b" HTTP/1.1\r\nHost: x\r\n\r\n")
        read(s)
    elif kind == 6:
        s.sendall(changed())
        read(s)
    elif kind == 7:
        s.sendall(deep())
        read(s)
    elif kind == 8:
        s.sendall(HEAD % (b"completions", len(BODY), b"X-Stepcost-Fault: stall:0.05\r\n") + BODY)
        read(s)
    else:
        s.sendall(GOOD)
        read(s)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


for _ in range(N):
    with socket.create_connection(("127.0.0.1", PORT), timeout=100) as s:
        try:
            one(s)
        except OSError:
            pass


def get(path):
    return urllib.request.urlopen("http://127.0.0.1:%d%s" % (PORT, path), timeout=200).read()


get("/health")
for _ in range(1000):
    replicas = json.loads(get("/stepcost/state"))["arms"][0]["replicas"]
    left = [json.loads(get("/load"))["server_load"], replicas[0]["running"], replicas[0]["waiting"], replicas[0]["kv_use"]]
    if not any(left):
        break
    time.sleep(0.1)
print("left:", left)
sys.exit(any(left))
