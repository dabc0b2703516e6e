"""Clients of `stepcost serve`: requests of all kinds; some give up.

usage: live.py PORT N SEED [SECONDS [faults | FILE]]    N requests within SECONDS, over 127.0.0.1 alone;
       faults: any answer is right, also none, and one in ten asks for a fault;
       FILE: gets a line of each whole answer of one choice, "ID PROMPT_TOKENS ANSWER_TOKENS"
Prints how many answers were whole, given up and refused; exit 1 if one is wrong."""
import asyncio
import json
import random
import sys

PORT, N, SEED = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
SECONDS = float(sys.argv[4]) if len(sys.argv) > 4 else 2.0
ODD = ['"quoted"', "back\\slash\n", "\u00e9\u6f22", "\U0001f600 \U000e0001 \u200b\x7f"]  # JSON escapes some of them
WORDS = "alpha beta gamma delta river stone window garden".split()
count = {"whole": 0, "given up": 0, "refused": 0}
wrong = []
FAULTS = sys.argv[5:] == ["faults"]
FILE = open(sys.argv[5], "a") if len(sys.argv) > 5 and not FAULTS else None


def body(r):
    text = " ".join(r.choice(WORDS) for _ in range(r.choice([3, 20, 200])))
    b = {"max_tokens": r.randint(1, 60), "seed": r.randint(0, 9)}
    if r.random() < 0.3:
        del b["max_tokens"]
    if r.random() < 0.3:
        b["stop"] = r.choice([" the", [" of", "."], "you"])
    if r.random() < 0.1:
        b["n"] = 2
    if r.random() < 0.1:
        b["priority"] = r.randint(-1, 1)
    if r.random() < 0.2:
        b["user"] = r.choice(["", "one", "two"] + ODD)
    if r.random() < 0.2:
        b["request_id"] = r.choice(['"', "a\\", '\\"u0041"', "~2"])
    if r.random() < 0.5:
        b["stream"] = True
        b["stream_options"] = {"include_usage": True}
    if r.random() < 0.5:
        b["prompt"] = "common prefix of some requests " * 20 + text if r.random() < 0.5 else text
        return "/v1/completions", b
    b["messages"] = [{"role": "system", "content": "You are a short test. " * 8}, {"role": "user", "content": text}]
    return "/v1/chat/completions", b


async def one(k):
    r = random.Random(SEED * 1000003 + k)
    await asyncio.sleep(r.random() * SECONDS)
    path, b = body(r)
    data = json.dumps(b).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    head = "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%sConnection: close\r\n\r\n"
    name = "X-Request-Id: honest-%d-%d\r\n" % (SEED, k) if FILE else ""
    fault = "X-Stepcost-Fault: %s\r\n" % r.choice(["503", "reset", "cut:2", "stall:0.02"]) if FAULTS and k % 10 == 0 else ""
    writer.write((head % (path, len(data), fault + name)).encode() + data)
    try:
        await writer.drain()
        if r.random() < 0.2:  # this one gives up
            try:
                await asyncio.wait_for(reader.read(-1), r.random() * 0.01)
                count["whole"] += 1
            except asyncio.TimeoutError:
                count["given up"] += 1
            return
        text = (await asyncio.wait_for(reader.read(-1), 300)).decode()
    except ConnectionError:
        if not FAULTS:
            wrong.append("%d: the connection broke" % k)
        return
    finally:
        writer.close()
    if " 200 " not in text.split("\r\n")[0]:
        count["refused"] += 1
        if not FAULTS:
            wrong.append("%d: %s" % (k, text[:300]))
    elif b.get("stream") and "data: [DONE]" not in text and not FAULTS:
        wrong.append("%d: a stream without its end: %s" % (k, text[-200:]))
    else:
        count["whole"] += 1
        if FILE and "n" not in b:
            usage = json.loads(text[text.rindex('"usage":') + 8:text.index("}}", text.rindex('"usage":')) + 2])
            print("honest-%d-%d" % (SEED, k), usage["prompt_tokens"], usage["completion_tokens"], file=FILE)


async def main():
    await asyncio.gather(*(one(k) for k in range(N)))


asyncio.run(main())
print(count)
for w in wrong[:5]:
    print(w, file=sys.stderr)
sys.exit(bool(wrong))
