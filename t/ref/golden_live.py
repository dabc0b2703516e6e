#!/usr/bin/env python3
"""TAP without numbers: requests of golden cases sent to `stepcost serve` on the case's
engine; the replay of its record must have the same requests and steps.

FILE or FOLDER is one that schedules.py reads; NAME=FILE sends its requests to vLLM's
preset NAME, with keys that are drawn.  Of each N cases are drawn, and served at the
speeds in turn.  Some clients give up, some requests have a stop text or no limit.

usage: golden_live.py STEPCOST N SPEED,SPEED... [NAME=]FILE|FOLDER..."""
import asyncio
import csv
import json
import os
import random
import re
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import schedules  # noqa: E402

STEPCOST, N = os.path.abspath(sys.argv[1]), int(sys.argv[2])
SPEEDS = [float(s) for s in sys.argv[3].split(",")]


def under_vllm(case, preset, r):
    case.keys = [("preset", preset), ("max_model_len", "1024"), ("block_size", r.choice(["16", "32"])),
                 ("max_num_seqs", r.choice(["2", "4", "16"])), ("num_gpu_blocks", r.choice(["40", "90", "1000"])),
                 ("max_num_batched_tokens", r.choice(["32", "65", "256"])),
                 ("enable_prefix_caching", r.choice(["true", "false"]))]


def bodies(rows, r):
    """(arrival in s, headers, body) of each request."""
    session, first = {}, float(rows[0]["arrival_us"])
    for row in rows:
        group = random.Random(row.get("prefix_group"))
        of = row.get("session_id")
        ids = [group.randrange(2**31) for _ in range(int(row.get("prefix_tokens") or 0))] + session.get(of, [])
        n = int(row["input_tokens"])
        ids = (ids + [r.randrange(2**31) for _ in range(n)])[:n]
        body = {"prompt": ids, "max_tokens": int(row["output_tokens"]), "stream": r.random() < 0.5,
                "priority": int(row.get("priority") or 0)}
        if r.random() < 0.15:
            body["stop"] = r.choice([" the", " of", ".", "a"])
        elif r.random() < 0.1:
            del body["max_tokens"]
        if of:
            session[of] = ids
        yield (1e-6 * (float(row["arrival_us"]) - first), "X-Session-Id: %s\r\n" % of if of else "", body)


async def client(port, at, headers, body, gives_up):
    await asyncio.sleep(max(0, at - time.monotonic()))
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    text = json.dumps(body)
    writer.write(("POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%sConnection: close\r\n"
                  "Content-Length: %d\r\n\r\n%s" % (headers, len(text), text)).encode())
    try:
        await asyncio.wait_for(reader.read(-1), gives_up)
    except asyncio.TimeoutError:
        pass
    writer.close()


async def serve(ini, rows, folder, speed, r):
    """Returns the lines of requests and steps, live and replayed."""
    name = lambda kind: os.path.join(folder, kind)  # noqa: E731
    files = lambda kind: ["--write-requests", name(kind), "--write-steps", name(kind + "-steps")]  # noqa: E731
    server = await asyncio.create_subprocess_exec(
        STEPCOST, "serve", ini, "--listen", "127.0.0.1:0", "--speed", str(speed), "--record", name("record"),
        *files("live"), cwd=os.path.dirname(ini), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
    port = int(re.search(rb":(\d+) ", await server.stdout.readline())[1])
    await server.stdout.readline()
    now = time.monotonic()
    await asyncio.gather(*(client(port, now + at / speed, headers, body, r.random() * 0.05 if r.random() < 0.1 else 300)
                           for at, headers, body in bodies(rows, r)))
    server.send_signal(signal.SIGTERM)
    await server.stdout.read()
    again = await asyncio.create_subprocess_exec(
        STEPCOST, "run", ini, "--set", "workload.trace=" + name("record"), *files("run"), cwd=os.path.dirname(ini),
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
    await again.wait()  # 1: no request completed
    if await server.wait():
        return ["the server's code is %d" % server.returncode], []
    return [sorted(open(name(kind))) + sorted(open(name(kind + "-steps"))) for kind in ("live", "run")]


async def one(case, speed, gate, r):
    async with gate:
        with tempfile.TemporaryDirectory() as folder:
            ini = schedules.write(case, folder)
            trace = case.trace or open(ini[:-4] + ".trace.csv").read().splitlines()
            rows = list(csv.DictReader(trace))
            live, run = await serve(ini, rows, folder, speed, r)
    return None if live == run and len(live) > len(rows) // 2 else "%s %s: %s" % (case.name, case.number, [x for x in zip(live, run) if x[0] != x[1]][:1])


async def main():
    gate = asyncio.Semaphore(4)
    for name in sys.argv[4:]:
        preset, _, path = name.rpartition("=")
        r, of = random.Random(name), {}
        for case in schedules.read(path):
            if preset:
                under_vllm(case, preset, r)
            of.setdefault(case.name if os.path.isdir(path) else preset or os.path.basename(path), []).append(case)
        for what, cases in of.items():
            drawn = r.sample(cases, min(N, len(cases)))
            bad = [b for b in await asyncio.gather(*(one(c, SPEEDS[k % len(SPEEDS)], gate, random.Random(str(k) + what))
                                                     for k, c in enumerate(drawn))) if b]
            print("%sok - %s: %d of %d cases as replayed" % ("not " if bad else "", what, len(drawn) - len(bad), len(drawn)))
            for b in bad[:3]:
                print("# " + b[:400])


asyncio.run(main())
